/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A scope shown to users, and recorded for the next core
 *
 * Names and signatures of the properties are systemd's.
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/macro.h"
#include "types/scope.h"

static const char *const states[_SCOPE_STATE_MAX] = {
        [SCOPE_DEAD] = "dead",
        [SCOPE_RUNNING] = "running",
        [SCOPE_ABANDONED] = "abandoned",
        [SCOPE_STOP_SIGTERM] = "stop-sigterm",
        [SCOPE_STOP_SIGKILL] = "stop-sigkill",
        [SCOPE_FAILED] = "failed",
};

static const char *const results[_SCOPE_RESULT_MAX] = {
        [SCOPE_SUCCESS] = "success",
        [SCOPE_FAILURE_RESOURCES] = "resources",
        [SCOPE_FAILURE_TIMEOUT] = "timeout",
        [SCOPE_FAILURE_OOM_KILL] = "oom-kill",
};

DEFINE_STRING_TABLE_TO(scope_state, ScopeState, states)
DEFINE_STRING_TABLE_TO(scope_result, ScopeResult, results)

const ScopeSettings *scope_settings(const Unit *unit) {
        static ScopeSettings defaults;

        if (unit->type_settings)
                return unit->type_settings;
        scope_settings_init(&defaults);
        return &defaults;
}

#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const ScopeSettings *settings = scope_settings(unit);            \
                const Scope *scope = scope_of(unit);                             \
                                                                                 \
                (void) settings;                                                 \
                (void) scope;                                                    \
                put(sink, expression);                                           \
        }

GETTER(controller, sink_string, scope->controller)
GETTER(timeout_stop, sink_u64, settings->timeout_stop)
GETTER(result, sink_string, scope_result_to_string(scope->result))
GETTER(runtime_max, sink_u64, settings->runtime_max)
GETTER(runtime_extra, sink_u64, settings->runtime_extra)

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE

static const UnitProperty rows[] = {
        { "Controller", "s", E, get_controller,
          "The bus name of its controller, which is asked to end it; empty: none." },
        { "TimeoutStopUSec", "t", C, get_timeout_stop, "How long its processes may take to end." },
        { "Result", "s", E, get_result, "success, resources, timeout or oom-kill." },
        { "RuntimeMaxUSec", "t", C, get_runtime_max, "How long it may run." },
        { "RuntimeRandomizedExtraUSec", "t", C, get_runtime_extra,
          "How much longer than RuntimeMaxUSec it may run at most, at random." },
};

const UnitPropertyTable scope_properties = { rows, ELEMENTSOF(rows), true, UNIT_SCOPE };

/* — records — */

void scope_record(const Unit *unit, RecordWriter *writer) {
        const Scope *scope = scope_of(unit);

        record_put(writer, scope->state);
        record_put(writer, scope->result);
        record_put(writer, scope->was_started | scope->is_grouped << 1);
        record_put_string(writer, scope->controller);
        record_put(writer, scope->runtime_deadline);
        record_put(writer, scope->stop_deadline);
        record_put(writer, scope->pids.n);
        for (size_t i = 0; i < scope->pids.n; i++)
                record_put_signed(writer, scope->pids.items[i]);
}

static int read_all(Scope *scope, RecordReader *reader) {
        uint64_t flags, n;

        scope->state = (ScopeState) record_get_below(reader, _SCOPE_STATE_MAX);
        scope->result = (ScopeResult) record_get_below(reader, _SCOPE_RESULT_MAX);
        flags = record_get_below(reader, 4);
        scope->was_started = flags & 1;
        scope->is_grouped = flags & 2;
        scope->controller = record_get_string_copy(reader);
        scope->runtime_deadline = record_get(reader);
        scope->stop_deadline = record_get(reader);
        n = record_get(reader);
        for (uint64_t i = 0; i < n && !reader->has_failed; i++)
                if (vector_push(&scope->pids, (pid_t) record_get_signed(reader)) < 0)
                        return -ENOMEM;
        return reader->has_failed ? -EBADMSG : 0;
}

int scope_restore(Unit *unit, RecordReader *reader) {
        Scope scope = {};

        if (read_all(&scope, reader) < 0) {
                vector_deinit(&scope.pids);
                free(scope.controller);
                return -EBADMSG;
        }
        vector_deinit(&scope_of(unit)->pids);
        free(scope_of(unit)->controller);
        *scope_of(unit) = scope;
        return 0;
}

int scope_save(const Unit *unit, Sink *sink) {
        const Scope *scope = scope_of(unit);

        sink_entry_string(sink, "state", scope_state_to_string(scope->state));
        sink_entry_string(sink, "result", scope_result_to_string(scope->result));
        sink_entry_u32(sink, "processes", (uint32_t) scope->pids.n);
        return sink->error;
}
