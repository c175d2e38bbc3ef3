/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What has been
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_log.h"

static void job_ended_deinit(JobEnded *ended) {
        job_name_unref(ended->unit);
        job_transaction_record_unref(ended->why.record);
        free(ended->cause);
}

void job_log_deinit(JobLog *log) {
        for (size_t i = 0; i < log->n_ended; i++)
                job_ended_deinit(&log->ended[i]);
        for (size_t i = 0; i < JOB_LOG_TRANSACTIONS_MAX; i++)
                job_transaction_record_unref(log->transactions[i]);
        free(log->ended);
        id_map_deinit(&log->by_id);
        *log = (JobLog) {};
}

void job_log_add_ended(JobLog *log, JobEnded ended) {
        JobEnded *place;

        if (!log->ended)
                log->ended = calloc(JOB_LOG_ENDED_MAX, sizeof(*log->ended));
        if (!log->ended) {
                job_ended_deinit(&ended);
                return;
        }

        place = &log->ended[log->next_ended];
        if (log->n_ended == JOB_LOG_ENDED_MAX) {
                if (id_map_get(&log->by_id, place->id) == place)
                        id_map_remove(&log->by_id, place->id);
                job_ended_deinit(place);
        } else
                log->n_ended++;

        *place = ended;
        (void) id_map_put(&log->by_id, place->id, place);
        log->next_ended = (log->next_ended + 1) % JOB_LOG_ENDED_MAX;
}

void job_log_add_transaction(JobLog *log, JobTransactionRecord *record) {
        JobTransactionRecord **place = &log->transactions[log->next_transaction];

        job_transaction_record_unref(*place);
        *place = job_transaction_record_ref(record);
        log->next_transaction = (log->next_transaction + 1) % JOB_LOG_TRANSACTIONS_MAX;
}

const JobEnded *job_log_find(const JobLog *log, uint32_t id) {
        return id == JOB_ID_NONE ? NULL : id_map_get(&log->by_id, id);
}

const JobEnded *job_log_find_of_unit(const JobLog *log, const char *unit) {
        for (size_t i = 1; i <= log->n_ended; i++) {
                const JobEnded *ended = &log->ended[(log->next_ended + JOB_LOG_ENDED_MAX - i) % JOB_LOG_ENDED_MAX];

                if (strcmp(ended->unit->string, unit) == 0)
                        return ended;
        }
        return NULL;
}

static const JobTransactionRecord *job_log_transaction_at(const JobLog *log, size_t age) {
        return log->transactions[(log->next_transaction + JOB_LOG_TRANSACTIONS_MAX - age) % JOB_LOG_TRANSACTIONS_MAX];
}

const JobTransactionRecord *job_log_find_transaction(const JobLog *log, uint64_t id) {
        for (size_t age = 1; age <= JOB_LOG_TRANSACTIONS_MAX; age++) {
                const JobTransactionRecord *record = job_log_transaction_at(log, age);

                if (record && record->id == id)
                        return record;
        }
        return NULL;
}

static const JobDrop *job_record_find_drop(const JobTransactionRecord *record, const char *unit) {
        for (size_t i = 0; i < record->drops.n; i++)
                if (strcmp(record->drops.items[i].unit->string, unit) == 0)
                        return &record->drops.items[i];
        return NULL;
}

static bool job_record_refused_unit(const JobTransactionRecord *record, const char *unit) {
        if (record->failure.code == 0)
                return false;
        for (size_t i = 0; i < record->steps.n; i++)
                if (strcmp(record->steps.items[i].unit->string, unit) == 0)
                        return true;
        return false;
}

const JobTransactionRecord *job_log_find_drop(const JobLog *log, const char *unit, const JobDrop **ret_drop) {
        for (size_t age = 1; age <= JOB_LOG_TRANSACTIONS_MAX; age++) {
                const JobTransactionRecord *record = job_log_transaction_at(log, age);

                if (!record)
                        return NULL;
                *ret_drop = job_record_find_drop(record, unit);
                if (*ret_drop || job_record_refused_unit(record, unit))
                        return record;
        }
        return NULL;
}
