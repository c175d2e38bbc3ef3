/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The end of a run: what has succeeded is undone, and a final command runs
 *
 * The result is fixed, and nothing else of the run is left. Of what has succeeded and was not undone since, the last
 * success comes first, one after the other.
 */

#include "run_model_private.h"

static bool is_at_rest(const ModelRun *run, unsigned node) {
        return run->nodes[node].state != TRIAL_NODE_READY && run->nodes[node].state != TRIAL_NODE_RUNNING &&
               run->nodes[node].state != TRIAL_NODE_DEFERRED;
}

bool run_model_is_ending(const ModelRun *run) {
        return run->state == TRIAL_RUN_STOPPING || (run->state == TRIAL_RUN_SUSPENDED && run->has_result);
}

/* Somebody counts on it that @node is undone, if that is wanted. */
static bool is_to_undo(const RunModel *model, const ModelRun *run, unsigned node) {
        return model->definition->nodes[node].has_undo && run->nodes[node].state == TRIAL_NODE_SUCCEEDED &&
               run->nodes[trial_undo_of(model->definition, node)].state == TRIAL_NODE_WAITING;
}

bool run_model_is_undone(const RunModel *model, const ModelRun *run, unsigned node) {
        return model->definition->nodes[node].has_undo && run->nodes[node].state == TRIAL_NODE_SUCCEEDED &&
               run->nodes[trial_undo_of(model->definition, node)].state == TRIAL_NODE_SUCCEEDED;
}

static bool wants_undo(const RunModel *model, const ModelRun *run) {
        if (run->wants_undo)
                return true;
        if (run->result == TRIAL_RUN_FAILED || run->result == TRIAL_RUN_TIMEOUT)
                return model->definition->undoes_failure;
        return run->result == TRIAL_RUN_CANCELLED && model->definition->undoes_cancel;
}

/* The node whose success is the last of those that are to be undone; -1. */
static int last_to_undo(const RunModel *model, const ModelRun *run) {
        int last = -1;

        for (unsigned i = 0; i < model->definition->n_nodes && wants_undo(model, run); i++)
                if (is_to_undo(model, run, i) && (last < 0 || run->success[i] > run->success[last]))
                        last = (int) i;
        return last;
}

static void begin_end(RunModel *model, unsigned r, unsigned node, TrialReason reason) {
        ModelRun *run = &model->runs[r];

        /* The time of the run is over for its nodes; what ends it has a time of its own. */
        run->deadline = TRIAL_NEVER;
        run->state = TRIAL_RUN_STOPPING;
        run->reason = reason;
        run_model_set(model, r, node, TRIAL_NODE_READY, TRIAL_REASON_NONE);
}

bool run_model_end_step(RunModel *model, unsigned r) {
        ModelRun *run = &model->runs[r];
        const unsigned n = trial_n_views(model->definition), final = n - 1;
        const int last = last_to_undo(model, run);

        if (n == model->definition->n_nodes)
                return false;
        for (unsigned i = model->definition->n_nodes; i < n; i++)
                if (!is_at_rest(run, i))
                        return true;
        for (unsigned i = model->definition->n_nodes; i < n; i++)
                if (run->nodes[i].state == TRIAL_NODE_PENDING) {
                        run->state = TRIAL_RUN_SUSPENDED;
                        return true;
                }
        if (last >= 0) {
                const unsigned undo = trial_undo_of(model->definition, (unsigned) last);

                run->nodes[undo].generation = run->nodes[last].generation;
                begin_end(model, r, undo, TRIAL_REASON_COMPENSATE);
        } else if (model->definition->has_final && run->nodes[final].state == TRIAL_NODE_WAITING)
                begin_end(model, r, final, TRIAL_REASON_FINAL);
        else
                return false;
        return true;
}

/* A step that waits with the run that it undoes is told to end, and has ended when that run has given up. */
static void give_up_one(RunModel *model, unsigned r, unsigned undo) {
        if (run_model_waits_with_sub_run(model, r, undo))
                run_model_tell_end(model, run_model_live_attempt(model, r, undo), MODEL_CANCELLED);
        else
                run_model_set(model, r, undo, TRIAL_NODE_SKIPPED, TRIAL_REASON_ENDED);
}

/* What is left to undo is not, and what waits for a person does not. */
void run_model_give_up(RunModel *model, unsigned r, bool has_begun) {
        ModelRun *run = &model->runs[r];
        const unsigned n = trial_n_views(model->definition);

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (is_to_undo(model, run, i))
                        run_model_set(model, r, trial_undo_of(model->definition, i), TRIAL_NODE_SKIPPED,
                                      TRIAL_REASON_ENDED);
        for (unsigned i = model->definition->n_nodes; i < n; i++)
                if (run->nodes[i].state == TRIAL_NODE_PENDING)
                        give_up_one(model, r, i);
        if (!has_begun && model->definition->has_final && run->nodes[n - 1].state == TRIAL_NODE_WAITING)
                run_model_set(model, r, n - 1, TRIAL_NODE_SKIPPED, TRIAL_REASON_ENDED);
}

int run_model_compensate(RunModel *model, unsigned r) {
        ModelRun *run = &model->runs[r];
        bool has_something = false;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                has_something = has_something || (model->definition->nodes[i].has_undo &&
                                                  run->nodes[i].state == TRIAL_NODE_SUCCEEDED &&
                                                  !run_model_is_undone(model, run, i));
        if (!trial_run_is_terminal(run->state) || !has_something)
                return -EINVAL;
        /* One that has failed, or was given up, is tried again. */
        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                const unsigned undo = trial_undo_of(model->definition, i);

                if (model->definition->nodes[i].has_undo && run->nodes[undo].state != TRIAL_NODE_SUCCEEDED)
                        run_model_set(model, r, undo, TRIAL_NODE_WAITING, TRIAL_REASON_NONE);
        }
        run->result = run->state;
        run->result_reason = TRIAL_REASON_NONE;
        run->wants_undo = run->has_result = true;
        run->state = TRIAL_RUN_STOPPING;
        run->reason = TRIAL_REASON_COMPENSATE;
        return 0;
}

/* Before a next round: the final command is to run again, and what was undone has to be done again. */
void run_model_redo(RunModel *model, unsigned r, bool *is_reset) {
        ModelRun *run = &model->runs[r];
        const unsigned n = trial_n_views(model->definition);

        memset(is_reset, 0, TRIAL_NODES_MAX * sizeof(*is_reset));
        if (model->definition->has_final && run->nodes[n - 1].state != TRIAL_NODE_WAITING) {
                run->nodes[n - 1].generation++;
                run->forgiven[n - 1] = 0;
                run_model_set(model, r, n - 1, TRIAL_NODE_WAITING, TRIAL_REASON_NONE);
        }
        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                bool below[TRIAL_NODES_MAX];

                if (!run_model_is_undone(model, run, i))
                        continue;
                is_reset[i] = true;
                run_model_descendants(model, run, i, below);
                for (unsigned k = 0; k < model->definition->n_nodes; k++)
                        is_reset[k] = is_reset[k] || below[k];
        }
}
