/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that somebody else has started
 *
 * They are put into the group of a unit, if there are groups and it lies in
 * our power: a process may be in a part of the tree that is not ours. Whoever
 * asks may do so with processes of his own, the manager's and those of the
 * kernel excepted.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/log.h"
#include "manager/manager_group.h"
#include "manager/manager_private.h"
#include "manager/manager_transient.h"

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

int manager_adopt_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n) {
        const Cgroup *group;
        ExecResult result = {};
        int r;

        r = manager_enter_group(manager, unit, UNIT_PURPOSE_MAIN, &group, &result);
        manager_note_invocation(manager, unit);
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, unit->id, "Its processes cannot be adopted: %s.", result.message);
        if (r < 0 || !group)
                return r;
        for (size_t i = 0; i < n; i++) {
                int moved = move(group, pids[i]);

                /* One that has ended is nowhere. */
                if (moved < 0 && moved != -ESRCH)
                        r = moved;
        }
        if (r < 0)
                log_write(LOG_LEVEL_ERROR, unit->id, "A process of it cannot enter its control group: %s.", strerror(-r));
        return r < 0 ? r : 1;
}

static int check_process(Manager *manager, pid_t pid, uid_t uid, Failure *ret_failure) {
        ExecProcess process;
        char path[64];
        struct stat st;

        /* Nothing is read for which the kernel looks at its memory: whoever holds that up would hold us up, too. */
        snprintf(path, sizeof(path), "/proc/%d", (int) pid);
        if (pid <= 0 || stat(path, &st) < 0 || exec_process_read(pid, &process) < 0 || process.state == 'Z')
                return failure_set(ret_failure, -ESRCH, "UnixProcessIdUnknown", "Process with ID %d does not exist.",
                                   (int) pid);
        if (pid == 1 || pid == getpid() || pid == manager->options.keeper.pid)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "Process %d is a manager process, refusing.",
                                   (int) pid);
        if (uid != 0 && st.st_uid != uid)
                return failure_set(ret_failure, -EPERM, "AccessDenied", "Process %d not owned by client's UID. Refusing.",
                                   (int) pid);
        if (process.is_of_kernel)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "Process %d is a kernel thread, refusing.", (int) pid);
        return 0;
}

static int attach(Manager *manager, Unit *unit, const pid_t *pids, size_t n, Failure *ret_failure) {
        if (!unit->vtable->group || unit->type == UNIT_SLICE)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "Unit type of %s does not support processes being attached to it.", unit->id);
        if (unit_state_is_inactive_or_failed(unit->active_state))
                return failure_set(ret_failure, -ESRCH, "InvalidArgs", "Unit %s is not active, refusing.", unit->id);
        if (manager_adopt_processes(manager, unit, pids, n) > 0)
                return 0;
        return failure_set(ret_failure, -EOPNOTSUPP, "NotSupported", "Processes cannot be put into a control group of %s.",
                           unit->id);
}

static int check_processes(Manager *manager, const pid_t *pids, size_t n, uid_t uid, Failure *ret_failure) {
        int r = 0;

        for (size_t i = 0; i < n && r == 0; i++)
                r = check_process(manager, pids[i], uid, ret_failure);
        return r;
}

int manager_give_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid, const char *controller,
                           Failure *ret_failure) {
        int r;

        assert(manager);
        assert(unit);
        assert(unit->vtable->give_processes);

        r = check_processes(manager, pids, n, uid, ret_failure);
        if (r < 0)
                return r;
        manager_mark_unit(manager, unit);
        return unit->vtable->give_processes(unit, pids, n, controller, ret_failure);
}

int manager_attach_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid, Failure *ret_failure) {
        int r;

        assert(manager);
        assert(unit);

        r = check_processes(manager, pids, n, uid, ret_failure);
        if (r < 0)
                return r;
        manager_mark_unit(manager, unit);
        return attach(manager, unit, pids, n, ret_failure);
}

int manager_abandon_unit(Manager *manager, Unit *unit, Failure *ret_failure) {
        manager_mark_unit(manager, unit);
        if (unit->vtable->abandon)
                return unit->vtable->abandon(unit, ret_failure);
        return failure_set(ret_failure, -EINVAL, "InvalidArgs", "Unit %s is no scope: only a scope can be abandoned.", unit->id);
}
