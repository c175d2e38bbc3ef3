/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starting a process
 *
 * One vfork-like child: clone with CLONE_VM copies no page tables, so it costs
 * the same for a manager of any size. It leaves its last step and errno in
 * shared memory, and a pipe tells when it is done with that. vfork() itself
 * would wait for ever: for a file system that does not answer, or for a child
 * that is its user's already and that this user has stopped. A child that is
 * killed half-way leaves no errno; it counts as started, and its end is
 * learned as any other's.
 *
 * Everything that may allocate, look up names or read files is done before
 * the clone. Memory marked "not dumpable" by a child that changed its user
 * (the kernel does so, since the memory is shared: else that user could trace
 * it) is made dumpable again afterwards.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/exec/exec_child.h"
#include "unit/exec/exec_environment.h"
#include "unit/exec/exec_expand.h"

#define STACK_SIZE ((size_t) 256 * 1024)
#define STACK_GUARD ((size_t) 64 * 1024)

/* How long a child may take to its program: so many looks at it, and the time between two. */
#define LOOKS_MAX 250
#define LOOK_MSEC 20
/* For one that has been killed to be gone. */
#define KILL_MSEC 1000

/* All that is made for one spawn. */
typedef struct Preparation {
        ExecCredentials credentials;
        char **environment;
        char **argv;
        char **candidates;
        ExecChild child;
} Preparation;

static void preparation_deinit(Preparation *preparation) {
        exec_credentials_deinit(&preparation->credentials);
        strv_free(preparation->environment);
        strv_free(preparation->argv);
        strv_free(preparation->candidates);
}

void exec_request_deinit(ExecRequest *request) {
        strv_free(request->own_environment);
        *request = (ExecRequest) {};
}

/* A name without a slash is looked for in the fixed path, not in the environment's: units mean the same everywhere. */
static int list_candidates(const char *path, char ***ret_candidates) {
        cleanup_(strv_freep) char **folders = NULL;
        cleanup_(strv_freep) char **candidates = NULL;
        int r;

        if (strchr(path, '/'))
                return strv_push(ret_candidates, path);
        r = strv_split(EXEC_DEFAULT_PATH, ":", &folders);
        if (r < 0)
                return r;
        strv_foreach(folder, folders) {
                cleanup_free_ char *candidate = NULL;

                if (text_format(&candidate, "%s/%s", *folder, path) < 0)
                        return -ENOMEM;
                r = strv_push(&candidates, candidate);
                if (r < 0)
                        return r;
        }
        *ret_candidates = take_ptr(candidates);
        return 0;
}

static int list_arguments(const ExecRequest *request, char *const *environment, char ***ret_argv) {
        if (request->flags & EXEC_REQUEST_NO_EXPANSION)
                return strv_copy(request->argv, ret_argv);
        return exec_expand_argv(request->argv, environment, ret_argv);
}

/* NULL, with the result set, if "~" is asked for and the user has no home. */
static const char *choose_directory(const ExecRequest *request, const Preparation *preparation, ExecResult *result) {
        const char *home = preparation->credentials.home;

        if (!home)
                home = exec_environment_get(preparation->environment, "HOME", strlen("HOME"));
        if (!request->working_directory)
                return request->is_user_manager && home ? home : "/";
        if (strcmp(request->working_directory, "~") != 0)
                return request->working_directory;
        if (!home)
                exec_result_set(result, EXEC_STEP_CHDIR, ENOENT, "the user has no home");
        return home;
}

static bool is_one_stream(const ExecRequest *request) {
        const ExecStream *output = &request->standard_output, *error = &request->standard_error;

        return output->kind == error->kind && output->path && text_equal(output->path, error->path);
}

static int prepare(const ExecRequest *request, Preparation *preparation, ExecResult *result) {
        const char *directory;
        int r;

        r = exec_credentials_resolve(request, &preparation->credentials, result);
        if (r < 0)
                return r;
        r = exec_environment_build(request, &preparation->credentials, &preparation->environment, result);
        if (r < 0)
                return r;
        directory = choose_directory(request, preparation, result);
        if (!directory)
                return -ENOENT;
        r = list_candidates(request->path, &preparation->candidates);
        if (r == 0)
                r = list_arguments(request, preparation->environment, &preparation->argv);
        if (r < 0) {
                exec_result_set(result, EXEC_STEP_RESOURCES, r, "cannot prepare the command line");
                return r;
        }

        preparation->child = (ExecChild) {
                .request = request,
                .credentials = &preparation->credentials,
                .candidates = preparation->candidates,
                .argv = preparation->argv,
                .environment = preparation->environment,
                .directory = directory,
                /* A user without a home has services, too. */
                .is_directory_optional = !request->working_directory ||
                                         request->flags & EXEC_REQUEST_DIRECTORY_OPTIONAL,
                .is_one_stream = is_one_stream(request),
        };
        snprintf(preparation->child.oom_score_adjust, sizeof(preparation->child.oom_score_adjust), "%i",
                 request->oom_score_adjust);
        return 0;
}

/* Until the child has its program, or has ended: 0, -ECANCELED if somebody stopped it, or -ETIME. */
static int wait_for_program(pid_t pid, int line_fd) {
        struct pollfd line = { .fd = line_fd };

        for (int i = 0; i < LOOKS_MAX; i++) {
                siginfo_t info = {};

                if (poll(&line, 1, LOOK_MSEC) > 0)
                        return 0;
                if (waitid(P_PID, (id_t) pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == pid)
                        return -ECANCELED;
        }
        return -ETIME;
}

/* One that hangs in the kernel for good stays a child to be reaped; it does not come back to our memory, either. */
static void give_up_child(ExecChild *child, pid_t pid, int line_fd, int error) {
        struct pollfd line = { .fd = line_fd };

        kill(pid, SIGKILL);
        child->is_stuck = poll(&line, 1, KILL_MSEC) <= 0;
        child->error = -error;
}

/* Signals are blocked as long as there are two in our memory: a handler would run in both. */
static pid_t clone_child(ExecChild *child, char *stack, int line_fd, int *ret_pidfd) {
        const int flags = CLONE_VM | SIGCHLD;
        sigset_t all, old;
        int error, r;
        pid_t pid;

        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &old);
        *ret_pidfd = -1;
        pid = clone(exec_child_run, stack + STACK_GUARD + STACK_SIZE, flags | CLONE_PIDFD, child, ret_pidfd);
        if (pid < 0 && errno == EINVAL)
                pid = clone(exec_child_run, stack + STACK_GUARD + STACK_SIZE, flags, child);
        error = pid < 0 ? errno : 0;
        close(child->line_fd);
        r = pid > 0 ? wait_for_program(pid, line_fd) : 0;
        if (r < 0)
                give_up_child(child, pid, line_fd, r);
        sigprocmask(SIG_SETMASK, &old, NULL);
        return pid < 0 ? -error : pid;
}

static pid_t start_on_stack(ExecChild *child, int *ret_pidfd, char *stack) {
        int line[2];
        pid_t pid;

        if (mprotect(stack, STACK_GUARD, PROT_NONE) < 0 || pipe2(line, O_CLOEXEC) < 0)
                return -errno;
        child->line_fd = line[1];
        pid = clone_child(child, stack, line[0], ret_pidfd);
        close(line[0]);
        return pid;
}

/* The new pid, or a negative errno. */
static pid_t start(ExecChild *child, int *ret_pidfd) {
        int was_dumpable = prctl(PR_GET_DUMPABLE);
        char *stack;
        pid_t pid;

        stack = mmap(NULL, STACK_GUARD + STACK_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED)
                return -errno;
        pid = start_on_stack(child, ret_pidfd, stack);
        munmap(stack, STACK_GUARD + STACK_SIZE);
        if (was_dumpable == 1 && prctl(PR_GET_DUMPABLE) != 1)
                prctl(PR_SET_DUMPABLE, 1);
        return pid;
}

static const char *group_or_user(const ExecRequest *request) {
        return request->group ? request->group : request->user ? request->user : "the wanted groups";
}

/* A script whose interpreter is missing gives the same errno as a missing file. */
static void describe_exec(const ExecRequest *request, int error, ExecResult *result) {
        const char *path = request->path;

        if (error == ENOENT && !strchr(path, '/'))
                exec_result_set(result, EXEC_STEP_EXEC, error, "cannot find %s in " EXEC_DEFAULT_PATH, path);
        else if (error == ENOENT && !request->root_directory && access(path, F_OK) == 0)
                exec_result_set(result, EXEC_STEP_EXEC, error,
                                "cannot execute %s, which is there, but not its interpreter", path);
        else
                exec_result_set(result, EXEC_STEP_EXEC, error, "cannot execute %s", path);
}

static void describe(const ExecChild *child, ExecResult *result) {
        const ExecRequest *request = child->request;
        ExecStep step = child->step;
        int error = child->error;

        if (error == ECANCELED) {
                exec_result_set(result, step, error, "the process was stopped by a signal before its program ran");
                return;
        }
        switch (step) {
        case EXEC_STEP_STDIN:
                exec_result_set(result, step, error, "cannot open %s",
                                request->standard_input_file ? request->standard_input_file : "/dev/null");
                break;
        case EXEC_STEP_STDOUT:
                exec_result_set(result, step, error, "cannot open %s",
                                request->standard_output.path ? request->standard_output.path : "/dev/null");
                break;
        case EXEC_STEP_STDERR:
                exec_result_set(result, step, error, "cannot open %s",
                                request->standard_error.path ? request->standard_error.path : "/dev/null");
                break;
        case EXEC_STEP_CHROOT:
                exec_result_set(result, step, error, "cannot enter %s", request->root_directory);
                break;
        case EXEC_STEP_CHDIR:
                exec_result_set(result, step, error, "cannot enter %s", child->directory);
                break;
        case EXEC_STEP_GROUP:
                exec_result_set(result, step, error, "cannot change to %s", group_or_user(request));
                break;
        case EXEC_STEP_USER:
                exec_result_set(result, step, error, "cannot change to %s", request->user ? request->user : "the user");
                break;
        case EXEC_STEP_EXEC:
                describe_exec(request, error, result);
                break;
        case EXEC_STEP_NICE:
                exec_result_set(result, step, error, "cannot set it to %i", request->nice);
                break;
        case EXEC_STEP_OOM_ADJUST:
                exec_result_set(result, step, error, "cannot adjust it by %s", child->oom_score_adjust);
                break;
        case EXEC_STEP_NONE:
        case EXEC_STEP_RESOURCES:
        case EXEC_STEP_ENVIRONMENT:
        case EXEC_STEP_SIGNAL_MASK:
        case EXEC_STEP_SETSID:
        case EXEC_STEP_FDS:
        case _EXEC_STEP_MAX:
                exec_result_set(result, step, error, "cannot be set up");
                break;
        }
}

/* It is on its way out, and nobody else knows of it. */
static void reap(const ExecChild *child, pid_t pid, int pidfd) {
        while (waitpid(pid, NULL, child->is_stuck ? WNOHANG : 0) < 0 && errno == EINTR)
                ;
        if (pidfd >= 0)
                close(pidfd);
}

int exec_spawn(const ExecRequest *request, pid_t *ret_pid, int *ret_pidfd, ExecResult *ret_result) {
        cleanup_(preparation_deinit) Preparation preparation = {};
        int pidfd = -1, r;
        pid_t pid;

        assert(request && request->path && request->argv && request->argv[0]);
        assert(ret_pid && ret_pidfd && ret_result);

        *ret_result = (ExecResult) {};
        r = prepare(request, &preparation, ret_result);
        if (r < 0)
                return r;
        pid = start(&preparation.child, &pidfd);
        if (pid < 0) {
                exec_result_set(ret_result, EXEC_STEP_RESOURCES, pid, "cannot make a process");
                return pid;
        }

        ret_result->pid = pid;
        ret_result->uid = preparation.credentials.has_uid ? preparation.credentials.uid : (uid_t) -1;
        ret_result->gid = preparation.credentials.has_gid ? preparation.credentials.gid : (gid_t) -1;
        if (preparation.child.error != 0) {
                describe(&preparation.child, ret_result);
                reap(&preparation.child, pid, pidfd);
                return -ret_result->error;
        }
        *ret_pid = pid;
        *ret_pidfd = pidfd;
        return 0;
}
