/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * NodesFile= of a run that is submitted: it is read in parts, one in a turn
 *
 * The text is that of one file: one that is replaced meanwhile counts for the
 * next run. One that is written to is read again, a few times; then it is
 * refused.
 */

#include "manager/manager_run_table.h"

typedef struct ManagerNodes ManagerNodes;

typedef enum ManagerNodesOutcome {
        MANAGER_NODES_MORE = 1, /* there is more to do */
        MANAGER_NODES_AGAIN, /* the file was written to while it was read: the next call reads it again */
} ManagerNodesOutcome;

int manager_run_nodes_begin(const char *path, ManagerNodes **ret_nodes, Failure *ret_failure);
bool manager_run_nodes_is_of(const ManagerNodes *nodes, const char *path);
/* A ManagerNodesOutcome; 0 with the text, which the caller owns, and what @texts is to know of it; or an error. */
int manager_run_nodes_go_on(ManagerNodes *nodes, size_t n, ManagerTexts *texts, char **ret_text, Failure *ret_failure);
usec_t manager_run_nodes_pause(const ManagerNodes *nodes); /* before the file is read again, µs */
ManagerNodes *manager_run_nodes_free(ManagerNodes *nodes); /* accepts NULL, returns NULL */
