/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The tables of the store of runs
 *
 * Core names a table and a column by its number; the numbers are a part of
 * the protocol and are only ever added to, at the end of a table. The names
 * are those of the file and of what users filter by. Times are µs since 1970,
 * 0 if there is none.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum RunStoreTable {
        RUNSTORE_DEF,                   /* a definition, by its hash */
        RUNSTORE_DEF_NODE,              /* its nodes: the number within the graph, name and settings */
        RUNSTORE_DEF_EDGE,              /* its edges */
        RUNSTORE_RUN,
        RUNSTORE_NODE,                  /* from the first change of a node; without a row it waits */
        RUNSTORE_ATTEMPT,
        RUNSTORE_OUTBOX,                /* callbacks that are to be delivered */
        RUNSTORE_ALARM,
        RUNSTORE_EVENT,                 /* what happened, and who asked for it */
        RUNSTORE_BLOB,                  /* large results, in chunks, by their hash */
        _RUNSTORE_TABLE_MAX,
} RunStoreTable;

enum { DEF_HASH, DEF_FORMAT, DEF_TEXT, DEF_CREATED, _DEF_MAX };
enum { DEF_NODE_HASH, DEF_NODE_NUMBER, DEF_NODE_NAME, DEF_NODE_SETTINGS, _DEF_NODE_MAX };
enum { DEF_EDGE_HASH, DEF_EDGE_CHILD, DEF_EDGE_PARENT, DEF_EDGE_KIND, _DEF_EDGE_MAX };
enum {
        RUN_ID, RUN_UNIT, RUN_NAME, RUN_KEY, RUN_KIND, RUN_STATE, RUN_REASON, RUN_HOST, RUN_OPERATOR, RUN_OWNER,
        RUN_NAMESPACE, RUN_REQID, RUN_ROUND, RUN_PRIORITY, RUN_CREATED, RUN_QUEUED, RUN_STARTED, RUN_ENDED,
        RUN_DEADLINE, RUN_WHY, RUN_PARAMS, RUN_RESULT, RUN_DEFINITION, RUN_VALID, RUN_UID, RUN_CLIENT, RUN_RET_STAT,
        RUN_COST, RUN_TRIGGER, RUN_PARENT, RUN_PARENT_NODE, RUN_BOOT, RUN_REMAINING, RUN_HELD, RUN_DELETED,
        RUN_DONE, RUN_FAILED, RUN_RUNNING, RUN_TOTAL, RUN_EPOCH, RUN_FRAME, _RUN_MAX
};
enum {
        NODE_RUN, NODE_NAME, NODE_GENERATION, NODE_STATE, NODE_REASON, NODE_ATTEMPTS, NODE_STARTED, NODE_ENDED,
        NODE_EXIT, NODE_SIGNAL, NODE_RESULT, NODE_SOURCE, NODE_CAUSE, NODE_WHY, NODE_LABEL, NODE_REQID,
        NODE_RET_STAT, NODE_BOOT, NODE_NOT_BEFORE, NODE_REMAINING, NODE_DEADLINE, NODE_TRIES, NODE_LOST, NODE_BLOB,
        NODE_TOKEN, _NODE_MAX
};
enum {
        ATTEMPT_ID, ATTEMPT_RUN, ATTEMPT_NODE, ATTEMPT_GENERATION, ATTEMPT_NUMBER, ATTEMPT_STATE, ATTEMPT_BOOT,
        ATTEMPT_PID, ATTEMPT_PID_START, ATTEMPT_CGROUP, ATTEMPT_INVOCATION, ATTEMPT_STARTED, ATTEMPT_ENDED,
        ATTEMPT_EXIT, ATTEMPT_SIGNAL, ATTEMPT_RESULT, ATTEMPT_JOB, ATTEMPT_HOST, ATTEMPT_OWNER, ATTEMPT_EPOCH,
        ATTEMPT_FRAME, _ATTEMPT_MAX
};
enum {
        OUTBOX_ID, OUTBOX_RUN, OUTBOX_NODE, OUTBOX_KIND, OUTBOX_TARGET, OUTBOX_PAYLOAD, OUTBOX_STATE, OUTBOX_TRIES,
        OUTBOX_NOT_BEFORE, OUTBOX_CREATED, OUTBOX_ERROR, OUTBOX_OWNER, _OUTBOX_MAX
};
enum {
        ALARM_ID, ALARM_RUN, ALARM_NODE, ALARM_KIND, ALARM_TEXT, ALARM_RAISED, ALARM_ACKNOWLEDGED, ALARM_OPERATOR,
        _ALARM_MAX
};
enum {
        EVENT_ID, EVENT_RUN, EVENT_NODE, EVENT_AT, EVENT_KIND, EVENT_OLD, EVENT_NEW, EVENT_REASON, EVENT_OPERATOR,
        EVENT_UID, EVENT_REQID, EVENT_OWNER, EVENT_EPOCH, EVENT_FRAME, _EVENT_MAX
};
enum { BLOB_HASH, BLOB_CHUNK, BLOB_BYTES, _BLOB_MAX };

#define RUNSTORE_COLUMNS_MAX 64U
#define RUNSTORE_KEY_MAX 3U             /* columns of a primary key */
#define RUNSTORE_CHUNK_BYTES ((size_t) 1024 * 1024)     /* of a blob */

typedef enum RunStoreType {
        RUNSTORE_NULL,                  /* of a value only */
        RUNSTORE_INTEGER,               /* 64 bits, with a sign */
        RUNSTORE_TEXT,                  /* UTF-8 without a NUL inside */
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
        size_t n_key;                   /* the first columns are the primary key */
} RunStoreTableInfo;

/* @table must be below _RUNSTORE_TABLE_MAX. */
const RunStoreTableInfo *runstore_table(RunStoreTable table);
