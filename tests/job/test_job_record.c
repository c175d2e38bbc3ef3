/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The bytes of a job's record: what is damaged is refused, and nothing leaks
 *
 * That a job goes on from its bytes is shown by all tests that restart the
 * engine: they go through double_snapshot_through_bytes().
 */

#include <string.h>

#include "double/double_assert.h"
#include "job/job_record.h"

static JobRecord example(void) {
        JobRecord record = {
                .id = 300, .unit = strdup("a.service"), .type = JOB_RESTART, .run_type = JOB_STOP, .state = JOB_RUNNING,
                .is_irreversible = true, .between_halves = true, .transaction = 7, .installed_at = 1000, .triggered_at = 2000,
                .n_more_causes = 3,
        };
        JobCauseRecord cause = {
                .transaction = 7, .requester = strdup(":1.5"), .command = strdup("jobctl"), .reason = NULL, .uid = 1000, .pid = 44,
                .puller = strdup("b.target"), .puller_type = JOB_START, .relation = UNIT_REQUIRES, .is_needed = true,
        };

        cr_assert(eq(int, vector_push(&record.aliases, 298U), 0));
        cr_assert(eq(int, vector_push(&record.causes, cause), 0));
        return record;
}

Test(job_record, bytes_say_all_of_it) {
        RecordWriter writer = {}, again = {};
        JobRecord record = example(), found;
        RecordReader reader;

        job_record_write(&record, &writer);
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, job_record_read(&found, &reader), 0));
        cr_assert(record_is_at_end(&reader));
        assert_string(found.unit, "a.service");
        cr_assert(found.is_irreversible && found.between_halves && !found.is_paused && !found.ignores_order);
        cr_assert(eq(u64, found.triggered_at, 2000));
        cr_assert(eq(u32, found.aliases.items[0], 298));
        assert_string(found.causes.items[0].puller, "b.target");
        assert_string(found.causes.items[0].command, "jobctl");
        assert_null(found.causes.items[0].reason);
        job_record_write(&found, &again);
        cr_assert(writer.n == again.n && memcmp(writer.bytes, again.bytes, writer.n) == 0);
        record_writer_deinit(&writer);
        record_writer_deinit(&again);
        job_record_deinit(&record);
        job_record_deinit(&found);
}

Test(job_record, damaged_bytes_are_refused_or_make_a_record) {
        RecordWriter writer = {};
        JobRecord record = example(), found;
        RecordReader reader;

        job_record_write(&record, &writer);
        for (size_t n = 0; n < writer.n; n++) {
                record_reader_init(&reader, writer.bytes, n);
                cr_assert(eq(int, job_record_read(&found, &reader), -EBADMSG), "%zu bytes", n);
        }
        for (size_t bit = 0; bit < writer.n * 8; bit++) {
                writer.bytes[bit / 8] ^= (uint8_t) (1U << bit % 8);
                record_reader_init(&reader, writer.bytes, writer.n);
                if (job_record_read(&found, &reader) == 0) {
                        cr_assert(found.type < _JOB_TYPE_MAX && found.run_type < _JOB_TYPE_MAX && found.state < _JOB_STATE_MAX);
                        job_record_deinit(&found);
                }
                writer.bytes[bit / 8] ^= (uint8_t) (1U << bit % 8);
        }
        record_writer_deinit(&writer);
        job_record_deinit(&record);
}

Test(job_record, an_ended_job_in_damaged_bytes_is_refused_or_makes_a_record) {
        const JobEndedRecord record = {
                .id = 300, .merged_into = 299, .unit = (char *) "a.service", .type = JOB_RESTART, .run_type = JOB_STOP,
                .result = JOB_TIMEOUT, .transaction = 7, .ended_at = 3000, .reason = 1, .name = (char *) "b.service",
        };
        RecordWriter writer = {};
        RecordReader reader;

        record_put(&writer, 1);
        job_ended_record_write(&record, &writer);
        for (size_t n = 0; n <= writer.n; n++) {
                for (unsigned byte = 0; byte < 256; byte += 51) {
                        JobSnapshot snapshot = {};
                        uint8_t *damaged = malloc(writer.n);

                        memcpy(damaged, writer.bytes, writer.n);
                        if (n < writer.n)
                                damaged[n] = (uint8_t) byte;
                        record_reader_init(&reader, damaged, writer.n);
                        if (job_snapshot_read_record(&snapshot, &reader) == 0 && snapshot.ended.n > 0)
                                cr_assert(ne(ptr, snapshot.ended.items[0].unit, NULL));
                        job_snapshot_sort(&snapshot);
                        job_snapshot_deinit(&snapshot);
                        free(damaged);
                }
        }
        record_writer_deinit(&writer);
}
