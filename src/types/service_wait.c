/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a start waits for besides processes
 *
 * Type=idle for the other jobs, so that what it writes to a terminal does not
 * mix with what these do; it looks now and then, and not for ever. Type=dbus
 * for its name on the bus.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "types/exec_sandbox.h"
#include "types/service.h"

/* As long as systemd's. */
#define IDLE_MAX (5 * USEC_PER_SEC)
#define IDLE_LOOK (50 * USEC_PER_MSEC)

static bool is_busy(const Unit *unit) {
        UnitHost *host = service_host(unit);

        return host->ops->is_busy && host->ops->is_busy(host, unit);
}

static void set_idle_timer(Unit *unit, usec_t deadline) {
        UnitHost *host = service_host(unit);

        host->ops->set_timer(host, unit, UNIT_PURPOSE_IDLE, deadline);
}

bool service_has_to_wait(Unit *unit) {
        ServiceExtra *extra;

        if (service_settings(unit)->type != SERVICE_IDLE || !is_busy(unit))
                return false;
        extra = service_own_extra(unit);
        if (!extra)
                return false;
        extra->idle_until = usec_add(service_now(unit), IDLE_MAX);
        set_idle_timer(unit, usec_add(service_now(unit), IDLE_LOOK));
        return true;
}

void service_idle_elapsed(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;
        usec_t now = service_now(unit);

        if (!extra || extra->idle_until == 0)
                return;
        if (now < extra->idle_until && is_busy(unit)) {
                set_idle_timer(unit, MIN(usec_add(now, IDLE_LOOK), extra->idle_until));
                return;
        }
        extra->idle_until = 0;
        service_run_main(unit);
}

static int watch_name(Unit *unit, const char *name) {
        UnitHost *host = service_host(unit);

        return host->ops->watch_name ? host->ops->watch_name(host, unit, name) : -EOPNOTSUPP;
}

int service_watch_name(Unit *unit) {
        const char *name = service_rare(unit)->bus_name;
        int r;

        if (service_settings(unit)->type != SERVICE_DBUS || !name)
                return 0;
        r = watch_name(unit, name);
        if (r == -EOPNOTSUPP)
                service_note_failure(unit, "it is up when it has the name %s on the message bus, but this manager uses none",
                                     name);
        else if (r < 0)
                service_note_failure(unit, "cannot wait for the name %s on the message bus: %s", name, strerror(-r));
        return r;
}

static bool is_own_process(const Unit *unit, pid_t pid) {
        const Service *service = service_of(unit);

        return pid <= 0 || pid == service->main.pid || pid == service->control.pid ||
               service_check_main_pid(unit, pid) > 0;
}

static void lose_name(Unit *unit, ServiceExtra *extra) {
        ServiceState state = service_of(unit)->state;

        extra->has_name = false;
        if (state != SERVICE_STATE_RUNNING && state != SERVICE_STATE_START_POST && state != SERVICE_STATE_RELOAD)
                return;
        service_log(unit, 5, "It has lost the name %s on the message bus.", service_rare(unit)->bus_name);
        if (state == SERVICE_STATE_RUNNING)
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
}

void service_name_owned(Unit *unit, bool is_owned, pid_t pid) {
        ServiceExtra *extra = service_own_extra(unit);

        if (!extra || service_settings(unit)->type != SERVICE_DBUS)
                return;
        if (is_owned && !is_own_process(unit, pid)) {
                service_log(unit, 4, "The name %s on the message bus is process %i's, which is none of it.",
                            service_rare(unit)->bus_name, (int) pid);
                is_owned = false;
        }
        if (is_owned == extra->has_name)
                return;
        if (!is_owned) {
                lose_name(unit, extra);
                return;
        }
        extra->has_name = true;
        if (service_of(unit)->state == SERVICE_STATE_START)
                service_enter_start_post(unit);
}

void service_resume(Unit *unit) {
        ServiceState state = service_of(unit)->state;

        exec_sandbox_resume(unit);
        service_resume_fds(unit);
        service_resume_channel(unit);
        service_resume_streams(unit);
        /* The connection to the bus is not the former one. */
        if (state == SERVICE_STATE_START || state == SERVICE_STATE_START_POST || state == SERVICE_STATE_RUNNING ||
            state == SERVICE_STATE_RELOAD)
                service_watch_name(unit);
}

static bool has_name_in(ServiceState state) {
        return state == SERVICE_STATE_START || state == SERVICE_STATE_START_POST || state == SERVICE_STATE_RUNNING ||
               state == SERVICE_STATE_RELOAD || state == SERVICE_STATE_STOP || state == SERVICE_STATE_START_PRE ||
               state == SERVICE_STATE_CONDITION;
}

void service_stop_waiting(Unit *unit, ServiceState state) {
        Service *service = service_of(unit);

        if (!has_name_in(state) && service_settings(unit)->type == SERVICE_DBUS && has_name_in(service->state))
                watch_name(unit, NULL);
        if (!service->extra)
                return;
        if (state != SERVICE_STATE_START && service->extra->idle_until > 0) {
                service->extra->idle_until = 0;
                set_idle_timer(unit, USEC_INFINITY);
        }
        if (state != SERVICE_STATE_START)
                service_close_channel(unit);
        if ((state == SERVICE_STATE_DEAD || state == SERVICE_STATE_FAILED) && !service->will_restart)
                service_close_streams(unit);
}
