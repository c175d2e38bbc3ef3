/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results of nodes, and causes of failures
 *
 * The engine decides what a node becomes by its end; its result follows from
 * that whenever somebody asks, so that there is nothing to be kept in step:
 * what the last attempt has left counts while the node is what the end of that
 * attempt has made it, and Default= stands in where there is nothing.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/json_write.h"
#include "basic/text.h"
#include "manager/manager_attempt_folder.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_private.h"

#define RESULT_READ_MAX ((size_t) 1024 * 1024) /* bytes of a result that expressions and inputs look into */

const char *manager_result_source_to_string(ManagerResultSource source) {
        static const char *const sources[_MANAGER_RESULT_SOURCE_MAX] = {
                [MANAGER_RESULT_OWN] = "own",
                [MANAGER_RESULT_DEFAULT] = "default",
                [MANAGER_RESULT_ITEMS] = "items",
        };

        return sources[source];
}

ManagerNodeData *manager_run_node_data(const ManagerRun *run, uint32_t node) {
        return &run->data[node];
}

int manager_run_data_init(ManagerRun *run) {
        run->data = calloc(run_graph_count(run->graph), sizeof(*run->data));
        return run->data ? 0 : -ENOMEM;
}

/* Nobody can read it any more, unless the run is in memory; the blob of the store stays until the run goes. */
static void drop_file(ManagerNodeData *data) {
        if (data->result && data->result->path)
                (void) unlink(data->result->path);
        data->result = manager_result_unref(data->result);
}

void manager_run_data_drop(ManagerRun *run, uint32_t node) {
        drop_file(&run->data[node]);
}

void manager_run_data_set(ManagerRun *run, const RunAttemptKey *key, const ManagerAttemptFacts *facts) {
        ManagerNodeData *data = &run->data[key->node];

        /* The result that somebody has completed the node with counts more than what its command has left. */
        data->is_completed = data->is_completed && data->generation == key->generation;
        if (data->result != facts->result && !data->is_completed) {
                drop_file(data);
                data->result = manager_result_ref(facts->result);
        } else if (data->result != facts->result && facts->result && facts->result->path) {
                (void) unlink(facts->result->path);
        }
        data->generation = key->generation;
        data->number = key->number;
        data->exit = (int16_t) facts->exit;
        data->signal = (int16_t) facts->signal;
}

/* — what is left of runs — */

/* Nodes in a turn: each may have a file. */
#define DATA_A_TURN 1024U

/* The data of a run that is gone from memory. */
struct ManagerRemains {
        ManagerRemains *next;
        uint32_t run;
        ManagerNodeData *data; /* owned */
        uint32_t n, at; /* of those before .at nothing is left */
        bool drops_files;
};

static void drop_data(ManagerNodeData *data, uint32_t n, bool drops_files) {
        for (uint32_t i = 0; i < n; i++) {
                if (drops_files)
                        drop_file(&data[i]);
                manager_result_unref(data[i].result);
                free(data[i].token);
        }
}

/* Returns false if some are left. */
static bool drop_remains(ManagerRemains *remains, uint32_t most) {
        const uint32_t n = MIN(remains->n - remains->at, most);

        drop_data(remains->data + remains->at, n, remains->drops_files);
        remains->at += n;
        if (remains->at < remains->n)
                return false;
        free(remains->data);
        free(remains);
        return true;
}

void manager_run_data_leave(ManagerRuns *runs, ManagerRun *run) {
        const uint32_t n = run->data ? run_graph_count(run->graph) : 0;
        ManagerRemains **last = &runs->remains, *remains = n > DATA_A_TURN ? malloc(sizeof(*remains)) : NULL;

        if (!remains) {
                drop_data(run->data, n, run->drops_files);
                free(take_ptr(run->data));
                return;
        }
        *remains = (ManagerRemains) {
                .run = run->id, .data = take_ptr(run->data), .n = n, .drops_files = run->drops_files,
        };
        while (*last)
                last = &(*last)->next;
        *last = remains;
}

bool manager_run_remains_step(ManagerRuns *runs) {
        ManagerRemains *first = runs->remains, *next = first ? first->next : NULL;

        if (first && drop_remains(first, DATA_A_TURN))
                runs->remains = next;
        return runs->remains;
}

/* Files have the names of those that the run gets again. */
void manager_run_remains_finish(ManagerRuns *runs, uint32_t run) {
        for (ManagerRemains **at = &runs->remains, *remains, *next; (remains = *at);) {
                if (run != 0 && remains->run != run) {
                        at = &remains->next;
                        continue;
                }
                next = remains->next;
                (void) drop_remains(remains, UINT32_MAX);
                *at = next;
        }
}

static bool is_file_used(const void *userdata, const char *name) {
        const ManagerRuns *runs = userdata;
        unsigned run;

        return sscanf(name, "run-%u-", &run) == 1 && run > 0 && id_map_get(&runs->by_id, run);
}

void manager_run_sweep_files(const ManagerRuns *runs) {
        manager_attempt_folder_sweep(runs->host.folder, "results", is_file_used, runs);
}

/* — results — */

/* Whether the end of the attempt has made the node what it is: one that was told to end has no result. */
static bool counts(const ManagerNodeData *data, const RunNodeRow *row) {
        return data->generation == row->generation && data->number == row->number && row->number > 0 &&
               (row->state == RUN_NODE_SUCCEEDED || row->state == RUN_NODE_FAILED);
}

static bool has_default(const RunPolicy *policy, RunNodeState state) {
        switch (state) {
        case RUN_NODE_FAILED:
                return policy->has_default;
        case RUN_NODE_TIMEOUT:
                return policy->has_default_for_timeout;
        case RUN_NODE_SKIPPED:
                return policy->has_default_for_skip;
        case RUN_NODE_WAITING:
        case RUN_NODE_BLOCKED:
        case RUN_NODE_READY:
        case RUN_NODE_RUNNING:
        case RUN_NODE_DEFERRED:
        case RUN_NODE_PENDING:
        case RUN_NODE_SUCCEEDED:
        case RUN_NODE_CANCELLED:
        case _RUN_NODE_STATE_MAX:
                break;
        }
        return false;
}

static int get_default(const ManagerRun *run, uint32_t node, ManagerNodeResult *ret) {
        FlowCommand command = {};
        int r = manager_run_open_command(run, node, &command);

        if (r == 0)
                r = manager_result_new(&ret->result, command.node->data.standard, strlen(command.node->data.standard));
        flow_command_close(&command);
        if (r == 0)
                ret->source = MANAGER_RESULT_DEFAULT;
        return r;
}

static int add_file(const ManagerResult *result, Text *text) {
        cleanup_fd_ int fd = open(result->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        char bytes[4096];
        ssize_t n;

        if (fd < 0)
                return -errno;
        while ((n = read(fd, bytes, sizeof(bytes))) > 0)
                text_add_n(text, bytes, (size_t) n);
        return n < 0 ? -errno : 0;
}

/* The result of an instance, its Default=, or null. */
static int add_result(const ManagerRuns *runs, const ManagerRun *run, uint32_t instance, size_t max, Text *text) {
        ManagerNodeResult result;
        int r = manager_run_get_result(runs, run, instance, &result);

        if (r < 0)
                return r;
        if (!result.result)
                text_add(text, "null");
        else if (text->n + result.result->n > max)
                r = -E2BIG;
        else if (result.result->path)
                r = add_file(result.result, text);
        else
                text_add_n(text, result.result->text, result.result->n);
        manager_run_result_deinit(&result);
        return r == 0 && text->n > max ? -E2BIG : r;
}

static int write_list(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, size_t max, Text *text) {
        const uint32_t n = run_graph_count_items(run->graph, node);
        int r = 0;

        text_add(text, "[");
        for (uint32_t i = 0; i < n && r == 0; i++) {
                text_add(text, i > 0 ? "," : "");
                r = add_result(runs, run, run_graph_find_item(run->graph, node, i), max, text);
        }
        text_add(text, "]");
        return r;
}

/* A list that is not short stands in a file, as results of attempts do; it is no blob of the store. */
static int keep_list(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row, const char *list, size_t n,
                     ManagerResult **ret_result) {
        static const uint8_t no_hash[RUNSTORE_HASH_BYTES];
        cleanup_free_ char *name = NULL, *path = NULL;
        cleanup_fd_ int fd = -1;
        int r;

        if (n <= MANAGER_RESULT_SHORT)
                return manager_result_new(ret_result, list, n);
        r = text_format(&name, MANAGER_ATTEMPT_NAME, run->id, row->node, row->generation, 0U);
        if (r == 0)
                r = manager_attempt_folder_result_path(runs->host.folder, name, &path);
        if (r < 0)
                return r;
        (void) unlink(path);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        for (size_t done = 0; fd >= 0 && done < n;) {
                const ssize_t k = write(fd, list + done, n - done);

                if (k < 0)
                        return -errno;
                done += (size_t) k;
        }
        return fd < 0 ? -errno : manager_result_new_large(ret_result, path, no_hash, n);
}

static size_t result_max(const ManagerRun *run, uint32_t node) {
        FlowCommand command;
        size_t max;

        if (manager_run_open_command(run, node, &command) < 0)
                return 0;
        max = command.node->data.result_max;
        flow_command_close(&command);
        return max;
}

static int get_list(const ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row,
                         ManagerResult **ret_result) {
        ManagerNodeData *data = &run->data[row->node];
        cleanup_(text_deinit) Text text = {};
        ManagerResult *result;
        int r;

        if (data->result && data->generation == row->generation) {
                *ret_result = manager_result_ref(data->result);
                return 0;
        }
        r = write_list(runs, run, row->node, result_max(run, row->node), &text);
        if (r == 0)
                r = text.error;
        if (r == 0)
                r = keep_list(runs, run, row, text.string, text.n, &result);
        if (r < 0)
                return r;
        /* The file of an earlier generation has another name. */
        drop_file(data);
        data->result = result;
        data->generation = row->generation;
        *ret_result = manager_result_ref(result);
        return 0;
}

int manager_run_measure_list(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        ManagerResult *result = NULL;
        RunNodeRow row;
        RunWhy why;
        int r = run_engine_get_node(runs->engine, run->id, node, &row, &why);

        if (r == 0)
                r = get_list(runs, run, &row, &result);
        manager_result_unref(result);
        return r;
}

/* The node has the list of its instances, which has no entry without any. */
static bool has_list(const ManagerRun *run, const RunNodeRow *row) {
        if (!run_graph_policy(run->graph, row->node)->is_foreach || !run_node_state_is_terminal(row->state))
                return false;
        return run_graph_count_items(run->graph, row->node) > 0 ||
               (row->state == RUN_NODE_SUCCEEDED && row->reason == RUN_REASON_NONE);
}

int manager_run_get_result(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, ManagerNodeResult *ret) {
        const ManagerNodeData *data = &run->data[node];
        RunNodeRow row;
        RunWhy why;

        *ret = (ManagerNodeResult) {};
        if (run_engine_get_node(runs->engine, run->id, node, &row, &why) < 0)
                return 0;
        if (has_list(run, &row)) {
                int r = get_list(runs, run, &row, &ret->result);

                ret->source = r == 0 ? MANAGER_RESULT_ITEMS : MANAGER_RESULT_NONE;
                return r == -ENOMEM ? r : 0;
        }
        if (data->result && counts(data, &row)) {
                ret->source = MANAGER_RESULT_OWN;
                ret->result = manager_result_ref(data->result);
                return 0;
        }
        if (has_default(run_graph_policy(run->graph, node), row.state))
                return get_default(run, node, ret);
        return 0;
}

void manager_run_result_deinit(ManagerNodeResult *result) {
        result->result = manager_result_unref(result->result);
}

int manager_run_read_result(const ManagerResult *result, JsonTree *ret_tree) {
        cleanup_free_ char *text = NULL;
        cleanup_fd_ int fd = -1;
        size_t done = 0;

        if (!result->path)
                return json_tree_read(result->text, result->n, ret_tree, NULL);
        if (result->n > RESULT_READ_MAX)
                return -EFBIG;
        text = malloc(result->n);
        fd = open(result->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (!text || fd < 0)
                return !text ? -ENOMEM : -errno;
        while (done < result->n) {
                const ssize_t n = read(fd, text + done, result->n - done);

                if (n <= 0)
                        return n < 0 ? -errno : -EIO;
                done += (size_t) n;
        }
        return json_tree_read(text, done, ret_tree, NULL);
}

bool manager_run_is_beside(const ManagerRun *run, uint32_t node, uint32_t i) {
        return run_graph_parent_edges(flow_definition_graph(run->definition), node)[i] & RUN_EDGE_OTHERWISE;
}

/* — causes — */

static bool has_failed(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        return run_engine_get_node(runs->engine, run->id, node, &row, &why) == 0 &&
               (row.state == RUN_NODE_FAILED || row.state == RUN_NODE_TIMEOUT);
}

static bool is_skipped_for_failure(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        return run_engine_get_node(runs->engine, run->id, node, &row, &why) == 0 && row.state == RUN_NODE_SKIPPED &&
               row.reason == RUN_REASON_UPSTREAM_FAILED;
}

/* The next node on the way up to the first failure; RUN_NODE_NONE: there is none. */
static uint32_t go_up(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        uint32_t n;
        const uint32_t *parents = run_graph_parents(run->graph, node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (has_failed(runs, run, parents[i]) || is_skipped_for_failure(runs, run, parents[i]))
                        return parents[i];
        return RUN_NODE_NONE;
}

/* Of a node with Foreach= the first instance that has failed, if one has. */
static uint32_t go_down(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        const uint32_t n = run_graph_count_items(run->graph, node);

        for (uint32_t i = 0; i < n; i++)
                if (has_failed(runs, run, run_graph_find_item(run->graph, node, i)))
                        return run_graph_find_item(run->graph, node, i);
        return node;
}

/* The cause that was found for a node is kept with it, so that a long chain is walked once. */
static uint32_t find_known(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        const uint32_t cause = run->data[node].cause;

        return cause > 0 && has_failed(runs, run, cause - 1) ? cause - 1 : RUN_NODE_NONE;
}

uint32_t manager_run_find_cause(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        uint32_t at = node, cause = RUN_NODE_NONE;

        while (at != RUN_NODE_NONE && cause == RUN_NODE_NONE) {
                if (has_failed(runs, run, at))
                        cause = go_down(runs, run, at);
                else if (!is_skipped_for_failure(runs, run, at))
                        break;
                else {
                        cause = find_known(runs, run, at);
                        at = go_up(runs, run, at);
                }
        }
        for (at = node;
             cause != RUN_NODE_NONE && at != RUN_NODE_NONE && !has_failed(runs, run, at) &&
             run->data[at].cause != cause + 1;
             at = go_up(runs, run, at))
                run->data[at].cause = cause + 1;
        return cause;
}

int manager_run_write_cause(const ManagerRuns *runs, const ManagerRun *run, uint32_t cause, char **ret_json) {
        const ManagerNodeData *data = cause != RUN_NODE_NONE ? &run->data[cause] : NULL;
        cleanup_(text_deinit) Text text = {};
        const char *name;
        RunNodeRow row;
        RunWhy why;

        *ret_json = NULL;
        if (!data || run_engine_get_node(runs->engine, run->id, cause, &row, &why) < 0)
                return 0;
        name = run_graph_name(run->graph, cause);
        text_add(&text, "{\"node\":");
        json_write_string(&text, name, strlen(name));
        text_addf(&text, ",\"attempt\":%" PRIu32 ",\"exit\":", row.number);
        if (data->number == row.number && data->generation == row.generation && data->exit >= 0 && row.number > 0)
                text_addf(&text, "%i}", data->exit);
        else
                text_add(&text, "null}");
        return text_finish(&text, ret_json);
}
