/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What units that have runs show alike: flows, batches and streams
 */

#include <inttypes.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/exec_property.h"
#include "types/unit_ask.h"
#include "types/unit_runs.h"

#define GETTER UNIT_RUNS_GETTER

/* A unit whose file is gone has no settings: it uses the defaults. */
const FlowSettings *unit_runs_settings(const Unit *unit) {
        static const FlowSettings none = {
                .max_runs = 1,
                .run_timeout = USEC_INFINITY,
                .timeout_stop = 90 * USEC_PER_SEC,
                .claim = { .lock_slots = 1, .priority = FLOW_PRIORITY_UNSET, .queue_timeout = USEC_INFINITY },
        };

        return unit->type_settings ? unit->type_settings : &none;
}

UnitRuns unit_runs_of(const Unit *unit) {
        UnitHost *host = unit_host(unit);
        UnitRuns runs = {};

        if (host->ops->get_runs)
                host->ops->get_runs(host, unit, &runs);
        return runs;
}

static const char *hold_word(FlowHold hold) {
        return flow_hold_to_string(hold != FLOW_HOLD_UNSET ? hold : FLOW_HOLD_NODE);
}

static uint32_t priority_number(uint32_t priority) {
        return priority != FLOW_PRIORITY_UNSET ? priority : FLOW_PRIORITY_MEDIUM;
}

static void get_needs(const Unit *unit, Sink *sink) {
        const FlowNeeds *needs = &unit_runs_settings(unit)->claim.needs;

        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < needs->n; i++) {
                cleanup_free_ char *word = NULL;

                if (text_format(&word, "%s:%" PRIu64, needs->items[i].name, needs->items[i].amount) == 0)
                        sink_string(sink, word);
        }
        sink_close(sink);
}

GETTER(allow_control, sink_strv, flow->allow_control)
GETTER(allow_submit, sink_strv, flow->allow_submit)
GETTER(catch_up, sink_string, flow_catch_up_to_string(flow->catch_up))
GETTER(hold_lock, sink_string, hold_word(flow->claim.hold_lock))
GETTER(keep_for, sink_u64, flow->has_keep_for ? flow->keep_for : 0)
GETTER(keep_runs, sink_u32, flow->keep_runs)
GETTER(lock, sink_strv, flow->claim.locks)
GETTER(lock_slots, sink_u32, flow->claim.lock_slots)
GETTER(max_queued, sink_u32, flow->max_queued)
GETTER(max_runs, sink_u32, flow->max_runs)
GETTER(notify_max, sink_u32, flow->notify_max)
GETTER(run_directory, sink_bool, flow->run_directory)
GETTER(run_name, sink_string, flow->run_name ? flow->run_name : "")
GETTER(on_busy, sink_string, flow_busy_to_string(flow->on_busy))
GETTER(on_trigger, sink_string, flow->has_on_trigger ? flow_busy_to_string(flow->on_trigger) : "")

static void get_params(const Unit *unit, Sink *sink) {
        const RunParams *params = &unit_runs_settings(unit)->params;

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
GETTER(summary, sink_u64, flow->summary)
GETTER(start_mode, sink_string, flow_start_mode_to_string(flow->start_mode))
GETTER(stop_mode, sink_string, flow_stop_mode_to_string(flow->stop_mode))
GETTER(timeout_mode, sink_string, flow_timeout_mode_to_string(flow->timeout_mode))
GETTER(timeout_stop, sink_u64, flow->timeout_stop)

void unit_runs_put_targets(const FlowTargets *targets, Sink *sink) {
        sink_open(sink, 'a', "s");
        for (size_t i = 0; i < targets->n; i++)
                sink_string(sink, targets->items[i].text);
        sink_close(sink);
}

static void get_notify(const Unit *unit, Sink *sink) {
        unit_runs_put_targets(&unit_runs_settings(unit)->notify, sink);
}

static void get_final(const Unit *unit, Sink *sink) {
        exec_property_put_commands(unit_runs_settings(unit)->final, sink);
}

static void get_live_runs(const Unit *unit, Sink *sink) {
        sink_u32(sink, unit_runs_of(unit).n_live);
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
        sink_u32(sink, unit_runs_of(unit).n_attempts);
}

#define C (UNIT_PROPERTY_CONST | UNIT_PROPERTY_OWN)

static const UnitProperty rows[] = {
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
        { "Lock", "as", C, get_lock, "The locks that a run holds." },
        { "LockSlots", "u", C, get_lock_slots, "How many runs may hold each of them at a time." },
        { "HoldLock", "s", C, get_hold_lock,
          "How long a node holds its locks, by default: 'node' or 'attempt', which gives them up between tries." },
        { "Needs", "as", C, get_needs, "What a run takes of resources, each as 'cpu:2'." },
        { "Priority", "u", C, get_priority, "Of its runs and, by default, of nodes, from 0 to 255." },
        { "QueueTimeoutUSec", "t", C, get_queue_timeout, "How long a run may wait before it begins." },
        { "StartMode", "s", C, get_start_mode, "When a start of the unit is done: 'accepted' or 'finished'." },
        { "FinalExec", "a(sasbttttuii)", C, get_final, "The command that runs at the end of each run." },
        { "StopMode", "s", C, get_stop_mode, "What a stop of the unit does with attempts: 'wait' or 'interrupt'." },
        { "RunTimeoutUSec", "t", C, get_run_timeout, "How long a run may take." },
        { "TimeoutMode", "s", C, get_timeout_mode,
          "What becomes of attempts then: 'terminate', 'drain' or 'abandon'." },
        { "TimeoutStopUSec", "t", C, get_timeout_stop, "How long a process may take to end when it is asked to." },
        { "KeepRuns", "u", C, get_keep_runs, "How many runs that have ended are kept." },
        { "KeepForUSec", "t", C, get_keep_for,
          "How long they are kept; 0: a day if they succeeded, otherwise a week." },
        { "Notify", "as", C, get_notify, "Commands that are told of events, each with the words for these." },
        { "NotifyMax", "u", C, get_notify_max, "How often a target is tried that is told of something." },
        { "SummaryUSec", "t", C, get_summary, "How often Notify is told a summary of a run; 0: never." },
};

const UnitPropertyTable run_properties = { rows, ELEMENTSOF(rows), false, _UNIT_TYPE_INVALID };
