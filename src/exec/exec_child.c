/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The child between clone and exec
 *
 * CLONE_VM and CLONE_FILES without CLONE_SIGHAND and CLONE_FS: memory and
 * descriptors are shared, everything else is a copy. The manager does not wait
 * in the meantime, and further children may be on their way. Therefore: no
 * malloc, no stdio, no locks, no errno, and of the C library only functions
 * that compute; nothing is written but the child's stack and its ExecChild.
 *
 * Order: first the child leaves the manager's table of descriptors and sets up
 * its first three; files are opened before privileges are dropped (a log under
 * /var/log belongs to root); the working directory is entered after (it may be
 * accessible to the user only).
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_child_private.h"
#include "exec/exec_descriptor.h"
#include "exec/exec_pam.h"
#include "exec/sandbox.h"

/* The kernel's struct, which differs from the C library's. */
typedef struct SignalAction {
        void (*handler)(int number);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
} SignalAction;

#define SIGNALS 64

/* <asm/signal.h> cannot be included beside <signal.h>. */
#define SA_RESTORER 0x04000000

/*
 * Programs that use select(), or close all possible descriptors, break with a high soft limit: it is for the manager
 * only.
 */
child_ static void restore_open_files_limit(const ExecChild *child) {
        struct rlimit limit = {};

        if (child->request->open_files_limit == 0 ||
            exec_call4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0)
                return;
        limit.rlim_cur = MIN((rlim_t) child->request->open_files_limit, limit.rlim_max);
        exec_call4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
}

/*
 * Moves the child if the kernel could not clone it into the group. A failure ends the child, because its limits and
 * filters would be missing.
 */
child_ static int enter_cgroup(const ExecChild *child) {
        long fd, r;

        if (!child->clone.must_move)
                return 0;
        fd = exec_call4(SYS_openat, child->clone.cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC, 0);
        r = fd < 0 ? fd : exec_call3(SYS_write, fd, "0", 1);
        return (int) MIN(r, 0);
}

/* The table is the manager's until it is unshared, which copies only the descriptors that are kept. */
child_ static int part_from_files(const ExecChild *child) {
        const unsigned kept = STDERR_FILENO + 1;
        struct rlimit limit = {};
        int r;

        if (child->n_places > 0) {
                r = exec_descriptor_place(child);
                restore_open_files_limit(child);
                return r;
        }
        if (exec_call3(SYS_close_range, kept, ~0U, CLOSE_RANGE_UNSHARE) < 0) {
                r = (int) exec_call1(SYS_unshare, CLONE_FILES);
                if (r == 0)
                        r = (int) exec_call4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
                if (r < 0)
                        return r;
                for (rlim_t fd = kept; fd < limit.rlim_cur && fd < 1048576; fd++)
                        exec_call1(SYS_close, fd);
        }
        restore_open_files_limit(child);
        return 0;
}

/* The kernel has reset handlers at the clone; where it cannot, the child does. Ignored signals stay ignored. */
child_ static int set_signals(const ExecChild *child) {
        SignalAction action = { .handler = SIG_DFL };
        uint64_t numbers = child->clone.has_handlers ? ~UINT64_C(0) : child->ignored_signals;
        bool ignores_sigpipe = child->request->flags & EXEC_REQUEST_IGNORE_SIGPIPE;

        exec_call1(SYS_umask, child->request->umask);
        if (ignores_sigpipe)
                numbers &= ~(UINT64_C(1) << (SIGPIPE - 1));
        for (int number = 1; number <= SIGNALS; number++)
                if (numbers & UINT64_C(1) << (number - 1))
                        exec_call4(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
        if (ignores_sigpipe) {
                action.handler = SIG_IGN;
                exec_call4(SYS_rt_sigaction, SIGPIPE, &action, NULL, sizeof(action.mask));
        }
        return 0;
}

child_ static int make_session(const ExecChild *child) {
        long r = exec_call1(SYS_setsid, 0);

        return r < 0 ? (int) r : 0;
}

child_ static int open_path(const char *path, int flags) {
        return (int) exec_call4(SYS_openat, AT_FDCWD, path, flags | O_NOCTTY, 0666);
}

/*
 * O_NONBLOCK, so that opening never waits for the other end of a FIFO; a FIFO without a reader is opened for both
 * reading and writing, which always succeeds.
 */
child_ static int open_file(const char *path, int flags) {
        long old;
        int fd;

        fd = open_path(path, flags | O_NONBLOCK);
        if (fd == -ENXIO && (flags & O_ACCMODE) == O_WRONLY)
                fd = open_path(path, (flags & ~O_ACCMODE) | O_RDWR | O_NONBLOCK);
        if (fd < 0)
                return fd;
        old = exec_call2(SYS_fcntl, fd, F_GETFL);
        if (old >= 0)
                exec_call3(SYS_fcntl, fd, F_SETFL, old & ~O_NONBLOCK);
        return fd;
}

child_ static int copy_fd(int fd, int target) {
        long r = exec_call3(SYS_dup3, fd, target, 0);

        return r < 0 ? (int) r : 0;
}

/*
 * Opens @path as @target, which is closed before; mostly the kernel then chooses that number itself. NULL: /dev/null.
 */
child_ static int open_at(int target, const char *path, int flags) {
        int fd, r;

        exec_call1(SYS_close, target);
        fd = path ? open_file(path, flags) : open_path("/dev/null", flags);
        if (fd < 0 || fd == target)
                return MIN(fd, 0);
        r = copy_fd(fd, target);
        exec_call1(SYS_close, fd);
        return r;
}

/* A process without its log runs all the same, and its output is lost. */
child_ static int open_nothing(int target) {
        return open_at(target, NULL, O_WRONLY);
}

/* Connects by journald's native protocol: some lines that identify the stream, then the output. */
child_ static int connect_log(const ExecStream *stream, int target) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        const size_t n = strlen(stream->path), header_length = strlen(stream->header);
        long fd, r;

        if (n >= sizeof(address.sun_path))
                return open_nothing(target);
        for (size_t i = 0; i < n; i++)
                address.sun_path[i] = stream->path[i];
        exec_call1(SYS_close, target);
        fd = exec_call3(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
        if (fd < 0)
                return open_nothing(target);
        r = exec_call3(SYS_connect, fd, &address, sizeof(address));
        if (r == 0)
                r = exec_call3(SYS_write, fd, stream->header, header_length);
        if (r == (long) header_length)
                r = fd == target ? 0 : copy_fd((int) fd, target);
        else
                r = -EPIPE;
        if (fd != target)
                exec_call1(SYS_close, fd);
        return r < 0 ? open_nothing(target) : 0;
}

/* The manager holds the reading end, so this does not wait. */
child_ static int open_log(const ExecStream *stream, int target) {
        int fd, r;

        if (stream->header)
                return connect_log(stream, target);
        exec_call1(SYS_close, target);
        fd = stream->path ? open_path(stream->path, O_WRONLY) : -ENOENT;
        if (fd < 0)
                return open_nothing(target);
        if (fd == target)
                return 0;
        r = copy_fd(fd, target);
        exec_call1(SYS_close, fd);
        return r;
}

child_ static int open_stream(const ExecStream *stream, int target) {
        switch (stream->kind) {
        case EXEC_STREAM_LOG:
                return open_log(stream, target);
        case EXEC_STREAM_DEFAULT:
        case EXEC_STREAM_INHERIT:
                exec_call3(SYS_fcntl, target, F_SETFD, 0);
                return 0;
        case EXEC_STREAM_SAME:
                return copy_fd(STDOUT_FILENO, target);
        case EXEC_STREAM_FD:
                return 0;       /* already in place */
        case EXEC_STREAM_NULL:
        case _EXEC_STREAM_MAX:
                return open_at(target, NULL, O_WRONLY);
        case EXEC_STREAM_FILE:
                return open_at(target, stream->path, O_WRONLY | O_CREAT);
        case EXEC_STREAM_APPEND:
                return open_at(target, stream->path, O_WRONLY | O_CREAT | O_APPEND);
        case EXEC_STREAM_TRUNCATE:
                return open_at(target, stream->path, O_WRONLY | O_CREAT | O_TRUNC);
        }
        return -EINVAL;
}

/* The process's user may open the terminal again, and others may write to that user, as after a login. */
child_ static void give_terminal(const ExecCredentials *credentials) {
        if (credentials->has_uid && exec_call2(SYS_fchmod, STDIN_FILENO, 0620) >= 0)
                exec_call5(SYS_fchownat, STDIN_FILENO, "", credentials->uid, (gid_t) -1, AT_EMPTY_PATH);
}

/*
 * O_NONBLOCK, because a serial line may wait for a carrier. A hangup takes the terminal from all that had it open,
 * including the child.
 */
child_ static int open_terminal(const ExecChild *child) {
        int r = open_at(STDIN_FILENO, child->request->tty, O_RDWR);

        if (r >= 0 && child->extra && child->extra->terms->tty_hangup) {
                exec_call3(SYS_ioctl, STDIN_FILENO, TIOCVHANGUP, 0);
                r = open_at(STDIN_FILENO, child->request->tty, O_RDWR);
        }
        if (r >= 0 && child->extra)
                exec_child_set_terminal(child);

        if (r >= 0)
                r = (int) exec_call3(SYS_ioctl, STDIN_FILENO, TIOCSCTTY, child->request->takes_tty);
        if (r >= 0)
                give_terminal(child->credentials);
        return r;
}

child_ static int open_stdin(const ExecChild *child) {
        if (child->request->tty)
                return open_terminal(child);
        if (child->has_input)
                return 0;       /* already in place */
        if (child->request->inherits_standard_input) {
                exec_call3(SYS_fcntl, STDIN_FILENO, F_SETFD, 0);
                return 0;
        }
        return open_at(STDIN_FILENO, child->request->standard_input_file, O_RDONLY);
}

child_ static int open_stdout(const ExecChild *child) {
        if (child->request->tty && child->request->standard_output.kind == EXEC_STREAM_INHERIT)
                return copy_fd(STDIN_FILENO, STDOUT_FILENO);
        return open_stream(&child->request->standard_output, STDOUT_FILENO);
}

child_ static int open_stderr(const ExecChild *child) {
        if (child->is_one_stream)
                return copy_fd(STDOUT_FILENO, STDERR_FILENO);
        if (child->request->tty && child->request->standard_error.kind == EXEC_STREAM_INHERIT)
                return copy_fd(STDIN_FILENO, STDERR_FILENO);
        return open_stream(&child->request->standard_error, STDERR_FILENO);
}

child_ static int adjust_oom_score(const ExecChild *child) {
        long fd, r;

        if (!(child->request->flags & EXEC_REQUEST_HAS_OOM_SCORE_ADJUST))
                return 0;
        fd = open_path("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
        if (fd < 0)
                return (int) fd;
        r = exec_call3(SYS_write, fd, child->oom_score_adjust, child->oom_score_adjust_length);
        /* Lowering the value needs a privilege that containers and users lack; systemd ignores the failure, too. */
        if (r < 0 && r != -EACCES && r != -EPERM)
                return (int) r;
        exec_call1(SYS_close, fd);
        return 0;
}

child_ static int set_nice(const ExecChild *child) {
        if (!(child->request->flags & EXEC_REQUEST_HAS_NICE))
                return 0;
        return (int) exec_call3(SYS_setpriority, PRIO_PROCESS, 0, child->request->nice);
}

/*
 * Enters the user namespace first where only that permits the other namespaces. Namespace descriptors are still in the
 * manager's table.
 */
child_ static int enter_first_user(const ExecChild *child) {
        SandboxPlan *plan = child->sandbox;

        return plan && plan->enters_user_first ? sandbox_child_enter_user(plan) : 0;
}

child_ static int enter_network(const ExecChild *child) {
        return child->sandbox ? sandbox_child_enter_network(child->sandbox) : 0;
}

child_ static int enter_ipc(const ExecChild *child) {
        return child->sandbox ? sandbox_child_enter_ipc(child->sandbox) : 0;
}

child_ static int make_sandbox(const ExecChild *child) {
        return child->sandbox ? sandbox_child_mount(child->sandbox) : 0;
}

/* Enters the user namespace last, because devices and groups must be made outside of it. */
child_ static int enter_last_user(const ExecChild *child) {
        SandboxPlan *plan = child->sandbox;

        return plan && !plan->enters_user_first ? sandbox_child_enter_user(plan) : 0;
}

child_ static int change_root(const ExecChild *child) {
        long r = 0;

        if (child->sandbox && child->sandbox->has_mounts && child->sandbox->missing == 0)
                return 0;
        if (child->request->root_directory)
                r = exec_call1(SYS_chroot, child->request->root_directory);
        if (child->request->root_directory && r == 0)
                r = exec_call1(SYS_chdir, "/");
        return (int) r;
}

/* Raw system calls: the C library's functions would change the ids in all threads of what it takes for its process. */
child_ static int change_group(const ExecChild *child) {
        const ExecCredentials *credentials = child->credentials;
        gid_t gid = credentials->gid;
        long r = 0;

        if (credentials->has_groups)
                r = exec_call2(EXEC_SETGROUPS, credentials->n_groups, credentials->groups);
        if (r == 0 && credentials->has_gid)
                r = exec_call3(EXEC_SETRESGID, gid, gid, gid);
        return (int) r;
}

child_ static void end_without_dump(int number) {
        exec_call2(SYS_kill, exec_call1(SYS_getpid, 0), SIGKILL);
}

/*
 * From here on the user may send signals, and before Linux 5.16 a signal that dumps core kills all processes that share
 * the memory. execve() restores the defaults.
 */
child_ static void forgo_dumps(void) {
        static const uint8_t numbers[] = {
                SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS, SIGSYS, SIGXCPU, SIGXFSZ,
        };
        /* The handler never returns through the restorer, but some machines require one. */
        const SignalAction action = {
                .handler = end_without_dump,
                .flags = SA_RESTORER,
                .restorer = (void (*)(void)) end_without_dump,
        };

        for (size_t i = 0; i < ELEMENTSOF(numbers); i++)
                exec_call4(SYS_rt_sigaction, numbers[i], &action, NULL, sizeof(action.mask));
}

child_ static int change_user(const ExecChild *child) {
        uid_t uid = child->credentials->uid;

        if (!child->credentials->has_uid)
                return 0;
        forgo_dumps();
        return (int) exec_call3(EXEC_SETRESUID, uid, uid, uid);
}

child_ static int change_directory(const ExecChild *child) {
        long r = exec_call1(SYS_chdir, child->directory);

        if (r < 0 && child->is_directory_optional && exec_call1(SYS_chdir, "/") == 0)
                r = 0;
        return (int) r;
}

/* Done before filters are loaded, which may deny every call that starting a program does not need. */
child_ static int get_ready(const ExecChild *child) {
        const uint64_t mask = child->request->flags & EXEC_REQUEST_BLOCK_SIGNALS ? UINT64_MAX : 0;

        exec_descriptor_tell_pid(child);
        exec_call4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
        return 0;
}

/*
 * A child that opens a session has a memory of its own: the rules of this file do not apply to it. PAM modules may
 * change the limits set before.
 */
static int open_session(ExecChild *child) {
        int r;

        if (!child->extra->opens_session)
                return 0;
        r = exec_child_set_limits(child);
        return r < 0 ? r : exec_pam_open(child);
}

child_ static int set_limits(ExecChild *child) {
        return child->extra->opens_session ? 0 : exec_child_set_limits(child);
}

/*
 * A child with a memory of its own reports its failure itself, because its ExecChild is not shared. The rules of this
 * file do not apply to it.
 */
__attribute__((noinline)) static void tell(const ExecChild *child) {
        ExecResult result = {};

        exec_child_describe(child, &result);
        (void) !dprintf(STDERR_FILENO, "<3>%s\n", result.message);
}

child_ static int execute(const ExecChild *child) {
        int error = -ENOENT;

        for (char *const *path = child->candidates; *path; path++) {
                int r = (int) exec_call3(SYS_execve, *path, child->argv, child->environment);

                if (r == -ENOENT || r == -ENOTDIR)
                        continue;
                error = r;
                if (r != -EACCES)
                        break;
        }
        return error;
}

static const struct {
        ExecStep step;
        int (*take)(const ExecChild *child);
        int (*take_extra)(ExecChild *child);            /* only with an ExecExtra */
} steps[] = {
        { EXEC_STEP_CGROUP, enter_cgroup, NULL },
        { EXEC_STEP_USER, enter_first_user, NULL },
        { EXEC_STEP_NETWORK, enter_network, NULL },
        { EXEC_STEP_NAMESPACE, enter_ipc, NULL },
        { EXEC_STEP_FDS, part_from_files, NULL },
        { EXEC_STEP_RUNTIME_DIRECTORY, exec_child_make_own_folder, NULL },
        { EXEC_STEP_SIGNAL_MASK, set_signals, NULL },
        { EXEC_STEP_SETSID, make_session, NULL },
        { EXEC_STEP_STDIN, open_stdin, NULL },
        { EXEC_STEP_STDOUT, open_stdout, NULL },
        { EXEC_STEP_STDERR, open_stderr, NULL },
        { EXEC_STEP_OOM_ADJUST, adjust_oom_score, NULL },
        { EXEC_STEP_LIMITS, NULL, exec_child_set_coredump_filter },
        { EXEC_STEP_NICE, set_nice, NULL },
        { EXEC_STEP_SETSCHEDULER, NULL, exec_child_set_scheduler },
        { EXEC_STEP_CPUAFFINITY, NULL, exec_child_set_affinity },
        { EXEC_STEP_NUMA_POLICY, NULL, exec_child_set_numa_policy },
        { EXEC_STEP_IOPRIO, NULL, exec_child_set_io_priority },
        { EXEC_STEP_TIMERSLACK, NULL, exec_child_set_timer_slack },
        { EXEC_STEP_PERSONALITY, NULL, exec_child_set_personality },
        { EXEC_STEP_RUNTIME_DIRECTORY, exec_child_make_places, NULL },
        { EXEC_STEP_STATE_DIRECTORY, exec_child_make_common_folder, NULL },
        { EXEC_STEP_RUNTIME_DIRECTORY, NULL, exec_child_make_directories },
        { EXEC_STEP_CREDENTIALS, NULL, exec_child_make_secrets },
        { EXEC_STEP_KEYRING, NULL, exec_child_make_session_keyring },
        { EXEC_STEP_PAM, NULL, open_session },
        { EXEC_STEP_NONE, NULL, exec_child_set_labels },
        { EXEC_STEP_NAMESPACE, make_sandbox, NULL },
        { EXEC_STEP_CHROOT, change_root, NULL },
        { EXEC_STEP_LIMITS, NULL, set_limits },
        { EXEC_STEP_GROUP, change_group, NULL },
        { EXEC_STEP_USER, enter_last_user, NULL },
        { EXEC_STEP_CAPABILITIES, NULL, exec_child_limit_capabilities },
        { EXEC_STEP_USER, change_user, NULL },
        { EXEC_STEP_KEYRING, exec_child_make_keyring, NULL },
        { EXEC_STEP_CAPABILITIES, NULL, exec_child_raise_capabilities },
        { EXEC_STEP_CHDIR, change_directory, NULL },
        { EXEC_STEP_SECUREBITS, NULL, exec_child_set_secure_bits },
        { EXEC_STEP_NO_NEW_PRIVILEGES, NULL, exec_child_forgo_privileges },
        { EXEC_STEP_EXEC, get_ready, NULL },
        { EXEC_STEP_SECCOMP, NULL, exec_child_load_filters },
        { EXEC_STEP_EXEC, execute, NULL },
};

child_ int exec_child_run(void *argument) {
        ExecChild *child = argument;

        for (size_t i = 0; i < ELEMENTSOF(steps); i++) {
                int r;

                if (!steps[i].take && !child->extra)
                        continue;
                child->step = steps[i].step;
                child->what = NULL;
                r = steps[i].take ? steps[i].take(child) : steps[i].take_extra(child);
                if (r < 0) {
                        child->error = -r;
                        if (child->clone.has_own_memory)
                                tell(child);
                        break;
                }
        }
        for (;;)
                exec_call1(SYS_exit_group, exec_step_exit_status(child->step));
}
