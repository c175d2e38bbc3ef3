/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Flows among the units of a simulation
 *
 * A flow is active while it has runs that live. Its start lasts until a run is
 * there, its stop until no attempt is.
 */

#include "unit/unit.h"

bool sim_flow_is_of(const Unit *unit); /* it has runs: a flow, or a batch */
bool sim_flow_waits_for_end(const Unit *unit); /* its start lasts until its runs have ended: StartMode=finished */
UnitAnswer sim_flow_start(Unit *unit);
/* *@ret_timeout: when attempts are to be interrupted, a span; USEC_INFINITY: they are already, or never. */
UnitAnswer sim_flow_stop(Unit *unit, usec_t *ret_timeout);
void sim_flow_interrupt(Unit *unit); /* what runs during a stop */
/* Returns true if a stop is over. */
bool sim_flow_runs_changed(Unit *unit);
