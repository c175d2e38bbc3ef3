/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What follows from the present state by itself
 *
 * One look at all nodes and all runs; whatever has changed, another look.
 */

#include "run_model_private.h"

bool run_model_is_busy(TrialRunState state) {
        return state >= TRIAL_RUN_RUNNING && !trial_run_is_terminal(state);
}

/* — nodes — */

void run_model_become_ready(RunModel *model, unsigned r, unsigned node) {
        const TrialWhen when = model->definition->nodes[node].when;

        if (when == TRIAL_WHEN_ERROR && !model->runs[r].has_passed[node]) {
                if (run_model_policy(&model->definition->nodes[node], TRIAL_NODE_FAILED) == TRIAL_POLICY_END) {
                        run_model_set(model, r, node, TRIAL_NODE_FAILED, TRIAL_REASON_EXPRESSION);
                        model->runs[r].is_ended = true;
                } else
                        run_model_fail(model, r, node, TRIAL_NODE_FAILED, TRIAL_REASON_EXPRESSION);
                return;
        }
        if (when == TRIAL_WHEN_FALSE && !model->runs[r].has_passed[node]) {
                run_model_set(model, r, node, TRIAL_NODE_SKIPPED, TRIAL_REASON_WHEN);
                return;
        }
        model->runs[r].has_passed[node] = true;
        if (model->definition->nodes[node].has_gate && !model->runs[r].is_approved[node])
                run_model_set(model, r, node, TRIAL_NODE_PENDING, TRIAL_REASON_GATE);
        else
                run_model_set(model, r, node, TRIAL_NODE_READY, TRIAL_REASON_NONE);
}

/* What those say that decide about a node with Otherwise=yes: all of them must have been skipped by their When=. */
static TrialVerdict ask_others(const RunModel *model, const ModelRun *run, unsigned node) {
        bool waits = false, is_blocked = false;

        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                const TrialNodeView *other = &run->nodes[i];

                if (!trial_decides_about(&model->definition->nodes[i], &model->definition->nodes[node]))
                        continue;
                if (other->state == TRIAL_NODE_SKIPPED && other->reason == TRIAL_REASON_WHEN)
                        continue;
                if (run->has_passed[i] || trial_node_is_terminal(other->state))
                        return TRIAL_NEVER_READY;
                waits = waits || other->state == TRIAL_NODE_WAITING;
                is_blocked = true;
        }
        if (waits)
                return TRIAL_WAIT;
        return is_blocked ? TRIAL_BLOCKED : TRIAL_READY;
}

/* — commands that judge — */

/*
 * Whether a parent of @node has ended, or become pending, since that was last looked at, or has begun anew beside one
 * that has. While it is asked each change counts: what it says is about what was before.
 */
static bool has_news(const RunModel *model, ModelRun *run, unsigned node) {
        const TrialNode *spec = &model->definition->nodes[node];
        bool is_new = false, has_end = run->is_asked[node];

        for (unsigned k = 0; k < spec->n_parents; k++) {
                const TrialNodeView *parent = &run->nodes[spec->parents[k]];
                const bool is_pending = parent->state == TRIAL_NODE_PENDING || parent->state == TRIAL_NODE_BLOCKED;
                uint16_t end = 0;

                if (is_pending || trial_node_is_terminal(parent->state))
                        end = (uint16_t) (parent->generation * _TRIAL_NODE_STATE_MAX +
                                          (is_pending ? TRIAL_NODE_PENDING : parent->state));
                is_new = is_new || end != run->ends_seen[node][k];
                has_end = has_end || end != 0;
                run->ends_seen[node][k] = end;
        }
        return is_new && has_end;
}

/* It is asked after each end of a parent, at the end of the turn. */
static void note_news(const RunModel *model, ModelRun *run, unsigned node) {
        run->must_ask[node] = has_news(model, run, node) || run->must_ask[node];
}

static unsigned count_asked(const RunModel *model, const ModelRun *run) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += run->is_asked[i];
        return n;
}

/* One that has not answered yet is asked once more then; as many are asked at once as processes may run. */
static void ask_all(RunModel *model) {
        for (unsigned r = 0; r < model->n_runs; r++)
                for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                        ModelRun *run = &model->runs[r];

                        if (!run->must_ask[i] || run->is_asked[i] || run->state != TRIAL_RUN_RUNNING ||
                            count_asked(model, run) >= model->definition->max_parallel)
                                continue;
                        run->is_asked[i] = true;
                        run->must_ask[i] = false;
                }
}

static bool has_open_parent(const RunModel *model, const ModelRun *run, unsigned node) {
        const TrialNode *spec = &model->definition->nodes[node];

        for (unsigned k = 0; k < spec->n_parents; k++)
                if (!trial_node_is_terminal(run->nodes[spec->parents[k]].state))
                        return true;
        return false;
}

static TrialReason reason_of_never(const RunModel *model, const ModelRun *run, unsigned node) {
        TrialFamily family;

        trial_find_family(model->definition, run->nodes, node, &family);
        return run_model_reason_of_skip(&model->definition->nodes[node], &family);
}

static void take_answer(RunModel *model, unsigned r, unsigned node, TrialAnswer answer) {
        ModelRun *run = &model->runs[r];

        switch (answer) {
        case TRIAL_ANSWER_READY:
                run_model_become_ready(model, r, node);
                break;
        case TRIAL_ANSWER_WAIT:
                if (has_open_parent(model, run, node))
                        break;
                run_model_set(model, r, node, TRIAL_NODE_PENDING, TRIAL_REASON_POLICY);
                break;
        case TRIAL_ANSWER_NEVER:
                run_model_set(model, r, node, TRIAL_NODE_SKIPPED, reason_of_never(model, run, node));
                break;
        case TRIAL_ANSWER_FAIL:
                run_model_fail(model, r, node, TRIAL_NODE_FAILED, TRIAL_REASON_POLICY);
                break;
        case TRIAL_ANSWER_PENDING:
                run_model_set(model, r, node, TRIAL_NODE_PENDING, TRIAL_REASON_POLICY);
                break;
        case _TRIAL_ANSWER_MAX:
                break;
        }
}

int run_model_answer(RunModel *model, const TrialEvent *event) {
        ModelRun *run = &model->runs[event->run];
        const unsigned node = event->node;

        if (event->run >= model->n_runs || !run->is_asked[node] || run->nodes[node].generation != event->generation)
                return -ENOENT;
        run->is_asked[node] = false;
        /* More has ended since: it is asked again. */
        if (run->must_ask[node])
                return 0;
        take_answer(model, event->run, node, event->answer);
        return 0;
}

/* An instance waits for its node, which has begun by all that stands before it. */
static void evaluate_item(RunModel *model, unsigned r, unsigned node) {
        if (run_model_waits_for_items(model, r, model->definition->nodes[node].item_of))
                run_model_set(model, r, node, TRIAL_NODE_READY, TRIAL_REASON_NONE);
}

static void evaluate(RunModel *model, unsigned r, unsigned node) {
        ModelRun *run = &model->runs[r];
        const TrialNode *spec = &model->definition->nodes[node];
        TrialVerdict verdict, others;
        TrialFamily family;

        if (run->nodes[node].state != TRIAL_NODE_WAITING && run->nodes[node].state != TRIAL_NODE_BLOCKED)
                return;
        if (spec->asks_policy) {
                note_news(model, run, node);
                return;
        }
        if (spec->is_item) {
                evaluate_item(model, r, node);
                return;
        }
        trial_find_family(model->definition, run->nodes, node, &family);
        verdict = run_model_judge(spec, &family);
        others = spec->is_otherwise ? ask_others(model, run, node) : TRIAL_READY;
        if (others == TRIAL_NEVER_READY && verdict != TRIAL_NEVER_READY) {
                run_model_set(model, r, node, TRIAL_NODE_SKIPPED, TRIAL_REASON_WHEN);
                return;
        }
        switch (verdict == TRIAL_READY ? others : verdict) {
        case TRIAL_READY:
                run_model_become_ready(model, r, node);
                break;
        case TRIAL_WAIT:
                run_model_set(model, r, node, TRIAL_NODE_WAITING, TRIAL_REASON_NONE);
                break;
        case TRIAL_BLOCKED:
                run_model_set(model, r, node, TRIAL_NODE_BLOCKED, TRIAL_REASON_NONE);
                break;
        case TRIAL_NEVER_READY:
                run_model_set(model, r, node, TRIAL_NODE_SKIPPED, run_model_reason_of_skip(spec, &family));
                break;
        }
}

void run_model_descendants(const RunModel *model, const ModelRun *run, unsigned node, bool *below) {
        const TrialDefinition *definition = model->definition;

        if (definition->nodes[node].is_item)
                node = definition->nodes[node].item_of;
        /* Parents come before their children: one pass is enough. */
        for (unsigned i = 0; i < definition->n_nodes; i++) {
                /* What is below a node is below its instances. */
                below[i] = definition->nodes[i].is_item && below[definition->nodes[i].item_of];
                if (trial_is_missing(&definition->nodes[i], &run->nodes[i]))
                        continue;
                for (unsigned k = 0; k < definition->nodes[i].n_parents; k++) {
                        const unsigned parent = definition->nodes[i].parents[k];

                        below[i] = below[i] || parent == node || below[parent];
                }
        }
}

/* A PENDING node is for nothing if there are goals below it, and all of them have ended; but one is a goal itself. */
static bool is_unneeded(const RunModel *model, const ModelRun *run, unsigned node) {
        bool below[TRIAL_NODES_MAX], is_goal[TRIAL_NODES_MAX];
        unsigned goals = 0, ended = 0;

        if (model->definition->nodes[node].is_always_needed)
                return false;
        run_model_descendants(model, run, node, below);
        run_model_find_goals(model, run, is_goal);
        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                if (!below[i] || !is_goal[i])
                        continue;
                goals++;
                ended += trial_node_is_terminal(run->nodes[i].state);
        }
        return goals > 0 && ended == goals;
}

/* All that its nodes show. */
static uint64_t sum_nodes(const RunModel *model, const ModelRun *run) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                sum = sum * 31 + run->nodes[i].state;
        return sum;
}

/* What nobody needs is skipped; what runs so is marked, until somebody needs it again. */
static void skip_unneeded(RunModel *model, unsigned r) {
        ModelRun *run = &model->runs[r];
        bool needed[TRIAL_NODES_MAX];

        run_model_find_needed(model, r, needed);
        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                const TrialNodeState state = run->nodes[i].state;

                run->is_marked[i] = state == TRIAL_NODE_RUNNING && !needed[i];
                if (!needed[i] && !trial_node_is_terminal(state) &&
                    (state != TRIAL_NODE_RUNNING || run_model_is_idle(model, r, i)) &&
                    (state != TRIAL_NODE_PENDING || run->nodes[i].reason == TRIAL_REASON_GATE))
                        run_model_set(model, r, i, TRIAL_NODE_SKIPPED, TRIAL_REASON_SHORT_CIRCUIT);
        }
}

/* Those at a gate may be skipped first: they have not begun. */
static void drop_pending(RunModel *model, unsigned r, bool at_gate) {
        ModelRun *run = &model->runs[r];

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run->nodes[i].state == TRIAL_NODE_PENDING && is_unneeded(model, run, i) &&
                    (run->nodes[i].reason == TRIAL_REASON_GATE) == at_gate) {
                        if (run_model_waits_with_sub_run(model, r, i))
                                run_model_tell_end(model, run_model_live_attempt(model, r, i), MODEL_UNNEEDED);
                        else
                                run_model_set(model, r, i, TRIAL_NODE_CANCELLED, TRIAL_REASON_UNNEEDED);
                }
}

static void look_at_nodes(RunModel *model, unsigned r) {
        ModelRun *run = &model->runs[r];
        uint64_t before;

        /* A node that ends by the event itself ends the run before anything follows. */
        run_model_end_lists(model, r);
        run->is_deciding = true;
        do {
                before = sum_nodes(model, run);
                run_model_end_lists(model, r);
                for (unsigned i = 0; i < model->definition->n_nodes; i++)
                        evaluate(model, r, model->order[i]);
                if (run->state != TRIAL_RUN_STOPPING)
                        skip_unneeded(model, r);
                drop_pending(model, r, false);
                drop_pending(model, r, true);
        } while (sum_nodes(model, run) != before);
        /* An instance that is dropped gives its turn to another. */
        run_model_give_turns(model, r);
        run->is_deciding = false;
        if (run->is_ended)
                run_model_end_by_node(model, r);
        run->is_ended = false;
}

/* — runs — */

static unsigned count_nodes(const RunModel *model, const ModelRun *run, TrialNodeState state) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += run->nodes[i].state == state;
        return n;
}

static bool all_terminal(const RunModel *model, const ModelRun *run) {
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (!trial_node_is_terminal(run->nodes[i].state))
                        return false;
        return true;
}

TrialRunState run_model_result(const RunModel *model, const ModelRun *run) {
        bool is_partial = false;

        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                const TrialNodeView *node = &run->nodes[i];

                if (node->state == TRIAL_NODE_FAILED || node->state == TRIAL_NODE_TIMEOUT ||
                    (node->state == TRIAL_NODE_CANCELLED &&
                     (node->reason == TRIAL_REASON_JOB || node->reason == TRIAL_REASON_SUB_RUN))) {
                        if (run_model_policy(&model->definition->nodes[i], node->state) != TRIAL_POLICY_CONTINUE)
                                return TRIAL_RUN_FAILED;
                        is_partial = true;
                }
                if (node->state == TRIAL_NODE_CANCELLED && node->reason == TRIAL_REASON_UNNEEDED)
                        is_partial = true;
        }
        return is_partial ? TRIAL_RUN_PARTIAL : TRIAL_RUN_SUCCEEDED;
}

/* Nodes whose instances do not move do not, either. */
static unsigned count_lists(const RunModel *model, const ModelRun *run) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += model->definition->nodes[i].is_foreach && run->nodes[i].state == TRIAL_NODE_RUNNING;
        return n;
}

static bool asks_somebody(const RunModel *model, const ModelRun *run) {
        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                if (run->is_asked[i] || run->must_ask[i])
                        return true;
        return false;
}

/* Instances that wait for a turn move as those do that have one. */
static unsigned count_ready(const RunModel *model, const ModelRun *run) {
        const unsigned r = (unsigned) (run - model->runs);
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += run->nodes[i].state == TRIAL_NODE_READY && !run_model_is_bounded(model, r, i);
        return n;
}

static bool can_move(const RunModel *model, const ModelRun *run) {
        return count_ready(model, run) > 0 ||
               count_nodes(model, run, TRIAL_NODE_RUNNING) > count_lists(model, run) ||
               count_nodes(model, run, TRIAL_NODE_DEFERRED) > 0 || asks_somebody(model, run);
}

/*
 * The nodes that the end of the run waits for, unless that waits for a person with them; a pause does not wait for runs
 * of other flows.
 */
static bool has_attempt(RunModel *model, unsigned r) {
        const unsigned n = trial_n_views(model->definition);

        for (unsigned i = 0; i < n; i++) {
                if (i >= model->definition->n_nodes && run_model_waits_with_sub_run(model, r, i))
                        continue;
                if (run_model_live_attempt(model, r, i) && (model->runs[r].state == TRIAL_RUN_STOPPING ||
                                                            model->definition->nodes[i].action != TRIAL_ACTION_RUN))
                        return true;
        }
        return false;
}

static void look_at_run(RunModel *model, unsigned r) {
        ModelRun *run = &model->runs[r];
        const bool has_running = has_attempt(model, r);

        run_model_give_turns(model, r);
        if (trial_run_is_terminal(run->state))
                return;
        if (run->state == TRIAL_RUN_STOPPING) {
                run_model_end_lists(model, r);
                if (!has_running && !run_model_end_step(model, r)) {
                        run->hold = MODEL_NOT_HELD;
                        run->state = run->result;
                        run->reason = run->result_reason;
                }
                return;
        }
        if (run_model_is_ending(run))
                return;
        look_at_nodes(model, r);
        if (run->state == TRIAL_RUN_RUNNING || (run->state == TRIAL_RUN_PAUSING && !has_running))
                if (all_terminal(model, run)) {
                        run_model_stop(model, r, run_model_result(model, run), TRIAL_REASON_NONE, MODEL_RUNS_ON);
                        return;
                }
        /* Nodes were added that need not wait for those that are PENDING. */
        if (run->state == TRIAL_RUN_SUSPENDED && count_ready(model, run) > 0)
                run_model_wake(run);
        if (run->state == TRIAL_RUN_RUNNING && !can_move(model, run) && count_nodes(model, run, TRIAL_NODE_PENDING) > 0)
                run->state = TRIAL_RUN_SUSPENDED;
        if (run->state == TRIAL_RUN_PAUSING && !has_running)
                run->state = TRIAL_RUN_PAUSED;
}

/* — admission — */

unsigned run_model_count_busy(const RunModel *model) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->n_runs; i++)
                n += run_model_is_busy(model->runs[i].state);
        return n;
}

static ModelRun *first_waiting(RunModel *model) {
        ModelRun *first = NULL;
        unsigned r, node;

        if (trial_run_takes(model->definition))
                return run_model_next_claim(model, true, &r, &node) ? &model->runs[r] : NULL;
        for (unsigned i = 0; i < model->n_runs; i++) {
                ModelRun *run = &model->runs[i];

                if (run->state != TRIAL_RUN_CREATED && run->state != TRIAL_RUN_QUEUED)
                        continue;
                if (run->hold == MODEL_NOT_HELD && (!first || run->place < first->place))
                        first = run;
        }
        return first;
}

static void admit(RunModel *model) {
        const uint32_t timeout = model->definition->timeout;
        ModelRun *run;

        if (!model->unit_is_active)
                return;
        while ((run = first_waiting(model)) && run_model_count_busy(model) < model->definition->max_runs) {
                run->state = TRIAL_RUN_RUNNING;
                run->begun_at = model->now;
                run->deadline = timeout > 0 ? model->now + timeout : TRIAL_NEVER;
        }
        for (unsigned i = 0; i < model->n_runs; i++) {
                run = &model->runs[i];
                if (run->state != TRIAL_RUN_CREATED || run->hold != MODEL_NOT_HELD)
                        continue;
                run->state = TRIAL_RUN_QUEUED;
                run->queued_at = model->now;
        }
}

static uint64_t sum_runs(const RunModel *model) {
        uint64_t sum = 0;

        for (unsigned r = 0; r < model->n_runs; r++)
                sum = sum * 31 + model->runs[r].state;
        return sum;
}

void run_model_settle(RunModel *model) {
        uint64_t before;

        do {
                before = sum_runs(model);
                for (unsigned r = 0; r < model->n_runs; r++)
                        look_at_run(model, r);
                admit(model);
        } while (sum_runs(model) != before);
}

/* — attempts — */

void run_model_find_ways(const RunModel *model, ModelRun *run) {
        const TrialDefinition *definition = model->definition;

        memset(run->way, 0, sizeof(run->way));
        for (unsigned i = definition->n_nodes; i-- > 0;) {
                if (trial_is_missing(&definition->nodes[i], &run->nodes[i]))
                        continue;
                run->way[i]++;
                for (unsigned k = 0; k < definition->nodes[i].n_parents; k++) {
                        const unsigned parent = definition->nodes[i].parents[k];

                        if (run->way[parent] < run->way[i])
                                run->way[parent] = run->way[i];
                }
        }
}

/* Processes of the run alone take its places. */
bool run_model_has_place(const RunModel *model, unsigned r) {
        unsigned n = 0;

        for (unsigned i = 0; i < model->definition->n_nodes; i++)
                n += model->runs[r].nodes[i].state == TRIAL_NODE_RUNNING && !run_model_is_idle(model, r, i) &&
                     trial_needs_place(&model->definition->nodes[i]);
        return n < model->definition->max_parallel;
}

/* Instances stand where their node does. */
static unsigned origin(const TrialDefinition *definition, unsigned node) {
        return definition->nodes[node].is_item ? definition->nodes[node].item_of : node;
}

bool run_model_is_more_urgent(const RunModel *model, unsigned r, unsigned a, unsigned b) {
        const TrialDefinition *definition = model->definition;
        const ModelRun *run = &model->runs[r];
        const unsigned of_a = origin(definition, a), of_b = origin(definition, b);
        const TrialNode *left = &definition->nodes[a], *right = &definition->nodes[b];
        const unsigned first = left->takes_priority ? definition->priority : left->priority;
        const unsigned second = right->takes_priority ? definition->priority : right->priority;

        if (first != second)
                return first > second;
        if (run->way[of_a] != run->way[of_b])
                return run->way[of_a] > run->way[of_b];
        if (of_a != of_b)
                return run->rank[of_a] < run->rank[of_b];
        return a < b;
}

/* As in a run, but what takes the priority of its run has that. */
bool run_model_comes_before(const RunModel *model, unsigned r, unsigned node, unsigned other_run, unsigned other) {
        const TrialDefinition *definition = model->definition;
        const ModelRun *a = &model->runs[r], *b = &model->runs[other_run];
        const unsigned of_a = origin(definition, node), of_b = origin(definition, other);

        if (run_model_priority(model, r, node) != run_model_priority(model, other_run, other))
                return run_model_priority(model, r, node) > run_model_priority(model, other_run, other);
        if (a->way[of_a] != b->way[of_b])
                return a->way[of_a] > b->way[of_b];
        if (of_a != of_b)
                return a->rank[of_a] < b->rank[of_b];
        return node != other ? node < other : r < other_run;
}

/*
 * The READY node that comes first, of those that take nothing: by priority, before a long rest of the graph, then as in
 * the file; -1 if there is none.
 */
static int next_ready(RunModel *model, unsigned r) {
        const bool process_may_start = run_model_has_place(model, r);
        const ModelRun *run = &model->runs[r];
        int next = -1;

        for (unsigned i = 0; i < model->definition->n_nodes; i++) {
                if (run->nodes[i].state != TRIAL_NODE_READY || trial_takes(&model->definition->nodes[i]))
                        continue;
                if (trial_needs_place(&model->definition->nodes[i]) && !process_may_start)
                        continue;
                if (run_model_is_bounded(model, r, i))
                        continue;
                if (next >= 0 && !run_model_is_more_urgent(model, r, i, (unsigned) next))
                        continue;
                next = (int) i;
        }
        return next;
}

static void make_attempt(RunModel *model, unsigned r, unsigned node) {
        static const TrialReason reasons[_TRIAL_ACTION_MAX] = {
                [TRIAL_ACTION_JOB] = TRIAL_REASON_JOB, [TRIAL_ACTION_RUN] = TRIAL_REASON_SUB_RUN,
        };
        const uint8_t generation = model->runs[r].nodes[node].generation;
        ModelAttempt attempt = {
                .run = (uint8_t) r,
                .node = (uint8_t) node,
                .generation = generation,
                .number = 1,
                .turn = model->turn,
                .made_at = model->now,
        };

        for (size_t i = 0; i < model->n_attempts; i++)
                attempt.number += model->attempts[i].run == r && model->attempts[i].node == node &&
                                  model->attempts[i].generation == generation;
        if (model->n_attempts == model->room) {
                model->room = model->room * 2 + 64;
                model->attempts = realloc(model->attempts, model->room * sizeof(*model->attempts));
                assert(model->attempts);
        }
        model->attempts[model->n_attempts++] = attempt;
        run_model_set(model, r, node, TRIAL_NODE_RUNNING, reasons[model->definition->nodes[node].action]);
}

/* What needs no attempt is done, or waits for a time. */
static void begin_alone(RunModel *model, unsigned r, unsigned node) {
        const TrialNode *spec = &model->definition->nodes[node];

        model->runs[r].has_begun[node] = true;
        if (spec->is_foreach) {
                run_model_begin_list(model, r, node);
                return;
        }
        if (spec->action == TRIAL_ACTION_NOTHING) {
                run_model_succeed(model, r, node, TRIAL_REASON_NONE);
                return;
        }
        run_model_set(model, r, node, TRIAL_NODE_RUNNING, TRIAL_REASON_SLEEP);
        model->runs[r].wakes_at[node] = spec->sleep;
        if (spec->action == TRIAL_ACTION_SLEEP)
                model->runs[r].wakes_at[node] = model->now + spec->sleep;
}

/* Lets a node begin, and lets follow what follows from that. */
static void begin_node(RunModel *model, unsigned r, unsigned node) {
        if (trial_needs_no_attempt(&model->definition->nodes[node]) || model->definition->nodes[node].is_foreach)
                begin_alone(model, r, node);
        else
                make_attempt(model, r, node);
        run_model_settle(model);
}

/* What is READY in a run that stops: a compensation, or the final command. */
static bool start_end(RunModel *model, unsigned r) {
        const unsigned n = trial_n_views(model->definition);

        for (unsigned i = model->definition->n_nodes; i < n; i++)
                if (model->runs[r].nodes[i].state == TRIAL_NODE_READY && model->runs[r].hold == MODEL_NOT_HELD) {
                        begin_node(model, r, i);
                        return true;
                }
        return false;
}

/* The node of a run that runs which begins next, of those that take nothing; -1: none. */
static int next_of_run(RunModel *model, unsigned r) {
        if (model->runs[r].state != TRIAL_RUN_RUNNING)
                return -1;
        return next_ready(model, r);
}

/* The same of all runs. */
static bool next_of_all(RunModel *model, unsigned *ret_run, unsigned *ret_node) {
        bool has_some = false;

        for (unsigned r = 0; r < model->n_runs; r++) {
                const int node = next_of_run(model, r);

                if (node < 0 || (has_some && !run_model_comes_before(model, r, (unsigned) node, *ret_run, *ret_node)))
                        continue;
                *ret_run = r;
                *ret_node = (unsigned) node;
                has_some = true;
        }
        return has_some;
}

/* Starts one node, if one may start: a node that takes something stands among the others. */
static bool start_next(RunModel *model) {
        unsigned r = 0, node = 0, claim_run, claim_node;
        bool has_some;

        for (r = 0; r < model->n_runs; r++)
                if (model->runs[r].state == TRIAL_RUN_STOPPING && start_end(model, r))
                        return true;
        has_some = next_of_all(model, &r, &node);
        if (run_model_next_claim(model, false, &claim_run, &claim_node) &&
            (!has_some || !run_model_comes_before(model, r, node, claim_run, claim_node))) {
                r = claim_run;
                node = claim_node;
                model->runs[r].has_locks[node] = has_some = true;
        }
        if (has_some)
                begin_node(model, r, node);
        return has_some;
}

/* What follows may end a run, so that another one begins. */
void run_model_dispatch(RunModel *model) {
        if (!model->unit_is_active)
                return;
        while (start_next(model))
                ;
        ask_all(model);
}
