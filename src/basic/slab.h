/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Many short arrays of items of one size
 *
 * Without a header and rounding for each, as malloc() has them: those of the
 * same length lie side by side, and what is given back is kept for the next.
 */

#include <stddef.h>

#include "basic/vector.h"

#define SLAB_SHORT 32U                  /* items of the longest array that is kept here; longer ones are malloc()'s */

typedef struct Slab {
        size_t size;                    /* of an item, in bytes; at least that of a pointer */
        void *spare[SLAB_SHORT + 1];    /* by length: a list through their first bytes */
        VECTOR(void *) chunks;          /* owned */
        char *at;                       /* what is left of the last chunk */
        size_t n_left;                  /* bytes */
} Slab;

void slab_init(Slab *slab, size_t size);

/* All arrays must have been given back, or be short: the long ones are not known here. */
void slab_deinit(Slab *slab);

/*
 * An array of @n items with what @items has, an array of @n_old (NULL and 0 for none), which is gone then; what is
 * more is not set. NULL if @n is 0, or if memory is short, and then @items stands. From a short one to fewer items it
 * never fails.
 */
void *slab_resize(Slab *slab, void *items, size_t n_old, size_t n);
