/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traffic on a socket, and the services that it starts
 *
 * With Accept=no the first byte or connection starts the service, which gets all descriptors; they are not watched
 * until it has ended. Traffic that comes while the service cannot be started would wake core for ever, hence the
 * limits. The rules are systemd's.
 *
 * A flow gets no descriptors, since its commands are many and none of them is the one to read: for a flow traffic is a
 * bell. It is thrown away, a run is submitted, and the socket goes on listening.
 */

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "basic/text.h"
#include "types/service_state.h"
#include "types/socket_connection.h"
#include "types/socket_event.h"
#include "types/socket_port.h"
#include "types/socket_step.h"
#include "types/unit_types.h"

#define STOP_RETRY (100 * USEC_PER_MSEC)

/* Returns true if a triggered unit is active or activating, or has a job. */
static bool is_pending(Unit *unit) {
        UnitRelations triggers = unit_relations(unit, UNIT_TRIGGERS);

        for (size_t i = 0; i < triggers.n; i++) {
                const Unit *other = unit_table_at(unit->table, triggers.items[i].other);

                if (unit_state_is_active_or_activating(other->active_state) || unit_has_job(other))
                        return true;
        }
        return false;
}

static int start_service(Unit *unit) {
        cleanup_free_ char *reason = NULL;
        UnitHost *host = unit_host(unit);
        Unit *service = socket_service(unit);
        int r;

        if (!service)
                return -ENOENT;
        r = text_format(&reason, "traffic on %s", unit->id);
        return r < 0 ? r : host->ops->request_job(host, service, JOB_START, JOB_REPLACE, reason);
}

/* Throws away what has come before the run begins: what comes later is for another one. */
static void ring(Unit *unit, Unit *flow) {
        socket_flush_ports(unit);
        flow->vtable->triggered(flow, &(UnitTrigger) { .by = unit, .kind = UNIT_TRIGGER_EVENT });
}

static void trigger(Unit *unit) {
        Unit *service = socket_service(unit);
        int r = 0;

        if (!socket_is_within_trigger_limit(unit)) {
                socket_enter_stop_pre(unit, SOCKET_RESULT_TRIGGER_LIMIT_HIT);
                return;
        }
        if (service && service->vtable->triggered) {
                ring(unit, service);
                return;
        }
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
        usec_t now = unit_now(unit);

        if (rate_limit_allows(&socket->polls, settings->poll_limit_interval, settings->poll_limit_burst, now))
                return true;
        socket_pause(unit, usec_sub(usec_add(socket->polls.begin, settings->poll_limit_interval), now));
        return false;
}

/* A stop refuses pending connections, but it may still be canceled. */
static bool is_about_to_stop(Unit *unit) {
        if (!unit_will_stop(unit))
                return false;
        socket_pause(unit, STOP_RETRY);
        return true;
}

void socket_fd_ready(Unit *unit, uint32_t index, uint32_t events) {
        Socket *socket = socket_of(unit);
        const SocketPort *port = &socket->ports.items[index];
        SocketResult result;

        if (socket->state != SOCKET_STATE_LISTENING || is_about_to_stop(unit) || !is_within_poll_limit(unit))
                return;
        if (!(events & EPOLLIN)) {
                socket_note_failure(unit, "%s cannot be listened on any more%s", port->listen.address,
                                    events & EPOLLHUP ? ": its service has probably shut it down" : "");
                socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
        } else if (socket_settings(unit)->accept && socket_listen_is_accepting(&port->listen)) {
                result = socket_accept(unit, port);
                if (result != SOCKET_RESULT_SUCCESS)
                        socket_enter_stop_pre(unit, result);
        } else
                trigger(unit);
}

/* — events of the service — */

/* An earlier failure of the service does not count. */
static bool has_hit_start_limit(const Unit *unit, const Unit *service) {
        const Socket *socket = socket_of(unit);

        return service_has_hit_start_limit(service) &&
               (socket->state == SOCKET_STATE_RUNNING || service_of(service)->state_since >= socket->state_since);
}

static void service_changed(Unit *unit, Unit *service) {
        SocketState state = socket_of(unit)->state;

        if (has_hit_start_limit(unit, service)) {
                socket_note_failure(unit, "its service %s was started too often", service->id);
                socket_enter_stop_pre(unit, SOCKET_RESULT_SERVICE_START_LIMIT_HIT);
                return;
        }
        if (unit_has_job(service))
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

        if (connection) {
                if (unit_state_is_inactive_or_failed(triggered->active_state) && !unit_has_job(triggered))
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
                unit_say(unit, LOG_LEVEL_WARNING, "A connection is dropped: %s", failure_message(failure));
                socket_of(unit)->n_refused++;
                socket_end_connection(unit, connection);
                return;
        }
        if (socket_of(unit)->state != SOCKET_STATE_RUNNING || socket_settings(unit)->accept)
                return;
        socket_note_failure(unit, "cannot start its service: %s", failure_message(failure));
        socket_enter_stop_pre(unit, SOCKET_RESULT_RESOURCES);
}
