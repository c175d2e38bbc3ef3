/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Settings of control groups that are lists
 *
 * What is set of them at run time adds to what there is.
 */

#include <stdbool.h>

/* Is that directive one, which can be set at run time? */
bool bus_setting_is_list(const char *directive);

/* Is an empty assignment among @lines, which takes back all that was set before? */
bool bus_setting_takes_back(const char *directive, const char *lines);

/*
 * The lines of a drop-in that had @before (NULL: there was none), and to which @lines are added. An empty assignment
 * takes back all before it, one of the same device or address replaces it. Only lines of @directive are kept. 0 or
 * -ENOMEM.
 */
int bus_setting_add_to_list(const char *directive, const char *before, const char *lines, char **ret_lines);
