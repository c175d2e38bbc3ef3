/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unloading units that nothing needs
 *
 * A unit stays as long as it is in use itself, or a unit that refers to it
 * stays. A search goes from a candidate up to the units that refer to it, and
 * stops at the first that is in use; if there is none, all units found are
 * unloaded together, cycles included. The unit in use is stored along the path
 * to it. As long as it is in use, and no relation was removed anywhere, it is
 * the answer for all of them: a chain that stops step by step is searched
 * once.
 *
 * Candidates come from events: a unit was loaded, became inactive, lost its
 * job, its reference, or a unit that referred to it. There is never a walk
 * over all units.
 */

#include <assert.h>

#include "manager/manager_unload.h"
#include "process/process_owner.h"

/* Units and relations visited in one turn before the rest is left to the next. */
#define STEPS_A_TURN 20000U

typedef struct Found {
        uint32_t index;
        uint32_t from;                  /* place in the list of the unit that it refers to */
} Found;

typedef struct Search {
        ManagerUnloading *unloading;
        VECTOR(Found) found;            /* the candidate, then the units that refer to it, and so on */
        uint32_t number;                /* marks the units in .found */
        unsigned steps;
} Search;

/* A unit that is started because this one has ended reads its result: see manager_unloading_consider_handled(). */
static bool has_handler_to_come(ManagerUnloading *unloading, const Unit *unit) {
        static const UnitRelationKind kinds[] = { UNIT_ON_SUCCESS, UNIT_ON_FAILURE };
        JobInfo job;

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                UnitRelations handlers = unit_relations(unit, kinds[i]);

                for (size_t k = 0; k < handlers.n; k++)
                        if (job_manager_unit_job(unloading->engine,
                                                 unit_table_at(unloading->units, handlers.items[k].other), &job))
                                return true;
        }
        return false;
}

static bool is_in_use(ManagerUnloading *unloading, const Unit *unit, const ManagerUnit *row) {
        JobInfo job;

        if (unit->n_references > 0 || unit->settings.is_perpetual)
                return true;
        if (unit->active_state == UNIT_FAILED) {
                if (unit->settings.collect_mode != UNIT_COLLECT_INACTIVE_OR_FAILED)
                        return true;
        } else if (unit->active_state != UNIT_INACTIVE) {
                return true;
        }
        if (row->owner && process_owner_is_busy(row->owner))
                return true;
        /* Processes given to a unit that was never started do not count. */
        if (row->owner && process_owner_has_processes(row->owner) &&
            (unit->active_state != UNIT_INACTIVE || !unit->vtable->give_processes))
                return true;
        if (job_manager_unit_job(unloading->engine, unit, &job))
                return true;
        if (has_handler_to_come(unloading, unit) || job_manager_recovers_with(unloading->engine, unit))
                return true;
        /* A job is about to be requested; for inactive units that is possible only if they are triggered. */
        return unit_relations(unit, UNIT_TRIGGERED_BY).n > 0 && manager_jobs_has(unloading->jobs, unit);
}

/* A known unit in use because of which @unit stays, perhaps @unit itself; otherwise NULL. */
static const Unit *known_keeper(ManagerUnloading *unloading, const Unit *unit, const ManagerUnit *row) {
        const Unit *keeper;

        if (is_in_use(unloading, unit, row))
                return unit;
        if (row->kept_since != unit_table_withdrawals(unloading->units) + 1)
                return NULL;
        keeper = unit_table_at(unloading->units, row->kept_by);
        return keeper && is_in_use(unloading, keeper, manager_units_of(unloading->rows, keeper)) ? keeper : NULL;
}

/* Appends the units that refer to a unit by one kind of relation and were not visited before. */
static int add_referrers_of_kind(Search *search, uint32_t at, UnitRelations relations) {
        search->steps += (unsigned) relations.n;
        for (size_t i = 0; i < relations.n; i++) {
                const Unit *other = unit_table_at(search->unloading->units, relations.items[i].other);
                ManagerUnit *of_other;

                if (relations.items[i].there == UNIT_ORIGIN_NONE)
                        continue;
                of_other = manager_units_of(search->unloading->rows, other);
                if (!of_other)
                        return -ENOMEM;
                if (of_other->walk == search->number)
                        continue;
                of_other->walk = search->number;
                if (vector_push(&search->found, ((Found) { .index = other->index, .from = at })) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int add_referrers(Search *search, uint32_t at) {
        const Unit *unit = unit_table_at(search->unloading->units, search->found.items[at].index);
        int r = 0;

        for (uint32_t kinds = unit->relation_mask; kinds != 0 && r == 0; kinds &= kinds - 1)
                r = add_referrers_of_kind(search, at, unit_relations(unit, (UnitRelationKind) __builtin_ctz(kinds)));
        return r;
}

static void keep_way_to(Search *search, uint32_t at, const Unit *keeper) {
        uint64_t now = unit_table_withdrawals(search->unloading->units) + 1;

        for (;;) {
                const Found *found = &search->found.items[at];
                ManagerUnit *row = manager_units_of(search->unloading->rows,
                                                       unit_table_at(search->unloading->units, found->index));

                row->kept_by = keeper->index;
                row->kept_since = now;
                if (found->from == at)
                        return;
                at = found->from;
        }
}

/* 1: the candidate stays, 0: all of .found can be unloaded, or -ENOMEM. */
static int search_reason_to_stay(Search *search, uint32_t candidate) {
        ManagerUnit *row = manager_units_of(search->unloading->rows,
                                            unit_table_at(search->unloading->units, candidate));
        int r;

        vector_clear(&search->found);
        search->number = ++search->unloading->walk;
        r = vector_push(&search->found, ((Found) { .index = candidate }));
        if (r < 0 || !row)
                return -ENOMEM;
        row->walk = search->number;

        for (uint32_t at = 0; at < search->found.n; at++) {
                const Unit *unit = unit_table_at(search->unloading->units, search->found.items[at].index);
                const Unit *keeper = known_keeper(search->unloading, unit,
                                                  manager_units_of(search->unloading->rows, unit));

                search->steps++;
                if (keeper) {
                        keep_way_to(search, at, keeper);
                        return 1;
                }
                r = add_referrers(search, at);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Makes the units that @unit refers to candidates. */
static void consider_what_it_refers_to(ManagerUnloading *unloading, const Unit *unit) {
        for (uint32_t kinds = unit->relation_mask; kinds != 0; kinds &= kinds - 1) {
                UnitRelations relations = unit_relations(unit, (UnitRelationKind) __builtin_ctz(kinds));

                for (size_t i = 0; i < relations.n; i++)
                        if (relations.items[i].here != UNIT_ORIGIN_NONE)
                                manager_unloading_consider(unloading, unit_table_at(unloading->units,
                                                                                  relations.items[i].other));
        }
}

/* First removes the relations of all of them, so that none is left as a stub; then removes the units. */
static void unload_found(Search *search) {
        UnitTable *units = search->unloading->units;

        for (size_t i = 0; i < search->found.n; i++) {
                Unit *unit = unit_table_at(units, search->found.items[i].index);

                /* While its relations exist, because waiting jobs have counted them. */
                job_manager_forget_unit(search->unloading->engine, unit, search->unloading->turn->now);
                consider_what_it_refers_to(search->unloading, unit);
                manager_transients_drop(search->unloading->transients, unit);
        }
        for (size_t i = 0; i < search->found.n; i++)
                unit_withdraw_relations(unit_table_at(units, search->found.items[i].index));
        for (size_t i = 0; i < search->found.n; i++)
                unit_table_remove(units, unit_table_at(units, search->found.items[i].index));
        search->unloading->turn->has_news = true;
}

static void look_at_candidate(Search *search, uint32_t index) {
        Unit *unit = unit_table_at(search->unloading->units, index);
        int r;

        if (index < search->unloading->rows->rows.n)
                search->unloading->rows->rows.items[index].is_candidate = false;
        if (!unit)
                return;
        r = search_reason_to_stay(search, index);
        if (r == 0)
                unload_found(search);
}

/* Resets all marks when the numbers for searches run out. */
static void reset_marks(ManagerUnloading *unloading) {
        for (size_t i = 0; i < unloading->rows->rows.n; i++)
                unloading->rows->rows.items[i].walk = 0;
        unloading->walk = 0;
}

void manager_unloading_run(ManagerUnloading *unloading) {
        Search search = { .unloading = unloading };

        if (unloading->candidates.n == 0)
                return;
        if (unloading->walk > UINT32_MAX / 2)
                reset_marks(unloading);

        while (unloading->candidates.n > 0 && search.steps < STEPS_A_TURN)
                look_at_candidate(&search, vector_pop(&unloading->candidates));
        if (unloading->candidates.n == 0)
                vector_deinit(&unloading->candidates);
        vector_deinit(&search.found);
}

/* An active unit is considered when it becomes inactive. */
void manager_unloading_consider(ManagerUnloading *unloading, Unit *unit) {
        ManagerUnit *row;

        if (unit->active_state != UNIT_FAILED && unit->active_state != UNIT_INACTIVE)
                return;
        row = manager_units_of(unloading->rows, unit);

        /* Without memory the unit stays; its next change makes it a candidate again. */
        if (!row || row->is_candidate || vector_push(&unloading->candidates, unit->index) < 0)
                return;
        row->is_candidate = true;
}

void manager_unloading_consider_handled(ManagerUnloading *unloading, const Unit *handler) {
        static const UnitRelationKind kinds[] = { UNIT_ON_SUCCESS_OF, UNIT_ON_FAILURE_OF };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                UnitRelations handled = unit_relations(handler, kinds[i]);

                for (size_t k = 0; k < handled.n; k++)
                        manager_unloading_consider(unloading, unit_table_at(unloading->units, handled.items[k].other));
        }
}
