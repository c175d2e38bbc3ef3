/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Cases by chance
 *
 * Small and dense: three to nine units that know each other in several ways,
 * and a few dozen steps. What a step does is weighed so that most requests are
 * accepted, most jobs get on, and every rule meets every other now and then.
 */

#include <string.h>

#include "fuzz_case.h"

/* Not in the order in which they are loaded. */
static const char *const names[FUZZ_UNITS_MAX] = {
        "d.service", "a.service", "i.service", "c.service", "f.service",
        "b.service", "h.service", "e.service", "j.service", "g.service",
};

const char *fuzz_unit_name(int unit) {
        return names[unit];
}

int fuzz_unit_find(const char *name) {
        for (int i = 0; i < FUZZ_UNITS_MAX; i++)
                if (strcmp(names[i], name) == 0)
                        return i;
        return -1;
}

typedef struct FuzzRandom {
        uint64_t state;
        int n_units;
        unsigned cycles;                /* percent of order relations that may close a cycle */
        bool is_restless;               /* restarts, and files that are read again */
        bool is_at_odds;                /* conflicts among units that are only wanted */
        bool is_tangled;                /* cycles of order among units that are only wanted */
} FuzzRandom;

static uint32_t below(FuzzRandom *random, uint32_t n) {
        uint64_t z = (random->state += UINT64_C(0x9E3779B97F4A7C15));

        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        return (uint32_t) ((z ^ (z >> 31)) >> 32) % n;
}

static bool chance(FuzzRandom *random, uint32_t percent) {
        return below(random, 100) < percent;
}

#define choose(random, array) ((array)[below(random, sizeof(array) / sizeof((array)[0]))])

static JobMode random_follow_up_mode(FuzzRandom *random, JobMode usual) {
        static const JobMode modes[] = { JOB_FAIL, JOB_REPLACE, JOB_REPLACE_IRREVERSIBLY, JOB_ISOLATE, JOB_FLUSH,
                                         JOB_IGNORE_DEPENDENCIES, JOB_IGNORE_REQUIREMENTS, JOB_LENIENT };

        return chance(random, 75) ? usual : choose(random, modes);
}

static FuzzUnit random_unit(FuzzRandom *random) {
        static const UnitActiveState states[] = { UNIT_INACTIVE, UNIT_INACTIVE, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_ACTIVE,
                                                  UNIT_FAILED };
        FuzzUnit unit = {
                .is_there = true,
                .load = UNIT_LOADED,
                .state = choose(random, states),
                .can_reload = chance(random, 70),
                .is_perpetual = chance(random, 2),
                .allows_isolate = chance(random, 70),
                .ignores_isolate = chance(random, 10),
                .stops_when_unneeded = chance(random, 12),
                .restarts_on_dependency = chance(random, 25),
                .refuses_start = chance(random, 2),
                .refuses_stop = chance(random, 2),
                .priority = chance(random, 15) ? (int) below(random, 3) - 1 : 0,
                .timeout = chance(random, 12) ? 1 + below(random, 30) : 0,
                .running_timeout = chance(random, 12) ? 1 + below(random, 20) : 0,
                .on_failure_mode = random_follow_up_mode(random, JOB_REPLACE),
                .on_success_mode = random_follow_up_mode(random, JOB_FAIL),
        };

        if (chance(random, 4))
                unit.load = UNIT_MASKED;
        else if (chance(random, 3))
                unit.load = UNIT_NOT_FOUND;
        else if (chance(random, 1))
                unit.load = chance(random, 50) ? UNIT_BAD_SETTING : UNIT_ERROR;
        if (unit.load != UNIT_LOADED && chance(random, 70))
                unit.state = UNIT_INACTIVE;
        if (chance(random, 4))
                unit.state = UNIT_ACTIVATING + below(random, _UNIT_ACTIVE_STATE_MAX - UNIT_ACTIVATING);
        return unit;
}

static FuzzRelation random_relation(FuzzRandom *random, int unit) {
        static const UnitRelationKind kinds[] = {
                UNIT_AFTER, UNIT_AFTER, UNIT_AFTER, UNIT_AFTER, UNIT_AFTER, UNIT_BEFORE, UNIT_BEFORE,
                UNIT_REQUIRES, UNIT_REQUIRES, UNIT_REQUIRES, UNIT_WANTS, UNIT_WANTS, UNIT_WANTS,
                UNIT_BINDS_TO, UNIT_REQUISITE, UNIT_PART_OF, UNIT_UPHOLDS, UNIT_CONFLICTS, UNIT_CONFLICTS,
                UNIT_ON_FAILURE, UNIT_ON_SUCCESS, UNIT_PROPAGATES_RELOAD_TO, UNIT_PROPAGATES_STOP_TO, UNIT_TRIGGERS,
        };
        FuzzRelation relation = {
                .unit = unit,
                .kind = choose(random, kinds),
                .other = (int) below(random, (uint32_t) random->n_units),
        };
        bool is_order;

        if (random->is_tangled && chance(random, 50))
                relation.kind = chance(random, 50) ? UNIT_WANTS : UNIT_AFTER;
        if (random->is_at_odds && chance(random, 60))
                relation.kind = chance(random, 50) ? UNIT_WANTS : UNIT_CONFLICTS;
        is_order = relation.kind == UNIT_AFTER || relation.kind == UNIT_BEFORE;

        /* An order along the numbers of the units has no cycle. */
        if (is_order && !chance(random, random->cycles) && relation.unit != relation.other)
                relation.kind = relation.unit < relation.other ? UNIT_AFTER : UNIT_BEFORE;
        return relation;
}

static void random_graph(FuzzRandom *random, FuzzCase *fuzz) {
        unsigned per_unit = 1 + below(random, 5), n;

        random->n_units = 2 + (int) below(random, chance(random, 30) ? 3 : FUZZ_UNITS_MAX - 2);
        random->cycles = chance(random, 40) ? 30 : 0;
        random->is_restless = chance(random, 20);
        random->is_tangled = chance(random, 15);
        random->is_at_odds = chance(random, 20);
        if (random->is_tangled)
                random->cycles = 70;
        per_unit += random->n_units < 5 ? below(random, 5) : 0;
        for (int i = 0; i < random->n_units; i++)
                fuzz->units[i] = random_unit(random);
        n = per_unit * (unsigned) random->n_units;
        for (unsigned i = 0; i < n && i < FUZZ_RELATIONS_MAX; i++) {
                FuzzRelation relation = random_relation(random, (int) below(random, (uint32_t) random->n_units));

                if (relation.unit != relation.other && fuzz->units[relation.unit].load == UNIT_LOADED)
                        fuzz->relations[fuzz->n_relations++] = relation;
        }
}

/* Most requests in the narrow modes should get past the first check. */
static JobType fit_type(FuzzRandom *random, JobMode mode, JobType type) {
        if (chance(random, 7))
                return type;
        if (mode == JOB_ISOLATE || mode == JOB_RESTART_DEPENDENCIES)
                return JOB_START;
        return mode == JOB_TRIGGERING ? JOB_STOP : type;
}

static FuzzStep random_exec(FuzzRandom *random) {
        static const JobType types[] = {
                JOB_START, JOB_START, JOB_START, JOB_START, JOB_STOP, JOB_STOP, JOB_STOP, JOB_RESTART, JOB_RESTART,
                JOB_RESTART, JOB_RELOAD, JOB_RELOAD, JOB_VERIFY_ACTIVE, JOB_NOP, JOB_TRY_RESTART, JOB_TRY_RELOAD,
                JOB_RELOAD_OR_START,
        };
        FuzzStep step = { .kind = FUZZ_EXEC, .n_requests = chance(random, 35) ? 2 + below(random, 3) : 1 };

        step.mode = chance(random, 55) ? JOB_REPLACE : below(random, _JOB_MODE_MAX);
        if (step.n_requests > MODEL_REQUESTS_MAX)
                step.n_requests = MODEL_REQUESTS_MAX;
        for (unsigned i = 0; i < step.n_requests; i++) {
                JobType type = fit_type(random, step.mode, choose(random, types));

                if (random->is_restless && chance(random, 50))
                        type = fit_type(random, step.mode, JOB_RESTART);
                step.requests[i] = (ModelRequest) {
                        .unit = (int) below(random, (uint32_t) random->n_units),
                        .type = type,
                        .reload_if_possible = (type == JOB_RESTART || type == JOB_TRY_RESTART) && chance(random, 20),
                        .is_manual = true,
                };
        }
        return step;
}

static FuzzStep random_result(FuzzRandom *random) {
        static const ModelOutcome outcomes[] = {
                MODEL_DONE, MODEL_DONE, MODEL_DONE, MODEL_FAIL, MODEL_FAIL, MODEL_AGAIN, MODEL_AGAIN, MODEL_SKIP,
                MODEL_ASSERT, MODEL_UNSUPPORTED,
        };

        return (FuzzStep) {
                .kind = FUZZ_RESULT,
                .unit = (int) below(random, (uint32_t) random->n_units),
                .operation = below(random, _MODEL_OPERATION_MAX),
                .outcome = choose(random, outcomes),
        };
}

static FuzzStep random_state(FuzzRandom *random) {
        static const UnitActiveState states[] = {
                UNIT_INACTIVE, UNIT_INACTIVE, UNIT_FAILED, UNIT_FAILED, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_ACTIVATING,
                UNIT_DEACTIVATING, UNIT_RELOADING, UNIT_MAINTENANCE,
        };
        FuzzStep step = {
                .kind = FUZZ_STATE,
                .unit = (int) below(random, (uint32_t) random->n_units),
                .state = choose(random, states),
        };

        if (chance(random, 10))
                step.flags |= UNIT_CHANGE_WILL_RESTART;
        if (chance(random, 10))
                step.flags |= UNIT_CHANGE_SKIPPED;
        if (chance(random, 10))
                step.flags |= UNIT_CHANGE_RELOAD_FAILED;
        return step;
}

static FuzzStep random_relate(FuzzRandom *random, const FuzzCase *fuzz) {
        FuzzStep step = { .kind = FUZZ_RELATE, .unit = (int) below(random, (uint32_t) random->n_units) };
        unsigned n = below(random, FUZZ_REDECLARED_MAX);

        if (fuzz->units[step.unit].load != UNIT_LOADED)
                return (FuzzStep) { .kind = FUZZ_RUN };
        for (unsigned i = 0; i < n; i++) {
                FuzzRelation relation = random_relation(random, step.unit);

                if (relation.other != step.unit)
                        step.relations[step.n_relations++] = relation;
        }
        return step;
}

/* One draw says both: the rest of a case is the same with either. */
static FuzzStep random_cancel(FuzzRandom *random, int unit) {
        const uint32_t drawn = below(random, 8);

        return (FuzzStep) { .kind = FUZZ_CANCEL, .unit = unit, .pick = drawn % 4, .detaches = drawn >= 4 };
}

static FuzzStep random_step(FuzzRandom *random, const FuzzCase *fuzz) {
        unsigned die = below(random, 100);
        int unit = (int) below(random, (uint32_t) random->n_units);

        if (random->is_restless && chance(random, 10))
                return chance(random, 80) ? random_relate(random, fuzz) : (FuzzStep) { .kind = FUZZ_RESTART };
        if (die < 30)
                return random_exec(random);
        if (die < 50)
                return (FuzzStep) { .kind = FUZZ_RUN, .budget = chance(random, 25) ? 1 + below(random, 3) : 0 };
        if (die < 70)
                return (FuzzStep) { .kind = FUZZ_FINISH, .pick = below(random, 100),
                                    .course = chance(random, 60) ? FUZZ_SUCCEEDS : 1 + below(random, 2) };
        if (die < 78)
                return random_state(random);
        if (die < 86)
                return random_result(random);
        if (die < 90)
                return random_cancel(random, unit);
        if (die < 91)
                return (FuzzStep) { .kind = FUZZ_CLEAR };
        if (die < 93)
                return (FuzzStep) { .kind = FUZZ_READY, .unit = unit };
        if (die < 94)
                return (FuzzStep) { .kind = FUZZ_RELOADED, .unit = unit };
        if (die < 96)
                return (FuzzStep) { .kind = FUZZ_ADVANCE, .seconds = 1 + below(random, 12) };
        return die < 99 ? random_relate(random, fuzz) : (FuzzStep) { .kind = FUZZ_RESTART };
}

void fuzz_case_random(uint64_t seed, FuzzCase *ret_case) {
        FuzzRandom random = { .state = seed * UINT64_C(0xD1342543DE82EF95) + 1 };
        unsigned n = 6 + below(&random, FUZZ_STEPS_MAX - 6);

        memset(ret_case, 0, sizeof(*ret_case));
        ret_case->seed = seed;
        random_graph(&random, ret_case);
        for (unsigned i = 0; i < n; i++)
                ret_case->steps[ret_case->n_steps++] = random_step(&random, ret_case);
}
