/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A case, played on the model and on a subject
 *
 * The player is the world: it makes the processes that the subject may spawn,
 * ends them, moves the clock, is the store, and remembers over a restart what
 * a manager would: which processes live, and which exits the store has not
 * kept. After a restart these exits are told first, in their order; then the
 * processes that nobody knows any more are killed, and the others are adopted.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "run_model.h"
#include "run_player.h"

#define CLOSING_ROUNDS_MAX 3000

TrialStatistics *trial_statistics;
bool trial_without_model;

void trial_differ(TrialPlayer *player, const char *format, ...) {
        va_list arguments;

        if (player->outcome->differs)
                return;
        player->outcome->differs = true;
        va_start(arguments, format);
        vsnprintf(player->outcome->what, sizeof(player->outcome->what), format, arguments);
        va_end(arguments);
}

static bool is_over(const TrialPlayer *player) {
        return player->outcome->differs || player->n_events > TRIAL_EVENTS_MAX - 1000;
}

/* — events and turns — */

/* Requests may be out of place, and answers late. Everything else has happened to what is there. */
static bool may_be_refused(const TrialEvent *event) {
        return event->kind == TRIAL_SUBMIT || event->kind == TRIAL_ANSWERED || trial_is_verb(event->kind);
}

/* What is refused changes nothing. */
static void check_refusal(TrialPlayer *player, const TrialEvent *event, uint64_t before) {
        static TrialView view;
        uint8_t same[TRIAL_NODES_MAX];

        if (!may_be_refused(event)) {
                trial_differ(player, "%s is refused by both: the world tells what cannot happen",
                             trial_event_name(event->kind));
                return;
        }
        for (unsigned i = 0; i < TRIAL_NODES_MAX; i++)
                same[i] = (uint8_t) i;
        player->subject->look(player->tested, &view);
        if (before != trial_sum(&view, trial_n_views(&player->trial->definition), same))
                trial_differ(player, "%s is refused, and changes something", trial_event_name(event->kind));
}

/* What the subject shows before an event that may be refused. */
static uint64_t sum_before(TrialPlayer *player, const TrialEvent *event) {
        static TrialView view;
        uint8_t same[TRIAL_NODES_MAX];

        if (!may_be_refused(event))
                return 0;
        for (unsigned i = 0; i < TRIAL_NODES_MAX; i++)
                same[i] = (uint8_t) i;
        player->subject->look(player->tested, &view);
        return trial_sum(&view, trial_n_views(&player->trial->definition), same);
}

int trial_give(TrialPlayer *player, const TrialEvent *event) {
        int expected, found;
        uint64_t before;

        if (is_over(player))
                return -ECANCELED;
        before = sum_before(player, event);
        if (player->outcome->script)
                trial_write_event(event, player->outcome->script);
        player->events[player->n_events++] = *event;
        if (event->kind == TRIAL_RETRY || event->kind == TRIAL_RERUN || event->kind == TRIAL_RESOLVE)
                player->is_asked_for[event->run][event->node] = true;
        if (event->kind == TRIAL_APPROVE)
                player->approved[event->run][event->node] = player->seen.runs[event->run].nodes[event->node].generation;
        if (event->kind == TRIAL_COMPLETE)
                player->completed[event->run][event->node] |= UINT64_C(1) << event->generation % 64;
        expected = player->reference->apply(player->model, event);
        found = player->subject->apply(player->tested, event);
        if ((expected < 0) != (found < 0))
                trial_differ(player, "%s is %s, not %s", trial_event_name(event->kind), found < 0 ? "refused" : "taken",
                             expected < 0 ? "refused" : "taken");
        if (event->kind == TRIAL_UNLOCK && found == 0)
                player->has_unlocked[event->run][event->node] = true;
        if (found < 0 && expected < 0)
                check_refusal(player, event, before);
        if (trial_statistics) {
                trial_statistics->events[event->kind]++;
                trial_statistics->refused[event->kind] += expected < 0;
        }
        return expected;
}

static void give_simple(TrialPlayer *player, TrialEventKind kind) {
        (void) trial_give(player, &(TrialEvent) { .kind = kind });
}

static void compare_nodes(TrialPlayer *player, unsigned r) {
        const unsigned n = trial_n_views(&player->trial->definition);

        for (unsigned i = 0; i < n; i++) {
                const TrialNodeView *expected = &player->expected.runs[r].nodes[i],
                                    *seen = &player->seen.runs[r].nodes[i];

                if (expected->state == TRIAL_NODE_ABSENT && seen->state == TRIAL_NODE_ABSENT)
                        continue;
                if (expected->state != seen->state || expected->reason != seen->reason ||
                    expected->generation != seen->generation || expected->not_before != seen->not_before)
                        trial_differ(player, "run %u node %u is %s%s generation %u not before %lu, not %s%s %u %lu", r,
                                     i, trial_node_state_name(seen->state), trial_reason_name(seen->reason),
                                     seen->generation, (unsigned long) seen->not_before,
                                     trial_node_state_name(expected->state), trial_reason_name(expected->reason),
                                     expected->generation, (unsigned long) expected->not_before);
                if (expected->is_asked != seen->is_asked)
                        trial_differ(player, "run %u node %u %s: its command is %sasked", r, i,
                                     trial_node_state_name(seen->state), seen->is_asked ? "" : "not ");
                if (expected->why != seen->why)
                        trial_differ(player, "run %u node %u %s waits for %s, not for %s", r, i,
                                     trial_node_state_name(seen->state), trial_why_name(seen->why),
                                     trial_why_name(expected->why));
        }
}

static void compare_runs(TrialPlayer *player) {
        if (player->expected.n_runs != player->seen.n_runs)
                trial_differ(player, "%u runs, not %u", player->seen.n_runs, player->expected.n_runs);
        for (unsigned r = 0; r < player->expected.n_runs; r++) {
                const TrialRunView *expected = &player->expected.runs[r], *seen = &player->seen.runs[r];

                if (expected->state != seen->state || expected->reason != seen->reason ||
                    expected->is_held != seen->is_held || expected->round != seen->round)
                        trial_differ(player, "run %u is %s%s%s round %u, not %s%s%s %u", r,
                                     trial_run_state_name(seen->state), trial_reason_name(seen->reason),
                                     seen->is_held ? " held" : "", seen->round, trial_run_state_name(expected->state),
                                     trial_reason_name(expected->reason), expected->is_held ? " held" : "",
                                     expected->round);
                if (expected->why != seen->why)
                        trial_differ(player, "run %u %s waits for %s, not for %s", r, trial_run_state_name(seen->state),
                                     trial_why_name(seen->why), trial_why_name(expected->why));
                compare_nodes(player, r);
        }
}

static void compare_attempts(TrialPlayer *player) {
        for (unsigned i = 0; i < player->expected.n_attempts; i++) {
                const TrialAttempt *expected = &player->expected.attempts[i], *seen;
                const TrialEvent event = { .run = expected->run,
                                           .node = expected->node,
                                           .generation = expected->generation,
                                           .number = expected->number };

                seen = trial_find_attempt(&player->seen, &event);
                if (!seen)
                        trial_differ(player, "run %u node %u has no attempt %u", event.run, event.node, event.number);
                else if (seen->state != expected->state || seen->is_ending != expected->is_ending ||
                         seen->is_abandoned != expected->is_abandoned)
                        trial_differ(player, "run %u node %u: its attempt is %u%s%s, not %u%s%s", event.run, event.node,
                                     seen->state, seen->is_ending ? " ending" : "",
                                     seen->is_abandoned ? " abandoned" : "", expected->state,
                                     expected->is_ending ? " ending" : "", expected->is_abandoned ? " abandoned" : "");
        }
        if (player->expected.n_attempts != player->seen.n_attempts)
                trial_differ(player, "%u attempts, not %u", player->seen.n_attempts, player->expected.n_attempts);
        if (player->expected.deadline != player->seen.deadline)
                trial_differ(player, "the next time is %ld, not %ld", (long) player->seen.deadline,
                             (long) player->expected.deadline);
}

static void count_states(const TrialPlayer *player) {
        for (unsigned r = 0; r < player->seen.n_runs && trial_statistics; r++) {
                const TrialRunView *run = &player->seen.runs[r];

                trial_statistics->runs[run->state][run->reason]++;
                for (unsigned i = 0; i < player->trial->definition.n_nodes; i++)
                        trial_statistics->nodes[run->nodes[i].state][run->nodes[i].reason]++;
        }
}

/* When each live attempt was first there. */
static void note_attempts(TrialPlayer *player) {
        for (unsigned i = 0; i < player->seen.n_attempts; i++) {
                const TrialAttempt *attempt = &player->seen.attempts[i];
                const TrialEvent event = { .run = attempt->run,
                                           .node = attempt->node,
                                           .generation = attempt->generation,
                                           .number = attempt->number };

                if (!player->has_before || !trial_find_attempt(&player->before, &event))
                        player->made_in[attempt->run][attempt->node] = player->turn;
        }
}

static bool can_end_by_node(const TrialDefinition *definition) {
        for (unsigned i = 0; i < definition->n_nodes; i++)
                if (definition->nodes[i].end_run != TRIAL_END_RUN_NO)
                        return true;
        return false;
}

static bool begins_to_stop(const TrialPlayer *player) {
        for (unsigned r = 0; r < player->seen.n_runs && player->has_before; r++) {
                const TrialRunState now = player->seen.runs[r].state;
                const TrialRunState then = r < player->before.n_runs ? player->before.runs[r].state : TRIAL_RUN_CREATED;

                if (now != then && (now == TRIAL_RUN_STOPPING || now == TRIAL_RUN_FAILED ||
                                    (trial_run_is_terminal(now) && can_end_by_node(&player->trial->definition))))
                        return true;
        }
        return false;
}

void trial_end_turn(TrialPlayer *player) {
        uint8_t same[TRIAL_NODES_MAX];

        for (unsigned i = 0; i < TRIAL_NODES_MAX; i++)
                same[i] = (uint8_t) i;
        give_simple(player, TRIAL_TURN);
        if (is_over(player))
                return;
        player->reference->look(player->model, &player->expected);
        player->subject->look(player->tested, &player->seen);
        compare_runs(player);
        compare_attempts(player);
        note_attempts(player);
        if (!player->is_coming_back)
                trial_check_properties(player);
        count_states(player);
        player->sums[player->n_events - 1] = trial_sum(&player->seen, trial_n_views(&player->trial->definition), same);
        player->is_end[player->n_events - 1] = begins_to_stop(player);
        player->turn_ends[player->turn++] = player->n_events;
        player->before = player->seen;
        player->has_before = true;
}

/* — processes — */

static TrialEvent event_of(const TrialProcess *process, TrialEventKind kind) {
        return (TrialEvent) {
                .kind = kind,
                .run = process->run,
                .node = process->node,
                .generation = process->generation,
                .number = process->number,
                .at = process->started_at,
        };
}

static TrialProcess *process_of(TrialPlayer *player, const TrialAttempt *attempt) {
        for (uint32_t i = 0; i < player->n_processes; i++) {
                TrialProcess *process = &player->processes[i];

                if (process->run == attempt->run && process->node == attempt->node && !process->has_ended &&
                    process->generation == attempt->generation && process->number == attempt->number)
                        return process;
        }
        return NULL;
}

/* Nobody knows what it did, unless it was told to end: then what it did does not count. */
static void forget_process(TrialPlayer *player, TrialProcess *process) {
        const TrialEvent event = event_of(process, TRIAL_EXITED);
        const TrialAttempt *attempt = trial_find_attempt(&player->seen, &event);

        process->has_ended = true;
        process->is_ended_by_us = !attempt || (!attempt->is_ending && !attempt->is_abandoned);
        process->verbs = player->verbs[process->run];
}

static bool is_sub_run(const TrialPlayer *player, unsigned node) {
        return player->trial->definition.nodes[node].action == TRIAL_ACTION_RUN;
}

static void end_process(TrialPlayer *player, TrialProcess *process, const TrialEvent *event) {
        forget_process(player, process);
        process->end = *event;
        if (event->kind == TRIAL_EXITED)
                process->is_ended_by_us = false;
        (void) trial_give(player, event);
}

static void spawn(TrialPlayer *player, const TrialAttempt *attempt) {
        TrialEvent event = { .kind = TRIAL_EXITED,
                             .run = attempt->run,
                             .node = attempt->node,
                             .generation = attempt->generation,
                             .number = attempt->number,
                             .end = TRIAL_END_INPUT_MISSING };
        TrialProcess *process;

        if (player->trial->definition.nodes[attempt->node].lacks_input) {
                (void) trial_give(player, &event);
                return;
        }
        trial_check_spawn(player, attempt);
        process = &player->processes[player->n_processes++];
        *process = (TrialProcess) {
                .run = attempt->run,
                .node = attempt->node,
                .generation = attempt->generation,
                .number = attempt->number,
                .started_at = player->now,
        };
        event = event_of(process, TRIAL_STARTED);
        (void) trial_give(player, &event);
}

/* Makes what may be spawned. Returns whether there was something. */
static bool spawn_all(TrialPlayer *player) {
        bool has_spawned = false;

        for (unsigned i = 0; i < player->seen.n_attempts && !is_over(player); i++) {
                const TrialAttempt *attempt = &player->seen.attempts[i];

                if (attempt->state != TRIAL_ATTEMPT_SPAWNED || process_of(player, attempt))
                        continue;
                if (player->n_processes == TRIAL_PROCESSES_MAX)
                        return false;
                spawn(player, attempt);
                has_spawned = true;
        }
        return has_spawned;
}

static unsigned count_live(const TrialPlayer *player) {
        unsigned n = 0;

        for (uint32_t i = 0; i < player->n_processes; i++)
                n += !player->processes[i].has_ended;
        return n;
}

static TrialProcess *pick_live(TrialPlayer *player, unsigned pick) {
        const unsigned live = count_live(player);

        pick = live > 0 ? pick % live : 0;
        for (uint32_t i = 0; i < player->n_processes; i++)
                if (!player->processes[i].has_ended && pick-- == 0)
                        return &player->processes[i];
        return NULL;
}

/* Ends what was told to end. */
static bool end_told(TrialPlayer *player) {
        bool has_ended = false;

        for (unsigned i = 0; i < player->seen.n_attempts && !is_over(player); i++) {
                TrialProcess *process = process_of(player, &player->seen.attempts[i]);
                TrialEvent event;

                if (!player->seen.attempts[i].is_ending || !process)
                        continue;
                event = event_of(process, TRIAL_EXITED);
                event.status = is_sub_run(player, process->node) ? 0 : 143;
                event.end = is_sub_run(player, process->node) ? TRIAL_END_CANCELLED : TRIAL_END_STATUS;
                end_process(player, process, &event);
                has_ended = true;
        }
        return has_ended;
}

/* — what comes by itself — */

static void tell_store(TrialPlayer *player, uint32_t accepted, uint32_t durable) {
        if (accepted > player->accepted)
                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_ACCEPTED, .turn = accepted });
        if (durable > player->durable)
                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_DURABLE, .turn = durable });
        player->accepted = accepted > player->accepted ? accepted : player->accepted;
        player->durable = durable > player->durable ? durable : player->durable;
}

static bool has_live_run(const TrialPlayer *player) {
        for (unsigned r = 0; r < player->seen.n_runs; r++)
                if (!trial_run_is_terminal(player->seen.runs[r].state))
                        return true;
        return false;
}

static bool has_held_attempt(const TrialPlayer *player) {
        for (unsigned i = 0; i < player->seen.n_attempts; i++)
                if (player->seen.attempts[i].state == TRIAL_ATTEMPT_HELD)
                        return true;
        return false;
}

/* Parts of its runs belong to another unit. */
static unsigned count_attempts_of_unit(const TrialPlayer *player) {
        unsigned n = 0;

        for (unsigned i = 0; i < player->seen.n_attempts; i++)
                n += !is_sub_run(player, player->seen.attempts[i].node);
        return n;
}

/* The world goes on as far as it does without being asked. */
static void go_on(TrialPlayer *player) {
        bool has_moved = true, has_news = true;

        while (has_moved && !is_over(player)) {
                has_moved = false;
                if (!player->trial->has_slow_store && has_news && has_held_attempt(player)) {
                        tell_store(player, player->turn - 1, player->trial->has_slow_disk ? 0 : player->turn - 1);
                        trial_end_turn(player);
                        has_moved = true;
                        has_news = !player->trial->has_slow_disk;
                }
                if (spawn_all(player)) {
                        trial_end_turn(player);
                        has_moved = true;
                }
                if (!player->trial->has_slow_ends && end_told(player)) {
                        trial_end_turn(player);
                        has_moved = true;
                }
        }
        /* Nothing of the unit is left. */
        if (!is_over(player) && player->unit == TRIAL_UNIT_IS_ACTIVE && !has_live_run(player) &&
            player->seen.n_attempts == 0) {
                player->unit = TRIAL_UNIT_IS_INACTIVE;
                give_simple(player, TRIAL_UNIT_INACTIVE);
                trial_end_turn(player);
        }
        if (player->unit == TRIAL_UNIT_IS_STOPPING && count_attempts_of_unit(player) == 0)
                player->unit = TRIAL_UNIT_IS_INACTIVE;
}

static void pass_time(TrialPlayer *player, uint64_t to) {
        if (to == TRIAL_NEVER)
                return;
        player->now = to > player->now ? to : player->now;
        (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_TIME, .at = player->now });
        trial_end_turn(player);
}

/* — deaths — */

/* The attempt of @end was never made: neither was what ended, and a later attempt of the same name is another one. */
static void forget_end(TrialPlayer *player, const TrialEvent *end) {
        for (uint32_t i = 0; i < player->n_processes; i++) {
                TrialProcess *process = &player->processes[i];

                if (process->run == end->run && process->node == end->node && process->generation == end->generation &&
                    process->number == end->number && process->has_ended)
                        process->is_undone = true;
        }
}

/* Tells what the world remembers of the turns after @kept, as it happened. */
static void tell_again(TrialPlayer *player, const TrialEvent *events, uint32_t n) {
        bool has_told = false;

        for (uint32_t i = 0; i < n && !is_over(player); i++) {
                const TrialEvent *event = &events[i];

                if (event->kind == TRIAL_TURN && has_told) {
                        trial_end_turn(player);
                        has_told = false;
                }
                if (event->kind >= TRIAL_STARTED && event->kind <= TRIAL_INTERRUPTED) {
                        player->reference->look(player->model, &player->expected);
                        if (!trial_find_attempt(&player->expected, event)) {
                                if (event->kind == TRIAL_EXITED)
                                        forget_end(player, event);
                                continue;
                        }
                } else if (event->kind != TRIAL_TIME &&
                           (event->kind < TRIAL_UNIT_ACTIVE || event->kind > TRIAL_UNIT_INACTIVE))
                        continue;
                (void) trial_give(player, event);
                has_told = true;
        }
        if (has_told)
                trial_end_turn(player);
}

static bool knows_wait(const TrialPlayer *player, const TrialProcess *process) {
        return player->seen.runs[process->run].state != TRIAL_RUN_STOPPING ||
               (player->subject->features & TRIAL_HAS_SUB_RUN_ENDS) != 0;
}

/* Whoever manages sub-runs tells which of them wait. */
static bool tell_waits(TrialPlayer *player) {
        bool has_told = false;

        for (uint32_t i = 0; i < player->n_processes; i++) {
                TrialProcess *process = &player->processes[i];
                TrialEvent event = event_of(process, TRIAL_STARTED);
                const TrialAttempt *attempt = trial_find_attempt(&player->seen, &event);

                if (process->has_ended || !is_sub_run(player, process->node) || !attempt)
                        continue;
                process->waits = process->waits && knows_wait(player, process);
                if (attempt->state != TRIAL_ATTEMPT_RUNNING)
                        (void) trial_give(player, &event);
                event = event_of(process, TRIAL_SUB_WAITS);
                event.waits = process->waits;
                (void) trial_give(player, &event);
                has_told = true;
        }
        player->has_untold_subs = false;
        return has_told;
}

/* Processes of attempts that nobody knows are killed, the others are adopted. */
static void adopt(TrialPlayer *player) {
        bool has_told = tell_waits(player);

        for (uint32_t i = 0; i < player->n_processes; i++) {
                TrialProcess *process = &player->processes[i];
                const TrialEvent event = event_of(process, TRIAL_STARTED);
                const TrialAttempt *attempt = trial_find_attempt(&player->seen, &event);

                if (process->has_ended)
                        continue;
                if (!attempt) {
                        forget_process(player, process);
                        if (trial_statistics)
                                trial_statistics->killed++;
                } else if (attempt->state != TRIAL_ATTEMPT_RUNNING && !is_sub_run(player, process->node)) {
                        (void) trial_give(player, &event);
                        has_told = true;
                }
        }
        for (unsigned i = 0; i < player->seen.n_attempts; i++) {
                const TrialAttempt *attempt = &player->seen.attempts[i];

                if (attempt->state != TRIAL_ATTEMPT_RUNNING || process_of(player, attempt))
                        continue;
                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_LOST,
                                                         .run = attempt->run,
                                                         .node = attempt->node,
                                                         .generation = attempt->generation,
                                                         .number = attempt->number });
                has_told = true;
        }
        if (has_told)
                trial_end_turn(player);
}

/* @restart: what is kept, and in which boot. */
static void come_back(TrialPlayer *player, TrialEvent restart) {
        player->durable = player->durable < restart.turn ? player->durable : restart.turn;
        player->turn = restart.turn + 1;
        player->accepted = restart.turn;
        restart.kind = TRIAL_RESTART;
        restart.durable = player->durable;
        (void) trial_give(player, &restart);
        player->subject->look(player->tested, &player->before);
        player->has_untold_subs = true;
        /* Turns that are no more have no number: what was made in one is not looked at again. */
        for (unsigned r = 0; r < TRIAL_RUNS_MAX; r++)
                for (unsigned i = 0; i < TRIAL_NODES_MAX; i++)
                        if (player->made_in[r][i] > restart.turn)
                                player->made_in[r][i] = 0;
        trial_end_turn(player);
}

/*
 * Copies the events after turn @kept to @after, and returns how many they are. What an earlier death has undone was told
 * again behind it, so that there it counts alone.
 */
static uint32_t list_past(const TrialPlayer *player, uint32_t kept, TrialEvent *after) {
        uint32_t *ends = calloc(player->n_events + 1, sizeof(*ends)), n_ends = 0, n = 0;

        for (uint32_t i = kept > 0 ? player->turn_ends[kept] : 0; i < player->n_events; i++) {
                const TrialEvent *event = &player->events[i];

                if (event->kind == TRIAL_RESTART) {
                        n_ends = event->turn - kept;
                        n = ends[n_ends];
                        continue;
                }
                after[n++] = *event;
                if (event->kind == TRIAL_TURN)
                        ends[++n_ends] = n;
        }
        free(ends);
        return n;
}

static void kill_core(TrialPlayer *player, uint32_t kept) {
        TrialEvent *after;
        uint32_t n;

        if (is_over(player))
                return;
        after = calloc(player->n_events + 1, sizeof(*after));
        n = list_past(player, kept, after);
        player->is_coming_back = true;
        come_back(player, (TrialEvent) { .turn = kept });
        tell_again(player, after, n);
        player->is_coming_back = false;
        free(after);
        if (!is_over(player))
                adopt(player);
}

static void interrupt_all(TrialPlayer *player) {
        for (unsigned i = 0; i < player->seen.n_attempts; i++) {
                TrialProcess *process = process_of(player, &player->seen.attempts[i]);
                TrialEvent event;

                if (!process || is_sub_run(player, process->node))
                        continue;
                event = event_of(process, TRIAL_INTERRUPTED);
                end_process(player, process, &event);
        }
        trial_end_turn(player);
}

/* Sub-runs go on in another boot, or have ended: the store has that. Those that nobody has begun are unknown. */
static void end_subs_again(TrialPlayer *player) {
        for (uint32_t i = 0; i < player->n_processes; i++) {
                TrialProcess *process = &player->processes[i];
                const TrialEvent event = event_of(process, TRIAL_STARTED);
                const TrialAttempt *attempt = trial_find_attempt(&player->seen, &event);

                if (!is_sub_run(player, process->node))
                        continue;
                if (!attempt && !process->has_ended)
                        forget_process(player, process);
                /* One whose end the store has is done with, too. */
                process->is_undone = process->is_undone || !attempt;
                if (attempt && process->has_ended && !process->is_undone && process->end.kind == TRIAL_EXITED)
                        (void) trial_give(player, &process->end);
        }
}

/* An orderly shutdown stops the unit first. Whatever the store has then counts in the next boot, and nothing else. */
static void reboot(TrialPlayer *player, const TrialStep *step) {
        if (step->flag) {
                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_UNIT_STOP });
                interrupt_all(player);
                tell_store(player, player->turn - 1, player->turn - 1);
                trial_end_turn(player);
        }
        if (is_over(player))
                return;
        for (uint32_t i = 0; i < player->n_processes; i++) {
                TrialProcess *process = &player->processes[i];

                if (!process->has_ended && !is_sub_run(player, process->node))
                        forget_process(player, process);
        }
        player->now += step->amount;
        player->unit = TRIAL_UNIT_IS_INACTIVE;
        come_back(player, (TrialEvent) { .turn = player->durable, .is_other_boot = true, .at = player->now });
        (void) tell_waits(player);
        for (unsigned i = 0; i < player->seen.n_attempts; i++) {
                const TrialAttempt *attempt = &player->seen.attempts[i];

                if (!is_sub_run(player, attempt->node))
                        (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_LOST,
                                                                 .run = attempt->run,
                                                                 .node = attempt->node,
                                                                 .generation = attempt->generation,
                                                                 .number = attempt->number });
        }
        end_subs_again(player);
        (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_TIME, .at = player->now });
        trial_end_turn(player);
        /* What happens before another death is kept: one that goes back beyond this one would need two pasts. */
        tell_store(player, player->turn - 1, player->turn - 1);
        trial_end_turn(player);
}

/* — steps — */

static void submit(TrialPlayer *player, const TrialStep *step) {
        if (player->seen.n_runs == TRIAL_RUNS_MAX)
                return;
        player->keys += !step->flag || player->keys == 0;
        (void) trial_give(player,
                          &(TrialEvent) { .kind = TRIAL_SUBMIT, .run = player->seen.n_runs, .key = player->keys,
                                          .priority = step->priority });
        trial_end_turn(player);
}

/* How it ends as a step wants it, as far as a process or a job can end so. */
static void choose_end(const TrialPlayer *player, const TrialStep *step, TrialEvent *event) {
        const bool is_of_job = step->end >= TRIAL_END_FAILED;

        if (player->trial->definition.nodes[event->node].action == TRIAL_ACTION_JOB || is_sub_run(player, event->node)) {
                event->end = step->status == 0 ? TRIAL_END_STATUS : TRIAL_END_FAILED;
                if (is_of_job)
                        event->end = step->end;
                return;
        }
        if (step->end == TRIAL_END_FAILED || (!is_of_job && step->end != TRIAL_END_INPUT_MISSING))
                event->end = step->end;
        event->status = event->end == TRIAL_END_FAILED ? 0 : step->status;
}

static void finish_some(TrialPlayer *player, const TrialStep *step, TrialEventKind kind) {
        bool has_ended = false;

        for (unsigned i = 0; i < step->n; i++) {
                TrialProcess *process = pick_live(player, step->pick);
                TrialEvent event;

                if (!process || (kind != TRIAL_EXITED && is_sub_run(player, process->node)))
                        break;
                event = event_of(process, kind);
                if (kind == TRIAL_EXITED)
                        choose_end(player, step, &event);
                end_process(player, process, &event);
                has_ended = true;
        }
        if (has_ended)
                trial_end_turn(player);
}

/* Whether the verb means something there; others are given now and then, to be refused. */
static bool fits(const TrialPlayer *player, const TrialStep *step, unsigned run, unsigned node) {
        const TrialNodeState state = player->seen.runs[run].nodes[node].state;
        const bool is_ended = trial_run_is_terminal(player->seen.runs[run].state);

        if (step->verb == TRIAL_RESOLVE && is_ended)
                return step->resolution == TRIAL_AS_SUCCESS &&
                       (state == TRIAL_NODE_FAILED || state == TRIAL_NODE_TIMEOUT);
        if (step->verb == TRIAL_RESOLVE)
                return state == TRIAL_NODE_PENDING;
        if (step->verb == TRIAL_APPROVE || step->verb == TRIAL_REJECT)
                return state == TRIAL_NODE_PENDING &&
                       player->seen.runs[run].nodes[node].reason == TRIAL_REASON_GATE;
        if (step->verb == TRIAL_ADD)
                return !is_ended && node < player->trial->definition.n_nodes &&
                       player->trial->definition.nodes[node].added_in > 0 &&
                       (state == TRIAL_NODE_ABSENT || step->other % 8 == 0);
        if (step->verb == TRIAL_UNLOCK)
                return player->trial->definition.nodes[node].locks != 0 &&
                       (state == TRIAL_NODE_DEFERRED || state == TRIAL_NODE_PENDING ||
                        (state == TRIAL_NODE_READY && step->other % 4 == 0) ||
                        (state == TRIAL_NODE_RUNNING && step->other % 8 == 0));
        if (step->verb == TRIAL_SKIP)
                return !is_ended && !trial_node_is_terminal(state) && state != TRIAL_NODE_RUNNING;
        if (step->verb == TRIAL_RETRY)
                return state == TRIAL_NODE_PENDING || (trial_node_is_terminal(state) && state != TRIAL_NODE_SUCCEEDED &&
                                                       state != TRIAL_NODE_ABSENT);
        return (step->verb != TRIAL_RERUN && step->verb != TRIAL_COMPENSATE) || is_ended;
}

static bool knows_verb(const TrialPlayer *player, const TrialEvent *event) {
        return event->kind != TRIAL_ADD || player->seen.runs[event->run].state != TRIAL_RUN_SUSPENDED ||
               (player->subject->features & TRIAL_HAS_GROWTH_WAKES) != 0;
}

static void give_verb(TrialPlayer *player, const TrialStep *step) {
        const unsigned n_nodes = trial_n_views(&player->trial->definition), n = n_nodes * player->seen.n_runs;
        TrialEvent event = { .kind = step->verb, .resolution = step->resolution };

        if (n == 0)
                return;
        for (unsigned i = 0; i <= n; i++) {
                const unsigned at = (step->pick + i) % n;

                event.run = (uint8_t) (at / n_nodes);
                event.node = (uint8_t) (at % n_nodes);
                if (fits(player, step, event.run, event.node))
                        break;
        }
        if (!knows_verb(player, &event))
                return;
        player->verbs[event.run] += step->verb == TRIAL_RETRY || step->verb == TRIAL_RERUN ||
                                    step->verb == TRIAL_RESOLVE || step->verb == TRIAL_COMPENSATE;
        (void) trial_give(player, &event);
        trial_end_turn(player);
}

static bool has_live_process(const TrialPlayer *player) {
        for (uint32_t i = 0; i < player->n_processes; i++)
                if (!player->processes[i].has_ended && !is_sub_run(player, player->processes[i].node))
                        return true;
        return count_attempts_of_unit(player) > 0;
}

static void start_or_stop_unit(TrialPlayer *player, const TrialStep *step) {
        TrialEvent event = { .kind = TRIAL_UNIT_ACTIVE, .by_person = step->flag };

        if (player->unit == TRIAL_UNIT_IS_ACTIVE) {
                event.kind = TRIAL_UNIT_STOP;
                player->unit = TRIAL_UNIT_IS_STOPPING;
        } else if (player->unit == TRIAL_UNIT_IS_STOPPING || has_live_process(player) || !has_live_run(player))
                return;
        else
                player->unit = TRIAL_UNIT_IS_ACTIVE;
        (void) trial_give(player, &event);
        trial_end_turn(player);
}

/* The start job that a run has asked for comes to nothing; what goes on after a stop asks for none here. */
static void fail_start_job(TrialPlayer *player, const TrialStep *step) {
        if (player->unit != TRIAL_UNIT_IS_INACTIVE)
                return;
        give_simple(player, step->flag ? TRIAL_UNIT_CANCELLED : TRIAL_UNIT_FAILED);
        trial_end_turn(player);
}

static void be_store(TrialPlayer *player, const TrialStep *step) {
        const uint32_t all = player->turn - 1;

        tell_store(player, all, all > step->amount / 2U ? all - step->amount / 2U : 0);
        trial_end_turn(player);
}

static uint32_t kept_by_store(const TrialPlayer *player, const TrialStep *step) {
        const uint32_t all = player->turn - 1, kept = all > step->amount ? all - step->amount : 0;

        return kept > player->accepted ? kept : player->accepted;
}

/* With @is_old about the generation before. */
static bool answer_one(TrialPlayer *player, unsigned pick, TrialAnswer answer, bool is_old) {
        const unsigned n_nodes = player->trial->definition.n_nodes, n = n_nodes * player->seen.n_runs;

        for (unsigned i = 0; i < n; i++) {
                const unsigned at = (pick + i) % n;
                const TrialNodeView *node = &player->seen.runs[at / n_nodes].nodes[at % n_nodes];

                if (!node->is_asked)
                        continue;
                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_ANSWERED,
                                                         .run = (uint8_t) (at / n_nodes),
                                                         .node = (uint8_t) (at % n_nodes),
                                                         .generation = (uint8_t) (node->generation - is_old),
                                                         .answer = answer });
                trial_end_turn(player);
                return true;
        }
        return false;
}

/* Whether there is something to complete: the process of the node may still run. */
static bool waits_for_callback(const TrialPlayer *player, unsigned run, unsigned node) {
        const TrialNodeState state = player->seen.runs[run].nodes[node].state;

        return player->trial->definition.nodes[node].has_callback && !trial_node_is_terminal(state) &&
               state >= TRIAL_NODE_READY;
}

/* Somebody with a token, of the generation before with @is_old. */
static void complete_one(TrialPlayer *player, const TrialStep *step, bool is_old) {
        const unsigned n_nodes = player->trial->definition.n_nodes, n = n_nodes * player->seen.n_runs;

        for (unsigned i = 0; i < n; i++) {
                const unsigned at = (step->pick + i) % n, run = at / n_nodes, node = at % n_nodes;

                /* Now and then one is tried that does not wait, or not any more. */
                if (!waits_for_callback(player, run, node) && step->pick % 8 != 0)
                        continue;
                (void) trial_give(player,
                                  &(TrialEvent) { .kind = TRIAL_COMPLETE,
                                                  .run = (uint8_t) run,
                                                  .node = (uint8_t) node,
                                                  .generation = (uint8_t) (player->seen.runs[run].nodes[node].generation - is_old),
                                                  .resolution = step->resolution });
                trial_end_turn(player);
                return;
        }
}

/* A sub-run that waits, or another one, which has begun. */
static void wait_or_go_on(TrialPlayer *player, const TrialStep *step) {
        for (uint32_t i = 0; i < player->n_processes; i++) {
                TrialProcess *process = &player->processes[(step->pick + i) % player->n_processes];
                TrialEvent event = event_of(process, TRIAL_SUB_WAITS);

                if (process->has_ended || !is_sub_run(player, process->node))
                        continue;
                if (!process->waits && !knows_wait(player, process))
                        continue;
                event.waits = process->waits = !process->waits;
                (void) trial_give(player, &event);
                trial_end_turn(player);
                return;
        }
}

static void play_step(TrialPlayer *player, const TrialStep *step) {
        if (trial_statistics)
                trial_statistics->steps[step->kind]++;
        switch (step->kind) {
        case TRIAL_STEP_SUBMIT:
                submit(player, step);
                break;
        case TRIAL_STEP_FINISH:
                finish_some(player, step, TRIAL_EXITED);
                break;
        case TRIAL_STEP_INTERRUPT:
                finish_some(player, step, TRIAL_INTERRUPTED);
                break;
        case TRIAL_STEP_LOSE:
                finish_some(player, step, TRIAL_LOST);
                break;
        case TRIAL_STEP_VERB:
                give_verb(player, step);
                break;
        case TRIAL_STEP_NEXT:
                pass_time(player, player->seen.deadline);
                break;
        case TRIAL_STEP_ADVANCE:
                pass_time(player, player->now + step->amount);
                break;
        case TRIAL_STEP_STORE:
                be_store(player, step);
                break;
        case TRIAL_STEP_UNIT:
                start_or_stop_unit(player, step);
                break;
        case TRIAL_STEP_START_JOB:
                fail_start_job(player, step);
                break;
        case TRIAL_STEP_KILL_CORE:
                kill_core(player, kept_by_store(player, step));
                break;
        case TRIAL_STEP_KILL_STORE:
                player->accepted = player->durable;
                break;
        case TRIAL_STEP_KILL_BOTH:
                kill_core(player, player->durable);
                break;
        case TRIAL_STEP_REBOOT:
                reboot(player, step);
                break;
        case TRIAL_STEP_ANSWER:
                (void) answer_one(player, step->pick, step->answer, step->flag);
                break;
        case TRIAL_STEP_SUB_WAITS:
                wait_or_go_on(player, step);
                break;
        case TRIAL_STEP_COMPLETE:
                complete_one(player, step, step->flag);
                break;
        case _TRIAL_STEP_MAX:
                break;
        }
        go_on(player);
}

/* — the rest — */

/* Where a node waits for a lock that a PENDING one has, nothing moves, either. */
static bool has_to_be_resolved(const TrialRunView *run) {
        return run->state == TRIAL_RUN_SUSPENDED || run->state == TRIAL_RUN_RUNNING;
}

static void close_verbs(TrialPlayer *player) {
        for (unsigned r = 0; r < player->seen.n_runs; r++) {
                const TrialRunView *run = &player->seen.runs[r];

                if (run->is_held || run->state == TRIAL_RUN_PAUSED)
                        (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_RESUME, .run = (uint8_t) r });
                for (unsigned i = 0; i < player->trial->definition.n_nodes; i++)
                        if (run->nodes[i].state == TRIAL_NODE_RUNNING && run->nodes[i].reason == TRIAL_REASON_CALLBACK)
                                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_COMPLETE,
                                                                         .run = (uint8_t) r,
                                                                         .node = (uint8_t) i,
                                                                         .generation = run->nodes[i].generation });
                for (unsigned i = 0; i < trial_n_views(&player->trial->definition) && has_to_be_resolved(run); i++)
                        if (run->nodes[i].state == TRIAL_NODE_PENDING) {
                                (void) trial_give(player, &(TrialEvent) { .kind = TRIAL_RESOLVE,
                                                                         .run = (uint8_t) r,
                                                                         .node = (uint8_t) i });
                                break;
                        }
        }
        trial_end_turn(player);
}

/* Everything ends if nothing is in its way: no run waits for ever. */
static void close_case(TrialPlayer *player) {
        const TrialStep finish = { .n = 8 }, start = { .flag = true };

        for (unsigned i = 0; i < CLOSING_ROUNDS_MAX && has_live_run(player) && !is_over(player); i++) {
                tell_store(player, player->turn - 1, player->turn - 1);
                trial_end_turn(player);
                go_on(player);
                if (player->unit == TRIAL_UNIT_IS_INACTIVE)
                        start_or_stop_unit(player, &start);
                finish_some(player, &finish, TRIAL_EXITED);
                while (answer_one(player, 0, TRIAL_ANSWER_READY, false) && !is_over(player))
                        ;
                if (player->seen.n_attempts == 0) {
                        close_verbs(player);
                        if (player->seen.n_attempts == 0)
                                pass_time(player, player->seen.deadline);
                }
                go_on(player);
        }
        if (has_live_run(player) && !is_over(player))
                trial_differ(player, "a run does not end");
}

void trial_begin(TrialPlayer *player, const TrialCase *trial, const TrialSubject *subject, TrialOutcome *outcome) {
        static TrialEvent events[TRIAL_EVENTS_MAX];
        static uint64_t sums[TRIAL_EVENTS_MAX];
        static bool is_end[TRIAL_EVENTS_MAX];
        static uint32_t turn_ends[TRIAL_EVENTS_MAX];
        static TrialProcess processes[TRIAL_PROCESSES_MAX];

        *outcome = (TrialOutcome) { .script = outcome->script };
        *player = (TrialPlayer) {
                .trial = trial,
                .reference = trial_without_model ? subject : &run_model_subject,
                .subject = subject,
                .outcome = outcome,
                .events = events,
                .sums = sums,
                .is_end = is_end,
                .turn_ends = turn_ends,
                .turn = 1,
                .processes = processes,
        };
        player->model = player->reference->new_subject(&trial->definition);
        player->tested = subject->new_subject(&trial->definition);
        if (trial_statistics) {
                trial_statistics->cases++;
                for (unsigned i = 0; i < trial->definition.n_nodes; i++)
                        trial_statistics->readiness[trial->definition.nodes[i].readiness]++;
        }
}

void trial_end(TrialPlayer *player) {
        player->outcome->n_events = player->n_events;
        player->reference->free_subject(player->model);
        player->subject->free_subject(player->tested);
}

void trial_play(const TrialCase *trial, const TrialSubject *subject, TrialOutcome *ret_outcome) {
        static TrialPlayer player;

        trial_begin(&player, trial, subject, ret_outcome);
        trial_end_turn(&player);
        for (unsigned i = 0; i < trial->n_steps && !is_over(&player); i++)
                play_step(&player, &trial->steps[i]);
        if (!is_over(&player))
                close_case(&player);
        if (!ret_outcome->differs)
                trial_check_replays(&player);
        trial_end(&player);
}
