/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The clock: the only place that reads it
 */

#include "basic/usec.h"

/* CLOCK_MONOTONIC, µs. */
usec_t clock_monotonic(void);

/* CLOCK_BOOTTIME, µs: includes suspended time, like the start times of processes in /proc. */
usec_t clock_boottime(void);

/* CLOCK_REALTIME, µs since the epoch. */
usec_t clock_realtime(void);

/* The processor time of this process, µs. */
usec_t clock_processor(void);
