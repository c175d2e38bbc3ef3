/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Credentials that a process is given as files
 */

#include "exec/exec_extra.h"

/* Lists all of the request in @extra, for the child to read: 0 or -errno. */
int exec_secret_list(const ExecRequest *request, ExecExtra *extra);

/* Where the process finds them; NULL: there are none. 0 or -ENOMEM. */
int exec_secret_folder(const ExecRequest *request, char **ret_folder);
