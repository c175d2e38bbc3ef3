/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Job ids
 *
 * The cursor only moves forward, so a finished job's id stays unused for as
 * long as possible: a late answer that names it finds no job instead of a
 * stranger. The price is a scan, paid only after the range has wrapped.
 */

#include <assert.h>

#include "job/job_alloc.h"

void job_alloc_init(JobAlloc *alloc, uint32_t last, JobAllocTaken taken, void *userdata) {
        assert(alloc);
        assert(last > 0);
        assert(taken);

        *alloc = (JobAlloc) { .last = last, .taken = taken, .userdata = userdata };
}

static uint32_t job_alloc_successor(const JobAlloc *alloc, uint32_t id) {
        return id >= alloc->last ? 1 : id + 1;
}

int job_alloc_next(JobAlloc *alloc, uint32_t *ret_id) {
        uint32_t id;

        assert(alloc);
        assert(ret_id);

        id = alloc->cursor;
        for (uint32_t tried = 0; tried < alloc->last; tried++) {
                id = job_alloc_successor(alloc, id);
                if (alloc->taken(id, alloc->userdata))
                        continue;

                alloc->cursor = id;
                *ret_id = id;
                return 0;
        }

        return JOB_ALLOC_E_EXHAUSTED;
}

void job_alloc_restore(JobAlloc *alloc, uint32_t cursor) {
        if (cursor <= alloc->last)
                alloc->cursor = cursor;
}
