/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A path unit: its data, and the interfaces between its files
 */

#include "basic/string_table.h"
#include "types/unit_ask.h"
#include "types/unit_say.h"
#include "unitfile/path_settings.h"

typedef enum PathState {
        PATH_DEAD,
        PATH_WAITING,
        PATH_RUNNING,                   /* the triggered unit runs, or was asked for: nothing is watched */
        PATH_FAILED,
        _PATH_STATE_MAX,
} PathState;

typedef enum PathResult {
        PATH_SUCCESS,
        PATH_FAILURE_RESOURCES,         /* a path cannot be watched, or the triggered unit cannot be requested */
        PATH_FAILURE_UNIT_START_LIMIT_HIT,
        PATH_FAILURE_TRIGGER_LIMIT_HIT,
        _PATH_RESULT_MAX,
} PathResult;

DECLARE_STRING_TABLE_TO(path_state, PathState);

typedef struct PathWatch {
        int fd;                         /* owned: inotify; -1: it is not watched */
        int32_t primary;                /* the watch of the path itself; -1: it is not there */
        bool existed;                   /* when it was last looked at */
        bool has_triggered;             /* a flow, which has not ended since; its condition has held all the time */
} PathWatch;

typedef struct Path {
        PathState state;
        PathResult result;
        VECTOR(PathWatch) watches;      /* one for each of PathSettings.values; or none */
        uint32_t triggered_by;          /* number of the path that has triggered, plus 1; 0: none has */
        uint32_t held_by;               /* the same of a path that triggers once a stop of this unit is canceled */
        usec_t limit_begin;
        uint32_t limit_count;
} Path;

static inline Path *path_of(const Unit *unit) {
        return unit->state_of_type;
}

/* A unit whose file is gone has no settings: it watches nothing. */
static inline const PathSettings *path_settings(const Unit *unit) {
        static const PathSettings none;

        return unit->type_settings ? unit->type_settings : &none;
}

/* — path_watch.c — */

/*
 * Watches the path of @value by @watch, whose descriptor is made if there is none. Of a missing path the last part that
 * exists is watched. May be called again to look anew. 0 or -errno.
 */
int path_watch_add(const PathValue *value, PathWatch *watch);

/* Reads all events. True if one is a change of the path itself, which @value waits for. */
bool path_watch_read(const PathValue *value, const PathWatch *watch);

/*
 * Returns true if the condition of @value holds; for PathChanged=, if the path has appeared or disappeared since the
 * last call.
 */
bool path_watch_is_met(const PathValue *value, PathWatch *watch);

/* — path_show.c — */
extern const UnitPropertyTable path_properties;
void path_record(const Unit *unit, RecordWriter *writer);
int path_restore(Unit *unit, RecordReader *reader);
int path_save(const Unit *unit, Sink *sink);
