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
#include "types/exec_property.h"
#include "types/exec_terms_property.h"
#include "types/group_property.h"
#include "types/kill_property.h"
#include "types/sandbox_property.h"
#include "types/service.h"
#include "types/service_rare_property.h"

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
GETTER(found, sink_bool, service->is_found)
GETTER(main_pid, sink_u32, (uint32_t) service->main.pid)
GETTER(control_pid, sink_u32, (uint32_t) service->control.pid)
GETTER(status_text, sink_string, service->status_text)
GETTER(status_errno, sink_i32, service->status_errno)
GETTER(result, sink_string, service_result_to_string(service->result))
GETTER(reload_result, sink_string, service_result_to_string(service->reload_result))
GETTER(clean_result, sink_string, service_result_to_string(service_extra(unit)->clean_result))
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

static void put_commands(const Unit *unit, Sink *sink, ServiceExec kind) {
        exec_property_put_commands(service_command(unit, kind, 0), sink);
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

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE

static const UnitProperty rows[] = {
        { "Type", "s", C, get_type, "When it counts as started: simple, exec, forking, oneshot, dbus, notify, notify-reload, idle." },
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
        { "Found", "b", E, get_found,
          "Whether it was found running when its records were lost, so that nobody knows how it was started." },
        { "MainPID", "u", E, get_main_pid, "The main process, 0 if there is none." },
        { "ControlPID", "u", E, get_control_pid, "The command that runs besides, 0 if there is none." },
        SERVICE_RARE_PROPERTIES,
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
};

static const UnitPropertyTable service_table = { rows, ELEMENTSOF(rows) };

const UnitPropertyTable *const service_properties[] = {
        &service_table, &group_properties, &exec_properties, &exec_terms_properties, &sandbox_properties, &kill_properties, NULL,
};
