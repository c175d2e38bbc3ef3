/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Locks of runs, given up by people
 */

#include "manager/manager_run_get.h"

/* A node, or all nodes of a run, give up their locks. 0, -ENOMEM, or a negative errno with @ret_failure. */
int manager_run_unlock(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure);
