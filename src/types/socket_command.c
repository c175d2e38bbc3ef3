/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A socket's commands
 *
 * As with a service, to run one is only to ask: the host comes back for the
 * request when it flushes its outbox, and says what came of it. A stop in
 * between takes the wish back.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "types/exec_context.h"
#include "types/exec_sandbox.h"
#include "types/socket.h"
#include "types/unit_process.h"

ExecCommand *socket_command(const Unit *unit, SocketExec kind, unsigned index) {
        ExecCommand *command = socket_settings(unit)->commands[kind];

        while (command && index-- > 0)
                command = command->next;
        return command;
}

int socket_set_limit(Unit *unit) {
        Socket *socket = socket_of(unit);
        UnitHost *host = socket_host(unit);
        usec_t span = socket_settings(unit)->timeout;

        socket->state_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(socket_now(unit), span);
        return host->ops->set_timer(host, unit, UNIT_PURPOSE_STATE_LIMIT, socket->state_deadline);
}

int socket_run(Unit *unit, SocketExec kind, unsigned index) {
        UnitHost *host = socket_host(unit);
        SocketProcess *control = &socket_of(unit)->control;
        const ExecCommand *command = socket_command(unit, kind, index);
        int r;

        *control = (SocketProcess) {
                .is_wanted = true,
                .ignores_failure = command->flags & EXEC_IGNORE_FAILURE,
                .kind = kind,
                .index = index,
                .since = socket_now(unit),
        };
        r = socket_set_limit(unit);
        if (r == 0)
                r = host->ops->spawn(host, unit, UNIT_PURPOSE_CONTROL);
        if (r < 0) {
                *control = (SocketProcess) {};
                socket_note_failure(unit, "%s: cannot be started: %s", socket_exec_to_string(kind), strerror(-r));
        }
        return r;
}

int socket_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request) {
        const SocketProcess *control = &socket_of(unit)->control;
        const ExecCommand *command;
        int r;

        if (!control->is_wanted)
                return -ECANCELED;
        if (socket_of(unit)->state == SOCKET_STATE_CLEANING)
                return socket_prepare_clean(unit, request);
        command = socket_command(unit, control->kind, control->index);
        if (!command)
                return -ENOEXEC;
        request->label = socket_exec_to_string(control->kind);
        request->path = command->path;
        request->argv = command->argv;
        exec_context_fill(&socket_settings(unit)->exec, command, request);
        request->unit = unit->id;
        r = exec_sandbox_share(unit, request);
        if (r == 0)
                r = unit_process_add_invocation(unit, &request->own_environment);
        return r < 0 ? r : 0;
}

static SocketResult result_of(const UnitExit *exit) {
        if (exit->code == CLD_EXITED)
                return exit->status == 0 ? SOCKET_RESULT_SUCCESS : SOCKET_RESULT_EXIT_CODE;
        return exit->code == CLD_DUMPED ? SOCKET_RESULT_CORE_DUMP : SOCKET_RESULT_SIGNAL;
}

static void tell_exit(Unit *unit, const SocketProcess *control, const UnitExit *exit) {
        char how[128];

        unit_process_describe_exit(exit, how, sizeof(how));
        socket_note_failure(unit, "%s %s", socket_exec_to_string(control->kind), how);
}

static void control_ended(Unit *unit, const UnitExit *exit) {
        SocketProcess control = socket_of(unit)->control;
        SocketResult result = result_of(exit);

        unit_process_ended(unit, socket_command(unit, control.kind, control.index), exit);
        if (control.ignores_failure)
                result = SOCKET_RESULT_SUCCESS;
        else if (result != SOCKET_RESULT_SUCCESS)
                tell_exit(unit, &control, exit);
        socket_of(unit)->control = (SocketProcess) {};

        if (result == SOCKET_RESULT_SUCCESS && socket_command(unit, control.kind, control.index + 1) &&
            (socket_of(unit)->state == SOCKET_STATE_START_PRE || socket_of(unit)->state == SOCKET_STATE_START_POST ||
             socket_of(unit)->state == SOCKET_STATE_STOP_PRE || socket_of(unit)->state == SOCKET_STATE_STOP_POST)) {
                if (socket_run(unit, control.kind, control.index + 1) == 0) {
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

static void record_start(Unit *unit, pid_t pid) {
        SocketProcess *control = &socket_of(unit)->control;

        control->since = socket_now(unit);
        unit_process_started(unit, socket_command(unit, control->kind, control->index), pid, control->since);
}

static void spawn_failed(Unit *unit, const ExecResult *result) {
        SocketProcess *control = &socket_of(unit)->control;
        int status = exec_step_exit_status(result->step);

        if (control->ignores_failure)
                socket_log(unit, 5, "%s: %s (ignored)", socket_exec_to_string(control->kind), result->message);
        else
                socket_note_failure(unit, "%s: %s", socket_exec_to_string(control->kind), result->message);
        if (status != 0) {
                record_start(unit, result->pid);
                control_ended(unit, &(UnitExit) {
                        .pid = result->pid, .code = CLD_EXITED, .status = status, .time = socket_now(unit) });
                return;
        }
        *control = (SocketProcess) {};
        socket_go_on(unit, SOCKET_RESULT_RESOURCES);
}

/* One that runs as we do ("+") takes nothing away from what the others run as, and leave. */
static void note_user(Socket *socket, const ExecResult *result) {
        if (result->uid != (uid_t) -1)
                socket->uid = result->uid;
        if (result->gid != (gid_t) -1)
                socket->gid = result->gid;
}

void socket_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result) {
        SocketProcess *control = &socket_of(unit)->control;
        UnitHost *host = socket_host(unit);

        if (!control->is_wanted) {
                /* Taken back while the process was on its way: nobody would know what it is for. */
                if (pid > 0)
                        host->ops->kill(host, unit, pid, SIGKILL, true);
                return;
        }
        if (socket_of(unit)->state == SOCKET_STATE_CLEANING) {
                socket_clean_spawned(unit, pid, result);
                return;
        }
        control->is_wanted = false;
        if (pid <= 0) {
                spawn_failed(unit, result);
                return;
        }
        control->pid = pid;
        note_user(socket_of(unit), result);
        exec_sandbox_spawned(unit, result);
        record_start(unit, pid);
        socket_republish(unit);
}

/* — signals — */

int socket_signal_all(Unit *unit, SocketState state) {
        const KillSettings *kill = &socket_settings(unit)->kill;
        bool kills = state == SOCKET_STATE_STOP_PRE_SIGKILL || state == SOCKET_STATE_FINAL_SIGKILL;

        return unit_process_signal_end(unit, kill, 0, socket_of(unit)->control.pid,
                                       kills ? kill->final_signal : kill->signal, kills);
}

int socket_kill(Unit *unit, const char *who, int signal, Failure *ret_failure) {
        return unit_process_kill(unit, socket_of(unit)->control.pid, who, signal, ret_failure);
}
