/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs that live, and their nodes, for others to see
 */

#include <errno.h>

#include "manager/manager_launch.h"
#include "manager/manager_run_table.h"

static const char *text_of(const char *text) {
        return text ? text : "";
}

/* The facts of a batch are those of the last checkpoint. */
static void view_items(const ManagerRuns *runs, const ManagerRun *run, ManagerRunView *view) {
        RunRangeCounts counts;

        if (run_graph_policy(manager_run_graph(run), 0)->action != RUN_ACTION_RANGE ||
            manager_launch_count(runs, view->id, &counts) < 0)
                return;
        view->n_done = counts.over;
        view->n_failed = counts.errors;
        view->n_running = counts.out;
        view->n_total = counts.n;
}

int manager_runs_view(const ManagerRuns *runs, uint32_t id, ManagerRunView *ret_view) {
        const ManagerRun *run = manager_run_find(runs, id);
        const ManagerRunFacts *facts = run ? manager_run_facts(run) : NULL;
        RunRow row;
        RunWhy why;

        if (!run || run_engine_get(manager_runs_engine(runs), id, &row, &why) < 0)
                return -ENOENT;
        *ret_view = (ManagerRunView) {
                .id = id,
                .uid = facts->uid,
                .round = row.round,
                .unit = facts->unit,
                .name = facts->name,
                .key = text_of(facts->key),
                .operator= text_of(facts->operator),
                .trigger = text_of(facts->trigger),
                .client = text_of(facts->client),
                .namespace = text_of(facts->namespace),
                .reqid = text_of(facts->reqid),
                .parent = facts->parent,
                .parent_node = text_of(facts->parent_node),
                .priority = row.priority,
                .state = run_state_to_string(row.state),
                .reason = row.reason != RUN_REASON_NONE ? run_reason_to_string(row.reason) : "",
                .why = why != RUN_WHY_NOTHING ? run_why_to_string(why) : "",
                .environment = facts->environment,
                .definition = facts->definition,
                .created = facts->created,
                .queued = facts->queued,
                .started = facts->started,
                .ended = facts->ended,
                .deleted = facts->deleted,
                .n_done = facts->n_done,
                .n_failed = facts->n_failed,
                .n_running = facts->n_running,
                .n_total = facts->n_total,
                .n_launches = facts->n_launches,
        };
        view_items(runs, run, ret_view);
        if (row.deadline != USEC_INFINITY && !run_state_is_terminal(row.state))
                ret_view->deadline = usec_add(manager_runs_now_realtime(runs),
                                              usec_sub(row.deadline, manager_runs_now(runs)));
        return 0;
}

bool manager_runs_may_lack_row(const ManagerRuns *runs, uint32_t id, const RunNodeRow *row) {
        const ManagerRun *run = manager_run_find(runs, id);
        uint32_t item, of;

        if (!run || row->generation > 1 || row->number > 0)
                return false;
        if (run_engine_has_changed(manager_runs_engine(runs), id, row->node))
                return true;
        of = run_graph_item_of(manager_run_graph(run), row->node, &item);
        if (of == RUN_NODE_NONE)
                return row->state == RUN_NODE_WAITING;
        return row->state == RUN_NODE_READY && item < run_graph_count_items(manager_run_graph(run), of) &&
               !run_graph_dates_wait(manager_run_graph(run), row->node);
}

static void put_time(Sink *sink, const char *key, usec_t time) {
        if (time > 0)
                sink_entry_u64(sink, key, time);
}

static void put_attempt(const ManagerRuns *runs, uint32_t run, const RunNodeRow *row, Sink *sink) {
        const RunAttemptKey key = { run, row->node, row->generation, row->number };
        ManagerAttemptFacts facts;

        if (row->number == 0 || manager_attempts_get(manager_runs_attempts(runs), &key, &facts) < 0)
                return;
        put_time(sink, "started", facts.started);
        put_time(sink, "ended", facts.ended);
        if (facts.exit >= 0)
                sink_entry_u64(sink, "exit", (uint64_t) facts.exit);
        if (facts.signal >= 0)
                sink_entry_u64(sink, "signal", (uint64_t) facts.signal);
        if (facts.job > 0)
                sink_entry_u64(sink, "job", facts.job);
        if (facts.sub_run > 0)
                sink_entry_u64(sink, "sub_run", facts.sub_run);
        if (facts.problem)
                sink_entry_string(sink, "problem", facts.problem);
}

int manager_runs_write_node(const ManagerRuns *runs, uint32_t run, uint32_t node, Sink *sink) {
        const char *name = manager_runs_node_name(runs, run, node);
        RunNodeRow row;
        RunWhy why;

        if (!name || run_engine_get_node(manager_runs_engine(runs), run, node, &row, &why) < 0)
                return -ENOENT;
        sink_open(sink, 'a', "{sv}");
        sink_entry_u64(sink, "run", run);
        sink_entry_string(sink, "node", name);
        sink_entry_u64(sink, "generation", row.generation);
        sink_entry_string(sink, "state", run_node_state_to_string(row.state));
        if (row.reason != RUN_REASON_NONE)
                sink_entry_string(sink, "reason", run_reason_to_string(row.reason));
        sink_entry_u64(sink, "attempts", row.number);
        put_attempt(runs, run, &row, sink);
        if (why != RUN_WHY_NOTHING)
                sink_entry_string(sink, "why", run_why_to_string(why));
        sink_close(sink);
        return 0;
}
