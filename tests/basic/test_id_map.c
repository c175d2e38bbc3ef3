/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The id map against a naive model: an array by id.
 */

#include "basic/id_map.h"
#include "basic/macro.h"
#include "double/double_assert.h"

#define IDS 500

static unsigned next_random(uint64_t *seed) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        return (unsigned) (*seed >> 33);
}

Test(id_map, agrees_with_an_array) {
        cleanup_(id_map_deinit) IdMap map = {};
        void *model[IDS + 1] = {};
        uint64_t seed = 7;
        size_t n = 0;

        for (int i = 0; i < 50000; i++) {
                uint32_t id = next_random(&seed) % IDS + 1;

                if (next_random(&seed) % 2) {
                        n += !model[id];
                        model[id] = &model[next_random(&seed) % IDS];
                        cr_assert(eq(int, id_map_put(&map, id, model[id]), 0));
                } else {
                        cr_assert(eq(int, id_map_remove(&map, id), model[id] != NULL));
                        n -= model[id] != NULL;
                        model[id] = NULL;
                }
                cr_assert(eq(sz, map.n, n));
                id = next_random(&seed) % IDS + 1;
                cr_assert(eq(ptr, id_map_get(&map, id), model[id]));
        }
        for (uint32_t id = 1; id <= IDS; id++)
                cr_assert(eq(ptr, id_map_get(&map, id), model[id]));
}

Test(id_map, empty_one_has_nothing) {
        cleanup_(id_map_deinit) IdMap map = {};

        assert_null(id_map_get(&map, 1));
        cr_assert(not(id_map_remove(&map, 1)));
        cr_assert(eq(int, id_map_put(&map, UINT32_MAX, &map), 0));
        cr_assert(eq(ptr, id_map_get(&map, UINT32_MAX), &map));
        assert_null(id_map_get(&map, 0));
        cr_assert(not(id_map_remove(&map, 0)));
}

Test(id_map, reserved_room_is_enough) {
        cleanup_(id_map_deinit) IdMap map = {};
        uint32_t *ids;

        cr_assert(eq(int, id_map_reserve(&map, 1000), 0));
        ids = map.ids;
        for (uint32_t id = 1; id <= 1000; id++)
                cr_assert(eq(int, id_map_put(&map, id * 7, &map), 0));
        cr_assert(eq(ptr, map.ids, ids));
        cr_assert(lt(sz, map.n * 3, (map.mask + 1) * 2 + 1));
}
