/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * %-specifiers of unit files, as systemd.unit(5)
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct SpecifierContext {
        const char *unit;               /* borrowed: its id */
        const char *fragment;           /* borrowed: path of its main file, or NULL */
        const char *runtime_directory;  /* borrowed: %t, or NULL for the default */
        bool is_user;
} SpecifierContext;

/*
 * A copy of @text with all specifiers resolved. 0, -ENOMEM, or -EINVAL with a sentence for people in @ret_problem
 * (owned by the caller) that names the specifier.
 */
int specifier_expand(const SpecifierContext *context, const char *text, char **ret_text, char **ret_problem);
