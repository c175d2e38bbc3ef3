/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The ready queue
 *
 * The jobs of a transaction arrive in dispatch order and are appended to a
 * line, which is served from its head. Only jobs that arrive out of order,
 * mostly when their blocker ends, go into a heap. A large transaction thus
 * costs one step per job instead of a heap operation. The place of a job
 * removed from the line stays empty until the head passes it or room is
 * needed.
 */

#include <assert.h>
#include <stdlib.h>

#include "job/job_table_private.h"

/* Stops first, because other jobs wait for them; verifies next, because they cost nothing. */
static int ready_class(const Job *job) {
        if (job->run_type == JOB_STOP)
                return 0;
        return job->run_type == JOB_VERIFY_ACTIVE ? 1 : 2;
}

static int ready_compare(const void *a, const void *b) {
        const Job *x = a, *y = b;

        if (x->priority != y->priority)
                return x->priority > y->priority ? -1 : 1;
        if (ready_class(x) != ready_class(y))
                return ready_class(x) - ready_class(y);
        return x->id < y->id ? -1 : x->id > y->id;
}

static uint32_t *ready_place(void *job) {
        return &((Job *) job)->ready_place;
}

void job_ready_init(JobReady *ready) {
        *ready = (JobReady) {};
        heap_init(&ready->others, ready_compare, ready_place);
}

void job_ready_deinit(JobReady *ready) {
        heap_deinit(&ready->others);
        vector_deinit(&ready->line);
}

/* Twice the possible length, so that the line seldom has to be moved to its start. */
int job_ready_reserve(JobReady *ready, size_t n_jobs) {
        int r;

        r = heap_reserve(&ready->others, n_jobs);
        if (r == 0 && ready->line.allocated < 2 * n_jobs)
                r = vector_reserve(&ready->line, 2 * n_jobs - ready->line.n);
        return r;
}

/* Drops the empty places at both ends. */
static void ready_trim(JobReady *ready) {
        while (ready->head < ready->line.n && !ready->line.items[ready->head])
                ready->head++;
        while (ready->line.n > ready->head && !vector_last(&ready->line))
                ready->line.n--;
        if (ready->head == ready->line.n)
                ready->head = ready->line.n = 0;
}

static void ready_move_up(JobReady *ready) {
        size_t n = 0;

        for (size_t i = ready->head; i < ready->line.n; i++) {
                Job *job = ready->line.items[i];

                if (!job)
                        continue;
                job->ready_place = (uint32_t) n;
                ready->line.items[n++] = job;
        }
        ready->head = 0;
        ready->line.n = n;
}

void job_ready_push(JobReady *ready, Job *job) {
        int r = 0;

        assert(job->ready_place == HEAP_NOWHERE);

        ready_trim(ready);
        if (ready->line.n > 0 && ready_compare(vector_last(&ready->line), job) > 0)
                r = heap_push(&ready->others, job);
        else {
                if (ready->line.n == ready->line.allocated)
                        ready_move_up(ready);
                job->is_in_line = true;
                job->ready_place = (uint32_t) ready->line.n;
                r = vector_push(&ready->line, job);
        }
        assert(r == 0);                 /* job_ready_reserve() made room for every job */
        (void) r;
        ready->n++;
}

void job_ready_remove(JobReady *ready, Job *job) {
        if (job->ready_place == HEAP_NOWHERE)
                return;

        if (job->is_in_line) {
                assert(ready->line.items[job->ready_place] == job);
                ready->line.items[job->ready_place] = NULL;
                job->ready_place = HEAP_NOWHERE;
                job->is_in_line = false;
        } else
                heap_remove(&ready->others, job);
        ready->n--;
}

void job_ready_moved(JobReady *ready, Job *job) {
        if (job->ready_place == HEAP_NOWHERE)
                return;

        job_ready_remove(ready, job);
        job_ready_push(ready, job);
}

Job *job_ready_peek(JobReady *ready) {
        Job *first = heap_peek(&ready->others), *of_line;

        ready_trim(ready);
        if (ready->line.n == 0)
                return first;
        of_line = ready->line.items[ready->head];
        return first && ready_compare(first, of_line) < 0 ? first : of_line;
}
