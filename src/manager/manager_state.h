/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The manager's state, written down for the one that comes after it
 *
 * Who changes something marks it; the marks are cheap and cannot fail. A commit
 * stands in front of everything that leaves, and before the loop waits: so what
 * anybody has seen of us is true for our successor, too, and a turn that nobody
 * could see costs nothing. What happens between two commits that cannot be
 * undone (children that come and go) stands in the journal.
 *
 * Without a folder to write to, or with a full one, the manager goes on; it says
 * so once, and tries again.
 */

#include "job/job_manager.h"
#include "manager/manager.h"
#include "store/journal.h"
#include "store/store.h"

typedef struct ManagerState {
        Store *store;                   /* owned; NULL: nothing is written down */
        Journal *journal;               /* owned; NULL if .store is */
        char *path, *journal_path;      /* owned */
        uint64_t commit;                /* number of the last one */
        uint64_t last_errand;           /* number of the last errand */
        bool has_failed;                /* the last commit has, and it was said */
        int error;                      /* … with this errno, negative */
        bool has_awaiting;              /* some unit's record has said that it recovers with another */
        unsigned n_peeked;              /* notifications that were read and are still in the socket */
        const char *check_path;         /* of the environment: see manager_check_state(); NULL: nothing is checked */
        JobIds ids;                     /* during a commit of everything: its jobs */
} ManagerState;

/* What there is of each kind in STORE_MANAGER. */
enum {
        MANAGER_RECORD_SELF,
        MANAGER_RECORD_QUEUES,
        _MANAGER_RECORD_MAX,
        MANAGER_RECORD_TOKENS = 64,     /* and on: see manager_token.c */
};

void manager_mark_unit(Manager *manager, const Unit *unit);
/*
 * It has got a job: that it waited to be started again with another ends with it, and nothing else is in its record. Or that
 * may have ended with new unit files.
 */
void manager_mark_job_of(Manager *manager, const Unit *unit);
void manager_mark_job(Manager *manager, uint32_t id);
void manager_mark_self(Manager *manager);

/* For tests, which ask for it by a variable of the environment: says what was not marked. */
void manager_check_state(Manager *manager);

/* Not from within a flush of the outbox, unless no process is on its way. */
void manager_commit(Manager *manager);

/* Where a commit is put off: some of what it will say is written, as long as the processor has it at hand. */
void manager_write_ahead(Manager *manager);
/* Before a wait. */
void manager_tidy_state(Manager *manager);

/*
 * What a manager before us has left is taken over if one has served under our keeper, or a process of its units is still
 * there; else it is thrown away. Units, jobs and queues must be empty.
 */
void manager_open_state(Manager *manager);
/* @is_done: there will be no successor. */
void manager_close_state(Manager *manager, bool is_done);

/* — parts of it — */

/* The records as they are read: 0, -EBADMSG, -ENOMEM. Units come with their timers and processes, errands last. */
typedef struct ManagerRestore ManagerRestore;
int manager_restore(Manager *manager, bool *ret_lives);
/* The same from what can be seen of processes, where there are no records (any more): units that are active stay as they are. */
void manager_rebuild(Manager *manager);
int manager_adopt_process(Manager *manager, Unit *unit, UnitPurpose purpose, pid_t pid, usec_t started /* boot time */);

void manager_write_self(Manager *manager, RecordWriter *writer);
void manager_write_queues(Manager *manager, RecordWriter *writer);
void manager_write_unit(Manager *manager, const Unit *unit, RecordWriter *writer);

void manager_write_errands(Manager *manager, RecordWriter *writer);
/* Takes over what has left already, and puts the rest into the outbox again. */
int manager_read_errands(Manager *manager, RecordReader *reader);
