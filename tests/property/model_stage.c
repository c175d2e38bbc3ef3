/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's stage: candidates and the edges between them
 */

#include <assert.h>

#include "model_private.h"

int model_stage_find(const ModelStage *s, int u, JobType type) {
        for (int i = 0; i < s->n; i++) {
                const ModelCandidate *c = &s->candidates[i];

                if (c->unit == u && c->type == type && (!c->is_gone || c->error))
                        return i;
        }
        return MODEL_NOBODY;
}

bool model_stage_has(const ModelStage *s, int u) {
        for (int i = 0; i < s->n; i++)
                if (s->candidates[i].unit == u && !s->candidates[i].is_gone)
                        return true;
        return false;
}

int model_stage_main(const ModelStage *s, int u) {
        for (int i = 0; i < s->n; i++)
                if (s->candidates[i].unit == u && !s->candidates[i].is_gone && s->candidates[i].type != JOB_NOP)
                        return i;
        return MODEL_NOBODY;
}

void model_stage_link(ModelStage *s, int from, int to, UnitRelationKind relation, bool is_needed) {
        assert(s->n_edges < MODEL_EDGES_MAX);
        s->edges[s->n_edges++] = (ModelEdge) { from, to, relation, is_needed, false };
}

static bool is_edge_alive(const ModelStage *s, const ModelEdge *edge) {
        return !edge->is_void && !s->candidates[edge->from].is_gone && !s->candidates[edge->to].is_gone;
}

void model_stage_remains(const ModelStage *s, const ModelSet *lost, ModelSet *ret_remains) {
        ModelSet is_lost = *lost;
        bool is_more = true;

        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelEdge *edge = &s->edges[i];

                        if (edge->is_needed && is_edge_alive(s, edge) && is_lost.has[edge->to] && !is_lost.has[edge->from])
                                is_more = is_lost.has[edge->from] = true;
                }
        }
        for (int i = 0; i < s->n; i++)
                ret_remains->has[i] = s->candidates[i].is_anchor && !s->candidates[i].is_gone && !is_lost.has[i];
        is_more = true;
        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelEdge *edge = &s->edges[i];

                        if (is_edge_alive(s, edge) && ret_remains->has[edge->from] && !is_lost.has[edge->to] &&
                            !ret_remains->has[edge->to])
                                is_more = ret_remains->has[edge->to] = true;
                }
        }
}

void model_stage_remains_without(const ModelStage *s, int candidate, ModelSet *ret_remains) {
        ModelSet lost = {};

        lost.has[candidate] = true;
        model_stage_remains(s, &lost, ret_remains);
}

static void keep(ModelStage *s, const ModelSet *remains) {
        for (int i = 0; i < s->n; i++)
                s->candidates[i].is_gone |= !remains->has[i];
}

void model_stage_drop(ModelStage *s, int candidate) {
        ModelSet remains;

        model_stage_remains_without(s, candidate, &remains);
        keep(s, &remains);
}

void model_stage_drop_late(ModelStage *s, int candidate) {
        s->late[s->n_late++] = candidate;
        for (int i = 0; i < s->n; i++)
                if (s->candidates[i].merged_into == 1 + candidate)
                        s->late[s->n_late++] = i;
        model_stage_drop(s, candidate);
}

int model_stage_count_loss(const ModelStage *s, int candidate) {
        ModelSet remains;
        int n = 0;

        model_stage_remains_without(s, candidate, &remains);
        for (int i = 0; i < s->n; i++)
                n += !s->candidates[i].is_gone && !remains.has[i];
        return n;
}

void model_stage_sweep(ModelStage *s) {
        ModelSet nothing = {}, remains;

        model_stage_remains(s, &nothing, &remains);
        keep(s, &remains);
}
