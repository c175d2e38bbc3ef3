/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Dates and times of day, as people write them
 *
 * In the proleptic Gregorian calendar, without a time zone (see
 * time/time_zone.h). Counted in seconds since 1970-01-01 00:00:00 of the same
 * place ("local seconds").
 */

#include <stdint.h>

#include "basic/usec.h"

#define SECONDS_PER_DAY 86400

typedef struct CivilTime {
        int32_t year;
        int32_t month;                  /* 1 to 12 */
        int32_t day;                    /* 1 to 31 */
        int32_t hour;
        int32_t minute;
        int32_t usec;                   /* of the minute */
} CivilTime;

/* Days since 1970-01-01; @month and @day must be in their ranges, but the day may be past the end of the month. */
int64_t civil_days(int32_t year, int32_t month, int32_t day);

int32_t civil_days_of_month(int32_t year, int32_t month);

/* 0 is Monday. */
int32_t civil_weekday(int32_t year, int32_t month, int32_t day);

CivilTime civil_from_seconds(int64_t seconds, int32_t usec);

/* Whole seconds; the fraction is @time->usec % USEC_PER_SEC. */
int64_t civil_to_seconds(const CivilTime *time);

/* "Mon" … "Sun", and "Monday" … */
const char *civil_weekday_name(int32_t weekday);
const char *civil_weekday_long_name(int32_t weekday);
