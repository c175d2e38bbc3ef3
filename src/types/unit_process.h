/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Processes of a unit, of whatever type
 *
 * A unit requests a process by unit_process_ask(). The host asks for the
 * command when it flushes its outbox (UnitVTable.prepare_spawn), and reports
 * the outcome later (UnitVTable.spawned, which begins with
 * unit_process_spawned()). In between the unit may withdraw the request: then
 * the process is killed, unless it runs its program already.
 */

#include "exec/exec.h"
#include "unit/unit.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"

/*
 * A process that a unit has, or waits for. Its command is named by its place, not by a pointer: settings may be read
 * again while it runs.
 */
typedef struct UnitProcess {
        pid_t pid;                      /* 0: none */
        bool is_wanted;                 /* requested from the host and not started yet */
        bool has_command;
        bool ignores_failure;
        int kind;                       /* of the type's commands: ServiceExec, SocketExec, MountExec */
        unsigned index;                 /* in the list of that kind */
        usec_t since;                   /* monotonic */
} UnitProcess;

typedef enum UnitSpawn {
        UNIT_SPAWN_STALE,               /* the wish was taken back: the process is killed, ignore it */
        UNIT_SPAWN_RUNNING,
        UNIT_SPAWN_FAILED,              /* no process; *process still has the wish */
} UnitSpawn;

/* The known processes of a unit; 0: none. */
typedef struct UnitPids {
        pid_t main, control;
} UnitPids;

static inline bool unit_process_exists(const UnitProcess *process) {
        return process->pid > 0 || process->is_wanted;
}

/*
 * Asks the host for a process. Fills in .is_wanted and .since of @wish. 0, or a negative errno and *process is empty.
 */
int unit_process_ask(Unit *unit, UnitPurpose purpose, UnitProcess *process, UnitProcess wish);

/*
 * Withdraws a wish: a process that has not got its program yet never will. True: it has its program already, and
 * *process is filled in as by unit_process_spawned(), which is not called any more.
 */
bool unit_process_take_back(Unit *unit, UnitPurpose purpose, UnitProcess *process, ExecResult *ret_result);

/*
 * The outcome of a wish, as UnitVTable.spawned tells it; fills in *process, which may be NULL (no wish for that
 * purpose).
 */
UnitSpawn unit_process_spawned(Unit *unit, UnitProcess *process, pid_t pid);

/* Stops following the process, which may go on. */
void unit_process_forget(Unit *unit, UnitPurpose purpose, UnitProcess *process);

/*
 * A spawn that failed in a step with an exit status of its own counts as a process that has exited with it: true and
 * *ret_exit. False: it failed otherwise, without a process.
 */
bool unit_process_failed_exit(const Unit *unit, const ExecResult *result, UnitExit *ret_exit);

/* Stores the user of the last process; a process with the manager's privileges ("+") leaves it unchanged. */
void unit_process_note_user(const ExecResult *result, uid_t *uid, gid_t *gid);

/* Notes in @command, which may be NULL, that it has started, or ended. */
void unit_process_started(const Unit *unit, ExecCommand *command, pid_t pid, usec_t since);
void unit_process_ended(const Unit *unit, ExecCommand *command, const UnitExit *exit);

/* "exited with status 3" */
void unit_process_describe_exit(const UnitExit *exit, char *buffer, size_t size);

/* "ExecStartPre: /bin/sleep 60 (pid 12)"; @what alone if no command is known. 0 or -ENOMEM. */
int unit_process_describe(const char *what, const ExecCommand *command, pid_t pid, char **ret_text);

/* Appends one variable: 0 or -ENOMEM. */
int unit_process_add_variable(char ***environment, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The id in hexadecimal digits: 1, 0 if this run of the unit has none, or -ENOMEM. */
int unit_process_format_invocation(const Unit *unit, char **ret_hex);

/* INVOCATION_ID=: 1, 0 if this run of the unit has none, or -ENOMEM. */
int unit_process_add_invocation(const Unit *unit, char ***environment);

/* Sends a signal to @pids; @with_rest: also to their groups and to all others of the unit. How many there were. */
int unit_process_signal(Unit *unit, UnitPids pids, int signal, bool with_rest);

/*
 * Sends the signals that end the processes, by @kill; @is_final: there is no step after @signal. Returns how many there
 * are to wait for; 0 also if KillMode=none forbids it.
 */
int unit_process_signal_end(Unit *unit, const KillSettings *kill, UnitPids pids, int signal, bool is_final);

/* As UnitVTable.kill, for a unit with one process at a time, @control_pid. */
int unit_process_kill(Unit *unit, pid_t control_pid, const char *who, int signal, Failure *ret_failure);
