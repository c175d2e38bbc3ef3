/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Parts of verify; messages go to the receiver of the draft's loader
 */

#include "unitfile/unit_draft.h"

#define VERIFY_INSTANCE "instance"      /* example instance for checking a template */

/* Reports errors in the graph of a flow, of which it also reads the NodesFile=. 0, also for other units, or -ENOMEM. */
int verify_flow(UnitDraft *draft);

/* Reports settings of a batch that have no effect. 0, also for other units, or -ENOMEM. */
int verify_batch(UnitDraft *draft);
void verify_stream(UnitDraft *draft);

/* Reports settings of runs that have no effect, of a flow, a batch or a stream. */
void verify_runs(const UnitDraft *draft);

/*
 * Reports nodes of a flow with StartMode=finished that wait for the start of their own flow. @quiet: as of
 * verify_cycle(). 0, also for other units, or -ENOMEM.
 */
int verify_flow_start(UnitDraft *draft, const UnitFileLoader *quiet);

/*
 * Reports nodes with Flow= by which a run would be a part of itself, or whose flow is not there. @quiet: as of
 * verify_cycle(). 0, also for other units, or -ENOMEM.
 */
int verify_flow_parts(UnitDraft *draft, const UnitFileLoader *quiet);

/* Reports programs, users and files that the unit names and this machine lacks. */
void verify_machine(const UnitDraft *draft);

/*
 * Reports an ordering cycle through the unit, among the units that it pulls in. @quiet: a loader without a receiver,
 * for reading the other units. 0 or -ENOMEM.
 */
int verify_cycle(const UnitDraft *draft, const UnitFileLoader *quiet);
