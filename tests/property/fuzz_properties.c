/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What is asked of a transaction, whatever its steps
 *
 * Each property is checked by what it says, with other requests to the engine
 * or the model: what if that unit could not be started, what if this one were
 * asked for as well, what if all had other names. See README.md.
 */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "basic/text.h"
#include "fuzz_player.h"
#include "fuzz_statistics.h"
#include "model_private.h"

#define REQUESTS_MAX 64

typedef struct FuzzCheck {
        FuzzPlayer *player;
        const Model *before;
        const FuzzStep *step;
        const JobRequest *requests;
        const ModelRequest *of_model;
        const JobPlan *plan;
} FuzzCheck;

static int unit_named(const Model *m, const char *name) {
        for (int u = 0; u < m->n_units; u++)
                if (strcmp(m->units[u].name, name) == 0)
                        return u;
        return MODEL_NOBODY;
}

static bool is_related(const Model *m, int u, UnitRelationKind kind, int v) {
        model_each(m, u, kind, w)
                if (w == v)
                        return true;
        return false;
}

static const JobPlanJob *planned_job(const FuzzCheck *c, const char *unit, bool is_stop) {
        for (size_t i = 0; i < c->plan->jobs.n; i++) {
                const JobPlanJob *job = &c->plan->jobs.items[i];

                if (job->type != JOB_NOP && (job->type == JOB_STOP) == is_stop && strcmp(job->unit, unit) == 0)
                        return job;
        }
        return NULL;
}

/* Returns true if a stop of the unit has nothing to do. */
static bool is_idle(const Model *m, int u) {
        return model_is_redundant(m, u, JOB_STOP);
}

static bool is_asked_for(const FuzzCheck *c, int u, JobType type) {
        for (unsigned i = 0; i < c->step->n_requests; i++)
                if (c->of_model[i].unit == u && c->of_model[i].type == type)
                        return true;
        return false;
}

/* — 11: a stop of what does not run costs nobody anything — */

static void check_stops(const FuzzCheck *c) {
        for (size_t i = 0; i < c->plan->jobs.n; i++) {
                const JobPlanJob *job = &c->plan->jobs.items[i];
                int puller;

                if (job->type != JOB_STOP || !job->puller || job->puller_type != JOB_STOP)
                        continue;
                puller = unit_named(c->before, job->puller);
                if (is_idle(c->before, puller) && !is_asked_for(c, puller, JOB_STOP))
                        fuzz_differ(c->player, "%s is stopped for the stop of %s, which does not run", job->unit,
                                    job->puller);
        }
}

/* What the requests can't be without: by unit, what it must come to. */
typedef struct FuzzNeeds {
        bool starts[MODEL_UNITS_MAX], stops[MODEL_UNITS_MAX], checks[MODEL_UNITS_MAX];
} FuzzNeeds;

static bool need(bool *flags, int u) {
        bool is_new = !flags[u];

        flags[u] = true;
        return is_new;
}

static bool is_up(const FuzzCheck *c, int u) {
        return model_is_redundant(c->before, u, JOB_START) && !is_asked_for(c, u, JOB_START);
}

/* A running unit pulls in no starts; it needs units that run, also by Requisite=. */
static bool need_for_start(const FuzzCheck *c, FuzzNeeds *needs, int u) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRES, UNIT_BINDS_TO };
        const Model *m = c->before;
        bool is_more = false;

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                model_each(m, u, kinds[i], v)
                        if (!is_up(c, u) || is_up(c, v))
                                is_more |= need(needs->starts, v);
        model_each(m, u, UNIT_REQUISITE, v)
                if (!is_up(c, u) || is_up(c, v))
                        is_more |= need(needs->checks, v);
        if (is_up(c, u))
                return is_more;
        model_each(m, u, UNIT_CONFLICTS, v)
                if (!m->units[v].is_perpetual)
                        is_more |= need(needs->stops, v);
        return is_more;
}

static bool need_for_stop(const Model *m, FuzzNeeds *needs, int u) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRED_BY, UNIT_REQUISITE_OF, UNIT_BOUND_BY, UNIT_CONSISTS_OF };
        bool is_more = false;

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                model_each(m, u, kinds[i], v)
                        if (!m->units[v].is_perpetual)
                                is_more |= need(needs->stops, v);
        return is_more;
}

static bool has_any(const Model *m, UnitRelationKind kind) {
        for (int u = 0; u < m->n_units; u++)
                if (m->units[u].n_related[kind] > 0)
                        return true;
        return false;
}

/* Returns false for cases that this check does not cover. */
static bool find_needs(const FuzzCheck *c, FuzzNeeds *needs) {
        const Model *m = c->before;
        bool is_more = true;

        /* What that comes to depends on what else there is. */
        if (has_any(m, UNIT_PROPAGATES_STOP_TO))
                return false;
        /* What runs may stand against a start: see check_lost_starts(). */
        for (int u = 0; u < m->n_units; u++)
                if (m->units[u].n_related[UNIT_CONFLICTS] > 0 && model_is_redundant(m, u, JOB_START))
                        return false;
        for (unsigned i = 0; i < c->step->n_requests; i++) {
                if (c->of_model[i].type == JOB_START)
                        needs->starts[c->of_model[i].unit] = true;
                else if (c->of_model[i].type == JOB_STOP)
                        needs->stops[c->of_model[i].unit] = true;
                else
                        return false;
        }
        while (is_more) {
                is_more = false;
                for (int u = 0; u < m->n_units; u++) {
                        if (needs->starts[u])
                                is_more |= need_for_start(c, needs, u);
                        if (needs->stops[u] && (!is_idle(m, u) || is_asked_for(c, u, JOB_STOP)))
                                is_more |= need_for_stop(m, needs, u);
                }
        }
        return true;
}

/* A request is refused for a conflict if and only if what it needs has one. */
static void check_refusal(const FuzzCheck *c) {
        bool is_refused = text_equal(c->plan->failure.name, "TransactionJobsConflicting");
        bool is_contradiction = false;
        FuzzNeeds needs = {};

        if (!find_needs(c, &needs))
                return;
        for (int u = 0; u < c->before->n_units; u++)
                is_contradiction |= needs.stops[u] && (needs.starts[u] || needs.checks[u]);
        if (is_refused && !is_contradiction)
                fuzz_differ(c->player, "refused for a conflict, and there is none in what the request needs");
        if (is_contradiction && c->plan->failure.code == 0)
                fuzz_differ(c->player, "what the request needs is a contradiction, and it is accepted");
}

/* — 12: no start is lost to a conflict with a unit that does not start — */

/*
 * By a start of the transaction itself, which @staged has: a job of the plan can be the start of an earlier transaction,
 * into which a check or a reload went.
 */
static bool is_still_pulled(const FuzzCheck *c, const ModelPlan *staged, int u) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRED_BY, UNIT_WANTED_BY, UNIT_BOUND_BY, UNIT_UPHELD_BY };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                model_each(c->before, u, kinds[i], v)
                        if (staged->has[v][JOB_START] || staged->has[v][JOB_RESTART])
                                return true;
        return false;
}

static void ask_for(JobRequest *requests, size_t *n, const char *unit, JobType type) {
        assert(*n < REQUESTS_MAX);
        requests[(*n)++] = (JobRequest) { .unit = unit, .type = type };
}

/* A start was dropped because the unit runs, or because the start that pulled it in was dropped for that. */
static bool stays_up(const FuzzCheck *c, const JobPlanDrop *drop) {
        return (drop->rule == JOB_DROP_REDUNDANT || drop->rule == JOB_DROP_UNREACHED) && drop->type != JOB_STOP &&
               model_is_redundant(c->before, unit_named(c->before, drop->unit), drop->type);
}

/* Everything in the plan and a start of @unit: the job to which the start was lost must conflict with that. */
static void check_lost_start(const FuzzCheck *c, const ModelPlan *staged, const JobPlanDrop *drop) {
        const JobOptions options = { .mode = c->step->mode, .now = c->player->world->now };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        JobRequest requests[REQUESTS_MAX];
        size_t n = 0;
        int r;

        for (size_t i = 0; i < c->plan->jobs.n; i++) {
                const JobPlanJob *job = &c->plan->jobs.items[i];

                ask_for(requests, &n, job->unit, job->type);
                /* A start may have been merged into it. */
                if (job->type == JOB_RELOAD && staged->starts[unit_named(c->before, job->unit)])
                        ask_for(requests, &n, job->unit, JOB_START);
        }
        for (size_t i = 0; i < c->plan->dropped.n; i++)
                if (stays_up(c, &c->plan->dropped.items[i]))
                        ask_for(requests, &n, c->plan->dropped.items[i].unit, c->plan->dropped.items[i].type);
        ask_for(requests, &n, drop->unit, JOB_START);
        r = job_manager_plan(c->player->world->jobs, requests, n, &options, &plan);
        assert(r >= 0);
        if (plan->failure.code == 0)
                fuzz_differ(c->player, "%s of %s is lost to nothing that stays: %s", job_type_to_string(drop->type),
                            drop->unit, drop->why);
}

/* What has a stop propagated to it is restarted instead if a start of it is asked for: there it is another question. */
static void check_lost_starts(const FuzzCheck *c) {
        ModelPlan staged;

        if (c->step->mode != JOB_REPLACE || c->plan->dropped.n == 0)
                return;
        model_plan(c->before, c->of_model, c->step->n_requests, c->step->mode, &staged);
        for (size_t i = 0; i < c->plan->dropped.n; i++) {
                const JobPlanDrop *drop = &c->plan->dropped.items[i];
                int u = unit_named(c->before, drop->unit);

                if (drop->type == JOB_START && drop->rule == JOB_DROP_CONFLICT && !planned_job(c, drop->unit, false) &&
                    c->before->units[u].state != UNIT_ACTIVE && c->before->units[u].state != UNIT_RELOADING &&
                    c->before->units[u].n_related[UNIT_STOP_PROPAGATED_FROM] == 0 && is_still_pulled(c, &staged, u))
                        check_lost_start(c, &staged, drop);
        }
}

/* — 13: of two that are only wanted, the one that declares the conflict is started — */

static bool is_dropped(const FuzzCheck *c, const char *unit) {
        for (size_t i = 0; i < c->plan->dropped.n; i++) {
                const JobPlanDrop *drop = &c->plan->dropped.items[i];

                if (drop->type == JOB_START && strcmp(drop->unit, unit) == 0 &&
                    (drop->rule == JOB_DROP_CONFLICT || drop->rule == JOB_DROP_NEEDS_DROPPED))
                        return true;
        }
        return false;
}

/* Returns true if the unit is started, or runs and a start of it was dropped for that. */
static bool is_kept_up(const FuzzCheck *c, const ModelPlan *staged, int u) {
        for (size_t i = 0; i < c->plan->dropped.n; i++)
                if (stays_up(c, &c->plan->dropped.items[i]) &&
                    strcmp(c->plan->dropped.items[i].unit, c->before->units[u].name) == 0)
                        return true;
        return staged->starts[u];
}

/* Returns true if another unit has Conflicts= with @unit, to which @unit is lost. */
static bool has_other_opponent(const FuzzCheck *c, const ModelPlan *staged, int unit, int other) {
        model_each(c->before, unit, UNIT_CONFLICTED_BY, w)
                if (w != other && is_kept_up(c, staged, w))
                        return true;
        return false;
}

/*
 * @other starts and @unit, which conflicts with it, does not. Without @other it must not start either. A plan without
 * @other that breaks a cycle of order, or settles a tie, says nothing: another conflict may be gone with the victim.
 */
static void check_declared(const FuzzCheck *c, int unit, int other) {
        static Model changed;
        ModelPlan plan;

        changed = *c->before;
        changed.units[other].load = UNIT_MASKED;
        model_plan(&changed, c->of_model, c->step->n_requests, c->step->mode, &plan);
        if (!plan.error && !plan.went_by_name && !plan.has_victims && plan.has[unit][JOB_START])
                fuzz_differ(c->player, "%s conflicts with %s and is lost to it", c->before->units[unit].name,
                            c->before->units[other].name);
}

/*
 * A stop of @u is passed on to a unit that runs without what it requires. That one is not lost with @u: it may stand
 * against the stop, and for itself.
 */
static bool stop_meets_running(const Model *m, int u) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRED_BY, UNIT_BOUND_BY, UNIT_REQUISITE_OF, UNIT_CONSISTS_OF };
        bool is_seen[MODEL_UNITS_MAX] = {};
        int stopped[MODEL_UNITS_MAX], n = 0;

        is_seen[u] = true;
        stopped[n++] = u;
        for (int at = 0; at < n; at++)
                for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                        model_each(m, stopped[at], kinds[i], v) {
                                if (model_is_redundant(m, v, JOB_START))
                                        return true;
                                if (!is_seen[v] && !is_idle(m, v))
                                        stopped[n++] = v;
                                is_seen[v] = true;
                        }
        return false;
}

static void check_declarations(const FuzzCheck *c) {
        const Model *m = c->before;
        ModelPlan staged;

        if (c->player->model.went_by_name || c->step->mode != JOB_REPLACE || c->plan->cycles.n > 0)
                return;
        if (has_any(m, UNIT_PROPAGATES_STOP_TO) || c->plan->dropped.n == 0)
                return;
        model_plan(m, c->of_model, c->step->n_requests, c->step->mode, &staged);
        for (int u = 0; u < m->n_units; u++)
                model_each(m, u, UNIT_CONFLICTS, v) {
                        const JobPlanJob *other = planned_job(c, m->units[v].name, false);

                        if (other && other->type == JOB_START && !other->is_needed && is_dropped(c, m->units[u].name) &&
                            !planned_job(c, m->units[u].name, false) && !is_related(m, v, UNIT_CONFLICTS, u) &&
                            !m->units[v].is_perpetual && !stop_meets_running(m, v) &&
                            !has_other_opponent(c, &staged, u, v))
                                check_declared(c, u, v);
                }
}

/* — 14: the victim of a cycle costs the fewest jobs — */

static void check_victim(const FuzzCheck *c, const char *cycle) {
        static Model changed;
        ModelPlan plan;

        for (int u = 0; u < c->before->n_units; u++) {
                const JobPlanJob *job = planned_job(c, c->before->units[u].name, false);
                char word[64];

                snprintf(word, sizeof(word), "start %s", c->before->units[u].name);
                if (!strstr(cycle, word) || c->before->units[u].load != UNIT_LOADED || (job && job->is_needed) ||
                    model_has_job(c->before, u))
                        continue;
                changed = *c->before;
                changed.units[u].load = UNIT_MASKED;
                model_plan(&changed, c->of_model, c->step->n_requests, c->step->mode, &plan);
                if (!plan.error && plan.n_jobs > (int) c->plan->jobs.n)
                        fuzz_differ(c->player, "without %s there would be %d jobs, not %zu: %s",
                                    c->before->units[u].name, plan.n_jobs, c->plan->jobs.n, cycle);
        }
}

/*
 * Where one is all that was left out. If the unit can't be started there may be other jobs: stops that are propagated,
 * checks of what is not started, and what it conflicts with.
 */
static void check_victims(const FuzzCheck *c) {
        size_t n = 0;

        if (c->step->mode != JOB_REPLACE || has_any(c->before, UNIT_PROPAGATES_STOP_TO) ||
            has_any(c->before, UNIT_REQUISITE) || has_any(c->before, UNIT_CONFLICTS))
                return;
        for (size_t i = 0; i < c->plan->dropped.n; i++)
                n += c->plan->dropped.items[i].rule != JOB_DROP_UNREACHED &&
                     c->plan->dropped.items[i].rule != JOB_DROP_NEEDS_DROPPED;
        if (n == 1 && c->plan->cycles.n == 1)
                check_victim(c, c->plan->cycles.items[0]);
}

/* — the same under other names — */

static bool has_same_jobs(const FuzzCheck *c, const JobPlan *other, const uint32_t *places) {
        const Model *m = c->before;

        if (other->jobs.n != c->plan->jobs.n || !text_equal(other->failure.name, c->plan->failure.name))
                return false;
        for (size_t i = 0; i < c->plan->jobs.n; i++) {
                const JobPlanJob *job = &c->plan->jobs.items[i];
                int u = unit_named(m, job->unit);
                bool is_there = false;

                for (size_t k = 0; k < other->jobs.n && !is_there; k++)
                        is_there = other->jobs.items[k].type == job->type && other->jobs.items[k].action == job->action &&
                                   strcmp(other->jobs.items[k].unit, m->units[places[u]].name) == 0;
                if (!is_there)
                        return false;
        }
        return true;
}

/* Reverses the order of the names. */
static void check_renamed(const FuzzCheck *c) {
        const Model *m = &c->player->model;
        const JobOptions options = { .mode = c->step->mode, .now = c->player->world->now };
        cleanup_(job_plan_freep) JobPlan *plan = NULL;
        uint32_t places[MODEL_UNITS_MAX], back[MODEL_UNITS_MAX];
        int r;

        fuzz_count(renamed[m->went_by_name]);
        if (m->went_by_name || unit_table_size(c->player->world->units) != (size_t) m->n_units)
                return;
        for (int i = 0; i < m->n_units; i++)
                places[m->by_name[i]] = (uint32_t) m->by_name[m->n_units - 1 - i];
        for (int i = 0; i < m->n_units; i++)
                back[places[i]] = (uint32_t) i;
        fuzz_world_rename(c->player->world, places);
        r = job_manager_plan(c->player->world->jobs, c->requests, c->step->n_requests, &options, &plan);
        fuzz_world_rename(c->player->world, back);
        assert(r >= 0);
        if (!has_same_jobs(c, plan, places))
                fuzz_differ(c->player, "under other names the transaction is another");
}

void fuzz_check_properties(FuzzPlayer *player, const Model *before, const FuzzStep *step, const JobRequest *requests,
                           const ModelRequest *of_model, const JobPlan *plan) {
        const FuzzCheck check = { player, before, step, requests, of_model, plan };

        if (step->mode == JOB_REPLACE)
                check_refusal(&check);
        check_renamed(&check);
        if (plan->failure.code < 0)
                return;
        if (step->mode == JOB_REPLACE)
                check_stops(&check);
        check_lost_starts(&check);
        check_declarations(&check);
        check_victims(&check);
}
