/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of slices
 *
 * A slice's name contains its parents: a-b.slice is in a.slice, which is in
 * -.slice, the root.
 */

#include <stdbool.h>

#define UNIT_ROOT_SLICE "-.slice"
#define UNIT_OWN_SCOPE "init.scope"             /* the scope of the manager's own processes, in the root slice */

/* A dash at an end, or two in a row, would mean a slice without a name. */
bool unit_slice_is_valid(const char *name);

/* Returns true for the root and for the default slices, which are perpetual. */
bool unit_slice_is_always_there(const char *name);

/* The parent slice; *ret_parent is NULL for the root. 0, -EINVAL or -ENOMEM. */
int unit_slice_parent(const char *name, char **ret_parent);

/* The slice of a unit without Slice=: instances of a template share a slice of their own. 0 or -ENOMEM. */
int unit_slice_default(const char *unit, bool is_user, char **ret_slice);
