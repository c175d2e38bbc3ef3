/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The arena: zeroed, aligned, and reused after a reset.
 */

#include <stdint.h>
#include <string.h>

#include "basic/arena.h"
#include "basic/macro.h"
#include "double/double_assert.h"

Test(arena, memory_is_zeroed_and_aligned_also_after_a_reset) {
        cleanup_(arena_deinit) Arena arena = {};

        for (int round = 0; round < 3; round++) {
                for (size_t size = 0; size < 300; size++) {
                        unsigned char *bytes = arena_alloc(&arena, size);

                        assert_not_null(bytes);
                        cr_assert(eq(sz, (uintptr_t) bytes % _Alignof(max_align_t), 0));
                        for (size_t i = 0; i < size; i++)
                                cr_assert(eq(u8, bytes[i], 0));
                        memset(bytes, 0xAA, size);
                }
                arena_reset(&arena);
        }
}

Test(arena, reset_keeps_the_first_chunk) {
        cleanup_(arena_deinit) Arena arena = {};
        void *first = arena_alloc(&arena, 10);

        for (int i = 0; i < 1000; i++)
                assert_not_null(arena_alloc(&arena, 1000));
        arena_reset(&arena);
        cr_assert(eq(ptr, arena_alloc(&arena, 10), first));
}

Test(arena, object_larger_than_a_chunk_gets_its_own) {
        cleanup_(arena_deinit) Arena arena = {};
        unsigned char *big;

        assert_not_null(arena_alloc(&arena, 1));
        big = arena_alloc(&arena, 1 << 20);
        assert_not_null(big);
        memset(big, 1, 1 << 20);
        assert_not_null(arena_alloc(&arena, 1));
        assert_null(arena_alloc(&arena, SIZE_MAX - 8));
}

Test(arena, is_freed_in_parts) {
        cleanup_(arena_deinit) Arena arena = {};
        unsigned n_parts = 0;

        for (int i = 0; i < 1000; i++)
                assert_not_null(arena_alloc(&arena, 1000));
        while (arena_free_some(&arena, 1))
                n_parts++;
        cr_assert(eq(uint, n_parts, 1000 / (16384 / 1008)));
        assert_not_null(arena_alloc(&arena, 10));
}

Test(arena, strdup_copies) {
        cleanup_(arena_deinit) Arena arena = {};
        char text[] = "unit";
        char *copy = arena_strdup(&arena, text);

        text[0] = 'U';
        assert_string(copy, "unit");
}
