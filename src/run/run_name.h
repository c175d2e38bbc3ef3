/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Names of runs
 *
 * A run is found by its number or by its name, so a name is no number; and a
 * node of it as RUN/NODE, so a name has no slash.
 */

#define RUN_NAME_MAX 255U /* bytes */

/* The fault of a name, in words that follow it: "is a number"; NULL: none. */
const char *run_name_judge(const char *name);
