/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Cases of runs by chance
 *
 * Most graphs are small, so that every node matters; some are wide, long, or
 * have two hundred nodes. Times are few and small, so that several come at the
 * same moment. Each case has a temper: how often processes fail, and whether
 * people, units or machines interfere. What not every subject knows is added
 * behind, by chances of its own: without it a case is the same for all.
 */

#include <string.h>

#include "run_case.h"

typedef struct TrialRandom {
        uint64_t state;
        unsigned failures;              /* percent of exits */
        unsigned people, units, deaths; /* percent of steps */
        unsigned losses;                /* percent of ends */
        bool has_times;
} TrialRandom;

static uint32_t below(TrialRandom *random, uint32_t n) {
        uint64_t z = (random->state += UINT64_C(0x9E3779B97F4A7C15));

        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        return (uint32_t) ((z ^ (z >> 31)) >> 32) % n;
}

static bool chance(TrialRandom *random, uint32_t percent) {
        return below(random, 100) < percent;
}

#define SMALL_GRAPH 24U                 /* nodes: all of them may take something */
#define FEW_FEATURES 6                  /* that cases may have: what is slow is in most of them then */

#define choose(random, array) ((array)[below(random, sizeof(array) / sizeof((array)[0]))])

/* — graph — */

static void add_parent(TrialRandom *random, TrialNode *node, unsigned parent) {
        for (unsigned i = 0; i < node->n_parents; i++)
                if (node->parents[i] == parent)
                        return;
        if (node->n_parents == TRIAL_PARENTS_MAX)
                return;
        node->is_marked[node->n_parents] = chance(random, 50);
        node->parents[node->n_parents++] = (uint8_t) parent;
}

static void random_rule(TrialRandom *random, TrialNode *node) {
        static const TrialReadiness first[] = { TRIAL_ALL_SUCCEEDED, TRIAL_ALL_SUCCEEDED, TRIAL_ALL_FINISHED,
                                                TRIAL_AT_LEAST,      TRIAL_AT_LEAST,      TRIAL_AT_LEAST_PERCENT };

        if (node->n_parents == 0)
                return;
        node->readiness = choose(random, first);
        if (node->readiness == TRIAL_AT_LEAST)
                node->amount = (uint8_t) (1 + below(random, node->n_parents));
        else if (node->readiness == TRIAL_AT_LEAST_PERCENT)
                node->amount = (uint8_t) (1 + below(random, 100));
        memset(node->is_marked, 0, sizeof(node->is_marked));
}

static void random_times(TrialRandom *random, TrialNode *node) {
        static const uint32_t delays[] = { 1, 2, 5, 5 };

        node->retry_delay = choose(random, delays);
        node->retry_max_delay = chance(random, 60) ? 300 : 7;
        node->backoff = (TrialBackoff) below(random, 3);
        if (chance(random, 20)) {
                node->again = 1 + below(random, 5);
                node->again_max = (uint8_t) below(random, 3);
        }
        if (!random->has_times)
                return;
        node->timeout = chance(random, 40) ? 1 + below(random, 10) : 0;
        node->total_timeout = chance(random, 15) ? 5 + below(random, 20) : 0;
}

static void random_node(TrialRandom *random, TrialDefinition *definition, unsigned at, unsigned width,
                        unsigned density) {
        static const TrialFailurePolicy policies[] = { TRIAL_POLICY_SUSPEND, TRIAL_POLICY_SUSPEND,
                                                       TRIAL_POLICY_CONTINUE, TRIAL_POLICY_CONTINUE, TRIAL_POLICY_END };
        TrialNode *node = &definition->nodes[at];

        *node = (TrialNode) {
                .policy = choose(random, policies),
                .recover = (TrialRecover) below(random, 3),
                .retry = (uint8_t) (chance(random, 50) ? below(random, 4) : 0),
                .is_picky = chance(random, 20),
                .can_be_pending = chance(random, 20),
        };
        for (unsigned i = at > width ? at - width : 0; i < at; i++)
                if (chance(random, density))
                        add_parent(random, node, i);
        random_rule(random, node);
        random_times(random, node);
}

static void random_definition(TrialRandom *random, TrialDefinition *definition) {
        static const uint8_t few[] = { 1, 1, 2, 3 };
        static const unsigned densities[] = { 15, 30, 50, 80 };
        unsigned density = choose(random, densities), width, n = 1 + below(random, 8);

        if (chance(random, 15))
                n = 9 + below(random, 20);
        if (chance(random, 2)) {
                n = 30 + below(random, TRIAL_NODES_MAX - 29);
                density = 3 + below(random, 10);
        }
        width = chance(random, 70) ? n : 1 + below(random, 4);
        for (unsigned i = 0; i < n; i++)
                random_node(random, definition, i, width, density);
        definition->n_nodes = (uint8_t) n;
        definition->max_parallel = chance(random, 60) ? TRIAL_NODES_MAX : choose(random, few);
        /* Without a limit in some cases: there runs may end in slices, see run_adapter.c. */
        definition->max_runs = n % 4 == 0 ? TRIAL_RUNS_MAX : choose(random, few);
        definition->max_queued = chance(random, 70) ? 100 : choose(random, few);
        definition->on_busy = chance(random, 50) ? TRIAL_BUSY_QUEUE : (TrialOnBusy) below(random, 4);
        definition->end_kills = chance(random, 40);
        if (!random->has_times)
                return;
        definition->timeout = chance(random, 50) ? 5 + below(random, 30) : 0;
        definition->timeout_mode = chance(random, 40) ? TRIAL_TIMEOUT_DRAIN : TRIAL_TIMEOUT_TERMINATE;
        definition->queue_timeout = chance(random, 30) ? 5 + below(random, 20) : 0;
}

/* — what not every subject knows — */

static void add_rule(TrialRandom *random, TrialNode *node, uint32_t features) {
        static const TrialReadiness optional[] = { TRIAL_ANY, TRIAL_ANY, TRIAL_NAMED, TRIAL_MUST, TRIAL_OPTIONAL };
        const bool has_optional = (features & TRIAL_HAS_OPTIONAL) != 0;
        const bool has_airflow = (features & TRIAL_HAS_AIRFLOW) != 0;

        if (node->n_parents == 0 || (!has_optional && !has_airflow) || chance(random, 50))
                return;
        if (has_optional && (!has_airflow || chance(random, 50)))
                node->readiness = choose(random, optional);
        else
                node->readiness = TRIAL_NONE_FAILED + below(random, _TRIAL_READINESS_MAX - TRIAL_NONE_FAILED);
        node->amount = 0;
        if (node->readiness != TRIAL_NAMED && node->readiness != TRIAL_MUST)
                return;
        for (unsigned i = 0; i < node->n_parents; i++)
                node->is_marked[i] = chance(random, 50);
        node->is_marked[below(random, node->n_parents)] = true;
}

/* Takes edges out: where most nodes have one child, it matters what that child still needs. */
static void thin(TrialRandom *random, TrialNode *node) {
        unsigned n = 0;

        for (unsigned i = 0; i < node->n_parents; i++)
                if (chance(random, 40))
                        node->parents[n++] = node->parents[i];
        node->n_parents = (uint8_t) n;
        if (node->amount > n && node->readiness == TRIAL_AT_LEAST)
                node->amount = (uint8_t) n;
        if (n == 0)
                node->readiness = TRIAL_ALL_SUCCEEDED;
}

/* Who is needed, and for what a skip counts. */
static void add_needs(TrialRandom *random, TrialNode *node, uint32_t features) {
        for (unsigned i = 0; i < node->n_parents && (features & TRIAL_HAS_SKIP_COUNTS) != 0; i++) {
                node->skip_counts[i] = chance(random, 40);
                node->skip_counts_as[i] = chance(random, 50) ? TRIAL_PARENT_FAILED : TRIAL_PARENT_SUCCEEDED;
        }
        if ((features & TRIAL_HAS_SHORT_CIRCUIT) != 0) {
                node->is_always_needed = chance(random, 10);
                node->skip_unneeded = chance(random, 15) ? TRIAL_SKIP_NONE : TRIAL_SKIP_OPTIONAL;
        }
        if ((features & TRIAL_HAS_SKIP_ALL) != 0 && chance(random, 50))
                node->skip_unneeded = TRIAL_SKIP_ALL;
}

static void add_ends(TrialRandom *random, TrialNode *node, uint32_t features) {
        if ((features & TRIAL_HAS_END_RUN) != 0 && chance(random, 25))
                node->end_run = chance(random, 60) ? TRIAL_END_RUN_SUCCESS : TRIAL_END_RUN_FAILURE;
        if ((features & TRIAL_HAS_DEFAULT) != 0 && chance(random, 60))
                node->default_on = (uint8_t) below(random, 8);
        if ((features & TRIAL_HAS_NODE_QUEUE) != 0 && chance(random, 60))
                node->queue_timeout = 1 + below(random, 8);
        if ((features & TRIAL_HAS_AGAIN_BOUND) != 0 && chance(random, 70)) {
                node->again = 1 + below(random, 5);
                node->again_max_time = 2 + below(random, 12);
        }
}

static void add_expression(TrialRandom *random, TrialDefinition *definition, unsigned at) {
        static const TrialWhen outcomes[] = { TRIAL_WHEN_TRUE, TRIAL_WHEN_TRUE, TRIAL_WHEN_FALSE, TRIAL_WHEN_FALSE,
                                              TRIAL_WHEN_ERROR };
        TrialNode *node = &definition->nodes[at];
        const TrialNode *other = at > 0 ? &definition->nodes[below(random, at)] : node;

        if (other->when != TRIAL_WHEN_NONE && chance(random, 60)) {
                memcpy(node->parents, other->parents, sizeof(node->parents));
                memcpy(node->is_marked, other->is_marked, sizeof(node->is_marked));
                node->n_parents = other->n_parents;
                node->readiness = other->readiness;
                node->amount = other->amount;
                node->is_otherwise = chance(random, 70);
        }
        if (!node->is_otherwise && chance(random, 50))
                node->when = choose(random, outcomes);
}

/* What a node does, and what stands before it. */
static void add_action(TrialRandom *random, TrialNode *node, uint32_t features) {
        if ((features & TRIAL_HAS_POLICY) != 0 && node->n_parents > 0 && !node->is_otherwise && chance(random, 50)) {
                node->asks_policy = true;
                node->readiness = TRIAL_ALL_SUCCEEDED;
                /* Whether it ends the run before or after what else follows from the answer is left open. */
                if (node->when == TRIAL_WHEN_ERROR)
                        node->when = TRIAL_WHEN_FALSE;
        }
        node->has_gate = (features & TRIAL_HAS_GATE) != 0 && chance(random, 40);
        /* Whether what comes to its gate when a goal ends is skipped or cancelled is left open: see the README. */
        if ((features & TRIAL_HAS_GATE) != 0 && node->skip_unneeded == TRIAL_SKIP_NONE)
                node->skip_unneeded = TRIAL_SKIP_OPTIONAL;
        if ((features & TRIAL_HAS_SLEEP) != 0 && chance(random, 45)) {
                node->action = (TrialAction) (TRIAL_ACTION_SLEEP + below(random, 3));
                node->sleep = 1 + below(random, node->action == TRIAL_ACTION_SLEEP ? 8 : 30);
                node->timeout = node->total_timeout = 0;
        } else if ((features & TRIAL_HAS_JOB) != 0 && chance(random, 50)) {
                node->action = TRIAL_ACTION_JOB;
        } else if ((features & TRIAL_HAS_RESULT) != 0)
                node->lacks_input = chance(random, 10);
        if ((features & TRIAL_HAS_CALLBACK) != 0 && node->action == TRIAL_ACTION_PROCESS)
                node->has_callback = chance(random, 50);
}

static void add_features(TrialRandom *random, TrialDefinition *definition, uint32_t features) {
        const bool is_thin = (features & (TRIAL_HAS_OPTIONAL | TRIAL_HAS_SKIP_ALL)) != 0 && chance(random, 60);

        for (unsigned i = 0; i < definition->n_nodes; i++) {
                TrialNode *node = &definition->nodes[i];

                if (is_thin)
                        thin(random, node);
                add_rule(random, node, features);
                if ((features & TRIAL_HAS_WHEN) != 0)
                        add_expression(random, definition, i);
                add_needs(random, node, features);
                add_ends(random, node, features);
                add_action(random, node, features);
        }
        if ((features & TRIAL_HAS_JOB) != 0 && chance(random, 40))
                definition->max_parallel = 1;
        if ((features & TRIAL_HAS_NODE_QUEUE) != 0 && chance(random, 60))
                definition->max_parallel = (uint8_t) (1 + below(random, 2));
        if ((features & TRIAL_HAS_ABANDON) != 0) {
                definition->timeout = 2 + below(random, 12);
                definition->timeout_mode = TRIAL_TIMEOUT_ABANDON;
        }
}

static void add_claim(TrialRandom *random, TrialNode *node, unsigned total) {
        if (node->action == TRIAL_ACTION_NOTHING)
                return;
        if (chance(random, 60))
                node->locks = (uint8_t) (1 + below(random, (1U << TRIAL_LOCKS_MAX) - 1));
        for (unsigned i = 0; i < TRIAL_LOCKS_MAX; i++)
                node->slots[i] = (node->locks >> i & 1) != 0 ? (uint8_t) (1 + below(random, 2)) : 0;
        if (node->action == TRIAL_ACTION_PROCESS && chance(random, 50))
                node->need = (uint8_t) (1 + below(random, total));
        node->gives_up_locks = chance(random, 30);
        /* A node that keeps a lock while nothing of it runs can be told to give it up. */
        if (node->locks != 0 && !node->gives_up_locks && chance(random, 50)) {
                node->retry = (uint8_t) (1 + below(random, 2));
                node->policy = TRIAL_POLICY_SUSPEND;
        }
}

static bool has_checkpoint(const TrialDefinition *definition) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].action == TRIAL_ACTION_NOTHING)
                        return true;
        return false;
}

/*
 * What begins first of a run and a node is left open: so runs take something or nodes do. No node waits for a place where
 * runs do, and no run where one may end as soon as a node begins: at a checkpoint, or an empty list.
 */
static void add_claims(TrialRandom *random, TrialDefinition *definition, bool has_lists) {
        /* Of a large graph so many nodes that most of it does not wait for them. */
        const uint32_t percent = definition->n_nodes > SMALL_GRAPH ? 100 * SMALL_GRAPH / definition->n_nodes : 100;

        definition->total = (uint8_t) (1 + below(random, 4));
        definition->max_runs = (uint8_t) (1 + below(random, 3));
        if (chance(random, 70)) {
                for (unsigned i = 0; i < definition->n_nodes; i++)
                        if (percent == 100 || chance(random, percent))
                                add_claim(random, &definition->nodes[i], definition->total);
                if (has_lists || has_checkpoint(definition))
                        definition->max_runs = TRIAL_RUNS_MAX;
                return;
        }
        definition->max_parallel = TRIAL_NODES_MAX;
        if (chance(random, 70))
                definition->run_slots = (uint8_t) (1 + below(random, 2));
        if (chance(random, 50))
                definition->run_need = (uint8_t) (1 + below(random, definition->total));
}

static bool has_list(const TrialDefinition *definition, const TrialNode *node) {
        for (unsigned i = 0; i < node->n_parents; i++)
                if (definition->nodes[node->parents[i]].is_foreach)
                        return true;
        return false;
}

/*
 * What is left open between instances and others is not there: see the README. A list may be another one the next time,
 * have no value, or too many items.
 */
static void add_lists(TrialRandom *random, TrialDefinition *definition) {
        static const uint8_t counts[] = { 0, 1, 2, 2, 3, 3, TRIAL_ITEMS_MAX, TRIAL_ITEMS_BROKEN, TRIAL_ITEMS_TOO_MANY };
        const unsigned room = (TRIAL_NODES_MAX - definition->n_nodes) / TRIAL_ITEMS_MAX;
        const unsigned most = MIN(definition->n_nodes > SMALL_GRAPH ? 8U : 3U, room);
        unsigned n = 0;

        for (unsigned i = 0; i < definition->n_nodes; i++) {
                TrialNode *node = &definition->nodes[i];

                node->skip_unneeded = TRIAL_SKIP_NONE;
                if (n == most || (node->action != TRIAL_ACTION_PROCESS && node->action != TRIAL_ACTION_RUN) ||
                    !chance(random, 40))
                        continue;
                n++;
                node->is_foreach = true;
                node->items[0] = choose(random, counts);
                node->items[1] = chance(random, 50) ? node->items[0] : choose(random, counts);
                node->foreach_parallel = chance(random, 60) ? 0 : (uint8_t) (1 + below(random, 2));
        }
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].readiness == TRIAL_AT_LEAST && chance(random, 30))
                        definition->nodes[i].amount += has_list(definition, &definition->nodes[i]);
        trial_lay_items(definition);
}

/* Each node has a compensation then, which is a node, too. */
static void add_undo(TrialRandom *random, TrialDefinition *definition) {
        definition->undoes_failure = chance(random, 70);
        definition->undoes_cancel = chance(random, 50);
        definition->has_final = chance(random, 50);
        definition->end_timeout = chance(random, 50) ? 1 + below(random, 6) : 0;
        for (unsigned i = 0; i < definition->n_nodes; i++)
                definition->nodes[i].has_undo = chance(random, 50);
}

/* Processes become runs of other flows, also those of lists. What is unneeded beside them is left open: see the README. */
static void add_sub_runs(TrialRandom *random, TrialDefinition *definition) {
        for (unsigned i = 0; i < definition->n_nodes; i++) {
                TrialNode *node = &definition->nodes[i];

                node->skip_unneeded = TRIAL_SKIP_NONE;
                if (node->action != TRIAL_ACTION_PROCESS || node->has_callback || node->lacks_input ||
                    !chance(random, 50))
                        continue;
                node->action = TRIAL_ACTION_RUN;
                node->again = node->again_max = node->again_max_time = 0;
                node->is_picky = node->can_be_pending = false;
        }
}

/* Some of the nodes are there once they have been added. */
static void add_growth(TrialRandom *random, TrialDefinition *definition) {
        const unsigned percent = 20 + below(random, 50);

        for (unsigned i = 1; i < definition->n_nodes; i++)
                if (chance(random, percent))
                        definition->nodes[i].added_in = (uint8_t) (1 + below(random, TRIAL_ADDITIONS_MAX));
        trial_trim_additions(definition);
}

static void add_priorities(TrialRandom *random, TrialDefinition *definition) {
        definition->priority = (uint8_t) below(random, 3);
        for (unsigned i = 0; i < definition->n_nodes; i++) {
                definition->nodes[i].priority = (uint8_t) below(random, 3);
                definition->nodes[i].takes_priority = chance(random, 30);
        }
        if (chance(random, 50) && definition->total == 0)
                definition->max_parallel = 1;
}

/* Without what is left open: see the README. */
static uint32_t fit_together(uint32_t features) {
        if ((features & TRIAL_HAS_FOREACH) != 0)
                features &= ~(TRIAL_HAS_ABANDON | TRIAL_HAS_UNDO | TRIAL_HAS_POLICY | TRIAL_HAS_GATE |
                              TRIAL_HAS_SHORT_CIRCUIT | TRIAL_HAS_SKIP_ALL);
        if ((features & TRIAL_HAS_SUB_RUN) != 0)
                features &= ~(TRIAL_HAS_ABANDON | TRIAL_HAS_POLICY | TRIAL_HAS_GATE |
                              TRIAL_HAS_SHORT_CIRCUIT | TRIAL_HAS_SKIP_ALL);
        /* Who decides about whom is a matter of all parents. */
        if ((features & TRIAL_HAS_GROWTH) != 0)
                features &= ~(TRIAL_HAS_LOCK | TRIAL_HAS_UNDO | TRIAL_HAS_POLICY | TRIAL_HAS_WHEN);
        if ((features & TRIAL_HAS_UNDO) != 0)
                features &= ~(TRIAL_HAS_LOCK | TRIAL_HAS_ABANDON);
        /* The engine lets go of the locks of what it abandons, which the model does not. */
        return (features & TRIAL_HAS_LOCK) != 0 ? features & ~TRIAL_HAS_ABANDON : features;
}

/* What makes cases slow is in few of them, unless they have little else. */
static bool has_rarely(TrialRandom *random, const TrialFeatures *features, uint32_t feature) {
        return (features->known & feature) != 0 &&
               chance(random, __builtin_popcount(features->known) <= FEW_FEATURES ? 90 : 12);
}

/* A case has some of them, or none. Returns which. */
static uint32_t choose_features(uint64_t seed, const TrialFeatures *features, TrialDefinition *definition) {
        TrialRandom random = { .state = seed * UINT64_C(0x9FB21C651E98DF25) + 3 };
        TrialRandom lists = { .state = seed * UINT64_C(0xA24BAED4963EE407) + 5 };
        const bool may_have_lists = has_rarely(&lists, features, TRIAL_HAS_FOREACH);
        TrialRandom growth = { .state = seed * UINT64_C(0x8EBC6AF09C88C6E3) + 13 };
        const bool may_grow = has_rarely(&growth, features, TRIAL_HAS_GROWTH);
        TrialRandom subs = { .state = seed * UINT64_C(0xD6E8FEB86659FD93) + 17 };
        const bool may_have_subs = has_rarely(&subs, features, TRIAL_HAS_SUB_RUN);
        uint32_t chosen = 0;

        if (chance(&random, features->percent)) {
                for (unsigned bit = 0; bit < 20; bit++)
                        if ((features->known >> bit & 1) != 0 && chance(&random, 30))
                                chosen |= UINT32_C(1) << bit;
                /* By a chance of its own, so that the others are as they were. */
                if (may_have_lists)
                        chosen |= TRIAL_HAS_FOREACH;
                else if (may_grow && definition->n_nodes > 1)
                        chosen |= TRIAL_HAS_GROWTH;
                if (may_have_subs)
                        chosen |= TRIAL_HAS_SUB_RUN;
        }
        chosen = fit_together(chosen);
        add_features(&random, definition, chosen);
        if ((chosen & TRIAL_HAS_SUB_RUN) != 0)
                add_sub_runs(&subs, definition);
        if ((chosen & TRIAL_HAS_LOCK) != 0)
                add_claims(&random, definition, (chosen & TRIAL_HAS_FOREACH) != 0);
        if ((chosen & TRIAL_HAS_UNDO) != 0 && definition->n_nodes * 2 < TRIAL_NODES_MAX)
                add_undo(&random, definition);
        if ((chosen & TRIAL_HAS_PRIORITY) != 0)
                add_priorities(&random, definition);
        if ((chosen & TRIAL_HAS_FOREACH) != 0)
                add_lists(&lists, definition);
        if ((chosen & TRIAL_HAS_GROWTH) != 0)
                add_growth(&growth, definition);
        for (unsigned i = 0; i < definition->n_nodes && (features->known & TRIAL_HAS_SHORT_CIRCUIT) == 0; i++)
                definition->nodes[i].skip_unneeded = TRIAL_SKIP_NONE;
        trial_lay_ends(definition);
        return chosen;
}

/* — steps — */

static TrialStep random_verb(TrialRandom *random) {
        static const TrialEventKind verbs[] = {
                TRIAL_PAUSE, TRIAL_PAUSE, TRIAL_RESUME,  TRIAL_RESUME,  TRIAL_STOP,    TRIAL_CANCEL,  TRIAL_RETRY,
                TRIAL_RETRY, TRIAL_RERUN, TRIAL_RESOLVE, TRIAL_RESOLVE, TRIAL_RESOLVE, TRIAL_RESOLVE, TRIAL_SKIP,
        };

        return (TrialStep) {
                .kind = TRIAL_STEP_VERB,
                .verb = choose(random, verbs),
                .resolution = (TrialResolution) below(random, 4),
                .pick = (uint16_t) below(random, 1000),
                .other = (uint16_t) below(random, 1000),
        };
}

static TrialStep random_death(TrialRandom *random) {
        static const TrialStepKind deaths[] = { TRIAL_STEP_KILL_CORE, TRIAL_STEP_KILL_CORE, TRIAL_STEP_KILL_STORE,
                                                TRIAL_STEP_KILL_BOTH, TRIAL_STEP_KILL_BOTH, TRIAL_STEP_REBOOT,
                                                TRIAL_STEP_LOSE,      TRIAL_STEP_LOSE };

        return (TrialStep) {
                .kind = choose(random, deaths),
                .n = 1,
                .pick = (uint16_t) below(random, 1000),
                .amount = (uint8_t) below(random, 8),
                .flag = chance(random, 50),
        };
}

static TrialStep random_unit_step(TrialRandom *random) {
        static const TrialStepKind kinds[] = { TRIAL_STEP_UNIT,      TRIAL_STEP_UNIT,      TRIAL_STEP_UNIT,
                                               TRIAL_STEP_START_JOB, TRIAL_STEP_INTERRUPT, TRIAL_STEP_INTERRUPT };

        return (TrialStep) {
                .kind = choose(random, kinds),
                .n = (uint8_t) (1 + below(random, 3)),
                .pick = (uint16_t) below(random, 1000),
                .flag = chance(random, 50),
        };
}

static TrialStep random_step(TrialRandom *random) {
        static const uint8_t statuses[] = { 1, 1, 1, 2, TRIAL_STATUS_PENDING, TRIAL_STATUS_AGAIN, TRIAL_STATUS_AGAIN };
        const unsigned die = below(random, 100);
        TrialStep step = {
                .kind = TRIAL_STEP_FINISH,
                .n = (uint8_t) (chance(random, 70) ? 1 : 1 + below(random, 4)),
                .pick = (uint16_t) below(random, 1000),
                .status = chance(random, random->failures) ? choose(random, statuses) : 0,
                .amount = (uint8_t) below(random, 12),
        };

        if (chance(random, random->people))
                return random_verb(random);
        if (chance(random, random->units))
                return random_unit_step(random);
        if (chance(random, random->deaths))
                return random_death(random);
        if (chance(random, random->losses))
                step.kind = TRIAL_STEP_LOSE;
        step.flag = chance(random, 15);
        if (die < 10)
                step.kind = TRIAL_STEP_SUBMIT;
        else if (die < 20)
                step.kind = TRIAL_STEP_STORE;
        else if (die < 38)
                step.kind = TRIAL_STEP_NEXT;
        else if (die < 44)
                step.kind = TRIAL_STEP_ADVANCE;
        return step;
}

/* What can happen to what not every subject knows, in place of what can happen to everything. */
static void change_steps(uint64_t seed, uint32_t features, TrialCase *trial) {
        TrialRandom random = { .state = seed * UINT64_C(0xC2B2AE3D27D4EB4F) + 11 };

        for (unsigned i = 2; i < trial->n_steps; i++) {
                TrialStep *step = &trial->steps[i];

                if ((features & TRIAL_HAS_GATE) != 0 && chance(&random, step->kind == TRIAL_STEP_VERB ? 40 : 15)) {
                        step->kind = TRIAL_STEP_VERB;
                        step->verb = chance(&random, 70) ? TRIAL_APPROVE : TRIAL_REJECT;
                }
                if ((features & TRIAL_HAS_GROWTH) != 0 && chance(&random, 20)) {
                        step->kind = TRIAL_STEP_VERB;
                        step->verb = TRIAL_ADD;
                }
                if ((features & TRIAL_HAS_UNDO) != 0 && step->kind == TRIAL_STEP_VERB && chance(&random, 20))
                        step->verb = TRIAL_COMPENSATE;
                if ((features & TRIAL_HAS_PRIORITY) != 0)
                        step->priority = (uint8_t) below(&random, 4);
                if ((features & TRIAL_HAS_LOCK) != 0 && chance(&random, 10))
                        step->kind = TRIAL_STEP_SUBMIT;
                if ((features & TRIAL_HAS_LOCK) != 0 && chance(&random, 15)) {
                        step->kind = TRIAL_STEP_VERB;
                        step->verb = TRIAL_UNLOCK;
                }
                /* What becomes of the turn of a run that is held meanwhile is another question. */
                if (trial_run_takes(&trial->definition) &&
                    (step->kind == TRIAL_STEP_UNIT || step->kind == TRIAL_STEP_START_JOB))
                        step->kind = TRIAL_STEP_ADVANCE;
                if (trial_run_takes(&trial->definition) && step->kind == TRIAL_STEP_REBOOT)
                        step->flag = false;
                if ((features & TRIAL_HAS_POLICY) != 0 && chance(&random, 40)) {
                        step->kind = TRIAL_STEP_ANSWER;
                        step->answer = (TrialAnswer) (chance(&random, 50) ? 0 : below(&random, _TRIAL_ANSWER_MAX));
                        step->flag = chance(&random, 10);
                }
                if ((features & TRIAL_HAS_CALLBACK) != 0 && chance(&random, 30)) {
                        step->kind = TRIAL_STEP_COMPLETE;
                        step->resolution = chance(&random, 75) ? TRIAL_AS_SUCCESS : TRIAL_AS_FAILED;
                        step->flag = chance(&random, 10);
                }
                if ((features & TRIAL_HAS_SUB_RUN) != 0 && chance(&random, 20))
                        step->kind = TRIAL_STEP_SUB_WAITS;
                if ((features & (TRIAL_HAS_JOB | TRIAL_HAS_RESULT | TRIAL_HAS_SUB_RUN)) != 0 && chance(&random, 40))
                        step->end = (TrialEnd) below(&random, _TRIAL_END_MAX);
        }
}

void trial_case_random(uint64_t seed, const TrialFeatures *features, TrialCase *ret_case) {
        static const unsigned tempers[] = { 0, 0, 10, 25 };
        TrialRandom random = { .state = seed * UINT64_C(0xD1342543DE82EF95) + 7 };
        const unsigned n = 4 + below(&random, TRIAL_STEPS_MAX - 4);
        uint32_t chosen;

        memset(ret_case, 0, sizeof(*ret_case));
        ret_case->seed = seed;
        random.failures = 10 + below(&random, 60);
        random.people = choose(&random, tempers);
        random.units = choose(&random, tempers) / 2;
        random.deaths = choose(&random, tempers) / 2;
        random.losses = chance(&random, 7) ? 50 : 0;
        random.has_times = chance(&random, 60);
        random_definition(&random, &ret_case->definition);
        chosen = choose_features(seed, features, &ret_case->definition);
        ret_case->has_slow_store = chance(&random, 40);
        ret_case->has_slow_disk = chance(&random, 40);
        ret_case->has_slow_ends = chance(&random, 40);
        ret_case->steps[0] = (TrialStep) { .kind = TRIAL_STEP_SUBMIT };
        ret_case->steps[1] = (TrialStep) { .kind = TRIAL_STEP_UNIT };
        ret_case->n_steps = 2;
        while (ret_case->n_steps < n)
                ret_case->steps[ret_case->n_steps++] = random_step(&random);
        change_steps(seed, chosen, ret_case);
}
