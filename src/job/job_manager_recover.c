/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: recovery of dependents
 *
 * A unit with RestartOnDependency= whose start ended because of another unit
 * is started again when that one becomes active. The other unit is stored by
 * its index. The index is reused after the other unit is unloaded, so the wait
 * ends then and, after a reload of unit files, when the relation is gone.
 */

#include <stdio.h>

#include "job/job_manager_private.h"

/* The relations over which a unit finds the units that recover with it. */
static const UnitRelationKind recovering[] = { UNIT_REQUIRED_BY, UNIT_REQUISITE_OF, UNIT_BOUND_BY };

static bool depends_on(const Unit *unit, const Unit *other) {
        for (size_t k = 0; k < ELEMENTSOF(recovering); k++)
                if (unit_has_relation(other, recovering[k], unit))
                        return true;
        return false;
}

void job_manager_remember_recovery(JobManager *manager, const Job *job, const Unit *unit, const JobEnd *end) {
        UnitRelations bound = unit_relations(unit, UNIT_BINDS_TO);
        uint32_t because = end->because;

        if (end->result != JOB_DEPENDENCY || job->run_type != JOB_START || !unit->settings.restart_on_dependency)
                return;

        for (size_t i = 0; i < bound.n && because == 0; i++)
                if (!unit_state_is_active_or_reloading(
                            unit_table_at(manager->units, bound.items[i].other)->active_state))
                        because = bound.items[i].other + 1;
        if (because != 0 && !depends_on(unit, unit_table_at(manager->units, because - 1)))
                return;                 /* the end of a failed stop */
        job_table_set_recovery(&manager->table, job->unit, because);
}

/* Requests starts for the units whose start failed because of this one. */
void job_manager_recover(JobManager *manager, const Unit *unit, const JobChange *change) {
        cleanup_(job_name_unrefp) JobName *reason = NULL;
        char text[UNIT_NAME_MAX + 64];

        if (manager->table.n_recovering == 0)
                return;
        if (!unit_state_is_active_or_reloading(change->new) || unit_state_is_active_or_reloading(change->old))
                return;

        for (size_t k = 0; k < ELEMENTSOF(recovering); k++) {
                UnitRelations relations = unit_relations(unit, recovering[k]);

                for (size_t i = 0; i < relations.n; i++) {
                        uint32_t other = relations.items[i].other;

                        if (job_table_peek(&manager->table, other)->recovers_with != unit->index + 1)
                                continue;
                        if (!reason) {
                                snprintf(text, sizeof(text), "%s is active again", unit->id);
                                reason = job_name_new(text);
                        }
                        job_table_set_recovery(&manager->table, other, 0);
                        (void) job_notify_request(&manager->notify, unit_table_at(manager->units, other), JOB_START,
                                                  JOB_REPLACE, reason);
                }
        }
}

/* @unit is unloaded and will not be active again; its index may be reused. */
void job_manager_forget_recoveries(JobManager *manager, const Unit *unit) {
        if (manager->table.n_recovering == 0)
                return;
        for (size_t k = 0; k < ELEMENTSOF(recovering); k++) {
                UnitRelations relations = unit_relations(unit, recovering[k]);

                for (size_t i = 0; i < relations.n; i++)
                        if (job_table_peek(&manager->table, relations.items[i].other)->recovers_with == unit->index + 1)
                                job_table_set_recovery(&manager->table, relations.items[i].other, 0);
        }
}

/* Without the relation the recovery would not be found when the other unit is unloaded. */
void job_manager_check_recoveries(JobManager *manager) {
        for (uint32_t i = 0; i < manager->table.n_entries && manager->table.n_recovering > 0; i++) {
                uint32_t recovers_with = job_table_peek(&manager->table, i)->recovers_with;
                const Unit *unit, *other;

                if (recovers_with == 0)
                        continue;
                unit = unit_table_at(manager->units, i);
                other = unit_table_at(manager->units, recovers_with - 1);
                if (!unit || !other || !depends_on(unit, other))
                        job_table_set_recovery(&manager->table, i, 0);
        }
}
