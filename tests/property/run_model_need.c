/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What somebody needs
 *
 * Goals are needed, and what a node is for that is needed and has not been
 * decided yet. Whether a node that has started, or was decided without, still
 * needs its parents depends on the edge.
 */

#include "run_model_private.h"

void run_model_find_goals(const RunModel *model, const ModelRun *run, bool *goals) {
        const TrialDefinition *definition = model->definition;

        for (unsigned i = 0; i < definition->n_nodes; i++)
                goals[i] = !trial_is_missing(&definition->nodes[i], &run->nodes[i]);
        for (unsigned i = 0; i < definition->n_nodes; i++)
                for (unsigned k = 0; k < definition->nodes[i].n_parents; k++)
                        if (!trial_is_missing(&definition->nodes[i], &run->nodes[i]))
                                goals[definition->nodes[i].parents[k]] = false;
        for (unsigned i = 0; i < definition->n_nodes; i++)
                goals[i] = goals[i] || (definition->nodes[i].is_always_needed &&
                                        !trial_is_missing(&definition->nodes[i], &run->nodes[i]));
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].is_item)
                        goals[i] = goals[definition->nodes[i].item_of];
}

/* Marks @started[i] of all nodes that have begun in their present generation. */
static void find_started(const RunModel *model, unsigned r, bool *started) {
        memcpy(started, model->runs[r].has_begun, TRIAL_NODES_MAX * sizeof(*started));
        for (size_t i = 0; i < model->n_attempts; i++) {
                const ModelAttempt *attempt = &model->attempts[i];

                if (attempt->run == r && attempt->generation == model->runs[r].nodes[attempt->node].generation)
                        started[attempt->node] = true;
        }
}

typedef enum Edge {
        EDGE_OPTIONAL,                  /* the child can do without */
        EDGE_SURPLUS,                   /* it wanted some of its parents, and has them */
        EDGE_MUST,
} Edge;

static Edge edge_of(const TrialNode *child, unsigned k) {
        const TrialReadiness rule = child->readiness;

        if (rule == TRIAL_ANY || rule == TRIAL_OPTIONAL || (rule == TRIAL_MUST && !child->is_marked[k]))
                return EDGE_OPTIONAL;
        if (rule == TRIAL_AT_LEAST || rule == TRIAL_AT_LEAST_PERCENT || (rule == TRIAL_NAMED && !child->is_marked[k]))
                return EDGE_SURPLUS;
        return EDGE_MUST;
}

/* Whether a child that has started, or has been decided, needs the parent behind an edge like @edge. */
static bool still_needs(const TrialNodeView *child, bool has_started, Edge edge, TrialSkipUnneeded skip) {
        if (child->state == TRIAL_NODE_SKIPPED && child->reason == TRIAL_REASON_SHORT_CIRCUIT)
                return false;
        if (edge == EDGE_OPTIONAL)
                return false;
        if (skip != TRIAL_SKIP_ALL)
                return true;
        return edge == EDGE_MUST && has_started;
}

/* What is not decided needs the conditions that decide about it. */
static bool need_deciders(const TrialDefinition *definition, unsigned node, bool *needed) {
        bool has_changed = false;

        if (!definition->nodes[node].is_otherwise)
                return false;
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (!needed[i] && trial_decides_about(&definition->nodes[i], &definition->nodes[node]))
                        needed[i] = has_changed = true;
        return has_changed;
}

static bool need_once(const RunModel *model, unsigned r, const bool *started, bool *needed) {
        const TrialDefinition *definition = model->definition;
        bool has_changed = false;

        for (unsigned i = definition->n_nodes; i-- > 0;) {
                const TrialNode *spec = &definition->nodes[i];
                const TrialNodeView *view = &model->runs[r].nodes[i];
                const bool waits = !started[i] && !trial_node_is_terminal(view->state);

                if (trial_is_missing(spec, view))
                        continue;
                if (waits && needed[i])
                        has_changed = need_deciders(definition, i, needed) || has_changed;
                for (unsigned k = 0; k < spec->n_parents; k++) {
                        const unsigned parent = spec->parents[k];

                        if (!needed[parent] &&
                            (waits ? needed[i]
                                   : still_needs(view, started[i], edge_of(spec, k),
                                                 definition->nodes[parent].skip_unneeded)))
                                needed[parent] = has_changed = true;
                }
        }
        return has_changed;
}

void run_model_find_needed(const RunModel *model, unsigned r, bool *needed) {
        const TrialDefinition *definition = model->definition;
        bool started[TRIAL_NODES_MAX];

        find_started(model, r, started);
        run_model_find_goals(model, &model->runs[r], needed);
        for (unsigned i = 0; i < definition->n_nodes; i++)
                needed[i] = needed[i] || model->runs[r].is_wanted[i] ||
                            definition->nodes[i].skip_unneeded == TRIAL_SKIP_NONE;
        /* Nodes with Otherwise=yes may need later ones: until nothing changes. */
        while (need_once(model, r, started, needed))
                ;
}
