/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Ends of runs, of which OnFailure= and OnSuccess= of their flows are told
 *
 * An end is noted inside the engine of runs, and told behind it. Those that were
 * told are kept until they are durable.
 */

#include "manager/manager_run_get.h"

void manager_run_note_end(ManagerRuns *runs, ManagerRun *run, const RunRow *row);
/* A run goes on whose end in that round was told: its next end is none for others. */
void manager_run_note_reopened(ManagerRuns *runs, const ManagerRun *run, uint32_t round);
void manager_run_tell_ends(ManagerRuns *runs); /* what was noted in this turn: others may be asked for runs */
void manager_run_put_ends(ManagerRuns *runs); /* at the end of a batch */
void manager_run_forget_ends(ManagerRuns *runs); /* in a turn, those that are durable */
/* A part of the record of triggers. */
void manager_run_write_ends(const ManagerRuns *runs, RecordWriter *writer);
int manager_run_read_ends(ManagerRuns *runs, RecordReader *reader); /* 0, -EBADMSG or -ENOMEM */
