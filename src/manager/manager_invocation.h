/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units by the invocation id that their processes carry
 */

#include <sys/types.h>

#include "basic/id_map.h"
#include "manager/manager_log.h"
#include "manager/manager_unit_row.h"

typedef struct ManagerInvocations {
        ManagerUnits *rows;             /* borrowed */
        ManagerLog *const *log;         /* borrowed: journald is told of each */
        IdMap units;                    /* Unit, by the first half word of its invocation id */
} ManagerInvocations;

/* Orphans are found by the invocation id that the unit has now. */
void manager_invocations_note(ManagerInvocations *invocations, Unit *unit);
void manager_invocations_forget_unit(ManagerInvocations *invocations, const Unit *unit);
/* By the INVOCATION_ID that the process was started with. NULL: of none. */
Unit *manager_invocations_find(const ManagerInvocations *invocations, pid_t pid);
void manager_invocations_deinit(ManagerInvocations *invocations);
