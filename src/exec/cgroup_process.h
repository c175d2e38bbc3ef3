/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The processes of a control group
 */

#include "exec/cgroup.h"

/* Appends all, those of groups within it, too, but none that we cannot see from our pid namespace. 0 or -errno. */
int cgroup_list_processes(const Cgroup *group, ExecPids *pids);

/* Two that are not meant; 0: none. */
typedef struct CgroupSpared {
        pid_t main_pid, control_pid;
        bool with_groups;               /* and what is in their process groups: those had the signal already */
} CgroupSpared;

/* How many processes there are but the two spared (not their groups), or -errno. */
int cgroup_count(const Cgroup *group, const CgroupSpared *spared);

/*
 * Signals all but those spared. SIGKILL spares nobody: the kernel kills all at once, also what is forked meanwhile. One
 * that is frozen is thawed. 0 or -errno.
 */
int cgroup_signal(Cgroup *group, int signal, const CgroupSpared *spared);

/*
 * A descriptor that polls with EPOLLPRI after each change of what cgroup_is_populated() says of it; the caller's. It is
 * read once before it is waited for. -errno if there is none.
 */
int cgroup_open_events(const Cgroup *group);
int cgroup_is_populated(int events_fd);                 /* 1, 0 or -errno; -ENODEV: the group is gone */
