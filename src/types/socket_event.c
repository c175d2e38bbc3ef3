/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of a socket's processes and timers
 */

#include <errno.h>
#include <sys/wait.h>

#include "types/socket_clean.h"
#include "types/socket_command.h"
#include "types/socket_event.h"
#include "types/socket_port.h"
#include "types/socket_step.h"

static SocketResult result_of(const UnitExit *exit) {
        if (exit->code == CLD_EXITED)
                return exit->status == 0 ? SOCKET_RESULT_SUCCESS : SOCKET_RESULT_EXIT_CODE;
        return exit->code == CLD_DUMPED ? SOCKET_RESULT_CORE_DUMP : SOCKET_RESULT_SIGNAL;
}

static void tell_exit(Unit *unit, const UnitProcess *control, const UnitExit *exit) {
        char how[128];

        unit_process_describe_exit(exit, how, sizeof(how));
        socket_note_failure(unit, "%s %s", socket_exec_to_string((SocketExec) control->kind), how);
}

static void control_ended(Unit *unit, const UnitExit *exit) {
        UnitProcess control = socket_of(unit)->control;
        SocketResult result = result_of(exit);

        unit_process_ended(unit, socket_command(unit, (SocketExec) control.kind, control.index), exit);
        if (control.ignores_failure)
                result = SOCKET_RESULT_SUCCESS;
        else if (result != SOCKET_RESULT_SUCCESS)
                tell_exit(unit, &control, exit);
        socket_of(unit)->control = (UnitProcess) {};

        if (result == SOCKET_RESULT_SUCCESS && socket_command(unit, (SocketExec) control.kind, control.index + 1) &&
            (socket_of(unit)->state == SOCKET_STATE_START_PRE || socket_of(unit)->state == SOCKET_STATE_START_POST ||
             socket_of(unit)->state == SOCKET_STATE_STOP_PRE || socket_of(unit)->state == SOCKET_STATE_STOP_POST)) {
                if (socket_run(unit, (SocketExec) control.kind, control.index + 1) == 0) {
                        socket_republish(unit);
                        return;
                }
                result = SOCKET_RESULT_RESOURCES;
        }
        socket_go_on(unit, result);
}

void socket_child_exited(Unit *unit, const UnitExit *exit) {
        if (socket_of(unit)->control.pid != exit->pid)
                return;
        if (socket_of(unit)->state == SOCKET_STATE_CLEANING)
                socket_clean_ended(unit, exit);
        else
                control_ended(unit, exit);
}

static void spawn_failed(Unit *unit, const ExecResult *result) {
        UnitProcess *control = &socket_of(unit)->control;
        const char *name = socket_exec_to_string((SocketExec) control->kind);
        UnitExit exit;

        if (control->ignores_failure)
                unit_say(unit, LOG_LEVEL_NOTICE, "%s: %s (ignored)", name, result->message);
        else
                socket_note_failure(unit, "%s: %s", name, result->message);
        if (unit_process_failed_exit(unit, result, &exit)) {
                socket_record_start(unit, result->pid);
                control_ended(unit, &exit);
                return;
        }
        *control = (UnitProcess) {};
        socket_go_on(unit, SOCKET_RESULT_RESOURCES);
}

void socket_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        Socket *socket = socket_of(unit);
        UnitSpawn spawn = unit_process_spawned(unit, &socket->control, pid);

        if (spawn == UNIT_SPAWN_STALE)
                return;
        if (socket->state == SOCKET_STATE_CLEANING)
                socket_clean_spawned(unit, spawn, result);
        else if (spawn == UNIT_SPAWN_FAILED)
                spawn_failed(unit, result);
        else {
                socket_note_command(unit, result);
                socket_republish(unit);
        }
}

static void limit_elapsed(Unit *unit) {
        socket_of(unit)->state_deadline = USEC_INFINITY;
        if (socket_of(unit)->state == SOCKET_STATE_CLEANING)
                socket_clean_timed_out(unit);
        else
                socket_time_out(unit);
}

void socket_group_emptied(Unit *unit) {
        if (!socket_of(unit)->control.is_wanted)
                socket_look_for_rest(unit);
}

static void end_pause(Unit *unit) {
        if (socket_of(unit)->state != SOCKET_STATE_LISTENING)
                return;
        socket_of(unit)->is_paused = false;
        if (socket_watch_ports(unit) < 0)
                socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
}

void socket_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        if (purpose == UNIT_PURPOSE_STATE_LIMIT)
                limit_elapsed(unit);
        else if (purpose == UNIT_PURPOSE_PIDFILE)
                socket_look_for_rest(unit);
        else if (purpose == UNIT_PURPOSE_RESTART)
                end_pause(unit);
}
