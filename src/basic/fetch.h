/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Prefetching of memory
 *
 * A loop over a hundred thousand scattered objects waits for memory at each
 * of them, one after the other, unless it requests addresses some steps
 * ahead. A prefetch never fails, whatever the address is.
 */

/*
 * The empty asm statement is for gcc, which removes calls to a function that has no effect, and a prefetch counts as
 * none.
 */
#define fetch_ahead(address)                                 \
        ({                                                   \
                __builtin_prefetch(address);                 \
                __asm__ volatile("");                        \
        })
