/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * jobd.conf
 */

#include "core/core_options.h"

/*
 * Reads @path into @options, or if it is NULL the file at the usual place for options->is_user, which may be missing.
 * 0, or a negative errno with @ret_failure, which names file and line.
 */
int core_config_read(CoreOptions *options, const char *path, Failure *ret_failure);
