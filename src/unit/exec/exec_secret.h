/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Credentials that a process is given as files
 */

#include "unit/exec/exec_extra.h"

/* Reads all of the request into @extra: 0, or a negative errno with the result set. */
int exec_secret_load(const ExecRequest *request, ExecExtra *extra, ExecResult *result);

/* Where the process finds them; NULL: there are none. 0 or -ENOMEM. */
int exec_secret_folder(const ExecRequest *request, char **ret_folder);
