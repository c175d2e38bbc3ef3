/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Many short arrays of items of one size
 *
 * Short arrays are cut from chunks, one after the other, and never cut up or
 * joined again: an array that grows by one leaves room for another of the
 * length that it had, of which there are always more. A long array is worth
 * the header that malloc() puts in front of it.
 */

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/slab.h"

#define CHUNK_SIZE 16384U

void slab_init(Slab *slab, size_t size) {
        assert(slab);
        assert(size >= sizeof(void *) && size * SLAB_SHORT <= CHUNK_SIZE);

        *slab = (Slab) { .size = size };
}

void slab_deinit(Slab *slab) {
        assert(slab);

        for (size_t i = 0; i < slab->chunks.n; i++)
                free(slab->chunks.items[i]);
        vector_deinit(&slab->chunks);
        *slab = (Slab) {};
}

static void slab_give_back(Slab *slab, void *items, size_t n) {
        if (n > SLAB_SHORT) {
                free(items);
                return;
        }
        if (n == 0)
                return;

        /* Items need not be aligned as a pointer is. */
        memcpy(items, &slab->spare[n], sizeof(void *));
        slab->spare[n] = items;
}

static int slab_add_chunk(Slab *slab) {
        void *chunk;

        if (vector_reserve(&slab->chunks, 1) < 0)
                return -ENOMEM;
        chunk = malloc(CHUNK_SIZE);
        if (!chunk)
                return -ENOMEM;

        /* The rest of the last one is an array as well. */
        if (slab->n_left >= slab->size)
                slab_give_back(slab, slab->at, MIN(slab->n_left / slab->size, (size_t) SLAB_SHORT));
        slab->chunks.items[slab->chunks.n++] = chunk;
        slab->at = chunk;
        slab->n_left = CHUNK_SIZE;
        return 0;
}

static void *slab_take(Slab *slab, size_t n) {
        void *items = n <= SLAB_SHORT ? slab->spare[n] : NULL;

        if (items) {
                memcpy(&slab->spare[n], items, sizeof(void *));
                return items;
        }
        if (n > SLAB_SHORT)
                return malloc(n * slab->size);
        if (slab->n_left < n * slab->size && slab_add_chunk(slab) < 0)
                return NULL;

        items = slab->at;
        slab->at += n * slab->size;
        slab->n_left -= n * slab->size;
        return items;
}

void *slab_resize(Slab *slab, void *items, size_t n_old, size_t n) {
        void *new = NULL;

        assert(slab && slab->size > 0);
        assert(items || n_old == 0);

        if (n == n_old)
                return items;
        if (n > SIZE_MAX / 2 / slab->size)
                return NULL;
        if (n > SLAB_SHORT && n_old > SLAB_SHORT)
                new = realloc(items, n * slab->size);
        else if (n > 0)
                new = slab_take(slab, n);
        if (!new && n > 0)
                return n < n_old && n_old <= SLAB_SHORT ? items : NULL;

        if (n <= SLAB_SHORT || n_old <= SLAB_SHORT) {
                if (n > 0 && n_old > 0)
                        memcpy(new, items, MIN(n, n_old) * slab->size);
                slab_give_back(slab, items, n_old);
        }
        return new;
}
