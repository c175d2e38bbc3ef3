/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flows: nodes, defaults, drop-ins, the graph, and nodes from a file
 *
 * S000-7, S000-19, S000-20, S002-7, S004-16, S004-24
 */

#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"
#include "unit/sandbox_settings.h"
#include "unitfile/flow_nodes.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

static FileWorld *world;

static void set_up(void) {
        world = file_world_new();
}

static void tear_down(void) {
        file_world_free(world);
}

TestSuite(flow_file, .init = set_up, .fini = tear_down, .timeout = 60);

static Unit *load(const char *text) {
        file_world_restart(world);
        file_write(world, "a/x.flow", text);
        return file_load(world, "x.flow");
}

static const FlowSettings *flow_of(const Unit *unit) {
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

static const FlowNode *node_of(const Unit *unit, const char *name) {
        const FlowSettings *flow = flow_of(unit);

        for (size_t i = 0; i < flow->nodes.n; i++)
                if (strcmp(flow->nodes.items[i].name, name) == 0)
                        return &flow->nodes.items[i];
        cr_fatal("there is no node %s", name);
        return NULL;
}

/* The settings for the processes of a node: its own or the flow's. */
static const FlowProcess *process_of(const Unit *unit, const char *name) {
        const FlowNode *node = node_of(unit, name);

        return node->process ? node->process : &flow_of(unit)->process;
}

static void assert_list(char *const *strv, const char *expected) {
        cleanup_free_ char *list = NULL;

        cr_assert(eq(int, strv_join(strv, " ", &list), 0));
        assert_string(list, expected);
}

/* — settings — */

Test(flow_file, defaults) {
        const Unit *unit = load("[Node a]\n");
        const FlowSettings *flow = flow_of(unit);
        const FlowNode *node = node_of(unit, "a");

        assert_string(file_said(world), "");
        cr_assert(eq(u32, flow->max_runs, 1));
        cr_assert(eq(u32, flow->max_queued, 100));
        cr_assert(eq(u32, flow->max_parallel, 0));
        cr_assert(eq(u32, flow->keep_runs, 200));
        cr_assert(not(flow->has_keep_for));
        cr_assert(eq(int, flow->on_busy, FLOW_BUSY_QUEUE));
        cr_assert(not(flow->has_on_trigger));
        cr_assert(eq(int, flow->end_mode, FLOW_END_DRAIN));
        cr_assert(eq(int, flow->stop_mode, FLOW_STOP_WAIT));
        cr_assert(eq(u64, flow->run_timeout, USEC_INFINITY));
        cr_assert(eq(u64, flow->timeout_stop, 90 * USEC_PER_SEC));
        cr_assert(eq(int, flow_node_failure(flow, node), FLOW_FAILURE_END));
        cr_assert(eq(int, node->recover, FLOW_RECOVER_UNSET));
        cr_assert(eq(u32, node->retry, 0));
        cr_assert(eq(u64, node->retry_delay, 5 * USEC_PER_SEC));
        cr_assert(eq(u64, node->retry_max_delay, 300 * USEC_PER_SEC));
        cr_assert(eq(u64, node->retry_window, USEC_INFINITY));
        cr_assert(eq(u64, node->timeout, USEC_INFINITY));
        cr_assert(eq(u64, node->total_timeout, USEC_INFINITY));
        cr_assert(eq(int, node->readiness.kind, FLOW_READY_ALL_SUCCEEDED));
        assert_null(node->command);
        assert_null(node->process);
        cr_assert(not(node->idempotent));
}

/* What is the shell's stays as it is written; a drop-in begins anew with an empty line. */
Test(flow_file, a_script_has_its_lines) {
        const Unit *unit = load("[Flow]\nRunDirectory=yes\n[Node a]\nScript=for i in 1 2; do\nScript=echo \"%i $i %{x}\" \\$HOME\n"
                                "Script=done\n[Node b]\nScript=false\nScript=\nScript=true\n");

        assert_string(file_said(world), "");
        cr_assert(flow_of(unit)->run_directory);
        assert_string(node_of(unit, "a")->script, "for i in 1 2; do\necho \"%i $i %{x}\" \\$HOME\ndone\n");
        cr_assert(flow_node_acts(node_of(unit, "a")));
        cr_assert(flow_node_has_process(node_of(unit, "a")));
        assert_string(node_of(unit, "b")->script, "true\n");
}

Test(flow_file, a_node_has_what_its_section_says) {
        const Unit *unit = load("[Node a]\n[Node b]\nDependsOn=a\nExec=/bin/echo \"x y\" %p\nReadiness=at-least:1\n"
                                "FailurePolicy=suspend\nRecover=fail\nIdempotent=yes\nRetry=3\nRetryDelaySec=1min\n"
                                "RetryBackoff=linear\nRetryMaxDelaySec=10min\nRetryJitter=10%\nRetryWindowSec=1h\n"
                                "RetryExitStatus=3 SIGTERM\nNoRetryExitStatus=4\nSuccessExitStatus=5\nTimeoutSec=2h\n"
                                "TotalTimeoutSec=3h\nMemoryMax=1M\n");
        const FlowNode *node = node_of(unit, "b");

        assert_string(file_said(world), "");
        cr_assert(eq(sz, node->depends_on.n, 1));
        assert_string(node->depends_on.items[0].name, "a");
        cr_assert(eq(u32, node->depends_on.items[0].place.line, 3));
        cr_assert(text_ends_with(node->depends_on.items[0].place.file, "/a/x.flow"));
        cr_assert(eq(u32, node->place.line, 2));
        assert_list(node->command->argv, "/bin/echo x y x");
        cr_assert(eq(int, node->readiness.kind, FLOW_READY_AT_LEAST));
        cr_assert(eq(u32, node->readiness.n, 1));
        cr_assert(not(node->readiness.is_percent));
        cr_assert(eq(int, node->failure_policy, FLOW_FAILURE_SUSPEND));
        cr_assert(eq(int, node->recover, FLOW_RECOVER_FAIL));
        cr_assert(node->idempotent);
        cr_assert(eq(u32, node->retry, 3));
        cr_assert(eq(u64, node->retry_delay, USEC_PER_MINUTE));
        cr_assert(eq(int, node->retry_backoff, FLOW_BACKOFF_LINEAR));
        cr_assert(eq(u64, node->retry_max_delay, 10 * USEC_PER_MINUTE));
        cr_assert(eq(u32, node->retry_jitter, 10));
        cr_assert(eq(u64, node->retry_window, 60 * USEC_PER_MINUTE));
        cr_assert(exit_status_set_has_status(&node->retry_exit_status, 3));
        cr_assert(exit_status_set_has_signal(&node->retry_exit_status, SIGTERM));
        cr_assert(exit_status_set_has_status(&node->no_retry_exit_status, 4));
        cr_assert(exit_status_set_has_status(&node->success_exit_status, 5));
        cr_assert(eq(u64, node->timeout, 120 * USEC_PER_MINUTE));
        cr_assert(eq(u64, node->total_timeout, 180 * USEC_PER_MINUTE));
        cr_assert(eq(u64, node->resources->memory_max.amount, 1 << 20));
}

Test(flow_file, a_policy_is_a_command_with_a_name) {
        const Unit *unit = load("[Flow]\nParams=x\n[Policy sane]\nCommand=/bin/judge %{param.x} %p\nTimeoutSec=3\n"
                                "[Node a]\n[Node b]\nDependsOn=a\nReadiness=policy:sane\n"
                                "ReadinessContext={\"n\": [1]}\n"
                                "[Node c]\nReadiness=policy:sane\nReadinessContext=say \"so\"\n"
                                "[Node d]\nReadiness=policy:sane\nReadiness=all-finished\nReadinessContext=1\n"
                                "ReadinessContext=\n");
        const FlowPolicy *policy = flow_policy_find(flow_of(unit), "sane");

        assert_string(file_said(world), "");
        cr_assert(eq(sz, flow_of(unit)->nodes.n, 4));
        cr_assert(eq(sz, flow_of(unit)->policies.n, 1));
        assert_list(policy->command->argv, "/bin/judge %{param.x} x");
        cr_assert(eq(u64, policy->timeout, 3 * USEC_PER_SEC));
        cr_assert(eq(u32, policy->place.line, 3));
        cr_assert(eq(int, node_of(unit, "b")->readiness.kind, FLOW_READY_BY_POLICY));
        assert_string(node_of(unit, "b")->policy, "sane");
        assert_string(node_of(unit, "b")->readiness_context, "{\"n\": [1]}");
        assert_string(node_of(unit, "c")->readiness_context, "\"say \\\"so\\\"\"");
        assert_null(node_of(unit, "d")->policy);
        assert_null(node_of(unit, "d")->readiness_context);
        assert_null(flow_policy_find(flow_of(unit), "a"));
}

Test(flow_file, a_policy_without_a_section_is_a_program) {
        static const char text[] = "[Flow]\n[Policy own]\nCommand=/bin/own\n[Node a]\n[Node b]\nDependsOn=a\n"
                                   "Readiness=policy:both\n[Node c]\nReadiness=policy:own\n"
                                   "[Node d]\nReadiness=policy:both\n";
        const FlowPolicy *policy;
        const Unit *unit;
        char *path;

        file_write(world, "b/policies/both", "#!/bin/sh\n");
        file_write(world, "b/policies/own", "#!/bin/sh\n");
        cr_assert(eq(int, text_format(&path, "%s/b/policies/both", world->root), 0));
        cr_assert(eq(int, load(text)->load_state, UNIT_BAD_SETTING));
        assert_said(world, "there is no section [Policy both], nor, for a node in a unit file, a program policies/both in");
        cr_assert(eq(int, chmod(path, 0755), 0));
        unit = load(text);
        assert_string(file_said(world), "");
        cr_assert(eq(sz, flow_of(unit)->policies.n, 2));
        policy = flow_policy_find(flow_of(unit), "both");
        assert_list(policy->command->argv, path);
        assert_string(policy->place.file, path);
        assert_list(flow_policy_find(flow_of(unit), "own")->command->argv, "/bin/own");
        /* Runs are made from the text. */
        cr_assert(ne(ptr, strstr(flow_of(unit)->text, "[Policy both]\nCommand=\""), NULL));
        free(path);
}

Test(flow_file, an_empty_value_is_the_default) {
        const Unit *unit = load("[Flow]\nFailurePolicy=continue\nOnTrigger=skip\nOnTrigger=\nKeepFor=1d\nKeepFor=\n"
                                "NodesFile=x\nNodesFile=\n"
                                "[Node b]\n[Node a]\nDependsOn=b\nDependsOn=\nFailurePolicy=suspend\nFailurePolicy=\n"
                                "Recover=fail\nRecover=\nReadiness=at-least:3\nReadiness=\nExec=/bin/a\nExec=\n"
                                "Exec=/bin/b\n");
        const FlowNode *node = node_of(unit, "a");

        assert_string(file_said(world), "");
        cr_assert(not(flow_of(unit)->has_on_trigger));
        cr_assert(not(flow_of(unit)->has_keep_for));
        assert_null(flow_of(unit)->nodes_file);
        cr_assert(eq(sz, node->depends_on.n, 0));
        cr_assert(eq(int, flow_node_failure(flow_of(unit), node), FLOW_FAILURE_CONTINUE));
        cr_assert(eq(int, node->recover, FLOW_RECOVER_UNSET));
        cr_assert(eq(int, node->readiness.kind, FLOW_READY_ALL_SUCCEEDED));
        assert_string(node->command->path, "/bin/b");
        assert_null(node->command->next);
}

/* — locks and resources — */

Test(flow_file, nothing_is_taken_by_default) {
        const Unit *unit = load("[Node a]\n");
        const FlowClaim *flow = &flow_of(unit)->claim, *node = &node_of(unit, "a")->claim;

        assert_null(flow->locks);
        assert_null(node->locks);
        cr_assert(eq(sz, flow->needs.n + node->needs.n, 0));
        cr_assert(eq(u32, flow->lock_slots, 1));
        cr_assert(eq(u32, node->lock_slots, 1));
        cr_assert(eq(int, node->hold_lock, FLOW_HOLD_UNSET));
        cr_assert(eq(u32, node->priority, FLOW_PRIORITY_UNSET));
        cr_assert(eq(u64, flow->queue_timeout, USEC_INFINITY));
        cr_assert(eq(u64, node->queue_timeout, USEC_INFINITY));
}

Test(flow_file, a_flow_and_its_nodes_take_locks_and_resources) {
        const Unit *unit = load("[Flow]\nLock=%p db\nLock=db disk:1\nLockSlots=5\nHoldLock=attempt\nPriority=high\n"
                                "Needs=cpu:2 memory:4G\nNeeds=gpu:1\nQueueTimeoutSec=1h\n"
                                "[Node a]\nLock=db\nHoldLock=node\nPriority=0\nNeeds=memory:3K\nQueueTimeoutSec=1s\n");
        const FlowClaim *flow = &flow_of(unit)->claim, *node = &node_of(unit, "a")->claim;

        assert_string(file_said(world), "");
        assert_list(flow->locks, "x db disk:1");
        cr_assert(eq(u32, flow->lock_slots, 5));
        cr_assert(eq(int, flow->hold_lock, FLOW_HOLD_ATTEMPT));
        cr_assert(eq(u32, flow->priority, 192));
        cr_assert(eq(sz, flow->needs.n, 3));
        assert_string(flow->needs.items[1].name, "memory");
        cr_assert(eq(u64, flow->needs.items[1].amount, UINT64_C(4) << 30));
        assert_string(flow->needs.items[2].name, "gpu");
        cr_assert(eq(u64, flow->queue_timeout, 60 * USEC_PER_MINUTE));
        assert_list(node->locks, "db");
        cr_assert(eq(int, node->hold_lock, FLOW_HOLD_NODE));
        cr_assert(eq(u32, node->priority, 0));
        cr_assert(eq(u64, node->needs.items[0].amount, 3072));
        cr_assert(eq(u64, node->queue_timeout, USEC_PER_SEC));
}

Test(flow_file, an_empty_value_takes_nothing) {
        const Unit *unit = load("[Node a]\nLock=db\nLock=\nNeeds=cpu:2 gpu:1\nNeeds=\nNeeds=cpu:1\nPriority=3\n"
                                "Priority=\nHoldLock=attempt\nHoldLock=\n");
        const FlowClaim *claim = &node_of(unit, "a")->claim;

        assert_string(file_said(world), "");
        assert_null(claim->locks);
        cr_assert(eq(sz, claim->needs.n, 1));
        assert_string(claim->needs.items[0].name, "cpu");
        cr_assert(eq(u32, claim->priority, FLOW_PRIORITY_UNSET));
        cr_assert(eq(int, claim->hold_lock, FLOW_HOLD_UNSET));
}

Test(flow_file, what_cannot_be_taken_is_refused) {
        static const char *const cases[][2] = {
                { "Lock=a,b", "'a,b' is not a name of a lock (names are separated by blanks, not by commas): a name has "
                              "letters" },
                { "LockSlots=0", "'0' is not a whole number between 1 and 4294967295" },
                { "HoldLock=run", "'run' is none of node and attempt" },
                { "Needs=cpu", "'cpu' is not a name of a resource and an amount above 0, such as cpu:2 or memory:4G" },
                { "Needs=cpu:0", "'cpu:0' is not a name of a resource" },
                { "Needs=cpu:-1", "'cpu:-1' is not a name of a resource" },
                { "Needs=cpu:1.5", "'cpu:1.5' is not a name of a resource" },
                { "Needs=:1", "':1' is not a name of a resource" },
                { "Needs=m:99999999T", "'m:99999999T' is not a name of a resource" },
                { "Needs=m:18446744073709551615K", "is not a name of a resource" },
                { "Needs=cpu:1 cpu:2", "In 'cpu:2' a resource is named that this setting has already" },
                { "Priority=256", "'256' is not a number between 0 and 255, nor high, medium or low" },
                { "Priority=urgent", "'urgent' is not a number between 0 and 255, nor high, medium or low" },
                { "QueueTimeoutSec=0", "A limit of 0 would end it before it begins; for no limit write infinity" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *of_flow = NULL, *of_node = NULL;

                cr_assert(eq(int, text_format(&of_flow, "[Flow]\n%s\n[Node a]\n", cases[i][0]), 0));
                cr_assert(eq(int, text_format(&of_node, "[Node a]\n%s\n", cases[i][0]), 0));
                (void) load(of_flow);
                file_assert_contains(file_said(world), cases[i][1]);
                (void) load(of_node);
                file_assert_contains(file_said(world), cases[i][1]);
        }
}

/* — who is told — */

static const FlowTargets *targets_of(const Unit *unit, const char *node, bool is_begin) {
        return flow_node_targets(flow_of(unit), node_of(unit, node), is_begin);
}

Test(flow_file, targets_are_commands_with_events) {
        const FlowSettings *flow =
                flow_of(load("[Flow]\nNotify=\"exec:-/bin/tell 'a b' c\" failed node-failed\n"
                             "Notify=exec:/bin/tell ended alarm summary\nNotifyMax=3\nSummarySec=10min\n[Node a]\n"));
        const FlowTarget *target = flow->notify.items;

        assert_string(file_said(world), "");
        cr_assert(eq(sz, flow->notify.n, 2));
        assert_list(target->command->argv, "/bin/tell a b c");
        assert_string(target->command->argv[1], "a b");
        cr_assert(eq(int, target->command->flags, EXEC_IGNORE_FAILURE));
        cr_assert(eq(u32, target->events, FLOW_EVENT_RUN(RUN_FAILED) | FLOW_EVENT_NODE(RUN_NODE_FAILED)));
        cr_assert(eq(u32, target[1].events,
                     FLOW_EVENT_RUN(RUN_SUCCEEDED) | FLOW_EVENT_RUN(RUN_PARTIAL) | FLOW_EVENT_RUN(RUN_FAILED) |
                             FLOW_EVENT_RUN(RUN_TIMEOUT) | FLOW_EVENT_RUN(RUN_CANCELLED) | FLOW_EVENT_ALARM |
                             FLOW_EVENT_SUMMARY));
        cr_assert(eq(u32, flow_targets_events(&flow->notify), target->events | target[1].events));
        cr_assert(eq(u32, flow->notify_max, 3));
        cr_assert(eq(u64, flow->summary, 10 * USEC_PER_MINUTE));
}

Test(flow_file, targets_are_signals_and_units) {
        const FlowSettings *flow =
                flow_of(load("[Flow]\nOnBegin=signal:\nOnBegin=signal:A-b_%p.1\nOnResult=unit:tell@%N.service\n"
                             "Notify=\"unit:tell.service fail\" ended\nNotify=signal:x alarm\n[Node a]\n"));

        assert_string(file_said(world), "");
        cr_assert(eq(sz, flow->on_begin.n, 2));
        cr_assert(eq(int, flow->on_begin.items[0].kind, FLOW_TARGET_SIGNAL));
        assert_string(flow->on_begin.items[0].name, "");
        assert_string(flow->on_begin.items[1].name, "A-b_x.1");
        cr_assert(eq(int, flow->on_result.items[0].kind, FLOW_TARGET_UNIT));
        assert_string(flow->on_result.items[0].name, "tell@x.service");
        cr_assert(eq(int, flow->on_result.items[0].mode, JOB_REPLACE));
        assert_string(flow->notify.items[0].name, "tell.service");
        cr_assert(eq(int, flow->notify.items[0].mode, JOB_FAIL));
        cr_assert(eq(int, flow->notify.items[1].kind, FLOW_TARGET_SIGNAL));
        cr_assert(eq(u32, flow->notify.items[1].events, FLOW_EVENT_ALARM));
}

/* S002-11 */
Test(flow_file, targets_of_a_node_follow_those_of_the_flow) {
        const Unit *unit = load("[Flow]\nOnBegin=exec:/bin/flow\nOnResult=exec:/bin/flow\n[Node plain]\n"
                                "[Node more]\nOnResult=exec:/bin/more\n[Node none]\nOnBegin=\n"
                                "[Node process]\nUser=root\n");

        assert_string(file_said(world), "");
        cr_assert(eq(sz, targets_of(unit, "plain", true)->n, 1));
        cr_assert(eq(sz, targets_of(unit, "plain", false)->n, 1));
        cr_assert(eq(sz, targets_of(unit, "more", true)->n, 1));
        cr_assert(eq(sz, targets_of(unit, "more", false)->n, 2));
        assert_string(targets_of(unit, "more", false)->items[1].command->path, "/bin/more");
        cr_assert(eq(sz, targets_of(unit, "none", true)->n, 0));
        cr_assert(eq(sz, targets_of(unit, "none", false)->n, 1));
        cr_assert(eq(sz, targets_of(unit, "process", true)->n, 1));
}

Test(flow_file, targets_that_nobody_could_be_told_by_are_refused) {
        static const char *const cases[][2] = {
                { "OnBegin=/bin/true", "'/bin/true' is not a target such as exec:/usr/local/bin/tell" },
                { "OnResult=exec: ", "After exec: there is no command" },
                { "OnResult=exec:bin/true", "'bin/true' is neither an absolute path nor the plain name of a program" },
                { "OnResult=exec:/bin/a ; /bin/b", "has a second command; write a line for each" },
                { "OnBegin=exec:/bin/echo %{run.id}", "has a value of the run, which is not put in here" },
                { "OnBegin=signal:a b", "'a b' cannot be the name of a signal: after signal: write nothing, or" },
                { "OnBegin=signal:%{run.id}", "begins a value of the run, which only commands can have" },
                { "OnResult=unit:", "After unit: there is no unit, such as tell.service" },
                { "OnResult=unit:tell@.service", "is not a unit name (it is a template, which needs an instance)" },
                { "OnResult=unit:tell", "'tell' is not a unit name" },
                { "OnResult=unit:a.service often", "'often' is not a mode of jobs, such as replace and fail" },
                { "OnResult=unit:a.service fail b.service", "'b.service' is too much: after unit: there are a unit" },
                { "OnResult=mail:root", "is not a target such as exec:/usr/local/bin/tell, signal:NAME and unit:" },
                { "Notify=signal:x", "The target is followed by no event" },
                { "Notify=exec:/bin/true", "The target is followed by no event, such as failed or ended" },
                { "Notify=exec:/bin/true always", "'always' is not an event: there are run, ended, node" },
                { "Notify=\"exec:/bin/true ended", "has an unclosed quote" },
                { "NotifyMax=0", "'0' is not a whole number between 1 and 4294967295" },
                { "SummarySec=0", "'0' is not between a second and the largest time; for no summaries write off" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *text = NULL;

                cr_assert(eq(int, text_format(&text, "[Flow]\n%s\n[Node a]\n", cases[i][0]), 0));
                cr_assert(eq(int, load(text)->load_state, UNIT_BAD_SETTING), "%s", cases[i][0]);
                file_assert_contains(file_said(world), cases[i][1]);
        }
}

/* — [Flow] has the defaults of nodes, wherever it stands — */

static const char node_lines[] = "[Node own]\nUser=alice\nEnvironment=B=2\nKillSignal=SIGINT\nPrivateTmp=no\n"
                                 "ExecStartPre=/bin/node\n"
                                 "[Node reset]\nEnvironment=\nEnvironment=C=3\nExecStartPre=\nUser=\n[Node plain]\n";
static const char flow_lines[] = "[Flow]\nUser=bob\nGroup=staff\nEnvironment=A=1\nKillSignal=SIGHUP\nPrivateTmp=yes\n"
                                 "ExecStartPre=/bin/flow\nLimitCORE=0\nMemoryMax=1G\n";

static void assert_merged(const Unit *unit) {
        const FlowProcess *own = process_of(unit, "own"), *reset = process_of(unit, "reset");
        const FlowProcess *plain = process_of(unit, "plain");

        assert_string(file_said(world), "");
        assert_string(own->exec.user, "alice");
        assert_string(own->exec.group, "staff");
        assert_list(own->exec.environment, "A=1 B=2");
        cr_assert(eq(int, own->kill.signal, SIGINT));
        cr_assert(not(own->exec.rare->sandbox && own->exec.rare->sandbox->private_tmp));
        assert_string(own->commands[FLOW_EXEC_START_PRE]->path, "/bin/flow");
        assert_string(own->commands[FLOW_EXEC_START_PRE]->next->path, "/bin/node");

        assert_null(reset->exec.user);
        assert_list(reset->exec.environment, "C=3");
        cr_assert(eq(int, reset->kill.signal, SIGHUP));
        cr_assert(reset->exec.rare->sandbox->private_tmp);
        assert_null(reset->commands[FLOW_EXEC_START_PRE]);
        cr_assert(reset->exec.rare->terms != NULL, "the limit is there");

        assert_null(node_of(unit, "plain")->process);
        assert_string(plain->exec.user, "bob");
        assert_list(plain->exec.environment, "A=1");
        assert_string(plain->commands[FLOW_EXEC_START_PRE]->path, "/bin/flow");

        cr_assert(eq(u64, flow_of(unit)->resources->memory_max.amount, 1 << 30));
        assert_null(node_of(unit, "own")->resources);
}

Test(flow_file, a_node_follows_the_defaults_before_it) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, text_format(&text, "%s%s", flow_lines, node_lines), 0));
        assert_merged(load(text));
}

Test(flow_file, a_node_follows_the_defaults_behind_it) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, text_format(&text, "%s%s", node_lines, flow_lines), 0));
        assert_merged(load(text));
}

Test(flow_file, a_node_follows_the_defaults_of_a_drop_in) {
        file_write(world, "a/x.flow.d/10.conf", flow_lines);
        assert_merged(load(node_lines));
}

/* A bad line of [Flow] is reported once, not for each node that reads it. */
Test(flow_file, a_bad_default_is_reported_once) {
        const char *said;

        (void) load("[Flow]\nNice=99\nEnvironment=1\n[Node a]\nNice=1\n[Node b]\nNice=2\n");
        said = file_said(world);
        file_assert_contains(said, "error a/x.flow:2 Nice: '99'");
        cr_assert(strstr(strstr(said, "'99'") + 1, "'99'") == NULL, "%s", said);
}

Test(flow_file, a_drop_in_changes_a_node_and_adds_one) {
        const Unit *unit;
        const FlowNode *node;

        file_write(world, "a/x.flow.d/10.conf", "[Node b]\nDependsOn=c\nRetry=2\nExec=\nExec=/bin/other\n[Node c]\n");
        unit = load("[Node a]\n[Node b]\nDependsOn=a\nExec=/bin/true\nRetry=1\n");
        node = node_of(unit, "b");
        assert_string(file_said(world), "");
        cr_assert(eq(sz, node->depends_on.n, 2));
        assert_string(node->depends_on.items[1].name, "c");
        cr_assert(text_ends_with(node->depends_on.items[1].place.file, "10.conf"));
        cr_assert(eq(u32, node->retry, 2));
        assert_string(node->command->path, "/bin/other");
        cr_assert(text_ends_with(node_of(unit, "c")->place.file, "10.conf"));
}

Test(flow_file, a_template_has_its_instance_in_nodes) {
        Unit *unit;

        file_write(world, "a/t@.flow", "[Node a]\nExec=/bin/echo %i\nUser=%i\n");
        unit = file_load(world, "t@bob.flow");
        assert_string(file_said(world), "");
        assert_list(node_of(unit, "a")->command->argv, "/bin/echo bob");
        assert_string(process_of(unit, "a")->exec.user, "bob");
}

Test(flow_file, n_a_is_no_parent) {
        const Unit *unit = load("[Node a]\nDependsOn=N/A\n[Node b]\nDependsOn=a N/A\n");

        assert_string(file_said(world), "");
        cr_assert(eq(sz, node_of(unit, "a")->depends_on.n, 0));
        cr_assert(eq(sz, node_of(unit, "b")->depends_on.n, 1));
}

Test(flow_file, expressions_are_no_text) {
        (void) load("[Node a]\nExec=/bin/echo %{param.x}\n");
        assert_said(world, "error a/x.flow:2 Exec: Params= of [Flow] has no parameter 'x'");
        (void) load("[Node a]\nExec=/bin/echo %{param}\n");
        assert_said(world, "error a/x.flow:2 Exec: In '%{param}': At column");
        (void) load("[Node a]\nExec=%{run.name}\n");
        assert_said(world, "error a/x.flow:2 Exec: In '%{run.name}': '%{' begins a value of the run, which only");
        /* What stands for the text is told from a value when the command runs. */
        assert_list(node_of(load("[Flow]\nParams=x\n[Node a]\nExec=/bin/echo %%{x} %%%% %{param.x} %p\n"), "a")
                            ->command->argv,
                    "/bin/echo %%{x} %% %{param.x} x");
}

Test(flow_file, values_are_of_nodes_above) {
        (void) load("[Node a]\n[Node b]\nExec=/bin/echo %{a.state}\n");
        assert_said(world, "error a/x.flow:3 Exec: Node b wants a value of a, which it does not wait for");
        (void) load("[Node b]\nWhen=c.state == \"FAILED\"\n");
        assert_said(world, "error a/x.flow:2 When: Node b wants a value of c, and there is no such node");
        (void) load("[Node b]\nWhen=param.x\n");
        assert_said(world, "error a/x.flow:2 When: Params= of [Flow] has no parameter 'x'");
        (void) load("[Node b]\nWhen=item\n");
        assert_said(world, "error a/x.flow:2 When: item has no value: there is no Foreach=");
        (void) load("[Node a]\n[Node b]\nDependsOn=a\n[Node c]\nDependsOn=b\nWhen=a.state != \"FAILED\"\n");
        assert_said(world, "");
        (void) load("[Node a]\n[Node b]\nDependsOn=a\nOtherwise=yes\n");
        assert_said(world, "error a/x.flow:2 Otherwise: Node b runs otherwise, and no node with the same parents has When=");
        (void) load("[Node a]\nWhen=true\nOtherwise=yes\n");
        assert_said(world, "error a/x.flow:2 When: Node a: it has Otherwise=, too");
}

/* — the graph — */

static void assert_refused(const char *text, const char *message) {
        const Unit *unit = load(text);

        assert_said(world, message);
        cr_assert(eq(int, unit->load_state, UNIT_BAD_SETTING));
}

Test(flow_file, a_cycle_is_named_edge_by_edge) {
        assert_refused("[Node a]\nDependsOn=c\n[Node b]\nDependsOn=x a\n[Node c]\nDependsOn=b\n[Node x]\n"
                       "[Node behind]\nDependsOn=c\n",
                       "DependsOn: Nodes wait for each other in a circle: a depends on c (line 2), c depends on b (line 6), "
                       "b depends on a (line 4); the unit is refused.");
}

Test(flow_file, a_cycle_may_lie_in_several_files) {
        file_write(world, "a/x.flow.d/10.conf", "[Node a]\nDependsOn=b\n");
        assert_refused("[Node a]\n[Node b]\nDependsOn=a\n", "a depends on b (line 2), b depends on a (line 3 of ");
}

Test(flow_file, parents_are_there_and_once) {
        assert_refused("[Node fetch]\n[Node b]\nDependsOn=fetsh\n",
                       "error a/x.flow:3 DependsOn: Node b depends on fetsh, and there is no such node (did you mean "
                       "fetch?)");
        assert_refused("[Node a]\nDependsOn=a\n", "error a/x.flow:2 DependsOn: Node a depends on itself");
        assert_refused("[Node a]\n[Node b]\nDependsOn=a\nDependsOn=a\n",
                       "error a/x.flow:4 DependsOn: Node b depends on a twice");
}

Test(flow_file, a_share_can_be_reached) {
        static const char start[] = "[Node a]\n[Node b]\n[Node c]\nDependsOn=a b\nReadiness=at-least:";
        cleanup_free_ char *two = NULL, *three = NULL;

        cr_assert(text_format(&two, "%s2\n", start) == 0 && text_format(&three, "%s3\n", start) == 0);
        (void) flow_of(load(two));
        assert_string(file_said(world), "");
        assert_refused(three, "error a/x.flow:5 Readiness: Node c would never be ready: at least 3 of its parents are to "
                              "succeed, and it has 2");
        assert_refused("[Node a]\nReadiness=at-least:10%\n", "Readiness: Node a would never be ready");
}

Test(flow_file, a_flow_has_nodes) {
        assert_refused("[Flow]\nMaxRuns=1\n", "The flow has neither a [Node NAME] section nor NodesFile=");
}

/* — long chains: none of this is recursive — */

static char *chain(size_t n, bool is_json, bool is_closed) {
        Text text = {};
        char *string;

        for (size_t i = 0; i < n; i++) {
                size_t parent = i > 0 ? i - 1 : n - 1;

                text_addf(&text, is_json ? "{\"Node\":\"n%zu\",\"Exec\":\"/bin/true\"" : "[Node n%zu]\n", i);
                if (i > 0 || is_closed)
                        text_addf(&text, is_json ? ",\"DependsOn\":\"n%zu\"" : "DependsOn=n%zu\n", parent);
                text_add(&text, is_json ? "}\n" : "");
        }
        cr_assert(eq(int, text_finish(&text, &string), 0));
        return string;
}

static void receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        const char *name = strrchr(diagnostic->file, '/');

        text_addf(userdata, "%s:%u %s: %s\n", name ? name + 1 : diagnostic->file, diagnostic->line,
                  diagnostic->setting ? diagnostic->setting : "", diagnostic->message);
}

/* What verify says of a/x.flow. */
static char *verify_as(bool is_thorough) {
        cleanup_free_ char *path = NULL;
        Text text = {};
        const UnitFileOptions options = { .search_path = world->search_path, .is_thorough = is_thorough, .receiver = receive,
                                          .userdata = &text };
        char *said;

        cr_assert(eq(int, text_format(&path, "%s/a/x.flow", world->root), 0));
        cr_assert(unit_file_verify(path, &options) >= 0);
        cr_assert(eq(int, text_finish(&text, &said), 0));
        return said;
}

static char *verify(void) {
        return verify_as(false);
}

Test(flow_file, a_file_of_100000_nodes_is_verified) {
        cleanup_free_ char *nodes = chain(100000, true, false), *said = NULL;

        file_write(world, "a/x.flow", "[Flow]\nNodesFile=x.jsonl\nUser=root\n");
        file_write(world, "a/x.jsonl", nodes);
        said = verify();
        assert_string(said, "");
}

Test(flow_file, a_cycle_of_100000_nodes_is_found) {
        cleanup_free_ char *nodes = chain(100000, true, true), *said = NULL;

        file_write(world, "a/x.flow", "[Flow]\nNodesFile=x.jsonl\n");
        file_write(world, "a/x.jsonl", nodes);
        said = verify();
        file_assert_contains(said, "x.jsonl:1 DependsOn: Nodes wait for each other in a circle: n0 depends on n99999 (line 1), "
                                   "n99999 depends on n99998 (line 100000), ");
        file_assert_contains(said, ", and so on over 99980 more edges back to n0; the unit is refused.");
}

Test(flow_file, sections_make_a_long_chain_too) {
        cleanup_free_ char *nodes = chain(20000, false, false);

        cr_assert(eq(sz, flow_of(load(nodes))->nodes.n, 20000));
        assert_string(file_said(world), "");
}

/* — NodesFile= — */

static char *verify_nodes(const char *flow, const char *nodes) {
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, text_format(&text, "[Flow]\nNodesFile=x.jsonl\n%s", flow), 0));
        file_write(world, "a/x.flow", text);
        file_write(world, "a/x.jsonl", nodes);
        return verify();
}

static void assert_nodes(const char *flow, const char *nodes, const char *expected) {
        cleanup_free_ char *said = verify_nodes(flow, nodes);

        assert_string(said, expected);
}

Test(flow_file, a_line_is_a_node) {
        assert_nodes("[Node a]\nDependsOn=b\n",
                     "{\"Node\":\"b\",\"Exec\":\"/bin/true\",\"Retry\":2,\"Idempotent\":true,\"DependsOn\":[\"c\",\"d\"]}\n\n"
                     " { \"DependsOn\": \"d\", \"Node\": \"c\" } \r\n"
                     "{\"Node\":\"d\",\"Exec\":\"/bin/true \\\"x\\\"\",\"Environment\":[\"A=1\",\"B=2\"],\"TimeoutSec\":90}",
                     "");
}

Test(flow_file, a_path_of_nodes_begins_at_its_file) {
        cleanup_free_ char *said = NULL;

        file_write(world, "a/x.flow", "[Flow]\nNodesFile=more/x.jsonl\n");
        file_write(world, "a/more/x.jsonl", "{\"Node\":\"a\"}\n");
        said = verify();
        assert_string(said, "");
}

Test(flow_file, errors_of_a_line_name_it) {
        assert_nodes("", "{\"Node\":\"a\"}\n{\"Node\":\"b\"\n",
                     "x.jsonl:2 : At byte 12 of the line a ',' or '}' is missing; the unit is refused.\n");
        assert_nodes("", "[\"a\"]\n", "x.jsonl:1 : The line is not a JSON object such as {\"Node\":\"name\"}; the unit is "
                                      "refused.\n");
        assert_nodes("", "{\"Exec\":\"/bin/true\"}\n",
                     "x.jsonl:1 Node: The line has no name for its node; the unit is refused.\n");
        assert_nodes("", "{\"Node\":\"N/A\"}\n",
                     "x.jsonl:1 Node: 'N/A' is not a name of a node: a name has letters, digits, '_', '.' and '-', and at "
                     "most 255 of them; the unit is refused.\n");
        assert_nodes("", "{\"Node\":\"a\",\"Retri\":1}\n",
                     "x.jsonl:1 Retri: Unknown directive of a node (did you mean Retry=?); the unit is refused.\n");
        assert_nodes("", "{\"Node\":\"a\",\"Retry\":1,\"Retry\":2}\n",
                     "x.jsonl:1 : At byte 23 of the line the object has this key twice; the unit is refused.\n");
        assert_nodes("", "{\"Node\":\"a\",\"Retry\":{}}\n",
                     "x.jsonl:1 Retry: The value is none of text, a number, true, false, and an array of these; the unit is "
                     "refused.\n");
        assert_nodes("", "{\"Node\":\"a\",\"Exec\":\"/bin/a\\nUser=root\"}\n",
                     "x.jsonl:1 Exec: The value has a line break or a NUL byte; the unit is refused.\n");
        assert_nodes("", "{\"Node\":\"a\",\"Exec\":\"/bin/true\",\"TimeoutSec\":0}\n",
                     "x.jsonl:1 TimeoutSec: A limit of 0 would end it before it begins; for no limit write infinity; the "
                     "unit is refused.\n");
        assert_nodes("", "{\"Node\":\"a\",\"AsUnit\":true}\n",
                     "x.jsonl:1 AsUnit: This directive is not supported, and without it the node would not be a unit of "
                     "its own; the unit is refused.\n");
        assert_nodes("", "{\"Node\":\"a\",\"Nice\":99}\n",
                     "x.jsonl:1 Nice: '99' is not a number between -20 and 19; the unit is refused.\n");
}

Test(flow_file, a_node_is_in_one_place) {
        cleanup_free_ char *twice = verify_nodes("", "{\"Node\":\"b\"}\n{\"Node\":\"b\"}\n"), *both = NULL;

        file_assert_contains(twice, "x.jsonl:2 : There is a node b already, in line 1 of ");
        both = verify_nodes("[Node a]\n", "{\"Node\":\"a\"}\n");
        file_assert_contains(both, "x.jsonl:1 : There is a node a already, in line 3 of ");
        file_assert_contains(both, "/a/x.flow; the unit is refused.");
}

Test(flow_file, many_errors_are_cut_short) {
        Text text = {};
        cleanup_free_ char *nodes = NULL, *said = NULL;
        size_t n = 0;

        for (unsigned i = 0; i < 1000; i++)
                text_addf(&text, "{\"Node\":\"n%u\",\"Foo\":1}\n", i);
        cr_assert(eq(int, text_finish(&text, &nodes), 0));
        said = verify_nodes("", nodes);
        for (const char *at = said; *at; at++)
                n += *at == '\n';
        cr_assert(eq(sz, n, 21), "%s", said);
        file_assert_contains(said, "x.jsonl:0 : The lines after these 20 errors are not read.");
}

Test(flow_file, a_missing_file_of_nodes_is_named) {
        cleanup_free_ char *said = NULL;

        file_write(world, "a/x.flow", "[Flow]\nNodesFile=/nonexistent/x.jsonl\n");
        said = verify();
        assert_string(said, "x.flow:2 NodesFile: The file /nonexistent/x.jsonl cannot be read: No such file or directory; the "
                            "unit is refused.\n");
}

/* The settings of each node of a file, one after the other. */
Test(flow_file, a_node_of_a_file_has_its_settings) {
        static const char lines[] =
                "{\"Node\":\"a\",\"Exec\":\"/bin/a\",\"User\":\"alice\",\"MemoryMax\":\"1M\",\"Retry\":7,\"PrivateTmp\":true}\n"
                "{\"Node\":\"bad\",\"Retry\":\"x\"}\n"
                "{\"Node\":\"b\",\"Environment\":[\"B=1\",\"C=2\"],\"DependsOn\":\"a N/A\"}\n"
                "{\"Node\":\"c\",\"Recover\":\"retry\"}\n";
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        FlowNodes nodes;
        FlowNode *node;

        file_world_restart(world);
        file_write(world, "a/x.flow", "[Flow]\nNodesFile=x.jsonl\nGroup=staff\nEnvironment=A=0\n");
        cr_assert(name_map_refresh(world->loader->names) >= 0);
        cr_assert(eq(int, unit_draft_read(world->loader, "x.flow", true, &draft), 0));
        cr_assert(eq(int, flow_nodes_begin(&nodes, draft, "/x.jsonl", lines), 0));

        cr_assert(eq(int, flow_nodes_next(&nodes, &node), 1));
        assert_string(node->name, "a");
        assert_string(node->place.file, "/x.jsonl");
        cr_assert(eq(u32, node->place.line, 1));
        assert_string(node->command->path, "/bin/a");
        assert_string(node->command->file, "/x.jsonl");
        assert_string(node->process->exec.user, "alice");
        assert_string(node->process->exec.group, "staff");
        assert_list(node->process->exec.environment, "A=0");
        cr_assert(node->process->exec.rare->sandbox->private_tmp);
        cr_assert(eq(u64, node->resources->memory_max.amount, 1 << 20));
        cr_assert(eq(u32, node->retry, 7));

        cr_assert(eq(int, flow_nodes_next(&nodes, &node), -EBADMSG));
        cr_assert(draft->is_broken);
        assert_said(world, "error /x.jsonl:2 Retry: 'x' is not a whole number");

        cr_assert(eq(int, flow_nodes_next(&nodes, &node), 1));
        assert_list(node->process->exec.environment, "A=0 B=1 C=2");
        cr_assert(eq(sz, node->depends_on.n, 1));
        cr_assert(eq(u32, node->depends_on.items[0].place.line, 3));
        assert_null(node->resources);

        cr_assert(eq(int, flow_nodes_next(&nodes, &node), 1));
        assert_null(node->process);
        cr_assert(eq(int, node->recover, FLOW_RECOVER_RETRY));
        cr_assert(eq(int, flow_nodes_next(&nodes, &node), 0));
        flow_nodes_end(&nodes);
}

/* The manager reads it for a run, not when it loads the unit. */
Test(flow_file, loading_does_not_read_the_file_of_nodes) {
        const Unit *unit = load("[Flow]\nNodesFile=/nonexistent/x.jsonl\n[Node a]\nDependsOn=elsewhere\n");

        assert_string(file_said(world), "");
        assert_string(flow_of(unit)->nodes_file, "/nonexistent/x.jsonl");
}

/* — settings without effect — */

static void assert_verified(const char *flow, const char *expected) {
        cleanup_free_ char *said = NULL;

        file_write(world, "a/x.flow", flow);
        said = verify();
        assert_string(said, expected);
}

Test(flow_file, settings_of_locks_without_effect_are_told) {
        assert_verified("[Flow]\nLockSlots=2\n[Node a]\nExec=/bin/true\nLockSlots=3\nHoldLock=attempt\n",
                        "x.flow:5 LockSlots: Node a: without Lock= it has no effect.\n"
                        "x.flow:6 HoldLock: Node a: without Lock= it has no effect.\n"
                        "x.flow:2 LockSlots: Without Lock= it has no effect.\n");
        assert_verified("[Node a]\nLock=db\nNeeds=cpu:1\n",
                        "x.flow:2 Lock: Node a: without Exec=, Script=, Unit= or Flow= there is nothing to run, and it has no effect.\n"
                        "x.flow:3 Needs: Node a: without Exec=, Script=, Unit= or Flow= there is nothing to run, and it has no effect.\n");
        assert_verified("[Flow]\nOnBusy=skip\nMaxQueued=7\nLock=db\n[Node a]\nExec=/bin/true\n", "");
}

Test(flow_file, settings_without_effect_are_named) {
        assert_verified("[Node a]\nExec=/bin/true\nRetryJitter=5%\n",
                        "x.flow:3 RetryJitter: Node a: without Retry= it has no effect.\n");
        assert_verified("[Node b]\nRetryDelaySec=1\n[Node a]\nExec=/bin/true\nRetry=1\nRetryDelaySec=10min\n",
                        "x.flow:6 RetryDelaySec: Node a: it is longer than RetryMaxDelaySec=, which is the delay then.\n");
        assert_verified("[Node a]\nExec=/bin/true\nRecover=fail\nIdempotent=yes\nRetryDelaySec=1\nRetryMaxDelaySec=9\n",
                        "x.flow:5 RetryDelaySec: Node a: without Retry= it has no effect.\n"
                        "x.flow:6 RetryMaxDelaySec: Node a: without Retry= it has no effect.\n");
        assert_verified("[Node a]\nExec=/bin/true\nRecover=retry\nRetryDelaySec=1\nRetryMaxDelaySec=9\n", "");
        assert_verified("[Node a]\nExec=/bin/true\nIdempotent=yes\nRetryDelaySec=1\nRetryMaxDelaySec=9\n", "");
        assert_verified("[Node a]\nExec=/bin/true\nRetry=1\nRetryWindowSec=3\n",
                        "x.flow:4 RetryWindowSec: Node a: it is over before the first retry.\n");
        assert_verified("[Node a]\nExec=/bin/true\nRetry=1\nRetryExitStatus=3\nSuccessExitStatus=3\n",
                        "x.flow:4 RetryExitStatus: Node a: an exit status is in SuccessExitStatus=, too: it is a success, "
                        "and is not retried.\n");
        assert_verified("[Node a]\nRetry=1\n",
                        "x.flow:2 Retry: Node a: without Exec=, Script=, Unit= or Flow= there is nothing to run, and it has no effect.\n");
        assert_verified("[Node a]\nUser=root\n",
                        "x.flow:1 : Node a: it has settings for a process, but neither Exec= nor Script=; they have no effect.\n");
        assert_verified("[Node a]\nExec=/bin/true\nTimeoutSec=2h\nTotalTimeoutSec=1h\n",
                        "x.flow:3 TimeoutSec: Node a: it is longer than TotalTimeoutSec=, which ends the node before.\n");
        assert_verified("[Flow]\nOnBusy=skip\nMaxQueued=7\n[Node a]\n",
                        "x.flow:3 MaxQueued: Runs do not wait with OnBusy=skip, so that it has no effect.\n");
        assert_verified("[Node a]\nReadiness=all-finished\n",
                        "x.flow:2 Readiness: Node a depends on no other, so that it has no effect.\n");
}

/* A node that is to run after failures, and never would. */
Test(flow_file, waiting_for_a_failure_that_ends_the_run_is_named) {
        assert_verified("[Node a]\n[Node b]\nDependsOn=a\nReadiness=all-finished\n",
                        "x.flow:4 Readiness: The failure of any parent ends the run, so that node b never runs after one; "
                        "write FailurePolicy=continue for the parents, or in [Flow].\n");
        assert_verified("[Node a]\nFailurePolicy=continue\n[Node b]\nDependsOn=a\nReadiness=all-finished\n", "");
        assert_verified("[Flow]\nFailurePolicy=continue\n[Node a]\n[Node b]\nDependsOn=a\nReadiness=all-finished\n", "");
}

/* What the machine lacks is said of the line that names it, and of [Flow] once. */
Test(flow_file, what_the_machine_lacks_is_named) {
        cleanup_free_ char *said = NULL;

        file_write(world, "a/x.flow", "[Flow]\nUser=no-such-user\n[Node a]\nExec=/no/such/program\n[Node b]\nExec=/bin/true\nNice=3\n"
                                      "[Node c]\nExec=no-such-program\nGroup=no-such-group\nWorkingDirectory=/no/such/folder\n"
                                      "[Node d]\nExec=/no/such/program\nRootDirectory=/\n");
        said = verify_as(true);
        assert_string(said, "x.flow:2 User: There is no user no-such-user on this machine.\n"
                            "x.flow:4 Exec: There is no program /no/such/program on this machine.\n"
                            "x.flow:10 Group: There is no group no-such-group on this machine.\n"
                            "x.flow:11 WorkingDirectory: There is no directory /no/such/folder on this machine.\n"
                            "x.flow:9 Exec: There is no program no-such-program on this machine.\n");
}

/* Mounts that a path of any node is in are needed by the flow. */
Test(flow_file, paths_of_nodes_are_needed) {
        const Unit *unit;

        file_write(world, "a/srv-data.mount", "[Mount]\nWhat=/dev/x\n");
        unit = load("[Flow]\nUser=root\n[Node a]\nExec=/bin/true\nWorkingDirectory=/srv/data/x\n");
        cr_assert(strstr(file_relations(unit, UNIT_REQUIRES), "srv-data.mount") != NULL, "%s",
                  file_relations(unit, UNIT_REQUIRES));
        cr_assert(strstr(file_relations(unit, UNIT_AFTER), "srv-data.mount") != NULL);
        unit = load("[Node a]\nExec=/bin/true\n");
        cr_assert(strstr(file_relations(unit, UNIT_REQUIRES), "srv-data.mount") == NULL);
}
