/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * How long results are kept: KeepResult=, Save=
 *
 * A result goes when nobody below its node can read it any more.
 */

#include "manager/manager_run_get.h"

typedef struct ManagerReaders ManagerReaders;

/* The row of a node is in the batch of @writer: drops results that nobody can read any more. */
void manager_run_note_reader(const ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, RecordWriter *writer);
ManagerReaders *manager_run_free_readers(ManagerReaders *readers);
/* The results of nodes with Save=, an object by their names; NULL: there are none. 0 or -ENOMEM. */
int manager_run_make_result(const ManagerRuns *runs, const ManagerRun *run, char **ret_json);
