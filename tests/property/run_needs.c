/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Whether what somebody needs is skipped, or what nobody needs is not
 *
 * Of some nodes it can't be seen whether they have started. So there are two
 * readings of what is seen: one that finds as much as possible needed, and one
 * that finds as little as possible.
 */

#include "run_player.h"

typedef enum Reading {
        READING_MUCH,                   /* what is found unneeded is unneeded */
        READING_LITTLE,                 /* what is found needed is needed */
} Reading;

/* What a node makes of its need for its parents. */
typedef enum Child {
        CHILD_WAITS,                    /* neither started nor decided */
        CHILD_MAY_HAVE_STARTED,         /* or it waits: it needs what it needs in both cases */
        CHILD_MAY_WAIT,                 /* or it has started: it needs what it needs in one of the cases */
        CHILD_HAS_STARTED,
        CHILD_IS_DECIDED,               /* without running */
        CHILD_IS_UNNEEDED,              /* skipped, or maybe cancelled, for that */
} Child;

static Child child_of(const TrialNodeView *view, Reading reading) {
        const bool much = reading == READING_MUCH;

        switch (view->state) {
        case TRIAL_NODE_WAITING:
        case TRIAL_NODE_BLOCKED:
                return CHILD_WAITS;
        case TRIAL_NODE_PENDING:
                /* One that is not needed stays, and has no attempt before its gate was opened. */
                if (much && view->reason != TRIAL_REASON_GATE)
                        return CHILD_MAY_WAIT;
                __attribute__((fallthrough));
        case TRIAL_NODE_READY:
                return much ? CHILD_WAITS : CHILD_MAY_HAVE_STARTED;
        case TRIAL_NODE_RUNNING:
        case TRIAL_NODE_DEFERRED:
                return CHILD_HAS_STARTED;
        case TRIAL_NODE_SKIPPED:
                if (view->reason == TRIAL_REASON_SHORT_CIRCUIT)
                        return CHILD_IS_UNNEEDED;
                return much ? CHILD_HAS_STARTED : CHILD_IS_DECIDED;
        case TRIAL_NODE_CANCELLED:
                /* What is above was skipped before, or was decided with it. */
                if (!much && view->reason == TRIAL_REASON_UNNEEDED)
                        return CHILD_IS_UNNEEDED;
                break;
        case TRIAL_NODE_SUCCEEDED:
        case TRIAL_NODE_FAILED:
        case TRIAL_NODE_TIMEOUT:
        case TRIAL_NODE_ABSENT:
        case _TRIAL_NODE_STATE_MAX:
                break;
        }
        return much ? CHILD_HAS_STARTED : CHILD_IS_DECIDED;
}

static bool can_do_without(const TrialNode *spec, unsigned k) {
        return spec->readiness == TRIAL_ANY || spec->readiness == TRIAL_OPTIONAL ||
               (spec->readiness == TRIAL_MUST && !spec->is_marked[k]);
}

static bool is_surplus(const TrialNode *spec, unsigned k) {
        return spec->readiness == TRIAL_AT_LEAST || spec->readiness == TRIAL_AT_LEAST_PERCENT ||
               (spec->readiness == TRIAL_NAMED && !spec->is_marked[k]);
}

/* @child needs its @k-th parent, which has SkipUnneeded=@skip. */
static bool is_need(const TrialNode *spec, unsigned k, Child child, bool is_needed, TrialSkipUnneeded skip) {
        if (child == CHILD_WAITS || (child == CHILD_MAY_HAVE_STARTED && !is_needed) ||
            (child == CHILD_MAY_WAIT && is_needed))
                return is_needed;
        if (child == CHILD_IS_UNNEEDED || can_do_without(spec, k))
                return false;
        return skip != TRIAL_SKIP_ALL || (!is_surplus(spec, k) && child != CHILD_IS_DECIDED);
}

static void find_needed(const TrialPlayer *player, unsigned r, Reading reading, bool *needed) {
        const TrialDefinition *definition = &player->trial->definition;
        bool has_child[TRIAL_NODES_MAX] = {};

        /* Nodes with Otherwise=yes may need later ones: the second pass has what those need. */
        for (unsigned at = 2 * definition->n_nodes; at-- > 0;) {
                const unsigned i = at % definition->n_nodes;
                const TrialNode *spec = &definition->nodes[i];
                const Child child = child_of(&player->seen.runs[r].nodes[i], reading);

                if (trial_is_missing(spec, &player->seen.runs[r].nodes[i]))
                        continue;
                needed[i] = needed[i] || !has_child[i] || spec->is_always_needed ||
                            spec->skip_unneeded == TRIAL_SKIP_NONE ||
                            (reading == READING_MUCH && player->is_asked_for[r][i]);
                /* What is not decided needs the conditions that decide about it. */
                for (unsigned k = 0; k < definition->n_nodes && spec->is_otherwise && child == CHILD_WAITS; k++)
                        needed[k] = needed[k] || (needed[i] && trial_decides_about(&definition->nodes[k], spec));
                for (unsigned k = 0; k < spec->n_parents; k++) {
                        const unsigned parent = spec->parents[k];

                        has_child[parent] = true;
                        needed[parent] = needed[parent] ||
                                         is_need(spec, k, child, needed[i], definition->nodes[parent].skip_unneeded);
                }
        }
}

void trial_check_needs(TrialPlayer *player, unsigned r) {
        const TrialRunView *run = &player->seen.runs[r];
        const bool is_judged = run->state < TRIAL_RUN_STOPPING;
        bool much[TRIAL_NODES_MAX] = {}, little[TRIAL_NODES_MAX] = {};

        find_needed(player, r, READING_MUCH, much);
        find_needed(player, r, READING_LITTLE, little);
        for (unsigned i = 0; i < player->trial->definition.n_nodes; i++) {
                const TrialNodeView *node = &run->nodes[i], *then = &player->before.runs[r].nodes[i];
                const bool is_skipped = node->state == TRIAL_NODE_SKIPPED &&
                                        node->reason == TRIAL_REASON_SHORT_CIRCUIT &&
                                        (then->state != node->state || then->generation != node->generation);

                if (is_judged && !much[i] && !trial_node_is_terminal(node->state) &&
                    node->state != TRIAL_NODE_RUNNING && node->state != TRIAL_NODE_PENDING)
                        trial_differ(player, "run %u: node %u is %s, and nobody needs it", r, i,
                                     trial_node_state_name(node->state));
                if (is_skipped && little[i])
                        trial_differ(player, "run %u: node %u is skipped, and somebody needs it", r, i);
        }
}
