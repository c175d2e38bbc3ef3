/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * %-specifiers of unit files, as in systemd.unit(5)
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct SpecifierContext {
        const char *unit;               /* borrowed: id of the unit */
        const char *fragment;           /* borrowed: path of its main file, or NULL */
        const char *runtime_directory;  /* borrowed: %t, or NULL for the default */
        bool is_user;
        bool has_expressions;           /* "%{" is no text: it begins a value of the run … */
        bool keeps_expressions;         /* … which stays, as run_word.h reads it; else it is refused */
} SpecifierContext;

/* Results of specifier_expand() besides 0 and errors. */
enum {
        SPECIFIER_LEFT = 1,             /* an unknown specifier was left unchanged */
};

/*
 * Copies @text with all specifiers resolved. 0, SPECIFIER_LEFT, -ENOMEM, or -EINVAL. With SPECIFIER_LEFT and -EINVAL
 * @ret_problem (NULL before; owned by the caller) is a sentence that names the specifier.
 */
int specifier_expand(const SpecifierContext *context, const char *text, char **ret_text, char **ret_problem);
