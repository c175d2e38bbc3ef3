/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Requests of a unit to its host
 *
 * The entries of UnitHostOps, without the host in each call. If a host lacks an optional entry, the answer is the one
 * that unit_host.h defines for that.
 */

#include "unit/unit.h"
#include "unit/unit_table.h"

static inline UnitHost *unit_host(const Unit *unit) {
        return unit_table_host(unit->table);
}

usec_t unit_now(const Unit *unit);                      /* monotonic */
UnitTimestamp unit_timestamp(const Unit *unit);         /* both clocks, now */
int unit_set_timer(Unit *unit, UnitPurpose purpose, usec_t deadline);

int unit_watch_fd(Unit *unit, uint32_t index, int fd, uint32_t events);         /* -EOPNOTSUPP: the host cannot */
void unit_unwatch_fd(Unit *unit, uint32_t index);
void unit_keep_fd(const Unit *unit, const char *what, uint32_t index, int fd);  /* the host logs a failure */
void unit_drop_fd(const Unit *unit, const char *what, uint32_t index);
int unit_take_fd(const Unit *unit, const char *what, uint32_t index);           /* -ENOENT: it was not kept */

bool unit_has_job(const Unit *unit);
bool unit_will_start(const Unit *unit);                 /* by a job, once it is down */
bool unit_will_stop(const Unit *unit);                  /* by a job, or because the manager ends */
