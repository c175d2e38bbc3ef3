/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A watch on a file of a control group that reports changes by poll(2)
 */

#include <stdbool.h>

#include <systemd/sd-event.h>

#include "process/process_host.h"

typedef struct GroupWatch {
        sd_event_source *source;        /* owned; NULL: not watched */
        int fd;                         /* owned; valid if .source is there */
} GroupWatch;

/*
 * Owns @fd, which may be < 0. @handler is called after each change, and must read the file to be called for the next
 * one. A descriptor that poll(2) does not support (a plain file in a test) is not watched: there the caller learns of
 * changes when it reads the file for another reason.
 */
void group_watch_start(GroupWatch *watch, const ProcessHost *host, int fd, sd_event_io_handler_t handler,
                       void *userdata);
void group_watch_stop(GroupWatch *watch);
