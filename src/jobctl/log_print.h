/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Log lines on the terminal
 *
 * The output of services never controls the terminal: all formats show
 * control characters as \xNN; only JSON has escapes of its own.
 */

#include "jobctl/log_input.h"

typedef enum LogFormat {
        LOG_FORMAT_SHORT,               /* "Nov 21 18:29:46 sh[12]: message" */
        LOG_FORMAT_ISO,                 /* "2026-11-21T18:29:46.123456+00:00 …" */
        LOG_FORMAT_CAT,                 /* the message */
        LOG_FORMAT_JSON,                /* an object per line, with the keys of journalctl */
        _LOG_FORMAT_MAX,
} LogFormat;

int log_format_from_string(const char *string);         /* or -EINVAL */

/* 0 or < 0. */
int log_print(const Terminal *terminal, FILE *stream, LogFormat format, const LogEntry *entry);

/*
 * The last @n lines of a unit and of the manager's messages about it, since @since (realtime µs), below @heading if
 * there are any: 0, also without a log, or < 0. @may_wait: waits a moment for lines that were just written.
 */
typedef struct LogLast {
        const char *unit;
        usec_t since;
        size_t n;
        const char *heading;
        bool may_wait;
} LogLast;

int log_print_last(Jobctl *ctl, FILE *stream, const LogLast *last);

/* Prints the output of units, in a process of its own, while jobctl waits for something else. */
typedef struct LogFollower {
        pid_t pid;                      /* 0: no process */
        int stop_fd;                    /* owned */
} LogFollower;

/* Begins to print the output of units. Without a log that is reported once. 0 or < 0. */
int log_follower_begin(Jobctl *ctl, char *const *units, LogFollower *ret_follower);
/* Prints the remaining lines and ends the process. */
void log_follower_end(LogFollower *follower);
