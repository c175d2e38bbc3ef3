/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces that last without a process in them
 *
 * A process that shares the manager's descriptors makes the namespace, opens
 * it, so that the manager has it open, and ends. The manager itself never
 * leaves its namespaces, so returning to them cannot fail.
 *
 * The maps of a user namespace are written from outside by the manager, while
 * the process is a zombie: only then can they contain users other than the
 * manager's own. Without privileges only the process may write them, before it
 * ends, and only for its own user.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_clone.h"
#include "exec/exec_syscall.h"
#include "exec/sandbox_namespace.h"

#define STACK_SIZE ((size_t) 32 * 1024)

typedef struct Maker {
        ExecClone clone;
        int kind;
        int user_fd;
        char maps[2][32];               /* maps to be written by the process; empty: the manager writes them */
        volatile int fd;                /* the result, or a negative errno */
} Maker;

child_ static int bring_loopback_up(void) {
        struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
        int fd, r;

        fd = (int) exec_call3(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return fd;
        r = (int) exec_call3(SYS_ioctl, fd, SIOCSIFFLAGS, &request);
        exec_call1(SYS_close, fd);
        return r;
}

child_ static const char *own_path(int kind) {
        return kind == CLONE_NEWNET ? "/proc/self/ns/net"
             : kind == CLONE_NEWIPC ? "/proc/self/ns/ipc"
                                    : "/proc/self/ns/user";
}

child_ static long write_own(const char *path, const char *text) {
        size_t n = 0;
        long fd, r;

        while (text[n])
                n++;
        fd = exec_call4(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
        r = fd < 0 ? fd : exec_call3(SYS_write, fd, text, n);
        if (fd >= 0)
                exec_call1(SYS_close, fd);
        return r;
}

child_ static long write_own_maps(const Maker *maker) {
        long r = write_own("/proc/self/setgroups", "deny");

        if (r >= 0)
                r = write_own("/proc/self/uid_map", maker->maps[0]);
        return r < 0 ? r : write_own("/proc/self/gid_map", maker->maps[1]);
}

child_ static long open_own(int kind) {
        return exec_call4(SYS_openat, AT_FDCWD, own_path(kind), O_RDONLY | O_CLOEXEC, 0);
}

child_ int sandbox_namespace_enter_new_network(void) {
        int r = (int) exec_call1(SYS_unshare, CLONE_NEWNET);

        if (r >= 0)
                r = bring_loopback_up();
        return r < 0 ? r : (int) open_own(CLONE_NEWNET);
}

child_ static int make(void *argument) {
        Maker *maker = argument;
        long r = 0;

        if (maker->user_fd >= 0)
                r = exec_call2(SYS_setns, maker->user_fd, CLONE_NEWUSER);
        if (r >= 0 && maker->kind == CLONE_NEWNET)
                r = sandbox_namespace_enter_new_network();
        else if (r >= 0)
                r = exec_call1(SYS_unshare, maker->kind);
        if (r >= 0 && maker->maps[0][0])
                r = write_own_maps(maker);
        if (r >= 0 && maker->kind != CLONE_NEWNET)
                r = open_own(maker->kind);
        maker->fd = (int) r;
        exec_call1(SYS_exit_group, 0);
        return 0;
}

/*
 * Runs the process, which has ended when this returns, but is not reaped. Returns the manager's descriptor, or a
 * negative errno.
 */
static int run(Maker *maker, pid_t *ret_pid) {
        cleanup_free_ void *stack = malloc(STACK_SIZE);
        siginfo_t info;
        int pidfd = -1;

        if (!stack)
                return -ENOMEM;
        maker->fd = -EIO;
        maker->clone = (ExecClone) {
                .run = make, .argument = maker, .stack = stack, .stack_size = STACK_SIZE, .cgroup_fd = -1,
        };
        *ret_pid = exec_clone(&maker->clone, &pidfd);
        if (*ret_pid < 0)
                return *ret_pid;
        if (pidfd >= 0)
                close(pidfd);
        while (waitid(P_PID, (id_t) *ret_pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
                continue;
        return maker->fd;
}

static void reap(pid_t pid) {
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                continue;
}

int sandbox_namespace_make(int kind, int user_fd) {
        Maker maker = { .kind = kind, .user_fd = user_fd };
        pid_t pid = 0;
        int fd = run(&maker, &pid);

        reap(pid);
        return fd;
}

static int write_of(pid_t pid, const char *name, const char *text) {
        char path[64];
        int fd, r = 0;

        snprintf(path, sizeof(path), "/proc/%i/%s", (int) pid, name);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        if (write(fd, text, strlen(text)) < 0)
                r = -errno;
        close(fd);
        return r;
}

static bool is_root_or_unset(uint32_t id) {
        return id == 0 || id == UINT32_MAX;
}

static int write_map(pid_t pid, const char *name, unsigned id) {
        char text[64];

        if (is_root_or_unset(id))
                snprintf(text, sizeof(text), "0 0 1\n");
        else
                snprintf(text, sizeof(text), "0 0 1\n%u %u 1\n", id, id);
        return write_of(pid, name, text);
}

static int write_maps(pid_t pid, uid_t uid, gid_t gid) {
        int r = write_of(pid, "setgroups", "deny");

        if (r == 0)
                r = write_map(pid, "uid_map", uid);
        return r < 0 ? r : write_map(pid, "gid_map", gid);
}

/* @writes_itself: the process writes its own maps, which contain the manager's user and group only. */
static int make_user(bool writes_itself, uid_t uid, gid_t gid) {
        Maker maker = { .kind = CLONE_NEWUSER, .user_fd = -1 };
        pid_t pid = 0;
        int fd, r = 0;

        if (writes_itself) {
                snprintf(maker.maps[0], sizeof(maker.maps[0]), "%u %u 1\n", geteuid(), geteuid());
                snprintf(maker.maps[1], sizeof(maker.maps[1]), "%u %u 1\n", getegid(), getegid());
        }
        fd = run(&maker, &pid);
        if (fd >= 0 && !writes_itself)
                r = write_maps(pid, uid, gid);
        if (r < 0) {
                close(fd);
                fd = r;
        }
        reap(pid);
        return fd;
}

int sandbox_namespace_make_user(uid_t uid, gid_t gid) {
        const bool is_root = geteuid() == 0;
        int fd = make_user(!is_root, uid, gid);

        /* Files of an ended process belong to the machine's root, so root of a user namespace cannot write them. */
        if (fd == -EACCES && is_root && is_root_or_unset(uid) && is_root_or_unset(gid))
                fd = make_user(true, uid, gid);
        return fd;
}

int sandbox_namespace_open(const char *path, int kind) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

        if (fd < 0)
                return -errno;
        if (ioctl(fd, NS_GET_NSTYPE) != kind) {
                close(fd);
                return -EINVAL;
        }
        return fd;
}
