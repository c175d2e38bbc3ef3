/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What holds whatever a model says
 *
 * The model could have the same defects as an engine. These need nothing but
 * what is seen, and the demand of each rule of readiness.
 */

#include <stdlib.h>
#include <string.h>

#include "run_model.h"
#include "run_oracle.h"
#include "run_player.h"

/* By brute force where that is possible. */
static TrialVerdict verdict_of(const TrialDefinition *definition, unsigned node, const TrialRunView *run) {
        const TrialNode *spec = &definition->nodes[node];
        TrialParent parents[TRIAL_PARENTS_MAX] = {};
        TrialFamily family;

        trial_find_family(definition, run->nodes, node, &family);
        for (unsigned i = 0; i < family.n; i++)
                if (family.is_many[i] || family.n != spec->n_parents)
                        return run_model_judge(spec, &family);
        for (unsigned i = 0; i < spec->n_parents; i++)
                parents[i] = family.as[i];
        if (spec->n_parents <= RUN_ORACLE_PARENTS_MAX)
                return run_oracle_verdict(spec, parents);
        return run_model_verdict(spec, parents);
}

static bool somebody_asked(const TrialPlayer *player, unsigned run) {
        for (uint32_t i = player->n_events - 1; i-- > 0 && player->events[i].kind != TRIAL_TURN;) {
                const TrialEvent *event = &player->events[i];

                if (event->run == run &&
                    (event->kind == TRIAL_RETRY || event->kind == TRIAL_RERUN || event->kind == TRIAL_RESOLVE))
                        return true;
        }
        return false;
}

/* Nodes were added to the run in this turn. */
static bool somebody_added(const TrialPlayer *player, unsigned run) {
        for (uint32_t i = player->n_events - 1; i-- > 0 && player->events[i].kind != TRIAL_TURN;)
                if (player->events[i].run == run && player->events[i].kind == TRIAL_ADD)
                        return true;
        return false;
}

static const char *name_node(const TrialRunView *run, unsigned node) {
        static char text[80];

        snprintf(text, sizeof(text), "node %u %s%s", node, trial_node_state_name(run->nodes[node].state),
                 trial_reason_name(run->nodes[node].reason));
        return text;
}

/* — one node — */

/* A node ends once in a generation; a new one needs a human. */
static void check_end(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialNodeView *now = &player->seen.runs[r].nodes[node], *then = &player->before.runs[r].nodes[node];

        if (player->trial->definition.nodes[node].added_in > 0) {
                if (now->state == TRIAL_NODE_ABSENT && then->state != TRIAL_NODE_ABSENT)
                        trial_differ(player, "run %u: node %u was added, and is gone", r, node);
                if (now->state != TRIAL_NODE_ABSENT && then->state == TRIAL_NODE_ABSENT && !somebody_added(player, r))
                        trial_differ(player, "run %u: node %u is there, and nobody has added it", r, node);
        }
        if (now->state == TRIAL_NODE_ABSENT || then->state == TRIAL_NODE_ABSENT)
                return;
        if (now->generation == then->generation && trial_node_is_terminal(then->state) &&
            (now->state != then->state || now->reason != then->reason))
                trial_differ(player, "run %u: node %u has ended as %s, and again as %s", r, node,
                             trial_node_state_name(then->state), trial_node_state_name(now->state));
        if (now->generation < then->generation)
                trial_differ(player, "run %u: node %u has an older generation", r, node);
        if (now->generation > then->generation && !somebody_asked(player, r))
                trial_differ(player, "run %u: node %u has a new generation, and nobody has asked", r, node);
}

/* With a callback it has succeeded when somebody has said so. */
static void check_callback(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialNodeView *now = &player->seen.runs[r].nodes[node];

        if (player->trial->definition.nodes[node].has_callback &&
            !player->trial->definition.nodes[node].is_foreach && now->state == TRIAL_NODE_SUCCEEDED &&
            now->reason == TRIAL_REASON_NONE && (player->completed[r][node] >> now->generation % 64 & 1) == 0)
                trial_differ(player, "run %u: node %u has succeeded, and nobody has completed it", r, node);
}

/* An expression lets it run, and with Otherwise=yes those of the others have let none of them run. */
static bool is_let_run(const TrialPlayer *player, const TrialRunView *run, unsigned node) {
        const TrialDefinition *definition = &player->trial->definition;
        const TrialWhen when = definition->nodes[node].when;

        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (trial_decides_about(&definition->nodes[i], &definition->nodes[node]) &&
                    (run->nodes[i].state != TRIAL_NODE_SKIPPED || run->nodes[i].reason != TRIAL_REASON_WHEN))
                        return false;
        return when == TRIAL_WHEN_NONE || when == TRIAL_WHEN_TRUE;
}

/* It has begun to run: its parents allow that. */
static void check_begin(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialRunView *run = &player->seen.runs[r];
        const TrialNodeView *then = &player->before.runs[r].nodes[node];
        const bool was_early = then->state == TRIAL_NODE_WAITING || then->state == TRIAL_NODE_BLOCKED ||
                               trial_is_missing(&player->trial->definition.nodes[node], then) ||
                               (then->state == TRIAL_NODE_PENDING && then->reason == TRIAL_REASON_GATE);

        if (run->nodes[node].state != TRIAL_NODE_RUNNING && run->nodes[node].state != TRIAL_NODE_READY)
                return;
        if (!was_early || somebody_asked(player, r) || player->trial->definition.nodes[node].asks_policy)
                return;
        if (then->state != TRIAL_NODE_PENDING &&
            verdict_of(&player->trial->definition, node, run) != TRIAL_READY)
                trial_differ(player, "run %u: %s before its parents allow it", r, name_node(run, node));
        if (player->trial->definition.nodes[node].has_gate &&
            player->approved[r][node] != run->nodes[node].generation)
                trial_differ(player, "run %u: %s, and nobody has approved it", r, name_node(run, node));
        if (then->state != TRIAL_NODE_PENDING && !is_let_run(player, run, node))
                trial_differ(player, "run %u: %s, and an expression says no", r, name_node(run, node));
}

/* It is skipped because of its parents: they never allow it to run, and a failure is one that can be seen. */
static void check_skip(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialNode *spec = &player->trial->definition.nodes[node];
        const TrialRunView *run = &player->seen.runs[r];
        unsigned by_parent[_TRIAL_PARENT_MAX] = {};
        const TrialReason reason = run->nodes[node].reason;
        TrialFamily family;

        if (run->nodes[node].state != TRIAL_NODE_SKIPPED ||
            player->before.runs[r].nodes[node].state == TRIAL_NODE_SKIPPED ||
            (reason != TRIAL_REASON_UPSTREAM && reason != TRIAL_REASON_UPSTREAM_FAILED) || spec->asks_policy ||
            somebody_asked(player, r))
                return;
        trial_find_family(&player->trial->definition, run->nodes, node, &family);
        for (unsigned i = 0; i < family.n; i++)
                by_parent[family.as[i]]++;
        if (verdict_of(&player->trial->definition, node, run) != TRIAL_NEVER_READY)
                trial_differ(player, "run %u: %s, though its parents may still allow it", r, name_node(run, node));
        if (reason == TRIAL_REASON_UPSTREAM_FAILED && by_parent[TRIAL_PARENT_FAILED] == 0)
                trial_differ(player, "run %u: %s, and no parent has failed", r, name_node(run, node));
        /* A list may have fewer items than are wanted. */
        if (reason == TRIAL_REASON_UPSTREAM && spec->readiness < TRIAL_NONE_FAILED &&
            (spec->readiness != TRIAL_AT_LEAST || spec->amount <= family.n) &&
            by_parent[TRIAL_PARENT_SKIPPED] == 0)
                trial_differ(player, "run %u: %s, and no parent was skipped", r, name_node(run, node));
}

/* One that would be ready but for others, which have not been asked yet. */
static TrialVerdict ask_others(const TrialPlayer *player, const TrialRunView *run, unsigned node) {
        const TrialDefinition *definition = &player->trial->definition;
        TrialVerdict verdict = TRIAL_READY;

        for (unsigned i = 0; i < definition->n_nodes; i++) {
                if (!trial_decides_about(&definition->nodes[i], &definition->nodes[node]))
                        continue;
                if (run->nodes[i].state == TRIAL_NODE_WAITING)
                        return TRIAL_WAIT;
                if (!trial_node_is_terminal(run->nodes[i].state))
                        verdict = TRIAL_BLOCKED;
        }
        return verdict;
}

/* A command judges it: it waits for that, or for the next end of a parent. */
static void check_asked(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialNode *spec = &player->trial->definition.nodes[node];
        const TrialRunView *run = &player->seen.runs[r];
        unsigned asked = 0;
        bool has_open_parent = run->nodes[node].is_asked || run->state != TRIAL_RUN_RUNNING ||
                               player->unit != TRIAL_UNIT_IS_ACTIVE;

        for (unsigned i = 0; i < player->trial->definition.n_nodes; i++)
                asked += run->nodes[i].is_asked;
        for (unsigned i = 0; i < spec->n_parents; i++)
                has_open_parent = has_open_parent || !trial_node_is_terminal(run->nodes[spec->parents[i]].state);
        if (!has_open_parent && asked < player->trial->definition.max_parallel)
                trial_differ(player, "run %u: %s, and nobody is asked about it", r, name_node(run, node));
}

/* One that waits has something to wait for. */
static void check_wait(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialRunView *run = &player->seen.runs[r];
        const TrialNodeState state = run->nodes[node].state;
        TrialVerdict verdict;

        /* An instance waits for its node: check_list() has more. */
        if ((state != TRIAL_NODE_WAITING && state != TRIAL_NODE_BLOCKED) ||
            player->trial->definition.nodes[node].is_item)
                return;
        if (player->trial->definition.nodes[node].asks_policy) {
                check_asked(player, r, node);
                return;
        }
        verdict = verdict_of(&player->trial->definition, node, run);
        if (verdict == TRIAL_READY)
                verdict = ask_others(player, run, node);
        if (verdict != (state == TRIAL_NODE_WAITING ? TRIAL_WAIT : TRIAL_BLOCKED))
                trial_differ(player, "run %u: %s, but its parents say %s", r, name_node(run, node),
                             trial_verdict_name(verdict));
}

/* — one run — */

typedef struct Tally {
        unsigned states[_TRIAL_NODE_STATE_MAX];
        unsigned terminal;
        unsigned asleep;                /* RUNNING, without an attempt */
        unsigned subs, waiting_subs;    /* runs of other flows: RUNNING; PENDING with an attempt */
        unsigned asked, to_be_asked;    /* a command judges them */
        unsigned processes;             /* RUNNING, with a process */
        unsigned takers;                /* READY, and may have to wait for a lock */
        unsigned ends, pending_ends;    /* compensations and the final node: READY or RUNNING; PENDING */
        unsigned running_ends;
        unsigned need_none;             /* READY to do what is no process; the others of them */
        unsigned lists;                 /* RUNNING: their instances are executed */
        unsigned turnless;              /* READY instances that wait for others of their node … */
        unsigned may_have_no_turn;      /* … or may do so */
        unsigned bounded;               /* .turnless ones that take nothing */
} Tally;

static unsigned count_items(const TrialDefinition *definition, const TrialRunView *run, unsigned node,
                            TrialNodeState state) {
        unsigned n = 0;

        for (unsigned i = trial_n_own(definition); i < definition->n_nodes; i++)
                n += definition->nodes[i].item_of == node && run->nodes[i].state == state;
        return n;
}

/* Those that wait with their sub-runs; @may_keep: also those that may keep a lock. */
static unsigned count_waiting_items(const TrialDefinition *definition, const TrialRunView *run, unsigned node,
                                    bool may_keep) {
        unsigned n = 0;

        for (unsigned i = trial_n_own(definition); i < definition->n_nodes; i++) {
                const TrialNodeState state = run->nodes[i].state;

                if (definition->nodes[i].item_of != node)
                        continue;
                n += trial_waits_with_sub_run(&run->nodes[i]) ||
                     (may_keep && definition->nodes[i].locks != 0 && !definition->nodes[i].gives_up_locks &&
                      (state == TRIAL_NODE_DEFERRED || state == TRIAL_NODE_PENDING));
        }
        return n;
}

/* As many have a turn as ForeachParallel= allows, or may have one. */
static bool is_bounded(const TrialDefinition *definition, const TrialRunView *run, unsigned node, bool may_keep) {
        const TrialNode *spec = &definition->nodes[node];

        return spec->is_item && spec->foreach_parallel > 0 &&
               count_items(definition, run, spec->item_of, TRIAL_NODE_RUNNING) +
                               count_waiting_items(definition, run, spec->item_of, may_keep) >= spec->foreach_parallel;
}

static Tally tally_of(const TrialPlayer *player, const TrialRunView *run) {
        const unsigned n_views = trial_n_views(&player->trial->definition);
        Tally tally = {};

        for (unsigned i = 0; i < player->trial->definition.n_nodes; i++) {
                const TrialNode *spec = &player->trial->definition.nodes[i];
                const TrialNodeState state = run->nodes[i].state;
                const bool has_no_turn = state == TRIAL_NODE_READY && is_bounded(&player->trial->definition, run, i, false);
                const bool is_held_back = has_no_turn && !trial_takes(spec);

                tally.states[state]++;
                tally.terminal += trial_node_is_terminal(state);
                tally.asked += run->nodes[i].is_asked;
                /* It is asked as soon as the unit is active. */
                tally.to_be_asked += spec->asks_policy && state == TRIAL_NODE_WAITING &&
                                     player->unit != TRIAL_UNIT_IS_ACTIVE;
                tally.asleep += trial_is_idle(spec, &run->nodes[i]);
                tally.subs += state == TRIAL_NODE_RUNNING && spec->action == TRIAL_ACTION_RUN &&
                              !spec->is_foreach;
                tally.waiting_subs += trial_waits_with_sub_run(&run->nodes[i]);
                tally.lists += state == TRIAL_NODE_RUNNING && spec->is_foreach;
                tally.bounded += is_held_back;
                tally.turnless += has_no_turn;
                tally.may_have_no_turn += state == TRIAL_NODE_READY &&
                                          is_bounded(&player->trial->definition, run, i, true);
                tally.processes += state == TRIAL_NODE_RUNNING && spec->action == TRIAL_ACTION_PROCESS &&
                                   !trial_is_idle(spec, &run->nodes[i]);
                tally.takers += state == TRIAL_NODE_READY && trial_takes(spec);
                tally.need_none += state == TRIAL_NODE_READY && !trial_needs_place(spec) &&
                                   !trial_takes(spec) && !is_held_back;
        }
        for (unsigned i = player->trial->definition.n_nodes; i < n_views; i++) {
                const TrialNodeState state = run->nodes[i].state;

                tally.ends += state == TRIAL_NODE_READY || state == TRIAL_NODE_RUNNING;
                tally.running_ends += state == TRIAL_NODE_RUNNING;
                tally.pending_ends += state == TRIAL_NODE_PENDING;
                tally.waiting_subs += trial_waits_with_sub_run(&run->nodes[i]);
        }
        return tally;
}

/* Something can move: by itself, or by a human whom the state names. */
static void check_movable(TrialPlayer *player, unsigned r, const Tally *tally) {
        const TrialRunView *run = &player->seen.runs[r];
        const unsigned movers = tally->states[TRIAL_NODE_READY] - tally->turnless +
                                tally->states[TRIAL_NODE_RUNNING] - tally->lists + tally->states[TRIAL_NODE_DEFERRED] + tally->asked;
        bool can_move = true;

        switch (run->state) {
        case TRIAL_RUN_RUNNING:
                can_move = movers + tally->to_be_asked > 0;
                break;
        case TRIAL_RUN_PAUSING:
                can_move = tally->states[TRIAL_NODE_RUNNING] > tally->asleep + tally->subs;
                break;
        case TRIAL_RUN_STOPPING:
                can_move = tally->states[TRIAL_NODE_RUNNING] > tally->asleep || tally->ends > 0;
                break;
        case TRIAL_RUN_SUSPENDED:
                can_move = tally->states[TRIAL_NODE_PENDING] + tally->pending_ends > 0 &&
                           movers + tally->turnless <= tally->may_have_no_turn;
                break;
        case TRIAL_RUN_CREATED:
                can_move = player->unit != TRIAL_UNIT_IS_ACTIVE || run->is_held;
                break;
        case TRIAL_RUN_QUEUED:
        case TRIAL_RUN_PAUSED:
        case TRIAL_RUN_SUCCEEDED:
        case TRIAL_RUN_PARTIAL:
        case TRIAL_RUN_FAILED:
        case TRIAL_RUN_TIMEOUT:
        case TRIAL_RUN_CANCELLED:
        case _TRIAL_RUN_STATE_MAX:
                break;
        }
        if (!can_move)
                trial_differ(player, "run %u: %s, and nothing can move", r, trial_run_state_name(run->state));
}

static bool is_tolerated(const TrialNode *spec, TrialNodeState state) {
        if (spec->policy == TRIAL_POLICY_CONTINUE)
                return true;
        return (spec->default_on & (state == TRIAL_NODE_FAILED ? TRIAL_DEFAULT_ON_FAILURE
                                                               : TRIAL_DEFAULT_ON_TIMEOUT)) != 0;
}

static bool has_only(const TrialPlayer *player, const TrialRunView *run, bool tolerated) {
        for (unsigned i = 0; i < player->trial->definition.n_nodes; i++) {
                const TrialNodeState state = run->nodes[i].state;
                const bool is_bad = state == TRIAL_NODE_FAILED || state == TRIAL_NODE_TIMEOUT;

                if (is_bad && !(tolerated && is_tolerated(&player->trial->definition.nodes[i], state)))
                        return false;
        }
        return true;
}

/* A node has ended it; what ran then may have failed since. */
static bool is_ended_by_node(const TrialPlayer *player, const TrialRunView *run) {
        for (unsigned i = 0; i < player->trial->definition.n_nodes; i++)
                if (player->trial->definition.nodes[i].end_run == TRIAL_END_RUN_SUCCESS &&
                    run->nodes[i].state == TRIAL_NODE_SUCCEEDED)
                        return true;
        return false;
}

/* The end of a run is that of all its nodes. */
static void check_result(TrialPlayer *player, unsigned r, const Tally *tally) {
        const TrialRunView *run = &player->seen.runs[r];

        if (tally->terminal < player->trial->definition.n_nodes) {
                trial_differ(player, "run %u: %s, but not all of its nodes", r, trial_run_state_name(run->state));
                return;
        }
        if (is_ended_by_node(player, run))
                return;
        if (run->state == TRIAL_RUN_SUCCEEDED && !has_only(player, run, false))
                trial_differ(player, "run %u: SUCCEEDED with a node that failed", r);
        if (run->state == TRIAL_RUN_PARTIAL && !has_only(player, run, true))
                trial_differ(player, "run %u: PARTIAL with a failure that nobody tolerates", r);
}

static unsigned count_abandoned(const TrialPlayer *player, unsigned r) {
        unsigned n = 0;

        for (unsigned i = 0; i < player->seen.n_attempts; i++)
                n += player->seen.attempts[i].run == r && player->seen.attempts[i].is_abandoned;
        return n;
}

/* What can run, runs. */
static void check_busy(TrialPlayer *player, unsigned r, const Tally *tally) {
        const TrialRunView *run = &player->seen.runs[r];
        const unsigned most = player->trial->definition.max_parallel;
        const unsigned running = tally->states[TRIAL_NODE_RUNNING] - tally->asleep + tally->lists;

        if (tally->processes > most)
                trial_differ(player, "run %u: %u processes, of at most %u", r, tally->processes, most);
        if (run->state == TRIAL_RUN_RUNNING && player->unit == TRIAL_UNIT_IS_ACTIVE &&
            (tally->processes < most ? tally->states[TRIAL_NODE_READY] - tally->takers - tally->bounded : tally->need_none) >
                    0)
                trial_differ(player, "run %u: a node is READY, and nothing is in its way", r);
        if (run->state < TRIAL_RUN_STOPPING && count_abandoned(player, r) > 0)
                trial_differ(player, "run %u: %s beside a process that was abandoned", r,
                             trial_run_state_name(run->state));
        if (run->state == TRIAL_RUN_STOPPING && running + tally->terminal < player->trial->definition.n_nodes)
                trial_differ(player, "run %u: STOPPING with a node that neither runs nor has ended", r);
}

static bool was_there(const TrialPlayer *player, const TrialAttempt *attempt) {
        const TrialEvent event = {
                .run = attempt->run, .node = attempt->node, .generation = attempt->generation, .number = attempt->number
        };

        return trial_find_attempt(&player->before, &event) != NULL;
}

/* It, or what follows from it, may end its run in the turn in which others begin. */
static bool has_checkpoint(const TrialDefinition *definition) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].action == TRIAL_ACTION_NOTHING || definition->nodes[i].is_foreach)
                        return true;
        return false;
}

/* An attempt is made in a run that runs, and in no other. */
static void check_new_attempts(TrialPlayer *player) {
        for (unsigned i = 0; i < player->seen.n_attempts; i++) {
                const TrialAttempt *attempt = &player->seen.attempts[i];
                const TrialRunView *run = &player->seen.runs[attempt->run];

                if (was_there(player, attempt))
                        continue;
                if (run->state == TRIAL_RUN_STOPPING && has_checkpoint(&player->trial->definition))
                        continue;
                if (run->state != (attempt->node < player->trial->definition.n_nodes ? TRIAL_RUN_RUNNING : TRIAL_RUN_STOPPING) ||
                    run->is_held || player->unit != TRIAL_UNIT_IS_ACTIVE)
                        trial_differ(player, "run %u: %s%s, and node %u has a new attempt", attempt->run,
                                     trial_run_state_name(run->state), run->is_held ? " held" : "", attempt->node);
        }
}

/* The first signal decides: what was told to end does not succeed any more. */
static void check_signals(TrialPlayer *player) {
        for (unsigned i = 0; i < player->before.n_attempts; i++) {
                const TrialAttempt *attempt = &player->before.attempts[i];
                const TrialNodeView *node = &player->seen.runs[attempt->run].nodes[attempt->node];

                if ((attempt->is_ending || attempt->is_abandoned) && node->generation == attempt->generation &&
                    node->state == TRIAL_NODE_SUCCEEDED && node->reason != TRIAL_REASON_OPERATOR)
                        trial_differ(player, "run %u: node %u was told to end, and SUCCEEDED", attempt->run,
                                     attempt->node);
        }
}

/* One after the other, when nothing else is left: successes alone are undone, and the final command is the last. */
static void check_ends(TrialPlayer *player, unsigned r, const Tally *tally) {
        const TrialDefinition *definition = &player->trial->definition;
        const TrialRunView *run = &player->seen.runs[r];
        const unsigned n = trial_n_views(definition);

        if (tally->ends + tally->pending_ends > 1)
                trial_differ(player, "run %u: two commands end it", r);
        if (tally->ends + tally->pending_ends > 0 && tally->terminal < definition->n_nodes)
                trial_differ(player, "run %u: its end begins before its nodes have ended", r);
        if (trial_run_is_terminal(run->state) && tally->ends + tally->pending_ends > 0)
                trial_differ(player, "run %u: has ended, but not all commands that end it", r);
        for (unsigned i = 0; i < definition->n_nodes && n > definition->n_nodes; i++)
                if (run->nodes[trial_undo_of(definition, i)].state == TRIAL_NODE_RUNNING &&
                    run->nodes[i].state != TRIAL_NODE_SUCCEEDED)
                        trial_differ(player, "run %u: node %u is undone, and has not succeeded", r, i);
}

/* A node with Foreach= goes on as long as its instances do, and has succeeded if all of them have. */
static void check_list(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialDefinition *definition = &player->trial->definition;
        const TrialRunView *run = &player->seen.runs[r];
        const TrialNodeView *view = &run->nodes[node];
        unsigned open = 0, all = 0;
        const unsigned most = definition->nodes[node].foreach_parallel;
        const unsigned succeeded = count_items(definition, run, node, TRIAL_NODE_SUCCEEDED);

        if (!definition->nodes[node].is_foreach)
                return;
        for (TrialNodeState state = 0; state < TRIAL_NODE_ABSENT; state++) {
                all += count_items(definition, run, node, state);
                open += trial_node_is_terminal(state) ? 0 : count_items(definition, run, node, state);
        }
        if (most > 0 && count_items(definition, run, node, TRIAL_NODE_RUNNING) > most)
                trial_differ(player, "run %u: more than %u instances of node %u run", r, most, node);
        if (view->state == TRIAL_NODE_RUNNING && open == 0)
                trial_differ(player, "run %u: node %u is RUNNING, and none of its instances is left", r, node);
        if (trial_node_is_terminal(view->state) && open > 0)
                trial_differ(player, "run %u: %s, and not all of its instances", r, name_node(run, node));
        if (view->state == TRIAL_NODE_SUCCEEDED && succeeded < all)
                trial_differ(player, "run %u: %s, and not all of its instances", r, name_node(run, node));
        if (view->state == TRIAL_NODE_FAILED && all > 0 && succeeded == all)
                trial_differ(player, "run %u: %s, and all of its instances have succeeded", r, name_node(run, node));
}

/* How many instances of a node there are; -1: not the first ones of its list. */
static int count_all_items(const TrialDefinition *definition, const TrialRunView *run, unsigned node) {
        int n = 0, end = 0;

        for (unsigned i = trial_n_own(definition); i < definition->n_nodes; i++)
                if (definition->nodes[i].item_of == node && run->nodes[i].state != TRIAL_NODE_ABSENT) {
                        n++;
                        end = definition->nodes[i].item >= end ? definition->nodes[i].item + 1 : end;
                }
        return n == end ? n : -1;
}

/* A node gets its instances when it begins, all at once, and keeps them until it is begun anew. */
static void check_instances(TrialPlayer *player, unsigned r, unsigned node) {
        const TrialDefinition *definition = &player->trial->definition;
        const TrialNode *spec = &definition->nodes[node];
        const TrialRunView *run = &player->seen.runs[r], *before = &player->before.runs[r];
        const TrialNodeView *view = &run->nodes[node];
        const int n = count_all_items(definition, run, node);
        int then;

        if (!spec->is_foreach)
                return;
        if (n != 0 && n != spec->items[0] && n != spec->items[1])
                trial_differ(player, "run %u: %s, and its instances are no list of it", r, name_node(run, node));
        if (n != 0 && view->state != TRIAL_NODE_RUNNING && !trial_node_is_terminal(view->state))
                trial_differ(player, "run %u: %s, and has instances", r, name_node(run, node));
        if (n != 0 && view->state == TRIAL_NODE_FAILED &&
            (view->reason == TRIAL_REASON_EXPRESSION || view->reason == TRIAL_REASON_TOO_MANY))
                trial_differ(player, "run %u: %s, and has instances all the same", r, name_node(run, node));
        if (!player->has_before || r >= player->before.n_runs || before->nodes[node].generation != view->generation)
                return;
        then = count_all_items(definition, before, node);
        if (then != n && (then != 0 || trial_node_is_terminal(before->nodes[node].state)))
                trial_differ(player, "run %u: %s, and has %d instances, where it had %d", r, name_node(run, node), n,
                             then);
}

static void check_run(TrialPlayer *player, unsigned r) {
        const TrialRunView *run = &player->seen.runs[r];
        const Tally tally = tally_of(player, run);
        const bool is_judged = run->state >= TRIAL_RUN_RUNNING && run->state <= TRIAL_RUN_SUSPENDED;
        const bool has_before = player->has_before && r < player->before.n_runs;

        for (unsigned i = 0; i < player->trial->definition.n_nodes; i++) {
                if (has_before) {
                        check_end(player, r, i);
                        check_callback(player, r, i);
                        check_begin(player, r, i);
                        check_skip(player, r, i);
                }
                if (is_judged)
                        check_wait(player, r, i);
                check_list(player, r, i);
                check_instances(player, r, i);
        }
        if (has_before)
                trial_check_needs(player, r);
        check_movable(player, r, &tally);
        check_ends(player, r, &tally);
        if (run->is_held && (run->state == TRIAL_RUN_RUNNING ||
                             (run->state == TRIAL_RUN_STOPPING &&
                              trial_n_views(&player->trial->definition) == player->trial->definition.n_nodes)))
                trial_differ(player, "run %u: %s, and held", r, trial_run_state_name(run->state));
        if (has_before)
                check_busy(player, r, &tally);
        if (trial_run_is_terminal(run->state))
                check_result(player, r, &tally);
}

/* — all runs — */

/* Attempts and RUNNING nodes are one to one, and wait for the store as long as they must. */
static void check_attempts(TrialPlayer *player) {
        unsigned running = 0, attempts = player->seen.n_attempts;

        for (unsigned r = 0; r < player->seen.n_runs; r++) {
                const Tally tally = tally_of(player, &player->seen.runs[r]);

                running += tally.states[TRIAL_NODE_RUNNING] - tally.asleep + tally.running_ends + tally.waiting_subs;
                attempts -= count_abandoned(player, r);
        }
        if (running != attempts)
                trial_differ(player, "%u nodes are RUNNING, with %u attempts", running, attempts);
        for (unsigned i = 0; i < player->seen.n_attempts; i++) {
                const TrialAttempt *attempt = &player->seen.attempts[i];

                if (attempt->run < player->seen.n_runs &&
                    trial_waits_with_sub_run(&player->seen.runs[attempt->run].nodes[attempt->node]))
                        continue;
                if (attempt->run >= player->seen.n_runs ||
                    (player->seen.runs[attempt->run].nodes[attempt->node].state == TRIAL_NODE_RUNNING) ==
                            attempt->is_abandoned)
                        trial_differ(player, "run %u: node %u has an attempt%s", attempt->run, attempt->node,
                                     attempt->is_abandoned ? " that was abandoned, and is RUNNING"
                                                           : ", and is not RUNNING");
        }
}

/* Of those that wait for a place, none waits beside a free one. */
static void check_admission(TrialPlayer *player) {
        const TrialDefinition *definition = &player->trial->definition;
        /* What a run takes may be missing where another one has it. */
        const unsigned most = trial_run_takes(definition) ? 1 : definition->max_runs;
        unsigned busy = 0, waiting = 0;

        for (unsigned r = 0; r < player->seen.n_runs; r++) {
                const TrialRunView *run = &player->seen.runs[r];

                busy += run->state >= TRIAL_RUN_RUNNING && !trial_run_is_terminal(run->state);
                waiting += run->state == TRIAL_RUN_QUEUED && !run->is_held;
        }
        if (busy > player->trial->definition.max_runs &&
            trial_n_views(&player->trial->definition) == player->trial->definition.n_nodes)
                trial_differ(player, "%u runs are busy, of at most %u", busy, player->trial->definition.max_runs);
        if (waiting > 0 && busy < most && player->unit == TRIAL_UNIT_IS_ACTIVE)
                trial_differ(player, "a run is QUEUED, and nothing is in its way");
}

/* — locks and resources — */

/* A process of it runs, be it one that was abandoned. */
static bool has_process(const TrialPlayer *player, unsigned r, unsigned node) {
        for (unsigned i = 0; i < player->seen.n_attempts; i++)
                if (player->seen.attempts[i].run == r && player->seen.attempts[i].node == node)
                        return true;
        return false;
}

/* What has a lock whatever else is so: what runs, and what waits for its time and does not give it up. */
static bool has_lock(const TrialPlayer *player, unsigned r, unsigned node) {
        const TrialNodeState state = player->seen.runs[r].nodes[node].state;

        return state == TRIAL_NODE_RUNNING || has_process(player, r, node) ||
               (state == TRIAL_NODE_DEFERRED && !player->trial->definition.nodes[node].gives_up_locks &&
                !player->has_unlocked[r][node]);
}

static void check_lock(TrialPlayer *player, unsigned lock) {
        unsigned n = 0, least = UINT8_MAX;

        for (unsigned r = 0; r < player->seen.n_runs; r++)
                for (unsigned i = 0; i < player->trial->definition.n_nodes; i++) {
                        const TrialNode *spec = &player->trial->definition.nodes[i];

                        if ((spec->locks >> lock & 1) == 0 || spec->is_foreach || !has_lock(player, r, i))
                                continue;
                        n++;
                        least = spec->slots[lock] < least ? spec->slots[lock] : least;
                }
        if (n > least)
                trial_differ(player, "%u nodes have lock %u, of at most %u", n, lock, least);
}

static void check_resources(TrialPlayer *player) {
        const TrialDefinition *definition = &player->trial->definition;
        unsigned needs = 0, busy = 0;

        for (unsigned r = 0; r < player->seen.n_runs; r++) {
                const TrialRunState state = player->seen.runs[r].state;

                busy += state >= TRIAL_RUN_RUNNING && !trial_run_is_terminal(state);
                for (unsigned i = 0; i < definition->n_nodes; i++)
                        needs += has_process(player, r, i) ? definition->nodes[i].need : 0;
        }
        if (needs > definition->total)
                trial_differ(player, "%u of a resource are taken, of %u", needs, definition->total);
        if ((definition->run_slots > 0 && busy > definition->run_slots) ||
            busy * definition->run_need > definition->total)
                trial_differ(player, "%u runs have what is not for so many", busy);
}

/* A node waits with its sub-run, as long as nobody has told that to end. */
static void check_subs(TrialPlayer *player) {
        for (uint32_t i = 0; i < player->n_processes; i++) {
                const TrialProcess *process = &player->processes[i];
                const TrialEvent event = { .run = process->run, .node = process->node,
                                           .generation = process->generation, .number = process->number };
                const TrialAttempt *attempt = trial_find_attempt(&player->seen, &event);

                if (player->trial->definition.nodes[process->node].action != TRIAL_ACTION_RUN || process->has_ended ||
                    !attempt || player->has_untold_subs)
                        continue;
                /* In a run that ends nothing waits for a person. */
                if (trial_waits_with_sub_run(&player->seen.runs[process->run].nodes[process->node]) !=
                    (process->waits && !attempt->is_ending &&
                     player->seen.runs[process->run].state != TRIAL_RUN_STOPPING))
                        trial_differ(player, "run %u: %s, and its sub-run %s", process->run,
                                     name_node(&player->seen.runs[process->run], process->node),
                                     process->waits ? "waits for a person" : "does not wait");
        }
}

void trial_check_properties(TrialPlayer *player) {
        for (unsigned r = 0; r < player->seen.n_runs && !player->outcome->differs; r++)
                check_run(player, r);
        check_attempts(player);
        check_subs(player);
        if (player->has_before) {
                check_new_attempts(player);
                check_signals(player);
        }
        check_admission(player);
        for (unsigned i = 0; i < TRIAL_LOCKS_MAX; i++)
                check_lock(player, i);
        check_resources(player);
}

/* — processes — */

void trial_check_spawn(TrialPlayer *player, const TrialAttempt *attempt) {
        const bool repeats = player->trial->definition.nodes[attempt->node].recover == TRIAL_RECOVER_RETRY;
        const uint32_t mark = repeats ? player->accepted : player->durable;

        if (player->made_in[attempt->run][attempt->node] > mark)
                trial_differ(player, "run %u: node %u is spawned before the store has it", attempt->run, attempt->node);
        for (uint32_t i = 0; i < player->n_processes; i++) {
                const TrialProcess *process = &player->processes[i];

                if (process->run != attempt->run || process->node != attempt->node)
                        continue;
                if (!process->has_ended)
                        trial_differ(player, "run %u: node %u runs twice at once", attempt->run, attempt->node);
                if (repeats)
                        continue;
                if (process->generation == attempt->generation && process->number == attempt->number)
                        trial_differ(player, "run %u: an attempt of node %u is spawned twice", attempt->run,
                                     attempt->node);
                if (process->is_ended_by_us && process->verbs == player->verbs[attempt->run])
                        trial_differ(player, "run %u: node %u runs again, though nobody knows what it did",
                                     attempt->run, attempt->node);
        }
}

/* — the same again — */

static uint64_t mix(uint64_t sum, uint64_t value) {
        sum = (sum ^ value) * UINT64_C(0x9E3779B97F4A7C15);
        return sum ^ (sum >> 29);
}

static uint64_t sum_of_node(const TrialRunView *run, unsigned node, unsigned place) {
        const TrialNodeView *view = &run->nodes[node];

        return mix(mix(mix(mix(place + 1, view->state), view->reason), view->generation), view->not_before);
}

uint64_t trial_sum(const TrialView *view, unsigned n_nodes, const uint8_t *places) {
        uint64_t sum = 0;

        for (unsigned r = 0; r < view->n_runs; r++) {
                const TrialRunView *run = &view->runs[r];
                uint64_t nodes = 0;

                for (unsigned i = 0; i < n_nodes; i++)
                        nodes += sum_of_node(run, i, places[i]);
                sum += mix(mix(mix(mix(mix(r + 1, run->state), run->reason), run->is_held), run->round), nodes);
        }
        for (unsigned i = 0; i < view->n_attempts; i++) {
                const TrialAttempt *attempt = &view->attempts[i];

                sum += mix(mix(mix(mix(attempt->run + 1, places[attempt->node]), attempt->number), attempt->state),
                           attempt->is_ending + attempt->is_abandoned * 2U);
        }
        return mix(sum, view->deadline);
}

typedef struct Replay {
        const TrialDefinition *definition;
        uint8_t places[TRIAL_NODES_MAX];        /* of the case, by node of the replay */
        uint8_t nodes[TRIAL_NODES_MAX];         /* of the replay, by node of the case */
        bool turns_around;
        const char *what;
} Replay;

static bool is_of_world(const TrialEvent *event) {
        return event->kind == TRIAL_STARTED || event->kind == TRIAL_EXITED || event->kind == TRIAL_LOST ||
               event->kind == TRIAL_INTERRUPTED;
}

static void give(const TrialPlayer *player, const Replay *replay, void *subject, uint32_t at) {
        TrialEvent event = player->events[at];

        event.node = replay->nodes[event.node];
        (void) player->subject->apply(subject, &event);
}

/* What ends a run decides what becomes of the rest: there the order of a turn's events counts. */
static bool order_counts(const TrialPlayer *player, uint32_t at) {
        while (player->events[at].kind != TRIAL_TURN)
                at++;
        return player->is_end[at];
}

/* Gives the events from @first on, up to a turn's end or one that is not of the world; returns the next one. */
static uint32_t give_some(const TrialPlayer *player, const Replay *replay, void *subject, uint32_t first) {
        const bool turns_around = replay->turns_around && !order_counts(player, first);
        uint32_t end = first;

        while (end < player->n_events && is_of_world(&player->events[end]))
                end++;
        if (end == first) {
                give(player, replay, subject, first);
                return first + 1;
        }
        for (uint32_t i = 0; i < end - first; i++)
                give(player, replay, subject, turns_around ? end - 1 - i : first + i);
        return end;
}

static bool has_failing_expression(const TrialDefinition *definition) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].when == TRIAL_WHEN_ERROR)
                        return true;
        return false;
}

/* Several times came at once, or expressions, and one of them has ended a run: which was first is a matter of names. */
static bool names_count(const TrialPlayer *player, uint32_t turn) {
        if (!player->is_end[turn] || turn == 0)
                return false;
        return player->events[turn - 1].kind == TRIAL_TIME || has_failing_expression(&player->trial->definition);
}

static void play_again(TrialPlayer *player, const Replay *replay) {
        static TrialView view;
        void *subject = player->subject->new_subject(replay->definition);
        uint32_t at = 0;

        while (at < player->n_events && !player->outcome->differs) {
                at = give_some(player, replay, subject, at);
                if (player->events[at - 1].kind != TRIAL_TURN)
                        continue;
                if (names_count(player, at - 1))
                        break;
                player->subject->look(subject, &view);
                if (trial_sum(&view, replay->definition->n_nodes, replay->places) != player->sums[at - 1])
                        trial_differ(player, "event %u: not the same %s", at, replay->what);
        }
        player->subject->free_subject(subject);
}

/* Other numbers for the nodes, with parents before children: those that were last come first where they may. */
static void renumber(const TrialDefinition *definition, Replay *replay, TrialDefinition *renamed) {
        bool is_placed[TRIAL_NODES_MAX] = {};

        *renamed = *definition;
        trial_strip_items(renamed);
        for (unsigned n = 0; n < trial_n_own(definition); n++)
                for (unsigned i = trial_n_own(definition); i-- > 0;) {
                        const TrialNode *node = &definition->nodes[i];
                        bool can_be_next = !is_placed[i];

                        for (unsigned k = 0; k < node->n_parents; k++)
                                can_be_next = can_be_next && is_placed[node->parents[k]];
                        if (!can_be_next)
                                continue;
                        is_placed[i] = true;
                        replay->nodes[i] = (uint8_t) n;
                        replay->places[n] = (uint8_t) i;
                        renamed->nodes[n] = *node;
                        for (unsigned k = 0; k < node->n_parents; k++)
                                renamed->nodes[n].parents[k] = replay->nodes[node->parents[k]];
                        break;
                }
        trial_lay_items(renamed);
        for (unsigned i = trial_n_own(definition); i < definition->n_nodes; i++) {
                const TrialNode *node = &definition->nodes[i];
                const unsigned n = trial_find_item(renamed, replay->nodes[node->item_of], node->item);

                replay->nodes[i] = (uint8_t) n;
                replay->places[n] = (uint8_t) i;
        }
}

/*
 * A node that is skipped counts as failed to Airflow's rules if a parent had failed by then. Whether one that is
 * skipped early had such a parent depends on which of two ends of one turn was told first; and so does whether one that
 * runs was needed when it ended, and whether a run had ended by then. A run whose last process ends is PAUSED before the
 * end of a sub-run, which it does not wait for, and may have ended after it.
 */
static bool order_shows(const TrialDefinition *definition) {
        for (unsigned i = 0; i < definition->n_nodes; i++) {
                const TrialNode *node = &definition->nodes[i];

                if (node->readiness > TRIAL_AT_LEAST_PERCENT || node->skip_unneeded == TRIAL_SKIP_ALL ||
                    node->when != TRIAL_WHEN_NONE || node->end_run != TRIAL_END_RUN_NO ||
                    node->action == TRIAL_ACTION_RUN)
                        return true;
        }
        return false;
}

void trial_check_replays(TrialPlayer *player) {
        const TrialDefinition *definition = &player->trial->definition;
        static TrialDefinition renamed;
        Replay replay = { .definition = definition,
                          .turns_around = true,
                          .what = "in another order of a turn's events" };

        for (unsigned i = 0; i < TRIAL_NODES_MAX; i++)
                replay.nodes[i] = replay.places[i] = (uint8_t) i;
        /* So is which success was the last one. */
        if (trial_n_views(definition) > definition->n_nodes)
                return;
        if (!order_shows(definition))
                play_again(player, &replay);
        /* Numbers of nodes decide which comes first where not all may run. */
        if (definition->max_parallel < definition->n_nodes || definition->total > 0 ||
            has_checkpoint(definition) || trial_can_grow(definition))
                return;
        renumber(definition, &replay, &renamed);
        replay.definition = &renamed;
        replay.turns_around = false;
        replay.what = "with other names";
        play_again(player, &replay);
}
