/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units as owners of processes, timers and control groups
 */

#include "process/process_errand.h"
#include "process/process_host.h"
#include "process/process_owner.h"
#include "process/process_table.h"
#include "process/process_timer.h"
#include "process/process_watch.h"

typedef struct Manager Manager;
typedef struct Unit Unit;

/* The owner that represents @unit, made when first needed; NULL without memory. */
ProcessOwner *manager_make_owner(Manager *manager, Unit *unit);
/* The same without making one: NULL if there is none. */
ProcessOwner *manager_find_owner(const Manager *manager, const Unit *unit);
Unit *manager_unit_of_owner(const ProcessOwner *owner);         /* NULL: not a unit */
/*
 * The owner of a unit whose control group is asked for, made if a manager before us may have made the group. NULL:
 * there is none, or no memory.
 */
ProcessOwner *manager_group_owner(Manager *manager, const Unit *unit);
Unit *manager_unit_of_group(const Manager *manager, pid_t pid);         /* NULL: it is in the group of none */
void manager_follow_group(Manager *manager, Unit *unit);                /* its state is another now */
void manager_apply_groups(Manager *manager);                            /* all settings have been read again */

void manager_drop_owner(Manager *manager, Unit *unit);          /* with its processes and timers */

int manager_set_timer(Manager *manager, Unit *unit, UnitPurpose purpose, usec_t deadline);
bool manager_has_timer(const Manager *manager, const Unit *unit, UnitPurpose purpose);

/* The known processes of @unit, newest first. */
const Process *manager_unit_process_list(const Manager *manager, const Unit *unit);
