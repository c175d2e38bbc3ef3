/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A number of lines in an interval
 *
 * The interval begins with the first line, and again with the first line
 * after its end.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"

typedef struct LogLimit {
        usec_t begin;
        uint32_t n;
} LogLimit;

/* Counts a line and returns true if it is within the limit. An @interval or @burst of 0 means no limit. */
static inline bool log_limit_take(LogLimit *limit, usec_t now, usec_t interval, uint32_t burst) {
        if (interval == 0 || burst == 0)
                return true;
        if (limit->n == 0 || now - limit->begin >= interval)
                *limit = (LogLimit) { .begin = now };
        if (limit->n >= burst)
                return false;
        limit->n++;
        return true;
}

/* Whether a line would be over the limit. */
static inline bool log_limit_is_reached(const LogLimit *limit, usec_t now, usec_t interval, uint32_t burst) {
        return interval > 0 && burst > 0 && limit->n >= burst && now - limit->begin < interval;
}
