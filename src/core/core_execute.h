/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Executing ourselves anew
 */

#include "core/core_keeper.h"

/*
 * Replaces us by the program that is at our place now, with the same arguments; children stay ours. Returns only if that
 * failed, with a word in the log: then all is as before.
 */
void core_execute(CoreKeeper *keeper, Manager *manager, char *const *argv);
