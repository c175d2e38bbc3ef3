/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data of a service
 *
 * The leaf of the folder's service files: data, settings, and messages. Nothing here changes to another state;
 * service_step.c does.
 */

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/service_state.h"
#include "unitfile/kill_settings.h"

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

DEFINE_STRING_TABLE_TO(service_state, ServiceState, service_state_table)
DEFINE_STRING_TABLE_TO(service_result, ServiceResult, service_result_table)

static const UnitActiveState active_state_table[] = {
        [SERVICE_STATE_DEAD] = UNIT_INACTIVE,
        [SERVICE_STATE_CONDITION] = UNIT_ACTIVATING,
        [SERVICE_STATE_START_PRE] = UNIT_ACTIVATING,
        [SERVICE_STATE_START] = UNIT_ACTIVATING,
        [SERVICE_STATE_START_POST] = UNIT_ACTIVATING,
        [SERVICE_STATE_RUNNING] = UNIT_ACTIVE,
        [SERVICE_STATE_EXITED] = UNIT_ACTIVE,
        [SERVICE_STATE_RELOAD] = UNIT_RELOADING,
        [SERVICE_STATE_STOP] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_WATCHDOG] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_SIGTERM] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_SIGKILL] = UNIT_DEACTIVATING,
        [SERVICE_STATE_STOP_POST] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FINAL_SIGTERM] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FINAL_WATCHDOG] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FINAL_SIGKILL] = UNIT_DEACTIVATING,
        [SERVICE_STATE_FAILED] = UNIT_FAILED,
        [SERVICE_STATE_AUTO_RESTART] = UNIT_ACTIVATING,
        [SERVICE_STATE_CLEANING] = UNIT_MAINTENANCE,
};

/* Settings of a service whose unit file is gone: enough to stop it in order. */
static const ServiceSettings fallback_settings = {
        .timeout_start = 90 * USEC_PER_SEC,
        .timeout_stop = 90 * USEC_PER_SEC,
        .timeout_abort = 90 * USEC_PER_SEC,
        .restart_usec = 100 * USEC_PER_MSEC,
        .runtime_max = USEC_INFINITY,
        .exec = { .umask = 0022 },
        .kill = { .signal = SIGTERM, .final_signal = SIGKILL, .watchdog_signal = SIGABRT, .send_sigkill = true },
};

Service *service_of(const Unit *unit) {
        return unit->state_of_type;
}

const ServiceSettings *service_settings(const Unit *unit) {
        return unit->type_settings ? unit->type_settings : &fallback_settings;
}

const ServiceRareSettings *service_rare(const Unit *unit) {
        return service_settings_rare(service_settings(unit));
}

UnitActiveState service_active_state(ServiceState state) {
        return active_state_table[state];
}

void service_republish(Unit *unit) {
        unit_publish(unit, active_state_table[service_of(unit)->state], 0);
}

const ServiceExtra service_no_extra = { .probing.kind = -1, .channel.fd = -1, .streams.fds = { -1, -1, -1 } };

const ServiceExtra *service_extra(const Unit *unit) {
        const ServiceExtra *extra = service_of(unit)->extra;

        return extra ? extra : &service_no_extra;
}

ServiceExtra *service_own_extra(Unit *unit) {
        Service *service = service_of(unit);

        if (service->extra)
                return service->extra;
        service->extra = malloc(sizeof(*service->extra));
        if (service->extra)
                *service->extra = service_no_extra;
        else
                service_note_failure(unit, "not enough memory to look after it");
        return service->extra;
}

ExecCommand *service_command(const Unit *unit, ServiceExec kind, unsigned index) {
        ExecCommand *command;

        if (kind >= _SERVICE_EXEC_LIST_MAX)
                command = service_rare(unit)->probes[kind - SERVICE_EXEC_READINESS].command;
        else
                command = service_settings(unit)->commands[kind];
        while (command && index-- > 0)
                command = command->next;
        return command;
}

bool service_has_command(const Unit *unit, ServiceExec kind) {
        return service_command(unit, kind, 0);
}

bool service_is_notify(const Unit *unit) {
        ServiceType type = service_settings(unit)->type;

        return type == SERVICE_NOTIFY || type == SERVICE_NOTIFY_RELOAD;
}

bool service_awaits_reload(const Unit *unit) {
        return service_extra(unit)->reload_begin > 0 || service_of(unit)->notice == SERVICE_NOTICE_RELOADING;
}

void service_note_result(Unit *unit, ServiceResult result) {
        Service *service = service_of(unit);

        if (service->result == SERVICE_RESULT_SUCCESS)
                service->result = result;
}

void service_note_reload_failure(Unit *unit, const char *format, ...) {
        Service *service = service_of(unit);
        char *message = NULL;
        va_list arguments;

        va_start(arguments, format);
        (void) text_vformat(&message, format, arguments);
        va_end(arguments);
        free(service->reload_failure);
        service->reload_failure = message;
        unit_say(unit, LOG_LEVEL_WARNING, "%s", message ? message : "reload failed");
}

bool service_has_hit_start_limit(const Unit *unit) {
        const Service *service = service_of(unit);

        return service->state == SERVICE_STATE_FAILED && service->start_limit_hit;
}
