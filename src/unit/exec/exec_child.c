/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The child between clone and exec
 *
 * CLONE_VM without CLONE_SIGHAND, CLONE_FILES and CLONE_FS: memory is ours and
 * shared, everything else is the child's own copy. Rules that follow: no
 * malloc, no stdio, no locks; ids are changed by the bare system calls, since
 * the C library's would change them in all threads of what it believes to be
 * its process; signals stay blocked until our handlers are gone.
 *
 * Order: files are opened before privileges are dropped (a log under /var/log
 * belongs to root), the working directory is entered after (it may lie where
 * only the user may look), descriptors are closed last.
 */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "basic/macro.h"
#include "unit/exec/exec_child.h"

/* Frames of a function that never returns would stay poisoned on a stack that is used again. */
#define child_ __attribute__((no_sanitize("address", "undefined")))

child_ static int set_signals(const ExecChild *child) {
        struct sigaction action = { .sa_handler = SIG_DFL };

        umask(child->request->umask);
        for (int number = 1; number < _NSIG; number++)
                if (number != SIGKILL && number != SIGSTOP)
                        sigaction(number, &action, NULL);       /* fails for the C library's own two */
        if (child->request->flags & EXEC_REQUEST_IGNORE_SIGPIPE) {
                action.sa_handler = SIG_IGN;
                sigaction(SIGPIPE, &action, NULL);
        }
        return 0;
}

child_ static int make_session(const ExecChild *child) {
        return setsid() < 0 ? -errno : 0;
}

/*
 * O_NONBLOCK so that opening never waits for a FIFO's other end; a FIFO that nobody reads is opened both ways, which
 * always works.
 */
child_ static int open_file(const char *path, int flags) {
        int fd, old;

        fd = open(path, flags | O_NOCTTY | O_NONBLOCK, 0666);
        if (fd < 0 && errno == ENXIO && (flags & O_ACCMODE) == O_WRONLY)
                fd = open(path, (flags & ~O_ACCMODE) | O_RDWR | O_NOCTTY | O_NONBLOCK, 0666);
        if (fd < 0)
                return -errno;
        old = fcntl(fd, F_GETFL);
        if (old >= 0)
                fcntl(fd, F_SETFL, old & ~O_NONBLOCK);
        return fd;
}

child_ static int move_fd(int fd, int target) {
        if (fd < 0)
                return fd;
        if (fd == target)
                return 0;
        if (dup2(fd, target) < 0)
                return -errno;
        close(fd);
        return 0;
}

child_ static int open_stream(const ExecStream *stream, int target) {
        switch (stream->kind) {
        case EXEC_STREAM_INHERIT:
                fcntl(target, F_SETFD, 0);
                return 0;
        case EXEC_STREAM_SAME:
                return dup2(STDOUT_FILENO, target) < 0 ? -errno : 0;
        case EXEC_STREAM_NULL:
        case _EXEC_STREAM_MAX:
                return move_fd(open_file("/dev/null", O_WRONLY), target);
        case EXEC_STREAM_FILE:
                return move_fd(open_file(stream->path, O_WRONLY | O_CREAT), target);
        case EXEC_STREAM_APPEND:
                return move_fd(open_file(stream->path, O_WRONLY | O_CREAT | O_APPEND), target);
        case EXEC_STREAM_TRUNCATE:
                return move_fd(open_file(stream->path, O_WRONLY | O_CREAT | O_TRUNC), target);
        }
        return -EINVAL;
}

child_ static int open_stdin(const ExecChild *child) {
        const char *path = child->request->standard_input_file;

        return move_fd(open_file(path ? path : "/dev/null", O_RDONLY), STDIN_FILENO);
}

child_ static int open_stdout(const ExecChild *child) {
        return open_stream(&child->request->standard_output, STDOUT_FILENO);
}

child_ static int open_stderr(const ExecChild *child) {
        if (child->is_one_stream)
                return dup2(STDOUT_FILENO, STDERR_FILENO) < 0 ? -errno : 0;
        return open_stream(&child->request->standard_error, STDERR_FILENO);
}

child_ static int adjust_oom_score(const ExecChild *child) {
        ssize_t n;
        int fd;

        if (!(child->request->flags & EXEC_REQUEST_HAS_OOM_SCORE_ADJUST))
                return 0;
        fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        n = write(fd, child->oom_score_adjust, strlen(child->oom_score_adjust));
        /* To lower it needs a privilege that containers and users don't have; systemd lets that pass, too. */
        if (n < 0 && errno != EACCES && errno != EPERM)
                return -errno;
        close(fd);
        return 0;
}

child_ static int set_nice(const ExecChild *child) {
        if (!(child->request->flags & EXEC_REQUEST_HAS_NICE))
                return 0;
        return setpriority(PRIO_PROCESS, 0, child->request->nice) < 0 ? -errno : 0;
}

child_ static int change_root(const ExecChild *child) {
        if (!child->request->root_directory)
                return 0;
        if (chroot(child->request->root_directory) < 0 || chdir("/") < 0)
                return -errno;
        return 0;
}

child_ static int change_group(const ExecChild *child) {
        const ExecCredentials *credentials = child->credentials;
        gid_t gid = credentials->gid;

        if (credentials->has_groups && syscall(SYS_setgroups, credentials->n_groups, credentials->groups) < 0)
                return -errno;
        if (credentials->has_gid && syscall(SYS_setresgid, gid, gid, gid) < 0)
                return -errno;
        return 0;
}

child_ static int change_user(const ExecChild *child) {
        uid_t uid = child->credentials->uid;

        if (child->credentials->has_uid && syscall(SYS_setresuid, uid, uid, uid) < 0)
                return -errno;
        return 0;
}

child_ static int change_directory(const ExecChild *child) {
        if (chdir(child->directory) == 0)
                return 0;
        if (child->is_directory_optional && chdir("/") == 0)
                return 0;
        return -errno;
}

/* A high soft limit breaks programs that use select() or close all that may be open: it is the manager's alone. */
child_ static void restore_open_files_limit(const ExecChild *child) {
        struct rlimit limit;

        if (child->request->open_files_limit == 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return;
        limit.rlim_cur = MIN((rlim_t) child->request->open_files_limit, limit.rlim_max);
        setrlimit(RLIMIT_NOFILE, &limit);
}

child_ static int close_files(const ExecChild *child) {
        const int kept = STDERR_FILENO + 1;
        struct rlimit limit;

        if (child->line_fd != kept && dup3(child->line_fd, kept, O_CLOEXEC) < 0)
                return -errno;
        restore_open_files_limit(child);
        if (syscall(SYS_close_range, (unsigned) kept + 1, ~0U, 0U) == 0)
                return 0;
        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return -errno;
        for (rlim_t fd = (rlim_t) kept + 1; fd < limit.rlim_cur && fd < 1048576; fd++)
                close((int) fd);
        return 0;
}

child_ static int execute(const ExecChild *child) {
        sigset_t none;
        int error = ENOENT;

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (char *const *path = child->candidates; *path; path++) {
                execve(*path, child->argv, child->environment);
                if (errno == ENOENT || errno == ENOTDIR)
                        continue;
                error = errno;
                if (errno != EACCES)
                        break;
        }
        return -error;
}

static const struct {
        ExecStep step;
        int (*take)(const ExecChild *child);
} steps[] = {
        { EXEC_STEP_SIGNAL_MASK, set_signals },
        { EXEC_STEP_SETSID, make_session },
        { EXEC_STEP_STDIN, open_stdin },
        { EXEC_STEP_STDOUT, open_stdout },
        { EXEC_STEP_STDERR, open_stderr },
        { EXEC_STEP_OOM_ADJUST, adjust_oom_score },
        { EXEC_STEP_NICE, set_nice },
        { EXEC_STEP_CHROOT, change_root },
        { EXEC_STEP_GROUP, change_group },
        { EXEC_STEP_USER, change_user },
        { EXEC_STEP_CHDIR, change_directory },
        { EXEC_STEP_FDS, close_files },
        { EXEC_STEP_EXEC, execute },
};

child_ int exec_child_run(void *argument) {
        ExecChild *child = argument;

        for (size_t i = 0; i < ELEMENTSOF(steps); i++) {
                int r;

                child->step = steps[i].step;
                r = steps[i].take(child);
                if (r < 0) {
                        child->error = -r;
                        break;
                }
        }
        _exit(exec_step_exit_status(child->step));
}
