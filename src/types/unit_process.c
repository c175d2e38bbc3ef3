/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of a unit, of whatever type
 *
 * KillMode=control-group means all processes of the unit: without control groups, those that the host can find. mixed
 * sends the first signal to the main and control process alone, and the killing one to all. process leaves the rest
 * alone, none signals nothing.
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
#include "types/unit_ask.h"
#include "types/unit_process.h"

int unit_process_ask(Unit *unit, UnitPurpose purpose, UnitProcess *process, UnitProcess wish) {
        UnitHost *host = unit_host(unit);
        int r;

        wish.is_wanted = true;
        wish.since = unit_now(unit);
        *process = wish;
        r = host->ops->spawn(host, unit, purpose);
        if (r < 0)
                *process = (UnitProcess) {};
        return r;
}

bool unit_process_take_back(Unit *unit, UnitPurpose purpose, UnitProcess *process, ExecResult *ret_result) {
        UnitHost *host = unit_host(unit);

        if (!process->is_wanted)
                return false;
        if (host->ops->take_back && host->ops->take_back(host, unit, purpose, ret_result))
                return unit_process_spawned(unit, process, ret_result->pid) == UNIT_SPAWN_RUNNING;
        *process = (UnitProcess) {};
        return false;
}

UnitSpawn unit_process_spawned(Unit *unit, UnitProcess *process, pid_t pid) {
        UnitHost *host = unit_host(unit);

        if (!process || !process->is_wanted) {
                if (pid > 0)
                        host->ops->kill(host, unit, pid, SIGKILL, true);
                return UNIT_SPAWN_STALE;
        }
        process->is_wanted = false;
        if (pid <= 0)
                return UNIT_SPAWN_FAILED;
        process->pid = pid;
        process->since = unit_now(unit);
        return UNIT_SPAWN_RUNNING;
}

void unit_process_forget(Unit *unit, UnitPurpose purpose, UnitProcess *process) {
        UnitHost *host = unit_host(unit);

        if (process->pid > 0)
                host->ops->unwatch_process(host, unit, purpose, process->pid);
        *process = (UnitProcess) {};
}

bool unit_process_failed_exit(const Unit *unit, const ExecResult *result, UnitExit *ret_exit) {
        int status = exec_step_exit_status(result->step);

        *ret_exit = (UnitExit) { .pid = result->pid, .code = CLD_EXITED, .status = status, .time = unit_now(unit) };
        return status != 0;
}

void unit_process_note_user(const ExecResult *result, uid_t *uid, gid_t *gid) {
        if (result->uid != (uid_t) -1)
                *uid = result->uid;
        if (result->gid != (gid_t) -1)
                *gid = result->gid;
}

void unit_process_started(const Unit *unit, ExecCommand *command, pid_t pid, usec_t since) {
        UnitHost *host = unit_host(unit);

        if (!command)
                return;
        command->pid = pid;
        command->code = command->status = 0;
        command->start_realtime = host->ops->now_realtime(host);
        command->start_monotonic = since;
        command->exit_realtime = command->exit_monotonic = 0;
}

void unit_process_ended(const Unit *unit, ExecCommand *command, const UnitExit *exit) {
        UnitHost *host = unit_host(unit);

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

/* — environment — */

int unit_process_add_variable(char ***environment, const char *format, ...) {
        char *assignment = NULL;
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = text_vformat(&assignment, format, arguments);
        va_end(arguments);
        return r < 0 ? r : strv_consume(environment, assignment);
}

int unit_process_format_invocation(const Unit *unit, char **ret_hex) {
        char hex[2 * sizeof(unit->invocation_id) + 1];

        text_write_hex(hex, unit->invocation_id, sizeof(unit->invocation_id));
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

int unit_process_signal(Unit *unit, UnitPids pids, int signal, bool with_rest) {
        UnitHost *host = unit_host(unit);
        int n = (pids.main > 0) + (pids.control > 0), r;

        if (pids.main > 0)
                host->ops->kill(host, unit, pids.main, signal, with_rest);
        if (pids.control > 0)
                host->ops->kill(host, unit, pids.control, signal, with_rest);
        if (with_rest) {
                r = host->ops->kill_rest(host, unit, signal, pids.main, pids.control);
                n += MAX(r, 0);
        }
        return n;
}

int unit_process_signal_end(Unit *unit, const KillSettings *kill, UnitPids pids, int signal, bool is_final) {
        bool with_rest = kill->mode == KILL_MODE_CONTROL_GROUP || (kill->mode == KILL_MODE_MIXED && is_final);
        int n;

        if (kill->mode == KILL_MODE_NONE)
                return 0;
        n = unit_process_signal(unit, pids, signal, with_rest);
        if (n == 0 || is_final)
                return n;
        if (kill->send_sighup && signal != SIGHUP)
                unit_process_signal(unit, pids, SIGHUP, with_rest);
        /* A stopped process would not handle the signal. */
        if (signal != SIGKILL && signal != SIGCONT)
                unit_process_signal(unit, pids, SIGCONT, with_rest);
        return n;
}

int unit_process_kill(Unit *unit, pid_t control_pid, const char *who, int signal, Failure *ret_failure) {
        bool is_all = strcmp(who, "all") == 0 || strcmp(who, "all-fail") == 0;
        bool is_control = strcmp(who, "control") == 0 || strcmp(who, "control-fail") == 0;

        if (signal <= 0 || signal >= _NSIG)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "There is no signal %i.", signal);
        if (strcmp(who, "main") == 0 || strcmp(who, "main-fail") == 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess", "%s is a %s: it has no main process.",
                                   unit->id,
                                   unit_type_to_string(unit->type));
        if (!is_all && !is_control)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "Which process of %s? \"%s\" is none of control and all.", unit->id, who);
        if (unit_process_signal(unit, (UnitPids) { .control = control_pid }, signal, is_all) == 0 &&
            strcmp(who, "all") != 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess", "%s has no process to signal.", unit->id);
        return 0;
}
