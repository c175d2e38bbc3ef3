/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The face of the job engine: save
 *
 * A snapshot is lists of plain records. Relations are not in it: order and
 * blockers follow from the units.
 */

#include <stdlib.h>

#include "job/job_manager_private.h"

static int copy(char **ret_copy, const char *string) {
        *ret_copy = string ? strdup(string) : NULL;
        return string && !*ret_copy ? -ENOMEM : 0;
}

static int save_cause(JobRecord *record, JobCause cause) {
        const JobStep *step = job_cause_step(cause);
        const JobStep *puller = NULL;
        JobCauseRecord item = { .puller_type = _JOB_TYPE_INVALID, .relation = _UNIT_RELATION_INVALID };

        if (!cause.record || !step)
                return 0;
        if (vector_reserve(&record->causes, 1) < 0)
                return -ENOMEM;

        item.transaction = cause.record->id;
        item.uid = cause.record->uid;
        item.pid = cause.record->pid;
        item.is_needed = step->is_needed;
        puller = job_cause_step((JobCause) { .record = cause.record, .step = step->puller });
        if (puller) {
                item.puller_type = puller->type;
                item.relation = step->relation;
        }
        if (copy(&item.requester, cause.record->requester) < 0 || copy(&item.reason, cause.record->reason) < 0 ||
            copy(&item.puller, puller ? puller->unit->string : NULL) < 0) {
                free(item.requester);
                free(item.reason);
                return -ENOMEM;
        }
        record->causes.items[record->causes.n++] = item;
        return 0;
}

static int save_job(const JobManager *manager, const Job *job, JobSnapshot *snapshot) {
        JobRecord *record;
        int r;

        if (!job)
                return 0;
        r = vector_reserve(&snapshot->jobs, 1);
        if (r < 0)
                return r;

        record = &snapshot->jobs.items[snapshot->jobs.n++];
        *record = (JobRecord) {
                .id = job->id,
                .type = job->type,
                .run_type = job->run_type,
                .state = job->state,
                .is_irreversible = job->is_irreversible,
                .ignores_order = job->ignores_order,
                .between_halves = job->between_halves,
                .absorbed_start = job->absorbed_start,
                .is_paused = job->pause != JOB_PAUSE_NONE,
                .transaction = job->cause.record ? job->cause.record->id : 0,
                .installed_at = job->installed_at,
                .triggered_at = job->triggered_at,
                .n_more_causes = job->n_lost_causes,
        };
        r = copy(&record->unit, unit_table_at(manager->units, job->unit)->id);
        for (size_t i = 0; i < job->aliases.n && r == 0; i++)
                r = vector_push(&record->aliases, job->aliases.items[i]);
        for (size_t i = 0; i < job_count_causes(job) && r == 0; i++)
                r = save_cause(record, job_cause_at(job, i));
        return r;
}

static int save_recovery(const JobManager *manager, uint32_t unit, uint32_t waits_for, JobSnapshot *snapshot) {
        const Unit *other = waits_for == 0 ? NULL : unit_table_at(manager->units, waits_for - 1);
        JobRecoveryRecord record = {};

        if (!other)
                return 0;               /* it may have gone: new unit files no longer name it */
        if (copy(&record.unit, unit_table_at(manager->units, unit)->id) < 0 ||
            copy(&record.waits_for, other->id) < 0 ||
            vector_push(&snapshot->recoveries, record) < 0) {
                free(record.unit);
                free(record.waits_for);
                return -ENOMEM;
        }
        return 0;
}

int job_manager_save(const JobManager *manager, JobSnapshot *ret_snapshot) {
        JobSnapshot snapshot = {
                .last_id = manager->table.alloc.cursor,
                .last_transaction = manager->last_transaction,
        };
        int r = 0;

        for (uint32_t i = 0; i < manager->table.n_entries && r == 0; i++) {
                const JobUnitEntry *entry = job_table_peek(&manager->table, i);

                r = save_job(manager, entry->triggered, &snapshot);
                if (r == 0)
                        r = save_job(manager, entry->pending, &snapshot);
                if (r == 0)
                        r = save_job(manager, entry->nop, &snapshot);
                if (r == 0)
                        r = save_recovery(manager, i, entry->recovers_with, &snapshot);
        }
        if (r < 0) {
                job_snapshot_deinit(&snapshot);
                return r;
        }

        *ret_snapshot = snapshot;
        return 0;
}
