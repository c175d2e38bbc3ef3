/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The commands mount(8) and umount(8) of a mount, and signals to them
 */

#include "types/mount_state.h"

int mount_set_limit(Unit *unit);                        /* of the present step: TimeoutSec= */
int mount_run(Unit *unit, MountExec kind);              /* 0, or -errno, and the reason is noted */
int mount_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request);
int mount_signal(Unit *unit, MountState state);         /* true: there is a process to wait for */
int mount_kill(Unit *unit, const char *who, int signal, Failure *ret_failure);
