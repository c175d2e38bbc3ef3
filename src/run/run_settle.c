/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * States of runs
 *
 * After each event a run is settled: what its nodes have become decides what
 * it becomes. The end of one makes room for another.
 */

#include "run/run_private.h"

static uint32_t count_terminal(const Run *run) {
        uint32_t n = 0;

        for (RunNodeState state = RUN_NODE_SUCCEEDED; state < _RUN_NODE_STATE_MAX; state++)
                n += run->tally[state];
        return n;
}

static bool is_tolerated(const RunPolicy *policy, const RunNode *node) {
        return policy->failure == RUN_POLICY_CONTINUE ||
               (node->state == RUN_NODE_TIMEOUT ? policy->has_default_for_timeout : policy->has_default);
}

/* A job or run that somebody else has cancelled is a failure; what the run itself has cancelled is none. */
static bool has_failed(const RunNode *node) {
        return node->state == RUN_NODE_FAILED || node->state == RUN_NODE_TIMEOUT ||
               (node->state == RUN_NODE_CANCELLED &&
                (node->reason == RUN_REASON_JOB || node->reason == RUN_REASON_SUB_RUN));
}

static RunState result_of(const Run *run) {
        bool is_partial = false;

        if (run->tally[RUN_NODE_FAILED] + run->tally[RUN_NODE_TIMEOUT] + run->tally[RUN_NODE_CANCELLED] == 0)
                return run_has_item_errors(run) ? RUN_PARTIAL : RUN_SUCCEEDED;
        for (uint32_t i = 0; i < run->n; i++) {
                const RunNode *node = &run->nodes[i];

                if (run_node_is_extra(run, i))
                        continue;
                if (has_failed(node)) {
                        if (!is_tolerated(run_graph_policy(run->graph, i), node))
                                return RUN_FAILED;
                        is_partial = true;
                } else if (node->state == RUN_NODE_CANCELLED)
                        is_partial = is_partial || node->reason == RUN_REASON_UNNEEDED;
        }
        return is_partial ? RUN_PARTIAL : RUN_SUCCEEDED;
}

void run_stop(Run *run, RunState result) {
        if (run->row.state == RUN_SUSPENDED && run_is_ending(run)) {
                run_undo_give_up(run, false);
                run_become(run, RUN_STOPPING, run->row.reason);
        } else if (run->row.state != RUN_STOPPING) {
                /* A run that has not begun in this round has no compensation and no final command. */
                if (!run_has_begun(run))
                        run_undo_give_up(run, true);
                run->row.result = result;
                run->row.is_paused = false;
                /* A run that ends by itself does not start a stopped unit: what is left of it waits for that. */
                if (result == RUN_CANCELLED || run->n_extra == 0)
                        run->row.is_held = run->row.is_held_by_person = false;
                run_become(run, RUN_STOPPING, RUN_REASON_NONE);
        }
        run_node_skip_rest(run);
}

static void settle_stopping(Run *run) {
        if (run->has_rest || run->tally[RUN_NODE_RUNNING] > 0 || !run_undo_step(run))
                return;
        run->row.is_held = run->row.is_held_by_person = false;
        run->fired = RUN_END_RUN_NO; /* whatever the end of a list would do to it */
        run_become(run, run->row.result, RUN_REASON_NONE);
}

uint32_t run_count_moving(const Run *run) {
        /*
         * A node that waits for its instances moves as they do, an instance without a turn as those that have one. What
         * becomes READY in a later turn moves.
         */
        return run->tally[RUN_NODE_READY] - run->n_waiting_turns + run->tally[RUN_NODE_RUNNING] - run->n_split +
               run->tally[RUN_NODE_DEFERRED] + run->n_to_ask + run->n_asked + run->n_roots;
}

static void settle_running(Run *run) {
        if (count_terminal(run) == run->n - run->n_extra - run->n_unused) {
                if (run->row.state != RUN_PAUSED)
                        run_stop(run, result_of(run));
        } else if (run->row.state == RUN_PAUSING && run_count_attempts(run) == 0)
                run_become(run, RUN_PAUSED, run->row.reason);
        else if (run->row.state == RUN_RUNNING && run_count_moving(run) == 0 && run->tally[RUN_NODE_PENDING] > 0)
                run_become(run, RUN_SUSPENDED, RUN_REASON_NONE);
}

void run_fire(Run *run) {
        const RunState result = run->fired == RUN_END_RUN_SUCCESS ? result_of(run) : RUN_FAILED;

        if (run->fired != RUN_END_RUN_NO && (run->row.state == RUN_CREATED || run->row.state == RUN_QUEUED))
                run_end_unbegun(run, result, RUN_REASON_NONE);
        else if (run->fired != RUN_END_RUN_NO && run_is_open(run)) {
                run_stop(run, result);
                if (run->settings.end_kills)
                        run_attempt_tell_all(run, RUN_OUTCOME_ENDED);
        }
        run->fired = RUN_END_RUN_NO;
}

void run_settle(Run *run) {
        /* A node is what its instances are before its children are judged. */
        run_items_complete(run);
        run_fire(run);
        do {
                /* A skipped node is told to its children, and each decision may leave other nodes unneeded. */
                do {
                        run_items_complete(run);
                        run_judge(run);
                        run_skip_unneeded(run);
                } while (run->first_marked < run->end_marked);
                run_drop_unneeded(run);
                run_items_complete(run);
                run_items_give_turns(run);
        } while (run->first_marked < run->end_marked || run->end_doubted > 0);
        /* A condition without a value ends the run when all else that follows from the event is decided. */
        run_fire(run);
        run_items_complete(run);
        if (run_is_open(run))
                settle_running(run);
        if (run->row.state == RUN_STOPPING)
                settle_stopping(run);
}

/* — before and after a run runs — */

void run_end_unbegun(Run *run, RunState state, RunReason reason) {
        run->row.is_held = run->row.is_held_by_person = false;
        run_undo_give_up(run, true);
        run_node_skip_all(run);
        run_items_complete(run);
        run->fired = RUN_END_RUN_NO;
        run_become(run, state, reason);
}

void run_begin(Run *run) {
        run->row.deadline = usec_add(run->flow->engine->now, run->settings.timeout);
        run_become(run, RUN_RUNNING, RUN_REASON_NONE);
        run_node_begin_all(run);
        run_settle(run);
}

/* One that takes something begins when it can have that: see run_dispatch.c. */
static Run *first_waiting(const RunFlow *flow) {
        Run *first = NULL;

        for (Run *run = flow->first; run; run = run->next)
                if (run_can_wait(run) && !run->claim && (!first || run->row.place < first->row.place))
                        first = run;
        return first;
}

static uint32_t count_busy(const RunFlow *flow) {
        uint32_t n = 0;

        for (const Run *run = flow->first; run; run = run->next)
                n += run_is_busy(run);
        return n;
}

bool run_has_place(const RunFlow *flow) {
        return count_busy(flow) < flow->settings.max_runs;
}

bool run_admit(RunFlow *flow) {
        bool has_begun = false;
        Run *run;

        /* A run may end as soon as it begins. */
        while (flow->is_active && (run = first_waiting(flow)) && run_has_place(flow)) {
                run_begin(run);
                has_begun = true;
        }
        run_lock_ask(flow, run_has_place(flow));
        if (!flow->is_active)
                return has_begun;
        for (run = flow->first; run; run = run->next)
                if (run->row.state == RUN_CREATED && run_can_wait(run)) {
                        run->row.queued_at = flow->engine->now;
                        run_become(run, RUN_QUEUED, RUN_REASON_NONE);
                }
        return has_begun;
}

void run_begin_again(Run *run) {
        /* As a new run, it wants its unit when the store has this. */
        run->is_put = run->is_stored = false;
        run->row.round++;
        run->row.result = RUN_CREATED;
        run->row.place = ++run->flow->engine->places;
        run->row.deadline = USEC_INFINITY;
        run_become(run, RUN_CREATED, RUN_REASON_NONE);
}

/* — a stop of the unit — */

void run_hold(Run *run, bool by_person) {
        if (run_is_over(run) || (run->row.state == RUN_STOPPING && run->n_extra == 0))
                return;
        run->row.is_held = true;
        run->row.is_held_by_person = run->row.is_held_by_person || by_person;
        run_change(run);
        if (run->row.state == RUN_RUNNING || run->row.state == RUN_AWAITING)
                run_become(run, RUN_PAUSING, RUN_REASON_UNIT);
        run_settle(run);
}

void run_release_hold(Run *run) {
        if (!run->row.is_held)
                return;
        run->row.is_held = run->row.is_held_by_person = false;
        run_change(run);
        if (run->row.is_paused)
                run_become(run, run->row.state, RUN_REASON_NONE);
        else if (run->row.state == RUN_PAUSED || run->row.state == RUN_PAUSING)
                run_become(run, RUN_RUNNING, RUN_REASON_NONE);
        run_settle(run);
}
