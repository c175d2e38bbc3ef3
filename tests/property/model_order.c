/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's step 7: order
 *
 * The table as it would be after the commit is a copy of the model to which
 * the stage has been committed. Its nodes are the halves that still have to be
 * dispatched; what is triggered waits for nobody, so only the start half that
 * a triggered restart still has before it is a node.
 */

#include <assert.h>
#include <string.h>

#include "model_private.h"

#define NODES_MAX (MODEL_UNITS_MAX * 3)
#define FAR 1000

typedef struct ModelNode {
        int unit;
        const ModelJob *job;
        JobType run;
        int candidate;                  /* of the stage, MODEL_NOBODY if it is only installed */
} ModelNode;

typedef struct ModelNodes {
        ModelNode nodes[NODES_MAX];
        int n;
        bool first[NODES_MAX][NODES_MAX];       /* [a][b]: a goes before b */
        int distance[NODES_MAX][NODES_MAX];
} ModelNodes;

static bool is_related(const Model *m, int u, UnitRelationKind kind, int v) {
        model_each(m, u, kind, w)
                if (w == v)
                        return true;
        return false;
}

/* Of "a before b": if b stops it goes first, otherwise a. */
bool model_goes_first(const Model *m, int u, JobType run, int v, JobType other_run) {
        if (is_related(m, u, UNIT_BEFORE, v) && other_run != JOB_STOP)
                return true;
        return is_related(m, v, UNIT_BEFORE, u) && run == JOB_STOP;
}

static void add_node(ModelNodes *nodes, int unit, const ModelJob *job, JobType run, int candidate) {
        if (job->ignores_order)
                return;
        assert(nodes->n < NODES_MAX);
        nodes->nodes[nodes->n++] = (ModelNode) { unit, job, run, candidate };
}

static void add_pending(ModelNodes *nodes, int u, const ModelJob *job, int candidate) {
        add_node(nodes, u, job, job->run, candidate);
        if (job->type == JOB_RESTART && job->run == JOB_STOP)
                add_node(nodes, u, job, JOB_START, candidate);
}

static int candidate_of(const ModelStage *s, int u) {
        for (int i = 0; s && i < s->n; i++)
                if (s->candidates[i].unit == u && !s->candidates[i].is_gone && s->candidates[i].type != JOB_NOP)
                        return i;
        return MODEL_NOBODY;
}

static void find_nodes(ModelNodes *nodes, const Model *after, const ModelStage *s) {
        nodes->n = 0;
        for (int i = 0; i < after->n_units; i++) {
                int u = after->by_name[i];
                const ModelUnit *unit = &after->units[u];
                const ModelJob *triggered = &unit->triggered, *pending = &unit->pending;
                bool is_interrupted = pending->id && pending->type == JOB_STOP;

                if (triggered->id && triggered->type == JOB_RESTART && triggered->run == JOB_STOP && !is_interrupted)
                        add_node(nodes, u, triggered, JOB_START, MODEL_NOBODY);
                if (pending->id)
                        add_pending(nodes, u, pending, candidate_of(s, u));
        }
}

static void find_edges(ModelNodes *nodes, const Model *after) {
        for (int a = 0; a < nodes->n; a++)
                for (int b = 0; b < nodes->n; b++) {
                        const ModelNode *x = &nodes->nodes[a], *y = &nodes->nodes[b];

                        if (x->unit == y->unit)
                                nodes->first[a][b] = x->job == y->job && x->run == JOB_STOP && y->run == JOB_START;
                        else
                                nodes->first[a][b] = model_goes_first(after, x->unit, x->run, y->unit, y->run);
                }
}

static void measure(ModelNodes *nodes) {
        for (int a = 0; a < nodes->n; a++)
                for (int b = 0; b < nodes->n; b++)
                        nodes->distance[a][b] = nodes->first[a][b] ? 1 : FAR;
        for (int via = 0; via < nodes->n; via++)
                for (int a = 0; a < nodes->n; a++)
                        for (int b = 0; b < nodes->n; b++) {
                                int length = nodes->distance[a][via] + nodes->distance[via][b];

                                if (length < nodes->distance[a][b])
                                        nodes->distance[a][b] = length;
                        }
}

/* The nodes of one shortest cycle through @start, in order. */
static int walk_cycle(const ModelNodes *nodes, int start, int *ret_cycle) {
        int n = 0, at = start, left = nodes->distance[start][start];

        while (left > 0) {
                int next = 0;

                ret_cycle[n++] = at;
                left--;
                while (!(nodes->first[at][next] && (left == 0 ? next == start : nodes->distance[next][start] == left)))
                        next++;
                at = next;
        }
        return n;
}

static bool is_in_stage(const ModelNodes *nodes, int a) {
        return nodes->nodes[a].candidate != MODEL_NOBODY;
}

/* A cycle of its component touches the stage, or (@s is NULL) there is any cycle. */
static bool is_cyclic(const ModelNodes *nodes, int a, const ModelStage *s) {
        if (nodes->distance[a][a] >= FAR)
                return false;
        for (int b = 0; b < nodes->n; b++)
                if (nodes->distance[a][b] < FAR && nodes->distance[b][a] < FAR && (!s || is_in_stage(nodes, b)))
                        return true;
        return false;
}

/* One shortest cycle of the first cyclic component: 0 if there is none. */
static int find_cycle(ModelNodes *nodes, const Model *after, const ModelStage *s, int *ret_cycle) {
        int component = 0, best;

        find_nodes(nodes, after, s);
        find_edges(nodes, after);
        measure(nodes);
        while (component < nodes->n && !is_cyclic(nodes, component, s))
                component++;
        if (component == nodes->n)
                return 0;
        best = component;
        for (int a = 0; a < nodes->n; a++)
                if (nodes->distance[component][a] < FAR && nodes->distance[a][component] < FAR &&
                    nodes->distance[a][a] < nodes->distance[best][best])
                        best = a;
        return walk_cycle(nodes, best, ret_cycle);
}

static int choose_victim(const ModelStage *s, const ModelNodes *nodes, const int *cycle, int n, const Model *m) {
        int victim = MODEL_NOBODY, least = 0;

        for (int i = 0; i < n; i++) {
                int candidate = nodes->nodes[cycle[i]].candidate, loss;

                if (candidate < 0 || s->candidates[candidate].matters)
                        continue;
                loss = model_stage_count_loss(s, candidate);
                if (victim < 0 || loss < least ||
                    (loss == least && strcmp(m->units[s->candidates[candidate].unit].name,
                                             m->units[s->candidates[victim].unit].name) < 0)) {
                        victim = candidate;
                        least = loss;
                }
        }
        return victim;
}

void model_stage_break_cycles(ModelStage *s, const Model *m) {
        static ModelNodes nodes;
        static Model after;
        int cycle[NODES_MAX];

        while (!s->error) {
                int n, victim;

                after = *m;
                model_commit(&after, s, true, NULL);
                n = find_cycle(&nodes, &after, s, cycle);
                if (n == 0)
                        break;
                victim = choose_victim(s, &nodes, cycle, n, m);
                if (victim < 0)
                        s->error = "TransactionOrderIsCyclic";
                else
                        model_stage_drop(s, victim);
        }
        model_stage_sweep(s);
}

uint32_t model_find_stuck(const Model *m) {
        static ModelNodes nodes;
        int cycle[NODES_MAX], n = find_cycle(&nodes, m, NULL, cycle);
        uint32_t youngest = 0;

        for (int i = 0; i < n; i++) {
                const ModelNode *node = &nodes.nodes[cycle[i]];

                if (node->job == &m->units[node->unit].pending && node->job->id > youngest)
                        youngest = node->job->id;
        }
        return youngest;
}
