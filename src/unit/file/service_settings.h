/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Service] section as data
 *
 * unit/file reads it, unit/types acts by it, jobd-sim looks at what the
 * service can do. Unit specifiers are resolved; $VARIABLES are not: that is
 * done when a command is about to run.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/string_table.h"
#include "basic/usec.h"

typedef enum ServiceType {
        SERVICE_SIMPLE,
        SERVICE_EXEC,
        SERVICE_FORKING,
        SERVICE_ONESHOT,
        SERVICE_NOTIFY,
        _SERVICE_TYPE_MAX,
} ServiceType;

typedef enum ServiceRestart {
        SERVICE_RESTART_NO,
        SERVICE_RESTART_ON_SUCCESS,
        SERVICE_RESTART_ON_FAILURE,
        SERVICE_RESTART_ON_ABNORMAL,
        SERVICE_RESTART_ON_WATCHDOG,
        SERVICE_RESTART_ON_ABORT,
        SERVICE_RESTART_ALWAYS,
        _SERVICE_RESTART_MAX,
} ServiceRestart;

typedef enum ServiceNotifyAccess {
        SERVICE_NOTIFY_NONE,
        SERVICE_NOTIFY_MAIN,
        SERVICE_NOTIFY_EXEC,
        SERVICE_NOTIFY_ALL,
        _SERVICE_NOTIFY_ACCESS_MAX,
} ServiceNotifyAccess;

typedef enum ServiceKillMode {
        SERVICE_KILL_CONTROL_GROUP,
        SERVICE_KILL_MIXED,
        SERVICE_KILL_PROCESS,
        SERVICE_KILL_NONE,
        _SERVICE_KILL_MODE_MAX,
} ServiceKillMode;

/* The commands of a service, in the order in which they run. */
typedef enum ServiceExec {
        SERVICE_EXEC_CONDITION,
        SERVICE_EXEC_START_PRE,
        SERVICE_EXEC_START,
        SERVICE_EXEC_START_POST,
        SERVICE_EXEC_RELOAD,
        SERVICE_EXEC_STOP,
        SERVICE_EXEC_STOP_POST,
        _SERVICE_EXEC_MAX,
} ServiceExec;

typedef enum ExecOutput {
        EXEC_OUTPUT_INHERIT,
        EXEC_OUTPUT_NULL,
        EXEC_OUTPUT_FILE,               /* opened for writing from the start, kept */
        EXEC_OUTPUT_APPEND,
        EXEC_OUTPUT_TRUNCATE,
        EXEC_OUTPUT_SAME,               /* StandardError=: what standard output is */
        _EXEC_OUTPUT_MAX,
} ExecOutput;

typedef enum ExecCommandFlags {
        EXEC_IGNORE_FAILURE = 1 << 0,   /* '-' */
        EXEC_ARGV0 = 1 << 1,            /* '@' */
        EXEC_NO_EXPANSION = 1 << 2,     /* ':' */
        EXEC_FULL_PRIVILEGES = 1 << 3,  /* '+' */
        EXEC_NO_SETUID = 1 << 4,        /* '!' */
} ExecCommandFlags;

typedef struct ExecCommand {
        char *path;                     /* absolute, or a name to be looked up in the fixed PATH when it runs */
        char **argv;
        ExecCommandFlags flags;
        unsigned line;                  /* where it stands in the file, for messages */
        char *file;
        struct ExecCommand *next;       /* owned */

        /* What became of it the last time, for the ExecStart property; times are 0 if it did not run. */
        usec_t start_realtime, start_monotonic, exit_realtime, exit_monotonic;
        pid_t pid;
        int32_t code, status;
} ExecCommand;

/* Exit statuses (0–255) and signals, for SuccessExitStatus= and the like. */
typedef struct ExitStatusSet {
        uint64_t statuses[4];
        uint64_t signals[2];
} ExitStatusSet;

/* Is standard input a terminal, and so the controlling one? */
typedef enum ServiceTty {
        SERVICE_TTY_NONE,
        SERVICE_TTY_IF_FREE,            /* unless it is another session's already */
        SERVICE_TTY_FORCE,
        _SERVICE_TTY_MAX,
} ServiceTty;

typedef struct ServiceSettings {
        ServiceType type;
        ServiceRestart restart;
        ServiceNotifyAccess notify_access;
        bool has_notify_access;
        ExecCommand *commands[_SERVICE_EXEC_MAX];        /* owned lists */
        char *pid_file;
        bool guess_main_pid;
        bool remain_after_exit;
        char *bus_name;

        usec_t restart_usec;
        usec_t timeout_start;           /* USEC_INFINITY: none; oneshot has none by default */
        bool has_timeout_start;
        usec_t timeout_stop;
        usec_t timeout_abort;
        bool has_timeout_abort;
        usec_t runtime_max;
        usec_t watchdog;

        ExitStatusSet success_exit_status;
        ExitStatusSet restart_prevent_exit_status;
        ExitStatusSet restart_force_exit_status;

        ServiceKillMode kill_mode;
        int kill_signal;
        int restart_kill_signal;        /* 0: kill_signal */
        int final_kill_signal;
        bool send_sigkill;
        bool send_sighup;

        char **environment;             /* NAME=value */
        char **environment_files;       /* '-' in front: may be missing */
        char **pass_environment;
        char **unset_environment;
        char *working_directory;        /* "~" is the user's home */
        bool working_directory_optional;
        char *root_directory;
        char *user;
        char *group;
        char **supplementary_groups;
        uint32_t umask;
        ExecOutput standard_output;
        ExecOutput standard_error;
        char *standard_input_file;      /* NULL: /dev/null … */
        bool inherits_standard_input;   /* … or the manager's … */
        ServiceTty tty;                 /* … or .tty_path */
        char *tty_path;                 /* NULL: /dev/console */
        char *standard_output_file;
        char *standard_error_file;
        bool ignore_sigpipe;
        int32_t nice;
        bool has_nice;
        int32_t oom_score_adjust;
        bool has_oom_score_adjust;
        char *syslog_identifier;
        struct ResourceSettings *resources;     /* owned; NULL: nothing is said */
        bool exit_type_cgroup;          /* it runs as long as there is any process of it */
} ServiceSettings;

DECLARE_STRING_TABLE(service_type, ServiceType);
DECLARE_STRING_TABLE(service_restart, ServiceRestart);
DECLARE_STRING_TABLE(service_notify_access, ServiceNotifyAccess);
DECLARE_STRING_TABLE(service_kill_mode, ServiceKillMode);
DECLARE_STRING_TABLE(service_exec, ServiceExec);         /* "ExecStartPre", … */
DECLARE_STRING_TABLE(exec_output, ExecOutput);

int service_settings_new(ServiceSettings **ret_settings);        /* the defaults */
ServiceSettings *service_settings_free(ServiceSettings *settings);
ExecCommand *exec_command_free_all(ExecCommand *command);        /* the list from there on */

bool exit_status_set_has_status(const ExitStatusSet *set, int status);
bool exit_status_set_has_signal(const ExitStatusSet *set, int signal);
