/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Time limits of jobs
 */

#include <stdio.h>
#include <string.h>

#include "job_world.h"

static JobWorld *world_with_limits(usec_t timeout, usec_t running) {
        JobWorld *w = job_world_new();
        UnitSettings *settings;

        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        settings = &job_world_unit(w, "a.service")->settings;
        settings->job_timeout = timeout;
        settings->has_job_running_timeout = running > 0;
        settings->job_running_timeout = running;
        return w;
}

Test(job_timeout, waiting_job_ends_when_its_time_is_over) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(5 * USEC_PER_SEC, 0);

        job_world_accept(w, JOB_REPLACE, "start:block.service start:a.service");
        job_world_run(w);
        job_world_events(w);
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), w->units->clock.now + 5 * USEC_PER_SEC));
        job_world_advance(w, 5 * USEC_PER_SEC - 1);
        assert_events(w, "");
        job_world_advance(w, 1);
        assert_events(w, "removed 2 timeout a.service");
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), USEC_INFINITY));
        assert_contains(job_world_explain(w, "2"),
                        "its time limit has elapsed: it waited for job 1 (start block.service)");
}

Test(job_timeout, running_job_says_what_its_unit_was_at) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(5 * USEC_PER_SEC, 0);

        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_advance(w, 5 * USEC_PER_SEC);
        assert_contains(job_world_explain(w, "1"), "its time limit has elapsed: a.service was activating.");
}

Test(job_timeout, blocker_that_waits_itself_and_a_unit_that_is_not_ready_are_told) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(5 * USEC_PER_SEC, 0);

        double_relate(w->units, "block.service", UNIT_AFTER, "first.service");
        job_world_accept(w, JOB_REPLACE, "start:first.service start:block.service start:a.service");
        job_world_run(w);
        job_world_advance(w, 5 * USEC_PER_SEC);
        assert_contains(job_world_explain(w, "3"), "it waited for job 2 (start block.service), which waited itself.");

        job_world_state(w, "first.service", UNIT_ACTIVE);
        job_world_run(w);
        job_world_state(w, "block.service", UNIT_ACTIVE);
        double_unit_answer_next(job_world_unit(w, "a.service"), DOUBLE_START, UNIT_NOT_NOW);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_advance(w, 5 * USEC_PER_SEC);
        assert_contains(job_world_explain(w, "4"), "a.service was inactive and answered \"not now\".");
}

Test(job_timeout, job_that_waited_for_nothing_but_its_turn_says_no_more) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(5 * USEC_PER_SEC, 0);

        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_advance(w, 5 * USEC_PER_SEC);
        assert_contains(job_world_explain(w, "1"), "its time limit has elapsed.");
}

/* Ten thousand ended jobs are kept. */
Test(job_timeout, what_a_job_waited_for_is_told_in_short) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        char name[UNIT_NAME_MAX], requests[2 * UNIT_NAME_MAX];

        memset(name, 'x', sizeof(name));
        strcpy(name + sizeof(name) - sizeof(".service"), ".service");
        double_relate(w->units, "a.service", UNIT_AFTER, name);
        job_world_unit(w, "a.service")->settings.job_timeout = USEC_PER_SEC;
        snprintf(requests, sizeof(requests), "start:a.service start:%s", name);
        job_world_accept(w, JOB_REPLACE, requests);
        job_world_run(w);
        job_world_advance(w, USEC_PER_SEC);
        assert_contains(job_world_explain(w, "1"), "xxx….");
}

Test(job_timeout, running_limit_counts_from_the_trigger) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(USEC_INFINITY, 3 * USEC_PER_SEC);

        job_world_accept(w, JOB_REPLACE, "start:block.service start:a.service");
        job_world_run(w);
        job_world_advance(w, 60 * USEC_PER_SEC);
        job_world_state(w, "block.service", UNIT_ACTIVE);
        job_world_run(w);
        job_world_events(w);
        job_world_advance(w, 2 * USEC_PER_SEC);
        assert_events(w, "");
        job_world_advance(w, USEC_PER_SEC);
        assert_events(w, "removed 2 timeout a.service");
}

Test(job_timeout, running_limit_is_cleared_when_the_job_waits_again) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(USEC_INFINITY, 3 * USEC_PER_SEC);

        double_unit_answer_next(job_world_unit(w, "a.service"), DOUBLE_START, UNIT_NOT_NOW);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), USEC_INFINITY));
        unit_publish_ready(job_world_unit(w, "a.service"));
        job_world_run(w);
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), w->units->clock.now + 3 * USEC_PER_SEC));
}

Test(job_timeout, running_limit_is_armed_for_each_half_of_a_restart) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(USEC_INFINITY, 3 * USEC_PER_SEC);

        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        job_world_advance(w, 2 * USEC_PER_SEC);
        job_world_state(w, "a.service", UNIT_INACTIVE);
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), USEC_INFINITY));
        job_world_run(w);
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), w->units->clock.now + 3 * USEC_PER_SEC));
}

Test(job_timeout, turned_job_loses_the_running_limit_of_what_it_was) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(USEC_INFINITY, 3 * USEC_PER_SEC);

        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), USEC_INFINITY));
}

Test(job_timeout, time_limit_takes_down_dependents_and_lets_the_next_go) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(3 * USEC_PER_SEC, 0);

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "a.service", UNIT_ON_FAILURE, "d.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service start:c.service");
        job_world_run(w);
        job_world_events(w);
        job_world_advance(w, 3 * USEC_PER_SEC);
        assert_events(w, "removed 3 timeout a.service; removed 1 dependency b.service; new 4 start d.service");
        job_world_run(w);
        assert_contains(job_world_jobs(w), "2 start c.service running");
}

Test(job_timeout, what_waited_behind_a_job_that_timed_out_goes_on) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(USEC_INFINITY, 3 * USEC_PER_SEC);

        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_advance(w, 3 * USEC_PER_SEC);
        double_unit_answer(job_world_unit(w, "a.service"), DOUBLE_RELOAD, DOUBLE_DONE);
        job_world_run(w);
        assert_events(w, "new 1 start a.service; new 2 reload a.service; removed 1 timeout a.service; "
                         "removed 2 invalid a.service");
}

Test(job_timeout, all_that_are_over_end_at_once_in_their_order) {
        cleanup_(job_world_freep) JobWorld *w = world_with_limits(4 * USEC_PER_SEC, 0);

        job_world_unit(w, "block.service")->settings.job_timeout = 2 * USEC_PER_SEC;
        job_world_accept(w, JOB_REPLACE, "start:a.service start:block.service");
        job_world_events(w);
        job_world_advance(w, 10 * USEC_PER_SEC);
        assert_events(w, "removed 2 timeout block.service; removed 1 timeout a.service");
}
