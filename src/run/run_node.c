/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * States of nodes
 *
 * A change of a node changes counts of its children and marks them. Marks are
 * walked in the order of the graph, which only goes forward: each child is
 * judged once, when all that is above it has been.
 */

#include "run/run_private.h"
#include "run/run_ready.h"

static void count_parent(RunNode *child, RunParent parent, uint32_t by) {
        if (parent == RUN_PARENT_SUCCEEDED)
                child->succeeded += by;
        else if (parent == RUN_PARENT_FAILED)
                child->failed += by;
        else if (parent == RUN_PARENT_SKIPPED)
                child->skipped += by;
        else if (parent == RUN_PARENT_PENDING)
                child->pending += by;
}

/* The parents of @node may have changed. */
static void mark(Run *run, uint32_t node) {
        const uint32_t rank = run_graph_rank(run->graph, node);

        run->first_marked = MIN(run->first_marked, rank);
        run->end_marked = MAX(run->end_marked, rank + 1);
        run_set_put(run, RUN_SET_MARKED, rank, true);
}

/* @from, @reason: what it was. */
static void tell_children(Run *run, uint32_t node, RunNodeState from, RunReason reason) {
        const RunNode *entry = &run->nodes[node];
        const uint8_t *edges = run_graph_child_edges(run->graph, node);
        uint32_t n;
        const uint32_t *children = run_graph_children(run->graph, node, &n);

        if (run_node_state_is_terminal(entry->state) && run_graph_is_goal(run->graph, node))
                run->may_be_unneeded = true;
        for (uint32_t i = 0; i < n; i++) {
                const RunParent was = run_parent_of(from, reason, edges[i]);
                const RunParent is = run_parent_of(entry->state, entry->reason, edges[i]);

                if (edges[i] & RUN_EDGE_OTHERWISE)
                        mark(run, children[i]);
                if (was == is || !(edges[i] & RUN_EDGE_IS_JUDGED))
                        continue;
                count_parent(&run->nodes[children[i]], was, UINT32_MAX);
                count_parent(&run->nodes[children[i]], is, 1);
                mark(run, children[i]);
        }
}

/* — states — */

bool run_node_has_started(const RunNode *node, RunNodeState state) {
        switch (state) {
        case RUN_NODE_WAITING:
        case RUN_NODE_BLOCKED:
        case RUN_NODE_READY:
        case RUN_NODE_PENDING:
                /* An attempt may be behind it. */
                return node->number > 0;
        case RUN_NODE_RUNNING:
        case RUN_NODE_DEFERRED:
        case RUN_NODE_SUCCEEDED:
        case RUN_NODE_FAILED:
        case RUN_NODE_TIMEOUT:
        case RUN_NODE_CANCELLED:
        case RUN_NODE_SKIPPED:
        case _RUN_NODE_STATE_MAX:
                break;
        }
        return true;
}

bool run_node_is_skipped_as_unneeded(const RunNode *node) {
        return node->state == RUN_NODE_SKIPPED && node->reason == RUN_REASON_SHORT_CIRCUIT;
}

/* Whether @node is needed is to be looked at again. */
static void doubt(Run *run, uint32_t node) {
        const uint32_t rank = run_graph_rank(run->graph, node);

        run->end_doubted = MAX(run->end_doubted, rank + 1);
        run_set_put(run, RUN_SET_DOUBTED, rank, true);
}

/* The parents of @node may be unneeded, or needed again. */
static void doubt_parents(Run *run, uint32_t node, bool all) {
        const uint8_t *edges = run_graph_parent_edges(run->graph, node);
        uint32_t n;
        const uint32_t *parents = run_graph_parents(run->graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if ((all || edges[i] & (RUN_EDGE_OPTIONAL | RUN_EDGE_OTHERWISE)) &&
                    !run_node_state_is_terminal(run->nodes[parents[i]].state))
                        doubt(run, parents[i]);
}

void run_doubt_parents(Run *run, uint32_t node) {
        doubt_parents(run, node, true);
}

void run_end_question(Run *run, uint32_t node) {
        RunNode *entry = &run->nodes[node];

        run->n_asked -= entry->is_asked;
        entry->is_asked = entry->is_stale = false;
}

void run_want_policy(Run *run, uint32_t node, bool wants) {
        if (!wants)
                run_end_question(run, node);
        if (run_set_has(run, RUN_SET_TO_ASK, node) == wants)
                return;
        run_set_put(run, RUN_SET_TO_ASK, node, wants);
        run->n_to_ask += wants ? 1 : UINT32_MAX;
}

static void put_ready(Run *run, uint32_t node, bool is_ready) {
        const uint32_t urgency = run_graph_urgency(run->graph, node);

        if (run_node_needs_no_place(run, node))
                run->n_placeless += (uint32_t) is_ready - run_set_has(run, RUN_SET_READY, urgency);
        run_set_put(run, RUN_SET_READY, urgency, is_ready);
        run->first_ready = MIN(run->first_ready, urgency);
}

/* A success of @node that can be undone; one with Foreach= has ended, with as much of it as instances have done. */
static bool has_something_done(const Run *run, uint32_t node, RunNodeState state) {
        return run_graph_policy(run->graph, node)->is_foreach ? run_node_state_is_terminal(state)
                                                              : state == RUN_NODE_SUCCEEDED;
}

/* A node with Foreach= has done what its instances have. */
static bool has_work(const Run *run, uint32_t node) {
        const uint32_t n = run_graph_count_items(run->graph, node);

        for (uint32_t i = 0; i < n; i++)
                if (run->nodes[run_graph_find_item(run->graph, node, i)].state == RUN_NODE_SUCCEEDED)
                        return true;
        return !run_graph_policy(run->graph, node)->is_foreach;
}

bool run_node_has_work(const Run *run, uint32_t node) {
        return run_undo_of(run, node) != RUN_NODE_NONE &&
               has_something_done(run, node, run->nodes[node].state) && has_work(run, node);
}

/* Successes that can be undone are counted: see run_undo.c. What is to be done again is to be undone again. */
static void note_success(Run *run, uint32_t node, RunNodeState from) {
        const uint32_t undo = run_undo_of(run, node), partner = run_graph_partner(run->graph, node);
        const bool is_done = has_something_done(run, node, run->nodes[node].state),
                   was_done = has_something_done(run, node, from);

        if (run->is_being_restored || undo == RUN_NODE_NONE)
                return;
        if (is_done && !was_done && has_work(run, node))
                run->nodes[node].at = ++run->successes;
        else if (!is_done && was_done && partner != RUN_NODE_NONE && run->nodes[undo].state != RUN_NODE_WAITING) {
                run->nodes[undo].number = 0;
                run_node_become(run, undo, RUN_NODE_WAITING, RUN_REASON_NONE);
        }
}

void run_node_become(Run *run, uint32_t node, RunNodeState state, RunReason reason) {
        RunNode *entry = &run->nodes[node];
        const RunNodeState from = entry->state;
        const RunReason reason_before = entry->reason;
        const bool had_started = run_node_has_started(entry, from);
        const bool was_unneeded = entry->is_unneeded || run_node_is_skipped_as_unneeded(entry);
        const bool is_item = run_graph_policy(run->graph, node)->is_item;
        uint32_t *tally = run_node_is_extra(run, node) ? run->extra_tally : run->tally;

        tally[from]--;
        tally[state]++;
        if (run_node_is_wait(run, node) && tally == run->tally)
                run->n_waits += (uint32_t) (state == RUN_NODE_RUNNING) - (from == RUN_NODE_RUNNING);
        if (run_node_is_wait(run, node) && tally == run->tally &&
            run_graph_policy(run->graph, node)->action == RUN_ACTION_RUN)
                run->n_subs += (uint32_t) (state == RUN_NODE_RUNNING) - (from == RUN_NODE_RUNNING);
        entry->state = state;
        entry->reason = reason;
        entry->is_unneeded = false;
        if (is_item)
                run_item_take_turn(run, node, from, run_lock_keeps(run, node));
        if (!run_node_is_live(entry)) {
                run->n_idle -= entry->is_idle;
                run->n_split -= run_node_is_split(run, node);
                entry->is_idle = false;
                run_hold_attempt(run, node, false);
                entry->attempt = RUN_ATTEMPT_NONE;
                entry->outcome = RUN_OUTCOME_OPEN;
                if (state != RUN_NODE_DEFERRED)
                        entry->at = state == RUN_NODE_READY ? run->flow->engine->now : 0;
        }
        if (from == RUN_NODE_READY || state == RUN_NODE_READY)
                put_ready(run, node,
                          state == RUN_NODE_READY && !run_lock_has(run, node) && run_item_has_turn(run, node));
        run_set_put(run, RUN_SET_PENDING, node, state == RUN_NODE_PENDING);
        run->may_be_unneeded = run->may_be_unneeded || state == RUN_NODE_PENDING;
        if (state > RUN_NODE_BLOCKED)
                run_want_policy(run, node, false);
        note_success(run, node, from);
        run_change_node(run, node);
        run_node_time(run, node);
        tell_children(run, node, from, reason_before);
        /* @node has started, was decided without that, or is to start anew. */
        if (had_started != run_node_has_started(entry, state) || run_node_is_skipped_as_unneeded(entry) || was_unneeded)
                doubt_parents(run, node, run_node_is_skipped_as_unneeded(entry) || was_unneeded);
        if (had_started && !run_node_has_started(entry, state))
                doubt(run, node);
        if (state == RUN_NODE_SUCCEEDED && run->fired == RUN_END_RUN_NO)
                run->fired = run_graph_policy(run->graph, node)->end_run;
        if (!run_lock_node(run, node))
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
        else if (is_item)
                run_item_changed(run, node, from);
}

void run_node_offer(Run *run, uint32_t node) {
        if (!run_lock_has(run, node))
                put_ready(run, node, true);
        else if (!run_lock_node(run, node))
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
}

void run_node_idle(Run *run, uint32_t node, RunReason reason) {
        RunNode *entry = &run->nodes[node];

        run_hold_attempt(run, node, false);
        entry->attempt = RUN_ATTEMPT_NONE;
        run->n_idle += !entry->is_idle;
        run->n_split += !entry->is_idle && run_graph_policy(run->graph, node)->is_foreach;
        entry->is_idle = true;
        run_node_become(run, node, RUN_NODE_RUNNING, reason);
}

void run_node_fail(Run *run, uint32_t node, RunNodeState state, RunReason reason) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const bool stands_in = state == RUN_NODE_TIMEOUT ? policy->has_default_for_timeout : policy->has_default;

        if (policy->failure == RUN_POLICY_SUSPEND && !stands_in &&
            (run->row.state != RUN_STOPPING || run_node_is_extra(run, node))) {
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_FAILED);
                return;
        }
        run_node_become(run, node, state, reason);
        if (policy->failure == RUN_POLICY_END && !stands_in && run->fired == RUN_END_RUN_NO)
                run->fired = RUN_END_RUN_FAILURE;
}

void run_node_restore(Run *run, uint32_t node) {
        if (!run_lock_restore_node(run, node))
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
}

void run_node_begin_all(Run *run) {
        uint32_t n = run->tally[RUN_NODE_READY] + run->extra_tally[RUN_NODE_READY];

        for (uint32_t i = 0; i < run->n && n > 0; i++) {
                if (run->nodes[i].state != RUN_NODE_READY)
                        continue;
                n--;
                run->nodes[i].at = run->flow->engine->now;
                /* Of other nodes the time is of no account after a restart. */
                if (run_lock_has(run, i) || run_graph_policy(run->graph, i)->queue_timeout > 0)
                        run_change_node(run, i);
                run_node_time(run, i);
                if (!run_lock_node(run, i))
                        run_node_become(run, i, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
        }
}

/* — judging — */

static uint32_t count_unfinished(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        return run_graph_count_judged(run->graph, node) - entry->succeeded - entry->failed - entry->skipped -
               entry->pending;
}

static bool is_judged_by_command(const Run *run, uint32_t node) {
        return run_graph_policy(run->graph, node)->readiness == RUN_READY_BY_POLICY;
}

/* A command judges @node: it is asked whenever a parent has ended or become PENDING. */
static RunNodeEvent ask_later(Run *run, uint32_t node) {
        const uint32_t n = run_graph_count_judged(run->graph, node);
        RunNode *entry = &run->nodes[node];

        if (entry->is_asked)
                entry->is_stale = true;
        else if (n == 0 || count_unfinished(run, node) < n)
                run_want_policy(run, node, true);
        return RUN_NODE_EVENT_WAIT;
}

/* The list of @node, which has Foreach=, is not known yet; once the node has ended there is none. */
static bool is_unknown_list(const Run *run, uint32_t node) {
        return !run_node_state_is_terminal(run->nodes[node].state) && !run_node_is_split(run, node);
}

/*
 * Nobody knows how many parents a node with Foreach= is until its list is known (C12). It counts as more than it can
 * be: what is decided then is decided with fewer, too, and what waits then could not count on fewer. @node may have
 * thousands of instances as parents, and is asked at each end of one: so it is looked for among the children of the
 * few nodes that have such a list.
 */
static RunNodeEvent ask_lists(const Run *run, uint32_t node, RunCounts counts) {
        uint32_t lists[_RUN_PARENT_MAX] = {};

        for (uint32_t i = 0; i < run->n_items; i++) {
                const uint32_t list = run->items[i].node;
                const RunNode *parent = &run->nodes[list];
                uint8_t edge;

                if (is_unknown_list(run, list) && run_graph_find_edge(run->graph, list, node, &edge) &&
                    (edge & RUN_EDGE_IS_JUDGED))
                        lists[run_parent_of(parent->state, parent->reason, edge)]++;
        }
        for (unsigned kind = 0; kind < _RUN_PARENT_MAX; kind++)
                run_counts_add_lists(&counts, kind, lists[kind]);
        return run_ready(run_graph_policy(run->graph, node), &counts);
}

static RunNodeEvent ask_parents(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const RunNode *entry = &run->nodes[node];
        const RunCounts counts = { .n = {
                                           [RUN_PARENT_UNFINISHED] = count_unfinished(run, node),
                                           [RUN_PARENT_SUCCEEDED] = entry->succeeded,
                                           [RUN_PARENT_FAILED] = entry->failed,
                                           [RUN_PARENT_SKIPPED] = entry->skipped,
                                           [RUN_PARENT_PENDING] = entry->pending,
                                   } };

        /* The other rules do not depend on how many there are. */
        if (run->n_items > 0 &&
            (policy->readiness == RUN_READY_AT_LEAST || policy->readiness == RUN_READY_AT_LEAST_PERCENT))
                return ask_lists(run, node, counts);
        return run_ready(policy, &counts);
}

/* Whether a failure above @node is why it is skipped: its rule wants success, and one that counts has failed. */
static bool is_skipped_for_failure(const Run *run, uint32_t node) {
        switch (run_graph_policy(run->graph, node)->readiness) {
        case RUN_READY_ALL_SUCCEEDED:
        case RUN_READY_AT_LEAST:
        case RUN_READY_AT_LEAST_PERCENT:
        case RUN_READY_ANY:
        case RUN_READY_NAMED:
        case RUN_READY_NONE_FAILED:
        case RUN_READY_NONE_FAILED_MIN_ONE:
        case RUN_READY_BY_POLICY:
                return run->nodes[node].failed > 0;
        case RUN_READY_ALL_FINISHED:
        case RUN_READY_ONE_FAILED:
        case RUN_READY_ALL_FAILED:
        case RUN_READY_ALWAYS:
        case RUN_READY_NONE_SKIPPED:
        case RUN_READY_ONE_DONE:
        case RUN_READY_ALL_SKIPPED:
        case _RUN_READINESS_MAX:
                break;
        }
        return false;
}

bool run_node_lacks_condition(const Run *run, uint32_t node) {
        return run_graph_policy(run->graph, node)->has_condition && run->nodes[node].state == RUN_NODE_PENDING &&
               !run->nodes[node].has_passed;
}

/* The verdict of the siblings of a node with Otherwise=: RUN_NODE_EVENT_NEVER unless each was skipped by its When=. */
static RunNodeEvent ask_siblings(const Run *run, uint32_t node) {
        const uint8_t *edges = run_graph_parent_edges(run->graph, node);
        RunNodeEvent verdict = RUN_NODE_EVENT_FIT;
        uint32_t n;
        const uint32_t *parents = run_graph_parents(run->graph, node, &n);

        for (uint32_t i = 0; i < n; i++) {
                const RunNode *sibling = &run->nodes[parents[i]];

                if (!(edges[i] & RUN_EDGE_OTHERWISE))
                        continue;
                if (sibling->state == RUN_NODE_BLOCKED || run_node_lacks_condition(run, parents[i]))
                        verdict = verdict == RUN_NODE_EVENT_FIT ? RUN_NODE_EVENT_BLOCK : verdict;
                else if (sibling->state == RUN_NODE_WAITING)
                        verdict = RUN_NODE_EVENT_WAIT;
                else if (sibling->state != RUN_NODE_SKIPPED || sibling->reason != RUN_REASON_WHEN)
                        return RUN_NODE_EVENT_NEVER;
        }
        return verdict;
}

bool run_node_is_at_gate(const RunNode *node) {
        return node->state == RUN_NODE_PENDING && node->reason == RUN_REASON_GATE;
}

/* Nothing is before @node any more, but its gate. */
void run_reach_gate(Run *run, uint32_t node) {
        if (run_graph_policy(run->graph, node)->has_gate && !run->nodes[node].is_approved)
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_GATE);
        else
                run_node_become(run, node, RUN_NODE_READY, RUN_REASON_NONE);
}

/* The parents of @node allow it. */
static void become_ready(Run *run, uint32_t node) {
        const RunEngine *engine = run->flow->engine;

        if (!run_graph_policy(run->graph, node)->has_condition || run->nodes[node].has_passed) {
                run_reach_gate(run, node);
                return;
        }
        switch (engine->host->judge(engine->userdata, run->row.id, node)) {
        case RUN_CONDITION_TRUE:
                run->nodes[node].has_passed = true;
                run_reach_gate(run, node);
                break;
        case RUN_CONDITION_FALSE:
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_WHEN);
                break;
        case RUN_CONDITION_BROKEN:
                run_node_fail(run, node, RUN_NODE_FAILED, RUN_REASON_EXPRESSION);
        }
}

static void take_verdict(Run *run, uint32_t node, RunNodeEvent verdict) {
        const RunNodeState rest = verdict == RUN_NODE_EVENT_BLOCK ? RUN_NODE_BLOCKED : RUN_NODE_WAITING;

        if (verdict == RUN_NODE_EVENT_FIT)
                become_ready(run, node);
        else if (verdict == RUN_NODE_EVENT_NEVER)
                run_node_become(run, node, RUN_NODE_SKIPPED,
                                is_skipped_for_failure(run, node) ? RUN_REASON_UPSTREAM_FAILED : RUN_REASON_UPSTREAM);
        else if (run->nodes[node].state != rest)
                run_node_become(run, node, rest, RUN_REASON_NONE);
}

static void judge(Run *run, uint32_t node) {
        const RunNodeState state = run->nodes[node].state;
        RunNodeEvent verdict;

        if ((state != RUN_NODE_WAITING && state != RUN_NODE_BLOCKED) || run_node_is_extra(run, node) ||
            run_graph_policy(run->graph, node)->is_item)
                return;
        verdict = is_judged_by_command(run, node) ? ask_later(run, node) : ask_parents(run, node);
        if (run_graph_policy(run->graph, node)->is_otherwise && verdict != RUN_NODE_EVENT_NEVER) {
                const RunNodeEvent others = ask_siblings(run, node);

                if (others == RUN_NODE_EVENT_NEVER) {
                        run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_WHEN);
                        return;
                }
                verdict = verdict == RUN_NODE_EVENT_FIT ? others : verdict;
        }
        take_verdict(run, node, verdict);
}

/* @node waits, and its parents say that it does not. Whether a command that is asked knew all of them is not seen. */
static bool is_overlooked(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];
        RunNodeEvent verdict, others;

        if (is_judged_by_command(run, node))
                return entry->state == RUN_NODE_WAITING && count_unfinished(run, node) == 0 && entry->pending == 0 &&
                       !entry->is_asked && !run_set_has(run, RUN_SET_TO_ASK, node);
        verdict = ask_parents(run, node);
        if (run_graph_policy(run->graph, node)->is_otherwise && verdict != RUN_NODE_EVENT_NEVER) {
                others = ask_siblings(run, node);
                verdict = verdict == RUN_NODE_EVENT_FIT || others == RUN_NODE_EVENT_NEVER ? others : verdict;
        }
        return verdict != (entry->state == RUN_NODE_WAITING ? RUN_NODE_EVENT_WAIT : RUN_NODE_EVENT_BLOCK);
}

bool run_node_repair(Run *run, uint32_t node) {
        const uint8_t *edges = run_graph_parent_edges(run->graph, node);
        RunNode *entry = &run->nodes[node], counted = {};
        uint32_t n;
        const uint32_t *parents = run_graph_parents(run->graph, node, &n);
        bool is_right;

        if (!run_is_judged(run) || entry->is_unused || run_node_is_extra(run, node) || run_node_is_root(run, node) ||
            run_graph_policy(run->graph, node)->is_item)
                return false;
        for (uint32_t i = 0; i < n; i++)
                if (edges[i] & RUN_EDGE_IS_JUDGED)
                        count_parent(&counted,
                                     run_parent_of(run->nodes[parents[i]].state, run->nodes[parents[i]].reason,
                                                   edges[i]),
                                     1);
        is_right = counted.succeeded == entry->succeeded && counted.failed == entry->failed &&
                   counted.skipped == entry->skipped && counted.pending == entry->pending;
        entry->succeeded = counted.succeeded;
        entry->failed = counted.failed;
        entry->skipped = counted.skipped;
        entry->pending = counted.pending;
        if (is_right && !is_overlooked(run, node))
                return false;
        mark(run, node);
        return true;
}

void run_ask_policies(Run *run) {
        const RunEngine *engine = run->flow->engine;

        /* With the last root all that can be asked about is there. */
        if (run->n_to_ask == 0 || run->n_roots > 0 || run->row.state != RUN_RUNNING)
                return;
        for (uint32_t i = 0; run->n_asked < run->settings.max_parallel &&
                             (i = run_set_next(run, RUN_SET_TO_ASK, i, run->n)) < run->n;
             i++) {
                run_want_policy(run, i, false);
                run->nodes[i].is_asked = true;
                run->n_asked++;
                engine->host->ask(engine->userdata, run->row.id, i, run_node_generation(&run->nodes[i]));
        }
}

void run_take_answer(Run *run, uint32_t node, RunAnswer answer) {
        const bool is_last = count_unfinished(run, node) == 0 && run->nodes[node].pending == 0;

        switch (answer) {
        case RUN_ANSWER_READY:
                become_ready(run, node);
                break;
        case RUN_ANSWER_NEVER:
                take_verdict(run, node, RUN_NODE_EVENT_NEVER);
                break;
        case RUN_ANSWER_FAIL:
                run_node_fail(run, node, RUN_NODE_FAILED, RUN_REASON_POLICY);
                break;
        case RUN_ANSWER_WAIT:
                /* Nothing that it could wait for is to come. */
                if (!is_last)
                        break;
                __attribute__((fallthrough));
        case RUN_ANSWER_PENDING:
        case RUN_ANSWER_LOST:
        case _RUN_ANSWER_MAX:
                run_node_become(run, node, RUN_NODE_PENDING, RUN_REASON_POLICY);
        }
}

void run_judge(Run *run) {
        const uint32_t *order = run_graph_order(run->graph);

        /* Nodes that are marked on the way stand further on, and may move the end. */
        while ((run->first_marked = run_set_next(run, RUN_SET_MARKED, run->first_marked, run->end_marked)) <
               run->end_marked) {
                run_set_put(run, RUN_SET_MARKED, run->first_marked, false);
                if (run_is_judged(run))
                        judge(run, order[run->first_marked]);
        }
        run->first_marked = run->n;
        run->end_marked = 0;
}

void run_mark_all(Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                mark(run, i);
}

/* Before any parent has ended, @node waits for all of them. */
static bool waits_for_all(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);

        return (policy->readiness == RUN_READY_ALL_SUCCEEDED || policy->readiness == RUN_READY_ALL_FINISHED) &&
               !policy->is_otherwise && run_graph_count_judged(run->graph, node) > 0;
}

static bool takes_something(const Run *run) {
        uint32_t n, of_run;

        (void) run_graph_demands(run->graph, &n, &of_run);
        return n > 0;
}

/*
 * Nothing but its own place in the order and MaxParallel= decides when @node begins: a moment more is of no account. In
 * a run that takes locks or resources nodes are offered in two orders, and one that takes something must not lose its
 * turn to a root that is less urgent.
 */
static bool can_open_later(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);

        return !takes_something(run) && run_graph_count_judged(run->graph, node) == 0 &&
               policy->readiness != RUN_READY_BY_POLICY && !policy->is_otherwise && !policy->has_condition &&
               !policy->has_gate && !policy->is_item && (run->n_unused == 0 || !run->nodes[node].is_unused) &&
               !run_node_is_extra(run, node) && !run_node_needs_no_place(run, node);
}

static void put_root(Run *run, uint32_t node) {
        const uint32_t urgency = run_graph_urgency(run->graph, node);

        run_set_put(run, RUN_SET_ROOTS, urgency, true);
        run->first_root = run->n_roots++ == 0 ? urgency : MIN(run->first_root, urgency);
}

void run_mark_open(Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                if (can_open_later(run, i))
                        put_root(run, i);
                else if (!waits_for_all(run, i))
                        mark(run, i);
        run_mark_roots(run);
}

void run_find_roots(Run *run) {
        for (uint32_t i = 0; i < run->n && run_is_judged(run); i++)
                if (run->nodes[i].state == RUN_NODE_WAITING && can_open_later(run, i))
                        put_root(run, i);
}

void run_mark_roots(Run *run) {
        uint32_t *left = &run->flow->engine->n_slice;

        for (; run->n_roots > 0 && *left > 0; (*left)--, run->n_roots--) {
                run->first_root = run_set_next(run, RUN_SET_ROOTS, run->first_root, run->n);
                run_set_put(run, RUN_SET_ROOTS, run->first_root, false);
                mark(run, run_graph_by_urgency(run->graph)[run->first_root]);
        }
}

bool run_node_is_root(const Run *run, uint32_t node) {
        return run->n_roots > 0 && run_set_has(run, RUN_SET_ROOTS, run_graph_urgency(run->graph, node));
}

void run_mark_unanswered(Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                if (is_judged_by_command(run, i) && run->nodes[i].state == RUN_NODE_WAITING)
                        mark(run, i);
}

/* — attempts that go on — */

void run_node_tell_end(Run *run, uint32_t node, RunOutcome outcome) {
        const RunEngine *engine = run->flow->engine;
        const RunAttemptKey key = run_attempt_key(run, node);

        run->nodes[node].outcome = outcome & 7U;
        run_change_node(run, node);
        run_node_time(run, node);
        engine->host->end(engine->userdata, &key, outcome);
}

void run_node_go_on_with_sub(Run *run, uint32_t node) {
        run_node_become(run, node, RUN_NODE_RUNNING, RUN_REASON_SUB_RUN);
        /* The node may have become unneeded meanwhile. */
        if (!run_node_is_extra(run, node))
                doubt(run, node);
        run_wake(run);
}

/* The run of @node ends, and a person may never come. */
void run_node_end_sub(Run *run, uint32_t node) {
        const bool drains = run->row.result == RUN_TIMEOUT && run->settings.timeout_mode == RUN_TIMEOUT_DRAIN;

        if (run_node_waits_with_sub(&run->nodes[node]))
                run_node_go_on_with_sub(run, node);
        /* Otherwise whoever ends the run tells all that runs, or a stop passes down. */
        if (drains)
                run_node_tell_end(run, node, RUN_OUTCOME_DEADLINE);
        else if (run->row.result != RUN_TIMEOUT && run->row.result != RUN_CANCELLED)
                run_node_tell_end(run, node, RUN_OUTCOME_ENDED);
}

/* — many nodes — */

void run_node_end_idle(Run *run, uint32_t node) {
        if (run->row.result == RUN_TIMEOUT)
                run_node_become(run, node, RUN_NODE_TIMEOUT, RUN_REASON_DEADLINE);
        else
                run_node_become(run, node, RUN_NODE_CANCELLED, RUN_REASON_ENDED);
}

/* Nothing has happened to @node, and in a run that is STOPPING nothing does: when it ends is of no account. */
static bool can_end_later(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        if (entry->number > 0 || entry->timer > 0 || run_set_has(run, RUN_SET_DUE, node) || entry->is_asked ||
            run_set_has(run, RUN_SET_TO_ASK, node))
                return false;
        return entry->state == RUN_NODE_WAITING || entry->state == RUN_NODE_BLOCKED ||
               (entry->state == RUN_NODE_READY && !run_lock_has(run, node));
}

static void skip_with_run(Run *run, uint32_t node) {
        if (run_node_waits_with_sub(&run->nodes[node]))
                run_node_end_sub(run, node);
        else if (run->nodes[node].state < RUN_NODE_SUCCEEDED && run->nodes[node].state != RUN_NODE_RUNNING)
                run_node_become(run, node, RUN_NODE_SKIPPED, RUN_REASON_ENDED);
        else if (run->nodes[node].is_idle && !run_node_is_split(run, node))
                run_node_end_idle(run, node);
}

static bool ends_with_run(const Run *run, uint32_t node) {
        return !run_node_is_extra(run, node) && !run->nodes[node].is_unused;
}

void run_node_skip_all(Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                if (ends_with_run(run, i))
                        skip_with_run(run, i);
}

void run_node_skip_more(Run *run) {
        uint32_t *left = &run->flow->engine->n_slice;

        for (; run->rest < run->n; run->rest++) {
                if (!ends_with_run(run, run->rest) || !can_end_later(run, run->rest))
                        continue;
                if (*left == 0)
                        return;
                (*left)--;
                skip_with_run(run, run->rest);
        }
        run->has_rest = false;
}

void run_node_skip_rest(Run *run) {
        for (uint32_t i = 0; i < run->n; i++)
                if (ends_with_run(run, i) && !can_end_later(run, i))
                        skip_with_run(run, i);
        if (!run->has_rest)
                run->rest = 0;
        run->has_rest = true;
        run_node_skip_more(run);
}

void run_judge_again(Run *run, uint32_t node) {
        become_ready(run, node);
}

void run_node_reset(Run *run, uint32_t node) {
        RunNode *entry = &run->nodes[node];

        entry->earlier++;
        entry->number = 0;
        entry->is_wanted = entry->has_passed = entry->is_approved = false;
        entry->completion = RUN_COMPLETION_NONE;
        entry->failures = entry->agains = entry->losses = 0;
        entry->first_at = 0;
        run_node_become(run, node, RUN_NODE_WAITING, RUN_REASON_NONE);
        mark(run, node);
}

/* A node that runs otherwise is beside @node, not below it. */
void run_mark_children(Run *run, uint32_t node) {
        const uint8_t *edges = run_graph_child_edges(run->graph, node);
        uint32_t n;
        const uint32_t *children = run_graph_children(run->graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (!(edges[i] & RUN_EDGE_OTHERWISE))
                        mark(run, children[i]);
}

/* Marks @node and all below it: one walk forward. Whoever marks judges all nodes later, or clears the marks. */
static void mark_below(Run *run, uint32_t node) {
        const uint32_t *order = run_graph_order(run->graph);

        for (uint32_t at = run_graph_rank(run->graph, node); at < run->end_marked;
             at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked))
                run_mark_children(run, order[at]);
}

void run_reset_below(Run *run, uint32_t node, bool all) {
        const uint32_t *order = run_graph_order(run->graph);

        /* No mark is left of what came before. */
        run_judge(run);
        mark(run, node);
        mark_below(run, node);
        for (uint32_t at = run->first_marked; at < run->end_marked;
             at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked)) {
                const RunNodeState state = run->nodes[order[at]].state;

                if (!run_set_has(run, RUN_SET_MARKED, at) || order[at] == node)
                        continue;
                if (all ? run_node_state_is_terminal(state) : state == RUN_NODE_SKIPPED || state == RUN_NODE_CANCELLED)
                        run_node_reset(run, order[at]);
        }
}

/* Marks all nodes that @is_first says, and all below them. */
static void mark_all_below(Run *run, bool (*is_first)(const Run *run, uint32_t node)) {
        run_judge(run);
        for (uint32_t i = 0; i < run->n; i++)
                if (is_first(run, i))
                        mark(run, i);
        if (run->end_marked > 0)
                mark_below(run, run_graph_order(run->graph)[run->first_marked]);
}

void run_reset_all(Run *run, bool (*resets)(const Run *run, uint32_t node)) {
        const uint32_t *order = run_graph_order(run->graph);

        mark_all_below(run, resets);
        /* From below: a node that is reset marks what runs otherwise, which stands behind it and is not to be reset. */
        for (uint32_t at = run->end_marked; at-- > run->first_marked;)
                if (run_set_has(run, RUN_SET_MARKED, at) && run_node_state_is_terminal(run->nodes[order[at]].state))
                        run_node_reset(run, order[at]);
}

bool run_would_reset(Run *run, uint32_t node, bool (*resets)(const Run *run, uint32_t node)) {
        bool is_marked;

        assert(!run_is_judged(run));

        mark_all_below(run, resets);
        is_marked = run_set_has(run, RUN_SET_MARKED, run_graph_rank(run->graph, node));
        run_judge(run);
        return is_marked;
}

/* A walk with early end: most nodes have a goal near. */
static bool has_live_goal(Run *run, uint32_t node, bool *ret_has_goal) {
        const uint32_t *order = run_graph_order(run->graph);
        const uint32_t first = run_graph_rank(run->graph, node);
        bool has_live = false;

        *ret_has_goal = false;
        mark(run, node);
        for (uint32_t at = first; at < run->end_marked && !has_live;
             at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked)) {
                if (order[at] != node && run_graph_is_goal(run->graph, order[at])) {
                        *ret_has_goal = true;
                        has_live = !run_node_state_is_terminal(run->nodes[order[at]].state);
                }
                run_mark_children(run, order[at]);
        }
        for (uint32_t at = first; at < run->end_marked; at = run_set_next(run, RUN_SET_MARKED, at + 1, run->end_marked))
                run_set_put(run, RUN_SET_MARKED, at, false);
        run->first_marked = run->n;
        run->end_marked = 0;
        return has_live;
}

static void drop(Run *run, uint32_t node) {
        run->nodes[node].is_dropped = false;
        if (run_node_waits_with_sub(&run->nodes[node])) {
                run_node_go_on_with_sub(run, node);
                run_node_tell_end(run, node, RUN_OUTCOME_UNNEEDED);
        } else
                run_node_become(run, node, RUN_NODE_CANCELLED, RUN_REASON_UNNEEDED);
}

void run_drop_unneeded(Run *run) {
        while (run->may_be_unneeded && run_is_judged(run)) {
                run->may_be_unneeded = false;
                for (uint32_t i = 0; (i = run_set_next(run, RUN_SET_PENDING, i, run->n)) < run->n; i++) {
                        bool has_goal;

                        run->nodes[i].is_dropped = !run_graph_policy(run->graph, i)->is_goal &&
                                                   !has_live_goal(run, i, &has_goal) && has_goal;
                }
                /* A child is judged when all of its parents are what they become: their order does not count. */
                for (uint32_t i = 0; (i = run_set_next(run, RUN_SET_PENDING, i, run->n)) < run->n; i++)
                        if (run->nodes[i].is_dropped)
                                drop(run, i);
                run_judge(run);
        }
}
