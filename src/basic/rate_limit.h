/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A number of events in an interval that begins with the first of them
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"

typedef struct RateLimit {
        usec_t begin;                   /* 0: no event yet */
        uint32_t n;
} RateLimit;

/* Counts an event and returns true if it is within the limit. An interval or burst of 0 means no limit. */
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
