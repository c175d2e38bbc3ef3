/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The yearly rule of a time zone, as in POSIX
 */

#include <stdbool.h>
#include <stdint.h>

#define TIME_ZONE_NAME_MAX 16

/* A day of the year and a time on it. */
typedef struct TimeZoneDay {
        char kind;                      /* 'M' month, week, weekday; 'J' day 1 to 365; '0' day 0 to 365 */
        int32_t month, week, day;       /* weekday: 0 is Sunday; J and 0: only @day */
        int32_t seconds;                /* after midnight; may be negative or days */
} TimeZoneDay;

typedef struct TimeZoneRule {
        int32_t offset[2];              /* east of Greenwich; standard and daylight saving time */
        char name[2][TIME_ZONE_NAME_MAX];       /* the second is "" without daylight saving time */
        TimeZoneDay change[2];          /* when each begins: [0] daylight saving time, [1] standard time */
} TimeZoneRule;

/* 0, or -EINVAL. */
int time_zone_rule_parse(const char *text, TimeZoneRule *ret_rule);

bool time_zone_rule_is_dst(const TimeZoneRule *rule, int64_t utc);
bool time_zone_rule_next_change(const TimeZoneRule *rule, int64_t after, int64_t *ret_change);
