/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random bytes: no byte is used twice
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "basic/random.h"
#include "double/double_assert.h"

#define IDS 10000U

static int compare(const void *a, const void *b) {
        return memcmp(a, b, 16);
}

Test(random, no_id_comes_twice) {
        static uint8_t ids[IDS][16];

        for (unsigned i = 0; i < IDS; i++)
                cr_assert(eq(int, random_bytes(ids[i], sizeof(ids[i])), 0));
        qsort(ids, IDS, sizeof(ids[0]), compare);
        for (unsigned i = 1; i < IDS; i++)
                cr_assert(memcmp(ids[i - 1], ids[i], sizeof(ids[i])) != 0);
}

Test(random, any_size_is_filled) {
        uint8_t bytes[RANDOM_BYTES_MAX], seen[RANDOM_BYTES_MAX] = {};

        for (size_t n = 1; n <= RANDOM_BYTES_MAX; n++)
                for (unsigned i = 0; i < 100; i++) {
                        memset(bytes, 0, sizeof(bytes));
                        cr_assert(eq(int, random_bytes(bytes, n), 0));
                        seen[n - 1] |= bytes[n - 1];
                        for (size_t k = n; k < sizeof(bytes); k++)
                                cr_assert(zero(u8, bytes[k]));
                }
        for (size_t i = 0; i < sizeof(seen); i++)
                cr_assert(eq(u8, seen[i], 0xff), "byte %zu", i);
}
