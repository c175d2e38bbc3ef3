/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of a unit, of whatever type
 *
 * KillMode=control-group means all of its processes: without control groups
 * those that the host can find. mixed sends the first signal to the main and
 * the control process alone and the killing one to all. process never looks at
 * the rest, none signals nobody.
 */

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "types/unit_process.h"
#include "unit/unit_table.h"

void unit_process_started(const Unit *unit, ExecCommand *command, pid_t pid, usec_t since) {
        UnitHost *host = unit_table_host(unit->table);

        if (!command)
                return;
        command->pid = pid;
        command->code = command->status = 0;
        command->start_realtime = host->ops->now_realtime(host);
        command->start_monotonic = since;
        command->exit_realtime = command->exit_monotonic = 0;
}

void unit_process_ended(const Unit *unit, ExecCommand *command, const UnitExit *exit) {
        UnitHost *host = unit_table_host(unit->table);

        if (!command)
                return;
        command->code = exit->code;
        command->status = exit->status;
        command->exit_realtime = host->ops->now_realtime(host);
        command->exit_monotonic = exit->time;
}

void unit_process_describe_exit(const UnitExit *exit, char *buffer, size_t size) {
        const char *name = sigabbrev_np(exit->status);

        if (exit->code == CLD_EXITED)
                snprintf(buffer, size, "exited with status %i", exit->status);
        else if (name)
                snprintf(buffer, size, "was killed by SIG%s%s", name,
                         exit->code == CLD_DUMPED ? " and dumped core" : "");
        else
                snprintf(buffer, size, "was killed by signal %i", exit->status);
}

int unit_process_describe(const char *what, const ExecCommand *command, pid_t pid, char **ret_text) {
        cleanup_free_ char *arguments = NULL, *shown = NULL;
        Text text = {};
        int r;

        r = strv_join(command && command->argv ? command->argv + 1 : NULL, " ", &arguments);
        if (r == 0)
                r = text_escape_control(arguments, &shown);
        if (r < 0)
                return r;
        text_add(&text, what);
        if (command)
                text_addf(&text, ": %s", command->path);
        if (*shown)
                text_addf(&text, " %s", shown);
        if (pid > 0)
                text_addf(&text, " (pid %i)", (int) pid);
        return text_finish(&text, ret_text);
}

/* — what they are told — */

int unit_process_add_variable(char ***environment, const char *format, ...) {
        char *assignment = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&assignment, format, arguments);
        va_end(arguments);
        return n < 0 ? -ENOMEM : strv_consume(environment, assignment);
}

int unit_process_format_invocation(const Unit *unit, char **ret_hex) {
        char hex[33];

        for (size_t i = 0; i < sizeof(unit->invocation_id); i++)
                snprintf(hex + 2 * i, 3, "%02x", unit->invocation_id[i]);
        if (strspn(hex, "0") == 32)
                return 0;
        *ret_hex = strdup(hex);
        return *ret_hex ? 1 : -ENOMEM;
}

int unit_process_add_invocation(const Unit *unit, char ***environment) {
        cleanup_free_ char *hex = NULL;
        int r = unit_process_format_invocation(unit, &hex);

        if (r <= 0)
                return r;
        r = unit_process_add_variable(environment, "INVOCATION_ID=%s", hex);
        return r < 0 ? r : 1;
}

/* — signals — */

int unit_process_signal(Unit *unit, pid_t main_pid, pid_t control_pid, int signal, bool with_rest) {
        UnitHost *host = unit_table_host(unit->table);
        int n = (main_pid > 0) + (control_pid > 0), r;

        if (main_pid > 0)
                host->ops->kill(host, unit, main_pid, signal, with_rest);
        if (control_pid > 0)
                host->ops->kill(host, unit, control_pid, signal, with_rest);
        if (with_rest) {
                r = host->ops->kill_rest(host, unit, signal, main_pid, control_pid);
                n += MAX(r, 0);
        }
        return n;
}

int unit_process_signal_end(Unit *unit, const KillSettings *kill, pid_t main_pid, pid_t control_pid, int signal,
                            bool is_final) {
        bool with_rest = kill->mode == KILL_MODE_CONTROL_GROUP || (kill->mode == KILL_MODE_MIXED && is_final);
        int n;

        if (kill->mode == KILL_MODE_NONE)
                return 0;
        n = unit_process_signal(unit, main_pid, control_pid, signal, with_rest);
        if (n == 0 || is_final)
                return n;
        if (kill->send_sighup && signal != SIGHUP)
                unit_process_signal(unit, main_pid, control_pid, SIGHUP, with_rest);
        /* One that is stopped would not hear it. */
        if (signal != SIGKILL && signal != SIGCONT)
                unit_process_signal(unit, main_pid, control_pid, SIGCONT, with_rest);
        return n;
}

int unit_process_kill(Unit *unit, pid_t control_pid, const char *who, int signal, Failure *ret_failure) {
        bool is_all = strcmp(who, "all") == 0 || strcmp(who, "all-fail") == 0;
        bool is_control = strcmp(who, "control") == 0 || strcmp(who, "control-fail") == 0;

        if (signal <= 0 || signal >= _NSIG)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "There is no signal %i.", signal);
        if (strcmp(who, "main") == 0 || strcmp(who, "main-fail") == 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess", "%s is a %s: it has no main process.", unit->id,
                                   unit_type_to_string(unit->type));
        if (!is_all && !is_control)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "Which process of %s? \"%s\" is none of control and all.", unit->id, who);
        if (unit_process_signal(unit, 0, control_pid, signal, is_all) == 0 && strcmp(who, "all") != 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess", "%s has no process to signal.", unit->id);
        return 0;
}
