/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Verbs of a script that change the surroundings of the engine
 *
 * Functions of the table of verbs: each takes its line and returns 0, -EINVAL
 * with a failure, or another errno.
 */

#include "sim/sim.h"
#include "sim/sim_script.h"

/* relate UNIT [RELATION=UNIT...]: replaces the relations, as if the unit's file had been read again. */
int sim_verb_relate(Sim *sim, const SimLine *line, Failure *ret_failure);
/* reloaded UNIT: the unit has reloaded by itself. */
int sim_verb_reloaded(Sim *sim, const SimLine *line, Failure *ret_failure);
/* restart: saves the engine and restores it into a new one. */
int sim_verb_restart(Sim *sim, const SimLine *line, Failure *ret_failure);
