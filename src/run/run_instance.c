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

static size_t node_bytes(uint32_t n_nodes) {
        return run_engine_bytes(n_nodes) - sizeof(Run);
}

/* Sets and timers stand behind the nodes. */
static void place_nodes(Run *run, RunNode *nodes, uint32_t n) {
        uint64_t *sets = (uint64_t *) (nodes + n);

        for (unsigned i = 0; i < _RUN_SET_MAX; i++)
                run->sets[i] = sets + i * words(n);
        run->timers = (uint32_t *) (sets + _RUN_SET_MAX * words(n));
        run->nodes = nodes;
        run->n = n;
}

/* Instances that are not there count for nothing. */
static void find_unused(Run *run) {
        uint32_t n;
        const RunExpansion *expansions = run_graph_expansions(run->graph, &n);

        for (uint32_t i = 0; i < n; i++)
                for (uint32_t k = 0; k < expansions[i].n; k++) {
                        RunNode *node = &run->nodes[expansions[i].first + k];
                        const bool is_unused = k >= expansions[i].used;

                        if (node->is_unused == is_unused)
                                continue;
                        node->is_unused = is_unused;
                        run->tally[node->state] += is_unused ? UINT32_MAX : 1;
                        run->n_unused += is_unused ? 1 : UINT32_MAX;
                }
}

int run_instance_new(RunFlow *flow, RunGraph *graph, const RunRow *row, bool is_restored, Run **ret_run) {
        const uint32_t n = run_graph_count(graph), n_extra = run_graph_count_extra(graph);
        RunNode *nodes;
        Run *run;
        int r;

        r = id_map_reserve(&flow->engine->runs, 1);
        if (r == 0)
                r = heap_reserve(&flow->engine->timers, flow->engine->runs.n + 1);
        if (r == 0)
                r = heap_reserve(&flow->engine->offers, flow->engine->runs.n + 1);
        if (r < 0)
                return r;
        run = calloc(1, sizeof(*run));
        nodes = calloc(1, node_bytes(n));
        if (!run || !nodes) {
                free(run);
                free(nodes);
                return -ENOMEM;
        }
        place_nodes(run, nodes, n);
        run->flow = flow;
        run->graph = run_graph_ref(graph);
        run->settings = flow->settings;
        run->n_extra = n_extra;
        run->first_marked = run->first_changed = run->first_ready = n;
        run->row = *row;
        if (row->has_priority)
                run->settings.priority = row->priority;
        run->row.priority = run->settings.priority;
        run->tally[RUN_NODE_WAITING] = n - n_extra;
        run->extra_tally[RUN_NODE_WAITING] = n_extra;
        run->place = run->offer_place = HEAP_NOWHERE;
        run->due = USEC_INFINITY;
        run->parent = run_find(flow->engine, row->parent);
        r = run_items_init(run);
        if (r == 0)
                r = run_lock_init(run, is_restored);
        if (r == 0 && n_extra > 0 && !(run->undo = calloc(n_extra, sizeof(*run->undo))))
                r = -ENOMEM;
        if (r < 0) {
                run_lock_deinit(run);
                run_graph_unref(run->graph);
                free(run->items);
                free(run->nodes);
                free(run);
                return r;
        }
        find_unused(run);
        if (run->parent)
                run->parent->n_below++;
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
        if (run->parent)
                run->parent->n_below--;
        run_lock_deinit(run);
        (void) id_map_remove(&flow->engine->runs, run->row.id);
        run_graph_unref(run->graph);
        free(run->items);
        free(run->nodes);
        free(run->undo);
        free(run);
}

/* Marks of a set that stand by a place of each node, moved to the places of @graph. */
static void move_set(Run *run, const uint64_t *from, uint64_t *to, uint32_t n, const RunGraph *graph,
                     uint32_t (*place_of)(const RunGraph *graph, uint32_t node)) {
        for (uint32_t i = 0; i < n; i++) {
                const uint32_t before = place_of(run->graph, i), now = place_of(graph, i);

                if (from[before / BITS] >> before % BITS & 1)
                        to[now / BITS] |= UINT64_C(1) << now % BITS;
        }
}

static void move_sets(Run *run, uint64_t *const old[static _RUN_SET_MAX], uint32_t n, const RunGraph *graph) {
        for (unsigned set = 0; set < _RUN_SET_MAX; set++)
                if (set == RUN_SET_READY || set == RUN_SET_ROOTS)
                        move_set(run, old[set], run->sets[set], n, graph, run_graph_urgency);
                else if (set == RUN_SET_MARKED || set == RUN_SET_DOUBTED)
                        move_set(run, old[set], run->sets[set], n, graph, run_graph_rank);
                else
                        memcpy(run->sets[set], old[set], words(n) * sizeof(uint64_t));
        /* All of them may stand anywhere now. */
        run->first_ready = run->first_root = 0;
        if (run->first_marked < run->end_marked) {
                run->first_marked = 0;
                run->end_marked = run->n;
        } else
                run->first_marked = run->n;
        if (run->end_doubted > 0)
                run->end_doubted = run->n;
        if (run->first_changed >= run->end_changed)
                run->first_changed = run->n;
}

int run_instance_grow(Run *run, RunGraph *graph) {
        const uint32_t n_old = run->n, n = run_graph_count(graph);
        uint64_t *old_sets[_RUN_SET_MAX];
        const uint32_t *old_timers = run->timers;
        RunNode *old = run->nodes, *nodes = calloc(1, node_bytes(n));
        int r = nodes ? run_lock_grow(run, graph) : -ENOMEM;

        assert(n >= n_old);

        if (r < 0) {
                free(nodes);
                return r;
        }
        memcpy(old_sets, run->sets, sizeof(old_sets));
        place_nodes(run, nodes, n);
        memcpy(run->nodes, old, n_old * sizeof(*old));
        memcpy(run->timers, old_timers, run->n_timers * sizeof(*old_timers));
        move_sets(run, old_sets, n_old, graph);
        free(old);
        run_graph_unref(run->graph);
        run->graph = run_graph_ref(graph);
        run->tally[RUN_NODE_WAITING] += n - n_old;
        for (uint32_t i = n_old; i < n; i++)
                run->nodes[i].earlier = run->nodes[run_graph_origin(graph, i)].earlier;
        find_unused(run);
        return 0;
}

Run *run_find(const RunEngine *engine, uint32_t id) {
        return id == 0 ? NULL : id_map_get(&engine->runs, id);
}

RunAttemptKey run_attempt_key(const Run *run, uint32_t node) {
        return (RunAttemptKey) { run->row.id, node, run_node_generation(&run->nodes[node]),
                                run->nodes[node].number };
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
        if (!run_node_is_live(entry) || entry->outcome != RUN_OUTCOME_OPEN)
                return USEC_INFINITY;
        /* The time of an attempt goes on while its node waits to be completed; that of instances is their own. */
        if (entry->attempt == RUN_ATTEMPT_IS_STARTED || (entry->is_idle && !run_node_is_split(run, node)))
                due = MIN(due, usec_add(entry->at, policy->timeout));
        return due;
}

static void place_timer(Run *run, uint32_t place, uint32_t node) {
        run->timers[place] = node;
        run->nodes[node].timer = place + 1;
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
        const uint32_t place = run->nodes[node].timer - 1;

        if (run->nodes[node].timer == 0)
                return;
        run->nodes[node].timer = 0;
        run->n_timers--;
        if (place == run->n_timers)
                return;
        run->timers[place] = run->timers[run->n_timers];
        sift(run, place);
}

void run_node_time(Run *run, uint32_t node) {
        if (due_of(run, node) == USEC_INFINITY)
                remove_timer(run, node);
        else if (run->nodes[node].timer > 0)
                sift(run, run->nodes[node].timer - 1);
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

bool run_node_lacks_timer(const Run *run, uint32_t node) {
        return run->nodes[node].timer == 0 && due_of(run, node) != USEC_INFINITY;
}

static usec_t due_of_run(const Run *run) {
        if (run->row.state == RUN_QUEUED)
                return usec_add(run->row.queued_at, run->settings.queue_timeout);
        return run_is_busy(run) ? run->row.deadline : USEC_INFINITY;
}

static usec_t first_due(const Run *run) {
        const usec_t due = due_of_run(run);

        return run->n_timers > 0 ? MIN(due, due_of(run, run->timers[0])) : due;
}

bool run_lacks_timer(const Run *run) {
        return run->due != first_due(run) || (run->due != USEC_INFINITY && run->place == HEAP_NOWHERE);
}

void run_time(Run *run) {
        Heap *timers = &run->flow->engine->timers;
        const usec_t due = first_due(run);

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

static void forget_roots(Run *run) {
        for (; run->n_roots > 0; run->n_roots--) {
                run->first_root = run_set_next(run, RUN_SET_ROOTS, run->first_root, run->n);
                run_set_put(run, RUN_SET_ROOTS, run->first_root, false);
        }
}

void run_become(Run *run, RunState state, RunReason reason) {
        run->row.state = state;
        run->row.reason = reason;
        if (run_is_over(run))
                run_lock_end(run);
        if (!run_is_judged(run))
                forget_roots(run);
        run_change(run);
        run_time(run);
}

void run_wake(Run *run) {
        if (run->row.state != RUN_SUSPENDED)
                return;
        if (run_is_ending(run))
                run_become(run, RUN_STOPPING, run->row.reason);
        else if (run->row.is_held)
                run_become(run, RUN_PAUSED, RUN_REASON_UNIT);
        else
                run_become(run, RUN_RUNNING, RUN_REASON_NONE);
}
