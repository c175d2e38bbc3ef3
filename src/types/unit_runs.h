/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What units that have runs show alike: flows, batches and streams
 */

#include "unit/unit.h"
#include "unit/unit_property.h"
#include "unitfile/flow_settings.h"

/* Never NULL: a unit whose file is gone uses the defaults. */
const FlowSettings *unit_runs_settings(const Unit *unit);
UnitRuns unit_runs_of(const Unit *unit);

/* Writes the value of a getter of @expression, with the settings in .flow. */
#define UNIT_RUNS_GETTER(name, put, expression) \
        static void get_##name(const Unit *unit, Sink *sink) { \
                const FlowSettings *flow = unit_runs_settings(unit); \
\
                put(sink, expression); \
        }

void unit_runs_put_targets(const FlowTargets *targets, Sink *sink);

extern const UnitPropertyTable run_properties, batch_properties, stream_properties;
