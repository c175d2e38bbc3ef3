/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The ready queue: whatever comes and goes, the first is the one that a search would find
 */

#include "double/double_assert.h"
#include "job/job_table_private.h"

#define JOBS 200U

static JobReady ready;
static Job jobs[JOBS];
static uint32_t seed;

static void set_up(void) {
        seed = 1;
        job_ready_init(&ready);
        cr_assert(eq(int, job_ready_reserve(&ready, JOBS), 0));
        for (uint32_t i = 0; i < JOBS; i++)
                jobs[i] = (Job) { .id = i + 1, .ready_place = HEAP_NOWHERE, .run_type = JOB_START };
}

static void tear_down(void) {
        job_ready_deinit(&ready);
}

TestSuite(job_ready, .init = set_up, .fini = tear_down);

static uint32_t any(uint32_t n) {
        seed = seed * 1664525U + 1013904223U;
        return (seed >> 8) % n;
}

static unsigned class_of(const Job *job) {
        return job->run_type == JOB_STOP ? 0 : job->run_type == JOB_VERIFY_ACTIVE ? 1 : 2;
}

static bool goes_before(const Job *a, const Job *b) {
        if (a->priority != b->priority)
                return a->priority > b->priority;
        if (class_of(a) != class_of(b))
                return class_of(a) < class_of(b);
        return a->id < b->id;
}

static Job *find_first(size_t *ret_n) {
        Job *first = NULL;

        *ret_n = 0;
        for (size_t i = 0; i < JOBS; i++) {
                if (jobs[i].ready_place == HEAP_NOWHERE)
                        continue;
                (*ret_n)++;
                if (!first || goes_before(&jobs[i], first))
                        first = &jobs[i];
        }
        return first;
}

static void check(void) {
        size_t n;
        Job *first = find_first(&n);

        cr_assert(eq(sz, ready.n, n));
        cr_assert(eq(ptr, job_ready_peek(&ready), first));
}

Test(job_ready, jobs_that_come_in_order_stand_in_line) {
        for (size_t i = 0; i < JOBS; i++)
                job_ready_push(&ready, &jobs[i]);
        cr_assert(eq(sz, ready.others.n, 0));
        for (size_t i = 0; i < JOBS; i++) {
                cr_assert(eq(ptr, job_ready_peek(&ready), &jobs[i]));
                job_ready_remove(&ready, &jobs[i]);
        }
        check();
}

Test(job_ready, the_first_is_the_first_whatever_comes_and_goes) {
        for (unsigned step = 0; step < 50000; step++) {
                Job *job = &jobs[any(JOBS)];

                if (job->ready_place == HEAP_NOWHERE) {
                        job->priority = any(10) == 0 ? 1 : 0;
                        job->run_type = any(4) == 0 ? JOB_STOP : any(8) == 0 ? JOB_VERIFY_ACTIVE : JOB_START;
                        job_ready_push(&ready, job);
                } else if (any(3) == 0) {
                        job->run_type = JOB_STOP;
                        job_ready_moved(&ready, job);
                } else
                        job_ready_remove(&ready, any(2) ? job : job_ready_peek(&ready));
                check();
        }
}

/* Memory is reserved once, and is enough however often jobs are pushed again. */
Test(job_ready, no_push_needs_memory) {
        size_t allocated = ready.line.allocated;

        for (unsigned round = 0; round < 100; round++)
                for (size_t i = 0; i < JOBS; i++) {
                        job_ready_remove(&ready, &jobs[i]);
                        jobs[i].id += JOBS;
                        job_ready_push(&ready, &jobs[i]);
                        check();
                }
        cr_assert(eq(sz, ready.line.allocated, allocated));
}
