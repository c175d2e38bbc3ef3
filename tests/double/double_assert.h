/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Criterion compares strings as char *, and ours are mostly constant
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define assert_string(actual, ...) cr_assert(eq(str, (char *) (actual), (char *) DOUBLE_FIRST_(__VA_ARGS__, )))
#define DOUBLE_FIRST_(first, ...) (first)
#define assert_null(pointer) cr_assert(eq(ptr, (void *) (pointer), NULL))
#define assert_not_null(pointer) cr_assert(ne(ptr, (void *) (pointer), NULL))
