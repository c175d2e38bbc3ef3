/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Nodes for a run that has begun: add-nodes, of commands and of people
 */

#include "manager/manager_run_get.h"

/* Adds the nodes of @command: 0, or a negative errno with @ret_failure. */
int manager_run_add_nodes(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure);
