/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The processes of a unit, with their command lines
 */

#include <stdint.h>

#include "jobctl/jobctl.h"

#define PROCESS_USAGE_UNKNOWN UINT64_MAX

typedef struct ProcessUsage {
        uint64_t cpu;                   /* ns */
        uint64_t memory;                /* resident, bytes */
        uint64_t tasks;                 /* threads */
} ProcessUsage;

/*
 * [[control group, pid, command], …] of @unit, as from GetUnitProcesses, with the whole command line if it is
 * readable. 0, or < 0 with @ret_error.
 */
int processes_list(Jobctl *ctl, const char *unit, json_t **ret_processes, BusError *ret_error);

/*
 * The use of these processes (as above) by their own account, added up: for a unit without a control group. Unknown if
 * none is there, or if jobctl is in another pid namespace than jobd.
 */
ProcessUsage processes_measure(const json_t *processes);
