/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of slices
 *
 * A slice's name says which slice it is in: a-b.slice is in a.slice, and that
 * in -.slice, the root of all.
 */

#include <stdbool.h>

#define UNIT_ROOT_SLICE "-.slice"

/* A dash at an end, or two in a row, would be a slice without a name. */
bool unit_slice_is_valid(const char *name);

/* The root, and those in which units are by default: nobody starts or stops them. */
bool unit_slice_is_always_there(const char *name);

/* The one it is in; *ret_parent is NULL for the root. 0, -EINVAL or -ENOMEM. */
int unit_slice_parent(const char *name, char **ret_parent);

/* Where a unit is that says nothing of it: instances of a template share a slice of their own. 0 or -ENOMEM. */
int unit_slice_default(const char *unit, bool is_user, char **ret_slice);
