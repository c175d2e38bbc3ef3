/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks and implied dependencies of timer units
 */

#include "unitfile/timer_settings.h"
#include "unitfile/trigger_value.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

static int check(UnitDraft *draft) {
        TimerSettings *timer = draft->section.own;
        int r = trigger_settle(draft, &timer->unit);

        if (r < 0 || draft->is_broken)
                return r;
        if (timer->values.n == 0 && !timer->on_clock_change && !timer->on_timezone_change)
                return unit_draft_refuse(draft, draft->state->sources.fragment, 0, "OnCalendar",
                                         "The timer has neither OnCalendar= nor another usable On…= and would "
                                         "never elapse.");
        return 0;
}

/* Calendar times require that the clock has been set. */
static int add_defaults(UnitDraft *draft) {
        static const ImpliedRelation of_calendar[] = {
                { UNIT_AFTER, "time-set.target" },      { UNIT_AFTER, "time-sync.target" },
        };
        int r = trigger_add_defaults(draft, "timers.target");

        if (r == 0 && !draft->loader->options.is_user && timer_settings_has_calendar(draft->section.own))
                r = unit_draft_add_defaults(draft, of_calendar, ELEMENTSOF(of_calendar));
        return r;
}

static int add_implied(UnitDraft *draft) {
        return trigger_add_implied(draft, ((const TimerSettings *) draft->section.own)->unit);
}

DEFINE_SETTINGS_NEW(TimerSettings, timer_settings)

const DraftType timer_draft_type = {
        .has_settings = true,
        .settings = {
                .make = make_timer_settings,
                .size = sizeof(TimerSettings),
                .release = release_timer_settings,
                .exec = SETTINGS_HAVE_NOT,
                .kill = SETTINGS_HAVE_NOT,
                .resources = SETTINGS_HAVE_NOT,
        },
        .check = check,
        .add_defaults = add_defaults,
        .add_implied = add_implied,
};
