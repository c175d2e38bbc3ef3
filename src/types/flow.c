/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A flow: a graph of nodes that runs of it go through; and a batch, whose runs have items in place of nodes
 *
 * The unit is active while it has runs that live; the runs themselves are the
 * host's (UnitHostOps.start_runs). Its start lasts until a run is there, its
 * stop until no attempt is.
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/exec_owner.h"
#include "types/exec_property.h"
#include "types/exec_sandbox.h"
#include "types/flow_trigger.h"
#include "types/group_property.h"
#include "types/kill_property.h"
#include "types/unit_ask.h"
#include "types/unit_runs.h"
#include "types/unit_say.h"
#include "types/unit_types.h"
#include "unit/exec_terms.h"
#include "unitfile/draft_type.h"
#include "unitfile/flow_settings.h"

typedef enum FlowState {
        FLOW_DEAD,
        FLOW_STARTING, /* a run is being made */
        FLOW_RUNNING,
        FLOW_STOPPING, /* attempts are still there */
        FLOW_FAILED,
        FLOW_FINISHING, /* StartMode=finished: its start waits for the end of its runs */
        _FLOW_STATE_MAX,
} FlowState;

static const char *const flow_states[_FLOW_STATE_MAX] = {
        [FLOW_DEAD] = "dead",         [FLOW_STARTING] = "starting", [FLOW_RUNNING] = "running",
        [FLOW_STOPPING] = "stopping", [FLOW_FAILED] = "failed", [FLOW_FINISHING] = "finishing",
};

typedef struct Flow {
        FlowState state;
        const char *failure; /* static; NULL: none */
        bool is_used; /* it has ended, and attempts still have its sandbox and its user */
} Flow;

static Flow *flow_of(const Unit *unit) {
        return unit->state_of_type;
}

/* — states — */

static bool has_ended(const Unit *unit) {
        return flow_of(unit)->state == FLOW_DEAD || flow_of(unit)->state == FLOW_FAILED;
}

/* Sandbox and user, which attempts share, go with the last of them: a stop does not wait for all. */
static void let_go(Unit *unit) {
        flow_of(unit)->is_used = unit_runs_of(unit).n_attempts > 0;
        if (flow_of(unit)->is_used)
                return;
        exec_sandbox_release(unit);
        exec_owner_left(unit, exec_settings_rare(draft_type_exec(unit))->terms, (uid_t) -1, (gid_t) -1);
}

static void publish(Unit *unit, FlowState state, UnitChangeFlags flags) {
        static const UnitActiveState active_states[_FLOW_STATE_MAX] = {
                [FLOW_DEAD] = UNIT_INACTIVE,         [FLOW_STARTING] = UNIT_ACTIVATING, [FLOW_RUNNING] = UNIT_ACTIVE,
                [FLOW_STOPPING] = UNIT_DEACTIVATING, [FLOW_FAILED] = UNIT_FAILED,
                [FLOW_FINISHING] = UNIT_ACTIVATING,
        };

        flow_of(unit)->state = state;
        if (has_ended(unit))
                let_go(unit);
        unit_publish(unit, active_states[state], flags);
}

static void set_state(Unit *unit, FlowState state) {
        publish(unit, state, 0);
}

static void end(Unit *unit, const char *failure) {
        flow_of(unit)->failure = failure;
        set_state(unit, failure ? FLOW_FAILED : FLOW_DEAD);
}

/* Runs have told how they have ended: the end of the unit is no further one. */
static void end_with_runs(Unit *unit, const char *failure) {
        flow_of(unit)->failure = failure;
        publish(unit, failure ? FLOW_FAILED : FLOW_DEAD, UNIT_CHANGE_RESULTS_TOLD);
}

static int flow_init(Unit *unit) {
        unit->state_of_type = calloc(1, sizeof(Flow));
        return unit->state_of_type ? 0 : -ENOMEM;
}

static void flow_deinit(Unit *unit) {
        exec_sandbox_forget(unit);
        free(unit->state_of_type);
        unit->state_of_type = NULL;
}

static UnitAnswer flow_start(Unit *unit) {
        UnitHost *host = unit_host(unit);
        int r;

        r = host->ops->start_runs ? host->ops->start_runs(host, unit) : -EOPNOTSUPP;
        if (r == -EOPNOTSUPP) {
                unit_say(unit, LOG_LEVEL_ERROR,
                         "Runs are not kept here: jobd-runstore is not installed, or jobd.conf has Store=none.");
                return UNIT_UNSUPPORTED;
        }
        if (r < 0)
                return UNIT_OPERATION_FAILED;
        flow_of(unit)->failure = NULL;
        set_state(unit, FLOW_STARTING);
        return UNIT_UNDER_WAY;
}

static UnitAnswer flow_stop(Unit *unit) {
        const bool interrupts = unit_runs_settings(unit)->stop_mode == FLOW_STOP_INTERRUPT;
        UnitHost *host = unit_host(unit);
        const usec_t timeout = unit_runs_settings(unit)->timeout_stop;

        if (host->ops->stop_runs)
                host->ops->stop_runs(host, unit, interrupts);
        set_state(unit, FLOW_STOPPING);
        if (timeout != USEC_INFINITY)
                (void) unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, usec_add(unit_now(unit), timeout));
        return UNIT_UNDER_WAY;
}

/* The stop has waited long enough, for attempts or for the store. */
static void flow_timer_elapsed(Unit *unit, UnitPurpose purpose) {
        UnitHost *host = unit_host(unit);
        UnitRuns runs;

        if (flow_of(unit)->state != FLOW_STOPPING)
                return;
        if (unit_runs_of(unit).n_attempts == 0)
                unit_say(unit, LOG_LEVEL_WARNING, "The store has not recorded in time that runs are held.");
        else if (unit_runs_settings(unit)->stop_mode != FLOW_STOP_INTERRUPT)
                unit_say(unit, LOG_LEVEL_WARNING, "Attempts have not ended in time, and are interrupted.");
        host->ops->stop_runs(host, unit, true);
        runs = unit_runs_of(unit);
        /* Signals end the others, each in its time; for the store nobody waits without end. */
        if (runs.n_attempts > runs.n_stuck) {
                (void) unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT,
                                      usec_add(unit_now(unit), unit_runs_settings(unit)->timeout_stop));
                return;
        }
        if (runs.n_stuck > 0)
                unit_say(unit, LOG_LEVEL_WARNING,
                         "The store of runs does not answer: %u attempt%s left, and told to end when it does.",
                         runs.n_stuck, runs.n_stuck == 1 ? " is" : "s are");
        end_with_runs(unit, NULL);
}

/* A start is done only if what it was for is: what nobody knows of, or was cancelled, is not. */
static const char *judge_end(const UnitRuns *runs) {
        if (runs->has_failed)
                return "a run has failed";
        return runs->has_succeeded ? NULL : "no run has succeeded";
}

static void flow_runs_changed(Unit *unit) {
        UnitHost *host = unit_host(unit);
        Flow *flow = flow_of(unit);
        UnitRuns runs;

        host->ops->get_runs(host, unit, &runs);
        if (has_ended(unit) && flow->is_used)
                let_go(unit);
        if (flow->state == FLOW_STARTING && !runs.is_starting) {
                if (runs.problem) {
                        end(unit, runs.problem);
                        return;
                }
                set_state(unit, unit_runs_settings(unit)->start_mode == FLOW_START_FINISHED ? FLOW_FINISHING
                                                                                            : FLOW_RUNNING);
        }
        if (flow->state == FLOW_FINISHING && runs.n_live == 0 && runs.n_attempts == 0)
                end_with_runs(unit, judge_end(&runs));
        else if (flow->state == FLOW_RUNNING && runs.n_live == 0 && runs.n_attempts == 0)
                end_with_runs(unit, runs.has_failed ? "a run has failed" : NULL);
        else if (flow->state == FLOW_STOPPING && runs.n_attempts == 0) {
                (void) unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT, USEC_INFINITY);
                end_with_runs(unit, NULL);
        }
}

static const char *flow_sub_state(const Unit *unit) {
        return flow_states[flow_of(unit)->state];
}

static const char *flow_failure(const Unit *unit) {
        return flow_of(unit)->failure;
}

static void flow_reset_failed(Unit *unit) {
        if (flow_of(unit)->state == FLOW_FAILED)
                end(unit, NULL);
}

static int flow_activity(const Unit *unit, char **ret_activity, usec_t *ret_since) {
        const UnitRuns runs = unit_runs_of(unit);

        if (runs.n_live == 0 && runs.n_attempts == 0)
                return -ENOENT;
        *ret_since = unit->active_enter.monotonic;
        if (flow_of(unit)->state == FLOW_FINISHING) {
                *ret_since = unit->inactive_exit.monotonic;
                return text_format(ret_activity, "waits for the end of %u run%s (StartMode=finished), %u attempt%s",
                                   runs.n_live, runs.n_live == 1 ? "" : "s", runs.n_attempts,
                                   runs.n_attempts == 1 ? "" : "s");
        }
        return text_format(ret_activity, "%u run%s, %u attempt%s", runs.n_live, runs.n_live == 1 ? "" : "s",
                           runs.n_attempts, runs.n_attempts == 1 ? "" : "s");
}

/* Attempts have groups of their own, in that of the unit. */
static void flow_group(const Unit *unit, UnitGroup *ret_group) {
        *ret_group = (UnitGroup) { .resources = unit_runs_settings(unit)->resources, .is_begun = true };
}

/* — records — */

static void flow_record(const Unit *unit, RecordWriter *writer) {
        record_put(writer, flow_of(unit)->state);
        exec_sandbox_record(unit, writer);
}

static int flow_restore(Unit *unit, RecordReader *reader) {
        const FlowState state = (FlowState) record_get_below(reader, _FLOW_STATE_MAX);

        exec_sandbox_restore(unit, reader);
        if (reader->has_failed)
                return -EBADMSG;
        flow_of(unit)->state = state;
        if (state == FLOW_FAILED)
                flow_of(unit)->failure = "a run has failed";
        return 0;
}

/* A start, or a stop, that the earlier core did not end. */
static void flow_resume(Unit *unit) {
        UnitHost *host = unit_host(unit);
        Flow *flow = flow_of(unit);

        exec_sandbox_resume(unit);
        flow->is_used = has_ended(unit) && unit_runs_of(unit).n_attempts > 0;
        if (flow->state == FLOW_STARTING && host->ops->start_runs)
                (void) host->ops->start_runs(host, unit);
        else if (flow->state == FLOW_STOPPING && host->ops->stop_runs)
                host->ops->stop_runs(host, unit, unit_runs_settings(unit)->stop_mode == FLOW_STOP_INTERRUPT);
}

/* — properties — */

#define GETTER UNIT_RUNS_GETTER

static const char *failure_word(FlowFailure failure) {
        return flow_failure_to_string(failure != FLOW_FAILURE_UNSET ? failure : FLOW_FAILURE_END);
}

static void get_nodes(const Unit *unit, Sink *sink) {
        const FlowSettings *flow = unit_runs_settings(unit);

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

GETTER(end_mode, sink_string, flow_end_mode_to_string(flow->end_mode))
GETTER(failure_policy, sink_string, failure_word(flow->failure_policy))
GETTER(grow_max, sink_u32, flow->grow_max)
GETTER(max_parallel, sink_u32, flow->max_parallel)
GETTER(nodes_file, sink_string, flow->nodes_file ? flow->nodes_file : "")
GETTER(skip_unneeded, sink_string, flow->skip_unneeded == FLOW_SKIP_NO ? "no" : "optional")

static void get_start_pre(const Unit *unit, Sink *sink) {
        exec_property_put_commands(unit_runs_settings(unit)->process.commands[FLOW_EXEC_START_PRE], sink);
}

static void get_stop_post(const Unit *unit, Sink *sink) {
        exec_property_put_commands(unit_runs_settings(unit)->process.commands[FLOW_EXEC_STOP_POST], sink);
}

static void get_on_begin(const Unit *unit, Sink *sink) {
        unit_runs_put_targets(&unit_runs_settings(unit)->on_begin, sink);
}

static void get_on_result(const Unit *unit, Sink *sink) {
        unit_runs_put_targets(&unit_runs_settings(unit)->on_result, sink);
}

static void get_compensate_on(const Unit *unit, Sink *sink) {
        const unsigned on = unit_runs_settings(unit)->compensate_on;

        sink_open(sink, 'a', "s");
        if (on & FLOW_COMPENSATE_ON_FAILURE)
                sink_string(sink, "failure");
        if (on & FLOW_COMPENSATE_ON_CANCEL)
                sink_string(sink, "cancel");
        sink_close(sink);
}

#define C (UNIT_PROPERTY_CONST | UNIT_PROPERTY_OWN)

static const UnitProperty rows[] = {
        { "Nodes", "a(sas)", C, get_nodes, "Its nodes, each with its parents, but not those of NodesFile." },
        { "NodesFile", "s", C, get_nodes_file, "The file that has more nodes; empty: none." },
        { "MaxParallel", "u", C, get_max_parallel,
          "How many attempts of a run there may be at a time; 0: four for each CPU." },
        { "GrowMax", "u", C, get_grow_max, "How many nodes may be added to a run that has begun." },
        { "FailurePolicy", "s", C, get_failure_policy,
          "What the failure of a node means for its run, by default: 'end', 'continue' or 'suspend'." },
        { "EndMode", "s", C, get_end_mode,
          "What becomes of running nodes when a failure ends the run: 'drain' or 'kill'." },
        { "CompensateOn", "as", C, get_compensate_on,
          "After which ends of a run what has succeeded is undone: 'failure', 'cancel'; empty: never." },
        { "SkipUnneeded", "s", C, get_skip_unneeded,
          "Whether nodes that nothing needs any more are skipped: 'optional' or 'no'." },
        { "ExecStartPre", "a(sasbttttuii)", C, get_start_pre, "Commands that run before that of each node." },
        { "ExecStopPost", "a(sasbttttuii)", C, get_stop_post, "Commands that run after that of each node." },
        { "OnBegin", "as", C, get_on_begin, "Commands that are told of the begin of each attempt, each as a line." },
        { "OnResult", "as", C, get_on_result, "Commands that are told of the end of each node." },
};

static const UnitPropertyTable flow_properties = { rows, ELEMENTSOF(rows), true, UNIT_FLOW };

static const UnitPropertyTable *const flow_tables[] = {
        &flow_properties, &run_properties, &exec_properties, &kill_properties, &group_properties, NULL,
};

static const UnitPropertyTable *const batch_tables[] = {
        &batch_properties, &run_properties, &exec_properties, &kill_properties, &group_properties, NULL,
};

static const UnitPropertyTable *const stream_tables[] = {
        &stream_properties, &run_properties, &exec_properties, &kill_properties, &group_properties, NULL,
};

/* All of them have runs, and go by these alone. */
#define RUNS                                                                                                \
        .init = flow_init, .deinit = flow_deinit, .start = flow_start, .stop = flow_stop,                   \
        .sub_state = flow_sub_state, .failure = flow_failure, .reset_failed = flow_reset_failed,            \
        .activity = flow_activity, .timer_elapsed = flow_timer_elapsed, .triggered = flow_triggered,        \
        .runs_changed = flow_runs_changed, .group = flow_group, .record = flow_record,                      \
        .restore = flow_restore, .resume = flow_resume

const UnitVTable flow_vtable = { .type = UNIT_FLOW, .interface = "Flow", .properties = flow_tables, RUNS };
const UnitVTable batch_vtable = { .type = UNIT_BATCH, .interface = "Batch", .properties = batch_tables, RUNS };
const UnitVTable stream_vtable = { .type = UNIT_STREAM, .interface = "Stream", .properties = stream_tables, RUNS };
