/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Short arrays against plain ones: each keeps its contents.
 */

#include <string.h>

#include "basic/macro.h"
#include "basic/slab.h"
#include "double/double_assert.h"

#define ARRAYS 200
#define ITEM 12         /* not a multiple of a pointer's size */

typedef struct Model {
        unsigned char *items;
        size_t n;
        unsigned char seed;
} Model;

static unsigned next_random(uint64_t *seed) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        return (unsigned) (*seed >> 33);
}

static void fill(const Model *model, size_t from) {
        for (size_t i = from * ITEM; i < model->n * ITEM; i++)
                model->items[i] = (unsigned char) (model->seed + i);
}

static void check(const Model *model) {
        for (size_t i = 0; i < model->n * ITEM; i++)
                cr_assert(eq(u8, model->items[i], (unsigned char) (model->seed + i)));
}

Test(slab, arrays_keep_what_they_hold) {
        cleanup_(slab_deinit) Slab slab;
        Model models[ARRAYS] = {};
        uint64_t seed = 3;

        slab_init(&slab, ITEM);
        for (int i = 0; i < 20000; i++) {
                unsigned at = next_random(&seed) % ARRAYS;
                Model *model = &models[at];
                size_t n = next_random(&seed) % (next_random(&seed) % 4 ? 6 : 3 * SLAB_SHORT), n_old = model->n;

                check(model);
                model->seed = n_old == 0 ? (unsigned char) at : model->seed;
                model->items = slab_resize(&slab, model->items, n_old, n);
                model->n = n;
                cr_assert(eq(int, model->items == NULL, n == 0));
                if (n > n_old)
                        fill(model, n_old);
        }
        for (unsigned at = 0; at < ARRAYS; at++) {
                check(&models[at]);
                slab_resize(&slab, models[at].items, models[at].n, 0);
        }
}

Test(slab, what_is_given_back_is_used_again) {
        cleanup_(slab_deinit) Slab slab;
        void *first, *second;

        slab_init(&slab, ITEM);
        first = slab_resize(&slab, NULL, 0, 3);
        assert_null(slab_resize(&slab, first, 3, 0));
        second = slab_resize(&slab, NULL, 0, 3);
        cr_assert(first == second);
        cr_assert(slab_resize(&slab, second, 3, 3) == second);
        for (int i = 0; i < 100000; i++) {
                void *items = slab_resize(&slab, NULL, 0, 2);

                cr_assert(items != NULL);
                items = slab_resize(&slab, items, 2, 1);
                slab_resize(&slab, items, 1, 0);
        }
        cr_assert(eq(sz, slab.chunks.n, 1));
}

Test(slab, arrays_take_no_more_than_their_items) {
        cleanup_(slab_deinit) Slab slab;

        slab_init(&slab, ITEM);
        for (int i = 0; i < 10000; i++)
                cr_assert(slab_resize(&slab, NULL, 0, 1 + (size_t) i % 3) != NULL);
        cr_assert(slab.chunks.n * 16384 <= 10000 * 2 * ITEM * 11 / 10);
}

Test(slab, too_much_is_refused) {
        cleanup_(slab_deinit) Slab slab;
        void *items;

        slab_init(&slab, ITEM);
        assert_null(slab_resize(&slab, NULL, 0, SIZE_MAX / 2));
        items = slab_resize(&slab, NULL, 0, SLAB_SHORT + 1);
        cr_assert(items != NULL);
        assert_null(slab_resize(&slab, items, SLAB_SHORT + 1, SIZE_MAX / 2));
        assert_null(slab_resize(&slab, items, SLAB_SHORT + 1, 0));
}

Test(slab, pieces_of_a_block_are_arrays) {
        cleanup_(slab_deinit) Slab slab;
        char *block;

        slab_init(&slab, ITEM);
        cr_assert(slab_resize(&slab, NULL, 0, 1) != NULL);      /* the next array is not aligned */
        block = slab_take_block(&slab, 5 * ITEM);
        cr_assert(eq(sz, (uintptr_t) block % sizeof(void *), 0));
        memset(block, 7, 5 * ITEM);
        assert_null(slab_resize(&slab, block, 2, 0));
        cr_assert(slab_resize(&slab, NULL, 0, 2) == (void *) block);
        block = slab_resize(&slab, block + 2 * ITEM, 3, 4);
        for (size_t i = 0; i < 3 * ITEM; i++)
                cr_assert(eq(i8, block[i], 7));
        cr_assert(slab_take_block(&slab, SLAB_BLOCK_MAX) != NULL);
        cr_assert(eq(sz, slab.chunks.n, 2));
}

/* Two of three of the last thousand arrays stay, as if there had been no memory to move them. */
Test(slab, what_is_drained_leaves_what_has_not_moved) {
        cleanup_(slab_deinit) Slab into;
        Slab slab;
        SlabDrain drain;
        Model models[5000] = {};

        slab_init(&slab, ITEM);
        slab_init(&into, ITEM);
        for (size_t i = 0; i < ELEMENTSOF(models); i++) {
                models[i] = (Model) { .n = 1 + i % 5, .seed = (unsigned char) i };
                models[i].items = slab_resize(&slab, NULL, 0, models[i].n);
                fill(&models[i], 0);
        }
        for (size_t i = 1000; i < 3000; i++)
                models[i].items = slab_resize(&slab, models[i].items, models[i].n, 0);

        cr_assert(eq(int, vector_reserve(&into.chunks, slab.chunks.n), 0));
        cr_assert(eq(int, slab_drain_begin(&drain, &slab), 0));
        for (size_t i = 0; i < ELEMENTSOF(models); i++)
                if (models[i].items)
                        slab_drain_count(&drain, models[i].items, models[i].n * ITEM);
        for (size_t i = 0; i < ELEMENTSOF(models); i++)
                if (models[i].items && (i < 4000 || i % 3 == 0)) {
                        unsigned char *moved = malloc(models[i].n * ITEM);

                        memcpy(moved, models[i].items, models[i].n * ITEM);
                        slab_drain_release(&drain, models[i].items, models[i].n * ITEM);
                        models[i].items = moved;
                }
        slab_drain_end(&drain, &into);
        cr_assert(eq(sz, slab.chunks.n, 0));
        cr_assert(into.chunks.n > 0 && into.chunks.n < 5);

        for (size_t i = 0; i < ELEMENTSOF(models); i++)
                if (models[i].items) {
                        check(&models[i]);
                        if (i < 4000 || i % 3 == 0)
                                free(models[i].items);
                }
}
