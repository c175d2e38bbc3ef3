/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Launches of batches: the attempt that issues items
 *
 * A launch has a range (run_range.h) and an attempt for each item that is out.
 * Both are in the state of the manager, and change in the same commit: a core
 * that takes over knows to the item what is over, what is out and what is not.
 * The store has the range as it was at the last checkpoint; after the end of
 * the boot items go on from there.
 * With ItemMode=pool attempts are workers, which have many items, and the range
 * is in the state as of a checkpoint, too (manager_launch_pool.h).
 *
 * What a launch has to do is looked for in each turn (…_step()), by the state
 * of its run: while that is RUNNING items are issued, in any other state none
 * is, and the launch ends when the last one has come back.
 */

#include "manager/manager_attempt_launch.h"
#include "manager/manager_run_get.h"

/*
 * After a restart: what a launch that has ended knows of its items is what the next one goes on with, since the store
 * may not have it.
 */
void manager_launch_give_cursor(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key);
/* The launch counts no more: its items go on alone. */
void manager_launch_abandon(void *userdata, const RunAttemptKey *key);
/* As ManagerAttemptsOps.step_launch. */
void manager_launch_step(void *userdata, const RunAttemptKey *key, ManagerLaunch *launch, bool ends);
/* As ManagerAttemptsOps.connected. */
void manager_launch_connect(ManagerRuns *runs, const RunAttemptKey *key, int fd);
/* As ManagerAttemptsOps.ended, of an item or of a preparation. */
void manager_launch_note_end(ManagerRuns *runs, const RunAttemptKey *key, RunEndKind kind, uint16_t end);
/* When a launch is to be looked at next. */
usec_t manager_launches_due(const ManagerRuns *runs);
/* Goes on with a launch that waits for its owner. -EINVAL: it does not. */
int manager_launch_proceed(ManagerRuns *runs, uint32_t run);
/* The progress of the items, as a part of a sentence about the node of the batch or, without a node, about the run. */
void manager_launch_explain(const ManagerRuns *runs, uint32_t run, Text *text);
/* The part of that which says what it waits for; nothing of a run that no launch is of. */
void manager_launch_explain_wait(const ManagerRuns *runs, uint32_t run, Text *text);
/* The workers of a run, as entries of an a{sv}; nothing of a run that has none. */
void manager_launch_write_workers(const ManagerRuns *runs, uint32_t run, Sink *sink);
/* The counts of the range of a run that lives; -ENOENT: it is none of a batch, or has not begun. */
int manager_launch_count(const ManagerRuns *runs, uint32_t run, RunRangeCounts *ret_counts);
