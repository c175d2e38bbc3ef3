/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * NULL-terminated arrays of owned strings; NULL is an empty one
 */

#include <stdbool.h>
#include <stddef.h>

#include "basic/macro.h"

char **strv_free(char **strv);
static inline void strv_freep(char ***slot) {
        *slot = strv_free(*slot);
}

size_t strv_length(char *const *strv);
bool strv_contains(char *const *strv, const char *string);
/* Returns true if a pattern of the shell matches, in which a backslash is itself, or if @patterns is NULL. */
bool strv_matches(char *const *patterns, const char *string);
int strv_push(char ***strv, const char *string);                 /* appends a copy: 0 or -ENOMEM */
int strv_consume(char ***strv, char *string);                    /* appends and owns; frees @string if it fails */
int strv_consume_at(char ***strv, size_t n, char *string);       /* as strv_consume(), to an array of @n strings */
int strv_copy(char *const *strv, char ***ret_strv);
int strv_split(const char *string, const char *separators, char ***ret_strv);   /* empty parts are left out */
int strv_join(char *const *strv, const char *separator, char **ret_string);

/* Runs over @strv: strv_foreach(name, names) uses(*name); */
#define strv_foreach(slot, strv) \
        for (char *const *slot = (char *const *) (strv); slot && *slot; slot++)
