/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Signals for the processes of an attempt, as KillMode= and its kin say
 *
 * The command is open, or not defined: then the settings are those that the
 * unit has now. Signals go to the process of the present step, to the
 * rest of the tree, or to both; who waits for what follows counts what is left.
 */

#include "manager/manager_attempt_command.h"

const KillSettings *manager_attempt_kill_settings(const ManagerAttemptBasis *basis);
/* Asks the processes to end, as KillSignal= and SendSIGHUP= say. */
void manager_attempt_kill_terminate(const ManagerAttemptBasis *basis, ProcessOwner *owner);
/* The last signal, for whatever has not ended. */
void manager_attempt_kill_finally(const ManagerAttemptBasis *basis, ProcessOwner *owner, int signal);
/* Nothing is left beside the process of the present step, or what is left is to stay. */
bool manager_attempt_kill_is_done(const ManagerAttemptBasis *basis, ProcessOwner *owner);
