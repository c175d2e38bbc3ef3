/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Messages about jobs in the log
 */

#include "job/job_manager.h"
#include "manager/manager_unit_row.h"

/* Logs @event if it deserves a line. @now: of this turn. */
void manager_message_tell(ManagerUnits *rows, const JobEvent *event, usec_t now);
