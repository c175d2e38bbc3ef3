/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A flow: a graph of nodes that runs of it go through
 *
 * The unit is active while it has runs that live; the runs themselves are the
 * host's (UnitHostOps.start_runs). Its start lasts until a run is there, its
 * stop until no attempt is.
 */

#include <errno.h>
#include <inttypes.h>
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

/* A flow whose file is gone has no settings: it uses the defaults. */
static const FlowSettings *flow_settings(const Unit *unit) {
        static const FlowSettings none = {
                .max_runs = 1,
                .run_timeout = USEC_INFINITY,
                .timeout_stop = 90 * USEC_PER_SEC,
                .claim = { .lock_slots = 1, .priority = FLOW_PRIORITY_UNSET, .queue_timeout = USEC_INFINITY },
        };

        return unit->type_settings ? unit->type_settings : &none;
}

/* — states — */

static UnitRuns runs_of(const Unit *unit) {
        UnitHost *host = unit_host(unit);
        UnitRuns runs = {};

        if (host->ops->get_runs)
                host->ops->get_runs(host, unit, &runs);
        return runs;
}

static bool has_ended(const Unit *unit) {
        return flow_of(unit)->state == FLOW_DEAD || flow_of(unit)->state == FLOW_FAILED;
}

/* Sandbox and user, which attempts share, go with the last of them: a stop does not wait for all. */
static void let_go(Unit *unit) {
        flow_of(unit)->is_used = runs_of(unit).n_attempts > 0;
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
        int r = host->ops->start_runs ? host->ops->start_runs(host, unit) : -EOPNOTSUPP;

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
        const bool interrupts = flow_settings(unit)->stop_mode == FLOW_STOP_INTERRUPT;
        UnitHost *host = unit_host(unit);
        const usec_t timeout = flow_settings(unit)->timeout_stop;

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
        if (runs_of(unit).n_attempts == 0)
                unit_say(unit, LOG_LEVEL_WARNING, "The store has not recorded in time that runs are held.");
        else if (flow_settings(unit)->stop_mode != FLOW_STOP_INTERRUPT)
                unit_say(unit, LOG_LEVEL_WARNING, "Attempts have not ended in time, and are interrupted.");
        host->ops->stop_runs(host, unit, true);
        runs = runs_of(unit);
        /* Signals end the others, each in its time; for the store nobody waits without end. */
        if (runs.n_attempts > runs.n_stuck) {
                (void) unit_set_timer(unit, UNIT_PURPOSE_STATE_LIMIT,
                                      usec_add(unit_now(unit), flow_settings(unit)->timeout_stop));
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
                set_state(unit, flow_settings(unit)->start_mode == FLOW_START_FINISHED ? FLOW_FINISHING : FLOW_RUNNING);
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
        const UnitRuns runs = runs_of(unit);

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
        *ret_group = (UnitGroup) { .resources = flow_settings(unit)->resources, .is_begun = true };
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
        flow->is_used = has_ended(unit) && runs_of(unit).n_attempts > 0;
        if (flow->state == FLOW_STARTING && host->ops->start_runs)
                (void) host->ops->start_runs(host, unit);
        else if (flow->state == FLOW_STOPPING && host->ops->stop_runs)
                host->ops->stop_runs(host, unit, flow_settings(unit)->stop_mode == FLOW_STOP_INTERRUPT);
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

static const char *hold_word(FlowHold hold) {
        return flow_hold_to_string(hold != FLOW_HOLD_UNSET ? hold : FLOW_HOLD_NODE);
}

static uint32_t priority_number(uint32_t priority) {
        return priority != FLOW_PRIORITY_UNSET ? priority : FLOW_PRIORITY_MEDIUM;
}

static void get_needs(const Unit *unit, Sink *sink) {
        const FlowNeeds *needs = &flow_settings(unit)->claim.needs;

        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < needs->n; i++) {
                cleanup_free_ char *word = NULL;

                if (text_format(&word, "%s:%" PRIu64, needs->items[i].name, needs->items[i].amount) == 0)
                        sink_string(sink, word);
        }
        sink_close(sink);
}

#define GETTER(name, put, expression) \
        static void get_##name(const Unit *unit, Sink *sink) { \
                const FlowSettings *flow = flow_settings(unit); \
\
                put(sink, expression); \
        }

GETTER(allow_control, sink_strv, flow->allow_control)
GETTER(allow_submit, sink_strv, flow->allow_submit)
GETTER(catch_up, sink_string, flow_catch_up_to_string(flow->catch_up))
GETTER(end_mode, sink_string, flow_end_mode_to_string(flow->end_mode))
GETTER(failure_policy, sink_string, failure_word(flow->failure_policy))
GETTER(grow_max, sink_u32, flow->grow_max)
GETTER(hold_lock, sink_string, hold_word(flow->claim.hold_lock))
GETTER(keep_for, sink_u64, flow->has_keep_for ? flow->keep_for : 0)
GETTER(keep_runs, sink_u32, flow->keep_runs)
GETTER(lock, sink_strv, flow->claim.locks)
GETTER(lock_slots, sink_u32, flow->claim.lock_slots)
GETTER(max_parallel, sink_u32, flow->max_parallel)
GETTER(max_queued, sink_u32, flow->max_queued)
GETTER(max_runs, sink_u32, flow->max_runs)
GETTER(notify_max, sink_u32, flow->notify_max)
GETTER(nodes_file, sink_string, flow->nodes_file ? flow->nodes_file : "")
GETTER(run_directory, sink_bool, flow->run_directory)
GETTER(run_name, sink_string, flow->run_name ? flow->run_name : "")
GETTER(on_busy, sink_string, flow_busy_to_string(flow->on_busy))
GETTER(on_trigger, sink_string, flow->has_on_trigger ? flow_busy_to_string(flow->on_trigger) : "")

static void get_params(const Unit *unit, Sink *sink) {
        const RunParams *params = &flow_settings(unit)->params;

        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < params->items.n; i++) {
                const RunParam *param = &params->items.items[i];
                cleanup_free_ char *text = NULL;

                if (text_format(&text, "%s%s%s", param->name,
                                param->is_required ? ":required"
                                : param->value     ? ":="
                                                   : "",
                                param->value ? param->value : "") == 0)
                        sink_string(sink, text);
        }
        sink_close(sink);
}

GETTER(priority, sink_u32, priority_number(flow->claim.priority))
GETTER(queue_timeout, sink_u64, flow->claim.queue_timeout)
GETTER(run_timeout, sink_u64, flow->run_timeout)
GETTER(skip_unneeded, sink_string, flow->skip_unneeded == FLOW_SKIP_NO ? "no" : "optional")
GETTER(summary, sink_u64, flow->summary)
GETTER(start_mode, sink_string, flow_start_mode_to_string(flow->start_mode))
GETTER(stop_mode, sink_string, flow_stop_mode_to_string(flow->stop_mode))
GETTER(timeout_mode, sink_string, flow_timeout_mode_to_string(flow->timeout_mode))
GETTER(timeout_stop, sink_u64, flow->timeout_stop)

static void get_start_pre(const Unit *unit, Sink *sink) {
        exec_property_put_commands(flow_settings(unit)->process.commands[FLOW_EXEC_START_PRE], sink);
}

static void get_stop_post(const Unit *unit, Sink *sink) {
        exec_property_put_commands(flow_settings(unit)->process.commands[FLOW_EXEC_STOP_POST], sink);
}

static void put_targets(const FlowTargets *targets, Sink *sink) {
        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < targets->n; i++)
                sink_string(sink, targets->items[i].text);
        sink_close(sink);
}

static void get_on_begin(const Unit *unit, Sink *sink) {
        put_targets(&flow_settings(unit)->on_begin, sink);
}

static void get_on_result(const Unit *unit, Sink *sink) {
        put_targets(&flow_settings(unit)->on_result, sink);
}

static void get_notify(const Unit *unit, Sink *sink) {
        put_targets(&flow_settings(unit)->notify, sink);
}

static void get_final(const Unit *unit, Sink *sink) {
        exec_property_put_commands(flow_settings(unit)->final, sink);
}

static void get_compensate_on(const Unit *unit, Sink *sink) {
        const unsigned on = flow_settings(unit)->compensate_on;

        sink_open(sink, 'a', "s");
        if (on & FLOW_COMPENSATE_ON_FAILURE)
                sink_string(sink, "failure");
        if (on & FLOW_COMPENSATE_ON_CANCEL)
                sink_string(sink, "cancel");
        sink_close(sink);
}

static void get_live_runs(const Unit *unit, Sink *sink) {
        sink_u32(sink, runs_of(unit).n_live);
}

static void get_run_list(const Unit *unit, Sink *sink) {
        UnitHost *host = unit_host(unit);

        if (host->ops->write_runs) {
                host->ops->write_runs(host, unit, sink);
                return;
        }
        sink_open(sink, 'a', "(tsss)");
        sink_close(sink);
}

static void get_attempts(const Unit *unit, Sink *sink) {
        sink_u32(sink, runs_of(unit).n_attempts);
}

#define C (UNIT_PROPERTY_CONST | UNIT_PROPERTY_OWN)

static const UnitProperty rows[] = {
        { "Nodes", "a(sas)", C, get_nodes, "Its nodes, each with its parents, but not those of NodesFile." },
        { "NodesFile", "s", C, get_nodes_file, "The file that has more nodes; empty: none." },
        { "RunName", "s", C, get_run_name,
          "The name of a run, with %{...} for its values; empty: that of the unit, and the number of the run." },
        { "RunDirectory", "b", C, get_run_directory, "Whether each run has a folder that its commands share." },
        { "LiveRuns", "u", UNIT_PROPERTY_OWN, get_live_runs, "How many runs there are that have not ended." },
        { "Runs", "a(tsss)", UNIT_PROPERTY_OWN, get_run_list,
          "These runs: number, name, state, and what the run waits for." },
        { "Attempts", "u", UNIT_PROPERTY_OWN, get_attempts, "How many attempts of nodes have processes." },
        { "AllowSubmit", "as", C, get_allow_submit, "Users, and groups as '@name', who may submit runs." },
        { "AllowControl", "as", C, get_allow_control, "Those who may control all of its runs." },
        { "Params", "as", C, get_params, "Parameters of its runs, as in a unit file." },
        { "MaxRuns", "u", C, get_max_runs, "How many runs there may be at a time." },
        { "OnBusy", "s", C, get_on_busy, "What becomes of a run beyond that: 'queue', 'reject', 'skip' or 'replace'." },
        { "OnTrigger", "s", C, get_on_trigger,
          "The same for a run that a timer or another unit submits; empty: as OnBusy." },
        { "CatchUp", "s", C, get_catch_up,
          "Which elapses that its timer has missed have runs: 'none', 'last' or 'all'; empty: as the timer says." },
        { "MaxQueued", "u", C, get_max_queued, "How many runs may wait." },
        { "MaxParallel", "u", C, get_max_parallel,
          "How many attempts of a run there may be at a time; 0: four for each CPU." },
        { "GrowMax", "u", C, get_grow_max, "How many nodes may be added to a run that has begun." },
        { "Lock", "as", C, get_lock, "The locks that a run holds." },
        { "LockSlots", "u", C, get_lock_slots, "How many runs may hold each of them at a time." },
        { "HoldLock", "s", C, get_hold_lock,
          "How long a node holds its locks, by default: 'node' or 'attempt', which gives them up between tries." },
        { "Needs", "as", C, get_needs, "What a run takes of resources, each as 'cpu:2'." },
        { "Priority", "u", C, get_priority, "Of its runs and, by default, of nodes, from 0 to 255." },
        { "QueueTimeoutUSec", "t", C, get_queue_timeout, "How long a run may wait before it begins." },
        { "FailurePolicy", "s", C, get_failure_policy,
          "What the failure of a node means for its run, by default: 'end', 'continue' or 'suspend'." },
        { "EndMode", "s", C, get_end_mode,
          "What becomes of running nodes when a failure ends the run: 'drain' or 'kill'." },
        { "StartMode", "s", C, get_start_mode, "When a start of the unit is done: 'accepted' or 'finished'." },
        { "CompensateOn", "as", C, get_compensate_on,
          "After which ends of a run what has succeeded is undone: 'failure', 'cancel'; empty: never." },
        { "FinalExec", "a(sasbttttuii)", C, get_final, "The command that runs at the end of each run." },
        { "StopMode", "s", C, get_stop_mode, "What a stop of the unit does with attempts: 'wait' or 'interrupt'." },
        { "RunTimeoutUSec", "t", C, get_run_timeout, "How long a run may take." },
        { "TimeoutMode", "s", C, get_timeout_mode,
          "What becomes of attempts then: 'terminate', 'drain' or 'abandon'." },
        { "SkipUnneeded", "s", C, get_skip_unneeded,
          "Whether nodes that nothing needs any more are skipped: 'optional' or 'no'." },
        { "TimeoutStopUSec", "t", C, get_timeout_stop, "How long a process may take to end when it is asked to." },
        { "KeepRuns", "u", C, get_keep_runs, "How many runs that have ended are kept." },
        { "KeepForUSec", "t", C, get_keep_for,
          "How long they are kept; 0: a day if they succeeded, otherwise a week." },
        { "ExecStartPre", "a(sasbttttuii)", C, get_start_pre, "Commands that run before that of each node." },
        { "ExecStopPost", "a(sasbttttuii)", C, get_stop_post, "Commands that run after that of each node." },
        { "OnBegin", "as", C, get_on_begin, "Commands that are told of the begin of each attempt, each as a line." },
        { "OnResult", "as", C, get_on_result, "Commands that are told of the end of each node." },
        { "Notify", "as", C, get_notify, "Commands that are told of events, each with the words for these." },
        { "NotifyMax", "u", C, get_notify_max, "How often a target is tried that is told of something." },
        { "SummaryUSec", "t", C, get_summary, "How often Notify is told a summary of a run; 0: never." },
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
        .stop = flow_stop,
        .sub_state = flow_sub_state,
        .failure = flow_failure,
        .reset_failed = flow_reset_failed,
        .activity = flow_activity,
        .timer_elapsed = flow_timer_elapsed,
        .triggered = flow_triggered,
        .runs_changed = flow_runs_changed,
        .group = flow_group,
        .record = flow_record,
        .restore = flow_restore,
        .resume = flow_resume,
};
