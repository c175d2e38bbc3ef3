/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One job
 */

#include <assert.h>
#include <stdlib.h>

#include "basic/heap.h"
#include "basic/usec.h"
#include "job/job_entry.h"

const JobRare job_rare_none;

static_assert(sizeof(Job) <= 120, "with what malloc() puts in front of it a job has two lines of the cache");

JobRare *job_own_rare(Job *job) {
        if (!job->rare)
                job->rare = calloc(1, sizeof(*job->rare));
        return job->rare;
}

static void job_free_rare(JobRare *rare) {
        if (!rare)
                return;

        for (uint32_t i = 0; i < rare->n_more_causes; i++)
                job_transaction_record_unref(rare->more_causes[i].record);
        vector_deinit(&rare->late);
        vector_deinit(&rare->aliases);
        free(rare);
}

int job_new(Job **ret_job, uint32_t unit, JobType type, JobCause cause) {
        Job *job;

        assert(ret_job);
        assert(type < _JOB_TYPE_MAX_IN_TABLE);

        job = calloc(1, sizeof(*job));
        if (!job)
                return -ENOMEM;

        job->unit = unit;
        job->type = type;
        job->run_type = job_type_first_run(type);
        job->ready_place = HEAP_NOWHERE;
        job->deadline_place = HEAP_NOWHERE;
        job->deadline = USEC_INFINITY;
        job->cause = cause;
        job_transaction_record_ref(cause.record);
        LIST_INIT(&job->waiters);

        *ret_job = job;
        return 0;
}

Job *job_free(Job *job) {
        if (!job)
                return NULL;

        assert(LIST_EMPTY(&job->waiters));
        assert(!job->blocker);
        assert(job->ready_place == HEAP_NOWHERE);
        assert(job->deadline_place == HEAP_NOWHERE);

        job_transaction_record_unref(job->cause.record);
        job_free_rare(job->rare);
        free(job);
        return NULL;
}

void job_add_cause(Job *job, JobCause cause) {
        JobRare *rare = job_own_rare(job);

        if (!rare || rare->n_more_causes >= JOB_CAUSES_MAX - 1) {
                job->n_lost_causes++;
                return;
        }

        job_transaction_record_ref(cause.record);
        rare->more_causes[rare->n_more_causes++] = cause;
}

size_t job_count_causes(const Job *job) {
        return 1 + job_rare(job)->n_more_causes;
}

JobCause job_cause_at(const Job *job, size_t i) {
        assert(i < job_count_causes(job));

        return i == 0 ? job->cause : job_rare(job)->more_causes[i - 1];
}

void job_set_type(Job *job, JobType type) {
        if (job->type == type)
                return;

        job->type = type;
        job->run_type = job_type_first_run(type);
        job->between_halves = false;
}
