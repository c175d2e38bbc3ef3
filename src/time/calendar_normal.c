/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The normal form of calendar expressions
 *
 * Equivalent expressions are written alike: years with four digits, lists in
 * order and without repetitions, ranges that end with their last step.
 */

#include <assert.h>

#include "basic/text.h"
#include "time/calendar_private.h"

#define ALL_WEEKDAYS 0x7f

static const struct {
        int32_t least, most;
} limits[_CALENDAR_FIELD_MAX] = {
        [CALENDAR_YEAR] = { CALENDAR_YEAR_MIN, CALENDAR_YEAR_MAX },
        [CALENDAR_MONTH] = { 1, 12 },
        [CALENDAR_DAY] = { 1, 31 },
        [CALENDAR_HOUR] = { 0, 23 },
        [CALENDAR_MINUTE] = { 0, 59 },
        [CALENDAR_USEC] = { 0, 60 * (int32_t) USEC_PER_SEC - 1 },
};

static int32_t complete_year(int32_t year) {
        if (year >= 0 && year < 70)
                return year + 2000;
        return year >= 70 && year < 100 ? year + 1900 : year;
}

static int compare_numbers(int32_t a, int32_t b) {
        return (a > b) - (a < b);
}

static int compare_parts(const void *pa, const void *pb) {
        const CalendarPart *a = pa, *b = pb;
        int r = compare_numbers(a->start, b->start);

        if (r == 0)
                r = compare_numbers(a->stop, b->stop);
        return r != 0 ? r : compare_numbers(a->step, b->step);
}

static void normalize_part(CalendarPart *part) {
        if (part->stop > part->start && part->step > 0)
                part->stop -= (part->stop - part->start) % part->step;
        if (part->start == part->stop ||
            (part->stop > part->start && part->step > 0 && part->start + part->step > part->stop)) {
                part->step = 0;
                part->stop = -1;
        }
}

static void normalize_chain(CalendarChain *chain) {
        size_t kept = 0;

        for (size_t i = 0; i < chain->n; i++)
                normalize_part(&chain->items[i]);
        if (chain->n < 2)
                return;
        qsort(chain->items, chain->n, sizeof(*chain->items), compare_parts);
        for (size_t i = 1; i < chain->n; i++)
                if (compare_parts(&chain->items[kept], &chain->items[i]) != 0)
                        chain->items[++kept] = chain->items[i];
        chain->n = kept + 1;
}

static bool is_within(const CalendarPart *part, int32_t least, int32_t most, bool counts_back) {
        if (part->start < least || part->start > most || part->step > most - least)
                return false;
        if (part->stop >= 0)
                return part->stop >= least && part->stop <= most && part->start + part->step <= part->stop;
        return counts_back ? part->start - part->step >= least : part->start + part->step <= most;
}

/* Every month has this many days, so a day counted back from the end exists in each. */
#define DAYS_BACK_MAX 28

CalendarField calendar_normalize(Calendar *calendar) {
        CalendarChain *years = &calendar->fields[CALENDAR_YEAR];

        if (calendar->weekdays == ALL_WEEKDAYS)
                calendar->weekdays = 0;
        if (calendar->fields[CALENDAR_DAY].n == 0)
                calendar->counts_back = false;
        if (calendar->zone_name && text_equal(calendar->zone_name, "UTC"))
                calendar->is_utc = true;
        for (size_t i = 0; i < years->n; i++) {
                years->items[i].start = complete_year(years->items[i].start);
                years->items[i].stop = complete_year(years->items[i].stop);
        }
        for (CalendarField field = 0; field < _CALENDAR_FIELD_MAX; field++) {
                CalendarChain *chain = &calendar->fields[field];
                bool counts_back = field == CALENDAR_DAY && calendar->counts_back;

                normalize_chain(chain);
                for (size_t i = 0; i < chain->n; i++)
                        if (!is_within(&chain->items[i], limits[field].least,
                                       counts_back ? DAYS_BACK_MAX : limits[field].most, counts_back))
                                return field;
        }
        return _CALENDAR_FIELD_MAX;
}
