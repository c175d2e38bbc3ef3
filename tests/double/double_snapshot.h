/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A snapshot of the engine as a file would give it back
 *
 * In line, since it is of job, and what else is in this folder knows units only.
 */

#include <stdlib.h>

#include "job/job_record.h"

/* Each job is written as bytes, and becomes what these say. Anything that goes wrong ends the test. */
static inline void double_snapshot_through_bytes(JobSnapshot *snapshot) {
        RecordWriter writer = {};

        for (size_t i = 0; i < snapshot->jobs.n; i++) {
                RecordReader reader;

                record_writer_clear(&writer);
                job_record_write(&snapshot->jobs.items[i], &writer);
                job_record_deinit(&snapshot->jobs.items[i]);
                record_reader_init(&reader, writer.bytes, writer.n);
                if (writer.has_failed || job_record_read(&snapshot->jobs.items[i], &reader) < 0 ||
                    !record_is_at_end(&reader))
                        abort();
        }
        record_writer_deinit(&writer);
}
