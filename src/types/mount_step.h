/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A mount from state to state, and the events that drive it
 */

#include "types/mount_state.h"

void mount_begin(Unit *unit);                           /* a start, from an inactive state */
void mount_enter_remounting(Unit *unit);
void mount_enter_unmounting(Unit *unit);
void mount_enter_signal(Unit *unit, MountState state, MountResult result);
void mount_enter_dead(Unit *unit, MountResult result);

/* Entries of UnitVTable. */
void mount_spawned(Unit *unit, UnitPurpose purpose, pid_t pid, const ExecResult *result);
void mount_child_exited(Unit *unit, const UnitExit *exit);
void mount_timer_elapsed(Unit *unit, UnitPurpose purpose);
void mount_follow(Unit *unit, const MountEntry *entry); /* mounted, changed or (NULL) unmounted */
