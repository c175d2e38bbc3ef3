/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A binary heap of borrowed pointers: the least element first
 *
 * Each element holds its own place (a uint32_t that the heap updates), so an
 * element in the middle is removed or moved in O(log n).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_NOWHERE UINT32_MAX

typedef int (*HeapCompare)(const void *a, const void *b);
typedef uint32_t *(*HeapPlace)(void *element);

typedef struct Heap {
        void **items;           /* owned array of borrowed pointers */
        size_t n;
        size_t allocated;
        HeapCompare compare;
        HeapPlace place;        /* the place stored in an element; HEAP_NOWHERE while outside */
} Heap;

void heap_init(Heap *heap, HeapCompare compare, HeapPlace place);
void heap_deinit(Heap *heap);
int heap_reserve(Heap *heap, size_t total);     /* room for @total elements: 0 or -ENOMEM */
int heap_push(Heap *heap, void *element);       /* @element must not be in a heap: 0 or -ENOMEM */
void *heap_peek(const Heap *heap);              /* NULL if empty */
void heap_remove(Heap *heap, void *element);    /* does nothing if @element is not in a heap */
void heap_moved(Heap *heap, void *element);     /* after a change of the key of @element */
