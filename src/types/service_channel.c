/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NotifyFd=: readiness by a newline on a descriptor
 *
 * As in s6, but a socket pair in place of a pipe, since its bytes can be read
 * without being removed: if core dies before the new state is committed, the
 * next one still reads the newline. The keeper stores the manager's end until
 * the newline has come or is no longer needed.
 */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "types/service_channel.h"
#include "types/service_state.h"

#define KEPT_AS "notify-fd"

/* The most bytes before the newline; a service that writes more does not mean this protocol. */
#define TEXT_MAX 4096U

static int listen_to(Unit *unit, int fd) {
        return unit_watch_fd(unit, SERVICE_CHANNEL_INDEX, fd, POLLIN);
}

void service_close_channel(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;

        if (!extra || !extra->channel.is_open)
                return;
        unit_unwatch_fd(unit, SERVICE_CHANNEL_INDEX);
        unit_drop_fd(unit, KEPT_AS, 0);
        if (extra->channel.fd >= 0)
                close(extra->channel.fd);
        extra->channel = (ServiceChannel) { .fd = -1 };
}

int service_open_channel(Unit *unit, ExecRequest *request) {
        ServiceExtra *extra = service_own_extra(unit);
        int ends[2], r;

        if (!extra)
                return -ENOMEM;
        service_close_channel(unit);
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
                return -errno;
        extra->channel = (ServiceChannel) { .is_open = true, .fd = ends[0] };
        shutdown(ends[0], SHUT_WR);
        r = exec_request_add_descriptor(request, (ExecDescriptor) {
                .fd = ends[1], .is_owned = true, .target = service_rare(unit)->notify_fd });
        if (r == 0)
                r = listen_to(unit, extra->channel.fd);
        if (r < 0)
                service_close_channel(unit);
        else
                unit_keep_fd(unit, KEPT_AS, 0, extra->channel.fd);
        return r;
}

static ServiceChannelOutcome fail(Unit *unit, const char *what) {
        service_note_failure(unit, "%s descriptor %i without a newline, which would have said that it is ready", what,
                             service_rare(unit)->notify_fd);
        return SERVICE_CHANNEL_BROKEN;
}

ServiceChannelOutcome service_hear_channel(Unit *unit) {
        const ServiceChannel *channel = &service_extra(unit)->channel;
        char text[TEXT_MAX];
        ssize_t n;

        if (!channel->is_open || channel->fd < 0)
                return SERVICE_CHANNEL_NOTHING;
        n = recv(channel->fd, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return SERVICE_CHANNEL_NOTHING;
        if (n > 0 && memchr(text, '\n', (size_t) n))
                return SERVICE_CHANNEL_READY;
        if (n == (ssize_t) sizeof(text))
                return fail(unit, "it has filled");
        if (n <= 0 || recv(channel->fd, text, (size_t) n, MSG_DONTWAIT) <= 0)
                return fail(unit, "it has closed");
        return SERVICE_CHANNEL_NOTHING;
}

void service_resume_channel(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;

        if (!extra || !extra->channel.is_open)
                return;
        extra->channel.fd = unit_take_fd(unit, KEPT_AS, 0);
        if (extra->channel.fd < 0 || listen_to(unit, extra->channel.fd) < 0)
                unit_say(unit, LOG_LEVEL_WARNING, "Descriptor %i, on which it says that it is ready, is lost.",
                         service_rare(unit)->notify_fd);
}
