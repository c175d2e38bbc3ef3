/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes for a run that has begun
 *
 * The run gets another definition, with more text, and goes on with its graph.
 * Numbers of nodes stay, but those of the end of the run, of which none runs
 * meanwhile: attempts know their nodes as before.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "flow/flow_add.h"
#include "manager/manager_run_add.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_keep.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_table.h"

#define NODES_AT_ONCE 1000U

static int refuse_state(const ManagerRuns *runs, const ManagerRun *run, Failure *ret_failure) {
        RunRow row = {};
        RunWhy why;

        (void) run_engine_get(runs->engine, run->id, &row, &why);
        if (run_state_is_terminal(row.state) || row.result != RUN_CREATED)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Run %" PRIu32 " is %s: no node can be added to it.", run->id,
                                   run_state_to_string(row.state));
        if (flow_definition_nodes(run->definition))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "Run %" PRIu32 " has nodes of NodesFile=: no others can be added.", run->id);
        return 0;
}

/* A node that has ended gets no new ones: what follows it is decided. */
static int check_below(const ManagerRuns *runs, const ManagerRun *run, const char *name, uint32_t *ret_node,
                       Failure *ret_failure) {
        RunNodeRow row = {};
        RunWhy why;
        int r = manager_run_find_node(run, name, ret_node, ret_failure);

        if (r < 0 || !name)
                return r;
        (void) run_engine_get_node(runs->engine, run->id, *ret_node, &row, &why);
        if (run_node_state_is_terminal(row.state) ||
            run_graph_is_extra(flow_definition_graph(run->definition), *ret_node))
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "Node %s of run %" PRIu32 " is %s: what follows it is decided.", name, run->id,
                                   run_node_state_to_string(row.state));
        return 0;
}

/* The setting by which @child waits for @below; NULL: it does not. */
static const char *setting_of(const ManagerRun *run, uint32_t child, const char *below) {
        const FlowNode *node = &flow_definition_settings(run->definition)->nodes.items[child];

        for (size_t i = 0; i < node->depends_on.n; i++)
                if (strcmp(node->depends_on.items[i].name, below) == 0)
                        return flow_dependency_to_string(node->depends_on.items[i].kind);
        return NULL;
}

/* The node was decided by others, and waits for nothing; after a retry of these it waits for what it names. */
static bool is_left_out(const ManagerRuns *runs, const ManagerRun *run, uint32_t node) {
        RunNodeRow row;
        RunWhy why;

        return run_engine_get_node(runs->engine, run->id, node, &row, &why) == 0 && row.number == 0 &&
               (row.state == RUN_NODE_SKIPPED ||
                (row.state == RUN_NODE_CANCELLED && row.reason == RUN_REASON_UNNEEDED));
}

/*
 * What depends on @below depends on the new ones, too, but those that came like them run beside them. The engine
 * refuses what has begun.
 */
static int join(const ManagerRuns *runs, const ManagerRun *run, uint32_t below, FlowAddition *addition) {
        const RunGraph *graph = flow_definition_graph(run->definition);
        cleanup_free_ bool *are_beside = calloc(run_graph_count(graph), sizeof(*are_beside));
        uint32_t n;
        const uint32_t *children = run_graph_children(graph, below, &n);
        int r = are_beside ? flow_addition_find_unnamed(flow_definition_text(run->definition), graph, are_beside)
                           : -ENOMEM;

        for (uint32_t i = 0; i < n && r == 0; i++) {
                const char *setting = setting_of(run, children[i], run_graph_name(graph, below));

                if (setting && !are_beside[children[i]] && !is_left_out(runs, run, children[i]))
                        flow_addition_join(addition, run_graph_name(graph, children[i]), setting);
        }
        return r;
}

static int check_number(const ManagerRun *run, const FlowAddition *addition, Failure *ret_failure) {
        const size_t n = strv_length(addition->names);
        const uint32_t max = flow_definition_settings(run->definition)->grow_max;
        const uint32_t n_before = flow_addition_count(flow_definition_text(run->definition));

        if (n > NODES_AT_ONCE)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "These are more than %u nodes at once.",
                                   NODES_AT_ONCE);
        if (n_before + n > max)
                return failure_set(ret_failure, -EINVAL, "LimitsExceeded",
                                   "Run %" PRIu32 " would have %zu nodes more than its flow has, and GrowMax= is %u.",
                                   run->id, n_before + n, max);
        return 0;
}

static int define(ManagerRuns *runs, const ManagerRun *run, FlowAddition *addition, FlowDefinition **ret_definition,
                  Failure *ret_failure) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        cleanup_free_ char *more = NULL, *text = NULL, *problem = NULL;
        int r = text_finish(&addition->text, &more);

        if (r == 0)
                r = text_format(&text, "%s\n%s", flow_definition_text(run->definition), more);
        if (r == 0)
                r = flow_definition_new(&definition, runs->host.loader, run->flow->unit->id, text, NULL, ret_failure);
        if (r == 0)
                r = flow_definition_read(definition, UINT32_MAX, ret_failure);
        if (r < 0)
                return r;
        r = run_engine_check(runs->engine, flow_definition_graph(definition), &problem);
        if (r < 0)
                return r == -ENOMEM ? r : failure_set(ret_failure, -EINVAL, "InvalidArgs", "%s",
                                                      problem ? problem : strerror(-r));
        *ret_definition = take_ptr(definition);
        return 0;
}

/* Data and marks of nodes move to their numbers in the larger graph. */
static int grow(ManagerRuns *runs, ManagerRun *run, FlowDefinition *definition, Failure *ret_failure) {
        cleanup_free_ char *problem = NULL;
        const RunGraph *old = flow_definition_graph(run->definition);
        RunGraph *graph = flow_definition_graph(definition);
        ManagerNodeData *data = calloc(run_graph_count(graph), sizeof(*data)), *old_data = run->data;
        ManagerRunMark *marks = calloc(run_graph_count(graph), sizeof(*marks)), *old_marks = run->marks;
        FlowDefinition *before = run->definition;
        RunGraph *graph_before = run->graph;
        int r = data && marks ? 0 : -ENOMEM;

        for (uint32_t i = 0; i < run_graph_count(old) && r == 0; i++) {
                const uint32_t at = run_graph_find(graph, run_graph_name(old, i));

                if (at == RUN_NODE_NONE) {
                        r = -EINVAL;
                        break;
                }
                data[at] = old_data[i];
                marks[at] = old_marks[i];
        }
        if (r == 0) {
                /* The engine judges nodes by them. */
                run->definition = definition;
                run->graph = graph;
                run->data = data;
                run->marks = marks;
                run->readers = manager_run_free_readers(run->readers);
                r = run_engine_grow(runs->engine, run->id, graph, &problem);
        }
        if (r < 0) {
                run->definition = before;
                run->graph = graph_before;
                run->data = old_data;
                run->marks = old_marks;
                free(data);
                free(marks);
                return problem ? failure_set(ret_failure, r, "InvalidTransition", "%s", problem) : r;
        }
        free(old_data);
        free(old_marks);
        flow_definition_ref(definition);
        run_graph_ref(graph);
        run_graph_unref(graph_before);
        flow_definition_unref(before);
        return 0;
}

static void note(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, const FlowAddition *addition) {
        cleanup_free_ char *names = NULL;

        (void) strv_join(addition->names, " ", &names);
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .node = command->node,
                                      .kind = "verb",
                                      .new = "add nodes",
                                      .comment = names,
                                      .operator= command->operator,
                                      .reqid = command->reqid,
                                      .uid = command->uid,
                              });
}

static int add(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, uint32_t below,
               FlowAddition *addition, Failure *ret_failure) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        uint8_t hash[SHA256_BYTES];
        const char *nodes;
        int r = check_number(run, addition, ret_failure);

        if (r < 0)
                return r;
        if (command->node)
                r = join(runs, run, below, addition);
        if (r == 0)
                r = define(runs, run, addition, &definition, ret_failure);
        if (r == 0)
                r = grow(runs, run, definition, ret_failure);
        if (r == -EBUSY)
                return failure_set(ret_failure, r, "InvalidTransition",
                                   "Run %" PRIu32 " of %s has runs of other flows below it (Flow=), and takes no "
                                   "nodes before they have ended.", run->id, run->flow->unit->id);
        if (r < 0)
                return r;
        nodes = flow_definition_nodes(definition);
        if (nodes)
                sha256(nodes, strlen(nodes), hash);
        manager_run_hash(flow_definition_text(definition), nodes ? hash : NULL, run->facts.definition);
        run->has_grown = true;
        note(runs, run, command, addition);
        runs->host.attempts.turn->has_news = true;
        return 0;
}

/* Instances have the numbers behind all other nodes. */
static int refuse_instances(const ManagerRun *run, Failure *ret_failure) {
        uint32_t n;

        (void) run_graph_expansions(run->graph, &n);
        return n == 0 ? 0 : failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                        "Run %" PRIu32 " of %s has instances of a node with Foreach=, and takes no "
                                        "nodes any more.", run->id, run->flow->unit->id);
}

int manager_run_add_nodes(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        FlowAddition addition = {};
        uint32_t below;
        int r = refuse_state(runs, run, ret_failure);

        if (r == 0)
                r = refuse_instances(run, ret_failure);
        if (r == 0)
                r = check_below(runs, run, command->node, &below, ret_failure);
        if (r < 0)
                return r;
        r = flow_addition_read(&addition, command->lines, command->node, flow_definition_text(run->definition),
                               flow_definition_graph(run->definition), ret_failure);
        if (r == 0 && addition.names)
                r = add(runs, run, command, below, &addition, ret_failure);
        flow_addition_deinit(&addition);
        return r;
}
