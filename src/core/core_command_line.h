/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The command line of jobd
 */

#include "core/core_options.h"

enum {
        CORE_COMMAND_LINE_E_RUN,
        CORE_COMMAND_LINE_E_TOLD,       /* --help or --version: printed, nothing else to do */
};

/*
 * Reads the command line, and under it the configuration file and the defaults. An outcome, or a negative errno with
 * @ret_failure, which says what is wrong with the command line or the file.
 */
int core_command_line_read(CoreOptions *options, int argc, char *argv[], Failure *ret_failure);
