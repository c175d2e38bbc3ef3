/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starting again
 *
 * The pause before it grows with each restart in a row, from RestartSec= to
 * RestartMaxDelaySec= in RestartSteps= steps, each by the same factor as
 * systemd has it. RestartJitter= adds to it at random, so that what failed
 * together does not come back together. A service that has run for
 * RestartResetSec= begins anew.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/random.h"
#include "types/service.h"

/* When a restart is asked for again: its job may have been canceled, or failed with others. */
#define RESTART_AGAIN (10 * USEC_PER_SEC)

/* From 0 to @most. Without random numbers half of it: as good as any other. */
usec_t service_random_usec(usec_t most) {
        uint64_t number;

        if (most == 0)
                return 0;
        if (random_bytes(&number, sizeof(number)) < 0)
                return most / 2;
        return most == USEC_INFINITY ? number : number % (most + 1);
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
                return service_random_usec(pause * MIN(rare->restart_jitter_percent, 100U) / 100);
        return service_random_usec(rare->restart_jitter);
}

int service_set_restart_timer(Unit *unit) {
        usec_t pause = service_restart_pause(unit);
        usec_t at = usec_add(service_now(unit), usec_add(pause, random_part(unit, pause)));
        ServiceExtra *extra = service_own_extra(unit);

        if (extra)
                extra->restart_at = at;
        return service_set_timer(unit, UNIT_PURPOSE_RESTART, at);
}

void service_restart_elapsed(Unit *unit) {
        UnitHost *host = service_host(unit);
        usec_t pause = service_restart_pause(unit);
        int r;

        if (service_of(unit)->state != SERVICE_STATE_AUTO_RESTART)
                return;
        /* RestartMode=direct: a job that waits for it to be up has begun already, and another would be none. */
        if (host->ops->is_awaited && host->ops->is_awaited(host, unit)) {
                service_begin(unit);
                return;
        }
        r = host->ops->request_job(host, unit, "start", "restart-dependencies", "automatic restart");
        if (r < 0) {
                service_note_failure(unit, "cannot restart: %s", strerror(-r));
                service_enter_dead(unit, SERVICE_RESULT_RESOURCES, false);
                return;
        }
        service_set_timer(unit, UNIT_PURPOSE_RESTART, usec_add(service_now(unit), MAX(pause, RESTART_AGAIN)));
}

void service_begin_health(Unit *unit) {
        usec_t span = service_rare(unit)->restart_reset;

        if (span > 0 && span != USEC_INFINITY)
                service_set_timer(unit, UNIT_PURPOSE_HEALTHY, usec_add(service_now(unit), span));
}

void service_healthy_elapsed(Unit *unit) {
        Service *service = service_of(unit);

        if (service->n_restarts == 0 && service->limit_count == 0)
                return;
        service_log(unit, 6, "It has run well: earlier failures don't count any more.");
        service->n_restarts = 0;
        service->limit_begin = 0;
        service->limit_count = 0;
        service_republish(unit);
}

bool service_will_start(const Unit *unit) {
        UnitHost *host = service_host(unit);

        return host->ops->will_start && host->ops->will_start(host, unit);
}

bool service_is_within_reload_limit(Unit *unit) {
        const ServiceRareSettings *rare = service_rare(unit);
        usec_t now = service_now(unit);
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
