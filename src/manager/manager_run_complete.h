/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Completion of a node with Callback= by somebody who has its token
 *
 * The same completion may come twice, and is done once.
 */

#include "manager/manager_run_get.h"

/* 0, -ENOMEM, or a negative errno with @ret_failure. */
int manager_run_complete(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure);
