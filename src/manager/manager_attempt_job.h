/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Requests of an attempt: jobs of units, and a run of another flow
 *
 * The attempt of a node with Unit= is a job, that of a node with Flow= a run:
 * both begin when they were asked for, and are over when that has ended. One
 * with commands waits for the units that it requires, and ends with a unit
 * that it is bound to. All of it is looked at again at the end of each turn.
 */

#include "manager/manager_attempt_step.h"

/* For one that uses others; not from inside the engine of runs. True if that has told something. */
bool manager_attempt_job_step(ManagerAttempt *attempt);
