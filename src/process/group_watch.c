/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A watch on a file of a control group that reports changes by poll(2)
 */

#include <sys/epoll.h>
#include <unistd.h>

#include "process/group_watch.h"

void group_watch_start(GroupWatch *watch, const ProcessHost *host, int fd, sd_event_io_handler_t handler,
                       void *userdata) {
        char rest[16];

        if (fd < 0 || sd_event_add_io(host->event, &watch->source, fd, EPOLLPRI, handler, userdata) < 0) {
                watch->source = NULL;
                if (fd >= 0)
                        close(fd);
                return;
        }
        watch->fd = fd;
        (void) !pread(fd, rest, sizeof(rest), 0);
        sd_event_source_set_priority(watch->source, host->group_priority);
}

void group_watch_stop(GroupWatch *watch) {
        if (watch->source)
                close(watch->fd);
        watch->source = sd_event_source_disable_unref(watch->source);
}
