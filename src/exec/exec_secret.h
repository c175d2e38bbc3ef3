/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Credentials passed to a process as files
 */

#include "exec/exec_extra.h"

/* Adds all credentials of the request to @extra, for the child to read: 0 or -errno. */
int exec_secret_list(const ExecRequest *request, ExecExtra *extra);

/* The folder with the process's credentials; NULL: none. 0 or -ENOMEM. */
int exec_secret_folder(const ExecRequest *request, char **ret_folder);
