/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The modes, one by one
 */

#include "job_world.h"

/* a runs, b has a start that waits for it, c is idle. */
static JobWorld *world_with_jobs(void) {
        JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_unit(w->units, "c.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service");
        job_world_run(w);
        job_world_events(w);
        return w;
}

Test(job_transaction_mode, replace_cancels_what_conflicts) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        job_world_accept(w, JOB_REPLACE, "stop:b.service");
        assert_planned(w, "stop b.service -2");
        assert_events(w, "removed 2 canceled b.service; new 3 stop b.service");
}

Test(job_transaction_mode, fail_refuses_what_would_replace_a_job) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        job_world_refuse(w, JOB_FAIL, "stop:b.service", "TransactionIsDestructive");
        assert_contains(failure_message(&w->failure), "job 2 (start b.service, waiting)");
        assert_contains(failure_message(&w->failure), "mode fail");
        job_world_refuse(w, JOB_FAIL, "stop:a.service", "TransactionIsDestructive");
        job_world_accept(w, JOB_FAIL, "start:c.service restart:b.service");
        assert_jobs(w, "1 start a.service running, 2 restart/stop b.service waiting, 3 start c.service waiting");
}

Test(job_transaction_mode, fail_leaves_out_what_is_not_needed_and_would_do_harm) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        double_unit(w->units, "runs.service", UNIT_ACTIVE);
        double_relate(w->units, "c.service", UNIT_CONFLICTED_BY, "runs.service");
        double_relate(w->units, "c.service", UNIT_CONFLICTED_BY, "b.service");
        double_relate(w->units, "c.service", UNIT_WANTS, "d.service");
        job_world_accept(w, JOB_FAIL, "start:c.service");
        assert_planned(w, "start c.service, start d.service");
        assert_dropped(w, "stop runs.service: minimize-impact, stop b.service: minimize-impact");
}

Test(job_transaction_mode, fail_stops_what_is_needed) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        double_unit(w->units, "runs.service", UNIT_ACTIVE);
        double_relate(w->units, "c.service", UNIT_CONFLICTS, "runs.service");
        job_world_accept(w, JOB_FAIL, "start:c.service");
        assert_planned(w, "start c.service, stop runs.service");
}

Test(job_transaction_mode, lenient_refuses_even_what_is_needed) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        double_unit(w->units, "runs.service", UNIT_ACTIVE);
        double_relate(w->units, "c.service", UNIT_CONFLICTS, "runs.service");
        job_world_refuse(w, JOB_LENIENT, "start:c.service", "TransactionIsDestructive");
        assert_contains(failure_message(&w->failure), "it would stop something that runs");
        job_world_refuse(w, JOB_LENIENT, "stop:b.service", "TransactionIsDestructive");
        assert_contains(failure_message(&w->failure), "it would change an installed job");
}

Test(job_transaction_mode, lenient_leaves_out_what_is_not_needed) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        double_unit(w->units, "runs.service", UNIT_ACTIVE);
        double_relate(w->units, "c.service", UNIT_CONFLICTED_BY, "runs.service");
        job_world_accept(w, JOB_LENIENT, "start:c.service");
        assert_planned(w, "start c.service");
        assert_dropped(w, "stop runs.service: minimize-impact");
}

Test(job_transaction_mode, irreversible_jobs_are_replaced_by_nothing_but_a_cancel) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        job_world_accept(w, JOB_REPLACE_IRREVERSIBLY, "stop:b.service");
        job_world_refuse(w, JOB_REPLACE, "start:b.service", "TransactionIsDestructive");
        assert_contains(failure_message(&w->failure), "irreversible");
        cr_assert(eq(int, job_manager_cancel(w->jobs, 3, NULL, 0, NULL), 0));
        job_world_accept(w, JOB_REPLACE, "start:b.service");
}

Test(job_transaction_mode, irreversible_is_kept_when_jobs_merge) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();
        JobInfo job;

        job_world_accept(w, JOB_REPLACE_IRREVERSIBLY, "start:b.service start:a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        cr_assert(job_manager_find(w->jobs, 2, &job) && job.is_irreversible);
        cr_assert(job_manager_find(w->jobs, 1, &job) && job.is_irreversible);
        job_world_refuse(w, JOB_REPLACE, "stop:a.service", "TransactionIsDestructive");
}

Test(job_transaction_mode, ignore_requirements_pulls_in_nothing_and_keeps_the_order) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        double_relate(w->units, "c.service", UNIT_REQUIRES, "d.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_IGNORE_REQUIREMENTS, "start:c.service");
        assert_planned(w, "start c.service");
        job_world_run(w);
        assert_jobs(w, "1 start a.service running, 2 start b.service waiting, 3 start c.service waiting");
}

Test(job_transaction_mode, ignore_dependencies_ignores_the_order_as_well) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        double_relate(w->units, "c.service", UNIT_REQUIRES, "d.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_IGNORE_DEPENDENCIES, "start:c.service");
        job_world_run(w);
        assert_jobs(w, "1 start a.service running, 2 start b.service waiting, 3 start c.service running");
}

Test(job_transaction_mode, job_that_starts_to_ignore_the_order_goes_and_blocks_nobody) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        double_relate(w->units, "c.service", UNIT_AFTER, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:c.service");
        job_world_run(w);
        job_world_accept(w, JOB_IGNORE_DEPENDENCIES, "start:b.service");
        job_world_run(w);
        assert_jobs(w, "1 start a.service running, 2 start b.service running, 3 start c.service running");
}

Test(job_transaction_mode, ignore_dependencies_takes_a_cycle) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_refuse(w, JOB_REPLACE, "start:a.service start:b.service", "TransactionOrderIsCyclic");
        job_world_accept(w, JOB_IGNORE_DEPENDENCIES, "start:a.service start:b.service");
        job_world_run(w);
        assert_jobs(w, "1 start a.service running, 2 start b.service running");
}

Test(job_transaction_mode, modes_are_for_their_types) {
        static const struct {
                JobMode mode;
                const char *good, *bad;
        } table[] = {
                { JOB_ISOLATE, "start:a.target", "stop:a.target" },
                { JOB_ISOLATE, "start:a.target start:b.target", "start:a.target restart:b.target" },
                { JOB_RESTART_DEPENDENCIES, "start:a.target", "restart:a.target" },
                { JOB_TRIGGERING, "stop:a.target", "start:a.target" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "a.target", UNIT_INACTIVE)->settings.allow_isolate = true;
                double_unit(w->units, "b.target", UNIT_INACTIVE)->settings.allow_isolate = true;
                job_world_refuse(w, table[i].mode, table[i].bad, "InvalidArgs");
                cr_assert(eq(int, w->failure.code, -EINVAL));
                job_world_accept(w, table[i].mode, table[i].good);
        }
}

Test(job_transaction_mode, isolate_needs_a_unit_that_allows_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_refuse(w, JOB_ISOLATE, "start:a.service", "NoIsolation");
        cr_assert(eq(int, w->failure.code, -EPERM));
        job_world_refuse(w, JOB_ISOLATE, "start:missing.service", "NoSuchUnit");
}

static JobWorld *world_to_isolate(void) {
        JobWorld *w = job_world_new();

        double_unit(w->units, "rescue.target", UNIT_INACTIVE)->settings.allow_isolate = true;
        return w;
}

Test(job_transaction_mode, isolate_stops_all_but_what_is_inactive_staged_perpetual_or_spared) {
        cleanup_(job_world_freep) JobWorld *w = world_to_isolate();

        double_relate(w->units, "rescue.target", UNIT_REQUIRES, "shell.service");
        double_unit(w->units, "inactive.service", UNIT_INACTIVE);
        double_unit(w->units, "failed.service", UNIT_FAILED);
        double_unit(w->units, "active.service", UNIT_ACTIVE);
        double_unit(w->units, "perpetual.service", UNIT_ACTIVE)->settings.is_perpetual = true;
        double_unit(w->units, "spared.service", UNIT_ACTIVE)->settings.ignore_on_isolate = true;
        job_world_accept(w, JOB_ISOLATE, "start:rescue.target");
        assert_planned(w, "start rescue.target, start shell.service, stop active.service");
        assert_dropped(w, "stop failed.service: redundant");
        assert_string(w->plan->jobs.items[2].why, "mode isolate of start rescue.target");
}

Test(job_transaction_mode, isolate_stops_what_has_a_job_and_clears_what_was_left) {
        cleanup_(job_world_freep) JobWorld *w = world_to_isolate();

        double_relate(w->units, "waits.service", UNIT_AFTER, "runs.service");
        double_unit(w->units, "idle.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:runs.service start:waits.service nop:idle.service");
        job_manager_run(w->jobs, 1, 0);
        job_world_events(w);
        job_world_accept(w, JOB_ISOLATE, "start:rescue.target");
        assert_contains(job_world_planned(w), "stop waits.service -2");
        job_world_run(w);
        assert_jobs(w, "4 start rescue.target running, 6 stop runs.service running");
}

Test(job_transaction_mode, isolate_keeps_what_a_kept_unit_triggers) {
        cleanup_(job_world_freep) JobWorld *w = world_to_isolate();

        double_unit(w->units, "kept.service", UNIT_ACTIVE);
        double_unit(w->units, "gone.service", UNIT_ACTIVE);
        double_unit(w->units, "wanted.service", UNIT_ACTIVE);
        double_unit(w->units, "kept.socket", UNIT_ACTIVE)->settings.ignore_on_isolate = true;
        double_unit(w->units, "gone.socket", UNIT_ACTIVE);
        double_unit(w->units, "wanted.socket", UNIT_ACTIVE);
        double_relate(w->units, "kept.socket", UNIT_TRIGGERS, "kept.service");
        double_relate(w->units, "gone.socket", UNIT_TRIGGERS, "gone.service");
        double_relate(w->units, "wanted.socket", UNIT_TRIGGERS, "wanted.service");
        double_relate(w->units, "rescue.target", UNIT_REQUIRES, "wanted.socket");
        job_world_accept(w, JOB_ISOLATE, "start:rescue.target");
        assert_planned(w, "start rescue.target, stop gone.service, stop gone.socket");
}

/* A wanted unit whose start was dropped is no part of the target. */
Test(job_transaction_mode, isolate_stops_a_unit_whose_start_was_left_out) {
        cleanup_(job_world_freep) JobWorld *w = world_to_isolate();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "masked.service", UNIT_INACTIVE)->load_state = UNIT_MASKED;
        double_relate(w->units, "rescue.target", UNIT_WANTS, "a.service");
        double_relate_as_is(w->units, "a.service", UNIT_REQUIRES, "masked.service");
        job_world_accept(w, JOB_ISOLATE, "start:rescue.target");
        assert_planned(w, "start rescue.target, stop a.service");
}

Test(job_transaction_mode, flush_clears_the_waiting_jobs_of_other_units) {
        cleanup_(job_world_freep) JobWorld *w = world_with_jobs();

        job_world_accept(w, JOB_REPLACE, "nop:c.service");
        double_relate(w->units, "d.service", UNIT_AFTER, "a.service");
        job_world_unit(w, "d.service")->settings.ignore_on_isolate = true;
        job_world_accept(w, JOB_REPLACE, "start:d.service");
        job_world_events(w);
        double_unit(w->units, "e.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_FLUSH, "start:e.service");
        cr_assert(eq(sz, w->plan->canceled.n, 2));
        assert_events(w, "removed 2 canceled b.service; removed 3 canceled c.service; new 5 start e.service");
        assert_jobs(w, "1 start a.service running, 4 start d.service waiting, 5 start e.service waiting");
}

Test(job_transaction_mode, triggering_stops_what_triggers_the_unit) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "a.socket", UNIT_ACTIVE);
        double_unit(w->units, "a.timer", UNIT_INACTIVE);
        double_unit(w->units, "a.path", UNIT_INACTIVE);
        double_relate(w->units, "a.socket", UNIT_TRIGGERS, "a.service");
        double_relate(w->units, "a.timer", UNIT_TRIGGERS, "a.service");
        double_relate(w->units, "a.path", UNIT_TRIGGERS, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.path");
        job_world_accept(w, JOB_TRIGGERING, "stop:a.service");
        assert_planned(w, "stop a.service, stop a.socket, stop a.path -1");
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        assert_planned(w, "stop a.service merge 2");
}

Test(job_transaction_mode, restart_dependencies_restarts_those_that_need_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_FAILED);
        double_unit(w->units, "active.service", UNIT_ACTIVE);
        double_relate(w->units, "active.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "inactive.service", UNIT_REQUIRES, "a.service");
        job_world_accept(w, JOB_RESTART_DEPENDENCIES, "start:a.service");
        assert_planned(w, "start a.service, restart active.service");
}
