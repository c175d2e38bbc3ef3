/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs from inside
 *
 * A run is two allocations: what it is, and its nodes, which are more when a
 * node with Foreach= begins. Nodes that are READY, that are to be looked at
 * again, or whose row has changed are bits in sets.
 */

#include <assert.h>

#include "basic/heap.h"
#include "basic/id_map.h"
#include "run/run_engine.h"
#include "run/run_pool.h"

#define RUN_LOSSES_MAX 3U /* lost so often, a node waits for a person */

/* 56 bytes: with its place in the timers and eight bits 61 of the 64 that a node may take. */
/* A node to which nothing has happened is all zero: no page of such nodes is written to. */
typedef struct RunNode {
        uint32_t succeeded, failed, skipped, pending; /* parents */
        usec_t at, first_at; /* as in RunNodeRow */
        uint32_t batch; /* the attempt was made in it */
        uint32_t timer; /* its place in the timers of the run, plus one; 0: none */
        uint32_t number;
        uint16_t earlier; /* generations before this one */
        uint16_t failures, agains;
        uint8_t state, reason;
        uint8_t attempt : 2, outcome : 3, losses : 2, is_put : 1; /* is_put: .batch is known */
        uint8_t is_asked : 1, is_stale : 1; /* the command that judges it; its parents have changed since */
        uint8_t is_wanted : 1, has_passed : 1; /* a person has asked for it; its condition was true */
        uint8_t is_approved : 1; /* its gate is open */
        uint8_t is_idle : 1; /* RUNNING without a process */
        uint8_t is_unused : 1; /* an instance that is not there: its node has fewer items */
        uint8_t has_turn : 1; /* of an instance: READY or RUNNING within ForeachParallel= */
        uint8_t completion : 2; /* RunCompletion */
        uint8_t is_dropped : 1; /* PENDING: it is about to be cancelled as unneeded */
        uint8_t is_unneeded : 1; /* PENDING, and not begun: it needs its parents no more */
        uint8_t has_given_up : 1; /* as in RunNodeRow */
} RunNode;

static inline uint32_t run_node_generation(const RunNode *entry) {
        return entry->earlier + 1U;
}

_Static_assert(sizeof(RunNode) <= 56, "a node of a live run takes 64 bytes with its sets");

/* Sets of nodes. */
typedef enum RunSet {
        RUN_SET_READY, /* by urgency, not by number */
        RUN_SET_ROOTS, /* by urgency: WAITING, though nothing is before it; it becomes READY in a later turn */
        RUN_SET_PENDING,
        RUN_SET_HELD, /* the host is still to be asked for the attempt */
        RUN_SET_CHANGED, /* the row is to be put */
        RUN_SET_DUE, /* its timer has run off */
        RUN_SET_MARKED, /* by rank, not by number: for the walk at hand */
        RUN_SET_DOUBTED, /* by rank: may be unneeded by now */
        RUN_SET_TO_ASK, /* the command that judges it is to be asked */
        _RUN_SET_MAX,
} RunSet;

/* A node with Foreach=. */
typedef struct RunItems {
        uint32_t node;
        uint32_t n_open; /* instances that have not ended */
        uint32_t n_turns; /* that have .has_turn */
        uint32_t n_waiting; /* that are READY, and have not */
        uint32_t next; /* no item before it is one of these */
} RunItems;

typedef struct Run {
        RunFlow *flow; /* borrowed */
        struct Run *next, *previous; /* of the flow, in the order of submission */
        RunGraph *graph; /* a reference */
        RunSettings settings;
        RunRow row;
        uint32_t n, n_extra; /* all nodes; those of its end */
        uint32_t tally[_RUN_NODE_STATE_MAX]; /* of the nodes without those of the end … */
        uint32_t extra_tally[_RUN_NODE_STATE_MAX]; /* … and of these */
        uint32_t n_held;
        uint32_t n_waits; /* nodes that are RUNNING without a process, but have an attempt, before the end … */
        uint32_t n_subs; /* … of these, those that are runs of other flows */
        uint32_t n_below; /* sub-runs that are there */
        struct Run *parent; /* borrowed: it is a sub-run of that, which stays as long; NULL: it is none */
        uint32_t n_placeless; /* of RUN_SET_READY: need no place */
        uint32_t n_idle; /* nodes that are RUNNING without a process … */
        uint32_t n_split; /* … of these, those whose instances are executed */
        uint32_t n_unused;
        uint32_t n_items; /* of .items */
        RunItems *items; /* owned: nodes with Foreach=, by number */
        uint32_t n_waiting_turns; /* the sum of .n_waiting of .items */
        bool may_complete; /* the last instance of a node has ended */
        uint32_t first_marked, end_marked; /* no rank outside is in RUN_SET_MARKED */
        uint32_t first_changed, end_changed;
        uint32_t first_ready;
        uint32_t first_root, n_roots; /* no urgency before it is in RUN_SET_ROOTS; nodes in that */
        uint32_t end_doubted; /* no rank from there on is in RUN_SET_DOUBTED */
        uint32_t n_to_ask, n_asked; /* nodes whose command is to be asked, and has not answered */
        bool has_changed; /* the row of the run, or of a node */
        bool is_put, is_stored; /* a batch has its first row; … that is durable */
        uint32_t batch; /* with its first row */
        RunEndRun fired; /* how a node ends the run in this event */
        bool may_be_unneeded; /* a goal has ended, or a node has become PENDING */
        uint32_t n_timers;
        uint32_t place; /* in the timers of the engine */
        usec_t due; /* of the first timer */
        uint32_t offer, offer_place; /* the node to begin next; in the offers of the engine */
        RunClaim *claim; /* owned; NULL: it takes nothing */
        RunClaim **claims; /* of the nodes, owned; NULL: none takes anything */
        RunGate gate, wait_gate; /* of the claims of its nodes; of those that need no process */
        usec_t successes; /* the number of the last one that could be undone */
        uint32_t *undo; /* owned: nodes to undo, in their order, once … */
        bool is_undo_listed; /* … they are listed */
        bool is_being_restored;
        bool has_rest; /* STOPPING: nodes that end with the run have not done so yet, none of them … */
        uint32_t rest; /* … before this one */
        uint32_t watch, watched; /* the last round of the watchdog; in this one all nodes before it */
        uint32_t n_undo, undo_at;
        uint32_t *timers; /* a heap of nodes */
        uint64_t *sets[_RUN_SET_MAX];
        RunNode *nodes; /* owned, with sets and timers */
} Run;

struct RunFlow {
        RunEngine *engine; /* borrowed */
        RunFlow *next, *previous;
        RunSettings settings;
        Run *first, *last;
        RunGate gate; /* of the claims of its runs */
        bool is_active;
};

struct RunEngine {
        const RunHost *host;
        void *userdata;
        RunFlow *flows;
        IdMap runs;
        Heap timers; /* of runs */
        Heap offers; /* of runs, while a turn ends */
        RunPool *pool; /* owned */
        uint64_t places;
        usec_t now;
        int64_t wall; /* the wall clock is so much ahead of .now */
        uint32_t accepted, durable;
        /* Nodes that end with their run in a turn, or become READY as it begins; those that are left in this one. */
        uint32_t slice, n_slice;
        RunStore store;
        uint32_t watch; /* rounds of the watchdog */
        bool is_restoring;
};

/* Numbers of batches may pass their largest value. */
static inline bool run_batch_is_before(uint32_t batch, uint32_t mark) {
        return (int32_t) (batch - mark) <= 0;
}

static inline bool run_is_over(const Run *run) {
        return run_state_is_terminal(run->row.state);
}

/* The run has a place of MaxRuns=. */
static inline bool run_is_busy(const Run *run) {
        return run->row.state >= RUN_RUNNING && !run_is_over(run);
}

static inline bool run_has_begun(const Run *run) {
        return run->row.state >= RUN_RUNNING;
}

/* Attempts that are not over, be they processes or jobs: what a pause waits for. It passes to runs of other flows. */
static inline uint32_t run_count_attempts(const Run *run) {
        return run->tally[RUN_NODE_RUNNING] - run->n_idle - run->n_subs;
}

/* As many attempts have processes as MaxParallel= allows. */
static inline bool run_is_full(const Run *run) {
        return run->tally[RUN_NODE_RUNNING] - run->n_idle - run->n_waits >= run->settings.max_parallel;
}

/* @node is RUNNING without a process, but has an attempt. One with Foreach= has none itself. */
static inline bool run_node_is_wait(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);

        return policy->action != RUN_ACTION_PROCESS && !policy->is_foreach;
}

/* Whether it is the run of a batch: its first node is a range. */
static inline bool run_is_batch(const Run *run) {
        return run_graph_policy(run->graph, 0)->action == RUN_ACTION_RANGE;
}

/* The node of a batch has ended with items that are errors. */
static inline bool run_has_item_errors(const Run *run) {
        return run_is_batch(run) && run->nodes[0].reason == RUN_REASON_ITEM_ERRORS;
}

/* PENDING with its sub-run, which waits for a person: its attempt goes on. */
static inline bool run_node_waits_with_sub(const RunNode *node) {
        return node->state == RUN_NODE_PENDING && node->reason == RUN_REASON_SUB_RUN;
}

/* The attempt is not over. */
static inline bool run_node_is_live(const RunNode *node) {
        return node->state == RUN_NODE_RUNNING || run_node_waits_with_sub(node);
}

/* The attempt of @node is a run of another flow, which goes on after the end of the boot. */
static inline bool run_node_has_sub_run(const Run *run, uint32_t node) {
        return run_node_is_wait(run, node) && run_graph_policy(run->graph, node)->action == RUN_ACTION_RUN &&
               run_node_is_live(&run->nodes[node]) && run->nodes[node].attempt == RUN_ATTEMPT_IS_STARTED;
}

/* Instances of @node are executed in its place. */
static inline bool run_node_is_split(const Run *run, uint32_t node) {
        return run->nodes[node].is_idle && run_graph_policy(run->graph, node)->is_foreach;
}

/* @node takes no place of MaxParallel=: it is no process, or its instances take them. */
static inline bool run_graph_needs_no_place(const RunGraph *graph, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(graph, node);

        return policy->action != RUN_ACTION_PROCESS || policy->is_foreach || run_policy_sleeps(policy) ||
               run_graph_payload(graph, node) == RUN_NODE_NONE;
}

static inline bool run_node_needs_no_place(const Run *run, uint32_t node) {
        return run_graph_needs_no_place(run->graph, node);
}

/* The run may begin once there is room. */
static inline bool run_can_wait(const Run *run) {
        return !run->row.is_held && !run->row.is_paused &&
               (run->row.state == RUN_CREATED || run->row.state == RUN_QUEUED);
}

/* The result is fixed, though a compensation may wait for a person. */
static inline bool run_is_ending(const Run *run) {
        return run->row.state == RUN_STOPPING || (run->row.state == RUN_SUSPENDED && run->row.result != RUN_CREATED);
}

/* Nodes of the run are judged by their parents. */
static inline bool run_is_judged(const Run *run) {
        return run->row.state <= RUN_SUSPENDED && !run_is_ending(run);
}

/* The run has begun, and has no result. */
static inline bool run_is_open(const Run *run) {
        return run->row.state >= RUN_RUNNING && run->row.state <= RUN_SUSPENDED && !run_is_ending(run);
}

/* A compensation, or the final node. */
static inline bool run_node_is_extra(const Run *run, uint32_t node) {
        return run->n_extra > 0 && run_graph_is_extra(run->graph, node);
}

/* The compensation of what @node does, of an instance that of its node; RUN_NODE_NONE: it has none, or is one. */
static inline uint32_t run_undo_of(const Run *run, uint32_t node) {
        uint32_t item;

        if (run->n_extra == 0 || run_node_is_extra(run, node))
                return RUN_NODE_NONE;
        return run_graph_partner(run->graph, run_graph_policy(run->graph, node)->is_item
                                                     ? run_graph_item_of(run->graph, node, &item)
                                                     : node);
}

/* — run_instance.c: memory, sets, timers — */

/* With the numbers of @row, and its priority, if it has one. */
int run_instance_new(RunFlow *flow, RunGraph *graph, const RunRow *row, bool is_restored, Run **ret_run);
void run_instance_free(Run *run);
/* The run has @graph from now on, which has its nodes and perhaps more. -ENOMEM: nothing has changed. */
int run_instance_grow(Run *run, RunGraph *graph);
bool run_set_has(const Run *run, RunSet set, uint32_t at);
void run_set_put(Run *run, RunSet set, uint32_t at, bool value);
/* The first one from @from on, before @end; @end: none. */
uint32_t run_set_next(const Run *run, RunSet set, uint32_t from, uint32_t end);
void run_change(Run *run); /* its row */
void run_change_node(Run *run, uint32_t node);
void run_node_time(Run *run, uint32_t node); /* after a change of what its timer hangs on */
/* Moves nodes whose time has come from the timers to RUN_SET_DUE. Returns whether there are some. */
bool run_take_due(Run *run);
usec_t run_sleep_end(const Run *run, uint32_t node); /* of a node that sleeps */
bool run_node_sleeps(const Run *run, uint32_t node);
void run_set_wall(Run *run, int64_t wall); /* all that sleeps until a time, when the clock is set */
usec_t run_again_bound(const Run *run, uint32_t node); /* until when a node may say "not yet"; USEC_INFINITY: always */
void run_time(Run *run); /* the same for the run */
/* A node or a run has a time limit, and no timer has it. */
bool run_node_lacks_timer(const Run *run, uint32_t node);
bool run_lacks_timer(const Run *run);
int run_compare_due(const void *a, const void *b);
uint32_t *run_heap_place(void *run);
RunAttemptKey run_attempt_key(const Run *run, uint32_t node);
uint8_t run_node_priority(const Run *run, uint32_t node);
void run_hold_attempt(Run *run, uint32_t node, bool is_held); /* until the host is asked to spawn it */
Run *run_find(const RunEngine *engine, uint32_t id);
void run_become(Run *run, RunState state, RunReason reason); /* the run itself */
void run_wake(Run *run); /* one that is SUSPENDED can move again */

/* — run_node.c: states of nodes — */

void run_node_become(Run *run, uint32_t node, RunNodeState state, RunReason reason);
bool run_node_has_work(const Run *run, uint32_t node); /* that can be undone */
/* RUNNING, without a process from now on. */
void run_node_idle(Run *run, uint32_t node, RunReason reason);
/* A failure without a further try: @node becomes @state, or what its policy says. */
void run_node_fail(Run *run, uint32_t node, RunNodeState state, RunReason reason);
/* A node that is READY is one of those that may begin, or waits for what it takes. */
void run_node_offer(Run *run, uint32_t node);
bool run_node_has_started(const RunNode *node, RunNodeState state); /* or was decided without that */
bool run_node_is_skipped_as_unneeded(const RunNode *node);
void run_doubt_parents(Run *run, uint32_t node); /* whether they are needed is to be looked at again */
/* Whether the command that judges @node is to be asked with the end of the turn. */
void run_want_policy(Run *run, uint32_t node, bool wants);
void run_end_question(Run *run, uint32_t node); /* it is answered, or its answer is of no account any more */
void run_ask_policies(Run *run);
void run_take_answer(Run *run, uint32_t node, RunAnswer answer);
void run_judge(Run *run); /* all that are marked */
void run_mark_all(Run *run); /* to be judged */
/*
 * The same, of a new run: those that may not have to wait for a parent. Those that surely become READY may do so in
 * later turns, by urgency: nothing that comes after them begins before.
 */
void run_mark_open(Run *run);
void run_mark_roots(Run *run); /* as many of these as the turn has room for */
void run_find_roots(Run *run); /* of a run that was restored: those that have not become READY yet */
bool run_node_is_root(const Run *run, uint32_t node); /* it is one of them */
void run_mark_children(Run *run, uint32_t node); /* the same, of its children */
/* Counts the parents of @node anew, and marks it if that, or what is counted, says another state. Returns whether. */
bool run_node_repair(Run *run, uint32_t node);
void run_mark_unanswered(Run *run); /* the same, of those that a command judges: a question is in no row */
void run_node_restore(Run *run, uint32_t node); /* what it held, and what it waits for */
void run_node_begin_all(Run *run); /* those that are READY wait from now on */
/* The run of @node ends, while the sub-run waits for a person, who may never come. */
void run_node_end_sub(Run *run, uint32_t node);
void run_node_tell_end(Run *run, uint32_t node, RunOutcome outcome); /* for which the host was asked to spawn */
/*
 * A node that is PENDING because its sub-run waits for a person keeps its attempt, its time and its locks: what is done
 * to the sub-run is what moves the node. Before something ends the attempt, the node is RUNNING again, by this.
 */
void run_node_go_on_with_sub(Run *run, uint32_t node);
void run_node_end_idle(Run *run, uint32_t node); /* its run ends, and there is nothing whose end could be waited for */
/*
 * All that do not run end with the run. Those to which nothing has happened may do so in later turns: until then the
 * run is STOPPING and has a rest, and nothing else happens to them.
 */
void run_node_skip_rest(Run *run);
void run_node_skip_all(Run *run); /* the same, without a rest */
void run_node_skip_more(Run *run); /* as many of the rest as this turn may have */
/* A person has to decide about @node, because its condition had no value. */
bool run_node_lacks_condition(const Run *run, uint32_t node);
bool run_node_is_at_gate(const RunNode *node);
void run_judge_again(Run *run, uint32_t node);
void run_reach_gate(Run *run, uint32_t node); /* READY, or PENDING before its gate */
void run_node_reset(Run *run, uint32_t node); /* a next generation */
/* Resets @node and, below it, all or what was skipped or cancelled. */
void run_reset_below(Run *run, uint32_t node, bool all);
/* Resets all nodes that @resets says, and all below them. */
void run_reset_all(Run *run, bool (*resets)(const Run *run, uint32_t node));
/* Whether that concerns @node, of a run that has ended. */
bool run_would_reset(Run *run, uint32_t node, bool (*resets)(const Run *run, uint32_t node));
void run_drop_unneeded(Run *run);

/* — run_turn.c: what is counted of instances of nodes with Foreach= — */

int run_items_init(Run *run); /* 0 or -ENOMEM */
RunItems *run_items_find(const Run *run, uint32_t node); /* NULL: it has no Foreach= */
/* An instance has a new state, and gets a turn by it, or gives it back. */
void run_item_take_turn(Run *run, uint32_t node, RunNodeState from, bool keeps_lock);
void run_item_changed(Run *run, uint32_t node, RunNodeState from); /* after that */
bool run_item_has_turn(const Run *run, uint32_t node); /* or needs none */
bool run_item_is_untouched(const Run *run, uint32_t node); /* an instance that has not begun: it has no row */

/* — run_item.c: instances of nodes with Foreach= — */

void run_items_begin(Run *run, uint32_t node); /* in place of an attempt */
bool run_items_repair(Run *run, RunItems *items); /* counts instances anew: whether that was wrong */
void run_items_complete(Run *run); /* nodes of which all instances have ended */
/* Instances that have waited for their turn may begin. */
void run_items_give_turns(Run *run);
/* The state of an instance is looked at again. */
void run_items_open(Run *run, uint32_t instance);
/* After a reset: nodes that begin anew have no instances, and … */
void run_items_unfold(Run *run);
/* … nodes of which instances begin anew go on with these. */
void run_items_go_on(Run *run);
/* Resets all instances of @node that have not succeeded. */
void run_items_retry(Run *run, uint32_t node);
void run_items_restore(Run *run, uint32_t node); /* it is RUNNING: what has no row is READY */
void run_items_restored(Run *run); /* all rows were given back */

/* — run_need.c: short circuit — */

void run_skip_unneeded(Run *run); /* all that are doubted */
void run_forget_doubts(Run *run); /* after rows were given back: what they do not say is found anew */

/* — run_attempt.c: attempts — */

RunReason run_attempt_reason(const Run *run, uint32_t node); /* with which @node is RUNNING */
void run_attempt_make(Run *run, uint32_t node);
void run_attempt_tell_all(Run *run, RunOutcome outcome);
void run_attempt_abandon_all(Run *run); /* at the deadline */
void run_attempt_end(Run *run, uint32_t node, RunEndKind kind, uint16_t end, usec_t again);
void run_attempt_release(Run *run); /* those that the store has */
void run_attempt_meet_bound(Run *run, uint32_t node); /* of its time, if it is over */

/* — run_dispatch.c: which attempts are made — */

/* Makes up to @budget attempts. Returns whether more can be made at once. */
bool run_dispatch(RunEngine *engine, uint32_t budget);
int run_compare_offers(const void *a, const void *b);
uint32_t *run_offer_place(void *run);

/* — run_lock.c: locks and resources — */

int run_lock_init(Run *run, bool is_restored); /* also if that fails it is to be undone */
void run_lock_deinit(Run *run);
int run_lock_grow(Run *run, const RunGraph *graph); /* for what @graph has more; -ENOMEM: nothing has changed */
bool run_lock_has(const Run *run, uint32_t node); /* the node takes something */
/* After a change of the state of a node, and after a restart: false if the node would wait for ever. */
bool run_lock_node(Run *run, uint32_t node);
bool run_lock_restore_node(Run *run, uint32_t node);
bool run_lock_keeps(const Run *run, uint32_t node); /* locks of an earlier attempt, by its state */
/* Locks that it keeps though nothing of it runs, for a person to have it give them up. */
bool run_lock_can_give_up(const Run *run, uint32_t node);
const char *run_lock_held(const Run *run, uint32_t node, size_t at); /* as run_engine_held_lock() */
void run_lock_end(Run *run); /* the run is terminal */
void run_lock_move(Run *run); /* … and is undone for the run above it, whose locks it has from now on */
bool run_lock_has_moved(const Run *run); /* that would change something */
void run_lock_leave(Run *run); /* nothing of it waits any more */
void run_lock_restore(Run *run);
void run_lock_ask(RunFlow *flow, bool has_place); /* runs that can wait do, others do not */
/* Why a node, or with RUN_NODE_NONE the run, cannot have what it waits for: false if that is not so. */
bool run_lock_why(const Run *run, uint32_t node, RunClaimWhy *ret_why);

/* — run_settle.c: states of runs — */

void run_stop(Run *run, RunState result);
void run_pause(Run *run, RunReason reason);
void run_resume(Run *run); /* it is held no more, either */
void run_fire(Run *run); /* ends it if FailurePolicy=end asks for that */
void run_settle(Run *run); /* after each event */
uint32_t run_count_moving(const Run *run); /* nodes that go on by themselves */
bool run_admit(RunFlow *flow); /* whether a run has begun */
void run_begin(Run *run);
bool run_has_place(const RunFlow *flow); /* of MaxRuns= */
void run_hold(Run *run, bool by_person);
void run_release_hold(Run *run);
void run_end_unbegun(Run *run, RunState state, RunReason reason);
void run_begin_again(Run *run); /* a next round */

/* — run_undo.c: compensations, and the final node — */

/* Nothing else of a STOPPING run is left: goes on with its end. Returns whether that is done, too. */
bool run_undo_step(Run *run);
/* The compensations that are left are skipped, also those that are PENDING. */
void run_undo_give_up(Run *run, bool with_final);
void run_undo_restore(Run *run); /* when all rows of a run were given back */
int run_undo_number(Run *run); /* after that: successes that have no number get one. 0 or -ENOMEM */
bool run_undo_can_begin(const Run *run); /* something of a run that has ended can be undone */
void run_undo_begin(Run *run);
/* Before a next round: what was undone has to be done again. Returns whether something was. */
bool run_undo_reset(Run *run);
bool run_undo_would_reset(Run *run, uint32_t node); /* @node is to be done again for that */

/* — run_batch.c: rows — */

RunNodeRow run_node_row(const Run *run, uint32_t node);
void run_persist(RunEngine *engine); /* all that has changed */
