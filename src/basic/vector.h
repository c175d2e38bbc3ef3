/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Growing arrays
 *
 * VECTOR(Type) declares the struct in place; {} is an empty one. The items
 * are .items[0] to .items[n - 1]; pointers to them are invalid after a push.
 */

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VECTOR(type) struct { type *items; size_t n; size_t allocated; }

/* Makes room for @wanted items of @size bytes in all. After -ENOMEM nothing has changed. */
int vector_reserve_raw(void **items, size_t *allocated, size_t size, size_t wanted);

/* Makes room for @extra further items, so that vector_push() can't fail for these. */
#define vector_reserve(v, extra)                                                                             \
        ({                                                                                                   \
                size_t reserve_n_ = (v)->n + (extra);                                                        \
                reserve_n_ <= (v)->allocated ? 0 :                                                           \
                        vector_reserve_raw((void **) &(v)->items, &(v)->allocated, sizeof(*(v)->items),      \
                                           reserve_n_);                                                      \
        })

/* Appends a copy of @value: 0 or -ENOMEM. */
#define vector_push(v, value)                                \
        ({                                                   \
                int push_r_ = vector_reserve(v, 1);          \
                if (push_r_ == 0)                            \
                        (v)->items[(v)->n++] = (value);      \
                push_r_;                                     \
        })

#define vector_pop(v) ((v)->items[--(v)->n])
#define vector_last(v) ((v)->items[(v)->n - 1])
#define vector_clear(v) ((void) ((v)->n = 0))

/* Frees the array, not what its items point to. */
#define vector_deinit(v)                                     \
        do {                                                 \
                free((v)->items);                            \
                (v)->items = NULL;                           \
                (v)->n = (v)->allocated = 0;                 \
        } while (0)

/* Sorts numbers in rising order. */
void u32_sort(uint32_t *items, size_t n);
