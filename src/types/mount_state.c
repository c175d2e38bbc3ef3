/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data of a mount
 *
 * The leaf of the folder's mount files: data, settings, the look at what is mounted, and the change of state, on which
 * mount_step.c decides.
 */

#include <stdlib.h>

#include "types/mount_state.h"

static const char *const mount_state_table[] = {
        [MOUNT_STATE_DEAD] = "dead",
        [MOUNT_STATE_MOUNTING] = "mounting",
        [MOUNT_STATE_MOUNTING_DONE] = "mounting-done",
        [MOUNT_STATE_MOUNTED] = "mounted",
        [MOUNT_STATE_REMOUNTING] = "remounting",
        [MOUNT_STATE_UNMOUNTING] = "unmounting",
        [MOUNT_STATE_REMOUNTING_SIGTERM] = "remounting-sigterm",
        [MOUNT_STATE_REMOUNTING_SIGKILL] = "remounting-sigkill",
        [MOUNT_STATE_UNMOUNTING_SIGTERM] = "unmounting-sigterm",
        [MOUNT_STATE_UNMOUNTING_SIGKILL] = "unmounting-sigkill",
        [MOUNT_STATE_FAILED] = "failed",
};

static const char *const mount_result_table[] = {
        [MOUNT_RESULT_SUCCESS] = "success",
        [MOUNT_RESULT_RESOURCES] = "resources",
        [MOUNT_RESULT_TIMEOUT] = "timeout",
        [MOUNT_RESULT_EXIT_CODE] = "exit-code",
        [MOUNT_RESULT_SIGNAL] = "signal",
        [MOUNT_RESULT_CORE_DUMP] = "core-dump",
        [MOUNT_RESULT_START_LIMIT_HIT] = "start-limit-hit",
        [MOUNT_RESULT_PROTOCOL] = "protocol",
};

static const char *const mount_exec_table[] = {
        [MOUNT_EXEC_MOUNT] = "ExecMount",
        [MOUNT_EXEC_UNMOUNT] = "ExecUnmount",
        [MOUNT_EXEC_REMOUNT] = "ExecRemount",
};

DEFINE_STRING_TABLE_TO(mount_state, MountState, mount_state_table)
DEFINE_STRING_TABLE_TO(mount_result, MountResult, mount_result_table)
DEFINE_STRING_TABLE_TO(mount_exec, MountExec, mount_exec_table)

static const UnitActiveState active_state_table[] = {
        [MOUNT_STATE_DEAD] = UNIT_INACTIVE,
        [MOUNT_STATE_MOUNTING] = UNIT_ACTIVATING,
        [MOUNT_STATE_MOUNTING_DONE] = UNIT_ACTIVATING,
        [MOUNT_STATE_MOUNTED] = UNIT_ACTIVE,
        [MOUNT_STATE_REMOUNTING] = UNIT_RELOADING,
        [MOUNT_STATE_UNMOUNTING] = UNIT_DEACTIVATING,
        [MOUNT_STATE_REMOUNTING_SIGTERM] = UNIT_RELOADING,
        [MOUNT_STATE_REMOUNTING_SIGKILL] = UNIT_RELOADING,
        [MOUNT_STATE_UNMOUNTING_SIGTERM] = UNIT_DEACTIVATING,
        [MOUNT_STATE_UNMOUNTING_SIGKILL] = UNIT_DEACTIVATING,
        [MOUNT_STATE_FAILED] = UNIT_FAILED,
};

Mount *mount_of(const Unit *unit) {
        return unit->state_of_type;
}

const MountSettings *mount_settings(const Unit *unit) {
        static MountSettings fallback;

        if (unit->type_settings)
                return unit->type_settings;
        mount_settings_init(&fallback);
        return &fallback;
}

const MountEntry *mount_find(const Unit *unit, bool is_fresh) {
        UnitHost *host = unit_host(unit);
        const char *where = mount_settings(unit)->where;

        return where && host->ops->find_mount ? host->ops->find_mount(host, where, is_fresh) : NULL;
}

static bool has_process(MountState state) {
        return state != MOUNT_STATE_DEAD && state != MOUNT_STATE_MOUNTED && state != MOUNT_STATE_FAILED;
}

static bool is_remounting(MountState state) {
        return state == MOUNT_STATE_REMOUNTING || state == MOUNT_STATE_REMOUNTING_SIGTERM ||
               state == MOUNT_STATE_REMOUNTING_SIGKILL;
}

void mount_set_state(Unit *unit, MountState state) {
        Mount *mount = mount_of(unit);
        MountState old = mount->state;
        bool has_not_reloaded = is_remounting(old) && mount->reload_result != MOUNT_RESULT_SUCCESS;

        if (!has_process(state)) {
                unit_process_forget(unit, UNIT_PURPOSE_CONTROL, &mount->control);
                mount->state_deadline = USEC_INFINITY;
                (void) unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, USEC_INFINITY);
        }
        mount->state = state;
        if (state != old)
                mount->state_since = unit_now(unit);
        unit_publish(unit, active_state_table[state],
                     state == MOUNT_STATE_MOUNTED && has_not_reloaded ? UNIT_CHANGE_RELOAD_FAILED : 0);
}
