/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What /proc says of a process
 *
 * All of these look once; the process may be gone, and its number given to
 * another, right after. Whoever acts on the answer holds a pidfd.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/usec.h"
#include "basic/vector.h"

typedef VECTOR(pid_t) ExecPids;

/* Adds the numbers that are read from @fd, as long as there are less than @most: 0 or -ENOMEM. */
int exec_pids_read(int fd, size_t most, ExecPids *pids);

typedef struct ExecProcess {
        pid_t parent;
        pid_t group;
        pid_t session;
        char state;                     /* 'R', 'S', 'Z', … */
        bool is_of_kernel;              /* a thread of the kernel's own */
        bool has_executed;              /* a program, since it was forked */
        uint64_t start_time;            /* clock ticks since boot: with the pid, it names a process for good */
} ExecProcess;

/* When it began, on the clock of clock_boottime(), in whole ticks: equal for one process and different for another. */
usec_t exec_process_start(const ExecProcess *process);
/* The same as a time: what the kernel shows of a process that begins then. */
usec_t exec_process_start_at(usec_t boottime);

/* 0, -ESRCH if there is none, or -errno. */
int exec_process_read(pid_t pid, ExecProcess *ret_process);

/* Is it there, and not just waiting to be reaped? */
bool exec_process_is_alive(pid_t pid);

/*
 * Holds a child of ours, or of an earlier core, that was made to execute a program and has not done so: a pidfd, by
 * which the caller kills it, and it never will. -ESRCH: it has, it has ended, or it is another process than the one
 * that began at @started (0: not known).
 */
int exec_process_hold_unexecuted(pid_t pid, usec_t started);

/* Does it run, or wait for nothing but a processor? */
bool exec_process_wants_processor(pid_t pid);

/*
 * How long a search waits for processes that are in the middle of an execve(), for all of them together. Half a second
 * is what an execve() may take on a busy machine, and more than a PID 1 should wait.
 */
typedef struct ExecPatience {
        unsigned n_pauses;              /* that are left, of 1 ms */
} ExecPatience;

#define EXEC_PATIENCE { .n_pauses = 500 }

/*
 * Was it started, or one of its ancestors, with this INVOCATION_ID? It may have dropped or altered its environment.
 * 1, 0 (also when the patience is at its end), or -ESRCH: it has ended, and nobody can tell any more.
 */
int exec_process_check_invocation(pid_t pid, const uint8_t invocation_id[static 16], ExecPatience *patience);
bool exec_process_has_invocation(pid_t pid, const uint8_t invocation_id[static 16]);

/* Whom it runs as; -EPERM: it has gained or given up some of that, so that it is hard to say. */
int exec_process_read_owner(pid_t pid, uid_t *ret_uid);

/* What is in the environment that it was started with: 0, -ENODATA, -ENOMEM, or -errno. */
int exec_process_read_variable(pid_t pid, const char *name, char **ret_value);
int exec_process_read_invocation(pid_t pid, uint8_t ret_id[static 16]);

/* Appends all that can be seen. 0, -ENOMEM, or -errno if /proc can't be read. */
int exec_process_list_all(ExecPids *pids);

/* Appends the direct children, zombies too. 0, -ENOMEM, or -errno if /proc can't be read. */
int exec_process_list_children(pid_t pid, ExecPids *children);

/*
 * Our parent that takes over what we leave behind, 0: there is none. Only with @has_ours is there something of ours (of
 * one before us) among its children.
 */
void exec_process_set_keeper(pid_t keeper, bool has_ours);
pid_t exec_process_keeper(void);

/* Appends the keeper's children, but not us. */
int exec_process_list_kept(ExecPids *children);

/* Appends our own children and, if there may be some of ours, the keeper's: where orphans are to be looked for. */
int exec_process_list_own(ExecPids *children);

/* Is @ancestor its parent, or a parent's parent, …? */
bool exec_process_descends_from(pid_t pid, pid_t ancestor);
