/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Verbs that work on unit files, with or without a manager
 *
 * A manager that runs is asked, for it knows its search path and rights. With
 * --root, or where none runs, the files are looked at here.
 */

#include "jobctl/jobctl.h"
#include "unitfile/install.h"

/*
 * Connects, or makes an installer (*ret_installer, NULL if connected). 0, an exit status with the reason said (a manager
 * that was named is not there), or < 0.
 */
int offline_open(Jobctl *ctl, Installer **ret_installer);

/* The search path: of the manager if there is a connection, of --unit-path and --systemd-units else. */
int offline_search_path(Jobctl *ctl, char ***ret_path);

/* A failure of the installer, told like one of the manager. */
void offline_error(BusError *error, int code, const Failure *failure);
