/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Order cycles: which candidates are dropped, and which transactions are
 * refused
 */

#include <stdio.h>

#include "job_world.h"

/* a before b before c before a. */
static JobWorld *world_with_ring(void) {
        JobWorld *w = job_world_new();

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        double_relate_at(w->units, "a.service", UNIT_BEFORE, "b.service", 1);
        double_relate_at(w->units, "b.service", UNIT_BEFORE, "c.service", 2);
        double_relate_at(w->units, "a.service", UNIT_AFTER, "c.service", 3);
        return w;
}

static void want(JobWorld *w, const char *names) {
        for (; *names; names++) {
                char unit[32];

                snprintf(unit, sizeof(unit), "%c.service", *names);
                double_relate(w->units, "t.target", UNIT_WANTS, unit);
        }
}

Test(job_transaction_cycle, cycle_that_all_need_is_refused_with_each_edge_and_its_line) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        job_world_refuse(w, JOB_REPLACE, "start:c.service start:b.service start:a.service", "TransactionOrderIsCyclic");
        cr_assert(eq(int, w->failure.code, -EDEADLK));
        assert_contains(failure_message(&w->failure), "Before=b.service at test:1");
        assert_contains(failure_message(&w->failure), "Before=c.service at test:2");
        assert_contains(failure_message(&w->failure), "After=c.service at test:3");
        assert_jobs(w, "");
}

Test(job_transaction_cycle, of_equal_losses_the_first_by_name_goes) {
        static const char *const orders[] = { "abc", "cba", "bac" };

        for (size_t i = 0; i < ELEMENTSOF(orders); i++) {
                cleanup_(job_world_freep) JobWorld *w = world_with_ring();

                want(w, orders[i]);
                job_world_accept(w, JOB_REPLACE, "start:t.target");
                assert_dropped(w, "start a.service: cycle");
                cr_assert(eq(sz, w->plan->cycles.n, 1));
                assert_contains(w->plan->cycles.items[0], "start a.service is left out");
                assert_contains(job_world_events(w), "cycle");
                cr_assert(eq(u64, job_world_stat(w, "cycles-broken"), 1));
        }
}

Test(job_transaction_cycle, what_nothing_else_pulls_in_counts_as_lost) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        /* Without a also x, y and z are dropped (y and z pull in each other), without b what needs b, without c nothing. */
        want(w, "abc");
        double_relate(w->units, "a.service", UNIT_WANTS, "x.service");
        double_relate(w->units, "x.service", UNIT_WANTS, "y.service");
        double_relate(w->units, "y.service", UNIT_WANTS, "z.service");
        double_relate(w->units, "z.service", UNIT_WANTS, "y.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "u.service");
        double_relate(w->units, "u.service", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "c.service", UNIT_WANTS, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_dropped(w, "start c.service: cycle");
}

Test(job_transaction_cycle, a_ring_that_a_victim_alone_pulls_in_counts_as_lost) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        want(w, "abc");
        double_relate(w->units, "a.service", UNIT_WANTS, "x.service");
        double_relate(w->units, "x.service", UNIT_WANTS, "y.service");
        double_relate(w->units, "y.service", UNIT_WANTS, "x.service");
        double_relate(w->units, "b.service", UNIT_WANTS, "z.service");
        double_relate(w->units, "c.service", UNIT_WANTS, "v.service");
        double_relate(w->units, "c.service", UNIT_WANTS, "w.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_dropped(w, "start b.service: cycle, start z.service: unreached");
}

Test(job_transaction_cycle, the_one_with_which_the_fewest_are_lost_goes) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        want(w, "abcd");
        double_relate(w->units, "d.service", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "d.service", UNIT_REQUIRES, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_dropped(w, "start c.service: cycle");
        assert_planned(w, "start t.target, start a.service, start d.service, start b.service");
}

Test(job_transaction_cycle, what_needs_the_victim_falls_with_it) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        want(w, "abc");
        double_relate(w->units, "t.target", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "t.target", UNIT_REQUIRES, "c.service");
        double_relate(w->units, "a.service", UNIT_WANTS, "x.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "y.service");
        double_relate(w->units, "y.service", UNIT_REQUIRES, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start b.service, start c.service");
        assert_contains(job_world_dropped(w), "start a.service: cycle");
        assert_contains(job_world_dropped(w), "start y.service: needs-dropped");
        assert_contains(job_world_dropped(w), "start x.service: unreached");
}

Test(job_transaction_cycle, what_matters_is_never_left_out) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        want(w, "c");
        double_relate(w->units, "t.target", UNIT_REQUIRES, "a.service");
        double_relate(w->units, "t.target", UNIT_REQUIRES, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_dropped(w, "start c.service: cycle");
}

Test(job_transaction_cycle, shortest_cycle_is_broken_first) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        double_relate(w->units, "c.service", UNIT_BEFORE, "b.service");
        want(w, "abc");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        /* b and c are a cycle of two; without b the cycle of three is broken, too. */
        assert_dropped(w, "start b.service: cycle");
}

Test(job_transaction_cycle, cycles_that_share_nothing_are_broken_each) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_BEFORE, "b.service");
        double_relate(w->units, "b.service", UNIT_BEFORE, "a.service");
        double_relate(w->units, "c.service", UNIT_BEFORE, "d.service");
        double_relate(w->units, "d.service", UNIT_BEFORE, "c.service");
        want(w, "abcd");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start b.service, start d.service");
        cr_assert(eq(sz, w->plan->cycles.n, 2));
}

Test(job_transaction_cycle, order_of_execution_counts_not_what_is_declared) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        /* A stop precedes a start whatever order is declared, so this is no cycle. */
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service stop:b.service start:c.service");
}

Test(job_transaction_cycle, stops_in_a_ring_are_one_too) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        job_world_refuse(w, JOB_REPLACE, "stop:a.service stop:b.service stop:c.service", "TransactionOrderIsCyclic");
        assert_contains(failure_message(&w->failure), "stop a.service");
}

Test(job_transaction_cycle, installed_jobs_take_part_but_are_no_victims) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        double_relate(w->units, "b.service", UNIT_AFTER, "block.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:b.service start:c.service");
        job_world_run(w);
        job_world_refuse(w, JOB_REPLACE, "start:a.service", "TransactionOrderIsCyclic");
        want(w, "a");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target");
        assert_dropped(w, "start a.service: cycle");
}

Test(job_transaction_cycle, running_job_waits_for_nobody) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "start:a.service start:c.service");
}

Test(job_transaction_cycle, start_half_of_a_running_restart_counts) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:b.service");
        job_world_run(w);
        job_world_refuse(w, JOB_REPLACE, "start:a.service start:c.service", "TransactionOrderIsCyclic");
        /* A stop of b breaks the cycle. */
        job_world_accept(w, JOB_REPLACE, "start:a.service start:c.service stop:b.service");
}

Test(job_transaction_cycle, job_that_this_request_cancels_does_not_count) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        double_relate(w->units, "b.service", UNIT_AFTER, "block.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:b.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "start:a.service start:c.service stop:b.service");
        assert_contains(job_world_planned(w), "stop b.service -2");
}

Test(job_transaction_cycle, job_that_flush_clears_does_not_count) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        double_relate(w->units, "b.service", UNIT_AFTER, "block.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:b.service");
        job_world_run(w);
        job_world_refuse(w, JOB_REPLACE, "start:a.service start:c.service", "TransactionOrderIsCyclic");
        job_world_accept(w, JOB_FLUSH, "start:a.service start:c.service");
}

/* Dropping a candidate that would be merged into an installed job does not break the cycle. */
Test(job_transaction_cycle, victim_must_take_its_place_in_the_cycle_away) {
        cleanup_(job_world_freep) JobWorld *w = world_with_ring();

        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:a.service");
        job_world_run(w);
        want(w, "abc");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_dropped(w, "start b.service: cycle");
        assert_planned(w, "start t.target, start c.service, start a.service merge 2");
}

/* The canceled stop of b is back when its start is left out, and closes another cycle. */
Test(job_transaction_cycle, what_a_victim_would_have_replaced_is_looked_at_again) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_unit(w->units, "d.service", UNIT_ACTIVE);
        double_unit(w->units, "block.service", UNIT_ACTIVE);
        double_relate(w->units, "b.service", UNIT_BEFORE, "block.service");
        job_world_accept(w, JOB_REPLACE, "stop:block.service stop:b.service");
        job_world_run(w);
        double_relate(w->units, "b.service", UNIT_BEFORE, "z.service");
        double_relate(w->units, "z.service", UNIT_BEFORE, "b.service");
        want(w, "bz");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start z.service");
        assert_jobs(w, "1 stop block.service running, 2 stop b.service waiting, 3 start t.target waiting, "
                       "4 start z.service waiting");
}

Test(job_transaction_cycle, each_edge_of_a_ring_is_named_up_to_a_thousand) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        for (int n = 300; n <= 1500; n += 1200) {
                char a[32], b[32];

                for (int i = 0; i < n; i++) {
                        snprintf(a, sizeof(a), "u%d-%d.service", n, i);
                        snprintf(b, sizeof(b), "u%d-%d.service", n, (i + 1) % n);
                        double_relate(w->units, a, UNIT_BEFORE, b);
                        double_relate(w->units, n == 300 ? "s.target" : "t.target", UNIT_REQUIRES, a);
                }
        }
        job_world_refuse(w, JOB_REPLACE, "start:s.target", "TransactionOrderIsCyclic");
        for (int i = 0; i < 300; i++) {
                char edge[64];

                snprintf(edge, sizeof(edge), "(Before=u300-%d.service at test:", i);
                assert_contains(failure_message(&w->failure), edge);
        }
        job_world_refuse(w, JOB_REPLACE, "start:t.target", "TransactionOrderIsCyclic");
        assert_contains(failure_message(&w->failure), "(1500 in all)");
}

/* 40 jobs, each before all others: 39 have to be dropped. */
Test(job_transaction_cycle, knot_is_untied_victim_by_victim) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        for (int i = 0; i < 40; i++) {
                char a[32], b[32];

                snprintf(a, sizeof(a), "u%02d.service", i);
                double_relate(w->units, "t.target", UNIT_WANTS, a);
                for (int k = 0; k < 40; k++) {
                        snprintf(b, sizeof(b), "u%02d.service", k);
                        if (k != i)
                                double_relate(w->units, a, UNIT_BEFORE, b);
                }
        }
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start u39.service");
        cr_assert(eq(sz, w->plan->cycles.n, 39));
}

Test(job_transaction_cycle, more_than_a_thousand_victims_in_one_knot_are_refused) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        /* A hub that is needed, in a cycle of two with each of the others. */
        double_relate(w->units, "t.target", UNIT_REQUIRES, "hub.service");
        for (int i = 0; i < 1100; i++) {
                char a[32];

                snprintf(a, sizeof(a), "u%04d.service", i);
                double_relate(w->units, "t.target", UNIT_WANTS, a);
                double_relate(w->units, "hub.service", UNIT_BEFORE, a);
                double_relate(w->units, "hub.service", UNIT_AFTER, a);
        }
        job_world_refuse(w, JOB_REPLACE, "start:t.target", "TransactionOrderIsCyclic");
        assert_contains(failure_message(&w->failure), "1000");
}
