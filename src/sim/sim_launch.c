/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Launches of batches in a simulation: the rules are those of manager_launch.c
 */

#include <errno.h>
#include <stdlib.h>

#include "flow/flow_spec.h"
#include "sim/sim.h"
#include "sim/sim_launch.h"

#define ITEMS_A_TURN 256U
#define ITEM_GENERATION (UINT32_C(1) << 31) /* no launch has so many */

/* What a step is about. */
typedef struct Step {
        Sim *sim;
        SimRun *run;
        SimLaunch *launch;
        RunAttemptKey key; /* of the launch */
        const FlowRange *range; /* borrowed */
        bool ends; /* it is told to end */
        RunRow row;
} Step;

static SimLaunch *find(const Sim *sim, uint32_t run) {
        SimLaunch *launch = sim->runs.launches;

        while (launch && launch->run != run)
                launch = launch->next;
        return launch;
}

static SimLaunch *find_or_make(Sim *sim, uint32_t run) {
        SimLaunch *launch = find(sim, run);

        if (launch)
                return launch;
        launch = calloc(1, sizeof(*launch));
        if (!launch)
                return NULL;
        launch->run = run;
        launch->is_over = true;
        launch->next = sim->runs.launches;
        sim->runs.launches = launch;
        return launch;
}

const char *sim_launch_problem(const FlowSettings *settings) {
        const FlowRange *range = &settings->range;

        if (range->item_mode == FLOW_ITEM_POOL)
                return "ItemMode=pool, and a simulation has no workers";
        return range->items == 0 ? "items that are read, and a simulation reads none" : NULL;
}

static int open_node(const SimRun *run, FlowCommand *command) {
        return flow_command_open(command, run->definition, 0);
}

/* — the range — */

static int describe(const SimRun *run, RunRangeSettings *ret_settings) {
        FlowCommand command;
        int r = open_node(run, &command);

        if (r < 0)
                return r;
        flow_spec_range_settings(&flow_definition_settings(run->definition)->range, command.node, SIM_PROCESSORS,
                                 ret_settings);
        flow_command_close(&command);
        return 0;
}

/* The range as core had it, or else as the store has it, or else a new one. */
static int make_range(const Sim *sim, const SimRun *run, SimLaunch *launch) {
        const bool is_saved = launch->saved.n > 0;
        RunRangeSettings settings;
        RunRangeCounts counts;
        RecordReader reader;
        int r = describe(run, &settings);

        if (r < 0)
                return r;
        if (!is_saved && !run->cursor)
                return run_range_new(&settings, &launch->range);
        record_reader_init(&reader, is_saved ? launch->saved.bytes : run->cursor,
                           is_saved ? launch->saved.n : run->n_cursor);
        r = run_range_restore(&settings, &reader, sim->now, &launch->range);
        record_writer_clear(&launch->saved);
        if (r < 0)
                return r;
        run_range_count(launch->range, &counts);
        launch->n_over = counts.over;
        return 0;
}

static void keep_checkpoint(const Step *step, bool is_last) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        SimLaunch *launch = step->launch;
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        if (!is_last && launch->checkpoint_at > step->sim->now &&
            counts.over - launch->n_over < step->range->sync_items)
                return;
        launch->checkpoint_at = usec_add(step->sim->now, step->range->sync);
        if (counts.over == launch->n_over && !is_last)
                return;
        run_range_save(launch->range, step->sim->now, &writer);
        if (writer.has_failed || run_engine_touch(step->sim->runs.engine, launch->run) < 0)
                return;
        free(step->run->cursor);
        step->run->cursor = take_ptr(writer.bytes);
        step->run->n_cursor = writer.n;
        launch->n_over = counts.over;
        step->sim->runs.has_changed = true;
}

/* — steps — */

static void issue(const Step *step) {
        const SimLaunch *launch = step->launch;
        SimAttempt item = { .key = { .run = launch->run, .generation = ITEM_GENERATION | launch->number } };
        FlowCommand command;
        RunRangeItem issued;

        if (open_node(step->run, &command) < 0)
                return;
        item.timeout = command.node->timeout == USEC_INFINITY ? 0 : command.node->timeout;
        flow_command_close(&command);
        for (uint32_t i = 0; i < ITEMS_A_TURN; i++) {
                if (run_range_issue(launch->range, step->sim->now, &issued) != RUN_RANGE_ISSUED)
                        return;
                item.key.number = ++step->launch->n_issued;
                item.item = issued.index;
                item.tries = issued.tries;
                if (sim_attempts_ask_item(&step->sim->runs.attempts, &item, step->run->flow->unit->id) < 0)
                        step->sim->events.error = -ENOMEM;
                step->sim->runs.has_changed = true;
        }
}

static void end(const Step *step, RunEndKind kind) {
        SimAttempts *attempts = &step->sim->runs.attempts;
        SimAttempt *attempt = sim_attempts_find(attempts, &step->key);

        keep_checkpoint(step, true);
        step->launch->is_over = true;
        sim_attempt_end(attempts, attempt, kind, 0);
        sim_runs_emit_attempt(step->sim, attempt, "ended");
        step->sim->runs.has_changed = true;
}

static void end_items(const Step *step) {
        SimAttempts *attempts = &step->sim->runs.attempts;

        for (size_t i = 0; i < attempts->all.n; i++) {
                SimAttempt *attempt = &attempts->all.items[i];

                if (!attempt->is_item || attempt->key.run != step->run->id || attempt->state == SIM_ATTEMPT_OVER ||
                    attempt->is_told_to_end)
                        continue;
                sim_runs_emit_attempt(step->sim, attempt, "told-to-end");
                sim_attempt_tell_to_end(attempt, step->sim->now,
                                        flow_definition_settings(step->run->definition)->timeout_stop);
                step->sim->runs.has_changed = true;
        }
}

/* Items that are out are ended, too: the launch is to end, its pause has lasted too long, or OnErrorBudget= says so. */
static bool kills(const Step *step) {
        const SimLaunch *launch = step->launch;

        return step->ends || launch->stage != SIM_LAUNCH_ISSUE ||
               usec_add(launch->paused_at, step->range->pause_timeout) <= step->sim->now ||
               (step->range->on_error_budget == FLOW_ERROR_BUDGET_KILL &&
                run_range_budget(launch->range) != RUN_RANGE_WITHIN);
}

/* Nothing more is issued. The launch ends when nothing is out. */
static void drain(const Step *step) {
        SimLaunch *launch = step->launch;

        if (launch->paused_at == 0) {
                launch->paused_at = step->sim->now;
                run_range_drain(launch->range);
                step->sim->runs.has_changed = true;
        }
        if (!launch->is_told_to_end && kills(step)) {
                launch->is_told_to_end = true;
                end_items(step);
        }
        if (sim_attempts_count_items(&step->sim->runs.attempts, launch->run) == 0)
                end(step, launch->is_failed ? RUN_END_FAILED : RUN_END_INTERRUPTED);
}

static void judge_budget(const Step *step) {
        SimLaunch *launch = step->launch;
        const RunRangeBudget budget = run_range_budget(launch->range);

        if (budget == RUN_RANGE_WITHIN || launch->is_failed || launch->paused_at > 0)
                return;
        step->sim->runs.has_changed = true;
        if (budget == RUN_RANGE_SPENT_TOTAL)
                launch->is_failed = true;
        else
                (void) run_engine_pause(step->sim->runs.engine, &step->key, RUN_REASON_ERROR_BUDGET);
}

/* ExecPrepare= succeeds at once. */
static void prepare(const Step *step) {
        step->launch->stage = step->range->manual_start ? SIM_LAUNCH_AWAIT : SIM_LAUNCH_ISSUE;
        step->sim->runs.has_changed = true;
}

static void go_on(const Step *step) {
        SimLaunch *launch = step->launch;
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        if (counts.is_over && launch->stage != SIM_LAUNCH_AWAIT) {
                end(step, launch->is_failed     ? RUN_END_FAILED
                          : counts.errors > 0 ? RUN_END_WITH_ERRORS
                                              : RUN_END_EXITED);
                return;
        }
        if (step->ends || launch->is_failed || launch->paused_at > 0 ||
            (step->row.state != RUN_RUNNING && step->row.state != RUN_AWAITING)) {
                drain(step);
                return;
        }
        if (launch->stage == SIM_LAUNCH_NEW)
                prepare(step);
        (void) run_engine_awaits(step->sim->runs.engine, &step->key, launch->stage == SIM_LAUNCH_AWAIT);
        if (launch->stage == SIM_LAUNCH_ISSUE)
                issue(step);
        keep_checkpoint(step, false);
}

/* Whether the attempt is a launch that is under way. */
static bool look(Sim *sim, const SimAttempt *attempt, Step *ret_step) {
        *ret_step = (Step) { .sim = sim, .run = sim_runs_find(sim, attempt->key.run), .key = attempt->key,
                             .launch = find(sim, attempt->key.run), .ends = attempt->is_told_to_end };
        if (!attempt->is_launch || attempt->state != SIM_ATTEMPT_RUNS || !ret_step->run || !ret_step->launch ||
            ret_step->launch->is_over)
                return false;
        ret_step->range = &flow_definition_settings(ret_step->run->definition)->range;
        return run_engine_get_row(sim->runs.engine, ret_step->run->id, &ret_step->row) == 0;
}

void sim_launches_step(Sim *sim) {
        const SimAttempts *attempts = &sim->runs.attempts;
        const size_t n = attempts->all.n;
        Step step;

        /* Items come behind what is there. */
        for (size_t i = 0; i < n; i++) {
                if (!look(sim, &attempts->all.items[i], &step) || !step.launch->range)
                        continue;
                judge_budget(&step);
                if (run_engine_get_row(sim->runs.engine, step.run->id, &step.row) == 0)
                        go_on(&step);
        }
}

bool sim_launch_begin(Sim *sim, SimAttempt *attempt) {
        const SimRun *run = sim_runs_find(sim, attempt->key.run);
        SimLaunch *launch;

        if (!run || attempt->is_item ||
            run_graph_policy(flow_definition_graph(run->definition), attempt->key.node)->action != RUN_ACTION_RANGE)
                return false;
        attempt->state = SIM_ATTEMPT_RUNS;
        attempt->started_at = sim->now;
        attempt->is_told = false;
        attempt->is_launch = true;
        launch = find_or_make(sim, run->id);
        if (!launch || (!launch->range && make_range(sim, run, launch) < 0)) {
                sim->events.error = -ENOMEM;
                return true;
        }
        launch->number++;
        launch->stage = SIM_LAUNCH_NEW;
        launch->paused_at = 0;
        launch->is_told_to_end = launch->is_failed = launch->is_over = false;
        launch->checkpoint_at = usec_add(sim->now, flow_definition_settings(run->definition)->range.sync);
        run_range_launch(launch->range, sim->now);
        return true;
}

/* — ends of items — */

static void emit_item(Sim *sim, const SimAttempt *item, RunRangeFate fate) {
        static const char *const fates[] = {
                [RUN_RANGE_DONE] = "done",   [RUN_RANGE_MENDED] = "done",  [RUN_RANGE_RETRIES] = "again",
                [RUN_RANGE_ERROR] = "error", [RUN_RANGE_POISON] = "error", [RUN_RANGE_STRANGE] = "unknown",
        };
        json_t *event = sim_event_new(&sim->events, "item");

        if (!event)
                return;
        sim_event_set(&sim->events, event, "run", json_integer(item->key.run));
        sim_event_set(&sim->events, event, "item", json_integer((json_int_t) item->item));
        sim_event_set(&sim->events, event, "is", json_string(fates[fate]));
        sim_event_emit(&sim->events, event);
}

void sim_launch_note_end(Sim *sim, const SimAttempt *item) {
        const SimRun *run = sim_runs_find(sim, item->key.run);
        SimLaunch *launch = find(sim, item->key.run);
        RunPolicy policy = {};
        FlowCommand command;

        if (!run || !launch || !launch->range || open_node(run, &command) < 0)
                return;
        flow_spec_item_policy(command.node, &policy);
        flow_command_close(&command);
        /* One that has ended while no core was there. */
        (void) run_range_claim(launch->range, item->item);
        emit_item(sim, item,
                  run_range_end(launch->range, item->item,
                                flow_spec_item_end(&policy, item->kind, item->end, item->is_told_to_end), sim->now,
                                policy.again, 0));
}

/* — questions — */

usec_t sim_launches_next(const Sim *sim) {
        usec_t next = USEC_INFINITY;

        for (const SimLaunch *launch = sim->runs.launches; launch; launch = launch->next) {
                const SimRun *run = sim_runs_find(sim, launch->run);
                usec_t due = USEC_INFINITY;
                RunRangeCounts counts;

                if (!launch->range || launch->is_over || !run)
                        continue;
                run_range_count(launch->range, &counts);
                if (launch->stage == SIM_LAUNCH_ISSUE && launch->paused_at == 0)
                        due = run_range_due(launch->range, sim->now);
                /* What could be issued now was, at the last turn. */
                if (due > sim->now)
                        next = MIN(next, due);
                if (counts.over != launch->n_over && launch->checkpoint_at > sim->now)
                        next = MIN(next, launch->checkpoint_at);
                if (launch->paused_at > 0 && !launch->is_told_to_end)
                        next = MIN(next, usec_add(launch->paused_at,
                                                  flow_definition_settings(run->definition)->range.pause_timeout));
        }
        return next;
}

int sim_launch_proceed(Sim *sim, uint32_t run) {
        const SimAttempts *attempts = &sim->runs.attempts;
        Step step;

        for (size_t i = 0; i < attempts->all.n; i++) {
                if (!look(sim, &attempts->all.items[i], &step) || step.run->id != run)
                        continue;
                if (step.launch->stage != SIM_LAUNCH_AWAIT ||
                    run_engine_awaits(sim->runs.engine, &step.key, false) <= 0)
                        return -EINVAL;
                step.launch->stage = SIM_LAUNCH_ISSUE;
                sim->runs.has_changed = true;
                return 0;
        }
        return -EINVAL;
}

int sim_launch_count(const Sim *sim, uint32_t run, RunRangeCounts *ret_counts) {
        const SimLaunch *launch = find(sim, run);

        if (!launch || !launch->range)
                return -ENOENT;
        run_range_count(launch->range, ret_counts);
        return 0;
}

/* — death — */

void sim_launches_die(Sim *sim) {
        for (SimLaunch *launch = sim->runs.launches; launch; launch = launch->next) {
                if (!launch->range)
                        continue;
                run_range_save(launch->range, sim->now, &launch->saved);
                launch->range = run_range_free(launch->range);
        }
}

static void claim_items(Sim *sim, const SimLaunch *launch) {
        const SimAttempts *attempts = &sim->runs.attempts;

        for (size_t i = 0; i < attempts->all.n; i++) {
                const SimAttempt *item = &attempts->all.items[i];

                if (item->is_item && item->key.run == launch->run &&
                    (item->state != SIM_ATTEMPT_OVER || !item->is_told))
                        (void) run_range_claim(launch->range, item->item);
        }
}

static SimLaunch *launch_free(SimLaunch *launch) {
        SimLaunch *next = launch->next;

        run_range_free(launch->range);
        record_writer_deinit(&launch->saved);
        free(launch);
        return next;
}

void sim_launches_restore(Sim *sim) {
        for (SimLaunch **at = &sim->runs.launches; *at;) {
                const SimRun *run = sim_runs_find(sim, (*at)->run);

                if (!run || make_range(sim, run, *at) < 0) {
                        *at = launch_free(*at);
                        continue;
                }
                claim_items(sim, *at);
                at = &(*at)->next;
        }
}

void sim_launches_drop(Sim *sim) {
        while (sim->runs.launches)
                sim->runs.launches = launch_free(sim->runs.launches);
}
