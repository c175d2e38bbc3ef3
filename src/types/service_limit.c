/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service's timers and limits
 *
 * This file sets and clears them: the limits of the present step and of the whole run, the watchdog, the pause before a
 * restart, and the poll for events that nothing reports (a PID file, or the end of processes that are not our
 * children). service_timeout.c acts when they elapse.
 *
 * The pause grows with each restart in a row, from RestartSec= to RestartMaxDelaySec= in RestartSteps= steps, each by
 * the same factor, as in systemd. RestartJitter= adds a random part, so that services that failed together do not come
 * back together. A service that has run for RestartResetSec= begins anew.
 */

#include <math.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/random.h"
#include "types/service_limit.h"
#include "types/service_state.h"

int service_set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline) {
        int r = unit_set_timer(unit, purpose, deadline);

        if (r < 0 && deadline != USEC_INFINITY)
                unit_say(unit, LOG_LEVEL_WARNING, "Cannot set a timer: %s.", strerror(-r));
        return r;
}

/* As in systemd, 0 means "no limit". */
static usec_t span_or_infinity(usec_t span) {
        return span == 0 ? USEC_INFINITY : span;
}

usec_t service_limit(const Unit *unit, ServiceExec kind) {
        const ServiceSettings *settings = service_settings(unit);

        if (kind == SERVICE_EXEC_STOP || kind == SERVICE_EXEC_STOP_POST)
                return span_or_infinity(settings->timeout_stop);
        if (settings->type == SERVICE_ONESHOT && !settings->has_timeout_start)
                return USEC_INFINITY;
        return span_or_infinity(settings->timeout_start);
}

usec_t service_stop_limit(const Unit *unit, ServiceState state) {
        const ServiceSettings *settings = service_settings(unit);

        if ((state == SERVICE_STATE_STOP_WATCHDOG || state == SERVICE_STATE_FINAL_WATCHDOG) &&
            settings->has_timeout_abort)
                return span_or_infinity(settings->timeout_abort);
        return span_or_infinity(settings->timeout_stop);
}

int service_set_limit(Unit *unit, usec_t span) {
        Service *service = service_of(unit);

        service->state_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(unit_now(unit), span);
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

/* From 0 to @most. Half of it if there are no random numbers yet. */
static usec_t random_usec(usec_t most) {
        uint64_t number;

        if (most == 0)
                return 0;
        if (random_bytes(&number, sizeof(number)) < 0)
                return most / 2;
        return most == USEC_INFINITY ? number : number % (most + 1);
}

void service_start_runtime_limit(Unit *unit) {
        Service *service = service_of(unit);
        usec_t span = span_or_infinity(service_settings(unit)->runtime_max);

        if (span == USEC_INFINITY || service->runtime_deadline != USEC_INFINITY)
                return;
        service->runtime_deadline = usec_add(usec_add(unit_now(unit), span),
                                             random_usec(service_rare(unit)->runtime_extra));
        service_set_timer(unit, UNIT_PURPOSE_RUNTIME_LIMIT, service->runtime_deadline);
}

void service_reset_watchdog(Unit *unit) {
        Service *service = service_of(unit);
        usec_t span = service->watchdog_override != USEC_INFINITY ? service->watchdog_override
                                                                  : service_settings(unit)->watchdog;

        span = span_or_infinity(span);
        service->watchdog_deadline = span == USEC_INFINITY ? USEC_INFINITY : usec_add(unit_now(unit), span);
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
        usec_t wanted = usec_add(unit_now(unit), span);

        extend(unit, UNIT_PURPOSE_STATE_LIMIT, &service->state_deadline, wanted);
        extend(unit, UNIT_PURPOSE_RUNTIME_LIMIT, &service->runtime_deadline, wanted);
        extend(unit, UNIT_PURPOSE_WATCHDOG, &service->watchdog_deadline, wanted);
}

void service_poll(Unit *unit, usec_t delay) {
        service_of(unit)->poll_delay = delay;
        service_set_timer(unit, UNIT_PURPOSE_PIDFILE, usec_add(unit_now(unit), delay));
}

/* The interval begins with the first start that it counts. */
bool service_is_within_start_limit(Unit *unit) {
        Service *service = service_of(unit);
        usec_t interval = unit->settings.start_limit_interval, now = unit_now(unit);
        uint32_t burst = unit->settings.start_limit_burst;
        UnitHost *host = unit_host(unit);
        char span[USEC_FORMAT_MAX];

        service->start_limit_hit = false;
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

        service->start_limit_hit = true;
        free(service->failure);
        service->failure = NULL;
        service_note_failure(unit, "started %u times within %s, which is its limit", burst,
                             usec_format(interval, span));
        if (unit->settings.rare->start_limit_action != UNIT_ACTION_NONE)
                host->ops->request_action(host, unit, unit->settings.rare->start_limit_action, -1, "start limit hit");
        return false;
}

bool service_is_within_reload_limit(Unit *unit) {
        const ServiceRareSettings *rare = service_rare(unit);
        usec_t now = unit_now(unit);
        char span[USEC_FORMAT_MAX];
        ServiceExtra *extra;

        if (rare->reload_limit_burst == 0 || rare->reload_limit_interval == 0)
                return true;
        extra = service_own_extra(unit);
        if (!extra)
                return false;
        if (extra->reload_limit_begin == 0 ||
            usec_add(extra->reload_limit_begin, rare->reload_limit_interval) <= now) {
                extra->reload_limit_begin = now;
                extra->reload_limit_count = 0;
        }
        if (extra->reload_limit_count < rare->reload_limit_burst) {
                extra->reload_limit_count++;
                return true;
        }
        service_note_reload_failure(unit, "reloaded %u times within %s, which is its limit", rare->reload_limit_burst,
                                    usec_format(rare->reload_limit_interval, span));
        return false;
}

usec_t service_restart_pause(const Unit *unit) {
        const ServiceRareSettings *rare = service_rare(unit);
        usec_t first = service_settings(unit)->restart_usec, last = rare->restart_max_delay;
        uint32_t n = service_of(unit)->n_restarts;

        if (n == 0 || rare->restart_steps == 0 || first == 0 || last == 0 || first >= last)
                return first;
        if (n >= rare->restart_steps)
                return last;
        return (usec_t) ((double) first * pow((double) last / (double) first, (double) n / rare->restart_steps));
}

static usec_t random_part(const Unit *unit, usec_t pause) {
        const ServiceRareSettings *rare = service_rare(unit);

        if (rare->restart_jitter_percent > 0 && pause < USEC_INFINITY / 100)
                return random_usec(pause * MIN(rare->restart_jitter_percent, 100U) / 100);
        return random_usec(rare->restart_jitter);
}

int service_set_restart_timer(Unit *unit) {
        usec_t pause = service_restart_pause(unit);
        usec_t at = usec_add(unit_now(unit), usec_add(pause, random_part(unit, pause)));
        ServiceExtra *extra = service_own_extra(unit);

        if (extra)
                extra->restart_at = at;
        return service_set_timer(unit, UNIT_PURPOSE_RESTART, at);
}

void service_begin_health(Unit *unit) {
        usec_t span = service_rare(unit)->restart_reset;

        if (span > 0 && span != USEC_INFINITY)
                service_set_timer(unit, UNIT_PURPOSE_HEALTHY, usec_add(unit_now(unit), span));
}

void service_healthy_elapsed(Unit *unit) {
        Service *service = service_of(unit);

        if (service->n_restarts == 0 && service->limit_count == 0)
                return;
        unit_say(unit, LOG_LEVEL_INFO, "It has run well: earlier failures don't count any more.");
        service->n_restarts = 0;
        service->limit_begin = 0;
        service->limit_count = 0;
        service_republish(unit);
}
