/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The exit statuses of jobctl
 *
 * Verbs that systemctl also has use its exit statuses. The others: ok,
 * failed, usage, refused, no such unit or job, jobd not reachable.
 */

#include "jobctl/bus.h"

enum {
        EXIT_OK = 0,
        EXIT_FAILED = 1,
        EXIT_USAGE = 2,
        EXIT_INACTIVE = 3, /* is-active, status */
        EXIT_NOT_APPLICABLE = 3,
        EXIT_REFUSED = 4,
        EXIT_UNKNOWN = 4, /* status: no such unit */
        EXIT_NO_SUCH = 5,
        EXIT_LOAD_FAILED = 6,
        EXIT_UNREACHABLE = 7,
        EXIT_RUN_PARTIAL = 10,
        EXIT_RUN_SUSPENDED = 11,
        EXIT_RUN_TIMEOUT = 12,
        EXIT_RUN_CANCELLED = 13,
        EXIT_STORE_BUSY = 14,
        EXIT_STORE_UNAVAILABLE = 15,
        EXIT_INTERRUPTED = 130,
};

/* The table of exit statuses of a verb. */
typedef enum ExitScheme {
        EXIT_SCHEME_REQUEST, /* those of systemctl for start and the like */
        EXIT_SCHEME_SHARED, /* those of systemctl for its other verbs */
        EXIT_SCHEME_OURS,
        _EXIT_SCHEME_MAX,
} ExitScheme;

/* The exit status for the error of a call. */
int exit_status_of_error(const BusError *error, ExitScheme scheme);

/* The worse of two exit statuses of runs; any that is not of a run is the worst. */
int exit_status_worse(int a, int b);

/* The exit status for the result of a job: "done" and "skipped" are success. */
int exit_status_of_result(const char *result);

/* A sentence about a job with another result: "Job for x.service timed out."; @detail may be "". 0 or -ENOMEM. */
int exit_status_describe(const char *unit, const char *result, const char *detail, char **ret_sentence);
