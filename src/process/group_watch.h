/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A file of a control group that tells of changes
 */

#include <stdbool.h>

#include <systemd/sd-event.h>

#include "process/process_host.h"

typedef struct GroupWatch {
        sd_event_source *source;        /* owned; NULL: not watched */
        int fd;                         /* owned; valid if .source is there */
} GroupWatch;

/*
 * Owns @fd, which may be < 0. @handler is called after each change, and reads the file to be called again. Where it
 * cannot be watched (a file that plays one) nothing is, and owners find out by looking.
 */
void group_watch_start(GroupWatch *watch, const ProcessHost *host, int fd, sd_event_io_handler_t handler,
                       void *userdata);
void group_watch_stop(GroupWatch *watch);
