/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory that will be looked at soon
 *
 * Who goes over a hundred thousand objects that lie anywhere waits for memory
 * at each of them, and for one thing after the other, unless it says some steps
 * before what it will look at. Saying so never fails, whatever the address is.
 */

/*
 * The empty statement is there for gcc: to it, a function that does nothing but this has no effect, and so its calls are
 * left out.
 */
#define fetch_ahead(address)                                 \
        ({                                                   \
                __builtin_prefetch(address);                 \
                __asm__ volatile("");                        \
        })
