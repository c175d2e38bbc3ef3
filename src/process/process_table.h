/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The processes whose exits are reported to their owners
 *
 * Other processes of an owner are searched for when they are needed
 * (process_rest.h): descendants of these, and orphans with its invocation ID.
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
        bool is_adopted;                /* no child of this program: the keeper may report its exit */
        bool is_reaped;                 /* the pid may have been reused; the exit is about to be reported */
        bool is_lost;                   /* it had ended before this program began, with an unknown status */
        ProcessTable *table;            /* borrowed */
        ProcessOwner *owner;            /* borrowed */
        UnitPurpose purpose;
        usec_t started;                 /* as exec_process_start(), and names the process with the pid; 0: not known */
        sd_event_source *watch;         /* owned; NULL for children, whose exits come with SIGCHLD */
        struct Process *previous, *next;        /* of the same owner */
} Process;

int process_table_new(ProcessTable **ret_table, const ProcessHost *host /* borrowed */);
ProcessTable *process_table_free(ProcessTable *table);          /* no owner may have processes */

Process *process_table_find(const ProcessTable *table, pid_t pid);
size_t process_table_count(const ProcessTable *table);

/*
 * Owns @pidfd, also if it fails. An exit of @pid that came before this call is reported in the next turn if it is not
 * older than @since; an older one was of an earlier process with this pid.
 */
int process_table_add(ProcessTable *table, const Process *wanted, usec_t since);
/*
 * Adds a process that another program has started. -EEXIST if it has another owner, -ESRCH if it has ended, -EINVAL if
 * it is this program or its keeper.
 */
int process_table_watch(ProcessTable *table, ProcessOwner *owner, UnitPurpose purpose, pid_t pid);
/* Adds a process of an earlier core, which may have ended: its exit is known already, or will be reported. */
int process_table_adopt(ProcessTable *table, ProcessOwner *owner, UnitPurpose purpose, pid_t pid, usec_t started);
void process_table_hand_over(Process *process, ProcessOwner *owner, UnitPurpose purpose);
void process_table_forget(ProcessTable *table, const ProcessOwner *owner, pid_t pid);
void process_table_forget_owner(ProcessTable *table, ProcessOwner *owner);

/* — exits — */

/* Takes an exit, from whatever source: each exit is taken by this function. */
void process_table_take_exit(ProcessTable *table, const UnitExit *exit);
/*
 * Takes exits of children of the keeper. They are reported for adopted processes only: the pid may have been reused for
 * a child of this program.
 */
void process_table_take_kept_exits(ProcessTable *table, const UnitExit *exits, size_t n);
/* Has children reaped in the next turn. */
void process_table_arm(ProcessTable *table);
/* Reaps them in this one; the rest of very many in the next one. */
void process_table_reap_now(ProcessTable *table);
/* Reaps at most @budget children that have ended: true if there may be more. */
bool process_table_reap(ProcessTable *table, unsigned budget);

/* Exits of processes that no owner has added yet, the newest last; borrowed. */
const UnitExit *process_table_strays(const ProcessTable *table, size_t *ret_n);

/* — records — */

/*
 * Writes the processes into the record of @owner, and reads them: 0, -ENOMEM, or the reader's failure. Without an
 * owner the data is skipped.
 */
void process_table_write(const ProcessOwner *owner, RecordWriter *writer);
int process_table_read(ProcessTable *table, ProcessOwner *owner, RecordReader *reader, unsigned *n_read);
/* Returns true if one of the processes in the record of an owner still runs. */
bool process_table_look(RecordReader *reader);

/* Returns true if there are exits that were not reported. */
bool process_table_has_exits(const ProcessTable *table);
void process_table_write_exits(const ProcessTable *table, RecordWriter *writer);
int process_table_read_exits(ProcessTable *table, RecordReader *reader);        /* 0, -EBADMSG or -ENOMEM */
/* Reads the exits in the journal, which were reaped after the last commit. 0 or -ENOMEM. */
int process_table_read_journal(ProcessTable *table);
/* After all recorded exits were read: reports the processes that have ended with an unknown status. 0 or -errno. */
int process_table_tell_lost(ProcessTable *table, ProcessOwner *owner);
