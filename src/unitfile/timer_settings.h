/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Timer] section as data
 */

#include <stdbool.h>

#include "basic/string_table.h"
#include "basic/usec.h"
#include "basic/vector.h"
#include "time/calendar.h"

typedef enum TimerBase {
        TIMER_ON_ACTIVE,                /* since the start of the timer */
        TIMER_ON_BOOT,                  /* since boot (in a container: since jobd's start) */
        TIMER_ON_STARTUP,               /* since jobd's start */
        TIMER_ON_UNIT_ACTIVE,           /* since the unit became active */
        TIMER_ON_UNIT_INACTIVE,         /* since the unit became inactive */
        TIMER_ON_CALENDAR,
        _TIMER_BASE_MAX,
} TimerBase;

DECLARE_STRING_TABLE(timer_base, TimerBase);             /* "OnActiveUSec", as on D-Bus */

typedef struct TimerValue {
        TimerBase base;
        usec_t span;                    /* after that time */
        Calendar *calendar;             /* owned; of TIMER_ON_CALENDAR only … */
        char *text;                     /* owned: … its normalized form */
} TimerValue;

typedef struct TimerSettings {
        VECTOR(TimerValue) values;      /* in the order of the file */
        char *unit;                     /* owned: the triggered unit */
        usec_t accuracy;
        usec_t randomized_delay;
        bool fixed_random_delay;
        bool on_clock_change;
        bool on_timezone_change;
        bool persistent;
        bool wake_system;               /* accepted, without effect */
        bool remain_after_elapse;
} TimerSettings;

int timer_settings_new(TimerSettings **ret_settings);    /* with the defaults: 0 or -ENOMEM */
TimerSettings *timer_settings_free(TimerSettings *settings);

void timer_settings_clear_values(TimerSettings *settings);
bool timer_settings_has_calendar(const TimerSettings *settings);
