/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Comparisons of versions and numbers in conditions: ">= 6.1", "!=4", "5.*"
 */

#include <stdint.h>

typedef enum CompareOperator {
        COMPARE_NONE,
        COMPARE_GLOB_EQUAL,             /* "=$", "$=" */
        COMPARE_GLOB_UNEQUAL,           /* "!=$", "!$=" */
        COMPARE_LESS_EQUAL,
        COMPARE_GREATER_EQUAL,
        COMPARE_UNEQUAL,
        COMPARE_LESS,
        COMPARE_GREATER,
        COMPARE_EQUAL,
} CompareOperator;

/* Takes an operator, and the blanks after it, from *@at. COMPARE_NONE if there is none. */
CompareOperator compare_take_operator(const char **at);

/* Compares versions by the rules of systemd's strverscmp_improved: <0, 0, >0. */
int compare_versions(const char *a, const char *b);

/* Both return 1 or 0. */
int compare_holds(CompareOperator operator, int order);
int compare_version_holds(CompareOperator operator, const char *present, const char *wanted);

/* The content of a file, up to 64 KiB, also in /proc and /sys; NULL if it can't be read. */
char *compare_read_file(const char *path);
