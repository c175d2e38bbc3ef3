/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Dates: compared day by day with a simple count.
 */

#include "double/double_assert.h"
#include "time/civil.h"

Test(civil, counts_every_day_from_1600_to_2400) {
        int64_t days = civil_days(1600, 1, 1);
        int32_t weekday = civil_weekday(1600, 1, 1);

        cr_assert(eq(i64, civil_days(1970, 1, 1), 0));
        cr_assert(eq(i32, civil_weekday(1970, 1, 1), 3));
        for (int32_t year = 1600; year <= 2400; year++)
                for (int32_t month = 1; month <= 12; month++)
                        for (int32_t day = 1; day <= civil_days_of_month(year, month); day++) {
                                CivilTime time = civil_from_seconds(days * SECONDS_PER_DAY + 86399, 7);

                                cr_assert(eq(i64, civil_days(year, month, day), days));
                                cr_assert(eq(i32, civil_weekday(year, month, day), weekday));
                                cr_assert(time.year == year && time.month == month && time.day == day);
                                cr_assert(time.hour == 23 && time.minute == 59 && time.usec == 59000007);
                                cr_assert(eq(i64, civil_to_seconds(&time), days * SECONDS_PER_DAY + 86399));
                                days++;
                                weekday = (weekday + 1) % 7;
                        }
}

Test(civil, knows_leap_years) {
        cr_assert(eq(i32, civil_days_of_month(2024, 2), 29));
        cr_assert(eq(i32, civil_days_of_month(2023, 2), 28));
        cr_assert(eq(i32, civil_days_of_month(2000, 2), 29));
        cr_assert(eq(i32, civil_days_of_month(2100, 2), 28));
}
