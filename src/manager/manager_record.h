/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the manager's state consists of
 *
 * The sections of the state, and the records in each. Every object writes and
 * reads its own part of a record; which parts a record has, and in which order
 * they stand, is in manager_record.c alone.
 */

#include "job/job_manager.h"
#include "state/state.h"

typedef struct Manager Manager;

/* Between records. */
typedef struct ManagerRecords {
        JobIds jobs;                    /* during a commit of everything: all of them */
        bool has_awaiting;              /* some unit's record has said that it recovers with another */
} ManagerRecords;

/* For the readers of records: collects what makes sense only when all has been read. */
typedef struct ManagerRestore {
        Manager *manager;               /* borrowed */
        JobSnapshot jobs;
        uint64_t commit;                /* of the state that is read; 0: there is none */
        unsigned n_units, n_processes;
        bool lives;                     /* a process of it is still there */
} ManagerRestore;

/* Makes the state, which writes nothing yet. 0 or -ENOMEM. */
int manager_records_init(Manager *manager);
void manager_records_deinit(Manager *manager);

/*
 * @unit has got a job: that it waited to be started again with another unit ends with it, and nothing else is in its
 * record. Or that may have ended with new unit files.
 */
void manager_records_mark_awaiting(Manager *manager, const Unit *unit);

/*
 * Opens the state, in manager_restore.c. What a manager before us has left is taken over if one has served under our
 * keeper, or a process of its units is still there; else it is thrown away. Units, jobs and queues must be empty.
 */
void manager_open_state(Manager *manager);
