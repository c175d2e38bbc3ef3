/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The choice and the order of attempts
 *
 * Over all runs: effective priority, the longest way to an end, the order of
 * the definition, the id of the run. Nodes of one run that take nothing stand
 * in this order once and for all; age decides between runs, and between those
 * that wait for locks and resources. Each run offers its first node, the pool
 * the first claim that can be served, and the best one is taken.
 */

#include "run/run_private.h"

static bool may_begin(const Run *run) {
        /* In STOPPING compensations and the final node alone are READY. */
        const bool has_some = run->row.state == RUN_RUNNING ||
                              (run->row.state == RUN_STOPPING && run->extra_tally[RUN_NODE_READY] > 0 &&
                               !run->row.is_held);

        return has_some && run->flow->is_active && run->flow->engine->store == RUN_STORE_OPEN;
}

/* Nodes from there on, by urgency, come after one that becomes READY in a later turn. */
static uint32_t find_end(Run *run) {
        if (run->n_roots == 0)
                return run->n;
        return run->first_root = run_set_next(run, RUN_SET_ROOTS, run->first_root, run->n);
}

/* The first node that may begin, by urgency; run->n: none. */
static uint32_t find_ready(Run *run) {
        const uint32_t end = find_end(run);
        uint32_t at = run->first_ready = run_set_next(run, RUN_SET_READY, run->first_ready, run->n);

        while (run_is_full(run) && run->n_placeless > 0 && at < end &&
               !run_node_needs_no_place(run, run_graph_by_urgency(run->graph)[at]))
                at = run_set_next(run, RUN_SET_READY, at + 1, run->n);
        return at < end && (!run_is_full(run) || run->n_placeless > 0) ? at : run->n;
}

static uint8_t priority_of(const Run *run, uint32_t node) {
        const RunEngine *engine = run->flow->engine;

        return run_pool_priority(engine->pool, run_node_priority(run, node), run->nodes[node].at,
                                 engine->now);
}

static int compare(uint64_t a, uint64_t b) {
        return (a > b) - (a < b);
}

static int compare_nodes(const Run *a, uint32_t left, const Run *b, uint32_t right) {
        int order = compare(priority_of(b, right), priority_of(a, left));

        if (order == 0)
                order = compare(run_graph_way(b->graph, right), run_graph_way(a->graph, left));
        /* Instances stand with their node, though their numbers come behind all others. */
        if (order == 0)
                order = compare(run_graph_origin(a->graph, left), run_graph_origin(b->graph, right));
        if (order == 0)
                order = compare(left, right);
        return order != 0 ? order : compare(a->row.id, b->row.id);
}

int run_compare_offers(const void *a, const void *b) {
        const Run *left = a, *right = b;

        return compare_nodes(left, left->offer, right, right->offer);
}

uint32_t *run_offer_place(void *run) {
        return &((Run *) run)->offer_place;
}

/* The run offers its first node; or none, if it may not begin one. */
static void offer(Run *run) {
        Heap *offers = &run->flow->engine->offers;
        const bool can = may_begin(run);
        uint32_t first;

        if (run->claims) {
                run_gate_set(run->flow->engine->pool, &run->gate, !can || run_is_full(run));
                run_gate_set(run->flow->engine->pool, &run->wait_gate, !can);
        }
        first = can ? find_ready(run) : run->n;
        if (first == run->n) {
                heap_remove(offers, run);
                return;
        }
        run->offer = run_graph_by_urgency(run->graph)[first];
        if (run->offer_place != HEAP_NOWHERE)
                heap_moved(offers, run);
        else
                /* run_instance_new() has made room for each run. */
                (void) heap_push(offers, run);
}

static void dispatch(Run *run, uint32_t node) {
        run_attempt_make(run, node);
        /* A checkpoint ends at once, and what is below it may be READY. */
        run_settle(run);
        offer(run);
}

static void admit(RunClaim *claim) {
        Run *run = run_claim_userdata(claim);

        run_claim_take(claim);
        run_begin(run);
        offer(run);
        run_lock_ask(run->flow, run_has_place(run->flow));
}

/* One step: false if there is nothing more to do. */
static bool step(RunEngine *engine, uint32_t *budget) {
        RunClaim *claim = run_pool_next(engine->pool, engine->now);
        Run *run = heap_peek(&engine->offers), *claimant = claim ? run_claim_userdata(claim) : NULL;
        uint32_t node;

        if (claim && run_claim_key(claim).node == RUN_CLAIM_OF_RUN) {
                admit(claim);
                return true;
        }
        if (*budget == 0 || (!claim && !run))
                return false;
        (*budget)--;
        node = claim ? run_claim_key(claim).node : RUN_NODE_NONE;
        if (!claim || (run && compare_nodes(run, run->offer, claimant, node) < 0)) {
                dispatch(run, run->offer);
                return true;
        }
        run_claim_take(claim);
        dispatch(claimant, node);
        return true;
}

static void ask_policies(RunEngine *engine) {
        for (RunFlow *flow = engine->flows; flow && engine->store == RUN_STORE_OPEN; flow = flow->next)
                for (Run *run = flow->first; run && flow->is_active; run = run->next)
                        run_ask_policies(run);
}

bool run_dispatch(RunEngine *engine, uint32_t budget) {
        bool is_left;
        Run *run;

        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (run = flow->first; run; run = run->next)
                        offer(run);
        while (step(engine, &budget))
                ;
        is_left = heap_peek(&engine->offers);
        while ((run = heap_peek(&engine->offers)))
                heap_remove(&engine->offers, run);
        for (RunFlow *flow = engine->flows; flow; flow = flow->next) {
                /* Runs and nodes that have ended in this turn have made room for it. */
                is_left = run_admit(flow) || is_left;
        }
        is_left = is_left || run_pool_next(engine->pool, engine->now);
        /* A command that judges a node knows of nodes above that end at once. */
        if (!is_left)
                ask_policies(engine);
        return is_left;
}
