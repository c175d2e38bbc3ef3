/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A time zone: what clocks show at a place
 *
 * Pure: made of the bytes of a file of the time zone database (TZif, RFC 8536)
 * or of a rule as POSIX has it for $TZ. Reading such files is
 * time/clock_zone.h. Times are seconds since 1970, in UTC or local.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"

typedef struct TimeZone TimeZone;

/* What holds at a moment. */
typedef struct TimeZoneOffset {
        int32_t seconds;                /* east of Greenwich */
        bool is_dst;
        const char *name;               /* "CET"; lives as long as the zone */
} TimeZoneOffset;

/* -EBADMSG if that is no time zone, -ENOMEM. */
int time_zone_new(const void *bytes, size_t n, TimeZone **ret_zone);

/* "CET-1CEST,M3.5.0,M10.5.0/3": -EINVAL if it is none. */
int time_zone_new_rule(const char *rule, TimeZone **ret_zone);

TimeZone *time_zone_free(TimeZone *zone);
DEFINE_CLEANUP(TimeZone, time_zone_free)

/* A NULL zone is UTC, here and below. */
TimeZoneOffset time_zone_at(const TimeZone *zone, int64_t utc);

/* The abbreviation of standard (or daylight saving) time that was last used, or NULL: there is none. */
const char *time_zone_name(const TimeZone *zone, bool is_dst);

/*
 * The first moment not before @not_before (UTC) at which clocks show @local: true. If clocks leave it out, or have shown
 * it before that: false, and *ret_local is the later local time with which they next begin anew. @dst >= 0: only moments
 * of standard (0) or daylight saving time (1) count; *ret_local is INT64_MAX if there are none any more.
 */
bool time_zone_find(const TimeZone *zone, int64_t local, int dst, int64_t not_before, int64_t *ret_utc,
                    int64_t *ret_local);
