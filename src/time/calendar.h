/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Calendar expressions: "Mon..Fri *-*-* 08:00/15 Europe/Berlin"
 *
 * Grammar and meaning are those of systemd.time(7). A year has two digits or
 * four, from 1970 to 2199. A time in an hour that clocks skip does not
 * elapse. A time in an hour that occurs twice elapses the first time only
 * (the second time if calendar_next() is called for a base between the two).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "time/time_zone.h"

#define CALENDAR_YEAR_MIN 1970
#define CALENDAR_YEAR_MAX 2199

typedef struct Calendar Calendar;

/* An error in an expression, and its place. */
typedef struct CalendarFault {
        size_t at;                      /* bytes from the beginning */
        const char *message;            /* static: a sentence without its full stop */
} CalendarFault;

/* 0, -EINVAL with *ret_fault, or -ENOMEM. Abbreviations of zones ("CEST") are those of the local zone. */
int calendar_parse(const char *text, Calendar **ret_calendar, CalendarFault *ret_fault);

Calendar *calendar_free(Calendar *calendar);
DEFINE_CLEANUP(Calendar, calendar_free)

/* The normalized form. 0 or -ENOMEM. */
int calendar_format(const Calendar *calendar, char **ret_text);

/* The first elapse after @base (CLOCK_REALTIME): 0, or -ENOENT if there is none. */
int calendar_next(const Calendar *calendar, usec_t base, usec_t *ret_next);
