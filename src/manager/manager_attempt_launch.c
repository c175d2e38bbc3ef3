/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The record of a launch
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_attempt_launch.h"

void manager_launch_deinit(ManagerLaunch *launch) {
        run_range_free(launch->range);
        free(launch->saved);
        vector_deinit(&launch->mended);
        *launch = (ManagerLaunch) {};
}

void manager_launch_write(const ManagerLaunch *launch, RecordWriter *writer) {
        size_t place;

        record_put(writer, launch->stage);
        record_put(writer, launch->number);
        record_put(writer, launch->n_issued);
        record_put(writer, launch->is_failed);
        record_put(writer, launch->changed_at);
        record_put(writer, launch->paused_at);
        if (!launch->range) {
                record_put_bytes(writer, launch->saved, launch->n_saved);
                return;
        }
        place = record_open(writer);
        manager_launch_save(launch->range, &launch->mend, launch->changed_at, writer);
        (void) record_close(writer, place);
}

int manager_launch_read(ManagerLaunch *launch, RecordReader *reader) {
        const void *bytes;

        launch->stage = (ManagerLaunchStage) record_get_below(reader, _MANAGER_LAUNCH_STAGE_MAX);
        launch->number = (uint32_t) record_get_below(reader, MANAGER_ITEM_GENERATION);
        launch->n_issued = (uint32_t) record_get_below(reader, (uint64_t) UINT32_MAX + 1);
        launch->is_failed = record_get_below(reader, 2);
        launch->changed_at = record_get(reader);
        launch->paused_at = record_get(reader);
        bytes = record_get_bytes(reader, &launch->n_saved);
        if (reader->has_failed)
                return -EBADMSG;
        if (launch->n_saved == 0)
                return 0;
        launch->saved = malloc(launch->n_saved);
        if (!launch->saved)
                return -ENOMEM;
        memcpy(launch->saved, bytes, launch->n_saved);
        return 0;
}

void manager_launch_save(const RunRange *range, const ManagerMend *mend, usec_t now, RecordWriter *writer) {
        run_range_save(range, now, writer);
        record_put(writer, mend->next);
        record_put(writer, mend->end);
}

int manager_launch_restore(const RunRangeSettings *settings, const void *bytes, size_t n, usec_t now,
                           RunRange **ret_range, ManagerMend *ret_mend) {
        cleanup_(run_range_freep) RunRange *range = NULL;
        ManagerMend mend = {};
        RecordReader reader;
        int r;

        record_reader_init(&reader, bytes, n);
        r = run_range_restore(settings, &reader, now, &range);
        if (r < 0)
                return r;
        /* A cursor of an earlier version ends here. */
        if (!record_is_at_end(&reader)) {
                mend.next = record_get(&reader);
                mend.end = record_get(&reader);
        }
        if (reader.has_failed)
                return -EBADMSG;
        *ret_range = take_ptr(range);
        if (ret_mend)
                *ret_mend = mend;
        return 0;
}
