/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The range of a batch as the row of its run has it
 */

#include <errno.h>
#include <stdlib.h>

#include "flow/flow_spec.h"
#include "manager/manager_launch_cursor.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_row.h"

#define RANGE_NODE 0U /* the one node of a batch */
#define ERROR_PAUSE (50 * USEC_PER_MSEC) /* between checkpoints, at least, that errors are put by */

int manager_launch_describe(const ManagerRuns *runs, const ManagerRun *run, RunRangeSettings *ret_settings) {
        const FlowRange *range = &flow_definition_settings(run->definition)->range;
        FlowCommand command;
        int r = manager_run_open_command(run, RANGE_NODE, &command);

        if (r < 0)
                return r;
        flow_spec_range_settings(range, command.node, runs->n_processors, ret_settings);
        flow_command_close(&command);
        return 0;
}

static void note_counts(ManagerRunFacts *facts, const RunRangeCounts *counts) {
        facts->n_total = counts->n;
        facts->n_done = counts->over;
        facts->n_running = counts->out;
        facts->n_failed = counts->errors;
}

RunPageSource manager_launch_source(const ManagerRun *run) {
        const FlowRange *range = &flow_definition_settings(run->definition)->range;

        return range->items_command ? RUN_PAGE_COMMAND : RUN_PAGE_FILE;
}

/* Errors of earlier launches are behind the cursor, too. */
static bool mark_due(ManagerRuns *runs, uint32_t run) {
        ManagerLaunch *launch;
        bool has_any = false;

        for (uint32_t n = 0; (launch = manager_attempts_next_launch(runs->attempts, run, n)); n = launch->number) {
                launch->errors.n_due = launch->errors.all.n;
                has_any |= launch->errors.n_due > 0;
        }
        return has_any;
}

static int keep_cursor(ManagerRuns *runs, ManagerRun *run, const ManagerLaunch *launch) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        ManagerRunFacts *facts = &run->facts;
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        manager_launch_save(launch, runs->now, &writer);
        if (writer.has_failed)
                return -ENOMEM;
        free(facts->cursor);
        facts->cursor = take_ptr(writer.bytes);
        facts->n_cursor = writer.n;
        note_counts(facts, &counts);
        mark_due(runs, run->id);
        return 0;
}

int manager_launch_put_cursor(ManagerRuns *runs, ManagerRun *run, const ManagerLaunch *launch) {
        int r = keep_cursor(runs, run, launch);

        return r < 0 ? r : run_engine_touch(runs->engine, run->id);
}

int manager_launch_put_first(ManagerRuns *runs, ManagerRun *run, uint64_t first) {
        cleanup_(manager_launch_deinit) ManagerLaunch launch = {};
        RunRangeSettings settings;
        int r = manager_launch_describe(runs, run, &settings);

        if (r == 0)
                r = run_range_new_from(&settings, first, &launch.range);
        return r < 0 ? r : keep_cursor(runs, run, &launch);
}

int manager_launch_open_cursor(const ManagerRuns *runs, const ManagerRun *run, ManagerLaunch *launch) {
        RunRangeSettings settings;
        int r = manager_launch_describe(runs, run, &settings);

        return r < 0 ? r : manager_launch_restore(&settings, manager_launch_source(run), run->facts.cursor,
                                                  run->facts.n_cursor, runs->now, launch);
}

void manager_launch_count_saved(ManagerRuns *runs, ManagerRun *run) {
        cleanup_(manager_launch_deinit) ManagerLaunch launch = {};
        RunRangeCounts counts;

        if (manager_launch_open_cursor(runs, run, &launch) < 0)
                return;
        run_range_count(launch.range, &counts);
        note_counts(&run->facts, &counts);
}

void manager_launch_give_errors(ManagerRuns *runs, const ManagerRun *run) {
        if (mark_due(runs, run->id))
                (void) run_engine_touch(runs->engine, run->id);
}

/* — errors — */

/* Without memory for its number an item could be issued that is no error: the rows are asked for again. */
static void note_mended(ManagerLaunch *launch, uint64_t item) {
        if (launch->mend_query > 0 && vector_push(&launch->mended, item) < 0)
                launch->mend_query = 0;
}

/* Without memory for it the error is counted alone. */
void manager_launch_note_error(ManagerRuns *runs, ManagerLaunch *launch, ManagerItemError *error, const char *why,
                               const char *text) {
        error->ended = runs->host.attempts.turn->now_realtime;
        if (error->is_mended)
                note_mended(launch, error->item);
        (void) manager_item_errors_add(&launch->errors, error, why, text);
        launch->checkpoint_at = MIN(launch->checkpoint_at, usec_add(launch->put_at, ERROR_PAUSE));
}

static void put_error(const ManagerItemError *error, uint32_t run, RecordWriter *writer) {
        const ManagerAttemptFacts facts = { .exit = error->exit, .signal = error->signal, .problem = error->why };

        if (error->is_mended)
                manager_run_row_delete_item_error(writer, run, error->item);
        else
                manager_run_row_put_item_error(writer, run, error->item, error->text, error->tries, error->is_poison,
                                               &facts, error->ended);
}

static void put_errors(ManagerRuns *runs, uint32_t run, ManagerItemErrors *errors, RecordWriter *writer) {
        for (size_t i = 0; i < errors->n_due; i++) {
                ManagerItemError *error = &errors->all.items[i];

                if (error->batch > 0)
                        continue;
                put_error(error, run, writer);
                error->batch = MANAGER_ITEM_ERROR_PUT;
                /* A core that takes over has to know of what the store knows. */
                runs->has_put_errors = runs->must_commit = true;
        }
}

void manager_launch_put_errors(ManagerRuns *runs, const ManagerRun *run, RecordWriter *writer) {
        ManagerLaunch *launch;

        if (!run->facts.cursor)
                return;
        for (uint32_t n = 0; (launch = manager_attempts_next_launch(runs->attempts, run->id, n)); n = launch->number)
                put_errors(runs, run->id, &launch->errors, writer);
}

bool manager_launch_has_unput(const ManagerRuns *runs, uint32_t run) {
        const ManagerLaunch *launch;

        for (uint32_t n = 0; (launch = manager_attempts_next_launch(runs->attempts, run, n)); n = launch->number)
                if (manager_item_errors_has_unput(&launch->errors))
                        return true;
        return false;
}

static bool note_batch(void *userdata, ManagerLaunch *launch) {
        manager_item_errors_note_batch(&launch->errors, *(const uint64_t *) userdata);
        return false;
}

void manager_launches_note_batch(ManagerRuns *runs, uint64_t batch) {
        if (!runs->has_put_errors)
                return;
        runs->has_put_errors = false;
        manager_attempts_visit_launches(runs->attempts, note_batch, &batch);
        runs->errors_batch = MAX(runs->errors_batch, batch);
}

static bool drop(void *userdata, ManagerLaunch *launch) {
        return manager_item_errors_drop(&launch->errors, ((const ManagerRuns *) userdata)->durable);
}

void manager_launches_forget_stored(ManagerRuns *runs) {
        if (runs->errors_batch == 0)
                return;
        manager_attempts_visit_launches(runs->attempts, drop, runs);
        if (runs->errors_batch <= runs->durable)
                runs->errors_batch = 0;
}

static bool put_again(void *userdata, ManagerLaunch *launch) {
        manager_item_errors_put_again(&launch->errors);
        return false;
}

void manager_launches_put_again(ManagerRuns *runs) {
        manager_attempts_visit_launches(runs->attempts, put_again, NULL);
        runs->errors_batch = 0;
}
