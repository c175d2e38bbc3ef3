/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The [Flow] and [Node …] sections as data
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
#include "unitfile/exec_settings.h"
#include "unitfile/flow_claim.h"
#include "unitfile/kill_settings.h"
#include "unitfile/resource_settings.h"
#include "unitfile/service_settings.h"

/* Stands for no node where the name of one is expected. */
#define FLOW_NO_NODE "N/A"

/* What becomes of a run that is submitted while as many as MaxRuns= allows are there. */
typedef enum FlowBusy {
        FLOW_BUSY_QUEUE,
        FLOW_BUSY_REJECT,
        FLOW_BUSY_SKIP,
        FLOW_BUSY_REPLACE,
        _FLOW_BUSY_MAX,
} FlowBusy;

/* What a node's failure means for its run. */
typedef enum FlowFailure {
        FLOW_FAILURE_UNSET, /* of a node: the flow's; of a flow: end */
        FLOW_FAILURE_END,
        FLOW_FAILURE_CONTINUE,
        FLOW_FAILURE_SUSPEND,
        _FLOW_FAILURE_MAX,
} FlowFailure;

typedef enum FlowEndMode {
        FLOW_END_DRAIN,
        FLOW_END_KILL,
        _FLOW_END_MODE_MAX,
} FlowEndMode;

typedef enum FlowStopMode {
        FLOW_STOP_WAIT,
        FLOW_STOP_INTERRUPT,
        _FLOW_STOP_MODE_MAX,
} FlowStopMode;

typedef enum FlowBackoff {
        FLOW_BACKOFF_FIXED,
        FLOW_BACKOFF_LINEAR,
        FLOW_BACKOFF_EXPONENTIAL,
        _FLOW_BACKOFF_MAX,
} FlowBackoff;

/* What becomes of a node whose attempt was lost or interrupted. */
typedef enum FlowRecover {
        FLOW_RECOVER_UNSET, /* retry if Retry= or Idempotent= says that it may run again; else pending */
        FLOW_RECOVER_RETRY,
        FLOW_RECOVER_PENDING,
        FLOW_RECOVER_FAIL,
        _FLOW_RECOVER_MAX,
} FlowRecover;

typedef enum FlowReadinessKind {
        FLOW_READY_ALL_SUCCEEDED,
        FLOW_READY_ALL_FINISHED,
        FLOW_READY_AT_LEAST,
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

typedef struct FlowDependency {
        char *name; /* owned */
        FlowPlace place;
} FlowDependency;

typedef struct FlowNode {
        char *name; /* owned */
        FlowPlace place; /* where it is first named */
        VECTOR(FlowDependency) depends_on;
        FlowReadiness readiness;
        FlowPlace readiness_place; /* .file is NULL without Readiness= */
        bool idempotent; /* Idempotent=: the command may run again */
        FlowFailure failure_policy;
        FlowRecover recover;
        ExecCommand *command; /* owned list; NULL: a checkpoint */
        uint32_t retry; /* tries after the first */
        uint32_t retry_jitter; /* percent of the delay */
        FlowBackoff retry_backoff;
        usec_t retry_delay, retry_max_delay;
        usec_t retry_window; /* USEC_INFINITY: none */
        ExitStatusSet retry_exit_status; /* empty: all failures are retried … */
        ExitStatusSet no_retry_exit_status; /* … but these */
        ExitStatusSet success_exit_status; /* beside 0 */
        usec_t timeout; /* of an attempt; USEC_INFINITY: none */
        usec_t total_timeout; /* of all of them */
        FlowClaim claim;
        FlowProcess *process; /* owned; NULL: the flow's */
        ResourceSettings *resources; /* owned; NULL: not set */
} FlowNode;

/* The settings that a [Node …] section is read into. */
typedef struct FlowNodeSettings {
        FlowNode node;
        FlowProcess process;
} FlowNodeSettings;

typedef struct FlowSettings {
        FlowProcess process; /* of nodes that set nothing of it */
        ResourceSettings *resources; /* owned; NULL: not set */
        VECTOR(FlowNode) nodes; /* of the sections, in the order of the files */
        VECTOR(char *) files; /* owned: files that nodes and dependencies are in */
        char *text; /* owned: of its files, as they were read; NULL: none was */
        char *nodes_file; /* owned: path of more nodes; NULL: none */
        FlowFailure failure_policy;
        FlowEndMode end_mode;
        FlowStopMode stop_mode;
        FlowBusy on_busy;
        FlowBusy on_trigger;
        bool has_on_trigger; /* false: as on_busy, where queue becomes skip if one waits already */
        bool has_keep_for;
        uint32_t max_runs;
        uint32_t max_queued;
        uint32_t max_parallel; /* attempts of a run; 0: four for each CPU */
        uint32_t keep_runs;
        usec_t keep_for; /* of a run that has ended, if has_keep_for; else it depends on its end */
        usec_t run_timeout; /* USEC_INFINITY: none */
        FlowClaim claim; /* of a run; .hold_lock and .priority also of nodes that set none */
        usec_t timeout_stop; /* from the first signal to the last; USEC_INFINITY: none */
} FlowSettings;

DECLARE_STRING_TABLE(flow_busy, FlowBusy);
DECLARE_STRING_TABLE(flow_failure, FlowFailure);
DECLARE_STRING_TABLE(flow_end_mode, FlowEndMode);
DECLARE_STRING_TABLE(flow_stop_mode, FlowStopMode);
int flow_backoff_from_string(const char *string);
int flow_recover_from_string(const char *string);

int flow_settings_new(FlowSettings **ret_settings); /* with the defaults */
FlowSettings *flow_settings_free(FlowSettings *settings);

int flow_node_settings_new(FlowNodeSettings **ret_settings);
FlowNodeSettings *flow_node_settings_free(FlowNodeSettings *settings);

/* A copy of @file that lives as long as the settings: 0 or -ENOMEM. */
int flow_settings_keep_file(FlowSettings *settings, const char *file, const char **ret_file);

/* Returns true if a status or signal is in both. */
bool flow_statuses_meet(const ExitStatusSet *a, const ExitStatusSet *b);

/* What the failure of @node means, by its own setting or the flow's; never FLOW_FAILURE_UNSET. */
FlowFailure flow_node_failure(const FlowSettings *settings, const FlowNode *node);
