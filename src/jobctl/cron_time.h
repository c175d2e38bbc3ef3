/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Times of cron: "30 4 1,15 * Fri", "@daily"
 *
 * Grammar and meaning are those of Vixie cron, crontab(5). A time is written
 * as calendar expressions of timers.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/text.h"

typedef enum CronField {
        CRON_MINUTE,
        CRON_HOUR,
        CRON_DAY,
        CRON_MONTH,
        CRON_WEEKDAY,
        _CRON_FIELD_MAX,
} CronField;

typedef struct CronTime {
        uint64_t sets[_CRON_FIELD_MAX]; /* bit n: the number n; Sunday is 0 */
        bool is_star[_CRON_FIELD_MAX]; /* begins with "*", which decides how the two kinds of days join */
        bool is_reboot; /* "@reboot"; nothing else counts then */
} CronTime;

/*
 * Reads the time that @text begins with, and finds what is behind it. 0; -EINVAL with *ret_problem (owned): a sentence
 * without its full stop; or -ENOMEM.
 */
int cron_time_parse(const char *text, CronTime *ret_time, const char **ret_rest, char **ret_problem);

/* Adds a line "OnCalendar=…", or two of which one has to hold; @zone may be NULL. Not for @reboot. */
void cron_time_write(const CronTime *time, const char *zone, Text *text);
