/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The engine against its own rules, with chance as the user
 *
 *      test_job_property [FIRST_SEED [COUNT [STEPS]]]
 *
 * Each seed is one world and one sequence of requests, answers, changes of
 * units, cancels, restarts of the manager and passing time, run twice: the
 * same must happen again, in worlds without rules also if the manager is
 * restarted before each step. A failure prints the log and the seed; fewer
 * STEPS make it shorter.
 */

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "double/double_snapshot.h"
#include "property_check.h"
#include "property_mirror.h"

#define SETTLE_ROUNDS 50
#define SETTLE_BUDGET 20

static uint64_t seed_now;
static PropertyWorld *world_now;

static void random_requests(PropertyWorld *world, JobRequest *requests, size_t n) {
        static const JobType types[] = {
                JOB_START, JOB_START, JOB_START, JOB_STOP, JOB_STOP, JOB_RESTART, JOB_RESTART, JOB_RELOAD,
                JOB_VERIFY_ACTIVE, JOB_NOP, JOB_TRY_RESTART, JOB_TRY_RELOAD, JOB_RELOAD_OR_START,
        };

        for (size_t i = 0; i < n; i++) {
                requests[i] = (JobRequest) {
                        .unit = property_chance(world, 2) ? "missing.service" : property_any_unit(world)->id,
                        .type = types[property_below(world, ELEMENTSOF(types))],
                        .reload_if_possible = property_chance(world, 10),
                        .is_manual = property_chance(world, 50),
                };
        }
}

static JobMode random_mode(PropertyWorld *world, JobRequest *requests, size_t n) {
        JobMode mode = property_chance(world, 50) ? JOB_REPLACE : (JobMode) property_below(world, _JOB_MODE_MAX);

        /* Most requests in the narrow modes should get past the first check. */
        for (size_t i = 0; i < n && property_chance(world, 90); i++) {
                if (mode == JOB_ISOLATE || mode == JOB_RESTART_DEPENDENCIES)
                        requests[i].type = JOB_START;
                if (mode == JOB_TRIGGERING)
                        requests[i].type = JOB_STOP;
        }
        return mode;
}

/* Checks that the jobs of the plan are installed. */
static void check_committed(PropertyWorld *world, const JobPlan *plan) {
        for (size_t i = 0; i < plan->jobs.n; i++) {
                const JobPlanJob *planned = &plan->jobs.items[i];
                JobInfo job;

                if (!job_manager_find(world->jobs, planned->id, &job))
                        property_fail(world, "job %u of the plan is not there", planned->id);
                else if (job.type != planned->type || strcmp(job.unit->id, planned->unit) != 0)
                        property_fail(world, "job %u is not as planned", planned->id);
                if (planned->cancels[0] != JOB_ID_NONE && !planned->interrupts &&
                    world->ids[planned->cancels[0]] != PROPERTY_ID_ENDED)
                        property_fail(world, "job %u was not canceled", planned->cancels[0]);
        }
        for (size_t i = 0; i < plan->canceled.n; i++)
                if (world->ids[plan->canceled.items[i].id] != PROPERTY_ID_ENDED)
                        property_fail(world, "job %u was not canceled", plan->canceled.items[i].id);
}

static void step_exec(PropertyWorld *world) {
        static const JobRequester requester = { .name = ":1.1", .uid = 1, .pid = 2 };
        cleanup_(job_plan_freep) JobPlan *planned = NULL;
        cleanup_(job_plan_freep) JobPlan *done = NULL;
        Text before = {}, between = {}, after = {}, plan_text = {}, done_text = {};
        JobRequest requests[3];
        size_t n = 1 + (property_chance(world, 35) ? property_below(world, 3) : 0);
        JobOptions options = { .requester = &requester, .now = world->units->clock.now };
        int plan_r, r;

        random_requests(world, requests, n);
        options.mode = random_mode(world, requests, n);
        property_log(world, "exec %s", job_mode_to_string(options.mode));
        for (size_t i = 0; i < n; i++)
                property_log(world, "  %s:%s%s%s", job_type_to_string(requests[i].type), requests[i].unit,
                             requests[i].reload_if_possible ? " reload-if-possible" : "",
                             requests[i].is_manual ? " manual" : "");

        property_describe(world, &before);
        plan_r = job_manager_plan(world->jobs, requests, n, &options, &planned);
        property_describe(world, &between);
        if (strcmp(before.string, between.string) != 0)
                property_fail(world, "a plan has changed something:\n%s\n%s", before.string, between.string);

        r = job_manager_exec(world->jobs, requests, n, &options, &done);
        property_describe(world, &after);
        if (r != plan_r)
                property_fail(world, "planned %d, done %d", plan_r, r);
        if (r != 0 && strcmp(before.string, after.string) != 0)
                property_fail(world, "a refused request has changed something:\n%s\n%s", before.string, after.string);
        if (r == 0)
                check_committed(world, done);
        property_describe_plan(planned, &plan_text);
        property_describe_plan(done, &done_text);
        if (strcmp(plan_text.string, done_text.string) != 0)
                property_fail(world, "planned\n%s\ndone\n%s", plan_text.string, done_text.string);
        property_log(world, "  %s", done_text.string);

        text_deinit(&before);
        text_deinit(&between);
        text_deinit(&after);
        text_deinit(&plan_text);
        text_deinit(&done_text);
}

static void set_answers(PropertyWorld *world) {
        static const int often[] = { UNIT_UNDER_WAY, UNIT_UNDER_WAY, DOUBLE_SILENT, DOUBLE_DONE };
        static const int seldom[] = {
                UNIT_ALREADY, UNIT_NOT_NOW, UNIT_NOT_NOW, UNIT_NOT_NOW, UNIT_CONDITION_UNMET, UNIT_ASSERT_UNMET,
                UNIT_CANNOT, UNIT_UNSUPPORTED, UNIT_WRONG_STATE, UNIT_DEPENDENCY_UNMET, UNIT_ONCE,
                UNIT_OPERATION_FAILED, DOUBLE_FAIL, DOUBLE_FAIL,
        };
        Unit *unit = property_any_unit(world);

        for (DoubleOperation operation = 0; operation < _DOUBLE_OPERATION_MAX; operation++)
                double_unit_answer(unit, operation, often[property_below(world, ELEMENTSOF(often))]);
        double_world_answer(world->units, DOUBLE_START, often[property_below(world, ELEMENTSOF(often))]);
        double_world_answer(world->units, DOUBLE_STOP, often[property_below(world, ELEMENTSOF(often))]);
        if (property_chance(world, 50))
                return;
        unit = property_any_unit(world);
        double_unit_answer(unit, property_below(world, _DOUBLE_OPERATION_MAX), UNIT_UNDER_WAY);
        for (uint32_t n = property_below(world, 2); n > 0; n--) {
                DoubleOperation operation = property_below(world, _DOUBLE_OPERATION_MAX);

                double_unit_answer(unit, operation, seldom[property_below(world, ELEMENTSOF(seldom))]);
        }
}

/* Each answer holds for one run, as answers that always fail could repeat for ever. */
static void forget_answers(PropertyWorld *world) {
        for (uint32_t i = 0; i < world->n_units; i++)
                for (DoubleOperation operation = 0; operation < _DOUBLE_OPERATION_MAX; operation++)
                        double_unit_answer(property_unit(world, i), operation, UNIT_UNDER_WAY);
}

static void step_run(PropertyWorld *world) {
        set_answers(world);
        property_log(world, "run");
        if (property_chance(world, 40)) {
                (void) job_manager_run(world->jobs, 1 + property_below(world, 3), world->units->clock.now);
                forget_answers(world);
                return;
        }
        for (unsigned i = 0; i < 50; i++)
                if (!job_manager_run(world->jobs, 16, world->units->clock.now)) {
                        property_check_idle(world);
                        break;
                }
        forget_answers(world);
}

/* A unit with an operation under way succeeds or fails. */
static void step_answer(PropertyWorld *world) {
        Unit *unit = property_any_unit(world);
        bool is_well = property_chance(world, 75);
        UnitChangeFlags flags = property_chance(world, 10) ? UNIT_CHANGE_WILL_RESTART : 0;

        property_log(world, "answer %s", unit->id);
        if (unit->active_state == UNIT_ACTIVATING)
                double_unit_state(unit, is_well ? UNIT_ACTIVE : property_chance(world, 50) ? UNIT_FAILED : UNIT_INACTIVE,
                                  is_well ? 0 : flags | (property_chance(world, 20) ? UNIT_CHANGE_SKIPPED : 0));
        else if (unit->active_state == UNIT_DEACTIVATING)
                double_unit_state(unit, is_well ? UNIT_INACTIVE : UNIT_FAILED, flags);
        else if (unit->active_state == UNIT_RELOADING)
                double_unit_state(unit, UNIT_ACTIVE, is_well ? 0 : UNIT_CHANGE_RELOAD_FAILED);
        else
                unit_publish_ready(unit);
}

static void step_change(PropertyWorld *world) {
        Unit *unit = property_any_unit(world);
        UnitActiveState state = (UnitActiveState) property_below(world, _UNIT_ACTIVE_STATE_MAX);

        if (state == UNIT_MAINTENANCE && property_chance(world, 80))
                state = UNIT_ACTIVE;
        property_log(world, "change %s", unit->id);
        double_unit_state(unit, state, property_chance(world, 10) ? UNIT_CHANGE_WILL_RESTART : 0);
}

static void step_cancel(PropertyWorld *world) {
        uint32_t id = 1 + property_below(world, world->jobs->table.alloc.cursor + 1);
        JobInfo job;
        bool is_there = job_manager_find(world->jobs, id, &job);
        int r;

        property_log(world, "cancel %u", id);
        if (property_chance(world, 5)) {
                (void) job_manager_cancel_all(world->jobs, NULL, world->units->clock.now);
                return;
        }
        r = job_manager_cancel(world->jobs, id, NULL, world->units->clock.now, NULL);
        if (!is_there && r != JOB_MANAGER_E_NO_SUCH_JOB)
                property_fail(world, "canceled job %u, which is not there", id);
        if (is_there && r != (job.state == JOB_RUNNING ? JOB_MANAGER_E_NOT_CANCELABLE : 0))
                property_fail(world, "cancel of job %u: %d", id, r);
}

static void step_time(PropertyWorld *world) {
        double_world_advance(world->units, property_below(world, 12) * USEC_PER_SEC);
        property_log(world, "time %lu", (unsigned long) world->units->clock.now);
        job_manager_expire(world->jobs, world->units->clock.now);
        if (job_manager_next_deadline(world->jobs) <= world->units->clock.now)
                property_fail(world, "a deadline was left over");
}

static void step_graph(PropertyWorld *world) {
        Unit *unit = property_any_unit(world);

        property_log(world, "graph %s", unit->id);
        if (property_chance(world, 50))
                unit_withdraw_relations(unit);
        for (uint32_t n = property_below(world, 3); n > 0; n--)
                property_relate(world, unit);
        job_manager_graph_changed(world->jobs, world->units->clock.now);
}

static void step_forget(PropertyWorld *world) {
        uint32_t i = property_below(world, world->n_units);
        Unit *unit = property_unit(world, i);

        property_log(world, "forget %s", unit->id);
        unit_table_remove(world->units->table, unit);
        property_make_unit(world, i);
        if (!job_unit_entry_is_empty(job_table_peek(&world->jobs->table, property_unit(world, i)->index)))
                property_fail(world, "a unit that came back has a job");
        for (uint32_t n = property_below(world, 4); n > 0; n--)
                property_relate(world, property_unit(world, i));
        job_manager_graph_changed(world->jobs, world->units->clock.now);
}

static void restart(PropertyWorld *world) {
        Text before = {}, after = {};
        JobSnapshot snapshot;
        int r;

        property_describe_jobs(world, &before);
        r = job_manager_save(world->jobs, &snapshot);
        assert(r == 0);
        double_snapshot_through_bytes(&snapshot);
        world->jobs = job_manager_free(world->jobs);
        r = job_manager_new(&world->jobs, world->units->table);
        assert(r == 0);
        r = job_manager_restore(world->jobs, &snapshot, world->units->clock.now);
        assert(r == 0);
        (void) r;
        property_subscribe(world);
        world->n_restored = snapshot.jobs.n;
        for (size_t i = 0; i < snapshot.jobs.n; i++)
                world->n_restored += snapshot.jobs.items[i].aliases.n;
        property_describe_jobs(world, &after);
        if (!text_equal(before.string, after.string))
                property_fail(world, "before\n%s\nafter\n%s", before.string, after.string);
        property_mirror_mark_all(world);
        job_snapshot_deinit(&snapshot);
        text_deinit(&before);
        text_deinit(&after);
}

static void step_restore(PropertyWorld *world) {
        property_log(world, "save and restore");
        restart(world);
}

static void step_reload(PropertyWorld *world) {
        Unit *unit = property_any_unit(world);

        property_log(world, "reload %s", unit->id);
        unit_publish_reloaded_itself(unit);
}

static void take_step(PropertyWorld *world) {
        static void (*const steps[])(PropertyWorld *) = {
                step_exec, step_exec, step_exec, step_exec, step_exec, step_exec, step_run, step_run, step_run,
                step_run, step_run, step_answer, step_answer, step_answer, step_answer, step_answer, step_answer,
                step_change, step_cancel, step_time, step_graph, step_restore, step_reload,
        };

        if (property_chance(world, 1))
                step_forget(world);
        else
                steps[property_below(world, ELEMENTSOF(steps))](world);
        property_check_rest(world);
        property_mirror_check(world);
}

/* From here on all operations succeed: no job may be left in the end, unless units trigger each other for ever. */
static void settle(PropertyWorld *world) {
        for (uint32_t i = 0; i < world->n_units; i++)
                for (DoubleOperation operation = 0; operation < _DOUBLE_OPERATION_MAX; operation++)
                        double_unit_answer(property_unit(world, i), operation, DOUBLE_DONE);

        property_log(world, "settle");
        for (unsigned round = 0; round < SETTLE_ROUNDS && job_manager_count(world->jobs) > 0; round++) {
                for (uint32_t i = 0; i < world->n_units; i++) {
                        Unit *unit = property_unit(world, i);

                        if (unit->active_state == UNIT_ACTIVATING || unit->active_state == UNIT_RELOADING)
                                double_unit_state(unit, UNIT_ACTIVE, 0);
                        else if (unit->active_state == UNIT_DEACTIVATING || unit->active_state == UNIT_MAINTENANCE)
                                double_unit_state(unit, UNIT_INACTIVE, 0);
                        else if (job_table_peek(&world->jobs->table, unit->index)->triggered)
                                double_unit_state(unit, unit_state_is_active_or_reloading(unit->active_state) ?
                                                  UNIT_INACTIVE : UNIT_ACTIVE, 0);
                        unit_publish_ready(unit);
                }
                if (!job_manager_run(world->jobs, SETTLE_BUDGET, world->units->clock.now))
                        property_check_idle(world);
                property_check_rest(world);
        }
}

static void check_ends(PropertyWorld *world) {
        if (job_manager_count(world->jobs) > 0)
                return;
        for (uint32_t id = 1; id <= world->jobs->table.alloc.cursor; id++)
                if (world->ids[id] != PROPERTY_ID_ENDED)
                        property_fail(world, "job %u never ended", id);
}

static bool play(uint64_t seed, unsigned n_steps, bool with_restarts, Text *ret_log) {
        cleanup_(property_world_freep) PropertyWorld *world = property_world_new(seed);

        world_now = world;
        for (world->step = 1; world->step <= n_steps && !world->has_failed; world->step++) {
                if (with_restarts && !world->has_rules)
                        restart(world);
                take_step(world);
        }
        if (!world->has_failed) {
                settle(world);
                check_ends(world);
        }
        world_now = NULL;
        *ret_log = world->log;
        world->log = (Text) {};
        return !world->has_failed;
}

static bool play_twice(uint64_t seed, unsigned n_steps) {
        Text first = {}, second = {};
        bool is_ok;

        seed_now = seed;
        is_ok = play(seed, n_steps, false, &first) && play(seed, n_steps, true, &second);
        if (is_ok && strcmp(first.string, second.string) != 0) {
                fprintf(stderr, "seed %lu: two runs differ\n%s\n%s", (unsigned long) seed, first.string, second.string);
                is_ok = false;
        }
        text_deinit(&first);
        text_deinit(&second);
        return is_ok;
}

static void on_crash(int signal) {
        fprintf(stderr, "%s\nseed %lu, step %u: crashed\n", world_now && world_now->log.string ? world_now->log.string : "",
                (unsigned long) seed_now, world_now ? world_now->step : 0);
        _exit(128 + signal);
}

static uint64_t argument(int argc, char **argv, int i, const char *variable, uint64_t fallback) {
        const char *word = argc > i ? argv[i] : getenv(variable);

        return word ? strtoull(word, NULL, 10) : fallback;
}

int main(int argc, char **argv) {
        uint64_t first = argument(argc, argv, 1, "JOB_PROPERTY_SEED", 1);
        uint64_t count = argument(argc, argv, 2, "JOB_PROPERTY_COUNT", 1000);
        unsigned n_steps = (unsigned) argument(argc, argv, 3, "JOB_PROPERTY_STEPS", 60);
        bool is_ok = true;

        signal(SIGABRT, on_crash);
        for (uint64_t seed = first; seed < first + count && is_ok; seed++)
                is_ok = play_twice(seed, n_steps);
        printf("TAP version 13\n%s 1 - random worlds from seed %lu to %lu keep the rules\n1..1\n", is_ok ? "ok" : "not ok",
               (unsigned long) first, (unsigned long) (first + count - 1));
        return is_ok ? 0 : 1;
}
