/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * So many lines in such a time
 *
 * The time begins with the first line, and anew with the first one after it is
 * over.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/usec.h"

typedef struct LogLimit {
        usec_t begin;
        uint32_t n;
} LogLimit;

/* May one more line pass at @now? An @interval or @burst of 0 is no limit. */
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

/* Would none pass at @now? */
static inline bool log_limit_is_reached(const LogLimit *limit, usec_t now, usec_t interval, uint32_t burst) {
        return interval > 0 && burst > 0 && limit->n >= burst && now - limit->begin < interval;
}
