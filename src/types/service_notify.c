/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notifications of a service: by sd_notify, by a newline on NotifyFd=, and by its name on the bus
 *
 * The assignments of one datagram are handled together, in the order below rather than in theirs: the main process
 * comes first.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "types/service_event.h"
#include "types/service_limit.h"
#include "types/service_message.h"
#include "types/service_pid.h"
#include "types/service_step.h"

static bool may_change_main(ServiceState state) {
        return state == SERVICE_STATE_START || state == SERVICE_STATE_START_POST || state == SERVICE_STATE_RUNNING ||
               state == SERVICE_STATE_RELOAD;
}

static void take_main_pid(Unit *unit, const char *value) {
        uint32_t pid;
        int r;

        if (!value || !may_change_main(service_of(unit)->state))
                return;
        if (text_parse_u32(value, &pid) < 0 || pid > INT32_MAX)
                r = -EINVAL;
        else if ((pid_t) pid == service_of(unit)->main.pid)
                return;
        else {
                r = service_check_main_pid(unit, (pid_t) pid);
                r = r == 0 ? -EPERM : r < 0 ? r : service_set_main_pid(unit, (pid_t) pid);
        }
        if (r < 0)
                service_complain(unit, "MAINPID=%s is not accepted: %s.", value, strerror(-r));
}

static void become_ready(Unit *unit) {
        Service *service = service_of(unit);
        bool reloaded = service->state == SERVICE_STATE_RELOAD && service->notice == SERVICE_NOTICE_RELOADING;

        service->notice = SERVICE_NOTICE_READY;
        if (service->state == SERVICE_STATE_START && service_is_notify(unit))
                service_enter_start_post(unit);
        else if (reloaded && !unit_process_exists(&service->control))
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
}

/* Type=notify-reload: returns true if the message answers the manager's signal, rather than an earlier reload. */
static bool answers_signal(const Unit *unit, char *const *assignments) {
        const char *value = service_find_assignment(assignments, "MONOTONIC_USEC");
        uint64_t usec;

        return value && text_parse_u64(value, &usec) == 0 && usec >= service_extra(unit)->reload_begin;
}

static void begin_reload(Unit *unit, char *const *assignments) {
        Service *service = service_of(unit);

        if (service->state == SERVICE_STATE_RELOAD && service_extra(unit)->reload_begin > 0) {
                if (!answers_signal(unit, assignments))
                        return;
                service->extra->reload_begin = 0;
        }
        service->notice = SERVICE_NOTICE_RELOADING;
        if (service->state == SERVICE_STATE_RUNNING)
                service_enter_reload_by_notice(unit);
}

static void take_notice(Unit *unit, char *const *assignments) {
        Service *service = service_of(unit);

        if (service_says(assignments, "STOPPING")) {
                service->notice = SERVICE_NOTICE_STOPPING;
                if (service->state == SERVICE_STATE_RUNNING)
                        service_enter_stop_by_notice(unit);
                return;
        }
        /* With READY=1 in the same message the reload is complete already. */
        if (service_says(assignments, "RELOADING") &&
            (!service_says(assignments, "READY") || service_extra(unit)->reload_begin > 0))
                begin_reload(unit, assignments);
        /* Before the answer to the manager's signal READY=1 belongs to something else. */
        if (service_says(assignments, "READY") &&
            (service->state != SERVICE_STATE_RELOAD || service_extra(unit)->reload_begin == 0))
                become_ready(unit);
}

/* Text that is not UTF-8 would make the bus daemon close the manager's connection. */
static bool take_status(Unit *unit, const char *value) {
        Service *service = service_of(unit);
        char *copy;

        if (!value || !text_is_utf8(value) || text_equal(value, service->status_text))
                return false;
        copy = strdup(value);
        if (!copy)
                return false;
        free(service->status_text);
        service->status_text = copy;
        return true;
}

/* The name of an error, as on D-Bus. */
static bool take_bus_error(Unit *unit, const char *value) {
        ServiceExtra *extra = value && text_is_utf8(value) ? service_own_extra(unit) : NULL;
        char *copy = extra && !text_equal(value, extra->bus_error) ? strdup(value) : NULL;

        if (!copy)
                return false;
        free(extra->bus_error);
        extra->bus_error = copy;
        return true;
}

static bool take_errno(Unit *unit, const char *value) {
        int32_t number;

        if (!value || text_parse_i32(value, &number) < 0 || number < 0)
                return false;
        service_of(unit)->status_errno = number;
        return true;
}

static void take_times(Unit *unit, char *const *assignments) {
        const char *extension = service_find_assignment(assignments, "EXTEND_TIMEOUT_USEC");
        const char *override = service_find_assignment(assignments, "WATCHDOG_USEC");
        const char *watchdog = service_find_assignment(assignments, "WATCHDOG");
        Service *service = service_of(unit);
        uint64_t usec;

        if (extension && text_parse_u64(extension, &usec) == 0)
                service_extend_limits(unit, usec);
        if (override && text_parse_u64(override, &usec) == 0)
                service->watchdog_override = usec;
        if (service->state != SERVICE_STATE_START_POST && service->state != SERVICE_STATE_RUNNING &&
            service->state != SERVICE_STATE_RELOAD)
                return;
        if (text_equal(watchdog, "1") || override)
                service_reset_watchdog(unit);
        else if (text_equal(watchdog, "trigger")) {
                service_note_failure(unit, "asked for its own end by WATCHDOG=trigger");
                service_enter_signal(unit, SERVICE_STATE_STOP_WATCHDOG, SERVICE_RESULT_WATCHDOG);
        }
}

void service_notified(Unit *unit, pid_t sender, char *const *assignments) {
        Service *service = service_of(unit);
        pid_t main_pid = service->main.pid;
        bool is_changed;

        if (!service_may_notify(unit, sender)) {
                service_complain(unit, "Process %i may not notify (NotifyAccess=%s).", (int) sender,
                                 service_notify_access_to_string(service_notify_access(unit)));
                return;
        }
        take_main_pid(unit, service_find_assignment(assignments, "MAINPID"));
        is_changed = service->main.pid != main_pid;
        is_changed = take_status(unit, service_find_assignment(assignments, "STATUS")) || is_changed;
        is_changed = take_errno(unit, service_find_assignment(assignments, "ERRNO")) || is_changed;
        is_changed = take_bus_error(unit, service_find_assignment(assignments, "BUSERROR")) || is_changed;
        service_remove_fds(unit, assignments);
        take_notice(unit, assignments);
        take_times(unit, assignments);
        if (is_changed)
                service_republish(unit);
}

void service_fd_ready(Unit *unit, uint32_t index, uint32_t events) {
        if (index != SERVICE_CHANNEL_INDEX) {
                service_fd_hung_up(unit, index);
                return;
        }
        switch (service_hear_channel(unit)) {
        case SERVICE_CHANNEL_NOTHING:
                break;
        case SERVICE_CHANNEL_READY:
                become_ready(unit);
                break;
        case SERVICE_CHANNEL_BROKEN:
                service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_PROTOCOL);
                break;
        }
}

static void lose_name(Unit *unit) {
        ServiceState state = service_of(unit)->state;

        if (state != SERVICE_STATE_RUNNING && state != SERVICE_STATE_START_POST && state != SERVICE_STATE_RELOAD)
                return;
        unit_say(unit, LOG_LEVEL_NOTICE, "It has lost the name %s on the message bus.", service_rare(unit)->bus_name);
        if (state == SERVICE_STATE_RUNNING)
                service_enter_running(unit, SERVICE_RESULT_SUCCESS);
}

void service_name_owned(Unit *unit, bool is_owned, pid_t pid) {
        switch (service_name_changed(unit, is_owned, pid)) {
        case SERVICE_NAME_SAME:
                break;
        case SERVICE_NAME_LOST:
                lose_name(unit);
                break;
        case SERVICE_NAME_GAINED:
                if (service_of(unit)->state == SERVICE_STATE_START)
                        service_enter_start_post(unit);
                break;
        }
}
