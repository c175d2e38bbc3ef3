/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child that shares the manager's memory
 *
 * clone3() can reset the child's signal handlers at its creation, so none of
 * the manager's ever runs in it, and no signals need to be blocked. The C
 * library does not offer clone3() with a stack for the child, hence the
 * assembly; on other machines, and where the kernel or a filter lacks
 * clone3(), the library's clone() is used with all signals blocked.
 *
 * CLONE_CHILD_CLEARTID is intended for threads, but the kernel acts on it
 * whenever a process leaves a memory that others still use: at execve() and at
 * its end. So no pipe is needed to report it. CLONE_FILES: the child leaves
 * the manager's table itself, without copying descriptors that it would only
 * close (see exec_child.c).
 *
 * CLONE_INTO_CGROUP (since 5.7) saves moving the child, which waits for all
 * processors. If a kernel, filter or hierarchy refuses it, the child moves
 * itself.
 */

#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "basic/clock.h"
#include "exec/exec_clone.h"
#include "exec/exec_syscall.h"

#define SHARED_FLAGS (CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID)

#if EXEC_CALLS_ARE_PRIVATE

/* Does not return in the child. The named registers survive the system call, so the child can use them. */
__attribute__((noinline)) static long clone3_and_run(struct clone_args *args, size_t size, const ExecClone *clone) {
        register int (*run)(void *) __asm__("r12") = clone->run;
        register void *argument __asm__("r13") = clone->argument;
        long result;

        __asm__ volatile("syscall\n\t"
                         "testq %%rax, %%rax\n\t"
                         "jnz 1f\n\t"
                         "xorl %%ebp, %%ebp\n\t"
                         "movq %[argument], %%rdi\n\t"
                         "callq *%[run]\n\t"
                         "hlt\n"
                         "1:"
                         : "=a"(result)
                         : "0"((long) SYS_clone3), "D"(args), "S"(size), [run] "r"(run),
                           [argument] "r"(argument)
                         : "rcx", "r11", "memory", "cc");
        return result;
}

static pid_t clone_without_handlers(const ExecClone *clone, bool into_cgroup, int *ret_pidfd) {
        struct clone_args args = {
                .flags = SHARED_FLAGS | CLONE_PIDFD | CLONE_CLEAR_SIGHAND | (clone->note ? CLONE_PARENT_SETTID : 0),
                .pidfd = (uintptr_t) ret_pidfd,
                .child_tid = (uintptr_t) &clone->is_here,
                .parent_tid = (uintptr_t) clone->note,
                .exit_signal = SIGCHLD,
                .stack = (uintptr_t) clone->stack,
                .stack_size = clone->stack_size,
        };
        long pid;

        if (into_cgroup) {
                args.flags |= CLONE_INTO_CGROUP;
                args.cgroup = (uint64_t) clone->cgroup_fd;
        }
        pid = clone3_and_run(&args, into_cgroup ? CLONE_ARGS_SIZE_VER2 : CLONE_ARGS_SIZE_VER0, clone);
        if (pid == -EMFILE || pid == -ENFILE) {
                args.flags &= ~(uint64_t) CLONE_PIDFD;  /* the child can do without */
                pid = clone3_and_run(&args, into_cgroup ? CLONE_ARGS_SIZE_VER2 : CLONE_ARGS_SIZE_VER0, clone);
        }
        return (pid_t) pid;
}

#else

static pid_t clone_without_handlers(const ExecClone *clone, bool into_cgroup, int *ret_pidfd) {
        return -ENOSYS;
}

#endif

/*
 * clone() has one argument for both the pid and the pidfd. If the pid must be noted, the pidfd is opened afterwards:
 * the pid cannot be reused before, because only this thread reaps its children.
 */
static pid_t clone_with_note(ExecClone *clone_, int flags, char *top, int *ret_pidfd) {
        pid_t pid;

        pid = clone(clone_->run, top, flags | CLONE_PARENT_SETTID, clone_->argument, clone_->note, NULL,
                    &clone_->is_here);
        if (pid > 0)
                *ret_pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
        return pid;
}

static pid_t clone_with_handlers(ExecClone *clone_, int *ret_pidfd) {
        char *top = (char *) clone_->stack + clone_->stack_size;
        const int flags = SHARED_FLAGS | SIGCHLD;
        sigset_t all, old;
        int error;
        pid_t pid;

        clone_->has_handlers = true;
        clone_->must_move = clone_->cgroup_fd >= 0;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &old);
        if (clone_->note)
                pid = clone_with_note(clone_, flags, top, ret_pidfd);
        else
                pid = clone(clone_->run, top, flags | CLONE_PIDFD, clone_->argument, ret_pidfd, NULL, &clone_->is_here);
        if (pid < 0 && !clone_->note && errno == EINVAL)
                pid = clone(clone_->run, top, flags, clone_->argument, NULL, NULL, &clone_->is_here);
        error = errno;
        sigprocmask(SIG_SETMASK, &old, NULL);
        return pid < 0 ? -error : pid;
}

/* The child has a memory of its own, so there is no wait for it to leave the manager's. */
static pid_t fork_and_run(ExecClone *clone_, int *ret_pidfd) {
        sigset_t all, old;
        int error;
        pid_t pid;

        clone_->is_here = 0;
        clone_->has_handlers = true;
        clone_->must_move = clone_->cgroup_fd >= 0;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &old);
        pid = fork();
        error = errno;
        /* The note may be in shared memory, whose readers must know the pid before the program runs. */
        if (pid >= 0 && clone_->note)
                *clone_->note = pid == 0 ? getpid() : pid;
        if (pid == 0)
                _exit(clone_->run(clone_->argument));
        sigprocmask(SIG_SETMASK, &old, NULL);
        if (pid > 0)
                *ret_pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
        return pid < 0 ? -error : pid;
}

pid_t exec_clone(ExecClone *clone_, int *ret_pidfd) {
        pid_t pid;

        *ret_pidfd = -1;
        if (clone_->has_own_memory)
                return fork_and_run(clone_, ret_pidfd);
        clone_->is_here = 1;
        clone_->has_handlers = false;
        clone_->must_move = clone_->cgroup_fd >= 0 && clone_->moves_itself;
        pid = clone_without_handlers(clone_, clone_->cgroup_fd >= 0 && !clone_->must_move, ret_pidfd);
        /* Lack of memory and limits on processes do not depend on the group. */
        if (pid < 0 && pid != -EAGAIN && pid != -ENOMEM && clone_->cgroup_fd >= 0 && !clone_->must_move) {
                clone_->must_move = true;
                pid = clone_without_handlers(clone_, false, ret_pidfd);
        }
        if (pid == -ENOSYS || pid == -EINVAL || pid == -EPERM)
                pid = clone_with_handlers(clone_, ret_pidfd);
        if (pid < 0)
                clone_->is_here = 0;
        return pid;
}

bool exec_clone_is_here(const ExecClone *clone) {
        return __atomic_load_n(&clone->is_here, __ATOMIC_ACQUIRE) != 0;
}

bool exec_clone_has_left_within(const ExecClone *clone, usec_t usec) {
        const usec_t end = clock_monotonic() + usec;

        while (exec_clone_is_here(clone)) {
                const usec_t left = usec_sub(end, clock_monotonic());
                const struct timespec span = {
                        .tv_sec = (time_t) (left / USEC_PER_SEC),
                        .tv_nsec = (long) (left % USEC_PER_SEC) * 1000,
                };

                if (left == 0)
                        return false;
                exec_call4(SYS_futex, &clone->is_here, FUTEX_WAIT, 1, &span);
        }
        return true;
}
