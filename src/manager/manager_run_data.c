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
#include "manager/manager_run_private.h"

#define RESULT_READ_MAX ((size_t) 1024 * 1024) /* bytes of a result that expressions and inputs look into */

const char *manager_result_source_to_string(ManagerResultSource source) {
        static const char *const sources[_MANAGER_RESULT_SOURCE_MAX] = {
                [MANAGER_RESULT_OWN] = "own",
                [MANAGER_RESULT_DEFAULT] = "default",
        };

        return sources[source];
}

int manager_run_data_init(ManagerRun *run) {
        run->data = calloc(run_graph_count(flow_definition_graph(run->definition)), sizeof(*run->data));
        return run->data ? 0 : -ENOMEM;
}

void manager_run_data_deinit(ManagerRun *run) {
        const uint32_t n = run->data ? run_graph_count(flow_definition_graph(run->definition)) : 0;

        for (uint32_t i = 0; i < n; i++) {
                manager_result_unref(run->data[i].result);
                free(run->data[i].token);
        }
        free(take_ptr(run->data));
}

/* Nobody can read it any more, unless the run is in memory; the blob of the store stays. */
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

        /* What somebody has said who has completed the node counts more than what its command has left. */
        data->is_completed = data->is_completed && data->generation == key->generation;
        if (data->result != facts->result && !data->is_completed) {
                drop_file(data);
                data->result = manager_result_ref(facts->result);
        }
        data->generation = key->generation;
        data->number = key->number;
        data->exit = (int16_t) facts->exit;
        data->signal = (int16_t) facts->signal;
}

void manager_run_drop_files(const ManagerRun *run) {
        const uint32_t n = run_graph_count(flow_definition_graph(run->definition));

        for (uint32_t i = 0; i < n; i++)
                drop_file(&run->data[i]);
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
        int r = flow_command_open(&command, run->definition, node);

        if (r == 0)
                r = manager_result_new(&ret->result, command.node->data.standard, strlen(command.node->data.standard));
        flow_command_close(&command);
        if (r == 0)
                ret->source = MANAGER_RESULT_DEFAULT;
        return r;
}

int manager_run_get_result(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, ManagerNodeResult *ret) {
        const ManagerNodeData *data = &run->data[node];
        RunNodeRow row;
        RunWhy why;

        *ret = (ManagerNodeResult) {};
        if (run_engine_get_node(runs->engine, run->id, node, &row, &why) < 0)
                return 0;
        if (data->result && counts(data, &row)) {
                ret->source = MANAGER_RESULT_OWN;
                ret->result = manager_result_ref(data->result);
                return 0;
        }
        if (has_default(run_graph_policy(flow_definition_graph(run->definition), node), row.state))
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
        const uint32_t *parents = run_graph_parents(flow_definition_graph(run->definition), node, &n);

        for (uint32_t i = 0; i < n; i++)
                if (has_failed(runs, run, parents[i]) || is_skipped_for_failure(runs, run, parents[i]))
                        return parents[i];
        return RUN_NODE_NONE;
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
                        cause = at;
                else if (!is_skipped_for_failure(runs, run, at))
                        break;
                else {
                        cause = find_known(runs, run, at);
                        at = go_up(runs, run, at);
                }
        }
        for (at = node;
             cause != RUN_NODE_NONE && at != RUN_NODE_NONE && at != cause && run->data[at].cause != cause + 1;
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
        name = run_graph_name(flow_definition_graph(run->definition), cause);
        text_add(&text, "{\"node\":");
        json_write_string(&text, name, strlen(name));
        text_addf(&text, ",\"attempt\":%" PRIu32 ",\"exit\":", row.number);
        if (data->number == row.number && data->generation == row.generation && data->exit >= 0 && row.number > 0)
                text_addf(&text, "%i}", data->exit);
        else
                text_add(&text, "null}");
        return text_finish(&text, ret_json);
}
