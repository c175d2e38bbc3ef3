/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The verdict of a command that judges a node: one line, a word and a reason
 *
 * READY; WAIT or UNKNOWN: it cannot tell yet; NEVER or SKIP; FAIL; PENDING: a
 * person is to decide. Whatever is none of these asks a person, too, and the
 * reason says what was wrong.
 */

#include <stdbool.h>

#include "run/run_engine.h"

/* How it has ended. */
typedef struct ManagerPolicyEnd {
        int answer; /* borrowed: a pipe with what it has written, which is not waited for; -1: none was made */
        int exit, signal; /* -1: none */
        bool is_late; /* it was killed, since its time was over */
        const char *problem; /* borrowed: why there was no process; NULL: there was one */
} ManagerPolicyEnd;

/* *ret_reason, which the caller owns, may be NULL: none was given. */
RunAnswer manager_policy_read(const ManagerPolicyEnd *end, char **ret_reason);
