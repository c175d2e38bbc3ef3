/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Calendar expressions as text
 */

#include <assert.h>

#include "basic/text.h"
#include "time/calendar_private.h"
#include "time/civil.h"
#include "time/clock_zone.h"

static void add_number(Text *text, int width, int32_t value, bool is_usec) {
        int32_t second = (int32_t) USEC_PER_SEC;

        if (!is_usec) {
                text_addf(text, "%0*d", width, value);
                return;
        }
        text_addf(text, "%0*d", width, value / second);
        if (value % second > 0)
                text_addf(text, ".%06d", value % second);
}

static void add_chain(Text *text, int width, const CalendarChain *chain, bool is_usec) {
        int32_t unit = is_usec ? (int32_t) USEC_PER_SEC : 1;

        if (chain->n == 0) {
                text_add_char(text, '*');
                return;
        }
        for (size_t i = 0; i < chain->n; i++) {
                const CalendarPart *part = &chain->items[i];

                if (i > 0)
                        text_add_char(text, ',');
                if (is_usec && chain->n == 1 && part->start == 0 && part->stop < 0 && part->step == unit) {
                        text_add_char(text, '*');
                        continue;
                }
                add_number(text, width, part->start, is_usec);
                if (part->stop > 0) {
                        text_add(text, "..");
                        add_number(text, width, part->stop, is_usec);
                }
                if (part->step > 0 && !(part->stop > 0 && part->step == unit)) {
                        text_add_char(text, '/');
                        add_number(text, 1, part->step, is_usec);
                }
        }
}

/* "Mon..Wed,Fri": two weekdays in a row are a list, three or more a range. */
static void add_weekdays(Text *text, uint8_t weekdays) {
        bool is_first = true;

        for (int32_t day = 0; day < 7; day++) {
                int32_t last = day;

                if (!(weekdays >> day & 1))
                        continue;
                while (last < 6 && weekdays >> (last + 1) & 1)
                        last++;
                text_add(text, is_first ? "" : ",");
                text_add(text, civil_weekday_name(day));
                if (last > day) {
                        text_add(text, last > day + 1 ? ".." : ",");
                        text_add(text, civil_weekday_name(last));
                }
                is_first = false;
                day = last;
        }
        text_add_char(text, ' ');
}

int calendar_format(const Calendar *calendar, char **ret_text) {
        const CalendarChain *fields = calendar->fields;
        Text text = {};

        assert(ret_text);

        if (calendar->weekdays)
                add_weekdays(&text, calendar->weekdays);
        add_chain(&text, 4, &fields[CALENDAR_YEAR], false);
        text_add_char(&text, '-');
        add_chain(&text, 2, &fields[CALENDAR_MONTH], false);
        text_add_char(&text, calendar->counts_back ? '~' : '-');
        add_chain(&text, 2, &fields[CALENDAR_DAY], false);
        text_add_char(&text, ' ');
        add_chain(&text, 2, &fields[CALENDAR_HOUR], false);
        text_add_char(&text, ':');
        add_chain(&text, 2, &fields[CALENDAR_MINUTE], false);
        text_add_char(&text, ':');
        add_chain(&text, 2, &fields[CALENDAR_USEC], true);
        if (calendar->is_utc)
                text_add(&text, " UTC");
        else if (calendar->zone_name)
                text_addf(&text, " %s", calendar->zone_name);
        else if (calendar->dst >= 0 && time_zone_name(clock_zone_local(), calendar->dst))
                text_addf(&text, " %s", time_zone_name(clock_zone_local(), calendar->dst));
        return text_finish(&text, ret_text);
}
