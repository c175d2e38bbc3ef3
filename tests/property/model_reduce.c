/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's reduction: what matters, one job a unit, nothing for nothing
 */

#include "model_private.h"

static void mark_what_matters(ModelStage *s) {
        bool is_more = true;

        for (int i = 0; i < s->n; i++)
                s->candidates[i].matters = s->candidates[i].is_anchor && !s->candidates[i].is_gone;
        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelCandidate *from = &s->candidates[s->edges[i].from];
                        ModelCandidate *to = &s->candidates[s->edges[i].to];

                        if (s->edges[i].is_needed && !from->is_gone && !to->is_gone && from->matters && !to->matters)
                                is_more = to->matters = true;
                }
        }
}

/* Would it stop something that runs, or change an installed job? */
static bool has_impact(const Model *m, const ModelCandidate *c) {
        const ModelUnit *unit = &m->units[c->unit];
        bool is_up = unit->state == UNIT_ACTIVE || unit->state == UNIT_RELOADING || unit->state == UNIT_ACTIVATING;

        if (c->type == JOB_STOP && is_up)
                return true;
        return (unit->triggered.id && model_conflicts(c->type, unit->triggered.type)) ||
               (unit->pending.id && model_conflicts(c->type, unit->pending.type));
}

void model_stage_mark(ModelStage *s, const Model *m) {
        mark_what_matters(s);
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

static bool came_through_conflicts(const ModelStage *s, int candidate) {
        for (int i = 0; i < s->n_edges; i++)
                if (s->edges[i].to == candidate && s->edges[i].relation == UNIT_CONFLICTS &&
                    !s->candidates[s->edges[i].from].is_gone)
                        return true;
        return false;
}

/* Of two that conflict one is a stop. */
static int choose_loser(const ModelStage *s, int stop, int other) {
        if (s->candidates[stop].matters && s->candidates[other].matters)
                return MODEL_NOBODY;
        if (s->candidates[stop].matters != s->candidates[other].matters)
                return s->candidates[stop].matters ? other : stop;
        return came_through_conflicts(s, stop) ? other : stop;
}

/* Two of @u that conflict: pairs with one that matters first, then in the order in which they came. */
static bool find_conflict(const ModelStage *s, int u, int *ret_stop, int *ret_other) {
        int stop = model_stage_find(s, u, JOB_STOP);

        if (stop < 0 || s->candidates[stop].is_gone)
                return false;
        for (int round = 0; round < 2; round++)
                for (int i = 0; i < s->n; i++) {
                        const ModelCandidate *c = &s->candidates[i];

                        if (c->unit != u || c->is_gone || !model_conflicts(c->type, JOB_STOP))
                                continue;
                        if (round == 0 && !c->matters)
                                continue;
                        *ret_stop = stop;
                        *ret_other = i;
                        return true;
                }
        return false;
}

static void resolve_conflicts(ModelStage *s, int u) {
        int stop, other;

        while (!s->error && find_conflict(s, u, &stop, &other)) {
                int loser = choose_loser(s, stop, other);

                if (loser < 0) {
                        s->error = "TransactionJobsConflicting";
                        return;
                }
                model_stage_drop(s, loser);
        }
}

/* Everything that led to or from @gone leads to or from @into. */
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
                s->candidates[first].absorbed_start |= c->absorbed_start;
                s->candidates[first].type = model_merge_on(m, u, s->candidates[first].type, c->type,
                                                           &s->candidates[first].absorbed_start);
                hand_over(s, i, first);
        }
}

static bool unit_matters(const ModelStage *s, int u) {
        for (int i = 0; i < s->n; i++)
                if (s->candidates[i].unit == u && !s->candidates[i].is_gone && s->candidates[i].matters)
                        return true;
        return false;
}

void model_stage_merge(ModelStage *s, const Model *m) {
        for (int round = 0; round < 2; round++)
                for (int i = 0; i < m->n_units; i++)
                        if (unit_matters(s, m->by_name[i]) == (round == 0))
                                resolve_conflicts(s, m->by_name[i]);
        if (s->error)
                return;
        for (int u = 0; u < m->n_units; u++)
                fold(s, m, u);
        mark_what_matters(s);           /* what an anchor was merged with needs others, too */
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
