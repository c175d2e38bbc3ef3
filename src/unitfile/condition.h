/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Checks of single conditions
 *
 * unit_file_check_conditions() of unit_file.h is the way in.
 */

#include <stdbool.h>

/* Must the parameter of this directive ("ConditionPathExists") be an absolute path? */
bool condition_takes_path(const char *directive);
