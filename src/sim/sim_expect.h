/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Verbs of a script that expect events
 *
 * Functions of the table of verbs: each takes its line and returns 0, or SIM_E_UNEXPECTED with a failure that has the
 * expected and the actual event.
 */

#include "sim/sim.h"
#include "sim/sim_script.h"

/* expect JSON: the last event contains it. */
int sim_verb_expect(Sim *sim, const SimLine *line, Failure *ret_failure);
/* expect-event JSON, expect-no-event JSON: some, no event since the last command does. */
int sim_verb_expect_event(Sim *sim, const SimLine *line, Failure *ret_failure);
int sim_verb_expect_no_event(Sim *sim, const SimLine *line, Failure *ret_failure);
/* expect-order [TYPE:]UNIT|RUN/NODE...: that began in this order since the last command. */
int sim_verb_expect_order(Sim *sim, const SimLine *line, Failure *ret_failure);
