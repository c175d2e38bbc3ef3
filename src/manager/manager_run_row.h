/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rows of the store of runs: how the rows of the engine, and what a manager
 * knows beside them, stand in its tables
 *
 * Times of the engine are of CLOCK_BOOTTIME, which here begins long before the
 * boot, so that a later boot can have times from before itself. They are stored
 * as they are; a row of a run has the boot and the time at which it was
 * written, so that a later boot can tell what was left of them. Other times are
 * of the wall clock.
 */

#include "manager/manager_result.h"
#include "run/run_engine.h"
#include "runstore/runstore_batch.h"

#define MANAGER_RUN_HASH_BYTES RUNSTORE_HASH_BYTES

/* The columns of a run beside the engine's row; strings are owned by who has the struct. */
typedef struct ManagerRunFacts {
        char *unit, *name, *key, *operator, * trigger; /* NULL: none, but of .unit and .name */
        char *client, *namespace, *reqid; /* the process that asked, and what it said of its request; NULL: none */
        char *params; /* an object of JSON; NULL: none */
        uint32_t parent; /* the run that it is a part of; 0: of none … */
        char *parent_node; /* … and the name of the node there; NULL */
        char **environment; /* of attempts: what they learn of the trigger */
        uint32_t uid;
        uint8_t definition[MANAGER_RUN_HASH_BYTES];
        usec_t created, queued, started, ended; /* wall clock; 0: not yet */
        usec_t deleted; /* the same: it is not listed any more */
        uint64_t sequence; /* the last number of an attempt or event of the run */
        uint64_t n_done, n_failed, n_running, n_total; /* nodes, or items of a batch */
        uint8_t *cursor; /* of a batch: its range as it was last put; NULL: none */
        size_t n_cursor;
        uint32_t n_launches; /* the same: how often it was launched */
} ManagerRunFacts;

void manager_run_facts_deinit(ManagerRunFacts *facts);

/* At the boot it is so late by the clock of the engine: ten years. */
#define MANAGER_RUN_BOOT (UINT64_C(315576000) * USEC_PER_SEC)

/* When a row was written. */
typedef struct ManagerRunNow {
        const char *boot; /* as text */
        usec_t at, realtime;
} ManagerRunNow;

/* @result: of the run, a value of JSON; NULL: none. */
void manager_run_row_put(RecordWriter *writer, const RunRow *row, const ManagerRunFacts *facts, const char *result,
                         const ManagerRunNow *now);
/* The facts of the last attempt of a node. */
typedef struct ManagerAttemptFacts {
        uint64_t id; /* unique among attempts of the run */
        int exit, signal; /* -1: none */
        pid_t pid; /* 0: none */
        uint32_t job; /* 0: none */
        uint32_t sub_run; /* that it is; 0: none */
        usec_t started, ended; /* wall clock; 0: not yet */
        const uint8_t *invocation; /* 16 bytes; NULL: none */
        RunAttemptState state;
        const char *node; /* its name; NULL: not known */
        const char *problem; /* the sentence that it has failed by; borrowed; NULL: none */
        ManagerResult *result; /* borrowed; NULL: none */
        const char *pending; /* why a person is to resolve the node; NULL: it has not asked for one */
        const char *status; /* what it says it does; NULL: nothing */
        uint64_t progress, progress_of; /* how far it is; .progress_of 0: not known */
        usec_t again; /* after which it is to run again; USEC_INFINITY: it has not said */
        uint32_t cause; /* of a row of the store: the node that has failed first, plus one; 0: not known */
} ManagerAttemptFacts;

/* The result of a node and its like; all borrowed, NULL: none. */
typedef struct ManagerRunNodeData {
        const ManagerResult *result;
        const char *source, *cause;
        const char *problem; /* in place of that of its attempt */
        uint32_t n_items; /* of Foreach= … */
        char *instances; /* … with their numbers: "FIRST:N …" */
        const char *reqid; /* of its run */
        const char *token;
} ManagerRunNodeData;

/* @facts: NULL if nothing is known, or the node has none. */
void manager_run_row_put_node(RecordWriter *writer, uint32_t run, const char *name, const RunNodeRow *row,
                              const ManagerAttemptFacts *facts, const ManagerRunNodeData *data);
/* The result of a node that has a row is kept no longer. */
void manager_run_row_put_dropped(RecordWriter *writer, uint32_t run, const char *name);
void manager_run_row_put_attempt(RecordWriter *writer, const RunAttemptKey *key, const char *name,
                                 const ManagerAttemptFacts *facts);
void manager_run_row_put_definition(RecordWriter *writer, const uint8_t hash[static MANAGER_RUN_HASH_BYTES],
                                    const char *text, const char *nodes, usec_t now);
/* A node of a definition, and an edge from one to another. @settings: an object of JSON. */
void manager_run_row_put_outline(RecordWriter *writer, const uint8_t hash[static MANAGER_RUN_HASH_BYTES],
                                 uint32_t number, const char *name, const char *settings);
void manager_run_row_put_edge(RecordWriter *writer, const uint8_t hash[static MANAGER_RUN_HASH_BYTES], uint32_t child,
                              uint32_t parent, const char *kind);
/* An event of a run. Strings are borrowed, and may be NULL but for .kind. */
typedef struct ManagerRunEvent {
        uint64_t id; /* unique among events of the run */
        uint32_t run, uid;
        const char *node, *kind, *old, *new;
        const char *operator, *reqid; /* the person, and the request */
        const char *comment; /* and why */
        usec_t at; /* wall clock */
} ManagerRunEvent;

/* A run that is not listed any more, and has no name. */
void manager_run_row_put_deleted(RecordWriter *writer, uint32_t run, usec_t now);
/* The number of the last event of a run that has a row: events may follow that. */
void manager_run_row_put_sequence(RecordWriter *writer, uint32_t run, uint64_t sequence);
/* An item that has failed for good, @text: NULL if it is its number; and one that has not, after all. */
void manager_run_row_put_item_error(RecordWriter *writer, uint32_t run, uint64_t item, const char *text, uint32_t tries,
                                    bool is_poison, const ManagerAttemptFacts *facts, usec_t now);
void manager_run_row_delete_item_error(RecordWriter *writer, uint32_t run, uint64_t item);
/* All rows of the run. */
void manager_run_row_delete(RecordWriter *writer, uint32_t run);
/* A row of a table whose key is a run and a number or, if that is not NULL, @text. */
void manager_run_row_delete_one(RecordWriter *writer, RunStoreTable table, uint32_t run, uint64_t number,
                                const char *text);
void manager_run_row_put_event(RecordWriter *writer, const ManagerRunEvent *event);

/* — reading; each takes the next row of a page that has all columns — */

/* The values of a row, by number of their column. */
typedef struct ManagerRunValues {
        RunStoreValue values[RUNSTORE_COLUMNS_MAX];
} ManagerRunValues;

/* 1; 0 at the end; -EBADMSG. Values are borrowed from the page. */
int manager_run_values_next(RunStorePage *page, ManagerRunValues *ret_values);
/* "" and 0 for what is absent. */
const char *manager_run_values_text(const ManagerRunValues *values, unsigned column);
uint64_t manager_run_values_number(const ManagerRunValues *values, unsigned column);

/* The environment of a run. 0 or -ENOMEM. */
int manager_run_values_environment(const ManagerRunValues *values, char ***ret_environment);

/* 0, -EBADMSG, -ENOMEM. @ret_boot: borrowed from the page; @ret_at: when the row was written, of that boot. */
int manager_run_row_get(const ManagerRunValues *values, RunRow *ret_row, ManagerRunFacts *ret_facts,
                        const char **ret_boot, usec_t *ret_at);
/* The node is named by *@ret_name, borrowed from the page; ret_row->node is not set. 0 or -EBADMSG. */
int manager_run_row_get_node(const ManagerRunValues *values, RunNodeRow *ret_row, const char **ret_name);
/* The facts of the node's last attempt; .result is a reference for the caller. @folder: of the manager. */
int manager_run_row_get_data(const ManagerRunValues *values, const RunNodeRow *row, uint32_t run, const char *folder,
                             ManagerAttemptFacts *ret_facts);
