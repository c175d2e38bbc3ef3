/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a service shows of itself
 *
 * Names, signatures and which ones announce their changes are systemd's, since
 * its clients read them; FailureReason is ours.
 */

#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/types/group_property.h"
#include "unit/types/service.h"

/* One getter: @expression may use service and settings. */
#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const Service *service = service_of(unit);                       \
                const ServiceSettings *settings = service_settings(unit);        \
                                                                                 \
                (void) service;                                                  \
                (void) settings;                                                 \
                put(sink, expression);                                           \
        }

static usec_t start_limit_shown(const ServiceSettings *settings) {
        if (settings->type == SERVICE_ONESHOT && !settings->has_timeout_start)
                return USEC_INFINITY;
        return settings->timeout_start;
}

GETTER(type, sink_string, service_type_to_string(settings->type))
GETTER(restart, sink_string, service_restart_to_string(settings->restart))
GETTER(pid_file, sink_string, settings->pid_file)
GETTER(notify_access, sink_string, service_notify_access_to_string(service_notify_access(unit)))
GETTER(restart_usec, sink_u64, settings->restart_usec)
GETTER(timeout_start, sink_u64, start_limit_shown(settings))
GETTER(timeout_stop, sink_u64, settings->timeout_stop)
GETTER(timeout_abort, sink_u64, settings->has_timeout_abort ? settings->timeout_abort : settings->timeout_stop)
GETTER(runtime_max, sink_u64, settings->runtime_max == 0 ? USEC_INFINITY : settings->runtime_max)
GETTER(watchdog, sink_u64,
       service->watchdog_override != USEC_INFINITY ? service->watchdog_override : settings->watchdog)
GETTER(remain_after_exit, sink_bool, settings->remain_after_exit)
GETTER(guess_main_pid, sink_bool, settings->guess_main_pid)
GETTER(main_pid, sink_u32, (uint32_t) service->main.pid)
GETTER(control_pid, sink_u32, (uint32_t) service->control.pid)
GETTER(bus_name, sink_string, settings->bus_name)
GETTER(status_text, sink_string, service->status_text)
GETTER(status_errno, sink_i32, service->status_errno)
GETTER(result, sink_string, service_result_to_string(service->result))
GETTER(reload_result, sink_string, service_result_to_string(service->reload_result))
GETTER(clean_result, sink_string, "success")
GETTER(uid, sink_u32, (uint32_t) service->uid)
GETTER(gid, sink_u32, (uint32_t) service->gid)
GETTER(n_restarts, sink_u32, service->n_restarts)
GETTER(failure, sink_string, service->result == SERVICE_RESULT_SUCCESS ? service->reload_failure : service->failure)
GETTER(exec_main_pid, sink_u32, (uint32_t) service->exec_main.pid)
GETTER(exec_main_code, sink_i32, service->exec_main.code)
GETTER(exec_main_status, sink_i32, service->exec_main.status)
GETTER(exec_main_start, sink_u64, service->exec_main.start.realtime)
GETTER(exec_main_start_monotonic, sink_u64, service->exec_main.start.monotonic)
GETTER(exec_main_exit, sink_u64, service->exec_main.exit.realtime)
GETTER(exec_main_exit_monotonic, sink_u64, service->exec_main.exit.monotonic)
GETTER(environment, sink_strv, settings->environment)
GETTER(pass_environment, sink_strv, settings->pass_environment)
GETTER(unset_environment, sink_strv, settings->unset_environment)
GETTER(working_directory, sink_string, settings->working_directory)
GETTER(root_directory, sink_string, settings->root_directory)
GETTER(user, sink_string, settings->user)
GETTER(group, sink_string, settings->group)
GETTER(supplementary_groups, sink_strv, settings->supplementary_groups)
GETTER(umask, sink_u32, settings->umask)
GETTER(nice, sink_i32, settings->has_nice ? settings->nice : 0)
GETTER(oom_score_adjust, sink_i32, settings->has_oom_score_adjust ? settings->oom_score_adjust : 0)
GETTER(ignore_sigpipe, sink_bool, settings->ignore_sigpipe)
GETTER(syslog_identifier, sink_string, settings->syslog_identifier)
GETTER(kill_mode, sink_string, service_kill_mode_to_string(settings->kill_mode))
GETTER(kill_signal, sink_i32, settings->kill_signal)
GETTER(restart_kill_signal, sink_i32,
       settings->restart_kill_signal ? settings->restart_kill_signal : settings->kill_signal)
GETTER(final_kill_signal, sink_i32, settings->final_kill_signal)
GETTER(send_sigkill, sink_bool, settings->send_sigkill)
GETTER(send_sighup, sink_bool, settings->send_sighup)

/* Every command with what became of it: path, argv, ignore failure, four times, pid, code, status. */
static void put_commands(const Unit *unit, Sink *sink, ServiceExec kind) {
        const ExecCommand *command = service_command(unit, kind, 0);

        sink_open(sink, 'a', "(sasbttttuii)");
        for (; command; command = command->next) {
                sink_open(sink, 'r', "sasbttttuii");
                sink_string(sink, command->path);
                sink_strv(sink, command->argv);
                sink_bool(sink, command->flags & EXEC_IGNORE_FAILURE);
                sink_u64(sink, command->start_realtime);
                sink_u64(sink, command->start_monotonic);
                sink_u64(sink, command->exit_realtime);
                sink_u64(sink, command->exit_monotonic);
                sink_u32(sink, (uint32_t) command->pid);
                sink_i32(sink, command->code);
                sink_i32(sink, command->status);
                sink_close(sink);
        }
        sink_close(sink);
}

#define COMMANDS(name, kind)                                             \
        static void get_##name(const Unit *unit, Sink *sink) {           \
                put_commands(unit, sink, kind);                          \
        }

COMMANDS(exec_condition, SERVICE_EXEC_CONDITION)
COMMANDS(exec_start_pre, SERVICE_EXEC_START_PRE)
COMMANDS(exec_start, SERVICE_EXEC_START)
COMMANDS(exec_start_post, SERVICE_EXEC_START_POST)
COMMANDS(exec_reload, SERVICE_EXEC_RELOAD)
COMMANDS(exec_stop, SERVICE_EXEC_STOP)
COMMANDS(exec_stop_post, SERVICE_EXEC_STOP_POST)

/* Pairs of path and "may be missing". */
static void get_environment_files(const Unit *unit, Sink *sink) {
        char *const *file = service_settings(unit)->environment_files;

        sink_open(sink, 'a', "(sb)");
        for (; file && *file; file++) {
                bool is_optional = (*file)[0] == '-';

                sink_open(sink, 'r', "sb");
                sink_string(sink, *file + is_optional);
                sink_bool(sink, is_optional);
                sink_close(sink);
        }
        sink_close(sink);
}

static void put_set(Sink *sink, const ExitStatusSet *set) {
        sink_open(sink, 'r', "aiai");
        sink_open(sink, 'a', "i");
        for (int status = 0; status < 256; status++)
                if (exit_status_set_has_status(set, status))
                        sink_i32(sink, status);
        sink_close(sink);
        sink_open(sink, 'a', "i");
        for (int signal = 1; signal < 128; signal++)
                if (exit_status_set_has_signal(set, signal))
                        sink_i32(sink, signal);
        sink_close(sink);
        sink_close(sink);
}

GETTER(success_exit_status, put_set, &settings->success_exit_status)
GETTER(restart_prevent_exit_status, put_set, &settings->restart_prevent_exit_status)
GETTER(restart_force_exit_status, put_set, &settings->restart_force_exit_status)

static void put_output(Sink *sink, ExecOutput output, const char *path) {
        cleanup_free_ char *text = NULL;
        const char *name = exec_output_to_string(output);

        switch (output) {
        case EXEC_OUTPUT_FILE:
        case EXEC_OUTPUT_APPEND:
        case EXEC_OUTPUT_TRUNCATE:
                if (text_format(&text, "%s:%s", name, path ? path : "") == 0)
                        name = text;
                break;
        case EXEC_OUTPUT_SAME:
                name = exec_output_to_string(EXEC_OUTPUT_INHERIT);
                break;
        case EXEC_OUTPUT_INHERIT:
        case EXEC_OUTPUT_NULL:
        case _EXEC_OUTPUT_MAX:
                break;
        }
        sink_string(sink, name);
}

static void get_standard_input(const Unit *unit, Sink *sink) {
        static const char *const terminals[_SERVICE_TTY_MAX] = { NULL, "tty", "tty-force" };
        const char *path = service_settings(unit)->standard_input_file;
        const char *terminal = terminals[service_settings(unit)->tty];
        cleanup_free_ char *text = NULL;

        if (terminal)
                sink_string(sink, terminal);
        else if (service_settings(unit)->inherits_standard_input)
                sink_string(sink, "inherit");
        else
                sink_string(sink, path && text_format(&text, "file:%s", path) == 0 ? text : "null");
}

static void get_standard_output(const Unit *unit, Sink *sink) {
        const ServiceSettings *settings = service_settings(unit);

        put_output(sink, settings->standard_output, settings->standard_output_file);
}

static void get_standard_error(const Unit *unit, Sink *sink) {
        const ServiceSettings *settings = service_settings(unit);

        put_output(sink, settings->standard_error, settings->standard_error_file);
}

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE

const UnitProperty service_properties[] = {
        { "Type", "s", C, get_type, "When it counts as started: simple, exec, forking, oneshot, notify." },
        { "Restart", "s", C, get_restart, "After which ends it is started again by itself." },
        { "PIDFile", "s", C, get_pid_file, "The file in which a forking daemon names its main process." },
        { "NotifyAccess", "s", C, get_notify_access, "Whose notifications are heeded: none, main, exec, all." },
        { "RestartUSec", "t", C, get_restart_usec, "The pause before an automatic restart." },
        { "TimeoutStartUSec", "t", C, get_timeout_start, "How long a step of its start may take." },
        { "TimeoutStopUSec", "t", C, get_timeout_stop, "How long a step of its stop may take." },
        { "TimeoutAbortUSec", "t", 0, get_timeout_abort, "How long it may take to end after a missed watchdog." },
        { "RuntimeMaxUSec", "t", C, get_runtime_max, "How long it may run." },
        { "WatchdogUSec", "t", 0, get_watchdog, "How often it must send WATCHDOG=1; 0 for never." },
        { "RemainAfterExit", "b", C, get_remain_after_exit, "Whether it counts as active after its end." },
        { "GuessMainPID", "b", C, get_guess_main_pid, "Whether to guess a forking daemon's main process." },
        { "RestartPreventExitStatus", "(aiai)", C, get_restart_prevent_exit_status,
          "Exit statuses and signals after which it is not started again." },
        { "RestartForceExitStatus", "(aiai)", C, get_restart_force_exit_status,
          "Exit statuses and signals after which it is started again whatever Restart says." },
        { "SuccessExitStatus", "(aiai)", C, get_success_exit_status, "Exit statuses and signals that are no failure." },
        { "MainPID", "u", E, get_main_pid, "The main process, 0 if there is none." },
        { "ControlPID", "u", E, get_control_pid, "The command that runs besides, 0 if there is none." },
        { "BusName", "s", C, get_bus_name, "The name that it takes on the bus." },
        { "StatusText", "s", E, get_status_text, "What it said of its status." },
        { "StatusErrno", "i", E, get_status_errno, "The errno that it said it has." },
        { "Result", "s", E, get_result, "Why it ended, or success." },
        { "ReloadResult", "s", E, get_reload_result, "How its last reload ended." },
        { "CleanResult", "s", E, get_clean_result, "How its last clean-up ended." },
        { "UID", "u", E, get_uid, "The user it runs as, if that was changed; 4294967295 if not." },
        { "GID", "u", E, get_gid, "The group it runs as, if that was changed; 4294967295 if not." },
        { "NRestarts", "u", E, get_n_restarts, "How often it was started again by itself." },
        { "FailureReason", "s", E, get_failure,
          "A sentence on why Result is what it is; with a Result of success, why ReloadResult is." },
        { "ExecMainStartTimestamp", "t", E, get_exec_main_start, "When the main process was started." },
        { "ExecMainStartTimestampMonotonic", "t", E, get_exec_main_start_monotonic,
          "The same by the monotonic clock." },
        { "ExecMainExitTimestamp", "t", E, get_exec_main_exit, "When the main process ended." },
        { "ExecMainExitTimestampMonotonic", "t", E, get_exec_main_exit_monotonic, "The same by the monotonic clock." },
        { "ExecMainPID", "u", E, get_exec_main_pid, "The present or last main process." },
        { "ExecMainCode", "i", E, get_exec_main_code, "How it ended: 1 exited, 2 killed, 3 dumped." },
        { "ExecMainStatus", "i", E, get_exec_main_status, "Its exit status or signal." },
        { "ExecCondition", "a(sasbttttuii)", 0, get_exec_condition, "Commands that decide whether it starts." },
        { "ExecStartPre", "a(sasbttttuii)", 0, get_exec_start_pre, "Commands before the main one." },
        { "ExecStart", "a(sasbttttuii)", 0, get_exec_start, "The main command." },
        { "ExecStartPost", "a(sasbttttuii)", 0, get_exec_start_post, "Commands after the main one has started." },
        { "ExecReload", "a(sasbttttuii)", 0, get_exec_reload, "Commands that reload it." },
        { "ExecStop", "a(sasbttttuii)", 0, get_exec_stop, "Commands that stop it." },
        { "ExecStopPost", "a(sasbttttuii)", 0, get_exec_stop_post, "Commands after it has ended." },
        GROUP_PROPERTIES,
        { "Environment", "as", C, get_environment, "Variables that its commands get." },
        { "EnvironmentFiles", "a(sb)", C, get_environment_files, "Files with variables; whether they may be missing." },
        { "PassEnvironment", "as", C, get_pass_environment, "The manager's variables that its commands get." },
        { "UnsetEnvironment", "as", C, get_unset_environment, "Variables that its commands don't get." },
        { "WorkingDirectory", "s", C, get_working_directory, "Where its commands run." },
        { "RootDirectory", "s", C, get_root_directory, "What its commands have as their root." },
        { "User", "s", C, get_user, "The user it runs as." },
        { "Group", "s", C, get_group, "The group it runs as." },
        { "SupplementaryGroups", "as", C, get_supplementary_groups, "Further groups it has." },
        { "UMask", "u", C, get_umask, "Its file mode creation mask." },
        { "Nice", "i", C, get_nice, "Its nice level." },
        { "OOMScoreAdjust", "i", C, get_oom_score_adjust, "How likely it is killed when memory runs out." },
        { "IgnoreSIGPIPE", "b", C, get_ignore_sigpipe, "Whether its commands ignore SIGPIPE." },
        { "SyslogIdentifier", "s", C, get_syslog_identifier, "What its log lines start with." },
        { "StandardInput", "s", C, get_standard_input, "What its standard input is." },
        { "StandardOutput", "s", C, get_standard_output, "Where its standard output goes." },
        { "StandardError", "s", C, get_standard_error, "Where its standard error goes." },
        { "KillMode", "s", C, get_kill_mode, "Which of its processes are signalled at a stop." },
        { "KillSignal", "i", C, get_kill_signal, "The signal that tells it to end." },
        { "RestartKillSignal", "i", C, get_restart_kill_signal, "The signal that tells it to end for a restart." },
        { "FinalKillSignal", "i", C, get_final_kill_signal, "The signal that ends it after the time limit." },
        { "SendSIGKILL", "b", C, get_send_sigkill, "Whether it is killed after the time limit." },
        { "SendSIGHUP", "b", C, get_send_sighup, "Whether it also gets SIGHUP at a stop." },
        {},
};
