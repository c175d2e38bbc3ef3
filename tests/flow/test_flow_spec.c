/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From flow units to graphs: what each setting becomes
 *
 * S000-7, S000-13, S000-14, S000-43, S002-2, S002-11, S004-30
 */

#include <errno.h>
#include <signal.h>

#include "basic/text.h"
#include "double/double_memory.h"
#include "file_world.h"
#include "flow/flow_spec.h"
#include "unitfile/flow_nodes.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

static FileWorld *world;

static void set_up(void) {
        world = file_world_new();
}

static void tear_down(void) {
        file_world_free(world);
}

TestSuite(flow_spec, .init = set_up, .fini = tear_down, .timeout = 60);

static const FlowSettings *load(const char *text) {
        Unit *unit;

        file_world_restart(world);
        file_write(world, "a/x.flow", text);
        unit = file_load(world, "x.flow");
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

static RunGraph *make(const char *text) {
        cleanup_(flow_spec_freep) FlowSpec *spec = NULL;
        RunGraph *graph;

        cr_assert(eq(int, flow_spec_new(&spec, load(text)), 0));
        cr_assert(eq(int, flow_spec_add_sections(spec), 0));
        cr_assert(eq(int, flow_spec_make(spec, UINT64_MAX, &graph, NULL), 0));
        return graph;
}

static const RunPolicy *policy_of(const RunGraph *graph, const char *name) {
        uint32_t node = run_graph_find(graph, name);

        cr_assert(ne(u32, node, RUN_NODE_NONE), "there is no node %s", name);
        return run_graph_policy(graph, node);
}

static bool has_end(const RunEndSet ends, uint32_t end) {
        return ends[end / 64] >> end % 64 & 1;
}

static uint32_t count_ends(const RunEndSet ends) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < RUN_ENDS; i++)
                n += has_end(ends, i);
        return n;
}

Test(flow_spec, nodes_and_edges) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make("[Node c]\nDependsOn=b a\nExec=/bin/true\n"
                                                          "[Node a]\nDependsOn=N/A\n"
                                                          "[Node b]\nDependsOn=a\nExec=/bin/false\n");
        const uint32_t *parents;
        uint32_t n;

        cr_assert(eq(u32, run_graph_count(graph), 3));
        assert_string(run_graph_name(graph, 0), "c");
        parents = run_graph_parents(graph, 0, &n);
        cr_assert(eq(u32, n, 2));
        cr_assert(eq(u32, parents[0] + parents[1], 3));
        run_graph_parents(graph, 1, &n);
        cr_assert(eq(u32, n, 0));
        cr_assert(eq(u32, run_graph_payload(graph, 0), 0));
        cr_assert(eq(u32, run_graph_payload(graph, 1), RUN_NODE_NONE));
        cr_assert(eq(u32, run_graph_payload(graph, 2), 2));
}

Test(flow_spec, defaults) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make("[Node a]\nExec=/bin/true\n");
        const RunPolicy *policy = policy_of(graph, "a");

        cr_assert(eq(int, policy->readiness, RUN_READY_ALL_SUCCEEDED));
        cr_assert(eq(int, policy->recover, RUN_RECOVER_PENDING));
        cr_assert(eq(int, policy->failure, RUN_POLICY_END));
        cr_assert(eq(int, policy->backoff, RUN_BACKOFF_FIXED));
        cr_assert(eq(u32, policy->retry, 0));
        cr_assert(eq(u64, policy->window, USEC_INFINITY));
        cr_assert(eq(u64, policy->timeout, USEC_INFINITY));
        cr_assert(eq(u64, policy->total_timeout, USEC_INFINITY));
        cr_assert(eq(u32,
                     count_ends(policy->retry_ends) + count_ends(policy->no_retry_ends) +
                             count_ends(policy->success_ends) + count_ends(policy->again_ends) +
                             count_ends(policy->pending_ends),
                     0));
}

Test(flow_spec, all_settings_of_a_node) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make(
                "[Node a]\nExec=/bin/true\nRetry=3\nRetryDelaySec=2\nRetryMaxDelaySec=9\nRetryBackoff=exponential\n"
                "RetryJitter=7\nRetryWindowSec=90\nTimeoutSec=5\nTotalTimeoutSec=50\nFailurePolicy=suspend\n"
                "RetryExitStatus=4 SIGHUP\nNoRetryExitStatus=255 SIGSEGV\nSuccessExitStatus=75 SIGTERM\n");
        const RunPolicy *policy = policy_of(graph, "a");

        cr_assert(eq(u32, policy->retry, 3));
        cr_assert(eq(u64, policy->delay, 2 * USEC_PER_SEC));
        cr_assert(eq(u64, policy->max_delay, 9 * USEC_PER_SEC));
        cr_assert(eq(int, policy->backoff, RUN_BACKOFF_EXPONENTIAL));
        cr_assert(eq(u32, policy->jitter, 7));
        cr_assert(eq(u64, policy->window, 90 * USEC_PER_SEC));
        cr_assert(eq(u64, policy->timeout, 5 * USEC_PER_SEC));
        cr_assert(eq(u64, policy->total_timeout, 50 * USEC_PER_SEC));
        cr_assert(eq(int, policy->failure, RUN_POLICY_SUSPEND));
        cr_assert(has_end(policy->retry_ends, 4) && has_end(policy->retry_ends, RUN_END_BY_SIGNAL(SIGHUP)));
        cr_assert(has_end(policy->no_retry_ends, 255) && has_end(policy->no_retry_ends, RUN_END_BY_SIGNAL(SIGSEGV)));
        cr_assert(has_end(policy->success_ends, 75) && has_end(policy->success_ends, RUN_END_BY_SIGNAL(SIGTERM)));
        cr_assert(eq(u32,
                     count_ends(policy->retry_ends) + count_ends(policy->no_retry_ends) +
                             count_ends(policy->success_ends),
                     6));
}

Test(flow_spec, what_a_node_says_with_its_status) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make(
                "[Node a]\nExec=/bin/true\nAgainSec=5\nAgainMax=4\nAgainMaxSec=1h\nPendingExitStatus=3\n"
                "[Node b]\nExec=/bin/true\nAgainSec=5\nAgainExitStatus=9\nEndRun=success\n");
        const RunPolicy *a = policy_of(graph, "a"), *b = policy_of(graph, "b");

        cr_assert(eq(u64, a->again, 5 * USEC_PER_SEC));
        cr_assert(eq(u32, a->again_max, 4));
        cr_assert(eq(u64, a->again_window, USEC_PER_HOUR));
        cr_assert(has_end(a->again_ends, 75) && has_end(a->pending_ends, 3));
        cr_assert(eq(int, a->end_run, RUN_END_RUN_NO));
        cr_assert(has_end(b->again_ends, 9) && !has_end(b->again_ends, 75));
        cr_assert(eq(u64, b->again_window, 0));
        cr_assert(eq(int, b->end_run, RUN_END_RUN_SUCCESS));
}

Test(flow_spec, what_a_default_stands_in_for) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make(
                "[Node none]\nExec=/bin/true\n[Node all]\nExec=/bin/true\nDefault=null\n"
                "[Node late]\nExec=/bin/true\nDefault={\"a\":1}\nDefaultOn=timeout skip\n");
        const RunPolicy *none = policy_of(graph, "none"), *all = policy_of(graph, "all"),
                        *late = policy_of(graph, "late");

        cr_assert_not(none->has_default || none->has_default_for_timeout || none->has_default_for_skip);
        cr_assert(all->has_default && all->has_default_for_timeout && all->has_default_for_skip);
        cr_assert_not(late->has_default);
        cr_assert(late->has_default_for_timeout && late->has_default_for_skip);
}

static unsigned edge_to(const RunGraph *graph, const char *child, const char *parent) {
        const uint32_t node = run_graph_find(graph, child);
        uint32_t n;
        const uint32_t *parents = run_graph_parents(graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (parents[i] == run_graph_find(graph, parent))
                        return run_graph_parent_edges(graph, node)[i] & ~(unsigned) RUN_EDGE_HANDS_FAILURE;
        cr_fatal("%s is no parent of %s", parent, child);
}

Test(flow_spec, kinds_of_parents) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make(
                "[Flow]\nSkipUnneeded=no\n[Node a]\n[Node b]\nAlways=yes\n"
                "[Node any]\nAnyOf=a b\nSkipUnneeded=optional\n"
                "[Node word]\nDependsOn=a b\nReadiness=any\n"
                "[Node optional]\nOptionalDependsOn=a b\n"
                "[Node mixed]\nDependsOn=a\nOptionalDependsOn=b\nSkipCountsAs=a:success b:failure\n"
                "[Node named]\nDependsOn=a b\nReadiness=named:b\n"
                "[Node one]\nDependsOn=a b\nReadiness=one-success\n");

        cr_assert(eq(int, policy_of(graph, "any")->readiness, RUN_READY_ANY));
        cr_assert(eq(int, policy_of(graph, "word")->readiness, RUN_READY_ANY));
        cr_assert(eq(int, policy_of(graph, "optional")->readiness, RUN_READY_ANY));
        cr_assert(eq(u32, edge_to(graph, "any", "a"), RUN_EDGE_OPTIONAL | RUN_EDGE_IS_JUDGED));
        cr_assert(eq(u32, edge_to(graph, "word", "a"), RUN_EDGE_OPTIONAL | RUN_EDGE_IS_JUDGED));
        cr_assert(eq(u32, edge_to(graph, "mixed", "a"), RUN_EDGE_SKIP_SUCCEEDS | RUN_EDGE_IS_JUDGED));
        cr_assert(eq(u32, edge_to(graph, "mixed", "b"), RUN_EDGE_SKIP_FAILS | RUN_EDGE_OPTIONAL));
        cr_assert(eq(u32, edge_to(graph, "named", "a"), 0));
        cr_assert(eq(u32, edge_to(graph, "named", "b"), RUN_EDGE_NAMED | RUN_EDGE_IS_JUDGED));
        cr_assert(eq(int, policy_of(graph, "one")->readiness, RUN_READY_AT_LEAST));
        cr_assert(eq(u32, policy_of(graph, "one")->amount, 1));
        cr_assert(eq(u32, edge_to(graph, "one", "a"), RUN_EDGE_IS_JUDGED));
        cr_assert(policy_of(graph, "a")->stays && !policy_of(graph, "any")->stays);
        cr_assert(policy_of(graph, "b")->is_goal && policy_of(graph, "b")->stays);
}

Test(flow_spec, readiness) {
        cleanup_(run_graph_unrefp)
                RunGraph *graph = make("[Node a]\n[Node b]\n[Node all]\nDependsOn=a b\nReadiness=all-finished\n"
                                       "[Node two]\nDependsOn=a b\nReadiness=at-least:2\n"
                                       "[Node half]\nDependsOn=a b\nReadiness=at-least:50%\n");

        cr_assert(eq(int, policy_of(graph, "all")->readiness, RUN_READY_ALL_FINISHED));
        cr_assert(eq(int, policy_of(graph, "two")->readiness, RUN_READY_AT_LEAST));
        cr_assert(eq(u32, policy_of(graph, "two")->amount, 2));
        cr_assert(eq(int, policy_of(graph, "half")->readiness, RUN_READY_AT_LEAST_PERCENT));
        cr_assert(eq(u32, policy_of(graph, "half")->amount, 50));
}

Test(flow_spec, a_policy_judges) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make("[Policy p]\nCommand=/bin/true\n[Node a]\n[Node b]\n"
                                                          "DependsOn=a\nReadiness=policy:p\n");

        cr_assert(eq(u32, run_graph_count(graph), 2));
        cr_assert(eq(int, policy_of(graph, "b")->readiness, RUN_READY_BY_POLICY));
}

/* A node that may be retried may run again when it was lost; Recover= says otherwise. */
Test(flow_spec, recovery_follows_retry) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make(
                "[Flow]\nFailurePolicy=continue\n"
                "[Node tried]\nExec=/bin/true\nRetry=1\n[Node same]\nExec=/bin/true\nIdempotent=yes\n"
                "[Node asks]\nExec=/bin/true\nRetry=1\nRecover=pending\n[Node fails]\nExec=/bin/true\nRecover=fail\n"
                "[Node again]\nExec=/bin/true\nRecover=retry\nFailurePolicy=end\n");

        cr_assert(eq(int, policy_of(graph, "tried")->recover, RUN_RECOVER_RETRY));
        cr_assert(eq(int, policy_of(graph, "same")->recover, RUN_RECOVER_RETRY));
        cr_assert(eq(int, policy_of(graph, "asks")->recover, RUN_RECOVER_PENDING));
        cr_assert(eq(int, policy_of(graph, "fails")->recover, RUN_RECOVER_FAIL));
        cr_assert(eq(int, policy_of(graph, "again")->recover, RUN_RECOVER_RETRY));
        cr_assert(eq(int, policy_of(graph, "asks")->failure, RUN_POLICY_CONTINUE));
        cr_assert(eq(int, policy_of(graph, "again")->failure, RUN_POLICY_END));
}

Test(flow_spec, settings_of_runs) {
        RunSettings settings;

        flow_spec_settings(load("[Node a]\n"), FLOW_BUSY_QUEUE, 3, &settings);
        cr_assert(eq(u32, settings.max_parallel, 12));
        cr_assert(eq(u32, settings.max_runs, 1));
        cr_assert(eq(u32, settings.max_queued, 100));
        cr_assert(eq(int, settings.on_busy, RUN_BUSY_QUEUE));
        cr_assert(not(settings.end_kills || settings.timeout_mode != RUN_TIMEOUT_TERMINATE));
        cr_assert(eq(u64, settings.timeout, USEC_INFINITY));
        cr_assert(eq(u64, settings.queue_timeout, USEC_INFINITY));

        flow_spec_settings(load("[Flow]\nMaxParallel=5\nMaxRuns=2\nMaxQueued=9\nOnBusy=queue\nEndMode=kill\n"
                                "RunTimeoutSec=1h\n[Node a]\n"),
                           FLOW_BUSY_REPLACE, 3, &settings);
        cr_assert(eq(u32, settings.max_parallel, 5));
        cr_assert(eq(u32, settings.max_runs, 2));
        cr_assert(eq(u32, settings.max_queued, 9));
        cr_assert(eq(int, settings.on_busy, RUN_BUSY_REPLACE));
        cr_assert(settings.end_kills);
        cr_assert(eq(u64, settings.timeout, USEC_PER_HOUR));
}

/* Numbers of nodes are stored with runs. */
Test(flow_spec, compensations_of_sub_runs_come_last) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make("[Flow]\nFinalExec=/bin/true\n"
                                                          "[Node a]\nFlow=other.flow\n"
                                                          "[Node b]\nExec=/bin/true\nCompensate=/bin/true\n"
                                                          "[Node c]\nFlow=other.flow\nCompensate=/bin/true\n");

        cr_assert(eq(u32, run_graph_find(graph, "b@compensate"), 3));
        cr_assert(eq(u32, run_graph_find(graph, "c@compensate"), 4));
        cr_assert(eq(u32, run_graph_final(graph), 5));
        cr_assert(eq(u32, run_graph_find(graph, "a@compensate"), 6));
        cr_assert(eq(u32, run_graph_partner(graph, 0), 6));
}

/* — locks and resources — */

Test(flow_spec, equal_demands_are_one) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make("[Flow]\nLock=x y\nLockSlots=3\nNeeds=cpu:2\n"
                                                          "[Node a]\nNeeds=cpu:1 memory:1K\nExec=/bin/true\n"
                                                          "[Node b]\nNeeds=cpu:1 memory:1K\nExec=/bin/true\n"
                                                          "[Node c]\nLock=x\nExec=/bin/true\n"
                                                          "[Node d]\nLock=x\nLockSlots=2\nExec=/bin/true\n"
                                                          "[Node e]\nExec=/bin/true\n");
        const RunDemand *run = run_graph_demand(graph, RUN_NODE_NONE), *node = run_graph_demand(graph, 0);

        cr_assert(eq(sz, run->n_locks, 2));
        assert_string(run->locks[1].name, "y");
        cr_assert(eq(u32, run->locks[1].slots, 3));
        assert_string(run->needs[0].name, "cpu");
        cr_assert(eq(u64, run->needs[0].amount, 2));
        cr_assert(eq(sz, node->n_needs, 2));
        cr_assert(eq(u64, node->needs[1].amount, 1024));
        cr_assert(eq(ptr, (void *) run_graph_demand(graph, 1), (void *) node));
        cr_assert(eq(u32, run_graph_demand(graph, 2)->locks[0].slots, 1));
        cr_assert(eq(u32, run_graph_demand(graph, 3)->locks[0].slots, 2));
        cr_assert(eq(ptr, (void *) run_graph_demand(graph, 4), NULL));
}

Test(flow_spec, a_node_has_the_priority_and_the_way_to_hold_of_its_flow) {
        cleanup_(run_graph_unrefp) RunGraph *graph = make("[Flow]\nPriority=low\nHoldLock=attempt\nQueueTimeoutSec=1h\n"
                                                          "[Node a]\n"
                                                          "[Node b]\nPriority=7\nHoldLock=node\nQueueTimeoutSec=9s\n");
        cleanup_(run_graph_unrefp) RunGraph *plain = make("[Node a]\n");
        RunSettings settings;

        cr_assert(eq(u8, policy_of(graph, "a")->priority, 64));
        cr_assert(policy_of(graph, "a")->gives_up_locks);
        cr_assert(eq(u64, policy_of(graph, "a")->queue_timeout, 0));
        cr_assert(eq(u8, policy_of(graph, "b")->priority, 7));
        cr_assert(not(policy_of(graph, "b")->gives_up_locks));
        cr_assert(eq(u64, policy_of(graph, "b")->queue_timeout, 9 * USEC_PER_SEC));
        cr_assert(eq(u8, policy_of(plain, "a")->priority, 128));
        cr_assert(not(policy_of(plain, "a")->gives_up_locks));

        flow_spec_settings(load("[Flow]\nPriority=high\nQueueTimeoutSec=1h\n[Node a]\n"), FLOW_BUSY_QUEUE, 1, &settings);
        cr_assert(eq(u8, settings.priority, 192));
        cr_assert(eq(u64, settings.queue_timeout, USEC_PER_HOUR));
}

/* A node of a file is gone with the next line, and the graph has all of them. */
Test(flow_spec, nodes_of_a_file) {
        static const char lines[] = "{\"Node\":\"a\",\"Exec\":\"/bin/a\",\"Retry\":7}\n"
                                    "{\"Node\":\"b\",\"Exec\":\"/bin/b\",\"DependsOn\":\"a\"}\n"
                                    "{\"Node\":\"c\",\"DependsOn\":[\"a\",\"b\"]}\n";
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        cleanup_(flow_spec_freep) FlowSpec *spec = NULL;
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        FlowNodes nodes;
        FlowNode *node;
        uint32_t n = 0;

        file_world_restart(world);
        file_write(world, "a/x.flow", "[Flow]\nNodesFile=x.jsonl\nFailurePolicy=continue\n");
        cr_assert(name_map_refresh(world->loader->names) >= 0);
        cr_assert(eq(int, unit_draft_read(world->loader, "x.flow", true, &draft), 0));
        cr_assert(eq(int, flow_spec_new(&spec, draft->section.own), 0));
        cr_assert(eq(int, flow_nodes_begin(&nodes, draft, "/x.jsonl", lines), 0));
        while (flow_nodes_next(&nodes, &node) > 0)
                cr_assert(eq(int, flow_spec_add(spec, node, 10 * ++n), 0));
        flow_nodes_end(&nodes);
        cr_assert(eq(int, flow_spec_make(spec, UINT64_MAX, &graph, NULL), 0));
        cr_assert(eq(u32, run_graph_count(graph), 3));
        cr_assert(eq(u32, policy_of(graph, "a")->retry, 7));
        cr_assert(eq(int, policy_of(graph, "a")->failure, RUN_POLICY_CONTINUE));
        cr_assert(eq(u32, run_graph_payload(graph, run_graph_find(graph, "b")), 20));
        cr_assert(eq(u32, run_graph_payload(graph, run_graph_find(graph, "c")), RUN_NODE_NONE));
        run_graph_parents(graph, run_graph_find(graph, "c"), &n);
        cr_assert(eq(u32, n, 2));
}

Test(flow_spec, memory_runs_out) {
        const FlowSettings *flow = load("[Node a]\nExec=/bin/true\n[Node b]\nDependsOn=a\nExec=/bin/true\n");
        unsigned failures = 0;

        for (size_t n = 1;; n++) {
                cleanup_(flow_spec_freep) FlowSpec *spec = NULL;
                cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
                int r;

                double_memory_arm(n, false);
                r = flow_spec_new(&spec, flow);
                if (r == 0)
                        r = flow_spec_add_sections(spec);
                if (r == 0)
                        r = flow_spec_make(spec, UINT64_MAX, &graph, NULL);
                if (!double_memory_disarm()) {
                        cr_assert(eq(int, r, 0));
                        break;
                }
                cr_assert(eq(int, r, -ENOMEM));
                failures++;
        }
        cr_assert(lt(uint, 4, failures));
}

/* — batches — */

static const FlowSettings *load_batch(const char *lines) {
        cleanup_free_ char *text = NULL;
        Unit *unit;

        cr_assert(eq(int, text_format(&text, "[Batch]\nExec=/bin/true\n%s", lines), 0));
        file_world_restart(world);
        file_write(world, "a/x.batch", text);
        unit = file_load(world, "x.batch");
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

/* What the section says of tries, statuses and times is of items: the launch is an attempt without any of it. */
Test(flow_spec, a_batch_is_a_node_that_launches) {
        cleanup_(flow_spec_freep) FlowSpec *spec = NULL;
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        const RunPolicy *policy;
        const RunDemand *demand;

        cr_assert(eq(int, flow_spec_new(&spec, load_batch("Items=10\nItemRetry=5\nItemTimeoutSec=1\nAgainSec=1\n"
                                                          "RetryExitStatus=1\nSuccessExitStatus=2\nLock=db\n"
                                                          "FinalExec=/bin/true\n")), 0));
        cr_assert(eq(int, flow_spec_add_sections(spec), 0));
        cr_assert(eq(int, flow_spec_make(spec, UINT64_MAX, &graph, NULL), 0));
        cr_assert(eq(u32, run_graph_count(graph), 2));
        cr_assert(eq(u32, run_graph_count_extra(graph), 1));
        policy = policy_of(graph, "items");
        cr_assert(eq(int, policy->action, RUN_ACTION_RANGE));
        cr_assert(eq(int, policy->recover, RUN_RECOVER_RETRY));
        cr_assert(eq(int, policy->failure, RUN_POLICY_END));
        cr_assert(eq(u32, policy->retry, 0));
        cr_assert(eq(u64, policy->again, 0));
        cr_assert(eq(u64, policy->timeout, USEC_INFINITY));
        cr_assert(eq(u64, policy->total_timeout, USEC_INFINITY));
        cr_assert(eq(u32, count_ends(policy->retry_ends), 0));
        cr_assert(eq(u32, count_ends(policy->success_ends), 0));
        cr_assert(eq(u32, count_ends(policy->again_ends), 0));
        /* One of the launchers, and nothing of what the run takes. */
        demand = run_graph_demand(graph, run_graph_find(graph, "items"));
        cr_assert(eq(sz, demand->n_locks, 0));
        cr_assert(eq(sz, demand->n_needs, 1));
        cr_assert(eq(int, strcmp(demand->needs[0].name, FLOW_LAUNCHERS), 0));
        cr_assert(eq(u64, demand->needs[0].amount, 1));
        cr_assert(ne(u32, run_graph_payload(graph, run_graph_find(graph, "items")), RUN_NODE_NONE));
}

static const FlowSettings *load_stream(const char *lines) {
        cleanup_free_ char *text = NULL;
        const Unit *unit;

        cr_assert(eq(int, text_format(&text, "[Stream]\nExec=/bin/true\n%s", lines), 0));
        file_world_restart(world);
        file_write(world, "a/x.stream", text);
        unit = file_load(world, "x.stream");
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

/* So is a stream; but its launch lasts for ever, and takes no launcher, of which there are a few for batches. */
Test(flow_spec, a_stream_is_a_node_that_launches) {
        cleanup_(flow_spec_freep) FlowSpec *spec = NULL;
        cleanup_(run_graph_unrefp) RunGraph *graph = NULL;
        const RunPolicy *policy;

        cr_assert(eq(int, flow_spec_new(&spec, load_stream("Retry=3\nTimeoutSec=1\n")), 0));
        cr_assert(eq(int, flow_spec_add_sections(spec), 0));
        cr_assert(eq(int, flow_spec_make(spec, UINT64_MAX, &graph, NULL), 0));
        cr_assert(eq(u32, run_graph_count(graph), 1));
        policy = policy_of(graph, "elements");
        cr_assert(eq(int, policy->action, RUN_ACTION_RANGE));
        cr_assert(eq(int, policy->recover, RUN_RECOVER_RETRY));
        cr_assert(eq(u32, policy->retry, 0));
        cr_assert(eq(u64, policy->timeout, USEC_INFINITY));
        cr_assert(eq(u32, policy->demand, 0));
}

Test(flow_spec, what_decides_about_an_element) {
        RunPolicy policy;

        flow_spec_element_policy(load_stream("")->nodes.items, &policy);
        cr_assert(eq(u32, policy.retry, 5));
        cr_assert(eq(int, policy.recover, RUN_RECOVER_RETRY));
        cr_assert(eq(int, policy.failure, RUN_POLICY_CONTINUE));
        flow_spec_element_policy(load_stream("Retry=0\nFailurePolicy=suspend\nPendingExitStatus=4\nAgainSec=1\n"
                                             "TimeoutSec=9\n")->nodes.items, &policy);
        cr_assert(eq(int, policy.recover, RUN_RECOVER_PENDING));
        cr_assert(eq(int, policy.failure, RUN_POLICY_SUSPEND));
        cr_assert(eq(u32, count_ends(policy.pending_ends), 1));
        cr_assert(eq(u32, count_ends(policy.again_ends), 1));
        cr_assert(eq(u64, policy.again, USEC_PER_SEC));
        cr_assert(eq(u64, policy.timeout, 9 * USEC_PER_SEC));
        flow_spec_element_policy(load_stream("Retry=0\nFailurePolicy=suspend\nFailurePolicy=\nIdempotent=yes\n")
                                         ->nodes.items, &policy);
        cr_assert(eq(int, policy.recover, RUN_RECOVER_RETRY));
        cr_assert(eq(int, policy.failure, RUN_POLICY_CONTINUE));
}
