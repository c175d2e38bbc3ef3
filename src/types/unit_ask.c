/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of a unit to its host
 */

#include <errno.h>

#include "types/unit_ask.h"

usec_t unit_now(const Unit *unit) {
        UnitHost *host = unit_host(unit);

        return host->ops->now(host);
}

UnitTimestamp unit_timestamp(const Unit *unit) {
        UnitHost *host = unit_host(unit);

        return (UnitTimestamp) { .realtime = host->ops->now_realtime(host), .monotonic = host->ops->now(host) };
}

int unit_set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline) {
        UnitHost *host = unit_host(unit);

        return host->ops->set_timer(host, unit, purpose, deadline);
}

int unit_watch_fd(Unit *unit, uint32_t index, int fd, uint32_t events) {
        UnitHost *host = unit_host(unit);

        return host->ops->watch_fd ? host->ops->watch_fd(host, unit, index, fd, events) : -EOPNOTSUPP;
}

void unit_unwatch_fd(Unit *unit, uint32_t index) {
        UnitHost *host = unit_host(unit);

        if (host->ops->unwatch_fd)
                host->ops->unwatch_fd(host, unit, index);
}

void unit_keep_fd(const Unit *unit, const char *what, uint32_t index, int fd) {
        UnitHost *host = unit_host(unit);

        if (host->ops->keep_fd)
                (void) host->ops->keep_fd(host, unit, what, index, fd);
}

void unit_drop_fd(const Unit *unit, const char *what, uint32_t index) {
        UnitHost *host = unit_host(unit);

        if (host->ops->drop_fd)
                host->ops->drop_fd(host, unit, what, index);
}

int unit_take_fd(const Unit *unit, const char *what, uint32_t index) {
        UnitHost *host = unit_host(unit);

        return host->ops->take_fd ? host->ops->take_fd(host, unit, what, index) : -ENOENT;
}

bool unit_has_job(const Unit *unit) {
        UnitHost *host = unit_host(unit);

        return host->ops->has_job && host->ops->has_job(host, unit);
}

bool unit_will_start(const Unit *unit) {
        UnitHost *host = unit_host(unit);

        return host->ops->will_start && host->ops->will_start(host, unit);
}

bool unit_will_stop(const Unit *unit) {
        UnitHost *host = unit_host(unit);

        return host->ops->will_stop && host->ops->will_stop(host, unit);
}
