/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The notify socket
 *
 * Datagrams of sd_notify(3). The kernel provides the sender's pid
 * (SCM_CREDENTIALS), whose unit is looked up while the process exists. Passed
 * descriptors go to the unit, if it wants them; the others are closed at once,
 * which is the reply that a sender with BARRIER=1 waits for.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/log.h"
#include "basic/text.h"
#include "manager/manager_notify.h"
#include "manager/manager_priority.h"

#define DATAGRAM_MAX 4096U
#define LINES_MAX (DATAGRAM_MAX / 2 + 1)          /* each has one character and a newline */
#define DATAGRAMS_A_TURN 64U
#define KEPT_NAME "notify"
#define FDS_MAX 253U                    /* limit of the kernel */

/* Any process can send useless messages, and warnings about them take log space from others. */
#define COMPLAINTS_MAX 20U
#define COMPLAINTS_USEC (10 * USEC_PER_SEC)

/* Descriptors passed with a message. */
typedef struct Passed {
        int fds[FDS_MAX];               /* owned; -1: taken over */
        size_t n;
} Passed;

static void passed_close(Passed *passed) {
        for (size_t i = 0; i < passed->n; i++)
                if (passed->fds[i] >= 0)
                        close(passed->fds[i]);
        passed->n = 0;
}

static void take_descriptors(const struct cmsghdr *header, Passed *passed) {
        size_t n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        n = MIN(n, FDS_MAX - passed->n);
        memcpy(passed->fds + passed->n, CMSG_DATA(header), n * sizeof(int));
        passed->n += n;
}

/* The sender, or 0 if the kernel did not provide it. */
static pid_t take_control_data(struct msghdr *message, Passed *passed) {
        pid_t pid = 0;

        for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
                if (header->cmsg_level != SOL_SOCKET)
                        continue;
                if (header->cmsg_type == SCM_RIGHTS)
                        take_descriptors(header, passed);
                if (header->cmsg_type == SCM_CREDENTIALS && header->cmsg_len == CMSG_LEN(sizeof(struct ucred))) {
                        struct ucred credentials;

                        memcpy(&credentials, CMSG_DATA(header), sizeof(credentials));
                        pid = credentials.pid;
                }
        }
        return pid;
}

/* In place, without allocation: a service reports only once that it is ready. */
static size_t split(char *text, char *lines[static LINES_MAX + 1]) {
        size_t n = 0;

        for (char *rest = text, *line; n < LINES_MAX && (line = strsep(&rest, "\n"));)
                if (*line != '\0')
                        lines[n++] = line;
        lines[n] = NULL;
        return n;
}

static void pass_on(const ManagerNotify *notify, pid_t sender, char *text, Passed *passed) {
        char *assignments[LINES_MAX + 1];

        if (split(text, assignments) > 0)
                notify->receiver(notify->userdata, sender, assignments, passed->fds, passed->n);
}

static void complain(ManagerNotify *notify, pid_t sender, bool is_long) {
        if (!rate_limit_allows(&notify->complaints, COMPLAINTS_USEC, COMPLAINTS_MAX, notify->turn->now))
                return;
        if (is_long)
                log_warning("Notification of process %d is longer than %u bytes: ignored.", (int) sender, DATAGRAM_MAX);
        else
                log_warning("Notification of process %d is malformed: ignored.", (int) sender);
}

/* A peek continues after the last one: the part that did not fit would be taken for the next datagram. */
static void skip_rest(int fd, char rest[static DATAGRAM_MAX]) {
        ssize_t n;

        do
                n = recv(fd, rest, DATAGRAM_MAX, MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC);
        while (n > (ssize_t) DATAGRAM_MAX || (n < 0 && errno == EINTR));
}

/* 1 for a datagram, even a useless one; 0 if there is none. */
static int read_datagram(ManagerNotify *notify) {
        union {
                struct cmsghdr header;
                uint8_t room[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int) * FDS_MAX)];
        } control;
        char text[DATAGRAM_MAX + 1];
        struct iovec part = { .iov_base = text, .iov_len = DATAGRAM_MAX };
        struct msghdr message = {
                .msg_iov = &part,
                .msg_iovlen = 1,
                .msg_control = &control,
                .msg_controllen = sizeof(control),
        };
        cleanup_(passed_close) Passed passed = { .n = 0 };
        ssize_t n;
        pid_t sender;

        n = recvmsg(notify->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | (notify->peeks ? MSG_PEEK : 0));
        if (n < 0)
                return errno == EINTR;
        if (notify->peeks)
                notify->n_peeked++;
        if (notify->peeks && message.msg_flags & MSG_TRUNC)
                skip_rest(notify->fd, text);

        sender = take_control_data(&message, &passed);
        if (!(message.msg_flags & MSG_TRUNC) && sender > 0 && !memchr(text, '\0', (size_t) n)) {
                text[n] = '\0';
                pass_on(notify, sender, text, &passed);
        } else
                complain(notify, sender, message.msg_flags & MSG_TRUNC);
        return 1;
}

bool manager_notify_read(ManagerNotify *notify, unsigned budget) {
        if (notify->fd < 0)
                return false;
        for (unsigned i = 0; i < budget; i++)
                if (read_datagram(notify) == 0)
                        return false;
        return true;
}

void manager_notify_peek(ManagerNotify *notify) {
        notify->peeks = notify->fd >= 0 &&
                         setsockopt(notify->fd, SOL_SOCKET, SO_PEEK_OFF, &(int) { 0 }, sizeof(int)) == 0;
}

void manager_notify_drop_peeked(ManagerNotify *notify) {
        for (; notify->n_peeked > 0; notify->n_peeked--)
                if (recv(notify->fd, NULL, 0, MSG_DONTWAIT | MSG_TRUNC) < 0 && errno != EINTR)
                        break;
        notify->n_peeked = 0;
}

static int on_notify(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        ManagerNotify *notify = userdata;

        notify->has_heard = true;
        manager_notify_read(notify, DATAGRAMS_A_TURN);
        return 0;
}

/* Not twice in a row before other waiting events: a service that never stops sending must not block the others. */
void manager_notify_rank(ManagerNotify *notify) {
        sd_event_source_set_priority(notify->source,
                                     notify->has_heard ? MANAGER_PRIORITY_BUS : MANAGER_PRIORITY_NOTIFY);
        notify->has_heard = false;
}

/* Writable by all: services run as any user, and the sender's pid determines the unit. */
static int bind_path(int fd, const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (strlen(path) >= sizeof(address.sun_path))
                return -ENAMETOOLONG;
        strcpy(address.sun_path, path);
        if (unlink(path) < 0 && errno != ENOENT)
                return -errno;
        if (bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0 || chmod(path, 0666) < 0)
                return -errno;
        return 0;
}

/* An abstract name chosen by the kernel, without a file. */
static int bind_abstract(int fd, char **ret_path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        socklen_t size = sizeof(address);

        if (bind(fd, (struct sockaddr *) &address, sizeof(sa_family_t)) < 0 ||
            getsockname(fd, (struct sockaddr *) &address, &size) < 0)
                return -errno;
        return text_format(ret_path, "@%.*s", (int) (size - sizeof(sa_family_t) - 1), address.sun_path + 1);
}

/*
 * A file if possible, because all network namespaces can reach it; otherwise (a full disk or long path) an abstract
 * name.
 */
static int bind_somewhere(ManagerNotify *notify, int fd) {
        cleanup_free_ char *path = NULL;
        int r;

        r = text_format(&path, "%s/notify", notify->folder);
        if (r < 0)
                return r;
        r = bind_path(fd, path);
        if (r < 0) {
                log_warning("Cannot make the socket %s: %s; using an abstract name.", path, strerror(-r));
                return bind_abstract(fd, &notify->path);
        }
        notify->path = take_ptr(path);
        return 0;
}

/* The kept socket contains the datagrams sent while no core ran. Without its file services would not find it. */
static int take_kept(ManagerNotify *notify, int fd) {
        struct sockaddr_un address = {};
        socklen_t size = sizeof(address);
        bool is_file;
        int length;

        if (getsockname(fd, (struct sockaddr *) &address, &size) < 0 || address.sun_family != AF_UNIX ||
            size <= sizeof(sa_family_t) + 1)
                return -ENOENT;
        is_file = address.sun_path[0] != '\0';
        if (is_file && access(address.sun_path, F_OK) < 0)
                return -ENOENT;
        length = (int) (size - sizeof(sa_family_t) - 1);
        return is_file ? text_format(&notify->path, "%.*s", length, address.sun_path)
                       : text_format(&notify->path, "@%.*s", length, address.sun_path + 1);
}

static int make_socket(ManagerNotify *notify) {
        int r;

        notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (notify->fd < 0)
                return -errno;
        r = bind_somewhere(notify, notify->fd);
        if (r == 0 && setsockopt(notify->fd, SOL_SOCKET, SO_PASSCRED, &(int) { 1 }, sizeof(int)) < 0)
                r = -errno;
        return r < 0 ? r : process_keeper_store_fd(notify->keeper, KEPT_NAME, notify->fd);
}

int manager_notify_open(ManagerNotify *notify, Failure *ret_failure) {
        int r;

        notify->fd = process_keeper_take_fd(notify->keeper, KEPT_NAME);
        r = notify->fd >= 0 ? take_kept(notify, notify->fd) : -ENOENT;
        if (r == -ENOENT) {
                if (notify->fd >= 0)
                        close(notify->fd);
                r = make_socket(notify);
        }
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot make the notify socket: %s", strerror(-r));
        r = sd_event_add_io(notify->turn->event, &notify->source, notify->fd, EPOLLIN, on_notify, notify);
        if (r >= 0)
                r = sd_event_source_set_priority(notify->source, MANAGER_PRIORITY_NOTIFY);
        if (r < 0)
                return failure_set(ret_failure, r, "Failed", "Cannot serve the notify socket: %s", strerror(-r));
        return 0;
}

void manager_notify_close(ManagerNotify *notify, bool stays) {
        sd_event_source_disable_unref(notify->source);
        if (notify->fd >= 0)
                close(notify->fd);
        if (notify->path && notify->path[0] == '/' && !stays)
                unlink(notify->path);
        free(notify->path);
        *notify = (ManagerNotify) { .fd = -1 };
}
