/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Results of nodes, and causes of failures
 *
 * A result counts while the node is what the end of its last attempt has made
 * it; Default= stands in where there is none.
 */

#include "basic/json_tree.h"
#include "manager/manager_run_get.h"

/* The result and the exit of a node's last attempt, of which the engine knows nothing. */
typedef struct ManagerNodeData {
        ManagerResult *result; /* a reference; NULL: none */
        uint32_t generation, number; /* of that attempt; 0: none has ended */
        int16_t exit, signal; /* -1: none */
        char *token; /* owned: with which somebody else completes it, of its last generation; NULL: none */
        bool is_completed; /* .result is of who has done that */
        uint32_t cause; /* the node that has failed first, plus one, when it was last looked for; 0: it was not */
} ManagerNodeData;

typedef enum ManagerResultSource {
        MANAGER_RESULT_NONE,
        MANAGER_RESULT_OWN, /* of its last attempt */
        MANAGER_RESULT_DEFAULT, /* Default= */
        MANAGER_RESULT_ITEMS, /* of its instances */
        _MANAGER_RESULT_SOURCE_MAX,
} ManagerResultSource;

const char *manager_result_source_to_string(ManagerResultSource source); /* NULL: none */

/* The result of a node as it is now; to be deinitialized. */
typedef struct ManagerNodeResult {
        ManagerResultSource source;
        ManagerResult *result; /* a reference; NULL: none, which counts as null */
} ManagerNodeResult;

ManagerNodeData *manager_run_node_data(const ManagerRun *run, uint32_t node);
int manager_run_data_init(ManagerRun *run); /* 0 or -ENOMEM */
/* The result of an attempt counts from now on, if the end of that attempt has made the node what it is. */
void manager_run_data_set(ManagerRun *run, const RunAttemptKey *key, const ManagerAttemptFacts *facts);
void manager_run_data_drop(ManagerRun *run, uint32_t node); /* the result is kept no longer */
/* 0 or -ENOMEM. */
int manager_run_get_result(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, ManagerNodeResult *ret);
void manager_run_result_deinit(ManagerNodeResult *result);
/* Makes the list of the results of all instances of a node: 0; -E2BIG: it is too large; or -errno. */
int manager_run_measure_list(const ManagerRuns *runs, const ManagerRun *run, uint32_t node);
/*
 * Why a node has no result of its own: the node that has failed, itself or the first above it, with its attempt and
 * exit. RUN_NODE_NONE: nothing has failed.
 */
uint32_t manager_run_find_cause(const ManagerRuns *runs, const ManagerRun *run, uint32_t node);
/* {"node":…,"attempt":…,"exit":…} of that node; NULL for RUN_NODE_NONE. 0 or -ENOMEM. */
int manager_run_write_cause(const ManagerRuns *runs, const ManagerRun *run, uint32_t cause, char **ret_json);
/* The result as a tree that the caller owns. -EFBIG: it is too large to be looked at; -ENOMEM, or -errno of a file. */
int manager_run_read_result(const ManagerResult *result, JsonTree *ret_tree);
/* Whether parent number @i of @node is none, but a node beside it (Otherwise=). */
bool manager_run_is_beside(const ManagerRun *run, uint32_t node, uint32_t i);
/*
 * What is left of a run that goes from memory is freed in later turns if it is much. Its large results are removed with
 * it if .drops_files is set.
 */
void manager_run_data_leave(ManagerRuns *runs, ManagerRun *run);
bool manager_run_remains_step(ManagerRuns *runs); /* in a turn: whether there is more to do */
void manager_run_remains_finish(ManagerRuns *runs, uint32_t run); /* of that run; 0: of all */
void manager_run_sweep_files(const ManagerRuns *runs); /* those of runs that are not there */
