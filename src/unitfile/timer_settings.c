/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The [Timer] section as data
 *
 * The defaults are systemd's.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "unitfile/timer_settings.h"

static const char *const timer_bases[_TIMER_BASE_MAX] = {
        [TIMER_ON_ACTIVE] = "OnActiveUSec",
        [TIMER_ON_BOOT] = "OnBootUSec",
        [TIMER_ON_STARTUP] = "OnStartupUSec",
        [TIMER_ON_UNIT_ACTIVE] = "OnUnitActiveUSec",
        [TIMER_ON_UNIT_INACTIVE] = "OnUnitInactiveUSec",
        [TIMER_ON_CALENDAR] = "OnCalendar",
};

DEFINE_STRING_TABLE(timer_base, TimerBase, timer_bases)

int timer_settings_new(TimerSettings **ret_settings) {
        TimerSettings *settings = calloc(1, sizeof(*settings));

        assert(ret_settings);

        if (!settings)
                return -ENOMEM;
        settings->accuracy = USEC_PER_MINUTE;
        settings->remain_after_elapse = true;
        *ret_settings = settings;
        return 0;
}

void timer_settings_clear_values(TimerSettings *settings) {
        for (size_t i = 0; i < settings->values.n; i++) {
                calendar_free(settings->values.items[i].calendar);
                free(settings->values.items[i].text);
        }
        vector_clear(&settings->values);
}

TimerSettings *timer_settings_free(TimerSettings *settings) {
        if (!settings)
                return NULL;
        timer_settings_clear_values(settings);
        vector_deinit(&settings->values);
        free(settings->unit);
        free(settings);
        return NULL;
}

bool timer_settings_has_calendar(const TimerSettings *settings) {
        for (size_t i = 0; i < settings->values.n; i++)
                if (settings->values.items[i].base == TIMER_ON_CALENDAR)
                        return true;
        return false;
}
