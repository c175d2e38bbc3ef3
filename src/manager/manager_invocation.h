/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units by the invocation id of their processes
 */

#include <sys/types.h>

#include "basic/id_map.h"
#include "manager/manager_log.h"
#include "manager/manager_unit_row.h"

typedef struct ManagerInvocations {
        ManagerUnits *rows;             /* borrowed */
        ManagerLog *const *log;         /* borrowed: exports each to journald */
        IdMap units;                    /* Unit, by the first 32 bits of its invocation id */
} ManagerInvocations;

/* Stores the unit's present invocation id, by which orphans are found. */
void manager_invocations_note(ManagerInvocations *invocations, Unit *unit);
void manager_invocations_forget_unit(ManagerInvocations *invocations, const Unit *unit);
/* The unit of the INVOCATION_ID that the process was started with; NULL: none. */
Unit *manager_invocations_find(const ManagerInvocations *invocations, pid_t pid);
void manager_invocations_deinit(ManagerInvocations *invocations);
