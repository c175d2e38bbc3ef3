/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The comparison of engine and model after each step
 *
 * The order of triggers is compared; for ends with a common cause only the set
 * of ends.
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "fuzz_player.h"

bool fuzz_differ(FuzzPlayer *player, const char *format, ...) {
        char text[1024];
        va_list args;

        if (player->outcome->differs)
                return false;
        player->outcome->differs = true;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        fuzz_add(&player->outcome->text, "%s\n", text);
        return true;
}

void fuzz_compare_exec(FuzzPlayer *player, int result, const JobPlan *plan, const char *error,
                       const uint32_t *anchors) {
        const char *refusal = result == JOB_MANAGER_E_REFUSED ? plan->failure.name : NULL;

        if (!text_equal(refusal, error)) {
                fuzz_differ(player, "engine: %s%s; model: %s", refusal ? "refused, " : "accepted",
                            refusal ? failure_message(&plan->failure) : "", error ? error : "accepted");
                fuzz_add(&player->expected, "expect {\"ok\":%s", error ? "false" : "true");
                if (error)
                        fuzz_add(&player->expected, ",\"error\":\"%s\"", error);
                fuzz_add(&player->expected, "}\n");
                return;
        }
        for (size_t i = 0; !error && i < plan->anchors.n; i++) {
                uint32_t id = plan->jobs.items[plan->anchors.items[i]].id;

                if (id != anchors[i])
                        fuzz_differ(player, "request %zu: engine: job %u; model: job %u", i + 1, id, anchors[i]);
        }
}

/* — jobs — */

typedef struct FuzzJob {
        ModelJob job;
        const char *unit;               /* borrowed */
} FuzzJob;

typedef struct FuzzJobs {
        FuzzJob items[MODEL_UNITS_MAX * 3];
        unsigned n;
} FuzzJobs;

static void list_engine(FuzzPlayer *player, FuzzJobs *jobs) {
        JobInfos infos = {};

        if (job_manager_list(player->world->jobs, &infos) < 0)
                abort();
        jobs->n = 0;
        for (size_t i = 0; i < infos.n; i++) {
                const JobInfo *info = &infos.items[i];

                jobs->items[jobs->n].unit = info->unit->id;
                jobs->items[jobs->n++].job = (ModelJob) {
                        .id = info->id,
                        .type = info->type,
                        .run = info->run_type,
                        .is_irreversible = info->is_irreversible,
                        .ignores_order = info->ignores_order,
                        .is_paused = info->is_paused,
                        .installed_at = info->installed_at,
                        .triggered_at = info->triggered_at,
                };
        }
        vector_deinit(&infos);
}

static int compare_job_ids(const void *a, const void *b) {
        const FuzzJob *x = a, *y = b;

        return (x->job.id > y->job.id) - (x->job.id < y->job.id);
}

static void list_model(const Model *m, FuzzJobs *jobs) {
        jobs->n = 0;
        for (int u = 0; u < m->n_units; u++) {
                const ModelUnit *unit = &m->units[u];
                const ModelJob *const of_unit[] = { &unit->triggered, &unit->pending, &unit->nop };

                for (int i = 0; i < 3; i++)
                        if (of_unit[i]->id)
                                jobs->items[jobs->n++] = (FuzzJob) { .job = *of_unit[i], .unit = unit->name };
        }
        if (jobs->n > 1)
                qsort(jobs->items, jobs->n, sizeof(*jobs->items), compare_job_ids);
}

static bool is_same_job(const FuzzJob *a, const FuzzJob *b) {
        const ModelJob *x = &a->job, *y = &b->job;
        bool is_same_order = x->type == JOB_NOP || x->ignores_order == y->ignores_order;

        return x->id == y->id && x->type == y->type && x->run == y->run && x->is_irreversible == y->is_irreversible &&
               is_same_order && x->is_paused == y->is_paused && x->installed_at == y->installed_at &&
               x->triggered_at == y->triggered_at && strcmp(a->unit, b->unit) == 0;
}

static bool are_same_jobs(const FuzzJobs *a, const FuzzJobs *b) {
        if (a->n != b->n)
                return false;
        for (unsigned i = 0; i < a->n; i++)
                if (!is_same_job(&a->items[i], &b->items[i]))
                        return false;
        return true;
}

static void describe_jobs(FuzzText *text, const FuzzJobs *jobs) {
        for (unsigned i = 0; i < jobs->n; i++) {
                const ModelJob *job = &jobs->items[i].job;

                fuzz_add(text, "  %u %s %s", job->id, job_type_to_string(job->type), jobs->items[i].unit);
                if (job->run != job->type)
                        fuzz_add(text, " (%s)", job_type_to_string(job->run));
                fuzz_add(text, "%s%s%s%s since %" PRIu64 "\n", job->triggered_at ? " running" : " waiting",
                         job->is_irreversible ? " irreversible" : "", job->ignores_order ? " ignores-order" : "",
                         job->is_paused ? " paused" : "", job->installed_at);
        }
}

static void expect_jobs(FuzzText *text, const FuzzJobs *jobs) {
        fuzz_add(text, "jobs\nexpect {\"jobs\":[");
        for (unsigned i = 0; i < jobs->n; i++) {
                const ModelJob *job = &jobs->items[i].job;

                fuzz_add(text, "%s{\"id\":%u,\"unit\":\"%s\",\"type\":\"%s\",\"run\":\"%s\",\"state\":\"%s\"}",
                         i > 0 ? "," : "", job->id, jobs->items[i].unit, job_type_to_string(job->type),
                         job_type_to_string(job->run), job->triggered_at ? "running" : "waiting");
        }
        fuzz_add(text, "]}\n");
}

static void compare_jobs(FuzzPlayer *player) {
        static FuzzJobs engine, model;

        list_engine(player, &engine);
        list_model(&player->model, &model);
        if (are_same_jobs(&engine, &model))
                return;
        if (fuzz_differ(player, "jobs of the engine:")) {
                describe_jobs(&player->outcome->text, &engine);
                fuzz_add(&player->outcome->text, "of the model:\n");
                describe_jobs(&player->outcome->text, &model);
        }
        expect_jobs(&player->expected, &model);
}

/* — what was told — */

static unsigned filter_trace(const ModelTraces *trace, ModelTraceKind kind, ModelTrace *ret_items) {
        unsigned n = 0;

        for (unsigned i = 0; i < trace->n; i++)
                if (trace->items[i].kind == kind)
                        ret_items[n++] = trace->items[i];
        return n;
}

static int compare_by_id(const void *a, const void *b) {
        const ModelTrace *x = a, *y = b;

        return (x->id > y->id) - (x->id < y->id);
}

static bool is_same_trace(const ModelTrace *a, unsigned n_a, const ModelTrace *b, unsigned n_b) {
        if (n_a != n_b)
                return false;
        for (unsigned i = 0; i < n_a; i++)
                if (a[i].id != b[i].id || a[i].detail != b[i].detail || !text_equal(a[i].error, b[i].error))
                        return false;
        return true;
}

static const char *detail_of(const ModelTrace *item) {
        if (item->kind == MODEL_TRACE_TRIGGER)
                return job_type_to_string(item->detail);
        return item->kind == MODEL_TRACE_END ? job_result_to_string(item->detail) : item->error;
}

static void describe_trace(FuzzText *text, const ModelTrace *items, unsigned n) {
        for (unsigned i = 0; i < n; i++)
                fuzz_add(text, "  %u %s\n", items[i].id, detail_of(&items[i]));
}

static void expect_trace(FuzzText *text, const ModelTrace *items, unsigned n) {
        for (unsigned i = 0; i < n; i++)
                if (items[i].kind == MODEL_TRACE_TRIGGER)
                        fuzz_add(text, "expect-event {\"ev\":\"trigger\",\"job\":%u,\"run\":\"%s\"}\n", items[i].id,
                                 detail_of(&items[i]));
                else if (items[i].kind == MODEL_TRACE_END)
                        fuzz_add(text, "expect-event {\"ev\":\"job-removed\",\"id\":%u,\"result\":\"%s\"}\n",
                                 items[i].id, detail_of(&items[i]));
                else
                        fuzz_add(text, "expect-event {\"ev\":\"refused\",\"error\":\"%s\"}\n", detail_of(&items[i]));
}

static void compare_trace(FuzzPlayer *player, ModelTraceKind kind, const char *what) {
        static ModelTrace engine[MODEL_TRACE_MAX], model[MODEL_TRACE_MAX];
        unsigned n_engine = filter_trace(&player->engine_trace, kind, engine);
        unsigned n_model = filter_trace(&player->model_trace, kind, model);

        if (kind == MODEL_TRACE_END) {
                qsort(engine, n_engine, sizeof(*engine), compare_by_id);
                qsort(model, n_model, sizeof(*model), compare_by_id);
        }
        if (is_same_trace(engine, n_engine, model, n_model))
                return;
        if (fuzz_differ(player, "%s of the engine:", what)) {
                describe_trace(&player->outcome->text, engine, n_engine);
                fuzz_add(&player->outcome->text, "of the model:\n");
                describe_trace(&player->outcome->text, model, n_model);
        }
        expect_trace(&player->expected, model, n_model);
}

static void compare_states(FuzzPlayer *player) {
        for (int u = 0; u < player->model.n_units; u++) {
                const Unit *unit = unit_table_at(player->world->units, (uint32_t) u);

                if (unit->active_state != player->model.units[u].state)
                        fuzz_differ(player, "%s: engine: %s; model: %s", unit->id,
                                    unit_active_state_to_string(unit->active_state),
                                    unit_active_state_to_string(player->model.units[u].state));
        }
}

void fuzz_compare(FuzzPlayer *player) {
        uint64_t engine = job_manager_next_deadline(player->world->jobs), model = model_next_deadline(&player->model);

        if (player->is_endless)
                return;                 /* that says it all */
        compare_trace(player, MODEL_TRACE_TRIGGER, "triggers");
        compare_trace(player, MODEL_TRACE_END, "ends");
        compare_trace(player, MODEL_TRACE_REFUSED, "refused follow-ups");
        compare_jobs(player);
        compare_states(player);
        fuzz_check_invariants(player);
        if (player->outcome->concrete.seed % 4 == 0)
                fuzz_check_answers(player);
        if (engine != model)
                fuzz_differ(player, "next deadline: engine: %" PRIu64 "; model: %" PRIu64, engine, model);
        player->engine_trace.n = player->model_trace.n = 0;
}

/* — at rest — */

static void check_blocker(FuzzPlayer *player, const JobInfo *job) {
        const ModelUnit *unit = &player->model.units[job->unit->index];
        bool is_head = !unit->triggered.id || (unit->pending.type == JOB_STOP && unit->triggered.type != JOB_STOP);

        if (job->state == JOB_RUNNING || job->is_paused || job->type == JOB_NOP || !is_head)
                return;
        if (job->blocker == JOB_ID_NONE)
                fuzz_differ(player, "job %u waits, and nobody knows for what", job->id);
        else if (!model_is_blocker(&player->model, (int) job->unit->index, &unit->pending, job->blocker))
                fuzz_differ(player, "job %u waits for job %u without a reason", job->id, job->blocker);
}

void fuzz_compare_rest(FuzzPlayer *player) {
        JobInfos jobs = {};

        if (player->outcome->differs || job_manager_has_ready(player->world->jobs))
                return;
        if (job_manager_list(player->world->jobs, &jobs) < 0)
                abort();
        for (size_t i = 0; i < jobs.n; i++)
                check_blocker(player, &jobs.items[i]);
        vector_deinit(&jobs);
        if (!player->outcome->differs && model_is_stuck(&player->model))
                fuzz_differ(player, "stuck: %s", "all that are left wait for each other");
}
