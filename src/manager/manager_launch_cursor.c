/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The range of a batch as the row of its run has it
 */

#include <errno.h>
#include <stdlib.h>

#include "flow/flow_spec.h"
#include "manager/manager_launch_cursor.h"
#include "manager/manager_run_private.h"

#define RANGE_NODE 0U /* the one node of a batch */

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
