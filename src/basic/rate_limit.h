/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * So many times in a span that begins with the first of them
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"

typedef struct RateLimit {
        usec_t begin;                   /* 0: never */
        uint32_t n;
} RateLimit;

/* Counts one, if it is within the limit; a limit of 0, of either kind, is none. */
static inline bool rate_limit_allows(RateLimit *limit, usec_t interval, uint32_t burst, usec_t now) {
        if (interval == 0 || burst == 0)
                return true;
        if (limit->begin == 0 || usec_add(limit->begin, interval) <= now)
                *limit = (RateLimit) { .begin = now };
        if (limit->n >= burst)
                return false;
        limit->n++;
        return true;
}
