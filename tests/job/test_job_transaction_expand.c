/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Jobs that requests pull in, and the effect of those that cannot be pulled in
 */

#include "job_world.h"

typedef struct Pull {
        JobType type;
        UnitRelationKind relation;
        JobType pulled;
        bool is_needed;
} Pull;

static const Pull pulls[] = {
        { JOB_START, UNIT_REQUIRES, JOB_START, true },
        { JOB_START, UNIT_BINDS_TO, JOB_START, true },
        { JOB_START, UNIT_WANTS, JOB_START, false },
        { JOB_START, UNIT_UPHOLDS, JOB_START, false },
        { JOB_START, UNIT_REQUISITE, JOB_VERIFY_ACTIVE, true },
        { JOB_START, UNIT_CONFLICTS, JOB_STOP, true },
        { JOB_START, UNIT_CONFLICTED_BY, JOB_STOP, false },
        { JOB_RESTART, UNIT_REQUIRES, JOB_START, true },
        { JOB_RESTART, UNIT_BINDS_TO, JOB_START, true },
        { JOB_RESTART, UNIT_WANTS, JOB_START, false },
        { JOB_RESTART, UNIT_UPHOLDS, JOB_START, false },
        { JOB_RESTART, UNIT_REQUISITE, JOB_VERIFY_ACTIVE, true },
        { JOB_RESTART, UNIT_CONFLICTS, JOB_STOP, true },
        { JOB_RESTART, UNIT_CONFLICTED_BY, JOB_STOP, false },
        { JOB_RESTART, UNIT_REQUIRED_BY, JOB_RESTART, true },
        { JOB_RESTART, UNIT_REQUISITE_OF, JOB_RESTART, true },
        { JOB_RESTART, UNIT_BOUND_BY, JOB_RESTART, true },
        { JOB_RESTART, UNIT_CONSISTS_OF, JOB_RESTART, true },
        { JOB_RESTART, UNIT_PROPAGATES_STOP_TO, JOB_STOP, true },
        { JOB_STOP, UNIT_REQUIRED_BY, JOB_STOP, true },
        { JOB_STOP, UNIT_REQUISITE_OF, JOB_STOP, true },
        { JOB_STOP, UNIT_BOUND_BY, JOB_STOP, true },
        { JOB_STOP, UNIT_CONSISTS_OF, JOB_STOP, true },
        { JOB_STOP, UNIT_PROPAGATES_STOP_TO, JOB_STOP, true },
        { JOB_RELOAD, UNIT_PROPAGATES_RELOAD_TO, JOB_RELOAD, false },
};

static const Pull *find_pull(JobType type, UnitRelationKind relation) {
        for (size_t i = 0; i < ELEMENTSOF(pulls); i++)
                if (pulls[i].type == type && pulls[i].relation == relation)
                        return &pulls[i];
        return NULL;
}

/* a.service has the one relation to b.service; what does a job of @type pull in? */
static void check_pull(JobType type, UnitRelationKind relation, UnitActiveState state, const Pull *expected) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobRequest request = { .unit = "a.service", .type = type };
        JobOptions options = { .mode = JOB_REPLACE };
        const JobPlanJob *job;

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", state);
        double_relate_at(w->units, "a.service", relation, "b.service", 7);
        cr_assert(eq(int, job_manager_plan(w->jobs, &request, 1, &options, &w->plan), 0));
        cr_assert(w->plan->jobs.n == (expected ? 2U : 1U), "%s over %s pulls %s", job_type_to_string(type),
                  unit_relation_to_string(relation), job_world_planned(w));
        if (!expected)
                return;

        job = &w->plan->jobs.items[1];
        cr_assert(job->type == expected->pulled && job->is_needed == expected->is_needed && job->relation == relation,
                  "%s over %s pulls %s", job_type_to_string(type), unit_relation_to_string(relation),
                  job_world_planned(w));
        assert_string(job->unit, "b.service");
        assert_string(job->puller, "a.service");
        assert_string(job->declared, "test:7");
        cr_assert(eq(int, job->puller_type, type));
}

Test(job_transaction_expand, each_type_pulls_over_each_relation_what_the_table_says) {
        static const UnitActiveState states[] = { UNIT_INACTIVE, UNIT_ACTIVE };

        for (JobType type = 0; type < (JobType) _JOB_TYPE_MAX_IN_TABLE; type++)
                for (UnitRelationKind relation = 0; relation < _UNIT_RELATION_MAX; relation++) {
                        const Pull *pull = find_pull(type, relation);

                        for (size_t s = 0; s < ELEMENTSOF(states); s++) {
                                bool starts = pull && (pull->pulled == JOB_START || pull->pulled == JOB_VERIFY_ACTIVE);

                                /* In the other state it is there already, or becomes a nop. */
                                check_pull(type, relation, states[s],
                                           pull && starts == (states[s] == UNIT_INACTIVE) ? pull : NULL);
                        }
                }
}

Test(job_transaction_expand, a_pulled_job_pulls_in_turn) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "b.service", UNIT_WANTS, "c.service");
        double_relate(w->units, "c.service", UNIT_REQUIRES, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_jobs(w, "1 start a.service waiting, 2 start b.service waiting, 3 start c.service waiting");
}

Test(job_transaction_expand, anchors_come_first_and_in_their_order) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "a.service", UNIT_REQUIRES, "c.service");
        double_unit(w->units, "d.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:c.service start:a.service start:d.service start:c.service");
        assert_planned(w, "start c.service, start a.service, start d.service, start b.service");
        cr_assert(eq(sz, w->plan->anchors.n, 4));
        cr_assert(eq(u32, w->plan->anchors.items[3], 0));
}

Test(job_transaction_expand, stop_that_spreads_leaves_a_staged_stop_or_restart_and_turns_a_start) {
        static const struct {
                const char *requests, *jobs;
        } table[] = {
                { "stop:x.service", "stop x.service, stop y.service" },
                { "stop:x.service stop:y.service", "stop x.service, stop y.service" },
                { "stop:x.service restart:y.service", "stop x.service, restart y.service" },
                { "stop:x.service start:y.service", "stop x.service, restart y.service" },
                { "start:y.service stop:x.service", "restart y.service, stop x.service" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "x.service", UNIT_ACTIVE);
                double_unit(w->units, "y.service", UNIT_ACTIVE);
                double_relate(w->units, "x.service", UNIT_PROPAGATES_STOP_TO, "y.service");
                job_world_accept(w, JOB_REPLACE, table[i].requests);
                assert_planned(w, table[i].jobs);
        }
}

typedef struct LoadCase {
        UnitLoadState state;
        const char *name;
        int code;
} LoadCase;

static const LoadCase load_cases[] = {
        { UNIT_NOT_FOUND, "NoSuchUnit", -ENOENT },
        { UNIT_BAD_SETTING, "BadUnitSetting", -ENOEXEC },
        { UNIT_MASKED, "UnitMasked", -ERFKILL },
        { UNIT_ERROR, "LoadFailed", -EIO },
};

static JobWorld *world_with_broken(const LoadCase *c) {
        JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        double_unit(w->units, "broken.service", UNIT_INACTIVE)->load_state = c->state;
        return w;
}

Test(job_transaction_expand, unit_that_cannot_be_used_refuses_its_request) {
        for (size_t i = 0; i < ELEMENTSOF(load_cases); i++) {
                cleanup_(job_world_freep) JobWorld *w = world_with_broken(&load_cases[i]);

                job_world_refuse(w, JOB_REPLACE, "start:broken.service", load_cases[i].name);
                cr_assert(eq(int, w->failure.code, load_cases[i].code));
                assert_contains(failure_message(&w->failure), "broken.service");
                assert_jobs(w, "");
        }
}

Test(job_transaction_expand, what_needs_a_unit_that_cannot_be_used_is_refused_with_the_way_to_it) {
        for (size_t i = 0; i < ELEMENTSOF(load_cases); i++) {
                cleanup_(job_world_freep) JobWorld *w = world_with_broken(&load_cases[i]);

                double_relate_at(w->units, "a.service", UNIT_REQUIRES, "b.service", 3);
                double_relate_as_is(w->units, "b.service", UNIT_REQUIRES, "broken.service");
                job_world_refuse(w, JOB_REPLACE, "start:a.service", load_cases[i].name);
                assert_contains(failure_message(&w->failure),
                                "start a.service → start b.service: Requires=b.service (test:3) → start broken.service");
        }
}

Test(job_transaction_expand, what_only_wants_a_unit_that_cannot_be_used_goes_without) {
        for (size_t i = 0; i < ELEMENTSOF(load_cases); i++) {
                cleanup_(job_world_freep) JobWorld *w = world_with_broken(&load_cases[i]);

                double_relate(w->units, "a.service", UNIT_WANTS, "b.service");
                double_relate_as_is(w->units, "b.service", UNIT_REQUIRES, "broken.service");
                job_world_accept(w, JOB_REPLACE, "start:a.service");
                assert_planned(w, "start a.service");
                assert_dropped(w, "start b.service: requirement-failed, start broken.service: cannot-load");
        }
}

Test(job_transaction_expand, stop_is_allowed_for_what_cannot_be_used) {
        for (size_t i = 0; i < ELEMENTSOF(load_cases); i++) {
                cleanup_(job_world_freep) JobWorld *w = world_with_broken(&load_cases[i]);

                job_world_accept(w, JOB_REPLACE, "stop:broken.service");
                assert_planned(w, "stop broken.service");
        }
}

Test(job_transaction_expand, conflict_with_a_missing_unit_is_no_obstacle) {
        cleanup_(job_world_freep) JobWorld *w = world_with_broken(&load_cases[0]);

        double_relate_as_is(w->units, "a.service", UNIT_CONFLICTS, "broken.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_planned(w, "start a.service");
}

/*
 * A restart of x wants a, which cannot be had and takes shared with it. That x's stop spreads to y is looked at later:
 * y, which is to start, will restart, and with it z.
 */
static void world_add_late_restart(JobWorld *w) {
        double_unit(w->units, "x.service", UNIT_ACTIVE);
        double_unit(w->units, "y.service", UNIT_ACTIVE);
        double_unit(w->units, "z.service", UNIT_ACTIVE);
        double_relate(w->units, "x.service", UNIT_WANTS, "a.service");
        double_relate(w->units, "x.service", UNIT_WANTS, "y.service");
        double_relate(w->units, "a.service", UNIT_WANTS, "shared.service");
        double_relate_as_is(w->units, "a.service", UNIT_REQUIRES, "broken.service");
        double_relate(w->units, "x.service", UNIT_PROPAGATES_STOP_TO, "y.service");
        double_relate(w->units, "z.service", UNIT_REQUIRES, "y.service");
        double_relate(w->units, "z.service", UNIT_WANTS, "shared.service");
}

Test(job_transaction_expand, failure_is_remembered_for_those_that_come_later) {
        cleanup_(job_world_freep) JobWorld *w = world_with_broken(&load_cases[2]);

        world_add_late_restart(w);
        double_relate_as_is(w->units, "z.service", UNIT_WANTS, "broken.service");
        job_world_accept(w, JOB_REPLACE, "restart:x.service");
        assert_planned(w, "restart x.service, restart y.service, restart z.service, start shared.service");

        double_relate_as_is(w->units, "z.service", UNIT_REQUIRES, "broken.service");
        job_world_refuse(w, JOB_REPLACE, "restart:x.service", "UnitMasked");
}

/* shared is dropped with the failed branch and pulled in again by z. */
Test(job_transaction_expand, what_was_left_out_can_be_pulled_in_again) {
        cleanup_(job_world_freep) JobWorld *w = world_with_broken(&load_cases[2]);

        world_add_late_restart(w);
        job_world_accept(w, JOB_REPLACE, "restart:x.service");
        assert_planned(w, "restart x.service, restart y.service, restart z.service, start shared.service");
        assert_dropped(w, "start a.service: requirement-failed, start broken.service: cannot-load");
}

Test(job_transaction_expand, unit_that_has_come_since_is_found) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        job_world_refuse(w, JOB_REPLACE, "start:late.service", "NoSuchUnit");
        double_unit(w->units, "late.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:late.service");
        assert_planned(w, "start late.service");
}

Test(job_transaction_expand, bad_name_is_refused) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        job_world_refuse(w, JOB_REPLACE, "start:no-type", "InvalidArgs");
        job_world_refuse(w, JOB_REPLACE, "start:template@.service", "InvalidArgs");
        assert_jobs(w, "");
}

Test(job_transaction_expand, type_that_does_not_apply_refuses_the_request) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", UNIT_ACTIVE);

        double_unit_allow(unit, DOUBLE_RELOAD, false);
        job_world_refuse(w, JOB_REPLACE, "reload:a.service", "JobTypeNotApplicable");
        job_world_refuse(w, JOB_REPLACE, "reload-or-start:a.service", "JobTypeNotApplicable");
        unit->settings.is_perpetual = true;
        job_world_refuse(w, JOB_REPLACE, "stop:a.service", "JobTypeNotApplicable");
        job_world_refuse(w, JOB_REPLACE, "restart:a.service", "JobTypeNotApplicable");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
}

Test(job_transaction_expand, type_that_does_not_apply_to_a_pulled_unit_is_noted) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE)->settings.is_perpetual = true;
        double_relate(w->units, "a.service", UNIT_CONFLICTS, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_planned(w, "start a.service");
        assert_dropped(w, "stop b.service: not-applicable");
}

Test(job_transaction_expand, request_softened_to_a_reload_where_the_unit_can) {
        static const struct {
                const char *request;
                UnitActiveState state;
                bool can_reload;
                const char *job;
        } table[] = {
                { "reload-or-restart:a.service", UNIT_ACTIVE, true, "reload a.service" },
                { "reload-or-restart:a.service", UNIT_INACTIVE, true, "start a.service" },
                { "reload-or-restart:a.service", UNIT_ACTIVE, false, "restart a.service" },
                { "reload-or-try-restart:a.service", UNIT_ACTIVE, true, "reload a.service" },
                { "reload-or-try-restart:a.service", UNIT_INACTIVE, true, "nop a.service" },
                { "reload-or-try-restart:a.service", UNIT_ACTIVE, false, "restart a.service" },
                { "reload-or-try-restart:a.service", UNIT_INACTIVE, false, "nop a.service" },
                { "try-restart:a.service", UNIT_ACTIVE, true, "restart a.service" },
                { "try-restart:a.service", UNIT_ACTIVATING, true, "restart a.service" },
                { "try-restart:a.service", UNIT_FAILED, true, "nop a.service" },
                { "try-reload:a.service", UNIT_RELOADING, true, "reload a.service" },
                { "try-reload:a.service", UNIT_ACTIVATING, true, "nop a.service" },
                { "reload-or-start:a.service", UNIT_DEACTIVATING, true, "start a.service" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit_allow(double_unit(w->units, "a.service", table[i].state), DOUBLE_RELOAD, table[i].can_reload);
                job_world_accept(w, JOB_REPLACE, table[i].request);
                assert_planned(w, table[i].job);
        }
}

Test(job_transaction_expand, reload_or_start_of_a_unit_that_is_being_started_reloads_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload-or-start:a.service");
        assert_jobs(w, "1 start a.service running, 2 reload a.service waiting");
}

Test(job_transaction_expand, units_that_refuse_manual_jobs_take_those_of_others) {
        static const struct {
                const char *request;
                bool starts, stops;
        } table[] = {
                { "start:a.service", true, false },
                { "stop:a.service", false, true },
                { "restart:a.service", true, true },
                { "try-restart:a.service", true, true },
                { "reload:a.service", false, false },
                { "reload-or-start:a.service", false, false },
                { "verify-active:a.service", false, false },
                { "nop:a.service", false, false },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                for (int refuse = 0; refuse < 4; refuse++) {
                        cleanup_(job_world_freep) JobWorld *w = job_world_new();
                        Unit *unit = double_unit(w->units, "a.service", UNIT_ACTIVE);
                        bool is_refused = ((refuse & 1) && table[i].starts) || ((refuse & 2) && table[i].stops);

                        unit->settings.refuse_manual_start = refuse & 1;
                        unit->settings.refuse_manual_stop = refuse & 2;
                        cr_assert(job_world_exec(w, JOB_REPLACE, table[i].request) == is_refused, "%s %d",
                                  table[i].request, refuse);
                        if (is_refused)
                                assert_string(w->failure.name, "OnlyByDependency");
                }
}

Test(job_transaction_expand, reload_or_start_counts_as_a_start_where_it_starts) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE)->settings.refuse_manual_start = true;
        job_world_refuse(w, JOB_REPLACE, "reload-or-start:a.service", "OnlyByDependency");
        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        assert_planned(w, "start b.service, start a.service");
}

Test(job_transaction_expand, refused_and_planned_requests_leave_no_trace) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_refuse(w, JOB_REPLACE, "start:a.service start:missing.service", "NoSuchUnit");
        cr_assert(eq(int, job_world_plan(w, JOB_REPLACE, "start:a.service"), 0));
        assert_events(w, "");
        assert_jobs(w, "");
        cr_assert(eq(u64, job_world_stat(w, "transactions-refused"), 1));
        cr_assert(eq(u64, job_world_stat(w, "transactions-planned"), 1));
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_jobs(w, "1 start a.service waiting");
        cr_assert(eq(u64, w->plan->transaction, 1));
}

/* a and b pull in each other; their cause must lead through y, which is not dropped. */
Test(job_transaction_expand, way_to_a_job_leads_over_what_was_not_left_out) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        double_unit(w->units, "x.service", UNIT_ACTIVE);
        double_relate(w->units, "t.target", UNIT_WANTS, "x.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "y.service");
        double_relate(w->units, "x.service", UNIT_WANTS, "a.service");
        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "y.service", UNIT_WANTS, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start y.service, start a.service, start b.service");
        assert_string(w->plan->jobs.items[2].puller, "b.service");
        assert_string(w->plan->jobs.items[3].puller, "y.service");
        assert_contains(job_world_explain(w, "a.service"), "start t.target was requested");
}
