/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's reduction: what matters, one job a unit, nothing for nothing
 */

#include "model_private.h"

void model_stage_mark_what_matters(ModelStage *s) {
        bool is_more = true;

        for (int i = 0; i < s->n; i++)
                s->candidates[i].matters = s->candidates[i].is_anchor && !s->candidates[i].is_gone;
        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelCandidate *from = &s->candidates[s->edges[i].from];
                        ModelCandidate *to = &s->candidates[s->edges[i].to];

                        if (s->edges[i].is_needed && !s->edges[i].is_void && !from->is_gone && !to->is_gone && from->matters && !to->matters)
                                is_more = to->matters = true;
                }
        }
}

static bool is_redundant(const ModelStage *s, const Model *m, int i) {
        const ModelCandidate *c = &s->candidates[i];

        return !c->is_gone && !c->is_anchor && model_is_redundant(m, c->unit, c->type);
}

static bool is_to_start(const ModelStage *s, int u) {
        for (int i = 0; i < s->n; i++)
                if (s->candidates[i].unit == u && s->candidates[i].type != JOB_NOP && s->candidates[i].type != JOB_STOP)
                        return true;
        return false;
}

/* Returns true for a start that is not carried out in the end: its unit runs, and nothing else is wanted of the unit. */
static bool is_for_nothing(const ModelStage *s, const Model *m, int i) {
        if (s->candidates[i].type == JOB_STOP || !is_redundant(s, m, i))
                return false;
        for (int k = 0; k < s->n; k++) {
                const ModelCandidate *c = &s->candidates[k];

                if (c->unit == s->candidates[i].unit && !c->is_gone && c->type != JOB_NOP && c->type != JOB_STOP &&
                    !model_is_redundant(m, c->unit, c->type))
                        return false;
        }
        return true;
}

/* A stop that is there only so that its unit does not start: nothing that is carried out asks for it. */
static void void_stops_for_nothing(ModelStage *s, const Model *m) {
        bool is_done[MODEL_CANDIDATES_MAX], is_more = true;

        for (int i = 0; i < s->n; i++)
                is_done[i] = s->candidates[i].is_anchor && !s->candidates[i].is_gone;
        while (is_more) {
                is_more = false;
                for (int k = 0; k < s->n_edges; k++) {
                        const ModelEdge *edge = &s->edges[k];

                        if (edge->is_void || !is_done[edge->from] || is_done[edge->to] || s->candidates[edge->to].is_gone)
                                continue;
                        if (edge->relation == UNIT_CONFLICTS && is_for_nothing(s, m, edge->from))
                                continue;
                        is_more = is_done[edge->to] = true;
                }
        }
        for (int k = 0; k < s->n_edges; k++)
                if (s->candidates[s->edges[k].from].type == JOB_STOP && !is_done[s->edges[k].from])
                        s->edges[k].is_void = true;
}

/* A start of a running unit starts and stops nothing, but it may prevent the start of a conflicting unit. */
void model_stage_reduce_first(ModelStage *s, const Model *m) {
        for (int k = 0; k < s->n_edges; k++) {
                int to = s->edges[k].to;
                bool keeps = s->edges[k].relation == UNIT_CONFLICTS ? is_to_start(s, s->candidates[to].unit) :
                                                                      is_redundant(s, m, to);

                if (!keeps && is_redundant(s, m, s->edges[k].from) && s->candidates[s->edges[k].from].type != JOB_STOP)
                        s->edges[k].is_void = true;
        }
        model_stage_sweep(s);
        void_stops_for_nothing(s, m);
        model_stage_sweep(s);
}

/* Returns true if the candidate would stop a running unit or change an installed job. */
static bool has_impact(const Model *m, const ModelCandidate *c) {
        const ModelUnit *unit = &m->units[c->unit];
        bool is_up = unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING || unit->state == UNIT_ACTIVATING;

        if (c->type == JOB_STOP && is_up)
                return true;
        return (unit->triggered.id && model_conflicts(c->type, unit->triggered.type)) ||
               (unit->pending.id && model_conflicts(c->type, unit->pending.type));
}

void model_stage_mark(ModelStage *s, const Model *m) {
        model_stage_mark_what_matters(s);
        if (s->mode != JOB_FAIL && s->mode != JOB_LENIENT)
                return;
        for (int i = 0; i < s->n; i++) {
                const ModelCandidate *c = &s->candidates[i];

                if (c->is_gone || !has_impact(m, c))
                        continue;
                if (!c->matters)
                        model_stage_drop(s, i);
                else if (s->mode == JOB_LENIENT && !s->error)
                        s->error = "TransactionIsDestructive";
        }
        model_stage_sweep(s);
}

/* Moves all edges of @gone to @into. */
static void hand_over(ModelStage *s, int gone, int into) {
        for (int i = 0; i < s->n_edges; i++) {
                if (s->edges[i].from == gone)
                        s->edges[i].from = into;
                if (s->edges[i].to == gone)
                        s->edges[i].to = into;
        }
        for (unsigned i = 0; i < s->n_anchors; i++)
                if (s->anchors[i] == gone)
                        s->anchors[i] = into;
        s->candidates[into].matters |= s->candidates[gone].matters;
        s->candidates[into].is_anchor |= s->candidates[gone].is_anchor;
        s->candidates[gone].is_gone = true;
        s->candidates[gone].merged_into = 1 + into;
}

static bool is_start(const ModelCandidate *c) {
        return c->type == JOB_START || c->type == JOB_RESTART;
}

static void fold(ModelStage *s, const Model *m, int u) {
        int first = MODEL_NOBODY;

        for (int i = 0; i < s->n; i++) {
                ModelCandidate *c = &s->candidates[i];

                if (c->unit != u || c->is_gone || c->type == JOB_NOP)
                        continue;
                if (first < 0) {
                        first = i;
                        continue;
                }
                model_count(m, folded[s->candidates[first].type][c->type]);
                s->candidates[first].has_start |= is_start(&s->candidates[first]) || is_start(c);
                s->candidates[first].absorbed_start |= c->absorbed_start;
                s->candidates[first].type = model_merge_on(m, u, s->candidates[first].type, c->type,
                                                           &s->candidates[first].absorbed_start);
                hand_over(s, i, first);
        }
}

void model_stage_merge(ModelStage *s, Model *m) {
        model_stage_settle(s, m);
        if (s->error)
                return;
        for (int u = 0; u < m->n_units; u++)
                fold(s, m, u);
        model_stage_mark_what_matters(s);       /* what an anchor was merged with needs others, too */
        model_stage_sweep(s);
}

void model_stage_reduce(ModelStage *s, const Model *m) {
        for (int i = 0; i < s->n; i++) {
                ModelCandidate *c = &s->candidates[i];

                if (!c->is_gone && !c->is_anchor && model_is_redundant(m, c->unit, c->type))
                        c->is_gone = true;
        }
        model_stage_sweep(s);
}
