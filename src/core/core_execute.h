/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Re-execution of core
 */

#include "core/core_keeper.h"

/*
 * Executes the program that is now at the path of the running one, with the same arguments; children stay. Returns only
 * if that failed, after logging why, with a negative errno: then nothing has changed.
 */
int core_execute(CoreKeeper *keeper, Manager *manager, char *const *argv);
