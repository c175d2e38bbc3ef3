/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Job ids
 *
 * Hands out job ids: non-zero, rising, and starting again at 1 past the
 * highest. The owner of the jobs says which ids are still taken, so this
 * module knows no table.
 */

#include <stdbool.h>
#include <stdint.h>

enum {
        JOB_ALLOC_E_SUCCESS,

        JOB_ALLOC_E_EXHAUSTED,          /* every id is taken */
};

typedef bool (*JobAllocTaken)(uint32_t id, void *userdata);

typedef struct JobAlloc {
        uint32_t last;                  /* highest id before the range wraps */
        uint32_t cursor;                /* the id handed out last; saved with the state */
        JobAllocTaken taken;            /* borrowed */
        void *userdata;                 /* borrowed */
} JobAlloc;

/* Hands out ids from 1 to @last. */
void job_alloc_init(JobAlloc *alloc, uint32_t last, JobAllocTaken taken, void *userdata);

/* Stores a free id in @ret_id, or returns JOB_ALLOC_E_EXHAUSTED and leaves @ret_id alone. */
int job_alloc_next(JobAlloc *alloc, uint32_t *ret_id);

/* After a restart of the manager: the next id is the one after @cursor. */
void job_alloc_restore(JobAlloc *alloc, uint32_t cursor);
