/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A socket: what others may ask of it
 *
 * The operations only choose the first step; socket_step.c goes on from there,
 * and socket_traffic.c when somebody connects. All that must be known to go on
 * is in Socket, its descriptors are the keeper's, too: so what it listens on
 * stays open while core dies, and who connects meanwhile is answered after.
 */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/random.h"
#include "basic/strv.h"
#include "exec/exec_directory.h"
#include "types/exec_sandbox.h"
#include "types/group_property.h"
#include "types/socket.h"
#include "types/unit_say.h"
#include "types/unit_types.h"
#include "unit/unit_table.h"

static const UnitActiveState active_state_table[] = {
        [SOCKET_STATE_DEAD] = UNIT_INACTIVE,
        [SOCKET_STATE_START_PRE] = UNIT_ACTIVATING,
        [SOCKET_STATE_START_POST] = UNIT_ACTIVATING,
        [SOCKET_STATE_LISTENING] = UNIT_ACTIVE,
        [SOCKET_STATE_RUNNING] = UNIT_ACTIVE,
        [SOCKET_STATE_STOP_PRE] = UNIT_DEACTIVATING,
        [SOCKET_STATE_STOP_PRE_SIGTERM] = UNIT_DEACTIVATING,
        [SOCKET_STATE_STOP_PRE_SIGKILL] = UNIT_DEACTIVATING,
        [SOCKET_STATE_STOP_POST] = UNIT_DEACTIVATING,
        [SOCKET_STATE_FINAL_SIGTERM] = UNIT_DEACTIVATING,
        [SOCKET_STATE_FINAL_SIGKILL] = UNIT_DEACTIVATING,
        [SOCKET_STATE_FAILED] = UNIT_FAILED,
        [SOCKET_STATE_CLEANING] = UNIT_MAINTENANCE,
};

Socket *socket_of(const Unit *unit) {
        return unit->state_of_type;
}

const SocketSettings *socket_settings(const Unit *unit) {
        static SocketSettings fallback;

        if (unit->type_settings)
                return unit->type_settings;
        socket_settings_init(&fallback);
        return &fallback;
}

UnitHost *socket_host(const Unit *unit) {
        return unit_table_host(unit->table);
}

usec_t socket_now(const Unit *unit) {
        UnitHost *host = socket_host(unit);

        return host->ops->now(host);
}

void socket_log(Unit *unit, int level, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        unit_say(unit, level, format, arguments);
        va_end(arguments);
}

void socket_note_failure(Unit *unit, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        unit_say_failure(unit, &socket_of(unit)->failure, format, arguments);
        va_end(arguments);
}

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

/* Descriptors that the keeper has stay his: this may be the end of core only. */
void socket_free_state(Unit *unit) {
        Socket *socket = socket_of(unit);

        if (!socket)
                return;
        for (size_t i = 0; i < socket->ports.n; i++) {
                free(socket->ports.items[i].listen.address);
                if (socket->ports.items[i].fd >= 0)
                        close(socket->ports.items[i].fd);
        }
        vector_deinit(&socket->ports);
        socket_forget_connections(unit);
        vector_deinit(&socket->connections);
        strv_free(socket->clean_argv);
        free(socket->failure);
        free(socket);
        unit->state_of_type = NULL;
}

static void socket_deinit(Unit *unit) {
        exec_sandbox_forget(unit);
        socket_free_state(unit);
}

static bool is_open(SocketState state) {
        return state == SOCKET_STATE_START_POST || state == SOCKET_STATE_LISTENING || state == SOCKET_STATE_RUNNING ||
               state == SOCKET_STATE_STOP_PRE || state == SOCKET_STATE_STOP_PRE_SIGTERM ||
               state == SOCKET_STATE_STOP_PRE_SIGKILL;
}

static bool has_processes(SocketState state) {
        return !unit_state_is_inactive_or_failed(active_state_table[state]) && state != SOCKET_STATE_LISTENING &&
               state != SOCKET_STATE_RUNNING;
}

static void set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline) {
        UnitHost *host = socket_host(unit);

        (void) host->ops->set_timer(host, unit, purpose, deadline);
}

static void forget_control(Unit *unit) {
        Socket *socket = socket_of(unit);
        UnitHost *host = socket_host(unit);

        if (socket->control.pid > 0)
                host->ops->unwatch_process(host, unit, UNIT_PURPOSE_CONTROL, socket->control.pid);
        socket->control = (SocketProcess) {};
}

void socket_set_state(Unit *unit, SocketState state) {
        Socket *socket = socket_of(unit);
        SocketState old = socket->state;

        set_timer(unit, UNIT_PURPOSE_PIDFILE, USEC_INFINITY);
        if (!has_processes(state)) {
                forget_control(unit);
                socket->state_deadline = USEC_INFINITY;
                set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, USEC_INFINITY);
        }
        if (state != SOCKET_STATE_LISTENING) {
                socket->is_paused = false;
                set_timer(unit, UNIT_PURPOSE_RESTART, USEC_INFINITY);
                socket_unwatch_ports(unit);
        }
        if (!is_open(state) && socket->ports.n > 0)
                socket_close_ports(unit);
        socket->state = state;
        if (state != old)
                socket->state_since = socket_now(unit);
        unit_publish(unit, active_state_table[state], 0);
}

void socket_republish(Unit *unit) {
        unit_publish(unit, active_state_table[socket_of(unit)->state], 0);
}

static bool is_within_start_limit(Unit *unit) {
        char span[USEC_FORMAT_MAX];

        if (rate_limit_allows(&socket_of(unit)->starts, unit->settings.start_limit_interval, unit->settings.start_limit_burst,
                              socket_now(unit)))
                return true;
        free(take_ptr(socket_of(unit)->failure));
        socket_note_failure(unit, "started %u times within %s, which is its limit", unit->settings.start_limit_burst,
                            usec_format(unit->settings.start_limit_interval, span));
        return false;
}

/* It could not be the one that starts it. */
static bool is_service_in_the_way(Unit *unit) {
        const Unit *service = socket_service(unit);
        bool is_running;

        if (!service)
                return false;
        is_running = service->active_state != UNIT_INACTIVE && service->active_state != UNIT_FAILED &&
                     !unit_will_restart(service);
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
        if (!is_within_start_limit(unit)) {
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
        const SocketProcess *control = &socket_of(unit)->control;

        *ret_group = (UnitGroup) {
                .resources = socket_settings(unit)->resources,
                .is_begun = !control->is_wanted || control->kind != SOCKET_EXEC_START_PRE || control->index > 0,
                .keeps_leftovers = socket_settings(unit)->kill.mode == KILL_MODE_PROCESS ||
                                   socket_settings(unit)->kill.mode == KILL_MODE_NONE,
        };
}

const UnitVTable socket_vtable = {
        .type = UNIT_SOCKET,
        .interface = "Socket",
        .properties = socket_properties,
        .can_fail = true,
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
