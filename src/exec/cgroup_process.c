/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes of a control group
 *
 * SIGKILL is sent by the kernel (cgroup.kill, since 5.14). Where it cannot,
 * and for other signals, the list is read and signalled until a round finds no
 * new process, so that a forking unit does not escape.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "exec/cgroup_control.h"
#include "exec/cgroup_private.h"
#include "exec/cgroup_process.h"

/* Rounds of signals other than SIGKILL. A unit that forks faster gets SIGKILL in the end. */
#define ROUNDS_MAX 8U
#define PROCESSES_MAX 100000U

static int read_list(const Cgroup *group, const char *path, ExecPids *pids) {
        int fd, r;

        fd = openat(group->fd, path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        r = exec_pids_read(fd, PROCESSES_MAX, pids);
        close(fd);
        return r;
}

int cgroup_list_processes(const Cgroup *group, ExecPids *pids) {
        CgroupFolders folders = {};
        int r = cgroup_list_folders(group, &folders);

        for (size_t i = 0; r == 0 && i < folders.n; i++) {
                cleanup_free_ char *path = NULL;

                r = text_join_path(folders.items[i], "cgroup.procs", &path);
                if (r == 0)
                        r = read_list(group, path, pids);
                /* The group was removed in the meantime, or has only threads whose process is listed in a parent. */
                if (r == -ENOENT || r == -ENODEV || r == -EOPNOTSUPP)
                        r = 0;
        }
        cgroup_folders_deinit(&folders);
        return r;
}

int cgroup_count(const Cgroup *group, const CgroupSpared *spared) {
        ExecPids pids = {};
        int r = cgroup_list_processes(group, &pids), n = 0;

        for (size_t i = 0; i < pids.n; i++)
                n += pids.items[i] != spared->main_pid && pids.items[i] != spared->control_pid;
        vector_deinit(&pids);
        return r < 0 ? r : n;
}

static bool is_spared(const CgroupSpared *spared, pid_t pid) {
        pid_t group;

        if (pid == spared->main_pid || pid == spared->control_pid)
                return true;
        if (!spared->with_groups || (spared->main_pid <= 0 && spared->control_pid <= 0))
                return false;
        group = getpgid(pid);
        return group > 0 && (group == spared->main_pid || group == spared->control_pid);
}

/* Signals a listed process by a pidfd, after a check that the number still belongs to a process of the group. */
static void signal_listed(const Cgroup *group, pid_t pid, int signal) {
        cleanup_free_ char *path = NULL, *own = NULL;
        int pidfd = (int) syscall(SYS_pidfd_open, pid, 0);

        if (pidfd < 0 && errno != ENOSYS)
                return;
        if (cgroup_path(group, &path) == 0 && cgroup_read_path(pid, &own) == 0 &&
            text_starts_with(own, path) && (own[strlen(path)] == '\0' || own[strlen(path)] == '/')) {
                if (pidfd >= 0)
                        syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
                else
                        kill(pid, signal);
        }
        if (pidfd >= 0)
                close(pidfd);
}

static bool contains(const ExecPids *pids, size_t n, pid_t pid) {
        for (size_t i = 0; i < n; i++)
                if (pids->items[i] == pid)
                        return true;
        return false;
}

/* Signals all listed processes that no earlier round has signalled: their number, or -errno. */
static int signal_round(const Cgroup *group, int signal, const CgroupSpared *spared, ExecPids *done) {
        size_t before = done->n, fresh = before;
        int r = cgroup_list_processes(group, done);

        for (size_t i = before; i < done->n; i++) {
                pid_t pid = done->items[i];

                if (contains(done, before, pid))
                        continue;
                done->items[fresh++] = pid;
                if (!is_spared(spared, pid))
                        signal_listed(group, pid, signal);
        }
        done->n = fresh;
        return r < 0 ? r : (int) (fresh - before);
}

static int signal_each(const Cgroup *group, int signal, const CgroupSpared *spared) {
        ExecPids done = {};
        int r = 1;

        for (unsigned round = 0; r > 0 && round < ROUNDS_MAX; round++)
                r = signal_round(group, signal, spared, &done);
        vector_deinit(&done);
        return MIN(r, 0);
}

/* Signals do not reach a frozen group, and the process that froze it may be gone. */
static void thaw(const Cgroup *group) {
        uint64_t shall_freeze = 0;

        if (cgroup_read(group, "cgroup.freeze", NULL, &shall_freeze) == 0 && shall_freeze)
                cgroup_write(group, "cgroup.freeze", "0");
}

int cgroup_signal(Cgroup *group, int signal, const CgroupSpared *spared) {
        int r;

        group->was_killed = group->was_killed || signal == SIGKILL;
        if (signal == SIGKILL && cgroup_write(group, "cgroup.kill", "1") == 0)
                return 0;
        thaw(group);
        r = signal_each(group, signal, signal == SIGKILL ? &(CgroupSpared) {} : spared);
        return r;
}

int cgroup_open_events(const Cgroup *group) {
        int fd = openat(group->fd, "cgroup.events", O_RDONLY | O_CLOEXEC);

        return fd < 0 ? -errno : fd;
}

int cgroup_is_populated(int events_fd) {
        char buffer[256];
        ssize_t n = pread(events_fd, buffer, sizeof(buffer) - 1, 0);

        if (n < 0)
                return -errno;
        buffer[n] = '\0';
        return strstr(buffer, "populated 1") != NULL;
}
