/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What jobctl's exit status means
 *
 * For verbs that systemctl has, systemctl's table; for the others: ok, failed,
 * usage, refused, no such unit or job, daemon not there.
 */

#include "jobctl/bus.h"

enum {
        EXIT_OK = 0,
        EXIT_FAILED = 1,
        EXIT_USAGE = 2,
        EXIT_INACTIVE = 3,              /* is-active, status */
        EXIT_NOT_APPLICABLE = 3,
        EXIT_REFUSED = 4,
        EXIT_UNKNOWN = 4,               /* status: no such unit */
        EXIT_NO_SUCH = 5,
        EXIT_LOAD_FAILED = 6,
        EXIT_UNREACHABLE = 7,
        EXIT_INTERRUPTED = 130,
};

/* Whose table a verb follows. */
typedef enum ExitScheme {
        EXIT_SCHEME_REQUEST,            /* systemctl's, for start and its like */
        EXIT_SCHEME_SHARED,             /* systemctl's, for its other verbs */
        EXIT_SCHEME_OURS,
        _EXIT_SCHEME_MAX,
} ExitScheme;

/* Of a call's error. */
int exit_status_of_error(const BusError *error, ExitScheme scheme);

/* Of a job's result: "done" and "skipped" are success. */
int exit_status_of_result(const char *result);

/* A sentence about a job that ended otherwise: "Job for x.service timed out."; @detail may be "". 0 or -ENOMEM. */
int exit_status_describe(const char *unit, const char *result, const char *detail, char **ret_sentence);
