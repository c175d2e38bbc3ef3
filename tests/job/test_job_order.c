/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Order: which job waits for which, and when a job is checked again
 */

#include <stdio.h>

#include "job_world.h"

/* b is After a; which of two jobs goes first? */
Test(job_order, starts_go_in_order_stops_in_reverse_and_a_stop_before_a_start) {
        /* Jobs of a and b → 'a' or 'b' first, '-' for both at once. */
        static const struct {
                const char *a, *b;
                char first;
        } table[] = {
                { "start", "start", 'a' },
                { "start", "stop", 'b' },
                { "stop", "start", 'a' },
                { "stop", "stop", 'b' },
                { "reload", "start", 'a' },
                { "start", "reload", 'a' },
                { "reload", "stop", 'b' },
                { "stop", "reload", 'a' },
                { "restart", "start", 'a' },
                { "restart", "stop", 'b' },
                { "start", "restart", 'b' },
                { "stop", "restart", 'b' },
                { "restart", "restart", 'b' },
                { "nop", "start", '-' },
                { "start", "nop", '-' },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_(job_world_freep) JobWorld *w = job_world_new();
                UnitActiveState a = strcmp(table[i].a, "start") == 0 ? UNIT_INACTIVE : UNIT_ACTIVE;
                UnitActiveState b = strcmp(table[i].b, "start") == 0 ? UNIT_INACTIVE : UNIT_ACTIVE;
                char requests[64];
                const char *jobs;

                double_unit(w->units, "a.service", a);
                double_unit(w->units, "b.service", b);
                double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
                snprintf(requests, sizeof(requests), "%s:a.service %s:b.service", table[i].a, table[i].b);
                job_world_accept(w, JOB_REPLACE, requests);
                job_world_run(w);
                jobs = job_world_jobs(w);
                if (table[i].first == 'a')
                        cr_assert(strstr(jobs, "a.service running") && strstr(jobs, "b.service waiting"), "%zu: %s", i, jobs);
                if (table[i].first == 'b')
                        cr_assert(strstr(jobs, "b.service running") && strstr(jobs, "a.service waiting"), "%zu: %s", i, jobs);
                if (table[i].first == '-')
                        cr_assert(strstr(jobs, "running") && !strstr(jobs, "waiting"), "%zu: %s", i, jobs);
        }
}

Test(job_order, only_jobs_block_and_not_states) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        assert_jobs(w, "1 start b.service running");
}

Test(job_order, next_waits_until_each_before_it_has_ended) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "x.service", UNIT_AFTER, "b.service");
        double_relate(w->units, "c.service", UNIT_BEFORE, "x.service");
        job_world_accept(w, JOB_REPLACE, "start:x.service start:a.service start:b.service start:c.service");
        job_world_run(w);
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_run(w);
        job_world_state(w, "c.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 start x.service waiting, 2 start a.service running");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 start x.service running");
}

Test(job_order, running_and_waiting_job_of_a_neighbour_both_block) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:a.service start:x.service");
        job_world_run(w);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 reload a.service running, 3 start x.service waiting");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "3 start x.service running");
}

Test(job_order, each_half_of_a_restart_is_checked_anew) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:b.service");
        job_world_run(w);
        /* The stop of a precedes all jobs of b, and its start follows them. */
        assert_jobs(w, "1 restart/stop a.service running, 2 reload b.service waiting");
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 restart/start a.service waiting, 2 reload b.service running");
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 restart/start a.service running");
}

Test(job_order, two_restarts_stop_in_reverse_and_start_in_order) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_BEFORE, "b.service");
        double_world_answer(w->units, DOUBLE_START, DOUBLE_DONE);
        double_world_answer(w->units, DOUBLE_STOP, DOUBLE_DONE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service restart:b.service");
        job_world_run(w);
        assert_calls(w, "stop b.service, stop a.service, start a.service, start b.service");
}

/* x has checked a and waits for b; all later jobs of a arrive after that check. */
static JobWorld *world_behind_the_back(void) {
        JobWorld *w = job_world_new();

        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "x.service", UNIT_AFTER, "b.service");
        double_relate(w->units, "x.service", UNIT_BEFORE, "c.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service start:x.service");
        job_world_run(w);
        assert_jobs(w, "1 start b.service running, 2 start x.service waiting");
        return w;
}

Test(job_order, late_job_of_a_unit_before_it_is_waited_for) {
        cleanup_(job_world_freep) JobWorld *w = world_behind_the_back();

        job_world_accept(w, JOB_REPLACE, "start:a.service");
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start x.service waiting, 3 start a.service running");
}

Test(job_order, late_stop_of_a_unit_behind_it_is_waited_for) {
        cleanup_(job_world_freep) JobWorld *w = world_behind_the_back();

        job_world_state(w, "c.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "stop:c.service");
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start x.service waiting, 3 stop c.service running");
        job_world_state(w, "c.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start x.service running");
}

Test(job_order, late_job_that_has_ended_again_is_not_waited_for) {
        cleanup_(job_world_freep) JobWorld *w = world_behind_the_back();

        double_world_answer(w->units, DOUBLE_START, DOUBLE_DONE);
        for (int i = 0; i < 100; i++) {
                job_world_state(w, "a.service", UNIT_INACTIVE);
                job_world_accept(w, JOB_REPLACE, "start:a.service");
                job_world_run(w);
                assert_jobs(w, "1 start b.service running, 2 start x.service waiting");
        }
        job_world_accept(w, JOB_REPLACE, "verify-active:a.service");
        double_world_answer(w->units, DOUBLE_START, UNIT_UNDER_WAY);
        job_world_state(w, "b.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start x.service running");
}

Test(job_order, blocker_that_changes_its_run_type_lets_go) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        /* x stops before a starts again; a's stop goes before x's start. */
        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_relate(w->units, "x.service", UNIT_BEFORE, "a.service");
        job_world_accept(w, JOB_REPLACE, "restart:a.service start:x.service");
        job_world_run(w);
        assert_jobs(w, "1 restart/stop a.service running, 2 start x.service waiting");
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 restart/start a.service waiting, 2 start x.service running");
}

Test(job_order, blocker_that_is_canceled_lets_go) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:a.service start:x.service");
        job_world_run(w);
        cr_assert(eq(int, job_manager_cancel(w->jobs, 2, NULL, 0, NULL), 0));
        job_world_run(w);
        assert_jobs(w, "1 start block.service running, 3 start x.service running");
}

Test(job_order, blocker_that_is_replaced_is_looked_at_again) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service reload:a.service start:x.service");
        job_world_run(w);
        assert_jobs(w, "1 start block.service running, 2 reload a.service waiting, 3 start x.service waiting");
        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        job_world_run(w);
        assert_jobs(w, "1 start block.service running, 3 start x.service waiting, 4 stop a.service running");
        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 start block.service running, 3 start x.service running");
}

Test(job_order, neighbours_are_those_before_and_those_that_wait) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfos infos = {};

        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "b.service", UNIT_BEFORE, "c.service");
        double_relate(w->units, "b.service", UNIT_BEFORE, "d.service");
        job_world_state(w, "d.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service start:c.service");
        job_world_accept(w, JOB_REPLACE, "stop:d.service");
        cr_assert(eq(int, job_manager_neighbours(w->jobs, 2, true, &infos), 0));
        cr_assert(eq(sz, infos.n, 2));
        cr_assert(eq(u32, infos.items[0].id, 1));
        cr_assert(eq(u32, infos.items[1].id, 4));
        vector_deinit(&infos);
        cr_assert(eq(int, job_manager_neighbours(w->jobs, 2, false, &infos), 0));
        cr_assert(eq(sz, infos.n, 1));
        cr_assert(eq(u32, infos.items[0].id, 3));
        vector_deinit(&infos);
        cr_assert(eq(int, job_manager_neighbours(w->jobs, 99, true, &infos), JOB_MANAGER_E_NO_SUCH_JOB));
}

Test(job_order, running_job_has_nobody_before_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        JobInfos infos = {};

        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:b.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "start:a.service");
        cr_assert(eq(int, job_manager_neighbours(w->jobs, 1, true, &infos), 0));
        cr_assert(eq(sz, infos.n, 0));
        vector_deinit(&infos);
}

/* — when unit files are read again — */

Test(job_order, new_order_is_waited_for_after_a_reload) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "b.service", UNIT_INACTIVE);
        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service start:b.service start:x.service");
        job_world_run(w);
        double_relate(w->units, "x.service", UNIT_AFTER, "b.service");
        job_manager_graph_changed(w->jobs, 0);
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start b.service running, 3 start x.service waiting");
}

Test(job_order, order_that_is_gone_is_not_waited_for) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "x.service", UNIT_AFTER, "a.service");
        job_world_accept(w, JOB_REPLACE, "start:a.service start:x.service");
        job_world_run(w);
        unit_withdraw_relations(job_world_unit(w, "x.service"));
        job_manager_graph_changed(w->jobs, 0);
        job_world_run(w);
        assert_jobs(w, "1 start a.service running, 2 start x.service running");
}

Test(job_order, cycle_that_a_reload_closes_costs_the_youngest_waiting_job) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "b.service");
        job_world_accept(w, JOB_REPLACE, "start:block.service start:a.service start:c.service start:b.service");
        job_world_run(w);
        job_world_events(w);
        double_relate(w->units, "a.service", UNIT_AFTER, "c.service");
        job_manager_graph_changed(w->jobs, 0);
        assert_events(w, "cycle; removed 4 canceled b.service");
        assert_contains(job_world_explain(w, "4"), "new unit files closed an ordering cycle");
}

Test(job_order, each_cycle_that_a_reload_closes_is_broken) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "a.service", UNIT_AFTER, "block.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "block.service");
        double_unit(w->units, "b.service", UNIT_INACTIVE);
        double_unit(w->units, "d.service", UNIT_INACTIVE);
        job_world_accept(w, JOB_REPLACE, "start:block.service start:a.service start:b.service start:c.service start:d.service");
        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "d.service");
        double_relate(w->units, "d.service", UNIT_AFTER, "c.service");
        job_manager_graph_changed(w->jobs, 0);
        assert_jobs(w, "1 start block.service waiting, 2 start a.service waiting, 4 start c.service waiting");
}

/*
 * A name that was not found turns out to be n's: what is before that name comes among those that n has counted. It has
 * looked at a and s, and stands at t.
 */
static JobWorld *world_with_counted_neighbours(void) {
        JobWorld *w = job_world_new();

        double_relate(w->units, "n.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "n.service", UNIT_BEFORE, "s.service");
        double_relate(w->units, "n.service", UNIT_BEFORE, "t.service");
        job_world_state(w, "t.service", UNIT_ACTIVE);
        return w;
}

Test(job_order, job_that_waits_looks_at_the_neighbours_of_a_name_that_its_unit_gets) {
        cleanup_(job_world_freep) JobWorld *w = world_with_counted_neighbours();

        double_relate(w->units, "y.service", UNIT_BEFORE, "x.service");
        job_world_accept(w, JOB_REPLACE, "start:y.service stop:t.service start:n.service");
        job_world_run(w);
        assert_jobs(w, "1 start y.service running, 2 stop t.service running, 3 start n.service waiting");
        cr_assert(eq(int, unit_table_merge(w->units->table, job_world_unit(w, "x.service"), job_world_unit(w, "n.service")),
                     0));
        job_world_state(w, "t.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 start y.service running, 3 start n.service waiting");
        job_world_state(w, "y.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "3 start n.service running");
}

Test(job_order, cycle_that_a_name_closes_is_broken) {
        cleanup_(job_world_freep) JobWorld *w = world_with_counted_neighbours();

        double_relate(w->units, "y.service", UNIT_BEFORE, "x.service");
        double_relate(w->units, "n.service", UNIT_BEFORE, "y.service");
        job_world_accept(w, JOB_REPLACE, "stop:t.service start:n.service start:y.service");
        job_world_run(w);
        cr_assert(eq(int, unit_table_merge(w->units->table, job_world_unit(w, "x.service"), job_world_unit(w, "n.service")),
                     0));
        job_world_state(w, "t.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "2 start n.service running");
        assert_contains(job_world_explain(w, "3"), "ordering cycle");
}

/* Both run their stop halves, so nothing can be canceled yet; their start halves will wait for each other. */
Test(job_order, cycle_of_running_restarts_is_broken_when_their_start_halves_come) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", UNIT_ACTIVE);
        double_unit(w->units, "b.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:a.service restart:b.service");
        job_world_run(w);
        double_relate(w->units, "a.service", UNIT_AFTER, "b.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "a.service");
        job_manager_graph_changed(w->jobs, 0);
        assert_jobs(w, "1 restart/stop a.service running, 2 restart/stop b.service running");

        job_world_state(w, "a.service", UNIT_INACTIVE);
        job_world_state(w, "b.service", UNIT_INACTIVE);
        job_world_run(w);
        assert_jobs(w, "1 restart/start a.service running");
        job_world_state(w, "a.service", UNIT_ACTIVE);
        job_world_run(w);
        assert_jobs(w, "");
}
