/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Growing arrays
 *
 * Room doubles, from eight items on, so that n pushes cost O(n).
 */

#include <assert.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/vector.h"

int vector_reserve_raw(void **items, size_t *allocated, size_t size, size_t wanted) {
        size_t room;
        void *bigger;

        assert(items);
        assert(allocated);
        assert(size > 0);

        if (wanted <= *allocated)
                return 0;
        if (wanted > SIZE_MAX / 4 / size)
                return -ENOMEM;

        room = MAX(wanted, MAX(*allocated * 2, (size_t) 8));
        bigger = reallocarray(*items, room, size);
        if (!bigger)
                return -ENOMEM;

        *items = bigger;
        *allocated = room;
        return 0;
}

static int u32_compare(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return x < y ? -1 : x > y;
}

void u32_sort(uint32_t *items, size_t n) {
        if (n > 1)
                qsort(items, n, sizeof(*items), u32_compare);
}
