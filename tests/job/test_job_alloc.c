/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Ids: rising, wrapped, and never one that is taken
 */

#include "double/double_assert.h"
#include "job/job_alloc.h"

static bool is_even(uint32_t id, void *userdata) {
        return id % 2 == 0;
}

static bool is_any(uint32_t id, void *userdata) {
        return true;
}

static bool is_none(uint32_t id, void *userdata) {
        return false;
}

static uint32_t next(JobAlloc *alloc) {
        uint32_t id = 0;

        cr_assert(eq(int, job_alloc_next(alloc, &id), JOB_ALLOC_E_SUCCESS));
        return id;
}

Test(job_alloc, ids_rise_from_one) {
        JobAlloc alloc;

        job_alloc_init(&alloc, UINT32_MAX, is_none, NULL);
        cr_assert(eq(u32, next(&alloc), 1));
        cr_assert(eq(u32, next(&alloc), 2));
}

Test(job_alloc, taken_ids_are_left_out) {
        JobAlloc alloc;

        job_alloc_init(&alloc, 7, is_even, NULL);
        cr_assert(eq(u32, next(&alloc), 1));
        cr_assert(eq(u32, next(&alloc), 3));
}

Test(job_alloc, after_the_last_comes_the_first) {
        JobAlloc alloc;

        job_alloc_init(&alloc, UINT32_MAX, is_none, NULL);
        job_alloc_restore(&alloc, UINT32_MAX - 1);
        cr_assert(eq(u32, next(&alloc), UINT32_MAX));
        cr_assert(eq(u32, next(&alloc), 1));
}

Test(job_alloc, when_all_are_taken_nothing_is_given) {
        uint32_t id = 77;
        JobAlloc alloc;

        job_alloc_init(&alloc, 5, is_any, NULL);
        cr_assert(eq(int, job_alloc_next(&alloc, &id), JOB_ALLOC_E_EXHAUSTED));
        cr_assert(eq(u32, id, 77));
}

Test(job_alloc, ids_go_on_behind_the_restored_one) {
        JobAlloc alloc;

        job_alloc_init(&alloc, 100, is_none, NULL);
        job_alloc_restore(&alloc, 41);
        cr_assert(eq(u32, next(&alloc), 42));
}

Test(job_alloc, restored_id_beyond_the_range_is_ignored) {
        JobAlloc alloc;

        job_alloc_init(&alloc, 100, is_none, NULL);
        job_alloc_restore(&alloc, 101);
        cr_assert(eq(u32, next(&alloc), 1));
}
