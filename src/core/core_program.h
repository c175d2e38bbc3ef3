/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The programs of jobd that core starts
 */

#include <limits.h>

/* Beside core, as in a build folder, or where it is installed. */
void core_find_program(const char *name, char ret_path[static PATH_MAX]);
