/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A clock that only the test moves
 */

#include <assert.h>

#include "double/double_clock.h"

#define REALTIME_START (1700000000 * USEC_PER_SEC)

void double_clock_init(DoubleClock *clock) {
        assert(clock);

        *clock = (DoubleClock) { .now = DOUBLE_CLOCK_START, .offset = REALTIME_START };
}

void double_clock_advance(DoubleClock *clock, usec_t span) {
        assert(clock);

        clock->now = usec_add(clock->now, span);
}

usec_t double_clock_realtime(const DoubleClock *clock) {
        assert(clock);

        return usec_add(clock->now, clock->offset);
}
