/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The clock: the only place that reads it
 */

#include "basic/usec.h"

/* CLOCK_MONOTONIC, µs. */
usec_t clock_monotonic(void);

/* CLOCK_BOOTTIME, µs: with the time that the machine was suspended, as /proc counts the starts of processes. */
usec_t clock_boottime(void);

/* CLOCK_REALTIME, µs since the epoch. */
usec_t clock_realtime(void);

/* What this process has used of a processor, µs. */
usec_t clock_processor(void);
