/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals to a service
 */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "types/service_kill.h"
#include "types/service_state.h"

static bool is_killing(ServiceState state) {
        return state == SERVICE_STATE_STOP_SIGKILL || state == SERVICE_STATE_FINAL_SIGKILL;
}

int service_stop_signal(const Unit *unit, ServiceState state) {
        const ServiceSettings *settings = service_settings(unit);

        if (is_killing(state))
                return settings->kill.final_signal;
        if (state == SERVICE_STATE_STOP_WATCHDOG || state == SERVICE_STATE_FINAL_WATCHDOG)
                return settings->kill.watchdog_signal;
        if (state == SERVICE_STATE_STOP_SIGTERM && settings->kill.restart_signal > 0 && unit_will_start(unit))
                return settings->kill.restart_signal;
        return settings->kill.signal;
}

static UnitPids pids_of(const Unit *unit) {
        return (UnitPids) { .main = service_of(unit)->main.pid, .control = service_of(unit)->control.pid };
}

int service_signal_all(Unit *unit, ServiceState state) {
        return unit_process_signal_end(unit, &service_settings(unit)->kill, pids_of(unit),
                                       service_stop_signal(unit, state), is_killing(state));
}

int service_count_rest(Unit *unit) {
        const Service *service = service_of(unit);
        UnitHost *host = unit_host(unit);

        return host->ops->kill_rest(host, unit, 0, service->main.pid, service->control.pid);
}

void service_kill_control(Unit *unit) {
        UnitHost *host = unit_host(unit);
        pid_t pid = service_of(unit)->control.pid;

        if (pid > 0)
                host->ops->kill(host, unit, pid, SIGKILL, true);
}

static int kill_one(Unit *unit, const char *who, pid_t pid, int signal, Failure *ret_failure) {
        UnitHost *host = unit_host(unit);
        int r;

        if (pid <= 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess", "%s has no %s process to signal.", unit->id,
                                   who);
        r = host->ops->kill(host, unit, pid, signal, false);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot signal the %s process of %s: %s.", who, unit->id,
                                   strerror(-r));
        return 0;
}

int service_kill(Unit *unit, const char *who, int signal, Failure *ret_failure) {
        const Service *service = service_of(unit);

        if (signal <= 0 || signal >= _NSIG)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "There is no signal %i.", signal);
        if (strcmp(who, "main") == 0 || strcmp(who, "main-fail") == 0)
                return kill_one(unit, "main", service->main.pid, signal, ret_failure);
        if (strcmp(who, "control") == 0 || strcmp(who, "control-fail") == 0)
                return kill_one(unit, "control", service->control.pid, signal, ret_failure);
        if (strcmp(who, "all") != 0 && strcmp(who, "all-fail") != 0)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "Which process of %s? \"%s\" is none of main, control and all.", unit->id, who);
        if (unit_process_signal(unit, pids_of(unit), signal, true) == 0 && strcmp(who, "all-fail") == 0)
                return failure_set(ret_failure, -ESRCH, "NoSuchProcess", "%s has no process to signal.", unit->id);
        return 0;
}
