/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * In which order a transaction is committed
 */

#include "job_world.h"

static void require(JobWorld *w, const char *unit, const char *needed) {
        double_relate(w->units, unit, UNIT_REQUIRES, needed);
        double_relate(w->units, unit, UNIT_AFTER, needed);
}

static JobWorld *world_with_chain(UnitActiveState state) {
        JobWorld *w = job_world_new();

        double_unit(w->units, "a.service", state);
        double_unit(w->units, "b.service", state);
        double_unit(w->units, "c.service", state);
        require(w, "c.service", "b.service");
        require(w, "b.service", "a.service");
        return w;
}

Test(job_steps, what_waits_for_nobody_comes_first_but_for_the_anchor) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(UNIT_INACTIVE);

        require(w, "d.service", "c.service");
        job_world_accept(w, JOB_REPLACE, "start:d.service");
        assert_planned(w, "start d.service, start a.service, start b.service, start c.service");
        assert_jobs(w, "1 start d.service waiting, 2 start a.service waiting, 3 start b.service waiting, "
                       "4 start c.service waiting");
}

Test(job_steps, stops_come_in_reverse) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(UNIT_ACTIVE);

        job_world_accept(w, JOB_REPLACE, "stop:a.service");
        assert_planned(w, "stop a.service, stop c.service, stop b.service");
}

Test(job_steps, stop_comes_before_a_start_that_waits_for_it) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "old.service", UNIT_ACTIVE);
        double_relate(w->units, "t.target", UNIT_WANTS, "new.service");
        double_relate(w->units, "new.service", UNIT_CONFLICTS, "old.service");
        double_relate(w->units, "new.service", UNIT_BEFORE, "old.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, stop old.service, start new.service");
}

Test(job_steps, restart_stops_first) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(UNIT_ACTIVE);

        double_relate(w->units, "b.service", UNIT_PART_OF, "x.service");
        double_relate(w->units, "c.service", UNIT_PART_OF, "x.service");
        double_unit(w->units, "x.service", UNIT_ACTIVE);
        job_world_accept(w, JOB_REPLACE, "restart:x.service");
        assert_planned(w, "restart x.service, restart c.service, restart b.service");
}

/* e is found before all that must precede it; d is found as early, and waits for nothing. */
Test(job_steps, deepest_wait_counts_and_among_equals_what_was_found_first) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(UNIT_INACTIVE);

        double_relate(w->units, "t.target", UNIT_WANTS, "e.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "d.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "c.service");
        double_relate(w->units, "e.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "e.service", UNIT_AFTER, "c.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start d.service, start a.service, start b.service, start c.service, "
                          "start e.service");
}

Test(job_steps, order_toward_what_is_not_in_the_transaction_counts_for_nothing) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_unit(w->units, "z.service", UNIT_INACTIVE);
        double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "b.service");
        double_relate(w->units, "a.service", UNIT_AFTER, "z.service");
        job_world_accept(w, JOB_REPLACE, "start:z.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_planned(w, "start t.target, start a.service, start b.service");
}

Test(job_steps, what_was_left_out_counts_for_nothing) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();

        double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "b.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "c.service");
        double_relate(w->units, "b.service", UNIT_AFTER, "c.service");
        double_relate(w->units, "c.service", UNIT_AFTER, "a.service");
        double_relate(w->units, "a.service", UNIT_AFTER, "c.service");
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        assert_dropped(w, "start a.service: cycle");
        assert_planned(w, "start t.target, start c.service, start b.service");
}

/* Each job is checked once, when it can be dispatched: none is parked, so none has to be woken. */
Test(job_steps, jobs_that_end_at_once_go_in_the_order_of_their_ids) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(UNIT_INACTIVE);

        require(w, "d.service", "c.service");
        require(w, "d.service", "e.service");
        double_world_answer(w->units, DOUBLE_START, DOUBLE_DONE);
        job_world_accept(w, JOB_REPLACE, "start:d.service");
        assert_planned(w, "start d.service, start e.service, start a.service, start b.service, start c.service");
        job_world_run(w);
        assert_calls(w, "start e.service, start a.service, start b.service, start c.service, start d.service");
}
