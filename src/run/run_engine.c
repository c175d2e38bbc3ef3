/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The events of runs, and the end of a turn
 */

#include <assert.h>
#include <errno.h>

#include "run/run_private.h"

int run_engine_new(RunEngine **ret_engine, const RunHost *host, void *userdata) {
        RunEngine *engine = calloc(1, sizeof(*engine));

        if (!engine)
                return -ENOMEM;
        engine->host = host;
        engine->userdata = userdata;
        engine->slice = engine->n_slice = UINT32_MAX;
        if (run_pool_new(&engine->pool) < 0) {
                free(engine);
                return -ENOMEM;
        }
        heap_init(&engine->timers, run_compare_due, run_heap_place);
        heap_init(&engine->offers, run_compare_offers, run_offer_place);
        *ret_engine = engine;
        return 0;
}

/* Sub-runs before those that they belong to. */
static void free_runs(RunEngine *engine) {
        bool has_some = true;

        while (has_some) {
                has_some = false;
                for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                        for (Run *run = flow->first, *next; run; run = next) {
                                next = run->next;
                                has_some = true;
                                if (run->n_below == 0)
                                        run_instance_free(run);
                        }
        }
}

RunEngine *run_engine_free(RunEngine *engine) {
        if (!engine)
                return NULL;
        free_runs(engine);
        while (engine->flows)
                (void) run_flow_forget(engine->flows);
        heap_deinit(&engine->timers);
        heap_deinit(&engine->offers);
        run_pool_free(engine->pool);
        id_map_deinit(&engine->runs);
        free(engine);
        return NULL;
}

int run_flow_new(RunEngine *engine, const RunSettings *settings, RunFlow **ret_flow) {
        RunFlow *flow = calloc(1, sizeof(*flow));

        if (!flow)
                return -ENOMEM;
        flow->engine = engine;
        flow->settings = *settings;
        flow->next = engine->flows;
        if (flow->next)
                flow->next->previous = flow;
        engine->flows = flow;
        *ret_flow = flow;
        return 0;
}

int run_flow_forget(RunFlow *flow) {
        if (flow->first)
                return -EBUSY;
        if (flow->previous)
                flow->previous->next = flow->next;
        else
                flow->engine->flows = flow->next;
        if (flow->next)
                flow->next->previous = flow->previous;
        free(flow);
        return 0;
}

void run_flow_set(RunFlow *flow, const RunSettings *settings) {
        flow->settings = *settings;
        run_admit(flow);
}

/* — submit — */

/* Whether MaxRuns= has no place for one more. Runs that wait for the unit to start take theirs as soon as it has. */
static bool must_wait(const RunFlow *flow, uint32_t *ret_queued) {
        uint32_t n_busy = 0, n_created = 0, n_queued = 0, n_free;

        for (const Run *run = flow->first; run; run = run->next) {
                n_busy += run_is_busy(run);
                n_created += run->row.state == RUN_CREATED && run_can_wait(run);
                n_queued += run->row.state == RUN_QUEUED;
        }
        n_free = flow->settings.max_runs > n_busy ? flow->settings.max_runs - n_busy : 0;
        *ret_queued = n_queued + (n_created > n_free ? n_created - n_free : 0);
        return n_created >= n_free;
}

static bool can_queue(const RunFlow *flow, uint32_t n_queued) {
        return flow->settings.on_busy == RUN_BUSY_REPLACE ||
               (flow->settings.on_busy == RUN_BUSY_QUEUE && n_queued < flow->settings.max_queued);
}

static void cancel_others(const Run *but) {
        RunFlow *flow = but->flow;

        for (Run *run = flow->first; run; run = run->next)
                /* One that ends already does so, though a compensation may wait for a person. */
                if (run != but && !run_is_over(run) && !(run->row.state == RUN_SUSPENDED && run_is_ending(run)) &&
                    !(run->row.state == RUN_CREATED && run->row.is_paused)) {
                        run_stop(run, RUN_CANCELLED);
                        run_attempt_tell_all(run, RUN_OUTCOME_CANCELLED);
                        run_settle(run);
                }
}

static const Run *find_key(const RunFlow *flow, uint64_t key) {
        for (const Run *run = flow->first; run && key != 0; run = run->next)
                if (run->row.key == key)
                        return run;
        return NULL;
}

int run_engine_submit(RunFlow *flow, const RunSubmit *submit, uint32_t *ret_id) {
        const Run *same = find_key(flow, submit->key);
        const bool replaces = flow->settings.on_busy == RUN_BUSY_REPLACE;
        RunEngine *engine = flow->engine;
        uint32_t n_queued;
        bool is_busy;
        Run *run;
        int r;

        if (same) {
                *ret_id = same->row.id;
                return 0;
        }
        if (submit->id == 0 || run_find(engine, submit->id))
                return -EEXIST;
        if (engine->store == RUN_STORE_FULL)
                return -EAGAIN;
        is_busy = must_wait(flow, &n_queued) && !submit->is_paused;
        /* A run that takes something may have to wait though there is a place for it. */
        if (is_busy && !can_queue(flow, n_queued))
                return -EBUSY;
        if (!is_busy && !submit->is_paused && run_graph_demand(submit->graph, RUN_NODE_NONE) &&
            n_queued >= flow->settings.max_queued)
                return -ENOBUFS;
        r = run_instance_new(flow, submit->graph,
                             &(RunRow) {
                                     .id = submit->id,
                                     .key = submit->key,
                                     .round = 1,
                                     .deadline = USEC_INFINITY,
                                     .priority = submit->priority,
                                     .has_priority = submit->has_priority,
                                     .is_paused = submit->is_paused,
                                     .parent = submit->parent,
                                     .parent_node = submit->parent_node,
                             },
                             false, &run);
        if (r < 0)
                return r;
        run->row.place = ++engine->places;
        run_change(run);
        run_mark_open(run);
        run_settle(run);
        if (is_busy && replaces)
                cancel_others(run);
        run_admit(flow);
        *ret_id = submit->id;
        return 0;
}

/* — attempts — */

static Run *find_attempt(const RunEngine *engine, const RunAttemptKey *key) {
        Run *run = run_find(engine, key->run);
        const RunNode *node;

        if (!run || key->node >= run->n)
                return NULL;
        node = &run->nodes[key->node];
        return run_node_is_live(node) && !node->is_idle && run_node_generation(node) == key->generation &&
                               node->number == key->number
                       ? run
                       : NULL;
}

int run_engine_known(RunEngine *engine, const RunAttemptKey *attempt) {
        Run *run = find_attempt(engine, attempt);

        if (!run)
                return -ENOENT;
        if (run->nodes[attempt->node].attempt == RUN_ATTEMPT_IS_HELD)
                run->nodes[attempt->node].attempt = RUN_ATTEMPT_IS_ASKED;
        run_hold_attempt(run, attempt->node, false);
        return 0;
}

int run_engine_started(RunEngine *engine, const RunAttemptKey *attempt, usec_t at) {
        Run *run = find_attempt(engine, attempt);
        RunNode *node;

        if (!run)
                return -ENOENT;
        node = &run->nodes[attempt->node];
        if (node->attempt == RUN_ATTEMPT_IS_STARTED)
                return 0;
        run_hold_attempt(run, attempt->node, false);
        node->attempt = RUN_ATTEMPT_IS_STARTED;
        node->at = at;
        run_change_node(run, attempt->node);
        run_node_time(run, attempt->node);
        return 0;
}

int run_engine_ended(RunEngine *engine, const RunAttemptKey *attempt, RunEndKind kind, uint16_t end) {
        return run_engine_ended_until(engine, attempt, kind, end, USEC_INFINITY);
}

int run_engine_ended_until(RunEngine *engine, const RunAttemptKey *attempt, RunEndKind kind, uint16_t end,
                           usec_t again) {
        Run *run = find_attempt(engine, attempt);

        assert(end < RUN_ENDS);

        if (!run)
                return -ENOENT;
        if (run_node_waits_with_sub(&run->nodes[attempt->node]))
                run_node_go_on_with_sub(run, attempt->node);
        run_attempt_end(run, attempt->node, kind, end, again);
        run_settle(run);
        run_admit(run->flow);
        return 0;
}

/* Nothing has told it to end. One that is needed no more may end by itself as long as its run does not end. */
static bool is_untold(const Run *run, uint32_t node) {
        const RunNode *entry = &run->nodes[node];

        return run_node_has_sub_run(run, node) && entry->state == RUN_NODE_RUNNING &&
               entry->outcome == RUN_OUTCOME_OPEN && (entry->reason == RUN_REASON_SUB_RUN || !run_is_open(run));
}

int run_engine_sub_waits(RunEngine *engine, const RunAttemptKey *attempt, bool waits) {
        Run *run = find_attempt(engine, attempt);

        if (!run)
                return -ENOENT;
        if (waits == run_node_waits_with_sub(&run->nodes[attempt->node]) || (waits && !is_untold(run, attempt->node)))
                return 0;
        /* Whatever ends a run has its own end waited for, until somebody gives it up. */
        if (waits && !run_is_open(run) && !run_node_is_extra(run, attempt->node)) {
                run_node_end_sub(run, attempt->node);
                return run->nodes[attempt->node].outcome != RUN_OUTCOME_OPEN;
        }
        if (waits)
                run_node_become(run, attempt->node, RUN_NODE_PENDING, RUN_REASON_SUB_RUN);
        else
                run_node_go_on_with_sub(run, attempt->node);
        run_settle(run);
        run_admit(run->flow);
        return 1;
}

int run_engine_awaits(RunEngine *engine, const RunAttemptKey *attempt, bool awaits) {
        Run *run = find_attempt(engine, attempt);

        if (!run)
                return -ENOENT;
        if (run_state_after(run->row.state, awaits ? RUN_EVENT_AWAIT : RUN_EVENT_PROCEED) == 0)
                return 0;
        run_become(run, awaits ? RUN_AWAITING : RUN_RUNNING, RUN_REASON_NONE);
        return 1;
}

int run_engine_pause(RunEngine *engine, const RunAttemptKey *attempt, RunReason reason) {
        Run *run = find_attempt(engine, attempt);

        if (!run)
                return -ENOENT;
        if (run_state_after(run->row.state, RUN_EVENT_PAUSE) == 0)
                return 0;
        run_pause(run, reason);
        run_settle(run);
        return 1;
}

static void wait_again(Run *run) {
        for (uint32_t i = 0; i < run->n && run->claims; i++)
                if (run->nodes[i].state == RUN_NODE_READY && !run_lock_node(run, i))
                        run_node_become(run, i, RUN_NODE_PENDING, RUN_REASON_DEADLOCK);
        run_settle(run);
}

static bool is_part_of(const Run *run, const Run *whole) {
        while (run && run != whole)
                run = run->parent;
        return run;
}

static void foreach_part(Run *run, void (*visit)(Run *part)) {
        for (RunFlow *flow = run->flow->engine->flows; flow; flow = flow->next)
                for (Run *part = flow->first; part; part = part->next)
                        if (is_part_of(part, run))
                                visit(part);
}

bool run_engine_sub_joins(RunEngine *engine, uint32_t id) {
        Run *run = run_find(engine, id);

        if (!run || !run_lock_has_moved(run))
                return false;
        foreach_part(run, run_lock_leave);
        foreach_part(run, run_lock_move);
        foreach_part(run, wait_again);
        /* Runs that can wait do so again. */
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                run_admit(flow);
        return true;
}

int run_engine_answered(RunEngine *engine, uint32_t id, uint32_t node, uint32_t generation, RunAnswer answer) {
        Run *run = run_find(engine, id);
        bool is_asked_again;
        RunNode *entry;

        if (!run || node >= run->n)
                return -ENOENT;
        entry = &run->nodes[node];
        if (!entry->is_asked || run_node_generation(entry) != generation)
                return -ENOENT;
        is_asked_again = entry->is_stale || answer == RUN_ANSWER_LOST || !run_is_judged(run);
        run_end_question(run, node);
        if (is_asked_again) {
                run_want_policy(run, node, true);
                return 0;
        }
        run_take_answer(run, node, answer);
        run_settle(run);
        run_admit(run->flow);
        return 0;
}

/* — time — */

usec_t run_engine_deadline(const RunEngine *engine) {
        const Run *run = heap_peek(&engine->timers);
        const usec_t turn = run_pool_deadline(engine->pool, engine->now);

        /* A bound that was passed while a node did not run is met at once when it does. */
        return run ? MIN(MAX(run->due, engine->now), turn) : turn;
}

static void meet_deadline(Run *run) {
        const usec_t now = run->flow->engine->now;

        if (run->row.state == RUN_QUEUED && usec_add(run->row.queued_at, run->settings.queue_timeout) <= now)
                run_end_unbegun(run, RUN_TIMEOUT, RUN_REASON_QUEUE);
        if (run->row.deadline > now || (!run_is_open(run) && run->row.state != RUN_STOPPING))
                return;
        run->row.deadline = USEC_INFINITY;
        run_change(run);
        run_time(run);
        run_stop(run, RUN_TIMEOUT);
        if (run->settings.timeout_mode == RUN_TIMEOUT_TERMINATE)
                run_attempt_tell_all(run, RUN_OUTCOME_DEADLINE);
        else if (run->settings.timeout_mode == RUN_TIMEOUT_ABANDON)
                run_attempt_abandon_all(run);
}

/* Bounds come first, then what may go on, both by number. */
static void meet_times(Run *run) {
        if (!run_take_due(run))
                return;
        for (uint32_t i = 0; (i = run_set_next(run, RUN_SET_DUE, i, run->n)) < run->n; i++) {
                run_attempt_meet_bound(run, i);
                /* An attempt whose end ends the run (EndRun=) ends those that follow, too. */
                run_fire(run);
        }
        run_settle(run);
        for (uint32_t i = 0; (i = run_set_next(run, RUN_SET_DUE, i, run->n)) < run->n; i++) {
                run_set_put(run, RUN_SET_DUE, i, false);
                if (run->nodes[i].state == RUN_NODE_DEFERRED && run->nodes[i].at <= run->flow->engine->now)
                        run_node_become(run, i, RUN_NODE_READY, RUN_REASON_NONE);
                else if (run_node_sleeps(run, i) && run_sleep_end(run, i) <= run->flow->engine->now)
                        run_node_become(run, i, RUN_NODE_SUCCEEDED, RUN_REASON_NONE);
                run_node_time(run, i);
        }
}

void run_engine_time(RunEngine *engine, usec_t now) {
        Run *run;

        engine->now = MAX(engine->now, now);
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (run = flow->first; run; run = run->next)
                        if (run->due <= engine->now) {
                                meet_deadline(run);
                                run_settle(run);
                        }
        while ((run = heap_peek(&engine->timers)) && run->due <= engine->now) {
                meet_times(run);
                run_settle(run);
        }
        /* A run that has waited too long does not begin, though another one ends at the same time. */
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                run_admit(flow);
}

/* Two clocks are not read at the same moment: what is less is no change. */
#define WALL_ACCURACY (10 * USEC_PER_MSEC)

void run_engine_wall(RunEngine *engine, usec_t now, usec_t realtime) {
        const int64_t wall = (int64_t) (realtime - now);
        const int64_t change = wall - engine->wall;

        if ((uint64_t) (change < 0 ? -change : change) < WALL_ACCURACY)
                return;
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next)
                        run_set_wall(run, wall);
        engine->wall = wall;
}

/* — store — */

void run_engine_stored(RunEngine *engine, uint32_t accepted, uint32_t durable) {
        engine->accepted = accepted;
        engine->durable = durable;
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next) {
                        run->is_stored |= run->is_put && run_batch_is_before(run->batch, durable);
                        run_attempt_release(run);
                }
}

void run_engine_set_store(RunEngine *engine, RunStore store) {
        engine->store = store;
}

/* — unit — */

/* Whoever starts the unit of a batch wants what was paused to go on, unless another run has had it started. */
static void unit_is_active(RunFlow *flow, bool by_person) {
        const bool resumes = by_person && !run_flow_wants_unit(flow);

        flow->is_active = true;
        for (Run *run = flow->first; run; run = run->next)
                if (resumes && run_is_batch(run) && run->row.is_paused)
                        run_resume(run);
                else if (by_person || !run->row.is_held_by_person)
                        run_release_hold(run);
}

/* Something is to run before it ends, for which its unit has to be active. */
static bool wants_unit_to_end(const Run *run) {
        return run->row.state == RUN_STOPPING && run->extra_tally[RUN_NODE_READY] > 0;
}

/* The start job came to nothing. */
static void unit_did_not_start(RunFlow *flow, RunState state, RunReason reason) {
        for (Run *run = flow->first; run; run = run->next)
                if (run->row.state == RUN_CREATED && run_can_wait(run))
                        run_end_unbegun(run, state, reason);
                else if (run->row.state == RUN_RUNNING || run->row.state == RUN_AWAITING || wants_unit_to_end(run))
                        run_hold(run, false);
}

void run_flow_unit(RunFlow *flow, RunUnitEvent event, bool by_person) {
        if (event == RUN_UNIT_ACTIVE)
                unit_is_active(flow, by_person);
        else if (event == RUN_UNIT_FAILED)
                unit_did_not_start(flow, RUN_FAILED, RUN_REASON_DEPENDENCY);
        else if (event == RUN_UNIT_CANCELLED)
                unit_did_not_start(flow, RUN_CANCELLED, RUN_REASON_NONE);
        else
                flow->is_active = false;
        for (Run *run = flow->first; run && event == RUN_UNIT_STOP; run = run->next)
                run_hold(run, by_person);
        run_admit(flow);
}

bool run_flow_wants_unit(const RunFlow *flow) {
        for (const Run *run = flow->first; run && !flow->is_active; run = run->next)
                if (run->is_stored && !run->row.is_held && !run->row.is_paused &&
                    (run->row.state <= RUN_AWAITING || wants_unit_to_end(run)))
                        return true;
        return false;
}

/* — the end of a turn — */

void run_engine_set_slice(RunEngine *engine, uint32_t n_nodes) {
        engine->slice = engine->n_slice = n_nodes;
}

static void end_rests(RunEngine *engine) {
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next)
                        if (run->has_rest) {
                                run_node_skip_more(run);
                                run_settle(run);
                        }
}

static void open_roots(RunEngine *engine) {
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next)
                        if (run->n_roots > 0) {
                                run_mark_roots(run);
                                run_settle(run);
                        }
}

bool run_engine_turn(RunEngine *engine, uint32_t budget) {
        bool is_left;

        end_rests(engine);
        open_roots(engine);
        is_left = run_dispatch(engine, budget);
        run_persist(engine);
        engine->is_restoring = false;
        engine->n_slice = engine->slice;
        for (RunFlow *flow = engine->flows; flow; flow = flow->next)
                for (Run *run = flow->first; run; run = run->next) {
                        run_attempt_release(run);
                        is_left = is_left || run->has_rest || run->n_roots > 0;
                }
        return is_left;
}

int run_engine_forget(RunEngine *engine, uint32_t id) {
        Run *run = run_find(engine, id);

        if (!run)
                return -ENOENT;
        if (!run_is_over(run) || run->has_changed || run->n_below > 0)
                return -EBUSY;
        run_instance_free(run);
        return 0;
}
