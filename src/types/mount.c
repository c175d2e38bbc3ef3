/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mount: what others may ask of it
 *
 * The operations only choose the first step; mount_step.c goes on from there.
 * A mount of which there is no file can be stopped, and nothing else: nobody
 * knows how it was made.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/random.h"
#include "basic/strv.h"
#include "types/mount.h"
#include "types/unit_types.h"
#include "unit/unit_table.h"

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

UnitHost *mount_host(const Unit *unit) {
        return unit_table_host(unit->table);
}

usec_t mount_now(const Unit *unit) {
        UnitHost *host = mount_host(unit);

        return host->ops->now(host);
}

void mount_note_failure(Unit *unit, const char *format, ...) {
        Mount *mount = mount_of(unit);
        UnitHost *host = mount_host(unit);
        char message[1280];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(message, sizeof(message), format, arguments);
        va_end(arguments);
        host->ops->log(host, unit, 4, message);

        /* What comes after the first failure, comes of it. */
        if (!mount->failure)
                mount->failure = strdup(message);
}

const MountEntry *mount_find(const Unit *unit, bool is_fresh) {
        UnitHost *host = mount_host(unit);
        const char *where = mount_settings(unit)->where;

        return where && host->ops->find_mount ? host->ops->find_mount(host, where, is_fresh) : NULL;
}

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

/* It is what is there, if nobody knows better: its record may say so later. */
static void mount_loaded(Unit *unit) {
        Mount *mount = mount_of(unit);

        if (unit->load_state != UNIT_LOADED)
                return;
        mount->is_there = mount_find(unit, false);
        if (mount->is_there && mount->state == MOUNT_STATE_DEAD)
                mount_set_state(unit, MOUNT_STATE_MOUNTED);
}

static bool has_process(MountState state) {
        return state != MOUNT_STATE_DEAD && state != MOUNT_STATE_MOUNTED && state != MOUNT_STATE_FAILED;
}

static bool is_remounting(MountState state) {
        return state == MOUNT_STATE_REMOUNTING || state == MOUNT_STATE_REMOUNTING_SIGTERM ||
               state == MOUNT_STATE_REMOUNTING_SIGKILL;
}

static void forget_control(Unit *unit) {
        Mount *mount = mount_of(unit);
        UnitHost *host = mount_host(unit);

        if (mount->control.pid > 0)
                host->ops->unwatch_process(host, unit, UNIT_PURPOSE_CONTROL, mount->control.pid);
        mount->control = (MountProcess) {};
        mount->state_deadline = USEC_INFINITY;
        (void) host->ops->set_timer(host, unit, UNIT_PURPOSE_STATE_LIMIT, USEC_INFINITY);
}

void mount_set_state(Unit *unit, MountState state) {
        Mount *mount = mount_of(unit);
        MountState old = mount->state;
        bool has_not_reloaded = is_remounting(old) && mount->reload_result != MOUNT_RESULT_SUCCESS;

        if (!has_process(state))
                forget_control(unit);
        mount->state = state;
        if (state != old)
                mount->state_since = mount_now(unit);
        unit_publish(unit, active_state_table[state],
                     state == MOUNT_STATE_MOUNTED && has_not_reloaded ? UNIT_CHANGE_RELOAD_FAILED : 0);
}

static bool is_within_start_limit(Unit *unit) {
        char span[USEC_FORMAT_MAX];

        if (rate_limit_allows(&mount_of(unit)->starts, unit->settings.start_limit_interval, unit->settings.start_limit_burst,
                              mount_now(unit)))
                return true;
        free(take_ptr(mount_of(unit)->failure));
        mount_note_failure(unit, "started %u times within %s, which is its limit", unit->settings.start_limit_burst,
                           usec_format(unit->settings.start_limit_interval, span));
        return false;
}

void mount_renew_invocation(Unit *unit) {
        (void) random_bytes(unit->invocation_id, sizeof(unit->invocation_id));
}

static UnitAnswer begin(Unit *unit) {
        Mount *mount = mount_of(unit);

        if (!is_within_start_limit(unit)) {
                mount->result = MOUNT_RESULT_START_LIMIT_HIT;
                mount_enter_dead(unit, MOUNT_RESULT_START_LIMIT_HIT);
                return UNIT_OPERATION_FAILED;
        }
        mount->result = mount->reload_result = MOUNT_RESULT_SUCCESS;
        free(take_ptr(mount->failure));
        mount_renew_invocation(unit);
        mount_enter_mounting(unit);
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

static void mount_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        if (purpose == UNIT_PURPOSE_STATE_LIMIT)
                mount_limit_elapsed(unit);
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
                /* The program behind a file system of FUSE lives on, and with it what is mounted. */
                .keeps_leftovers = true,
        };
}

/* Its records are lost, and a process is there: what is mounted says the rest. */
static int mount_found(Unit *unit, uid_t owner) {
        return unit_state_is_inactive_or_failed(unit->active_state) ? -EPERM : 0;
}

const UnitVTable mount_vtable = {
        .type = UNIT_MOUNT,
        .interface = "Mount",
        .properties = mount_properties,
        .can_fail = true,
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
