/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The table of verbs
 */

#include "jobctl/verbs.h"
#include "basic/macro.h"

#define HEADING(text) \
        { .help = text }
#define SHARED(verb_name, words, least, most, handler, text) \
        { \
                .name = verb_name, .arguments = words, .min = least, .max = most, .run = handler, .help = text, \
                .is_shared = true \
        }
#define OURS(verb_name, words, least, most, handler, text) \
        { .name = verb_name, .arguments = words, .min = least, .max = most, .run = handler, .help = text }
#define OFFLINE(verb_name, words, least, most, handler, text) \
        { \
                .name = verb_name, .arguments = words, .min = least, .max = most, .run = handler, .help = text, \
                .is_offline = true \
        }
#define FILES(verb_name, words, least, most, handler, text) \
        { \
                .name = verb_name, .arguments = words, .min = least, .max = most, .run = handler, .help = text, \
                .is_shared = true, .is_offline = true \
        }
#define REQUEST(verb_name, type, text) \
        { \
                .name = verb_name, .arguments = "UNIT…", .min = 1, .max = VERB_ANY, .run = verb_request, .help = text, \
                .job_type = type, .is_shared = true \
        }

#define TARGET(verb_name, target, text) \
        { \
                .name = verb_name, .arguments = "", .run = verb_target, .help = text, .job_type = "start", \
                .unit = target, .job_mode = "isolate", .is_shared = true \
        }
#define END(verb_name, target, text) \
        { \
                .name = verb_name, .arguments = "", .run = verb_end, .help = text, .job_type = "start", \
                .unit = target, .job_mode = "replace-irreversibly", .is_shared = true, .is_offline = true \
        }

static const Verb rows[] = {
        HEADING("Change units (all units of a call are one transaction: all or none)"),
        REQUEST("start", "start", "Start units"),
        REQUEST("stop", "stop", "Stop units"),
        REQUEST("restart", "restart", "Start units, or stop and start those that run"),
        REQUEST("reload", "reload", "Make units read their configuration again"),
        REQUEST("try-restart", "try-restart", "Restart units that run"),
        REQUEST("reload-or-restart", "reload-or-restart", "Reload units that support it, restart or start the others"),
        REQUEST("try-reload-or-restart", "reload-or-try-restart", "The same for units that run"),
        { .name = "isolate",
          .arguments = "UNIT",
          .min = 1,
          .max = 1,
          .run = verb_request,
          .job_type = "start",
          .is_shared = true,
          .help = "Start a unit and what it needs, stop everything else" },
        OURS("exec", "TYPE:UNIT…", 1, VERB_ANY, verb_exec, "Make different changes in one transaction"),
        OFFLINE("run", "[OPTION…] COMMAND [ARGUMENT…]", 0, VERB_ANY, verb_run,
                "Run a command as a unit without a file"),
        SHARED("kill", "UNIT…", 1, VERB_ANY, verb_kill, "Send a signal to the processes of units"),
        SHARED("clean", "UNIT…", 1, VERB_ANY, verb_clean, "Remove caches, state, logs, … of inactive units"),
        SHARED("freeze", "UNIT…", 1, VERB_ANY, verb_freeze, "Suspend all processes of units"),
        SHARED("thaw", "UNIT…", 1, VERB_ANY, verb_thaw, "Resume all processes of units"),
        SHARED("set-property", "UNIT NAME=VALUE…", 2, VERB_ANY, verb_set_property, "Change settings of a running unit"),
        SHARED("reset-failed", "[UNIT…]", 0, VERB_ANY, verb_reset_failed, "Reset the failed state of units"),

        HEADING("Ask before and after"),
        OURS("plan", "TYPE:UNIT…", 1, VERB_ANY, verb_plan, "Show what exec would do, and change nothing"),
        OURS("why", "JOB|UNIT|tTRANSACTION", 1, VERB_ANY, verb_why,
             "Explain where a job comes from and what it waits for"),
        OURS("blame", "[PATTERN…]", 0, VERB_ANY, verb_blame, "Show how long units took to start"),
        OURS("critical-chain", "[UNIT…]", 0, VERB_ANY, verb_critical_chain, "Show what a unit's start waited for"),
        OURS("top", "[PATTERN…]", 0, VERB_ANY, verb_top, "Show the resources that units use, continuously"),
        OURS("graph", "[PATTERN…]", 0, VERB_ANY, verb_graph, "Print the relations of units for graphviz"),
        OURS("stats", "", 0, 0, verb_stats, "Show counters of the job engine"),

        HEADING("Jobs"),
        SHARED("list-jobs", "[JOB|PATTERN…]", 0, VERB_ANY, verb_jobs, "List jobs"),
        SHARED("jobs", "[JOB|PATTERN…]", 0, VERB_ANY, verb_jobs, "The same as list-jobs"),
        SHARED("cancel", "[JOB|UNIT…]", 0, VERB_ANY, verb_cancel, "Cancel waiting jobs: these or all"),
        OURS("wait", "JOB…", 1, VERB_ANY, verb_wait, "Wait until jobs have ended"),
        OURS("monitor", "[PATTERN…]", 0, VERB_ANY, verb_monitor, "Print changes of jobs and units as they happen"),

        HEADING("Units"),
        SHARED("list-units", "[PATTERN…]", 0, VERB_ANY, verb_list_units, "List loaded units"),
        SHARED("list-timers", "[PATTERN…]", 0, VERB_ANY, verb_list_timers, "List timers, sorted by their next time"),
        SHARED("list-sockets", "[PATTERN…]", 0, VERB_ANY, verb_list_sockets, "List sockets with their addresses"),
        SHARED("list-paths", "[PATTERN…]", 0, VERB_ANY, verb_list_paths, "List watched paths"),
        OFFLINE("list-automounts", "", 0, VERB_ANY, verb_list_automounts, "Say that jobd has none"),
        SHARED("status", "[UNIT|PID…]", 0, VERB_ANY, verb_status, "Show the state of units, or of the manager"),
        OFFLINE("logs", "UNIT|PATTERN…", 1, VERB_ANY, verb_logs, "Show the output of units; needs no manager"),
        SHARED("show", "[UNIT|JOB…]", 0, VERB_ANY, verb_show, "Show properties of units, jobs or the manager"),
        SHARED("cat", "UNIT…", 1, VERB_ANY, verb_cat, "Show the files of units"),
        SHARED("list-dependencies", "[UNIT…]", 0, VERB_ANY, verb_list_dependencies,
               "Show what units depend on, as a tree"),
        SHARED("is-active", "UNIT…", 1, VERB_ANY, verb_is_active, "Are units active?"),
        SHARED("is-system-running", "", 0, 0, verb_is_system_running, "Is the start over, and has no unit failed?"),
        SHARED("is-failed", "UNIT…", 1, VERB_ANY, verb_is_failed, "Have units failed?"),

        HEADING("Unit files"),
        FILES("list-unit-files", "[PATTERN…]", 0, VERB_ANY, verb_list_unit_files, "List unit files"),
        FILES("is-enabled", "UNIT…", 1, VERB_ANY, verb_is_enabled, "Are unit files enabled?"),
        FILES("edit", "UNIT…", 1, VERB_ANY, verb_edit, "Edit a drop-in of units, or with --full the whole file"),
        FILES("enable", "UNIT|PATH…", 1, VERB_ANY, verb_install, "Start units at boot, as [Install] says"),
        FILES("disable", "UNIT…", 1, VERB_ANY, verb_install, "Undo enable"),
        FILES("reenable", "UNIT|PATH…", 1, VERB_ANY, verb_install, "Disable units and enable them"),
        FILES("preset", "UNIT…", 1, VERB_ANY, verb_install, "Enable or disable units as the presets say"),
        FILES("preset-all", "", 0, 0, verb_install, "The same for all units"),
        FILES("mask", "UNIT…", 1, VERB_ANY, verb_install, "Make it impossible to start units"),
        FILES("unmask", "UNIT…", 1, VERB_ANY, verb_install, "Undo mask"),
        FILES("link", "PATH…", 1, VERB_ANY, verb_install, "Make unit files outside the search path known"),
        FILES("revert", "UNIT…", 1, VERB_ANY, verb_install, "Restore units as their package ships them"),
        FILES("add-wants", "TARGET UNIT…", 2, VERB_ANY, verb_install, "Make a target want units"),
        FILES("add-requires", "TARGET UNIT…", 2, VERB_ANY, verb_install, "Make a target require units"),
        FILES("get-default", "", 0, 0, verb_get_default, "Show the default unit"),
        FILES("set-default", "TARGET", 1, 1, verb_install, "Choose the default unit"),
        SHARED("daemon-reload", "", 0, 0, verb_daemon_reload, "Read the unit files that have changed"),
        SHARED("daemon-reexec", "", 0, 0, verb_daemon_reexec, "Replace the manager by the installed program"),
        OFFLINE("calendar", "EXPRESSION…", 1, VERB_ANY, verb_calendar,
                "Show when calendar expressions elapse; needs no manager"),
        OFFLINE("timespan", "SPAN…", 1, VERB_ANY, verb_timespan, "Show how a span of time is read; needs no manager"),
        OFFLINE("timestamp", "TIME…", 1, VERB_ANY, verb_timestamp, "Show how a time is read; needs no manager"),
        FILES("unit-paths", "", 0, 0, verb_unit_paths, "Show the folders of unit files, first the one that wins"),
        OFFLINE("flow", "VERB …", 1, VERB_ANY, verb_flow,
                "Runs of flows: start, plan, list, show, result, logs, why, retry, rerun, resolve, skip, approve, "
                "pause, resume, stop, cancel, compensate, add-nodes, delete, complete, locks, unlock, "
                "alarms, ack; graph, import"),
        OFFLINE("batch", "VERB …", 1, VERB_ANY, verb_flow,
                "Runs of batches: start, list, show, why, logs, errors, retry-errors, pause, resume, "
                "cancel, proceed, delete"),
        OFFLINE("stream", "VERB …", 1, VERB_ANY, verb_stream,
                "Streams: push, list, show, why, resolve, pause, resume, cancel"),
        OFFLINE("verify", "FILE|DIRECTORY…", 1, VERB_ANY, verb_verify, "Check unit files; needs no manager"),

        HEADING("The manager"),
        SHARED("show-environment", "", 0, 0, verb_show_environment, "Show the variables that every process gets"),
        SHARED("set-environment", "NAME=VALUE…", 1, VERB_ANY, verb_set_environment, "Set these variables"),
        SHARED("unset-environment", "NAME…", 1, VERB_ANY, verb_unset_environment, "Remove these variables"),
        SHARED("import-environment", "NAME…", 0, VERB_ANY, verb_import_environment,
               "Set variables to the values that they have here"),
        SHARED("log-level", "[LEVEL]", 0, 1, verb_log_level, "Show or set the log level of the manager"),

        HEADING("The machine, or the container"),
        TARGET("default", "default.target", "Go to the default unit, and stop everything else"),
        TARGET("rescue", "rescue.target", "Go to rescue mode: the basic system and a shell"),
        TARGET("emergency", "emergency.target", "Go to emergency mode: a shell and nothing else"),
        { .name = "exit",
          .arguments = "[STATUS]",
          .max = 1,
          .run = verb_exit,
          .help = "Stop everything and make jobd exit with this status; ends a container",
          .job_type = "start",
          .unit = "exit.target",
          .job_mode = "replace-irreversibly",
          .is_shared = true,
          .is_offline = true },
        END("poweroff", "poweroff.target", "Stop everything and power the machine off"),
        END("reboot", "reboot.target", "Stop everything and reboot the machine"),
        END("halt", "halt.target", "Stop everything and leave the machine on"),
        END("kexec", "kexec.target", "Stop everything and execute the loaded kernel"),

        HEADING("Help"),
        OFFLINE("help", "[VERB]", 0, 2, verb_help, "Show the help, or that of a verb"),
        OFFLINE("version", "", 0, 0, verb_version, "Show the version"),
};

const VerbTable verbs = { .rows = rows, .n = ELEMENTSOF(rows) };
