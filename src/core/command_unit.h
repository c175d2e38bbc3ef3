/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A unit made of a command line: jobd run --exec
 */

#include "core/core_options.h"

/*
 * Writes run.service for options->command into a folder of @runtime_directory, and adds that folder to
 * options->unit_path and the unit to options->exit_on. 0, -ENOENT if there is no such command, -EACCES if it cannot be
 * executed, or another negative errno; errors always with @ret_failure.
 */
int command_unit_add(CoreOptions *options, const char *runtime_directory, Failure *ret_failure);

/* Removes file and folder again. */
void command_unit_remove(const char *runtime_directory);

/* The exit status of a shell for such an error: 127, 126, or 1. */
int command_unit_exit_status(int r);

/* The command as an ExecStart= setting that means exactly these words. 0 or -ENOMEM. */
int command_unit_quote(char *const *words, char **ret_setting);
