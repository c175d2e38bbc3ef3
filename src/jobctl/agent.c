/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The agent by which polkit asks for a password on this terminal
 *
 * pkttyagent takes questions about the process that has started it, and closes
 * a descriptor once it is registered. With --fallback an agent of the session's
 * desktop comes first; polkit never uses one of that kind where the process has
 * no session, so there it is not given. The agent must not outlive jobctl, as
 * it would go on reading the terminal.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobctl/agent.h"

#define PROGRAM "pkttyagent"
#define PATIENCE_MSEC 10000

static void become_agent(pid_t parent, int notify_fd) {
        const char *session = getenv("XDG_SESSION_ID");
        char number[16];
        sigset_t none;

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        snprintf(number, sizeof(number), "%d", notify_fd);
        if (getppid() == parent && fcntl(notify_fd, F_SETFD, 0) >= 0)
                execlp(PROGRAM, PROGRAM, "--notify-fd", number, session && *session ? "--fallback" : NULL, NULL);
        _exit(127);
}

/* Until the other end is closed. */
static void wait_for_end(int fd) {
        struct pollfd end = { .fd = fd, .events = POLLIN };
        int r;

        do
                r = poll(&end, 1, PATIENCE_MSEC);
        while (r < 0 && errno == EINTR);
}

void agent_begin(Agent *agent) {
        const pid_t self = getpid();
        int fds[2];

        *agent = (Agent) {};
        if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1 || pipe2(fds, O_CLOEXEC) < 0)
                return;
        fflush(stdout);
        agent->pid = fork();
        if (agent->pid == 0)
                become_agent(self, fds[1]);
        close(fds[1]);
        if (agent->pid > 0)
                wait_for_end(fds[0]);
        else
                agent->pid = 0;
        close(fds[0]);
}

void agent_end(Agent *agent) {
        if (agent->pid == 0)
                return;
        kill(agent->pid, SIGTERM);
        kill(agent->pid, SIGCONT);
        while (waitpid(agent->pid, NULL, 0) < 0 && errno == EINTR)
                ;
        agent->pid = 0;
}
