/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Somebody wants something
 *
 * With Accept=no the first byte or connection starts the service, which is
 * given all descriptors and does the rest: until it has ended they are none of
 * our business. What comes while it cannot be started would wake us for ever,
 * hence the limits. The rules are systemd's.
 */

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "basic/text.h"
#include "types/service.h"
#include "types/socket.h"
#include "types/unit_types.h"
#include "unit/unit_table.h"

#define STOP_RETRY (100 * USEC_PER_MSEC)

Unit *socket_service(const Unit *unit) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERS);

        if (socket_settings(unit)->accept)
                return NULL;
        /* Its own stands first; others may have named it in Sockets=. */
        for (size_t i = 0; i < triggers.n; i++)
                if (triggers.items[i].here != UNIT_ORIGIN_NONE)
                        return unit_table_at(unit->table, triggers.items[i].other);
        return NULL;
}

void socket_pause(Unit *unit, usec_t span) {
        UnitHost *host = socket_host(unit);

        if (host->ops->set_timer(host, unit, UNIT_PURPOSE_RESTART, usec_add(socket_now(unit), span)) < 0)
                return;
        socket_of(unit)->is_paused = true;
        socket_unwatch_ports(unit);
}

bool socket_is_within_trigger_limit(Unit *unit) {
        usec_t interval = socket_settings_trigger_interval(socket_settings(unit));
        uint32_t burst = socket_settings_trigger_burst(socket_settings(unit));
        char span[USEC_FORMAT_MAX];

        if (rate_limit_allows(&socket_of(unit)->triggers, interval, burst, socket_now(unit)))
                return true;
        socket_note_failure(unit, "triggered %u times within %s, which is its limit (TriggerLimitBurst=)", burst,
                            usec_format(interval, span));
        socket_enter_stop_pre(unit, SOCKET_RESULT_TRIGGER_LIMIT_HIT);
        return false;
}

/* Is any that it triggers there, or about to be? */
static bool is_pending(Unit *unit) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERS);
        UnitHost *host = socket_host(unit);

        for (size_t i = 0; i < triggers.n; i++) {
                const Unit *other = unit_table_at(unit->table, triggers.items[i].other);

                if (unit_state_is_active_or_activating(other->active_state) || host->ops->has_job(host, other))
                        return true;
        }
        return false;
}

static int start_service(Unit *unit) {
        cleanup_free_ char *reason = NULL;
        UnitHost *host = socket_host(unit);
        Unit *service = socket_service(unit);
        int r;

        if (!service)
                return -ENOENT;
        r = text_format(&reason, "traffic on %s", unit->id);
        return r < 0 ? r : host->ops->request_job(host, service, "start", "replace", reason);
}

static void trigger(Unit *unit) {
        int r = 0;

        if (!socket_is_within_trigger_limit(unit))
                return;
        if (!is_pending(unit))
                r = start_service(unit);
        if (r < 0) {
                socket_note_failure(unit, "cannot start its service: %s", strerror(-r));
                socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
                return;
        }
        socket_set_state(unit, SOCKET_STATE_RUNNING);
}

static bool is_within_poll_limit(Unit *unit) {
        const SocketSettings *settings = socket_settings(unit);
        Socket *socket = socket_of(unit);
        usec_t now = socket_now(unit);

        if (rate_limit_allows(&socket->polls, settings->poll_limit_interval, settings->poll_limit_burst, now))
                return true;
        socket_pause(unit, usec_sub(usec_add(socket->polls.begin, settings->poll_limit_interval), now));
        return false;
}

/* What is pending is refused when it is closed, unless that is called off. */
static bool is_about_to_stop(Unit *unit) {
        UnitHost *host = socket_host(unit);

        if (!host->ops->will_stop || !host->ops->will_stop(host, unit))
                return false;
        socket_pause(unit, STOP_RETRY);
        return true;
}

void socket_fd_ready(Unit *unit, uint32_t index, uint32_t events) {
        Socket *socket = socket_of(unit);
        const SocketPort *port = &socket->ports.items[index];

        if (socket->state != SOCKET_STATE_LISTENING || is_about_to_stop(unit) || !is_within_poll_limit(unit))
                return;
        if (!(events & EPOLLIN)) {
                socket_note_failure(unit, "%s cannot be listened on any more%s", port->listen.address,
                                    events & EPOLLHUP ? ": its service has probably shut it down" : "");
                socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
        } else if (socket_settings(unit)->accept && socket_listen_is_accepting(&port->listen))
                socket_accept(unit, port);
        else
                trigger(unit);
}

/* — what becomes of the service — */

/* What was before the socket began to listen has not kept it from being started. */
static bool has_hit_start_limit(const Unit *unit, const Unit *service) {
        const Socket *socket = socket_of(unit);

        return service_of(service)->state == SERVICE_STATE_FAILED &&
               service_of(service)->result == SERVICE_RESULT_START_LIMIT_HIT &&
               (socket->state == SOCKET_STATE_RUNNING || service_of(service)->state_since >= socket->state_since);
}

static void service_changed(Unit *unit, Unit *service) {
        SocketState state = socket_of(unit)->state;
        UnitHost *host = socket_host(unit);

        if (has_hit_start_limit(unit, service)) {
                socket_note_failure(unit, "its service %s was started too often", service->id);
                socket_enter_stop_pre(unit, SOCKET_RESULT_SERVICE_START_LIMIT_HIT);
                return;
        }
        if (host->ops->has_job(host, service))
                return;
        if (unit_state_is_inactive_or_failed(service->active_state) || unit_will_restart(service)) {
                if (state == SOCKET_STATE_RUNNING)
                        socket_enter_listening(unit);
        } else if (service_of(service)->state == SERVICE_STATE_RUNNING && state == SOCKET_STATE_LISTENING)
                socket_set_state(unit, SOCKET_STATE_RUNNING);
}

void socket_triggered_changed(Unit *unit, Unit *triggered) {
        SocketConnection *connection = socket_find_connection(unit, triggered);
        SocketState state = socket_of(unit)->state;
        UnitHost *host = socket_host(unit);

        if (connection) {
                if (unit_state_is_inactive_or_failed(triggered->active_state) && !host->ops->has_job(host, triggered))
                        socket_end_connection(unit, connection);
                return;
        }
        if (socket_settings(unit)->accept || triggered->vtable != &service_vtable)
                return;
        if (state == SOCKET_STATE_LISTENING || state == SOCKET_STATE_RUNNING)
                service_changed(unit, triggered);
}

void socket_trigger_refused(Unit *unit, Unit *triggered, const Failure *failure) {
        SocketConnection *connection = socket_find_connection(unit, triggered);

        if (connection) {
                socket_log(unit, 4, "A connection is dropped: %s", failure_message(failure));
                socket_of(unit)->n_refused++;
                socket_end_connection(unit, connection);
                return;
        }
        if (socket_of(unit)->state != SOCKET_STATE_RUNNING || socket_settings(unit)->accept)
                return;
        socket_note_failure(unit, "cannot start its service: %s", failure_message(failure));
        socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
}
