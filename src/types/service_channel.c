/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NotifyFd=: ready by a newline on a descriptor
 *
 * As s6 has it. For the service it is a pipe that it writes to. It is a socket
 * pair, whose bytes can be looked at without taking them: should we die before
 * our state is written down, the next one of us sees the newline, too. Our end
 * is with the keeper until it has been heard or is not wanted any more.
 */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/macro.h"
#include "types/service.h"

#define KEPT_AS "notify-fd"
#define WATCHED_AS 0U

/* Before the newline; who writes more has something else in mind. */
#define TEXT_MAX 4096U

static int listen_to(Unit *unit, int fd) {
        UnitHost *host = service_host(unit);

        return host->ops->watch_fd ? host->ops->watch_fd(host, unit, WATCHED_AS, fd, POLLIN) : -EOPNOTSUPP;
}

void service_close_channel(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;
        UnitHost *host = service_host(unit);

        if (!extra || !extra->has_channel)
                return;
        extra->has_channel = false;
        if (host->ops->unwatch_fd)
                host->ops->unwatch_fd(host, unit, WATCHED_AS);
        if (host->ops->drop_fd)
                host->ops->drop_fd(host, unit, KEPT_AS, 0);
        if (extra->channel >= 0)
                close(extra->channel);
        extra->channel = -1;
}

int service_open_channel(Unit *unit, ExecRequest *request) {
        UnitHost *host = service_host(unit);
        ServiceExtra *extra = service_own_extra(unit);
        int ends[2], r;

        if (!extra)
                return -ENOMEM;
        service_close_channel(unit);
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
                return -errno;
        extra->channel = ends[0];
        extra->has_channel = true;
        shutdown(ends[0], SHUT_WR);
        r = exec_request_add_descriptor(request, (ExecDescriptor) {
                .fd = ends[1], .is_owned = true, .target = service_rare(unit)->notify_fd });
        if (r == 0)
                r = listen_to(unit, extra->channel);
        if (r < 0)
                service_close_channel(unit);
        else if (host->ops->keep_fd)
                (void) host->ops->keep_fd(host, unit, KEPT_AS, 0, extra->channel);
        return r;
}

static void fail(Unit *unit, const char *what) {
        service_note_failure(unit, "%s descriptor %i without a newline, which would have said that it is ready", what,
                             service_rare(unit)->notify_fd);
        service_enter_signal(unit, SERVICE_STATE_STOP_SIGTERM, SERVICE_RESULT_PROTOCOL);
}

static void hear(Unit *unit, int fd) {
        char text[TEXT_MAX];
        ssize_t n = recv(fd, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n > 0 && memchr(text, '\n', (size_t) n))
                service_become_ready(unit);
        else if (n == (ssize_t) sizeof(text))
                fail(unit, "it has filled");
        else if (n <= 0)
                fail(unit, "it has closed");
        else if (recv(fd, text, (size_t) n, MSG_DONTWAIT) <= 0)
                fail(unit, "it has closed");
}

void service_fd_ready(Unit *unit, uint32_t index, uint32_t events) {
        ServiceExtra *extra = service_of(unit)->extra;

        if (index != WATCHED_AS)
                service_fd_hung_up(unit, index);
        else if (extra && extra->has_channel && extra->channel >= 0)
                hear(unit, extra->channel);
}

void service_resume_channel(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;
        UnitHost *host = service_host(unit);

        if (!extra || !extra->has_channel)
                return;
        extra->channel = host->ops->take_fd ? host->ops->take_fd(host, unit, KEPT_AS, 0) : -ENOENT;
        if (extra->channel < 0 || listen_to(unit, extra->channel) < 0)
                service_log(unit, 4, "Descriptor %i, on which it says that it is ready, is lost.",
                            service_rare(unit)->notify_fd);
}
