/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The time zones of this machine: where their files are
 */

#include "time/time_zone.h"

/* "Europe/Berlin": 0, -ENOENT if there is no such zone, -EBADMSG, -ENOMEM or what reading it said. */
int clock_zone_load(const char *name, TimeZone **ret_zone);

/*
 * The zone that holds here: $TZ or /etc/localtime; NULL is UTC. Looks each time if that has changed: what was returned
 * before is gone then.
 */
const TimeZone *clock_zone_local(void);
