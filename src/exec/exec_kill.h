/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals to a unit's processes
 *
 * Without control groups a unit's processes are: the processes that it
 * started, their descendants, and orphans. The kernel makes orphans children
 * of the manager (PID 1 or a child subreaper) or, after a manager has died, of
 * the keeper. Orphans are recognized by the INVOCATION_ID in their environment
 * or, because daemons overwrite that, by the session of their main process.
 */

#include "basic/usec.h"
#include "exec/exec_process.h"

/*
 * Signals by @pidfd if given (>= 0), so that a reused number is never hit. @is_group: signals the whole process group,
 * if @pid is its leader. 0, -ESRCH if the process is gone, or -errno.
 */
int exec_kill(pid_t pid, int pidfd, int signal, bool is_group);

typedef struct ExecRest {
        const uint8_t *invocation_id;                   /* 16 bytes, borrowed */
        pid_t main_pid, control_pid;                    /* exempt, but not their descendants; 0: none */
        pid_t session;                                  /* of the last main process; 0: none */
        usec_t session_until;                           /* when that process ended, monotonic; USEC_INFINITY: it runs */
        bool counts_unnamed;                            /* also orphans that no invocation can be told of; signal 0 */
        bool spares_groups;                             /* exempts their process groups, which were signalled already */
        bool (*is_known)(void *userdata, pid_t pid);    /* is it a main or control process of a unit? NULL: no */
        void *userdata;
        /* A list from exec_list_orphans(), for use with many units; NULL: the orphans are listed for this one. */
        const ExecPids *orphans;
} ExecRest;

/*
 * Lists the manager's children that belong to no unit. The cost grows with the number of children, so one list serves
 * many units.
 */
int exec_list_orphans(bool (*is_known)(void *userdata, pid_t pid), void *userdata, ExecPids *orphans);

/*
 * Signals all processes of the unit but the two; @signal 0 only counts. Returns their number, or -errno; -ESTALE: one
 * of .orphans has ended since and may have left children, so they must be listed again. Implements
 * UnitHostOps.kill_rest.
 */
int exec_kill_rest(const ExecRest *rest, int signal);

/*
 * If exactly one orphan of this invocation is a child of the manager: its pid, the main process of a forking daemon.
 * Otherwise 0.
 */
pid_t exec_guess_main(const uint8_t invocation_id[static 16], pid_t except);

/* Signals all descendants of the manager and of the keeper except these two (if either is PID 1: all processes). */
void exec_kill_descendants(int signal);
/* Returns true if the manager, or the keeper besides the manager, has a child, even a zombie. */
bool exec_has_children(void);
