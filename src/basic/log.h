/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The log of the programs
 *
 * Only the upper layers (manager, dbus, core) log; libraries below return
 * their messages. Lines go to standard error, with the syslog priority in
 * front ("<4>") unless that is a terminal. The init of a machine logs to the
 * kernel instead, whose log outlives the console.
 */

#include <stdbool.h>

#include "basic/macro.h"

typedef enum LogLevel {
        LOG_LEVEL_ERROR = 3,
        LOG_LEVEL_WARNING = 4,
        LOG_LEVEL_NOTICE = 5,
        LOG_LEVEL_INFO = 6,
        LOG_LEVEL_DEBUG = 7,
} LogLevel;

/* Leaves out the "<N>" in front of lines although standard error is no terminal: its reader is no journal. */
void log_set_plain(bool is_plain);
/* Also writes lines with the priority in front to @fd, a non-blocking, borrowed descriptor; -1: no copy. */
void log_set_copy(int fd);
void log_set_level(LogLevel level);
LogLevel log_get_level(void);
const char *log_level_to_string(LogLevel level);        /* "info", … */
bool log_shows(LogLevel level);                         /* whether lines of that level are written */
void log_set_kernel(int fd);                            /* /dev/kmsg, borrowed; -1: back to standard error */
int log_level_from_string(const char *string);          /* "err", "warning", …, "7"; or -EINVAL */
void log_write(LogLevel level, const char *unit, const char *format, ...) printf_(3, 4);   /* @unit may be NULL */

#define log_error(...) log_write(LOG_LEVEL_ERROR, NULL, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, NULL, __VA_ARGS__)
#define log_notice(...) log_write(LOG_LEVEL_NOTICE, NULL, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, NULL, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, NULL, __VA_ARGS__)
