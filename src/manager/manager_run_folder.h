/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * RunDirectory=: a folder of a run, which its commands share
 *
 * Folders are beside the file of the store, since the number of a run is
 * unique in that file. The first process of the run makes its folder; the
 * folder goes with the rows of the run, or when the run is deleted.
 */

#include <stdint.h>

/* The folder for those of runs, beside the store at @path; the caller owns it. 0 or -ENOMEM. */
int manager_run_folder_find_base(const char *path, char **ret_base);
/* The path of a run's folder. 0 or -ENOMEM. */
int manager_run_folder_path(const char *base, uint32_t run, char **ret_path);
/* Removes the folder of a run, if there is one; a process of its own removes a large one. @base: NULL: none. */
void manager_run_folder_remove(const char *base, uint32_t run);
