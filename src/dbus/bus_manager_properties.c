/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The manager's interface: properties
 */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "dbus/bus_manager.h"
#include "dbus/object/bus_view.h"
#include "unitfile/resource_settings.h"

#ifndef JOBD_VERSION
#error "the build must say which version this is"
#endif

static void get_empty(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, "");
}

static void get_version(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, "jobd " JOBD_VERSION);
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

static void get_progress(const BusView *view, uint32_t parameter, Sink *sink) {
        double pending = (double) job_manager_count(manager_jobs(view->tree->manager));
        double installed = (double) view->tree->n_installed_jobs;

        sink_double(sink, manager_finished_at(view->tree->manager, NULL) > 0 || installed < 1 || pending > installed ?
                          1 : 1 - pending / installed);
}

static void get_log_level(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_string(sink, log_level_to_string(log_get_level()));
}

static void get_environment(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, manager_environment(view->tree->manager));
}

static void get_limitations(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, manager_limitations(view->tree->manager));
}

static void get_unit_path(const BusView *view, uint32_t parameter, Sink *sink) {
        sink_strv(sink, unit_file_loader_search_path(manager_loader(view->tree->manager)));
}

/* The group in the unified hierarchy; "" if the process is in none. */
static void get_control_group(const BusView *view, uint32_t parameter, Sink *sink) {
        char groups[4096];
        ssize_t n = -1;
        char *path;
        int fd;

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

const BusProperty bus_manager_properties[] = {
        { "Version", "s", BUS_PROPERTY_CONST, 0, get_version, "Name and version of the program." },
        { "Features", "s", BUS_PROPERTY_CONST, 0, get_empty, "Empty." },
        { "Virtualization", "s", BUS_PROPERTY_CONST, 0, get_empty, "Empty: it is not determined." },
        { "Architecture", "s", BUS_PROPERTY_CONST, 0, get_architecture,
          "The architecture that the program was built for." },
        { "Tainted", "s", BUS_PROPERTY_CONST, 0, get_empty, "Empty." },
        { "UserspaceTimestamp", "t", BUS_PROPERTY_CONST, TIME_STARTED, get_time,
          "When the manager was started: µs since 1970." },
        { "UserspaceTimestampMonotonic", "t", BUS_PROPERTY_CONST, TIME_STARTED_MONOTONIC, get_time,
          "The same time by the monotonic clock." },
        { "FinishTimestamp", "t", 0, TIME_FINISHED, get_time,
          "When no job was left for the first time; 0: not yet." },
        { "FinishTimestampMonotonic", "t", 0, TIME_FINISHED_MONOTONIC, get_time,
          "The same time by the monotonic clock." },
        { "LogLevel", "s", 0, 0, get_log_level,
          "The highest level that the manager logs; root and the owner may set it.",
          .set = bus_manager_set_log_level, .set_verb = BUS_VERB_RELOAD },
        { "NNames", "u", 0, 0, get_n_names, "Number of names of loaded units." },
        { "NFailedUnits", "u", 0, 0, get_n_failed_units, "Number of units that have failed." },
        { "NJobs", "u", 0, 0, get_n_jobs, "Number of jobs." },
        { "NInstalledJobs", "u", 0, 0, get_n_installed_jobs, "Number of jobs since the start." },
        { "NFailedJobs", "u", 0, 0, get_n_failed_jobs, "Number of jobs that have failed since the start." },
        { "Progress", "d", 0, 0, get_progress, "The part of the start-up that is done: 0 to 1." },
        { "Environment", "as", 0, 0, get_environment, "The environment of all processes." },
        { "UnitPath", "as", BUS_PROPERTY_CONST, 0, get_unit_path,
          "Folders of unit files; a file in an earlier one wins." },
        { "ControlGroup", "s", 0, 0, get_control_group, "Control group of the manager; empty without one of its own." },
        { "DefaultTasksMax", "t", BUS_PROPERTY_CONST, 0, get_default_tasks_max,
          "TasksMax of units that do not set it; 18446744073709551615: no limit, or no control group to apply it." },
        { "SystemState", "s", 0, 0, get_system_state,
          "\"initializing\", \"starting\", \"running\", \"degraded\" (units have failed) or \"stopping\"." },
        { "Limitations", "as", 0, 0, get_limitations,
          "Features that the surroundings do not allow, and that are left out: a sentence each." },
        { "DefaultStandardOutput", "s", BUS_PROPERTY_CONST, 0, get_default_output,
          "StandardOutput of units that do not set it: \"journal\", \"inherit\" or \"null\"." },
        { "Log", "s", 0, 0, get_log,
          "Where the output of units is kept: \"journald\", \"files\" (jobd-log writes them) or \"none\"." },
        { "LogDirectories", "as", BUS_PROPERTY_CONST, 0, get_log_directories,
          "The folders of these files; the second is used only while the first cannot be written." },
        { "Scope", "s", BUS_PROPERTY_CONST, 0, get_scope, "\"system\" or \"user\"." },
        { "RuntimeDirectory", "s", BUS_PROPERTY_CONST, 0, get_runtime_directory, "The folder of the private socket." },
        {},
};
