/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * When a failed node runs again
 */

#include "run/run_graph.h"

/*
 * The time (µs) before the next try after @failures failures in a row, at least 1. @random, of all values of its type,
 * chooses the share that is added.
 */
usec_t run_retry_delay(const RunPolicy *policy, uint32_t failures, uint32_t random);
