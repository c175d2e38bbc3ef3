/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units that are always there
 *
 * The targets that default dependencies need, as text, for when no folder of
 * the search path has a file of that name. Made from units/ by the build.
 */

#include <stddef.h>

typedef struct BuiltinUnit {
        const char *name;
        const char *text;
} BuiltinUnit;

extern const BuiltinUnit builtin_units[];       /* sorted by name */
extern const size_t builtin_units_n;

/* The text of the unit of this name, or NULL. */
const char *builtin_unit_find(const char *name);
