/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A mount: its states, and the process that brings it from one to the other
 *
 *   dead ─ mounting ─ mounting-done ─ mounted ⇄ remounting ─ remounting-sigterm ─ remounting-sigkill
 *              │            │            │
 *              └── fails ───┤       unmounting ─ dead, or mounted if it did not work
 *                           ▼            │
 *                  unmounting-sigterm ─ unmounting-sigkill ─ dead, failed or mounted: as it is then
 *
 * Processes run mount(8) and umount(8), because either may block for ever. The
 * kernel's table says whether something is mounted, whatever the cause; so a
 * mount may appear and disappear between any two steps. Private to types.
 */

#include "basic/macro.h"
#include "basic/rate_limit.h"
#include "types/unit_ask.h"
#include "types/unit_process.h"
#include "types/unit_say.h"
#include "unitfile/mount_settings.h"
#include "unitfile/mount_table.h"

typedef enum MountState {
        MOUNT_STATE_DEAD,
        MOUNT_STATE_MOUNTING,
        MOUNT_STATE_MOUNTING_DONE,      /* mounted, but mount(8) has not ended yet */
        MOUNT_STATE_MOUNTED,
        MOUNT_STATE_REMOUNTING,
        MOUNT_STATE_UNMOUNTING,
        MOUNT_STATE_REMOUNTING_SIGTERM,
        MOUNT_STATE_REMOUNTING_SIGKILL,
        MOUNT_STATE_UNMOUNTING_SIGTERM,
        MOUNT_STATE_UNMOUNTING_SIGKILL,
        MOUNT_STATE_FAILED,
        _MOUNT_STATE_MAX,
} MountState;

typedef enum MountResult {
        MOUNT_RESULT_SUCCESS,
        MOUNT_RESULT_RESOURCES,
        MOUNT_RESULT_TIMEOUT,
        MOUNT_RESULT_EXIT_CODE,
        MOUNT_RESULT_SIGNAL,
        MOUNT_RESULT_CORE_DUMP,
        MOUNT_RESULT_START_LIMIT_HIT,
        MOUNT_RESULT_PROTOCOL,
        _MOUNT_RESULT_MAX,
} MountResult;

typedef enum MountExec {
        MOUNT_EXEC_MOUNT,
        MOUNT_EXEC_UNMOUNT,
        MOUNT_EXEC_REMOUNT,
        _MOUNT_EXEC_MAX,
} MountExec;

DECLARE_STRING_TABLE_TO(mount_state, MountState);
DECLARE_STRING_TABLE_TO(mount_result, MountResult);
DECLARE_STRING_TABLE_TO(mount_exec, MountExec);            /* "ExecMount", … */

typedef struct Mount {
        MountState state;
        MountResult result, reload_result;
        UnitProcess control;
        usec_t state_since;             /* monotonic */
        usec_t state_deadline;          /* USEC_INFINITY: none */
        bool is_there;                  /* in the kernel's table, at the last look */
        bool wants_stop;                /* a stop came while it was remounted */
        unsigned n_retries;             /* of umount(8), where several mounts are stacked */
        RateLimit starts;
        ExecCommand commands[_MOUNT_EXEC_MAX];  /* as they were run last; argv is owned */
        char *failure;                  /* owned: reason of the result if it isn't success, or NULL */
} Mount;

Mount *mount_of(const Unit *unit);
const MountSettings *mount_settings(const Unit *unit);  /* never NULL: defaults if its file is gone */
void mount_set_state(Unit *unit, MountState state);
#define mount_note_failure(unit, ...) unit_say_failure(unit, &mount_of(unit)->failure, __VA_ARGS__)

/*
 * The entry of what is mounted, borrowed for the moment; NULL: nothing. @is_fresh: the kernel's table is read again if
 * it has changed.
 */
const MountEntry *mount_find(const Unit *unit, bool is_fresh);
