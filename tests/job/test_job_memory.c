/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Memory that runs out
 *
 * Every allocation of an operation fails once, each in a world of its own, and
 * once more with all that come after it. A request that could not be made has
 * changed nothing and works when there is memory again; what must not fail
 * does not: each id has one end.
 */

#include <stdio.h>
#include <string.h>

#include "double/double_memory.h"
#include "job_world.h"

/* — a world with something of everything, whose units take no memory — */

static UnitAnswer start_quietly(Unit *unit) {
        unit_publish(unit, UNIT_ACTIVATING, 0);
        return UNIT_UNDER_WAY;
}

static UnitAnswer stop_quietly(Unit *unit) {
        unit_publish(unit, UNIT_INACTIVE, 0);
        return UNIT_UNDER_WAY;
}

static UnitVTable quiet;

static Unit *quiet_unit(JobWorld *w, const char *name, UnitActiveState state) {
        Unit *unit = double_unit(w->units, name, state);

        quiet = *unit->vtable;
        quiet.start = start_quietly;
        quiet.stop = stop_quietly;
        quiet.reload = stop_quietly;
        unit->vtable = &quiet;
        return unit;
}

static uint8_t ends[1000];              /* of each id: installed 1, ended 2 */

static void take_event(const JobEvent *event, void *userdata) {
        uint32_t id = event->job.id;

        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                cr_assert(eq(int, ends[id], 0));
                ends[id] = 1;
                break;
        case JOB_EVENT_FINISHED:
                cr_assert(ends[id] == 1, "job %u", id);
                ends[id] = 2;
                break;
        case JOB_EVENT_CHANGED:
        case JOB_EVENT_REFUSED:
        case JOB_EVENT_CYCLE_BROKEN:
                break;
        }
}

static JobWorld *world_new(void) {
        static const char *const names[] = {
                "a.service", "b.service", "c.service", "d.service", "e.service", "p.service", "q.service", "t.target",
                "masked.service",
        };
        JobWorld *w = job_world_new();

        memset(ends, 0, sizeof(ends));
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                quiet_unit(w, names[i], UNIT_INACTIVE);
        double_relate(w->units, "t.target", UNIT_WANTS, "a.service");
        double_relate(w->units, "t.target", UNIT_REQUIRES, "b.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "c.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "masked.service");
        double_relate(w->units, "t.target", UNIT_AFTER, "b.service");
        double_relate(w->units, "a.service", UNIT_BEFORE, "c.service");
        double_relate(w->units, "c.service", UNIT_BEFORE, "a.service");
        double_relate(w->units, "c.service", UNIT_CONFLICTS, "d.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "p.service");
        double_relate(w->units, "t.target", UNIT_WANTS, "q.service");
        double_relate(w->units, "p.service", UNIT_CONFLICTS, "q.service");
        double_relate(w->units, "q.service", UNIT_CONFLICTS, "p.service");
        double_relate(w->units, "d.service", UNIT_PROPAGATES_STOP_TO, "e.service");
        double_relate(w->units, "b.service", UNIT_ON_FAILURE, "e.service");
        double_relate(w->units, "t.target", UNIT_ON_FAILURE, "d.service");
        job_world_unit(w, "d.service")->active_state = UNIT_ACTIVE;
        job_world_unit(w, "e.service")->active_state = UNIT_ACTIVE;
        job_world_unit(w, "masked.service")->load_state = UNIT_MASKED;

        /* e has a running start and a pending reload: a restart turns the start and absorbs the reload. */
        w->jobs = job_manager_free(w->jobs);
        cr_assert(eq(int, job_manager_new(&w->jobs, w->units->table), 0));
        cr_assert(eq(int, job_manager_subscribe(w->jobs, take_event, NULL), 0));
        job_world_unit(w, "e.service")->active_state = UNIT_INACTIVE;
        job_world_accept(w, JOB_REPLACE, "start:e.service");
        job_world_run(w);
        job_world_accept(w, JOB_REPLACE, "reload:e.service");
        return w;
}

static int exec(JobWorld *w, JobMode mode, JobPlan **ret_plan) {
        static const JobRequester requester = { .name = ":1.1", .reason = "a reason" };
        static const JobRequest requests[] = {
                { .unit = "t.target", .type = JOB_START },
                { .unit = "e.service", .type = JOB_RESTART },
        };
        JobOptions options = { .mode = mode, .requester = &requester, .now = w->units->clock.now };

        return job_manager_exec(w->jobs, requests, ELEMENTSOF(requests), &options, ret_plan);
}

/* Describes all that a failed request must not change. */
static char *describe(JobWorld *w) {
        Text text = {};
        char *string;

        text_add(&text, job_world_jobs(w));
        text_addf(&text, " %lu %lu %lu", (unsigned long) job_world_stat(w, "transactions-committed"),
                  (unsigned long) job_world_stat(w, "installed"), (unsigned long) job_world_stat(w, "joined"));
        cr_assert(eq(int, text_finish(&text, &string), 0));
        return string;
}

static bool check_exec(size_t n, bool and_all_after, JobMode mode, bool with_plan) {
        cleanup_(job_world_freep) JobWorld *w = world_new();
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        cleanup_free_ char *before = describe(w), *after = NULL;
        bool has_failed;
        int r;

        double_memory_arm(n, and_all_after);
        r = exec(w, mode, with_plan ? &plan : NULL);
        has_failed = double_memory_disarm();
        cr_assert(r == 0 || (r == -ENOMEM && has_failed), "allocation %zu: %d", n, r);
        after = describe(w);
        if (r == 0)
                return has_failed;

        cr_assert(plan == NULL);
        assert_string(after, before);
        cr_assert(eq(int, exec(w, mode, NULL), 0));
        assert_contains(job_world_jobs(w), "1 restart/stop e.service waiting");
        return has_failed;
}

Test(job_memory, request_without_memory_changes_nothing_and_works_later) {
        static const JobMode modes[] = { JOB_REPLACE, JOB_FLUSH };

        for (size_t m = 0; m < ELEMENTSOF(modes); m++)
                for (int variant = 0; variant < 4; variant++) {
                        size_t n = 1;

                        while (check_exec(n, variant & 1, modes[m], variant & 2))
                                n++;
                        cr_assert(lt(sz, 40, n));
                }
}

static bool check_refused(size_t n, bool and_all_after) {
        cleanup_(job_world_freep) JobWorld *w = world_new();
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        JobRequest request = { .unit = "masked.service", .type = JOB_START };
        JobOptions options = { .now = w->units->clock.now };
        bool has_failed;
        int r;

        double_memory_arm(n, and_all_after);
        r = job_manager_exec(w->jobs, &request, 1, &options, &plan);
        has_failed = double_memory_disarm();
        cr_assert(r == JOB_MANAGER_E_REFUSED || (r == -ENOMEM && has_failed));
        cr_assert(plan || r < 0);
        if (plan)
                cr_assert(eq(int, plan->failure.code, -ERFKILL));
        return has_failed;
}

Test(job_memory, refusal_is_one_without_memory_for_its_words) {
        for (int variant = 0; variant < 2; variant++)
                for (size_t n = 1; check_refused(n, variant); n++)
                        ;
}

/* Dispatches, changes, failures, follow-ups, a cancel, elapsed time: none of these may fail. */
static void live(JobWorld *w) {
        Unit *b = job_world_unit(w, "b.service");

        job_manager_run(w->jobs, 3, w->units->clock.now);
        job_manager_run(w->jobs, 100, w->units->clock.now);
        job_manager_notify_reload(w->jobs, b, JOB_FAIL, w->units->clock.now);
        unit_publish(b, UNIT_FAILED, 0);
        job_manager_run(w->jobs, 100, w->units->clock.now);
        unit_publish(b, UNIT_ACTIVE, 0);
        job_manager_graph_changed(w->jobs, w->units->clock.now);
        job_manager_cancel_all(w->jobs, NULL, w->units->clock.now);
        job_manager_expire(w->jobs, w->units->clock.now);
}

static bool check_life(size_t n, bool and_all_after) {
        static const char *const names[] = { "a.service", "b.service", "c.service", "d.service", "e.service", "t.target" };
        cleanup_(job_world_freep) JobWorld *w = world_new();
        bool has_failed;

        cr_assert(eq(int, exec(w, JOB_REPLACE, NULL), 0));
        double_memory_arm(n, and_all_after);
        live(w);
        has_failed = double_memory_disarm();

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                unit_publish(job_world_unit(w, names[i]), UNIT_ACTIVE, 0);
        job_manager_cancel_all(w->jobs, NULL, w->units->clock.now);
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                unit_publish(job_world_unit(w, names[i]), UNIT_INACTIVE, 0);
        job_manager_cancel_all(w->jobs, NULL, w->units->clock.now);
        for (uint32_t id = 1; id < ELEMENTSOF(ends); id++) {
                JobInfo job;

                cr_assert(ends[id] != 1 || job_manager_find(w->jobs, id, &job), "job %u is lost", id);
        }
        return has_failed;
}

Test(job_memory, jobs_live_and_end_without_memory) {
        for (int variant = 0; variant < 2; variant++) {
                size_t n = 1;

                while (check_life(n, variant))
                        n++;
                cr_assert(lt(sz, 20, n));
        }
}

static bool check_save(size_t n, bool and_all_after) {
        cleanup_(job_world_freep) JobWorld *w = world_new();
        JobSnapshot snapshot;
        bool has_failed;
        int r;

        cr_assert(eq(int, exec(w, JOB_REPLACE, NULL), 0));
        double_memory_arm(n, and_all_after);
        r = job_manager_save(w->jobs, &snapshot);
        has_failed = double_memory_disarm();
        cr_assert(eq(int, r, has_failed ? -ENOMEM : 0));
        if (r == 0)
                job_snapshot_deinit(&snapshot);
        return has_failed;
}

Test(job_memory, snapshot_is_whole_or_none) {
        for (int variant = 0; variant < 2; variant++)
                for (size_t n = 1; check_save(n, variant); n++)
                        ;
}

static bool check_restore(size_t n, bool and_all_after) {
        cleanup_(job_world_freep) JobWorld *w = world_new();
        JobSnapshot snapshot;
        bool has_failed;
        size_t n_jobs;
        int r;

        cr_assert(eq(int, exec(w, JOB_REPLACE, NULL), 0));
        n_jobs = job_manager_count(w->jobs);
        cr_assert(eq(int, job_manager_save(w->jobs, &snapshot), 0));
        w->jobs = job_manager_free(w->jobs);

        double_memory_arm(n, and_all_after);
        r = job_manager_new(&w->jobs, w->units->table);
        if (r == 0)
                r = job_manager_restore(w->jobs, &snapshot, w->units->clock.now);
        has_failed = double_memory_disarm();
        job_snapshot_deinit(&snapshot);
        cr_assert(r == 0 || (r == -ENOMEM && has_failed));
        if (r == 0)
                cr_assert(eq(sz, job_manager_count(w->jobs), n_jobs));
        return has_failed;
}

Test(job_memory, restore_says_when_it_lacks_memory) {
        for (int variant = 0; variant < 2; variant++)
                for (size_t n = 1; check_restore(n, variant); n++)
                        ;
}

/* A sink that needs no memory. */
static void sink_put(Sink *sink, char type, const void *value) {
}

static void sink_open_nothing(Sink *sink, char container, const char *contents) {
}

static void sink_close_nothing(Sink *sink) {
}

static bool check_questions(JobWorld *w, size_t n, bool and_all_after) {
        static const SinkOps ops = { .put = sink_put, .open = sink_open_nothing, .close = sink_close_nothing };
        static const char *const questions[] = { "1", "2", "t.target", "a.service", "t1", "masked.service", "b.service" };
        Sink sink = { .ops = &ops };
        JobInfos infos;

        double_memory_arm(n, and_all_after);
        for (size_t i = 0; i < ELEMENTSOF(questions); i++)
                (void) job_manager_explain(w->jobs, questions[i], w->units->clock.now, &sink);
        if (job_manager_list(w->jobs, &infos) == 0)
                vector_deinit(&infos);
        if (job_manager_neighbours(w->jobs, 1, true, &infos) == 0)
                vector_deinit(&infos);
        return double_memory_disarm();
}

Test(job_memory, questions_are_answered_as_far_as_memory_goes) {
        cleanup_(job_world_freep) JobWorld *w = world_new();

        cr_assert(eq(int, exec(w, JOB_REPLACE, NULL), 0));
        job_world_run(w);
        for (int variant = 0; variant < 2; variant++)
                for (size_t n = 1; check_questions(w, n, variant); n++)
                        ;
}
