/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Everything that can happen to small flows, in every order
 *
 * From each state that a small flow can come to in a few turns each event is tried, and what is refused is compared
 * with tables of what each state of a run and of a node listens to. A state that is equal to an earlier one in all that
 * decides what comes is not continued again. Each pair of a state and a verb must have been tried.
 *
 * S000-18, S000-46
 */

#include <stdlib.h>
#include <string.h>

#include "run_adapter.h"
#include "run_model.h"
#include "run_player.h"
#include "run_subjects.h"

#define STATES_MAX 6000
#define TURNS_MAX 12
#define MOVES_MAX 160

/* A state, as the way to it. */
typedef struct Place {
        uint32_t from;
        uint8_t n_turns;
        TrialEvent event;
        uint64_t sum;
} Place;

typedef struct Search {
        const TrialSubject *subject;
        TrialCase trial;
        uint32_t n_places_max;
        Place places[STATES_MAX];
        uint32_t n_places;
        uint64_t tried;
        TrialOutcome outcome;
        TrialPlayer player;
} Search;

/* — what listens to what — */

#define VERBS_MAX 10

static const TrialEventKind verbs[VERBS_MAX] = { TRIAL_PAUSE, TRIAL_RESUME, TRIAL_STOP,    TRIAL_CANCEL,
                                                 TRIAL_RETRY, TRIAL_RERUN,  TRIAL_RESOLVE, TRIAL_SKIP,
                                                 TRIAL_APPROVE, TRIAL_REJECT };

/* By state of a run, in the order of the verbs: taken, not taken, and for some states of the node or of the hold. */
static const char *const run_table[_TRIAL_RUN_STATE_MAX] = {
        [TRIAL_RUN_CREATED] = "nhyynnnnnn",  [TRIAL_RUN_QUEUED] = "nhyynnnnnn",
        [TRIAL_RUN_RUNNING] = "yhyyonoooo",  [TRIAL_RUN_PAUSING] = "nyyyonoooo",
        [TRIAL_RUN_PAUSED] = "nyyyonoooo",   [TRIAL_RUN_SUSPENDED] = "nhyyonoooo",
        [TRIAL_RUN_STOPPING] = "nnyynnnnnn", [TRIAL_RUN_SUCCEEDED] = "nnnnoyonnn",
        [TRIAL_RUN_PARTIAL] = "nnnnoyonnn",  [TRIAL_RUN_FAILED] = "nnnnoyonnn",
        [TRIAL_RUN_TIMEOUT] = "nnnnoyonnn",  [TRIAL_RUN_CANCELLED] = "nnnnoyonnn",
};

/* By state of a node in a run that is not over: retry, resolve, skip. */
static const char *const node_table[_TRIAL_NODE_STATE_MAX] = {
        [TRIAL_NODE_WAITING] = "nny",   [TRIAL_NODE_BLOCKED] = "nny",  [TRIAL_NODE_READY] = "nny",
        [TRIAL_NODE_RUNNING] = "nnn",   [TRIAL_NODE_DEFERRED] = "nny", [TRIAL_NODE_PENDING] = "yyy",
        [TRIAL_NODE_SUCCEEDED] = "nnn", [TRIAL_NODE_FAILED] = "ynn",   [TRIAL_NODE_TIMEOUT] = "ynn",
        [TRIAL_NODE_CANCELLED] = "ynn", [TRIAL_NODE_SKIPPED] = "ynn",
};

static uint64_t run_pairs[_TRIAL_RUN_STATE_MAX][VERBS_MAX], node_pairs[_TRIAL_NODE_STATE_MAX][VERBS_MAX];

static bool node_listens(const TrialNodeView *node, const TrialEvent *event, bool is_over) {
        const bool has_failed = node->state == TRIAL_NODE_FAILED || node->state == TRIAL_NODE_TIMEOUT;
        const bool is_at_gate = node->state == TRIAL_NODE_PENDING && node->reason == TRIAL_REASON_GATE;

        if (event->kind == TRIAL_APPROVE || event->kind == TRIAL_REJECT)
                return is_at_gate;
        if (is_at_gate && (event->kind == TRIAL_RETRY || (event->kind == TRIAL_RESOLVE &&
                                                          event->resolution == TRIAL_AS_RETRY)))
                return false;
        if (event->kind == TRIAL_RESOLVE && is_over)
                return has_failed && event->resolution == TRIAL_AS_SUCCESS;
        if (event->kind == TRIAL_RETRY)
                return node_table[node->state][0] == 'y';
        return node_table[node->state][event->kind == TRIAL_RESOLVE ? 1 : 2] == 'y';
}

/* It asks for what would be done beside a process that was abandoned. */
static bool is_beside_abandoned(const Search *search, const TrialEvent *event) {
        const TrialView *view = &search->player.before;

        if (event->kind != TRIAL_RETRY && event->kind != TRIAL_RERUN && event->kind != TRIAL_RESOLVE)
                return false;
        for (unsigned i = 0; i < view->n_attempts; i++)
                if (view->attempts[i].run == event->run && view->attempts[i].is_abandoned)
                        return true;
        return false;
}

/* Checks the answer to a verb by the tables. */
static void check_answer(Search *search, const TrialEvent *event, int answer) {
        const TrialRunView *run = &search->player.before.runs[event->run];
        bool expected;

        for (unsigned i = 0; i < VERBS_MAX; i++) {
                const char listens = run_table[run->state][i];

                if (verbs[i] != event->kind)
                        continue;
                run_pairs[run->state][i]++;
                node_pairs[run->nodes[event->node].state][i]++;
                expected = listens == 'y' || (listens == 'h' && run->is_held) ||
                           (listens == 'o' &&
                            node_listens(&run->nodes[event->node], event, trial_run_is_terminal(run->state)));
                expected = expected && !is_beside_abandoned(search, event);
                if (expected != (answer == 0))
                        trial_differ(&search->player, "%s of a run that is %s, and a node that is %s: %s",
                                     trial_event_name(event->kind), trial_run_state_name(run->state),
                                     trial_node_state_name(run->nodes[event->node].state),
                                     answer == 0 ? "taken" : "refused");
        }
}

/* — moves — */

typedef struct Moves {
        TrialEvent events[MOVES_MAX];
        unsigned n;
} Moves;

static void add(Moves *moves, TrialEvent event) {
        if (moves->n < MOVES_MAX)
                moves->events[moves->n++] = event;
}

static void add_ends_of_job(Moves *moves, TrialEvent event) {
        event.kind = TRIAL_EXITED;
        event.status = 0;
        event.end = TRIAL_END_CANCELLED;
        add(moves, event);
        event.end = TRIAL_END_REFUSED;
        add(moves, event);
}

static void add_attempts(Moves *moves, const TrialDefinition *definition, const TrialView *view, uint64_t now) {
        for (unsigned i = 0; i < view->n_attempts; i++) {
                const TrialAttempt *attempt = &view->attempts[i];
                TrialEvent event = { .kind = TRIAL_STARTED,
                                     .run = attempt->run,
                                     .node = attempt->node,
                                     .generation = attempt->generation,
                                     .number = attempt->number,
                                     .at = now };

                if (attempt->state == TRIAL_ATTEMPT_SPAWNED)
                        add(moves, event);
                if (attempt->state == TRIAL_ATTEMPT_HELD)
                        continue;
                event.kind = TRIAL_EXITED;
                add(moves, event);
                event.status = 1;
                add(moves, event);
                event.kind = TRIAL_LOST;
                add(moves, event);
                event.kind = TRIAL_INTERRUPTED;
                add(moves, event);
                if (definition->nodes[event.node].action == TRIAL_ACTION_JOB)
                        add_ends_of_job(moves, event);
        }
}

static void add_verbs(Moves *moves, const TrialView *view, unsigned n_nodes) {
        for (unsigned r = 0; r < view->n_runs; r++)
                for (unsigned v = 0; v < VERBS_MAX; v++)
                        for (unsigned i = 0; i < (v < 4 ? 1 : n_nodes); i++)
                                for (unsigned k = 0; k < (verbs[v] == TRIAL_RESOLVE ? 4 : 1); k++)
                                        add(moves, (TrialEvent) { .kind = verbs[v],
                                                                 .run = (uint8_t) r,
                                                                 .node = (uint8_t) i,
                                                                 .resolution = (TrialResolution) k });
}

static void add_unit(Moves *moves, const TrialPlayer *player) {
        if (player->unit != TRIAL_UNIT_IS_INACTIVE) {
                add(moves, (TrialEvent) { .kind = TRIAL_UNIT_STOP });
                add(moves, (TrialEvent) { .kind = TRIAL_UNIT_STOP, .by_person = true });
                return;
        }
        add(moves, (TrialEvent) { .kind = TRIAL_UNIT_ACTIVE });
        add(moves, (TrialEvent) { .kind = TRIAL_UNIT_ACTIVE, .by_person = true });
        add(moves, (TrialEvent) { .kind = TRIAL_UNIT_FAILED });
        add(moves, (TrialEvent) { .kind = TRIAL_UNIT_CANCELLED });
}

static void find_moves(const Search *search, Moves *moves) {
        const TrialPlayer *player = &search->player;
        const TrialView *view = &player->seen;

        moves->n = 0;
        if (view->n_runs < 2)
                add(moves, (TrialEvent) { .kind = TRIAL_SUBMIT, .run = view->n_runs, .key = view->n_runs + 1 });
        add_unit(moves, player);
        add_attempts(moves, &search->trial.definition, view, player->now);
        if (view->deadline != TRIAL_NEVER)
                add(moves, (TrialEvent) { .kind = TRIAL_TIME, .at = view->deadline });
        if (player->durable + 1 < player->turn)
                add(moves, (TrialEvent) { .kind = TRIAL_DURABLE, .turn = player->turn - 1 });
        add_verbs(moves, view, search->trial.definition.n_nodes);
}

/* — search — */

static void make_move(Search *search, const TrialEvent *event, bool is_new) {
        TrialPlayer *player = &search->player;
        int answer;

        if (event->kind == TRIAL_DURABLE) {
                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_ACCEPTED, .turn = event->turn });
                player->accepted = player->durable = event->turn;
        }
        if (event->kind == TRIAL_TIME)
                player->now = event->at;
        if (event->kind == TRIAL_UNIT_ACTIVE)
                player->unit = TRIAL_UNIT_IS_ACTIVE;
        if (event->kind == TRIAL_UNIT_STOP)
                player->unit = TRIAL_UNIT_IS_INACTIVE;
        answer = trial_give(player, event);
        if (is_new)
                check_answer(search, event, answer);
        trial_end_turn(player);
}

static void walk_to(Search *search, uint32_t place) {
        uint32_t way[TURNS_MAX + 1];
        unsigned n = 0;

        trial_begin(&search->player, &search->trial, search->subject, &search->outcome);
        trial_end_turn(&search->player);
        for (; place > 0; place = search->places[place].from)
                way[n++] = place;
        while (n-- > 0)
                make_move(search, &search->places[way[n]].event, false);
}

static bool is_known(const Search *search, uint64_t sum) {
        for (uint32_t i = 0; i < search->n_places; i++)
                if (search->places[i].sum == sum)
                        return true;
        return false;
}

static void try_move(Search *search, uint32_t from, const TrialEvent *event) {
        uint64_t sum;

        walk_to(search, from);
        make_move(search, event, true);
        search->tried++;
        sum = run_model_sum(search->player.model);
        trial_end(&search->player);
        if (search->outcome.differs || search->n_places == search->n_places_max || is_known(search, sum))
                return;
        search->places[search->n_places++] = (Place) {
                .from = from, .n_turns = search->places[from].n_turns + 1, .event = *event, .sum = sum
        };
}

static void search_all(Search *search) {
        static Moves moves;

        search->n_places = 1;
        for (uint32_t at = 0; at < search->n_places && !search->outcome.differs; at++) {
                if (search->places[at].n_turns >= TURNS_MAX)
                        continue;
                walk_to(search, at);
                find_moves(search, &moves);
                trial_end(&search->player);
                for (unsigned i = 0; i < moves.n && !search->outcome.differs; i++)
                        try_move(search, at, &moves.events[i]);
        }
}

static bool all_pairs_tried(void) {
        bool is_complete = true;

        for (TrialRunState state = 0; state < _TRIAL_RUN_STATE_MAX; state++)
                for (unsigned i = 0; i < VERBS_MAX; i++)
                        if (run_pairs[state][i] == 0) {
                                printf("# never tried: %s of a run that is %s\n", trial_event_name(verbs[i]),
                                       trial_run_state_name(state));
                                is_complete = false;
                        }
        for (TrialNodeState state = 0; state <= TRIAL_NODE_SKIPPED; state++)
                for (unsigned i = 4; i < VERBS_MAX; i++)
                        if (node_pairs[state][i] == 0) {
                                printf("# never tried: %s of a node that is %s\n", trial_event_name(verbs[i]),
                                       trial_node_state_name(state));
                                is_complete = false;
                        }
        return is_complete;
}

/* — flows — */

typedef struct Flow {
        uint32_t features;              /* that a subject must have */
        TrialDefinition definition;
} Flow;

#define ORDINARY .retry_delay = 5, .retry_max_delay = 300

static const Flow flows[] = {
        {
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1,
                        .nodes = {
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .timeout = 3 },
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .n_parents = 1 },
                        },
                },
        },
        {
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1, .timeout = 7,
                        .nodes = {
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_RETRY, ORDINARY },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_RETRY, .n_parents = 1,
                                  .readiness = TRIAL_ALL_FINISHED, ORDINARY },
                        },
                },
        },
        {
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1, .end_kills = true,
                        .nodes = {
                                { .policy = TRIAL_POLICY_END, .recover = TRIAL_RECOVER_FAIL, .retry = 1, ORDINARY },
                                { .policy = TRIAL_POLICY_END, .recover = TRIAL_RECOVER_FAIL, .n_parents = 1, ORDINARY },
                        },
                },
        },
        /* Whichever of two succeeds first, and a process that is abandoned. */
        {
                .features = TRIAL_HAS_OPTIONAL | TRIAL_HAS_SHORT_CIRCUIT | TRIAL_HAS_ABANDON,
                .definition = {
                        .n_nodes = 3, .max_parallel = 2, .max_runs = 1, .max_queued = 1, .timeout = 7,
                        .timeout_mode = TRIAL_TIMEOUT_ABANDON,
                        .nodes = {
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, ORDINARY },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .retry = 1 },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_RETRY, .n_parents = 2,
                                  .parents = { 0, 1 }, .readiness = TRIAL_ANY, ORDINARY },
                        },
                },
        },
        /* An expression that fails, the branch otherwise, which ends the run, and a queue. */
        {
                .features = TRIAL_HAS_WHEN | TRIAL_HAS_END_RUN | TRIAL_HAS_NODE_QUEUE | TRIAL_HAS_DEFAULT,
                .definition = {
                        .n_nodes = 3, .max_parallel = 1, .max_runs = 1, .max_queued = 1,
                        .nodes = {
                                { .policy = TRIAL_POLICY_END, .recover = TRIAL_RECOVER_RETRY, ORDINARY,
                                  .default_on = TRIAL_DEFAULT_ON_FAILURE },
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, .n_parents = 1,
                                  .readiness = TRIAL_ALL_FINISHED, .when = TRIAL_WHEN_ERROR, ORDINARY },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_RETRY, .n_parents = 1,
                                  .readiness = TRIAL_ALL_FINISHED, .when = TRIAL_WHEN_TRUE, .queue_timeout = 4,
                                  .end_run = TRIAL_END_RUN_SUCCESS, ORDINARY },
                        },
                },
        },
        /* A gate before a job, one before nothing, and a node that sleeps. */
        {
                .features = TRIAL_HAS_GATE | TRIAL_HAS_JOB | TRIAL_HAS_SLEEP,
                .definition = {
                        .n_nodes = 3, .max_parallel = 1, .max_runs = 1, .max_queued = 1, .timeout = 7,
                        .nodes = {
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .has_gate = true, .action = TRIAL_ACTION_JOB },
                                { .policy = TRIAL_POLICY_END, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .has_gate = true, .action = TRIAL_ACTION_NOTHING },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_RETRY, .n_parents = 2,
                                  .parents = { 0, 1 }, .readiness = TRIAL_ALL_FINISHED, ORDINARY,
                                  .action = TRIAL_ACTION_SLEEP, .sleep = 3 },
                        },
                },
        },
};

#define FLOWS_MAX (sizeof(flows) / sizeof(flows[0]))

static bool is_known_to(const Flow *flow, const TrialSubject *subject) {
        return (flow->features & ~subject->features) == 0;
}

/* Returns whether something was found. */
static bool try_flow(const Flow *flow, const TrialSubject *subject, uint32_t states) {
        static Search search;

        memset(&search, 0, sizeof(search));
        search.subject = subject;
        search.n_places_max = states;
        search.trial.definition = flow->definition;
        search_all(&search);
        printf("# %u states, %lu events tried\n", search.n_places, (unsigned long) search.tried);
        if (search.outcome.differs)
                printf("# %s\n", search.outcome.what);
        return search.outcome.differs;
}

/* [SUBJECT [STATES]]: in a subject something must be found, unless it is the engine. STATES: of each flow, at most. */
int main(int argc, char **argv) {
        const TrialSubject *subject = run_find_subject(argc > 1 ? argv[1] : "model");
        const bool must_find = argc > 1 && subject != &run_adapter_subject;
        const unsigned long states = argc > 2 ? strtoul(argv[2], NULL, 10) : STATES_MAX;
        bool has_found = false, is_complete;
        unsigned n = 0;

        if (!subject || states == 0 || states > STATES_MAX) {
                fprintf(stderr, "test_run_sequences: there is no %s, or not so many states\n", argv[1]);
                return 2;
        }
        for (size_t i = 0; i < FLOWS_MAX && !(must_find && has_found); i++) {
                bool differs;

                if (!is_known_to(&flows[i], subject))
                        continue;
                differs = try_flow(&flows[i], subject, (uint32_t) states);
                has_found = has_found || differs;
                if (!must_find)
                        printf("%s %u - all that can happen to a small flow, %zu\n", differs ? "not ok" : "ok", ++n,
                               i + 1);
                fflush(stdout);
        }
        is_complete = must_find || all_pairs_tried();
        if (!must_find)
                printf("%s %u - each verb was tried in each state\n", is_complete ? "ok" : "not ok", ++n);
        else
                printf("%s %u - %s is found\n", has_found ? "ok" : "not ok", ++n, argv[1]);
        printf("1..%u\n", n);
        return 0;
}
