/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What all units that run commands do alike with their processes: what is known of each, and signals to them
 */

#include "unit/unit.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"

/* Notes in @command, which may be NULL, that it runs, and that it has ended. */
void unit_process_started(const Unit *unit, ExecCommand *command, pid_t pid, usec_t since);
void unit_process_ended(const Unit *unit, ExecCommand *command, const UnitExit *exit);

/* "exited with status 3" */
void unit_process_describe_exit(const UnitExit *exit, char *buffer, size_t size);

/* "ExecStartPre: /bin/sleep 60 (pid 12)"; just @what where no command is known. 0 or -ENOMEM. */
int unit_process_describe(const char *what, const ExecCommand *command, pid_t pid, char **ret_text);

/* Appends one variable: 0 or -ENOMEM. */
int unit_process_add_variable(char ***environment, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The id in hexadecimal digits: 1, 0 if this run of the unit has none, or -ENOMEM. */
int unit_process_format_invocation(const Unit *unit, char **ret_hex);

/* INVOCATION_ID=: 1, 0 if this run of the unit has none, or -ENOMEM. */
int unit_process_add_invocation(const Unit *unit, char ***environment);

/* One signal to the processes that are there (0: is not), with their groups and all others of the unit @with_rest: how many. */
int unit_process_signal(Unit *unit, pid_t main_pid, pid_t control_pid, int signal, bool with_rest);

/*
 * What ends them, by @kill; @is_final: there is nothing behind @signal. How many there are to wait for; 0 also where
 * KillMode=none forbids it.
 */
int unit_process_signal_end(Unit *unit, const KillSettings *kill, pid_t main_pid, pid_t control_pid, int signal,
                            bool is_final);

/* The verb kill of a unit that has one process at a time, @control_pid: as UnitVTable.kill. */
int unit_process_kill(Unit *unit, pid_t control_pid, const char *who, int signal, Failure *ret_failure);
