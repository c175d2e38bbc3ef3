/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unloading units that nobody needs
 *
 * A unit stays as long as it is in use itself, or a unit that refers to it
 * stays. So a search goes from a candidate up to those that refer to it, and
 * stops at the first that is in use; if there is none, all that was found goes
 * together, cycles too. The unit in use that was found is noted along the way to
 * it. As long as that one is in use and no relation was taken away anywhere, it
 * is the answer for all of them: a chain that stops step by step is walked once.
 *
 * Candidates come from events: a unit was loaded, became inactive, lost its
 * job, its reference, or a unit that referred to it. All units are never
 * walked.
 */

#include <assert.h>

#include "manager/manager_private.h"
#include "manager/manager_transient.h"

/* Units and relations looked at in one turn before the rest is left to the next. */
#define STEPS_A_TURN 20000U

typedef struct Found {
        uint32_t index;
        uint32_t from;                  /* place in the list of the unit that it refers to */
} Found;

typedef struct Search {
        Manager *manager;
        VECTOR(Found) found;            /* the candidate, then those that refer to it, and so on */
        uint32_t number;                /* marks those that are in .found */
        unsigned steps;
} Search;

/* Whoever is started because it has ended is told how it has: see manager_consider_handled(). */
static bool has_handler_to_come(Manager *manager, const Unit *unit) {
        static const UnitRelationKind kinds[] = { UNIT_ON_SUCCESS, UNIT_ON_FAILURE };
        JobInfo job;

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                UnitRelations handlers = unit_relations(unit, kinds[i]);

                for (size_t k = 0; k < handlers.n; k++)
                        if (job_manager_unit_job(manager->jobs, unit_table_at(manager->units, handlers.items[k].other), &job))
                                return true;
        }
        return false;
}

static bool is_in_use(Manager *manager, const Unit *unit, const ManagerUnit *of_unit) {
        JobInfo job;

        if (unit->n_references > 0 || unit->settings.is_perpetual)
                return true;
        if (unit->active_state == UNIT_FAILED) {
                if (unit->settings.collect_mode != UNIT_COLLECT_INACTIVE_OR_FAILED)
                        return true;
        } else if (unit->active_state != UNIT_INACTIVE) {
                return true;
        }
        if (of_unit->group || (of_unit->owner && (of_unit->owner->timers || of_unit->owner->n_errands > 0)))
                return true;
        /* Those that it was given, and would have had if it had been started, are none of it. */
        if (of_unit->owner && of_unit->owner->processes && (unit->active_state != UNIT_INACTIVE || !unit->vtable->give_processes))
                return true;
        if (job_manager_unit_job(manager->jobs, unit, &job))
                return true;
        if (has_handler_to_come(manager, unit) || job_manager_recovers_with(manager->jobs, unit))
                return true;
        /* One that is about to be asked for: only those are, while they are inactive. */
        return unit_relations(unit, UNIT_TRIGGERED_BY).n > 0 && manager_has_job(manager, unit);
}

/* A unit in use because of which @unit stays, itself perhaps, if one is known; else NULL. */
static const Unit *known_keeper(Manager *manager, const Unit *unit, const ManagerUnit *of_unit) {
        const Unit *keeper;

        if (is_in_use(manager, unit, of_unit))
                return unit;
        if (of_unit->kept_since != unit_table_withdrawals(manager->units) + 1)
                return NULL;
        keeper = unit_table_at(manager->units, of_unit->kept_by);
        return keeper && is_in_use(manager, keeper, manager_of_unit(manager, keeper)) ? keeper : NULL;
}

/* Appends those that refer to a unit by one kind of relation and were not met before. */
static int add_referrers_of_kind(Search *search, uint32_t at, UnitRelations relations) {
        search->steps += (unsigned) relations.n;
        for (size_t i = 0; i < relations.n; i++) {
                const Unit *other = unit_table_at(search->manager->units, relations.items[i].other);
                ManagerUnit *of_other;

                if (relations.items[i].there == UNIT_ORIGIN_NONE)
                        continue;
                of_other = manager_of_unit(search->manager, other);
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
        const Unit *unit = unit_table_at(search->manager->units, search->found.items[at].index);
        int r = 0;

        for (uint32_t kinds = unit->relation_mask; kinds != 0 && r == 0; kinds &= kinds - 1)
                r = add_referrers_of_kind(search, at, unit_relations(unit, (UnitRelationKind) __builtin_ctz(kinds)));
        return r;
}

static void keep_way_to(Search *search, uint32_t at, const Unit *keeper) {
        uint64_t now = unit_table_withdrawals(search->manager->units) + 1;

        for (;;) {
                const Found *found = &search->found.items[at];
                ManagerUnit *of_unit = manager_of_unit(search->manager,
                                                       unit_table_at(search->manager->units, found->index));

                of_unit->kept_by = keeper->index;
                of_unit->kept_since = now;
                if (found->from == at)
                        return;
                at = found->from;
        }
}

/* 1: the candidate stays, 0: all of .found may go, or -ENOMEM. */
static int search_reason_to_stay(Search *search, uint32_t candidate) {
        ManagerUnit *of_unit = manager_of_unit(search->manager, unit_table_at(search->manager->units, candidate));
        int r;

        vector_clear(&search->found);
        search->number = ++search->manager->walk;
        r = vector_push(&search->found, ((Found) { .index = candidate }));
        if (r < 0 || !of_unit)
                return -ENOMEM;
        of_unit->walk = search->number;

        for (uint32_t at = 0; at < search->found.n; at++) {
                const Unit *unit = unit_table_at(search->manager->units, search->found.items[at].index);
                const Unit *keeper = known_keeper(search->manager, unit, manager_of_unit(search->manager, unit));

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

/* What @unit refers to has one reason less to stay. */
static void consider_what_it_refers_to(Manager *manager, const Unit *unit) {
        for (uint32_t kinds = unit->relation_mask; kinds != 0; kinds &= kinds - 1) {
                UnitRelations relations = unit_relations(unit, (UnitRelationKind) __builtin_ctz(kinds));

                for (size_t i = 0; i < relations.n; i++)
                        if (relations.items[i].here != UNIT_ORIGIN_NONE)
                                manager_consider_unloading(manager, unit_table_at(manager->units,
                                                                                  relations.items[i].other));
        }
}

/* First none of them refers to another any more, so that none is left behind as a stub; then they go. */
static void unload_found(Search *search) {
        UnitTable *units = search->manager->units;

        for (size_t i = 0; i < search->found.n; i++) {
                Unit *unit = unit_table_at(units, search->found.items[i].index);

                /* As long as its relations are there: a job that waits has counted them. */
                job_manager_forget_unit(search->manager->jobs, unit, search->manager->now);
                consider_what_it_refers_to(search->manager, unit);
                manager_drop_transient(search->manager, unit);
        }
        for (size_t i = 0; i < search->found.n; i++)
                unit_withdraw_relations(unit_table_at(units, search->found.items[i].index));
        for (size_t i = 0; i < search->found.n; i++)
                unit_table_remove(units, unit_table_at(units, search->found.items[i].index));
        search->manager->has_news = true;
}

static void look_at_candidate(Search *search, uint32_t index) {
        Unit *unit = unit_table_at(search->manager->units, index);
        int r;

        if (index < search->manager->of_units.n)
                search->manager->of_units.items[index].is_candidate = false;
        if (!unit)
                return;
        r = search_reason_to_stay(search, index);
        if (r == 0)
                unload_found(search);
}

/* Marks are compared by number: when these run out all start anew. */
static void reset_marks(Manager *manager) {
        for (size_t i = 0; i < manager->of_units.n; i++)
                manager->of_units.items[i].walk = 0;
        manager->walk = 0;
}

void manager_unload_candidates(Manager *manager) {
        Search search = { .manager = manager };

        if (manager->candidates.n == 0)
                return;
        if (manager->walk > UINT32_MAX / 2)
                reset_marks(manager);

        while (manager->candidates.n > 0 && search.steps < STEPS_A_TURN)
                look_at_candidate(&search, vector_pop(&manager->candidates));
        if (manager->candidates.n == 0)
                vector_deinit(&manager->candidates);
        vector_deinit(&search.found);
}

/* One that is active will be considered when it is not any more. */
void manager_consider_unloading(Manager *manager, Unit *unit) {
        ManagerUnit *of_unit;

        if (unit->active_state != UNIT_FAILED && unit->active_state != UNIT_INACTIVE)
                return;
        of_unit = manager_of_unit(manager, unit);

        /* Without memory the unit stays for now; its next change makes it a candidate again. */
        if (!of_unit || of_unit->is_candidate || vector_push(&manager->candidates, unit->index) < 0)
                return;
        of_unit->is_candidate = true;
}

void manager_consider_handled(Manager *manager, const Unit *handler) {
        static const UnitRelationKind kinds[] = { UNIT_ON_SUCCESS_OF, UNIT_ON_FAILURE_OF };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                UnitRelations handled = unit_relations(handler, kinds[i]);

                for (size_t k = 0; k < handled.n; k++)
                        manager_consider_unloading(manager, unit_table_at(manager->units, handled.items[k].other));
        }
}
