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

/* What a person with a token, or who asks for locks, counts on. */
typedef struct Known {
        uint8_t token;                  /* the last generation of which somebody has got one; 0: none */
        uint8_t completed;              /* the generation in which it was completed … */
        TrialResolution completion;     /* … and how */
        bool keeps_locks;
} Known;

#define BEGIN_MAX 8

typedef struct Search {
        const TrialSubject *subject;
        TrialCase trial;
        uint32_t n_places_max;
        Place places[STATES_MAX];
        uint32_t n_places;
        uint64_t tried;
        const TrialEvent *begin;        /* borrowed: the way to the first state, which ends with TRIAL_TURN */
        Known known[TRIAL_RUNS_MAX][TRIAL_NODES_MAX];
        TrialOutcome outcome;
        TrialPlayer player;
} Search;

/* — what listens to what — */

#define VERBS_MAX 14
#define VERBS_OF_RUNS 5 /* the first ones */

static const TrialEventKind verbs[VERBS_MAX] = {
        TRIAL_PAUSE, TRIAL_RESUME,  TRIAL_STOP, TRIAL_CANCEL,  TRIAL_COMPENSATE, TRIAL_RETRY, TRIAL_RERUN,
        TRIAL_RESOLVE, TRIAL_SKIP, TRIAL_APPROVE, TRIAL_REJECT, TRIAL_UNLOCK, TRIAL_ADD, TRIAL_COMPLETE
};

/*
 * By state of a run, in the order of the verbs. y: taken, n: refused, h: while the run is held, u: while something is
 * left to undo, o: by the state of the node, r: as an answer that was given before.
 */
static const char *const run_table[_TRIAL_RUN_STATE_MAX] = {
        [TRIAL_RUN_CREATED]   = "nhyyn" "nnnnnnnor",
        [TRIAL_RUN_QUEUED]    = "nhyyn" "nnnnnnnor",
        [TRIAL_RUN_RUNNING]   = "ynyyn" "onooooooo",
        [TRIAL_RUN_PAUSING]   = "nyyyn" "onooooooo",
        [TRIAL_RUN_PAUSED]    = "nyyyn" "onooooooo",
        [TRIAL_RUN_SUSPENDED] = "nhyyn" "onooooooo",
        [TRIAL_RUN_STOPPING]  = "nhyyn" "nnnnnnnnr",
        [TRIAL_RUN_SUCCEEDED] = "nnnnu" "oonnnnnnr",
        [TRIAL_RUN_PARTIAL]   = "nnnnu" "ooonnnnnr",
        [TRIAL_RUN_FAILED]    = "nnnnu" "ooonnnnnr",
        [TRIAL_RUN_TIMEOUT]   = "nnnnu" "ooonnnnnr",
        [TRIAL_RUN_CANCELLED] = "nnnnu" "ooonnnnnr",
};

/*
 * By state of a node where that of its run leaves it open, from retry on. g: at its gate, p: not at its gate, e: as
 * success of a run that has ended, -: as no run is over in which a node is so, k: while it keeps locks, t: by who has
 * got a token of this generation. Nodes are added below the node, and above its child, which has not begun.
 */
static const char *const node_table[_TRIAL_NODE_STATE_MAX] = {
        [TRIAL_NODE_WAITING]   = "n-nynnnyn",
        [TRIAL_NODE_BLOCKED]   = "n-nynnnyn",
        [TRIAL_NODE_READY]     = "n-nynnkyt",
        [TRIAL_NODE_RUNNING]   = "n-nnnnnyt",
        [TRIAL_NODE_DEFERRED]  = "n-nynnkyt",
        [TRIAL_NODE_PENDING]   = "p-pyggkyt",
        [TRIAL_NODE_SUCCEEDED] = "nynnnnnnn",
        [TRIAL_NODE_FAILED]    = "yyennnnnn",
        [TRIAL_NODE_TIMEOUT]   = "yyennnnnn",
        [TRIAL_NODE_CANCELLED] = "yynnnnnnn",
        [TRIAL_NODE_SKIPPED]   = "yynnnnnnn",
        [TRIAL_NODE_ABSENT]    = "nnnnnnnnn",
};

/* How often it was tried, and with which answer: refused, taken. */
static uint64_t run_pairs[_TRIAL_RUN_STATE_MAX][VERBS_MAX][2], node_pairs[_TRIAL_NODE_STATE_MAX][VERBS_MAX][2];

/* Nothing is left of the run but to undo what has succeeded, and its final command. */
static bool is_ending(const TrialRunView *run) {
        return run->state == TRIAL_RUN_STOPPING ||
               (run->state == TRIAL_RUN_SUSPENDED &&
                (run->reason == TRIAL_REASON_COMPENSATE || run->reason == TRIAL_REASON_FINAL));
}

static bool has_undo_left(const TrialDefinition *definition, const TrialRunView *run) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].has_undo && run->nodes[i].state == TRIAL_NODE_SUCCEEDED &&
                    run->nodes[trial_undo_of(definition, i)].state != TRIAL_NODE_SUCCEEDED)
                        return true;
        return false;
}

/* A step of the end waits for a person; what is none of these is asked of nodes of the flow alone. */
static bool end_listens(const TrialRunView *run, const TrialEvent *event) {
        return is_ending(run) && run->nodes[event->node].state == TRIAL_NODE_PENDING &&
               (event->kind == TRIAL_RETRY || event->kind == TRIAL_RESOLVE || event->kind == TRIAL_SKIP);
}

/* The node to whose state an addition looks: the one above. */
static unsigned node_asked(const TrialDefinition *definition, const TrialEvent *event) {
        return event->kind == TRIAL_ADD ? definition->nodes[event->node].parents[0] : event->node;
}

/* The new node gets all of its parents and children, or is not added. */
static bool can_join(const TrialDefinition *definition, const TrialRunView *run, unsigned node) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                for (unsigned k = 0; k < definition->nodes[i].n_parents; k++)
                        if (definition->nodes[i].parents[k] == node && run->nodes[i].state != TRIAL_NODE_WAITING &&
                            run->nodes[i].state != TRIAL_NODE_BLOCKED)
                                return false;
        return true;
}

static bool is_retry(const TrialEvent *event) {
        return event->kind == TRIAL_RETRY || (event->kind == TRIAL_RESOLVE && event->resolution == TRIAL_AS_RETRY);
}

static bool node_listens(const Search *search, const TrialRunView *run, const TrialEvent *event, unsigned verb) {
        const TrialDefinition *definition = &search->trial.definition;
        const Known *known = &search->known[event->run][event->node];
        const TrialNodeView *node = &run->nodes[node_asked(definition, event)];
        const bool is_at_gate = node->state == TRIAL_NODE_PENDING && node->reason == TRIAL_REASON_GATE;

        if (event->node >= definition->n_nodes)
                return end_listens(run, event);
        if (is_ending(run))
                return false;
        if (event->kind == TRIAL_ADD && run->nodes[event->node].state != TRIAL_NODE_ABSENT)
                return true;
        if (event->kind == TRIAL_ADD && !can_join(definition, run, event->node))
                return false;
        switch (node_table[node->state][verb - VERBS_OF_RUNS]) {
        case 'y':
                return true;
        case 'g':
                return is_at_gate;
        case 'p':
                return !is_at_gate || !is_retry(event);
        case 'e':
                return trial_run_is_terminal(run->state) && event->resolution == TRIAL_AS_SUCCESS;
        case 'k':
                return known->keeps_locks;
        case 't':
                return definition->nodes[event->node].has_callback && known->token == node->generation;
        default:
                return false;
        }
}

/* Who completes a node again gets the answer that was given before; who has an old token is refused. */
static bool expect_completion(const Search *search, const TrialRunView *run, const TrialEvent *event, bool is_heard) {
        const Known *known = &search->known[event->run][event->node];

        if (event->generation != run->nodes[event->node].generation)
                return false;
        return known->completed == event->generation ? known->completion == event->resolution : is_heard;
}

/* The verb whose entries are turned around, to see that this is found. */
static unsigned wrong_verb = VERBS_MAX;

static bool is_expected(const Search *search, const TrialRunView *run, const TrialEvent *event, unsigned verb) {
        bool is_heard = false;

        switch (run_table[run->state][verb]) {
        case 'y':
                is_heard = true;
                break;
        case 'h':
                is_heard = run->is_held;
                break;
        case 'u':
                is_heard = has_undo_left(&search->trial.definition, run);
                break;
        case 'o':
                is_heard = node_listens(search, run, event, verb);
                break;
        }
        return event->kind == TRIAL_COMPLETE ? expect_completion(search, run, event, is_heard) : is_heard;
}

/* The verb asks for what would be done beside a process that was abandoned. */
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
        const TrialNodeView *node;
        bool expected;

        for (unsigned i = 0; i < VERBS_MAX; i++) {
                if (verbs[i] != event->kind)
                        continue;
                node = &run->nodes[node_asked(&search->trial.definition, event)];
                run_pairs[run->state][i][answer == 0]++;
                if (event->node < search->trial.definition.n_nodes && run_table[run->state][i] == 'o' &&
                    (event->kind != TRIAL_ADD || run->nodes[event->node].state == TRIAL_NODE_ABSENT))
                        node_pairs[node->state][i][answer == 0]++;
                expected = is_expected(search, run, event, i) && !is_beside_abandoned(search, event);
                expected = expected != (i == wrong_verb);
                if (expected != (answer == 0))
                        trial_differ(&search->player, "%s of a run that is %s, and a node that is %s: %s",
                                     trial_event_name(event->kind), trial_run_state_name(run->state),
                                     trial_node_state_name(node->state), answer == 0 ? "taken" : "refused");
        }
}

/* What a verb that was taken leaves for the next ones. */
static void note_answer(Search *search, const TrialEvent *event) {
        const TrialNodeState state = search->player.before.runs[event->run].nodes[event->node].state;
        Known *known = &search->known[event->run][event->node];

        if (event->kind == TRIAL_COMPLETE) {
                known->completed = event->generation;
                known->completion = event->resolution;
        } else if (event->kind == TRIAL_UNLOCK)
                known->keeps_locks = false;
        else if (state == TRIAL_NODE_PENDING && is_retry(event))
                /* A person gives a node all that it had in the beginning. */
                known->completed = 0;
}

/* A node that has an attempt takes its locks, and gives away its token. */
static void note_nodes(Search *search) {
        const TrialDefinition *definition = &search->trial.definition;
        const TrialView *view = &search->player.seen;

        for (unsigned i = 0; i < view->n_attempts; i++) {
                Known *known = &search->known[view->attempts[i].run][view->attempts[i].node];

                known->token = view->attempts[i].generation;
                known->keeps_locks = definition->nodes[view->attempts[i].node].locks != 0;
        }
        for (unsigned r = 0; r < view->n_runs; r++)
                for (unsigned i = 0; i < definition->n_nodes; i++) {
                        const TrialNodeState state = view->runs[r].nodes[i].state;

                        if (trial_node_is_terminal(state) || state == TRIAL_NODE_WAITING ||
                            (state != TRIAL_NODE_RUNNING && definition->nodes[i].gives_up_locks))
                                search->known[r][i].keeps_locks = false;
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

/* Verbs that only some nodes know are tried on these, and on the first one. */
static bool is_about(const TrialDefinition *definition, TrialEventKind verb, unsigned node) {
        const TrialNode *spec = &definition->nodes[node];

        if (node >= definition->n_nodes) {
                const bool is_final = node == trial_n_views(definition) - 1;

                return (is_final ? definition->has_final : definition->nodes[node - definition->n_nodes].has_undo) &&
                       verb != TRIAL_UNLOCK && verb != TRIAL_ADD && verb != TRIAL_COMPLETE;
        }
        return verb == TRIAL_ADD ? spec->added_in > 0 :
               verb == TRIAL_UNLOCK ? node == 0 || spec->locks != 0 :
               verb == TRIAL_COMPLETE ? node == 0 || spec->has_callback : true;
}

static void add_verb(Moves *moves, TrialEvent event, const TrialNodeView *node) {
        const unsigned n = event.kind == TRIAL_RESOLVE ? 4 : event.kind == TRIAL_COMPLETE ? 2 : 1;

        event.generation = node->generation;
        for (unsigned k = 0; k < n; k++) {
                event.resolution = (TrialResolution) k;
                add(moves, event);
        }
        event.generation--;
        if (event.kind == TRIAL_COMPLETE && event.generation > 0)
                add(moves, event);
}

static void add_verbs(Moves *moves, const TrialDefinition *definition, const TrialView *view) {
        for (unsigned r = 0; r < view->n_runs; r++)
                for (unsigned v = 0; v < VERBS_MAX; v++)
                        for (unsigned i = 0; i < (v < VERBS_OF_RUNS ? 1 : trial_n_views(definition)); i++)
                                if (v < VERBS_OF_RUNS || is_about(definition, verbs[v], i))
                                        add_verb(moves,
                                                 (TrialEvent) { .kind = verbs[v], .run = (uint8_t) r,
                                                                .node = (uint8_t) i },
                                                 &view->runs[r].nodes[i]);
}

static void add_unit(Moves *moves, const TrialPlayer *player) {
        if (player->unit != TRIAL_UNIT_IS_INACTIVE) {
                add(moves, (TrialEvent) { .kind = TRIAL_UNIT_STOP });
                add(moves, (TrialEvent) { .kind = TRIAL_UNIT_STOP, .by_person = true });
                return;
        }
        add(moves, (TrialEvent) { .kind = TRIAL_UNIT_STOP, .by_person = true });
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
        add_verbs(moves, &search->trial.definition, view);
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
        if (answer == 0 && trial_is_verb(event->kind))
                note_answer(search, event);
        trial_end_turn(player);
        note_nodes(search);
}

/* What is written down of a way says neither turns nor numbers of attempts. */
static void begin(Search *search) {
        TrialPlayer *player = &search->player;

        trial_begin(player, &search->trial, search->subject, &search->outcome);
        memset(search->known, 0, sizeof(search->known));
        trial_end_turn(player);
        for (unsigned i = 0; i < BEGIN_MAX && search->begin[i].kind != TRIAL_TURN; i++) {
                TrialEvent event = search->begin[i];

                event.generation = event.number = event.key = 1;
                event.turn = player->turn - 1;
                make_move(search, &event, false);
        }
}

static void walk_to(Search *search, uint32_t place) {
        uint32_t way[TURNS_MAX + 1];
        unsigned n = 0;

        begin(search);
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

/* Where it depends both answers must have been given. */
static bool was_tried(const uint64_t *answers, char listens) {
        const bool depends = listens != 'y' && listens != 'n';

        if (listens == '-')
                return answers[0] + answers[1] == 0;
        return answers[0] + answers[1] > 0 && (!depends || (answers[0] > 0 && answers[1] > 0));
}

static bool all_pairs_tried(void) {
        bool is_complete = true;

        for (TrialRunState state = 0; state < _TRIAL_RUN_STATE_MAX; state++)
                for (unsigned i = 0; i < VERBS_MAX; i++)
                        if (!was_tried(run_pairs[state][i], run_table[state][i])) {
                                printf("# never tried: %s of a run that is %s: %lu refused, %lu taken\n",
                                       trial_event_name(verbs[i]), trial_run_state_name(state),
                                       (unsigned long) run_pairs[state][i][0], (unsigned long) run_pairs[state][i][1]);
                                is_complete = false;
                        }
        for (TrialNodeState state = 0; state <= TRIAL_NODE_SKIPPED; state++)
                for (unsigned i = VERBS_OF_RUNS; i < VERBS_MAX; i++)
                        if (!was_tried(node_pairs[state][i], node_table[state][i - VERBS_OF_RUNS])) {
                                printf("# never tried: %s of a node that is %s: %lu refused, %lu taken\n",
                                       trial_event_name(verbs[i]), trial_node_state_name(state),
                                       (unsigned long) node_pairs[state][i][0],
                                       (unsigned long) node_pairs[state][i][1]);
                                is_complete = false;
                        }
        return is_complete;
}

/* — flows — */

typedef struct Flow {
        uint32_t features;              /* that a subject must have */
        uint32_t states;                /* at most; 0: no limit of its own */
        TrialEvent begin[BEGIN_MAX];    /* what has happened before, of the first attempts */
        TrialDefinition definition;
} Flow;

#define ORDINARY .retry_delay = 5, .retry_max_delay = 300

#define FROM_NOTHING { .kind = TRIAL_TURN }
#define BEGUN { .kind = TRIAL_SUBMIT }, { .kind = TRIAL_UNIT_ACTIVE }, { .kind = TRIAL_DURABLE }

#define COMPLETED_BY_OTHERS \
        .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_PENDING, ORDINARY, .has_callback = true
#define KEEPS_LOCK \
        { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, ORDINARY, .retry = 1, .has_callback = true, \
          .locks = 1, .slots = { 1 } }

static const Flow flows[] = {
        /* What has succeeded is undone if a person asks for it. */
        {
                .features = TRIAL_HAS_UNDO,
                .states = 600,
                .begin = { BEGUN, { .kind = TRIAL_EXITED }, FROM_NOTHING },
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1, .timeout = 7,
                        .nodes = {
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .has_undo = true },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .n_parents = 1 },
                        },
                },
        },
        /* A failure undoes it, which may fail itself, and a final command follows. */
        {
                .features = TRIAL_HAS_UNDO,
                .states = 1000,
                .begin = { BEGUN, { .kind = TRIAL_EXITED }, { .kind = TRIAL_DURABLE },
                           { .kind = TRIAL_EXITED, .node = 1, .status = 1 }, { .kind = TRIAL_DURABLE },
                           FROM_NOTHING },
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1, .end_timeout = 4,
                        .undoes_failure = true, .undoes_cancel = true, .has_final = true,
                        .nodes = {
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .has_undo = true },
                                { .policy = TRIAL_POLICY_END, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .n_parents = 1 },
                        },
                },
        },
        /* Nodes that somebody else completes, and that keep a lock, one after the other. */
        {
                .features = TRIAL_HAS_CALLBACK | TRIAL_HAS_LOCK,
                .states = 600,
                .begin = { BEGUN, FROM_NOTHING },
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1, .timeout = 20,
                        .nodes = { KEEPS_LOCK, { COMPLETED_BY_OTHERS, .n_parents = 1, .locks = 1, .slots = { 1 } } },
                },
        },
        /* The same beside each other. */
        {
                .features = TRIAL_HAS_CALLBACK | TRIAL_HAS_LOCK,
                .states = 600,
                .begin = { BEGUN, FROM_NOTHING },
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1,
                        .nodes = { KEEPS_LOCK, { COMPLETED_BY_OTHERS, .locks = 2, .slots = { 0, 1 } } },
                },
        },
        /* One of them has been completed. */
        {
                .features = TRIAL_HAS_CALLBACK | TRIAL_HAS_LOCK,
                .states = 600,
                .begin = { BEGUN, { .kind = TRIAL_COMPLETE }, { .kind = TRIAL_EXITED },
                           { .kind = TRIAL_EXITED, .node = 1, .status = 1 }, FROM_NOTHING },
                .definition = {
                        .n_nodes = 2, .max_parallel = 2, .max_runs = 1, .max_queued = 1,
                        .nodes = { KEEPS_LOCK, { COMPLETED_BY_OTHERS, .locks = 2, .slots = { 0, 1 } } },
                },
        },
        /* A node that is added between two others. */
        {
                .features = TRIAL_HAS_GROWTH | TRIAL_HAS_GROWTH_WAKES,
                .states = 600,
                .begin = { BEGUN, FROM_NOTHING },
                .definition = {
                        .n_nodes = 3, .max_parallel = 2, .max_runs = 1, .max_queued = 1, .timeout = 20,
                        .nodes = {
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, ORDINARY },
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, ORDINARY,
                                  .n_parents = 1, .added_in = 1 },
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .n_parents = 2, .parents = { 0, 1 } },
                        },
                },
        },
        /* The same below a third one. */
        {
                .features = TRIAL_HAS_GROWTH | TRIAL_HAS_GROWTH_WAKES,
                .states = 200,
                .begin = { BEGUN, FROM_NOTHING },
                .definition = {
                        .n_nodes = 4, .max_parallel = 2, .max_runs = 1, .max_queued = 1,
                        .nodes = {
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, ORDINARY },
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, ORDINARY,
                                  .n_parents = 1 },
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_RETRY, ORDINARY,
                                  .n_parents = 1, .parents = { 1 }, .added_in = 1 },
                                { .policy = TRIAL_POLICY_SUSPEND, .recover = TRIAL_RECOVER_PENDING, ORDINARY,
                                  .n_parents = 2, .parents = { 1, 2 } },
                        },
                },
        },
        /* The same where the run goes on when the first one has ended, however it does. */
        {
                .features = TRIAL_HAS_GROWTH | TRIAL_HAS_GROWTH_WAKES,
                .states = 300,
                .begin = { BEGUN, { .kind = TRIAL_STARTED }, { .kind = TRIAL_TIME, .at = 3 }, FROM_NOTHING },
                .definition = {
                        .n_nodes = 3, .max_parallel = 2, .max_runs = 1, .max_queued = 1,
                        .nodes = {
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_FAIL, ORDINARY,
                                  .timeout = 3 },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_FAIL, ORDINARY,
                                  .n_parents = 1, .added_in = 1 },
                                { .policy = TRIAL_POLICY_CONTINUE, .recover = TRIAL_RECOVER_FAIL, ORDINARY,
                                  .n_parents = 2, .parents = { 0, 1 }, .readiness = TRIAL_ALL_FINISHED },
                        },
                },
        },
        {
                .begin = { FROM_NOTHING },
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
                .begin = { FROM_NOTHING },
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
                .begin = { FROM_NOTHING },
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
                .begin = { FROM_NOTHING },
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
                .begin = { BEGUN, FROM_NOTHING },
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
                .begin = { FROM_NOTHING },
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
        search.n_places_max = flow->states > 0 ? MIN(states, flow->states) : states;
        search.begin = flow->begin;
        search.trial.definition = flow->definition;
        trial_lay_ends(&search.trial.definition);
        search_all(&search);
        printf("# %u states, %lu events tried\n", search.n_places, (unsigned long) search.tried);
        if (search.outcome.differs)
                printf("# %s\n", search.outcome.what);
        return search.outcome.differs;
}

#define STATES_OF_WRONG 40

/* The tables of each verb decide: with wrong ones, the engine is found to differ from them. */
static int try_wrong_tables(void) {
        for (wrong_verb = 0; wrong_verb < VERBS_MAX; wrong_verb++) {
                bool is_found = false;

                for (size_t i = 0; i < FLOWS_MAX && !is_found; i++)
                        is_found = is_known_to(&flows[i], &run_adapter_subject) &&
                                   try_flow(&flows[i], &run_adapter_subject, STATES_OF_WRONG);
                printf("%s %u - wrong tables of %s are found\n", is_found ? "ok" : "not ok", wrong_verb + 1,
                       trial_event_name(verbs[wrong_verb]));
        }
        printf("1..%d\n", VERBS_MAX);
        return 0;
}

/*
 * tables, or [SUBJECT [STATES]]: in a subject something must be found, unless it is the engine. STATES: of each flow, at
 * most.
 */
int main(int argc, char **argv) {
        const TrialSubject *subject = run_find_subject(argc > 1 ? argv[1] : "model");
        const bool must_find = argc > 1 && subject != &run_adapter_subject;
        const unsigned long states = argc > 2 ? strtoul(argv[2], NULL, 10) : STATES_MAX;
        bool has_found = false, is_complete;
        unsigned n = 0;

        if (argc > 1 && strcmp(argv[1], "tables") == 0)
                return try_wrong_tables();
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
