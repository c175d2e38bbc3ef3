/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Spans of time: the tables of systemd.time(7), and the edges.
 */

#include <errno.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "double/double_assert.h"

Test(usec, sums_and_differences_stop_at_the_ends) {
        cr_assert(eq(u64, usec_add(1, 2), 3));
        cr_assert(eq(u64, usec_add(USEC_INFINITY, 1), USEC_INFINITY));
        cr_assert(eq(u64, usec_add(USEC_INFINITY - 1, 5), USEC_INFINITY));
        cr_assert(eq(u64, usec_sub(5, 3), 2));
        cr_assert(eq(u64, usec_sub(3, 5), 0));
        cr_assert(eq(u64, usec_sub(USEC_INFINITY, 5), USEC_INFINITY));
}

Test(usec, spans_that_are_read) {
        static const struct {
                const char *text;
                usec_t usec;
        } table[] = {
                { "0", 0 },
                { "5", 5 * USEC_PER_SEC },
                { "  5  ", 5 * USEC_PER_SEC },
                { "5s", 5 * USEC_PER_SEC },
                { "5 s", 5 * USEC_PER_SEC },
                { "5min 20s", 320 * USEC_PER_SEC },
                { "5min20s", 320 * USEC_PER_SEC },
                { "1 5", 6 * USEC_PER_SEC },
                { "1.5h", 90 * USEC_PER_MINUTE },
                { ".7", 700 * USEC_PER_MSEC },
                { "0.1s", 100 * USEC_PER_MSEC },
                { "0.000001s", 1 },
                { "0.0000001s", 0 },
                { "2h", 2 * USEC_PER_HOUR },
                { "2hours", 2 * USEC_PER_HOUR },
                { "48hr", 48 * USEC_PER_HOUR },
                { "1y 12month", 2 * 31557600 * USEC_PER_SEC },
                { "0.5y", 15778800 * USEC_PER_SEC },
                { "55s500ms", 55500 * USEC_PER_MSEC },
                { "300ms20s 5day", 5 * USEC_PER_DAY + 20300 * USEC_PER_MSEC },
                { "1m", USEC_PER_MINUTE },
                { "1M", 2629800 * USEC_PER_SEC },
                { "3w", 21 * USEC_PER_DAY },
                { "23us", 23 },
                { "23\302\265s", 23 },
                { "23\316\274s", 23 },
                { "0.0000000000000000000000001y", 0 },
                { "infinity", USEC_INFINITY },
                { " infinity ", USEC_INFINITY },
                { "18446744073709551614us", USEC_INFINITY - 1 },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                usec_t usec = 77;

                cr_assert(eq(int, usec_parse(table[i].text, USEC_PER_SEC, &usec), 0), "%s", table[i].text);
                cr_assert(eq(u64, usec, table[i].usec), "%s", table[i].text);
        }
}

Test(usec, default_unit_counts_for_a_bare_number) {
        usec_t usec;

        cr_assert(eq(int, usec_parse("7", USEC_PER_MINUTE, &usec), 0));
        cr_assert(eq(u64, usec, 7 * USEC_PER_MINUTE));
        cr_assert(eq(int, usec_parse("7s", USEC_PER_MINUTE, &usec), 0));
        cr_assert(eq(u64, usec, 7 * USEC_PER_SEC));
}

Test(usec, spans_that_are_refused) {
        static const struct {
                const char *text;
                int error;
        } table[] = {
                { "", -EINVAL },
                { " ", -EINVAL },
                { "s", -EINVAL },
                { "5 parsecs", -EINVAL },
                { "5S", -EINVAL },
                { "3.s", -EINVAL },
                { "3.+1s", -EINVAL },
                { "3. 1s", -EINVAL },
                { ".", -EINVAL },
                { "1.2.3", -EINVAL },           /* as for systemd, which takes "1s.5" */
                { "+5", -EINVAL },
                { "infinity 5", -EINVAL },
                { "5 infinity", -EINVAL },
                { "-5", -ERANGE },
                { "5s -5s", -ERANGE },
                { "18446744073709551615us", -ERANGE },
                { "18446744073709551616us", -ERANGE },
                { "600000y", -ERANGE },
                { "99999999999999999999", -ERANGE },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                usec_t usec = 77;

                cr_assert(eq(int, usec_parse(table[i].text, USEC_PER_SEC, &usec), table[i].error), "%s", table[i].text);
                if (table[i].error < 0)
                        cr_assert(eq(u64, usec, 77));
        }
}

Test(usec, spans_that_are_printed) {
        static const struct {
                usec_t usec;
                const char *text;
        } table[] = {
                { 0, "0" },
                { 1, "1us" },
                { 999, "999us" },
                { 1000, "1ms" },
                { 250 * USEC_PER_MSEC, "250ms" },
                { 1500 * USEC_PER_MSEC, "1s 500ms" },
                { 65 * USEC_PER_SEC, "1min 5s" },
                { USEC_PER_HOUR + 5 * USEC_PER_SEC, "1h" },
                { 25 * USEC_PER_HOUR, "1d 1h" },
                { 400 * USEC_PER_DAY, "400d" },
                { USEC_INFINITY, "infinity" },
                { USEC_INFINITY - 1, "213503982d 8h" },
        };
        char buffer[USEC_FORMAT_MAX];

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                assert_string(usec_format(table[i].usec, buffer), table[i].text);
}
