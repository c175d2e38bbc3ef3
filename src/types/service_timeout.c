/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of a service's timers
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "types/service_clean.h"
#include "types/service_event.h"
#include "types/service_kill.h"
#include "types/service_limit.h"
#include "types/service_pid.h"
#include "types/service_step.h"

#define POLL_MAX (500 * USEC_PER_MSEC)

/* The restart is requested again after this time: its job may have been canceled, or failed with others. */
#define RESTART_AGAIN (10 * USEC_PER_SEC)

static void note_timeout(Unit *unit) {
        const Service *service = service_of(unit);
        char span[USEC_FORMAT_MAX];

        usec_format(usec_sub(unit_now(unit), service->state_since), span);
        if (service->state == SERVICE_STATE_RELOAD)
                service_note_reload_failure(unit, "reload timed out after %s", span);
        else if (service->state == SERVICE_STATE_START && service_lacks_name(unit))
                service_note_failure(unit, "start timed out after %s: it has not taken the name %s on the message bus",
                                     span,
                                     service_rare(unit)->bus_name);
        else if (service_is_probing(unit, SERVICE_PROBE_READINESS))
                service_note_failure(unit, "start timed out after %s: its readiness probe says: %s", span,
                                     service_probe_message(unit) ?: "nothing yet");
        else
                service_note_failure(unit, "%s timed out after %s", service_state_to_string(service->state), span);
}

static void kill_after_timeout(Unit *unit, ServiceState state) {
        if (service_settings(unit)->kill.send_sigkill)
                service_enter_signal(unit, state, SERVICE_RESULT_TIMEOUT);
        else if (state == SERVICE_STATE_STOP_SIGKILL)
                service_enter_stop_post(unit, SERVICE_RESULT_TIMEOUT);
        else
                service_enter_dead(unit, SERVICE_RESULT_TIMEOUT, false);
}

/* TimeoutStartFailureMode=; and TimeoutStopFailureMode= in the first step of a stop. */
static void end_after_timeout(Unit *unit, ServiceTimeoutMode mode) {
        switch (mode) {
        case SERVICE_TIMEOUT_TERMINATE:
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_TIMEOUT);
                break;
        case SERVICE_TIMEOUT_ABORT:
                service_enter_signal(unit, SERVICE_STATE_STOP_WATCHDOG, SERVICE_RESULT_TIMEOUT);
                break;
        case SERVICE_TIMEOUT_KILL:
                kill_after_timeout(unit, SERVICE_STATE_STOP_SIGKILL);
                break;
        case _SERVICE_TIMEOUT_MODE_MAX:
                break;
        }
}

static void end_finally_after_timeout(Unit *unit, ServiceTimeoutMode mode) {
        switch (mode) {
        case SERVICE_TIMEOUT_TERMINATE:
                service_enter_signal(unit, SERVICE_STATE_FINAL_SIGTERM, SERVICE_RESULT_TIMEOUT);
                break;
        case SERVICE_TIMEOUT_ABORT:
                service_enter_signal(unit, SERVICE_STATE_FINAL_WATCHDOG, SERVICE_RESULT_TIMEOUT);
                break;
        case SERVICE_TIMEOUT_KILL:
                kill_after_timeout(unit, SERVICE_STATE_FINAL_SIGKILL);
                break;
        case _SERVICE_TIMEOUT_MODE_MAX:
                break;
        }
}

/* Processes are still there after the signal to end. */
static void abort_or_kill(Unit *unit, ServiceState abort, ServiceState kill) {
        if (service_rare(unit)->timeout_stop_mode == SERVICE_TIMEOUT_ABORT)
                service_enter_signal(unit, abort, SERVICE_RESULT_TIMEOUT);
        else
                kill_after_timeout(unit, kill);
}

static void reload_timed_out(Unit *unit) {
        Service *service = service_of(unit);

        service_kill_control(unit);
        service->notice = SERVICE_NOTICE_NONE;
        if (service->extra)
                service->extra->reload_begin = 0;
        service->reload_result = SERVICE_RESULT_TIMEOUT;
        service_enter_running(unit, SERVICE_RESULT_SUCCESS);
}

static void state_limit_elapsed(Unit *unit) {
        const ServiceTimeoutMode stop_mode = service_rare(unit)->timeout_stop_mode;
        Service *service = service_of(unit);

        service->state_deadline = USEC_INFINITY;
        if (service->state == SERVICE_STATE_CLEANING) {
                service_clean_timed_out(unit);
                return;
        }
        note_timeout(unit);
        switch (service->state) {
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
                end_after_timeout(unit, service_rare(unit)->timeout_start_mode);
                break;
        case SERVICE_STATE_STOP:
                end_after_timeout(unit, stop_mode);
                break;
        case SERVICE_STATE_RELOAD:
                reload_timed_out(unit);
                break;
        case SERVICE_STATE_STOP_SIGTERM:
                abort_or_kill(unit, SERVICE_STATE_STOP_WATCHDOG, SERVICE_STATE_STOP_SIGKILL);
                break;
        case SERVICE_STATE_STOP_WATCHDOG:
                kill_after_timeout(unit, SERVICE_STATE_STOP_SIGKILL);
                break;
        case SERVICE_STATE_STOP_SIGKILL:
                /* A process that survives SIGKILL hangs in the kernel, and is left alone. */
                service_enter_stop_post(unit, SERVICE_RESULT_TIMEOUT);
                break;
        case SERVICE_STATE_STOP_POST:
                end_finally_after_timeout(unit, stop_mode);
                break;
        case SERVICE_STATE_FINAL_SIGTERM:
                abort_or_kill(unit, SERVICE_STATE_FINAL_WATCHDOG, SERVICE_STATE_FINAL_SIGKILL);
                break;
        case SERVICE_STATE_FINAL_WATCHDOG:
                kill_after_timeout(unit, SERVICE_STATE_FINAL_SIGKILL);
                break;
        case SERVICE_STATE_FINAL_SIGKILL:
                service_enter_dead(unit, SERVICE_RESULT_TIMEOUT, true);
                break;
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_RUNNING:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                break;
        }
}

static void runtime_elapsed(Unit *unit) {
        Service *service = service_of(unit);

        service->runtime_deadline = USEC_INFINITY;
        if (service->state != SERVICE_STATE_RUNNING && service->state != SERVICE_STATE_RELOAD)
                return;
        service_note_failure(unit, "has run as long as RuntimeMaxSec= allows");
        if (service->state == SERVICE_STATE_RUNNING)
                service_enter_stop(unit, SERVICE_RESULT_TIMEOUT);
        else
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_TIMEOUT);
}

static void watchdog_elapsed(Unit *unit) {
        Service *service = service_of(unit);

        service->watchdog_deadline = USEC_INFINITY;
        if (service->state != SERVICE_STATE_RUNNING && service->state != SERVICE_STATE_RELOAD &&
            service->state != SERVICE_STATE_START_POST)
                return;
        if (unit_host(unit)->ops->ignores_watchdogs && unit_host(unit)->ops->ignores_watchdogs(unit_host(unit))) {
                unit_say(unit, LOG_LEVEL_WARNING, "WATCHDOG=1 did not come in time, but watchdogs are switched off.");
                return;
        }
        service_note_failure(unit, "did not send WATCHDOG=1 in time");
        service_enter_signal(unit, SERVICE_STATE_STOP_WATCHDOG, SERVICE_RESULT_WATCHDOG);
}

static void wait_for_rest(Unit *unit) {
        const Service *service = service_of(unit);

        if (service->main.pid > 0 || service->control.pid > 0)
                return;
        if (service_count_rest(unit) > 0)
                service_poll(unit, MIN(service->poll_delay * 2, POLL_MAX));
        else if (service->state == SERVICE_STATE_FINAL_SIGTERM || service->state == SERVICE_STATE_FINAL_WATCHDOG ||
                 service->state == SERVICE_STATE_FINAL_SIGKILL)
                service_enter_dead(unit, SERVICE_RESULT_SUCCESS, true);
        else
                service_enter_stop_post(unit, SERVICE_RESULT_SUCCESS);
}

static void wait_for_pid_file(Unit *unit) {
        const Service *service = service_of(unit);

        if (unit_process_exists(&service->control) || !service_settings(unit)->pid_file)
                return;
        if (service_load_pid_file(unit, false) >= 0 && service->state == SERVICE_STATE_START)
                service_enter_start_post(unit);
        else if (service->main.pid > 0)
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
        else
                service_poll(unit, MIN(service->poll_delay * 2, POLL_MAX));
}

/* A daemon without a known main process lasts as long as its processes. */
static void watch_rest(Unit *unit) {
        const Service *service = service_of(unit);

        if (service->main.pid > 0)
                return;
        if (service_count_rest(unit) > 0)
                service_poll(unit, service->poll_delay);
        else
                service_enter_stop(unit, SERVICE_RESULT_SUCCESS);
}

static void look_again(Unit *unit) {
        const Service *service = service_of(unit);

        switch (service->state) {
        case SERVICE_STATE_START:
        case SERVICE_STATE_START_POST:
                wait_for_pid_file(unit);
                break;
        case SERVICE_STATE_RUNNING:
                watch_rest(unit);
                break;
        case SERVICE_STATE_STOP_WATCHDOG:
        case SERVICE_STATE_STOP_SIGTERM:
        case SERVICE_STATE_STOP_SIGKILL:
        case SERVICE_STATE_FINAL_WATCHDOG:
        case SERVICE_STATE_FINAL_SIGTERM:
        case SERVICE_STATE_FINAL_SIGKILL:
                wait_for_rest(unit);
                break;
        case SERVICE_STATE_DEAD:
        case SERVICE_STATE_CONDITION:
        case SERVICE_STATE_START_PRE:
        case SERVICE_STATE_EXITED:
        case SERVICE_STATE_RELOAD:
        case SERVICE_STATE_STOP:
        case SERVICE_STATE_STOP_POST:
        case SERVICE_STATE_FAILED:
        case SERVICE_STATE_AUTO_RESTART:
        case SERVICE_STATE_CLEANING:
        case _SERVICE_STATE_MAX:
                break;
        }
}

/* While a main or control process is known its exit counts, which may come after this. */
void service_group_emptied(Unit *unit) {
        const Service *service = service_of(unit);

        if (!unit_process_exists(&service->main) && !unit_process_exists(&service->control))
                look_again(unit);
}

static void restart_elapsed(Unit *unit) {
        UnitHost *host = unit_host(unit);
        usec_t pause = service_restart_pause(unit);
        int r;

        if (service_of(unit)->state != SERVICE_STATE_AUTO_RESTART)
                return;
        /* RestartMode=direct: the job that waits for the service has begun already, and no other is made. */
        if (host->ops->is_awaited && host->ops->is_awaited(host, unit)) {
                service_begin(unit);
                return;
        }
        r = host->ops->request_job(host, unit, JOB_START, JOB_RESTART_DEPENDENCIES, "automatic restart");
        if (r < 0) {
                service_note_failure(unit, "cannot restart: %s", strerror(-r));
                service_enter_dead(unit, SERVICE_RESULT_RESOURCES, false);
                return;
        }
        service_set_timer(unit, UNIT_PURPOSE_RESTART, usec_add(unit_now(unit), MAX(pause, RESTART_AGAIN)));
}

void service_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        switch (purpose) {
        case UNIT_PURPOSE_STATE_LIMIT:
                state_limit_elapsed(unit);
                break;
        case UNIT_PURPOSE_RESTART:
                restart_elapsed(unit);
                break;
        case UNIT_PURPOSE_RUNTIME_LIMIT:
                runtime_elapsed(unit);
                break;
        case UNIT_PURPOSE_WATCHDOG:
                watchdog_elapsed(unit);
                break;
        case UNIT_PURPOSE_PIDFILE:
                look_again(unit);
                break;
        case UNIT_PURPOSE_PROBE:
                service_take_probe(unit, service_probe_elapsed(unit));
                break;
        case UNIT_PURPOSE_IDLE:
                if (service_idle_elapsed(unit))
                        service_run_main(unit);
                break;
        case UNIT_PURPOSE_HEALTHY:
                service_healthy_elapsed(unit);
                break;
        case UNIT_PURPOSE_MAIN:
        case UNIT_PURPOSE_CONTROL:
        case UNIT_PURPOSE_ELAPSE:
        case _UNIT_PURPOSE_MAX:
                break;
        }
}
