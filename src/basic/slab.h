/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Many short arrays of items of one size
 *
 * Without a header and rounding for each, as malloc() has them: those of the
 * same length lie side by side, and what is given back is kept for the next.
 */

#include <stddef.h>
#include <stdint.h>

#include "basic/vector.h"

#define SLAB_BLOCK_MAX 16384U           /* bytes */
#define SLAB_SHORT 32U                  /* items of the longest array that is kept here; longer ones are malloc()'s */

typedef struct Slab {
        size_t size;                    /* of an item, in bytes; at least that of a pointer */
        void *spare[SLAB_SHORT + 1];    /* by length: a list through their first bytes */
        VECTOR(void *) chunks;          /* owned */
        char *at;                       /* what is left of the last chunk */
        size_t n_left;                  /* bytes */
} Slab;

void slab_init(Slab *slab, size_t size);

/*
 * Memory for arrays that the caller lays out itself, aligned for pointers: any piece of it that can hold one is then an
 * array that slab_resize() takes back. At most SLAB_BLOCK_MAX; NULL if memory is short.
 */
void *slab_take_block(Slab *slab, size_t n_bytes);

/* All arrays must have been given back, or be short: the long ones are not known here. */
void slab_deinit(Slab *slab);

/*
 * An array of @n items with what @items has, an array of @n_old (NULL and 0 for none), which is gone then; what is
 * more is not set. NULL if @n is 0, or if memory is short, and then @items stands. From a short one to fewer items it
 * never fails.
 */
void *slab_resize(Slab *slab, void *items, size_t n_old, size_t n);

/* From now on @slab owns the memory of @other's arrays, too, and lives as long as these: 0 or -ENOMEM. */
int slab_share_chunks(Slab *slab, Slab *other);

/*
 * All that is in a slab moves elsewhere, array by array: what has become empty of it is free for what is still to move,
 * so that never much more than one of the two is there. Between begin and end the slab is used in no other way.
 * Long arrays are malloc()'s, and do not count.
 */
typedef struct SlabDrain {
        Slab *slab;                     /* borrowed */
        uint32_t *n_live;               /* owned: bytes by chunk */
} SlabDrain;

int slab_drain_begin(SlabDrain *drain, Slab *slab);     /* 0 or -ENOMEM */
void slab_drain_count(SlabDrain *drain, const void *items, size_t n_bytes);     /* first for every array that is there … */
void slab_drain_release(SlabDrain *drain, const void *items, size_t n_bytes);   /* … then for each when it has moved */

/* What has not moved stays where it is and is @into's, which has room for so many chunks (slab->chunks.n). The slab is empty. */
void slab_drain_end(SlabDrain *drain, Slab *into);
