/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Places, types and options of mounts: what follows from them
 *
 * Options are a list with commas, as mount(8) takes it, or NULL.
 */

#include <stdbool.h>

/*
 * The unit of a place: "/srv/a b" is "srv-a\x20b.mount". 0, -EINVAL if it would be too long or @where is no path,
 * -ENOMEM.
 */
int mount_unit_name(const char *where, char **ret_name);

/* Is @path @folder, or something in it? Both are absolute and simple. */
bool mount_path_is_below(const char *path, const char *folder);

/* Is the place mounted by the kernel or the manager before any unit? Then it is never a unit. */
bool mount_place_is_reserved(const char *where);
/* Is the system built on the mount, or is it inside of a reserved place? It gets no default dependencies. */
bool mount_place_is_basic(const char *where, const char *options);

/*
 * The last one that is @name, with or without a value: the caller's, "" if it has none, NULL if it is not there. 0
 * or -ENOMEM.
 */
int mount_options_value(const char *options, const char *name, char **ret_value);
/* Calls @each with each value of @name, until it returns an error. 0, that error, or -ENOMEM. */
int mount_options_each(const char *options, const char *name, int (*each)(void *userdata, const char *value),
                       void *userdata);
bool mount_options_have(const char *options, const char *name);
/* Of two opposite options the last counts. */
bool mount_options_choose(const char *options, const char *yes, const char *no);
/* The options without @names (ends with NULL): NULL if none is left. 0 or -ENOMEM. */
int mount_options_without(const char *options, const char *const *names, char **ret_options);

bool mount_is_network(const char *type, const char *options);
bool mount_is_bind(const char *type, const char *options);
