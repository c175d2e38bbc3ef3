/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Spans of time, timestamps, calendar expressions and time zones
 *
 * An input says which of them follows, gives a time in eight bytes and a local zone, and then the text (or the bytes of a
 * file with a time zone). What was parsed is written and parsed again; an elapse of a calendar expression is later than
 * its base, is one of the times that the expression names, and none lies between the two; clocks of a zone show what it
 * was asked for.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "fuzz.h"
#include "time/calendar_private.h"
#include "time/civil.h"
#include "time/clock_zone.h"
#include "time/timestamp.h"

#define SECONDS_MAX INT64_C(253402300799)       /* the end of the year 9999 */
#define OFFSET_MAX (26 * 3600)

static void check_span(const char *text, usec_t unit) {
        char first[USEC_FORMAT_MAX], second[USEC_FORMAT_MAX];
        usec_t usec, again;
        int r = usec_parse(text, unit, &usec);

        fuzz_check(r == 0 || r == -EINVAL || r == -ERANGE);
        if (r < 0)
                return;
        usec_format(usec, first);
        fuzz_check(usec_parse(first, 1, &again) == 0);
        fuzz_check(again <= usec && (usec == USEC_INFINITY || usec - again < USEC_PER_HOUR));
        fuzz_check_string(first, usec_format(again, second));
        fuzz_check(usec_add(usec_sub(usec, again), again) == usec);
}

static void check_timestamp(const char *text, usec_t now) {
        char first[TIMESTAMP_FORMAT_MAX], second[TIMESTAMP_FORMAT_MAX];
        usec_t usec, again;
        int r = timestamp_parse(text, now, &usec);

        fuzz_check(r == 0 || r == -EINVAL || r == -ERANGE);
        if (r < 0)
                return;
        timestamp_format(usec, clock_zone_local(), first);
        fuzz_check(strlen(timestamp_format_relative(usec, now, second)) > 0);
        timestamp_format(usec, NULL, first);
        /* The first second is written as that of time 0, which is no time. */
        if (usec < USEC_PER_SEC || strcmp(first, "n/a") == 0 || (int64_t) (usec / USEC_PER_SEC) > SECONDS_MAX)
                return;
        fuzz_check(timestamp_parse(first, 0, &again) == 0);
        fuzz_check(again == usec - usec % USEC_PER_SEC);
        fuzz_check_string(first, timestamp_format(again, NULL, second));
}

/* — time zones — */

static void check_zone(const TimeZone *zone, int64_t utc) {
        TimeZoneOffset offset = time_zone_at(zone, utc), found;
        int64_t local = utc + offset.seconds, earliest, next;

        fuzz_check(offset.name && strlen(offset.name) < 256);
        fuzz_check(abs(offset.seconds) <= OFFSET_MAX);
        fuzz_check(time_zone_find(zone, local, -1, INT64_MIN / 2, &earliest, &next));
        fuzz_check(earliest <= utc);
        found = time_zone_at(zone, earliest);
        fuzz_check(earliest + found.seconds == local);
        fuzz_check(time_zone_find(zone, local, -1, utc, &earliest, &next) && earliest == utc);
        fuzz_check(time_zone_find(zone, local, offset.is_dst, utc, &earliest, &next) && earliest == utc);

        if (time_zone_find(zone, utc, -1, utc, &earliest, &next)) {
                fuzz_check(earliest >= utc && earliest + time_zone_at(zone, earliest).seconds == utc);
        } else if (next != INT64_MAX) {
                fuzz_check(next > utc);
                fuzz_check(time_zone_find(zone, next, -1, INT64_MIN / 2, &earliest, &next));
        }
}

static void check_zone_file(FuzzInput *input, int64_t utc) {
        cleanup_(time_zone_freep) TimeZone *zone = NULL;
        size_t n;
        cleanup_free_ char *copy = fuzz_rest(input, &n), *bytes = malloc(n > 0 ? n : 1);

        /* The copy has a byte more, which must not be read. */
        memcpy(bytes, copy, n);
        if (time_zone_new(bytes, n, &zone) < 0)
                return;
        (void) time_zone_name(zone, false);
        (void) time_zone_name(zone, true);
        check_zone(zone, utc);
}

static void check_zone_rule(const char *text, int64_t utc) {
        cleanup_(time_zone_freep) TimeZone *zone = NULL;
        int r = time_zone_new_rule(text, &zone);

        fuzz_check(r == 0 || r == -EINVAL);
        if (r == 0)
                check_zone(zone, utc);
}

/* — calendar expressions — */

static bool matches(const CalendarChain *chain, int32_t value) {
        for (size_t i = 0; i < chain->n; i++) {
                const CalendarPart *part = &chain->items[i];

                if (value == part->start)
                        return true;
                if (part->step > 0 && value > part->start && (part->stop < 0 || value <= part->stop) &&
                    (value - part->start) % part->step == 0)
                        return true;
        }
        return chain->n == 0;
}

/* Days count from the last of @n backwards; a range begins at its far end, and steps lead to the end of the month. */
static bool matches_from_end(const CalendarChain *chain, int32_t day, int32_t n) {
        for (size_t i = 0; i < chain->n; i++) {
                const CalendarPart *part = &chain->items[i];
                int32_t first = n + 1 - MAX(part->start, part->stop), last = part->stop >= 0 ? n + 1 - part->start : n;

                if (day == first || (part->step > 0 && day > first && day <= last && (day - first) % part->step == 0))
                        return true;
        }
        return chain->n == 0;
}

static bool is_meant(const Calendar *calendar, const CivilTime *time) {
        const CalendarChain *fields = calendar->fields;
        int32_t n = civil_days_of_month(time->year, time->month);

        return matches(&fields[CALENDAR_YEAR], time->year) && matches(&fields[CALENDAR_MONTH], time->month) &&
               (calendar->counts_back ? matches_from_end(&fields[CALENDAR_DAY], time->day, n) :
                                        matches(&fields[CALENDAR_DAY], time->day)) &&
               matches(&fields[CALENDAR_HOUR], time->hour) && matches(&fields[CALENDAR_MINUTE], time->minute) &&
               matches(&fields[CALENDAR_USEC], time->usec) &&
               (calendar->weekdays == 0 ||
                calendar->weekdays >> civil_weekday(time->year, time->month, time->day) & 1);
}

static void check_elapse(const Calendar *calendar, usec_t usec) {
        const TimeZone *zone = calendar->is_utc ? NULL : calendar->zone_name ? calendar->zone : clock_zone_local();
        int64_t seconds = (int64_t) (usec / USEC_PER_SEC);
        TimeZoneOffset offset = time_zone_at(zone, seconds);
        CivilTime time = civil_from_seconds(seconds + offset.seconds, (int32_t) (usec % USEC_PER_SEC));

        fuzz_check(is_meant(calendar, &time));
        fuzz_check(calendar->dst < 0 || calendar->dst == offset.is_dst);
}

/* @time with this value of one field, and the least of each field below it: if it is meant, it was passed over. */
static void check_candidate(const Calendar *calendar, CivilTime time, CalendarField field, int32_t value, usec_t base,
                            usec_t next) {
        int32_t *const fields[] = { &time.year, &time.month, &time.day, &time.hour, &time.minute, &time.usec };
        static const int32_t least[] = { CALENDAR_YEAR_MIN, 1, 1, 0, 0, 0 };
        int64_t seconds;
        usec_t usec;

        *fields[field] = value;
        for (CalendarField below = field + 1; below < _CALENDAR_FIELD_MAX; below++)
                *fields[below] = calendar->fields[below].n > 0 ? calendar->fields[below].items[0].start : least[below];
        if (time.day > civil_days_of_month(time.year, time.month))
                return;
        seconds = civil_to_seconds(&time);
        usec = (usec_t) seconds * USEC_PER_SEC + (usec_t) (time.usec % (int32_t) USEC_PER_SEC);
        if (seconds >= 0 && usec > base && usec < next)
                fuzz_check(!is_meant(calendar, &time));
}

/* Nothing that the expression names at its borders is between the base and the next elapse. In UTC. */
static void check_nothing_between(const Calendar *calendar, usec_t base, usec_t next) {
        CivilTime time = civil_from_seconds((int64_t) (base / USEC_PER_SEC), (int32_t) (base % USEC_PER_SEC));

        for (CalendarField field = 0; field < _CALENDAR_FIELD_MAX && !calendar->counts_back; field++)
                for (size_t i = 0; i < calendar->fields[field].n; i++) {
                        const CalendarPart *part = &calendar->fields[field].items[i];

                        check_candidate(calendar, time, field, part->start, base, next);
                        check_candidate(calendar, time, field, MAX(part->stop, part->start), base, next);
                }
}

static void check_next(const Calendar *calendar, const Calendar *again, usec_t base) {
        usec_t next, same, middle;
        int r = calendar_next(calendar, base, &next);

        fuzz_check(r == 0 || r == -ENOENT);
        fuzz_check(calendar_next(again, base, &same) == r);
        if (r < 0)
                return;
        fuzz_check(next > base && same == next);
        check_elapse(calendar, next);
        fuzz_check(calendar_next(calendar, next - 1, &same) == 0 && same == next);

        /* Where clocks are never set back, nothing elapses between the two. */
        middle = base + (next - base) / 2;
        if (calendar->is_utc)
                check_nothing_between(calendar, base, next);
        if (calendar->is_utc)
                fuzz_check(middle == next || (calendar_next(calendar, middle, &same) == 0 && same == next));
}

static void check_calendar(const char *text, usec_t base) {
        cleanup_(calendar_freep) Calendar *calendar = NULL, *again = NULL;
        cleanup_free_ char *first = NULL, *second = NULL;
        CalendarFault fault = {};
        int r = calendar_parse(text, &calendar, &fault);

        fuzz_check(r == 0 || r == -EINVAL);
        if (r < 0) {
                fuzz_check(fault.message && fault.at <= strlen(text));
                return;
        }
        fuzz_check(calendar_format(calendar, &first) == 0);
        fuzz_check(calendar_parse(first, &again, &fault) == 0);
        fuzz_check(calendar_format(again, &second) == 0);
        fuzz_check_string(first, second);
        check_next(calendar, again, base);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        static const char *const zones[] = { "UTC", "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", "America/St_Johns" };
        FuzzInput input = { bytes, bytes + n };
        unsigned kind = fuzz_choose(&input, 6);
        const char *zone = zones[fuzz_choose(&input, ELEMENTSOF(zones))], *present = getenv("TZ");
        usec_t usec = fuzz_number(&input, 8);
        int64_t seconds = (int64_t) (usec % ((uint64_t) SECONDS_MAX * 2)) - SECONDS_MAX;
        cleanup_free_ char *text = NULL;

        if (!present || strcmp(present, zone) != 0)
                setenv("TZ", zone, 1);
        if (kind == 5) {
                check_zone_file(&input, seconds);
                return 0;
        }
        text = fuzz_string(&input);
        if (kind == 0)
                check_span(text, usec & 1 ? 1 : USEC_PER_SEC);
        else if (kind == 1)
                check_timestamp(text, usec % ((uint64_t) SECONDS_MAX * USEC_PER_SEC));
        else if (kind == 2)
                check_zone_rule(text, seconds);
        else
                check_calendar(text, usec % (INT64_C(8000000000) * USEC_PER_SEC));
        return 0;
}
