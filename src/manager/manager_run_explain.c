/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a run, or a node of it, does not go on
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/text.h"
#include "basic/usec.h"
#include "flow/flow_spec.h"
#include "job/job_manager.h"
#include "manager/manager_launch.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_part.h"
#include "manager/manager_run_policy.h"
#include "manager/manager_run_sub.h"
#include "manager/manager_run_table.h"
#include "manager/manager_stream.h"

/* Nodes, and parents of a node, that are named. */
#define NODES_MAX 100U
#define PARENTS_MAX 8U
/* Bytes of a command. */
#define COMMAND_MAX 120U

static bool is_batch(const ManagerRun *run) {
        return run_graph_policy(manager_run_graph(run), 0)->action == RUN_ACTION_RANGE;
}

/* The first word of the verbs for it. */
static const char *verb_of(const ManagerRun *run) {
        return manager_stream_is_of(run) ? "stream" : is_batch(run) ? "batch" : "flow";
}

static void add_parents(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, Text *text) {
        const RunGraph *graph = manager_run_graph(run);
        const uint8_t *edges = run_graph_parent_edges(graph, node);
        uint32_t n, told = 0, left = 0;
        const uint32_t *parents = run_graph_parents(graph, node, &n);

        text_add(text, "it waits for its parents");
        for (uint32_t i = 0; i < n; i++) {
                RunNodeRow row;
                RunWhy why;

                if (!(edges[i] & (RUN_EDGE_IS_JUDGED | RUN_EDGE_OTHERWISE)) ||
                    manager_run_get_node(runs, run, parents[i], &row, &why) < 0 ||
                    run_node_state_is_terminal(row.state))
                        continue;
                if (told == PARENTS_MAX) {
                        left++;
                        continue;
                }
                text_addf(text, "%s %s (%s)", told == 0 ? ":" : ",", run_graph_name(graph, parents[i]),
                          run_node_state_to_string(row.state));
                told++;
        }
        if (left > 0)
                text_addf(text, ", and %" PRIu32 " more", left);
}

/* "; policy 'x' has said WAIT: …" */
static void add_saying(const ManagerRun *run, const RunNodeRow *row, const char *begin, Text *text) {
        const ManagerSaying *saying = manager_run_find_saying(run, row);
        cleanup_free_ char *policy = NULL;

        if (manager_run_get_policy(run, row->node, &policy) < 0 || !policy)
                return;
        text_addf(text, "%spolicy '%s' ", begin, policy);
        if (!saying)
                text_add(text, "has not been asked since core began");
        else
                text_addf(text, "has said %s%s%s", run_answer_to_string(saying->answer), saying->reason ? ": " : "",
                          saying->reason ? saying->reason : "");
}

/* "it has asked for a person: …; " */
static void add_pending(const ManagerRun *run, const RunNodeRow *row, Text *text) {
        const ManagerSaying *saying = manager_run_find_saying(run, row);

        if (saying)
                text_addf(text, "its command has asked for a person%s%s; ", saying->reason ? ": " : "",
                          saying->reason ? saying->reason : "");
}

/* The command is asked, or is about to be. */
static void add_policy(const ManagerRun *run, const RunNodeRow *row, Text *text) {
        cleanup_free_ char *policy = NULL;

        (void) manager_run_get_policy(run, row->node, &policy);
        text_addf(text, "policy '%s' is asked whether it may run", policy ? policy : "?");
        if (manager_run_find_saying(run, row))
                add_saying(run, row, "; before, ", text);
}

static void add_sleep(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Text *text) {
        const bool is_until = run_graph_policy(manager_run_graph(run), row->node)->sleeps_until;
        const usec_t now = is_until ? manager_runs_now_realtime(runs) : manager_runs_now(runs);
        char span[USEC_FORMAT_MAX];

        text_addf(text, "it sleeps for another %s", usec_format(usec_sub(row->at, now), span));
}

static void add_time(const ManagerRuns *runs, const RunNodeRow *row, Text *text) {
        char span[USEC_FORMAT_MAX];

        text_addf(text, "it runs again in %s, after %" PRIu32 " %s",
                  usec_format(usec_sub(row->at, manager_runs_now(runs)), span),
                  row->failures + row->losses + row->agains,
                  row->failures + row->losses + row->agains == 1 ? "try" : "tries");
}

/* "/usr/bin/dump --all", as the flow has it: values of the run may be secret. */
static int describe_command(const ManagerRun *run, uint32_t node, char **ret_text) {
        FlowCommand command = {};
        Text text = {};
        int r = manager_run_open_command(run, node, &command);

        if (r < 0)
                return r;
        if (command.node && command.node->script && !command.is_extra)
                text_addf(&text, "Script=%.*s", (int) strcspn(command.node->script, "\n"), command.node->script);
        else if (command.command) {
                text_add(&text, command.command->path);
                for (char *const *word = command.command->argv; *word && word[1]; word++)
                        text_addf(&text, " %s", word[1]);
        }
        flow_command_close(&command);
        r = text_finish(&text, ret_text);
        if (r < 0)
                return r;
        /* A word may have lines, that must not look like those of the answer. */
        (*ret_text)[strcspn(*ret_text, "\n")] = '\0';
        text_shorten(*ret_text, COMMAND_MAX);
        return 0;
}

/* "; it began 12s ago: /usr/bin/dump --all" */
static void add_begin(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, usec_t started, Text *text) {
        cleanup_free_ char *command = NULL;
        char span[USEC_FORMAT_MAX];
        usec_t ago = MAX(usec_sub(manager_runs_now_realtime(runs), started), USEC_PER_MSEC);

        if (started == 0)
                return;
        ago -= ago % (ago >= USEC_PER_SEC ? USEC_PER_SEC : USEC_PER_MSEC);
        text_addf(text, "; it began %s ago", usec_format(ago, span));
        if (describe_command(run, node, &command) == 0 && *command)
                text_addf(text, ": %s", command);
}

static void add_process(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Text *text) {
        const RunAttemptKey key = { manager_run_id(run), row->node, row->generation, row->number };
        ManagerAttemptFacts facts;

        if (manager_attempts_explain(manager_runs_attempts(runs), &key, text))
                return;
        text_addf(text, "attempt %" PRIu32 " runs", row->number);
        if (manager_attempts_get(manager_runs_attempts(runs), &key, &facts) < 0)
                return;
        if (facts.pid > 0)
                text_addf(text, " (pid %d)", (int) facts.pid);
        if (facts.progress_of > 0)
                text_addf(text, ", %" PRIu64 " of %" PRIu64, facts.progress, facts.progress_of);
        if (facts.status && *facts.status)
                text_addf(text, ": %s", facts.status);
        add_begin(runs, run, row->node, facts.started, text);
}

static void add_job(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Text *text) {
        const RunAttemptKey key = { manager_run_id(run), row->node, row->generation, row->number };

        if (!manager_attempts_explain(manager_runs_attempts(runs), &key, text))
                text_add(text, "its job is about to be asked for");
}

static void add_sub(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Text *text) {
        const RunAttemptKey key = { manager_run_id(run), row->node, row->generation, row->number };

        if (!manager_attempts_explain(manager_runs_attempts(runs), &key, text))
                manager_run_explain_sub(runs, &key, text);
}

/* "7 of 10 instances have ended, 2 run" */
static void add_items(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, Text *text) {
        const uint32_t n = run_graph_count_items(manager_run_graph(run), node);
        uint32_t n_ended = 0, n_running = 0, n_pending = 0;
        RunNodeRow row;
        RunWhy why;

        for (uint32_t i = 0; i < n; i++) {
                const uint32_t instance = run_graph_find_item(manager_run_graph(run), node, i);

                if (manager_run_get_node(runs, run, instance, &row, &why) < 0)
                        continue;
                n_ended += run_node_state_is_terminal(row.state);
                n_running += row.state == RUN_NODE_RUNNING;
                n_pending += row.state == RUN_NODE_PENDING;
        }
        text_addf(text, "%" PRIu32 " of %" PRIu32 " instances have ended, %" PRIu32 " run", n_ended, n, n_running);
        if (n_pending > 0)
                text_addf(text, ", %" PRIu32 " wait%s for a person", n_pending, n_pending == 1 ? "s" : "");
}

static void add_store(const ManagerRuns *runs, Text *text) {
        const char *problem = manager_run_link_problem(manager_runs_link(runs));

        text_addf(text, "the store of runs has to have it first%s%s", problem ? ": " : "", problem ? problem : "");
}

/* "7", "7/merge" */
static void add_claim(const ManagerRuns *runs, const RunClaimKey *key, Text *text) {
        const ManagerRun *run = manager_run_find(runs, key->run);

        text_addf(text, "%" PRIu32, key->run);
        if (run && key->node != RUN_CLAIM_OF_RUN)
                text_addf(text, "/%s", run_graph_name(manager_run_graph(run), key->node));
}

/* @node: RUN_NODE_NONE asks for the run. */
static void add_lock(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, Text *text) {
        RunClaimWhy why;

        if (run_engine_get_lock(manager_runs_engine(runs), manager_run_id(run), node, &why) <= 0)
                return;
        if (why.is_lock)
                text_addf(text, "it waits for the lock '%s'", why.name);
        else if (strcmp(why.name, FLOW_LAUNCHERS) == 0)
                text_addf(text,
                          "as many batches issue items as MaxLaunchers=%" PRIu64 " of [Engine] in jobd.conf allows",
                          why.total);
        else
                text_addf(text,
                          "it waits for %" PRIu64 " of the resource '%s', of which %" PRIu64 " of %" PRIu64
                          " are free", why.wanted, why.name, why.unused, why.total);
        if (why.has_holder) {
                text_add(text, why.is_lock ? ", which is held by " : "; some is held by ");
                add_claim(runs, &why.holder, text);
                if (manager_run_is_below(runs, run, why.holder.run))
                        text_addf(text, ", which run %" PRIu32 " is a part of, and which has it until its end",
                                  manager_run_id(run));
        }
        if (why.has_other) {
                text_addf(text, "; %" PRIu32 " wait%s before it, the first is ", why.n_before,
                          why.n_before == 1 ? "s" : "");
                add_claim(runs, &why.other, text);
        }
}

/* A launch takes a launcher before it issues items. */
static void add_launch(const ManagerRuns *runs, const ManagerRun *run, Text *text) {
        RunClaimWhy why;

        if (run_engine_get_lock(manager_runs_engine(runs), manager_run_id(run), 0, &why) > 0)
                add_lock(runs, run, 0, text);
        else if (manager_stream_is_of(run))
                manager_stream_explain(runs, run, text);
        else
                manager_launch_explain(runs, manager_run_id(run), text);
}

/* A person has to do something about the node, or about one above it. */
static void add_person(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Text *text) {
        if (row->state == RUN_NODE_BLOCKED) {
                add_parents(runs, run, row->node, text);
                return;
        }
        if (row->reason == RUN_REASON_POLICY) {
                add_saying(run, row, "", text);
                text_add(text, "; ");
        }
        if (row->reason == RUN_REASON_STATUS)
                add_pending(run, row, text);
        text_addf(text,
                  "a person has to resolve it: 'jobctl flow resolve %" PRIu32 "/%s --as=success', or "
                  "failed, retry, skip",
                  manager_run_id(run), run_graph_name(manager_run_graph(run), row->node));
}

static void add_end(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Text *text) {
        if (run_graph_policy(manager_run_graph(run), row->node)->action == RUN_ACTION_RUN) {
                text_add(text, "it was told to end; ");
                add_sub(runs, run, row, text);
                return;
        }
        text_add(text, "its processes were told to end, and are still there");
}

static void add_why(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, RunWhy why, Text *text) {
        const RunPolicy *policy = run_graph_policy(manager_run_graph(run), row->node);

        switch (why) {
        case RUN_WHY_NOTHING:
                text_add(text, "it waits for nothing");
                break;
        case RUN_WHY_PARENTS:
                add_parents(runs, run, row->node, text);
                if (manager_run_find_saying(run, row))
                        add_saying(run, row, "; ", text);
                break;
        case RUN_WHY_HUMAN:
                add_person(runs, run, row, text);
                break;
        case RUN_WHY_GATE:
                text_addf(text, "a person has to approve it: 'jobctl flow approve %" PRIu32 "/%s', or with --reject",
                          manager_run_id(run), run_graph_name(manager_run_graph(run), row->node));
                break;
        case RUN_WHY_TIME:
                if (row->state == RUN_NODE_RUNNING)
                        add_sleep(runs, run, row, text);
                else
                        add_time(runs, row, text);
                break;
        case RUN_WHY_PROCESS:
                add_process(runs, run, row, text);
                break;
        case RUN_WHY_JOB:
                add_job(runs, run, row, text);
                break;
        case RUN_WHY_ITEMS:
                add_items(runs, run, row->node, text);
                break;
        case RUN_WHY_RANGE:
        case RUN_WHY_PROCEED:
                add_launch(runs, run, text);
                break;
        case RUN_WHY_CALLBACK:
                text_add(text, "its command has ended, and whoever has its token has to complete it: 'jobctl flow "
                               "complete'");
                break;
        case RUN_WHY_SUB_RUN:
                add_sub(runs, run, row, text);
                break;
        case RUN_WHY_END:
                add_end(runs, run, row, text);
                break;
        case RUN_WHY_STORE:
                add_store(runs, text);
                break;
        case RUN_WHY_PLACE:
                text_addf(text, "as many attempts run as MaxParallel= %sallows",
                          policy->foreach_parallel > 0 ? "or ForeachParallel= " : "");
                break;
        case RUN_WHY_POLICY:
                add_policy(run, row, text);
                break;
        case RUN_WHY_RUN:
                text_add(text, "its run does not go on");
                break;
        case RUN_WHY_UNIT:
                text_addf(text, "%s is not active", manager_run_unit(run)->id);
                break;
        case RUN_WHY_LOCK:
        case RUN_WHY_RESOURCE:
                add_lock(runs, run, row->node, text);
                break;
        case RUN_WHY_COMPENSATE:
        case RUN_WHY_FINAL:
        case _RUN_WHY_MAX:
                break;
        }
}

/* "; job 15 (start nightly.flow) runs: see …" */
static void add_unit(const ManagerRuns *runs, const ManagerRun *run, const RunRow *row, Text *text) {
        const Unit *unit = manager_run_unit(run);
        JobInfo job;

        text_addf(text, "%s is not active", unit->id);
        if (job_manager_unit_job(manager_runs_host(runs)->jobs->engine, unit, &job))
                text_addf(text, "; its job %" PRIu32 " (%s) %s: see 'jobctl why %" PRIu32 "'", job.id,
                          job_type_to_string(job.type), job.state == JOB_RUNNING ? "runs" : "waits", job.id);
        else if (row->state == RUN_PAUSED)
                text_addf(text, ": 'jobctl start %s' lets it go on, or 'jobctl %s resume %" PRIu32 "'", unit->id,
                          verb_of(run), manager_run_id(run));
}

/* The runs of the flow that hold its places, and how many wait before this one. */
static void add_places(const ManagerRuns *runs, const ManagerRun *run, const RunRow *row, Text *text) {
        uint32_t n_before = 0, n_holders = 0;

        text_add(text, "as many runs of the flow run as MaxRuns= allows");
        for (const ManagerRun *other = manager_run_first(manager_run_flow_of(run)); other;
             other = manager_run_next(other)) {
                RunRow other_row;
                RunWhy why;

                if (other == run || manager_run_get(runs, other, &other_row, &why) < 0 ||
                    run_state_is_terminal(other_row.state) || other_row.state == RUN_CREATED)
                        continue;
                if (other_row.state == RUN_QUEUED) {
                        n_before += other_row.place < row->place;
                        continue;
                }
                if (n_holders++ < PARENTS_MAX)
                        text_addf(text, "%s%" PRIu32, n_holders == 1 ? ": run " : ", ", manager_run_id(other));
        }
        if (n_holders > PARENTS_MAX)
                text_addf(text, " and %" PRIu32 " more", n_holders - PARENTS_MAX);
        if (n_before > 0)
                text_addf(text, "; %" PRIu32 " wait%s before it", n_before, n_before == 1 ? "s" : "");
}

/* A step that ends the run is PENDING. */
static void add_decision(const ManagerRuns *runs, const ManagerRun *run, const RunRow *row, Text *text) {
        const ManagerRun *part = NULL;
        RunNodeRow node;
        RunWhy why;

        for (uint32_t i = 0; !part && manager_run_get_node(runs, run, i, &node, &why) == 0; i++)
                part = manager_run_find_waiting_sub(runs, run, &node);
        if (part)
                text_addf(text,
                          "it will be %s when run %" PRIu32 " of %s, which node %s undoes, has gone on: see 'jobctl "
                          "flow why %" PRIu32 "'",
                          run_state_to_string(row->result), manager_run_id(part), manager_run_unit(part)->id,
                          run_graph_name(manager_run_graph(run), node.node), manager_run_id(part));
        else
                text_addf(text, "it will be %s when a person has resolved %s that is PENDING",
                          run_state_to_string(row->result),
                          row->reason == RUN_REASON_FINAL ? "its final command" : "the compensation");
}

static void add_pause(const ManagerRun *run, const RunRow *row, Text *text) {
        if (row->state == RUN_CREATED) {
                text_addf(text, "it was made to be started later, by 'jobctl %s resume %" PRIu32 "'", verb_of(run),
                          manager_run_id(run));
                return;
        }
        text_addf(text, "it is paused%s: 'jobctl %s resume %" PRIu32 "' lets it go on",
                  row->reason == RUN_REASON_ERROR_BUDGET ? ", since too many items of its last launch are errors"
                  : row->reason == RUN_REASON_PREPARE    ? ", since its command ExecPrepare= has failed"
                  : row->reason == RUN_REASON_ITEMS      ? ", since its items cannot be read, as its log says"
                                                         : "",
                  verb_of(run), manager_run_id(run));
}

static void add_run_why(const ManagerRuns *runs, const ManagerRun *run, const RunRow *row, RunWhy why, Text *text) {
        const ManagerRunFacts *facts = manager_run_facts(run);

        switch (why) {
        case RUN_WHY_HUMAN:
                if (row->state == RUN_SUSPENDED && row->result != RUN_CREATED)
                        add_decision(runs, run, row, text);
                else if (row->state == RUN_SUSPENDED)
                        text_add(text, "a person has to resolve or approve a node that is PENDING");
                else
                        add_pause(run, row, text);
                break;
        case RUN_WHY_PLACE:
                add_places(runs, run, row, text);
                break;
        case RUN_WHY_UNIT:
                add_unit(runs, run, row, text);
                break;
        case RUN_WHY_STORE:
                add_store(runs, text);
                break;
        case RUN_WHY_LOCK:
        case RUN_WHY_RESOURCE:
                add_lock(runs, run, RUN_NODE_NONE, text);
                break;
        case RUN_WHY_COMPENSATE:
                text_addf(text, "it will be %s; what has succeeded is undone first, and what has succeeded last first "
                                "of all", run_state_to_string(row->result));
                break;
        case RUN_WHY_FINAL:
                text_addf(text, "it will be %s when FinalExec= has ended", run_state_to_string(row->result));
                break;
        case RUN_WHY_RANGE:
        case RUN_WHY_PROCEED:
                add_launch(runs, run, text);
                break;
        case RUN_WHY_NOTHING:
        case RUN_WHY_PARENTS:
        case RUN_WHY_TIME:
        case RUN_WHY_PROCESS:
        case RUN_WHY_END:
        case RUN_WHY_RUN:
        case RUN_WHY_POLICY:
        case RUN_WHY_JOB:
        case RUN_WHY_GATE:
        case RUN_WHY_ITEMS:
        case RUN_WHY_CALLBACK:
        case RUN_WHY_SUB_RUN:
        case _RUN_WHY_MAX:
                if (is_batch(run)) {
                        add_launch(runs, run, text);
                        break;
                }
                text_addf(text, "%" PRIu64 " of %" PRIu64 " nodes have ended, %" PRIu64 " run", facts->n_done,
                          facts->n_total, facts->n_running);
        }
}

static int put_text(Sink *sink, Text *text) {
        cleanup_free_ char *string = NULL;
        int r = text_finish(text, &string);

        if (r == 0)
                sink_entry_string(sink, "text", string);
        return r;
}

static void put_policy(const ManagerRun *run, const RunNodeRow *row, Sink *sink) {
        const ManagerSaying *saying = manager_run_find_saying(run, row);
        cleanup_free_ char *policy = NULL;

        if (manager_run_get_policy(run, row->node, &policy) == 0 && policy)
                sink_entry_string(sink, "policy", policy);
        if (saying)
                sink_entry_string(sink, "answer", run_answer_to_string(saying->answer));
        if (saying && saying->reason)
                sink_entry_string(sink, "answer_reason", saying->reason);
}

/* Progress and status that the command has written. */
static void put_sayings(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Sink *sink) {
        const RunAttemptKey key = { manager_run_id(run), row->node, row->generation, row->number };
        ManagerAttemptFacts facts;

        if (row->state != RUN_NODE_RUNNING || manager_attempts_get(manager_runs_attempts(runs), &key, &facts) < 0)
                return;
        if (facts.progress_of > 0) {
                sink_entry_u64(sink, "progress", facts.progress);
                sink_entry_u64(sink, "progress_of", facts.progress_of);
        }
        if (facts.status)
                sink_entry_string(sink, "status", facts.status);
}

/* The number of the run that the node is. */
static void put_sub_run(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, Sink *sink) {
        const RunAttemptKey key = { manager_run_id(run), row->node, row->generation, row->number };
        const ManagerSub *sub = row->attempt != RUN_ATTEMPT_NONE
                                        ? manager_attempts_get_sub(manager_runs_attempts(runs), &key)
                                        : NULL;

        if (sub && sub->run > 0)
                sink_entry_u64(sink, "sub_run", sub->run);
}

static int put_node(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, RunWhy why, Sink *sink) {
        Text text = {};

        sink_entry_string(sink, "node", run_graph_name(manager_run_graph(run), row->node));
        sink_entry_string(sink, "state", run_node_state_to_string(row->state));
        if (row->reason != RUN_REASON_NONE)
                sink_entry_string(sink, "reason", run_reason_to_string(row->reason));
        sink_entry_string(sink, "why", run_why_to_string(why));
        put_sub_run(runs, run, row, sink);
        put_policy(run, row, sink);
        put_sayings(runs, run, row, sink);
        add_why(runs, run, row, why, &text);
        return put_text(sink, &text);
}

/* Whether a node holds its run up; those that only wait for it do not. */
static bool holds_up(const RunNodeRow *row, RunWhy why) {
        return !run_node_state_is_terminal(row->state) && row->state != RUN_NODE_BLOCKED && why != RUN_WHY_PARENTS &&
               why != RUN_WHY_RUN;
}

static int put_nodes(const ManagerRuns *runs, const ManagerRun *run, Sink *sink) {
        unsigned n = 0;
        RunNodeRow row;
        RunWhy why;
        int r = 0;

        sink_entry_open(sink, "nodes", "aa{sv}");
        sink_open(sink, 'a', "a{sv}");
        for (uint32_t i = 0; r == 0 && n < NODES_MAX && manager_run_get_node(runs, run, i, &row, &why) == 0; i++) {
                if (!holds_up(&row, why))
                        continue;
                n++;
                sink_open(sink, 'a', "{sv}");
                r = put_node(runs, run, &row, why, sink);
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
        return r;
}

/* The counts of a batch, and what its launch waits for without them. */
static int put_items(const ManagerRuns *runs, const ManagerRun *run, Sink *sink) {
        cleanup_free_ char *waits = NULL;
        RunRangeCounts counts;
        ManagerRunView view;
        Text text = {};
        int r;

        if (!is_batch(run) || manager_runs_view(runs, manager_run_id(run), &view) < 0)
                return 0;
        sink_entry_u64(sink, "done", view.n_done);
        sink_entry_u64(sink, "failed", view.n_failed);
        sink_entry_u64(sink, "running", view.n_running);
        sink_entry_u64(sink, "total", view.n_total);
        sink_entry_u64(sink, "launches", view.n_launches);
        if (manager_launch_count(runs, manager_run_id(run), &counts) == 0 && counts.is_open)
                sink_entry_bool(sink, "open", true);
        manager_launch_write_workers(runs, manager_run_id(run), sink);
        if (manager_stream_is_of(run))
                manager_stream_explain(runs, run, &text);
        else
                manager_launch_explain_wait(runs, manager_run_id(run), &text);
        add_lock(runs, run, 0, &text);
        r = text_finish(&text, &waits);
        if (r == 0 && *waits)
                sink_entry_string(sink, "waits", waits);
        return r;
}

static int put_run(const ManagerRuns *runs, const ManagerRun *run, const RunRow *row, RunWhy why, Sink *sink) {
        const ManagerRunFacts *facts = manager_run_facts(run);
        Text text = {};

        sink_entry_string(sink, "state", run_state_to_string(row->state));
        if (row->reason != RUN_REASON_NONE)
                sink_entry_string(sink, "reason", run_reason_to_string(row->reason));
        sink_entry_string(sink, "why", run_why_to_string(why));
        add_run_why(runs, run, row, why, &text);
        if (facts->parent > 0)
                text_addf(&text, "; it is a part of run %" PRIu32 ", node %s", facts->parent,
                          facts->parent_node ? facts->parent_node : "?");
        return put_text(sink, &text);
}

int manager_runs_explain(const ManagerRuns *runs, uint32_t id, const char *node, Sink *sink, Failure *ret_failure) {
        const ManagerRun *run = manager_run_find(runs, id);
        RunNodeRow node_row;
        uint32_t number;
        RunRow row;
        RunWhy why;
        int r;

        /* Until all that lives is there, it is not known what a run waits for. */
        if (!manager_runs_is_loaded(runs)) {
                const char *problem = manager_run_link_problem(manager_runs_link(runs));

                r = manager_run_link_require(manager_runs_link(runs), ret_failure);
                return r < 0 ? r :
                               failure_set(ret_failure, -EAGAIN, "StoreUnavailable",
                                           "The runs that live have not been read from their store yet%s%s",
                                           problem ? ": " : "; try again.", problem ? problem : "");
        }
        if (!run || run_engine_get(manager_runs_engine(runs), id, &row, &why) < 0)
                return failure_set(ret_failure, -ENOENT, "NoSuchRun",
                                   "No run %" PRIu32 " lives: see 'jobctl flow show %" PRIu32 "'.", id, id);
        r = manager_run_find_node(run, node, &number, ret_failure);
        if (r < 0)
                return r;
        if (node)
                (void) run_engine_get_node(manager_runs_engine(runs), id, number, &node_row, &why);
        sink_open(sink, 'a', "{sv}");
        sink_entry_u64(sink, "id", id);
        sink_entry_string(sink, "unit", manager_run_unit(run)->id);
        sink_entry_string(sink, "name", manager_run_facts(run)->name);
        if (manager_run_facts(run)->parent > 0) {
                sink_entry_u64(sink, "parent", manager_run_facts(run)->parent);
                sink_entry_string(sink, "parent_node",
                                  manager_run_facts(run)->parent_node ? manager_run_facts(run)->parent_node : "");
        }
        if (node)
                r = put_node(runs, run, &node_row, why, sink);
        else
                r = put_run(runs, run, &row, why, sink);
        if (r == 0 && !node)
                r = put_items(runs, run, sink);
        if (r == 0 && !node)
                r = put_nodes(runs, run, sink);
        sink_close(sink);
        return r;
}

/* — the runs of a flow, a line each — */

/* The first node that holds the run up, and how many others do. */
static void add_holder(const ManagerRuns *runs, const ManagerRun *run, Text *text) {
        uint32_t n = 0;
        RunNodeRow row;
        RunWhy why;

        for (uint32_t i = 0; manager_run_get_node(runs, run, i, &row, &why) == 0; i++) {
                if (!holds_up(&row, why) || n++ > 0)
                        continue;
                text_addf(text, "; node %s is %s: ", run_graph_name(manager_run_graph(run), i),
                          run_node_state_to_string(row.state));
                add_why(runs, run, &row, why, text);
        }
        if (n > 1)
                text_addf(text, "; and %" PRIu32 " more", n - 1);
}

static void write_line(const ManagerRuns *runs, const ManagerRun *run, Sink *sink) {
        cleanup_(text_deinit) Text text = {};
        RunRow row;
        RunWhy why;

        if (manager_run_get(runs, run, &row, &why) < 0 || run_state_is_terminal(row.state))
                return;
        add_run_why(runs, run, &row, why, &text);
        if (row.state == RUN_RUNNING || row.state == RUN_PAUSING || row.state == RUN_SUSPENDED ||
            row.state == RUN_STOPPING)
                add_holder(runs, run, &text);
        sink_open(sink, 'r', "tsss");
        sink_u64(sink, manager_run_id(run));
        sink_string(sink, manager_run_facts(run)->name);
        sink_string(sink, run_state_to_string(row.state));
        sink_string(sink, text.error < 0 || !text.string ? "" : text.string);
        sink_close(sink);
}

void manager_runs_write_live(const ManagerRuns *runs, const Unit *unit, Sink *sink) {
        const ManagerFlow *flow = manager_run_find_flow(runs, unit);
        const ManagerRun *run = flow ? manager_run_first(flow) : NULL;

        while (run && manager_run_next(run))
                run = manager_run_next(run);
        sink_open(sink, 'a', "(tsss)");
        for (; run; run = manager_run_previous(run))
                write_line(runs, run, sink);
        sink_close(sink);
}
