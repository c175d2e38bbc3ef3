/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The graph of a run, with the instances of nodes with Foreach=, and their items
 *
 * A run has the graph of its definition until the first node with Foreach=
 * begins.
 */

#include "basic/json_tree.h"
#include "manager/manager_run_get.h"

/* The list of a node with Foreach=, as long as instances are executed. */
typedef struct ManagerItems {
        uint32_t node;
        JsonTree tree; /* owned */
        const JsonValue **values; /* owned: each item, in .tree */
        uint32_t n;
} ManagerItems;

/* The command of @node, or of the node that it is an instance of: as flow_command_open(). */
int manager_run_open_command(const ManagerRun *run, uint32_t node, FlowCommand *ret_command);
int manager_run_set_graph(ManagerRun *run, RunGraph *graph); /* 0 or -ENOMEM */
/* The items of a node with Foreach=: kept from an array of JSON, 0 or a negative errno; found again, or NULL. */
int manager_run_keep_items(ManagerRun *run, uint32_t node, const char *json, ManagerItems **ret_items);
ManagerItems *manager_run_find_items(const ManagerRun *run, uint32_t node);
void manager_run_drop_items_of(ManagerRun *run, uint32_t node);
void manager_run_drop_items(ManagerRun *run); /* all of them */
