/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Comparing versions and numbers, as conditions write it: ">= 6.1", "!=4", "5.*"
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

/* Takes an operator off the front of *@at, and blanks behind it. COMPARE_NONE if there is none. */
CompareOperator compare_take_operator(const char **at);

/* Versions by the rules of systemd's strverscmp_improved: <0, 0, >0. */
int compare_versions(const char *a, const char *b);

/* 1 or 0. */
int compare_holds(CompareOperator operator, int order);
int compare_version_holds(CompareOperator operator, const char *present, const char *wanted);

/* The text of a file, up to 64 KiB, fit for /proc and /sys; NULL if it can't be read. */
char *compare_read_file(const char *path);
