/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result of a service, and its consequences
 */

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "types/service_result.h"

/* Returns true if the kernel sent SIGKILL for lack of memory. */
static bool ran_out_of_memory(const Unit *unit, const UnitExit *exit) {
        UnitHost *host = unit_host(unit);
        uint64_t kills = 0;

        if (exit->code != CLD_KILLED || exit->status != SIGKILL || !host->ops->group_value)
                return false;
        return host->ops->group_value(host, unit, UNIT_GROUP_OOM_KILLS, &kills) == 0 && kills > 0;
}

/* A daemon may end by a termination signal; a oneshot command is expected to finish. */
static bool is_clean(const ServiceSettings *settings, const UnitExit *exit) {
        if (exit->code == CLD_EXITED)
                return exit->status == 0 || exit_status_set_has_status(&settings->success_exit_status, exit->status);
        if (exit->code != CLD_KILLED)
                return false;
        if (settings->type != SERVICE_ONESHOT && (exit->status == SIGHUP || exit->status == SIGINT ||
                                                  exit->status == SIGTERM || exit->status == SIGPIPE))
                return true;
        return exit_status_set_has_signal(&settings->success_exit_status, exit->status);
}

ServiceResult service_result_of_exit(const Unit *unit, const UnitExit *exit) {
        if (is_clean(service_settings(unit), exit))
                return SERVICE_RESULT_SUCCESS;
        if (exit->code == CLD_EXITED)
                return SERVICE_RESULT_EXIT_CODE;
        if (ran_out_of_memory(unit, exit))
                return SERVICE_RESULT_OOM_KILL;
        return exit->code == CLD_DUMPED ? SERVICE_RESULT_CORE_DUMP : SERVICE_RESULT_SIGNAL;
}

static bool is_in_set(const ExitStatusSet *set, const ServiceExitRecord *record) {
        if (record->exit.monotonic == 0)
                return false;
        return record->code == CLD_EXITED ? exit_status_set_has_status(set, record->status)
                                          : exit_status_set_has_signal(set, record->status);
}

bool service_shall_restart(const Unit *unit) {
        const Service *service = service_of(unit);
        const ServiceSettings *settings = service_settings(unit);
        ServiceResult result = service->result;
        bool failed = result != SERVICE_RESULT_SUCCESS && result != SERVICE_RESULT_EXEC_CONDITION;

        if (service->forbid_restart || is_in_set(&settings->restart_prevent_exit_status, &service->exec_main))
                return false;
        if (is_in_set(&settings->restart_force_exit_status, &service->exec_main))
                return true;
        switch (settings->restart) {
        case SERVICE_RESTART_NO:
        case _SERVICE_RESTART_MAX:
                return false;
        case SERVICE_RESTART_ALWAYS:
                return result != SERVICE_RESULT_EXEC_CONDITION;
        case SERVICE_RESTART_ON_SUCCESS:
                return result == SERVICE_RESULT_SUCCESS;
        case SERVICE_RESTART_ON_FAILURE:
                return failed;
        case SERVICE_RESTART_ON_ABNORMAL:
                return failed && result != SERVICE_RESULT_EXIT_CODE;
        case SERVICE_RESTART_ON_WATCHDOG:
                return result == SERVICE_RESULT_WATCHDOG || result == SERVICE_RESULT_LIVENESS;
        case SERVICE_RESTART_ON_ABORT:
                return result == SERVICE_RESULT_SIGNAL || result == SERVICE_RESULT_CORE_DUMP;
        }
        return false;
}

int service_exit_status(const Unit *unit) {
        const ServiceExitRecord *record = &service_of(unit)->exec_main;

        if (record->exit.monotonic == 0)
                return -ENODATA;
        return record->code == CLD_EXITED ? record->status : 128 + record->status;
}

static int own_exit_status(const Service *service) {
        if (service->exec_main.exit.monotonic == 0 || service->exec_main.code != CLD_EXITED)
                return -1;
        return service->exec_main.status;
}

void service_request_final_action(Unit *unit, ServiceState old) {
        const Service *service = service_of(unit);
        const UnitSettings *settings = &unit->settings;
        UnitHost *host = unit_host(unit);
        bool was_over = old == SERVICE_STATE_DEAD || old == SERVICE_STATE_FAILED;
        int status = own_exit_status(service);

        if (service->state == SERVICE_STATE_FAILED && old != SERVICE_STATE_FAILED &&
            settings->rare->failure_action != UNIT_ACTION_NONE) {
                if (settings->rare->failure_action_exit_status >= 0)
                        status = settings->rare->failure_action_exit_status;
                host->ops->request_action(host, unit, settings->rare->failure_action, status, "unit failed");
        } else if (service->state == SERVICE_STATE_DEAD && !was_over &&
                   settings->rare->success_action != UNIT_ACTION_NONE) {
                if (settings->rare->success_action_exit_status >= 0)
                        status = settings->rare->success_action_exit_status;
                host->ops->request_action(host, unit, settings->rare->success_action, status, "unit succeeded");
        }
}
