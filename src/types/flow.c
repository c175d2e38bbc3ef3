/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A flow: a graph of nodes that runs of it go through
 *
 * This manager loads flows, shows and verifies them, but has no runs: a start
 * ends with the reason.
 */

#include "basic/macro.h"
#include "types/exec_property.h"
#include "types/group_property.h"
#include "types/kill_property.h"
#include "types/unit_say.h"
#include "types/unit_types.h"
#include "unitfile/flow_settings.h"

static int flow_init(Unit *unit) {
        return 0;
}

static void flow_deinit(Unit *unit) {
}

static UnitAnswer flow_start(Unit *unit) {
        unit_say(unit, LOG_LEVEL_ERROR, "Flows are not run yet by this manager.");
        return UNIT_UNSUPPORTED;
}

static const char *flow_sub_state(const Unit *unit) {
        return "dead";
}

/* A flow whose file is gone has no settings: it uses the defaults. */
static const FlowSettings *flow_settings(const Unit *unit) {
        static const FlowSettings none = { .max_runs = 1, .run_timeout = USEC_INFINITY };

        return unit->type_settings ? unit->type_settings : &none;
}

static void flow_group(const Unit *unit, UnitGroup *ret_group) {
        *ret_group = (UnitGroup) { .resources = flow_settings(unit)->resources };
}

/* — properties — */

static const char *failure_word(FlowFailure failure) {
        return flow_failure_to_string(failure != FLOW_FAILURE_UNSET ? failure : FLOW_FAILURE_END);
}

static void get_nodes(const Unit *unit, Sink *sink) {
        const FlowSettings *flow = flow_settings(unit);

        sink_open(sink, 'a', "(sas)");
        for (size_t i = 0; i < flow->nodes.n; i++) {
                const FlowNode *node = &flow->nodes.items[i];

                sink_open(sink, 'r', "sas");
                sink_string(sink, node->name);
                sink_open(sink, 'a', "s");
                for (size_t k = 0; k < node->depends_on.n; k++)
                        sink_string(sink, node->depends_on.items[k].name);
                sink_close(sink);
                sink_close(sink);
        }
        sink_close(sink);
}

#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const FlowSettings *flow = flow_settings(unit);                  \
                                                                                 \
                put(sink, expression);                                           \
        }

GETTER(end_mode, sink_string, flow_end_mode_to_string(flow->end_mode))
GETTER(failure_policy, sink_string, failure_word(flow->failure_policy))
GETTER(keep_for, sink_u64, flow->has_keep_for ? flow->keep_for : 0)
GETTER(keep_runs, sink_u32, flow->keep_runs)
GETTER(max_parallel, sink_u32, flow->max_parallel)
GETTER(max_queued, sink_u32, flow->max_queued)
GETTER(max_runs, sink_u32, flow->max_runs)
GETTER(nodes_file, sink_string, flow->nodes_file ? flow->nodes_file : "")
GETTER(on_busy, sink_string, flow_busy_to_string(flow->on_busy))
GETTER(on_trigger, sink_string, flow->has_on_trigger ? flow_busy_to_string(flow->on_trigger) : "")
GETTER(run_timeout, sink_u64, flow->run_timeout)
GETTER(stop_mode, sink_string, flow_stop_mode_to_string(flow->stop_mode))
GETTER(timeout_stop, sink_u64, flow->timeout_stop)

static void get_start_pre(const Unit *unit, Sink *sink) {
        exec_property_put_commands(flow_settings(unit)->process.commands[FLOW_EXEC_START_PRE], sink);
}

static void get_stop_post(const Unit *unit, Sink *sink) {
        exec_property_put_commands(flow_settings(unit)->process.commands[FLOW_EXEC_STOP_POST], sink);
}

#define C (UNIT_PROPERTY_CONST | UNIT_PROPERTY_OWN)

static const UnitProperty rows[] = {
        { "Nodes", "a(sas)", C, get_nodes, "Its nodes, each with its parents, but not those of NodesFile." },
        { "NodesFile", "s", C, get_nodes_file, "The file that has more nodes; empty: none." },
        { "MaxRuns", "u", C, get_max_runs, "How many runs there may be at a time." },
        { "OnBusy", "s", C, get_on_busy, "What becomes of a run beyond that: 'queue', 'reject', 'skip' or 'replace'." },
        { "OnTrigger", "s", C, get_on_trigger,
          "The same for a run that a timer or another unit submits; empty: as OnBusy." },
        { "MaxQueued", "u", C, get_max_queued, "How many runs may wait." },
        { "MaxParallel", "u", C, get_max_parallel,
          "How many attempts of a run there may be at a time; 0: four for each CPU." },
        { "FailurePolicy", "s", C, get_failure_policy,
          "What the failure of a node means for its run, by default: 'end', 'continue' or 'suspend'." },
        { "EndMode", "s", C, get_end_mode,
          "What becomes of running nodes when a failure ends the run: 'drain' or 'kill'." },
        { "StopMode", "s", C, get_stop_mode, "What a stop of the unit does with attempts: 'wait' or 'interrupt'." },
        { "RunTimeoutUSec", "t", C, get_run_timeout, "How long a run may take." },
        { "TimeoutStopUSec", "t", C, get_timeout_stop, "How long a process may take to end when it is asked to." },
        { "KeepRuns", "u", C, get_keep_runs, "How many runs that have ended are kept." },
        { "KeepForUSec", "t", C, get_keep_for,
          "How long they are kept; 0: a day if they succeeded, otherwise a week." },
        { "ExecStartPre", "a(sasbttttuii)", C, get_start_pre, "Commands that run before that of each node." },
        { "ExecStopPost", "a(sasbttttuii)", C, get_stop_post, "Commands that run after that of each node." },
};

static const UnitPropertyTable flow_properties = { rows, ELEMENTSOF(rows), true, UNIT_FLOW };

static const UnitPropertyTable *const all_properties[] = {
        &flow_properties, &exec_properties, &kill_properties, &group_properties, NULL,
};

const UnitVTable flow_vtable = {
        .type = UNIT_FLOW,
        .interface = "Flow",
        .properties = all_properties,
        .init = flow_init,
        .deinit = flow_deinit,
        .start = flow_start,
        .sub_state = flow_sub_state,
        .group = flow_group,
};
