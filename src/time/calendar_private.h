/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The parsed form of a calendar expression
 */

#include "basic/vector.h"
#include "time/calendar.h"

/* Start, end and step; -1: none. */
typedef struct CalendarPart {
        int32_t start;
        int32_t stop;
        int32_t step;                   /* 0: @start alone */
} CalendarPart;

typedef VECTOR(CalendarPart) CalendarChain;     /* empty: any value */

typedef enum CalendarField {
        CALENDAR_YEAR,
        CALENDAR_MONTH,
        CALENDAR_DAY,
        CALENDAR_HOUR,
        CALENDAR_MINUTE,
        CALENDAR_USEC,                  /* of the minute */
        _CALENDAR_FIELD_MAX,
} CalendarField;

struct Calendar {
        uint8_t weekdays;               /* bit 0: Monday; 0: any */
        bool is_utc;
        bool counts_back;               /* the day is counted from the end of the month */
        int8_t dst;                     /* only local standard (0) or daylight saving time (1); -1: both */
        CalendarChain fields[_CALENDAR_FIELD_MAX];
        char *zone_name;                /* owned; NULL: the local zone, or UTC */
        TimeZone *zone;                 /* owned; the zone of that name */
};

/* calendar_normal.c: normalizes the fields; returns the field that is out of range, or _MAX. */
CalendarField calendar_normalize(Calendar *calendar);
