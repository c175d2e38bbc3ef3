/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A socket shown to users
 */

#include <errno.h>

#include "basic/text.h"
#include "types/socket_show.h"
#include "types/socket_state.h"

static int describe_control(const Unit *unit, char **ret_activity) {
        const UnitProcess *control = &socket_of(unit)->control;
        const ExecCommand *command = socket_command(unit, (SocketExec) control->kind, control->index);

        return unit_process_describe(socket_exec_to_string((SocketExec) control->kind), command, control->pid,
                                     ret_activity);
}

int socket_activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        const Socket *socket = socket_of(unit);

        *ret_since = socket->state_since;
        if (socket->state == SOCKET_STATE_CLEANING)
                return text_format(ret_activity, "removing its directories");
        if (unit_process_exists(&socket->control)) {
                *ret_since = socket->control.since;
                return describe_control(unit, ret_activity);
        }
        if (socket->state >= SOCKET_STATE_STOP_PRE_SIGTERM && socket->state < SOCKET_STATE_FAILED)
                return text_format(ret_activity, "waiting for its processes to end");
        return -ENOENT;
}

int socket_save(const Unit *unit, Sink *sink) {
        const Socket *socket = socket_of(unit);

        sink_entry_string(sink, "state", socket_state_to_string(socket->state));
        sink_entry_string(sink, "result", socket_result_to_string(socket->result));
        sink_entry_u32(sink, "control-pid", (uint32_t) socket->control.pid);
        sink_entry_u64(sink, "state-since", socket->state_since);
        sink_entry_u64(sink, "state-deadline", socket->state_deadline);
        sink_entry_u32(sink, "ports", (uint32_t) socket->ports.n);
        sink_entry_u32(sink, "connections", (uint32_t) socket->connections.n);
        sink_entry_u32(sink, "accepted", socket->n_accepted);
        sink_entry_u32(sink, "refused", socket->n_refused);
        sink_entry_string(sink, "failure", socket->failure);
        return sink->error;
}
