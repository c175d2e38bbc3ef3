/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Rows: what the store gets at the end of a turn, and gives back after a restart
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "basic/text.h"
#include "run/run_private.h"

RunNodeRow run_node_row(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        return (RunNodeRow) {
                .node = node,
                .state = entry->state,
                .reason = entry->reason,
                .attempt = entry->attempt,
                .outcome = entry->outcome,
                .generation = run_node_generation(entry),
                .number = entry->number,
                .failures = entry->failures,
                .agains = entry->agains,
                .losses = entry->losses,
                .batch = entry->is_put ? entry->batch : 0,
                .at = entry->at,
                .first_at = entry->first_at,
                .is_wanted = entry->is_wanted,
                .has_passed = entry->has_passed,
                .is_approved = entry->is_approved,
                .has_given_up = entry->has_given_up,
                .completion = (RunCompletion) entry->completion,
        };
}

/* Nodes that have ended, or those that have not. */
static void put_nodes(const RunEngine *engine, const Run *run, bool have_ended) {
        for (uint32_t i = run->first_changed;
             (i = run_set_next(run, RUN_SET_CHANGED, i, run->end_changed)) < run->end_changed; i++) {
                const RunNodeRow row = run_node_row(run, i);

                if (run_node_state_is_terminal(row.state) == have_ended)
                        engine->host->put_node(engine->userdata, run->row.id, &row);
        }
}

/* Nodes that have ended are put first: what begins because of them follows. */
static void put_run(const RunEngine *engine, const Run *run) {
        engine->host->put_run(engine->userdata, &run->row);
        put_nodes(engine, run, true);
        put_nodes(engine, run, false);
}

/* The store will have the rows of @batch. */
static void note_put(Run *run, uint32_t batch) {
        for (uint32_t i = run->first_changed;
             (i = run_set_next(run, RUN_SET_CHANGED, i, run->end_changed)) < run->end_changed; i++) {
                RunNode *node = &run->nodes[i];

                run_set_put(run, RUN_SET_CHANGED, i, false);
                if (node->attempt == RUN_ATTEMPT_IS_HELD && !node->is_put) {
                        node->is_put = true;
                        node->batch = batch;
                }
        }
        run->first_changed = run->n;
        run->end_changed = 0;
        run->has_changed = false;
        if (!run->is_put)
                run->batch = batch;
        run->is_put = true;
}

void run_persist(RunEngine *engine) {
        bool has_changed = false;
        uint32_t batch;

        for (const RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (const Run *run = flow->first; run; run = run->next)
                        if (run->has_changed) {
                                put_run(engine, run);
                                has_changed = true;
                        }
        if (!has_changed || engine->host->persist(engine->userdata, &batch) < 0)
                return;
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next)
                        if (run->has_changed)
                                note_put(run, batch);
}

int run_engine_touch(RunEngine *engine, uint32_t id) {
        Run *run = run_find(engine, id);

        if (!run)
                return -ENOENT;
        run_change(run);
        return 0;
}

void run_engine_put_all(RunEngine *engine) {
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next) {
                        run_change(run);
                        for (uint32_t i = 0; i < run->n; i++)
                                if (!run->nodes[i].is_unused && !run_item_is_untouched(run, i) &&
                                    (run->nodes[i].state != RUN_NODE_WAITING || run->nodes[i].earlier > 0))
                                        run_change_node(run, i);
                }
}

/* — restart — */

static bool is_idle_row(const RunNodeRow *row) {
        return row->state == RUN_NODE_RUNNING && row->attempt == RUN_ATTEMPT_NONE;
}

static bool can_idle(const Run *run, const RunNodeRow *row) {
        const RunPolicy *policy = run_graph_policy(run->graph, row->node);

        return run_policy_sleeps(policy) || policy->has_callback ||
               (policy->is_foreach && run_graph_count_items(run->graph, row->node) > 0);
}

static bool waits_with_sub(const Run *run, const RunNodeRow *row) {
        return row->state == RUN_NODE_PENDING && row->reason == RUN_REASON_SUB_RUN &&
               row->attempt == RUN_ATTEMPT_IS_STARTED &&
               run_graph_policy(run->graph, row->node)->action == RUN_ACTION_RUN;
}

static bool is_row(const Run *run, const RunNodeRow *row) {
        return row->node < run->n && row->state < _RUN_NODE_STATE_MAX && row->reason < _RUN_REASON_MAX &&
               row->attempt <= RUN_ATTEMPT_IS_STARTED && row->outcome < _RUN_OUTCOME_MAX &&
               row->completion <= RUN_COMPLETION_FAILURE &&
               (row->attempt == RUN_ATTEMPT_NONE || row->state == RUN_NODE_RUNNING || waits_with_sub(run, row)) &&
               (!is_idle_row(row) || can_idle(run, row)) &&
               row->generation > 0 &&
               row->generation <= UINT16_MAX + 1U && row->failures <= UINT16_MAX && row->agains <= UINT16_MAX &&
               row->losses <= RUN_LOSSES_MAX;
}

static void restore_node(Run *run, const RunNodeRow *row) {
        RunNode *node = &run->nodes[row->node];

        node->earlier = (uint16_t) (row->generation - 1);
        if (node->is_unused)
                return;
        node->number = row->number;
        node->failures = (uint16_t) row->failures;
        node->agains = (uint16_t) row->agains;
        node->losses = row->losses & 3U;
        node->first_at = row->first_at;
        node->is_wanted = row->is_wanted;
        node->has_passed = row->has_passed;
        node->is_approved = row->is_approved;
        node->has_given_up = row->has_given_up;
        node->completion = row->completion & 3U;
        node->at = row->at;
        node->attempt = row->attempt & 3U;
        node->is_put = true;
        node->batch = row->batch;
        node->outcome = row->outcome & 7U;
        node->is_idle = is_idle_row(row);
        run->n_idle += node->is_idle;
        run->n_split += run_node_is_split(run, row->node);
        run_node_become(run, row->node, row->state, row->reason);
        node->at = row->at;
        run_hold_attempt(run, row->node, node->attempt == RUN_ATTEMPT_IS_HELD || node->attempt == RUN_ATTEMPT_IS_ASKED);
        run_node_time(run, row->node);
        run_node_restore(run, row->node);
        run_set_put(run, RUN_SET_CHANGED, row->node, false);
}

int run_engine_restore(RunFlow *flow, RunGraph *graph, const RunRow *row, const RunNodeRow *nodes, uint32_t n_nodes) {
        RunEngine *engine = flow->engine;
        Run *run;
        int r;

        if (row->id == 0 || row->state >= _RUN_STATE_MAX || row->reason >= _RUN_REASON_MAX || row->round == 0)
                return -EINVAL;
        if (run_find(engine, row->id))
                return -EEXIST;
        r = run_instance_new(flow, graph, row, true, &run);
        if (r < 0)
                return r;
        for (uint32_t i = 0; i < n_nodes; i++)
                if (!is_row(run, &nodes[i])) {
                        run_instance_free(run);
                        return -EINVAL;
                }
        run_lock_restore(run);
        run->is_being_restored = true;
        for (uint32_t i = 0; i < n_nodes; i++)
                if (nodes[i].state == RUN_NODE_RUNNING)
                        run_items_restore(run, nodes[i].node);
        for (uint32_t i = 0; i < n_nodes; i++)
                restore_node(run, &nodes[i]);
        run_items_restored(run);
        run->is_being_restored = false;
        run_undo_restore(run);
        run_mark_unanswered(run);
        run_find_roots(run);
        /* The states of the rows say all that marks would. */
        run_forget_doubts(run);
        run->fired = RUN_END_RUN_NO;
        run->has_changed = false;
        run->is_put = run->is_stored = true;
        run->first_changed = run->n;
        run->end_changed = 0;
        r = run_undo_number(run);
        if (r < 0) {
                run_instance_free(run);
                return r;
        }
        engine->places = MAX(engine->places, row->place);
        engine->is_restoring = true;
        run_time(run);
        return 0;
}

int run_engine_restore_settings(RunEngine *engine, uint32_t id, const RunSettings *settings) {
        Run *run = run_find(engine, id);
        uint8_t priority;

        if (!run)
                return -ENOENT;
        /* The row has that. */
        priority = run->settings.priority;
        run->settings = *settings;
        run->settings.priority = priority;
        run_time(run);
        return 0;
}

/* — a larger graph — */

/* All that the engine knows of a node and its row does not have. */
static void take_over(Run *run, uint32_t node, const Run *old, uint32_t from) {
        const RunNode *before = &old->nodes[from];
        RunNode *entry = &run->nodes[node];

        entry->is_put = before->is_put;
        entry->batch = before->batch;
        run_hold_attempt(run, node, run_set_has(old, RUN_SET_HELD, from));
        if (run_set_has(old, RUN_SET_TO_ASK, from))
                run_want_policy(run, node, true);
        entry->is_asked = before->is_asked;
        entry->is_stale = before->is_stale;
        run->n_asked += entry->is_asked;
        if (run_set_has(old, RUN_SET_CHANGED, from))
                run_change_node(run, node);
}

static void copy_nodes(Run *run, const Run *old) {
        run->is_being_restored = true;
        for (uint32_t i = 0; i < old->n; i++) {
                RunNodeRow row = run_node_row(old, i);

                row.node = run_graph_find(run->graph, run_graph_name(old->graph, i));
                restore_node(run, &row);
                take_over(run, row.node, old, i);
        }
        run->is_being_restored = false;
        run_undo_restore(run);
        run_forget_doubts(run);
        run->fired = RUN_END_RUN_NO;
        /* A node that nobody needed may be needed by one that was added below it. */
        for (uint32_t i = 0; i < run->n; i++)
                if (run_graph_find(old->graph, run_graph_name(run->graph, i)) == RUN_NODE_NONE)
                        run_doubt_parents(run, i);
}

static bool has_all_nodes(const RunGraph *graph, const Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                if (run_graph_find(graph, run_graph_name(run->graph, i)) == RUN_NODE_NONE)
                        return false;
        return true;
}

static int refuse_growth(const Run *run, uint32_t node, const char *why, char **ret_problem) {
        int r = text_format(ret_problem, "Node %s of run %" PRIu32 " is %s: %s.", run_graph_name(run->graph, node),
                            run->row.id, run_node_state_to_string(run->nodes[node].state), why);

        return r < 0 ? r : -EINVAL;
}

/* A node that depends on a new one has to wait still; a node that a new one depends on has not ended. */
static int check_edge(const Run *run, uint32_t child, uint32_t parent, char **ret_problem) {
        if (child == RUN_NODE_NONE && parent != RUN_NODE_NONE && run_node_state_is_terminal(run->nodes[parent].state))
                return refuse_growth(run, parent, "what follows it is decided", ret_problem);
        if (child != RUN_NODE_NONE && parent == RUN_NODE_NONE && run->nodes[child].state != RUN_NODE_WAITING &&
            run->nodes[child].state != RUN_NODE_BLOCKED)
                return refuse_growth(run, child, "it can wait for no node that is added", ret_problem);
        return 0;
}

static int check_edges(const Run *run, const RunGraph *graph, char **ret_problem) {
        const uint32_t n = run_graph_count(graph);
        cleanup_free_ uint32_t *numbers = calloc(n, sizeof(*numbers));
        int r = numbers ? 0 : -ENOMEM;

        for (uint32_t i = 0; i < n && r == 0; i++)
                numbers[i] = run_graph_find(run->graph, run_graph_name(graph, i));
        for (uint32_t i = 0; i < n && r == 0; i++) {
                uint32_t n_parents;
                const uint32_t *parents = run_graph_parents(graph, i, &n_parents);

                for (uint32_t k = 0; k < n_parents && r == 0; k++)
                        r = check_edge(run, numbers[i], numbers[parents[k]], ret_problem);
        }
        return r;
}

int run_engine_grow(RunEngine *engine, uint32_t id, RunGraph *graph, char **ret_problem) {
        Run *old = run_find(engine, id), *run;
        uint32_t n_expansions;
        RunFlow *flow;
        RunRow row;
        int r;

        if (!old)
                return -ENOENT;
        /* Nodes would have the numbers of instances. */
        (void) run_graph_expansions(old->graph, &n_expansions);
        if (n_expansions > 0 || !run_is_judged(old) || !has_all_nodes(graph, old))
                return -EINVAL;
        /* Sub-runs have pointers to what the run holds. */
        if (old->n_below > 0)
                return -EBUSY;
        r = check_edges(old, graph, ret_problem);
        if (r < 0)
                return r;
        flow = old->flow;
        row = old->row;
        row.has_priority = true;
        /* For a moment there are both. */
        if (heap_reserve(&engine->timers, engine->runs.n + 1) < 0)
                return -ENOMEM;
        (void) id_map_remove(&engine->runs, id);
        r = run_instance_new(flow, graph, &row, true, &run);
        if (r < 0) {
                /* There was room for it before. */
                (void) id_map_put(&engine->runs, id, old);
                return r;
        }
        run->row = old->row;
        run->settings = old->settings;
        run->is_put = old->is_put;
        run->is_stored = old->is_stored;
        run->batch = old->batch;
        run_lock_restore(run);
        copy_nodes(run, old);
        run_instance_free(old);
        (void) id_map_put(&engine->runs, id, run);
        run_change(run);
        run_time(run);
        run_mark_all(run);
        run_settle(run);
        /* Nodes that were added need not wait for the person that the others wait for. */
        if (run_count_moving(run) > 0) {
                run_wake(run);
                run_settle(run);
        }
        run_admit(flow);
        return 0;
}

/* — another boot — */

/* Something that was not to be before @time at @then is not to be before that many µs from now. */
static usec_t rebase(usec_t time, usec_t then, usec_t now) {
        return time == 0 || time == USEC_INFINITY ? time : usec_add(now, time > then ? time - then : 0);
}

/* Something that was at @time, at or before @then, is as long ago from now. */
static usec_t move(usec_t time, usec_t then, usec_t now) {
        /* 0 would be no time. */
        return now >= then ? usec_add(time, now - then) : MAX(usec_sub(time, then - now), 1U);
}

static void restored(Run *run, usec_t then, bool is_other_boot) {
        const usec_t now = run->flow->engine->now;

        for (uint32_t i = 0; i < run->n; i++) {
                RunNode *node = &run->nodes[i];

                /* No row says since when it waits. One whose wait has a limit has a row from now on. */
                if (run_graph_policy(run->graph, i)->is_item && node->state == RUN_NODE_READY && !node->is_put) {
                        node->at = now;
                        if (!run_item_is_untouched(run, i))
                                run_change_node(run, i);
                        run_node_time(run, i);
                        run_node_restore(run, i);
                        continue;
                }
                if (!is_other_boot || run_node_state_is_terminal(node->state))
                        continue;
                if (node->state == RUN_NODE_DEFERRED)
                        node->at = rebase(node->at, then, now);
                else if (node->state == RUN_NODE_READY || (node->is_idle && !run_node_sleeps(run, i)) ||
                         run_node_has_sub_run(run, i))
                        node->at = move(node->at, then, now);
                else if (run_node_sleeps(run, i) && !run_graph_policy(run->graph, i)->sleeps_until)
                        node->at = rebase(node->at, then, now);
                if (node->first_at > 0)
                        node->first_at = move(node->first_at, then, now);
                run_change_node(run, i);
                run_node_time(run, i);
                run_node_restore(run, i);
        }
        if (is_other_boot && run->row.state == RUN_QUEUED) {
                run->row.queued_at = move(run->row.queued_at, then, now);
                run_change(run);
                run_time(run);
        }
        run_items_go_on(run);
        run_attempt_release(run);
        /* Some of its nodes may have been left to end with it. */
        run->has_rest = run->row.state == RUN_STOPPING;
        if (run->has_rest)
                run_node_skip_more(run);
        run_settle(run);
}

void run_engine_restored(RunEngine *engine, uint32_t accepted, uint32_t durable, usec_t then, usec_t now,
                         bool is_other_boot) {
        engine->now = MAX(engine->now, now);
        engine->accepted = accepted;
        engine->durable = durable;
        for (RunFlow *flow = engine->flows; flow; flow = flow->next) {
                for (Run *run = flow->first; run; run = run->next)
                        restored(run, then, is_other_boot);
                run_admit(flow);
        }
}
