/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * How long nodes take, from a workflow of WfCommons that was measured
 */

#include "basic/failure.h"
#include "basic/usec.h"
#include "basic/vector.h"

typedef struct SimDuration {
        char *node; /* owned */
        usec_t time;
} SimDuration;

typedef VECTOR(SimDuration) SimDurations; /* by name */

/* 0, -EINVAL with @ret_failure, which names the file, or -ENOMEM. */
int sim_durations_read(SimDurations *durations, const char *path, Failure *ret_failure);
void sim_durations_deinit(SimDurations *durations);
/* Of a node that is not there: 0. */
usec_t sim_durations_get(const SimDurations *durations, const char *node);
