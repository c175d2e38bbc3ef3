/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Timestamps, as people write them (systemd.time(7), "Parsing timestamps")
 */

#include "basic/usec.h"
#include "time/time_zone.h"

#define TIMESTAMP_FORMAT_MAX 64

/*
 * "2030-12-24 18:30:15.5 Europe/Vienna", "Tue 30-12-24", "18:30", "today", "tomorrow UTC", "now", "+5min", "3 days
 * ago", "@1700000000": a time of CLOCK_REALTIME. Relative times count from @now; a date without a time is its midnight.
 * 0, -EINVAL, -ERANGE if the result is before 1970 or does not fit, or -ENOMEM.
 */
int timestamp_parse(const char *text, usec_t now, usec_t *ret_usec);

/* "Tue 2030-12-24 18:30:15 CET"; "n/a" for 0 and USEC_INFINITY. Returns @buffer. */
const char *timestamp_format(usec_t usec, const TimeZone *zone, char buffer[static TIMESTAMP_FORMAT_MAX]);

/* "5min 20s ago", "2 weeks 1 day left", "now". Returns @buffer. */
const char *timestamp_format_relative(usec_t usec, usec_t now, char buffer[static TIMESTAMP_FORMAT_MAX]);
