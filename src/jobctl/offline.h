/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Verbs that work on unit files, with or without a manager
 *
 * A running manager is asked, as it knows its search path and access rights.
 * With --root, or without a manager, jobctl works on the files itself.
 */

#include "jobctl/jobctl.h"
#include "unitfile/install.h"

/*
 * Connects, or makes an installer (*ret_installer, NULL if connected). 0, an exit status with the reason reported (a
 * manager that was named does not run), or < 0.
 */
int offline_open(Jobctl *ctl, Installer **ret_installer);

/* The search path of the manager if connected, otherwise of --unit-path and --systemd-units. */
int offline_search_path(Jobctl *ctl, char ***ret_path);

/* Reports a failure of the installer like one of the manager. */
void offline_error(BusError *error, int code, const Failure *failure);
