/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of a service
 *
 * Names, signatures and which ones announce their changes are systemd's, since
 * its clients read them; FailureReason is jobd's own.
 */

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/exec_property.h"
#include "types/exec_terms_property.h"
#include "types/foreign_property.h"
#include "types/group_property.h"
#include "types/kill_property.h"
#include "types/sandbox_property.h"
#include "types/service_limit.h"
#include "types/service_message.h"
#include "types/service_show.h"

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
GETTER(non_blocking, sink_bool, settings->non_blocking)
GETTER(exit_type, sink_string, settings->exit_type_cgroup ? "cgroup" : "main")
GETTER(reload_limit_interval, sink_u64, service_rare(unit)->reload_limit_interval)
GETTER(reload_limit_burst, sink_u32, service_rare(unit)->reload_limit_burst)
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

#define COMMANDS_EX(name, kind)                                                                 \
        static void get_##name##_ex(const Unit *unit, Sink *sink) {                             \
                exec_property_put_commands_with_prefixes(service_command(unit, kind, 0), sink); \
        }

COMMANDS_EX(exec_condition, SERVICE_EXEC_CONDITION)
COMMANDS_EX(exec_start_pre, SERVICE_EXEC_START_PRE)
COMMANDS_EX(exec_start, SERVICE_EXEC_START)
COMMANDS_EX(exec_start_post, SERVICE_EXEC_START_POST)
COMMANDS_EX(exec_reload, SERVICE_EXEC_RELOAD)
COMMANDS_EX(exec_stop, SERVICE_EXEC_STOP)
COMMANDS_EX(exec_stop_post, SERVICE_EXEC_STOP_POST)

/* When its watchdog was last satisfied, by the monotonic clock; 0: it has none. */
static usec_t last_ping(const Unit *unit) {
        const Service *service = service_of(unit);
        usec_t span = service->watchdog_override != USEC_INFINITY ? service->watchdog_override :
                                                                    service_settings(unit)->watchdog;

        return service->watchdog_deadline == USEC_INFINITY ? 0 : usec_sub(service->watchdog_deadline, span);
}

static void get_watchdog_time(const Unit *unit, Sink *sink) {
        usec_t ping = last_ping(unit);
        UnitTimestamp now = unit_timestamp(unit);

        sink_u64(sink, ping == 0 ? 0 : usec_sub(now.realtime, usec_sub(now.monotonic, ping)));
}

static void get_watchdog_time_monotonic(const Unit *unit, Sink *sink) {
        sink_u64(sink, last_ping(unit));
}

GETTER(success_exit_status, exec_property_put_statuses, &settings->success_exit_status)
GETTER(restart_prevent_exit_status, exec_property_put_statuses, &settings->restart_prevent_exit_status)
GETTER(restart_force_exit_status, exec_property_put_statuses, &settings->restart_force_exit_status)

/* The same of settings and state that few services have: @expression may use rare and extra. */
#define RARE(name, put, expression)                                              \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const ServiceRareSettings *rare = service_rare(unit);            \
                const ServiceExtra *extra = service_extra(unit);                 \
                                                                                 \
                (void) rare;                                                     \
                (void) extra;                                                    \
                put(sink, expression);                                           \
        }

RARE(bus_name, sink_string, rare->bus_name)
RARE(bus_error, sink_string, extra->bus_error)
RARE(fd_store_max, sink_u32, rare->fd_store_max)
RARE(fd_store_n, sink_u32, (uint32_t) extra->fds.stored.n)
RARE(fd_store_preserve, sink_string, service_fd_preserve_to_string(rare->fd_store_preserve))
RARE(next_restart, sink_u64, service_of(unit)->state == SERVICE_STATE_AUTO_RESTART ? extra->restart_at : 0)
RARE(notify_fd, sink_i32, rare->notify_fd)
RARE(probe_message, sink_string, extra->probing.message)
RARE(reload_signal, sink_i32, rare->reload_signal > 0 ? rare->reload_signal : SIGHUP)
RARE(restart_max_delay, sink_u64, rare->restart_max_delay > 0 ? rare->restart_max_delay : USEC_INFINITY)
RARE(restart_mode, sink_string, service_restart_mode_to_string(rare->restart_mode))
RARE(restart_next, sink_u64, service_restart_pause(unit))
RARE(restart_reset, sink_u64, rare->restart_reset > 0 ? rare->restart_reset : USEC_INFINITY)
RARE(restart_steps, sink_u32, rare->restart_steps)
RARE(root_directory_start_only, sink_bool, rare->root_directory_start_only)
RARE(runtime_extra, sink_u64, rare->runtime_extra)
RARE(timeout_start_mode, sink_string, service_timeout_mode_to_string(rare->timeout_start_mode))
RARE(timeout_stop_mode, sink_string, service_timeout_mode_to_string(rare->timeout_stop_mode))

static void get_restart_jitter(const Unit *unit, Sink *sink) {
        const ServiceRareSettings *rare = service_rare(unit);
        char text[USEC_FORMAT_MAX];

        if (rare->restart_jitter_percent > 0)
                snprintf(text, sizeof(text), "%u%%", rare->restart_jitter_percent);
        sink_string(sink, rare->restart_jitter_percent > 0 ? text : usec_format(rare->restart_jitter, text));
}

/* The main process of a running service is no activity. */
static void get_activity(const Unit *unit, Sink *sink) {
        ServiceState state = service_of(unit)->state;
        cleanup_free_ char *activity = NULL;
        usec_t since;

        if (state != SERVICE_STATE_RUNNING && state != SERVICE_STATE_EXITED)
                (void) service_activity(unit, &activity, &since);
        sink_string(sink, activity);
}

static void put_probe(const Unit *unit, Sink *sink, ServiceProbeKind kind) {
        Text text = {};

        service_describe_probe(unit, kind, &text);
        sink_string(sink, text.string);
        text_deinit(&text);
}

static void get_readiness(const Unit *unit, Sink *sink) {
        put_probe(unit, sink, SERVICE_PROBE_READINESS);
}

static void get_liveness(const Unit *unit, Sink *sink) {
        put_probe(unit, sink, SERVICE_PROBE_LIVENESS);
}

static void get_open_files(const Unit *unit, Sink *sink) {
        sink_open(sink, 'a', "(sst)");
        for (const ServiceOpenFile *file = service_rare(unit)->open_files; file; file = file->next) {
                sink_open(sink, 'r', "sst");
                sink_string(sink, file->path);
                sink_string(sink, file->name);
                sink_u64(sink, file->flags);
                sink_close(sink);
        }
        sink_close(sink);
}

#define C UNIT_PROPERTY_CONST
#define E UNIT_PROPERTY_EMITS_CHANGE
#define I UNIT_PROPERTY_INVALIDATES
#define OWN UNIT_PROPERTY_OWN

static const UnitProperty rows[] = {
        { "Type", "s", C, get_type,
          "When it counts as started: simple, exec, forking, oneshot, dbus, notify, notify-reload, idle." },
        { "Restart", "s", C, get_restart, "After which ends it is started again by itself." },
        { "PIDFile", "s", C, get_pid_file, "The file in which a forking daemon names its main process." },
        { "NotifyAccess", "s", C, get_notify_access, "Whose notifications are heeded: none, main, exec, all." },
        { "RestartUSec", "t", C, get_restart_usec, "The pause before an automatic restart." },
        { "TimeoutStartUSec", "t", C, get_timeout_start, "How long a step of its start may take." },
        { "TimeoutStopUSec", "t", C, get_timeout_stop, "How long a step of its stop may take." },
        { "TimeoutAbortUSec", "t", 0, get_timeout_abort, "How long it may take to end after a missed watchdog." },
        { "RuntimeMaxUSec", "t", C, get_runtime_max, "How long it may run." },
        { "WatchdogUSec", "t", 0, get_watchdog, "How often it must send WATCHDOG=1; 0 for never." },
        { "WatchdogTimestamp", "t", 0, get_watchdog_time, "When it has sent WATCHDOG=1 last; 0 without a watchdog." },
        { "WatchdogTimestampMonotonic", "t", 0, get_watchdog_time_monotonic, "The same by the monotonic clock." },
        { "RemainAfterExit", "b", C, get_remain_after_exit, "Whether it counts as active after its end." },
        { "GuessMainPID", "b", C, get_guess_main_pid, "Whether to guess a forking daemon's main process." },
        { "ExitType", "s", C, get_exit_type, "Which processes it runs as long as: main, cgroup." },
        { "NonBlocking", "b", C, get_non_blocking, "Whether the sockets that it is given do not block." },
        { "ReloadLimitIntervalUSec", "t", C, get_reload_limit_interval, "The time in which reloads are counted." },
        { "ReloadLimitBurst", "u", C, get_reload_limit_burst, "How many reloads are allowed in that time; 0: all." },
        { "RestartPreventExitStatus", "(aiai)", C, get_restart_prevent_exit_status,
          "Exit statuses and signals after which it is not started again." },
        { "RestartForceExitStatus", "(aiai)", C, get_restart_force_exit_status,
          "Exit statuses and signals after which it is started again whatever Restart says." },
        { "SuccessExitStatus", "(aiai)", C, get_success_exit_status, "Exit statuses and signals that are no failure." },
        { "Found", "b", E | OWN, get_found, "Whether it was found running after its records were lost." },
        { "MainPID", "u", E, get_main_pid, "The main process, 0 if there is none." },
        { "ControlPID", "u", E, get_control_pid, "The control process, 0 if there is none." },
        { "Activity", "s", OWN, get_activity, "What it does or waits for while it starts, stops or reloads." },
        { "BusName", "s", C, get_bus_name, "The name that it takes on the bus." },
        { "FileDescriptorStoreMax", "u", C, get_fd_store_max,
          "How many descriptors it may store." },
        { "OpenFile", "a(sst)", C, get_open_files,
          "Files that it is given open: path, name, and 1 read-only, 2 append, 4 truncate, 8 if it need not be "
          "there." },
        { "NFileDescriptorStore", "u", 0, get_fd_store_n, "How many descriptors it has stored." },
        { "FileDescriptorStorePreserve", "s", 0, get_fd_store_preserve,
          "Whether stored descriptors outlast a run: no, restart, yes." },
        { "StatusBusError", "s", E, get_bus_error, "The D-Bus error that it has reported." },
        { "TimeoutStartFailureMode", "s", C, get_timeout_start_mode,
          "How it is ended when its start takes too long: terminate, abort, kill." },
        { "TimeoutStopFailureMode", "s", C, get_timeout_stop_mode,
          "The same when its stop takes too long." },
        { "RuntimeRandomizedExtraUSec", "t", C, get_runtime_extra,
          "How much longer than RuntimeMaxUSec it may run at most, at random." },
        { "ReloadSignal", "i", C, get_reload_signal, "The signal that reloads a service of Type=notify-reload." },
        { "RestartMode", "s", C, get_restart_mode,
          "Whether a restart goes by way of failed or inactive: normal, direct." },
        { "RestartSteps", "u", C, get_restart_steps,
          "In how many steps the pause grows to RestartMaxDelayUSec." },
        { "RestartMaxDelayUSec", "t", C, get_restart_max_delay,
          "The longest pause before a restart." },
        { "RestartUSecNext", "t", OWN, get_restart_next, "The pause before the next restart." },
        { "RestartJitter", "s", C | OWN, get_restart_jitter,
          "How much is added to a pause at most, at random: a time or a share." },
        { "RestartResetUSec", "t", C | OWN, get_restart_reset,
          "After how long of running its restarts are forgotten." },
        { "NextRestartUSecMonotonic", "t", OWN, get_next_restart,
          "When it will be started again, by the monotonic clock; 0 if it will not." },
        { "NotifyFd", "i", C | OWN, get_notify_fd,
          "The descriptor on which a newline reports that it is ready; 0 for none." },
        { "ReadinessProbe", "s", C | OWN, get_readiness, "The probe of whether it is ready: a program or a port." },
        { "LivenessProbe", "s", C | OWN, get_liveness, "The probe of whether it is alive: a program or a port." },
        { "ProbeMessage", "s", OWN, get_probe_message, "Why the last probe failed; empty if it did not." },
        { "RootDirectoryStartOnly", "b", C, get_root_directory_start_only,
          "Whether RootDirectory is for ExecStart alone." },
        { "StatusText", "s", E, get_status_text, "The status text that it has reported." },
        { "StatusErrno", "i", E, get_status_errno, "The errno that it has reported." },
        { "Result", "s", E, get_result, "Why it ended, or success." },
        { "ReloadResult", "s", E, get_reload_result, "How its last reload ended." },
        { "CleanResult", "s", E, get_clean_result, "How its last clean-up ended." },
        { "UID", "u", E, get_uid, "The user it runs as, if that was changed; 4294967295 if not." },
        { "GID", "u", E, get_gid, "The group it runs as, if that was changed; 4294967295 if not." },
        { "NRestarts", "u", E, get_n_restarts, "How often it was started again by itself." },
        { "FailureReason", "s", E | OWN, get_failure,
          "A sentence on why Result is what it is; with a Result of success, why ReloadResult is." },
        { "ExecMainStartTimestamp", "t", E, get_exec_main_start, "When the main process was started." },
        { "ExecMainStartTimestampMonotonic", "t", E, get_exec_main_start_monotonic,
          "The same by the monotonic clock." },
        { "ExecMainExitTimestamp", "t", E, get_exec_main_exit, "When the main process ended." },
        { "ExecMainExitTimestampMonotonic", "t", E, get_exec_main_exit_monotonic, "The same by the monotonic clock." },
        { "ExecMainPID", "u", E, get_exec_main_pid, "The present or last main process." },
        { "ExecMainCode", "i", E, get_exec_main_code, "How it ended: 1 exited, 2 killed, 3 dumped." },
        { "ExecMainStatus", "i", E, get_exec_main_status, "Its exit status or signal." },
        { "ExecCondition", "a(sasbttttuii)", I, get_exec_condition, "Commands that decide whether it starts." },
        { "ExecConditionEx", "a(sasasttttuii)", I, get_exec_condition_ex, "The same, with names of prefixes." },
        { "ExecStartPre", "a(sasbttttuii)", I, get_exec_start_pre, "Commands before the main one." },
        { "ExecStartPreEx", "a(sasasttttuii)", I, get_exec_start_pre_ex, "The same, with names of prefixes." },
        { "ExecStart", "a(sasbttttuii)", I, get_exec_start, "The main command." },
        { "ExecStartEx", "a(sasasttttuii)", I, get_exec_start_ex, "The same, with names of prefixes." },
        { "ExecStartPost", "a(sasbttttuii)", I, get_exec_start_post, "Commands after the main one has started." },
        { "ExecStartPostEx", "a(sasasttttuii)", I, get_exec_start_post_ex, "The same, with names of prefixes." },
        { "ExecReload", "a(sasbttttuii)", I, get_exec_reload, "Commands that reload it." },
        { "ExecReloadEx", "a(sasasttttuii)", I, get_exec_reload_ex, "The same, with names of prefixes." },
        { "ExecStop", "a(sasbttttuii)", I, get_exec_stop, "Commands that stop it." },
        { "ExecStopEx", "a(sasasttttuii)", I, get_exec_stop_ex, "The same, with names of prefixes." },
        { "ExecStopPost", "a(sasbttttuii)", I, get_exec_stop_post, "Commands after it has ended." },
        { "ExecStopPostEx", "a(sasasttttuii)", I, get_exec_stop_post_ex, "The same, with names of prefixes." },
};

static const UnitPropertyTable service_table = { rows, ELEMENTSOF(rows), true, UNIT_SERVICE };

const UnitPropertyTable *const service_properties[] = {
        &service_table, &group_properties, &exec_properties, &exec_terms_properties, &sandbox_properties,
        &kill_properties, &foreign_group_properties, &foreign_exec_properties,
        &foreign_service_properties, NULL,
};
