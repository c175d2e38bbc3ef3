/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mount shown to users
 */

#include <errno.h>

#include "basic/text.h"
#include "types/mount_show.h"
#include "types/mount_state.h"

/* "umount /srv (pid 12)" */
int mount_activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        const Mount *mount = mount_of(unit);
        const char *where = mount_settings(unit)->where;
        cleanup_free_ char *shown = NULL;
        Text text = {};

        if (!unit_process_exists(&mount->control))
                return -ENOENT;
        if (text_escape_control(where ? where : unit->id, &shown) < 0)
                return -ENOMEM;
        *ret_since = mount->control.since;
        text_addf(&text, "%s: %s %s", mount_exec_to_string((MountExec) mount->control.kind),
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
