/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Targets of callbacks that need no process: signals, and units
 *
 * A client sees a signal if it is connected, and nobody knows whether any is.
 */

#include "manager/manager_callback.h"
#include "manager/manager_run_get.h"
#include "manager/manager_target.h"

/* After the death of core clients have to connect again, before anything is told that they would miss. */
#define MANAGER_RUN_SIGNAL_PAUSE (2 * USEC_PER_SEC)

/*
 * Tells a target that needs no process: who is told, and jobs, are in the turn. 0, -ENOMEM, or -EINVAL with a sentence
 * without its end.
 */
int manager_run_deliver(ManagerRuns *runs, const ManagerTarget *target, const ManagerCallbackTerms *terms,
                        Failure *ret_failure);
