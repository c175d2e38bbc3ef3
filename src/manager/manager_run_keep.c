/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long results are kept: KeepResult=, Save=
 *
 * The result of a node can be read by all nodes below it. A node is settled when
 * it has ended in a way that no retry takes back, and all nodes below it have:
 * so a result with KeepResult=no goes when the children of its node are settled.
 * Each end is counted with the parents of the node, so that a run of any length
 * costs no more than its edges.
 *
 * The results of nodes with Save= are put together when the run ends.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/text.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_keep.h"
#include "manager/manager_run_private.h"

#define SAVED_MAX ((size_t) 1024 * 1024) /* bytes of the result of a run */

struct ManagerReaders {
        uint32_t *n_open; /* of each node: children that are not settled */
        uint32_t *queue; /* of nodes that have become settled */
        bool *has_ended, *is_settled;
};

ManagerReaders *manager_run_free_readers(ManagerReaders *readers) {
        if (!readers)
                return NULL;
        free(readers->n_open);
        free(readers->queue);
        free(readers->has_ended);
        free(readers->is_settled);
        free(readers);
        return NULL;
}

DEFINE_CLEANUP(ManagerReaders, manager_run_free_readers)

/* A node that ended otherwise may be retried, and reads again then. */
static bool has_ended(const RunNodeRow *row) {
        const bool is_settled = row->reason == RUN_REASON_WHEN || row->reason == RUN_REASON_OPERATOR ||
                                row->reason == RUN_REASON_SHORT_CIRCUIT;

        return row->state == RUN_NODE_SUCCEEDED || (row->state == RUN_NODE_SKIPPED && is_settled);
}

static void drop_result(ManagerRun *run, uint32_t node, RecordWriter *writer) {
        const RunGraph *graph = flow_definition_graph(run->definition);

        if (!run_graph_policy(graph, node)->drops_result || !run->data[node].result)
                return;
        manager_run_data_drop(run, node);
        manager_run_row_put_dropped(writer, run->id, run_graph_name(graph, node));
}

/* Settles @node, if it is to be, and what follows from that. */
static void settle(ManagerRun *run, uint32_t node, RecordWriter *writer) {
        const RunGraph *graph = flow_definition_graph(run->definition);
        ManagerReaders *readers = run->readers;
        uint32_t n = 0;

        if (!readers->has_ended[node] || readers->is_settled[node] || readers->n_open[node] > 0)
                return;
        readers->is_settled[node] = true;
        readers->queue[n++] = node;
        for (uint32_t at = 0; at < n; at++) {
                uint32_t n_parents;
                const uint32_t *parents = run_graph_parents(graph, readers->queue[at], &n_parents);

                for (uint32_t i = 0; i < n_parents; i++) {
                        const uint32_t parent = parents[i];

                        if (--readers->n_open[parent] > 0)
                                continue;
                        drop_result(run, parent, writer);
                        if (!readers->has_ended[parent] || readers->is_settled[parent])
                                continue;
                        readers->is_settled[parent] = true;
                        readers->queue[n++] = parent;
                }
        }
}

/* From the states of all nodes, as they are. */
static void count_again(const ManagerRuns *runs, ManagerRun *run, RecordWriter *writer) {
        const RunGraph *graph = flow_definition_graph(run->definition);
        const uint32_t n = run_graph_count(graph);
        ManagerReaders *readers = run->readers;
        RunNodeRow row;
        RunWhy why;

        for (uint32_t i = 0; i < n; i++) {
                (void) run_graph_children(graph, i, &readers->n_open[i]);
                readers->is_settled[i] = false;
                readers->has_ended[i] = run_engine_get_node(runs->engine, run->id, i, &row, &why) == 0 &&
                                        has_ended(&row);
        }
        for (uint32_t i = 0; i < n; i++)
                settle(run, i, writer);
}

static int make_readers(ManagerRun *run) {
        cleanup_(manager_run_free_readersp) ManagerReaders *readers = calloc(1, sizeof(*readers));
        const uint32_t n = run_graph_count(flow_definition_graph(run->definition));

        if (!readers)
                return -ENOMEM;
        readers->n_open = calloc(n, sizeof(*readers->n_open));
        readers->queue = calloc(n, sizeof(*readers->queue));
        readers->has_ended = calloc(n, sizeof(*readers->has_ended));
        readers->is_settled = calloc(n, sizeof(*readers->is_settled));
        if (!readers->n_open || !readers->queue || !readers->has_ended || !readers->is_settled)
                return -ENOMEM;
        run->readers = take_ptr(readers);
        return 0;
}

void manager_run_note_reader(const ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, RecordWriter *writer) {
        ManagerReaders *readers = run->readers;

        /* Instances read what their node reads, which ends with them. */
        if (!flow_definition_drops_results(run->definition) || run_graph_origin(run->graph, row->node) != row->node)
                return;
        /* Without memory results stay until the next node changes. */
        if (!readers) {
                if (make_readers(run) == 0)
                        count_again(runs, run, writer);
        } else if (readers->has_ended[row->node] && !has_ended(row)) {
                count_again(runs, run, writer);
        } else {
                readers->has_ended[row->node] = has_ended(row);
                settle(run, row->node, writer);
        }
        if (run->readers && run->readers->n_open[row->node] == 0 && run_node_state_is_terminal(row->state))
                drop_result(run, row->node, writer);
}

/* — the result of a run — */

static int put_saved(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, Text *text) {
        const char *name = run_graph_name(flow_definition_graph(run->definition), node);
        ManagerNodeResult result;
        int r = manager_run_get_result(runs, run, node, &result);

        if (r < 0)
                return r;
        text_add(text, text->n > 1 ? "," : "");
        json_write_string(text, name, strlen(name));
        text_add(text, ":");
        if (!result.result)
                text_add(text, "null");
        else if (result.result->path || text->n + result.result->n > SAVED_MAX)
                text_addf(text, "{\"bytes\":%zu}", result.result->n);
        else
                text_add_n(text, result.result->text, result.result->n);
        manager_run_result_deinit(&result);
        return 0;
}

int manager_run_make_result(const ManagerRuns *runs, const ManagerRun *run, char **ret_json) {
        const RunGraph *graph = flow_definition_graph(run->definition);
        cleanup_(text_deinit) Text text = {};
        int r = 0;

        *ret_json = NULL;
        if (!flow_definition_saves_results(run->definition))
                return 0;
        text_add(&text, "{");
        for (uint32_t i = 0; i < run_graph_count(graph) && r == 0; i++)
                if (run_graph_policy(graph, i)->saves_result)
                        r = put_saved(runs, run, i, &text);
        text_add(&text, "}");
        return r < 0 ? r : text_finish(&text, ret_json);
}
