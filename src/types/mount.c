/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mount: the operations of its UnitVTable
 *
 * An operation only chooses the first step; mount_step.c goes on from there. A mount without a unit file can be
 * stopped, and nothing else: how it was made is not known.
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/strv.h"
#include "types/mount_command.h"
#include "types/mount_show.h"
#include "types/mount_step.h"
#include "types/unit_rule.h"
#include "types/unit_types.h"

static int mount_init(Unit *unit) {
        Mount *mount = calloc(1, sizeof(*mount));

        if (!mount)
                return -ENOMEM;
        mount->state_deadline = USEC_INFINITY;
        unit->state_of_type = mount;
        return 0;
}

static void mount_deinit(Unit *unit) {
        Mount *mount = mount_of(unit);

        if (!mount)
                return;
        for (size_t i = 0; i < _MOUNT_EXEC_MAX; i++)
                strv_free(mount->commands[i].argv);
        free(mount->failure);
        free(mount);
        unit->state_of_type = NULL;
}

/* A mount point that is in the kernel's table is up, unless a record says otherwise later. */
static void mount_loaded(Unit *unit) {
        Mount *mount = mount_of(unit);

        if (unit->load_state != UNIT_LOADED)
                return;
        mount->is_there = mount_find(unit, false);
        if (mount->is_there && mount->state == MOUNT_STATE_DEAD)
                mount_set_state(unit, MOUNT_STATE_MOUNTED);
}

static UnitAnswer begin(Unit *unit) {
        Mount *mount = mount_of(unit);

        if (!unit_is_within_start_limit(unit, &mount->starts, &mount->failure)) {
                mount->result = MOUNT_RESULT_START_LIMIT_HIT;
                mount_enter_dead(unit, MOUNT_RESULT_START_LIMIT_HIT);
                return UNIT_OPERATION_FAILED;
        }
        mount_begin(unit);
        return UNIT_UNDER_WAY;
}

static bool mount_has_source(const Unit *unit) {
        return mount_settings(unit)->what;
}

static UnitAnswer mount_start(Unit *unit) {
        switch (mount_of(unit)->state) {
        case MOUNT_STATE_DEAD:
        case MOUNT_STATE_FAILED:
                return mount_has_source(unit) ? begin(unit) : UNIT_CANNOT;
        case MOUNT_STATE_MOUNTING:
        case MOUNT_STATE_MOUNTING_DONE:
                return UNIT_UNDER_WAY;
        case MOUNT_STATE_MOUNTED:
        case MOUNT_STATE_REMOUNTING:
        case MOUNT_STATE_REMOUNTING_SIGTERM:
        case MOUNT_STATE_REMOUNTING_SIGKILL:
                return UNIT_ALREADY;
        case MOUNT_STATE_UNMOUNTING:
        case MOUNT_STATE_UNMOUNTING_SIGTERM:
        case MOUNT_STATE_UNMOUNTING_SIGKILL:
                return UNIT_NOT_NOW;
        case _MOUNT_STATE_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static UnitAnswer mount_stop(Unit *unit) {
        Mount *mount = mount_of(unit);

        switch (mount->state) {
        case MOUNT_STATE_DEAD:
        case MOUNT_STATE_FAILED:
                return UNIT_ALREADY;
        case MOUNT_STATE_MOUNTING:
        case MOUNT_STATE_MOUNTING_DONE:
                mount_enter_signal(unit, MOUNT_STATE_UNMOUNTING_SIGTERM, MOUNT_RESULT_SUCCESS);
                return UNIT_UNDER_WAY;
        case MOUNT_STATE_MOUNTED:
                mount_enter_unmounting(unit);
                return UNIT_UNDER_WAY;
        case MOUNT_STATE_REMOUNTING:
                mount->wants_stop = true;
                mount_enter_signal(unit, MOUNT_STATE_REMOUNTING_SIGTERM, MOUNT_RESULT_SUCCESS);
                return UNIT_UNDER_WAY;
        case MOUNT_STATE_REMOUNTING_SIGTERM:
        case MOUNT_STATE_REMOUNTING_SIGKILL:
                mount->wants_stop = true;
                return UNIT_UNDER_WAY;
        case MOUNT_STATE_UNMOUNTING:
        case MOUNT_STATE_UNMOUNTING_SIGTERM:
        case MOUNT_STATE_UNMOUNTING_SIGKILL:
                return UNIT_UNDER_WAY;
        case _MOUNT_STATE_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static UnitAnswer mount_reload(Unit *unit) {
        if (!mount_has_source(unit))
                return UNIT_CANNOT;
        if (mount_of(unit)->state != MOUNT_STATE_MOUNTED)
                return UNIT_WRONG_STATE;
        mount_enter_remounting(unit);
        return mount_of(unit)->reload_result == MOUNT_RESULT_SUCCESS ? UNIT_UNDER_WAY : UNIT_OPERATION_FAILED;
}

static const char *mount_sub_state(const Unit *unit) {
        return mount_state_to_string(mount_of(unit)->state);
}

static pid_t mount_control_pid(const Unit *unit) {
        return mount_of(unit)->control.pid;
}

static usec_t mount_limit(const Unit *unit) {
        return mount_of(unit)->state_deadline;
}

static void mount_reset_failed(Unit *unit) {
        Mount *mount = mount_of(unit);

        mount->starts = (RateLimit) {};
        mount->result = mount->reload_result = MOUNT_RESULT_SUCCESS;
        free(take_ptr(mount->failure));
        if (mount->state == MOUNT_STATE_FAILED)
                mount_set_state(unit, MOUNT_STATE_DEAD);
}

static void mount_group(const Unit *unit, UnitGroup *ret_group) {
        const Mount *mount = mount_of(unit);

        *ret_group = (UnitGroup) {
                .resources = mount_settings(unit)->resources,
                .is_begun = !mount->control.is_wanted || mount->control.kind != MOUNT_EXEC_MOUNT,
                /* A FUSE file system needs its program as long as it is mounted. */
                .keeps_leftovers = true,
        };
}

/* The records are lost and a process was found: the kernel's table tells the state. */
static int mount_found(Unit *unit, uid_t owner) {
        return unit_state_is_inactive_or_failed(unit->active_state) ? -EPERM : 0;
}

/* The mount may have come or gone while no core ran. */
static void mount_resume(Unit *unit) {
        Mount *mount = mount_of(unit);
        const MountEntry *entry = mount_find(unit, false);
        bool is_up = mount->state == MOUNT_STATE_MOUNTED || mount->state == MOUNT_STATE_MOUNTING_DONE;

        mount->is_there = entry;
        if (!entry && is_up)
                mount_follow(unit, NULL);
        else if (entry && (mount->state == MOUNT_STATE_DEAD || mount->state == MOUNT_STATE_FAILED ||
                           mount->state == MOUNT_STATE_MOUNTING))
                mount_follow(unit, entry);
}

static const char *mount_failure(const Unit *unit) {
        return mount_of(unit)->failure;
}

const UnitVTable mount_vtable = {
        .type = UNIT_MOUNT,
        .interface = "Mount",
        .properties = mount_properties,
        .can_freeze = true,
        .is_stopped_in_order = true,
        .failure = mount_failure,
        .init = mount_init,
        .deinit = mount_deinit,
        .loaded = mount_loaded,
        .can_start = mount_has_source,
        .can_reload = mount_has_source,
        .start = mount_start,
        .stop = mount_stop,
        .reload = mount_reload,
        .sub_state = mount_sub_state,
        .activity = mount_activity,
        .limit = mount_limit,
        .prepare_spawn = mount_prepare_spawn,
        .spawned = mount_spawned,
        .child_exited = mount_child_exited,
        .timer_elapsed = mount_timer_elapsed,
        .mounted = mount_follow,
        .kill = mount_kill,
        .control_pid = mount_control_pid,
        .reset_failed = mount_reset_failed,
        .group = mount_group,
        .found = mount_found,
        .save = mount_save,
        .record = mount_record,
        .restore = mount_restore,
        .resume = mount_resume,
};
