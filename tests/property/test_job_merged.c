/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Requests that are merged lead where they would have led one by one
 *
 * All sequences of up to five requests for one unit, from each state in which
 * it can rest: each is executed before the next is made; or all are made
 * first; or all but the first, which is under way meanwhile. Where one cancels
 * another nothing was merged, and a verify changes nothing that could be
 * compared; otherwise the unit ends in the same state, if what it is told to
 * do succeeds.
 */

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "fuzz_world.h"

#ifdef __SANITIZE_ADDRESS__
#define REQUESTS_MAX 4
#else
#define REQUESTS_MAX 5
#endif

static const JobType types[] = {
        JOB_START, JOB_STOP, JOB_RELOAD, JOB_RESTART, JOB_NOP, JOB_TRY_RESTART, JOB_TRY_RELOAD, JOB_RELOAD_OR_START,
};

typedef enum MergedWay {
        MERGED_ONE_BY_ONE,
        MERGED_ALL_FIRST,
        MERGED_BEHIND_THE_FIRST,
        _MERGED_WAY_MAX,
} MergedWay;

static ModelTraces trace;

static void set_outcomes(FuzzWorld *world, ModelOutcome outcome) {
        for (ModelOperation operation = 0; operation < _MODEL_OPERATION_MAX; operation++)
                fuzz_world_set_outcome(world, 0, operation, outcome);
}

static void request(FuzzWorld *world, JobType type) {
        static const JobRequester requester = { .name = "test" };
        const JobOptions options = { .mode = JOB_REPLACE, .requester = &requester, .now = world->now };
        const JobRequest one = { .unit = fuzz_unit_name(0), .type = type };

        (void) job_manager_exec(world->jobs, &one, 1, &options, NULL);
}

/* Each operation succeeds at once, and operations under way succeed. */
static void settle(FuzzWorld *world) {
        Unit *unit = fuzz_world_unit(world, 0);
        JobInfo job;

        for (int i = 0; i < 20 && job_manager_count(world->jobs) > 0; i++) {
                set_outcomes(world, MODEL_DONE);
                if (!job_manager_has_ready(world->jobs) && job_manager_unit_job(world->jobs, unit, &job))
                        unit_publish(unit, job.run_type == JOB_STOP ? UNIT_INACTIVE : UNIT_ACTIVE, 0);
                (void) job_manager_run(world->jobs, 1, world->now);
        }
        assert(job_manager_count(world->jobs) == 0);
}

static bool was_canceled(void) {
        for (unsigned i = 0; i < trace.n; i++)
                if (trace.items[i].kind == MODEL_TRACE_END && trace.items[i].detail == JOB_CANCELED)
                        return true;
        return false;
}

/* The state in which the unit ends, or -1 if a request was canceled by another. */
static int play(const FuzzCase *fuzz, const uint8_t *sequence, unsigned n, MergedWay way) {
        FuzzWorld *world;
        int state;

        trace.n = 0;
        world = fuzz_world_new(fuzz, &trace);
        fuzz_world_unit(world, 0)->active_state = fuzz->units[0].state;
        for (unsigned i = 0; i < n; i++) {
                request(world, types[sequence[i]]);
                if (way == MERGED_ONE_BY_ONE)
                        settle(world);
                else if (way == MERGED_BEHIND_THE_FIRST && i == 0)
                        (void) job_manager_run(world->jobs, 1, world->now);
        }
        settle(world);
        state = was_canceled() ? -1 : (int) fuzz_world_unit(world, 0)->active_state;
        fuzz_world_free(world);
        return state;
}

static bool check(const FuzzCase *fuzz, const uint8_t *sequence, unsigned n, uint64_t *n_compared) {
        int expected = play(fuzz, sequence, n, MERGED_ONE_BY_ONE);

        for (MergedWay way = MERGED_ALL_FIRST; way < _MERGED_WAY_MAX; way++) {
                int state = play(fuzz, sequence, n, way);

                if (state < 0)
                        continue;
                (*n_compared)++;
                if (state == expected)
                        continue;
                printf("# %s:", unit_active_state_to_string(fuzz->units[0].state));
                for (unsigned i = 0; i < n; i++)
                        printf(" %s", job_type_to_string(types[sequence[i]]));
                printf(", %s: %s, not %s\n", way == MERGED_ALL_FIRST ? "all first" : "behind the first",
                       unit_active_state_to_string((UnitActiveState) state),
                       unit_active_state_to_string((UnitActiveState) expected));
                return false;
        }
        return true;
}

static bool check_all(const FuzzCase *fuzz, uint64_t *n_compared) {
        uint8_t sequence[REQUESTS_MAX];
        unsigned n_sequences = 1;
        bool is_ok = true;

        for (unsigned n = 1; n <= REQUESTS_MAX; n++) {
                n_sequences *= ELEMENTSOF(types);
                for (unsigned i = 0; i < n_sequences && is_ok; i++) {
                        unsigned rest = i;

                        for (unsigned k = 0; k < n; k++, rest /= ELEMENTSOF(types))
                                sequence[k] = (uint8_t) (rest % ELEMENTSOF(types));
                        is_ok = check(fuzz, sequence, n, n_compared);
                }
        }
        return is_ok;
}

int main(void) {
        static const UnitActiveState states[] = { UNIT_INACTIVE, UNIT_FAILED, UNIT_ACTIVE };
        static FuzzCase fuzz = { .units = { { .is_there = true, .load = UNIT_LOADED } } };
        uint64_t n_compared = 0;
        bool is_ok = true;

        for (size_t i = 0; i < ELEMENTSOF(states); i++)
                for (int can_reload = 0; can_reload < 2 && is_ok; can_reload++) {
                        fuzz.units[0].state = states[i];
                        fuzz.units[0].can_reload = can_reload;
                        is_ok = check_all(&fuzz, &n_compared);
                }
        printf("1..1\n# %" PRIu64 " compared\n%s 1 - merged requests lead where single ones lead\n", n_compared,
               is_ok ? "ok" : "not ok");
        return 0;
}
