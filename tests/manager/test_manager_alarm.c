/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Alarms: what is put when, and what is forgotten
 */

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "manager/manager_alarm.h"

/* What a batch says of the table of alarms. */
typedef struct Batch {
        unsigned n_put, n_deleted;
        uint64_t last_put, last_deleted;
        int64_t acknowledged; /* of the last row that is put */
        char text[128]; /* the same */
} Batch;

static void raise(ManagerAlarms *alarms, ManagerAlarmKind kind, const char *unit) {
        cr_assert_eq(manager_alarms_raise(alarms, &(ManagerAlarmFacts) { .kind = kind,
                                                                        .run = 7,
                                                                        .unit = unit,
                                                                        .text = "It is late.",
                                                                        .raised = 1 }),
                     0);
}

static void put(ManagerAlarms *alarms, bool is_taken, Batch *ret_batch) {
        RecordWriter writer = {};
        RunStoreOperation operation;
        RecordReader reader;

        *ret_batch = (Batch) {};
        manager_alarms_put(alarms, &writer);
        cr_assert_not(writer.has_failed);
        record_reader_init(&reader, writer.bytes, writer.n);
        while (runstore_next_operation(&reader, &operation) > 0) {
                const uint64_t id = (uint64_t) operation.values[ALARM_ID].integer;

                cr_assert_eq(operation.table, RUNSTORE_ALARM);
                if (operation.kind == RUNSTORE_PUT) {
                        ret_batch->n_put++;
                        ret_batch->last_put = id;
                        ret_batch->acknowledged = operation.values[ALARM_ACKNOWLEDGED].integer;
                        snprintf(ret_batch->text, sizeof(ret_batch->text), "%s",
                                 (const char *) operation.values[ALARM_TEXT].bytes);
                } else {
                        ret_batch->n_deleted++;
                        ret_batch->last_deleted = id;
                }
        }
        record_writer_deinit(&writer);
        manager_alarms_end_batch(alarms, is_taken);
}

Test(manager_alarm, is_put_until_a_batch_has_it) {
        ManagerAlarms *alarms;
        Batch batch;

        cr_assert_eq(manager_alarms_new(&alarms), 0);
        raise(alarms, MANAGER_ALARM_PENDING, "a.flow");
        put(alarms, false, &batch);
        cr_assert_eq(batch.n_put, 1U);
        cr_assert(manager_alarms_has_rows(alarms));
        put(alarms, true, &batch);
        cr_assert_eq(batch.n_put, 1U);
        cr_assert_not(manager_alarms_has_rows(alarms));
        put(alarms, true, &batch);
        cr_assert_eq(batch.n_put, 0U);
        manager_alarms_free(alarms);
}

Test(manager_alarm, acknowledgement_is_put_until_a_batch_has_it) {
        ManagerAlarms *alarms;
        uint32_t run;
        Batch batch;

        cr_assert_eq(manager_alarms_new(&alarms), 0);
        raise(alarms, MANAGER_ALARM_PENDING, "a.flow");
        put(alarms, true, &batch);
        cr_assert_eq(manager_alarms_acknowledge(alarms, 1, NULL, 5, &run), 0);
        cr_assert_eq(run, 7U);
        cr_assert_eq(manager_alarms_count(alarms), 0U);
        cr_assert_eq(manager_alarms_acknowledge(alarms, 1, NULL, 5, &run), -ENOENT);
        put(alarms, false, &batch);
        put(alarms, true, &batch);
        cr_assert_eq(batch.n_put, 1U);
        cr_assert_eq(batch.acknowledged, 5);
        manager_alarms_free(alarms);
}

Test(manager_alarm, one_that_asks_for_a_person_says_that_its_run_has_ended) {
        ManagerAlarms *alarms;
        Batch batch;

        cr_assert_eq(manager_alarms_new(&alarms), 0);
        raise(alarms, MANAGER_ALARM_PENDING, "a.flow");
        raise(alarms, MANAGER_ALARM_CALLBACK, "a.flow");
        put(alarms, true, &batch);
        cr_assert_eq(manager_alarms_note_end(alarms, 8, "FAILED"), 0);
        cr_assert_not(manager_alarms_has_rows(alarms));
        cr_assert_eq(manager_alarms_note_end(alarms, 7, "TIMEOUT"), 0);
        put(alarms, false, &batch);
        put(alarms, true, &batch);
        cr_assert_eq(batch.n_put, 1U);
        cr_assert_eq(batch.last_put, 1U);
        cr_assert_str_eq(batch.text, "It is late. Run 7 has ended since: TIMEOUT.");
        cr_assert_eq(manager_alarms_count(alarms), 2U);
        cr_assert_eq(manager_alarms_note_end(alarms, 7, "TIMEOUT"), 0);
        cr_assert_not(manager_alarms_has_rows(alarms));
        cr_assert_eq(manager_alarms_note_end(alarms, 7, "SUCCEEDED"), 0);
        put(alarms, true, &batch);
        cr_assert_str_eq(batch.text, "It is late. Run 7 has ended since: SUCCEEDED.");
        manager_alarms_free(alarms);
}

Test(manager_alarm, full_queue_raises_one_that_is_open) {
        ManagerAlarms *alarms;
        uint32_t run;

        cr_assert_eq(manager_alarms_new(&alarms), 0);
        raise(alarms, MANAGER_ALARM_QUEUE, "a.flow");
        raise(alarms, MANAGER_ALARM_QUEUE, "a.flow");
        raise(alarms, MANAGER_ALARM_QUEUE, "b.flow");
        cr_assert_eq(manager_alarms_count(alarms), 2U);
        cr_assert_eq(manager_alarms_acknowledge(alarms, 1, NULL, 5, &run), 0);
        raise(alarms, MANAGER_ALARM_QUEUE, "a.flow");
        cr_assert_eq(manager_alarms_count(alarms), 2U);
        manager_alarms_free(alarms);
}

/* Open ones stay however many follow; of the others the store keeps the last. */
Test(manager_alarm, store_keeps_the_last_and_those_that_are_open) {
        ManagerAlarms *alarms;
        uint32_t run;
        Batch batch;

        cr_assert_eq(manager_alarms_new(&alarms), 0);
        for (uint64_t id = 1; id <= MANAGER_ALARMS_KEPT + 2; id++) {
                raise(alarms, MANAGER_ALARM_PENDING, "a.flow");
                put(alarms, true, &batch);
                cr_assert_eq(batch.n_deleted, id == MANAGER_ALARMS_KEPT + 2 ? 1U : 0U);
                if (id != 1)
                        cr_assert_eq(manager_alarms_acknowledge(alarms, id, NULL, 5, &run), 0);
                put(alarms, true, &batch);
                cr_assert_eq(batch.n_deleted, 0U);
        }
        cr_assert_eq(manager_alarms_acknowledge(alarms, 1, NULL, 5, &run), 0);
        put(alarms, true, &batch);
        cr_assert_eq(batch.n_put, 0U);
        cr_assert_eq(batch.last_deleted, 1U);
        manager_alarms_free(alarms);
}

Test(manager_alarm, lost_store_gets_those_that_are_open_again) {
        ManagerAlarms *alarms;
        Batch batch;

        cr_assert_eq(manager_alarms_new(&alarms), 0);
        raise(alarms, MANAGER_ALARM_PENDING, "a.flow");
        raise(alarms, MANAGER_ALARM_SUSPENDED, "a.flow");
        put(alarms, true, &batch);
        manager_alarms_put_all(alarms);
        put(alarms, true, &batch);
        cr_assert_eq(batch.n_put, 2U);
        manager_alarms_free(alarms);
}
