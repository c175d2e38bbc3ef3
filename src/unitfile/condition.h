/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Checks of single conditions
 *
 * The interface is unit_file_check_conditions() of unit_file.h.
 */

#include <stdbool.h>

/* Returns true if the parameter of this directive ("ConditionPathExists") must be an absolute path. */
bool condition_takes_path(const char *directive);
