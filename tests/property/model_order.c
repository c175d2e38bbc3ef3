/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model's check of order
 *
 * The table as it would be after the commit is a copy of the model to which
 * the stage has been committed. Its nodes are the halves that still have to be
 * dispatched; a triggered job waits for none, so only the start half of a
 * triggered restart is a node.
 */

#include <assert.h>
#include <string.h>

#include "model_private.h"

#define NODES_MAX (MODEL_UNITS_MAX * 3)

typedef struct ModelNode {
        int unit;
        const ModelJob *job;
        JobType run;
        int slot;                       /* halves of one unit in the order in which they run */
        int candidate;                  /* of the stage, MODEL_NOBODY if the half is the same without it */
        bool is_touched;                /* the stage changes something of the unit's halves */
} ModelNode;

typedef struct ModelNodes {
        ModelNode nodes[NODES_MAX];
        int n;
        bool first[NODES_MAX][NODES_MAX];       /* [a][b]: a goes before b */
        bool reaches[NODES_MAX][NODES_MAX];
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

static void add_node(ModelNodes *nodes, ModelNode node) {
        if (node.job->ignores_order)
                return;
        assert(nodes->n < NODES_MAX);
        nodes->nodes[nodes->n++] = node;
}

static void add_halves(ModelNodes *nodes, ModelNode node) {
        node.run = node.job->run;
        add_node(nodes, node);
        node.run = JOB_START;
        node.slot++;
        if (node.job->type == JOB_RESTART && node.job->run == JOB_STOP)
                add_node(nodes, node);
}

/* The candidate without which the pending job would not be there, or be another. */
static int candidate_of(const ModelStage *s, int u, const Model *before, const Model *after) {
        const ModelJob *was = &before->units[u].pending, *is = &after->units[u].pending;

        return was->id == is->id && was->type == is->type ? MODEL_NOBODY : model_stage_main(s, u);
}

/* What is merged into a job of its type, or covered, leaves all as it was. */
static bool is_touched_by(const ModelStage *s, int u, const Model *before, const Model *after) {
        const ModelUnit *was = &before->units[u], *is = &after->units[u];

        return model_stage_main(s, u) != MODEL_NOBODY &&
               (was->triggered.id != is->triggered.id || was->pending.id != is->pending.id ||
                was->pending.type != is->pending.type);
}

static void find_nodes(ModelNodes *nodes, const Model *before, const Model *after, const ModelStage *s) {
        nodes->n = 0;
        for (int i = 0; i < after->n_units; i++) {
                int u = after->by_name[i];
                const ModelJob *triggered = &after->units[u].triggered, *pending = &after->units[u].pending;
                bool is_interrupted = pending->id && pending->type == JOB_STOP;

                ModelNode node = {
                        .unit = u,
                        .run = JOB_START,
                        .slot = 1,
                        .job = triggered,
                        .candidate = MODEL_NOBODY,
                        .is_touched = s && is_touched_by(s, u, before, after),
                };

                if (triggered->id && triggered->type == JOB_RESTART && triggered->run == JOB_STOP && !is_interrupted)
                        add_node(nodes, node);
                node.job = pending;
                node.slot = 2;
                if (s)
                        node.candidate = candidate_of(s, u, before, after);
                if (pending->id)
                        add_halves(nodes, node);
        }
}

static void find_edges(ModelNodes *nodes, const Model *after) {
        for (int a = 0; a < nodes->n; a++)
                for (int b = 0; b < nodes->n; b++) {
                        const ModelNode *x = &nodes->nodes[a], *y = &nodes->nodes[b];

                        if (x->unit == y->unit)
                                nodes->first[a][b] = x->job == y->job && x->slot + 1 == y->slot;
                        else
                                nodes->first[a][b] = model_goes_first(after, x->unit, x->run, y->unit, y->run);
                }
}

static void find_reach(ModelNodes *nodes) {
        memcpy(nodes->reaches, nodes->first, sizeof(nodes->reaches));
        for (int via = 0; via < nodes->n; via++)
                for (int a = 0; a < nodes->n; a++)
                        for (int b = 0; b < nodes->n; b++)
                                nodes->reaches[a][b] |= nodes->reaches[a][via] && nodes->reaches[via][b];
}

static bool is_same_component(const ModelNodes *nodes, int a, int b) {
        return nodes->reaches[a][b] && nodes->reaches[b][a];
}

/* Which of several shortest cycles is taken is left open: here as there, the first that is found in these orders.
 * What waits for a half: the next half, what a start of the unit comes before, what its stop comes before. */
static int list_neighbours(const ModelNodes *nodes, const Model *after, int a, int *ret_list) {
        const ModelNode *node = &nodes->nodes[a];
        int n = 0;

        for (int b = 0; b < nodes->n; b++)
                if (nodes->nodes[b].unit == node->unit && nodes->first[a][b])
                        ret_list[n++] = b;
        model_each(after, node->unit, UNIT_BEFORE, v)
                for (int b = 0; b < nodes->n; b++)
                        if (nodes->nodes[b].unit == v && nodes->nodes[b].run != JOB_STOP)
                                ret_list[n++] = b;
        model_each(after, node->unit, UNIT_AFTER, w)
                for (int b = 0; b < nodes->n; b++)
                        if (nodes->nodes[b].unit == w && node->run == JOB_STOP)
                                ret_list[n++] = b;
        return n;
}

/* The nodes of one shortest cycle through @start, the first of them last. */
static int search_cycle(const ModelNodes *nodes, const Model *after, int start, int *ret_cycle) {
        int queue[NODES_MAX], parent[NODES_MAX], list[NODES_MAX * 4], n = 0, n_cycle = 0;
        bool is_seen[NODES_MAX] = {};

        is_seen[start] = true;
        parent[start] = start;
        queue[n++] = start;
        for (int at = 0; at < n; at++) {
                int n_list = list_neighbours(nodes, after, queue[at], list);

                for (int i = 0; i < n_list; i++) {
                        if (list[i] == start) {
                                for (int a = queue[at]; a != start; a = parent[a])
                                        ret_cycle[n_cycle++] = a;
                                ret_cycle[n_cycle++] = start;
                                return n_cycle;
                        }
                        if (is_seen[list[i]])
                                continue;
                        is_seen[list[i]] = true;
                        parent[list[i]] = queue[at];
                        queue[n++] = list[i];
                }
        }
        return 0;
}

/* A component with a cycle; only those that the stage touches, if there is one. */
static bool is_cyclic(const ModelNodes *nodes, int a, const ModelStage *s) {
        if (!nodes->reaches[a][a])
                return false;
        for (int b = 0; b < nodes->n; b++)
                if (is_same_component(nodes, a, b) && (!s || nodes->nodes[b].is_touched))
                        return true;
        return false;
}

/* One shortest cycle of the component of @member. */
static int shortest_cycle(const ModelNodes *nodes, const Model *after, int member, int *ret_cycle) {
        int best = 0;

        for (int a = 0; a < nodes->n; a++) {
                int cycle[NODES_MAX], n;

                if (!is_same_component(nodes, member, a))
                        continue;
                n = search_cycle(nodes, after, a, cycle);
                if (best == 0 || n < best) {
                        memcpy(ret_cycle, cycle, sizeof(cycle));
                        best = n;
                }
        }
        return best;
}

static bool is_in(const int *cycle, int n, int node) {
        for (int i = 0; i < n; i++)
                if (cycle[i] == node)
                        return true;
        return false;
}

/* Is there another as short as @cycle? Then which is taken is a matter of names. */
static bool has_other_shortest(const ModelNodes *nodes, const Model *after, const int *cycle, int n) {
        for (int a = 0; a < nodes->n; a++) {
                int other[NODES_MAX];

                if (is_same_component(nodes, cycle[0], a) && !is_in(cycle, n, a) &&
                    search_cycle(nodes, after, a, other) == n)
                        return true;
        }
        return false;
}

/* Whose loss costs the fewest jobs, those included that need it and those that nothing pulls in without it. */
static int choose_victim(const ModelStage *s, const ModelNodes *nodes, const int *cycle, int n, Model *m) {
        int victim = MODEL_NOBODY, least = 0;

        for (int i = 0; i < n; i++) {
                int candidate = nodes->nodes[cycle[i]].candidate, loss;

                if (candidate < 0 || s->candidates[candidate].matters)
                        continue;
                loss = model_stage_count_loss(s, candidate);
                m->went_by_name |= victim >= 0 && victim != candidate && loss == least;
                if (victim < 0 || loss < least ||
                    (loss == least && strcmp(m->units[s->candidates[candidate].unit].name,
                                             m->units[s->candidates[victim].unit].name) < 0)) {
                        victim = candidate;
                        least = loss;
                }
        }
        return victim;
}

/* Some of the halves of all units. */
typedef struct ModelHalves {
        bool is_in[MODEL_UNITS_MAX][4];
} ModelHalves;

/* The components with a cycle, in the order of names. */
static int find_components(const ModelNodes *nodes, const ModelStage *s, ModelHalves *ret_components) {
        bool is_done[NODES_MAX] = {};
        int n = 0;

        for (int a = 0; a < nodes->n; a++) {
                if (is_done[a] || !is_cyclic(nodes, a, s))
                        continue;
                ret_components[n] = (ModelHalves) {};
                for (int b = a; b < nodes->n; b++)
                        if (is_same_component(nodes, a, b)) {
                                is_done[b] = true;
                                ret_components[n].is_in[nodes->nodes[b].unit][nodes->nodes[b].slot] = true;
                        }
                n++;
        }
        return n;
}

/* The nodes as they are with what is left of the stage, but for those that are not in @within (NULL: all). */
static const Model *look(ModelNodes *nodes, const Model *m, const ModelStage *s, const ModelHalves *within) {
        static Model after;
        int n = 0;

        after = *m;
        model_commit(&after, s, true, NULL);
        find_nodes(nodes, m, &after, s);
        for (int i = 0; i < nodes->n; i++)
                if (!within || within->is_in[nodes->nodes[i].unit][nodes->nodes[i].slot])
                        nodes->nodes[n++] = nodes->nodes[i];
        nodes->n = n;
        find_edges(nodes, &after);
        find_reach(nodes);
        return &after;
}

static void break_one(ModelStage *s, Model *m, const ModelHalves *part) {
        static ModelNodes nodes;
        const Model *after = look(&nodes, m, s, part);
        int cycle[NODES_MAX], member = 0, n, victim;

        while (member < nodes.n && !is_cyclic(&nodes, member, s))
                member++;
        if (member == nodes.n)
                return;
        n = shortest_cycle(&nodes, after, member, cycle);
        m->went_by_name |= has_other_shortest(&nodes, after, cycle, n);
        victim = choose_victim(s, &nodes, cycle, n, m);
        if (victim < 0)
                s->error = "TransactionOrderIsCyclic";
        else {
                model_count(m, n_victims);
                model_stage_drop_late(s, victim);
        }
}

/* One victim in each part of the component that still has a cycle, and again. */
static void break_component(ModelStage *s, Model *m, const ModelHalves *component) {
        static ModelNodes nodes;
        ModelHalves parts[NODES_MAX];
        int n;

        do {
                look(&nodes, m, s, component);
                n = find_components(&nodes, s, parts);
                m->went_by_name |= n > 1;
                for (int i = 0; i < n && !s->error; i++)
                        break_one(s, m, &parts[i]);
        } while (n > 0 && !s->error);
}

void model_stage_break_cycles(ModelStage *s, Model *m) {
        static ModelNodes nodes;
        ModelHalves components[NODES_MAX];
        int n;

        do {
                look(&nodes, m, s, NULL);
                n = find_components(&nodes, s, components);
                m->went_by_name |= n > 1;       /* what one costs may have been in the other */
                for (int i = 0; i < n && !s->error; i++)
                        break_component(s, m, &components[i]);
                model_stage_sweep(s);
        } while (n > 0 && !s->error);
}

bool model_find_stuck(const Model *m, uint32_t *ret_id) {
        static ModelNodes nodes;
        int cycle[NODES_MAX];
        bool is_any = false;

        *ret_id = 0;
        find_nodes(&nodes, m, m, NULL);
        find_edges(&nodes, m);
        find_reach(&nodes);
        for (int a = 0; a < nodes.n && *ret_id == 0; a++) {
                if (!is_cyclic(&nodes, a, NULL))
                        continue;
                is_any = true;
                for (int n = shortest_cycle(&nodes, m, a, cycle), i = 0; i < n; i++) {
                        const ModelNode *node = &nodes.nodes[cycle[i]];

                        if (node->slot >= 2 && node->job->id > *ret_id)
                                *ret_id = node->job->id;
                }
        }
        return is_any;
}
