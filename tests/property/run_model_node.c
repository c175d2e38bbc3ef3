/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Attempts, their ends, and the times of nodes
 */

#include "run_model_private.h"

#define LOST_MAX 3                      /* a node that was lost so often is poison */

void run_model_set(RunModel *model, unsigned run, unsigned node, TrialNodeState state, TrialReason reason) {
        TrialNodeView *view = &model->runs[run].nodes[node];

        if (state == TRIAL_NODE_SUCCEEDED && view->state != TRIAL_NODE_SUCCEEDED)
                model->runs[run].success[node] = ++model->runs[run].successes;
        /* What is to be done again is to be undone again. */
        if (state != TRIAL_NODE_SUCCEEDED && view->state == TRIAL_NODE_SUCCEEDED && node < model->definition->n_nodes &&
            model->definition->nodes[node].has_undo)
                run_model_set(model, run, trial_undo_of(model->definition, node), TRIAL_NODE_WAITING, TRIAL_REASON_NONE);
        view->state = state;
        view->reason = reason;
        view->not_before = 0;
        /* A process that was abandoned keeps them until it ends. */
        if (trial_node_is_terminal(state) ||
            (model->definition->nodes[node].gives_up_locks &&
             (state == TRIAL_NODE_DEFERRED || (state == TRIAL_NODE_PENDING && reason != TRIAL_REASON_SUB_RUN) ||
              state == TRIAL_NODE_READY)))
                model->runs[run].has_locks[node] = run_model_abandoned_attempt(model, run, node) != NULL;
        model->runs[run].is_asked[node] = model->runs[run].must_ask[node] = false;
        model->runs[run].ready_at[node] = model->now;
        run_model_take_turn(model, run, node);
}

ModelAttempt *run_model_live_attempt(RunModel *model, unsigned run, unsigned node) {
        if (model->runs[run].nodes[node].state != TRIAL_NODE_RUNNING && !run_model_waits_with_sub_run(model, run, node))
                return NULL;
        for (size_t i = model->n_attempts; i-- > 0;) {
                ModelAttempt *attempt = &model->attempts[i];

                if (attempt->run == run && attempt->node == node && attempt->end == MODEL_IS_LIVE)
                        return attempt;
        }
        return NULL;
}

ModelAttempt *run_model_abandoned_attempt(RunModel *model, unsigned run, unsigned node) {
        if (model->definition->timeout_mode != TRIAL_TIMEOUT_ABANDON)
                return NULL;
        for (size_t i = 0; i < model->n_attempts; i++) {
                ModelAttempt *attempt = &model->attempts[i];

                if (attempt->run == run && attempt->node == node && attempt->is_abandoned &&
                    attempt->end == MODEL_IS_LIVE)
                        return attempt;
        }
        return NULL;
}

bool run_model_has_abandoned(RunModel *model, unsigned run) {
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run_model_abandoned_attempt(model, run, i))
                        return true;
        return false;
}

bool run_model_waits_with_sub_run(const RunModel *model, unsigned run, unsigned node) {
        return trial_waits_with_sub_run(&model->runs[run].nodes[node]);
}

void run_model_go_on(RunModel *model, unsigned run, unsigned node) {
        run_model_set(model, run, node, TRIAL_NODE_RUNNING, TRIAL_REASON_SUB_RUN);
        run_model_wake(&model->runs[run]);
}

bool run_model_is_idle(const RunModel *model, unsigned run, unsigned node) {
        return trial_is_idle(&model->definition->nodes[node], &model->runs[run].nodes[node]);
}

bool run_model_sleeps(const RunModel *model, unsigned run, unsigned node) {
        return model->runs[run].nodes[node].state == TRIAL_NODE_RUNNING &&
               trial_needs_no_attempt(&model->definition->nodes[node]);
}

bool run_model_has_process(const RunModel *model, unsigned run, unsigned node) {
        if (model->definition->nodes[node].action != TRIAL_ACTION_PROCESS)
                return false;
        return (model->runs[run].nodes[node].state == TRIAL_NODE_RUNNING && !run_model_is_idle(model, run, node)) ||
               run_model_abandoned_attempt((RunModel *) model, run, node);
}

ModelAttempt *run_model_last_attempt(RunModel *model, unsigned run, unsigned node) {
        for (size_t i = model->n_attempts; i-- > 0;)
                if (model->attempts[i].run == run && model->attempts[i].node == node)
                        return &model->attempts[i];
        return NULL;
}

bool run_model_may_spawn(const RunModel *model, const ModelAttempt *attempt) {
        if (model->definition->nodes[attempt->node].recover == TRIAL_RECOVER_RETRY)
                return attempt->turn <= model->accepted;
        return attempt->turn <= model->durable;
}

static unsigned count_ends(const RunModel *model, const ModelAttempt *of, ModelEnd end) {
        unsigned n = 0;

        for (size_t i = 0; i < model->n_attempts; i++) {
                const ModelAttempt *attempt = &model->attempts[i];

                n += attempt->run == of->run && attempt->node == of->node && attempt->generation == of->generation &&
                     attempt->end == end && attempt->number > model->runs[of->run].forgiven[of->node];
        }
        return n;
}

/* — success and failures — */

void run_model_fail_once(RunModel *model, unsigned run, unsigned node, TrialReason reason) {
        run_model_set(model, run, node, TRIAL_NODE_FAILED, reason);
        if (run_model_policy(&model->definition->nodes[node], TRIAL_NODE_FAILED) == TRIAL_POLICY_END)
                run_model_fail(model, run, node, TRIAL_NODE_FAILED, reason);
}

/* Nothing is tried again, and nobody decides about it: that is for what ends the run alone. */
static bool is_stopping(const RunModel *model, unsigned run, unsigned node) {
        return model->runs[run].state == TRIAL_RUN_STOPPING && node < model->definition->n_nodes;
}

/* What becomes of nodes that run when one of them ends the run. */
static ModelEnding ending_of_others(const RunModel *model) {
        return model->definition->end_kills ? MODEL_KILLED : MODEL_RUNS_ON;
}

TrialFailurePolicy run_model_policy(const TrialNode *spec, TrialNodeState state) {
        const uint8_t end = state == TRIAL_NODE_TIMEOUT ? TRIAL_DEFAULT_ON_TIMEOUT : TRIAL_DEFAULT_ON_FAILURE;

        return (spec->default_on & end) != 0 ? TRIAL_POLICY_CONTINUE : spec->policy;
}

void run_model_end_by_node(RunModel *model, unsigned run) {
        if (model->runs[run].is_deciding)
                model->runs[run].is_ended = true;
        else
                run_model_stop(model, run, TRIAL_RUN_FAILED, TRIAL_REASON_NONE, ending_of_others(model));
}

void run_model_succeed(RunModel *model, unsigned run, unsigned node, TrialReason reason) {
        const TrialEndRun end_run = model->definition->nodes[node].end_run;
        TrialRunState result = TRIAL_RUN_FAILED;

        run_model_set(model, run, node, TRIAL_NODE_SUCCEEDED, reason);
        if (end_run == TRIAL_END_RUN_NO || model->runs[run].state == TRIAL_RUN_STOPPING)
                return;
        if (end_run == TRIAL_END_RUN_SUCCESS)
                result = run_model_result(model, &model->runs[run]);
        run_model_stop(model, run, result, TRIAL_REASON_NONE, ending_of_others(model));
}

void run_model_fail(RunModel *model, unsigned run, unsigned node, TrialNodeState state, TrialReason reason) {
        const TrialFailurePolicy policy = run_model_policy(&model->definition->nodes[node], state);

        if (is_stopping(model, run, node) || policy != TRIAL_POLICY_SUSPEND) {
                run_model_set(model, run, node, state, reason);
                if (policy == TRIAL_POLICY_END && model->runs[run].state != TRIAL_RUN_STOPPING)
                        run_model_end_by_node(model, run);
                return;
        }
        run_model_set(model, run, node, TRIAL_NODE_PENDING, TRIAL_REASON_FAILED);
}

/* @n: the number of the retry, from 1. */
static uint64_t retry_delay(const TrialNode *spec, unsigned n) {
        uint64_t delay = spec->retry_delay;

        if (spec->backoff == TRIAL_BACKOFF_LINEAR)
                delay *= n;
        for (unsigned i = 1; i < n && spec->backoff == TRIAL_BACKOFF_EXPONENTIAL; i++)
                delay *= 2;
        return delay < spec->retry_max_delay ? delay : spec->retry_max_delay;
}

static void defer(RunModel *model, const ModelAttempt *attempt, TrialReason reason, unsigned n) {
        run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_DEFERRED, reason);
        model->runs[attempt->run].nodes[attempt->node].not_before =
                model->now + retry_delay(&model->definition->nodes[attempt->node], n);
}

static void try_again_or_fail(RunModel *model, const ModelAttempt *attempt, TrialNodeState state, TrialReason reason,
                              unsigned status) {
        const TrialNode *spec = &model->definition->nodes[attempt->node];
        const unsigned failures = count_ends(model, attempt, MODEL_FAILED);

        if (!is_stopping(model, attempt->run, attempt->node) && failures <= spec->retry &&
            !(spec->is_picky && status == 2))
                defer(model, attempt, TRIAL_REASON_RETRY, failures);
        else
                run_model_fail(model, attempt->run, attempt->node, state, reason);
}

static void lose(RunModel *model, const ModelAttempt *attempt) {
        const TrialRecover recover = model->definition->nodes[attempt->node].recover;
        const unsigned lost = count_ends(model, attempt, MODEL_LOST);

        if (is_stopping(model, attempt->run, attempt->node))
                run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_FAILED, TRIAL_REASON_LOST);
        else if (recover == TRIAL_RECOVER_FAIL)
                run_model_fail(model, attempt->run, attempt->node, TRIAL_NODE_FAILED, TRIAL_REASON_LOST);
        else if (lost >= LOST_MAX)
                run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_PENDING, TRIAL_REASON_POISON);
        else if (recover == TRIAL_RECOVER_PENDING)
                run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_PENDING, TRIAL_REASON_LOST);
        else
                defer(model, attempt, TRIAL_REASON_LOST, 1);
}

static void interrupt(RunModel *model, const ModelAttempt *attempt) {
        const TrialRecover recover = model->definition->nodes[attempt->node].recover;

        if (is_stopping(model, attempt->run, attempt->node))
                run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_FAILED, TRIAL_REASON_INTERRUPTED);
        else if (recover == TRIAL_RECOVER_FAIL)
                run_model_fail(model, attempt->run, attempt->node, TRIAL_NODE_FAILED, TRIAL_REASON_INTERRUPTED);
        else if (recover == TRIAL_RECOVER_PENDING)
                run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_PENDING, TRIAL_REASON_INTERRUPTED);
        else
                run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_READY, TRIAL_REASON_NONE);
}

/* It is no process that could be left to itself, nor let end. */
void run_model_end_idle(RunModel *model, unsigned r, unsigned node) {
        if (model->runs[r].result == TRIAL_RUN_TIMEOUT)
                run_model_set(model, r, node, TRIAL_NODE_TIMEOUT, TRIAL_REASON_DEADLINE);
        else
                run_model_set(model, r, node, TRIAL_NODE_CANCELLED, TRIAL_REASON_ENDED);
}

/* "Not yet" was said too often, or for too long. */
static void fail_of_asking(RunModel *model, ModelAttempt *attempt) {
        attempt->end = MODEL_FAILED;
        try_again_or_fail(model, attempt, TRIAL_NODE_FAILED, TRIAL_REASON_NONE, TRIAL_STATUS_AGAIN);
}

/* "Not yet": it has used no retry, and holds no place; the bound of it is one of failure. */
static void ask_again(RunModel *model, ModelAttempt *attempt) {
        const TrialNode *spec = &model->definition->nodes[attempt->node];

        attempt->end = MODEL_ASKS_AGAIN;
        if ((spec->again_max > 0 && count_ends(model, attempt, MODEL_ASKS_AGAIN) > spec->again_max) ||
            run_model_again_deadline(model, attempt->run, attempt->node) <= model->now) {
                fail_of_asking(model, attempt);
                return;
        }
        run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_DEFERRED, TRIAL_REASON_AGAIN);
        model->runs[attempt->run].nodes[attempt->node].not_before = model->now + spec->again;
}

void run_model_take_completion(RunModel *model, unsigned run, unsigned node) {
        if (model->runs[run].completion[node] == TRIAL_AS_SUCCESS)
                run_model_succeed(model, run, node, TRIAL_REASON_NONE);
        else
                run_model_fail(model, run, node, TRIAL_NODE_FAILED, TRIAL_REASON_CALLBACK);
}

/* The command has done its part: what others say of the node counts now, or is waited for, while the run goes on. */
static void end_before_callback(RunModel *model, unsigned run, unsigned node) {
        if (model->runs[run].is_marked[node] &&
            (!model->runs[run].is_completed[node] || model->runs[run].completion[node] != TRIAL_AS_SUCCESS))
                run_model_set(model, run, node, TRIAL_NODE_SKIPPED, TRIAL_REASON_SHORT_CIRCUIT);
        else if (model->runs[run].is_completed[node])
                run_model_take_completion(model, run, node);
        else if (model->runs[run].state == TRIAL_RUN_STOPPING)
                run_model_end_idle(model, run, node);
        else
                run_model_set(model, run, node, TRIAL_NODE_RUNNING, TRIAL_REASON_CALLBACK);
}

static void end_with_status(RunModel *model, ModelAttempt *attempt, unsigned status) {
        const TrialNode *spec = &model->definition->nodes[attempt->node];
        const bool is_stopping = model->runs[attempt->run].state == TRIAL_RUN_STOPPING;

        if (status == 0) {
                attempt->end = MODEL_SUCCEEDED;
                if (spec->has_callback)
                        end_before_callback(model, attempt->run, attempt->node);
                else
                        run_model_succeed(model, attempt->run, attempt->node, TRIAL_REASON_NONE);
        } else if (status == TRIAL_STATUS_AGAIN && spec->again > 0 && !is_stopping)
                ask_again(model, attempt);
        else if (status == TRIAL_STATUS_PENDING && spec->can_be_pending && !is_stopping) {
                attempt->end = MODEL_ASKS_HUMAN;
                run_model_set(model, attempt->run, attempt->node, TRIAL_NODE_PENDING, TRIAL_REASON_STATUS);
        } else {
                attempt->end = MODEL_FAILED;
                try_again_or_fail(model, attempt, TRIAL_NODE_FAILED, TRIAL_REASON_NONE, status);
        }
}

/* It has done its work, but what it has left is not what it should be: a failure like another. */
static void end_without_result(RunModel *model, ModelAttempt *attempt, const TrialEvent *event) {
        static const TrialReason reasons[] = {
                [TRIAL_END_RESULT_INVALID] = TRIAL_REASON_RESULT_INVALID,
                [TRIAL_END_RESULT_TOO_LARGE] = TRIAL_REASON_RESULT_TOO_LARGE,
                [TRIAL_END_OUTPUT_MISSING] = TRIAL_REASON_OUTPUT_MISSING,
        };

        if (event->status != 0) {
                end_with_status(model, attempt, event->status);
                return;
        }
        attempt->end = MODEL_FAILED;
        try_again_or_fail(model, attempt, TRIAL_NODE_FAILED, reasons[event->end], 0);
}

static bool is_sub_run(const RunModel *model, const ModelAttempt *attempt) {
        return model->definition->nodes[attempt->node].action == TRIAL_ACTION_RUN;
}

static void exit_by_itself(RunModel *model, ModelAttempt *attempt, const TrialEvent *event) {
        switch (event->end) {
        case TRIAL_END_STATUS:
                end_with_status(model, attempt, event->status);
                break;
        case TRIAL_END_RESULT_INVALID:
        case TRIAL_END_RESULT_TOO_LARGE:
        case TRIAL_END_OUTPUT_MISSING:
                end_without_result(model, attempt, event);
                break;
        case TRIAL_END_FAILED:
                attempt->end = MODEL_FAILED;
                try_again_or_fail(model, attempt, TRIAL_NODE_FAILED, TRIAL_REASON_NONE, 0);
                break;
        case TRIAL_END_TIMEOUT:
                attempt->end = MODEL_FAILED;
                try_again_or_fail(model, attempt, TRIAL_NODE_TIMEOUT, TRIAL_REASON_NONE, 0);
                break;
        case TRIAL_END_CANCELLED:
                run_model_fail(model, attempt->run, attempt->node, TRIAL_NODE_CANCELLED,
                               is_sub_run(model, attempt) ? TRIAL_REASON_SUB_RUN : TRIAL_REASON_JOB);
                break;
        case TRIAL_END_REFUSED:
                run_model_fail(model, attempt->run, attempt->node, TRIAL_NODE_FAILED, TRIAL_REASON_REFUSED);
                break;
        case TRIAL_END_INPUT_MISSING:
                run_model_fail(model, attempt->run, attempt->node, TRIAL_NODE_FAILED, TRIAL_REASON_INPUT_MISSING);
                break;
        case _TRIAL_END_MAX:
                break;
        }
}

static void end_by_itself(RunModel *model, ModelAttempt *attempt, const TrialEvent *event) {
        if (event->kind == TRIAL_LOST) {
                attempt->end = MODEL_LOST;
                lose(model, attempt);
        } else if (event->kind == TRIAL_INTERRUPTED) {
                attempt->end = MODEL_INTERRUPTED;
                interrupt(model, attempt);
        } else
                exit_by_itself(model, attempt, event);
}

static bool has_succeeded(const ModelAttempt *attempt, const TrialEvent *event) {
        return attempt->ending == MODEL_RUNS_ON && event->kind == TRIAL_EXITED && event->status == 0 &&
               event->end == TRIAL_END_STATUS;
}

void run_model_end_attempt(RunModel *model, ModelAttempt *attempt, const TrialEvent *event) {
        const unsigned run = attempt->run, node = attempt->node;

        if (run_model_waits_with_sub_run(model, run, node))
                run_model_go_on(model, run, node);
        attempt->end = MODEL_WAS_ENDED;
        if (attempt->is_abandoned) {
                model->runs[run].has_locks[node] = false;
                return;
        }
        if (model->runs[run].is_marked[node] && !has_succeeded(attempt, event)) {
                run_model_set(model, run, node, TRIAL_NODE_SKIPPED, TRIAL_REASON_SHORT_CIRCUIT);
                return;
        }
        switch (attempt->ending) {
        case MODEL_RUNS_ON:
                end_by_itself(model, attempt, event);
                break;
        case MODEL_TIMED_OUT:
                attempt->end = MODEL_FAILED;
                try_again_or_fail(model, attempt, TRIAL_NODE_TIMEOUT, TRIAL_REASON_NONE, 0);
                break;
        case MODEL_TIMED_OUT_IN_ALL:
                run_model_fail(model, run, node, TRIAL_NODE_TIMEOUT, TRIAL_REASON_NONE);
                break;
        case MODEL_DEADLINE:
        case MODEL_ABANDONED:
                run_model_set(model, run, node, TRIAL_NODE_TIMEOUT, TRIAL_REASON_DEADLINE);
                break;
        case MODEL_CANCELLED:
                run_model_set(model, run, node, TRIAL_NODE_CANCELLED, TRIAL_REASON_NONE);
                break;
        case MODEL_KILLED:
                run_model_set(model, run, node, TRIAL_NODE_CANCELLED, TRIAL_REASON_ENDED);
                break;
        case MODEL_UNNEEDED:
                run_model_set(model, run, node, TRIAL_NODE_CANCELLED, TRIAL_REASON_UNNEEDED);
                break;
        }
}

/* Its node ends now. The process is left, as if nobody had told it anything. */
static void abandon(RunModel *model, ModelAttempt *attempt) {
        const bool has_locks = model->runs[attempt->run].has_locks[attempt->node];

        run_model_end_attempt(model, attempt, NULL);
        attempt->end = MODEL_IS_LIVE;
        attempt->ending = MODEL_RUNS_ON;
        attempt->is_abandoned = true;
        model->runs[attempt->run].has_locks[attempt->node] = has_locks;
}

void run_model_tell_end(RunModel *model, ModelAttempt *attempt, ModelEnding ending) {
        if (attempt->ending != MODEL_RUNS_ON)
                return;
        attempt->ending = ending;
        if (run_model_waits_with_sub_run(model, attempt->run, attempt->node))
                run_model_go_on(model, attempt->run, attempt->node);
        /* There is no process, and there will be none. */
        if (!attempt->is_started && !run_model_may_spawn(model, attempt))
                run_model_end_attempt(model, attempt, NULL);
        else if (ending == MODEL_ABANDONED)
                abandon(model, attempt);
}

void run_model_end_wait(RunModel *model, unsigned run, unsigned node, ModelEnding ending) {
        const TrialRunState result = model->runs[run].result;

        if (run_model_waits_with_sub_run(model, run, node))
                run_model_go_on(model, run, node);
        if (ending == MODEL_RUNS_ON && result == TRIAL_RUN_CANCELLED)
                return;
        if (ending == MODEL_RUNS_ON)
                ending = result == TRIAL_RUN_TIMEOUT ? MODEL_DEADLINE : MODEL_KILLED;
        run_model_tell_end(model, run_model_live_attempt(model, run, node), ending);
}

/* — times — */

uint64_t run_model_attempt_deadline(const RunModel *model, const ModelAttempt *attempt) {
        const uint32_t timeout = model->definition->nodes[attempt->node].timeout;

        if (!attempt->is_started || timeout == 0 || attempt->ending != MODEL_RUNS_ON)
                return TRIAL_NEVER;
        return attempt->started_at + timeout;
}

static uint64_t after(uint64_t time, uint32_t by) {
        return time == TRIAL_NEVER ? TRIAL_NEVER : time + by;
}

/* When the first attempt was made that counts; TRIAL_NEVER. */
static uint64_t first_made_at(const RunModel *model, unsigned run, unsigned node) {
        for (size_t i = 0; i < model->n_attempts; i++) {
                const ModelAttempt *attempt = &model->attempts[i];

                if (attempt->run == run && attempt->node == node &&
                    attempt->generation == model->runs[run].nodes[node].generation &&
                    attempt->number > model->runs[run].forgiven[node])
                        return attempt->made_at;
        }
        return TRIAL_NEVER;
}

uint64_t run_model_total_deadline(const RunModel *model, unsigned run, unsigned node) {
        const TrialNodeView *view = &model->runs[run].nodes[node];
        const uint32_t timeout = model->definition->nodes[node].total_timeout;

        if (timeout == 0 || (view->state != TRIAL_NODE_RUNNING && view->state != TRIAL_NODE_DEFERRED &&
                             !trial_waits_with_sub_run(view)))
                return TRIAL_NEVER;
        /* The present one may have been told to end already. */
        if (run_model_sleeps(model, run, node) ||
            (view->state == TRIAL_NODE_RUNNING && !run_model_is_idle(model, run, node) &&
             run_model_live_attempt((RunModel *) model, run, node)->ending != MODEL_RUNS_ON))
                return TRIAL_NEVER;
        return after(first_made_at(model, run, node), timeout);
}

uint64_t run_model_again_deadline(const RunModel *model, unsigned run, unsigned node) {
        const uint32_t timeout = model->definition->nodes[node].again_max_time;

        return timeout == 0 ? TRIAL_NEVER : after(first_made_at(model, run, node), timeout);
}

uint64_t run_model_ready_deadline(const RunModel *model, const ModelRun *run, unsigned node) {
        const uint32_t timeout = model->definition->nodes[node].queue_timeout;
        const uint64_t ready_at = run->ready_at[node];

        if (timeout == 0 || run->nodes[node].state != TRIAL_NODE_READY || !run_model_is_busy(run->state))
                return TRIAL_NEVER;
        return (ready_at > run->begun_at ? ready_at : run->begun_at) + timeout;
}

uint64_t run_model_queue_deadline(const RunModel *model, const ModelRun *run) {
        if (run->state != TRIAL_RUN_QUEUED || model->definition->queue_timeout == 0)
                return TRIAL_NEVER;
        return run->queued_at + model->definition->queue_timeout;
}

static ModelEnding ending_at_deadline(const TrialDefinition *definition) {
        if (definition->timeout_mode == TRIAL_TIMEOUT_DRAIN)
                return MODEL_RUNS_ON;
        return definition->timeout_mode == TRIAL_TIMEOUT_ABANDON ? MODEL_ABANDONED : MODEL_DEADLINE;
}

static void pass_time_of_run(RunModel *model, unsigned r) {
        ModelRun *run = &model->runs[r];

        if (run->deadline <= model->now) {
                run->deadline = TRIAL_NEVER;
                run_model_stop(model, r, TRIAL_RUN_TIMEOUT, TRIAL_REASON_NONE, ending_at_deadline(model->definition));
        }
        if (run_model_queue_deadline(model, run) <= model->now)
                run_model_stop(model, r, TRIAL_RUN_TIMEOUT, TRIAL_REASON_QUEUE, MODEL_RUNS_ON);
}

static void pass_time_of_deferred(RunModel *model, unsigned r, unsigned node) {
        const TrialNodeView *view = &model->runs[r].nodes[node];

        if (run_model_total_deadline(model, r, node) <= model->now)
                run_model_fail(model, r, node, TRIAL_NODE_TIMEOUT, TRIAL_REASON_NONE);
        else if (view->reason == TRIAL_REASON_AGAIN && run_model_again_deadline(model, r, node) <= model->now)
                fail_of_asking(model, run_model_last_attempt(model, r, node));
        else if (view->not_before <= model->now)
                run_model_set(model, r, node, TRIAL_NODE_READY, TRIAL_REASON_NONE);
}

/* The time of its attempt goes on. */
static void pass_time_of_callback(RunModel *model, unsigned r, unsigned node) {
        ModelAttempt *attempt = run_model_last_attempt(model, r, node);

        if (run_model_total_deadline(model, r, node) <= model->now)
                run_model_fail(model, r, node, TRIAL_NODE_TIMEOUT, TRIAL_REASON_NONE);
        else if (run_model_attempt_deadline(model, attempt) <= model->now) {
                attempt->end = MODEL_FAILED;
                try_again_or_fail(model, attempt, TRIAL_NODE_TIMEOUT, TRIAL_REASON_NONE, 0);
        }
}

static void pass_time_of_node(RunModel *model, unsigned r, unsigned node) {
        const TrialNodeView *view = &model->runs[r].nodes[node];
        ModelAttempt *attempt;

        if (run_model_ready_deadline(model, &model->runs[r], node) <= model->now)
                run_model_fail(model, r, node, TRIAL_NODE_TIMEOUT, TRIAL_REASON_QUEUE);
        else if (view->reason == TRIAL_REASON_CALLBACK && view->state == TRIAL_NODE_RUNNING)
                pass_time_of_callback(model, r, node);
        else if (trial_waits_with_sub_run(view) ||
                 (view->state == TRIAL_NODE_RUNNING && !run_model_sleeps(model, r, node) &&
                  !run_model_waits_for_items(model, r, node))) {
                attempt = run_model_live_attempt(model, r, node);
                if (run_model_total_deadline(model, r, node) <= model->now)
                        run_model_tell_end(model, attempt, MODEL_TIMED_OUT_IN_ALL);
                else if (run_model_attempt_deadline(model, attempt) <= model->now)
                        run_model_tell_end(model, attempt, MODEL_TIMED_OUT);
        } else if (view->state == TRIAL_NODE_DEFERRED)
                pass_time_of_deferred(model, r, node);
}

/* Those that wake at the same time have all succeeded, before one of them ends the run. */
static void wake_up(RunModel *model, unsigned r) {
        bool has_woken[TRIAL_NODES_MAX] = {};

        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                has_woken[i] = run_model_sleeps(model, r, i) && model->runs[r].wakes_at[i] <= model->now;
                if (has_woken[i])
                        run_model_set(model, r, i, TRIAL_NODE_SUCCEEDED, TRIAL_REASON_NONE);
        }
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (has_woken[i] && model->runs[r].state != TRIAL_RUN_STOPPING)
                        run_model_succeed(model, r, i, TRIAL_REASON_NONE);
}

/* All nodes, as they stand in the run. */
static void sort_nodes(const RunModel *model, unsigned r, uint8_t *nodes) {
        const uint16_t *rank = model->runs[r].rank;
        const unsigned n = trial_n_views(model->definition);

        for (unsigned i = 0; i < n; i++) {
                unsigned at = i;

                for (; at > 0 && rank[nodes[at - 1]] > rank[i]; at--)
                        nodes[at] = nodes[at - 1];
                nodes[at] = (uint8_t) i;
        }
}

static void pass_time_of_nodes(RunModel *model, unsigned r) {
        const unsigned n = trial_n_views(model->definition);
        uint8_t nodes[TRIAL_NODES_MAX];

        sort_nodes(model, r, nodes);
        for (unsigned i = 0; i < n; i++)
                if (!trial_run_is_terminal(model->runs[r].state))
                        pass_time_of_node(model, r, nodes[i]);
}

/* What ends something comes before what begins something. */
void run_model_pass_time(RunModel *model) {
        for (unsigned r = 0; r < model->n_runs; r++)
                if (!trial_run_is_terminal(model->runs[r].state))
                        pass_time_of_run(model, r);
        for (unsigned r = 0; r < model->n_runs; r++)
                pass_time_of_nodes(model, r);
        run_model_settle(model);
        for (unsigned r = 0; r < model->n_runs; r++)
                wake_up(model, r);
}
