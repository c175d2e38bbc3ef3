/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A path unit shown to users, and recorded for the next core
 *
 * Names and signatures of the properties are systemd's.
 */

#include <errno.h>

#include "basic/macro.h"
#include "types/path.h"

static const char *const states[_PATH_STATE_MAX] = {
        [PATH_DEAD] = "dead",
        [PATH_WAITING] = "waiting",
        [PATH_RUNNING] = "running",
        [PATH_FAILED] = "failed",
};

static const char *const results[_PATH_RESULT_MAX] = {
        [PATH_SUCCESS] = "success",
        [PATH_FAILURE_RESOURCES] = "resources",
        [PATH_FAILURE_UNIT_START_LIMIT_HIT] = "unit-start-limit-hit",
        [PATH_FAILURE_TRIGGER_LIMIT_HIT] = "trigger-limit-hit",
};

DEFINE_STRING_TABLE_TO(path_state, PathState, states)

/* — properties — */

static void get_unit(const Unit *unit, Sink *sink) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERS);

        sink_string(sink, triggers.n > 0 ? unit_table_at(unit->table, triggers.items[0].other)->id :
                                           path_settings(unit)->unit);
}

static void get_paths(const Unit *unit, Sink *sink) {
        const PathSettings *settings = path_settings(unit);

        sink_open(sink, 'a', "(ss)");
        for (size_t i = 0; i < settings->values.n; i++) {
                sink_open(sink, 'r', "ss");
                sink_string(sink, path_kind_to_string(settings->values.items[i].kind));
                sink_string(sink, settings->values.items[i].path);
                sink_close(sink);
        }
        sink_close(sink);
}

#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                put(sink, expression);                                           \
        }

GETTER(make_directory, sink_bool, path_settings(unit)->make_directory)
GETTER(directory_mode, sink_u32, path_settings(unit)->directory_mode)
GETTER(result, sink_string, results[path_of(unit)->result])
GETTER(limit_interval, sink_u64, path_settings(unit)->limit_interval)
GETTER(limit_burst, sink_u32, path_settings(unit)->limit_burst)

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE

static const UnitProperty rows[] = {
        { "Unit", "s", C, get_unit, "The unit that it triggers." },
        { "Paths", "a(ss)", C, get_paths, "The watched paths: the setting, and the path." },
        { "MakeDirectory", "b", C, get_make_directory, "Whether missing folders that are watched are made." },
        { "DirectoryMode", "u", C, get_directory_mode, "The access mode of folders that are made." },
        { "Result", "s", E, get_result,
          "'success', 'resources', 'unit-start-limit-hit' or 'trigger-limit-hit': why it has failed." },
        { "TriggerLimitIntervalUSec", "t", C, get_limit_interval, "The interval of TriggerLimitBurst." },
        { "TriggerLimitBurst", "u", C, get_limit_burst, "How often it may trigger its unit in that interval." },
};

const UnitPropertyTable path_properties = { rows, ELEMENTSOF(rows), true, UNIT_PATH };

/* — records — */

void path_record(const Unit *unit, RecordWriter *writer) {
        const Path *path = path_of(unit);

        record_put(writer, path->state);
        record_put(writer, path->result);
        record_put(writer, path->triggered_by);
        record_put(writer, path->limit_begin);
        record_put(writer, path->limit_count);
        record_put(writer, path->watches.n);
        for (size_t i = 0; i < path->watches.n; i++) {
                record_put_signed(writer, path->watches.items[i].primary);
                record_put(writer, path->watches.items[i].existed);
        }
        record_put(writer, path->held_by);
        for (size_t i = 0; i < path->watches.n; i++)
                record_put(writer, path->watches.items[i].has_triggered);
}

static int read_all(Path *path, size_t most, RecordReader *reader) {
        uint64_t n;

        path->state = (PathState) record_get_below(reader, _PATH_STATE_MAX);
        path->result = (PathResult) record_get_below(reader, _PATH_RESULT_MAX);
        path->triggered_by = (uint32_t) record_get_below(reader, UINT32_MAX);
        path->limit_begin = record_get(reader);
        path->limit_count = (uint32_t) record_get(reader);
        n = record_get(reader);
        for (uint64_t i = 0; i < n && !reader->has_failed; i++) {
                PathWatch watch = { .fd = -1, .primary = (int32_t) record_get_signed(reader) };

                watch.existed = record_get_below(reader, 2) != 0;
                if (i < most && vector_push(&path->watches, watch) < 0)
                        return -ENOMEM;
        }
        /* The unit file may have more paths by now: those are not watched yet. */
        while (path->watches.n < most && n > 0)
                if (vector_push(&path->watches, ((PathWatch) { .fd = -1, .primary = -1 })) < 0)
                        return -ENOMEM;
        /* Older records end here. */
        path->held_by = record_is_at_end(reader) ? 0 : (uint32_t) record_get_below(reader, UINT32_MAX);
        for (uint64_t i = 0; i < n && !record_is_at_end(reader) && !reader->has_failed; i++) {
                const bool has_triggered = record_get_below(reader, 2) != 0;

                if (i < path->watches.n)
                        path->watches.items[i].has_triggered = has_triggered;
        }
        return reader->has_failed ? -EBADMSG : 0;
}

int path_restore(Unit *unit, RecordReader *reader) {
        Path path = {};
        int r = read_all(&path, path_settings(unit)->values.n, reader);

        if (r < 0) {
                vector_deinit(&path.watches);
                return -EBADMSG;
        }
        vector_deinit(&path_of(unit)->watches);
        *path_of(unit) = path;
        return 0;
}

int path_save(const Unit *unit, Sink *sink) {
        const Path *path = path_of(unit);

        sink_entry_string(sink, "state", path_state_to_string(path->state));
        sink_entry_string(sink, "result", results[path->result]);
        sink_entry_u64(sink, "limit-begin", path->limit_begin);
        sink_entry_u32(sink, "limit-count", path->limit_count);
        return sink->error;
}
