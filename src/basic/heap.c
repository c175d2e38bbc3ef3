/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A binary heap of borrowed pointers
 *
 * An array in which the children of i are 2i+1 and 2i+2. The heap stores its
 * place in each element that it moves, so no search is needed.
 */

#include <assert.h>

#include "basic/heap.h"
#include "basic/vector.h"

void heap_init(Heap *heap, HeapCompare compare, HeapPlace place) {
        assert(heap);
        assert(compare);
        assert(place);

        *heap = (Heap) { .compare = compare, .place = place };
}

void heap_deinit(Heap *heap) {
        assert(heap);

        for (size_t i = 0; i < heap->n; i++)
                *heap->place(heap->items[i]) = HEAP_NOWHERE;
        free(heap->items);
        heap->items = NULL;
        heap->n = heap->allocated = 0;
}

int heap_reserve(Heap *heap, size_t total) {
        assert(heap);

        if (total >= HEAP_NOWHERE)
                return -ENOMEM;
        return vector_reserve_raw((void **) &heap->items, &heap->allocated, sizeof(*heap->items), total);
}

static void heap_set(Heap *heap, size_t at, void *element) {
        heap->items[at] = element;
        *heap->place(element) = (uint32_t) at;
}

static size_t heap_sift_up(Heap *heap, size_t at, void *element) {
        while (at > 0 && heap->compare(element, heap->items[(at - 1) / 2]) < 0) {
                heap_set(heap, at, heap->items[(at - 1) / 2]);
                at = (at - 1) / 2;
        }
        heap_set(heap, at, element);
        return at;
}

static void heap_sift_down(Heap *heap, size_t at, void *element) {
        for (;;) {
                size_t child = 2 * at + 1;

                if (child >= heap->n)
                        break;
                if (child + 1 < heap->n && heap->compare(heap->items[child + 1], heap->items[child]) < 0)
                        child++;
                if (heap->compare(element, heap->items[child]) <= 0)
                        break;
                heap_set(heap, at, heap->items[child]);
                at = child;
        }
        heap_set(heap, at, element);
}

int heap_push(Heap *heap, void *element) {
        int r;

        assert(heap);
        assert(*heap->place(element) == HEAP_NOWHERE);

        r = heap_reserve(heap, heap->n + 1);
        if (r < 0)
                return r;

        heap_sift_up(heap, heap->n++, element);
        return 0;
}

void *heap_peek(const Heap *heap) {
        assert(heap);

        return heap->n > 0 ? heap->items[0] : NULL;
}

static void heap_settle(Heap *heap, size_t at, void *element) {
        if (heap_sift_up(heap, at, element) == at)
                heap_sift_down(heap, at, element);
}

void heap_remove(Heap *heap, void *element) {
        uint32_t at;
        void *last;

        assert(heap);

        at = *heap->place(element);
        if (at == HEAP_NOWHERE)
                return;
        assert(at < heap->n && heap->items[at] == element);

        *heap->place(element) = HEAP_NOWHERE;
        last = heap->items[--heap->n];
        if (last != element)
                heap_settle(heap, at, last);
}

void heap_moved(Heap *heap, void *element) {
        uint32_t at;

        assert(heap);

        at = *heap->place(element);
        if (at == HEAP_NOWHERE)
                return;
        assert(at < heap->n && heap->items[at] == element);

        heap_settle(heap, at, element);
}
