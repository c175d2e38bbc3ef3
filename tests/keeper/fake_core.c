/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A core that the test controls
 *
 * It passes its end of the keeper's socket to the test (FAKE_CORE names the
 * test's socket), which then speaks for it. On request it does what only the
 * process itself can do: fork, exit, execute itself, report signals.
 */

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_core.h"
#include "keeper/keeper_protocol.h"

static int connect_to_test(void) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        const char *path = getenv("FAKE_CORE");
        int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

        if (!path || fd < 0)
                exit(100);
        strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
        if (connect(fd, (struct sockaddr *) &address, sizeof(address)) < 0)
                exit(101);
        return fd;
}

static void give_link(int test) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(sizeof(int))];
        } control = {};
        const char *keeper = getenv(KEEPER_VARIABLE);
        FakeReply hello = { .pid = getpid(), .value = keeper ? (uint64_t) atoi(keeper) : 0 };
        struct iovec data = { .iov_base = &hello, .iov_len = sizeof(hello) };
        struct msghdr packet = { .msg_iov = &data, .msg_iovlen = 1,
                                 .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes) };
        int link = KEEPER_FD;

        *CMSG_FIRSTHDR(&packet) = (struct cmsghdr) {
                .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&packet)), &link, sizeof(link));
        if (sendmsg(test, &packet, MSG_NOSIGNAL) < 0)
                exit(102);
}

static uint64_t pending_signals(void) {
        uint64_t bits = 0;
        sigset_t set;

        sigpending(&set);
        for (int signal = 1; signal <= 64; signal++)
                if (sigismember(&set, signal) == 1)
                        bits |= UINT64_C(1) << (signal - 1);
        return bits;
}

/* A child that lives until it is killed. */
static pid_t fork_sleeper(void) {
        sigset_t none;
        pid_t pid = fork();

        if (pid != 0)
                return pid;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        close(KEEPER_FD);
        for (;;)
                pause();
}

/* Makes @n grandchildren without a parent, for adoption. The last pid. */
static pid_t fork_orphans(uint64_t n) {
        pid_t pid = fork();

        if (pid == 0) {
                for (uint64_t i = 0; i < n; i++)
                        if (fork() == 0)
                                _exit(7);
                _exit(0);
        }
        waitpid(pid, NULL, 0);
        return pid;
}

static FakeReply obey(const FakeOrder *order, char **argv) {
        FakeReply reply = { .pid = getpid() };

        switch (order->what) {
        case FAKE_FORK:
                reply.pid = fork_sleeper();
                break;
        case FAKE_ORPHANS:
                reply.pid = fork_orphans(order->value);
                break;
        case FAKE_SIGNALS:
                reply.value = pending_signals();
                break;
        case FAKE_LOOP:
                for (volatile unsigned i = 0;; i++)
                        ;
        case FAKE_END:
                exit((int) order->value);
        case FAKE_EXECUTE:
                execv("/proc/self/exe", argv);
                exit(103);
        }
        return reply;
}

int main(int argc, char *argv[]) {
        int test = connect_to_test();
        FakeOrder order;
        sigset_t faults;

        /* As core: a signal of a fault ends it. */
        sigemptyset(&faults);
        sigaddset(&faults, SIGABRT);
        sigprocmask(SIG_UNBLOCK, &faults, NULL);
        give_link(test);
        while (recv(test, &order, sizeof(order), 0) == sizeof(order)) {
                FakeReply reply = obey(&order, argv);

                if (send(test, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
                        return 104;
        }
        return 0;
}
