/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The processes of a unit, with their command lines
 */

#include "jobctl/jobctl.h"

/*
 * [[control group, pid, command], …] of @unit, as from GetUnitProcesses, with the whole command line if it is
 * readable. 0, or < 0 with @ret_error.
 */
int processes_list(Jobctl *ctl, const char *unit, json_t **ret_processes, BusError *ret_error);
