/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Whether one JSON document contains another
 *
 * An object contains another if it has all keys of that with contained
 * values; an array contains one of the same length, item by item; numbers are
 * compared by value; anything else must be equal.
 */

#include <jansson.h>
#include <stdbool.h>

/*
 * True if @got contains @expected (both borrowed). If not, @ret_where (may be NULL) gets an owned string with the place
 * of the first difference ("jobs[1].type"; "" for the whole), or NULL without memory.
 */
bool json_match_contains(const json_t *got, const json_t *expected, char **ret_where);
