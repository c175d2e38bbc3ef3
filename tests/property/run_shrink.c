/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A case of runs made smaller while it still shows something
 *
 * Everything that can be taken out is a change with a number: steps in runs
 * that get shorter, nodes, edges, settings. Changes are tried one after the
 * other, kept if the case still shows something, and all over again until none
 * helps.
 */

#include <string.h>

#include "run_case.h"

#define ROUNDS_MAX 20

/* Changes @trial in the @n-th way of its kind. Returns false if there is no such way. */
typedef bool (*TrialChange)(TrialCase *trial, unsigned n);

static void remove_steps(TrialCase *trial, unsigned first, unsigned n) {
        memmove(trial->steps + first, trial->steps + first + n, (trial->n_steps - first - n) * sizeof(*trial->steps));
        trial->n_steps -= (uint8_t) n;
}

static bool drop_many(TrialCase *trial, unsigned n) {
        const unsigned length = trial->n_steps / 3;

        if (length == 0 || n * length + length > trial->n_steps)
                return false;
        remove_steps(trial, n * length, length);
        return true;
}

static bool drop_four(TrialCase *trial, unsigned n) {
        if (n * 2 + 4 > trial->n_steps)
                return false;
        remove_steps(trial, n * 2, 4);
        return true;
}

static bool drop_step(TrialCase *trial, unsigned n) {
        if (n >= trial->n_steps)
                return false;
        remove_steps(trial, n, 1);
        return true;
}

static bool drop_pair(TrialCase *trial, unsigned n) {
        const unsigned a = n / TRIAL_STEPS_MAX, b = n % TRIAL_STEPS_MAX;

        if (a >= trial->n_steps || trial->n_steps > 16)
                return false;
        if (b <= a || b >= trial->n_steps)
                return true;
        remove_steps(trial, b, 1);
        remove_steps(trial, a, 1);
        return true;
}

static void remove_parent(TrialNode *node, unsigned at) {
        trial_remove_parent(node, at);
        if (node->readiness == TRIAL_AT_LEAST && node->amount > node->n_parents)
                node->amount = node->n_parents;
        if (node->n_parents == 0) {
                node->readiness = TRIAL_ALL_SUCCEEDED;
                node->asks_policy = false;
        }
}

static void remove_node(TrialDefinition *definition, unsigned gone) {
        memmove(definition->nodes + gone, definition->nodes + gone + 1,
                (definition->n_nodes - gone - 1U) * sizeof(*definition->nodes));
        definition->n_nodes--;
        for (unsigned i = 0; i < definition->n_nodes; i++) {
                TrialNode *node = &definition->nodes[i];

                for (unsigned k = node->n_parents; k-- > 0;)
                        if (node->parents[k] == gone)
                                remove_parent(node, k);
                        else if (node->parents[k] > gone)
                                node->parents[k]--;
        }
}

static bool drop_half_of_nodes(TrialCase *trial, unsigned n) {
        if (n >= 2 || trial->definition.n_nodes < 4)
                return false;
        for (unsigned i = trial->definition.n_nodes / 2; i > 0; i--)
                remove_node(&trial->definition, n == 0 ? 0 : trial->definition.n_nodes - 1U);
        return true;
}

static bool drop_node(TrialCase *trial, unsigned n) {
        if (n >= trial->definition.n_nodes || trial->definition.n_nodes == 1)
                return false;
        remove_node(&trial->definition, n);
        return true;
}

static bool drop_edge(TrialCase *trial, unsigned n) {
        TrialNode *node = &trial->definition.nodes[n / TRIAL_PARENTS_MAX];

        if (n / TRIAL_PARENTS_MAX >= trial->definition.n_nodes)
                return false;
        if (n % TRIAL_PARENTS_MAX < node->n_parents)
                remove_parent(node, n % TRIAL_PARENTS_MAX);
        return true;
}

static bool plain_node(TrialCase *trial, unsigned n) {
        TrialNode *node = &trial->definition.nodes[n / 10];

        if (n / 10 >= trial->definition.n_nodes)
                return false;
        switch (n % 10) {
        case 0:
                node->retry = 0;
                break;
        case 1:
                node->timeout = 0;
                break;
        case 2:
                node->total_timeout = 0;
                break;
        case 3:
                node->backoff = TRIAL_BACKOFF_FIXED;
                break;
        case 4:
                node->recover = TRIAL_RECOVER_RETRY;
                break;
        case 5:
                node->policy = TRIAL_POLICY_CONTINUE;
                break;
        case 6:
                node->is_picky = false;
                break;
        case 7:
                node->can_be_pending = false;
                break;
        case 8:
                node->again = node->again_max = 0;
                break;
        default:
                node->readiness = TRIAL_ALL_SUCCEEDED;
                node->amount = 0;
                break;
        }
        return true;
}

/* Without what not every subject knows. */
static bool plain_features(TrialCase *trial, unsigned n) {
        TrialNode *node = &trial->definition.nodes[n / 26];

        if (n / 26 >= trial->definition.n_nodes)
                return false;
        switch (n % 26) {
        case 0:
                memset(node->skip_counts, 0, sizeof(node->skip_counts));
                break;
        case 1:
                node->again_max_time = 0;
                break;
        case 2:
                node->queue_timeout = 0;
                break;
        case 3:
                node->default_on = 0;
                break;
        case 4:
                node->is_always_needed = false;
                break;
        case 5:
                node->when = TRIAL_WHEN_NONE;
                break;
        case 6:
                node->is_otherwise = false;
                break;
        case 7:
                node->end_run = TRIAL_END_RUN_NO;
                break;
        case 8:
                node->has_gate = false;
                break;
        case 9:
                node->action = TRIAL_ACTION_PROCESS;
                node->sleep = 0;
                break;
        case 10:
                node->lacks_input = false;
                break;
        case 11:
                node->asks_policy = false;
                break;
        case 12:
                node->locks = 0;
                break;
        case 13:
                node->need = 0;
                break;
        case 14:
                node->need /= 2;
                break;
        case 15:
                node->priority = 0;
                node->takes_priority = false;
                break;
        case 16:
                node->gives_up_locks = false;
                break;
        case 17:
                node->has_callback = false;
                break;
        case 18:
                node->has_undo = false;
                break;
        case 19:
                node->is_foreach = false;
                break;
        case 20:
                node->foreach_parallel = 0;
                break;
        case 21:
        case 22:
                node->items[n % 26 - 21] = 0;
                break;
        case 23:
                for (unsigned i = 0; i < 2; i++)
                        node->items[i] -= node->items[i] > 0 && node->items[i] <= TRIAL_ITEMS_MAX;
                break;
        case 24:
                node->added_in = 0;
                break;
        default:
                /* SkipUnneeded=no stays: all nodes of a subject that does not skip have it. */
                if (node->skip_unneeded == TRIAL_SKIP_ALL)
                        node->skip_unneeded = TRIAL_SKIP_OPTIONAL;
                break;
        }
        return true;
}

static bool plain_definition(TrialCase *trial, unsigned n) {
        TrialDefinition *definition = &trial->definition;

        switch (n) {
        case 0:
                definition->timeout = definition->queue_timeout = 0;
                return true;
        case 1:
                definition->max_parallel = TRIAL_NODES_MAX;
                return true;
        case 2:
                definition->max_queued = 100;
                return true;
        case 3:
                definition->on_busy = TRIAL_BUSY_QUEUE;
                return true;
        case 4:
                definition->end_kills = false;
                definition->timeout_mode = TRIAL_TIMEOUT_TERMINATE;
                return true;
        case 5:
                trial->has_slow_ends = false;
                return true;
        case 6:
                trial->has_slow_store = false;
                return true;
        case 7:
                trial->has_slow_disk = false;
                return true;
        case 8:
                definition->run_slots = 0;
                return true;
        case 9:
                definition->run_need = 0;
                return true;
        case 10:
                definition->priority = 0;
                return true;
        case 11:
                definition->has_final = false;
                return true;
        case 12:
                definition->undoes_failure = definition->undoes_cancel = false;
                return true;
        case 13:
                definition->end_timeout = 0;
                return true;
        default:
                return false;
        }
}

static bool plain_step(TrialCase *trial, unsigned n) {
        TrialStep *step = &trial->steps[n / 5];

        if (n / 5 >= trial->n_steps)
                return false;
        switch (n % 5) {
        case 0:
                step->pick = 0;
                break;
        case 1:
                step->n = step->n > 0;
                break;
        case 2:
                step->status = 0;
                break;
        case 3:
                step->end = TRIAL_END_STATUS;
                step->priority = 0;
                break;
        default:
                step->amount /= 2;
                break;
        }
        return true;
}

static bool shows(const TrialCase *trial, const TrialSubject *subject) {
        TrialOutcome outcome = {};

        trial_play(trial, subject, &outcome);
        return outcome.differs;
}

/* Tries each way of one kind. Returns whether one has helped. */
static bool try_kind(TrialCase *trial, const TrialSubject *subject, TrialChange change) {
        static TrialCase smaller;
        bool has_helped = false;
        unsigned n = 0;

        for (;;) {
                smaller = *trial;
                trial_strip_items(&smaller.definition);
                if (!change(&smaller, n))
                        return has_helped;
                trial_trim_additions(&smaller.definition);
                trial_lay_items(&smaller.definition);
                trial_lay_ends(&smaller.definition);
                if (memcmp(&smaller, trial, sizeof(smaller)) != 0 && shows(&smaller, subject)) {
                        *trial = smaller;
                        has_helped = true;
                } else
                        n++;
        }
}

void trial_shrink(const TrialCase *trial, const TrialSubject *subject, TrialCase *ret_small) {
        static const TrialChange changes[] = { drop_many,  drop_half_of_nodes, drop_four,      drop_step,
                                               drop_node,  drop_edge,          plain_node,     plain_features,
                                               plain_definition, plain_step,   drop_pair };
        bool has_helped = true;

        *ret_small = *trial;
        trial_statistics = NULL;
        for (unsigned round = 0; round < ROUNDS_MAX && has_helped; round++) {
                has_helped = false;
                for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
                        has_helped = try_kind(ret_small, subject, changes[i]) || has_helped;
        }
}
