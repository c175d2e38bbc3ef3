/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's stage: candidates and the edges between them
 */

#include <assert.h>
#include <string.h>

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
        s->edges[s->n_edges++] = (ModelEdge) { from, to, relation, is_needed };
}

static bool is_edge_alive(const ModelStage *s, const ModelEdge *edge) {
        return !s->candidates[edge->from].is_gone && !s->candidates[edge->to].is_gone;
}

/* All that need @candidate, itself first. */
static void mark_those_who_need(const ModelStage *s, int candidate, bool *marks) {
        bool is_more = true;

        marks[candidate] = true;
        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelEdge *edge = &s->edges[i];

                        if (edge->is_needed && is_edge_alive(s, edge) && marks[edge->to] && !marks[edge->from])
                                is_more = marks[edge->from] = true;
                }
        }
}

static bool has_puller(const ModelStage *s, int candidate) {
        for (int i = 0; i < s->n_edges; i++)
                if (s->edges[i].to == candidate && is_edge_alive(s, &s->edges[i]))
                        return true;
        return s->candidates[candidate].is_anchor;
}

/* A count of pullers: two that pull in each other stay until the next sweep. */
static void drop_unpulled(ModelStage *s) {
        for (int i = 0; i < s->n; i++)
                if (!s->candidates[i].is_gone && !has_puller(s, i)) {
                        s->candidates[i].is_gone = true;
                        i = -1;
                }
}

void model_stage_drop(ModelStage *s, int candidate) {
        bool marks[MODEL_CANDIDATES_MAX] = {};

        mark_those_who_need(s, candidate, marks);
        for (int i = 0; i < s->n; i++)
                if (marks[i])
                        s->candidates[i].is_gone = true;
        drop_unpulled(s);
}

int model_stage_count_loss(const ModelStage *s, int candidate) {
        bool marks[MODEL_CANDIDATES_MAX] = {};
        int n = 0;

        mark_those_who_need(s, candidate, marks);
        for (int i = 0; i < s->n; i++)
                n += marks[i];
        return n;
}

void model_stage_sweep(ModelStage *s) {
        bool is_reached[MODEL_CANDIDATES_MAX] = {};
        bool is_more = true;

        for (int i = 0; i < s->n; i++)
                is_reached[i] = s->candidates[i].is_anchor;
        while (is_more) {
                is_more = false;
                for (int i = 0; i < s->n_edges; i++) {
                        const ModelEdge *edge = &s->edges[i];

                        if (is_edge_alive(s, edge) && is_reached[edge->from] && !is_reached[edge->to])
                                is_more = is_reached[edge->to] = true;
                }
        }
        for (int i = 0; i < s->n; i++)
                if (!is_reached[i])
                        s->candidates[i].is_gone = true;
}
