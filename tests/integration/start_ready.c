/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * start-ready PIDFILE LOGFILE COMMAND [ARGUMENT…]
 *
 * Starts a daemon in the background and returns when it has said READY=1 over
 * $NOTIFY_SOCKET, by itself and not by a child, as a service manager wants it:
 * 0, with its pid in PIDFILE. If it ends before that: 1, and
 * what it wrote is on standard error. So tests wait for an event, not a time.
 */

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int listen_for_ready(const char *pidfile) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        snprintf(address.sun_path, sizeof(address.sun_path), "%.90s.notify", pidfile);
        unlink(address.sun_path);
        if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &(int) { 1 }, sizeof(int)) < 0 || bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0)
                return -1;
        setenv("NOTIFY_SOCKET", address.sun_path, 1);
        return fd;
}

static pid_t start(const char *logfile, char *argv[]) {
        pid_t pid = fork();

        if (pid == 0) {
                int log = open(logfile, O_WRONLY | O_CREAT | O_APPEND, 0644), null = open("/dev/null", O_RDONLY);

                dup2(null, 0);
                dup2(log, 1);
                dup2(log, 2);
                close_range(3, ~0U, 0);
                setsid();
                execvp(argv[0], argv);
                perror(argv[0]);
                _exit(127);
        }
        return pid;
}

/* Returns the length of the message, 0 for a message of another process. */
static ssize_t receive(int fd, pid_t sender, char *text, size_t size) {
        union {
                struct cmsghdr header;
                char room[CMSG_SPACE(sizeof(struct ucred))];
        } control;
        struct iovec part = { .iov_base = text, .iov_len = size };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                                  .msg_controllen = sizeof(control) };
        struct ucred credentials;
        ssize_t n = recvmsg(fd, &message, 0);

        if (n <= 0 || !CMSG_FIRSTHDR(&message))
                return 0;
        memcpy(&credentials, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(credentials));
        return credentials.pid == sender ? n : 0;
}

static int wait_for_ready(int fd, pid_t pid) {
        int pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
        struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = pidfd, .events = POLLIN } };
        char message[4096];

        if (pidfd < 0)
                return -1;
        while (poll(fds, 2, -1) > 0) {
                ssize_t n = fds[0].revents ? receive(fd, pid, message, sizeof(message) - 1) : 0;

                if (n > 0) {
                        message[n] = '\0';
                        if (strstr(message, "READY=1"))
                                return 0;
                } else if (fds[1].revents)
                        return -1;
        }
        return -1;
}

static void show(const char *logfile) {
        FILE *log = fopen(logfile, "re");
        int c;

        while (log && (c = fgetc(log)) != EOF)
                fputc(c, stderr);
        if (log)
                fclose(log);
}

int main(int argc, char *argv[]) {
        FILE *pidfile;
        pid_t pid;
        int fd;

        if (argc < 4)
                return 2;
        fd = listen_for_ready(argv[1]);
        if (fd < 0) {
                perror("start-ready");
                return 2;
        }
        pid = start(argv[2], argv + 3);
        if (pid < 0 || wait_for_ready(fd, pid) < 0) {
                show(argv[2]);
                return 1;
        }

        pidfile = fopen(argv[1], "we");
        if (!pidfile)
                return 2;
        fprintf(pidfile, "%d\n", (int) pid);
        return fclose(pidfile) == 0 ? 0 : 2;
}
