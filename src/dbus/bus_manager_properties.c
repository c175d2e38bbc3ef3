/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: properties
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "dbus/object/bus_view.h"
#include "dbus/peer/bus_process.h"
#include "unit/unit_slice.h"
#include "unitfile/resource_settings.h"
#include "unitfile/service_settings.h"
#include "unitfile/timer_settings.h"

#ifndef JOBD_VERSION
#error "the build must say which version this is"
#endif

static void get_empty(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, "");
}

/* Clients of systemd read the number in front, and take it for the API that is spoken. */
#define SYSTEMD_VERSION "252"

static void get_version(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, view->dialect->id == BUS_DIALECT_SYSTEMD ? SYSTEMD_VERSION " (jobd " JOBD_VERSION ")"
                                                                   : "jobd " JOBD_VERSION);
}

static void get_scope(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, manager_options(view->tree->manager)->is_user ? "user" : "system");
}

static void get_architecture(const BusView *view, uint32_t parameter, Sink *sink) {
        static const char *const architecture =
#if defined(__x86_64__)
                "x86-64";
#elif defined(__aarch64__)
                "arm64";
#elif defined(__i386__)
                "x86";
#elif defined(__arm__)
                "arm";
#elif defined(__riscv)
                "riscv64";
#else
                "";
#endif
        sink_string(sink, architecture);
}

static void get_system_state(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, manager_system_state(view->tree->manager));
}

static void get_n_names(const BusView *view, uint32_t parameter, Sink *sink) {
        uint32_t n = 0;

        unit_table_foreach(manager_units(view->tree->manager), unit)
                strv_foreach(name, unit->names)
                        n++;
        sink_u32(sink, n);
}

static void get_n_failed_units(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u32(sink, manager_count_failed_units(view->tree->manager));
}

static void get_n_jobs(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u32(sink, (uint32_t) job_manager_count(manager_jobs(view->tree->manager)));
}

static void get_n_installed_jobs(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u32(sink, view->tree->n_installed_jobs);
}

static void get_n_failed_jobs(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u32(sink, view->tree->n_failed_jobs);
}

static void get_n_alarms(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u32(sink, manager_runs_count_alarms(manager_runs(view->tree->manager)));
}

static void get_progress(const BusView *view, uint32_t parameter, Sink *sink) {
        double pending = (double) job_manager_count(manager_jobs(view->tree->manager));
        double installed = (double) view->tree->n_installed_jobs;

        sink_double(sink, manager_finished_at(view->tree->manager, NULL) > 0 || installed < 1 || pending > installed
                                  ? 1
                                  : 1 - pending / installed);
}

void bus_manager_get_log_level(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, log_level_to_string(log_get_level()));
}

static void get_environment(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, manager_environment(view->tree->manager));
}

static void get_run_store(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, manager_runs_problem(manager_runs(view->tree->manager)));
}

static void get_limitations(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, manager_limitations(view->tree->manager));
}

static void get_unit_path(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, unit_file_loader_search_path(manager_loader(view->tree->manager)));
}

/*
 * The group in the unified hierarchy that has the groups of units, next to the leaf of our own processes; "" if the
 * process is in none.
 */
static void get_control_group(const BusView *view, uint32_t parameter, Sink *sink) {
        char groups[4096];
        ssize_t n = -1;
        char *path;
        int fd = -1;

        /* Without groups of units it is another's. */
        if (manager_has_groups(view->tree->manager))
                fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
                n = read(fd, groups, sizeof(groups) - 1);
                close(fd);
        }
        groups[n > 0 ? n : 0] = '\0';

        path = strstr(groups, "0::/");
        if (path) {
                path += strlen("0::");
                path[strcspn(path, "\n")] = '\0';
                if (text_ends_with(path, "/" UNIT_OWN_SCOPE))
                        path[strlen(path) - strlen("/" UNIT_OWN_SCOPE)] = '\0';
        }
        sink_string(sink, path && strlen(path) > 1 ? path : "");
}

enum {
        TIME_STARTED,
        TIME_STARTED_MONOTONIC,
        TIME_FINISHED,
        TIME_FINISHED_MONOTONIC,
};

static void get_time(const BusView *view, uint32_t parameter, Sink *sink) {
        const bool is_start = parameter == TIME_STARTED || parameter == TIME_STARTED_MONOTONIC;
        const Manager *manager = view->tree->manager;
        usec_t realtime, monotonic;

        monotonic = is_start ? manager_started_at(manager, &realtime) : manager_finished_at(manager, &realtime);
        sink_u64(sink, parameter == TIME_STARTED || parameter == TIME_FINISHED ? realtime : monotonic);
}

static void get_runtime_directory(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, manager_options(view->tree->manager)->runtime_directory);
}

static void get_default_tasks_max(const BusView *view, uint32_t parameter, Sink *sink) {
        const ResourceLimit *limit = &manager_resource_defaults(view->tree->manager)->tasks_max;

        sink_u64(sink, limit->is_set ? limit->amount : RESOURCE_INFINITY);
}

static void get_log(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, manager_log_name(manager_log(view->tree->manager)));
}

static void get_log_directories(const BusView *view, uint32_t parameter, Sink *sink) {
        const LogSettings *settings = manager_log_settings(manager_log(view->tree->manager));

        sink_open(sink, 'a', "s");
        if (settings && settings->directory[0])
                sink_string(sink, settings->directory);
        if (settings && settings->other_directory[0] && strcmp(settings->directory, settings->other_directory) != 0)
                sink_string(sink, settings->other_directory);
        sink_close(sink);
}

static void get_default_output(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, manager_log_default_output(manager_log(view->tree->manager)));
}

static void get_default_error(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, "inherit");
}

static const char *log_target(const Manager *manager) {
        return manager_options(manager)->is_machine ? "kmsg" : "console";
}

void bus_manager_get_log_target(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, log_target(view->tree->manager));
}

/* The target of messages is decided at the start: only that one, or "auto", is accepted. */
int bus_manager_set_log_target(BusCall *call, DBusMessageIter *value) {
        const char *own = log_target(call->tree->manager), *word;

        if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_STRING)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "LogTarget is a string.");
        dbus_message_iter_get_basic(value, &word);
        if (!text_equal(word, own) && !text_equal(word, "auto") && *word)
                return bus_call_fail(call, -EOPNOTSUPP, "NotSupported",
                                     "This manager writes its log to %s, and nowhere else.", own);
        return 0;
}

static void get_service_watchdogs(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_bool(sink, manager_heeds_watchdogs(view->tree->manager));
}

static int set_service_watchdogs(BusCall *call, DBusMessageIter *value) {
        dbus_bool_t heeds;

        if (dbus_message_iter_get_arg_type(value) != DBUS_TYPE_BOOLEAN)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "ServiceWatchdogs is true or false.");
        dbus_message_iter_get_basic(value, &heeds);
        manager_heed_watchdogs(call->tree->manager, heeds);
        return 0;
}

static void get_longest_turn(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u64(sink, manager_longest_turn(view->tree->manager));
}

static int set_longest_turn(BusCall *call, DBusMessageIter *value) {
        uint64_t longest = UINT64_MAX;

        if (dbus_message_iter_get_arg_type(value) == DBUS_TYPE_UINT64)
                dbus_message_iter_get_basic(value, &longest);
        if (longest != 0)
                return bus_call_fail(call, -EINVAL, "InvalidArgs", "LongestTurnUSec can be set to the number 0 only.");
        manager_forget_longest_turn(call->tree->manager);
        return 0;
}

static int refuse_watchdog(BusCall *call, DBusMessageIter *value) {
        return bus_call_fail(call, -EOPNOTSUPP, "NotSupported", "This manager uses no watchdog of the machine.");
}

static void get_exit_code(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_byte(sink, (uint8_t) manager_exit_status(view->tree->manager));
}

typedef enum ManagerDefault {
        DEFAULT_TIMER_ACCURACY,
        DEFAULT_TIMEOUT_START,
        DEFAULT_TIMEOUT_STOP,
        DEFAULT_TIMEOUT_ABORT,
        DEFAULT_RESTART,
        DEFAULT_START_LIMIT_INTERVAL,
} ManagerDefault;

static usec_t default_of_service(ManagerDefault of) {
        ServiceSettings *settings = NULL;
        usec_t span = 0;

        if (service_settings_new(&settings) >= 0)
                span = of == DEFAULT_TIMEOUT_START   ? settings->timeout_start
                       : of == DEFAULT_TIMEOUT_STOP  ? settings->timeout_stop
                       : of == DEFAULT_TIMEOUT_ABORT ? settings->timeout_abort
                                                     : settings->restart_usec;
        service_settings_free(settings);
        return span;
}

static usec_t default_accuracy(void) {
        TimerSettings *settings = NULL;
        usec_t accuracy = timer_settings_new(&settings) < 0 ? 0 : settings->accuracy;

        timer_settings_free(settings);
        return accuracy;
}

static void get_default_span(const BusView *view, uint32_t of, Sink *sink) {
        UnitSettings settings;

        unit_settings_init(&settings);
        sink_u64(sink, of == DEFAULT_TIMER_ACCURACY         ? default_accuracy()
                       : of == DEFAULT_START_LIMIT_INTERVAL ? settings.start_limit_interval
                                                            : default_of_service((ManagerDefault) of));
}

static void get_default_burst(const BusView *view, uint32_t parameter, Sink *sink) {
        UnitSettings settings;

        unit_settings_init(&settings);
        sink_u32(sink, settings.start_limit_burst);
}

static void get_default_oom_policy(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, resource_oom_policy_to_string(resource_settings_oom_policy(NULL)));
}

static void get_oom_score_adjust(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_i32(sink, manager_default_oom_score(view->tree->manager));
}

static void get_timer_slack(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u64(sink, (uint64_t) prctl(PR_GET_TIMERSLACK));
}

#define LIMIT_IS_SOFT 0x100U

/* Defaults of processes. */
static void get_limit(const BusView *view, uint32_t of, Sink *sink) {
        int kind = (int) (of & ~LIMIT_IS_SOFT);
        struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

        (void) getrlimit((__rlimit_resource_t) kind, &limit);
        if (kind == RLIMIT_NOFILE)
                limit.rlim_cur = manager_open_files(view->tree->manager) ?: limit.rlim_cur;
        sink_u64(sink, of & LIMIT_IS_SOFT ? limit.rlim_cur : limit.rlim_max);
}

static void get_none(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, "none");
}

static void get_infinity(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_u64(sink, UINT64_MAX);
}

#define LIMIT(name, kind) \
        { \
                "DefaultLimit" name, "t", \
                BUS_PROPERTY_CONST,  kind, \
                get_limit,           "The hard limit of units that do not set it." \
        }, \
        { \
                "DefaultLimit" name "Soft", "t", BUS_PROPERTY_CONST, (kind) | LIMIT_IS_SOFT, get_limit, \
                        "Their soft limit." \
        }
#define FOREIGN_TIME(name) \
        { name "Timestamp", "t", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL }, { \
                name "TimestampMonotonic", "t", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL \
        }
#define WATCHDOG(name, signature, get) \
        { name, signature, BUS_PROPERTY_FOREIGN, 0, get, NULL, .set = refuse_watchdog, .set_verb = BUS_VERB_RELOAD }

const BusProperty bus_manager_properties[] = {
        { "Version", "s", BUS_PROPERTY_CONST, 0, get_version,
          "Name and version of the program; as org.freedesktop.systemd1 the version of that API comes first." },
        { "Features", "s", BUS_PROPERTY_CONST, 0, get_empty, "Empty." },
        { "Virtualization", "s", BUS_PROPERTY_CONST, 0, get_empty, "Empty: it is not determined." },
        { "Architecture", "s", BUS_PROPERTY_CONST, 0, get_architecture,
          "The architecture that the program was built for." },
        { "Tainted", "s", BUS_PROPERTY_CONST, 0, get_empty, "Empty." },
        { "UserspaceTimestamp", "t", BUS_PROPERTY_CONST, TIME_STARTED, get_time,
          "When the manager was started: µs since 1970." },
        { "UserspaceTimestampMonotonic", "t", BUS_PROPERTY_CONST, TIME_STARTED_MONOTONIC, get_time,
          "The same time by the monotonic clock." },
        { "FinishTimestamp", "t", 0, TIME_FINISHED, get_time, "When no job was left for the first time; 0: not yet." },
        { "FinishTimestampMonotonic", "t", 0, TIME_FINISHED_MONOTONIC, get_time,
          "The same time by the monotonic clock." },
        { "LogLevel", "s", 0, 0, bus_manager_get_log_level,
          "The highest level that the manager logs; root and the owner may set it.", .set = bus_manager_set_log_level,
          .set_verb = BUS_VERB_RELOAD },
        { "NNames", "u", 0, 0, get_n_names, "Number of names of loaded units." },
        { "NFailedUnits", "u", 0, 0, get_n_failed_units, "Number of units that have failed." },
        { "NJobs", "u", 0, 0, get_n_jobs, "Number of jobs." },
        { "NInstalledJobs", "u", 0, 0, get_n_installed_jobs, "Number of jobs since the start." },
        { "NFailedJobs", "u", 0, 0, get_n_failed_jobs, "Number of jobs that have failed since the start." },
        { "Progress", "d", 0, 0, get_progress, "The part of the start-up that is done: 0 to 1." },
        { "Environment", "as", 0, 0, get_environment, "The environment of all processes." },
        { "UnitPath", "as", BUS_PROPERTY_CONST, 0, get_unit_path,
          "Folders of unit files; a file in an earlier one wins." },
        { "ControlGroup", "s", 0, 0, get_control_group,
          "Control group of the manager, with those of units; empty without one of its own." },
        { "DefaultTasksMax", "t", 0, 0, get_default_tasks_max,
          "TasksMax of units that do not set it; 18446744073709551615: no limit, or no control group to apply it." },
        { "SystemState", "s", 0, 0, get_system_state,
          "\"initializing\", \"starting\", \"running\", \"degraded\" (units have failed) or \"stopping\"." },
        { "Limitations", "as", BUS_PROPERTY_OWN, 0, get_limitations,
          "Features that the surroundings do not allow, and that are left out: a sentence each." },
        { "NAlarms", "u", BUS_PROPERTY_OWN, 0, get_n_alarms, "Number of alarms of runs that nobody has acknowledged." },
        { "RunStoreProblem", "s", BUS_PROPERTY_OWN, 0, get_run_store,
          "What is wrong with the store of runs; empty: nothing, or it is not needed yet." },
        { "LongestTurnUSec", "t", BUS_PROPERTY_OWN, 0, get_longest_turn,
          "How long the manager has been busy at most before it looked for news again, since its start or since this "
          "was set to 0, which root and the owner may do.",
          .set = set_longest_turn, .set_verb = BUS_VERB_RELOAD },
        { "DefaultStandardOutput", "s", BUS_PROPERTY_CONST, 0, get_default_output,
          "StandardOutput of units that do not set it: \"journal\", \"inherit\" or \"null\"." },
        { "Log", "s", BUS_PROPERTY_OWN, 0, get_log,
          "Where the output of units is kept: \"journald\", \"files\" (jobd-log writes them) or \"none\"." },
        { "LogDirectories", "as", BUS_PROPERTY_CONST | BUS_PROPERTY_OWN, 0, get_log_directories,
          "The folders of these files; the second is used only while the first cannot be written." },
        { "Scope", "s", BUS_PROPERTY_CONST | BUS_PROPERTY_OWN, 0, get_scope, "\"system\" or \"user\"." },
        { "RuntimeDirectory", "s", BUS_PROPERTY_CONST | BUS_PROPERTY_OWN, 0, get_runtime_directory,
          "The folder of the private socket." },
        { "DefaultStandardError", "s", BUS_PROPERTY_CONST, 0, get_default_error,
          "StandardError of units that do not set it: \"inherit\", that is as their standard output." },
        { "LogTarget", "s", 0, 0, bus_manager_get_log_target,
          "Where the manager writes its own log: \"console\" (standard error) or, as the init of a machine, \"kmsg\".",
          .set = bus_manager_set_log_target, .set_verb = BUS_VERB_RELOAD },
        { "ServiceWatchdogs", "b", 0, 0, get_service_watchdogs,
          "Whether services that miss their watchdog are ended; root and the owner may set it.",
          .set = set_service_watchdogs, .set_verb = BUS_VERB_RELOAD },
        { "ExitCode", "y", 0, 0, get_exit_code, "The exit status of the manager for an Exit that names none." },
        { "DefaultTimerAccuracyUSec", "t", BUS_PROPERTY_CONST, DEFAULT_TIMER_ACCURACY, get_default_span,
          "AccuracyUSec of timers that do not set it." },
        { "DefaultTimeoutStartUSec", "t", BUS_PROPERTY_CONST, DEFAULT_TIMEOUT_START, get_default_span,
          "TimeoutStartUSec of services that do not set it." },
        { "DefaultTimeoutStopUSec", "t", BUS_PROPERTY_CONST, DEFAULT_TIMEOUT_STOP, get_default_span,
          "TimeoutStopUSec of services that do not set it." },
        { "DefaultTimeoutAbortUSec", "t", 0, DEFAULT_TIMEOUT_ABORT, get_default_span,
          "TimeoutAbortUSec of services that do not set it." },
        { "DefaultRestartUSec", "t", BUS_PROPERTY_CONST, DEFAULT_RESTART, get_default_span,
          "RestartUSec of services that do not set it." },
        { "DefaultStartLimitIntervalUSec", "t", BUS_PROPERTY_CONST, DEFAULT_START_LIMIT_INTERVAL, get_default_span,
          "StartLimitIntervalUSec of units that do not set it." },
        { "DefaultStartLimitBurst", "u", BUS_PROPERTY_CONST, 0, get_default_burst,
          "StartLimitBurst of units that do not set it." },
        { "DefaultOOMPolicy", "s", BUS_PROPERTY_CONST, 0, get_default_oom_policy,
          "OOMPolicy of services that do not set it." },
        { "DefaultOOMScoreAdjust", "i", BUS_PROPERTY_CONST, 0, get_oom_score_adjust,
          "OOMScoreAdjust of units that do not set it." },
        { "TimerSlackNSec", "t", BUS_PROPERTY_CONST, 0, get_timer_slack, "The manager's own slack of timers, in ns." },
        LIMIT("CPU", RLIMIT_CPU),
        LIMIT("FSIZE", RLIMIT_FSIZE),
        LIMIT("DATA", RLIMIT_DATA),
        LIMIT("STACK", RLIMIT_STACK),
        LIMIT("CORE", RLIMIT_CORE),
        LIMIT("RSS", RLIMIT_RSS),
        LIMIT("NOFILE", RLIMIT_NOFILE),
        LIMIT("AS", RLIMIT_AS),
        LIMIT("NPROC", RLIMIT_NPROC),
        LIMIT("MEMLOCK", RLIMIT_MEMLOCK),
        LIMIT("LOCKS", RLIMIT_LOCKS),
        LIMIT("SIGPENDING", RLIMIT_SIGPENDING),
        LIMIT("MSGQUEUE", RLIMIT_MSGQUEUE),
        LIMIT("NICE", RLIMIT_NICE),
        LIMIT("RTPRIO", RLIMIT_RTPRIO),
        LIMIT("RTTIME", RLIMIT_RTTIME),

        /* Further properties of systemd, with their values on a machine that does not use them. */
        FOREIGN_TIME("Firmware"),
        FOREIGN_TIME("Loader"),
        FOREIGN_TIME("Kernel"),
        FOREIGN_TIME("InitRD"),
        FOREIGN_TIME("SecurityStart"),
        FOREIGN_TIME("SecurityFinish"),
        FOREIGN_TIME("GeneratorsStart"),
        FOREIGN_TIME("GeneratorsFinish"),
        FOREIGN_TIME("UnitsLoadStart"),
        FOREIGN_TIME("UnitsLoadFinish"),
        FOREIGN_TIME("UnitsLoad"),
        FOREIGN_TIME("InitRDSecurityStart"),
        FOREIGN_TIME("InitRDSecurityFinish"),
        FOREIGN_TIME("InitRDGeneratorsStart"),
        FOREIGN_TIME("InitRDGeneratorsFinish"),
        FOREIGN_TIME("InitRDUnitsLoadStart"),
        FOREIGN_TIME("InitRDUnitsLoadFinish"),
        { "ConfirmSpawn", "b", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "DefaultCPUAccounting", "b", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "DefaultBlockIOAccounting", "b", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "DefaultMemoryAccounting", "b", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "DefaultTasksAccounting", "b", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "ShowStatus", "b", BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "DefaultDeviceTimeoutUSec", "t", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, DEFAULT_TIMEOUT_START,
          get_default_span, NULL },
        { "CtrlAltDelBurstAction", "s", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, get_none, NULL },
        { "WatchdogDevice", "s", BUS_PROPERTY_CONST | BUS_PROPERTY_FOREIGN, 0, NULL, NULL },
        { "WatchdogLastPingTimestamp", "t", BUS_PROPERTY_FOREIGN, 0, get_infinity, NULL },
        { "WatchdogLastPingTimestampMonotonic", "t", BUS_PROPERTY_FOREIGN, 0, get_infinity, NULL },
        WATCHDOG("RuntimeWatchdogUSec", "t", get_infinity),
        WATCHDOG("RuntimeWatchdogPreUSec", "t", get_infinity),
        WATCHDOG("RuntimeWatchdogPreGovernor", "s", NULL),
        WATCHDOG("RebootWatchdogUSec", "t", get_infinity),
        WATCHDOG("KExecWatchdogUSec", "t", get_infinity),
        {},
};
