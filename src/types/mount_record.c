/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mount as a record, for the next core process
 *
 * Mounts need no record, because the kernel's table is read again. The record
 * has the process and the last result.
 */

#include <errno.h>
#include <stdlib.h>

#include "types/mount_show.h"
#include "types/mount_state.h"

static void put_process(RecordWriter *writer, const UnitProcess *process) {
        record_put_signed(writer, process->pid);
        record_put(writer, process->is_wanted);
        record_put(writer, process->kind);
        record_put(writer, process->since);
}

static UnitProcess get_process(RecordReader *reader) {
        UnitProcess process = { .pid = (pid_t) record_get_signed(reader) };

        process.is_wanted = record_get_below(reader, 2);
        process.kind = (int) record_get_below(reader, _MOUNT_EXEC_MAX);
        process.since = record_get(reader);
        return process;
}

void mount_record(const Unit *unit, RecordWriter *writer) {
        const Mount *mount = mount_of(unit);

        record_put(writer, mount->state);
        record_put(writer, mount->result);
        record_put(writer, mount->reload_result);
        put_process(writer, &mount->control);
        record_put(writer, mount->state_since);
        record_put(writer, mount->state_deadline);
        record_put(writer, mount->wants_stop);
        record_put(writer, mount->n_retries);
        record_put(writer, mount->starts.begin);
        record_put(writer, mount->starts.n);
        record_put_string(writer, mount->failure);
}

static int read_all(Mount *mount, RecordReader *reader) {
        mount->state = (MountState) record_get_below(reader, _MOUNT_STATE_MAX);
        mount->result = (MountResult) record_get_below(reader, _MOUNT_RESULT_MAX);
        mount->reload_result = (MountResult) record_get_below(reader, _MOUNT_RESULT_MAX);
        mount->control = get_process(reader);
        mount->state_since = record_get(reader);
        mount->state_deadline = record_get(reader);
        mount->wants_stop = record_get_below(reader, 2);
        mount->n_retries = (unsigned) record_get(reader);
        mount->starts.begin = record_get(reader);
        mount->starts.n = (uint32_t) record_get(reader);
        mount->failure = record_get_string_copy(reader);
        return reader->has_failed ? -EBADMSG : 0;
}

int mount_restore(Unit *unit, RecordReader *reader) {
        Mount *restored = calloc(1, sizeof(*restored));

        if (!restored || read_all(restored, reader) < 0) {
                if (restored)
                        free(restored->failure);
                free(restored);
                return -EBADMSG;
        }
        unit->vtable->deinit(unit);
        unit->state_of_type = restored;
        return 0;
}
