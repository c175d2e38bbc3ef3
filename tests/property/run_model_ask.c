/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What people and units ask for
 */

#include "basic/macro.h"
#include "run_model_private.h"

void run_model_stop(RunModel *model, unsigned r, TrialRunState result, TrialReason reason, ModelEnding ending) {
        ModelRun *run = &model->runs[r];

        if (run->state == TRIAL_RUN_SUSPENDED && run->has_result) {
                run_model_give_up(model, r, true);
                run->state = TRIAL_RUN_STOPPING;
        } else if (run->state != TRIAL_RUN_STOPPING) {
                if (!run_model_is_busy(run->state))
                        run_model_give_up(model, r, false);
                run->has_result = true;
                run->state = TRIAL_RUN_STOPPING;
                run->reason = TRIAL_REASON_NONE;
                run->result = result;
                run->result_reason = reason;
                /* A run that ends by itself does not start a stopped unit: what is left of it waits for that. */
                if (result == TRIAL_RUN_CANCELLED || trial_n_views(model->definition) == model->definition->n_nodes)
                        run->hold = MODEL_NOT_HELD;
        }
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run_model_waits_with_sub_run(model, r, i))
                        run_model_end_wait(model, r, i, ending);
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run->nodes[i].state != TRIAL_NODE_RUNNING && !trial_node_is_terminal(run->nodes[i].state))
                        run_model_set(model, r, i, TRIAL_NODE_SKIPPED, TRIAL_REASON_ENDED);
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run_model_is_idle(model, r, i) && !run_model_waits_for_items(model, r, i))
                        run_model_end_idle(model, r, i);
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run->nodes[i].state == TRIAL_NODE_RUNNING && ending != MODEL_RUNS_ON) {
                        ModelAttempt *attempt = run_model_live_attempt(model, r, i);

                        /* There is none if it is what has just failed. */
                        if (attempt)
                                run_model_tell_end(model, attempt, ending);
                }
}

/* — submit — */

static unsigned count_runs(const RunModel *model, bool queued) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->n_runs; i++) {
                const TrialRunState state = model->runs[i].state;

                n += queued ? state == TRIAL_RUN_QUEUED : run_model_is_busy(state);
        }
        return n;
}

/* What a start of the unit would bring: all of these get places, or queue. */
static unsigned count_created(const RunModel *model) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->n_runs; i++)
                n += model->runs[i].state == TRIAL_RUN_CREATED && model->runs[i].hold == MODEL_NOT_HELD;
        return n;
}

static int submit(RunModel *model, const TrialEvent *event) {
        const uint8_t key = event->key;
        const TrialDefinition *definition = model->definition;
        const unsigned n_views = trial_n_views(definition);
        const unsigned running = count_runs(model, false), waiting = running + count_created(model);
        const bool is_busy = waiting >= definition->max_runs;
        const unsigned queued = count_runs(model, true) +
                                MIN(count_created(model), waiting - MIN(waiting, definition->max_runs));
        /* It waits for what it takes, however many run. */
        const bool may_wait = is_busy ? definition->on_busy == TRIAL_BUSY_QUEUE : trial_run_takes(definition);
        ModelRun run = { .state = TRIAL_RUN_CREATED, .round = 1, .key = key, .deadline = TRIAL_NEVER };

        for (unsigned i = 0; i < model->n_runs; i++)
                if (model->runs[i].key == key)
                        return 0;
        if (is_busy && (definition->on_busy == TRIAL_BUSY_REJECT || definition->on_busy == TRIAL_BUSY_SKIP))
                return -EBUSY;
        if (may_wait && queued >= definition->max_queued)
                return -EBUSY;
        if (is_busy && definition->on_busy == TRIAL_BUSY_REPLACE)
                for (unsigned i = 0; i < model->n_runs; i++)
                        /* What waits for a person to be undone is given up by a person alone. */
                        if (!trial_run_is_terminal(model->runs[i].state) &&
                            (model->runs[i].state != TRIAL_RUN_SUSPENDED || !model->runs[i].has_result))
                                run_model_stop(model, i, TRIAL_RUN_CANCELLED, TRIAL_REASON_NONE, MODEL_CANCELLED);
        for (unsigned i = 0; i < n_views; i++) {
                const bool is_there = !definition->nodes[i].is_item && definition->nodes[i].added_in == 0;

                run.nodes[i].generation = is_there;
                if (!is_there)
                        run.nodes[i].state = TRIAL_NODE_ABSENT;
                run.rank[i] = (uint16_t) i;
        }
        run.priority = event->priority > 0 ? event->priority : definition->priority;
        run_model_find_ways(model, &run);
        run.place = model->places++;
        model->runs[model->n_runs++] = run;
        return 0;
}

/* — verbs of a run — */

static int pause_run(ModelRun *run) {
        if (run->state != TRIAL_RUN_RUNNING)
                return -EINVAL;
        run->state = TRIAL_RUN_PAUSING;
        run->reason = TRIAL_REASON_NONE;
        return 0;
}

static int resume_run(ModelRun *run) {
        if (run->state == TRIAL_RUN_PAUSED || run->state == TRIAL_RUN_PAUSING) {
                run->state = TRIAL_RUN_RUNNING;
                run->reason = TRIAL_REASON_NONE;
        } else if (run->hold == MODEL_NOT_HELD)
                return -EINVAL;
        run->hold = MODEL_NOT_HELD;
        return 0;
}

void run_model_reset(RunModel *model, unsigned r, unsigned node) {
        model->runs[r].nodes[node].generation++;
        model->runs[r].forgiven[node] = 0;
        model->runs[r].is_wanted[node] = false;
        model->runs[r].has_passed[node] = false;
        model->runs[r].is_approved[node] = false;
        model->runs[r].has_begun[node] = false;
        model->runs[r].is_completed[node] = false;
        memset(model->runs[r].ends_seen[node], 0, sizeof(model->runs[r].ends_seen[node]));
        run_model_set(model, r, node, TRIAL_NODE_WAITING, TRIAL_REASON_NONE);
}

/* The list of a node that is not what a person has asked for is another one the next time. */
static void reset_node(RunModel *model, unsigned r, unsigned node) {
        run_model_reset(model, r, node);
        if (model->definition->nodes[node].is_foreach)
                run_model_drop_items(model, r, node);
}

/*
 * A node that has ended goes on with what it has of instances, to do again what has not succeeded, or one of them: it
 * has begun already, by all that stands before it.
 */
static void try_again(RunModel *model, unsigned r, unsigned node) {
        const TrialNode *spec = &model->definition->nodes[node];
        const unsigned list = spec->is_item ? spec->item_of : node;
        const bool goes_on = model->definition->nodes[list].is_foreach &&
                             trial_is_expanded(model->definition, model->runs[r].nodes, list);

        if (spec->is_foreach)
                run_model_reset_items(model, r, node);
        if (!goes_on || trial_node_is_terminal(model->runs[r].nodes[list].state))
                run_model_reset(model, r, list);
        if (goes_on)
                run_model_set(model, r, list, TRIAL_NODE_RUNNING, TRIAL_REASON_FOREACH);
        if (spec->is_item)
                run_model_reset(model, r, node);
}

/* One that was skipped or cancelled is reset like others, and its node goes on with it. */
static void reset_item_below(RunModel *model, unsigned r, unsigned node, bool is_below) {
        const TrialNodeState state = model->runs[r].nodes[node].state;

        if (is_below && (state == TRIAL_NODE_SKIPPED || state == TRIAL_NODE_CANCELLED))
                try_again(model, r, node);
}

/* Resets what is below @node: all of it, or what was skipped or cancelled. */
static void reset_below(RunModel *model, unsigned r, unsigned node, bool all) {
        bool below[TRIAL_NODES_MAX];

        run_model_descendants(model, &model->runs[r], node, below);
        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                const TrialNodeState state = model->runs[r].nodes[i].state;

                if (model->definition->nodes[i].is_item) {
                        reset_item_below(model, r, i, below[i]);
                        continue;
                }
                if (below[i] && ((all && trial_node_is_terminal(state)) || state == TRIAL_NODE_SKIPPED ||
                                 state == TRIAL_NODE_CANCELLED))
                        reset_node(model, r, i);
                else if (below[i])
                        /* Commands that judge are asked anew: something above has changed. */
                        memset(model->runs[r].ends_seen[i], 0xff, sizeof(model->runs[r].ends_seen[i]));
        }
}

static void begin_round(RunModel *model, ModelRun *run) {
        run->state = TRIAL_RUN_CREATED;
        run->reason = TRIAL_REASON_NONE;
        run->hold = MODEL_NOT_HELD;
        run->round++;
        run->has_result = run->wants_undo = false;
        run->place = model->places++;
        run->deadline = TRIAL_NEVER;
}

void run_model_wake(ModelRun *run) {
        if (run->state != TRIAL_RUN_SUSPENDED)
                return;
        run->state = run->has_result ? TRIAL_RUN_STOPPING : TRIAL_RUN_RUNNING;
        if (run->hold != MODEL_NOT_HELD && !run->has_result) {
                run->state = TRIAL_RUN_PAUSED;
                run->reason = TRIAL_REASON_UNIT;
        }
}

static bool listens(const ModelRun *run) {
        return run->state == TRIAL_RUN_RUNNING || run->state == TRIAL_RUN_PAUSING || run->state == TRIAL_RUN_PAUSED ||
               run->state == TRIAL_RUN_SUSPENDED;
}

/* A PENDING node has another try, with all the retries and the time that it had in the beginning. */
static void forgive(RunModel *model, unsigned r, unsigned node) {
        for (size_t i = 0; i < model->n_attempts; i++) {
                const ModelAttempt *attempt = &model->attempts[i];

                if (attempt->run == r && attempt->node == node &&
                    attempt->generation == model->runs[r].nodes[node].generation)
                        model->runs[r].forgiven[node] = attempt->number;
        }
        model->runs[r].is_wanted[node] = true;
        model->runs[r].is_completed[node] = false;
        run_model_become_ready(model, r, node);
}

/* No retry opens it. */
static bool is_at_gate(const ModelRun *run, unsigned node) {
        return run->nodes[node].state == TRIAL_NODE_PENDING && run->nodes[node].reason == TRIAL_REASON_GATE;
}

/* While a compensation waits for a person, it alone listens to one. */
static bool is_about(const RunModel *model, const ModelRun *run, unsigned node) {
        if (node < model->definition->n_nodes)
                return !run_model_is_ending(run);
        return run->state == TRIAL_RUN_SUSPENDED && run->nodes[node].state == TRIAL_NODE_PENDING;
}

/* Resets what has to be done again because it was undone. Returns whether @node is part of that. */
static bool redo(RunModel *model, unsigned r, unsigned node) {
        bool is_reset[TRIAL_NODES_MAX];

        run_model_redo(model, r, is_reset);
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (is_reset[i] && trial_node_is_terminal(model->runs[r].nodes[i].state))
                        reset_node(model, r, i);
        return is_reset[node];
}

static int retry_node(RunModel *model, unsigned r, unsigned node) {
        ModelRun *run = &model->runs[r];
        const TrialNodeState state = run->nodes[node].state;

        if ((!listens(run) && !trial_run_is_terminal(run->state)) || run_model_has_abandoned(model, r) ||
            is_at_gate(run, node) || !is_about(model, run, node))
                return -EINVAL;
        if (state == TRIAL_NODE_ABSENT || run_model_waits_with_sub_run(model, r, node) ||
            (state != TRIAL_NODE_PENDING && (!trial_node_is_terminal(state) || state == TRIAL_NODE_SUCCEEDED)))
                return -EINVAL;
        if (trial_run_is_terminal(run->state) && redo(model, r, node))
                run->is_wanted[node] = true;
        else if (state == TRIAL_NODE_PENDING)
                forgive(model, r, node);
        else if (trial_node_is_terminal(state) && state != TRIAL_NODE_SUCCEEDED) {
                try_again(model, r, node);
                reset_below(model, r, node, false);
                run->is_wanted[node] = true;
        } else
                return -EINVAL;
        if (trial_run_is_terminal(run->state))
                begin_round(model, run);
        run_model_wake(run);
        return 0;
}

static int rerun_from(RunModel *model, unsigned r, unsigned node) {
        ModelRun *run = &model->runs[r];

        if (!trial_run_is_terminal(run->state) || run_model_has_abandoned(model, r) || !is_about(model, run, node) ||
            run->nodes[node].state == TRIAL_NODE_ABSENT)
                return -EINVAL;
        if (model->definition->nodes[node].is_item)
                try_again(model, r, node);
        else if (!redo(model, r, node))
                reset_node(model, r, node);
        reset_below(model, r, node, true);
        run->is_wanted[node] = true;
        begin_round(model, run);
        return 0;
}

/* An ended node that failed is said to have succeeded, in a new round. */
static int resolve_ended(RunModel *model, unsigned r, unsigned node, TrialResolution resolution) {
        ModelRun *run = &model->runs[r];
        const TrialNodeState state = run->nodes[node].state;

        if (resolution != TRIAL_AS_SUCCESS || run_model_has_abandoned(model, r) || !is_about(model, run, node) ||
            (state != TRIAL_NODE_FAILED && state != TRIAL_NODE_TIMEOUT))
                return -EINVAL;
        if (model->definition->nodes[node].is_item)
                try_again(model, r, node);
        else if (!redo(model, r, node))
                reset_node(model, r, node);
        reset_below(model, r, node, false);
        begin_round(model, run);
        run_model_succeed(model, r, node, TRIAL_REASON_OPERATOR);
        return 0;
}

static int resolve_node(RunModel *model, unsigned r, unsigned node, TrialResolution resolution) {
        ModelRun *run = &model->runs[r];

        if (trial_run_is_terminal(run->state))
                return resolve_ended(model, r, node, resolution);
        if (!listens(run) || !is_about(model, run, node) || run->nodes[node].state != TRIAL_NODE_PENDING ||
            run_model_waits_with_sub_run(model, r, node) ||
            (resolution == TRIAL_AS_RETRY && is_at_gate(run, node)))
                return -EINVAL;
        run_model_wake(run);
        switch (resolution) {
        case TRIAL_AS_SUCCESS:
                run_model_succeed(model, r, node, TRIAL_REASON_OPERATOR);
                break;
        case TRIAL_AS_FAILED:
                run_model_fail_once(model, r, node, TRIAL_REASON_OPERATOR);
                break;
        case TRIAL_AS_RETRY:
                forgive(model, r, node);
                break;
        case TRIAL_AS_SKIP:
                run_model_set(model, r, node, TRIAL_NODE_SKIPPED, TRIAL_REASON_OPERATOR);
                break;
        }
        return 0;
}

static int answer_gate(RunModel *model, unsigned r, unsigned node, bool is_approved) {
        ModelRun *run = &model->runs[r];

        if (!listens(run) || run->has_result || !is_at_gate(run, node))
                return -EINVAL;
        run_model_wake(run);
        run->is_approved[node] = is_approved;
        if (is_approved && model->definition->nodes[node].action == TRIAL_ACTION_NOTHING) {
                run->has_begun[node] = true;
                run_model_succeed(model, r, node, TRIAL_REASON_NONE);
        } else if (is_approved)
                run_model_become_ready(model, r, node);
        else
                run_model_fail_once(model, r, node, TRIAL_REASON_REJECTED);
        return 0;
}

static int skip_node(RunModel *model, unsigned r, unsigned node) {
        ModelRun *run = &model->runs[r];
        const TrialNodeState state = run->nodes[node].state;

        if (!listens(run) || trial_node_is_terminal(state) || state == TRIAL_NODE_RUNNING ||
            run_model_waits_with_sub_run(model, r, node) || !is_about(model, run, node))
                return -EINVAL;
        run_model_set(model, r, node, TRIAL_NODE_SKIPPED, TRIAL_REASON_OPERATOR);
        run_model_wake(run);
        return 0;
}

/* The node keeps locks though nothing of it runs, whatever the state of its run; its next attempt takes them again. */
static int unlock_node(RunModel *model, unsigned r, unsigned node) {
        ModelRun *run = &model->runs[r];

        if (run_model_waits_with_sub_run(model, r, node))
                return -EINVAL;
        if (model->definition->nodes[node].locks == 0 || !run->has_locks[node] ||
            run->nodes[node].state == TRIAL_NODE_RUNNING || run_model_abandoned_attempt(model, r, node))
                return -EINVAL;
        run->has_locks[node] = false;
        run_model_take_turn(model, r, node);
        return 0;
}

/* The same again changes nothing. */
static int add_nodes(RunModel *model, unsigned r, unsigned node) {
        ModelRun *run = &model->runs[r];
        const unsigned addition = node < model->definition->n_nodes ? model->definition->nodes[node].added_in : 0;

        if (addition == 0 || trial_run_is_terminal(run->state) || run_model_is_ending(run))
                return -EINVAL;
        if (run->nodes[node].state != TRIAL_NODE_ABSENT)
                return 0;
        if (!trial_may_add(model->definition, run->nodes, addition))
                return -EINVAL;
        run->additions++;
        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                if (model->definition->nodes[i].added_in != addition)
                        continue;
                run->nodes[i].generation = 1;
                run->rank[i] = (uint16_t) (run->additions * TRIAL_NODES_MAX + i);
                run_model_set(model, r, i, TRIAL_NODE_WAITING, TRIAL_REASON_NONE);
        }
        run_model_find_ways(model, run);
        return 0;
}

/* Whoever has the token of the node: it has had an attempt in this generation, and has not ended. */
static bool can_complete(RunModel *model, unsigned r, unsigned node) {
        const ModelAttempt *last = run_model_last_attempt(model, r, node);
        const TrialNodeView *view = &model->runs[r].nodes[node];

        return model->definition->nodes[node].has_callback && listens(&model->runs[r]) && last &&
               last->generation == view->generation && !trial_node_is_terminal(view->state);
}

/* The same again is the same answer, whatever has become of the node. */
static int complete_node(RunModel *model, const TrialEvent *event) {
        ModelRun *run = &model->runs[event->run];
        const unsigned node = event->node;

        if (event->generation != run->nodes[node].generation)
                return -EINVAL;
        if (run->is_completed[node])
                return run->completion[node] == event->resolution ? 0 : -EINVAL;
        if (!can_complete(model, event->run, node))
                return -EINVAL;
        run->is_completed[node] = true;
        run->completion[node] = event->resolution;
        /* While a process lives its exit is waited for. */
        if (run_model_live_attempt(model, event->run, node))
                return 0;
        run_model_wake(run);
        run_model_take_completion(model, event->run, node);
        return 0;
}

/* — the unit — */

static void release_holds(RunModel *model, bool by_person) {
        for (unsigned i = 0; i < model->n_runs; i++) {
                ModelRun *run = &model->runs[i];

                if (run->hold == MODEL_NOT_HELD || (run->hold == MODEL_HELD_BY_PERSON && !by_person))
                        continue;
                run->hold = MODEL_NOT_HELD;
                /* One that a person has paused stays so. */
                if (run->reason != TRIAL_REASON_UNIT)
                        continue;
                run->state = TRIAL_RUN_RUNNING;
                run->reason = TRIAL_REASON_NONE;
        }
}

static void hold_runs(RunModel *model, bool by_person) {
        for (unsigned i = 0; i < model->n_runs; i++) {
                ModelRun *run = &model->runs[i];

                /* Its end may take another while, and more commands. */
                if (trial_run_is_terminal(run->state) ||
                    (run->state == TRIAL_RUN_STOPPING && trial_n_views(model->definition) == model->definition->n_nodes))
                        continue;
                if (run->hold != MODEL_HELD_BY_PERSON)
                        run->hold = by_person ? MODEL_HELD_BY_PERSON : MODEL_HELD_BY_SYSTEM;
                if (run->state != TRIAL_RUN_RUNNING)
                        continue;
                run->state = TRIAL_RUN_PAUSING;
                run->reason = TRIAL_REASON_UNIT;
        }
}

/* A process that was left is the unit's all the same. */
static void end_abandoned(RunModel *model) {
        for (size_t i = 0; i < model->n_attempts; i++)
                if (model->attempts[i].is_abandoned && model->attempts[i].end == MODEL_IS_LIVE)
                        run_model_tell_end(model, &model->attempts[i], MODEL_CANCELLED);
}

static bool has_end_to_begin(const RunModel *model, const ModelRun *run) {
        for (unsigned i = model->definition->n_nodes; i < trial_n_views(model->definition); i++)
                if (run->state == TRIAL_RUN_STOPPING && run->nodes[i].state == TRIAL_NODE_READY)
                        return true;
        return false;
}

/* The unit's start job has come to nothing. A run that had begun before waits for the next one. */
static void end_created(RunModel *model, TrialRunState result, TrialReason reason) {
        for (unsigned i = 0; i < model->n_runs; i++) {
                ModelRun *run = &model->runs[i];

                if (run->state == TRIAL_RUN_CREATED && run->hold == MODEL_NOT_HELD)
                        run_model_stop(model, i, result, reason, MODEL_RUNS_ON);
                if (has_end_to_begin(model, run))
                        run->hold = run->hold == MODEL_NOT_HELD ? MODEL_HELD_BY_SYSTEM : run->hold;
                if (run->state != TRIAL_RUN_RUNNING)
                        continue;
                run->state = TRIAL_RUN_PAUSING;
                run->reason = TRIAL_REASON_UNIT;
                run->hold = MODEL_HELD_BY_SYSTEM;
        }
}

static int ask_unit(RunModel *model, const TrialEvent *event) {
        if (event->kind == TRIAL_UNIT_ACTIVE) {
                model->unit_is_active = true;
                release_holds(model, event->by_person);
        } else if (event->kind == TRIAL_UNIT_FAILED)
                end_created(model, TRIAL_RUN_FAILED, TRIAL_REASON_DEPENDENCY);
        else if (event->kind == TRIAL_UNIT_CANCELLED)
                end_created(model, TRIAL_RUN_CANCELLED, TRIAL_REASON_NONE);
        else {
                model->unit_is_active = false;
                if (event->kind == TRIAL_UNIT_STOP) {
                        hold_runs(model, event->by_person);
                        end_abandoned(model);
                }
        }
        return 0;
}

static int ask_run(RunModel *model, const TrialEvent *event) {
        ModelRun *run = &model->runs[event->run];

        if (event->kind == TRIAL_PAUSE)
                return pause_run(run);
        if (event->kind == TRIAL_RESUME)
                return resume_run(run);
        if (event->kind == TRIAL_RETRY)
                return retry_node(model, event->run, event->node);
        if (event->kind == TRIAL_RERUN)
                return rerun_from(model, event->run, event->node);
        if (event->kind == TRIAL_RESOLVE)
                return resolve_node(model, event->run, event->node, event->resolution);
        if (event->kind == TRIAL_SKIP)
                return skip_node(model, event->run, event->node);
        if (event->kind == TRIAL_APPROVE || event->kind == TRIAL_REJECT)
                return answer_gate(model, event->run, event->node, event->kind == TRIAL_APPROVE);
        if (event->kind == TRIAL_ADD)
                return add_nodes(model, event->run, event->node);
        if (event->kind == TRIAL_UNLOCK)
                return unlock_node(model, event->run, event->node);
        if (event->kind == TRIAL_COMPENSATE)
                return run_model_compensate(model, event->run);
        if (event->kind == TRIAL_COMPLETE)
                return complete_node(model, event);
        if (trial_run_is_terminal(run->state))
                return -EINVAL;
        /* Whoever asks for the end wants it now, with the unit if need be. */
        run->hold = MODEL_NOT_HELD;
        run_model_stop(model, event->run, TRIAL_RUN_CANCELLED, TRIAL_REASON_NONE,
                       event->kind == TRIAL_CANCEL ? MODEL_CANCELLED : MODEL_RUNS_ON);
        return 0;
}

int run_model_ask(RunModel *model, const TrialEvent *event) {
        if (event->kind == TRIAL_SUBMIT)
                return submit(model, event);
        if (event->kind >= TRIAL_UNIT_ACTIVE && event->kind <= TRIAL_UNIT_INACTIVE)
                return ask_unit(model, event);
        return event->run < model->n_runs ? ask_run(model, event) : -ENOENT;
}
