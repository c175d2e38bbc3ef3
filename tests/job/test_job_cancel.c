/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Cancel
 */

#include "job_world.h"

static const JobRequester requester = { .name = ":1.9", .uid = 7, .pid = 8 };

/* a runs; b needs it and waits. */
static JobWorld *world_with_jobs(void) {
        JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "c.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:c.service");
        job_world_run(w);
        job_world_events(w);
        return w;
}

static int cancel(JobWorld *w, uint32_t id) {
        failure_deinit(&w->failure);
        w->failure = (Failure) {};
        return job_manager_cancel(w->jobs, id, &requester, w->units->clock.now, &w->failure);
}

Test(job_cancel, waiting_job_ends_canceled_with_those_that_need_it) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        cr_assert(eq(int, cancel(w, 3), 0));
        assert_events(w, "removed 3 canceled b.service; removed 1 dependency c.service");
        assert_contains(job_world_explain(w, "3"), "canceled by :1.9");
        assert_jobs(w, "2 start a.service running");
}

Test(job_cancel, running_job_is_not_canceled_and_the_refusal_says_what_would_end_it) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        cr_assert(eq(int, cancel(w, 2), JOB_MANAGER_E_NOT_CANCELABLE));
        assert_string(w->failure.name, "JobNotCancelable");
        assert_contains(failure_message(&w->failure), "stop the unit to end it");
        assert_events(w, "");

        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        job_world_run(w);
        cr_assert(eq(int, cancel(w, 4), JOB_MANAGER_E_NOT_CANCELABLE));
        assert_contains(failure_message(&w->failure), "it ends when the unit has stopped");
}

Test(job_cancel, unknown_and_ended_jobs_are_told_apart) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        cr_assert(eq(int, cancel(w, 99), JOB_MANAGER_E_NO_SUCH_JOB));
        assert_string(w->failure.name, "NoSuchJob");
        assert_contains_not(failure_message(&w->failure), "has ended");
        cr_assert(eq(int, cancel(w, 0), JOB_MANAGER_E_NO_SUCH_JOB));
        cancel(w, 1);
        cr_assert(eq(int, cancel(w, 1), JOB_MANAGER_E_NO_SUCH_JOB));
        assert_contains(failure_message(&w->failure), "it has ended");
}

Test(job_cancel, restart_between_its_halves_can_be_canceled) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        cr_assert(eq(int, cancel(w, 1), JOB_MANAGER_E_NOT_CANCELABLE));
        job_world_state(w, "a.service", UNIT_INACTIVE);
        cr_assert(eq(int, cancel(w, 1), 0));
        job_world_run(w);
        assert_jobs(w, "");
        cr_assert(eq(sz, double_unit_n_calls(job_world_unit(w, "a.service"), DOUBLE_START), 0));
}

Test(job_cancel, paused_job_can_be_canceled) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit_answer(double_unit(w->units, "a.service", UNIT_INACTIVE), DOUBLE_START, UNIT_NOT_NOW);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        cr_assert(eq(int, cancel(w, 1), 0));
        unit_publish_ready(job_world_unit(w, "a.service"));
        assert_jobs(w, "");
}

/* The stop is canceled, and the operation that it would have interrupted goes on; later jobs find nothing stale. */
Test(job_cancel, stop_that_would_interrupt_can_be_canceled) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        cr_assert(eq(int, cancel(w, 2), 0));
        job_world_run(w);
        assert_jobs(w, "1 start a.service running");
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_run(w);
        assert_jobs(w, "1 start a.service running, 3 reload a.service waiting");
}

Test(job_cancel, nop_behind_a_stop_is_not_stranded) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "stop:a.service nop:a.service");
        job_world_run(w);
        assert_jobs(w, "1 stop a.service running");
        job_world_state(w, "a.service", UNIT_INACTIVE);
        assert_jobs(w, "");
}

Test(job_cancel, canceling_all_leaves_what_runs) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        job_world_accept(w, JOB_REPLACE, "nop:a.service reload:a.service");
        cr_assert(eq(sz, job_manager_cancel_all(w->jobs, &requester, 0), 3));
        assert_jobs(w, "2 start a.service running");
}

Test(job_cancel, running_job_is_detached_and_its_unit_goes_on) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        cr_assert(eq(int, job_manager_detach(w->jobs, 2, &requester, 0, NULL), 0));
        assert_events(w, "removed 2 canceled a.service; removed 3 dependency b.service; "
                         "removed 1 dependency c.service");
        assert_contains(job_world_explain(w, "2"), "canceled by :1.9");
        cr_assert(eq(int, job_world_unit(w, "a.service")->active_state, UNIT_ACTIVATING));
        cr_assert(eq(sz, double_unit_n_calls(job_world_unit(w, "a.service"), DOUBLE_STOP), 0));

        /* Another start waits for the operation that goes on, and ends with it. */
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "");
}

Test(job_cancel, detached_restart_is_not_started_again) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        cr_assert(eq(int, job_manager_detach(w->jobs, 1, &requester, 0, NULL), 0));
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "");
        cr_assert(eq(sz, double_unit_n_calls(job_world_unit(w, "a.service"), DOUBLE_START), 0));
}

Test(job_cancel, unknown_job_cannot_be_detached) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        cr_assert(eq(int, job_manager_detach(w->jobs, 99, &requester, 0, NULL), JOB_MANAGER_E_NO_SUCH_JOB));
}

Test(job_cancel, detaching_all_leaves_no_job) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        job_world_accept(w, JOB_REPLACE, "nop:a.service reload:a.service");
        cr_assert(eq(sz, job_manager_detach_all(w->jobs, &requester, 0), 4));
        assert_jobs(w, "");
}

/* The failure of b starts a, which wants b: follow-ups are requested after all cancels, and are not canceled. */
Test(job_cancel, canceling_all_comes_to_an_end) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "b.service", UNIT_ON_FAILURE, "a.service");
        double_relate(w->units, "a.service", UNIT_WANTS, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        cr_assert(eq(sz, job_manager_cancel_all(w->jobs, &requester, 0), 1));
        assert_jobs(w, "3 start a.service waiting, 4 start b.service waiting");
}

Test(job_cancel, id_that_was_absorbed_cancels_its_survivor) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_events(w);
        cr_assert(eq(int, cancel(w, 2), 0));
        assert_events(w, "removed 1 canceled a.service; removed 2 canceled a.service");
        assert_contains(job_world_explain(w, "2"), "canceled");
}
