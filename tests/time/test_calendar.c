/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Calendar expressions: the messages for bad ones, and that none does harm. test_calendar_table.c has the meaning of
 * good ones.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "time/calendar.h"

Test(calendar, says_what_is_wrong_and_where) {
        static const struct {
                const char *text;
                size_t at;
                const char *message;
        } table[] = {
                { "", 0, "the expression is empty" },
                { " UTC", 0, "the expression is empty" },
                { "Mon;Tue", 3, "this is no part of a weekday" },
                { "Mon..", 5, "the range of weekdays has no end" },
                { "Fri..Mon", 5, "the range of weekdays ends before it begins" },
                { "Mon..Tue..Wed", 8, "a range of weekdays has two weekdays, as in Mon..Fri" },
                { "Mon,Foo", 4, "a weekday is expected here" },
                { "Mon Tue", 4, "a number is expected here" },
                { "12", 2, "':' is expected here, as in 18:30" },
                { "12:", 3, "a number is missing at the end" },
                { "12:3o", 4, "this is no part of a number, range, step or list" },
                { "*:0/0", 4, "a step has to be more than 0" },
                { "*-*-* 0:0:0..0.5", 10, "a range of less than a second needs a step, as in 0..0.5/0.1" },
                { "99999999999-1-1", 0, "the number is too large" },
                { "2024 10", 4, "this is neither a date (2030-12-24) nor a time (18:30)" },
                { "1-2-3-4", 5, "the date has to end here" },
                { "@1x", 2, "nothing but seconds since 1970 is expected after '@'" },
                { "@", 1, "seconds since 1970 are expected after '@'" },
                { "12:00 Mars/Olympus", 5, "':' or the end is expected here, as in 18:30:00" },
                { "12:00:00 Mars/Olympus", 8, "the end of the expression or a known time zone is expected here" },
                { "2200-1-1", 0, "the year is not in 1970 to 2199, or its range or step matches nothing" },
                { "*-13-1", 2, "the month is out of its range, 1 to 12, or its range or step matches nothing" },
                { "Mon *-*-* 24:00", 10, "the hour is out of its range, 0 to 23, or its range or step matches nothing" },
                { "2030-12-24 10:61:00", 14, "the minute is out of its range, 0 to 59, or its range or step matches nothing" },
                { "10:00:00,61 UTC", 6, "the second is out of its range, 0 to 59, or its range or step matches nothing" },
                { "Tue *-*~31", 8, "the day is out of its range, 1 to 31 (1 to 28 from the end), or its range or step matches nothing" },
                { "24:00", 0, "the hour is out of its range, 0 to 23, or its range or step matches nothing" },
        };

        setenv("TZ", "UTC", 1);
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                Calendar *calendar = NULL;
                CalendarFault fault = { 99, NULL };

                cr_assert(eq(int, calendar_parse(table[i].text, &calendar, &fault), -EINVAL), "%s", table[i].text);
                cr_assert(eq(sz, fault.at, table[i].at), "%s", table[i].text);
                cr_assert(eq(str, (char *) fault.message, (char *) table[i].message), "%s", table[i].text);
        }
}

Test(calendar, elapses_to_the_microsecond) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        CalendarFault fault;
        usec_t at = 0;

        setenv("TZ", "UTC", 1);
        cr_assert(eq(int, calendar_parse("0:0:1.5/2.25", &calendar, &fault), 0));
        cr_assert(eq(int, calendar_next(calendar, at, &at), 0));
        cr_assert(eq(u64, at, 1500000));
        cr_assert(eq(int, calendar_next(calendar, at, &at), 0));
        cr_assert(eq(u64, at, 3750000));
        cr_assert(eq(int, calendar_next(calendar, at - 1, &at), 0));
        cr_assert(eq(u64, at, 3750000));
}

Test(calendar, asks_no_more_after_the_last_year) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        CalendarFault fault;
        usec_t at;

        cr_assert(eq(int, calendar_parse("minutely UTC", &calendar, &fault), 0));
        cr_assert(eq(int, calendar_next(calendar, UINT64_C(7258118399) * USEC_PER_SEC, &at), -ENOENT));
        cr_assert(eq(int, calendar_next(calendar, USEC_INFINITY - 1, &at), -ENOENT));
        cr_assert(eq(int, calendar_next(calendar, USEC_INFINITY, &at), -ENOENT));
}

static uint32_t next_random(uint32_t *state) {
        *state = *state * 1664525 + 1013904223;
        return *state >> 8;
}

/* An expression made of pieces of the grammar, and now and then of any byte. */
static void make_text(uint32_t *state, char text[static 64]) {
        static const char *const pieces[] = {
                "Mon", "Tue..Fri", "Sun", ",", "..", ".", "-", "~", ":", "/", "*", " ", "0", "1", "28", "31", "59",
                "60", "2024", "99", "@", "0.5", "daily", " UTC", " Europe/Berlin", " CET", "999999999999", "-1", "1/2",
        };
        size_t n = next_random(state) % 12, length = 0;

        text[0] = '\0';
        for (size_t i = 0; i < n; i++) {
                const char *piece = pieces[next_random(state) % ELEMENTSOF(pieces)];

                if (length + strlen(piece) >= 60)
                        return;
                strcpy(text + length, piece);
                length += strlen(piece);
                if (next_random(state) % 40 == 0) {
                        text[length++] = (char) (1 + next_random(state) % 255);
                        text[length] = '\0';
                }
        }
}

/* A parsed expression survives formatting and parsing; it elapses after the base. */
static void check_text(const char *text) {
        cleanup_(calendar_freep) Calendar *calendar = NULL, *again = NULL;
        cleanup_free_ char *normal = NULL, *normal_again = NULL;
        usec_t at = UINT64_C(1711846800) * USEC_PER_SEC, next = at;
        CalendarFault fault = {};
        int r = calendar_parse(text, &calendar, &fault);

        if (r < 0) {
                cr_assert(eq(int, r, -EINVAL));
                assert_not_null(fault.message);
                cr_assert(le(sz, fault.at, strlen(text)), "%s", text);
                return;
        }
        cr_assert(eq(int, calendar_format(calendar, &normal), 0));
        cr_assert(eq(int, calendar_parse(normal, &again, &fault), 0), "'%s' is written '%s'", text, normal);
        cr_assert(eq(int, calendar_format(again, &normal_again), 0));
        cr_assert(eq(str, normal, normal_again), "%s", text);
        for (int i = 0; i < 3 && calendar_next(calendar, at, &next) == 0; i++) {
                cr_assert(lt(u64, at, next), "%s", text);
                at = next;
        }
}

Test(calendar, random_text_does_no_harm) {
        uint32_t state = 4711;
        char text[64];

        setenv("TZ", "Europe/Berlin", 1);
        for (int i = 0; i < 20000; i++) {
                make_text(&state, text);
                check_text(text);
        }
}

/* An abbreviation names one half of the year; the seconds name a time in the other. */
Test(calendar, seconds_since_1970_have_no_zone) {
        cleanup_(calendar_freep) Calendar *calendar = NULL;
        cleanup_free_ char *normal = NULL;
        CalendarFault fault = {};
        usec_t next;

        setenv("TZ", "Europe/Berlin", 1);
        cr_assert(eq(int, calendar_parse("@10 CEST", &calendar, &fault), 0));
        cr_assert(eq(int, calendar_format(calendar, &normal), 0));
        cr_assert(eq(str, normal, (char *) "1970-01-01 00:00:10 UTC"));
        cr_assert(eq(int, calendar_next(calendar, 0, &next), 0));
        cr_assert(eq(u64, next, 10 * USEC_PER_SEC));
}
