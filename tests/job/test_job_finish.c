/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * How jobs end: by each state of their unit, and what falls with them
 */

#include <stdio.h>

#include "job/job_reaction.h"
#include "job_world.h"

typedef struct Cell {
        bool ends;
        JobResult result;
        bool is_unexpected;
} Cell;

#define GOES_ON { false, 0, false }
#define GOES_ON_UNEXPECTED { false, 0, true }
#define ENDS(r) { true, (r), false }
#define ENDS_UNEXPECTED(r) { true, (r), true }

typedef struct Row {
        Cell start, verify, stop, reload;
} Row;

static const Row table[_UNIT_ACTIVE_STATE_MAX] = {
        [UNIT_ACTIVE] = { ENDS(JOB_DONE), ENDS(JOB_DONE), ENDS_UNEXPECTED(JOB_FAILED), ENDS(JOB_DONE) },
        [UNIT_RELOADING] = { ENDS(JOB_DONE), ENDS(JOB_DONE), ENDS_UNEXPECTED(JOB_FAILED), GOES_ON },
        [UNIT_ACTIVATING] = { GOES_ON, GOES_ON, ENDS_UNEXPECTED(JOB_FAILED), GOES_ON },
        [UNIT_DEACTIVATING] = { GOES_ON_UNEXPECTED, ENDS(JOB_SKIPPED), GOES_ON, GOES_ON_UNEXPECTED },
        [UNIT_INACTIVE] = { ENDS_UNEXPECTED(JOB_DONE), ENDS(JOB_SKIPPED), ENDS(JOB_DONE), ENDS_UNEXPECTED(JOB_DONE) },
        [UNIT_FAILED] = { ENDS_UNEXPECTED(JOB_FAILED), ENDS(JOB_SKIPPED), ENDS(JOB_DONE), ENDS_UNEXPECTED(JOB_FAILED) },
        [UNIT_MAINTENANCE] = { ENDS_UNEXPECTED(JOB_FAILED), ENDS(JOB_SKIPPED), ENDS_UNEXPECTED(JOB_FAILED),
                               ENDS_UNEXPECTED(JOB_FAILED) },
};

static void check_cell(JobType run, UnitActiveState state, Cell expected) {
        JobReaction reaction = job_react(run, state, 0);

        cr_assert(reaction.ends == expected.ends && reaction.is_unexpected == expected.is_unexpected &&
                          (!expected.ends || reaction.result == expected.result),
                  "%s and %s", job_type_to_string(run), unit_active_state_to_string(state));
}

Test(job_finish, each_state_means_for_each_running_job_what_the_table_says) {
        for (UnitActiveState state = 0; state < _UNIT_ACTIVE_STATE_MAX; state++) {
                check_cell(JOB_START, state, table[state].start);
                check_cell(JOB_VERIFY_ACTIVE, state, table[state].verify);
                check_cell(JOB_STOP, state, table[state].stop);
                check_cell(JOB_RELOAD, state, table[state].reload);
        }
}

Test(job_finish, flags_decide_how_a_reload_and_a_skipped_start_end) {
        cr_assert(eq(int, job_react(JOB_RELOAD, UNIT_ACTIVE, UNIT_CHANGE_RELOAD_FAILED).result, JOB_FAILED));
        cr_assert(eq(int, job_react(JOB_START, UNIT_INACTIVE, UNIT_CHANGE_SKIPPED).result, JOB_SKIPPED));
        cr_assert(job_react(JOB_START, UNIT_INACTIVE, UNIT_CHANGE_SKIPPED).is_unexpected);
}

static const char *const words[] = { [JOB_START] = "start", [JOB_STOP] = "stop", [JOB_RELOAD] = "reload" };

/* The same in a running engine: a.service has a running job and changes to @state. */
static void check_run(JobType run, UnitActiveState state, Cell expected) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        char text[64];

        double_unit(w->units, "a.service", run == JOB_START ? UNIT_INACTIVE : UNIT_ACTIVE);
        snprintf(text, sizeof(text), "%s:a.service", words[run]);
        job_world_accept(w, JOB_REPLACE, text);
        job_world_run(w);
        job_world_events(w);
        job_world_state(w, "a.service", state);
        snprintf(text, sizeof(text), "removed 1 %s a.service", expected.ends ? job_result_to_string(expected.result) : "");
        assert_events(w, expected.ends ? text : "");
        cr_assert(eq(sz, job_manager_count(w->jobs), expected.ends ? 0 : 1));
}

Test(job_finish, running_jobs_end_by_the_states_of_their_unit) {
        for (UnitActiveState state = 0; state < _UNIT_ACTIVE_STATE_MAX; state++) {
                check_run(JOB_START, state, table[state].start);
                check_run(JOB_STOP, state, table[state].stop);
                check_run(JOB_RELOAD, state, table[state].reload);
        }
}

Test(job_finish, verify_looks_and_waits_only_for_a_unit_on_its_way) {
        static const struct {
                UnitActiveState state;
                const char *events;
        } rows[] = {
                { UNIT_ACTIVE, "removed 1 done a.service" },
                { UNIT_RELOADING, "removed 1 done a.service" },
                { UNIT_INACTIVE, "removed 1 skipped a.service" },
                { UNIT_FAILED, "removed 1 skipped a.service" },
                { UNIT_DEACTIVATING, "removed 1 skipped a.service" },
                { UNIT_MAINTENANCE, "removed 1 skipped a.service" },
                { UNIT_ACTIVATING, "" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "a.service", UNIT_ACTIVATING);
                job_world_accept(w, JOB_REPLACE, "verify-active:a.service");
                job_world_run(w);
                assert_events(w, "new 1 verify-active a.service");
                job_world_state(w, "a.service", rows[i].state);
                job_world_run(w);
                assert_events(w, rows[i].events);
        }
}

Test(job_finish, answers_of_a_unit_are_results) {
        static const struct {
                int answer;
                const char *result;
        } rows[] = {
                { UNIT_ALREADY, "done" },
                { UNIT_CONDITION_UNMET, "done" },
                { UNIT_ASSERT_UNMET, "assert" },
                { UNIT_CANNOT, "skipped" },
                { UNIT_UNSUPPORTED, "unsupported" },
                { UNIT_WRONG_STATE, "invalid" },
                { UNIT_DEPENDENCY_UNMET, "dependency" },
                { UNIT_ONCE, "once" },
                { UNIT_OPERATION_FAILED, "failed" },
                { DOUBLE_DONE, "done" },
                { DOUBLE_FAIL, "failed" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();
                char expected[128];

                double_unit_answer(double_unit(w->units, "a.service", UNIT_INACTIVE), DOUBLE_START, rows[i].answer);
                job_world_accept(w, JOB_REPLACE, "start:a.service");
                job_world_run(w);
                snprintf(expected, sizeof(expected), "new 1 start a.service; removed 1 %s a.service", rows[i].result);
                assert_events(w, expected);
        }
}

Test(job_finish, not_now_waits_until_the_unit_changes_or_says_it_is_ready) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", UNIT_DEACTIVATING);
        JobInfo job;

        double_unit_answer_next(unit, DOUBLE_START, UNIT_NOT_NOW);
        double_unit_answer_next(unit, DOUBLE_START, UNIT_NOT_NOW);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        cr_assert(job_manager_find(w->jobs, 1, &job) && job.is_paused);
        cr_assert(not(job_manager_has_ready(w->jobs)));
        assert_jobs(w, "1 start a.service waiting");

        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        cr_assert(job_manager_find(w->jobs, 1, &job) && job.is_paused);
        unit_publish_ready(unit);
        job_world_run(w);
        assert_jobs(w, "1 start a.service running");
        cr_assert(eq(sz, double_unit_n_calls(unit, DOUBLE_START), 3));
}

Test(job_finish, pause_goes_with_the_job_that_had_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", UNIT_ACTIVATING);

        double_unit_answer_next(unit, DOUBLE_START, UNIT_NOT_NOW);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        job_world_run(w);
        assert_jobs(w, "2 stop a.service running");
}

/* All changes within one operation are handled in order after it has returned. */
Test(job_finish, no_change_inside_an_operation_is_lost) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_world_answer(w->units, DOUBLE_STOP, DOUBLE_DONE);
        double_world_answer(w->units, DOUBLE_START, DOUBLE_FAIL);
        double_relate(w->units, "a.service", UNIT_ON_FAILURE, "b.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        assert_events(w, "new 1 restart a.service; removed 1 failed a.service; new 2 start b.service; "
                         "removed 2 failed b.service");
}

Test(job_finish, waiting_start_ends_done_when_its_unit_becomes_active) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:a.service");
        job_world_run(w);
        job_world_events(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_events(w, "removed 2 done a.service");
}

Test(job_finish, restart_goes_on_as_a_start_with_its_id) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        job_world_run(w);
        assert_jobs(w, "1 restart/start a.service running");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_events(w, "new 1 restart a.service; removed 1 done a.service");
        assert_calls(w, "stop a.service, start a.service");
}

Test(job_finish, restart_of_an_inactive_unit_just_starts_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        assert_jobs(w, "1 restart/start a.service running");
        assert_calls(w, "start a.service");
}

Test(job_finish, restart_whose_stop_fails_is_failed) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_events(w, "new 1 restart a.service; removed 1 failed a.service");
}

Test(job_finish, stop_over_a_running_start_interrupts_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_events(w);
        job_world_accept(w, JOB_IGNORE_REQUIREMENTS, "stop:a.service");
        job_world_run(w);
        /* An interrupt ends no other job. */
        assert_events(w, "new 3 stop a.service; removed 2 canceled a.service");
        assert_contains(job_world_explain(w, "2"), "interrupted by job 3");
        cr_assert(eq(u64, job_world_stat(w, "interrupted"), 1));
}

/* — what falls with a job that ended badly — */

typedef struct Fall {
        UnitRelationKind relation;      /* of b to a */
        const char *request;            /* for b */
        bool falls;
} Fall;

Test(job_finish, dependents_waiting_starts_and_verifies_fall_with_a_failed_start) {
        static const Fall rows[] = {
                { UNIT_REQUIRES, "start:b.service", true },
                { UNIT_BINDS_TO, "start:b.service", true },
                { UNIT_REQUISITE, "start:b.service", true },
                { UNIT_REQUIRES, "verify-active:b.service", true },
                { UNIT_REQUIRES, "reload:b.service", false },
                { UNIT_REQUIRES, "stop:b.service", false },
                { UNIT_REQUIRES, "restart:b.service", false },
                { UNIT_WANTS, "start:b.service", false },
                { UNIT_UPHOLDS, "start:b.service", false },
                { UNIT_PART_OF, "start:b.service", false },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();
                bool runs = strncmp(rows[i].request, "start", 5) != 0 && strncmp(rows[i].request, "verify", 6) != 0;
                JobInfo job;

                double_unit(w->units, "b.service", runs ? UNIT_ACTIVE : UNIT_INACTIVE);
                double_relate(w->units, "b.service", rows[i].relation, "a.service");
                job_world_accept(w, JOB_REPLACE, "start:a.service");
                job_world_run(w);
                job_world_accept(w, JOB_IGNORE_REQUIREMENTS, rows[i].request);
                job_world_state(w, "a.service", UNIT_FAILED);
                cr_assert(job_manager_find(w->jobs, 2, &job) == !rows[i].falls, "row %zu: %s", i, job_world_jobs(w));
                if (rows[i].falls)
                        assert_contains(job_world_events(w), "removed 2 dependency b.service");
        }
}

Test(job_finish, running_dependents_do_not_fall) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_events(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        assert_events(w, "removed 2 failed a.service");
        assert_jobs(w, "1 start b.service running");
}

Test(job_finish, dependency_falls_from_unit_to_unit) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "c.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "b.service");
        double_relate(w->units, "d.service", UNIT_WANTS, "c.service");
        double_relate(w->units, "d.service", UNIT_AFTER, "c.service");
        job_world_accept(w, JOB_REPLACE, "start:d.service");
        job_world_run(w);
        job_world_events(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        assert_events(w, "removed 2 failed a.service; removed 3 dependency b.service; removed 4 dependency c.service");
        assert_contains(job_world_explain(w, "3"), "dependency on a.service failed, Requires=a.service (");
        assert_contains(job_world_explain(w, "3"), "): the unit is failed.");
        assert_contains(job_world_explain(w, "4"), "dependency on b.service failed, Requires=b.service (");
        assert_contains(job_world_explain(w, "4"), "), as a.service failed: the unit is failed.");
        assert_contains(job_world_explain(w, "4"), "dependency=b.service");
        job_world_run(w);
        assert_jobs(w, "1 start d.service running");
}

Test(job_finish, start_without_its_binding_names_the_line) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_BINDS_TO, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_unit_answer(double_unit(w->units, "a.service", UNIT_INACTIVE), DOUBLE_START, UNIT_CONDITION_UNMET);
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        assert_contains(job_world_explain(w, "b.service"),
                        "a unit that it binds to is not active: BindsTo=a.service (");
}

Test(job_finish, starter_falls_when_the_stop_that_it_needs_fails) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_relate(w->units, "b.service", UNIT_CONFLICTS, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_events(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_events(w, "removed 2 failed a.service; removed 1 dependency b.service");
}

Test(job_finish, start_that_ends_well_without_the_unit_active_fails_those_that_want_it_active) {
        static const struct {
                UnitRelationKind relation;
                bool falls;
        } rows[] = { { UNIT_REQUISITE, true }, { UNIT_REQUIRES, false }, { UNIT_BINDS_TO, false } };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_relate(w->units, "b.service", rows[i].relation, "a.service");
                double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
                job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service");
                job_world_run(w);
                job_world_state(w, "a.service", UNIT_INACTIVE);
                cr_assert(eq(sz, job_manager_count(w->jobs), rows[i].falls ? 0 : 1), "row %zu", i);
        }
}

Test(job_finish, what_a_request_replaces_takes_nobody_down) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "b.service", UNIT_ON_FAILURE, "rescue.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:b.service");
        job_world_run(w);
        job_world_events(w);
        job_world_accept(w, JOB_IGNORE_REQUIREMENTS, "stop:a.service");
        assert_events(w, "removed 3 canceled a.service; new 4 stop a.service");
        assert_contains(job_world_jobs(w), "2 start b.service waiting");
}

Test(job_finish, subscribers_hear_of_each_id_once_in_the_order_of_subscription) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        assert_events(w, "new 1 start a.service; new 2 reload a.service; removed 1 canceled a.service; "
                         "removed 2 canceled a.service; new 3 stop a.service");
}

Test(job_finish, unit_that_goes_takes_its_jobs_along) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service nop:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_events(w);
        unit_table_remove(w->units->table, job_world_unit(w, "a.service"));
        assert_events(w, "removed 3 collected a.service; removed 1 dependency b.service; removed 4 collected a.service");
        assert_jobs(w, "");
}

Test(job_finish, change_of_a_unit_without_jobs_ends_nothing) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_manager_resume(w->jobs, job_world_unit(w, "a.service"));
        assert_events(w, "");
}
