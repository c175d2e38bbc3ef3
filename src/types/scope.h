/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A scope: its data, and the interfaces between its files
 */

#include "basic/string_table.h"
#include "basic/vector.h"
#include "types/unit_ask.h"
#include "types/unit_say.h"
#include "unitfile/scope_settings.h"

typedef enum ScopeState {
        SCOPE_DEAD,
        SCOPE_RUNNING,
        SCOPE_ABANDONED,                /* its controller has given it up */
        SCOPE_STOP_SIGTERM,
        SCOPE_STOP_SIGKILL,
        SCOPE_FAILED,
        _SCOPE_STATE_MAX,
} ScopeState;

typedef enum ScopeResult {
        SCOPE_SUCCESS,
        SCOPE_FAILURE_RESOURCES,
        SCOPE_FAILURE_TIMEOUT,
        SCOPE_FAILURE_OOM_KILL,
        _SCOPE_RESULT_MAX,
} ScopeResult;

DECLARE_STRING_TABLE_TO(scope_state, ScopeState);
DECLARE_STRING_TABLE_TO(scope_result, ScopeResult);

typedef struct Scope {
        ScopeState state;
        ScopeResult result;
        bool was_started;               /* a scope can be started once */
        bool is_grouped;                /* processes are those of a control group rather than .pids */
        bool shares;                    /* another unit watches over one of .pids: their ends are not told here */
        VECTOR(pid_t) pids;             /* watched processes: before the start, or without a group */
        char *controller;               /* owned: a name on the bus; NULL: none */
        usec_t runtime_deadline;        /* USEC_INFINITY: none */
        usec_t stop_deadline;
} Scope;

static inline Scope *scope_of(const Unit *unit) {
        return unit->state_of_type;
}

const ScopeSettings *scope_settings(const Unit *unit);

/* — scope_show.c — */
extern const UnitPropertyTable scope_properties;
void scope_record(const Unit *unit, RecordWriter *writer);
int scope_restore(Unit *unit, RecordReader *reader);
int scope_save(const Unit *unit, Sink *sink);
