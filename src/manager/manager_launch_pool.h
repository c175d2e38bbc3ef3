/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The workers of a launch: ItemMode=pool
 *
 * The launch gives items of its range to workers (manager_workers.h), each of
 * which is an attempt, and judges their answers. The range is not recorded for
 * each answer, but with the checkpoints, errors and what else changes the
 * launch: a core that takes over after a death issues what has come back since
 * then again. To another image of the program the workers go as they are.
 *
 * Workers that an earlier core has left are ended before the first item is
 * issued, so that no item is worked on twice at a time.
 */

#include "manager/manager_run_get.h"
#include "manager/manager_workers.h"
#include "run/run_range.h"

typedef struct ManagerLaunch ManagerLaunch; /* manager_attempt_launch.h */
typedef struct ManagerLaunchPool ManagerLaunchPool;

/*
 * Makes the workers of a launch that has its range, or takes over those that an earlier image has left, and ends all
 * others: .workers and .pool of the launch, which lives as long. 0; -EINVAL: the section of the items cannot be read
 * again; -ENOMEM, or another error of the system.
 */
int manager_launch_pool_new(ManagerRuns *runs, const RunAttemptKey *key, ManagerLaunch *launch);

/* In a step: items may be issued, or not for now. A pool whose workers are of no use makes the launch fail. */
void manager_launch_pool_issue(ManagerLaunchPool *pool, bool may_issue);
/* None is any more: workers end when nothing is out to them. */
void manager_launch_pool_drain(ManagerLaunchPool *pool);
/* A worker runs, or is gone; @is_told: it was told to end. */
void manager_launch_pool_connect(ManagerLaunchPool *pool, uint32_t number, int fd);
void manager_launch_pool_note_gone(ManagerLaunchPool *pool, uint32_t number, bool is_told);

/* When a step would have something to issue; USEC_INFINITY: answers come first. */
usec_t manager_launch_pool_due(ManagerLaunchPool *pool);
/* Why no worker takes one more item, as a part of a sentence; NULL: one would, if there was any. */
const char *manager_launch_pool_explain_wait(const ManagerLaunchPool *pool);
/* Entries of an a{sv}: each worker that lives, and what has become of others. */
void manager_launch_pool_put(const ManagerLaunchPool *pool, Sink *sink);
/* " to 4 workers", with what has become of others, as a part of a sentence. */
void manager_launch_pool_explain(const ManagerLaunchPool *pool, Text *text);
