/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Settings of control groups that are lists
 *
 * Items that are set at run time are added to the list.
 */

#include <stdbool.h>

/* Returns true if the directive is such a list. */
bool bus_setting_is_list(const char *directive);

/* Returns true if @lines contain an empty assignment, which clears the list. */
bool bus_setting_takes_back(const char *directive, const char *lines);

/*
 * The lines of a drop-in with the lines @before (NULL: there was none) after @lines are added. An empty assignment
 * clears the list, an item replaces one of the same device or address. Only lines of @directive are kept. 0 or -ENOMEM.
 */
int bus_setting_add_to_list(const char *directive, const char *before, const char *lines, char **ret_lines);
