/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Information from /proc about processes of no unit
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "exec/exec_process.h"

/* Starts a child with this environment, and waits until it has executed its program, which closes its end of a pipe. */
static pid_t start(const char *const *environment) {
        static const char *const argv[] = { "/bin/sleep", "1000", NULL };
        int ends[2];
        pid_t pid;

        cr_assert(pipe2(ends, O_CLOEXEC) == 0);
        pid = fork();
        cr_assert(pid >= 0);
        if (pid == 0) {
                execve(argv[0], (char *const *) argv, (char *const *) environment);
                _exit(127);
        }
        close(ends[1]);
        cr_assert(eq(int, poll(&(struct pollfd) { .fd = ends[0], .events = POLLIN }, 1, -1), 1));
        close(ends[0]);
        return pid;
}

static void end(pid_t pid) {
        kill(pid, SIGKILL);
        cr_assert(eq(int, waitpid(pid, NULL, 0), pid));
}

Test(exec_process, environment_of_another) {
        static const char *const environment[] = { "XA=not this", "A=", "JOBD_UNIT=x.service",
                                                   "INVOCATION_ID=000102030405060708090a0b0c0d0eff", NULL };
        cleanup_free_ char *unit = NULL, *empty = NULL, *none = NULL;
        pid_t pid = start(environment);
        uint8_t id[16] = {};

        cr_assert(eq(int, exec_process_read_variable(pid, "JOBD_UNIT", &unit), 0));
        assert_string(unit, "x.service");
        cr_assert(eq(int, exec_process_read_variable(pid, "A", &empty), 0));
        assert_string(empty, "");
        cr_assert(eq(int, exec_process_read_variable(pid, "JOBD", &none), -ENODATA));
        cr_assert(eq(int, exec_process_read_invocation(pid, id), 0));
        cr_assert(eq(int, id[1], 1));
        cr_assert(eq(int, id[15], 255));
        end(pid);
        cr_assert(eq(int, exec_process_read_variable(pid, "A", &none), -ESRCH));
}

static void *reap(void *pid) {
        cr_assert(waitpid(*(const pid_t *) pid, NULL, 0) > 0);
        return NULL;
}

/* Until it is reaped, the child must be reported with its parent: otherwise a child of the keeper would not count as one. */
Test(exec_process, reaped_while_it_is_read) {
        for (unsigned i = 0; i < 500; i++) {
                ExecProcess process;
                pthread_t thread;
                pid_t pid = fork();
                int r;

                if (pid == 0)
                        _exit(0);
                cr_assert(pid > 0);
                cr_assert(pthread_create(&thread, NULL, reap, &pid) == 0);
                while ((r = exec_process_read(pid, &process)) == 0)
                        cr_assert(process.parent == getpid());
                cr_assert(r == -ESRCH);
                cr_assert(pthread_join(thread, NULL) == 0);
        }
}

/* A stopped process and a sleeping one do not wait for a processor. */
Test(exec_process, who_wants_a_processor) {
        pid_t pid = fork();
        siginfo_t info;

        cr_assert(pid >= 0);
        if (pid == 0)
                for (;;)
                        continue;
        cr_assert(exec_process_wants_processor(pid));
        kill(pid, SIGSTOP);
        cr_assert(eq(int, waitid(P_PID, (id_t) pid, &info, WSTOPPED), 0));
        cr_assert(not(exec_process_wants_processor(pid)));
        kill(pid, SIGCONT);
        cr_assert(exec_process_wants_processor(pid));
        kill(pid, SIGKILL);
        cr_assert(eq(int, waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0));
        cr_assert(not(exec_process_wants_processor(pid)));
        end(pid);
        cr_assert(not(exec_process_wants_processor(pid)));
}

Test(exec_process, invocation_that_is_none) {
        static const char *const environments[][2] = { { "INVOCATION_ID=12", NULL },
                                                       { "INVOCATION_ID=zz0102030405060708090a0b0c0d0e0f", NULL },
                                                       { NULL, NULL } };

        for (size_t i = 0; i < ELEMENTSOF(environments); i++) {
                pid_t pid = start(environments[i]);
                uint8_t id[16];

                cr_assert(eq(int, exec_process_read_invocation(pid, id), -ENODATA));
                end(pid);
        }
}

Test(exec_process, owner) {
        uid_t uid = 12345;
        ExecPids all = {};
        bool is_there = false;

        cr_assert(eq(int, exec_process_read_owner(getpid(), &uid), 0));
        cr_assert(eq(int, (int) uid, (int) getuid()));
        cr_assert(eq(int, exec_process_list_all(&all), 0));
        for (size_t i = 0; i < all.n; i++)
                is_there = is_there || all.items[i] == getpid();
        cr_assert(is_there);
        vector_deinit(&all);
}
