/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Sizes that the engine is designed for: nothing recurses, and nothing costs more than what it touches
 *
 * The time limit is generous, since machines differ; what it catches is a square. It is one of processor time: a busy
 * machine takes longer.
 */

#include <stdio.h>
#include <sys/resource.h>

#include "job_world.h"

#define MANY 100000
#define PROCESSOR_SECONDS 120

typedef char Name[32];

static void limit_time(void) {
        const struct rlimit limit = { .rlim_cur = PROCESSOR_SECONDS, .rlim_max = PROCESSOR_SECONDS };

        cr_assert(eq(int, setrlimit(RLIMIT_CPU, &limit), 0));
}

TestSuite(job_big, .init = limit_time);

static const char *name_of(Name name, int i) {
        snprintf(name, sizeof(Name), "u%06d.service", i);
        return name;
}

/* Each requires and comes after the next. */
static JobWorld *world_with_chain(int n, UnitActiveState state) {
        JobWorld *w = job_world_new();
        Name a, b;

        for (int i = 0; i < n; i++)
                double_unit(w->units, name_of(a, i), state);
        for (int i = 0; i + 1 < n; i++) {
                double_relate_at(w->units, name_of(a, i), UNIT_REQUIRES, name_of(b, i + 1), 1);
                double_relate_at(w->units, a, UNIT_AFTER, b, 2);
        }
        return w;
}

static void run_all(JobWorld *w) {
        while (job_manager_run(w->jobs, 1000, w->units->clock.now))
                ;
}

Test(job_big, stack_is_as_small_as_promised) {
        struct rlimit limit;

        cr_assert(eq(int, getrlimit(RLIMIT_STACK, &limit), 0));
        cr_assert(limit.rlim_cur <= 8 * 1024 * 1024, "these tests prove nothing with a larger stack");
}

Test(job_big, chain_of_many_starts) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(MANY, UNIT_INACTIVE);

        double_world_answer(w->units, DOUBLE_START, DOUBLE_DONE);
        job_world_accept(w, JOB_REPLACE, "start:u000000.service");
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY));
        run_all(w);
        cr_assert(eq(sz, job_manager_count(w->jobs), 0));
        cr_assert(eq(u64, job_world_stat(w, "done"), MANY));
}

Test(job_big, chain_of_many_stops) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(MANY, UNIT_ACTIVE);
        Name last;
        char request[64];

        double_world_answer(w->units, DOUBLE_STOP, DOUBLE_DONE);
        snprintf(request, sizeof(request), "stop:%s", name_of(last, MANY - 1));
        job_world_accept(w, JOB_REPLACE, request);
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY));
        run_all(w);
        cr_assert(eq(sz, job_manager_count(w->jobs), 0));
}

Test(job_big, chain_of_many_fails_from_its_end) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(MANY, UNIT_INACTIVE);

        double_world_answer(w->units, DOUBLE_START, DOUBLE_FAIL);
        job_world_accept(w, JOB_REPLACE, "start:u000000.service");
        run_all(w);
        cr_assert(eq(u64, job_world_stat(w, "failed"), 1));
        cr_assert(eq(u64, job_world_stat(w, "dependency"), MANY - 1));
}

Test(job_big, chain_of_many_that_cannot_be_had_is_refused) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(MANY, UNIT_INACTIVE);
        Name last;

        job_world_unit(w, name_of(last, MANY - 1))->load_state = UNIT_MASKED;
        job_world_refuse(w, JOB_REPLACE, "start:u000000.service", "UnitMasked");
}

Test(job_big, chain_of_many_restarts_and_is_saved_and_restored) {
        cleanup_(job_world_freep) JobWorld *w = world_with_chain(MANY, UNIT_ACTIVE);
        JobSnapshot snapshot;
        char request[64];
        Name last;

        double_world_answer(w->units, DOUBLE_STOP, DOUBLE_DONE);
        double_world_answer(w->units, DOUBLE_START, DOUBLE_DONE);
        snprintf(request, sizeof(request), "restart:%s", name_of(last, MANY - 1));
        job_world_accept(w, JOB_REPLACE, request);
        for (int i = 0; i < 100; i++)
                job_manager_run(w->jobs, 1000, w->units->clock.now);
        cr_assert(eq(int, job_manager_save(w->jobs, &snapshot), 0));
        w->jobs = job_manager_free(w->jobs);
        cr_assert(eq(int, job_manager_new(&w->jobs, w->units->table), 0));
        cr_assert(eq(int, job_manager_restore(w->jobs, &snapshot, w->units->clock.now), 0));
        job_snapshot_deinit(&snapshot);
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY));
        run_all(w);
        cr_assert(eq(sz, job_manager_count(w->jobs), 0));
}

/* A target that wants and comes after @n services. */
static JobWorld *world_with_target(int n) {
        JobWorld *w = job_world_new();
        Name name;

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        for (int i = 0; i < n; i++) {
                double_relate_at(w->units, "t.target", UNIT_WANTS, name_of(name, i), 1);
                double_relate_at(w->units, "t.target", UNIT_AFTER, name, 2);
        }
        return w;
}

static void answer_all(JobWorld *w, int n, bool backwards) {
        Name name;

        for (int i = 0; i < n; i++) {
                job_world_state(w, name_of(name, backwards ? n - 1 - i : i), UNIT_ACTIVE);
                job_manager_run(w->jobs, 10, w->units->clock.now);
        }
}

Test(job_big, target_after_ten_thousand_services) {
        for (int backwards = 0; backwards < 2; backwards++) {
                cleanup_(job_world_freep) JobWorld *w = world_with_target(10000);

                job_world_accept(w, JOB_REPLACE, "start:t.target");
                run_all(w);
                answer_all(w, 10000, backwards);
                assert_jobs(w, "1 start t.target running");
        }
}

Test(job_big, target_with_many_services_in_one_transaction) {
        cleanup_(job_world_freep) JobWorld *w = world_with_target(MANY - 1);
        JobInfos infos = {};

        double_world_answer(w->units, DOUBLE_START, DOUBLE_DONE);
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY));
        cr_assert(eq(int, job_manager_neighbours(w->jobs, 1, true, &infos), 0));
        cr_assert(eq(sz, infos.n, MANY - 1));
        vector_deinit(&infos);
        run_all(w);
        cr_assert(eq(sz, job_manager_count(w->jobs), 0));
}

Test(job_big, many_jobs_are_canceled_at_once) {
        cleanup_(job_world_freep) JobWorld *w = world_with_target(MANY - 1);

        job_world_accept(w, JOB_REPLACE, "start:t.target");
        cr_assert(eq(sz, job_manager_cancel_all(w->jobs, NULL, 0), MANY));
}

Test(job_big, many_are_stopped_by_isolate) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Name name;

        double_unit(w->units, "rescue.target", UNIT_INACTIVE)->settings.allow_isolate = true;
        for (int i = 0; i < MANY - 1; i++)
                double_unit(w->units, name_of(name, i), UNIT_ACTIVE);
        double_world_answer(w->units, DOUBLE_STOP, DOUBLE_DONE);
        job_world_accept(w, JOB_ISOLATE, "start:rescue.target");
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY));
        run_all(w);
        cr_assert(eq(u64, job_world_stat(w, "done"), MANY - 1));
}

/* 50,000 pairs that wait for each other: one of each is left out. */
Test(job_big, many_small_cycles_are_broken) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Name a, b;

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        for (int i = 0; i < MANY; i += 2) {
                double_relate_at(w->units, "t.target", UNIT_WANTS, name_of(a, i), 1);
                double_relate_at(w->units, "t.target", UNIT_WANTS, name_of(b, i + 1), 2);
                double_relate_at(w->units, a, UNIT_BEFORE, b, 3);
                double_relate_at(w->units, a, UNIT_AFTER, b, 4);
        }
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY / 2 + 1));
        cr_assert(eq(sz, w->plan->cycles.n, MANY / 2));
        assert_string(w->plan->jobs.items[1].unit, "u000001.service");
}

Test(job_big, ring_of_many_loses_one) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Name a, b;

        for (int i = 0; i < MANY; i++) {
                double_relate_at(w->units, "t.target", UNIT_WANTS, name_of(a, i), 1);
                double_relate_at(w->units, a, UNIT_BEFORE, name_of(b, (i + 1) % MANY), 3);
        }
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY));
        assert_dropped(w, "start u000000.service: cycle");
}

/* The same units with names in another order: 7,919 is a prime. */
static const char *shuffled_name_of(Name name, int i) {
        return name_of(name, (int) ((int64_t) i * 7919 % MANY));
}

/* Each conflicts with the next: every other one is started, as far as conflicts are settled by what is sure. */
Test(job_big, chain_of_many_conflicts) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Name a, b;

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        for (int i = 0; i < MANY; i++) {
                double_unit(w->units, shuffled_name_of(a, i), UNIT_INACTIVE);
                double_relate_at(w->units, "t.target", UNIT_WANTS, a, 1);
                if (i + 1 < MANY)
                        double_relate_at(w->units, a, UNIT_CONFLICTS, shuffled_name_of(b, i + 1), 2);
        }
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        cr_assert(lt(sz, MANY / 3, job_manager_count(w->jobs)));
        cr_assert(lt(sz, job_manager_count(w->jobs), MANY / 2 + 3));
        assert_string(w->plan->jobs.items[1].unit, "u000000.service");
}

/* 50,000 pairs that conflict both ways. */
Test(job_big, many_pairs_conflict) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Name a, b;

        double_unit(w->units, "t.target", UNIT_INACTIVE);
        for (int i = 0; i < MANY; i += 2) {
                double_unit(w->units, shuffled_name_of(a, i), UNIT_INACTIVE);
                double_unit(w->units, shuffled_name_of(b, i + 1), UNIT_INACTIVE);
                double_relate_at(w->units, "t.target", UNIT_WANTS, a, 1);
                double_relate_at(w->units, "t.target", UNIT_WANTS, b, 2);
                double_relate_at(w->units, a, UNIT_CONFLICTS, b, 3);
                double_relate_at(w->units, b, UNIT_CONFLICTS, a, 4);
        }
        job_world_accept(w, JOB_REPLACE, "start:t.target");
        cr_assert(eq(sz, job_manager_count(w->jobs), MANY / 2 + 1));
}

Test(job_big, many_units_are_acted_on_by_rules) {
        cleanup_(job_world_freep) JobWorld *w = job_world_new();
        Name name;

        double_unit(w->units, "user.service", UNIT_ACTIVE);
        for (int i = 0; i < MANY / 2; i++) {
                Unit *unit = double_unit(w->units, name_of(name, i), UNIT_ACTIVE);

                unit->settings.stop_when_unneeded = true;
                unit_note_settings(unit);
                double_relate_at(w->units, "user.service", UNIT_WANTS, name, 1);
        }
        double_world_answer(w->units, DOUBLE_STOP, DOUBLE_DONE);
        job_world_state(w, "user.service", UNIT_INACTIVE);
        run_all(w);
        cr_assert(eq(u64, job_world_stat(w, "done"), MANY / 2));
}

/* 20,000 requests for one unit of many take as long as a few transactions that touch all units. */
Test(job_big, small_requests_do_not_pay_for_the_units_that_are_there) {
        cleanup_(job_world_freep) JobWorld *w = world_with_target(MANY);

        job_world_accept(w, JOB_REPLACE, "start:t.target");
        double_unit(w->units, "small.service", UNIT_INACTIVE);
        for (int i = 0; i < 20000; i++) {
                job_world_accept(w, JOB_REPLACE, "nop:small.service");
                job_world_plan(w, JOB_REPLACE, "start:small.service");
        }
}
