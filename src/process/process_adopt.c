/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes started by others
 *
 * The processes are moved into the control group of an owner. The kernel refuses
 * that for a process in a part of the tree that jobd does not control. A client may
 * have processes of its own user moved, root those of all users; never those of
 * the manager, and no kernel threads.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/log.h"
#include "exec/exec_process.h"
#include "process/process_adopt.h"

static int move(const Cgroup *group, pid_t pid) {
        int fd = openat(cgroup_fd(group), "cgroup.procs", O_WRONLY | O_CLOEXEC), r = 0;
        char text[16];
        int n = snprintf(text, sizeof(text), "%d", (int) pid);

        if (fd < 0)
                return -errno;
        if (write(fd, text, (size_t) n) != n)
                r = -errno;
        close(fd);
        return r;
}

int process_adopt(ProcessGroups *groups, ProcessOwner *owner, const pid_t *pids, size_t n) {
        const Cgroup *group;
        ExecResult result = {};
        int r;

        r = process_groups_enter(groups, owner, UNIT_PURPOSE_MAIN, &group, &result);
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, owner->name, "Its processes cannot be adopted: %s.", result.message);
        if (r < 0 || !group)
                return r;
        for (size_t i = 0; i < n; i++) {
                int moved = move(group, pids[i]);

                /* A process that has ended is in no group. */
                if (moved < 0 && moved != -ESRCH)
                        r = moved;
        }
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, owner->name, "A process of it cannot enter its control group: %s.",
                          strerror(-r));
        return r < 0 ? r : 1;
}

static int check_process(pid_t pid, uid_t uid, pid_t keeper, Failure *ret_failure) {
        ExecProcess process;
        char path[64];
        struct stat st;

        /*
         * Only files are read for which the kernel does not lock the memory of the process: a process that holds that
         * lock would block the manager.
         */
        snprintf(path, sizeof(path), "/proc/%d", (int) pid);
        if (pid <= 0 || stat(path, &st) < 0 || exec_process_read(pid, &process) < 0 || process.state == 'Z')
                return failure_set(ret_failure, -ESRCH, "UnixProcessIdUnknown", "Process with ID %d does not exist.",
                                   (int) pid);
        if (pid == 1 || pid == getpid() || pid == keeper)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "Process %d is a manager process, refusing.",
                                   (int) pid);
        if (uid != 0 && st.st_uid != uid)
                return failure_set(ret_failure, -EPERM, "AccessDenied",
                                   "Process %d not owned by client's UID. Refusing.",
                                   (int) pid);
        if (process.is_of_kernel)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "Process %d is a kernel thread, refusing.",
                                   (int) pid);
        return 0;
}

int process_adopt_check(const pid_t *pids, size_t n, uid_t uid, pid_t keeper, Failure *ret_failure) {
        int r = 0;

        for (size_t i = 0; i < n && r == 0; i++)
                r = check_process(pids[i], uid, keeper, ret_failure);
        return r;
}
