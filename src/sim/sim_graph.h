/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Verbs of a script that change what is around the engine
 *
 * Each takes its line as the table of verbs does, and returns 0, -EINVAL with
 * a failure, or another errno.
 */

#include "sim/sim.h"
#include "sim/sim_script.h"

/* relate UNIT [RELATION=UNIT...]: as if its file had been read again, and said these relations and no others. */
int sim_verb_relate(Sim *sim, const SimLine *line, Failure *ret_failure);
/* reloaded UNIT: it has reloaded by itself. */
int sim_verb_reloaded(Sim *sim, const SimLine *line, Failure *ret_failure);
/* restart: the engine is saved, and another goes on from there. */
int sim_verb_restart(Sim *sim, const SimLine *line, Failure *ret_failure);
