/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The object about a run and a node
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "basic/json_write.h"
#include "basic/text.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_object.h"
#include "manager/manager_run_table.h"

typedef struct Writer {
        const ManagerRuns *runs; /* borrowed, as all of it */
        const ManagerRun *run;
        const ManagerRunObject *object;
        Text *text;
} Writer;

/* ,"key": */
static void put_key(const Writer *writer, const char *key) {
        text_addf(writer->text, ",\"%s\":", key);
}

static void put_string(const Writer *writer, const char *key, const char *string) {
        put_key(writer, key);
        if (string && *string)
                json_write_string(writer->text, string, strlen(string));
        else
                text_add(writer->text, "null");
}

static void put_number(const Writer *writer, const char *key, int64_t number) {
        put_key(writer, key);
        if (number >= 0)
                text_addf(writer->text, "%" PRIi64, number);
        else
                text_add(writer->text, "null");
}

static void put_json(const Writer *writer, const char *key, const char *json) {
        put_key(writer, key);
        text_add(writer->text, json ? json : "null");
}

static void put_run(const Writer *writer) {
        const ManagerRunFacts *facts = manager_run_facts(writer->run);
        RunRow row = {};
        RunWhy why;

        (void) manager_run_get(writer->runs, writer->run, &row, &why);
        text_addf(writer->text, "\"run\":{\"id\":%" PRIu32, manager_run_id(writer->run));
        put_string(writer, "name", facts->name);
        put_string(writer, "unit", facts->unit);
        put_string(writer, "state", run_state_to_string(row.state));
        if (row.result != RUN_CREATED)
                put_string(writer, "result", run_state_to_string(row.result));
        put_json(writer, "params", facts->params);
        put_string(writer, "trigger", facts->trigger);
        text_add(writer->text, "}");
}

/* — results — */

/* A second name for the file: it is the same, and stays when the first one is gone. */
static int put_file(const Writer *writer, const ManagerResult *result) {
        cleanup_free_ char *path = NULL;
        const char *name = strrchr(result->path, '/') + 1;

        if (writer->object->has_no_place)
                return -ENOENT;
        if (writer->object->folder) {
                if (text_join_path(writer->object->folder, name, &path) < 0)
                        return -ENOMEM;
                if (linkat(AT_FDCWD, result->path, AT_FDCWD, path, 0) < 0 && errno != EEXIST)
                        return -errno;
        }
        text_add(writer->text, "{\"file\":");
        json_write_string(writer->text, path ? path : result->path, strlen(path ? path : result->path));
        text_add(writer->text, "}");
        return 0;
}

static int put_result(const Writer *writer, uint32_t node) {
        ManagerNodeResult result;
        int r = manager_run_get_result(writer->runs, writer->run, node, &result);

        if (r < 0)
                return r;
        put_key(writer, "result");
        if (!result.result)
                text_add(writer->text, "null");
        else if (result.result->path)
                r = put_file(writer, result.result);
        else
                text_add_n(writer->text, result.result->text, result.result->n);
        put_string(writer, "source", manager_result_source_to_string(result.source));
        manager_run_result_deinit(&result);
        return r;
}

/* — nodes — */

/* The end of the last attempt; NULL: it is under way, or there was none. */
static const ManagerNodeData *find_end(const Writer *writer, const RunNodeRow *row) {
        const ManagerNodeData *data = manager_run_node_data(writer->run, row->node);

        return row->number > 0 && data->generation == row->generation && data->number == row->number ? data : NULL;
}

static int put_parent(const Writer *writer, uint32_t node) {
        const char *name = run_graph_name(manager_run_graph(writer->run), node);
        const ManagerNodeData *data;
        RunNodeRow row = {};
        RunWhy why;
        int r;

        (void) manager_run_get_node(writer->runs, writer->run, node, &row, &why);
        data = find_end(writer, &row);
        text_add(writer->text, "{\"name\":");
        json_write_string(writer->text, name, strlen(name));
        put_string(writer, "state", run_node_state_to_string(row.state));
        put_number(writer, "exit", data ? data->exit : -1);
        r = put_result(writer, node);
        text_add(writer->text, "}");
        return r;
}

/* Before a compensation stands the node that it undoes. */
static int put_undone(const Writer *writer, uint32_t node) {
        const RunGraph *graph = manager_run_graph(writer->run);
        const uint32_t undone = node != RUN_NODE_NONE && run_graph_is_extra(graph, node)
                                        ? run_graph_partner(graph, node)
                                        : RUN_NODE_NONE;

        return undone != RUN_NODE_NONE ? put_parent(writer, undone) : 0;
}

/* Parents are those of the definition: a node with Foreach= stands for its instances. */
static int put_parents(const Writer *writer, uint32_t instance) {
        const uint32_t node = instance != RUN_NODE_NONE ? run_graph_origin(manager_run_graph(writer->run), instance) :
                                                          RUN_NODE_NONE;
        uint32_t n = 0;
        const uint32_t *parents = node != RUN_NODE_NONE
                                          ? run_graph_parents(manager_run_definition_graph(writer->run), node, &n)
                                          : NULL;
        int r;

        text_add(writer->text, ",\"parents\":[");
        r = put_undone(writer, node);
        for (uint32_t i = 0; i < n && r == 0; i++) {
                if (manager_run_is_beside(writer->run, node, i))
                        continue;
                text_add(writer->text, i > 0 ? "," : "");
                r = put_parent(writer, parents[i]);
        }
        text_add(writer->text, "]");
        return r;
}

static int put_node(const Writer *writer, uint32_t node) {
        const char *name = run_graph_name(manager_run_graph(writer->run), node);
        cleanup_free_ char *cause = NULL;
        const ManagerNodeData *data;
        RunNodeRow row = {};
        RunWhy why;
        int r;

        (void) manager_run_get_node(writer->runs, writer->run, node, &row, &why);
        data = find_end(writer, &row);
        text_add(writer->text, ",\"node\":{\"name\":");
        json_write_string(writer->text, name, strlen(name));
        put_string(writer, "state", run_node_state_to_string(row.state));
        put_number(writer, "generation", row.generation);
        put_number(writer, "attempt", row.number);
        put_number(writer, "exit", data ? data->exit : -1);
        put_number(writer, "signal", data ? data->signal : -1);
        r = put_result(writer, node);
        if (r == 0)
                r = manager_run_write_cause(writer->runs, writer->run,
                                            manager_run_find_cause(writer->runs, writer->run, node), &cause);
        put_json(writer, "cause", cause);
        text_add(writer->text, "}");
        return r;
}

int manager_run_object_write(const ManagerRuns *runs, const ManagerRunObject *object, char **ret_json) {
        cleanup_(text_deinit) Text text = {};
        const Writer writer = { runs, manager_run_find(runs, object->run), object, &text };
        int r = 0;

        if (!writer.run || (object->node != RUN_NODE_NONE &&
                            object->node >= run_graph_count(manager_run_graph(writer.run))))
                return -ENOENT;
        text_add(&text, "{\"v\":1");
        put_string(&writer, "event", object->event);
        put_number(&writer, "at", (int64_t) manager_runs_now_realtime(runs));
        text_add(&text, ",");
        put_run(&writer);
        if (object->node != RUN_NODE_NONE)
                r = put_node(&writer, object->node);
        else
                put_json(&writer, "node", NULL);
        if (r == 0)
                r = put_parents(&writer, object->leaves_out_parents ? RUN_NODE_NONE : object->node);
        put_json(&writer, "context", object->context);
        text_add(&text, "}\n");
        return r < 0 ? r : text_finish(&text, ret_json);
}
