/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Enums as words: x_to_string() and x_from_string() from one table
 *
 * x_to_string() returns a static string, NULL for a value outside the enum.
 * x_from_string() returns the value or -EINVAL.
 */

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define DECLARE_STRING_TABLE(name, type)                     \
        DECLARE_STRING_TABLE_TO(name, type);                 \
        int name##_from_string(const char *string)

/* For words that are only written. */
#define DECLARE_STRING_TABLE_TO(name, type) const char *name##_to_string(type value)

/* @table: static const char *const[], indexed by the enum, from 0 to its _MAX. */
#define DEFINE_STRING_TABLE(name, type, table)                                          \
        DEFINE_STRING_TABLE_TO(name, type, table)                                       \
        DEFINE_STRING_TABLE_FROM(name, table)

/* For words that are only written: x_to_string() alone. */
#define DEFINE_STRING_TABLE_TO(name, type, table)                                       \
        const char *name##_to_string(type value) {                                      \
                if ((int) value < 0 || (size_t) value >= sizeof(table) / sizeof((table)[0])) \
                        return NULL;                                                    \
                return table[value];                                                    \
        }

/* For enums that are only parsed: x_from_string() alone. */
#define DEFINE_STRING_TABLE_FROM(name, table)                                           \
        int name##_from_string(const char *string) {                                    \
                if (!string)                                                            \
                        return -EINVAL;                                                 \
                for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)         \
                        if (table[i] && strcmp(table[i], string) == 0)                  \
                                return (int) i;                                         \
                return -EINVAL;                                                         \
        }
