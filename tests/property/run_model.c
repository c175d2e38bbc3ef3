/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The model as a subject: events, turns, and a memory that restarts lose
 */

#include "run_model_private.h"

/* The model, and all that has happened to it. */
typedef struct Subject {
        RunModel model;
        TrialEvent *history;            /* owned */
        size_t n_history, room;
} Subject;

/* Whether all that decides about @node is placed: its parents, and for Otherwise=yes those with a When=. */
static bool can_be_placed(const TrialDefinition *definition, unsigned node, const bool *is_placed) {
        const TrialNode *spec = &definition->nodes[node];

        for (unsigned k = 0; k < spec->n_parents; k++)
                if (!is_placed[spec->parents[k]])
                        return false;
        for (unsigned i = 0; i < definition->n_nodes && spec->is_otherwise; i++)
                if (!is_placed[i] && trial_decides_about(&definition->nodes[i], spec))
                        return false;
        return true;
}

static void find_order(const TrialDefinition *definition, uint8_t *order) {
        bool is_placed[TRIAL_NODES_MAX] = {};

        for (unsigned n = 0; n < definition->n_nodes;)
                for (unsigned i = 0; i < definition->n_nodes; i++) {
                        if (is_placed[i] || !can_be_placed(definition, i, is_placed))
                                continue;
                        is_placed[i] = true;
                        order[n++] = (uint8_t) i;
                }
}

static void begin(RunModel *model, const TrialDefinition *definition) {
        free(model->attempts);
        *model = (RunModel) { .definition = definition, .turn = 1 };
        find_order(definition, model->order);
}

static void *new_subject(const TrialDefinition *definition) {
        Subject *subject = calloc(1, sizeof(*subject));

        assert(subject);
        begin(&subject->model, definition);
        return subject;
}

static void free_subject(void *p) {
        Subject *subject = p;

        free(subject->model.attempts);
        free(subject->history);
        free(subject);
}

/* — attempts — */

static ModelAttempt *find_attempt(RunModel *model, const TrialEvent *event) {
        ModelAttempt *attempt = NULL;

        if (event->run < model->n_runs)
                attempt = run_model_live_attempt(model, event->run, event->node);
        if (event->run < model->n_runs && !attempt)
                attempt = run_model_abandoned_attempt(model, event->run, event->node);
        if (!attempt || attempt->generation != event->generation || attempt->number != event->number)
                return NULL;
        return attempt;
}

/*
 * In a run that ends nothing becomes PENDING, for what might wait for ever is ended; but what undoes a run of another
 * flow is waited for, whoever that run waits for.
 */
static int tell_wait(RunModel *model, const TrialEvent *event) {
        ModelAttempt *attempt = find_attempt(model, event);
        const bool waits_now = attempt && run_model_waits_with_sub_run(model, event->run, event->node);

        if (!attempt)
                return -ENOENT;
        if (attempt->ending != MODEL_RUNS_ON || event->waits == waits_now)
                return 0;
        if (!event->waits)
                run_model_go_on(model, event->run, event->node);
        else if (model->runs[event->run].state == TRIAL_RUN_STOPPING && event->node < model->definition->n_nodes)
                run_model_end_wait(model, event->run, event->node, MODEL_RUNS_ON);
        else
                run_model_set(model, event->run, event->node, TRIAL_NODE_PENDING, TRIAL_REASON_SUB_RUN);
        return 0;
}

static int tell_attempt(RunModel *model, const TrialEvent *event) {
        ModelAttempt *attempt = find_attempt(model, event);

        if (!attempt)
                return -ENOENT;
        if (event->kind != TRIAL_STARTED)
                run_model_end_attempt(model, attempt, event);
        else if (!attempt->is_started) {
                attempt->is_started = true;
                attempt->started_at = event->at;
        }
        return 0;
}

/* — one event — */

static int happen(RunModel *model, const TrialEvent *event) {
        int r = 0;

        switch (event->kind) {
        case TRIAL_STARTED:
        case TRIAL_EXITED:
        case TRIAL_LOST:
        case TRIAL_INTERRUPTED:
                r = tell_attempt(model, event);
                break;
        case TRIAL_TIME:
                model->now = event->at;
                run_model_pass_time(model);
                break;
        case TRIAL_ACCEPTED:
                model->accepted = event->turn;
                break;
        case TRIAL_DURABLE:
                model->durable = event->turn;
                break;
        case TRIAL_TURN:
                run_model_dispatch(model);
                model->turn++;
                break;
        case TRIAL_SUB_WAITS:
                r = tell_wait(model, event);
                break;
        case TRIAL_ANSWERED:
                r = run_model_answer(model, event);
                break;
        case TRIAL_SUBMIT:
        case TRIAL_PAUSE:
        case TRIAL_RESUME:
        case TRIAL_STOP:
        case TRIAL_CANCEL:
        case TRIAL_RETRY:
        case TRIAL_RERUN:
        case TRIAL_RESOLVE:
        case TRIAL_SKIP:
        case TRIAL_APPROVE:
        case TRIAL_REJECT:
        case TRIAL_COMPLETE:
        case TRIAL_COMPENSATE:
        case TRIAL_UNLOCK:
        case TRIAL_ADD:
        case TRIAL_UNIT_ACTIVE:
        case TRIAL_UNIT_FAILED:
        case TRIAL_UNIT_CANCELLED:
        case TRIAL_UNIT_STOP:
        case TRIAL_UNIT_INACTIVE:
                r = run_model_ask(model, event);
                break;
        case TRIAL_RESTART:
        case _TRIAL_EVENT_MAX:
                break;
        }
        run_model_settle(model);
        return r;
}

/* — restarts — */

static uint64_t later(uint64_t time, uint64_t by) {
        return time == TRIAL_NEVER ? TRIAL_NEVER : time + by;
}

/*
 * The clock of waits stands still while the machine is off: what remained of them at the last turn that was kept
 * remains. A deadline of a run goes by the wall clock, and is no later than it was.
 */
static void change_boot(RunModel *model, uint64_t now) {
        const uint64_t away = now - model->now;

        for (unsigned r = 0; r < model->n_runs; r++) {
                for (unsigned i = 0; i < model->definition->n_nodes; i++)
                        if (model->runs[r].nodes[i].state == TRIAL_NODE_DEFERRED)
                                model->runs[r].nodes[i].not_before = later(model->runs[r].nodes[i].not_before, away);
                for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                        model->runs[r].ready_at[i] += away;
                        if (model->definition->nodes[i].action == TRIAL_ACTION_SLEEP)
                                model->runs[r].wakes_at[i] += away;
                }
                model->runs[r].queued_at += away;
                model->runs[r].begun_at += away;
        }
        for (size_t i = 0; i < model->n_attempts; i++) {
                ModelAttempt *attempt = &model->attempts[i];

                attempt->made_at += away;
                /* What became of the others is told next. */
                if (run_model_is_idle(model, attempt->run, attempt->node) ||
                    model->definition->nodes[attempt->node].action == TRIAL_ACTION_RUN)
                        attempt->started_at += away;
        }
        model->unit_is_active = false;
        model->now = now;
}

/* The store has what was kept, and knows it. */
static void come_back(RunModel *model, const TrialEvent *event) {
        /* Whoever was asked has forgotten that. */
        for (unsigned r = 0; r < model->n_runs; r++)
                for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                        memset(model->runs[r].ends_seen[i], 0, sizeof(model->runs[r].ends_seen[i]));
                        model->runs[r].is_asked[i] = model->runs[r].must_ask[i] = false;
                        model->runs[r].has_turn[i] = model->runs[r].nodes[i].state == TRIAL_NODE_RUNNING ||
                                                     run_model_keeps_turn(model, r, i);
                }
        model->accepted = event->turn;
        model->durable = event->durable;
        if (event->is_other_boot)
                change_boot(model, event->at);
        run_model_settle(model);
}

/* Lives again through the turns that were kept. */
static void restart(Subject *subject, const TrialEvent *event) {
        RunModel *model = &subject->model;
        size_t n = 0;

        begin(model, model->definition);
        for (; model->turn <= event->turn; n++) {
                assert(n < subject->n_history);
                if (subject->history[n].kind == TRIAL_RESTART)
                        come_back(model, &subject->history[n]);
                else
                        (void) happen(model, &subject->history[n]);
        }
        subject->n_history = n;
        come_back(model, event);
}

static int apply(void *p, const TrialEvent *event) {
        Subject *subject = p;
        int r = 0;

        if (event->kind == TRIAL_RESTART)
                restart(subject, event);
        else
                r = happen(&subject->model, event);
        if (subject->n_history == subject->room) {
                subject->room = subject->room * 2 + 64;
                subject->history = realloc(subject->history, subject->room * sizeof(*subject->history));
                assert(subject->history);
        }
        if (r == 0)
                subject->history[subject->n_history++] = *event;
        return r;
}

/* — what is seen — */

static uint64_t earlier(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

static uint64_t next_deadline(RunModel *model) {
        uint64_t next = TRIAL_NEVER;
        const unsigned n = trial_n_views(model->definition);

        for (unsigned r = 0; r < model->n_runs; r++) {
                const ModelRun *run = &model->runs[r];

                if (trial_run_is_terminal(run->state))
                        continue;
                next = earlier(next, earlier(run->deadline, run_model_queue_deadline(model, run)));
                for (unsigned i = 0; i < n; i++) {
                        const ModelAttempt *attempt = run_model_live_attempt(model, r, i);

                        next = earlier(next, run_model_total_deadline(model, r, i));
                        next = earlier(next, run_model_ready_deadline(model, run, i));
                        if (run->nodes[i].reason == TRIAL_REASON_AGAIN)
                                next = earlier(next, run_model_again_deadline(model, r, i));
                        if (run->nodes[i].state == TRIAL_NODE_RUNNING && run->nodes[i].reason == TRIAL_REASON_CALLBACK)
                                attempt = run_model_last_attempt(model, r, i);
                        if (attempt)
                                next = earlier(next, run_model_attempt_deadline(model, attempt));
                        if (run->nodes[i].state == TRIAL_NODE_DEFERRED)
                                next = earlier(next, run->nodes[i].not_before);
                        if (run_model_sleeps(model, r, i))
                                next = earlier(next, run->wakes_at[i]);
                }
        }
        return next;
}

static TrialAttempt show_attempt(const RunModel *model, const ModelAttempt *attempt) {
        TrialAttempt view = {
                .run = attempt->run,
                .node = attempt->node,
                .generation = attempt->generation,
                .number = attempt->number,
                .state = TRIAL_ATTEMPT_HELD,
                .is_ending = attempt->ending != MODEL_RUNS_ON,
                .is_abandoned = attempt->is_abandoned,
        };

        if (attempt->is_started)
                view.state = TRIAL_ATTEMPT_RUNNING;
        else if (run_model_may_spawn(model, attempt))
                view.state = TRIAL_ATTEMPT_SPAWNED;
        return view;
}

static TrialWhy why_run_ends(const RunModel *model, const ModelRun *run) {
        const unsigned n = trial_n_views(model->definition);
        bool has_begun = false;

        for (unsigned i = model->definition->n_nodes; i < n; i++)
                has_begun = has_begun || run->nodes[i].state == TRIAL_NODE_READY ||
                            run->nodes[i].state == TRIAL_NODE_RUNNING;
        if (!has_begun)
                return TRIAL_FOR_END;
        if (run->hold != MODEL_NOT_HELD || !model->unit_is_active)
                return TRIAL_FOR_UNIT;
        return run->reason == TRIAL_REASON_FINAL ? TRIAL_FOR_FINAL : TRIAL_FOR_COMPENSATION;
}

static TrialWhy why_run_waits(const RunModel *model, unsigned r) {
        const ModelRun *run = &model->runs[r];

        if (run->state == TRIAL_RUN_SUSPENDED || (run->state == TRIAL_RUN_PAUSED && run->reason != TRIAL_REASON_UNIT))
                return TRIAL_FOR_HUMAN;
        if (run->state == TRIAL_RUN_STOPPING)
                return why_run_ends(model, run);
        if (run->state == TRIAL_RUN_PAUSING)
                return TRIAL_FOR_END;
        if (run->state == TRIAL_RUN_PAUSED || run->state == TRIAL_RUN_CREATED)
                return TRIAL_FOR_UNIT;
        if (run->state == TRIAL_RUN_QUEUED && (!model->unit_is_active || run->hold != MODEL_NOT_HELD))
                return TRIAL_FOR_UNIT;
        if (run->state == TRIAL_RUN_QUEUED)
                return run_model_count_busy(model) < model->definition->max_runs
                               ? run_model_why_claim(model, r, MODEL_NO_NODE)
                               : TRIAL_FOR_PLACE;
        return TRIAL_FOR_NOTHING;
}

static TrialWhy why_node_waits(const RunModel *model, unsigned r, unsigned node, const ModelAttempt *attempt) {
        const ModelRun *run = &model->runs[r];

        switch (run->nodes[node].state) {
        case TRIAL_NODE_WAITING:
                if (node >= model->definition->n_nodes || run_model_is_ending(run) || trial_run_is_terminal(run->state))
                        return TRIAL_FOR_RUN;
                return run->is_asked[node] || run->must_ask[node] ? TRIAL_FOR_POLICY : TRIAL_FOR_PARENTS;
        case TRIAL_NODE_BLOCKED:
                return TRIAL_FOR_HUMAN;
        case TRIAL_NODE_PENDING:
                if (run_model_waits_with_sub_run(model, r, node))
                        return TRIAL_FOR_SUB_RUN;
                return run->nodes[node].reason == TRIAL_REASON_GATE ? TRIAL_FOR_GATE : TRIAL_FOR_HUMAN;
        case TRIAL_NODE_DEFERRED:
                return TRIAL_FOR_TIME;
        case TRIAL_NODE_READY:
                if (node < model->definition->n_nodes && run->state != TRIAL_RUN_RUNNING)
                        return TRIAL_FOR_RUN;
                if (run->hold != MODEL_NOT_HELD)
                        return TRIAL_FOR_UNIT;
                return model->unit_is_active ? run_model_why_claim(model, r, node) : TRIAL_FOR_UNIT;
        case TRIAL_NODE_RUNNING:
                if (run_model_waits_for_items(model, r, node))
                        return TRIAL_FOR_ITEMS;
                if (!attempt)
                        return run_model_sleeps(model, r, node) ? TRIAL_FOR_TIME : TRIAL_FOR_CALLBACK;
                if (attempt->ending != MODEL_RUNS_ON)
                        return TRIAL_FOR_END;
                if (!run_model_may_spawn(model, attempt) && !attempt->is_started)
                        return TRIAL_FOR_STORE;
                if (run->nodes[node].reason == TRIAL_REASON_SUB_RUN)
                        return TRIAL_FOR_SUB_RUN;
                return run->nodes[node].reason == TRIAL_REASON_JOB ? TRIAL_FOR_JOB : TRIAL_FOR_PROCESS;
        case TRIAL_NODE_SUCCEEDED:
        case TRIAL_NODE_FAILED:
        case TRIAL_NODE_TIMEOUT:
        case TRIAL_NODE_CANCELLED:
        case TRIAL_NODE_SKIPPED:
        case TRIAL_NODE_ABSENT:
        case _TRIAL_NODE_STATE_MAX:
                break;
        }
        return TRIAL_FOR_NOTHING;
}

static void look(void *p, TrialView *view) {
        Subject *subject = p;
        RunModel *model = &subject->model;
        const unsigned n = trial_n_views(model->definition);

        view->n_runs = model->n_runs;
        view->n_attempts = 0;
        for (unsigned r = 0; r < model->n_runs; r++) {
                const ModelRun *run = &model->runs[r];

                view->runs[r].state = run->state;
                view->runs[r].reason = run->reason;
                view->runs[r].is_held = run->hold != MODEL_NOT_HELD;
                view->runs[r].round = run->round;
                view->runs[r].why = why_run_waits(model, r);
                for (unsigned i = 0; i < n; i++) {
                        const ModelAttempt *attempt = run_model_live_attempt(model, r, i);

                        view->runs[r].nodes[i] = run->nodes[i];
                        view->runs[r].nodes[i].why = why_node_waits(model, r, i, attempt);
                        view->runs[r].nodes[i].is_asked = run->is_asked[i];
                        if (!attempt)
                                attempt = run_model_abandoned_attempt(model, r, i);
                        if (attempt)
                                view->attempts[view->n_attempts++] = show_attempt(model, attempt);
                }
        }
        view->deadline = next_deadline(model);
        if (view->deadline < model->now)
                view->deadline = model->now;
}

static uint64_t mix(uint64_t sum, uint64_t value) {
        sum = (sum ^ value) * UINT64_C(0x9E3779B97F4A7C15);
        return sum ^ (sum >> 29);
}

static uint64_t sum_attempt(const RunModel *model, const ModelAttempt *attempt) {
        uint64_t sum = mix(mix(mix(attempt->run, attempt->node), attempt->generation), attempt->number);

        sum = mix(mix(mix(sum, attempt->end), attempt->is_started), model->now - attempt->made_at);
        sum = mix(sum, attempt->is_abandoned);
        if (attempt->end == MODEL_IS_LIVE)
                sum = mix(mix(mix(sum, attempt->ending), model->now - attempt->started_at),
                          run_model_may_spawn(model, attempt));
        return sum;
}

uint64_t run_model_sum(void *p) {
        const Subject *subject = p;
        const RunModel *model = &subject->model;
        uint64_t sum = mix(model->n_runs, model->unit_is_active);

        for (unsigned r = 0; r < model->n_runs; r++) {
                const ModelRun *run = &model->runs[r];

                sum = mix(mix(mix(mix(sum, run->state), run->reason), run->hold), run->round);
                sum = mix(mix(mix(sum, run->place), run->result), run->result_reason);
                sum = mix(sum, run->state == TRIAL_RUN_QUEUED ? model->now - run->queued_at : 0);
                sum = mix(sum, run->deadline == TRIAL_NEVER ? TRIAL_NEVER : run->deadline - model->now);
                sum = mix(mix(sum, run->wants_undo), run->additions);
                for (unsigned i = 0; i < trial_n_views(model->definition); i++) {
                        const TrialNodeView *node = &run->nodes[i];

                        sum = mix(mix(mix(mix(sum, node->state), node->reason), node->generation), run->forgiven[i]);
                        sum = mix(sum, node->state == TRIAL_NODE_DEFERRED ? node->not_before - model->now : 0);
                        if (run_model_ready_deadline(model, run, i) != TRIAL_NEVER)
                                sum = mix(sum, run_model_ready_deadline(model, run, i) - model->now);
                        sum = mix(mix(mix(sum, run->is_wanted[i]), run->is_marked[i]), run->has_passed[i]);
                        sum = mix(mix(sum, run->is_approved[i]), run->has_begun[i]);
                        sum = mix(mix(sum, run->is_asked[i]), run->must_ask[i]);
                        sum = mix(sum, run_model_sleeps(model, r, i) ? run->wakes_at[i] - model->now : 0);
                        sum = mix(mix(mix(sum, run->is_completed[i]), run->completion[i]), run->has_locks[i]);
                        if (model->definition->nodes[i].has_undo)
                                sum = mix(sum, run->success[i]);
                }
        }
        for (size_t i = 0; i < model->n_attempts; i++)
                sum = mix(sum, sum_attempt(model, &model->attempts[i]));
        return sum;
}

const TrialSubject run_model_subject = {
        .name = "model",
        .features = TRIAL_FEATURES,
        .new_subject = new_subject,
        .free_subject = free_subject,
        .apply = apply,
        .look = look,
};
