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
        for (uint32_t number = 0; number < NUMBERS; number++)
                cr_assert(eq(int, number_set_add(&set, number), !flags[number]));
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

/* Numbers that only grow, as those of jobs: what was long ago takes nothing. */
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
