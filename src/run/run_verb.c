/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Requests of people
 *
 * The tables of run_type.h say in which state of the run and of the node a
 * verb is taken; what they cannot say stands in can_take().
 */

#include <errno.h>

#include "run/run_private.h"

/* Verbs about a node have an event of the node, too. */
static const struct {
        RunEvent run;
        RunNodeEvent node; /* _RUN_NODE_EVENT_MAX: the verb is about the run */
} events[_RUN_VERB_MAX] = {
        [RUN_VERB_PAUSE] = { RUN_EVENT_PAUSE, _RUN_NODE_EVENT_MAX },
        [RUN_VERB_RESUME] = { RUN_EVENT_RESUME, _RUN_NODE_EVENT_MAX },
        [RUN_VERB_STOP] = { RUN_EVENT_STOP, _RUN_NODE_EVENT_MAX },
        [RUN_VERB_CANCEL] = { RUN_EVENT_CANCEL, _RUN_NODE_EVENT_MAX },
        [RUN_VERB_RETRY] = { RUN_EVENT_RETRY, RUN_NODE_EVENT_RESET },
        [RUN_VERB_RERUN] = { RUN_EVENT_RERUN, RUN_NODE_EVENT_RESET },
        [RUN_VERB_AS_SUCCESS] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_AS_SUCCESS },
        [RUN_VERB_AS_FAILED] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_AS_FAILED },
        [RUN_VERB_AS_RETRY] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_AS_RETRY },
        [RUN_VERB_AS_SKIP] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_SKIP },
        [RUN_VERB_SKIP] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_SKIP },
        [RUN_VERB_APPROVE] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_APPROVE },
        [RUN_VERB_REJECT] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_REJECT },
        [RUN_VERB_COMPENSATE] = { RUN_EVENT_COMPENSATE, _RUN_NODE_EVENT_MAX },
        [RUN_VERB_UNLOCK] = { RUN_EVENT_RESOLVE, RUN_NODE_EVENT_SKIP }, /* it is for what could be skipped */
};

static bool is_resolution(RunVerb verb) {
        return verb >= RUN_VERB_AS_SUCCESS && verb <= RUN_VERB_AS_SKIP;
}

/* Compensations and final commands have no parents: verbs take them only while they are PENDING. */
static bool can_take_extra(const Run *run, RunVerb verb, uint32_t node) {
        return run->nodes[node].state == RUN_NODE_PENDING && !run_node_waits_with_sub(&run->nodes[node]) &&
               (is_resolution(verb) || verb == RUN_VERB_RETRY || verb == RUN_VERB_SKIP);
}

/* An instance below a node that was undone is refused: its list is evaluated again, without this instance. */
static bool can_resolve_ended(Run *run, RunVerb verb, uint32_t node) {
        return verb == RUN_VERB_AS_SUCCESS &&
               run_node_state_after(run->nodes[node].state, RUN_NODE_EVENT_AS_SUCCESS) != 0 &&
               !(run_graph_policy(run->graph, node)->is_item && run_undo_would_reset(run, node));
}

static bool can_take(Run *run, RunVerb verb, uint32_t node) {
        const bool is_over = run_is_over(run);
        RunEvent event = events[verb].run;
        RunNodeState state;

        /* In a run that lives a retry is about the node alone. */
        if (verb == RUN_VERB_RETRY && !is_over)
                event = RUN_EVENT_RESOLVE;
        if (run_state_after(run->row.state, event) == 0)
                return false;
        /* Items that are over stay so. */
        if ((verb == RUN_VERB_RERUN || verb == RUN_VERB_SKIP) && run_is_batch(run))
                return false;
        if (verb == RUN_VERB_UNLOCK)
                return run_lock_can_give_up(run, node);
        if (verb == RUN_VERB_RESUME && run->row.state != RUN_PAUSED && run->row.state != RUN_PAUSING)
                return run->row.is_held || run->row.is_paused;
        if (verb == RUN_VERB_COMPENSATE)
                return run_undo_can_begin(run);
        if (events[verb].node == _RUN_NODE_EVENT_MAX)
                return true;
        if (run_node_is_extra(run, node))
                return can_take_extra(run, verb, node);
        if (run_is_ending(run))
                return false;
        state = run->nodes[node].state;
        if (verb == RUN_VERB_RERUN)
                return true;
        /* The decision is one about a node of the sub-run. */
        if (run_node_waits_with_sub(&run->nodes[node]))
                return false;
        /* A gate is opened by an approval alone: a retry would go around it. */
        if (verb == RUN_VERB_APPROVE || verb == RUN_VERB_REJECT)
                return !is_over && run_node_is_at_gate(&run->nodes[node]);
        if ((verb == RUN_VERB_RETRY || verb == RUN_VERB_AS_RETRY) && run_node_is_at_gate(&run->nodes[node]))
                return false;
        if (verb == RUN_VERB_RETRY)
                return (state == RUN_NODE_PENDING || run_node_state_is_terminal(state)) &&
                       (state != RUN_NODE_SUCCEEDED || (is_over && run_has_item_errors(run)));
        if (is_over)
                return can_resolve_ended(run, verb, node);
        if (is_resolution(verb))
                return state == RUN_NODE_PENDING;
        return run_node_state_after(state, events[verb].node) != 0;
}

void run_pause(Run *run, RunReason reason) {
        run->row.is_paused = true;
        run_become(run, RUN_PAUSING, reason);
}

void run_resume(Run *run) {
        run->row.is_paused = false;
        run->row.is_held = run->row.is_held_by_person = false;
        run_change(run);
        if (run->row.state == RUN_PAUSED || run->row.state == RUN_PAUSING)
                run_become(run, RUN_RUNNING, RUN_REASON_NONE);
        run_settle(run);
}

static void stop_run(Run *run, bool kills) {
        /* Also one that ends already, and waits for its unit. */
        run->row.is_held = run->row.is_held_by_person = false;
        run_change(run);
        run_stop(run, RUN_CANCELLED);
        if (kills)
                run_attempt_tell_all(run, RUN_OUTCOME_CANCELLED);
}

/* A person gives it all that it had in the beginning, but numbers. */
static void ready_again(Run *run, uint32_t node) {
        RunNode *entry = &run->nodes[node];

        entry->is_wanted = true;
        if (run_node_lacks_condition(run, node)) {
                run_judge_again(run, node);
                return;
        }
        entry->failures = entry->agains = entry->losses = 0;
        entry->first_at = 0;
        entry->completion = RUN_COMPLETION_NONE;
        run_reach_gate(run, node);
}

/* A new generation; but it may be there already, because what is above the node was undone. */
static void reset_wanted(Run *run, uint32_t node) {
        if (run->nodes[node].state != RUN_NODE_WAITING)
                run_node_reset(run, node);
        run->nodes[node].is_wanted = true;
}

static void retry(Run *run, uint32_t node) {
        if (run->nodes[node].state == RUN_NODE_PENDING) {
                ready_again(run, node);
                return;
        }
        if (run_graph_count_items(run->graph, node) > 0) {
                run_items_retry(run, node);
                return;
        }
        run_reset_below(run, node, false);
        reset_wanted(run, node);
}

static void resolve_ended(Run *run, uint32_t node) {
        run_reset_below(run, node, false);
        if (run_graph_count_items(run->graph, node) > 0) {
                /* The node counts as one that has succeeded, whatever its instances are. */
                if (run->nodes[node].state != RUN_NODE_WAITING)
                        run_node_reset(run, node);
                run_items_unfold(run);
        }
        run->nodes[node].earlier += run->nodes[node].state != RUN_NODE_WAITING;
        run->nodes[node].number = 0;
        run->nodes[node].completion = RUN_COMPLETION_NONE;
        run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_OPERATOR);
        if (run_graph_policy(run->graph, node)->is_item)
                run_items_open(run, node);
}

/* A failure that a person has decided ends its run like any other. */
static void fail_by_person(Run *run, uint32_t node, RunReason reason) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);

        run_node_become(run, node, RUN_NODE_FAILED, reason);
        if (policy->failure == RUN_POLICY_END && !policy->has_default)
                run->fired = RUN_END_RUN_FAILURE;
}

/* A gate without a command has succeeded when it is approved. */
static void approve(Run *run, uint32_t node) {
        run->nodes[node].is_approved = true;
        if (run_graph_payload(run->graph, node) == RUN_NODE_NONE &&
            !run_policy_sleeps(run_graph_policy(run->graph, node)))
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_NONE);
        else
                run_node_become(run, node, RUN_NODE_READY, RUN_REASON_NONE);
}

static void resolve(Run *run, RunVerb verb, uint32_t node) {
        if (verb == RUN_VERB_AS_SUCCESS)
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_OPERATOR);
        else if (verb == RUN_VERB_AS_FAILED)
                fail_by_person(run, node, RUN_REASON_OPERATOR);
        else if (verb == RUN_VERB_REJECT)
                fail_by_person(run, node, RUN_REASON_REJECTED);
        else if (verb == RUN_VERB_APPROVE)
                approve(run, node);
        else if (verb == RUN_VERB_AS_RETRY)
                ready_again(run, node);
        else
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_OPERATOR);
}

/* Another instance may move by it. */
static void give_turn_up(Run *run, uint32_t node) {
        run_item_take_turn(run, node, run->nodes[node].state, false);
        run_items_give_turns(run);
        if (run_count_moving(run) > 0 && !run_is_ending(run))
                run_wake(run);
}

/* All of its locks: a node that kept some while it waits for others could wait for a node that waits for it. */
static void unlock(Run *run, uint32_t node) {
        run->nodes[node].has_given_up = true;
        if (run_graph_policy(run->graph, node)->is_item)
                give_turn_up(run, node);
        run_change_node(run, node);
        run_node_offer(run, node);
}

static void take_node_verb(Run *run, RunVerb verb, uint32_t node) {
        const bool is_over = run_is_over(run);
        const bool has_undone = is_over && run_undo_reset(run);

        if (verb == RUN_VERB_RERUN) {
                run_reset_below(run, node, true);
                reset_wanted(run, node);
        } else if (verb == RUN_VERB_RETRY)
                retry(run, node);
        else if (is_over)
                resolve_ended(run, node);
        else
                resolve(run, verb, node);
        run_items_unfold(run);
        run_items_go_on(run);
        /* Marks of what was reset first are gone. */
        if (has_undone)
                run_mark_all(run);
        if (is_over)
                run_begin_again(run);
        else
                run_wake(run);
}

int run_engine_verb(RunEngine *engine, uint32_t id, RunVerb verb, uint32_t node) {
        Run *run = run_find(engine, id);

        if (!run || (events[verb].node != _RUN_NODE_EVENT_MAX && (node >= run->n || run->nodes[node].is_unused)))
                return -ENOENT;
        if (!can_take(run, verb, node))
                return -EINVAL;
        if (verb == RUN_VERB_PAUSE)
                run_pause(run, RUN_REASON_NONE);
        else if (verb == RUN_VERB_RESUME)
                run_resume(run);
        else if (verb == RUN_VERB_STOP || verb == RUN_VERB_CANCEL)
                stop_run(run, verb == RUN_VERB_CANCEL);
        else if (verb == RUN_VERB_COMPENSATE)
                run_undo_begin(run);
        else if (verb == RUN_VERB_UNLOCK)
                unlock(run, node);
        else
                take_node_verb(run, verb, node);
        run_settle(run);
        run_admit(run->flow);
        return 0;
}

const char *run_engine_held_lock(const RunEngine *engine, uint32_t id, uint32_t node, size_t at) {
        const Run *run = run_find(engine, id);

        return run && (node < run->n || node == RUN_NODE_NONE) ? run_lock_held(run, node, at) : NULL;
}

/* — completion — */

/* Somebody has got the token of the node, and nothing has ended it since. */
static bool can_complete(const Run *run, uint32_t node, uint32_t generation) {
        const RunNode *entry = &run->nodes[node];

        return run_node_generation(entry) == generation && entry->number > 0 &&
               run_graph_policy(run->graph, node)->has_callback &&
               run_state_after(run->row.state, RUN_EVENT_RESOLVE) != 0 &&
               run_node_state_after(entry->state, RUN_NODE_EVENT_COMPLETE) != 0;
}

static bool has_process(const RunNode *entry) {
        return entry->state == RUN_NODE_RUNNING && !entry->is_idle;
}

int run_engine_complete(RunEngine *engine, uint32_t id, uint32_t node, uint32_t generation, RunCompletion completion) {
        Run *run = run_find(engine, id);
        RunNode *entry;

        if (!run || node >= run->n)
                return -ENOENT;
        entry = &run->nodes[node];
        if (run_node_generation(entry) == generation && entry->completion != RUN_COMPLETION_NONE)
                return entry->completion == completion ? 0 : -EINVAL;
        if (!can_complete(run, node, generation) || completion == RUN_COMPLETION_NONE)
                return -EINVAL;
        entry->completion = completion & 3U;
        run_change_node(run, node);
        if (has_process(entry))
                return 0;
        if (completion == RUN_COMPLETION_SUCCESS)
                run_node_become(run, node, RUN_NODE_SUCCEEDED, RUN_REASON_NONE);
        else
                run_node_fail(run, node, RUN_NODE_FAILED, RUN_REASON_CALLBACK);
        run_wake(run);
        run_settle(run);
        run_admit(run->flow);
        return 0;
}
