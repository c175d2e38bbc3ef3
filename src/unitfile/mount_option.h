/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Mount points, types and options of mounts, and their consequences
 *
 * Options are a comma-separated list in the format of mount(8), or NULL.
 */

#include <stdbool.h>

/*
 * The unit of a mount point: "/srv/a b" is "srv-a\x20b.mount". 0, -EINVAL if it is too long or @where is no path, or
 * -ENOMEM.
 */
int mount_unit_name(const char *where, char **ret_name);

/* Returns true if @path equals @folder or is below it. Both are absolute and simplified. */
bool mount_path_is_below(const char *path, const char *folder);

/* Returns true for mount points that the kernel or the manager mounts before any unit; they are never units. */
bool mount_place_is_reserved(const char *where);
/*
 * Returns true if the system depends on the mount, or if it is inside of a reserved path. It gets no default
 * dependencies.
 */
bool mount_place_is_basic(const char *where, const char *options);

/*
 * The value of the last option @name: the caller's, "" if it has no value, NULL if there is no such option. 0 or
 * -ENOMEM.
 */
int mount_options_value(const char *options, const char *name, char **ret_value);
/* Calls @each with each value of @name until it returns an error. 0, that error, or -ENOMEM. */
int mount_options_each(const char *options, const char *name, int (*each)(void *userdata, const char *value),
                       void *userdata);
bool mount_options_have(const char *options, const char *name);
/* Returns true if the last of two opposite options is @yes. */
bool mount_options_choose(const char *options, const char *yes, const char *no);
/* The options without @names (ends with NULL): NULL if none remain. 0 or -ENOMEM. */
int mount_options_without(const char *options, const char *const *names, char **ret_options);

bool mount_is_network(const char *type, const char *options);
bool mount_is_bind(const char *type, const char *options);
