/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Flow], [Node …], [Batch] and [Stream] sections as data
 *
 * A flow is a graph of nodes. A node is a command, or none (a checkpoint),
 * that runs when its parents have ended as its Readiness= says. The settings of
 * [Flow] for execution and killing are the defaults of each node; resource
 * settings of [Flow] limit the unit, those of a node an attempt.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/string_table.h"
#include "basic/usec.h"
#include "basic/vector.h"
#include "run/run_param.h"
#include "unit/job_words.h"
#include "unitfile/exec_settings.h"
#include "unitfile/flow_claim.h"
#include "unitfile/flow_data.h"
#include "unitfile/flow_range.h"
#include "unitfile/flow_stream.h"
#include "unitfile/flow_target.h"
#include "unitfile/kill_settings.h"
#include "unitfile/resource_settings.h"
#include "unitfile/service_settings.h"

#define FLOW_SCRIPT_MAX (64U * 1024U) /* bytes of Script= */

/* Stands for no node where the name of one is expected. */
#define FLOW_NO_NODE "N/A"

/* The fate of a run that is submitted while as many as MaxRuns= allows are there. */
typedef enum FlowBusy {
        FLOW_BUSY_QUEUE,
        FLOW_BUSY_REJECT,
        FLOW_BUSY_SKIP,
        FLOW_BUSY_REPLACE,
        _FLOW_BUSY_MAX,
} FlowBusy;

/* The effect of a node's failure on its run. */
typedef enum FlowFailure {
        FLOW_FAILURE_UNSET, /* of a node: the flow's; of a flow: end */
        FLOW_FAILURE_END,
        FLOW_FAILURE_CONTINUE,
        FLOW_FAILURE_SUSPEND,
        _FLOW_FAILURE_MAX,
} FlowFailure;

/* The elapses of its timer, missed while the machine or the manager was down, that have runs. */
typedef enum FlowCatchUp {
        FLOW_CATCH_UP_UNSET, /* as the timer's Persistent=: none or last */
        FLOW_CATCH_UP_NONE,
        FLOW_CATCH_UP_LAST,
        FLOW_CATCH_UP_ALL,
        _FLOW_CATCH_UP_MAX,
} FlowCatchUp;

typedef enum FlowEndMode {
        FLOW_END_DRAIN,
        FLOW_END_KILL,
        _FLOW_END_MODE_MAX,
} FlowEndMode;

/* When the start of the unit is done. */
typedef enum FlowStartMode {
        FLOW_START_ACCEPTED, /* its run is recorded */
        FLOW_START_FINISHED, /* it has ended */
        _FLOW_START_MODE_MAX,
} FlowStartMode;

typedef enum FlowStopMode {
        FLOW_STOP_WAIT,
        FLOW_STOP_INTERRUPT,
        _FLOW_STOP_MODE_MAX,
} FlowStopMode;

/* The way of attempts at RunTimeoutSec=. */
typedef enum FlowTimeoutMode {
        FLOW_TIMEOUT_TERMINATE,
        FLOW_TIMEOUT_DRAIN,
        FLOW_TIMEOUT_ABANDON,
        _FLOW_TIMEOUT_MODE_MAX,
} FlowTimeoutMode;

/* The ends of a run after which what has succeeded is undone; bits. */
typedef enum FlowCompensateOn {
        FLOW_COMPENSATE_ON_FAILURE = 1 << 0, /* or lateness */
        FLOW_COMPENSATE_ON_CANCEL = 1 << 1,
} FlowCompensateOn;

/* Whether nodes that nothing needs any more are skipped. */
typedef enum FlowSkip {
        FLOW_SKIP_UNSET, /* of a node: the flow's; of a flow: optional */
        FLOW_SKIP_NO,
        FLOW_SKIP_OPTIONAL, /* those that only AnyOf= and OptionalDependsOn= lead to */
        _FLOW_SKIP_MAX,
} FlowSkip;

/* The effect of a node's success on its run. */
typedef enum FlowEndRun {
        FLOW_END_RUN_NO,
        FLOW_END_RUN_SUCCESS,
        FLOW_END_RUN_FAILURE,
        _FLOW_END_RUN_MAX,
} FlowEndRun;

typedef enum FlowBackoff {
        FLOW_BACKOFF_FIXED,
        FLOW_BACKOFF_LINEAR,
        FLOW_BACKOFF_EXPONENTIAL,
        _FLOW_BACKOFF_MAX,
} FlowBackoff;

/* The fate of a node whose attempt was lost or interrupted. */
typedef enum FlowRecover {
        FLOW_RECOVER_UNSET, /* retry if Retry= or Idempotent= says that it may run again; else pending */
        FLOW_RECOVER_RETRY,
        FLOW_RECOVER_PENDING,
        FLOW_RECOVER_FAIL,
        _FLOW_RECOVER_MAX,
} FlowRecover;

/* The job that a node asks a unit for. */
typedef enum FlowOperation {
        FLOW_START,
        FLOW_STOP,
        FLOW_RESTART,
        FLOW_TRY_RESTART,
        FLOW_RELOAD,
        FLOW_RELOAD_OR_RESTART,
        FLOW_RELOAD_OR_TRY_RESTART,
        _FLOW_OPERATION_MAX,
} FlowOperation;

/* The state that the unit must reach before the node has succeeded. */
typedef enum FlowWaitFor {
        FLOW_WAIT_FOR_JOB, /* which ends */
        FLOW_WAIT_FOR_ACTIVE,
        FLOW_WAIT_FOR_INACTIVE,
        _FLOW_WAIT_FOR_MAX,
} FlowWaitFor;

/* The needs of an attempt of a node for other units. */
typedef enum FlowUnitUse {
        FLOW_REQUIRES_UNIT, /* is started before it, and held */
        FLOW_BINDS_TO_UNIT, /* the same, and ends it when it is gone */
        FLOW_REQUISITE_UNIT, /* must be active */
        FLOW_AFTER_UNIT, /* has no job any more */
        _FLOW_UNIT_USE_MAX,
} FlowUnitUse;

typedef enum FlowReadinessKind {
        FLOW_READY_ALL_SUCCEEDED,
        FLOW_READY_ALL_FINISHED,
        FLOW_READY_AT_LEAST,
        FLOW_READY_ANY,
        FLOW_READY_NAMED, /* FlowNode.named */
        FLOW_READY_NONE_FAILED,
        FLOW_READY_ONE_FAILED,
        FLOW_READY_ALL_FAILED,
        FLOW_READY_ALWAYS,
        FLOW_READY_NONE_SKIPPED,
        FLOW_READY_ONE_DONE,
        FLOW_READY_ALL_SKIPPED,
        FLOW_READY_NONE_FAILED_MIN_ONE,
        FLOW_READY_ONE_SUCCESS,
        FLOW_READY_BY_POLICY, /* FlowNode.policy */
        _FLOW_READY_MAX,
} FlowReadinessKind;

typedef struct FlowReadiness {
        FlowReadinessKind kind;
        uint32_t n; /* with FLOW_READY_AT_LEAST: parents, … */
        bool is_percent; /* … or that many of a hundred */
} FlowReadiness;

/* The commands around that of a node. */
typedef enum FlowExec {
        FLOW_EXEC_START_PRE,
        FLOW_EXEC_STOP_POST,
        _FLOW_EXEC_MAX,
} FlowExec;

/* How the processes of an attempt run. */
typedef struct FlowProcess {
        ExecSettings exec;
        KillSettings kill;
        ExecCommand *commands[_FLOW_EXEC_MAX]; /* owned lists */
} FlowProcess;

/* A line of a file. */
typedef struct FlowPlace {
        const char *file; /* borrowed from the flow's settings */
        unsigned line;
} FlowPlace;

typedef enum FlowDependencyKind {
        FLOW_DEPENDS_ON,
        FLOW_OPTIONAL_DEPENDS_ON,
        FLOW_ANY_OF,
        _FLOW_DEPENDENCY_MAX,
} FlowDependencyKind;

typedef struct FlowDependency {
        char *name; /* owned */
        FlowPlace place;
        FlowDependencyKind kind;
} FlowDependency;

/* A parent that a setting names. */
typedef struct FlowParent {
        char *name; /* owned */
        FlowPlace place;
        bool is_success; /* of SkipCountsAs= */
} FlowParent;

typedef VECTOR(FlowParent) FlowParents;

typedef struct FlowNode {
        char *name; /* owned */
        FlowPlace place; /* where it is first named */
        VECTOR(FlowDependency) depends_on;
        FlowParents named; /* with FLOW_READY_NAMED */
        FlowParents skip_counts_as;
        FlowReadiness readiness;
        FlowPlace readiness_place; /* .file is NULL without Readiness= */
        char *policy; /* owned: the name of the command that judges it, with FLOW_READY_BY_POLICY; else NULL */
        char *readiness_context; /* owned: a value of JSON for that command; NULL: none */
        char *when; /* owned: an expression that was parsed; NULL: none */
        FlowPlace when_place;
        char *foreach; /* owned: an expression that was parsed, a list; NULL: none */
        FlowPlace foreach_place;
        uint32_t foreach_max; /* items */
        uint32_t foreach_parallel; /* instances at a time; 0: no limit of their own */
        bool otherwise; /* Otherwise=: runs if no node beside it has a condition that holds */
        usec_t sleep; /* SleepSec=: nothing is done for so long; 0: not set */
        char *sleep_until; /* owned: SleepUntil=, a calendar expression that was parsed; NULL: not set */
        bool has_callback; /* Callback=: after its command somebody else completes it */
        bool has_gate; /* Gate=manual: a person approves it before it begins */
        bool always; /* Always=: is never unneeded */
        bool idempotent; /* Idempotent=: the command may run again */
        FlowSkip skip_unneeded;
        FlowEndRun end_run;
        FlowFailure failure_policy;
        FlowRecover recover;
        ExecCommand *command; /* owned list; NULL: a checkpoint, unless it has .unit */
        char *script; /* owned: Script=, lines for a shell in place of a command; NULL: none */
        ExecCommand *compensation; /* owned list: Compensate=, which undoes it; NULL: nothing does */
        char *unit; /* owned: Unit=, of which it asks .operation; NULL: none */
        char *flow; /* owned: Flow=, a run of which is the node; NULL: none */
        char **sub_params; /* owned: SubParams=, assignments with %{…} */
        FlowPlace sub_params_place;
        FlowOperation operation;
        JobMode job_mode;
        FlowWaitFor wait_for;
        char **units[_FLOW_UNIT_USE_MAX]; /* owned */
        uint32_t retry; /* tries after the first */
        uint32_t retry_jitter; /* percent of the delay */
        FlowBackoff retry_backoff;
        usec_t retry_delay, retry_max_delay;
        usec_t retry_window; /* USEC_INFINITY: none */
        ExitStatusSet retry_exit_status; /* empty: all failures are retried … */
        ExitStatusSet no_retry_exit_status; /* … but these */
        ExitStatusSet success_exit_status; /* beside 0 */
        ExitStatusSet again_exit_status; /* empty: 75 */
        ExitStatusSet pending_exit_status;
        usec_t again; /* before a node that said "not yet" runs again; 0: it cannot say so */
        usec_t again_window; /* USEC_INFINITY: none */
        uint32_t again_max; /* 0: any number */
        usec_t timeout; /* of an attempt; USEC_INFINITY: none */
        usec_t total_timeout; /* of all of them */
        FlowClaim claim;
        FlowData data;
        FlowTargets on_begin, on_result; /* without .process the flow's count */
        FlowProcess *process; /* owned; NULL: the flow's */
        ResourceSettings *resources; /* owned; NULL: not set */
        /* The items of a batch or the elements of a stream: tries, statuses and times are of one of these. */
        bool is_range;
} FlowNode;

/* The settings that a [Node …] section is read into. */
typedef struct FlowNodeSettings {
        FlowNode node;
        FlowProcess process;
} FlowNodeSettings;

/* [Policy NAME]: a command that judges whether nodes may run. */
typedef struct FlowPolicy {
        char *name; /* owned */
        FlowPlace place;
        ExecCommand *command; /* owned list, of one; NULL: none, and no node names it */
        usec_t timeout; /* for an answer */
} FlowPolicy;

#define FLOW_RETRY_DELAY (5 * USEC_PER_SEC)
#define FLOW_RETRY_MAX_DELAY (5 * USEC_PER_MINUTE)
#define FLOW_POLICY_TIMEOUT (10 * USEC_PER_SEC)
#define FLOW_CONTEXT_MAX (32U * 1024U) /* bytes of ReadinessContext= */

typedef struct FlowSettings {
        FlowProcess process; /* of nodes that set nothing of it */
        ResourceSettings *resources; /* owned; NULL: not set */
        VECTOR(FlowNode) nodes; /* of the sections, in the order of the files */
        VECTOR(FlowPolicy) policies; /* the same */
        VECTOR(char *) files; /* owned: files that nodes and dependencies are in */
        RunParams params; /* Params= */
        FlowTargets on_begin, on_result; /* of nodes that have no .process */
        FlowTargets notify; /* Notify= */
        uint32_t notify_max; /* tries before a callback is given up */
        usec_t summary; /* SummarySec=; 0: off */
        char *text; /* owned: of its files, as they were read; NULL: none was */
        char *nodes_file; /* owned: path of more nodes; NULL: none */
        ExecCommand *final; /* owned list: FinalExec=; NULL: none */
        unsigned compensate_on; /* FlowCompensateOn; 0: never */
        char *run_name; /* owned: of a run, with %{…}; NULL: %p-%{run.id} */
        FlowPlace run_name_place;
        char **allow_submit, **allow_control; /* owned: users, and groups as "@name", beside the owner of the manager */
        FlowFailure failure_policy;
        FlowEndMode end_mode;
        FlowTimeoutMode timeout_mode;
        FlowSkip skip_unneeded;
        FlowStartMode start_mode;
        FlowStopMode stop_mode;
        FlowCatchUp catch_up;
        FlowBusy on_busy;
        FlowBusy on_trigger;
        bool has_on_trigger; /* false: as on_busy, where queue becomes skip if one waits already */
        bool has_keep_for;
        bool run_directory; /* RunDirectory=: each run has a folder for its commands */
        uint32_t max_runs;
        uint32_t max_queued;
        uint32_t max_parallel; /* attempts of a run; 0: four for each CPU */
        uint32_t grow_max; /* nodes that may be added to a run */
        uint32_t keep_runs;
        usec_t keep_for; /* of a run that has ended, if has_keep_for; else it depends on its end */
        usec_t run_timeout; /* USEC_INFINITY: none */
        FlowClaim claim; /* of a run; .hold_lock and .priority also of nodes that set none */
        usec_t timeout_stop; /* from the first signal to the last; USEC_INFINITY: none */
        FlowRange range; /* of a batch, whose items are the only node */
        FlowStream stream; /* of a stream, whose elements are the only node */
        bool is_stream;
} FlowSettings;

DECLARE_STRING_TABLE(flow_busy, FlowBusy);
DECLARE_STRING_TABLE(flow_failure, FlowFailure);
DECLARE_STRING_TABLE(flow_catch_up, FlowCatchUp);
DECLARE_STRING_TABLE(flow_end_mode, FlowEndMode);
DECLARE_STRING_TABLE(flow_start_mode, FlowStartMode);
DECLARE_STRING_TABLE(flow_stop_mode, FlowStopMode);
DECLARE_STRING_TABLE(flow_timeout_mode, FlowTimeoutMode);
DECLARE_STRING_TABLE(flow_backoff, FlowBackoff);
DECLARE_STRING_TABLE(flow_operation, FlowOperation); /* "reload-or-restart", as the API has it */
DECLARE_STRING_TABLE(flow_wait_for, FlowWaitFor);
const char *flow_dependency_to_string(FlowDependencyKind kind); /* its setting: "DependsOn" */
int flow_skip_from_string(const char *string);
int flow_end_run_from_string(const char *string);
int flow_ready_from_string(const char *string); /* the kinds that are one word */
int flow_recover_from_string(const char *string);

int flow_settings_new(FlowSettings **ret_settings); /* with the defaults */
int flow_settings_new_batch(FlowSettings **ret_settings); /* the same, with the node of its items */
int flow_settings_new_stream(FlowSettings **ret_settings); /* the same, with the node of its elements */
FlowSettings *flow_settings_free(FlowSettings *settings);

int flow_node_settings_new(FlowNodeSettings **ret_settings);
FlowNodeSettings *flow_node_settings_free(FlowNodeSettings *settings);

int flow_policy_new(FlowPolicy **ret_policy);
FlowPolicy *flow_policy_free(FlowPolicy *policy);
const FlowPolicy *flow_policy_find(const FlowSettings *settings, const char *name); /* NULL: there is none */

/* When a node with SleepUntil= wakes that falls asleep at @realtime; 0: at once, since no such time is to come. */
usec_t flow_node_wake(const FlowNode *node, usec_t realtime);

/* A copy of @file that lives as long as the settings: 0 or -ENOMEM. */
int flow_settings_keep_file(FlowSettings *settings, const char *file, const char **ret_file);

/* Returns true if a status or signal is in both. */
bool flow_statuses_meet(const ExitStatusSet *a, const ExitStatusSet *b);

/* Whether @node may be skipped as unneeded, by its own setting or the flow's. */
bool flow_node_may_be_skipped(const FlowSettings *settings, const FlowNode *node);
void flow_parents_clear(FlowParents *parents);

/* Whom the begin, or the end, of @node is told: by its own settings or the flow's. */
const FlowTargets *flow_node_targets(const FlowSettings *settings, const FlowNode *node, bool is_begin);

/* The node does something: it is no checkpoint. */
bool flow_node_acts(const FlowNode *node);
/* The node runs a process of its own: Exec= or Script=. */
bool flow_node_has_process(const FlowNode *node);

/* The effect of a failure of @node, by its own setting or the flow's; never FLOW_FAILURE_UNSET. */
FlowFailure flow_node_failure(const FlowSettings *settings, const FlowNode *node);
