/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One parsed line of a script
 *
 * Words are separated by blanks; a word that starts with # ends the line. A
 * verb that starts with "expect" takes one JSON object instead of words, but
 * for expect-state, expect-order, expect-run and expect-node.
 */

#include <errno.h>
#include <jansson.h>
#include <stddef.h>

#include "basic/failure.h"

typedef struct SimLine {
        char **words;           /* owned; the verb first; NULL for an empty line */
        size_t n_words;
        json_t *json;           /* owned; of an expect, else NULL */
} SimLine;

/* 0, -EINVAL with @ret_failure (name "InvalidArgs"), or -ENOMEM. */
int sim_line_parse(SimLine *ret_line, const char *text, Failure *ret_failure);
void sim_line_deinit(SimLine *line);

/* A word of a script that is not what is expected there ("name of a unit"): -EINVAL with @ret_failure. */
static inline int sim_bad(Failure *ret_failure, const char *what, const char *word) {
        failure_set(ret_failure, -EINVAL, "InvalidArgs", "\"%s\" is no %s", word, what);
        return -EINVAL;
}
