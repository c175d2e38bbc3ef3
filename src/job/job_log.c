/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * History of ended jobs and transactions
 */

#include <assert.h>
#include <stdlib.h>

#include "basic/fetch.h"
#include "basic/hash.h"
#include "job/job_log.h"

int job_log_init(JobLog *log) {
        *log = (JobLog) {};
        log->ended = malloc(JOB_LOG_ENDED_MAX * sizeof(*log->ended));
        log->transactions = calloc(JOB_LOG_TRANSACTIONS_MAX, sizeof(*log->transactions));
        if (!log->ended || !log->transactions || id_map_reserve(&log->by_id, JOB_LOG_ENDED_MAX) < 0) {
                job_log_deinit(log);
                return -ENOMEM;
        }

        /* Written to, so that the kernel allocates the pages now rather than one by one later. */
        memset(log->ended, 0xff, JOB_LOG_ENDED_MAX * sizeof(*log->ended));
        memset(log->ended, 0, JOB_LOG_ENDED_MAX * sizeof(*log->ended));
        return 0;
}

static void job_ended_deinit(JobEnded *ended) {
        job_name_unref(ended->unit);
        job_name_unref(ended->reason.name);
}

static uint32_t job_log_key(const char *unit) {
        uint64_t hash = hash_add(HASH_BEGIN, unit);

        return (uint32_t) (hash ^ hash >> 32) ?: 1;
}

const JobEnded *job_log_find_unmet(const JobLog *log, const char *unit) {
        const JobEnded *ended = log->unmet.n == 0 ? NULL : id_map_get(&log->unmet, job_log_key(unit));

        return ended && strcmp(ended->unit->string, unit) == 0 ? ended : NULL;
}

/* The entry is overwritten. */
static void job_log_forget_unmet(JobLog *log, const JobEnded *ended) {
        uint32_t key;

        if (!job_end_reason_is_unmet(&ended->reason))
                return;
        key = job_log_key(ended->unit->string);
        if (id_map_get(&log->unmet, key) == ended)
                id_map_remove(&log->unmet, key);
}

/* Without memory the conditions are unknown once the unit is unloaded. */
static void job_log_note_unmet(JobLog *log, JobEnded *ended) {
        if (job_end_reason_is_unmet(&ended->reason))
                (void) id_map_put(&log->unmet, job_log_key(ended->unit->string), ended);
        else if (ended->run_type == JOB_START && job_log_find_unmet(log, ended->unit->string))
                id_map_remove(&log->unmet, job_log_key(ended->unit->string));
}

static size_t job_record_bytes(const JobTransactionRecord *record) {
        size_t n = sizeof(*record) + record->steps.allocated * sizeof(JobStep) +
                   record->drops.allocated * sizeof(JobDrop);

        for (size_t i = 0; i < record->drops.n; i++)
                n += strlen(record->drops.items[i].why) + 32;
        return n;
}

static void job_log_drop_transaction(JobLog *log) {
        JobTransactionRecord **oldest = &log->transactions[log->first_transaction];

        log->n_bytes -= job_record_bytes(*oldest);
        *oldest = job_transaction_record_unref(*oldest);
        log->first_transaction = (log->first_transaction + 1) % JOB_LOG_TRANSACTIONS_MAX;
        log->n_transactions--;
}

void job_log_deinit(JobLog *log) {
        for (size_t i = 0; i < log->n_ended; i++)
                job_ended_deinit(&log->ended[i]);
        while (log->n_transactions > 0)
                job_log_drop_transaction(log);
        free(log->ended);
        free(log->transactions);
        id_map_deinit(&log->by_id);
        id_map_deinit(&log->unmet);
        *log = (JobLog) {};
}

uint32_t job_log_add_ended(JobLog *log, JobEnded ended) {
        JobEnded *place = &log->ended[log->next_ended];
        uint32_t forgotten = JOB_ID_NONE;

        if (log->n_ended == JOB_LOG_ENDED_MAX) {
                if (id_map_get(&log->by_id, place->id) == place) {
                        id_map_remove(&log->by_id, place->id);
                        forgotten = place->id;
                }
                job_log_forget_unmet(log, place);
                job_ended_deinit(place);
        } else
                log->n_ended++;

        /* Prefetches the entry that will be overwritten four calls later; its name was last read long ago. */
        if (log->n_ended == JOB_LOG_ENDED_MAX)
                fetch_ahead(log->ended[(log->next_ended + 4) % JOB_LOG_ENDED_MAX].unit);
        *place = ended;
        (void) id_map_put(&log->by_id, place->id, place);
        job_log_note_unmet(log, place);
        log->next_ended = (log->next_ended + 1) % JOB_LOG_ENDED_MAX;
        return forgotten;
}

/* The record must be complete, because its size is counted here. */
void job_log_add_transaction(JobLog *log, JobTransactionRecord *record) {
        size_t place;

        if (log->n_transactions == JOB_LOG_TRANSACTIONS_MAX)
                job_log_drop_transaction(log);
        place = (log->first_transaction + log->n_transactions++) % JOB_LOG_TRANSACTIONS_MAX;
        log->transactions[place] = job_transaction_record_ref(record);
        log->n_bytes += job_record_bytes(record);
        while (log->n_bytes > JOB_LOG_TRANSACTIONS_BYTES && log->n_transactions > 1)
                job_log_drop_transaction(log);
}

const JobEnded *job_log_at(const JobLog *log, size_t i) {
        return &log->ended[(log->next_ended + JOB_LOG_ENDED_MAX - log->n_ended + i) % JOB_LOG_ENDED_MAX];
}

const JobEnded *job_log_find(const JobLog *log, uint32_t id) {
        return id == JOB_ID_NONE ? NULL : id_map_get(&log->by_id, id);
}

const JobEnded *job_log_find_of_unit(const JobLog *log, const char *unit) {
        for (size_t i = log->n_ended; i > 0; i--) {
                const JobEnded *ended = job_log_at(log, i - 1);

                if (strcmp(ended->unit->string, unit) == 0)
                        return ended;
        }
        return NULL;
}

/* @age: 0 for the newest. */
static JobTransactionRecord *job_log_transaction_at(const JobLog *log, size_t age) {
        size_t place = log->first_transaction + log->n_transactions - 1 - age;

        return log->transactions[place % JOB_LOG_TRANSACTIONS_MAX];
}

JobTransactionRecord *job_log_find_transaction(const JobLog *log, uint64_t id) {
        for (size_t age = 0; age < log->n_transactions; age++) {
                JobTransactionRecord *record = job_log_transaction_at(log, age);

                if (record->id == id)
                        return record;
        }
        return NULL;
}

JobCause job_log_find_request(const JobLog *log, uint32_t id) {
        for (size_t age = log->n_transactions; age > 0; age--) {
                JobTransactionRecord *record = job_log_transaction_at(log, age - 1);

                for (size_t i = 0; i < record->steps.n; i++)
                        if (record->steps.items[i].id == id)
                                return (JobCause) { .record = record, .step = (uint32_t) i };
        }
        return (JobCause) {};
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

JobTransactionRecord *job_log_find_drop(const JobLog *log, const char *unit, const JobDrop **ret_drop) {
        for (size_t age = 0; age < log->n_transactions; age++) {
                JobTransactionRecord *record = job_log_transaction_at(log, age);

                *ret_drop = job_record_find_drop(record, unit);
                if (*ret_drop || job_record_refused_unit(record, unit))
                        return record;
        }
        return NULL;
}
