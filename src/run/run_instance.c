/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A run in memory
 *
 * Timers are a heap of node numbers in the run, and a heap of runs in the
 * engine: a node of which nothing is due costs nothing but its place.
 */

#include <errno.h>
#include <string.h>

#include "run/run_private.h"

#define BITS 64U

static size_t words(uint32_t n) {
        return ((size_t) n + BITS - 1) / BITS;
}

size_t run_engine_bytes(uint32_t n_nodes) {
        return sizeof(Run) + (size_t) n_nodes * (sizeof(RunNode) + sizeof(uint32_t)) +
               _RUN_SET_MAX * words(n_nodes) * sizeof(uint64_t) + sizeof(uint64_t);
}

/* Sets and timers stand behind the nodes. */
int run_instance_new(RunFlow *flow, RunGraph *graph, const RunRow *row, bool is_restored, Run **ret_run) {
        const uint32_t n = run_graph_count(graph), n_extra = run_graph_count_extra(graph);
        uint64_t *sets;
        Run *run;
        int r;

        r = id_map_reserve(&flow->engine->runs, 1);
        if (r == 0)
                r = heap_reserve(&flow->engine->timers, flow->engine->runs.n + 1);
        if (r == 0)
                r = heap_reserve(&flow->engine->offers, flow->engine->runs.n + 1);
        if (r < 0)
                return r;
        run = calloc(1, run_engine_bytes(n));
        if (!run)
                return -ENOMEM;
        sets = (uint64_t *) (run->nodes + n);
        for (unsigned i = 0; i < _RUN_SET_MAX; i++)
                run->sets[i] = sets + i * words(n);
        run->timers = (uint32_t *) (sets + _RUN_SET_MAX * words(n));
        run->flow = flow;
        run->graph = run_graph_ref(graph);
        run->settings = flow->settings;
        run->n_extra = n_extra;
        run->n = run->first_marked = run->first_changed = run->first_ready = n;
        run->row = *row;
        if (row->has_priority)
                run->settings.priority = row->priority;
        run->row.priority = run->settings.priority;
        run->tally[RUN_NODE_WAITING] = n - n_extra;
        run->extra_tally[RUN_NODE_WAITING] = n_extra;
        run->place = run->offer_place = HEAP_NOWHERE;
        run->due = USEC_INFINITY;
        for (uint32_t i = 0; i < n; i++) {
                run->nodes[i].place = HEAP_NOWHERE;
                run->nodes[i].generation = 1;
                run->has_sleepers = run->has_sleepers || run_policy_sleeps(run_graph_policy(graph, i));
        }
        r = run_lock_init(run, is_restored);
        if (r == 0 && n_extra > 0 && !(run->undo = calloc(n_extra, sizeof(*run->undo))))
                r = -ENOMEM;
        if (r < 0) {
                run_lock_deinit(run);
                run_graph_unref(run->graph);
                free(run);
                return r;
        }
        (void) id_map_put(&flow->engine->runs, row->id, run);
        run->previous = flow->last;
        if (flow->last)
                flow->last->next = run;
        else
                flow->first = run;
        flow->last = run;
        *ret_run = run;
        return 0;
}

void run_instance_free(Run *run) {
        RunFlow *flow = run->flow;

        if (run->previous)
                run->previous->next = run->next;
        else
                flow->first = run->next;
        if (run->next)
                run->next->previous = run->previous;
        else
                flow->last = run->previous;
        heap_remove(&flow->engine->timers, run);
        run_lock_deinit(run);
        (void) id_map_remove(&flow->engine->runs, run->row.id);
        run_graph_unref(run->graph);
        free(run->undo);
        free(run);
}

Run *run_find(const RunEngine *engine, uint32_t id) {
        return id == 0 ? NULL : id_map_get(&engine->runs, id);
}

RunAttemptKey run_attempt_key(const Run *run, uint32_t node) {
        return (RunAttemptKey) { run->row.id, node, run->nodes[node].generation, run->nodes[node].number };
}

/* — sets — */

bool run_set_has(const Run *run, RunSet set, uint32_t at) {
        return run->sets[set][at / BITS] >> at % BITS & 1;
}

void run_set_put(Run *run, RunSet set, uint32_t at, bool value) {
        const uint64_t bit = UINT64_C(1) << at % BITS;
        uint64_t *word = &run->sets[set][at / BITS];

        *word = value ? *word | bit : *word & ~bit;
}

uint32_t run_set_next(const Run *run, RunSet set, uint32_t from, uint32_t end) {
        while (from < end) {
                const uint64_t rest = run->sets[set][from / BITS] >> from % BITS;

                if (rest != 0)
                        return MIN(from + (uint32_t) __builtin_ctzll(rest), end);
                from += BITS - from % BITS;
        }
        return end;
}

void run_hold_attempt(Run *run, uint32_t node, bool is_held) {
        if (run_set_has(run, RUN_SET_HELD, node) == is_held)
                return;
        run_set_put(run, RUN_SET_HELD, node, is_held);
        run->n_held += is_held ? 1 : UINT32_MAX;
}

void run_change(Run *run) {
        run->has_changed = true;
}

void run_change_node(Run *run, uint32_t node) {
        run->has_changed = true;
        run->first_changed = MIN(run->first_changed, node);
        run->end_changed = MAX(run->end_changed, node + 1);
        run_set_put(run, RUN_SET_CHANGED, node, true);
}

/* — timers — */

int run_compare_due(const void *a, const void *b) {
        const Run *left = a, *right = b;

        return (left->due > right->due) - (left->due < right->due);
}

uint32_t *run_heap_place(void *run) {
        return &((Run *) run)->place;
}

static usec_t total_bound(const RunPolicy *policy, const RunNode *node) {
        return node->first_at == 0 ? USEC_INFINITY : usec_add(node->first_at, policy->total_timeout);
}

usec_t run_again_bound(const Run *run, uint32_t node) {
        const usec_t window = run_graph_policy(run->graph, node)->again_window;
        const usec_t first = run->nodes[node].first_at;

        return window == 0 || first == 0 ? USEC_INFINITY : usec_add(first, window);
}

bool run_node_sleeps(const Run *run, uint32_t node) {
        return run->nodes[node].is_idle && run_policy_sleeps(run_graph_policy(run->graph, node));
}

/* A time of the wall clock by the clock of the engine. */
static usec_t from_wall(const RunEngine *engine, usec_t time) {
        if (engine->wall < 0)
                return usec_add(time, (usec_t) -engine->wall);
        return usec_sub(time, (usec_t) engine->wall);
}

usec_t run_sleep_end(const Run *run, uint32_t node) {
        const usec_t at = run->nodes[node].at;

        return run_graph_policy(run->graph, node)->sleeps_until ? from_wall(run->flow->engine, at) : at;
}

static usec_t due_of(const Run *run, uint32_t node) {
        const RunPolicy *policy = run_graph_policy(run->graph, node);
        const RunNode *entry = &run->nodes[node];
        usec_t due = total_bound(policy, entry);

        if (entry->state == RUN_NODE_DEFERRED)
                return MIN(MIN(due, entry->at),
                           entry->reason == RUN_REASON_AGAIN ? run_again_bound(run, node) : USEC_INFINITY);
        if (run_node_sleeps(run, node))
                return run_sleep_end(run, node);
        if (entry->state == RUN_NODE_READY && policy->queue_timeout > 0 && run_has_begun(run))
                return usec_add(entry->at, policy->queue_timeout);
        if (entry->state != RUN_NODE_RUNNING || entry->outcome != RUN_OUTCOME_OPEN)
                return USEC_INFINITY;
        /* The time of an attempt goes on while its node waits to be completed. */
        if (entry->attempt == RUN_ATTEMPT_IS_STARTED || entry->is_idle)
                due = MIN(due, usec_add(entry->at, policy->timeout));
        return due;
}

static void place_timer(Run *run, uint32_t place, uint32_t node) {
        run->timers[place] = node;
        run->nodes[node].place = place;
}

static void sift(Run *run, uint32_t place) {
        const uint32_t node = run->timers[place];
        const usec_t due = due_of(run, node);

        while (place > 0 && due_of(run, run->timers[(place - 1) / 2]) > due) {
                place_timer(run, place, run->timers[(place - 1) / 2]);
                place = (place - 1) / 2;
        }
        for (uint32_t child; (child = 2 * place + 1) < run->n_timers; place = child) {
                if (child + 1 < run->n_timers && due_of(run, run->timers[child + 1]) < due_of(run, run->timers[child]))
                        child++;
                if (due_of(run, run->timers[child]) >= due)
                        break;
                place_timer(run, place, run->timers[child]);
        }
        place_timer(run, place, node);
}

static void remove_timer(Run *run, uint32_t node) {
        const uint32_t place = run->nodes[node].place;

        if (place == HEAP_NOWHERE)
                return;
        run->nodes[node].place = HEAP_NOWHERE;
        run->n_timers--;
        if (place == run->n_timers)
                return;
        run->timers[place] = run->timers[run->n_timers];
        sift(run, place);
}

void run_node_time(Run *run, uint32_t node) {
        if (due_of(run, node) == USEC_INFINITY)
                remove_timer(run, node);
        else if (run->nodes[node].place != HEAP_NOWHERE)
                sift(run, run->nodes[node].place);
        else {
                run->timers[run->n_timers++] = node;
                sift(run, run->n_timers - 1);
        }
        run_time(run);
}

bool run_take_due(Run *run) {
        bool has_due = false;

        while (run->n_timers > 0 && due_of(run, run->timers[0]) <= run->flow->engine->now) {
                run_set_put(run, RUN_SET_DUE, run->timers[0], true);
                remove_timer(run, run->timers[0]);
                has_due = true;
        }
        run_time(run);
        return has_due;
}

/* The heap has to be in order before and after: all that moves is taken out first. */
void run_set_wall(Run *run, int64_t wall) {
        RunEngine *engine = run->flow->engine;
        const int64_t before = engine->wall;

        for (uint32_t i = 0; i < run->n && run->n_idle > 0; i++)
                if (run_node_sleeps(run, i) && run_graph_policy(run->graph, i)->sleeps_until)
                        remove_timer(run, i);
        engine->wall = wall;
        for (uint32_t i = 0; i < run->n && run->n_idle > 0; i++)
                if (run_node_sleeps(run, i) && run_graph_policy(run->graph, i)->sleeps_until)
                        run_node_time(run, i);
        run_time(run);
        engine->wall = before;
}

static usec_t due_of_run(const Run *run) {
        if (run->row.state == RUN_QUEUED)
                return usec_add(run->row.queued_at, run->settings.queue_timeout);
        return run_is_busy(run) ? run->row.deadline : USEC_INFINITY;
}

void run_time(Run *run) {
        Heap *timers = &run->flow->engine->timers;
        usec_t due = due_of_run(run);

        if (run->n_timers > 0)
                due = MIN(due, due_of(run, run->timers[0]));
        if (due == run->due)
                return;
        run->due = due;
        if (due == USEC_INFINITY)
                heap_remove(timers, run);
        else if (run->place != HEAP_NOWHERE)
                heap_moved(timers, run);
        else
                /* run_instance_new() has made room for each run. */
                (void) heap_push(timers, run);
}

void run_become(Run *run, RunState state, RunReason reason) {
        run->row.state = state;
        run->row.reason = reason;
        if (run_is_over(run))
                run_lock_end(run);
        run_change(run);
        run_time(run);
}
