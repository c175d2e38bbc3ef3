/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Whoever writes down only what events speak of has it all
 *
 * The manager's file of state is kept by marks: an event marks its job. Here
 * the records of marked jobs are kept in the same way, and compared with all
 * that there is.
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "property_mirror.h"

struct PropertyMirror {
        RecordWriter records[PROPERTY_IDS_MAX];
        bool is_marked[PROPERTY_IDS_MAX];
        JobIds marked;
        RecordWriter record;            /* the one that is looked at */
};

PropertyMirror *property_mirror_new(void) {
        PropertyMirror *mirror = calloc(1, sizeof(*mirror));

        assert(mirror);
        return mirror;
}

PropertyMirror *property_mirror_free(PropertyMirror *mirror, uint32_t last_id) {
        if (!mirror)
                return NULL;
        for (uint32_t id = 0; id <= last_id; id++)
                record_writer_deinit(&mirror->records[id]);
        vector_deinit(&mirror->marked);
        record_writer_deinit(&mirror->record);
        free(mirror);
        return NULL;
}

void property_mirror_mark(PropertyMirror *mirror, uint32_t id) {
        int r;

        if (id == JOB_ID_NONE || mirror->is_marked[id])
                return;
        mirror->is_marked[id] = true;
        r = vector_push(&mirror->marked, id);
        assert(r == 0);
        (void) r;
}

void property_mirror_take_event(PropertyMirror *mirror, const JobEvent *event) {
        if (event->kind == JOB_EVENT_REFUSED || event->kind == JOB_EVENT_CYCLE_BROKEN)
                return;
        property_mirror_mark(mirror, event->job.id);
        property_mirror_mark(mirror, event->forgotten);
}

void property_mirror_mark_all(PropertyWorld *world) {
        for (uint32_t id = 1; id <= world->jobs->table.alloc.cursor; id++)
                property_mirror_mark(world->mirror, id);
}

void property_mirror_check(PropertyWorld *world) {
        PropertyMirror *mirror = world->mirror;
        JobIds ids = {};
        int r;

        while (mirror->marked.n > 0) {
                uint32_t id = vector_pop(&mirror->marked);

                mirror->is_marked[id] = false;
                record_writer_clear(&mirror->records[id]);
                job_manager_write_record(world->jobs, id, &mirror->records[id]);
        }
        r = job_manager_list_records(world->jobs, &ids);
        assert(r == 0);
        (void) r;
        for (size_t i = 0; i < ids.n; i++) {
                const RecordWriter *kept = &mirror->records[ids.items[i]];

                record_writer_clear(&mirror->record);
                job_manager_write_record(world->jobs, ids.items[i], &mirror->record);
                if (kept->n != mirror->record.n || memcmp(kept->bytes, mirror->record.bytes, kept->n) != 0)
                        property_fail(world, "job %u has changed, and no event said so", ids.items[i]);
        }
        vector_deinit(&ids);
}
