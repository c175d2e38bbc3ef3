/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the log says of jobs
 */

#include "job/job_manager.h"
#include "manager/manager_unit_row.h"

/* Whatever @event is worth a line is logged. @now: of this turn. */
void manager_message_tell(ManagerUnits *rows, const JobEvent *event, usec_t now);
