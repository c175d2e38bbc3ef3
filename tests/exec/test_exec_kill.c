/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding and signalling a unit's processes
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/macro.h"
#include "exec/exec_kill.h"
#include "exec_fixture.h"

static const uint8_t invocation[16] = { 0xab, 0xcd, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
static const uint8_t other_invocation[16] = { 1 };

static void tag(Fixture *fixture) {
        fixture->request.own_environment = calloc(2, sizeof(char *));
        fixture->request.own_environment[0] = strdup("INVOCATION_ID=abcd0102030405060708090a0b0c0d0e");
}

/* Starts the script and waits until its processes have written @n times "x" to their FIFO. */
static pid_t start(Fixture *fixture, size_t n, int *ret_pidfd) {
        pid_t pid = 0;
        int fd, r;

        tag(fixture);
        cr_assert(mkfifo(fixture->output, 0600) == 0);
        fd = open(fixture->output, O_RDWR | O_CLOEXEC);
        cr_assert(fd >= 0);
        r = exec_spawn(&fixture->request, &pid, ret_pidfd, &fixture->result);
        cr_assert(r == 0, "%s", fixture->result.message);
        while (n > 0) {
                char c;

                cr_assert(read(fd, &c, 1) == 1);
                n -= c == 'x';
        }
        close(fd);
        return pid;
}

static void reap(pid_t pid, int expected_signal) {
        int status;

        cr_assert(waitpid(pid, &status, 0) == pid);
        cr_assert(eq(int, WIFSIGNALED(status) ? WTERMSIG(status) : 0, expected_signal));
}

Test(exec_kill, process_that_is_gone_is_not_hit) {
        FIXTURE("echo x; exec sleep 1000");
        int pidfd = -1;
        pid_t pid = start(&fixture, 1, &pidfd);

        cr_assert(eq(int, exec_kill(pid, pidfd, SIGTERM, true), 0));
        reap(pid, SIGTERM);
        cr_assert(eq(int, exec_kill(pid, pidfd, SIGTERM, false), -ESRCH));
        cr_assert(eq(int, exec_kill(0, -1, SIGTERM, true), -ESRCH), "neither is our own group");
        cr_assert(eq(int, exec_kill(1, -1, SIGTERM, true), -ESRCH));
        close(pidfd);
}

Test(exec_kill, group_is_signalled_with_its_leader) {
        FIXTURE("sleep 1000 & echo x; wait");
        ExecPids children = {};
        int pidfd = -1;
        pid_t pid;

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid = start(&fixture, 1, &pidfd);
        cr_assert(eq(int, exec_process_list_children(pid, &children), 0));
        cr_assert(eq(sz, children.n, 1));
        cr_assert(eq(int, exec_kill(pid, pidfd, SIGKILL, true), 0));
        reap(pid, SIGKILL);
        reap(children.items[0], SIGKILL);
        vector_deinit(&children);
        close(pidfd);
}

Test(exec_kill, rest_is_what_descends_and_what_was_orphaned) {
        /* One child, one grandchild in a session of its own, and one orphan. */
        FIXTURE("sh -c 'echo x; exec sleep 1000' & setsid sh -c 'sh -c \"echo x; exec sleep 1001\" & wait' &\n"
                "(setsid sh -c 'echo x; exec sleep 1002' &); echo x; wait");
        int pidfd = -1, n;
        pid_t pid;

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid = start(&fixture, 4, &pidfd);
        ExecRest rest = { .invocation_id = invocation, .main_pid = pid };
        ExecRest stranger = { .invocation_id = other_invocation };

        cr_assert(eq(int, exec_kill_rest(&rest, 0), 4));
        cr_assert(eq(int, exec_kill_rest(&stranger, 0), 0));
        n = exec_kill_rest(&rest, SIGKILL);
        cr_assert(eq(int, n, 4));
        exec_kill(pid, pidfd, SIGKILL, false);
        while (waitpid(-1, NULL, 0) > 0)
                ;
        cr_assert(eq(int, exec_kill_rest(&rest, 0), 0));
        close(pidfd);
}

/* Like nginx, which overwrites its environment with its title. */
Test(exec_kill, orphans_that_hide_are_known_by_their_session) {
        FIXTURE("env -i sh -c 'echo x; exec sleep 1000' & env -i setsid sh -c 'echo x; exec sleep 1001' &\necho x; exec sleep 1002");
        int pidfd = -1;
        pid_t pid;

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid = start(&fixture, 3, &pidfd);
        ExecRest rest = { .invocation_id = invocation, .session = pid, .session_until = USEC_INFINITY };

        exec_kill(pid, pidfd, SIGKILL, false);
        reap(pid, SIGKILL);
        cr_assert(eq(int, exec_kill_rest(&rest, 0), 1));
        rest.session_until = clock_monotonic();
        cr_assert(eq(int, exec_kill_rest(&rest, 0), 1));
        rest.session_until = 0;
        cr_assert(eq(int, exec_kill_rest(&rest, 0), 0), "a session of the same number, later");
        rest.session_until = clock_monotonic();
        cr_assert(eq(int, exec_kill_rest(&rest, SIGKILL), 1));
        rest.session = 0;
        cr_assert(eq(int, exec_kill_rest(&rest, 0), 0));
        close(pidfd);
}

Test(exec_kill, what_was_signalled_with_its_group_is_not_again) {
        FIXTURE("sh -c 'echo x; exec sleep 1000' & echo x; wait");
        ExecPids children = {};
        int pidfd = -1;
        pid_t pid;

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid = start(&fixture, 2, &pidfd);
        ExecRest rest = { .invocation_id = invocation, .main_pid = pid, .spares_groups = true };

        cr_assert(eq(int, exec_process_list_children(pid, &children), 0));
        cr_assert(eq(sz, children.n, 1));
        cr_assert(eq(int, exec_kill_rest(&rest, SIGKILL), 1), "it counts all the same");
        cr_assert(eq(int, exec_kill(pid, pidfd, SIGTERM, true), 0));
        reap(pid, SIGTERM);
        reap(children.items[0], SIGTERM);
        vector_deinit(&children);
        close(pidfd);
}

static bool is_known(void *userdata, pid_t pid) {
        return pid == *(pid_t *) userdata;
}

Test(exec_kill, known_process_of_another_unit_is_spared) {
        FIXTURE("echo x; exec sleep 1000");
        int pidfd = -1;
        pid_t pid = start(&fixture, 1, &pidfd);
        ExecRest rest = { .invocation_id = invocation, .is_known = is_known, .userdata = &pid };

        cr_assert(eq(int, exec_kill_rest(&rest, 0), 0));
        rest.is_known = NULL;
        cr_assert(eq(int, exec_kill_rest(&rest, SIGKILL), 1));
        reap(pid, SIGKILL);
        close(pidfd);
}

Test(exec_kill, orphan_that_ended_since_makes_its_list_stale) {
        FIXTURE("echo x; exec sleep 1000");
        int pidfd = -1;
        pid_t pid = start(&fixture, 1, &pidfd);
        ExecPids orphans = {};
        ExecRest rest = { .invocation_id = invocation, .orphans = &orphans };
        ExecPatience patience = EXEC_PATIENCE;

        cr_assert(eq(int, exec_list_orphans(is_known, &pid, &orphans), 0));
        cr_assert(eq(sz, orphans.n, 0), "it is known");
        cr_assert(eq(int, exec_kill_rest(&rest, 0), 0), "nobody looks further than the list");
        cr_assert(eq(int, exec_list_orphans(NULL, NULL, &orphans), 0));
        cr_assert(eq(sz, orphans.n, 1));
        cr_assert(eq(int, exec_kill_rest(&rest, SIGKILL), 1));
        cr_assert(waitid(P_PID, (id_t) pid, NULL, WEXITED | WNOWAIT) == 0);
        cr_assert(eq(int, exec_kill_rest(&rest, 0), -ESTALE));
        rest.orphans = NULL;
        cr_assert(eq(int, exec_kill_rest(&rest, 0), 0));
        reap(pid, SIGKILL);
        cr_assert(eq(int, exec_process_check_invocation(pid, invocation, &patience), -ESRCH));
        vector_deinit(&orphans);
        close(pidfd);
}

Test(exec_kill, many_children_are_listed_whole_and_once) {
        enum { N = 1200 };
        ExecPids children = {};
        int gate[2];

        cr_assert(pipe2(gate, O_CLOEXEC) == 0);
        for (size_t i = 0; i < N; i++) {
                pid_t pid = fork();

                if (pid == 0) {
                        char byte;

                        close(gate[1]);
                        _exit(read(gate[0], &byte, 1) != 0);
                }
                cr_assert(pid > 0);
        }
        cr_assert(eq(int, exec_process_list_children(getpid(), &children), 0));
        cr_assert(eq(sz, children.n, N));
        close(gate[0]);
        close(gate[1]);
        for (size_t i = 0; i < N; i++)
                cr_assert(waitpid(children.items[i], NULL, 0) == children.items[i], "number %zu", i);
        cr_assert(waitpid(-1, NULL, WNOHANG) < 0);
        vector_deinit(&children);
}

Test(exec_kill, only_orphan_is_guessed_as_the_main_process) {
        FIXTURE("setsid sh -c 'echo x; exec sleep 1000' &");
        int pidfd = -1, status;
        pid_t pid, main_pid;

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid = start(&fixture, 1, &pidfd);
        cr_assert(waitpid(pid, &status, 0) == pid);
        main_pid = exec_guess_main(invocation, 0);
        cr_assert(main_pid > 0);
        cr_assert(exec_process_has_invocation(main_pid, invocation));
        cr_assert(not(exec_process_has_invocation(main_pid, other_invocation)));
        cr_assert(eq(int, exec_guess_main(other_invocation, 0), 0));
        kill(main_pid, SIGKILL);
        reap(main_pid, SIGKILL);
        close(pidfd);
}

/* In the middle of an execve() the process has neither the old environment nor the new one. */
Test(exec_kill, process_keeps_its_invocation_through_execve) {
        static char filler[16000] = "FILLER=";
        char *const environment[] = { filler, NULL };
        FIXTURE("");
        int pidfd = -1;
        pid_t pid;

        fixture_write(&fixture, "again", "[ \"$SEEN\" ] || echo x\nexport SEEN=yes\nexec sh \"$0\"\n", 0755);
        fixture.argv[2] = (char *) fixture_path(&fixture, "again");
        fixture.argv[1] = (char *) "-e";
        memset(filler + 7, 'x', sizeof(filler) - 8);
        fixture.request.environment = environment;
        pid = start(&fixture, 1, &pidfd);
        for (unsigned i = 0; i < 20000; i++)
                cr_assert(exec_process_has_invocation(pid, invocation), "look %u", i);
        cr_assert(eq(int, exec_kill(pid, pidfd, SIGKILL, false), 0));
        reap(pid, SIGKILL);
        close(pidfd);
}

/* The process must not be taken for one in the middle of an execve(), whose environment is read repeatedly. */
Test(exec_kill, process_without_an_environment_costs_no_more) {
        FIXTURE("exec env -i sh -c 'echo x; exec env -i sleep 1000'");
        int pidfd = -1;
        pid_t pid = start(&fixture, 1, &pidfd);

        for (unsigned i = 0; i < 10000; i++)
                cr_assert(not(exec_process_has_invocation(pid, invocation)));
        cr_assert(eq(int, exec_kill(pid, pidfd, SIGKILL, false), 0));
        reap(pid, SIGKILL);
        close(pidfd);
}

Test(exec_kill, process_facts) {
        ExecProcess process;
        pid_t pid = fork();

        if (pid == 0)
                _exit(0);
        cr_assert(eq(int, exec_process_read(getpid(), &process), 0));
        cr_assert(eq(int, process.is_of_kernel, 0));
        cr_assert(eq(int, process.parent, getppid()));
        cr_assert(exec_process_is_alive(getpid()));
        cr_assert(exec_process_descends_from(pid, getpid()));
        cr_assert(waitid(P_PID, (id_t) pid, NULL, WEXITED | WNOWAIT) == 0);
        cr_assert(not(exec_process_is_alive(pid)), "a zombie is not alive");
        cr_assert(waitpid(pid, NULL, 0) == pid);
        cr_assert(eq(int, exec_process_read(pid, &process), -ESRCH));
}
