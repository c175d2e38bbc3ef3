/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the files of a path unit offer each other
 */

#include "basic/string_table.h"
#include "types/unit_ask.h"
#include "types/unit_say.h"
#include "unitfile/path_settings.h"

typedef enum PathState {
        PATH_DEAD,
        PATH_WAITING,
        PATH_RUNNING,                   /* the unit that it triggers runs, or was asked for: nothing is watched */
        PATH_FAILED,
        _PATH_STATE_MAX,
} PathState;

typedef enum PathResult {
        PATH_SUCCESS,
        PATH_FAILURE_RESOURCES,         /* it cannot be watched, or what it triggers cannot be asked for */
        PATH_FAILURE_UNIT_START_LIMIT_HIT,
        PATH_FAILURE_TRIGGER_LIMIT_HIT,
        _PATH_RESULT_MAX,
} PathResult;

DECLARE_STRING_TABLE_TO(path_state, PathState);

/* Of one path. */
typedef struct PathWatch {
        int fd;                         /* owned: inotify; -1: it is not watched */
        int32_t primary;                /* the watch of the path itself; -1: it is not there */
        bool existed;                   /* when it was last looked at */
} PathWatch;

typedef struct Path {
        PathState state;
        PathResult result;
        VECTOR(PathWatch) watches;      /* one for each of PathSettings.values; or none */
        uint32_t triggered_by;          /* the number of the path that has triggered, and 1; 0: it runs for another reason */
        uint32_t held_by;               /* the same of one that will trigger, if a stop of this unit is canceled */
        usec_t limit_begin;
        uint32_t limit_count;
} Path;

static inline Path *path_of(const Unit *unit) {
        return unit->state_of_type;
}

/* A unit whose file is gone has none: it watches nothing. */
static inline const PathSettings *path_settings(const Unit *unit) {
        static const PathSettings none;

        return unit->type_settings ? unit->type_settings : &none;
}

/* — path_watch.c — */

/*
 * Watches @value by @watch, whose descriptor is made if there is none: the path, and of what leads to it the last part that
 * is there for what is missing. May be called again to look anew. 0 or -errno.
 */
int path_watch_add(const PathValue *value, PathWatch *watch);

/* Takes all that inotify has to tell. Was it about a change of the path itself, which is what @value waits for? */
bool path_watch_read(const PathValue *value, const PathWatch *watch);

/* Does the condition of @value hold? Of a change: has it come or gone since it was last looked at? */
bool path_watch_is_met(const PathValue *value, PathWatch *watch);

/* — path_show.c — */
extern const UnitPropertyTable path_properties;
void path_record(const Unit *unit, RecordWriter *writer);
int path_restore(Unit *unit, RecordReader *reader);
int path_save(const Unit *unit, Sink *sink);
