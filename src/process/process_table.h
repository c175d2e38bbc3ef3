/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The processes that owners want to hear of, and their exits
 *
 * What else belongs to an owner is found when it is asked for (process_rest.h):
 * descendants of these, and orphans that carry its invocation id.
 */

#include <stddef.h>

#include "basic/record.h"
#include "process/process_host.h"
#include "process/process_owner.h"

typedef struct sd_event_source sd_event_source;
typedef struct ProcessTable ProcessTable;

typedef struct Process {
        pid_t pid;
        int pidfd;                      /* owned; -1 where the kernel has none */
        bool is_adopted;                /* no child of ours: the keeper tells how it ended, if anybody does */
        bool is_reaped;                 /* its number may be another's by now; its owner is about to be told */
        bool is_lost;                   /* it was gone when we began, and we have not heard how it ended */
        ProcessTable *table;            /* borrowed */
        ProcessOwner *owner;            /* borrowed */
        UnitPurpose purpose;
        usec_t started;                 /* as exec_process_start(): with the pid it names it for good; 0: not known */
        sd_event_source *watch;         /* owned; NULL for what we spawned: SIGCHLD tells of those */
        struct Process *previous, *next;        /* of the same owner */
} Process;

int process_table_new(ProcessTable **ret_table, const ProcessHost *host /* borrowed */);
ProcessTable *process_table_free(ProcessTable *table);          /* no owner has any */

Process *process_table_find(const ProcessTable *table, pid_t pid);
size_t process_table_count(const ProcessTable *table);

/*
 * Owns @pidfd, also if it fails. An exit of @pid not older than @since that came before this call is told in the next
 * turn; an older one was another process's.
 */
int process_table_add(ProcessTable *table, const Process *wanted, usec_t since);
/*
 * A process that somebody else has started. -EEXIST if another owner has it, -ESRCH if it is gone, -EINVAL if it is
 * ours.
 */
int process_table_watch(ProcessTable *table, ProcessOwner *owner, UnitPurpose purpose, pid_t pid);
/* One that a program before this one has made or followed: its exit is here, or comes from somebody. */
int process_table_adopt(ProcessTable *table, ProcessOwner *owner, UnitPurpose purpose, pid_t pid, usec_t started);
void process_table_hand_over(Process *process, ProcessOwner *owner, UnitPurpose purpose);
void process_table_forget(ProcessTable *table, const ProcessOwner *owner, pid_t pid);
void process_table_forget_owner(ProcessTable *table, ProcessOwner *owner);

/* — exits — */

/* The one way in for exits, whoever learned of it. */
void process_table_take_exit(ProcessTable *table, const UnitExit *exit);
/*
 * Exits of processes that are the keeper's children, not ours. They meet only processes that were adopted: a number may
 * have been given to a child of ours since.
 */
void process_table_take_kept_exits(ProcessTable *table, const UnitExit *exits, size_t n);
/* There may be children to reap: they are, in the next turn. */
void process_table_arm(ProcessTable *table);
/* Reaps children that have ended, at most @budget: true if there may be more. */
bool process_table_reap(ProcessTable *table, unsigned budget);

/* Exits of processes that nobody has asked for yet, the newest last; borrowed. */
const UnitExit *process_table_strays(const ProcessTable *table, size_t *ret_n);

/* — records — */

/*
 * Writes the timers into the record of @owner, and reads them: 0, -ENOMEM, or the reader's failure. Without an owner
 * the data is skipped.
 */
void process_table_write(const ProcessOwner *owner, RecordWriter *writer);
int process_table_read(ProcessTable *table, ProcessOwner *owner, RecordReader *reader, unsigned *n_read);
/* Does one of the processes in an owner's record still live? */
bool process_table_look(RecordReader *reader);

/* Exits that have not been told. */
bool process_table_has_exits(const ProcessTable *table);
void process_table_write_exits(const ProcessTable *table, RecordWriter *writer);
int process_table_read_exits(ProcessTable *table, RecordReader *reader);        /* 0, -EBADMSG or -ENOMEM */
/* Those that stand in the journal: they were reaped after the commit. 0 or -ENOMEM. */
int process_table_read_journal(ProcessTable *table);
/* Once all exits are known that were written down: those of which nobody knows how they ended. 0 or -errno. */
int process_table_tell_lost(ProcessTable *table, ProcessOwner *owner);
