/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The next elapse of a calendar expression
 *
 * The search runs over local time, from the year down to the second, like an
 * odometer: a field without a further value advances the one above it. Only
 * the result is converted with the time zone; if clocks skip it, the search
 * continues with the next time that they show.
 */

#include <assert.h>
#include <errno.h>

#include "time/calendar_private.h"
#include "time/civil.h"
#include "time/clock_zone.h"

#define NONE INT32_MAX

static int32_t take_least(int32_t best, int32_t start, int32_t stop, int32_t step, int32_t from) {
        int32_t value = start;

        if (start < from) {
                if (step == 0)
                        return best;
                value = start + (from - start + step - 1) / step * step;
                if (stop >= 0 && value > stop)
                        return best;
        }
        return MIN(best, value);
}

/* The least value of the chain that is not below @from, or NONE. */
static int32_t find_value(const CalendarChain *chain, int32_t from) {
        int32_t best = NONE;

        if (chain->n == 0)
                return from;
        for (size_t i = 0; i < chain->n; i++)
                best = take_least(best, chain->items[i].start, chain->items[i].stop, chain->items[i].step, from);
        return best;
}

/* The same for days counted from the end of a month of @length days: ~01 is the last day. */
static int32_t find_day_from_end(const CalendarChain *chain, int32_t from, int32_t length) {
        int32_t best = NONE;

        for (size_t i = 0; i < chain->n; i++) {
                const CalendarPart *part = &chain->items[i];
                int32_t day = length + 1 - part->start;

                /* A range counts on from its far end: "~3..7" begins with the seventh last day. */
                if (part->stop >= 0)
                        best = take_least(best, length + 1 - part->stop, day, part->step, from);
                else
                        best = take_least(best, day, -1, part->step, from);
        }
        return best;
}

/* The next day of the month from @time on, or NONE. */
static int32_t find_day(const Calendar *calendar, const CivilTime *time) {
        const CalendarChain *chain = &calendar->fields[CALENDAR_DAY];
        int32_t length = civil_days_of_month(time->year, time->month), day = time->day;

        for (; day <= length; day++) {
                day = calendar->counts_back ? find_day_from_end(chain, day, length) : find_value(chain, day);
                if (day > length)
                        return NONE;
                if (calendar->weekdays == 0 ||
                    calendar->weekdays >> civil_weekday(time->year, time->month, day) & 1)
                        return day;
        }
        return NONE;
}

/* The field of @time; all fields below it are set to their minimum. */
static int32_t *field_of(CivilTime *time, CalendarField field) {
        int32_t *const fields[] = { &time->year, &time->month, &time->day, &time->hour, &time->minute, &time->usec };

        return fields[field];
}

static void set_from(CivilTime *time, CalendarField field, int32_t value) {
        static const int32_t least[] = { CALENDAR_YEAR_MIN, 1, 1, 0, 0, 0 };

        *field_of(time, field) = value;
        for (CalendarField below = field + 1; below < _CALENDAR_FIELD_MAX; below++)
                *field_of(time, below) = least[below];
}

static bool is_past(const CivilTime *time, CalendarField field, int32_t value) {
        static const int32_t most[] = { CALENDAR_YEAR_MAX, 12, 31, 23, 59, 60 * (int32_t) USEC_PER_SEC - 1 };

        return value == NONE || value > most[field];
}

/* Advances @time to the first match that is not before it: 0, or -ENOENT. */
static int find_match(const Calendar *calendar, CivilTime *time) {
        CalendarField field = CALENDAR_YEAR;

        while (field < _CALENDAR_FIELD_MAX) {
                int32_t *slot = field_of(time, field), value;

                value = field == CALENDAR_DAY ? find_day(calendar, time) : find_value(&calendar->fields[field], *slot);
                if (!is_past(time, field, value)) {
                        if (value != *slot)
                                set_from(time, field, value);
                        field++;
                        continue;
                }
                if (field == CALENDAR_YEAR)
                        return -ENOENT;
                field--;
                set_from(time, field, *field_of(time, field) + 1);
        }
        return 0;
}

/* The time zone of the expression. */
static const TimeZone *zone_of(const Calendar *calendar) {
        if (calendar->is_utc)
                return NULL;
        return calendar->zone_name ? calendar->zone : clock_zone_local();
}

int calendar_next(const Calendar *calendar, usec_t base, usec_t *ret_next) {
        const TimeZone *zone = zone_of(calendar);
        int64_t after, utc, local;
        CivilTime time;

        assert(ret_next);

        if (base >= (usec_t) INT64_MAX / 2)
                return -ENOENT;
        base++;
        after = (int64_t) (base / USEC_PER_SEC);
        time = civil_from_seconds(after + time_zone_at(zone, after).seconds, (int32_t) (base % USEC_PER_SEC));
        for (;;) {
                int r = find_match(calendar, &time);

                if (r < 0)
                        return r;
                if (time_zone_find(zone, civil_to_seconds(&time), calendar->dst, after, &utc, &local))
                        break;
                if (local == INT64_MAX)
                        return -ENOENT;
                time = civil_from_seconds(local, 0);
        }
        *ret_next = (usec_t) utc * USEC_PER_SEC + (usec_t) time.usec % USEC_PER_SEC;
        return 0;
}
