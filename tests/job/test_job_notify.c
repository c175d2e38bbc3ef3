/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Follow-ups: what a change that no job asked for leads to, and rules that hold as long as a state lasts
 */

#include <stdio.h>

#include "job_world.h"

/* Checks one relation from a to b when a changes by itself. */
static void check_follow_up(UnitRelationKind relation, UnitActiveState b, UnitActiveState old, UnitActiveState new,
                            UnitChangeFlags flags, const char *jobs) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", old);

        double_unit(w->units, "b.service", b);
        double_relate(w->units, "a.service", relation, "b.service");
        double_unit_state(unit, new, flags);
        cr_assert(strcmp(job_world_jobs(w), jobs) == 0, "%s, %s to %s: %s", unit_relation_to_string(relation),
                  unit_active_state_to_string(old), unit_active_state_to_string(new), job_world_jobs(w));
}

#define START_B "1 start b.service waiting"
#define STOP_B "1 stop b.service waiting"

Test(job_notify, unit_that_starts_by_itself_starts_what_it_needs) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRES, UNIT_BINDS_TO, UNIT_UPHOLDS, UNIT_WANTS };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                check_follow_up(kinds[i], UNIT_INACTIVE, UNIT_INACTIVE, UNIT_ACTIVATING, 0, START_B);
                check_follow_up(kinds[i], UNIT_FAILED, UNIT_FAILED, UNIT_ACTIVE, 0, START_B);
                check_follow_up(kinds[i], UNIT_ACTIVE, UNIT_INACTIVE, UNIT_ACTIVE, 0, "");
                check_follow_up(kinds[i], UNIT_ACTIVATING, UNIT_INACTIVE, UNIT_ACTIVE, 0, "");
        }
        check_follow_up(UNIT_REQUIRES, UNIT_INACTIVE, UNIT_ACTIVATING, UNIT_ACTIVE, 0, "");
        check_follow_up(UNIT_REQUISITE, UNIT_INACTIVE, UNIT_INACTIVE, UNIT_ACTIVE, 0, "");
        check_follow_up(UNIT_PART_OF, UNIT_INACTIVE, UNIT_INACTIVE, UNIT_ACTIVE, 0, "");
}

Test(job_notify, what_should_have_come_before_is_not_started_afterwards) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "");
}

Test(job_notify, unit_that_starts_by_itself_stops_what_conflicts_both_ways) {
        check_follow_up(UNIT_CONFLICTS, UNIT_ACTIVE, UNIT_INACTIVE, UNIT_ACTIVATING, 0, STOP_B);
        check_follow_up(UNIT_CONFLICTED_BY, UNIT_ACTIVE, UNIT_INACTIVE, UNIT_ACTIVATING, 0, STOP_B);
        check_follow_up(UNIT_CONFLICTS, UNIT_INACTIVE, UNIT_INACTIVE, UNIT_ACTIVATING, 0, "");
        check_follow_up(UNIT_CONFLICTS, UNIT_DEACTIVATING, UNIT_INACTIVE, UNIT_ACTIVATING, 0, "");
}

Test(job_notify, unit_that_stops_by_itself_stops_what_is_bound_to_it) {
        check_follow_up(UNIT_BOUND_BY, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_INACTIVE, 0, STOP_B);
        check_follow_up(UNIT_BOUND_BY, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_DEACTIVATING, 0, STOP_B);
        check_follow_up(UNIT_BOUND_BY, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_FAILED, 0, STOP_B);
        check_follow_up(UNIT_PROPAGATES_STOP_TO, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_FAILED, 0, STOP_B);
        check_follow_up(UNIT_BOUND_BY, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_INACTIVE, 0, "");
        check_follow_up(UNIT_BOUND_BY, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_RELOADING, 0, "");
        check_follow_up(UNIT_REQUIRED_BY, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_INACTIVE, 0, "");
        check_follow_up(UNIT_CONSISTS_OF, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_INACTIVE, 0, "");
}

Test(job_notify, unit_that_will_start_again_by_itself_leaves_the_others_alone) {
        check_follow_up(UNIT_BOUND_BY, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_FAILED, UNIT_CHANGE_WILL_RESTART, "");
        check_follow_up(UNIT_PROPAGATES_STOP_TO, UNIT_ACTIVE, UNIT_ACTIVE, UNIT_FAILED, UNIT_CHANGE_WILL_RESTART, "");
        check_follow_up(UNIT_ON_FAILURE, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_FAILED, UNIT_CHANGE_WILL_RESTART, "");
        check_follow_up(UNIT_ON_SUCCESS, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_INACTIVE, UNIT_CHANGE_WILL_RESTART, "");
}

Test(job_notify, change_that_a_job_asked_for_has_no_such_consequences) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_relate(w->units, "b.service", UNIT_BINDS_TO, "a.service");
        double_relate(w->units, "a.service", UNIT_WANTS, "c.service");
        job_world_accept(w, JOB_IGNORE_REQUIREMENTS, "restart:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_INACTIVE);
        assert_jobs(w, "1 restart/start a.service waiting");
        /* The unit becomes active by itself while its job is between its halves: the job is done. */
        job_world_state(w, "a.service", UNIT_ACTIVATING);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "");
}

Test(job_notify, failure_starts_what_on_failure_names_whoever_made_it) {
        check_follow_up(UNIT_ON_FAILURE, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_FAILED, 0, START_B);
        check_follow_up(UNIT_ON_FAILURE, UNIT_INACTIVE, UNIT_DEACTIVATING, UNIT_FAILED, 0, START_B);
        check_follow_up(UNIT_ON_FAILURE, UNIT_INACTIVE, UNIT_FAILED, UNIT_FAILED, 0, "");
        check_follow_up(UNIT_ON_FAILURE, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_INACTIVE, 0, "");
}

Test(job_notify, success_starts_what_on_success_names) {
        check_follow_up(UNIT_ON_SUCCESS, UNIT_INACTIVE, UNIT_ACTIVE, UNIT_INACTIVE, 0, START_B);
        check_follow_up(UNIT_ON_SUCCESS, UNIT_INACTIVE, UNIT_DEACTIVATING, UNIT_INACTIVE, 0, START_B);
        check_follow_up(UNIT_ON_SUCCESS, UNIT_INACTIVE, UNIT_FAILED, UNIT_INACTIVE, 0, "");
        check_follow_up(UNIT_ON_SUCCESS, UNIT_INACTIVE, UNIT_MAINTENANCE, UNIT_INACTIVE, 0, "");
        check_follow_up(UNIT_ON_SUCCESS, UNIT_INACTIVE, UNIT_INACTIVE, UNIT_INACTIVE, 0, "");
}

Test(job_notify, modes_of_on_failure_and_on_success_are_the_units_to_set) {
        static const struct {
                JobMode mode;
                const char *events;
        } rows[] = {
                { JOB_REPLACE, "removed 2 canceled b.service; new 3 start b.service" },
                { JOB_FAIL, "refused TransactionIsDestructive" },
        };

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                Unit *a = double_unit(w->units, "a.service", UNIT_ACTIVE);

                unit_settings_own_rare(&a->settings)->on_failure_job_mode = rows[i].mode;
                double_unit(w->units, "b.service", UNIT_ACTIVE);
                double_unit(w->units, "block.service", UNIT_ACTIVE);
                double_relate(w->units, "b.service", UNIT_BEFORE, "block.service");
                double_relate(w->units, "a.service", UNIT_ON_FAILURE, "b.service");
                job_world_accept(w, JOB_REPLACE, "stop:block.service stop:b.service");
                job_world_run(w);
                job_world_events(w);
                job_world_state(w, "a.service", UNIT_FAILED);
                assert_events(w, rows[i].events);
        }
}

Test(job_notify, job_that_timed_out_or_lacks_a_dependency_counts_as_failure) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "b.service", UNIT_ON_FAILURE, "rescue.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        assert_jobs(w, "3 start rescue.service waiting");
        assert_contains(job_world_explain(w, "3"), "a job of b.service failed");
        cr_assert(eq(u64, job_world_stat(w, "follow-ups"), 1));
}

Test(job_notify, follow_up_names_the_change_as_its_cause) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_ON_FAILURE, "b.service");
        job_world_state(w, "a.service", UNIT_FAILED);
        assert_contains(job_world_explain(w, "1"), "unit a.service changed to failed: OnFailure=b.service (test:");
}

Test(job_notify, unit_that_reloads_itself_passes_it_on) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_unit(w->units, "c.service", UNIT_INACTIVE);
        double_unit_allow(double_unit(w->units, "d.service", UNIT_ACTIVE), DOUBLE_RELOAD, false);
        double_relate(w->units, "a.service", UNIT_PROPAGATES_RELOAD_TO, "b.service");
        double_relate(w->units, "a.service", UNIT_PROPAGATES_RELOAD_TO, "c.service");
        double_relate(w->units, "a.service", UNIT_PROPAGATES_RELOAD_TO, "d.service");
        unit_publish_reloaded_itself(job_world_unit(w, "a.service"));
        job_world_run(w);
        assert_jobs(w, "1 reload b.service running");
        unit_publish_reloaded_itself(job_world_unit(w, "b.service"));
        assert_jobs(w, "1 reload b.service running");
}

/* — rules that hold as long as a state lasts — */

static void make_unneeded(JobWorld *w, UnitActiveState state) {
        Unit *unit = double_unit(w->units, "a.service", state);

        unit->settings.stop_when_unneeded = true;
        unit_note_settings(unit);
}

Test(job_notify, unit_that_nothing_needs_any_more_stops) {
        static const UnitRelationKind pins[] = { UNIT_REQUIRES, UNIT_REQUISITE, UNIT_WANTS, UNIT_BINDS_TO, UNIT_UPHOLDS };

        for (size_t i = 0; i < ELEMENTSOF(pins); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "user.service", UNIT_ACTIVE);
                double_unit(w->units, "other.service", UNIT_ACTIVE);
                make_unneeded(w, UNIT_ACTIVE);
                double_relate(w->units, "user.service", pins[i], "a.service");
                double_relate(w->units, "other.service", UNIT_WANTS, "a.service");
                job_world_accept(w, JOB_REPLACE, "stop:user.service");
                job_world_run(w);
                job_world_state(w, "user.service", UNIT_INACTIVE);
                job_world_run(w);
                cr_assert(eq(sz, double_unit_n_calls(job_world_unit(w, "a.service"), DOUBLE_STOP), 0));
                job_world_state(w, "other.service", UNIT_INACTIVE);
                job_world_run(w);
                assert_jobs(w, "2 stop a.service running");
                assert_contains(job_world_explain(w, "2"), "nothing needs a.service any more");
        }
}

static const char *find_holder(void *userdata, const Unit *unit) {
        const char *const *holder = userdata;

        return unit_has_name(unit, "a.service") ? *holder : NULL;
}

/* The same without a holder is the control: it is stopped at once. */
Test(job_notify, unit_that_is_held_stays) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        const char *holder = "run 17, node x";

        make_unneeded(w, UNIT_INACTIVE);
        job_manager_set_holders(w->jobs, &(JobHolders) { find_holder, &holder });
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        cr_assert(eq(sz, double_unit_n_calls(job_world_unit(w, "a.service"), DOUBLE_STOP), 0));
        assert_contains(job_world_explain(w, "a.service"), "run 17, node x");
        holder = NULL;
        job_manager_look(w->jobs, job_world_unit(w, "a.service"));
        job_world_run(w);
        assert_jobs(w, "2 stop a.service running");
}

Test(job_notify, unit_is_needed_by_what_has_a_job_or_will_start_again) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "user.service", UNIT_ACTIVE);
        make_unneeded(w, UNIT_ACTIVE);
        double_relate(w->units, "user.service", UNIT_WANTS, "a.service");
        double_unit_set_will_restart(job_world_unit(w, "user.service"), true);
        job_world_state(w, "user.service", UNIT_FAILED);
        job_world_run(w);
        assert_jobs(w, "");

        double_unit_set_will_restart(job_world_unit(w, "user.service"), false);
        job_world_accept(w, JOB_REPLACE, "start:user.service");
        job_world_state(w, "user.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 start user.service running");
        job_world_state(w, "user.service", UNIT_FAILED);
        job_world_run(w);
        assert_jobs(w, "2 stop a.service running");
}

Test(job_notify, unneeded_unit_that_becomes_active_stops_at_once) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        make_unneeded(w, UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 stop a.service running");
}

Test(job_notify, upheld_unit_is_started_again_as_long_as_its_upholder_lasts) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_UPHOLDS, "b.service");
        job_world_state(w, "b.service", UNIT_FAILED);
        job_world_run(w);
        assert_jobs(w, "1 start b.service running");
        assert_contains(job_world_explain(w, "1"), "a.service upholds it");
        job_world_state(w, "b.service", UNIT_FAILED);
        job_world_run(w);
        assert_jobs(w, "2 start b.service running");

        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_state(w, "b.service", UNIT_FAILED);
        job_world_run(w);
        assert_jobs(w, "");
}

Test(job_notify, bound_unit_stops_when_it_finds_what_it_binds_to_gone) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVATING);
        double_relate(w->units, "b.service", UNIT_BINDS_TO, "a.service");
        double_unit_set_will_restart(job_world_unit(w, "a.service"), true);
        double_unit_state(job_world_unit(w, "a.service"), UNIT_INACTIVE, UNIT_CHANGE_WILL_RESTART);
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "");

        double_unit_set_will_restart(job_world_unit(w, "a.service"), false);
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 stop b.service running");
        assert_contains(job_world_explain(w, "1"), "a.service, which it binds to, is not active");
}

/* Counts the starts of a unit that fails at once after each start. */
static unsigned count_starts(JobWorld *w) {
        for (int i = 0; i < 40; i++) {
                job_world_run(w);
                if (job_world_unit(w, "b.service")->active_state == UNIT_ACTIVATING)
                        job_world_state(w, "b.service", UNIT_FAILED);
        }
        return (unsigned) double_unit_n_calls(job_world_unit(w, "b.service"), DOUBLE_START);
}

Test(job_notify, a_rule_acts_on_a_unit_sixteen_times_in_ten_seconds_and_comes_again) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_UPHOLDS, "b.service");
        job_world_state(w, "b.service", UNIT_FAILED);
        cr_assert(eq(uint, count_starts(w), 16));
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), w->units->clock.now + 10 * USEC_PER_SEC));
        job_world_advance(w, 9 * USEC_PER_SEC);
        cr_assert(eq(uint, count_starts(w), 16));
        job_world_advance(w, USEC_PER_SEC);
        cr_assert(eq(uint, count_starts(w), 32));
}

/* Two units that name each other in OnFailure= and both fail. */
static JobWorld *failing_pair(void) {
        JobWorld *w = job_world_new();
        static const char *const names[] = { "a.target", "b.target" };

        for (int i = 0; i < 2; i++)
                double_unit(w->units, names[i], UNIT_INACTIVE);
        double_unit(w->units, "gone.service", UNIT_INACTIVE);
        double_unit(w->units, "other.service", UNIT_INACTIVE);
        for (int i = 0; i < 2; i++) {
                double_relate(w->units, names[i], UNIT_REQUISITE, "gone.service");
                double_relate(w->units, names[i], UNIT_AFTER, "gone.service");
                double_relate(w->units, names[i], UNIT_ON_FAILURE, names[!i]);
        }
        return w;
}

Test(job_notify, units_that_set_each_other_off_do_so_sixteen_times_in_ten_seconds) {
        cleanup_(job_world_freep) JobWorld *w = failing_pair();
        uint64_t n;

        job_world_accept(w, JOB_REPLACE, "start:a.target");
        job_world_run(w);
        assert_jobs(w, "");
        n = job_world_stat(w, "follow-ups");
        cr_assert(eq(u64, n, 32));
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), w->units->clock.now + 10 * USEC_PER_SEC));

        /* The delayed request is made, once for all failures. */
        job_world_advance(w, 10 * USEC_PER_SEC);
        job_world_run(w);
        assert_jobs(w, "");
        cr_assert(eq(u64, job_world_stat(w, "follow-ups"), 64));
}

Test(job_notify, units_that_set_each_other_off_hold_up_nobody_for_long) {
        cleanup_(job_world_freep) JobWorld *w = failing_pair();

        job_world_accept(w, JOB_REPLACE, "start:a.target");
        cr_assert(job_manager_run(w->jobs, 8, w->units->clock.now));
        job_world_accept(w, JOB_REPLACE, "start:other.service");
        (void) job_manager_run(w->jobs, 64, w->units->clock.now);
        assert_string(job_world_calls(w), "start other.service");
}

Test(job_notify, limits_are_of_each_unit_and_are_forgotten) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 200; i++) {
                        char name[32];

                        snprintf(name, sizeof(name), "u%d.service", i);
                        double_unit(w->units, name, UNIT_ACTIVE);
                        double_relate(w->units, "a.service", UNIT_UPHOLDS, name);
                        job_world_state(w, name, UNIT_FAILED);
                }
                job_world_run(w);
                cr_assert(eq(sz, job_manager_count(w->jobs), 200));
                for (int i = 0; i < 200; i++) {
                        char name[32];

                        snprintf(name, sizeof(name), "u%d.service", i);
                        job_world_state(w, name, UNIT_ACTIVE);
                }
                job_world_advance(w, 11 * USEC_PER_SEC);
        }
}

/* b fails until its OnFailure= is held back; then the interval ends, but nobody has called job_manager_expire() yet. */
static JobWorld *world_past_its_limit(void) {
        JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "b.service", UNIT_ON_FAILURE, "helper.service");
        double_relate(w->units, "b.service", UNIT_ON_SUCCESS, "next.service");
        double_world_answer(w->units, DOUBLE_START, UNIT_ALREADY);
        for (int i = 0; i < 17; i++) {
                job_world_state(w, "b.service", UNIT_ACTIVE);
                job_world_state(w, "b.service", UNIT_FAILED);
                job_world_run(w);
        }
        job_world_state(w, "b.service", UNIT_ACTIVE);
        double_world_advance(w->units, 11 * USEC_PER_SEC);
        (void) job_world_calls(w);
        (void) job_world_events(w);
        return w;
}

Test(job_notify, rule_that_acts_when_the_interval_is_over_does_not_come_once_more) {
        cleanup_(job_world_freep) JobWorld *w = world_past_its_limit();

        job_world_state(w, "b.service", UNIT_FAILED);
        job_world_run(w);
        assert_calls(w, "start helper.service");
        cr_assert(job_manager_next_deadline(w->jobs) <= w->units->clock.now);
        job_world_advance(w, 0);
        cr_assert(eq(u64, job_manager_next_deadline(w->jobs), USEC_INFINITY));
        job_world_advance(w, 11 * USEC_PER_SEC);
        job_world_run(w);
        assert_calls(w, "");
}

Test(job_notify, what_was_held_back_comes_when_another_rule_acts_after_the_interval) {
        cleanup_(job_world_freep) JobWorld *w = world_past_its_limit();

        job_world_state(w, "b.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_calls(w, "start next.service, start helper.service");
}

Test(job_notify, unit_that_goes_is_forgotten) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "b.service", UNIT_UPHELD_BY, "a.service");
        job_world_state(w, "b.service", UNIT_FAILED);
        cr_assert(eq(uint, count_starts(w), 16));
        unit_table_remove(w->units->table, job_world_unit(w, "b.service"));
        cr_assert(unit_table_find(w->units->table, "b.service") == NULL);
        job_world_advance(w, 11 * USEC_PER_SEC);
        job_world_run(w);
        assert_jobs(w, "");
}

/* — starting again with what failed — */

static JobWorld *world_with_failed_dependency(UnitRelationKind relation) {
        JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", relation, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_unit(w, "b.service")->settings.restart_on_dependency = true;
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_FAILED);
        assert_jobs(w, "");
        return w;
}

Test(job_notify, unit_that_lacked_a_dependency_starts_with_it) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRES, UNIT_BINDS_TO, UNIT_REQUISITE };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                cleanup_(job_world_freep) JobWorld *w = world_with_failed_dependency(kinds[i]);

                job_world_state(w, "a.service", UNIT_ACTIVATING);
                assert_jobs(w, "");
                job_world_state(w, "a.service", UNIT_ACTIVE);
                assert_jobs(w, "3 start b.service waiting");
                assert_contains(job_world_explain(w, "3"), "a.service is active again");
        }
}

Test(job_notify, unit_that_does_not_ask_for_it_stays) {
        cleanup_(job_world_freep) JobWorld *w = world_with_failed_dependency(UNIT_REQUIRES);

        job_world_accept(w, JOB_REPLACE, "nop:b.service");
        job_world_run(w);
        /* Any later job of the unit makes the delayed request superfluous. */
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "");
}

/* The index of the removed unit is reused. */
Test(job_notify, nobody_starts_with_a_unit_that_came_in_the_place_of_what_it_lacked) {
        cleanup_(job_world_freep) JobWorld *w = world_with_failed_dependency(UNIT_REQUIRES);
        Unit *a = job_world_unit(w, "a.service");
        uint32_t index = a->index;

        double_unit_state(a, UNIT_INACTIVE, 0);
        unit_withdraw_relations(job_world_unit(w, "b.service"));
        job_manager_graph_changed(w->jobs, 0);
        unit_table_remove(w->units->table, a);
        double_relate(w->units, "b.service", UNIT_REQUIRES, "c.service");
        cr_assert(eq(u32, job_world_unit(w, "c.service")->index, index));
        job_world_state(w, "c.service", UNIT_ACTIVE);
        assert_jobs(w, "");
}

Test(job_notify, nobody_waits_for_a_unit_that_goes) {
        cleanup_(job_world_freep) JobWorld *w = world_with_failed_dependency(UNIT_REQUIRES);
        Unit *a = job_world_unit(w, "a.service");

        double_unit_state(a, UNIT_INACTIVE, 0);
        job_manager_forget_unit(w->jobs, a, w->units->clock.now);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "");
}

/* b conflicts with a, which does not stop; when a is active again later, b must not be started. */
Test(job_notify, unit_whose_way_was_not_cleared_waits_for_nobody) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_CONFLICTS, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_unit(w, "b.service")->settings.restart_on_dependency = true;
        job_world_state(w, "a.service", UNIT_ACTIVE);
        double_unit_answer_next(job_world_unit(w, "a.service"), DOUBLE_STOP, UNIT_OPERATION_FAILED);
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        assert_events(w, "new 1 start b.service; new 2 stop a.service; removed 2 failed a.service; "
                         "removed 1 dependency b.service");
        double_unit_state(job_world_unit(w, "a.service"), UNIT_INACTIVE, 0);
        unit_withdraw_relations(job_world_unit(w, "b.service"));
        double_relate_as_is(w->units, "b.service", UNIT_REQUIRES, "a.service");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "");
}

Test(job_notify, unit_that_found_what_it_binds_to_inactive_starts_with_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_BINDS_TO, "a.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_unit(w, "b.service")->settings.restart_on_dependency = true;
        job_world_accept(w, JOB_IGNORE_REQUIREMENTS, "start:b.service");
        job_world_run(w);
        assert_events(w, "new 1 start b.service; removed 1 dependency b.service");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_jobs(w, "2 start b.service waiting");
}

Test(job_notify, flow_is_told_of_each_end_instead_of_a_start) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *unit = double_unit(w->units, "a.service", UNIT_ACTIVE);

        double_unit(w->units, "x.flow", UNIT_ACTIVE);
        double_unit(w->units, "y.flow", UNIT_INACTIVE);
        double_relate(w->units, "a.service", UNIT_ON_FAILURE, "x.flow");
        double_relate(w->units, "a.service", UNIT_ON_FAILURE, "b.service");
        double_relate(w->units, "a.service", UNIT_ON_SUCCESS, "y.flow");
        double_calls_clear(w->units);
        double_unit_state(unit, UNIT_FAILED, 0);
        cr_assert(eq(str, (char *) double_calls(w->units), (char *) "trigger x.flow by failure a.service up"));
        assert_jobs(w, "1 start b.service waiting");
        double_unit_state(unit, UNIT_ACTIVATING, 0);
        double_calls_clear(w->units);
        double_unit_state(unit, UNIT_INACTIVE, 0);
        cr_assert(eq(str, (char *) double_calls(w->units), (char *) "trigger y.flow by success a.service up"));
        double_calls_clear(w->units);
        double_unit_state(unit, UNIT_FAILED, 0);
        cr_assert(eq(str, (char *) double_calls(w->units), (char *) "trigger x.flow by failure a.service"));
        double_calls_clear(w->units);
        double_unit_state(unit, UNIT_ACTIVE, 0);
        double_unit_state(unit, UNIT_FAILED, UNIT_CHANGE_WILL_RESTART);
        cr_assert(eq(str, (char *) double_calls(w->units), (char *) ""));
}

Test(job_notify, flow_is_told_of_a_job_that_fails) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *needed;

        double_unit(w->units, "x.flow", UNIT_INACTIVE);
        double_relate(w->units, "a.service", UNIT_ON_FAILURE, "x.flow");
        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        job_world_exec(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        needed = double_unit(w->units, "b.service", UNIT_ACTIVATING);
        double_calls_clear(w->units);
        double_unit_state(needed, UNIT_FAILED, 0);
        cr_assert(eq(str, (char *) double_calls(w->units), (char *) "trigger x.flow by failure a.service job"));
}

Test(job_notify, each_run_of_a_flow_that_ends_has_its_consequences_and_the_flow_none) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Unit *flow = double_unit(w->units, "a.flow", UNIT_ACTIVE);

        double_unit(w->units, "x.flow", UNIT_ACTIVE);
        double_relate(w->units, "a.flow", UNIT_ON_FAILURE, "x.flow");
        double_relate(w->units, "a.flow", UNIT_ON_SUCCESS, "b.service");
        double_calls_clear(w->units);
        job_manager_notify_run(w->jobs, flow, &(JobRunEnd) { .run = 7, .round = 1, .has_failed = true }, 1);
        job_manager_notify_run(w->jobs, flow, &(JobRunEnd) { .run = 8, .round = 2, .has_failed = true }, 1);
        cr_assert(eq(str, (char *) double_calls(w->units),
                     (char *) "trigger x.flow by failure a.flow run 7.1, trigger x.flow by failure a.flow run 8.2"));
        assert_jobs(w, "");
        job_manager_notify_run(w->jobs, flow, &(JobRunEnd) { .run = 9, .round = 1 }, 1);
        assert_jobs(w, "1 start b.service waiting");
        double_calls_clear(w->units);
        double_unit_state(flow, UNIT_FAILED, UNIT_CHANGE_RESULTS_TOLD);
        cr_assert(eq(str, (char *) double_calls(w->units), (char *) ""));
}
