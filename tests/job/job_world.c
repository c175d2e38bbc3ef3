/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A world of fake units with a job engine over it
 */

#include <stdio.h>
#include <stdlib.h>

#include "basic/strv.h"
#include "job_world.h"

#define REQUESTS_MAX 32

static void take_event(const JobEvent *event, void *userdata) {
        JobWorld *world = userdata;
        const char *separator = world->events.n > 0 ? "; " : "";
        const char *unit = event->job.unit ? event->job.unit->id : "-";

        switch (event->kind) {
        case JOB_EVENT_INSTALLED:
                text_addf(&world->events, "%snew %u %s %s", separator, event->job.id,
                          job_type_to_string(event->job.type), unit);
                break;
        case JOB_EVENT_FINISHED:
                text_addf(&world->events, "%sremoved %u %s %s", separator, event->job.id,
                          job_result_to_string(event->job.result), unit);
                break;
        case JOB_EVENT_REFUSED:
                text_addf(&world->events, "%srefused %s", separator, event->failure->name);
                break;
        case JOB_EVENT_CYCLE_BROKEN:
                text_addf(&world->events, "%scycle", separator);
                break;
        case JOB_EVENT_CHANGED:
                break;
        }
}

static void take_change(void *userdata, Unit *unit, UnitActiveState old, UnitActiveState new,
                        UnitChangeFlags flags) {
        JobWorld *world = userdata;

        job_manager_finish(world->jobs, unit, old, new, flags, world->units->clock.now);
}

static void take_ready(void *userdata, Unit *unit) {
        JobWorld *world = userdata;

        job_manager_resume(world->jobs, unit);
}

static void take_reload(void *userdata, Unit *unit) {
        JobWorld *world = userdata;

        job_manager_notify_reload(world->jobs, unit, JOB_FAIL, world->units->clock.now);
}

static void take_removed(void *userdata, Unit *unit) {
        JobWorld *world = userdata;

        if (world->jobs)
                job_manager_forget_unit(world->jobs, unit, world->units->clock.now);
}

static void take_related(void *userdata, Unit *unit) {
        JobWorld *world = userdata;

        if (world->jobs)
                job_manager_unit_related(world->jobs, unit);
}

JobWorld *job_world_new(void) {
        static const UnitObserverOps observer = {
                .changed = take_change,
                .ready = take_ready,
                .reloaded_itself = take_reload,
                .removed = take_removed,
                .related = take_related,
        };
        JobWorld *world = calloc(1, sizeof(*world));

        cr_assert(world != NULL);
        world->units = double_world_new();
        cr_assert(eq(int, job_manager_new(&world->jobs, world->units->table), 0));
        unit_table_set_observer(world->units->table, &observer, world);
        job_world_subscribe(world);
        return world;
}

void job_world_subscribe(JobWorld *world) {
        cr_assert(eq(int, job_manager_subscribe(world->jobs, take_event, world), 0));
}

JobWorld *job_world_free(JobWorld *world) {
        if (!world)
                return NULL;

        world->jobs = job_manager_free(world->jobs);
        double_world_free(world->units);
        job_plan_free(world->plan);
        failure_deinit(&world->failure);
        text_deinit(&world->events);
        free(world->text);
        free(world);
        return NULL;
}

Unit *job_world_unit(JobWorld *world, const char *name) {
        Unit *unit = unit_table_find(world->units->table, name);

        return unit ? unit : double_unit(world->units, name, UNIT_INACTIVE);
}

static int job_world_request(JobWorld *world, JobMode mode, const char *words, bool only_plan) {
        static const JobRequester requester = { .name = ":1.7", .uid = 1000, .pid = 42 };
        JobOptions options = { .mode = mode, .requester = &requester, .now = world->units->clock.now };
        JobRequest requests[REQUESTS_MAX] = {};
        char **split = NULL;
        size_t n;
        int r;

        cr_assert(eq(int, strv_split(words, " ", &split), 0));
        n = strv_length(split);
        cr_assert(n > 0 && n <= REQUESTS_MAX);
        for (size_t i = 0; i < n; i++) {
                char *colon = strchr(split[i], ':');

                cr_assert(colon != NULL);
                *colon = '\0';
                requests[i].unit = colon + 1;
                requests[i].is_manual = true;
                cr_assert(eq(int, job_type_from_request(split[i], &requests[i].type, &requests[i].reload_if_possible), 0));
        }

        world->plan = job_plan_free(world->plan);
        failure_deinit(&world->failure);
        world->failure = (Failure) {};
        r = (only_plan ? job_manager_plan : job_manager_exec)(world->jobs, requests, n, &options, &world->plan);
        cr_assert(r >= 0);
        failure_copy(&world->failure, &world->plan->failure);
        strv_free(split);
        return r;
}

int job_world_exec(JobWorld *world, JobMode mode, const char *requests) {
        return job_world_request(world, mode, requests, false);
}

int job_world_plan(JobWorld *world, JobMode mode, const char *requests) {
        return job_world_request(world, mode, requests, true);
}

void job_world_accept(JobWorld *world, JobMode mode, const char *requests) {
        int r = job_world_exec(world, mode, requests);

        cr_assert(r == 0, "%s was refused: %s", requests, failure_message(&world->failure));
}

void job_world_refuse(JobWorld *world, JobMode mode, const char *requests, const char *name) {
        int r = job_world_exec(world, mode, requests);

        cr_assert(r == JOB_MANAGER_E_REFUSED, "%s was accepted", requests);
        assert_string(world->failure.name, name);
}

void job_world_run(JobWorld *world) {
        for (size_t i = 0; job_manager_run(world->jobs, 16, world->units->clock.now); i++)
                cr_assert(i < 100000, "the ready queue never gets empty");
}

void job_world_state(JobWorld *world, const char *unit, UnitActiveState state) {
        double_unit_state(job_world_unit(world, unit), state, 0);
}

void job_world_advance(JobWorld *world, usec_t span) {
        double_world_advance(world->units, span);
        job_manager_expire(world->jobs, world->units->clock.now);
}

static const char *job_world_keep(JobWorld *world, Text *text) {
        free(world->text);
        world->text = NULL;
        cr_assert(eq(int, text_finish(text, &world->text), 0));
        return world->text;
}

const char *job_world_jobs(JobWorld *world) {
        JobInfos infos = {};
        Text text = {};

        cr_assert(eq(int, job_manager_list(world->jobs, &infos), 0));
        for (size_t i = 0; i < infos.n; i++) {
                const JobInfo *job = &infos.items[i];

                text_addf(&text, "%s%u %s", i > 0 ? ", " : "", job->id, job_type_to_string(job->type));
                if (job->type == JOB_RESTART)
                        text_addf(&text, "/%s", job_type_to_string(job->run_type));
                text_addf(&text, " %s %s", job->unit->id, job_state_to_string(job->state));
        }
        vector_deinit(&infos);
        return job_world_keep(world, &text);
}

const char *job_world_events(JobWorld *world) {
        return job_world_keep(world, &world->events);
}

const char *job_world_planned(JobWorld *world) {
        Text text = {};

        for (size_t i = 0; i < world->plan->jobs.n; i++) {
                const JobPlanJob *job = &world->plan->jobs.items[i];

                text_addf(&text, "%s%s %s", i > 0 ? ", " : "", job_type_to_string(job->type), job->unit);
                if (job->action != JOB_PLAN_NEW)
                        text_addf(&text, " %s %u", job_plan_action_to_string(job->action), job->id);
                for (size_t k = 0; k < ELEMENTSOF(job->cancels); k++)
                        if (job->cancels[k] != JOB_ID_NONE)
                                text_addf(&text, " -%u", job->cancels[k]);
        }
        return job_world_keep(world, &text);
}

const char *job_world_dropped(JobWorld *world) {
        Text text = {};

        for (size_t i = 0; i < world->plan->dropped.n; i++) {
                const JobPlanDrop *drop = &world->plan->dropped.items[i];

                text_addf(&text, "%s%s %s: %s", i > 0 ? ", " : "", job_type_to_string(drop->type), drop->unit,
                          job_drop_rule_to_string(drop->rule));
        }
        return job_world_keep(world, &text);
}

uint64_t job_world_stat(JobWorld *world, const char *key) {
        char pattern[64];
        DoubleSink sink;
        const char *at;
        uint64_t value;

        double_sink_init(&sink);
        job_manager_write_stats(world->jobs, &sink.sink);
        snprintf(pattern, sizeof(pattern), "%s=", key);
        at = strstr(double_sink_string(&sink), pattern);
        cr_assert(at != NULL, "there is no counter %s", key);
        value = strtoull(at + strlen(pattern), NULL, 10);
        double_sink_deinit(&sink);
        return value;
}

const char *job_world_explain(JobWorld *world, const char *what) {
        DoubleSink sink;
        Text text = {};

        double_sink_init(&sink);
        cr_assert(eq(int, job_manager_explain(world->jobs, what, world->units->clock.now, &sink.sink), 0));
        text_add(&text, double_sink_string(&sink));
        double_sink_deinit(&sink);
        return job_world_keep(world, &text);
}

const char *job_world_calls(JobWorld *world) {
        Text text = {};

        text_add(&text, double_calls(world->units));
        double_calls_clear(world->units);
        return job_world_keep(world, &text);
}
