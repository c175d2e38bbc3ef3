/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The record of a transaction
 */

#include <stdio.h>
#include <stdlib.h>

#include "job/job_cause.h"

JobTransactionRecord *job_transaction_record_new(void) {
        JobTransactionRecord *record = calloc(1, sizeof(*record));

        if (record)
                record->n_references = 1;
        return record;
}

JobTransactionRecord *job_transaction_record_ref(JobTransactionRecord *record) {
        if (record)
                record->n_references++;
        return record;
}

JobTransactionRecord *job_transaction_record_unref(JobTransactionRecord *record) {
        if (!record || --record->n_references > 0)
                return NULL;

        for (size_t i = 0; i < record->steps.n; i++)
                job_name_unref(record->steps.items[i].unit);
        for (size_t i = 0; i < record->drops.n; i++) {
                job_name_unref(record->drops.items[i].unit);
                job_name_unref(record->drops.items[i].puller);
                free(record->drops.items[i].why);
        }
        vector_deinit(&record->steps);
        vector_deinit(&record->drops);
        failure_deinit(&record->failure);
        free(record->requester);
        free(record->command);
        free(record->reason);
        free(record);
        return NULL;
}

const JobStep *job_cause_step(JobCause cause) {
        if (!cause.record || cause.step >= cause.record->steps.n)
                return NULL;
        return &cause.record->steps.items[cause.step];
}

const char *job_declaration_format(UnitRelationKind relation, bool declared_there, const char *puller,
                                   const char *unit, const char *origin,
                                   char buffer[static JOB_DECLARATION_TEXT_MAX]) {
        if (declared_there)
                snprintf(buffer, JOB_DECLARATION_TEXT_MAX, "%s=%s of %s (%s)",
                         unit_relation_to_string(unit_relation_inverse(relation)), puller, unit, origin);
        else
                snprintf(buffer, JOB_DECLARATION_TEXT_MAX, "%s=%s (%s)", unit_relation_to_string(relation), unit,
                         origin);
        return buffer;
}
