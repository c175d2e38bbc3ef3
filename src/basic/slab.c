/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Many short arrays of items of one size
 *
 * Short arrays are cut from chunks, one after the other, and never split or
 * joined: an array that grows by one leaves room for another of its old
 * length, and there are always more of those. For a long array the header of
 * malloc() does not matter.
 */

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/slab.h"

#define CHUNK_SIZE SLAB_BLOCK_MAX

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

        /* Items may be less aligned than a pointer. */
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

        /* The rest of the last chunk is an array, too. */
        if (slab->n_left >= slab->size)
                slab_give_back(slab, slab->at, MIN(slab->n_left / slab->size, (size_t) SLAB_SHORT));
        slab->chunks.items[slab->chunks.n++] = chunk;
        slab->at = chunk;
        slab->n_left = CHUNK_SIZE;
        return 0;
}

void *slab_take_block(Slab *slab, size_t n_bytes) {
        size_t gap;
        void *block;

        assert(slab && slab->size > 0);
        assert(n_bytes <= SLAB_BLOCK_MAX);

        gap = -(uintptr_t) slab->at % sizeof(void *);
        if (slab->n_left < gap + n_bytes) {
                if (slab_add_chunk(slab) < 0)
                        return NULL;
                gap = 0;
        }
        block = slab->at + gap;
        slab->at += gap + n_bytes;
        slab->n_left -= gap + n_bytes;
        return block;
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

int slab_share_chunks(Slab *slab, Slab *other) {
        if (vector_reserve(&slab->chunks, other->chunks.n) < 0)
                return -ENOMEM;
        while (other->chunks.n > 0)
                slab->chunks.items[slab->chunks.n++] = vector_pop(&other->chunks);
        return 0;
}

/* — moving elsewhere — */

#define CHUNK_IS_THERE 1U               /* flag in n_live, beside the number of bytes */

static int chunk_compare(const void *a, const void *b) {
        uintptr_t x = (uintptr_t) *(void *const *) a, y = (uintptr_t) *(void *const *) b;

        return x < y ? -1 : x > y;
}

int slab_drain_begin(SlabDrain *drain, Slab *slab) {
        *drain = (SlabDrain) { .slab = slab, .n_live = calloc(slab->chunks.n + 1, sizeof(uint32_t)) };
        if (!drain->n_live)
                return -ENOMEM;
        for (size_t i = 0; i < slab->chunks.n; i++)
                drain->n_live[i] = CHUNK_IS_THERE;
        if (slab->chunks.n > 1)
                qsort(slab->chunks.items, slab->chunks.n, sizeof(*slab->chunks.items), chunk_compare);
        return 0;
}

static size_t slab_chunk_of(const Slab *slab, const void *items) {
        size_t from = 0, n = slab->chunks.n;

        while (n > 1) {
                size_t half = n / 2;

                if ((uintptr_t) slab->chunks.items[from + half] <= (uintptr_t) items)
                        from += half;
                n -= half;
        }
        return from;
}

void slab_drain_count(SlabDrain *drain, const void *items, size_t n_bytes) {
        if (n_bytes > 0)
                drain->n_live[slab_chunk_of(drain->slab, items)] += (uint32_t) n_bytes;
}

void slab_drain_release(SlabDrain *drain, const void *items, size_t n_bytes) {
        size_t chunk;

        if (n_bytes == 0)
                return;

        chunk = slab_chunk_of(drain->slab, items);
        assert(drain->n_live[chunk] >= n_bytes + CHUNK_IS_THERE);
        drain->n_live[chunk] -= (uint32_t) n_bytes;
        if (drain->n_live[chunk] > CHUNK_IS_THERE)
                return;

        /* The address stays in the list, where other chunks are found by it. */
        drain->n_live[chunk] = 0;
        free(drain->slab->chunks.items[chunk]);
}

void slab_drain_end(SlabDrain *drain, Slab *into) {
        Slab *slab = drain->slab;

        for (size_t i = 0; i < slab->chunks.n; i++)
                if (drain->n_live[i] == CHUNK_IS_THERE)
                        free(slab->chunks.items[i]);
                else if (drain->n_live[i] > 0)
                        into->chunks.items[into->chunks.n++] = slab->chunks.items[i];
        free(drain->n_live);
        vector_deinit(&slab->chunks);
        *slab = (Slab) {};
}
