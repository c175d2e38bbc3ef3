/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the manager's state consists of
 *
 * The sections of the state, and the records in each. Every object writes and
 * reads its own part of a record; which parts a record has, and in which order
 * they stand, is in manager_record.c alone. In which order a manager takes over
 * what another has left is in manager_restore.c.
 */

#include "job/job_manager.h"
#include "manager/manager.h"
#include "state/state.h"

typedef enum ManagerSection {
        MANAGER_SECTION_SELF,           /* numbers, stage, environment */
        MANAGER_SECTION_QUEUES,         /* jobs asked for, exits and errands: short, and changed by nearly everything */
        MANAGER_SECTION_TOKENS,         /* see manager_token.c */
        MANAGER_SECTION_UNITS,          /* with their timers and processes */
        MANAGER_SECTION_JOBS,
} ManagerSection;

/* The numbers of what there is in STORE_MANAGER. */
enum {
        MANAGER_RECORD_SELF,
        MANAGER_RECORD_QUEUES,
        MANAGER_RECORD_TOKENS = 64,     /* and on */
};

/* Between records. */
typedef struct ManagerRecords {
        RecordWriter unit;              /* memory for the record of one unit's type */
        JobIds jobs;                    /* during a commit of everything: all of them */
        bool has_awaiting;              /* some unit's record has said that it recovers with another */
} ManagerRecords;

/* What is read is collected here, as far as it makes sense only when all has been read. */
typedef struct ManagerRestore {
        Manager *manager;               /* borrowed */
        JobSnapshot jobs;
        uint64_t commit;                /* of the state that is read; 0: there is none */
        unsigned n_units, n_processes;
        bool lives;                     /* a process of it is still there */
} ManagerRestore;

int manager_init_state(Manager *manager);
/* Marks do nothing from then on. @is_done: there will be no successor. */
void manager_close_state(Manager *manager, bool is_done);

void manager_mark_unit(Manager *manager, const Unit *unit);
/*
 * It has got a job: that it waited to be started again with another ends with it, and nothing else is in its record. Or that
 * may have ended with new unit files.
 */
void manager_mark_job_of(Manager *manager, const Unit *unit);
void manager_mark_job(Manager *manager, uint32_t id);
void manager_mark_self(Manager *manager);

/* Not from within a flush of the outbox, unless no process is on its way. */
void manager_commit(Manager *manager);

/*
 * What a manager before us has left is taken over if one has served under our keeper, or a process of its units is still
 * there; else it is thrown away. Units, jobs and queues must be empty.
 */
void manager_open_state(Manager *manager);
/* The same from what can be seen of processes, where there are no records (any more): units that are active stay as they are. */
void manager_rebuild(Manager *manager);

/* — parts of records: reading gives 0, -EBADMSG or -ENOMEM — */

/* All but when the startup was finished, which earlier versions did not write, and comes later. */
void manager_write_stage(const Manager *manager, RecordWriter *writer);
void manager_read_stage(Manager *manager, RecordReader *reader);

void manager_write_requests(const Manager *manager, RecordWriter *writer);
int manager_read_requests(Manager *manager, RecordReader *reader);
