/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The watchdog of runs
 *
 * A run that can move and does not is found within a minute, repaired, and told.
 */

#include "manager/manager_run_get.h"

usec_t manager_run_watch_pause(void); /* between two rounds */
/* In a turn, when times have come, before the engine ends it. Returns whether a round is to go on in the next turn. */
bool manager_run_watch(ManagerRuns *runs);
