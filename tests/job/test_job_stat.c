/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Counters
 */

#include "job_world.h"

Test(job_stat, counters_follow_what_happens) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_plan(w, JOB_REPLACE, "stop:b.service");
        job_world_exec(w, JOB_FAIL, "stop:b.service");
        job_world_run(w);
        cr_assert(eq(u64, job_world_stat(w, "jobs"), 2));
        cr_assert(eq(u64, job_world_stat(w, "ready"), 0));
        cr_assert(eq(u64, job_world_stat(w, "transactions-committed"), 2));
        cr_assert(eq(u64, job_world_stat(w, "transactions-planned"), 1));
        cr_assert(eq(u64, job_world_stat(w, "transactions-refused"), 1));
        cr_assert(eq(u64, job_world_stat(w, "installed"), 2));
        cr_assert(eq(u64, job_world_stat(w, "joined"), 1));
        cr_assert(eq(u64, job_world_stat(w, "triggered"), 1));
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        job_world_run(w);
        cr_assert(eq(u64, job_world_stat(w, "interrupted"), 1));
        cr_assert(eq(u64, job_world_stat(w, "canceled"), 1));
        cr_assert(eq(u64, job_world_stat(w, "start"), 2));
        cr_assert(eq(u64, job_world_stat(w, "stop"), 1));
        cr_assert(eq(u64, job_world_stat(w, "restart"), 0));
        cr_assert(eq(u64, job_world_stat(w, "follow-ups"), 0));
}

Test(job_stat, each_type_and_result_has_its_counter) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        for (JobType type = 0; type < (JobType) _JOB_TYPE_MAX_IN_TABLE; type++)
                cr_assert(eq(u64, job_world_stat(w, job_type_to_string(type)), 0));
        for (JobResult result = 0; result < _JOB_RESULT_MAX; result++)
                cr_assert(eq(u64, job_world_stat(w, job_result_to_string(result)), 0));
}
