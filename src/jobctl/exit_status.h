/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What jobctl's exit status means
 *
 * For verbs that systemctl has, systemctl's table; for the others: ok, failed,
 * usage, refused, no such unit or job, daemon not there.
 */

#include <stdbool.h>

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

/* Of a call's error. @is_shared: the verb is one of systemctl's. */
int exit_status_of_error(const BusError *error, bool is_shared);

/* Of a job's result: "done" and "skipped" are success. */
int exit_status_of_result(const char *result);

/* A sentence about a job that ended otherwise: "Job for x.service timed out."; @detail may be "". 0 or -ENOMEM. */
int exit_status_describe(const char *unit, const char *result, const char *detail, char **ret_sentence);
