/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The records of the manager's state
 *
 * The sections of the state, and the records in each. Every object writes and
 * reads its own part of a record; the parts of each record, and their order,
 * are defined in manager_record.c alone.
 */

#include "job/job_manager.h"
#include "state/state.h"

typedef struct Manager Manager;

/* Data kept between records. */
typedef struct ManagerRecords {
        JobIds jobs; /* during a full commit: the ids of all jobs */
        bool has_awaiting; /* some unit's record says that it recovers with another */
        bool has_unread; /* some unit's record could not be read */
        bool has_unnamed; /* … not even whose record it is */
        bool is_half_read; /* the rest could not be read: see manager_is_half_read() */
        bool is_taken_over; /* the state of an earlier core was */
} ManagerRecords;

/* For the readers of records: collects data that is used after all has been read. */
typedef struct ManagerRestore {
        Manager *manager; /* borrowed */
        JobSnapshot jobs;
        uint64_t commit; /* of the state being read; 0: none */
        unsigned n_units, n_processes;
        bool lives; /* a process of it still exists */
} ManagerRestore;

/* Makes the state object, which writes nothing yet. 0 or -ENOMEM. */
int manager_records_init(Manager *manager);
void manager_records_deinit(Manager *manager);

/*
 * Marks @unit if its record may say that it recovers with another unit, which ends with a job of @unit or with new unit
 * files.
 */
void manager_records_mark_awaiting(Manager *manager, const Unit *unit);

/*
 * Opens the state, in manager_restore.c. The state of an earlier core is taken over if that core ran under the same
 * keeper, or if a process of its units still exists; otherwise it is discarded. Units, jobs and queues must be empty.
 * False: the manager is of no use, see manager_is_half_read().
 */
bool manager_open_state(Manager *manager);
