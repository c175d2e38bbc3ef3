/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of a socket, and signals to their processes
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "basic/strv.h"
#include "exec/exec_clean.h"
#include "types/exec_context.h"
#include "types/exec_sandbox.h"
#include "types/socket_command.h"

int socket_set_limit(Unit *unit, usec_t span) {
        Socket *socket = socket_of(unit);

        socket->state_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(unit_now(unit), span);
        return unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, socket->state_deadline);
}

int socket_run(Unit *unit, SocketExec kind, unsigned index) {
        const ExecCommand *command = socket_command(unit, kind, index);
        UnitProcess *control = &socket_of(unit)->control;
        int r;

        *control = (UnitProcess) {};
        r = socket_set_limit(unit, socket_settings(unit)->timeout);
        if (r == 0)
                r = unit_process_ask(unit, UNIT_PURPOSE_CONTROL, control, (UnitProcess) {
                        .has_command = true,
                        .ignores_failure = command->flags & EXEC_IGNORE_FAILURE,
                        .kind = (int) kind,
                        .index = index,
                });
        if (r < 0)
                socket_note_failure(unit, "%s: cannot be started: %s", socket_exec_to_string(kind), strerror(-r));
        return r;
}

static int prepare_clean(const Unit *unit, ExecRequest *request) {
        if (!socket_of(unit)->clean_argv)
                return -ECANCELED;
        exec_clean_fill(socket_of(unit)->clean_argv, request);
        request->unit = unit->id;
        return 0;
}

int socket_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request) {
        const UnitProcess *control = &socket_of(unit)->control;
        const ExecCommand *command;
        int r;

        if (!control->is_wanted)
                return -ECANCELED;
        if (socket_of(unit)->state == SOCKET_STATE_CLEANING)
                return prepare_clean(unit, request);
        command = socket_command(unit, (SocketExec) control->kind, control->index);
        if (!command)
                return -ENOEXEC;
        request->label = socket_exec_to_string((SocketExec) control->kind);
        request->path = command->path;
        request->argv = command->argv;
        exec_context_fill(&socket_settings(unit)->exec, command, request);
        request->unit = unit->id;
        r = exec_sandbox_share(unit, request);
        if (r == 0)
                r = unit_process_add_invocation(unit, &request->own_environment);
        return r < 0 ? r : 0;
}

void socket_record_start(Unit *unit, pid_t pid) {
        UnitProcess *control = &socket_of(unit)->control;

        control->since = unit_now(unit);
        unit_process_started(unit, socket_command(unit, (SocketExec) control->kind, control->index), pid,
                             control->since);
}

void socket_note_command(Unit *unit, const ExecResult *result) {
        Socket *socket = socket_of(unit);

        unit_process_note_user(result, &socket->uid, &socket->gid);
        exec_sandbox_spawned(unit, result);
        socket_record_start(unit, socket->control.pid);
}

int socket_signal_all(Unit *unit, SocketState state) {
        const KillSettings *kill = &socket_settings(unit)->kill;
        bool kills = state == SOCKET_STATE_STOP_PRE_SIGKILL || state == SOCKET_STATE_FINAL_SIGKILL;

        return unit_process_signal_end(unit, kill, (UnitPids) { .control = socket_of(unit)->control.pid },
                                       kills ? kill->final_signal : kill->signal, kills);
}

int socket_kill(Unit *unit, const char *who, int signal, Failure *ret_failure) {
        return unit_process_kill(unit, socket_of(unit)->control.pid, who, signal, ret_failure);
}
