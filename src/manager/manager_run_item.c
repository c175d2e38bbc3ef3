/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes with Foreach=: their items, and the list of the results of their instances
 *
 * The list of items follows from values that do not change while the node is
 * executed, so it is kept in memory alone, and evaluated again after a restart.
 * The same holds for the list of results.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/log.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_item.h"
#include "manager/manager_run_table.h"
#include "manager/manager_run_value.h"

int manager_run_grow(void *userdata, uint32_t id, RunGraph *graph) {
        ManagerRun *run = manager_run_find(userdata, id);
        int r = run ? manager_run_set_graph(run, graph) : -ENOMEM;

        if (r < 0 && run)
                log_write(LOG_LEVEL_ERROR, manager_run_unit(run)->id, "Run %" PRIu32 ": no memory for instances.", id);
        return r;
}

static uint32_t max_of(const ManagerRun *run, uint32_t node) {
        FlowCommand command;
        uint32_t max;

        if (manager_run_open_command(run, node, &command) < 0)
                return 0;
        max = command.node->foreach_max;
        flow_command_close(&command);
        return max;
}

RunReason manager_run_count(void *userdata, uint32_t id, uint32_t node, uint32_t *ret_n) {
        const ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, id);
        const char *name = run ? run_graph_name(manager_run_graph(run), node) : "";
        cleanup_free_ char *problem = NULL;
        ManagerItems *items;
        int r = run ? manager_run_evaluate_items(runs, run, node, &items, &problem) : -ENOENT;

        if (r < 0) {
                if (run)
                        log_write(LOG_LEVEL_ERROR, manager_run_unit(run)->id,
                                  "Run %" PRIu32 ", node %s: Foreach= has no value: %s", id, name,
                                  problem ? problem : strerror(-r));
                return RUN_REASON_EXPRESSION;
        }
        *ret_n = items->n;
        if (items->n <= max_of(run, node))
                return RUN_REASON_NONE;
        log_write(LOG_LEVEL_ERROR, manager_run_unit(run)->id,
                  "Run %" PRIu32 ", node %s: the list of Foreach= has %" PRIu32 " items, and ForeachMax= allows "
                  "%" PRIu32 ".", id, name, items->n, max_of(run, node));
        manager_run_drop_items_of(run, node);
        return RUN_REASON_TOO_MANY;
}

RunReason manager_run_gather(void *userdata, uint32_t id, uint32_t node) {
        const ManagerRuns *runs = userdata;
        ManagerRun *run = manager_run_find(runs, id);
        int r;

        if (!run)
                return RUN_REASON_NONE;
        manager_run_drop_items_of(run, node);
        r = manager_run_measure_list(runs, run, node);
        if (r == -E2BIG) {
                log_write(LOG_LEVEL_ERROR, manager_run_unit(run)->id,
                          "Run %" PRIu32 ", node %s: the results of its instances are larger than ResultMax=.", id,
                          run_graph_name(manager_run_graph(run), node));
                return RUN_REASON_RESULT_TOO_LARGE;
        }
        /* Otherwise it is tried again by whoever wants to read it. */
        return RUN_REASON_NONE;
}
