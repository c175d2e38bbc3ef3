/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A socket told to people
 */

#include <errno.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "types/socket.h"
#include "types/unit_process.h"

static const char *const socket_state_table[] = {
        [SOCKET_STATE_DEAD] = "dead",
        [SOCKET_STATE_START_PRE] = "start-pre",
        [SOCKET_STATE_START_POST] = "start-post",
        [SOCKET_STATE_LISTENING] = "listening",
        [SOCKET_STATE_RUNNING] = "running",
        [SOCKET_STATE_STOP_PRE] = "stop-pre",
        [SOCKET_STATE_STOP_PRE_SIGTERM] = "stop-pre-sigterm",
        [SOCKET_STATE_STOP_PRE_SIGKILL] = "stop-pre-sigkill",
        [SOCKET_STATE_STOP_POST] = "stop-post",
        [SOCKET_STATE_FINAL_SIGTERM] = "final-sigterm",
        [SOCKET_STATE_FINAL_SIGKILL] = "final-sigkill",
        [SOCKET_STATE_FAILED] = "failed",
        [SOCKET_STATE_CLEANING] = "cleaning",
};

static const char *const socket_result_table[] = {
        [SOCKET_RESULT_SUCCESS] = "success",
        [SOCKET_RESULT_RESOURCES] = "resources",
        [SOCKET_RESULT_TIMEOUT] = "timeout",
        [SOCKET_RESULT_EXIT_CODE] = "exit-code",
        [SOCKET_RESULT_SIGNAL] = "signal",
        [SOCKET_RESULT_CORE_DUMP] = "core-dump",
        [SOCKET_RESULT_START_LIMIT_HIT] = "start-limit-hit",
        [SOCKET_RESULT_TRIGGER_LIMIT_HIT] = "trigger-limit-hit",
        [SOCKET_RESULT_SERVICE_START_LIMIT_HIT] = "service-start-limit-hit",
};

DEFINE_STRING_TABLE(socket_state, SocketState, socket_state_table)
DEFINE_STRING_TABLE(socket_result, SocketResult, socket_result_table)

static int describe_control(const Unit *unit, char **ret_activity) {
        const SocketProcess *control = &socket_of(unit)->control;
        const ExecCommand *command = socket_command(unit, control->kind, control->index);

        return unit_process_describe(socket_exec_to_string(control->kind), command, control->pid, ret_activity);
}

int socket_activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        const Socket *socket = socket_of(unit);

        *ret_since = socket->state_since;
        if (socket->state == SOCKET_STATE_CLEANING)
                return text_format(ret_activity, "removing its directories");
        if (socket->control.pid > 0 || socket->control.is_wanted) {
                *ret_since = socket->control.since;
                return describe_control(unit, ret_activity);
        }
        if (socket->state >= SOCKET_STATE_STOP_PRE_SIGTERM && socket->state < SOCKET_STATE_FAILED)
                return text_format(ret_activity, "waiting for its processes to end");
        return -ENOENT;
}

usec_t socket_limit_at(const Unit *unit) {
        return socket_of(unit)->state_deadline;
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
