/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Timestamps as people write them.
 */

#include <errno.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "time/timestamp.h"

#define NOW (UINT64_C(1700000000) * USEC_PER_SEC)        /* Tue 2023-11-14 22:13:20 UTC */

Test(timestamp, moments_that_are_read) {
        static const struct {
                const char *text;
                usec_t usec;
        } table[] = {
                { "now", NOW },
                { "@1700000000", NOW },
                { "@1.25", 1250000 },
                { "+5min", NOW + 300 * USEC_PER_SEC },
                { "-1h", NOW - USEC_PER_HOUR },
                { "2 days ago", NOW - 2 * USEC_PER_DAY },
                { "3s left", NOW + 3 * USEC_PER_SEC },
                { "2023-11-14 22:13:20 UTC", NOW },
                { "Tue 2023-11-14 22:13:20 UTC", NOW },
                { "tuesday 23-11-14 22:13:20 UTC", NOW },
                { "2023-11-14 23:13:20 CET", NOW },
                { "2023-11-14 23:13:20", NOW },
                { "2023-11-14 17:13:20 America/New_York", NOW },
                { "23:13:20.5", NOW + 500000 },
                { "23:13", NOW - 20 * USEC_PER_SEC },
                { "2023-11-14 UTC", UINT64_C(1699920000) * USEC_PER_SEC },
                { "today UTC", UINT64_C(1699920000) * USEC_PER_SEC },
                { "tomorrow UTC", UINT64_C(1700006400) * USEC_PER_SEC },
                { "yesterday", (UINT64_C(1699833600) - 3600) * USEC_PER_SEC },
                { "2030-03-31 02:30", UINT64_C(1901149200) * USEC_PER_SEC },       /* skipped: when clocks jump */
        };

        setenv("TZ", "Europe/Berlin", 1);
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                usec_t usec = 7;

                cr_assert(eq(int, timestamp_parse(table[i].text, NOW, &usec), 0), "%s", table[i].text);
                cr_assert(eq(u64, usec, table[i].usec), "%s", table[i].text);
        }
}

Test(timestamp, moments_that_are_refused) {
        static const char *const table[] = { "", "noon", "Wed 2023-11-14", "2023-11-31", "2023-13-01", "2023-11", "24:00",
                                             "12:60", "12:00:60", "12", "2023-11-14 x", "2023-11-14 12:00 Mars", "@",
                                             "@x", "@-5", "+x", "ago", "999999 years ago", "1969-12-31 UTC" };
        usec_t usec;

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                cr_assert(lt(int, timestamp_parse(table[i], NOW, &usec), 0), "%s", table[i]);
}

Test(timestamp, is_written) {
        char text[TIMESTAMP_FORMAT_MAX];

        assert_string(timestamp_format(NOW, NULL, text), "Tue 2023-11-14 22:13:20 UTC");
        assert_string(timestamp_format(0, NULL, text), "n/a");
        assert_string(timestamp_format(USEC_INFINITY, NULL, text), "n/a");
}

Test(timestamp, is_written_as_what_is_left) {
        static const struct {
                int64_t seconds;
                const char *text;
        } table[] = {
                { 0, "now" },           { 5, "5s left" },                 { -5, "5s ago" },
                { 65, "1min 5s left" }, { 305, "5min left" },             { 3700, "1h 1min left" },
                { 7 * 3600, "7h left" },                                  { 26 * 3600, "1 day 2h left" },
                { 3 * 86400, "3 days left" },                             { 8 * 86400, "1 week 1 day left" },
                { -40 * 86400, "1 month 9 days ago" },                    { -800 * 86400, "2 years 2 months ago" },
        };
        char text[TIMESTAMP_FORMAT_MAX];

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                assert_string(timestamp_format_relative(NOW + (usec_t) (table[i].seconds * (int64_t) USEC_PER_SEC), NOW,
                                                        text),
                              table[i].text);
}
