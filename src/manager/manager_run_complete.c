/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completion of a node with Callback= by somebody who has its token
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "basic/json_tree.h"
#include "basic/strv.h"
#include "manager/manager_run_complete.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_token.h"

/* Takes a time that does not depend on how much of the token is right. */
static bool is_equal(const char *a, const char *b) {
        const size_t n = strlen(a);
        unsigned char differs = 0;

        if (strlen(b) != n)
                return false;
        for (size_t i = 0; i < n; i++)
                differs |= (unsigned char) a[i] ^ (unsigned char) b[i];
        return differs == 0;
}

static int refuse_token(Failure *ret_failure) {
        return failure_set(ret_failure, -ENOENT, "NoSuchNode", "No node has this token.");
}

/* The keys of Outputs= have to be in the result that is given, or else in that of the command. */
static int check_outputs(const ManagerRun *run, uint32_t node, const JsonTree *given, Failure *ret_failure) {
        const ManagerResult *left = manager_run_node_data(run, node)->result;
        size_t budget = MANAGER_RESULT_SHORT;
        FlowCommand command = {};
        JsonTree tree = {};
        int r = manager_run_open_command(run, node, &command);

        if (r == 0 && !given->values && left && command.node->data.outputs)
                r = manager_run_read_result(left, &tree);
        strv_foreach(key, r == 0 ? command.node->data.outputs : NULL) {
                const JsonValue *values = given->values ? given->values : tree.values;

                if (r == 0 && (!values || !json_value_find(values, *key, &budget)))
                        r = failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                        "The result lacks the key '%s', which Outputs= names.", *key);
        }
        flow_command_close(&command);
        json_tree_deinit(&tree);
        return r;
}

/* The result that is given is none, or a value of JSON that the node may have. */
static int check_result(const ManagerRun *run, uint32_t node, const ManagerRunCommand *command, Failure *ret_failure) {
        cleanup_free_ char *problem = NULL;
        JsonTree tree = {};
        int r = 0;

        if (command->result)
                r = json_tree_read(command->result, strlen(command->result), &tree, &problem);
        if (r == -EBADMSG)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "The result is not JSON: %s.", problem);
        if (r == 0 && command->completion == RUN_COMPLETION_SUCCESS)
                r = check_outputs(run, node, &tree, ret_failure);
        json_tree_deinit(&tree);
        return r;
}

static int refuse_state(const ManagerRun *run, const char *name, const RunNodeRow *row, const ManagerToken *token,
                        Failure *ret_failure) {
        if (token->generation < row->generation)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Node %s of run %" PRIu32 " has been begun again since it had this token.", name,
                                   manager_run_id(run));
        return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                           "Node %s of run %" PRIu32 " is %s: it cannot be completed%s.", name, manager_run_id(run),
                           run_node_state_to_string(row->state),
                           row->completion != RUN_COMPLETION_NONE ? " in another way than before" : "");
}

/* The result counts before the engine judges by it what comes next. */
static int complete(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, const ManagerRunCommand *command) {
        ManagerNodeData *data = manager_run_node_data(run, row->node);
        ManagerResult *before = data->result, *result = NULL;
        const uint32_t generation = data->generation, number = data->number;
        int r = command->result ? manager_result_new(&result, command->result, strlen(command->result)) : 0;

        if (r < 0)
                return r;
        if (result) {
                data->result = result;
                data->generation = row->generation;
                data->number = row->number;
                data->is_completed = true;
        }
        r = run_engine_complete(manager_runs_engine(runs), manager_run_id(run), row->node, row->generation,
                                command->completion);
        if (!result)
                return r;
        if (r == 0) {
                if (before && before->path)
                        (void) unlink(before->path);
                manager_result_unref(before);
                return 0;
        }
        data->result = before;
        data->generation = generation;
        data->number = number;
        data->is_completed = false;
        manager_result_unref(result);
        return r;
}

/* Whether the node has been completed with this result. One that is kept no longer (KeepResult=no) may have been it. */
static bool has_result(const ManagerNodeData *data, const ManagerRunCommand *command) {
        if (!command->result)
                return true;
        return data->result ? !data->result->path && text_equal(data->result->text, command->result)
                            : data->is_completed;
}

int manager_run_complete(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        const RunGraph *graph = manager_run_graph(run);
        const char *name, *known;
        RunNodeRow row;
        ManagerToken token;
        RunWhy why;
        int r;

        if (!manager_run_read_token(command->token, &token) || token.node >= run_graph_count(graph) ||
            manager_run_get_node(runs, run, token.node, &row, &why) < 0)
                return refuse_token(ret_failure);
        known = manager_run_node_data(run, token.node)->token;
        name = run_graph_name(graph, token.node);
        if (!known || token.generation > row.generation || (token.generation == row.generation &&
                                                           !is_equal(known, command->token)))
                return refuse_token(ret_failure);
        if (token.generation < row.generation)
                return refuse_state(run, name, &row, &token, ret_failure);
        /* The same completion again changes nothing. */
        if (row.completion != RUN_COMPLETION_NONE)
                return row.completion == command->completion &&
                                       has_result(manager_run_node_data(run, token.node), command)
                               ? 0
                               : refuse_state(run, name, &row, &token, ret_failure);
        r = check_result(run, token.node, command, ret_failure);
        if (r == 0)
                r = complete(runs, run, &row, command);
        if (r == -EINVAL)
                return ret_failure && ret_failure->code != 0 ? r : refuse_state(run, name, &row, &token, ret_failure);
        if (r < 0)
                return r;
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .node = name,
                                      .kind = "verb",
                                      .new = command->completion == RUN_COMPLETION_SUCCESS ? "complete as success"
                                                                                           : "complete as failed",
                                      .operator= command->operator,
                                      .reqid = command->reqid,
                                      .uid = command->uid,
                              });
        manager_run_note_work(runs);
        return 0;
}
