/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Does one JSON document contain another?
 *
 * An object contains another if it has all its keys with contained values; an
 * array contains one of the same length, item by item; numbers by value; all
 * else must be equal.
 */

#include <jansson.h>
#include <stdbool.h>

/*
 * True if @got contains @expected (both borrowed). If not, @ret_where (may be NULL) gets an owned string with the
 * place of the first difference ("jobs[1].type"; "" for the whole), NULL if memory ran out.
 */
bool json_match_contains(const json_t *got, const json_t *expected, char **ret_where);
