/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The graph of a run, with the instances of nodes with Foreach=, and their items
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_private.h"

int manager_run_open_command(const ManagerRun *run, uint32_t node, FlowCommand *ret_command) {
        return flow_command_open(ret_command, run->definition, run_graph_origin(run->graph, node));
}

int manager_run_set_graph(ManagerRun *run, RunGraph *graph) {
        const uint32_t n_old = run_graph_count(run->graph), n = run_graph_count(graph);
        ManagerNodeData *data;
        ManagerRunMark *marks;

        if (n > n_old) {
                data = realloc(run->data, n * sizeof(*data));
                if (!data)
                        return -ENOMEM;
                run->data = data;
                marks = realloc(run->marks, n * sizeof(*marks));
                if (!marks)
                        return -ENOMEM;
                run->marks = marks;
                memset(data + n_old, 0, (n - n_old) * sizeof(*data));
                memset(marks + n_old, 0, (n - n_old) * sizeof(*marks));
        }
        run_graph_ref(graph);
        run_graph_unref(run->graph);
        run->graph = graph;
        return 0;
}

/* — items — */

static void items_deinit(ManagerItems *items) {
        json_tree_deinit(&items->tree);
        free(items->values);
        *items = (ManagerItems) {};
}

ManagerItems *manager_run_find_items(const ManagerRun *run, uint32_t node) {
        for (size_t i = 0; i < run->items.n; i++)
                if (run->items.items[i].node == node)
                        return &run->items.items[i];
        return NULL;
}

void manager_run_drop_items_of(ManagerRun *run, uint32_t node) {
        ManagerItems *items = manager_run_find_items(run, node);

        if (!items)
                return;
        items_deinit(items);
        *items = run->items.items[--run->items.n];
}

void manager_run_drop_items(ManagerRun *run) {
        for (size_t i = 0; i < run->items.n; i++)
                items_deinit(&run->items.items[i]);
        vector_deinit(&run->items);
}

/* Places of all values, so that each is found at once. */
static int index_values(ManagerItems *items) {
        const JsonValue *value = items->tree.values;

        items->n = value->n;
        items->values = calloc(items->n + 1U, sizeof(*items->values));
        if (!items->values)
                return -ENOMEM;
        value = items->n > 0 ? json_value_first(value) : NULL;
        for (uint32_t i = 0; i < items->n; i++) {
                items->values[i] = value;
                value = i + 1 < items->n ? json_value_next(value) : NULL;
        }
        return 0;
}

int manager_run_keep_items(ManagerRun *run, uint32_t node, const char *json, ManagerItems **ret_items) {
        ManagerItems items = { .node = node };
        int r = json_tree_read(json, strlen(json), &items.tree, NULL);

        if (r == 0)
                r = index_values(&items);
        manager_run_drop_items_of(run, node);
        if (r == 0)
                r = vector_push(&run->items, items);
        if (r < 0) {
                items_deinit(&items);
                return r;
        }
        *ret_items = &run->items.items[run->items.n - 1];
        return 0;
}
