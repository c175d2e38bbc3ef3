/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Built-in units
 *
 * The targets that default dependencies need, as text, used if the search path
 * has no file of that name. The build makes them from units/.
 */

#include <stddef.h>

typedef struct BuiltinUnit {
        const char *name;
        const char *text;
} BuiltinUnit;

extern const BuiltinUnit builtin_units[];       /* sorted by name */
extern const size_t builtin_units_n;

/* The text of the built-in unit @name, or NULL. */
const char *builtin_unit_find(const char *name);
