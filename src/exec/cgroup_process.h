/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The processes of a control group
 */

#include "exec/cgroup.h"

/* Appends all processes, of subgroups too, except those outside of our pid namespace. 0 or -errno. */
int cgroup_list_processes(const Cgroup *group, ExecPids *pids);

/* The two processes that are exempt; 0: none. */
typedef struct CgroupSpared {
        pid_t main_pid, control_pid;
        bool with_groups;               /* and the processes of their process groups */
} CgroupSpared;

/* The number of processes without the two exempt ones (but with their process groups), or -errno. */
int cgroup_count(const Cgroup *group, const CgroupSpared *spared);

/*
 * Signals all processes but the exempt ones. SIGKILL exempts none: the kernel kills all at once, also processes that
 * are being forked. A frozen group is thawed. 0 or -errno.
 */
int cgroup_signal(Cgroup *group, int signal, const CgroupSpared *spared);

/*
 * A descriptor that polls as EPOLLPRI after each change of cgroup_is_populated(), to be read once before the first
 * wait. The caller owns it. -errno if it cannot be opened.
 */
int cgroup_open_events(const Cgroup *group);
int cgroup_is_populated(int events_fd);                 /* 1, 0 or -errno; -ENODEV: the group is gone */
