/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Log lines on the terminal
 *
 * What services write never controls it: control characters are shown as \xNN,
 * whatever the format; only JSON has its own way to write them.
 */

#include "jobctl/log_input.h"

typedef enum LogFormat {
        LOG_FORMAT_SHORT,               /* "Nov 21 18:29:46 sh[12]: message" */
        LOG_FORMAT_ISO,                 /* "2026-11-21T18:29:46.123456+00:00 …" */
        LOG_FORMAT_CAT,                 /* the message */
        LOG_FORMAT_JSON,                /* an object in a line, with the names of journalctl's */
        _LOG_FORMAT_MAX,
} LogFormat;

int log_format_from_string(const char *string);         /* or -EINVAL */

/* 0 or < 0. */
int log_print(const Terminal *terminal, FILE *stream, LogFormat format, const LogEntry *entry);

/*
 * The last @n lines of a unit and of what the manager said of it, from @since on (realtime µs), below @heading if there
 * are any: 0 also if there is no log, or < 0. @may_wait: a line that was just written may take a moment to get there.
 */
typedef struct LogLast {
        const char *unit;
        usec_t since;
        size_t n;
        const char *heading;
        bool may_wait;
} LogLast;

int log_print_last(Jobctl *ctl, FILE *stream, const LogLast *last);

/* The output of units while something else is waited for, in a process of its own. */
typedef struct LogFollower {
        pid_t pid;                      /* 0: there is none */
        int stop_fd;                    /* owned */
} LogFollower;

/* From now on what they write is printed. Where there is no log it is said, and that is all. 0 or < 0. */
int log_follower_begin(Jobctl *ctl, char *const *units, LogFollower *ret_follower);
/* Prints what there is, and ends it. */
void log_follower_end(LogFollower *follower);
