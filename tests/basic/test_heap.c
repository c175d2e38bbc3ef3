/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The heap against a naive model: an array that is searched for the least
 * element.
 */

#include "basic/heap.h"
#include "basic/macro.h"
#include "double/double_assert.h"

#define N 200

typedef struct Item {
        unsigned key;
        unsigned id;
        uint32_t place;
} Item;

static int item_compare(const void *a, const void *b) {
        const Item *x = a, *y = b;

        if (x->key != y->key)
                return x->key < y->key ? -1 : 1;
        return x->id < y->id ? -1 : x->id > y->id;
}

static uint32_t *item_place(void *element) {
        return &((Item *) element)->place;
}

static unsigned next_random(uint64_t *seed) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        return (unsigned) (*seed >> 33);
}

static Item *least_inside(Item *items) {
        Item *least = NULL;

        for (size_t i = 0; i < N; i++)
                if (items[i].place != HEAP_NOWHERE && (!least || item_compare(&items[i], least) < 0))
                        least = &items[i];
        return least;
}

static void do_something(Heap *heap, Item *items, uint64_t *seed) {
        Item *item = &items[next_random(seed) % N];

        switch (next_random(seed) % 5) {
        case 0:
        case 1:
                if (item->place == HEAP_NOWHERE)
                        cr_assert(eq(int, heap_push(heap, item), 0));
                break;
        case 2:
                heap_remove(heap, item);
                cr_assert(eq(u32, item->place, HEAP_NOWHERE));
                break;
        case 3:
                item->key = next_random(seed) % 50;
                heap_moved(heap, item);
                break;
        case 4:
                item = heap_peek(heap);
                if (item)
                        heap_remove(heap, item);
                break;
        }
        cr_assert(eq(ptr, heap_peek(heap), least_inside(items)));
}

Test(heap, agrees_with_a_search_for_the_least) {
        cleanup_(heap_deinit) Heap heap;
        Item items[N];
        uint64_t seed = 1;

        heap_init(&heap, item_compare, item_place);
        for (unsigned i = 0; i < N; i++)
                items[i] = (Item) { .key = next_random(&seed) % 50, .id = i, .place = HEAP_NOWHERE };
        for (int i = 0; i < 20000; i++)
                do_something(&heap, items, &seed);
}

Test(heap, empty_one_has_nothing) {
        cleanup_(heap_deinit) Heap heap;
        Item item = { .place = HEAP_NOWHERE };

        heap_init(&heap, item_compare, item_place);
        assert_null(heap_peek(&heap));
        heap_remove(&heap, &item);
        heap_moved(&heap, &item);
        cr_assert(eq(int, heap_reserve(&heap, 100), 0));
        cr_assert(eq(int, heap_push(&heap, &item), 0));
        heap_deinit(&heap);
        cr_assert(eq(u32, item.place, HEAP_NOWHERE));
}
