/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The face of the engine: questions, budget, and how it is used
 */

#include <stdio.h>

#include "job_world.h"

Test(job_manager, jobs_of_a_unit_are_found_by_what_they_are) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", UNIT_INACTIVE);
        JobInfo job;

        cr_assert(not(job_manager_unit_job(w->jobs, unit, &job)));
        job_world_accept(w, JOB_REPLACE, "nop:a.service");
        cr_assert(job_manager_unit_job(w->jobs, unit, &job));
        cr_assert(eq(int, job.type, JOB_NOP));
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        cr_assert(job_manager_unit_job(w->jobs, unit, &job));
        cr_assert(eq(int, job.type, JOB_START));
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        cr_assert(job_manager_unit_job(w->jobs, unit, &job));
        cr_assert(eq(int, job.type, JOB_START));
        cr_assert(job_manager_unit_has_type(w->jobs, unit, JOB_START));
        cr_assert(job_manager_unit_has_type(w->jobs, unit, JOB_STOP));
        cr_assert(not(job_manager_unit_has_type(w->jobs, unit, JOB_NOP)));
        cr_assert(not(job_manager_unit_has_type(w->jobs, unit, JOB_RELOAD)));
}

Test(job_manager, job_tells_its_blocker) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfo job;

        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service");
        cr_assert(job_manager_find(w->jobs, 2, &job));
        cr_assert(eq(u32, job.blocker, JOB_ID_NONE));
        job_world_run(w);
        cr_assert(job_manager_find(w->jobs, 2, &job));
        cr_assert(eq(u32, job.blocker, 1));
        cr_assert(not(job_manager_find(w->jobs, 3, &job)));
}

Test(job_manager, run_triggers_as_many_as_its_budget_and_says_if_more_are_ready) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        double_unit(w->units, "c.service", UNIT_INACTIVE);
        cr_assert(not(job_manager_run(w->jobs, 10, 0)));
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service start:c.service");
        cr_assert(job_manager_has_ready(w->jobs));
        cr_assert(job_manager_run(w->jobs, 0, 0));
        cr_assert(job_manager_run(w->jobs, 2, 0));
        assert_calls(w, "start a.service, start b.service");
        cr_assert(not(job_manager_run(w->jobs, 2, 0)));
        assert_calls(w, "start c.service");
}

Test(job_manager, list_is_by_id) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:b.service start:a.service");
        assert_jobs(w, "1 start b.service waiting, 2 start a.service waiting");
}

static void count_event(const JobEvent *event, void *userdata) {
        ++*(unsigned *) userdata;
}

Test(job_manager, all_subscribers_hear_of_all) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        unsigned a = 0, b = 0;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        cr_assert(eq(int, job_manager_subscribe(w->jobs, count_event, &a), 0));
        cr_assert(eq(int, job_manager_subscribe(w->jobs, count_event, &b), 0));
        job_world_accept(w, JOB_REPLACE, "nop:a.service");
        job_world_run(w);
        cr_assert(eq(uint, a, 2));
        cr_assert(eq(uint, b, 2));
}

Test(job_manager, manager_without_subscribers_works) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        w->jobs = job_manager_free(w->jobs);
        cr_assert(eq(int, job_manager_new(&w->jobs, w->units->table), 0));
        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        cr_assert(eq(sz, job_manager_count(w->jobs), 0));
        cr_assert(job_manager_free(NULL) == NULL);
}

Test(job_manager, jobs_and_units_may_be_left_when_it_goes) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_unit(w->units, "c.service", UNIT_FAILED);
        double_relate(w->units, "a.service", UNIT_UPHOLDS, "c.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service nop:a.service");
        job_manager_run(w->jobs, 1, 0);
        job_world_state(w, "c.service", UNIT_FAILED);
}

Test(job_manager, many_requests_are_one_transaction) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfo a, b;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service stop:b.service");
        cr_assert(job_manager_find(w->jobs, 1, &a) && job_manager_find(w->jobs, 2, &b));
        cr_assert(eq(u64, a.transaction, b.transaction));
}

Test(job_manager, refused_follow_up_is_told) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE)->load_state = UNIT_MASKED;
        double_relate_as_is(w->units, "a.service", UNIT_ON_FAILURE, "b.service");
        job_world_state(w, "a.service", UNIT_FAILED);
        assert_events(w, "refused UnitMasked");
        assert_contains(job_world_explain(w, "b.service"), "A request for b.service was refused: Unit b.service is masked.");
}

/* A restored snapshot may have a start behind a restart in its stop half, which the engine itself never makes. */
Test(job_manager, restart_takes_in_what_waits_behind_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobSnapshot snapshot = {};
        JobRecord restart = { .id = 1, .type = JOB_RESTART, .run_type = JOB_STOP, .state = JOB_RUNNING };
        JobRecord start = { .id = 2, .type = JOB_START, .run_type = JOB_START, .state = JOB_WAITING };

        double_unit(w->units, "a.service", UNIT_DEACTIVATING);
        restart.unit = strdup("a.service");
        start.unit = strdup("a.service");
        cr_assert(eq(int, vector_push(&snapshot.jobs, restart), 0));
        cr_assert(eq(int, vector_push(&snapshot.jobs, start), 0));
        cr_assert(eq(int, job_manager_restore(w->jobs, &snapshot, 0), 0));
        job_snapshot_deinit(&snapshot);
        job_world_state(w, "a.service", UNIT_INACTIVE);
        assert_jobs(w, "1 restart/start a.service waiting");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_events(w, "removed 1 done a.service; removed 2 done a.service");
}

/* — merged or one by one — */

static const JobType merging[] = {
        JOB_START, JOB_RELOAD, JOB_RESTART, JOB_NOP, JOB_TRY_RESTART, JOB_TRY_RELOAD, JOB_RELOAD_OR_START,
};

/* All operations under way succeed. */
static void finish_all(JobWorld *w, Unit *unit) {
        for (int i = 0; job_manager_count(w->jobs) > 0; i++) {
                cr_assert(i < 10);
                job_world_run(w);
                if (unit->active_state == UNIT_ACTIVATING || unit->active_state == UNIT_RELOADING)
                        double_unit_state(unit, UNIT_ACTIVE, 0);
                else if (unit->active_state == UNIT_DEACTIVATING)
                        double_unit_state(unit, UNIT_INACTIVE, 0);
        }
}

static void request(JobWorld *w, JobType type) {
        JobRequest one = { .unit = "a.service", .type = type };
        JobOptions options = { .mode = JOB_REPLACE, .now = w->units->clock.now };

        cr_assert(eq(int, job_manager_exec(w->jobs, &one, 1, &options, NULL), 0));
}

/* @running is under way when the three requests are made, together or each after the end of the one before. */
static UnitActiveState lead(UnitActiveState from, JobType running, const JobType *types, bool one_by_one) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", from);

        if (running >= 0) {
                request(w, running);
                job_world_run(w);
        }
        for (size_t i = 0; i < 3; i++) {
                if (one_by_one)
                        finish_all(w, unit);
                request(w, types[i]);
        }
        finish_all(w, unit);
        return unit->active_state;
}

Test(job_manager, merged_requests_lead_where_they_lead_one_by_one) {
        static const struct {
                UnitActiveState from;
                JobType running;
        } rows[] = {
                { UNIT_INACTIVE, _JOB_TYPE_INVALID }, { UNIT_ACTIVE, _JOB_TYPE_INVALID }, { UNIT_FAILED, _JOB_TYPE_INVALID },
                { UNIT_INACTIVE, JOB_START }, { UNIT_ACTIVE, JOB_RELOAD }, { UNIT_ACTIVE, JOB_RESTART },
        };
        size_t n = ELEMENTSOF(merging);

        for (size_t r = 0; r < ELEMENTSOF(rows); r++)
                for (size_t k = 0; k < n * n * n; k++) {
                        JobType types[] = { merging[k % n], merging[k / n % n], merging[k / n / n] };
                        UnitActiveState merged = lead(rows[r].from, rows[r].running, types, false);
                        UnitActiveState alone = lead(rows[r].from, rows[r].running, types, true);

                        cr_assert(merged == alone, "row %zu, %s %s %s: %s, one by one %s", r, job_type_to_string(types[0]),
                                  job_type_to_string(types[1]), job_type_to_string(types[2]),
                                  unit_active_state_to_string(merged), unit_active_state_to_string(alone));
                }
}
