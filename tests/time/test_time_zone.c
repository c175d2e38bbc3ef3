/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Time zones: the C library's answers for the same zones, and broken files.
 */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "double/double_assert.h"
#include "time/civil.h"
#include "time/clock_zone.h"

static const char *const zones[] = { "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
                                     "Europe/Dublin", "Pacific/Apia", "America/Sao_Paulo" };

Test(time_zone, offsets_are_those_of_the_c_library) {
        for (size_t i = 0; i < ELEMENTSOF(zones); i++) {
                cleanup_(time_zone_freep) TimeZone *zone = NULL;

                cr_assert(eq(int, clock_zone_load(zones[i], &zone), 0), "%s", zones[i]);
                setenv("TZ", zones[i], 1);
                tzset();
                for (int64_t at = 0; at < INT64_C(7258118400); at += 86400 * 3 + 3607) {
                        TimeZoneOffset offset = time_zone_at(zone, at);
                        time_t t = (time_t) at;
                        struct tm tm;

                        localtime_r(&t, &tm);
                        cr_assert(eq(i64, offset.seconds, tm.tm_gmtoff), "%s at %lld", zones[i], (long long) at);
                        cr_assert(eq(int, offset.is_dst, tm.tm_isdst));
                        cr_assert(eq(str, (char *) offset.name, (char *) tm.tm_zone));
                }
        }
}

Test(time_zone, local_times_come_back) {
        for (size_t i = 0; i < ELEMENTSOF(zones); i++) {
                cleanup_(time_zone_freep) TimeZone *zone = NULL;

                cr_assert(eq(int, clock_zone_load(zones[i], &zone), 0));
                for (int64_t at = 0; at < INT64_C(7258118400); at += 86400 * 2 + 1807) {
                        int64_t utc, local;

                        cr_assert(time_zone_find(zone, at + time_zone_at(zone, at).seconds, -1, at, &utc, &local));
                        cr_assert(eq(i64, utc, at), "%s", zones[i]);
                }
        }
}

Test(time_zone, an_hour_that_is_left_out_is_not_found) {
        cleanup_(time_zone_freep) TimeZone *zone = NULL;
        CivilTime time = { 2030, 3, 31, 2, 30, 0 };
        int64_t utc, local;

        cr_assert(eq(int, time_zone_new_rule("CET-1CEST,M3.5.0,M10.5.0/3", &zone), 0));
        cr_assert(not(time_zone_find(zone, civil_to_seconds(&time), -1, 0, &utc, &local)));
        cr_assert(eq(i64, local, civil_to_seconds(&time) + 1800));
}

Test(time_zone, an_hour_that_comes_twice_is_found_twice) {
        cleanup_(time_zone_freep) TimeZone *zone = NULL;
        CivilTime time = { 2030, 10, 27, 2, 30, 0 };
        int64_t first, second, local;

        cr_assert(eq(int, time_zone_new_rule("CET-1CEST,M3.5.0,M10.5.0/3", &zone), 0));
        cr_assert(time_zone_find(zone, civil_to_seconds(&time), -1, 0, &first, &local));
        cr_assert(eq(i64, first, civil_to_seconds(&time) - 7200));
        cr_assert(time_zone_find(zone, civil_to_seconds(&time), -1, first + 1, &second, &local));
        cr_assert(eq(i64, second, first + 3600));
        cr_assert(time_zone_find(zone, civil_to_seconds(&time), 0, 0, &second, &local));
        cr_assert(eq(i64, second, first + 3600));
}

/* Clocks show each time, whichever change comes first in a year, and wherever a year begins. */
Test(time_zone, local_times_of_odd_rules_come_back) {
        static const char *const rules[] = { "CET-0CEST,M5.5.4,M5.5.0/3", "CET-1CEST,J1/-167,J2/-167", "EST5EDT,0/0,J365/25",
                                             "CET-1CEST,J365/167,J364/167", "NFT-24NFST,M1.1.0,M12.5.0" };

        for (size_t i = 0; i < ELEMENTSOF(rules); i++) {
                cleanup_(time_zone_freep) TimeZone *zone = NULL;

                cr_assert(eq(int, time_zone_new_rule(rules[i], &zone), 0));
                for (int64_t at = 0; at < INT64_C(2000000000); at += 86400 / 2 + 1807) {
                        int64_t utc, local;

                        cr_assert(time_zone_find(zone, at + time_zone_at(zone, at).seconds, -1, at, &utc, &local));
                        cr_assert(eq(i64, utc, at), "%s", rules[i]);
                }
        }
}

Test(time_zone, daylight_saving_time_may_have_no_end) {
        cleanup_(time_zone_freep) TimeZone *zone = NULL;

        cr_assert(eq(int, time_zone_new_rule("EST5EDT,0/0,J365/25", &zone), 0));
        for (int64_t at = 0; at < INT64_C(2000000000); at += 86400 / 2 + 1807)
                cr_assert(time_zone_at(zone, at).is_dst);
}

Test(time_zone, rules_that_are_refused) {
        static const char *const table[] = { "", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M1.1.0",
                                             "CET-1CEST,M3.5.0,M10.5.0x", "<CET-1", "CET-999", "CET-25", "CET-1CEST-25,M3.5.0,M10.5.0",
                                             "CET-1CEST,J0,J1" };
        TimeZone *zone = NULL;

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                cr_assert(eq(int, time_zone_new_rule(table[i], &zone), -EINVAL), "%s", table[i]);
}

Test(time_zone, broken_files_do_no_harm) {
        unsigned char bytes[160] = { 'T', 'Z', 'i', 'f', '2' };
        uint32_t state = 7;

        for (int i = 0; i < 20000; i++) {
                TimeZone *zone = NULL;

                for (size_t at = 20; at < sizeof(bytes); at++) {
                        state = state * 1664525 + 1013904223;
                        bytes[at] = state >> 24 < 200 ? 0 : (unsigned char) (state >> 16 & 7);
                }
                if (i % 2 == 0)
                        memcpy(bytes + 44, "TZif2", 5);
                if (time_zone_new(bytes, state % sizeof(bytes), &zone) == 0)
                        (void) time_zone_at(zone, 0);
                time_zone_free(zone);
        }
}

Test(time_zone, names_that_are_no_zones) {
        static const char *const table[] = { "", "/etc/passwd", "../zoneinfo/UTC", "Europe", "Europe/", "Mars/Olympus",
                                             "zone.tab", "UTC/x", "a b" };
        TimeZone *zone = NULL;

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                cr_assert(lt(int, clock_zone_load(table[i], &zone), 0), "%s", table[i]);
}
