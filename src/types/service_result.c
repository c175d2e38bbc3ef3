/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a service ended, and what follows from that
 */

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "basic/macro.h"
#include "types/service.h"
#include "types/unit_say.h"

static const char *const service_state_table[] = {
        [SERVICE_STATE_DEAD] = "dead",
        [SERVICE_STATE_CONDITION] = "condition",
        [SERVICE_STATE_START_PRE] = "start-pre",
        [SERVICE_STATE_START] = "start",
        [SERVICE_STATE_START_POST] = "start-post",
        [SERVICE_STATE_RUNNING] = "running",
        [SERVICE_STATE_EXITED] = "exited",
        [SERVICE_STATE_RELOAD] = "reload",
        [SERVICE_STATE_STOP] = "stop",
        [SERVICE_STATE_STOP_WATCHDOG] = "stop-watchdog",
        [SERVICE_STATE_STOP_SIGTERM] = "stop-sigterm",
        [SERVICE_STATE_STOP_SIGKILL] = "stop-sigkill",
        [SERVICE_STATE_STOP_POST] = "stop-post",
        [SERVICE_STATE_FINAL_SIGTERM] = "final-sigterm",
        [SERVICE_STATE_FINAL_WATCHDOG] = "final-watchdog",
        [SERVICE_STATE_FINAL_SIGKILL] = "final-sigkill",
        [SERVICE_STATE_FAILED] = "failed",
        [SERVICE_STATE_AUTO_RESTART] = "auto-restart",
        [SERVICE_STATE_CLEANING] = "cleaning",
};

static const char *const service_result_table[] = {
        [SERVICE_RESULT_SUCCESS] = "success",
        [SERVICE_RESULT_RESOURCES] = "resources",
        [SERVICE_RESULT_PROTOCOL] = "protocol",
        [SERVICE_RESULT_TIMEOUT] = "timeout",
        [SERVICE_RESULT_EXIT_CODE] = "exit-code",
        [SERVICE_RESULT_SIGNAL] = "signal",
        [SERVICE_RESULT_CORE_DUMP] = "core-dump",
        [SERVICE_RESULT_WATCHDOG] = "watchdog",
        [SERVICE_RESULT_START_LIMIT_HIT] = "start-limit-hit",
        [SERVICE_RESULT_EXEC_CONDITION] = "exec-condition",
        [SERVICE_RESULT_OOM_KILL] = "oom-kill",
        [SERVICE_RESULT_LIVENESS] = "liveness",
};

DEFINE_STRING_TABLE(service_state, ServiceState, service_state_table)
DEFINE_STRING_TABLE(service_result, ServiceResult, service_result_table)

const char *service_signal_name(int signal) {
        return sigabbrev_np(signal);
}

/* A daemon may die of what tells it to go; a oneshot command has work to finish. */
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
        if (service_ran_out_of_memory(unit, exit))
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

void service_note_result(Unit *unit, ServiceResult result) {
        Service *service = service_of(unit);

        if (service->result == SERVICE_RESULT_SUCCESS)
                service->result = result;
}

void service_log(Unit *unit, int level, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        unit_say(unit, level, format, arguments);
        va_end(arguments);
}

void service_note_failure(Unit *unit, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        unit_say_failure(unit, &service_of(unit)->failure, format, arguments);
        va_end(arguments);
}

void service_note_reload_failure(Unit *unit, const char *format, ...) {
        Service *service = service_of(unit);
        va_list arguments;

        free(take_ptr(service->reload_failure));
        va_start(arguments, format);
        unit_say_failure(unit, &service->reload_failure, format, arguments);
        va_end(arguments);
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

/* FailureAction= and SuccessAction=: on the way into failed or inactive, also if a restart will follow. */
void service_request_final_action(Unit *unit, ServiceState old) {
        const Service *service = service_of(unit);
        const UnitSettings *settings = &unit->settings;
        UnitHost *host = service_host(unit);
        bool was_over = old == SERVICE_STATE_DEAD || old == SERVICE_STATE_FAILED;
        int status = own_exit_status(service);

        if (service->state == SERVICE_STATE_FAILED && old != SERVICE_STATE_FAILED &&
            settings->rare->failure_action != UNIT_ACTION_NONE) {
                if (settings->rare->failure_action_exit_status >= 0)
                        status = settings->rare->failure_action_exit_status;
                host->ops->request_action(host, unit, settings->rare->failure_action, status, "unit failed");
        } else if (service->state == SERVICE_STATE_DEAD && !was_over && settings->rare->success_action != UNIT_ACTION_NONE) {
                if (settings->rare->success_action_exit_status >= 0)
                        status = settings->rare->success_action_exit_status;
                host->ops->request_action(host, unit, settings->rare->success_action, status, "unit succeeded");
        }
}
