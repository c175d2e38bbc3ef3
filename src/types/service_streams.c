/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Standard streams that a client has given
 *
 * StandardInputFileDescriptor and its sisters: what a command that is run for
 * somebody reads and writes. They are held, also by the keeper, until the
 * service is at rest: whoever reads what it writes sees the end then.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "types/service.h"

#define KEPT_AS "stream"

int service_give_streams(Unit *unit, const int fds[static UNIT_STREAMS], Failure *ret_failure) {
        UnitHost *host = service_host(unit);
        ServiceExtra *extra = service_own_extra(unit);

        if (!extra)
                return -ENOMEM;
        service_close_streams(unit);
        for (uint32_t i = 0; i < UNIT_STREAMS; i++) {
                if (fds[i] < 0)
                        continue;
                /* The child puts it where it belongs, so it lies elsewhere. */
                extra->streams[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
                if (extra->streams[i] < 0)
                        return failure_set(ret_failure, -errno, "LimitsExceeded", "%s: No descriptor for its streams: %s.",
                                           unit->id, strerror(errno));
                extra->stream_mask |= 1U << i;
                if (host->ops->keep_fd)
                        (void) host->ops->keep_fd(host, unit, KEPT_AS, i, extra->streams[i]);
        }
        /* From here on there is something to be written down of it. */
        service_republish(unit);
        return 0;
}

void service_close_streams(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;
        UnitHost *host = service_host(unit);

        for (uint32_t i = 0; extra && i < UNIT_STREAMS; i++) {
                if (!(extra->stream_mask >> i & 1))
                        continue;
                if (host->ops->drop_fd)
                        host->ops->drop_fd(host, unit, KEPT_AS, i);
                if (extra->streams[i] >= 0)
                        close(extra->streams[i]);
                extra->streams[i] = -1;
        }
        if (extra)
                extra->stream_mask = 0;
}

int service_fill_streams(const Unit *unit, ExecRequest *request) {
        const ServiceExtra *extra = service_extra(unit);

        for (uint32_t i = 0; i < UNIT_STREAMS; i++) {
                int fd = extra->streams[i];

                if (!(extra->stream_mask >> i & 1))
                        continue;
                if (fd < 0)
                        return -EBADF;
                if (i == STDIN_FILENO)
                        request->standard_input_fd = fd;
                else if (i == STDOUT_FILENO)
                        request->standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = fd };
                else
                        request->standard_error = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = fd };
        }
        return 0;
}

/* One that nobody has kept is lost: then it is not started again with another. */
void service_resume_streams(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;
        UnitHost *host = service_host(unit);

        for (uint32_t i = 0; extra && i < UNIT_STREAMS; i++)
                if (extra->stream_mask >> i & 1) {
                        extra->streams[i] = host->ops->take_fd ? host->ops->take_fd(host, unit, KEPT_AS, i) : -1;
                        if (extra->streams[i] < 0)
                                service_log(unit, 4, "Its standard stream %u is lost.", i);
                }
}
