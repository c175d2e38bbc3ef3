/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A time zone: the offset of local time at any time
 *
 * Pure: made from the bytes of a file of the time zone database (TZif, RFC
 * 8536) or from a POSIX rule as in $TZ. time/clock_zone.h reads such files.
 * Times are seconds since 1970, in UTC or local.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"

typedef struct TimeZone TimeZone;

/* The offset at a time. */
typedef struct TimeZoneOffset {
        int32_t seconds;                /* east of Greenwich */
        bool is_dst;
        const char *name;               /* "CET"; lives as long as the zone */
} TimeZoneOffset;

/* 0, -EBADMSG if the bytes are no time zone, or -ENOMEM. */
int time_zone_new(const void *bytes, size_t n, TimeZone **ret_zone);

/* "CET-1CEST,M3.5.0,M10.5.0/3". 0, -EINVAL or -ENOMEM. */
int time_zone_new_rule(const char *rule, TimeZone **ret_zone);

TimeZone *time_zone_free(TimeZone *zone);
DEFINE_CLEANUP(TimeZone, time_zone_free)

/* A NULL zone is UTC, in all functions below. */
TimeZoneOffset time_zone_at(const TimeZone *zone, int64_t utc);

/* The latest abbreviation of standard (or daylight saving) time; NULL: none. */
const char *time_zone_name(const TimeZone *zone, bool is_dst);

/*
 * The first time not before @not_before (UTC) at which clocks show @local: true. If clocks skip @local, or have shown
 * it before: false, and *ret_local is the next later local time that they show. @dst >= 0: only standard (0) or
 * daylight saving time (1) counts; *ret_local is INT64_MAX if there is none any more.
 */
bool time_zone_find(const TimeZone *zone, int64_t local, int dst, int64_t not_before, int64_t *ret_utc,
                    int64_t *ret_local);
