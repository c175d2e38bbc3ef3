/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Turns of runs
 *
 * In a turn attempts end whose time has come, the engine hears of all that has
 * happened, the store gets a batch, and attempts begin for which that was
 * awaited. Turns follow each other until nothing happens at the present time.
 */

#include <errno.h>
#include <inttypes.h>

#include "sim/sim.h"
#include "sim/sim_launch.h"

/* The rows and attempts of a turn. */
#define ATTEMPTS_A_TURN 64U
/* So many turns at one time are a loop. */
#define TURNS_MAX 10000000U

static const char *const crashes[_SIM_CRASH_MAX] = {
        [SIM_CRASH_NOWHERE] = "nowhere", [SIM_CRASH_SENT] = "sent",       [SIM_CRASH_ACCEPTED] = "accepted",
        [SIM_CRASH_DURABLE] = "durable", [SIM_CRASH_ASKED] = "asked",     [SIM_CRASH_STARTED] = "started",
        [SIM_CRASH_ENDED] = "ended",
};
DEFINE_STRING_TABLE(sim_crash, SimCrash, crashes)

int sim_runs_init(Sim *sim, bool is_auto) {
        sim_attempts_init(&sim->runs.attempts, is_auto);
        sim->runs.is_loaded = true;
        return sim_runs_begin(sim);
}

void sim_runs_deinit(Sim *sim) {
        sim_launches_drop(sim);
        sim_runs_drop(sim);
        vector_deinit(&sim->runs.replies);
        sim_attempts_deinit(&sim->runs.attempts);
        sim_store_deinit(&sim->runs.store);
}

/* — attempts — */

static void end_due(Sim *sim) {
        SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = 0; i < attempts->all.n; i++) {
                SimAttempt *attempt = &attempts->all.items[i];

                if (attempt->state != SIM_ATTEMPT_RUNS || attempt->ends_at > sim->now)
                        continue;
                sim_attempt_end(attempts, attempt, attempt->kind, attempt->end);
                sim_runs_emit_attempt(sim, attempt, "ended");
                sim->runs.has_changed = true;
                (void) sim_runs_crashes_at(&sim->runs, SIM_CRASH_ENDED);
        }
}

static void begin_asked(Sim *sim) {
        SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = 0; i < attempts->all.n; i++) {
                SimAttempt *attempt = &attempts->all.items[i];

                if (attempt->state != SIM_ATTEMPT_ASKED)
                        continue;
                if (!sim_launch_begin(sim, attempt) && !sim_runs_begin_job(sim, attempt))
                        sim_attempt_begin(attempts, attempt, sim->now);
                sim_runs_emit_attempt(sim, attempt, "started");
                sim->runs.has_changed = true;
                (void) sim_runs_crashes_at(&sim->runs, SIM_CRASH_STARTED);
        }
}

static void tell_attempts(Sim *sim) {
        SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = 0; i < attempts->all.n; i++) {
                SimAttempt *attempt = &attempts->all.items[i];
                const SimRun *run = sim_runs_find(sim, attempt->key.run);

                if (attempt->is_told || attempt->state == SIM_ATTEMPT_ASKED)
                        continue;
                attempt->is_told = sim->runs.has_changed = true;
                if (attempt->is_item) {
                        if (attempt->state == SIM_ATTEMPT_OVER)
                                sim_launch_note_end(sim, attempt);
                        continue;
                }
                (void) run_engine_started(sim->runs.engine, &attempt->key, attempt->started_at);
                if (attempt->state == SIM_ATTEMPT_OVER)
                        (void) run_engine_ended(sim->runs.engine, &attempt->key, attempt->kind, attempt->end);
                if (run)
                        run->flow->is_news = true;
        }
}

/* — the store — */

/* An end is kept until it is durable. */
static void forget_stored(SimRuns *runs) {
        for (size_t i = runs->attempts.all.n; i-- > 0;) {
                SimAttempt *attempt = &runs->attempts.all.items[i];

                if (attempt->state == SIM_ATTEMPT_OVER && attempt->is_told && attempt->batch <= runs->store.durable)
                        sim_attempts_remove(&runs->attempts, attempt);
        }
}

static void reply(Sim *sim) {
        SimRuns *runs = &sim->runs;
        size_t n = 0;

        for (size_t i = 0; i < runs->replies.n; i++) {
                const SimReply one = runs->replies.items[i];
                json_t *event;

                if (one.batch > runs->store.durable) {
                        runs->replies.items[n++] = one;
                        continue;
                }
                event = sim_event_new(&sim->events, "reply");
                sim_event_set(&sim->events, event, "to", json_string(one.verb));
                sim_event_set(&sim->events, event, "run", json_integer(one.run));
                sim_event_emit(&sim->events, event);
        }
        runs->replies.n = n;
}

/* All that has changed in this turn is in the last batch. */
static void note_batch(SimRuns *runs) {
        for (size_t i = 0; i < runs->replies.n; i++)
                if (runs->replies.items[i].batch == 0)
                        runs->replies.items[i].batch = runs->batch;
        for (size_t i = 0; i < runs->attempts.all.n; i++) {
                SimAttempt *attempt = &runs->attempts.all.items[i];

                if (attempt->state == SIM_ATTEMPT_OVER && attempt->is_told && attempt->batch == 0)
                        attempt->batch = runs->batch;
        }
}

/* Returns false if core dies before it hears of that. */
static bool move_marks(Sim *sim) {
        SimRuns *runs = &sim->runs;
        const bool accepts = sim_store_accept(&runs->store, sim->now);
        bool syncs;

        if (accepts && sim_runs_crashes_at(runs, SIM_CRASH_ACCEPTED))
                return false;
        syncs = sim_store_sync(&runs->store, sim->now);
        runs->has_changed |= accepts | syncs;
        if (syncs && sim_runs_crashes_at(runs, SIM_CRASH_DURABLE))
                return false;
        return true;
}

/* — turns — */

static int step(Sim *sim) {
        SimRuns *runs = &sim->runs;
        int r;

        run_engine_wall(runs->engine, sim->now, sim->now);
        run_engine_time(runs->engine, sim->now);
        sim_runs_look_at_jobs(sim);
        tell_attempts(sim);
        sim_launches_step(sim);
        r = sim_runs_submit_starts(sim);
        if (r < 0)
                return r;
        run_engine_set_store(runs->engine, runs->store.mode == SIM_STORE_FULL ? RUN_STORE_FULL : RUN_STORE_OPEN);
        runs->has_changed |= run_engine_turn(runs->engine, ATTEMPTS_A_TURN);
        if (runs->is_dying)
                return 0;
        note_batch(runs);
        if (!move_marks(sim))
                return 0;
        run_engine_stored(runs->engine, MAX(runs->store.accepted, runs->told_accepted), runs->store.durable);
        runs->told_accepted = MAX(runs->store.accepted, runs->told_accepted);
        if (runs->is_dying)
                return 0;
        forget_stored(runs);
        reply(sim);
        begin_asked(sim);
        return 0;
}

/* Returns 1 if something has happened, 0 if not, or a negative errno. */
static int turn(Sim *sim) {
        SimRuns *runs = &sim->runs;
        int r = 0;

        runs->has_changed = false;
        end_due(sim);
        if (runs->is_down || runs->is_dying)
                runs->has_changed |= sim_store_sync(&runs->store, sim->now);
        else if (!runs->is_loaded) {
                (void) move_marks(sim);
                r = sim_runs_load(sim);
        }
        if (!runs->is_down && !runs->is_dying && runs->is_loaded && r == 0)
                r = step(sim);
        if (runs->is_dying)
                sim_runs_die(sim);
        if (!runs->is_down && r == 0)
                r = sim_runs_tell_units(sim);
        runs->n_changes += runs->has_changed;
        return r < 0 ? r : runs->has_changed;
}

int sim_runs_settle(Sim *sim, Failure *ret_failure) {
        int r = 1;

        /* Nothing is to be done before the first flow is used. */
        if (!sim->runs.flows && !sim->runs.is_down && sim->runs.is_loaded)
                return 0;
        for (unsigned n = 0; r > 0; n++) {
                if (n == TURNS_MAX)
                        return failure_set(ret_failure, -EINVAL, "LimitsExceeded",
                                           "runs of flows do not come to rest at %" PRIu64 " µs", sim->now);
                r = turn(sim);
        }
        return r < 0 ? r : sim->events.error;
}

usec_t sim_runs_next(const Sim *sim) {
        const SimRuns *runs = &sim->runs;
        usec_t next = MIN(sim_attempts_next(&runs->attempts), sim_store_next(&runs->store));

        if (!runs->is_down && runs->is_loaded)
                next = MIN(next, MIN(run_engine_deadline(runs->engine), sim_launches_next(sim)));
        return next;
}
