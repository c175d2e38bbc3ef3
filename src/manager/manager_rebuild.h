/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Rebuilding the states of units when the records are lost
 */

#include "manager/manager_invocation.h"
#include "manager/manager_unit_row.h"
#include "process/process_group.h"
#include "process/process_table.h"
#include "unit/unit_table.h"

typedef struct ManagerRebuild {
        pid_t keeper;
        bool is_user;
        UnitTable *units;               /* borrowed, like the following */
        const ProcessGroups *groups;
        const ProcessTable *processes;
        ManagerInvocations *invocations;
        /* The rows of units: only of those that are unread processes are looked for. NULL: of all. */
        const ManagerUnits *unread;
        bool with_unnamed;              /* … and of those that have no record, as somebody's name cannot be read */
} ManagerRebuild;

/* Makes units that have processes active. */
void manager_rebuild(const ManagerRebuild *rebuild);
