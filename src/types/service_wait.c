/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waits of a start, besides those for processes
 *
 * Type=idle waits for other jobs, so that output to a terminal does not mix with theirs: it looks at intervals, and for
 * a limited time. Type=dbus waits for its name on the bus.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "types/service_pid.h"
#include "types/service_state.h"
#include "types/service_wait.h"

/* As in systemd. */
#define IDLE_MAX (5 * USEC_PER_SEC)
#define IDLE_LOOK (50 * USEC_PER_MSEC)

static bool is_busy(const Unit *unit) {
        UnitHost *host = unit_host(unit);

        return host->ops->is_busy && host->ops->is_busy(host, unit);
}

bool service_is_idle(const Unit *unit) {
        return service_extra(unit)->wait.idle_until > 0;
}

bool service_begin_idle(Unit *unit) {
        ServiceExtra *extra;

        if (service_settings(unit)->type != SERVICE_IDLE || !is_busy(unit))
                return false;
        extra = service_own_extra(unit);
        if (!extra)
                return false;
        extra->wait.idle_until = usec_add(unit_now(unit), IDLE_MAX);
        (void) unit_set_timer(unit, UNIT_PURPOSE_IDLE, usec_add(unit_now(unit), IDLE_LOOK));
        return true;
}

bool service_idle_elapsed(Unit *unit) {
        usec_t now = unit_now(unit), until = service_extra(unit)->wait.idle_until;

        if (until == 0)
                return false;
        if (now < until && is_busy(unit)) {
                (void) unit_set_timer(unit, UNIT_PURPOSE_IDLE, MIN(usec_add(now, IDLE_LOOK), until));
                return false;
        }
        service_of(unit)->extra->wait.idle_until = 0;
        return true;
}

void service_end_idle(Unit *unit) {
        if (!service_is_idle(unit))
                return;
        service_of(unit)->extra->wait.idle_until = 0;
        (void) unit_set_timer(unit, UNIT_PURPOSE_IDLE, USEC_INFINITY);
}

static int watch_name(Unit *unit, const char *name) {
        UnitHost *host = unit_host(unit);

        return host->ops->watch_name ? host->ops->watch_name(host, unit, name) : -EOPNOTSUPP;
}

int service_watch_name(Unit *unit) {
        const char *name = service_rare(unit)->bus_name;
        int r;

        if (service_settings(unit)->type != SERVICE_DBUS || !name)
                return 0;
        r = watch_name(unit, name);
        if (r == -EOPNOTSUPP)
                service_note_failure(unit,
                                     "it is up when it has the name %s on the message bus, but this manager uses none",
                                     name);
        else if (r < 0)
                service_note_failure(unit, "cannot wait for the name %s on the message bus: %s", name, strerror(-r));
        return r;
}

void service_unwatch_name(Unit *unit) {
        if (service_settings(unit)->type == SERVICE_DBUS)
                (void) watch_name(unit, NULL);
}

bool service_lacks_name(const Unit *unit) {
        return service_settings(unit)->type == SERVICE_DBUS && !service_extra(unit)->wait.has_name;
}

/* @pid: 0 if the bus does not know. */
static bool is_own_process(const Unit *unit, pid_t pid) {
        const Service *service = service_of(unit);

        return pid <= 0 || pid == service->main.pid || pid == service->control.pid ||
               service_check_main_pid(unit, pid) > 0;
}

ServiceNameOutcome service_name_changed(Unit *unit, bool is_owned, pid_t pid) {
        ServiceExtra *extra = service_own_extra(unit);

        if (!extra || service_settings(unit)->type != SERVICE_DBUS)
                return SERVICE_NAME_SAME;
        if (is_owned && !is_own_process(unit, pid)) {
                unit_say(unit, LOG_LEVEL_WARNING,
                         "The name %s on the message bus is process %i's, which is none of it.",
                         service_rare(unit)->bus_name, (int) pid);
                is_owned = false;
        }
        if (is_owned == extra->wait.has_name)
                return SERVICE_NAME_SAME;
        extra->wait.has_name = is_owned;
        return is_owned ? SERVICE_NAME_GAINED : SERVICE_NAME_LOST;
}
