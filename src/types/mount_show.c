/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mount told to people
 */

#include <errno.h>

#include "basic/text.h"
#include "types/mount.h"

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

DEFINE_STRING_TABLE(mount_state, MountState, mount_state_table)
DEFINE_STRING_TABLE(mount_result, MountResult, mount_result_table)
DEFINE_STRING_TABLE(mount_exec, MountExec, mount_exec_table)

/* "umount /srv (pid 12)" */
int mount_activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        const Mount *mount = mount_of(unit);
        const char *where = mount_settings(unit)->where;
        cleanup_free_ char *shown = NULL;
        Text text = {};

        if (mount->control.pid <= 0 && !mount->control.is_wanted)
                return -ENOENT;
        if (text_escape_control(where ? where : unit->id, &shown) < 0)
                return -ENOMEM;
        *ret_since = mount->control.since;
        text_addf(&text, "%s: %s %s", mount_exec_to_string(mount->control.kind),
                  mount->control.kind == MOUNT_EXEC_UNMOUNT ? "umount" : "mount", shown);
        if (mount->control.pid > 0)
                text_addf(&text, " (pid %i)", (int) mount->control.pid);
        return text_finish(&text, ret_activity);
}

int mount_save(const Unit *unit, Sink *sink) {
        const Mount *mount = mount_of(unit);

        sink_entry_string(sink, "state", mount_state_to_string(mount->state));
        sink_entry_string(sink, "result", mount_result_to_string(mount->result));
        sink_entry_string(sink, "reload-result", mount_result_to_string(mount->reload_result));
        sink_entry_u32(sink, "control-pid", (uint32_t) mount->control.pid);
        sink_entry_u64(sink, "state-since", mount->state_since);
        sink_entry_u64(sink, "state-deadline", mount->state_deadline);
        sink_entry_u32(sink, "retries", mount->n_retries);
        sink_entry_string(sink, "failure", mount->failure);
        return sink->error;
}
