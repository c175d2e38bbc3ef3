/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Jobs as plain records: who owns what in them
 */

#include <stdlib.h>

#include "job/job_record.h"

static void job_cause_record_deinit(JobCauseRecord *cause) {
        free(cause->requester);
        free(cause->reason);
        free(cause->puller);
}

static void job_record_deinit(JobRecord *record) {
        for (size_t i = 0; i < record->causes.n; i++)
                job_cause_record_deinit(&record->causes.items[i]);
        vector_deinit(&record->causes);
        vector_deinit(&record->aliases);
        free(record->unit);
}

void job_snapshot_deinit(JobSnapshot *snapshot) {
        for (size_t i = 0; i < snapshot->jobs.n; i++)
                job_record_deinit(&snapshot->jobs.items[i]);
        for (size_t i = 0; i < snapshot->recoveries.n; i++) {
                free(snapshot->recoveries.items[i].unit);
                free(snapshot->recoveries.items[i].waits_for);
        }
        vector_deinit(&snapshot->jobs);
        vector_deinit(&snapshot->recoveries);
}
