/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals to a unit's processes
 *
 * Without control groups a unit's processes are: what it started, all that
 * descends from these, and orphans, which the kernel gives to us as children
 * (we are PID 1 or a child subreaper) or, after one like us has died, to our
 * keeper, and which are told apart by the INVOCATION_ID in their environment;
 * or, since daemons write over that, by the session of their main process.
 */

#include "basic/usec.h"
#include "exec/exec_process.h"

/*
 * Sends by @pidfd if there is one (>= 0), so that a recycled number is never hit. @is_group: to the whole process
 * group, if @pid leads one. 0, -ESRCH if the process is gone, or -errno.
 */
int exec_kill(pid_t pid, int pidfd, int signal, bool is_group);

typedef struct ExecRest {
        const uint8_t *invocation_id;                   /* 16 bytes, borrowed */
        pid_t main_pid, control_pid;                    /* spared themselves, not what descends from them; 0: none */
        pid_t session;                                  /* of the last main process; 0: none */
        usec_t session_until;                           /* when that one ended, monotonic; USEC_INFINITY: it lives */
        bool spares_groups;                             /* what is in their groups was signalled with them: not again */
        bool (*is_known)(void *userdata, pid_t pid);    /* is it some unit's main or control process? NULL: none is */
        void *userdata;
        /* From exec_list_orphans(), for many units; NULL: the orphans are listed for this one. */
        const ExecPids *orphans;
} ExecRest;

/* Our children that nobody knows: it costs as much as we have children, so whoever asks for many units does it once. */
int exec_list_orphans(bool (*is_known)(void *userdata, pid_t pid), void *userdata, ExecPids *orphans);

/*
 * Signals all processes of the unit but the two; @signal 0 only counts. The number of processes found, or -errno;
 * -ESTALE: one of .orphans has ended since, and others may have come of it, so they are to be listed again.
 * Meant as what UnitHostOps.kill_rest does.
 */
int exec_kill_rest(const ExecRest *rest, int signal);

/* If exactly one orphan of this invocation is a child of ours: its pid, a forking daemon's main process. Else 0. */
pid_t exec_guess_main(const uint8_t invocation_id[static 16], pid_t except);

/* Signals all that descends from us and from the keeper but these two (as PID 1, or its child: all there is). */
void exec_kill_descendants(int signal);
/* Is there any child of ours, or of the keeper but us, also one that only waits to be reaped? */
bool exec_has_children(void);
