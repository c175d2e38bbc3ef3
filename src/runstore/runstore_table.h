/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The tables of the store of runs
 *
 * Core names a table and a column by its number; the numbers are a part of
 * the protocol and are only ever added to, at the end of a table. The names
 * are those of the file and of what users filter by. Times are µs since 1970,
 * 0 if there is none; those called …_at, "at" and "limit" are of the clock of
 * the boot that the row was written in, for the engine of runs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum RunStoreTable {
        RUNSTORE_DEF, /* a definition, by its hash */
        RUNSTORE_DEF_NODE, /* its nodes: the number within the graph, name and settings */
        RUNSTORE_DEF_EDGE, /* its edges */
        RUNSTORE_RUN,
        RUNSTORE_NODE, /* from the first change of a node; without a row it waits */
        RUNSTORE_ATTEMPT,
        RUNSTORE_OUTBOX, /* callbacks that are to be delivered */
        RUNSTORE_ALARM,
        RUNSTORE_EVENT, /* what happened, and who asked for it */
        RUNSTORE_BLOB, /* large results, in chunks, by their hash */
        RUNSTORE_BLOB_USE, /* the runs that have one */
        RUNSTORE_ITEM_ERROR, /* items of batches that have failed for good */
        RUNSTORE_ELEMENT, /* elements of streams */
        RUNSTORE_STREAM_GROUP, /* their groups, from the first element that was linked */
        RUNSTORE_STREAM_KEY, /* keys of elements, which outlive them */
        _RUNSTORE_TABLE_MAX,
} RunStoreTable;

enum { DEF_HASH, DEF_FORMAT, DEF_TEXT, DEF_CREATED, DEF_NODES, _DEF_MAX };
enum { DEF_NODE_HASH, DEF_NODE_NUMBER, DEF_NODE_NAME, DEF_NODE_SETTINGS, _DEF_NODE_MAX };
enum { DEF_EDGE_HASH, DEF_EDGE_CHILD, DEF_EDGE_PARENT, DEF_EDGE_KIND, _DEF_EDGE_MAX };
enum {
        RUN_ROW_ID,
        RUN_ROW_UNIT,
        RUN_ROW_NAME,
        RUN_ROW_KEY,
        RUN_ROW_KIND,
        RUN_ROW_STATE,
        RUN_ROW_REASON,
        RUN_ROW_HOST,
        RUN_ROW_OPERATOR,
        RUN_ROW_OWNER,
        RUN_ROW_NAMESPACE,
        RUN_ROW_REQID,
        RUN_ROW_ROUND,
        RUN_ROW_PRIORITY,
        RUN_ROW_CREATED,
        RUN_ROW_QUEUED,
        RUN_ROW_STARTED,
        RUN_ROW_ENDED,
        RUN_ROW_DEADLINE,
        RUN_ROW_WHY,
        RUN_ROW_PARAMS,
        RUN_ROW_RESULT,
        RUN_ROW_DEFINITION,
        RUN_ROW_VALID,
        RUN_ROW_UID,
        RUN_ROW_CLIENT,
        RUN_ROW_RET_STAT,
        RUN_ROW_COST,
        RUN_ROW_TRIGGER,
        RUN_ROW_PARENT,
        RUN_ROW_PARENT_NODE,
        RUN_ROW_BOOT,
        RUN_ROW_REMAINING,
        RUN_ROW_HELD,
        RUN_ROW_DELETED,
        RUN_ROW_DONE,
        RUN_ROW_FAILED,
        RUN_ROW_RUNNING,
        RUN_ROW_TOTAL,
        RUN_ROW_EPOCH,
        RUN_ROW_FRAME,
        RUN_ROW_OUTCOME,
        RUN_ROW_PAUSED,
        RUN_ROW_PLACE,
        RUN_ROW_QUEUED_AT,
        RUN_ROW_LIMIT,
        RUN_ROW_AT,
        RUN_ROW_SEQUENCE,
        RUN_ROW_ENVIRONMENT, /* of its attempts: NAME=VALUE, each with a NUL at its end */
        RUN_ROW_CURSOR, /* of a batch: the items that are over, as core writes them */
        RUN_ROW_LAUNCHES, /* the same: how often it was launched */
        _RUN_ROW_MAX
};
enum {
        NODE_RUN,
        NODE_NAME,
        NODE_GENERATION,
        NODE_STATE,
        NODE_REASON,
        NODE_ATTEMPTS,
        NODE_STARTED,
        NODE_ENDED,
        NODE_EXIT,
        NODE_SIGNAL,
        NODE_RESULT,
        NODE_SOURCE,
        NODE_CAUSE,
        NODE_WHY,
        NODE_LABEL,
        NODE_REQID,
        NODE_RET_STAT,
        NODE_BOOT,
        NODE_NOT_BEFORE,
        NODE_REMAINING,
        NODE_DEADLINE,
        NODE_TRIES,
        NODE_LOST,
        NODE_BLOB,
        NODE_TOKEN,
        NODE_AGAINS,
        NODE_OUTCOME,
        NODE_ATTEMPT,
        NODE_AT,
        NODE_FIRST_AT,
        NODE_MARKS,
        NODE_ITEMS, /* instances of Foreach=; NULL: it has none */
        NODE_INSTANCES, /* their numbers in core: FIRST:N… */
        _NODE_MAX
};
enum {
        ATTEMPT_RUN,
        ATTEMPT_ID,
        ATTEMPT_NODE,
        ATTEMPT_GENERATION,
        ATTEMPT_NUMBER,
        ATTEMPT_STATE,
        ATTEMPT_BOOT,
        ATTEMPT_PID,
        ATTEMPT_PID_START,
        ATTEMPT_CGROUP,
        ATTEMPT_INVOCATION,
        ATTEMPT_STARTED,
        ATTEMPT_ENDED,
        ATTEMPT_EXIT,
        ATTEMPT_SIGNAL,
        ATTEMPT_RESULT,
        ATTEMPT_JOB,
        ATTEMPT_HOST,
        ATTEMPT_OWNER,
        ATTEMPT_EPOCH,
        ATTEMPT_FRAME,
        ATTEMPT_WHY,
        _ATTEMPT_MAX
};
enum {
        OUTBOX_ID,
        OUTBOX_RUN,
        OUTBOX_NODE,
        OUTBOX_KIND,
        OUTBOX_TARGET,
        OUTBOX_PAYLOAD,
        OUTBOX_STATE,
        OUTBOX_TRIES,
        OUTBOX_NOT_BEFORE,
        OUTBOX_CREATED,
        OUTBOX_ERROR,
        OUTBOX_OWNER,
        _OUTBOX_MAX
};
enum {
        ALARM_ID,
        ALARM_RUN,
        ALARM_NODE,
        ALARM_KIND,
        ALARM_TEXT,
        ALARM_RAISED,
        ALARM_ACKNOWLEDGED,
        ALARM_OPERATOR,
        ALARM_UNIT,
        _ALARM_MAX
};
enum {
        EVENT_RUN,
        EVENT_ID,
        EVENT_NODE,
        EVENT_AT,
        EVENT_KIND,
        EVENT_OLD,
        EVENT_NEW,
        EVENT_REASON,
        EVENT_OPERATOR,
        EVENT_UID,
        EVENT_REQID,
        EVENT_OWNER,
        EVENT_EPOCH,
        EVENT_FRAME,
        _EVENT_MAX
};
enum { BLOB_HASH, BLOB_CHUNK, BLOB_BYTES, _BLOB_MAX };
enum { BLOB_USE_RUN, BLOB_USE_HASH, _BLOB_USE_MAX };
enum {
        ITEM_ERROR_RUN,
        ITEM_ERROR_ITEM,
        ITEM_ERROR_TRIES,
        ITEM_ERROR_REASON, /* "error", or "poison": whatever works on it dies */
        ITEM_ERROR_EXIT,
        ITEM_ERROR_SIGNAL,
        ITEM_ERROR_ENDED,
        ITEM_ERROR_WHY,
        ITEM_ERROR_TEXT, /* the text of one that has another than its number */
        _ITEM_ERROR_MAX
};
enum {
        ELEMENT_RUN,
        ELEMENT_SEQUENCE, /* of its push, unique among elements of the run */
        ELEMENT_GROUP,
        ELEMENT_POSITION, /* in its group, from 1; absent: not linked yet */
        ELEMENT_KEY,
        ELEMENT_PROCESSOR,
        ELEMENT_STATE,
        ELEMENT_REASON,
        ELEMENT_TRIES, /* that have failed */
        ELEMENT_LOST, /* attempts that were lost */
        ELEMENT_EXIT,
        ELEMENT_SIGNAL,
        ELEMENT_WHY,
        ELEMENT_OPERATOR, /* who has resolved it */
        ELEMENT_PUSHED,
        ELEMENT_BEGAN,
        ELEMENT_ENDED,
        ELEMENT_ATTEMPT, /* the number of the last one */
        ELEMENT_RESULT,
        ELEMENT_PAYLOAD, /* at the end: what is in front of it is found without it */
        _ELEMENT_MAX
};
enum {
        STREAM_GROUP_RUN,
        STREAM_GROUP_NAME,
        STREAM_GROUP_HEAD, /* the element that is at work, or comes next; 0: none */
        STREAM_GROUP_TAIL, /* the last one that is linked */
        STREAM_GROUP_WAITING,
        STREAM_GROUP_DONE,
        STREAM_GROUP_FAILED,
        STREAM_GROUP_STATE,
        _STREAM_GROUP_MAX
};
enum { STREAM_KEY_RUN, STREAM_KEY_KEY, STREAM_KEY_SEQUENCE, STREAM_KEY_AT, _STREAM_KEY_MAX };

#define RUNSTORE_COLUMNS_MAX 64U
#define RUNSTORE_KEY_MAX 3U /* columns of a primary key */
#define RUNSTORE_CHUNK_BYTES ((size_t) 1024 * 1024) /* of a blob */

typedef enum RunStoreType {
        RUNSTORE_NULL, /* of a value only */
        RUNSTORE_INTEGER, /* 64 bits, with a sign */
        RUNSTORE_TEXT, /* UTF-8 without a NUL inside */
        RUNSTORE_BYTES,
        _RUNSTORE_TYPE_MAX,
} RunStoreType;

typedef struct RunStoreColumn {
        const char *name;
        RunStoreType type;
} RunStoreColumn;

typedef struct RunStoreTableInfo {
        const char *name;
        const RunStoreColumn *columns;
        size_t n_columns;
        size_t n_key; /* the first columns are the primary key */
} RunStoreTableInfo;

/* @table must be below _RUNSTORE_TABLE_MAX. */
const RunStoreTableInfo *runstore_table(RunStoreTable table);
