/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A clock that only the test moves
 *
 * It starts at 1,000 s, so that "never" (0) and a negative span stand out.
 */

#include "basic/usec.h"

#define DOUBLE_CLOCK_START (1000 * USEC_PER_SEC)

typedef struct DoubleClock {
        usec_t now;             /* monotonic */
        usec_t offset;          /* realtime is that much more */
} DoubleClock;

void double_clock_init(DoubleClock *clock);
void double_clock_advance(DoubleClock *clock, usec_t span);
usec_t double_clock_realtime(const DoubleClock *clock);
