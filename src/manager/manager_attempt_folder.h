/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The folder of an attempt, on the file system of the manager's own files
 *
 * A folder has the file "input", and the attempt may leave "result" there. The
 * user of the attempt owns the folder, which is filled before that; what is in
 * the folder later is judged like any input.
 */

#include <inttypes.h>

#include "exec/exec.h"

/* The name of an attempt: run, node, generation, number. */
#define MANAGER_ATTEMPT_NAME "run-%" PRIu32 "-%" PRIu32 "-%" PRIu32 "-%" PRIu32

/* The paths below @base: "attempts/NAME" and "results/NAME". 0 or -ENOMEM. */
int manager_attempt_folder_path(const char *base, const char *name, char **ret_path);
int manager_attempt_folder_result_path(const char *base, const char *name, char **ret_path);

/* Makes the folders that these are in: 0 or -errno. */
int manager_attempt_folder_make_results(const char *base);
/* Makes it anew, and the folders above: 0 or -errno. */
int manager_attempt_folder_make(const char *base, const char *path);
int manager_attempt_folder_write(const char *path, const char *file, const char *text); /* 0 or -errno */
/* Gives it to the user of @request: 0, or -errno with @result set. */
int manager_attempt_folder_give(const char *path, const ExecRequest *request, ExecResult *result);
bool manager_attempt_folder_has_input(const char *path); /* one that is written */
/*
 * Removes a folder in which there is nothing but the input, which costs less than to look: true if it is gone. False:
 * something else is there, and the input may be gone.
 */
bool manager_attempt_folder_remove_unused(const char *path);
void manager_attempt_folder_remove(const char *path); /* also a missing one */
/* Removes what is in the folder @below @base and of which @is_used says that nobody has it. */
void manager_attempt_folder_sweep(const char *base, const char *below,
                                  bool (*is_used)(const void *userdata, const char *name), const void *userdata);
