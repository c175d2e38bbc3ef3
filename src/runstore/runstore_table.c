/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and types of all columns
 *
 * The file's tables, the check of a batch and the filters of a query are made
 * from this table.
 */

#include <assert.h>

#include "basic/macro.h"
#include "runstore/runstore_table.h"

static const RunStoreColumn def_columns[_DEF_MAX] = {
        [DEF_HASH] = { "hash", RUNSTORE_BYTES },  [DEF_FORMAT] = { "format", RUNSTORE_INTEGER },
        [DEF_TEXT] = { "text", RUNSTORE_TEXT },   [DEF_CREATED] = { "created", RUNSTORE_INTEGER },
        [DEF_NODES] = { "nodes", RUNSTORE_TEXT },
};

static const RunStoreColumn def_node_columns[_DEF_NODE_MAX] = {
        [DEF_NODE_HASH] = { "hash", RUNSTORE_BYTES },
        [DEF_NODE_NUMBER] = { "number", RUNSTORE_INTEGER },
        [DEF_NODE_NAME] = { "name", RUNSTORE_TEXT },
        [DEF_NODE_SETTINGS] = { "settings", RUNSTORE_TEXT },
};

static const RunStoreColumn def_edge_columns[_DEF_EDGE_MAX] = {
        [DEF_EDGE_HASH] = { "hash", RUNSTORE_BYTES },
        [DEF_EDGE_CHILD] = { "child", RUNSTORE_INTEGER },
        [DEF_EDGE_PARENT] = { "parent", RUNSTORE_INTEGER },
        [DEF_EDGE_KIND] = { "kind", RUNSTORE_TEXT },
};

static const RunStoreColumn run_columns[_RUN_ROW_MAX] = {
        [RUN_ROW_ID] = { "id", RUNSTORE_INTEGER },
        [RUN_ROW_UNIT] = { "unit", RUNSTORE_TEXT },
        [RUN_ROW_NAME] = { "name", RUNSTORE_TEXT },
        [RUN_ROW_KEY] = { "key", RUNSTORE_TEXT },
        [RUN_ROW_KIND] = { "kind", RUNSTORE_TEXT },
        [RUN_ROW_STATE] = { "state", RUNSTORE_TEXT },
        [RUN_ROW_REASON] = { "reason", RUNSTORE_TEXT },
        [RUN_ROW_HOST] = { "host", RUNSTORE_TEXT },
        [RUN_ROW_OPERATOR] = { "operator", RUNSTORE_TEXT },
        [RUN_ROW_OWNER] = { "owner", RUNSTORE_TEXT },
        [RUN_ROW_NAMESPACE] = { "namespace", RUNSTORE_TEXT },
        [RUN_ROW_REQID] = { "reqid", RUNSTORE_TEXT },
        [RUN_ROW_ROUND] = { "round", RUNSTORE_INTEGER },
        [RUN_ROW_PRIORITY] = { "priority", RUNSTORE_INTEGER },
        [RUN_ROW_CREATED] = { "created", RUNSTORE_INTEGER },
        [RUN_ROW_QUEUED] = { "queued", RUNSTORE_INTEGER },
        [RUN_ROW_STARTED] = { "started", RUNSTORE_INTEGER },
        [RUN_ROW_ENDED] = { "ended", RUNSTORE_INTEGER },
        [RUN_ROW_DEADLINE] = { "deadline", RUNSTORE_INTEGER },
        [RUN_ROW_WHY] = { "why", RUNSTORE_TEXT },
        [RUN_ROW_PARAMS] = { "params", RUNSTORE_TEXT },
        [RUN_ROW_RESULT] = { "result", RUNSTORE_TEXT },
        [RUN_ROW_DEFINITION] = { "definition", RUNSTORE_BYTES },
        [RUN_ROW_VALID] = { "valid", RUNSTORE_INTEGER },
        [RUN_ROW_UID] = { "uid", RUNSTORE_INTEGER },
        [RUN_ROW_CLIENT] = { "client", RUNSTORE_TEXT },
        [RUN_ROW_RET_STAT] = { "ret_stat", RUNSTORE_TEXT },
        [RUN_ROW_COST] = { "cost", RUNSTORE_INTEGER },
        [RUN_ROW_TRIGGER] = { "trigger", RUNSTORE_TEXT },
        [RUN_ROW_PARENT] = { "parent", RUNSTORE_INTEGER },
        [RUN_ROW_PARENT_NODE] = { "parent_node", RUNSTORE_TEXT },
        [RUN_ROW_BOOT] = { "boot", RUNSTORE_TEXT },
        [RUN_ROW_REMAINING] = { "remaining", RUNSTORE_INTEGER },
        [RUN_ROW_HELD] = { "held", RUNSTORE_INTEGER },
        [RUN_ROW_DELETED] = { "deleted", RUNSTORE_INTEGER },
        [RUN_ROW_DONE] = { "done", RUNSTORE_INTEGER },
        [RUN_ROW_FAILED] = { "failed", RUNSTORE_INTEGER },
        [RUN_ROW_RUNNING] = { "running", RUNSTORE_INTEGER },
        [RUN_ROW_TOTAL] = { "total", RUNSTORE_INTEGER },
        [RUN_ROW_EPOCH] = { "epoch", RUNSTORE_INTEGER },
        [RUN_ROW_FRAME] = { "frame", RUNSTORE_INTEGER },
        [RUN_ROW_OUTCOME] = { "outcome", RUNSTORE_TEXT },
        [RUN_ROW_PAUSED] = { "paused", RUNSTORE_INTEGER },
        [RUN_ROW_PLACE] = { "place", RUNSTORE_INTEGER },
        [RUN_ROW_QUEUED_AT] = { "queued_at", RUNSTORE_INTEGER },
        [RUN_ROW_LIMIT] = { "limit", RUNSTORE_INTEGER },
        [RUN_ROW_AT] = { "at", RUNSTORE_INTEGER },
        [RUN_ROW_SEQUENCE] = { "sequence", RUNSTORE_INTEGER },
        [RUN_ROW_ENVIRONMENT] = { "environment", RUNSTORE_BYTES },
        [RUN_ROW_CURSOR] = { "cursor", RUNSTORE_BYTES },
        [RUN_ROW_LAUNCHES] = { "launches", RUNSTORE_INTEGER },
};

static const RunStoreColumn node_columns[_NODE_MAX] = {
        [NODE_RUN] = { "run", RUNSTORE_INTEGER },
        [NODE_NAME] = { "name", RUNSTORE_TEXT },
        [NODE_GENERATION] = { "generation", RUNSTORE_INTEGER },
        [NODE_STATE] = { "state", RUNSTORE_TEXT },
        [NODE_REASON] = { "reason", RUNSTORE_TEXT },
        [NODE_ATTEMPTS] = { "attempts", RUNSTORE_INTEGER },
        [NODE_STARTED] = { "started", RUNSTORE_INTEGER },
        [NODE_ENDED] = { "ended", RUNSTORE_INTEGER },
        [NODE_EXIT] = { "exit", RUNSTORE_INTEGER },
        [NODE_SIGNAL] = { "signal", RUNSTORE_INTEGER },
        [NODE_RESULT] = { "result", RUNSTORE_TEXT },
        [NODE_SOURCE] = { "source", RUNSTORE_TEXT },
        [NODE_CAUSE] = { "cause", RUNSTORE_TEXT },
        [NODE_WHY] = { "why", RUNSTORE_TEXT },
        [NODE_LABEL] = { "label", RUNSTORE_TEXT },
        [NODE_REQID] = { "reqid", RUNSTORE_TEXT },
        [NODE_RET_STAT] = { "ret_stat", RUNSTORE_TEXT },
        [NODE_BOOT] = { "boot", RUNSTORE_TEXT },
        [NODE_NOT_BEFORE] = { "not_before", RUNSTORE_INTEGER },
        [NODE_REMAINING] = { "remaining", RUNSTORE_INTEGER },
        [NODE_DEADLINE] = { "deadline", RUNSTORE_INTEGER },
        [NODE_TRIES] = { "tries", RUNSTORE_INTEGER },
        [NODE_LOST] = { "lost", RUNSTORE_INTEGER },
        [NODE_BLOB] = { "blob", RUNSTORE_BYTES },
        [NODE_TOKEN] = { "token", RUNSTORE_TEXT },
        [NODE_AGAINS] = { "agains", RUNSTORE_INTEGER },
        [NODE_OUTCOME] = { "outcome", RUNSTORE_INTEGER },
        [NODE_ATTEMPT] = { "attempt", RUNSTORE_INTEGER },
        [NODE_AT] = { "at", RUNSTORE_INTEGER },
        [NODE_FIRST_AT] = { "first_at", RUNSTORE_INTEGER },
        [NODE_MARKS] = { "marks", RUNSTORE_INTEGER },
        [NODE_ITEMS] = { "items", RUNSTORE_INTEGER },
        [NODE_INSTANCES] = { "instances", RUNSTORE_TEXT },
};

static const RunStoreColumn attempt_columns[_ATTEMPT_MAX] = {
        [ATTEMPT_ID] = { "id", RUNSTORE_INTEGER },
        [ATTEMPT_RUN] = { "run", RUNSTORE_INTEGER },
        [ATTEMPT_NODE] = { "node", RUNSTORE_TEXT },
        [ATTEMPT_GENERATION] = { "generation", RUNSTORE_INTEGER },
        [ATTEMPT_NUMBER] = { "number", RUNSTORE_INTEGER },
        [ATTEMPT_STATE] = { "state", RUNSTORE_TEXT },
        [ATTEMPT_BOOT] = { "boot", RUNSTORE_TEXT },
        [ATTEMPT_PID] = { "pid", RUNSTORE_INTEGER },
        [ATTEMPT_PID_START] = { "pid_start", RUNSTORE_INTEGER },
        [ATTEMPT_CGROUP] = { "cgroup", RUNSTORE_TEXT },
        [ATTEMPT_INVOCATION] = { "invocation", RUNSTORE_TEXT },
        [ATTEMPT_STARTED] = { "started", RUNSTORE_INTEGER },
        [ATTEMPT_ENDED] = { "ended", RUNSTORE_INTEGER },
        [ATTEMPT_EXIT] = { "exit", RUNSTORE_INTEGER },
        [ATTEMPT_SIGNAL] = { "signal", RUNSTORE_INTEGER },
        [ATTEMPT_RESULT] = { "result", RUNSTORE_TEXT },
        [ATTEMPT_JOB] = { "job", RUNSTORE_INTEGER },
        [ATTEMPT_HOST] = { "host", RUNSTORE_TEXT },
        [ATTEMPT_OWNER] = { "owner", RUNSTORE_TEXT },
        [ATTEMPT_EPOCH] = { "epoch", RUNSTORE_INTEGER },
        [ATTEMPT_FRAME] = { "frame", RUNSTORE_INTEGER },
        [ATTEMPT_WHY] = { "why", RUNSTORE_TEXT },
};

static const RunStoreColumn outbox_columns[_OUTBOX_MAX] = {
        [OUTBOX_ID] = { "id", RUNSTORE_INTEGER },
        [OUTBOX_RUN] = { "run", RUNSTORE_INTEGER },
        [OUTBOX_NODE] = { "node", RUNSTORE_TEXT },
        [OUTBOX_KIND] = { "kind", RUNSTORE_TEXT },
        [OUTBOX_TARGET] = { "target", RUNSTORE_TEXT },
        [OUTBOX_PAYLOAD] = { "payload", RUNSTORE_TEXT },
        [OUTBOX_STATE] = { "state", RUNSTORE_TEXT },
        [OUTBOX_TRIES] = { "tries", RUNSTORE_INTEGER },
        [OUTBOX_NOT_BEFORE] = { "not_before", RUNSTORE_INTEGER },
        [OUTBOX_CREATED] = { "created", RUNSTORE_INTEGER },
        [OUTBOX_ERROR] = { "error", RUNSTORE_TEXT },
        [OUTBOX_OWNER] = { "owner", RUNSTORE_TEXT },
};

static const RunStoreColumn alarm_columns[_ALARM_MAX] = {
        [ALARM_ID] = { "id", RUNSTORE_INTEGER },
        [ALARM_RUN] = { "run", RUNSTORE_INTEGER },
        [ALARM_NODE] = { "node", RUNSTORE_TEXT },
        [ALARM_KIND] = { "kind", RUNSTORE_TEXT },
        [ALARM_TEXT] = { "text", RUNSTORE_TEXT },
        [ALARM_RAISED] = { "raised", RUNSTORE_INTEGER },
        [ALARM_ACKNOWLEDGED] = { "acknowledged", RUNSTORE_INTEGER },
        [ALARM_OPERATOR] = { "operator", RUNSTORE_TEXT },
        [ALARM_UNIT] = { "unit", RUNSTORE_TEXT },
};

static const RunStoreColumn event_columns[_EVENT_MAX] = {
        [EVENT_ID] = { "id", RUNSTORE_INTEGER },          [EVENT_RUN] = { "run", RUNSTORE_INTEGER },
        [EVENT_NODE] = { "node", RUNSTORE_TEXT },         [EVENT_AT] = { "at", RUNSTORE_INTEGER },
        [EVENT_KIND] = { "kind", RUNSTORE_TEXT },         [EVENT_OLD] = { "old", RUNSTORE_TEXT },
        [EVENT_NEW] = { "new", RUNSTORE_TEXT },           [EVENT_REASON] = { "reason", RUNSTORE_TEXT },
        [EVENT_OPERATOR] = { "operator", RUNSTORE_TEXT }, [EVENT_UID] = { "uid", RUNSTORE_INTEGER },
        [EVENT_REQID] = { "reqid", RUNSTORE_TEXT },       [EVENT_OWNER] = { "owner", RUNSTORE_TEXT },
        [EVENT_EPOCH] = { "epoch", RUNSTORE_INTEGER },    [EVENT_FRAME] = { "frame", RUNSTORE_INTEGER },
};

static const RunStoreColumn blob_columns[_BLOB_MAX] = {
        [BLOB_HASH] = { "hash", RUNSTORE_BYTES },
        [BLOB_CHUNK] = { "chunk", RUNSTORE_INTEGER },
        [BLOB_BYTES] = { "bytes", RUNSTORE_BYTES },
};

static const RunStoreColumn blob_use_columns[_BLOB_USE_MAX] = {
        [BLOB_USE_RUN] = { "run", RUNSTORE_INTEGER },
        [BLOB_USE_HASH] = { "hash", RUNSTORE_BYTES },
};

static const RunStoreColumn item_error_columns[_ITEM_ERROR_MAX] = {
        [ITEM_ERROR_RUN] = { "run", RUNSTORE_INTEGER },
        [ITEM_ERROR_ITEM] = { "item", RUNSTORE_INTEGER },
        [ITEM_ERROR_TRIES] = { "tries", RUNSTORE_INTEGER },
        [ITEM_ERROR_REASON] = { "reason", RUNSTORE_TEXT },
        [ITEM_ERROR_EXIT] = { "exit", RUNSTORE_INTEGER },
        [ITEM_ERROR_SIGNAL] = { "signal", RUNSTORE_INTEGER },
        [ITEM_ERROR_ENDED] = { "ended", RUNSTORE_INTEGER },
        [ITEM_ERROR_WHY] = { "why", RUNSTORE_TEXT },
        [ITEM_ERROR_TEXT] = { "text", RUNSTORE_TEXT },
};

static const RunStoreColumn element_columns[_ELEMENT_MAX] = {
        [ELEMENT_RUN] = { "run", RUNSTORE_INTEGER },
        [ELEMENT_SEQUENCE] = { "sequence", RUNSTORE_INTEGER },
        [ELEMENT_GROUP] = { "group", RUNSTORE_TEXT },
        [ELEMENT_POSITION] = { "position", RUNSTORE_INTEGER },
        [ELEMENT_KEY] = { "key", RUNSTORE_TEXT },
        [ELEMENT_PROCESSOR] = { "processor", RUNSTORE_TEXT },
        [ELEMENT_STATE] = { "state", RUNSTORE_TEXT },
        [ELEMENT_REASON] = { "reason", RUNSTORE_TEXT },
        [ELEMENT_TRIES] = { "tries", RUNSTORE_INTEGER },
        [ELEMENT_LOST] = { "lost", RUNSTORE_INTEGER },
        [ELEMENT_EXIT] = { "exit", RUNSTORE_INTEGER },
        [ELEMENT_SIGNAL] = { "signal", RUNSTORE_INTEGER },
        [ELEMENT_WHY] = { "why", RUNSTORE_TEXT },
        [ELEMENT_OPERATOR] = { "operator", RUNSTORE_TEXT },
        [ELEMENT_PUSHED] = { "pushed", RUNSTORE_INTEGER },
        [ELEMENT_BEGAN] = { "began", RUNSTORE_INTEGER },
        [ELEMENT_ENDED] = { "ended", RUNSTORE_INTEGER },
        [ELEMENT_ATTEMPT] = { "attempt", RUNSTORE_INTEGER },
        [ELEMENT_RESULT] = { "result", RUNSTORE_BYTES },
        [ELEMENT_PAYLOAD] = { "payload", RUNSTORE_BYTES },
};

static const RunStoreColumn stream_group_columns[_STREAM_GROUP_MAX] = {
        [STREAM_GROUP_RUN] = { "run", RUNSTORE_INTEGER },
        [STREAM_GROUP_NAME] = { "name", RUNSTORE_TEXT },
        [STREAM_GROUP_HEAD] = { "head", RUNSTORE_INTEGER },
        [STREAM_GROUP_TAIL] = { "tail", RUNSTORE_INTEGER },
        [STREAM_GROUP_WAITING] = { "waiting", RUNSTORE_INTEGER },
        [STREAM_GROUP_DONE] = { "done", RUNSTORE_INTEGER },
        [STREAM_GROUP_FAILED] = { "failed", RUNSTORE_INTEGER },
        [STREAM_GROUP_STATE] = { "state", RUNSTORE_TEXT },
};

static const RunStoreColumn stream_key_columns[_STREAM_KEY_MAX] = {
        [STREAM_KEY_RUN] = { "run", RUNSTORE_INTEGER },
        [STREAM_KEY_KEY] = { "key", RUNSTORE_TEXT },
        [STREAM_KEY_SEQUENCE] = { "sequence", RUNSTORE_INTEGER },
        [STREAM_KEY_AT] = { "at", RUNSTORE_INTEGER },
};

static const RunStoreTableInfo tables[_RUNSTORE_TABLE_MAX] = {
        [RUNSTORE_DEF] = { "def", def_columns, ELEMENTSOF(def_columns), 1 },
        [RUNSTORE_DEF_NODE] = { "def_node", def_node_columns, ELEMENTSOF(def_node_columns), 2 },
        [RUNSTORE_DEF_EDGE] = { "def_edge", def_edge_columns, ELEMENTSOF(def_edge_columns), 3 },
        [RUNSTORE_RUN] = { "run", run_columns, ELEMENTSOF(run_columns), 1 },
        [RUNSTORE_NODE] = { "node", node_columns, ELEMENTSOF(node_columns), 2 },
        [RUNSTORE_ATTEMPT] = { "attempt", attempt_columns, ELEMENTSOF(attempt_columns), 2 },
        [RUNSTORE_OUTBOX] = { "outbox", outbox_columns, ELEMENTSOF(outbox_columns), 1 },
        [RUNSTORE_ALARM] = { "alarm", alarm_columns, ELEMENTSOF(alarm_columns), 1 },
        [RUNSTORE_EVENT] = { "event", event_columns, ELEMENTSOF(event_columns), 2 },
        [RUNSTORE_BLOB] = { "blob", blob_columns, ELEMENTSOF(blob_columns), 2 },
        [RUNSTORE_BLOB_USE] = { "blob_use", blob_use_columns, ELEMENTSOF(blob_use_columns), 2 },
        [RUNSTORE_ITEM_ERROR] = { "item_error", item_error_columns, ELEMENTSOF(item_error_columns), 2 },
        [RUNSTORE_ELEMENT] = { "element", element_columns, ELEMENTSOF(element_columns), 2 },
        [RUNSTORE_STREAM_GROUP] = { "stream_group", stream_group_columns, ELEMENTSOF(stream_group_columns), 2 },
        [RUNSTORE_STREAM_KEY] = { "stream_key", stream_key_columns, ELEMENTSOF(stream_key_columns), 2 },
};

const RunStoreTableInfo *runstore_table(RunStoreTable table) {
        assert((unsigned) table < _RUNSTORE_TABLE_MAX);
        return &tables[table];
}
