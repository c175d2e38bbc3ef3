/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Save and restore: every field lives on, and a bad record does no harm
 */

#include "double/double_snapshot.h"
#include "job_world.h"

/* Another manager over the same units, as after a restart. */
static void restore(JobWorld *w, const JobSnapshot *snapshot) {
        w->jobs = job_manager_free(w->jobs);
        cr_assert(eq(int, job_manager_new(&w->jobs, w->units->table), 0));
        cr_assert(eq(int, job_manager_restore(w->jobs, snapshot, w->units->clock.now), 0));
        job_world_subscribe(w);
}

static void restart(JobWorld *w) {
        JobSnapshot snapshot;

        cr_assert(eq(int, job_manager_save(w->jobs, &snapshot), 0));
        double_snapshot_through_bytes(&snapshot);
        restore(w, &snapshot);
        job_snapshot_deinit(&snapshot);
}

Test(job_save, running_and_waiting_jobs_go_on_where_they_were) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "r.service", UNIT_ACTIVE);
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service restart:r.service nop:b.service");
        job_manager_run(w->jobs, 2, 0);
        job_world_state(w, "r.service", UNIT_INACTIVE);
        assert_jobs(w, "1 start a.service running, 2 start b.service waiting, 3 restart/start r.service waiting, "
                       "4 nop b.service waiting");
        restart(w);
        assert_jobs(w, "1 start a.service running, 2 start b.service waiting, 3 restart/start r.service waiting, "
                       "4 nop b.service waiting");
        double_calls_clear(w->units);
        job_world_run(w);
        assert_calls(w, "start r.service");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_calls(w, "start b.service");
        assert_contains(job_world_events(w), "removed 1 done a.service");
}

Test(job_save, every_field_lives_on) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfo before, after;
        Unit *unit = double_unit(w->units, "a.service", UNIT_ACTIVE);

        unit->settings.job_timeout = 100 * USEC_PER_SEC;
        unit->settings.job_priority = 3;
        double_unit_answer(unit, DOUBLE_RELOAD, UNIT_NOT_NOW);
        job_world_accept(w, JOB_REPLACE, "reload:a.service start:a.service");
        w->units->clock.now += 5;
        job_world_accept(w, JOB_IGNORE_DEPENDENCIES, "start:a.service");
        job_world_accept(w, JOB_REPLACE_IRREVERSIBLY, "reload:a.service");
        job_world_run(w);
        cr_assert(job_manager_find(w->jobs, 1, &before));
        cr_assert(before.is_irreversible && before.ignores_order && before.is_paused);
        restart(w);
        cr_assert(job_manager_find(w->jobs, 1, &after));
        cr_assert(eq(int, after.type, before.type));
        cr_assert(eq(int, after.run_type, before.run_type));
        cr_assert(eq(int, after.state, before.state));
        cr_assert(after.is_irreversible && after.ignores_order && after.is_paused);
        cr_assert(eq(u64, after.transaction, before.transaction));
        cr_assert(eq(u64, after.installed_at, before.installed_at));
        cr_assert(eq(u64, after.deadline, before.deadline));
        assert_contains(job_world_explain(w, "1"), "(transaction 3)");

        /* The job still has the start that it absorbed. */
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 start a.service running");
}

Test(job_save, ids_and_transactions_go_on_counting) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_manager_cancel(w->jobs, 1, NULL, 0, NULL);
        restart(w);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_jobs(w, "2 start a.service waiting");
        cr_assert(eq(u64, w->plan->transaction, 2));
}

Test(job_save, absorbed_ids_end_with_their_survivor) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        restart(w);
        job_world_events(w);
        cr_assert(eq(int, job_manager_cancel(w->jobs, 2, NULL, 0, NULL), 0));
        assert_events(w, "removed 1 canceled a.service; removed 2 canceled a.service");
}

Test(job_save, causes_lead_to_the_anchor_with_file_and_line) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *text;

        double_relate_at(w->units, "t.target", UNIT_REQUIRES, "c.service", 1);
        double_relate_at(w->units, "b.service", UNIT_REQUIRED_BY, "c.service", 2);
        double_relate_at(w->units, "b.service", UNIT_REQUIRES, "a.service", 3);
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        restart(w);
        text = job_world_explain(w, "a.service");
        assert_contains(text, "start a.service is pulled in by start b.service: Requires=a.service (test:3)");
        assert_contains(text, "start b.service is pulled in by start c.service: RequiredBy=c.service of b.service (test:2)");
        assert_contains(text, "start c.service is pulled in by start t.target: Requires=c.service (test:1)");
        assert_contains(text, "start t.target was requested");
        assert_contains(text, "requested by :1.7 (pid 42, uid 1000)");
        assert_contains(job_world_explain(w, "t1"), "requests=[start t.target],jobs=[");
}

Test(job_save, unit_that_waits_for_another_to_recover_still_does) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_unit(w, "b.service")->settings.restart_on_dependency = true;
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        restart(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "3 start b.service waiting");
}

/* Neither a reload of unit files nor unloading checks which jobs wait for the removed unit. */
Test(job_save, who_waits_for_a_unit_that_has_gone_waits_for_nobody) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobSnapshot snapshot;
        Unit *a;

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_unit(w, "b.service")->settings.restart_on_dependency = true;
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        a = job_world_unit(w, "a.service");
        double_unit_state(a, UNIT_INACTIVE, 0);

        unit_withdraw_relations(job_world_unit(w, "b.service"));
        job_manager_graph_changed(w->jobs, 0);
        unit_table_remove(w->units->table, a);
        cr_assert(eq(int, job_manager_save(w->jobs, &snapshot), 0));
        cr_assert(eq(sz, snapshot.recoveries.n, 0));
        job_snapshot_deinit(&snapshot);
}

Test(job_save, rules_that_were_still_to_be_looked_at_are) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_UPHOLDS, "b.service");
        job_world_state(w, "b.service", UNIT_FAILED);
        restart(w);
        cr_assert(job_manager_has_ready(w->jobs));
        job_world_run(w);
        assert_jobs(w, "1 start b.service running");
}

Test(job_save, triggered_job_is_not_triggered_again) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        restart(w);
        assert_jobs(w, "1 start a.service running, 2 stop a.service waiting");
        double_calls_clear(w->units);
        job_world_run(w);
        assert_calls(w, "stop a.service");
        assert_jobs(w, "2 stop a.service running");
}

Test(job_save, job_whose_unit_cannot_be_used_any_more_ends_collected) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobSnapshot snapshot;
        JobInfo job;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service stop:b.service");
        cr_assert(eq(int, job_manager_save(w->jobs, &snapshot), 0));
        double_snapshot_through_bytes(&snapshot);
        cr_assert(eq(int, vector_push(&snapshot.jobs.items[0].aliases, 77U), 0));
        job_world_unit(w, "a.service")->load_state = UNIT_MASKED;
        job_world_unit(w, "b.service")->load_state = UNIT_MASKED;
        restore(w, &snapshot);
        job_snapshot_deinit(&snapshot);

        /* A stop needs no file. */
        assert_jobs(w, "2 stop b.service waiting");
        cr_assert(job_manager_find_ended(w->jobs, 1, &job));
        cr_assert(eq(int, job.result, JOB_COLLECTED));
        cr_assert(job_manager_find_ended(w->jobs, 77, &job));
        cr_assert(eq(int, job.result, JOB_COLLECTED));
        assert_contains(job_world_explain(w, "1"), "its unit cannot be used");
}

static JobRecord *add_record(JobSnapshot *snapshot, const char *unit) {
        JobRecord record = { .id = 5, .type = JOB_START, .run_type = JOB_START, .state = JOB_WAITING };

        record.unit = unit ? strdup(unit) : NULL;
        cr_assert(eq(int, vector_push(&snapshot->jobs, record), 0));
        return &vector_last(&snapshot->jobs);
}

Test(job_save, bad_records_are_refused_and_the_rest_lives) {
        static const JobRecord bad[] = {
                { .id = 0, .type = JOB_START, .run_type = JOB_START },
                { .id = 6, .type = 77, .run_type = JOB_START },
                { .id = 6, .type = -1, .run_type = JOB_START },
                { .id = 6, .type = JOB_TRY_RESTART, .run_type = JOB_TRY_RESTART },
                { .id = 6, .type = JOB_START, .run_type = JOB_STOP },
                { .id = 6, .type = JOB_START, .run_type = JOB_NOP },
                { .id = 6, .type = JOB_START, .run_type = JOB_VERIFY_ACTIVE, .state = JOB_RUNNING },
                { .id = 6, .type = JOB_NOP, .run_type = JOB_START },
                { .id = 6, .type = JOB_RESTART, .run_type = JOB_RESTART },
                { .id = 6, .type = JOB_RELOAD, .run_type = -1 },
                { .id = 6, .type = JOB_NOP, .run_type = JOB_NOP, .state = JOB_RUNNING },
                { .id = 6, .type = JOB_VERIFY_ACTIVE, .run_type = JOB_VERIFY_ACTIVE, .state = JOB_RUNNING },
                { .id = 6, .type = JOB_START, .run_type = JOB_START, .state = 9 },
                { .id = 6, .type = JOB_START, .run_type = JOB_START, .state = -1 },
        };

        for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();
                JobSnapshot snapshot = { .last_id = 9 };
                JobRecord *record;

                double_unit(w->units, "a.service", UNIT_INACTIVE);
                double_unit(w->units, "b.service", UNIT_INACTIVE);
                record = add_record(&snapshot, NULL);
                *record = bad[i];
                record->unit = strdup("b.service");
                add_record(&snapshot, "a.service");
                restore(w, &snapshot);
                job_snapshot_deinit(&snapshot);
                assert_jobs(w, "5 start a.service waiting");
                if (bad[i].id != 0)
                        assert_contains(job_world_explain(w, "6"), "ended collected");
                job_world_run(w);
                assert_jobs(w, "5 start a.service running");
        }
}

Test(job_save, records_that_contradict_each_other_are_refused) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobSnapshot snapshot = {};
        JobRecord *record;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        add_record(&snapshot, "a.service");
        add_record(&snapshot, "b.service");                     /* the same id */
        add_record(&snapshot, "a.service")->id = 6;             /* the same place */
        add_record(&snapshot, NULL)->id = 7;
        add_record(&snapshot, "no name at all")->id = 8;
        add_record(&snapshot, "missing.service")->id = 9;
        record = add_record(&snapshot, "b.service");
        record->id = 10;
        cr_assert(eq(int, vector_push(&record->aliases, 5U), 0));       /* taken */
        cr_assert(eq(int, vector_push(&record->aliases, 0U), 0));
        cr_assert(eq(int, vector_push(&record->aliases, 11U), 0));
        restore(w, &snapshot);
        job_snapshot_deinit(&snapshot);
        assert_jobs(w, "5 start a.service waiting, 10 start b.service waiting");
        assert_contains(job_world_explain(w, "11"), "id=10,");
        assert_contains(job_world_explain(w, "8"), "collected");
}

static void add_cause(JobRecord *record, const char *puller, int type, int relation) {
        JobCauseRecord cause = { .transaction = 3, .puller_type = type, .relation = relation };

        cause.puller = puller ? strdup(puller) : NULL;
        cr_assert(eq(int, vector_push(&record->causes, cause), 0));
}

Test(job_save, damaged_causes_do_no_harm) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobSnapshot snapshot = {};
        JobRecord *record;

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        double_unit(w->units, "c.service", UNIT_INACTIVE);
        record = add_record(&snapshot, "a.service");
        add_cause(record, "b.service", JOB_START, UNIT_REQUIRES);
        add_cause(record, "a.service", JOB_START, UNIT_REQUIRES);
        add_cause(record, "gone.service", 4711, 4711);
        record = add_record(&snapshot, "b.service");
        record->id = 6;
        add_cause(record, "a.service", -9, -9);
        add_record(&snapshot, "c.service")->id = 7;             /* without any */
        restore(w, &snapshot);
        job_snapshot_deinit(&snapshot);

        /* a and b name each other: the explanation of a circle ends. */
        assert_contains(job_world_explain(w, "5"), "causes=[{unit=a.service");
        assert_contains(job_world_explain(w, "6"), "causes=[{unit=b.service");
        assert_contains_not(job_world_explain(w, "7"), "causes");
        restart(w);
        job_world_run(w);
        assert_jobs(w, "5 start a.service running, 6 start b.service running, 7 start c.service running");
}

Test(job_save, damaged_recoveries_do_no_harm) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobSnapshot snapshot = {};
        const JobRecoveryRecord records[] = {
                { NULL, NULL },
                { strdup("a.service"), NULL },
                { strdup("a.service"), strdup("missing.service") },
                { strdup("missing.service"), strdup("a.service") },
        };

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        for (size_t i = 0; i < ELEMENTSOF(records); i++)
                cr_assert(eq(int, vector_push(&snapshot.recoveries, records[i]), 0));
        restore(w, &snapshot);
        job_snapshot_deinit(&snapshot);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "");
}

Test(job_save, log_of_transactions_is_sound_after_a_restore) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_relate(w->units, "a.service", UNIT_WANTS, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        restart(w);
        for (int i = 0; i < 1500; i++)
                job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_contains(job_world_explain(w, "t1501"), "kind=transaction");
        assert_contains(job_world_explain(w, "t1400"), "kind=transaction");
}

Test(job_save, who_asks_late_for_an_ended_job_is_answered) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfo before[2], after[2];

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        w->units->clock.now += 7;
        job_world_state(w, "a.service", UNIT_FAILED);
        for (uint32_t id = 1; id <= 2; id++)
                cr_assert(job_manager_find_ended(w->jobs, id, &before[id - 1]));
        restart(w);
        for (uint32_t id = 1; id <= 2; id++) {
                cr_assert(job_manager_find_ended(w->jobs, id, &after[id - 1]));
                cr_expect(eq(int, after[id - 1].result, before[id - 1].result));
                cr_expect(eq(ptr, after[id - 1].unit, before[id - 1].unit));
                cr_expect(eq(int, after[id - 1].type, before[id - 1].type));
                cr_expect(eq(u64, after[id - 1].installed_at, before[id - 1].installed_at));
                cr_expect(eq(u64, after[id - 1].triggered_at, before[id - 1].triggered_at));
        }
        cr_expect(eq(int, after[0].result == JOB_DEPENDENCY || after[1].result == JOB_DEPENDENCY, true));
        assert_contains(job_world_explain(w, "1"), "a.service");
        assert_contains(job_world_explain(w, "2"), "a.service");
}
