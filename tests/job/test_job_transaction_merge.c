/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One job a unit: what merges, which of two that conflict goes, what is redundant
 */

#include "job_world.h"

Test(job_transaction_merge, requests_for_one_unit_become_one_job) {
        static const struct {
                const char *requests;
                UnitActiveState state;
                const char *job;
        } table[] = {
                { "start:a.service verify-active:a.service", UNIT_INACTIVE, "start a.service" },
                { "reload:a.service start:a.service", UNIT_ACTIVE, "reload a.service" },
                { "start:a.service reload:a.service", UNIT_INACTIVE, "start a.service" },
                { "start:a.service restart:a.service reload:a.service", UNIT_ACTIVE, "restart a.service" },
                { "verify-active:a.service reload:a.service", UNIT_ACTIVE, "reload a.service" },
                { "stop:a.service stop:a.service", UNIT_ACTIVE, "stop a.service" },
                { "nop:a.service start:a.service nop:a.service", UNIT_INACTIVE, "nop a.service, start a.service" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "a.service", table[i].state);
                job_world_accept(w, JOB_REPLACE, table[i].requests);
                assert_planned(w, table[i].job);
        }
}

Test(job_transaction_merge, two_that_both_matter_refuse) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate_at(w->units, "t.target", UNIT_REQUIRES, "a.service", 1);
        double_relate_at(w->units, "t.target", UNIT_REQUIRES, "b.service", 2);
        double_relate_at(w->units, "a.service", UNIT_CONFLICTS, "b.service", 3);
        job_world_refuse(w, JOB_REPLACE, "start:t.target", "TransactionJobsConflicting");
        assert_contains(failure_message(&w->failure), "start a.service: Requires=a.service (test:1) → stop b.service: "
                                                      "Conflicts=b.service (test:3)");
        assert_contains(failure_message(&w->failure), "start b.service: Requires=b.service (test:2)");
        job_world_refuse(w, JOB_REPLACE, "start:c.service stop:c.service", "NoSuchUnit");
        double_unit(w->units, "c.service", UNIT_ACTIVE);
        job_world_refuse(w, JOB_REPLACE, "start:c.service stop:c.service", "TransactionJobsConflicting");
}

Test(job_transaction_merge, of_two_the_one_that_matters_stays) {
        static const struct {
                UnitRelationKind start, stop;
                const char *planned, *dropped;
        } table[] = {
                { UNIT_REQUIRES, UNIT_WANTS, "start t.target, start a.service",
                  "stop a.service: conflict, start x.service: needs-dropped" },
                { UNIT_WANTS, UNIT_REQUIRES, "start t.target, start x.service, stop a.service", "start a.service: conflict" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();

                double_unit(w->units, "t.target", UNIT_INACTIVE);
                double_unit(w->units, "x.service", UNIT_INACTIVE);
                double_unit(w->units, "a.service", UNIT_ACTIVATING);
                double_relate(w->units, "t.target", table[i].start, "a.service");
                double_relate(w->units, "t.target", table[i].stop, "x.service");
                double_relate(w->units, "x.service", UNIT_CONFLICTS, "a.service");
                job_world_accept(w, JOB_REPLACE, "start:t.target");
                assert_planned(w, table[i].planned);
                assert_contains(job_world_dropped(w), table[i].dropped);
        }
}

/* Neither job matters: x conflicts with a, or a is stopped only because its own requirement is stopped. */
Test(job_transaction_merge, of_two_that_do_not_matter_the_stop_goes_unless_it_came_through_conflicts) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVATING);
        double_relate(w->units, "t.target", UNIT_WANTS, "x.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
        double_relate(w->units, "x.service", UNIT_CONFLICTS, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start x.service, stop a.service");
        assert_contains(job_world_dropped(w), "start a.service: conflict");
}

Test(job_transaction_merge, stop_that_did_not_come_through_conflicts_goes_with_what_needs_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_unit(w->units, "a.service", UNIT_ACTIVATING);
        double_relate(w->units, "t.target", UNIT_WANTS, "x.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
        double_relate(w->units, "x.service", UNIT_CONFLICTS, "b.service");
        double_relate(w->units, "b.service", UNIT_PROPAGATES_STOP_TO, "c.service");
        double_relate(w->units, "a.service", UNIT_PART_OF, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start a.service");
        assert_contains(job_world_dropped(w), "stop a.service: conflict, stop b.service: needs-dropped, "
                                              "start x.service: needs-dropped");
}

Test(job_transaction_merge, conflict_on_one_unit_can_settle_that_on_the_next) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVATING);
        double_unit(w->units, "b.service", UNIT_ACTIVATING);
        double_relate(w->units, "t.target", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "b.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "x.service");
        double_relate(w->units, "x.service", UNIT_CONFLICTS, "a.service");
        double_relate(w->units, "x.service", UNIT_CONFLICTS, "b.service");

        /* x is dropped because it would stop a, which matters; so nothing stops b any more. */
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start a.service, start b.service");
}

Test(job_transaction_merge, merged_job_keeps_the_edges_of_both) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "c.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_WANTS, "b.service");
        double_relate(w->units, "a.service", UNIT_PROPAGATES_RELOAD_TO, "c.service");
        job_world_accept(w, JOB_REPLACE, "reload:a.service restart:a.service");
        assert_planned(w, "restart a.service, reload c.service, start b.service");
}

Test(job_transaction_merge, what_is_there_already_is_left_out_but_not_what_needs_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_unit(w->units, "c.service", UNIT_RELOADING);
        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "b.service", UNIT_REQUIRES, "d.service");
        double_relate(w->units, "a.service", UNIT_REQUISITE, "c.service");
        double_relate(w->units, "a.service", UNIT_CONFLICTS, "e.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_planned(w, "start a.service");
        assert_dropped(w, "start b.service: redundant, start d.service: unreached, verify-active c.service: redundant, "
                          "stop e.service: redundant");
}

Test(job_transaction_merge, an_anchor_is_never_redundant) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service stop:b.service nop:b.service");
        assert_planned(w, "start a.service, stop b.service, nop b.service");
        job_world_run(w);
        assert_contains(job_world_events(w), "removed 1 done a.service");
}

Test(job_transaction_merge, nothing_is_redundant_against_a_job_that_conflicts) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_REQUIRES, "b.service");
        job_world_accept(w, JOB_REPLACE, "stop:b.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_planned(w, "start a.service, start b.service -1");
}

Test(job_transaction_merge, verify_against_a_waiting_stop_falls_with_what_needs_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_REQUISITE, "b.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
        job_world_accept(w, JOB_REPLACE, "stop:b.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target");
        assert_dropped(w, "verify-active b.service: verify-against-stop, start a.service: needs-dropped");
        job_world_refuse(w, JOB_REPLACE, "start:a.service", "TransactionIsDestructive");
        assert_contains(failure_message(&w->failure), "does not cancel a stop");
}

Test(job_transaction_merge, refusal_names_both_jobs_and_the_chain) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate_at(w->units, "a.service", UNIT_REQUIRES, "b.service", 9);
        job_world_accept(w, JOB_REPLACE_IRREVERSIBLY, "stop:b.service");
        job_world_refuse(w, JOB_REPLACE, "start:a.service", "TransactionIsDestructive");
        assert_string(failure_message(&w->failure),
                      "start b.service conflicts with job 1 (stop b.service, waiting): that job is irreversible. "
                      "Requested by: start a.service → start b.service: Requires=b.service (test:9).");
}

Test(job_transaction_merge, merge_into_an_installed_job_keeps_its_id) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        assert_planned(w, "restart a.service merge 1");
        assert_jobs(w, "1 restart/stop a.service waiting");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        assert_jobs(w, "1 restart/stop a.service waiting");
        cr_assert(eq(u64, job_world_stat(w, "joined"), 2));
}

Test(job_transaction_merge, running_job_that_turns_absorbs_what_waited) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        assert_planned(w, "restart a.service turn 1");
        assert_jobs(w, "1 restart/stop a.service waiting");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        assert_events(w, "new 1 start a.service; new 2 reload a.service; removed 1 done a.service; removed 2 done a.service");
        cr_assert(eq(u64, job_world_stat(w, "merged"), 1));
}
