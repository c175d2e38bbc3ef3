/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The [Service] section as data
 *
 * The defaults are systemd's.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "unitfile/resource_settings.h"
#include "unitfile/service_settings.h"

static const char *const service_types[_SERVICE_TYPE_MAX] = {
        [SERVICE_SIMPLE] = "simple",
        [SERVICE_EXEC] = "exec",
        [SERVICE_FORKING] = "forking",
        [SERVICE_ONESHOT] = "oneshot",
        [SERVICE_NOTIFY] = "notify",
        [SERVICE_NOTIFY_RELOAD] = "notify-reload",
        [SERVICE_DBUS] = "dbus",
        [SERVICE_IDLE] = "idle",
};

static const char *const service_restarts[_SERVICE_RESTART_MAX] = {
        [SERVICE_RESTART_NO] = "no",
        [SERVICE_RESTART_ON_SUCCESS] = "on-success",
        [SERVICE_RESTART_ON_FAILURE] = "on-failure",
        [SERVICE_RESTART_ON_ABNORMAL] = "on-abnormal",
        [SERVICE_RESTART_ON_WATCHDOG] = "on-watchdog",
        [SERVICE_RESTART_ON_ABORT] = "on-abort",
        [SERVICE_RESTART_ALWAYS] = "always",
};

static const char *const service_notify_accesses[_SERVICE_NOTIFY_ACCESS_MAX] = {
        [SERVICE_NOTIFY_NONE] = "none",
        [SERVICE_NOTIFY_MAIN] = "main",
        [SERVICE_NOTIFY_EXEC] = "exec",
        [SERVICE_NOTIFY_ALL] = "all",
};

static const char *const service_execs[_SERVICE_EXEC_MAX] = {
        [SERVICE_EXEC_CONDITION] = "ExecCondition",
        [SERVICE_EXEC_START_PRE] = "ExecStartPre",
        [SERVICE_EXEC_START] = "ExecStart",
        [SERVICE_EXEC_START_POST] = "ExecStartPost",
        [SERVICE_EXEC_RELOAD] = "ExecReload",
        [SERVICE_EXEC_STOP] = "ExecStop",
        [SERVICE_EXEC_STOP_POST] = "ExecStopPost",
        [SERVICE_EXEC_READINESS] = "ReadinessExec",
        [SERVICE_EXEC_LIVENESS] = "LivenessExec",
};

DEFINE_STRING_TABLE(service_type, ServiceType, service_types)
DEFINE_STRING_TABLE(service_restart, ServiceRestart, service_restarts)
DEFINE_STRING_TABLE(service_notify_access, ServiceNotifyAccess, service_notify_accesses)
DEFINE_STRING_TABLE(service_exec, ServiceExec, service_execs)

int service_settings_new(ServiceSettings **ret_settings) {
        ServiceSettings *settings = malloc(sizeof(*settings));

        assert(ret_settings);

        if (!settings)
                return -ENOMEM;
        *settings = (ServiceSettings) {
                .guess_main_pid = true,
                .restart_usec = 100 * USEC_PER_MSEC,
                .timeout_start = 90 * USEC_PER_SEC,
                .timeout_stop = 90 * USEC_PER_SEC,
                .timeout_abort = 90 * USEC_PER_SEC,
                .runtime_max = USEC_INFINITY,
        };
        exec_settings_init(&settings->exec);
        kill_settings_init(&settings->kill);
        *ret_settings = settings;
        return 0;
}

ServiceSettings *service_settings_free(ServiceSettings *settings) {
        if (!settings)
                return NULL;
        for (size_t i = 0; i < _SERVICE_EXEC_LIST_MAX; i++)
                exec_command_free_all(settings->commands[i]);
        free(settings->pid_file);
        service_rare_settings_free(settings->rare);
        exec_settings_deinit(&settings->exec);
        resource_settings_free(settings->resources);
        free(settings);
        return NULL;
}

const ServiceRareSettings *service_settings_rare(const ServiceSettings *settings) {
        static const ServiceRareSettings nothing;

        return settings->rare ? settings->rare : &nothing;
}

bool exit_status_set_has_status(const ExitStatusSet *set, int status) {
        return status >= 0 && status < 256 && (set->statuses[status / 64] >> (status % 64) & 1);
}

bool exit_status_set_has_signal(const ExitStatusSet *set, int signal) {
        return signal > 0 && signal < 128 && (set->signals[signal / 64] >> (signal % 64) & 1);
}

bool service_settings_can_reload(const ServiceSettings *settings) {
        return settings->commands[SERVICE_EXEC_RELOAD] || settings->type == SERVICE_NOTIFY_RELOAD;
}
