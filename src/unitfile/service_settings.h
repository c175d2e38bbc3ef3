/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Service] section as data
 *
 * unitfile reads it, types acts on it, jobd-sim reads the operations that the
 * service has. The settings for running and killing its processes are in
 * exec_settings.h and kill_settings.h.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/string_table.h"
#include "basic/usec.h"
#include "unitfile/exec_settings.h"
#include "unitfile/kill_settings.h"
#include "unitfile/service_rare_settings.h"

typedef enum ServiceType {
        SERVICE_SIMPLE,
        SERVICE_EXEC,
        SERVICE_FORKING,
        SERVICE_ONESHOT,
        SERVICE_NOTIFY,
        SERVICE_NOTIFY_RELOAD,
        SERVICE_DBUS,
        SERVICE_IDLE,
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

/* The commands of a service, in the order in which they run. */
typedef enum ServiceExec {
        SERVICE_EXEC_CONDITION,
        SERVICE_EXEC_START_PRE,
        SERVICE_EXEC_START,
        SERVICE_EXEC_START_POST,
        SERVICE_EXEC_RELOAD,
        SERVICE_EXEC_STOP,
        SERVICE_EXEC_STOP_POST,
        _SERVICE_EXEC_LIST_MAX,         /* the above have a list in ServiceSettings */
        SERVICE_EXEC_READINESS = _SERVICE_EXEC_LIST_MAX,        /* the others are in ServiceRareSettings.probes */
        SERVICE_EXEC_LIVENESS,
        _SERVICE_EXEC_MAX,
} ServiceExec;

/* Exit statuses (0–255) and signals, for SuccessExitStatus= and the like. */
typedef struct ExitStatusSet {
        uint64_t statuses[4];
        uint64_t signals[2];
} ExitStatusSet;

typedef struct ServiceSettings {
        /*
         * The fields that each start reads come first, for the processor's cache: there may be a hundred thousand
         * services.
         */
        ServiceType type;
        ServiceRestart restart;
        ServiceNotifyAccess notify_access;
        bool has_notify_access;
        bool guess_main_pid;
        bool remain_after_exit;
        bool has_type;                  /* Type= was given */
        bool has_timeout_start;
        bool has_timeout_abort;
        bool non_blocking;              /* make the passed sockets non-blocking */
        bool exit_type_cgroup;          /* ends with its last process rather than the main one */
        ServiceRareSettings *rare;      /* owned; NULL: none. Read with service_settings_rare() */
        struct ResourceSettings *resources;     /* owned; NULL: not set */
        usec_t watchdog;
        ExecSettings exec;
        ExecCommand *commands[_SERVICE_EXEC_LIST_MAX];        /* owned lists */

        usec_t timeout_start;           /* USEC_INFINITY: none, the default of oneshot */
        usec_t timeout_stop;
        usec_t timeout_abort;
        usec_t restart_usec;
        usec_t runtime_max;
        KillSettings kill;
        char *pid_file;

        ExitStatusSet success_exit_status;
        ExitStatusSet restart_prevent_exit_status;
        ExitStatusSet restart_force_exit_status;
} ServiceSettings;

DECLARE_STRING_TABLE(service_type, ServiceType);
DECLARE_STRING_TABLE(service_restart, ServiceRestart);
DECLARE_STRING_TABLE(service_notify_access, ServiceNotifyAccess);
DECLARE_STRING_TABLE(service_exec, ServiceExec);         /* "ExecStartPre", … */

int service_settings_new(ServiceSettings **ret_settings);        /* with the defaults */
ServiceSettings *service_settings_free(ServiceSettings *settings);
/* The rare settings of @settings; never NULL. */
const ServiceRareSettings *service_settings_rare(const ServiceSettings *settings);
bool service_settings_can_reload(const ServiceSettings *settings);

bool exit_status_set_has_status(const ExitStatusSet *set, int status);
bool exit_status_set_has_signal(const ExitStatusSet *set, int signal);
