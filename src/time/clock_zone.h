/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The time zones of this machine: where their files are
 */

#include "time/time_zone.h"

/* "Europe/Berlin": 0, -ENOENT if there is no such zone, -EBADMSG, -ENOMEM or an error of reading. */
int clock_zone_load(const char *name, TimeZone **ret_zone);

/*
 * The local zone: $TZ or /etc/localtime; NULL is UTC. Checks each time whether it has changed, which frees the zone
 * returned before.
 */
const TimeZone *clock_zone_local(void);
