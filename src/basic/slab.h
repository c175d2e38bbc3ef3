/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Many short arrays of items of one size
 *
 * Without the header and the rounding of malloc(): arrays of one length lie
 * side by side, and a freed array is kept for the next of its length.
 */

#include <stddef.h>
#include <stdint.h>

#include "basic/vector.h"

#define SLAB_BLOCK_MAX 16384U           /* bytes */
#define SLAB_SHORT 32U                  /* items of the longest array in a slab; longer arrays use malloc() */

typedef struct Slab {
        size_t size;                    /* of an item, in bytes; at least the size of a pointer */
        void *spare[SLAB_SHORT + 1];    /* by length: a list linked through the first bytes of the arrays */
        VECTOR(void *) chunks;          /* owned */
        char *at;                       /* the unused rest of the last chunk */
        size_t n_left;                  /* bytes */
} Slab;

void slab_init(Slab *slab, size_t size);

/*
 * Memory for arrays that the caller lays out itself, aligned for pointers: any piece of it that can hold a pointer is
 * an array that slab_resize() takes back. At most SLAB_BLOCK_MAX; NULL if memory is short.
 */
void *slab_take_block(Slab *slab, size_t n_bytes);

/* All arrays must have been freed or be short: the slab does not know the long ones. */
void slab_deinit(Slab *slab);

/*
 * Replaces @items, an array of @n_old items (NULL and 0: none), by an array of @n items with the same contents; further
 * items are not initialized. NULL if @n is 0, or if memory is short, and then @items is unchanged. Shrinking a short
 * array never fails.
 */
void *slab_resize(Slab *slab, void *items, size_t n_old, size_t n);

/* @slab also owns the memory of @other's arrays from now on, and must live as long as these: 0 or -ENOMEM. */
int slab_share_chunks(Slab *slab, Slab *other);

/*
 * Moves the arrays of a slab elsewhere, one by one. A chunk that has become empty is reused for arrays that still have
 * to move, so memory never holds much more than one copy. Between begin and end the slab must not be used otherwise.
 * Long arrays belong to malloc() and are not counted.
 */
typedef struct SlabDrain {
        Slab *slab;                     /* borrowed */
        uint32_t *n_live;               /* owned: live bytes of each chunk */
} SlabDrain;

int slab_drain_begin(SlabDrain *drain, Slab *slab);     /* 0 or -ENOMEM */
void slab_drain_count(SlabDrain *drain, const void *items, size_t n_bytes);     /* first for every array … */
void slab_drain_release(SlabDrain *drain, const void *items, size_t n_bytes);   /* … then for each moved one */

/* Gives the remaining arrays, in place, to @into, which has room for slab->chunks.n chunks. The slab is empty then. */
void slab_drain_end(SlabDrain *drain, Slab *into);
