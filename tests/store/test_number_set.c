/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of numbers, beside a plain array of flags
 */

#include <stdlib.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "store/number_set.h"

#define NUMBERS 20000U

static size_t count_pages(const NumberSet *set) {
        size_t n = 0;

        for (size_t i = 0; i < set->n_pages; i++)
                n += set->pages[i] != NULL;
        return n;
}

Test(number_set, is_as_flags_are) {
        cleanup_(number_set_deinit) NumberSet set = {};
        static bool flags[NUMBERS];

        srand(1);
        for (unsigned i = 0; i < 200000; i++) {
                uint32_t number = (uint32_t) rand() % NUMBERS;

                if (rand() % 2 == 0) {
                        cr_assert(eq(int, number_set_add(&set, number), !flags[number]));
                        flags[number] = true;
                } else {
                        number_set_remove(&set, number);
                        flags[number] = false;
                }
        }
        for (uint32_t number = 0, next = 0, n = 0; number < NUMBERS; number++) {
                cr_assert(eq(int, number_set_has(&set, number), flags[number]));
                n += flags[number];
                if (flags[number])
                        cr_assert(number_set_next(&set, next, &next) && next++ == number);
                cr_assert(number < NUMBERS - 1 || set.n == n);
        }
        for (uint32_t number = 0; number < NUMBERS; number++)
                cr_assert(eq(int, number_set_add(&set, number), !flags[number]));
}

Test(number_set, finds_the_next_one) {
        cleanup_(number_set_deinit) NumberSet set = {};
        uint32_t next = 0;

        cr_expect(not(number_set_next(&set, 0, &next)));
        for (size_t i = 0; i < 4; i++)
                number_set_add(&set, (uint32_t[]) { 63, 64, 4 * 4096, UINT32_MAX }[i]);
        cr_expect(number_set_next(&set, 0, &next) && next == 63);
        cr_expect(number_set_next(&set, 63, &next) && next == 63);
        cr_expect(number_set_next(&set, 64, &next) && next == 64);
        cr_expect(number_set_next(&set, 65, &next) && next == 4 * 4096);
        cr_expect(number_set_next(&set, 4 * 4096 + 1, &next) && next == UINT32_MAX);
        number_set_remove(&set, UINT32_MAX);
        cr_expect(not(number_set_next(&set, 4 * 4096 + 1, &next)));
        cr_expect(eq(u64, set.n, 3));
}

Test(number_set, holds_the_largest_number) {
        cleanup_(number_set_deinit) NumberSet set = {};

        number_set_remove(&set, UINT32_MAX);
        cr_expect(eq(int, number_set_add(&set, UINT32_MAX), 1));
        cr_expect(eq(int, number_set_add(&set, UINT32_MAX), 0));
        cr_expect(eq(int, number_set_add(&set, 0), 1));
        number_set_remove(&set, UINT32_MAX);
        cr_expect(eq(int, number_set_add(&set, UINT32_MAX), 1));
        cr_expect(eq(int, number_set_add(&set, 0), 0));
}

/* Numbers that only grow, like those of jobs: old numbers take no memory. */
Test(number_set, forgets_pages_of_what_is_gone) {
        cleanup_(number_set_deinit) NumberSet set = {};
        size_t most = 0;

        for (uint32_t number = 0; number < 1000000; number++) {
                cr_assert(eq(int, number_set_add(&set, number), 1));
                if (number >= 100)
                        number_set_remove(&set, number - 100);
                most = MAX(most, count_pages(&set));
        }
        cr_expect(eq(sz, most, 2));
}
