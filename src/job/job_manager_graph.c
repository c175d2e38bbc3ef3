/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The interface of the job engine: changes of the relations
 *
 * Transactions are checked for order cycles when they are built. New unit
 * files can close a cycle among installed jobs, which would then wait for each
 * other for ever; the youngest of them is canceled. A waiting job scans its
 * neighbours again, because its place in the scan is a number of neighbours.
 */

#include "job/job_manager_private.h"

void job_manager_break_cycles(JobManager *manager) {
        const char *cycle;
        uint32_t id;

        manager->has_cycle_to_come = false;
        while (job_transaction_find_stuck(&manager->transaction, &id, &cycle) > 0) {
                Failure failure = {};

                /* These are restarts in their stop halves, and only their start halves will wait for each other. */
                if (id == JOB_ID_NONE) {
                        manager->has_cycle_to_come = true;
                        return;
                }
                failure_set(&failure, -EDEADLK, "TransactionOrderIsCyclic", "%s; job %u is canceled", cycle, id);
                job_manager_emit(manager, JOB_EVENT_CYCLE_BROKEN, NULL, NULL, &failure);
                failure_deinit(&failure);
                job_manager_end(manager, job_table_find(&manager->table, id), JOB_CANCELED, JOB_END_SPREADS,
                                (JobEndReason) { .code = JOB_END_CYCLE });
        }
}

void job_manager_rescan_neighbours(JobManager *manager, const Unit *unit) {
        static const UnitRelationKind order[] = { UNIT_BEFORE, UNIT_AFTER };

        for (size_t k = 0; k < ELEMENTSOF(order); k++) {
                UnitRelations relations = unit_relations(unit, order[k]);

                for (size_t i = 0; i < relations.n; i++)
                        job_table_rescan(&manager->table, relations.items[i].other);
        }
}

/* May be called from within a request, so it breaks no cycle: the next job_manager_run() does. */
void job_manager_unit_related(JobManager *manager, Unit *unit) {
        job_table_rescan(&manager->table, unit->index);
        job_manager_rescan_neighbours(manager, unit);
        manager->has_cycle_to_come = true;
}

void job_manager_graph_changed(JobManager *manager, uint64_t now) {
        manager->now = now;
        job_manager_check_recoveries(manager);
        job_table_rescan_all(&manager->table);
        job_manager_break_cycles(manager);
        job_manager_follow_up(manager);
}
