/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Dates and times of day, as people write them
 *
 * Years are counted from March on, so that the leap day is the last day of a
 * year and one formula gives the lengths of the months before it; 400 years
 * are a period of 146,097 days.
 */

#include <assert.h>
#include <stdbool.h>

#include "time/civil.h"

#define DAYS_PER_PERIOD 146097
#define DAYS_TO_1970 719468             /* from 0000-03-01 */

static int64_t divide_down(int64_t a, int64_t b) {
        return a / b - (a % b < 0);
}

int64_t civil_days(int32_t year, int32_t month, int32_t day) {
        int64_t y = month <= 2 ? year - 1 : year, period = divide_down(y, 400);
        int64_t year_of_period = y - period * 400;
        int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

        return period * DAYS_PER_PERIOD + year_of_period * 365 + year_of_period / 4 - year_of_period / 100 +
               day_of_year - DAYS_TO_1970;
}

static bool is_leap(int32_t year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int32_t civil_days_of_month(int32_t year, int32_t month) {
        static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

        assert(month >= 1 && month <= 12);
        return days[month - 1] + (month == 2 && is_leap(year));
}

int32_t civil_weekday(int32_t year, int32_t month, int32_t day) {
        int64_t days = civil_days(year, month, day) + 3;        /* 1970-01-01 was a Thursday */

        return (int32_t) (days - divide_down(days, 7) * 7);
}

CivilTime civil_from_seconds(int64_t seconds, int32_t usec) {
        int64_t days = divide_down(seconds, SECONDS_PER_DAY), rest = seconds - days * SECONDS_PER_DAY;
        int64_t since = days + DAYS_TO_1970, period = divide_down(since, DAYS_PER_PERIOD);
        int64_t day = since - period * DAYS_PER_PERIOD;
        int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
        int64_t day_of_year = day - (365 * year + year / 4 - year / 100);
        int64_t month = (5 * day_of_year + 2) / 153;

        return (CivilTime) {
                .year = (int32_t) (year + period * 400 + (month >= 10)),
                .month = (int32_t) (month < 10 ? month + 3 : month - 9),
                .day = (int32_t) (day_of_year - (153 * month + 2) / 5 + 1),
                .hour = (int32_t) (rest / 3600),
                .minute = (int32_t) (rest / 60 % 60),
                .usec = (int32_t) (rest % 60 * (int64_t) USEC_PER_SEC) + usec,
        };
}

int64_t civil_to_seconds(const CivilTime *time) {
        return civil_days(time->year, time->month, time->day) * SECONDS_PER_DAY + time->hour * 3600 +
               time->minute * 60 + time->usec / (int32_t) USEC_PER_SEC;
}

const char *civil_weekday_long_name(int32_t weekday) {
        static const char *const names[] = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
                                             "Sunday" };

        assert(weekday >= 0 && weekday < 7);
        return names[weekday];
}

const char *civil_weekday_name(int32_t weekday) {
        static const char *const names[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };

        assert(weekday >= 0 && weekday < 7);
        return names[weekday];
}
