/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Standard streams given by a client
 *
 * StandardInputFileDescriptor= and the like: the streams of a command that
 * runs for a client. Core and the keeper hold them open until the service is
 * inactive; then the client reads the end of the output.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "types/service_state.h"
#include "types/service_streams.h"

#define KEPT_AS "stream"

int service_give_streams(Unit *unit, const int fds[static UNIT_STREAMS], Failure *ret_failure) {
        ServiceExtra *extra = service_own_extra(unit);

        if (!extra)
                return -ENOMEM;
        service_close_streams(unit);
        for (uint32_t i = 0; i < UNIT_STREAMS; i++) {
                if (fds[i] < 0)
                        continue;
                /* Above 2: the child puts the streams there by dup2(). */
                extra->streams.fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
                if (extra->streams.fds[i] < 0)
                        return failure_set(ret_failure, -errno, "LimitsExceeded",
                                           "%s: No descriptor for its streams: %s.",
                                           unit->id, strerror(errno));
                extra->streams.mask |= 1U << i;
                unit_keep_fd(unit, KEPT_AS, i, extra->streams.fds[i]);
        }
        /* The service has a state to be recorded from here on. */
        service_republish(unit);
        return 0;
}

void service_close_streams(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;

        for (uint32_t i = 0; extra && i < UNIT_STREAMS; i++) {
                if (!(extra->streams.mask >> i & 1))
                        continue;
                unit_drop_fd(unit, KEPT_AS, i);
                if (extra->streams.fds[i] >= 0)
                        close(extra->streams.fds[i]);
                extra->streams.fds[i] = -1;
        }
        if (extra)
                extra->streams.mask = 0;
}

int service_fill_streams(const Unit *unit, ExecRequest *request) {
        const ServiceStreams *streams = &service_extra(unit)->streams;

        for (uint32_t i = 0; i < UNIT_STREAMS; i++) {
                int fd = streams->fds[i];

                if (!(streams->mask >> i & 1))
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

/* A lost stream stays in the mask, so that the service is not started again with another one. */
void service_resume_streams(Unit *unit) {
        ServiceExtra *extra = service_of(unit)->extra;

        for (uint32_t i = 0; extra && i < UNIT_STREAMS; i++)
                if (extra->streams.mask >> i & 1) {
                        extra->streams.fds[i] = unit_take_fd(unit, KEPT_AS, i);
                        if (extra->streams.fds[i] < 0)
                                unit_say(unit, LOG_LEVEL_WARNING, "Its standard stream %u is lost.", i);
                }
}
