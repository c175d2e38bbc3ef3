/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Information about processes, from /proc
 *
 * Each function looks once; right after that the process may be gone and its
 * number reused. A caller that acts on the answer must hold a pidfd.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "basic/usec.h"
#include "basic/vector.h"

typedef VECTOR(pid_t) ExecPids;

/* Appends the numbers read from @fd, up to a total of @most: 0 or -ENOMEM. */
int exec_pids_read(int fd, size_t most, ExecPids *pids);

typedef struct ExecProcess {
        pid_t parent;
        pid_t group;
        pid_t session;
        char state;                     /* 'R', 'S', 'Z', … */
        bool is_of_kernel;              /* a kernel thread */
        bool has_executed;              /* a program, since it was forked */
        uint64_t start_time;            /* clock ticks since boot: identifies a process, together with its pid */
} ExecProcess;

/* The start time on the clock of clock_boottime(), in whole ticks: a property of the process that never changes. */
usec_t exec_process_start(const ExecProcess *process);
/* The start time that the kernel would show for a process starting at @boottime. */
usec_t exec_process_start_at(usec_t boottime);

/* 0, -ESRCH if there is none, or -errno. */
int exec_process_read(pid_t pid, ExecProcess *ret_process);

/* Returns true if the process exists and is not a zombie. */
bool exec_process_is_alive(pid_t pid);

/*
 * Holds a child of ours, or of an earlier core, that was made to execute a program and has not done so: a pidfd, by
 * which the caller kills it, and it never will. -ESRCH: it has, it has ended, or it is another process than the one
 * that began at @started (0: not known).
 */
int exec_process_hold_unexecuted(pid_t pid, usec_t started);

/* Returns true if the process runs or is ready to run. */
bool exec_process_wants_processor(pid_t pid);

/* How long the process has waited for a processor when it wanted one, in total; 0: not known. */
usec_t exec_process_delay(pid_t pid);

/*
 * How long one search waits for processes that are in the middle of an execve(), in total. Half a second covers an
 * execve() on a busy machine, and is more than a PID 1 should wait.
 */
typedef struct ExecPatience {
        unsigned n_pauses;              /* remaining pauses of 1 ms */
} ExecPatience;

#define EXEC_PATIENCE { .n_pauses = 500 }

/*
 * 1 if the process, or one of its ancestors, was started with this INVOCATION_ID, even if it has changed its
 * environment since. 0 if not, or if the patience is used up. -ESRCH: it has ended, so this cannot be determined.
 */
int exec_process_check_invocation(pid_t pid, const uint8_t invocation_id[static 16], ExecPatience *patience);
bool exec_process_has_invocation(pid_t pid, const uint8_t invocation_id[static 16]);

/* The user that it runs as; -EPERM: it has changed its privileges, so the answer would be ambiguous. */
int exec_process_read_owner(pid_t pid, uid_t *ret_uid);

/* A variable of the environment that it was started with: 0, -ENODATA, -ENOMEM, or -errno. */
int exec_process_read_variable(pid_t pid, const char *name, char **ret_value);
int exec_process_read_invocation(pid_t pid, uint8_t ret_id[static 16]);

/* Appends all visible processes. 0, -ENOMEM, or -errno if /proc can't be read. */
int exec_process_list_all(ExecPids *pids);

/* Appends the direct children, zombies too. 0, -ENOMEM, or -errno if /proc can't be read. */
int exec_process_list_children(pid_t pid, ExecPids *children);

/*
 * Sets the parent that inherits the manager's children, 0: none. @has_ours: its children may include processes of units
 * (from an earlier manager).
 */
void exec_process_set_keeper(pid_t keeper, bool has_ours);
pid_t exec_process_keeper(void);

/* Appends the keeper's children except the manager. */
int exec_process_list_kept(ExecPids *children);

/*
 * Appends the manager's children and, if they may include processes of units, the keeper's: the places to look for
 * orphans.
 */
int exec_process_list_own(ExecPids *children);

/* Returns true if @ancestor is a direct or indirect parent of @pid. */
bool exec_process_descends_from(pid_t pid, pid_t ancestor);
