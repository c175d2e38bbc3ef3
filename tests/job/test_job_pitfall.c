/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Cases that job engines are known to get wrong, each as a test
 */

#include "job_world.h"

Test(job_pitfall, stop_over_the_stop_half_of_a_restart_leaves_the_unit_stopped) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        assert_jobs(w, "1 restart/stop a.service running");

        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "");
        assert_events(w, "new 1 restart a.service; new 2 stop a.service; removed 1 canceled a.service; "
                         "removed 2 done a.service");
        cr_assert(eq(int, job_world_unit(w, "a.service")->active_state, UNIT_INACTIVE));
}

Test(job_pitfall, stop_that_is_not_dispatched_ends_the_restart_when_its_stop_half_ends) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        job_world_state(w, "a.service", UNIT_INACTIVE);
        assert_jobs(w, "2 stop a.service waiting");
        job_world_run(w);
        assert_jobs(w, "");
        assert_calls(w, "stop a.service");
}

Test(job_pitfall, irreversible_shutdown_refuses_restart_and_start) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "x.service", UNIT_ACTIVE);
        double_unit(w->units, "shutdown.target", UNIT_INACTIVE);
        double_relate(w->units, "x.service", UNIT_CONFLICTS, "shutdown.target");
        job_world_accept(w, JOB_REPLACE_IRREVERSIBLY, "start:shutdown.target");

        job_world_refuse(w, JOB_REPLACE, "restart:x.service", "TransactionIsDestructive");
        job_world_refuse(w, JOB_REPLACE, "start:x.service", "TransactionIsDestructive");
        job_world_run(w);
        job_world_refuse(w, JOB_REPLACE, "restart:x.service", "TransactionIsDestructive");
        job_world_refuse(w, JOB_REPLACE, "stop:shutdown.target", "TransactionIsDestructive");
}

Test(job_pitfall, cycle_in_the_start_halves_is_refused_at_commit) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        double_unit(w->units, "c.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_BEFORE, "b.service");
        double_relate(w->units, "b.service", UNIT_BEFORE, "c.service");
        double_relate(w->units, "c.service", UNIT_BEFORE, "a.service");

        job_world_refuse(w, JOB_REPLACE, "restart:a.service start:b.service restart:c.service",
                         "TransactionOrderIsCyclic");
        assert_jobs(w, "");
        cr_assert(strstr(failure_message(&w->failure), "test:") != NULL);
}

Test(job_pitfall, failure_of_a_requirement_ends_a_restart_between_its_halves) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");

        job_world_accept(w, JOB_REPLACE, "restart:b.service");
        job_world_run(w);
        assert_jobs(w, "1 restart/stop b.service waiting, 2 restart/stop a.service running");
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        job_world_state(w, "b.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 restart/start b.service running, 2 restart/start a.service waiting");
        job_world_events(w);
        job_world_state(w, "b.service", UNIT_FAILED);
        job_world_run(w);
        assert_events(w, "removed 1 failed b.service; removed 2 dependency a.service");
}

Test(job_pitfall, job_that_comes_behind_the_scan_is_waited_for) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "x.service", UNIT_INACTIVE);
        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "x.service", UNIT_AFTER, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "start:x.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start x.service waiting, 3 start a.service running");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start x.service running");
}

Test(job_pitfall, of_two_wanted_units_that_conflict_one_starts_always_the_same) {
        for (int round = 0; round < 3; round++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "t.target", UNIT_INACTIVE);
                double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
                double_relate(w->units, "t.target", UNIT_WANTS, "b.service");
                double_relate(w->units, "a.service", UNIT_CONFLICTS, "b.service");
                job_world_accept(w, JOB_REPLACE, "start:t.target");
                assert_jobs(w, "1 start t.target waiting, 2 start a.service waiting");
        }
}

Test(job_pitfall, unit_that_a_failed_branch_shares_with_a_required_one_stays) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        double_relate(w->units, "t.target", UNIT_WANTS, "broken.service");
        double_relate(w->units, "t.target", UNIT_REQUIRES, "good.service");
        double_relate(w->units, "broken.service", UNIT_REQUIRES, "shared.service");
        double_relate(w->units, "broken.service", UNIT_REQUIRES, "masked.service");
        double_relate(w->units, "good.service", UNIT_REQUIRES, "shared.service");
        job_world_unit(w, "masked.service")->load_state = UNIT_MASKED;
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_jobs(w, "1 start t.target waiting, 2 start good.service waiting, 3 start shared.service waiting");
}

Test(job_pitfall, two_units_that_require_each_other_go_when_their_puller_does) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        double_relate(w->units, "t.target", UNIT_WANTS, "broken.service");
        double_relate(w->units, "broken.service", UNIT_REQUIRES, "masked.service");
        double_relate(w->units, "broken.service", UNIT_WANTS, "a.service");
        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        job_world_unit(w, "masked.service")->load_state = UNIT_MASKED;
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_jobs(w, "1 start t.target waiting");
}

Test(job_pitfall, requisite_on_a_unit_whose_start_is_skipped_by_a_condition_fails) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_relate(w->units, "a.service", UNIT_REQUISITE, "b.service");
        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        double_unit_answer(job_world_unit(w, "b.service"), DOUBLE_START, UNIT_CONDITION_UNMET);
        job_world_accept(w, JOB_REPLACE, "start:b.service start:a.service");
        job_world_run(w);
        assert_events(w, "new 1 start b.service; new 2 start a.service; removed 1 done b.service; "
                         "removed 2 dependency a.service");
}

Test(job_pitfall, requisite_against_a_pending_stop_leaves_the_stop) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_unit(w->units, "block.service", UNIT_ACTIVE);
        double_relate(w->units, "b.service", UNIT_BEFORE, "block.service");
        double_relate(w->units, "a.service", UNIT_REQUISITE, "b.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
        job_world_accept(w, JOB_REPLACE, "stop:block.service stop:b.service");
        job_world_run(w);
        assert_jobs(w, "1 stop block.service running, 2 stop b.service waiting");

        job_world_refuse(w, JOB_REPLACE, "start:a.service", "TransactionIsDestructive");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_jobs(w, "1 stop block.service running, 2 stop b.service waiting, 3 start t.target waiting");
}

Test(job_pitfall, reload_behind_a_running_start_survives_a_new_start) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_jobs(w, "1 start a.service running, 2 reload a.service waiting");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_calls(w, "start a.service, reload a.service");
}

Test(job_pitfall, reload_that_absorbed_a_start_starts_a_unit_that_died) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "reload:a.service start:a.service");
        assert_jobs(w, "1 reload a.service waiting");
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 start a.service running");
        assert_calls(w, "start a.service");
}

Test(job_pitfall, try_restart_beside_a_blocked_head_ends_at_once) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service start:a.service");
        job_world_run(w);
        job_world_events(w);
        job_world_accept(w, JOB_FAIL, "try-restart:a.service");
        job_world_run(w);
        assert_events(w, "new 3 nop a.service; removed 3 done a.service");
        assert_jobs(w, "1 start b.service running, 2 start a.service waiting");
}

Test(job_pitfall, order_of_requests_does_not_matter_to_propagated_stops) {
        static const char *const requests[] = { "restart:x.service start:y.service", "start:y.service restart:x.service" };

        for (size_t i = 0; i < ELEMENTSOF(requests); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "x.service", UNIT_ACTIVE);
                double_unit(w->units, "y.service", UNIT_ACTIVE);
                double_relate(w->units, "x.service", UNIT_PROPAGATES_STOP_TO, "y.service");
                job_world_accept(w, JOB_REPLACE, requests[i]);
                assert_jobs(w, i == 0 ? "1 restart/stop x.service waiting, 2 restart/stop y.service waiting" :
                                        "1 restart/stop y.service waiting, 2 restart/stop x.service waiting");
        }
}
