/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A failure that a person reads
 *
 * The name is the last part of the D-Bus error ("NoSuchUnit"). The message is
 * a sentence that names unit, job, file and line, and the remedy.
 */

#include "basic/macro.h"

typedef struct Failure {
        int code;               /* negative errno, 0 if there is none */
        const char *name;       /* static */
        char *message;          /* owned; NULL if memory ran out: failure_message() then returns the text of the code */
} Failure;

void failure_deinit(Failure *failure);

/* Replaces the contents of @failure (may be NULL) and returns @code, for passing on. */
int failure_set(Failure *failure, int code, const char *name, const char *format, ...) printf_(4, 5);
/* The same with the contents of @from; returns its code. */
int failure_copy(Failure *failure, const Failure *from);
const char *failure_message(const Failure *failure);    /* never NULL */
