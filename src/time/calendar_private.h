/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What a calendar expression is read into
 */

#include "basic/vector.h"
#include "time/calendar.h"

/* From, to and by how much; -1: not said. */
typedef struct CalendarPart {
        int32_t start;
        int32_t stop;
        int32_t step;                   /* 0: only @start */
} CalendarPart;

typedef VECTOR(CalendarPart) CalendarChain;     /* empty: anything */

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
        int8_t dst;                     /* only in local standard (0) or daylight saving time (1); -1: both */
        CalendarChain fields[_CALENDAR_FIELD_MAX];
        char *zone_name;                /* owned; NULL: the local zone, or UTC */
        TimeZone *zone;                 /* owned; of that name */
};

/* calendar_normal.c: brings what was read into its normal form; what is then out of range names its field, or _MAX. */
CalendarField calendar_normalize(Calendar *calendar);
