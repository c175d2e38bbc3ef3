/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A socket: the operations of its UnitVTable
 *
 * An operation only chooses the first step; socket_step.c goes on from there, and socket_traffic.c when there is
 * traffic. All state is in Socket, and the keeper has the descriptors, too: so sockets stay open while core is
 * restarted, and connections that come meanwhile are served after.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/random.h"
#include "exec/exec_directory.h"
#include "types/exec_sandbox.h"
#include "types/socket_clean.h"
#include "types/socket_command.h"
#include "types/socket_connection.h"
#include "types/socket_event.h"
#include "types/socket_port.h"
#include "types/socket_show.h"
#include "types/socket_step.h"
#include "types/unit_rule.h"
#include "types/unit_types.h"

static int socket_init(Unit *unit) {
        Socket *socket = calloc(1, sizeof(*socket));

        if (!socket)
                return -ENOMEM;
        socket->state_deadline = USEC_INFINITY;
        socket->uid = (uid_t) -1;
        socket->gid = (gid_t) -1;
        unit->state_of_type = socket;
        return 0;
}

static void socket_deinit(Unit *unit) {
        exec_sandbox_forget(unit);
        socket_free_state(unit);
}

/* A service that is active already could not take the socket; a flow would not. */
static bool is_service_in_the_way(Unit *unit) {
        const Unit *service = socket_service(unit);
        bool is_running;

        if (!service)
                return false;
        is_running = !service->vtable->triggered && service->active_state != UNIT_INACTIVE &&
                     service->active_state != UNIT_FAILED && !unit_will_restart(service);
        if (service->load_state == UNIT_LOADED && !is_running)
                return false;
        free(take_ptr(socket_of(unit)->failure));
        if (is_running)
                socket_note_failure(unit, "its service %s is active already; stop that first", service->id);
        else
                socket_note_failure(unit, "its service %s cannot be loaded: %s", service->id,
                                    failure_message(&service->load_failure));
        return true;
}

static UnitAnswer begin(Unit *unit) {
        Socket *socket = socket_of(unit);

        if (is_service_in_the_way(unit))
                return UNIT_OPERATION_FAILED;
        if (!unit_is_within_start_limit(unit, &socket->starts, &socket->failure)) {
                socket->result = SOCKET_RESULT_START_LIMIT_HIT;
                socket_enter_dead(unit, SOCKET_RESULT_START_LIMIT_HIT);
                return UNIT_OPERATION_FAILED;
        }
        socket->result = SOCKET_RESULT_SUCCESS;
        free(take_ptr(socket->failure));
        exec_directory_drop_secrets(exec_settings_rare(&socket_settings(unit)->exec)->terms, unit->id);
        (void) random_bytes(unit->invocation_id, sizeof(unit->invocation_id));
        socket_enter_start_pre(unit);
        return UNIT_UNDER_WAY;
}

static UnitAnswer socket_start(Unit *unit) {
        switch (socket_of(unit)->state) {
        case SOCKET_STATE_DEAD:
        case SOCKET_STATE_FAILED:
                return begin(unit);
        case SOCKET_STATE_START_PRE:
        case SOCKET_STATE_START_POST:
                return UNIT_UNDER_WAY;
        case SOCKET_STATE_LISTENING:
        case SOCKET_STATE_RUNNING:
                return UNIT_ALREADY;
        case SOCKET_STATE_STOP_PRE:
        case SOCKET_STATE_STOP_PRE_SIGTERM:
        case SOCKET_STATE_STOP_PRE_SIGKILL:
        case SOCKET_STATE_STOP_POST:
        case SOCKET_STATE_FINAL_SIGTERM:
        case SOCKET_STATE_FINAL_SIGKILL:
        case SOCKET_STATE_CLEANING:
                return UNIT_NOT_NOW;
        case _SOCKET_STATE_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static UnitAnswer socket_stop(Unit *unit) {
        switch (socket_of(unit)->state) {
        case SOCKET_STATE_DEAD:
        case SOCKET_STATE_FAILED:
                return UNIT_ALREADY;
        case SOCKET_STATE_START_PRE:
        case SOCKET_STATE_START_POST:
                socket_enter_signal(unit, SOCKET_STATE_STOP_PRE_SIGTERM, SOCKET_RESULT_SUCCESS);
                return UNIT_UNDER_WAY;
        case SOCKET_STATE_LISTENING:
        case SOCKET_STATE_RUNNING:
                socket_enter_stop_pre(unit, SOCKET_RESULT_SUCCESS);
                return UNIT_UNDER_WAY;
        case SOCKET_STATE_STOP_PRE:
        case SOCKET_STATE_STOP_PRE_SIGTERM:
        case SOCKET_STATE_STOP_PRE_SIGKILL:
        case SOCKET_STATE_STOP_POST:
        case SOCKET_STATE_FINAL_SIGTERM:
        case SOCKET_STATE_FINAL_SIGKILL:
                return UNIT_UNDER_WAY;
        case SOCKET_STATE_CLEANING:
                socket_stop_cleaning(unit, SOCKET_RESULT_SIGNAL);
                return UNIT_UNDER_WAY;
        case _SOCKET_STATE_MAX:
                break;
        }
        return UNIT_OPERATION_FAILED;
}

static const char *socket_sub_state(const Unit *unit) {
        return socket_state_to_string(socket_of(unit)->state);
}

static pid_t socket_control_pid(const Unit *unit) {
        return socket_of(unit)->control.pid;
}

static void socket_reset_failed(Unit *unit) {
        Socket *socket = socket_of(unit);

        socket->starts = socket->triggers = (RateLimit) {};
        if (socket->state != SOCKET_STATE_FAILED)
                return;
        socket->result = SOCKET_RESULT_SUCCESS;
        free(take_ptr(socket->failure));
        socket_set_state(unit, SOCKET_STATE_DEAD);
}

static void socket_group(const Unit *unit, UnitGroup *ret_group) {
        const UnitProcess *control = &socket_of(unit)->control;

        *ret_group = (UnitGroup) {
                .resources = socket_settings(unit)->resources,
                .is_begun = !control->is_wanted || control->kind != SOCKET_EXEC_START_PRE || control->index > 0,
                .keeps_leftovers = socket_settings(unit)->kill.mode == KILL_MODE_PROCESS ||
                                   socket_settings(unit)->kill.mode == KILL_MODE_NONE,
        };
}

static void socket_runs_as(const Unit *unit, uid_t *ret_uid, gid_t *ret_gid) {
        *ret_uid = socket_of(unit)->uid;
        *ret_gid = socket_of(unit)->gid;
}

static usec_t socket_limit_at(const Unit *unit) {
        return socket_of(unit)->state_deadline;
}

static void socket_resume(Unit *unit) {
        const Socket *socket = socket_of(unit);
        int r = socket_resume_ports(unit);
        SocketResult result;

        exec_sandbox_resume(unit);
        result = socket_resume_connections(unit);
        if (r >= 0 && result == SOCKET_RESULT_SUCCESS && socket->state == SOCKET_STATE_LISTENING && !socket->is_paused)
                r = socket_watch_ports(unit);
        if (result != SOCKET_RESULT_SUCCESS)
                socket_enter_stop_pre(unit, result);
        else if (r < 0)
                socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
}

static const char *socket_failure(const Unit *unit) {
        return socket_of(unit)->failure;
}

const UnitVTable socket_vtable = {
        .type = UNIT_SOCKET,
        .interface = "Socket",
        .properties = socket_properties,
        .failure = socket_failure,
        .init = socket_init,
        .deinit = socket_deinit,
        .start = socket_start,
        .stop = socket_stop,
        .sub_state = socket_sub_state,
        .activity = socket_activity,
        .limit = socket_limit_at,
        .prepare_spawn = socket_prepare_spawn,
        .spawned = socket_spawned,
        .child_exited = socket_child_exited,
        .timer_elapsed = socket_timer_elapsed,
        .fd_ready = socket_fd_ready,
        .triggered_changed = socket_triggered_changed,
        .trigger_refused = socket_trigger_refused,
        .kill = socket_kill,
        .runs_as = socket_runs_as,
        .control_pid = socket_control_pid,
        .reset_failed = socket_reset_failed,
        .can_clean = socket_can_clean,
        .clean = socket_clean,
        .group = socket_group,
        .group_emptied = socket_group_emptied,
        .save = socket_save,
        .record = socket_record,
        .restore = socket_restore,
        .resume = socket_resume,
};
