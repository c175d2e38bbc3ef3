/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A case made smaller while it still differs
 *
 * Everything that can be taken out of a case is a change with a number: steps
 * in runs that get shorter, units with all that names them, relations,
 * requests, settings. Changes are tried one after the other, kept if the case
 * still differs, and all over again until none helps. Which difference it is
 * may change on the way: one that needs less is as good.
 */

#include <string.h>

#include "fuzz_case.h"

#define HELPED_MAX 500                  /* the most changes that help; with more there is no progress */
#define ROUNDS_MAX 50

typedef bool (*FuzzChange)(FuzzCase *fuzz, unsigned n);

static bool still_differs(const FuzzCase *fuzz, FuzzPlay play, FuzzCase *ret_concrete) {
        static FuzzOutcome outcome;

        play(fuzz, &outcome);
        *ret_concrete = outcome.concrete;
        return outcome.differs;
}

static void remove_steps(FuzzCase *fuzz, unsigned first, unsigned n) {
        memmove(fuzz->steps + first, fuzz->steps + first + n, (fuzz->n_steps - first - n) * sizeof(*fuzz->steps));
        fuzz->n_steps -= n;
}

static bool drop_half(FuzzCase *fuzz, unsigned n) {
        unsigned length = fuzz->n_steps / 2;

        if (length == 0 || n + length > fuzz->n_steps)
                return false;
        remove_steps(fuzz, n, length);
        return true;
}

static bool drop_four(FuzzCase *fuzz, unsigned n) {
        if (n * 2 + 4 > fuzz->n_steps)
                return false;
        remove_steps(fuzz, n * 2, 4);
        return true;
}

static bool drop_two(FuzzCase *fuzz, unsigned n) {
        if (n + 2 > fuzz->n_steps)
                return false;
        remove_steps(fuzz, n, 2);
        return true;
}

static bool drop_step(FuzzCase *fuzz, unsigned n) {
        if (n >= fuzz->n_steps)
                return false;
        remove_steps(fuzz, n, 1);
        return true;
}

/* Drops two steps that are not neighbours: an exec and the step that ends its job. */
static bool drop_pair(FuzzCase *fuzz, unsigned n) {
        unsigned a = n / FUZZ_STEPS_MAX, b = n % FUZZ_STEPS_MAX;

        if (a >= fuzz->n_steps || fuzz->n_steps > 24)
                return false;
        if (b <= a || b >= fuzz->n_steps)
                return true;
        remove_steps(fuzz, b, 1);
        remove_steps(fuzz, a, 1);
        return true;
}

static void remove_relation(FuzzRelation *relations, unsigned *n_relations, unsigned at) {
        memmove(relations + at, relations + at + 1, (*n_relations - at - 1) * sizeof(*relations));
        (*n_relations)--;
}

static bool step_names(const FuzzStep *step, int unit) {
        switch (step->kind) {
        case FUZZ_STATE:
        case FUZZ_RESULT:
        case FUZZ_CANCEL:
        case FUZZ_READY:
        case FUZZ_RELOADED:
        case FUZZ_RELATE:
                return step->unit == unit;
        case FUZZ_EXEC:
        case FUZZ_RUN:
        case FUZZ_FINISH:
        case FUZZ_CLEAR:
        case FUZZ_ADVANCE:
        case FUZZ_RESTART:
                return false;
        }
        return false;
}

static void remove_request(FuzzStep *step, unsigned at) {
        memmove(step->requests + at, step->requests + at + 1, (step->n_requests - at - 1) * sizeof(*step->requests));
        step->n_requests--;
}

static bool drop_unit(FuzzCase *fuzz, unsigned n) {
        if (n >= FUZZ_UNITS_MAX)
                return false;
        fuzz->units[n].is_there = false;
        fuzz->units[n].state = UNIT_INACTIVE;
        for (unsigned i = fuzz->n_relations; i-- > 0;)
                if (fuzz->relations[i].unit == (int) n || fuzz->relations[i].other == (int) n)
                        remove_relation(fuzz->relations, &fuzz->n_relations, i);
        for (unsigned i = fuzz->n_steps; i-- > 0;) {
                FuzzStep *step = &fuzz->steps[i];
                bool was_exec = step->kind == FUZZ_EXEC;

                for (unsigned k = step->n_relations; k-- > 0;)
                        if (step->relations[k].other == (int) n)
                                remove_relation(step->relations, &step->n_relations, k);
                for (unsigned k = step->n_requests; k-- > 0;)
                        if (step->requests[k].unit == (int) n)
                                remove_request(step, k);
                if (step_names(step, (int) n) || (was_exec && step->n_requests == 0))
                        remove_steps(fuzz, i, 1);
        }
        return true;
}

static void rename_relations(FuzzRelation *relations, unsigned *n_relations, int from, int to) {
        for (unsigned i = *n_relations; i-- > 0;) {
                relations[i].unit = relations[i].unit == from ? to : relations[i].unit;
                relations[i].other = relations[i].other == from ? to : relations[i].other;
                if (relations[i].unit == relations[i].other)
                        remove_relation(relations, n_relations, i);
        }
}

/* Replaces one unit by another, which shortens a chain. */
static bool join_units(FuzzCase *fuzz, unsigned n) {
        int from = (int) (n / FUZZ_UNITS_MAX), to = (int) (n % FUZZ_UNITS_MAX);

        if (from >= FUZZ_UNITS_MAX)
                return false;
        if (from == to || !fuzz->units[from].is_there || !fuzz->units[to].is_there)
                return true;
        fuzz->units[from].is_there = false;
        fuzz->units[from].state = UNIT_INACTIVE;
        rename_relations(fuzz->relations, &fuzz->n_relations, from, to);
        for (unsigned i = 0; i < fuzz->n_steps; i++) {
                FuzzStep *step = &fuzz->steps[i];

                step->unit = step_names(step, from) ? to : step->unit;
                for (unsigned k = 0; k < step->n_requests; k++)
                        step->requests[k].unit = step->requests[k].unit == from ? to : step->requests[k].unit;
                rename_relations(step->relations, &step->n_relations, from, to);
        }
        return true;
}

static bool drop_relation(FuzzCase *fuzz, unsigned n) {
        if (n >= fuzz->n_relations)
                return false;
        remove_relation(fuzz->relations, &fuzz->n_relations, n);
        return true;
}

static bool drop_redeclared(FuzzCase *fuzz, unsigned n) {
        unsigned step = n / FUZZ_REDECLARED_MAX, at = n % FUZZ_REDECLARED_MAX;

        if (step >= fuzz->n_steps)
                return false;
        if (at < fuzz->steps[step].n_relations)
                remove_relation(fuzz->steps[step].relations, &fuzz->steps[step].n_relations, at);
        return true;
}

static bool drop_request(FuzzCase *fuzz, unsigned n) {
        unsigned step = n / MODEL_REQUESTS_MAX, at = n % MODEL_REQUESTS_MAX;

        if (step >= fuzz->n_steps)
                return false;
        if (at < fuzz->steps[step].n_requests && fuzz->steps[step].n_requests > 1)
                remove_request(&fuzz->steps[step], at);
        return true;
}

static bool simplify_step(FuzzCase *fuzz, unsigned n) {
        FuzzStep *step = &fuzz->steps[n / 4];

        if (n / 4 >= fuzz->n_steps)
                return false;
        switch (n % 4) {
        case 0:
                step->mode = JOB_REPLACE;
                break;
        case 1:
                step->budget = 0;
                break;
        case 2:
                step->flags = 0;
                break;
        default:
                for (unsigned i = 0; i < step->n_requests; i++)
                        step->requests[i].reload_if_possible = false;
        }
        return true;
}

static bool simplify_unit(FuzzCase *fuzz, unsigned n) {
        FuzzUnit *unit = &fuzz->units[n / 8], plain = *unit;

        if (n / 8 >= FUZZ_UNITS_MAX)
                return false;
        switch (n % 8) {
        case 0:
                plain.state = UNIT_INACTIVE;
                break;
        case 1:
                plain = (FuzzUnit) { .is_there = unit->is_there, .load = unit->load, .state = unit->state,
                                     .can_reload = unit->can_reload, .on_success_mode = JOB_FAIL };
                break;
        case 2:
                plain.timeout = plain.running_timeout = 0;
                break;
        case 3:
                plain.priority = 0;
                plain.is_perpetual = plain.refuses_start = plain.refuses_stop = false;
                break;
        case 4:
                plain.stops_when_unneeded = plain.restarts_on_dependency = false;
                break;
        case 5:
                plain.allows_isolate = plain.ignores_isolate = false;
                break;
        case 6:
                plain.on_failure_mode = JOB_REPLACE;
                plain.on_success_mode = JOB_FAIL;
                break;
        default:
                plain.can_reload = false;
        }
        *unit = plain;
        return true;
}

/* Tries all changes of a kind, from the first on. */
static bool try_all(FuzzCase *fuzz, FuzzPlay play, FuzzChange change) {
        static FuzzCase candidate, concrete;
        unsigned n = 0, n_helped = 0;

        while (n_helped < HELPED_MAX) {
                candidate = *fuzz;
                if (!change(&candidate, n))
                        break;
                if (memcmp(&candidate, fuzz, sizeof(candidate)) != 0 && still_differs(&candidate, play, &concrete)) {
                        *fuzz = concrete;
                        n_helped++;
                } else {
                        n++;
                }
        }
        return n_helped > 0;
}

void fuzz_shrink(const FuzzCase *fuzz, FuzzPlay play, FuzzCase *ret_small) {
        static const FuzzChange changes[] = {
                drop_half, drop_four, drop_two, drop_step, drop_unit, join_units, drop_relation, drop_request,
                drop_redeclared, simplify_step, simplify_unit, drop_pair,
        };
        bool is_smaller = true;

        if (!still_differs(fuzz, play, ret_small))
                *ret_small = *fuzz;
        for (int round = 0; round < ROUNDS_MAX && is_smaller; round++) {
                is_smaller = false;
                for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
                        is_smaller |= try_all(ret_small, play, changes[i]);
        }
}
