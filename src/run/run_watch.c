/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The watchdog: whether something can move that does not
 *
 * All that the engine does next stands in counts, sets, timers and claims,
 * which follow from the states of nodes. An error in keeping them would leave a
 * run where it is for ever, and nobody would be told. So they are compared
 * with the states now and then, a slice in each turn, and what was overlooked
 * is done. Nodes that have ended cost a look at their state, the others one
 * at each of their parents.
 */

#include "run/run_private.h"

static const char *const oversights[_RUN_OVERSIGHT_MAX] = {
        [RUN_OVERSIGHT_PARENTS] = "its parents were not counted as they are",
        [RUN_OVERSIGHT_POLICY] = "the command that judges it was not asked",
        [RUN_OVERSIGHT_READY] = "it is READY, and nobody was to begin it",
        [RUN_OVERSIGHT_LOCK] = "it is READY, and did not wait for what it takes",
        [RUN_OVERSIGHT_TIME] = "no timer was set for what is to come",
        [RUN_OVERSIGHT_ATTEMPT] = "its attempt was not to be spawned",
        [RUN_OVERSIGHT_ITEMS] = "its instances were not counted as they are",
        [RUN_OVERSIGHT_RUN] = "its nodes say another state of it",
        [RUN_OVERSIGHT_STUCK] = "nothing of it can move, and nobody knows why",
};

DEFINE_STRING_TABLE_TO(run_oversight, RunOversight, oversights)

typedef struct Watch {
        RunOversightVisitor visit;
        void *userdata;
        uint32_t budget; /* looks that are left */
} Watch;

static void report(const Watch *watch, const Run *run, uint32_t node, RunOversight oversight) {
        watch->visit(watch->userdata, run->row.id, node, oversight);
}

static void spend(Watch *watch, uint32_t n) {
        watch->budget -= MIN(watch->budget, n);
}

/* — nodes — */

/* A node that is READY is to begin, or has no turn yet: false if nobody would begin it. */
static bool is_offered(const Run *run, uint32_t node) {
        const uint32_t urgency = run_graph_urgency(run->graph, node);

        if (!run_item_has_turn(run, node))
                return true;
        return run_set_has(run, RUN_SET_READY, urgency) && run->first_ready <= urgency;
}

static bool waits_for_lock(const Run *run, uint32_t node) {
        return !run_has_begun(run) || !run_item_has_turn(run, node) || run_claim_waits(run->claims[node]);
}

static void look_at_ready(Watch *watch, Run *run, uint32_t node) {
        const bool has_lock = run_lock_has(run, node);

        if (has_lock ? waits_for_lock(run, node) : is_offered(run, node))
                return;
        run_node_offer(run, node);
        report(watch, run, node, has_lock ? RUN_OVERSIGHT_LOCK : RUN_OVERSIGHT_READY);
}

static void look_at_waiting(Watch *watch, Run *run, uint32_t node) {
        uint32_t n;

        (void) run_graph_parents(run->graph, node, &n);
        spend(watch, n);
        if (!run_node_repair(run, node))
                return;
        report(watch, run, node,
               run_graph_policy(run->graph, node)->readiness == RUN_READY_BY_POLICY ? RUN_OVERSIGHT_POLICY
                                                                                   : RUN_OVERSIGHT_PARENTS);
}

static void look_at_running(Watch *watch, Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        if (entry->attempt != RUN_ATTEMPT_IS_HELD || entry->is_idle || run_set_has(run, RUN_SET_HELD, node))
                return;
        run_hold_attempt(run, node, true);
        report(watch, run, node, RUN_OVERSIGHT_ATTEMPT);
}

static void look_at_node(Watch *watch, Run *run, uint32_t node) {
        spend(watch, 1);
        switch ((RunNodeState) run->nodes[node].state) {
        case RUN_NODE_WAITING:
        case RUN_NODE_BLOCKED:
                look_at_waiting(watch, run, node);
                break;
        case RUN_NODE_READY:
                look_at_ready(watch, run, node);
                break;
        case RUN_NODE_RUNNING:
                look_at_running(watch, run, node);
                break;
        case RUN_NODE_DEFERRED:
        case RUN_NODE_PENDING:
                break;
        case RUN_NODE_SUCCEEDED:
        case RUN_NODE_FAILED:
        case RUN_NODE_TIMEOUT:
        case RUN_NODE_CANCELLED:
        case RUN_NODE_SKIPPED:
        case _RUN_NODE_STATE_MAX:
                return;
        }
        if (!run_node_lacks_timer(run, node))
                return;
        run_node_time(run, node);
        report(watch, run, node, RUN_OVERSIGHT_TIME);
}

/* — runs — */

static bool can_move(const Run *run) {
        return run->row.state != RUN_RUNNING || run_count_moving(run) > 0 || run->tally[RUN_NODE_PENDING] > 0;
}

static void look_at_run(Watch *watch, Run *run) {
        const RunState before = run->row.state;

        if (run_lacks_timer(run)) {
                /* In the heap it stands where its time says. */
                if (run->place == HEAP_NOWHERE)
                        run->due = USEC_INFINITY;
                run_time(run);
                report(watch, run, RUN_NODE_NONE, RUN_OVERSIGHT_TIME);
        }
        for (uint32_t i = 0; i < run->n_items; i++) {
                spend(watch, run_graph_count_items(run->graph, run->items[i].node));
                if (run_items_repair(run, &run->items[i]))
                        report(watch, run, run->items[i].node, RUN_OVERSIGHT_ITEMS);
        }
        run_settle(run);
        if (run->row.state != before)
                report(watch, run, RUN_NODE_NONE, RUN_OVERSIGHT_RUN);
        else if (!can_move(run))
                report(watch, run, RUN_NODE_NONE, RUN_OVERSIGHT_STUCK);
}

/* Whether all of it was looked at. */
static bool look(Watch *watch, Run *run) {
        while (run->watched < run->n && watch->budget > 0)
                look_at_node(watch, run, run->watched++);
        if (run->watched < run->n)
                return false;
        look_at_run(watch, run);
        run->watched = 0;
        run->watch = run->flow->engine->watch;
        return true;
}

void run_engine_watch_begin(RunEngine *engine) {
        engine->watch++;
}

bool run_engine_watch(RunEngine *engine, uint32_t budget, RunOversightVisitor visit, void *userdata) {
        Watch watch = { visit, userdata, budget };

        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next)
                        if (run->watch != engine->watch && !run_is_over(run) &&
                            (watch.budget == 0 || !look(&watch, run)))
                                return true;
        return false;
}
