/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Nodes with Foreach=, and their instances
 *
 * All instances that there can ever be are nodes of the model, most of the time ABSENT. A node that begins makes
 * those of its list; it has ended when all of them have.
 */

#include "run_model_private.h"

static bool is_item_of(const RunModel *model, unsigned i, unsigned node) {
        return model->definition->nodes[i].is_item && model->definition->nodes[i].item_of == node;
}

bool run_model_waits_for_items(const RunModel *model, unsigned r, unsigned node) {
        return model->definition->nodes[node].is_foreach && model->runs[r].nodes[node].state == TRIAL_NODE_RUNNING;
}

static unsigned count_items(const RunModel *model, unsigned r, unsigned node, TrialNodeState state) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += is_item_of(model, i, node) && model->runs[r].nodes[i].state == state;
        return n;
}

/* — ForeachParallel= — */

static bool has_free_turn(const RunModel *model, unsigned r, unsigned node) {
        const TrialNode *spec = &model->definition->nodes[node];
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += is_item_of(model, i, spec->item_of) && model->runs[r].has_turn[i];
        return spec->foreach_parallel == 0 || n < spec->foreach_parallel;
}

bool run_model_is_bounded(const RunModel *model, unsigned r, unsigned node) {
        return model->definition->nodes[node].is_item && !model->runs[r].has_turn[node];
}

bool run_model_keeps_turn(const RunModel *model, unsigned r, unsigned node) {
        return run_model_waits_with_sub_run(model, r, node) ||
               (model->definition->nodes[node].locks != 0 && model->runs[r].has_locks[node]);
}

/* An instance that is READY keeps its turn until its attempt has ended; one that waits to be completed runs. */
void run_model_take_turn(RunModel *model, unsigned r, unsigned node) {
        const TrialNodeState state = model->runs[r].nodes[node].state;

        if (!model->definition->nodes[node].is_item)
                return;
        if (state == TRIAL_NODE_READY && !model->runs[r].has_turn[node])
                model->runs[r].has_turn[node] = has_free_turn(model, r, node);
        else if (state != TRIAL_NODE_READY && state != TRIAL_NODE_RUNNING && !run_model_keeps_turn(model, r, node))
                model->runs[r].has_turn[node] = false;
}

/* The first of those that wait comes first. */
void run_model_give_turns(RunModel *model, unsigned r) {
        for (unsigned i = trial_n_own(model->definition); i < model->definition->n_nodes; i++)
                if (model->runs[r].nodes[i].state == TRIAL_NODE_READY)
                        run_model_take_turn(model, r, i);
}

/* — beginnings — */

void run_model_drop_items(RunModel *model, unsigned r, unsigned node) {
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (is_item_of(model, i, node))
                        run_model_set(model, r, i, TRIAL_NODE_ABSENT, TRIAL_REASON_NONE);
}

/* Instances that have not succeeded are executed again once the node begins. */
void run_model_reset_items(RunModel *model, unsigned r, unsigned node) {
        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                const TrialNodeState state = model->runs[r].nodes[i].state;

                if (is_item_of(model, i, node) && state != TRIAL_NODE_ABSENT && state != TRIAL_NODE_SUCCEEDED)
                        run_model_reset(model, r, i);
        }
}

void run_model_begin_list(RunModel *model, unsigned r, unsigned node) {
        const TrialNode *spec = &model->definition->nodes[node];
        const TrialNodeView *view = &model->runs[r].nodes[node];
        const unsigned n = spec->items[(view->generation - 1) % 2];

        /* One that goes on with what it has does not look at its list again. */
        if (trial_is_expanded(model->definition, model->runs[r].nodes, node)) {
                run_model_set(model, r, node, TRIAL_NODE_RUNNING, TRIAL_REASON_FOREACH);
                return;
        }
        if (n > TRIAL_ITEMS_MAX) {
                run_model_fail(model, r, node, TRIAL_NODE_FAILED,
                               n == TRIAL_ITEMS_BROKEN ? TRIAL_REASON_EXPRESSION : TRIAL_REASON_TOO_MANY);
                return;
        }
        if (n == 0) {
                run_model_succeed(model, r, node, TRIAL_REASON_NONE);
                return;
        }
        run_model_set(model, r, node, TRIAL_NODE_RUNNING, TRIAL_REASON_FOREACH);
        for (unsigned i = 0; i < n; i++) {
                const unsigned item = trial_find_item(model->definition, node, i);
                TrialNodeView *made = &model->runs[r].nodes[item];
                const bool is_new = made->generation == 0;

                run_model_reset(model, r, item);
                if (is_new)
                        made->generation = view->generation;
        }
}

/* The run has ended it, or goes on without it, and it has not failed; in an earlier round that counts for nothing. */
static bool is_excused(const RunModel *model, unsigned r, unsigned node) {
        const TrialNodeView *view = &model->runs[r].nodes[node];

        if (view->state == TRIAL_NODE_CANCELLED && view->reason == TRIAL_REASON_UNNEEDED)
                return true;
        if (model->runs[r].state != TRIAL_RUN_STOPPING)
                return false;
        /* A sub-run that was cancelled is a failure, whatever the end of the run is. */
        return (view->state == TRIAL_NODE_CANCELLED && view->reason != TRIAL_REASON_SUB_RUN) ||
               (view->state == TRIAL_NODE_TIMEOUT && view->reason == TRIAL_REASON_DEADLINE) ||
               (view->state == TRIAL_NODE_SKIPPED && view->reason == TRIAL_REASON_ENDED);
}

static unsigned count_failed_items(const RunModel *model, unsigned r, unsigned node) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += is_item_of(model, i, node) && model->runs[r].nodes[i].state != TRIAL_NODE_SUCCEEDED &&
                     model->runs[r].nodes[i].state != TRIAL_NODE_ABSENT && !is_excused(model, r, i);
        return n;
}

/* An instance that has not succeeded is a failure of the node; but what the end of the run has kept from that is none. */
static void end_list(RunModel *model, unsigned r, unsigned node) {
        if (count_failed_items(model, r, node) > 0)
                run_model_fail_once(model, r, node, TRIAL_REASON_NONE);
        else if (count_items(model, r, node, TRIAL_NODE_TIMEOUT) > 0)
                run_model_set(model, r, node, TRIAL_NODE_TIMEOUT, TRIAL_REASON_DEADLINE);
        else if (count_items(model, r, node, TRIAL_NODE_CANCELLED) > 0)
                run_model_set(model, r, node, TRIAL_NODE_CANCELLED, TRIAL_REASON_ENDED);
        else if (count_items(model, r, node, TRIAL_NODE_SKIPPED) > 0)
                run_model_set(model, r, node, TRIAL_NODE_SKIPPED, TRIAL_REASON_ENDED);
        else
                run_model_succeed(model, r, node, TRIAL_REASON_NONE);
}

static bool has_open_item(const RunModel *model, unsigned r, unsigned node) {
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (is_item_of(model, i, node) && !trial_node_is_terminal(model->runs[r].nodes[i].state))
                        return true;
        return false;
}

void run_model_end_lists(RunModel *model, unsigned r) {
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run_model_waits_for_items(model, r, i) && !has_open_item(model, r, i))
                        end_list(model, r, i);
}
