/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Ownership and small helpers
 *
 * An owning local has a cleanup mark and leaves the function through
 * take_ptr(). All other pointers are borrowed.
 */

#include <stddef.h>
#include <stdlib.h>

#define cleanup_(fn) __attribute__((cleanup(fn)))
#define printf_(fmt, args) __attribute__((format(printf, fmt, args)))

/* Makes the form that cleanup_() takes from a destructor that accepts and returns NULL. */
#define DEFINE_CLEANUP(type, free_fn)                        \
        static inline void free_fn##p(type **slot) {         \
                *slot = free_fn(*slot);                      \
        }

static inline void freep(void *slot) {
        free(*(void **) slot);
}

#define cleanup_free_ cleanup_(freep)

#define take_ptr(lvalue)                                     \
        ({                                                   \
                __typeof__(lvalue) *slot_ = &(lvalue);       \
                __typeof__(lvalue) taken_ = *slot_;          \
                *slot_ = NULL;                               \
                taken_;                                      \
        })

#define ELEMENTSOF(array) (sizeof(array) / sizeof((array)[0]))

/* Each use has variables of its own names, so that uses may nest. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define CHOOSE_(a, op, b, x, y) ({ __typeof__(a) x = (a); __typeof__(b) y = (b); x op y ? x : y; })
#define MIN(a, b) CHOOSE_(a, <, b, JOIN(a_, __COUNTER__), JOIN(b_, __COUNTER__))
#define MAX(a, b) CHOOSE_(a, >, b, JOIN(a_, __COUNTER__), JOIN(b_, __COUNTER__))

#define container_of(ptr, type, member) \
        ((type *) ((char *) (ptr) - offsetof(type, member)))
