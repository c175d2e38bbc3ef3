/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's expansion: what is pulled in, and what the mode adds
 */

#include <assert.h>

#include "model_private.h"

typedef struct ModelPull {
        UnitRelationKind over;
        JobType type;
        bool is_needed;
} ModelPull;

static const char *load_error(UnitLoadState load) {
        switch (load) {
        case UNIT_LOADED:
        case UNIT_STUB:
                return NULL;
        case UNIT_NOT_FOUND:
                return "NoSuchUnit";
        case UNIT_MASKED:
                return "UnitMasked";
        case UNIT_BAD_SETTING:
                return "BadUnitSetting";
        case UNIT_ERROR:
        case _UNIT_LOAD_STATE_MAX:
        case _UNIT_LOAD_STATE_INVALID:
                break;
        }
        return "LoadFailed";
}

static int stage_put(ModelStage *s, const Model *m, int u, JobType type) {
        assert(s->n < MODEL_CANDIDATES_MAX);
        s->candidates[s->n] = (ModelCandidate) {
                .unit = u,
                .type = type,
                .error = type == JOB_STOP ? NULL : load_error(m->units[u].load),
        };
        s->has_failures |= s->candidates[s->n].error != NULL;
        s->was_staged[u] = true;
        return s->n++;
}

/* Spreads failures along needed edges, from the first failed candidate on. */
static void stage_spread_failures(ModelStage *s) {
        int queue[MODEL_CANDIDATES_MAX], n = 0;

        if (!s->has_failures)
                return;
        s->has_failures = false;
        for (int i = 0; i < s->n; i++)
                if (s->candidates[i].error)
                        queue[n++] = i;
        for (int at = 0; at < n; at++)
                for (int i = 0; i < s->n_edges; i++) {
                        ModelCandidate *from = &s->candidates[s->edges[i].from];

                        if (s->edges[i].to != queue[at] || !s->edges[i].is_needed || from->error)
                                continue;
                        from->error = s->candidates[queue[at]].error;
                        queue[n++] = s->edges[i].from;
                }
        for (unsigned i = 0; i < s->n_anchors && !s->error; i++)
                s->error = s->candidates[s->anchors[i]].error;
        for (int i = 0; i < s->n; i++)
                s->candidates[i].is_gone |= s->candidates[i].error != NULL;
        model_stage_sweep(s);
}

/* @type is wanted of @u by candidate @from. What is not applicable, or would do nothing, is not pulled in. */
static void stage_pull(ModelStage *s, const Model *m, int from, int u, JobType type, UnitRelationKind relation,
                       bool is_needed) {
        bool absorbed_start;
        int to;

        if (!model_is_applicable(m, u, type))
                return;
        type = model_resolve(m, u, type, &absorbed_start);
        if (type == JOB_NOP)
                return;

        to = model_stage_find(s, u, type);
        if (to < 0)
                to = stage_put(s, m, u, type);
        model_stage_link(s, from, to, relation, is_needed);
        s->has_failures |= s->candidates[to].error && is_needed;
}

static void stage_pull_all(ModelStage *s, const Model *m, int from, ModelPull pull) {
        model_each(m, s->candidates[from].unit, pull.over, v)
                stage_pull(s, m, from, v, pull.type, pull.over, pull.is_needed);
}

static void stage_pull_for_start(ModelStage *s, const Model *m, int from) {
        static const ModelPull pulls[] = {
                { UNIT_REQUIRES, JOB_START, true },
                { UNIT_BINDS_TO, JOB_START, true },
                { UNIT_WANTS, JOB_START, false },
                { UNIT_UPHOLDS, JOB_START, false },
                { UNIT_REQUISITE, JOB_VERIFY_ACTIVE, true },
                { UNIT_CONFLICTS, JOB_STOP, true },
                { UNIT_CONFLICTED_BY, JOB_STOP, false },
        };

        for (unsigned i = 0; i < sizeof(pulls) / sizeof(pulls[0]); i++)
                stage_pull_all(s, m, from, pulls[i]);
}

static void stage_pull_dependents(ModelStage *s, const Model *m, int from, JobType type) {
        stage_pull_all(s, m, from, (ModelPull) { UNIT_REQUIRED_BY, type, true });
        stage_pull_all(s, m, from, (ModelPull) { UNIT_REQUISITE_OF, type, true });
        stage_pull_all(s, m, from, (ModelPull) { UNIT_BOUND_BY, type, true });
        stage_pull_all(s, m, from, (ModelPull) { UNIT_CONSISTS_OF, type, true });
}

/* "When systemd stops … the units listed here": what runs, or would come to run by a job that is there; or is asked. */
static bool stops_something(const Model *m, const ModelCandidate *c) {
        const ModelUnit *unit = &m->units[c->unit];
        bool is_down = unit->state == UNIT_INACTIVE || unit->state == UNIT_FAILED;

        return c->is_anchor || !is_down || (unit->triggered.id && model_conflicts(unit->triggered.type, JOB_STOP)) ||
               (unit->pending.id && model_conflicts(unit->pending.type, JOB_STOP));
}

/* In mode restart-dependencies an anchor takes its dependents along with all else that it pulls in. */
static void stage_expand_one(ModelStage *s, const Model *m, int from) {
        const ModelCandidate *c = &s->candidates[from];
        JobType type = c->type;
        bool with_dependents = type == JOB_RESTART || (s->mode == JOB_RESTART_DEPENDENCIES && c->is_anchor);

        if (c->error)
                return;
        if (type == JOB_START || type == JOB_RESTART)
                stage_pull_for_start(s, m, from);
        if (with_dependents)
                stage_pull_dependents(s, m, from, JOB_TRY_RESTART);
        if (type == JOB_STOP && stops_something(m, c))
                stage_pull_dependents(s, m, from, JOB_STOP);
        if (type == JOB_RELOAD)
                stage_pull_all(s, m, from, (ModelPull) { UNIT_PROPAGATES_RELOAD_TO, JOB_TRY_RELOAD, false });
}

static bool is_staged(const ModelStage *s, int u, JobType type) {
        int i = model_stage_find(s, u, type);

        return i >= 0 && !s->candidates[i].is_gone;
}

static void stage_propagate_stop(ModelStage *s, const Model *m, int from) {
        JobType type = s->candidates[from].type;

        if (type != JOB_RESTART && (type != JOB_STOP || !stops_something(m, &s->candidates[from])))
                return;
        model_each(m, s->candidates[from].unit, UNIT_PROPAGATES_STOP_TO, v)
                if (!is_staged(s, v, JOB_STOP) && !is_staged(s, v, JOB_RESTART))
                        stage_pull(s, m, from, v, is_staged(s, v, JOB_START) ? JOB_RESTART : JOB_STOP,
                                   UNIT_PROPAGATES_STOP_TO, true);
}

/* The next candidate to be expanded, or (@by_propagation) whose stop is to be propagated. */
static int stage_next(const ModelStage *s, bool by_propagation) {
        for (int i = 0; i < s->n; i++) {
                const ModelCandidate *c = &s->candidates[i];

                if (!c->is_gone && !(by_propagation ? c->is_propagated : c->is_expanded))
                        return i;
        }
        return MODEL_NOBODY;
}

static void stage_expand_all(ModelStage *s, const Model *m) {
        int i;

        while ((i = stage_next(s, false)) >= 0) {
                s->candidates[i].is_expanded = true;
                stage_expand_one(s, m, i);
        }
        stage_spread_failures(s);
}

/* PropagatesStopTo= is expanded after everything else. */
static void stage_drain(ModelStage *s, const Model *m) {
        int i;

        if (s->mode == JOB_IGNORE_DEPENDENCIES || s->mode == JOB_IGNORE_REQUIREMENTS) {
                stage_spread_failures(s);
                return;
        }
        stage_expand_all(s, m);
        while (!s->error && (i = stage_next(s, true)) >= 0) {
                s->candidates[i].is_propagated = true;
                stage_propagate_stop(s, m, i);
                stage_expand_all(s, m);
        }
}

static const char *check_mode(const Model *m, const ModelRequest *request, JobMode mode) {
        if (mode == JOB_ISOLATE && request->type != JOB_START)
                return "InvalidArgs";
        if (mode == JOB_TRIGGERING && request->type != JOB_STOP)
                return "InvalidArgs";
        if (mode == JOB_RESTART_DEPENDENCIES && request->type != JOB_START)
                return "InvalidArgs";
        return NULL;
}

static const char *check_manual(const Model *m, const ModelRequest *request, JobType asked) {
        const ModelUnit *unit = &m->units[request->unit];
        JobType type = asked == JOB_RELOAD_OR_START ? model_collapse(m, request->unit, asked) : asked;
        bool starts = type == JOB_START || type == JOB_RESTART || type == JOB_TRY_RESTART;
        bool stops = type == JOB_STOP || type == JOB_RESTART || type == JOB_TRY_RESTART;

        if (!request->is_manual)
                return NULL;
        if ((starts && unit->refuses_start) || (stops && unit->refuses_stop))
                return "OnlyByDependency";
        return NULL;
}

/* "reload-or-restart" and "reload-or-try-restart" are words of the API. */
static JobType soften(const Model *m, const ModelRequest *request) {
        const ModelUnit *unit = &m->units[request->unit];
        bool can_reload = unit->can_reload || unit->n_related[UNIT_PROPAGATES_RELOAD_TO] > 0;

        if (!request->reload_if_possible || !can_reload)
                return request->type;
        if (request->type == JOB_RESTART)
                return JOB_RELOAD_OR_START;
        return request->type == JOB_TRY_RESTART ? JOB_TRY_RELOAD : request->type;
}

static const char *stage_anchor(ModelStage *s, const Model *m, const ModelRequest *request) {
        const ModelUnit *unit = &m->units[request->unit];
        JobType type = soften(m, request);
        const char *error = check_mode(m, request, s->mode);
        bool absorbed_start;
        int i;

        if (error)
                return error;
        if (s->mode == JOB_ISOLATE && unit->load == UNIT_LOADED && !unit->allows_isolate)
                return "NoIsolation";
        error = check_manual(m, request, type);
        if (error)
                return error;
        if ((unit->load == UNIT_LOADED || type == JOB_STOP) && !model_is_applicable(m, request->unit, type))
                return "JobTypeNotApplicable";

        type = model_resolve(m, request->unit, type, &absorbed_start);
        i = model_stage_find(s, request->unit, type);
        if (i < 0)
                i = stage_put(s, m, request->unit, type);
        s->candidates[i].is_anchor = true;
        s->candidates[i].absorbed_start |= absorbed_start;
        s->anchors[s->n_anchors++] = i;
        return NULL;
}

void model_stage_expand(ModelStage *s, const Model *m, const ModelRequest *requests, unsigned n) {
        for (unsigned i = 0; i < n && !s->error; i++)
                s->error = stage_anchor(s, m, &requests[i]);
        if (!s->error)
                stage_drain(s, m);
}

/* — what the mode adds — */

/* Returns true if an active unit that triggers the unit is not stopped. */
static bool is_kept_by_trigger(const ModelStage *s, const Model *m, int u) {
        model_each(m, u, UNIT_TRIGGERED_BY, v) {
                UnitActiveState state = m->units[v].state;
                int staged = model_stage_main(s, v);

                if (state != UNIT_ACTIVE && state != UNIT_RELOADING && state != UNIT_ACTIVATING)
                        continue;
                if (staged >= 0 ? s->candidates[staged].type != JOB_STOP : m->units[v].ignores_isolate)
                        return true;
        }
        return false;
}

static bool is_idle(const Model *m, int u) {
        return m->units[u].state == UNIT_INACTIVE && !model_has_job(m, u);
}

/* The stops are needed by the (first) anchor. */
static void stage_isolate(ModelStage *s, const Model *m) {
        for (int u = 0; u < m->n_units; u++) {
                const ModelUnit *unit = &m->units[u];

                if (!unit->is_known || unit->is_perpetual || unit->ignores_isolate || is_idle(m, u))
                        continue;
                if (!model_stage_has(s, u) && !is_kept_by_trigger(s, m, u))
                        stage_pull(s, m, s->anchors[0], u, JOB_STOP, _UNIT_RELATION_INVALID, true);
        }
}

static void stage_stop_triggers(ModelStage *s, const Model *m) {
        for (unsigned i = 0; i < s->n_anchors; i++)
                model_each(m, s->candidates[s->anchors[i]].unit, UNIT_TRIGGERED_BY, v)
                        if (!is_idle(m, v) && model_stage_main(s, v) < 0)
                                stage_pull(s, m, s->anchors[i], v, JOB_STOP, UNIT_TRIGGERED_BY, true);
}

void model_stage_add_extras(ModelStage *s, const Model *m) {
        if (s->mode != JOB_ISOLATE && s->mode != JOB_TRIGGERING)
                return;
        if (s->mode == JOB_ISOLATE)
                stage_isolate(s, m);
        else
                stage_stop_triggers(s, m);
        stage_drain(s, m);
}
