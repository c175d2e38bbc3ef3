/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The clock
 *
 * All reads of the clock go through this file, so a search for its functions
 * finds every place where a run depends on more than its input.
 */

#include <time.h>

#include "basic/clock.h"

static usec_t clock_read(clockid_t id) {
        struct timespec now = {};

        if (clock_gettime(id, &now) < 0)
                return 0;
        return (usec_t) now.tv_sec * USEC_PER_SEC + (usec_t) now.tv_nsec / 1000;
}

usec_t clock_monotonic(void) {
        return clock_read(CLOCK_MONOTONIC);
}

usec_t clock_boottime(void) {
        return clock_read(CLOCK_BOOTTIME);
}

usec_t clock_realtime(void) {
        return clock_read(CLOCK_REALTIME);
}

usec_t clock_processor(void) {
        return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}
