/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service's timers
 *
 * The limit of the present step, the limit of its whole life, the watchdog,
 * the pause before a restart, and a poll for what nobody announces: a PID
 * file, or the end of processes that are not ours to wait for.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "types/service.h"

#define POLL_MAX (500 * USEC_PER_MSEC)

int service_set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline) {
        UnitHost *host = service_host(unit);
        int r = host->ops->set_timer(host, unit, purpose, deadline);

        if (r < 0 && deadline != USEC_INFINITY)
                service_log(unit, 4, "Cannot set a timer: %s.", strerror(-r));
        return r;
}

/* systemd takes 0 as "no limit". */
static usec_t span_or_infinity(usec_t span) {
        return span == 0 ? USEC_INFINITY : span;
}

usec_t service_limit(const Unit *unit, ServiceExec kind) {
        const ServiceSettings *settings = service_settings(unit);

        if (kind == SERVICE_EXEC_STOP || kind == SERVICE_EXEC_STOP_POST)
                return span_or_infinity(settings->timeout_stop);
        if (kind == SERVICE_EXEC_START && (settings->type == SERVICE_SIMPLE || settings->type == SERVICE_IDLE) &&
            !service_rare(unit)->probes[SERVICE_PROBE_READINESS].command)
                return USEC_INFINITY;
        if (settings->type == SERVICE_ONESHOT && !settings->has_timeout_start)
                return USEC_INFINITY;
        return span_or_infinity(settings->timeout_start);
}

usec_t service_stop_limit(const Unit *unit, ServiceState state) {
        const ServiceSettings *settings = service_settings(unit);

        if ((state == SERVICE_STATE_STOP_WATCHDOG || state == SERVICE_STATE_FINAL_WATCHDOG) && settings->has_timeout_abort)
                return span_or_infinity(settings->timeout_abort);
        return span_or_infinity(settings->timeout_stop);
}

int service_set_limit(Unit *unit, usec_t span) {
        Service *service = service_of(unit);

        service->state_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(service_now(unit), span);
        return service_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, service->state_deadline);
}

static bool has_limit(ServiceState state) {
        return state != SERVICE_STATE_DEAD && state != SERVICE_STATE_FAILED && state != SERVICE_STATE_RUNNING &&
               state != SERVICE_STATE_EXITED && state != SERVICE_STATE_AUTO_RESTART;
}

void service_clear_timers(Unit *unit, ServiceState state) {
        Service *service = service_of(unit);
        bool runs = state == SERVICE_STATE_RUNNING || state == SERVICE_STATE_RELOAD;

        service_set_timer(unit, UNIT_PURPOSE_PIDFILE, USEC_INFINITY);
        if (!has_limit(state) && service->state_deadline != USEC_INFINITY)
                service_set_limit(unit, USEC_INFINITY);
        if (!runs && service->runtime_deadline != USEC_INFINITY) {
                service->runtime_deadline = USEC_INFINITY;
                service_set_timer(unit, UNIT_PURPOSE_RUNTIME_LIMIT, USEC_INFINITY);
        }
        if (!runs && state != SERVICE_STATE_START_POST && service->watchdog_deadline != USEC_INFINITY) {
                service->watchdog_deadline = USEC_INFINITY;
                service_set_timer(unit, UNIT_PURPOSE_WATCHDOG, USEC_INFINITY);
        }
        if (!runs && service_rare(unit)->restart_reset > 0)
                service_set_timer(unit, UNIT_PURPOSE_HEALTHY, USEC_INFINITY);
        if (state != SERVICE_STATE_AUTO_RESTART && !service->will_restart)
                service_set_timer(unit, UNIT_PURPOSE_RESTART, USEC_INFINITY);
}

void service_start_runtime_limit(Unit *unit) {
        Service *service = service_of(unit);
        usec_t span = span_or_infinity(service_settings(unit)->runtime_max);

        if (span == USEC_INFINITY || service->runtime_deadline != USEC_INFINITY)
                return;
        service->runtime_deadline = usec_add(usec_add(service_now(unit), span),
                                             service_random_usec(service_rare(unit)->runtime_extra));
        service_set_timer(unit, UNIT_PURPOSE_RUNTIME_LIMIT, service->runtime_deadline);
}

void service_reset_watchdog(Unit *unit) {
        Service *service = service_of(unit);
        usec_t span = service->watchdog_override != USEC_INFINITY ? service->watchdog_override
                                                                  : service_settings(unit)->watchdog;

        span = span_or_infinity(span);
        service->watchdog_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(service_now(unit), span);
        service_set_timer(unit, UNIT_PURPOSE_WATCHDOG, service->watchdog_deadline);
}

static void extend(Unit *unit, UnitPurpose purpose, usec_t *deadline, usec_t wanted) {
        if (*deadline == USEC_INFINITY || *deadline >= wanted)
                return;
        *deadline = wanted;
        service_set_timer(unit, purpose, wanted);
}

void service_extend_limits(Unit *unit, usec_t span) {
        Service *service = service_of(unit);
        usec_t wanted = usec_add(service_now(unit), span);

        extend(unit, UNIT_PURPOSE_STATE_LIMIT, &service->state_deadline, wanted);
        extend(unit, UNIT_PURPOSE_RUNTIME_LIMIT, &service->runtime_deadline, wanted);
        extend(unit, UNIT_PURPOSE_WATCHDOG, &service->watchdog_deadline, wanted);
}

void service_poll(Unit *unit, usec_t delay) {
        service_of(unit)->poll_delay = delay;
        service_set_timer(unit, UNIT_PURPOSE_PIDFILE, usec_add(service_now(unit), delay));
}

/* So many starts in an interval that begins with the first of them. */
bool service_is_within_start_limit(Unit *unit) {
        Service *service = service_of(unit);
        usec_t interval = unit->settings.start_limit_interval, now = service_now(unit);
        uint32_t burst = unit->settings.start_limit_burst;
        UnitHost *host = service_host(unit);
        char span[USEC_FORMAT_MAX];

        if (interval == 0 || burst == 0)
                return true;
        if (service->limit_begin == 0 || usec_add(service->limit_begin, interval) <= now) {
                service->limit_begin = now;
                service->limit_count = 0;
        }
        if (service->limit_count < burst) {
                service->limit_count++;
                return true;
        }

        free(service->failure);
        service->failure = NULL;
        service_note_failure(unit, "started %u times within %s, which is its limit", burst,
                             usec_format(interval, span));
        if (unit->settings.rare->start_limit_action != UNIT_ACTION_NONE)
                host->ops->request_action(host, unit, unit->settings.rare->start_limit_action, -1, "start limit hit");
        return false;
}

/* What was being done, and in vain. */
static void note_timeout(Unit *unit) {
        const Service *service = service_of(unit);
        char span[USEC_FORMAT_MAX];

        usec_format(usec_sub(service_now(unit), service->state_since), span);
        if (service->state == SERVICE_STATE_RELOAD)
                service_note_reload_failure(unit, "reload timed out after %s", span);
        else if (service->state == SERVICE_STATE_START && service_settings(unit)->type == SERVICE_DBUS &&
                 !service_extra(unit)->has_name)
                service_note_failure(unit, "start timed out after %s: it has not taken the name %s on the message bus", span,
                                     service_rare(unit)->bus_name);
        else if (service_is_probing(unit, SERVICE_PROBE_READINESS))
                service_note_failure(unit, "start timed out after %s: its readiness probe says: %s", span,
                                     service_extra(unit)->probe_message ? service_extra(unit)->probe_message : "nothing yet");
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

/* TimeoutStartFailureMode=, and TimeoutStopFailureMode= of what comes first when it is to stop. */
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
                if (stop_mode == SERVICE_TIMEOUT_ABORT)
                        service_enter_signal(unit, SERVICE_STATE_STOP_WATCHDOG, SERVICE_RESULT_TIMEOUT);
                else
                        kill_after_timeout(unit, SERVICE_STATE_STOP_SIGKILL);
                break;
        case SERVICE_STATE_STOP_WATCHDOG:
                kill_after_timeout(unit, SERVICE_STATE_STOP_SIGKILL);
                break;
        case SERVICE_STATE_STOP_SIGKILL:
                /* Not even that helped: it hangs in the kernel, and waiting longer helps nobody. */
                service_enter_stop_post(unit, SERVICE_RESULT_TIMEOUT);
                break;
        case SERVICE_STATE_STOP_POST:
                end_finally_after_timeout(unit, stop_mode);
                break;
        case SERVICE_STATE_FINAL_SIGTERM:
                if (stop_mode == SERVICE_TIMEOUT_ABORT)
                        service_enter_signal(unit, SERVICE_STATE_FINAL_WATCHDOG, SERVICE_RESULT_TIMEOUT);
                else
                        kill_after_timeout(unit, SERVICE_STATE_FINAL_SIGKILL);
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

        if (service->control.pid > 0 || service->control.is_wanted || !service_settings(unit)->pid_file)
                return;
        if (service_load_pid_file(unit, false) >= 0 && service->state == SERVICE_STATE_START)
                service_enter_start_post(unit);
        else if (service->main.pid > 0)
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
        else
                service_poll(unit, MIN(service->poll_delay * 2, POLL_MAX));
}

/* A daemon whose main process is not known lasts as long as its processes. */
static void watch_rest(Unit *unit) {
        const Service *service = service_of(unit);

        if (service->main.pid > 0)
                return;
        if (service_count_rest(unit) > 0)
                service_poll(unit, service->poll_delay);
        else
                service_enter_stop(unit, SERVICE_RESULT_SUCCESS);
}

void service_look_again(Unit *unit) {
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

void service_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        switch (purpose) {
        case UNIT_PURPOSE_STATE_LIMIT:
                state_limit_elapsed(unit);
                break;
        case UNIT_PURPOSE_RESTART:
                service_restart_elapsed(unit);
                break;
        case UNIT_PURPOSE_RUNTIME_LIMIT:
                runtime_elapsed(unit);
                break;
        case UNIT_PURPOSE_WATCHDOG:
                watchdog_elapsed(unit);
                break;
        case UNIT_PURPOSE_PIDFILE:
                service_look_again(unit);
                break;
        case UNIT_PURPOSE_PROBE:
                service_probe_elapsed(unit);
                break;
        case UNIT_PURPOSE_IDLE:
                service_idle_elapsed(unit);
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
