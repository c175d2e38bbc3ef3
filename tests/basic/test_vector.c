/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Growing arrays.
 */

#include <stdint.h>

#include "basic/vector.h"
#include "double/double_assert.h"

Test(vector, keeps_what_is_pushed) {
        VECTOR(unsigned) vector = {};

        for (unsigned i = 0; i < 10000; i++)
                cr_assert(eq(int, vector_push(&vector, i * 3), 0));
        for (unsigned i = 0; i < 10000; i++)
                cr_assert(eq(uint, vector.items[i], i * 3));
        cr_assert(eq(uint, vector_last(&vector), 29997));
        cr_assert(eq(uint, vector_pop(&vector), 29997));
        cr_assert(eq(sz, vector.n, 9999));
        vector_clear(&vector);
        cr_assert(eq(sz, vector.n, 0));
        vector_deinit(&vector);
        assert_null(vector.items);
}

Test(vector, reserved_room_does_not_move) {
        VECTOR(uint64_t) vector = {};
        uint64_t *items;

        cr_assert(eq(int, vector_reserve(&vector, 1000), 0));
        items = vector.items;
        for (uint64_t i = 0; i < 1000; i++)
                vector_push(&vector, i);
        cr_assert(eq(ptr, vector.items, items));
        vector_deinit(&vector);
}

Test(vector, too_much_is_refused_and_changes_nothing) {
        VECTOR(uint64_t) vector = {};

        vector_push(&vector, 5);
        cr_assert(eq(int, vector_reserve(&vector, SIZE_MAX / 2), -ENOMEM));
        cr_assert(eq(sz, vector.n, 1));
        cr_assert(eq(u64, vector.items[0], 5));
        vector_deinit(&vector);
}
