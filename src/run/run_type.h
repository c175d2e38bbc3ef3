/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * States of runs, nodes and attempts, and what moves them, as data
 *
 * A run is an instance of a graph, a node of it is executed by attempts. Each
 * has a table of (states, event, states): a pair of a state and an event that
 * stands in no row is refused with a sentence. Where a row has several states
 * to go to, policies decide.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/string_table.h"

typedef enum RunState {
        RUN_CREATED,
        RUN_QUEUED,
        RUN_RUNNING,
        RUN_AWAITING,                           /* a batch prepares, or waits for its owner to go on */
        RUN_PAUSING,
        RUN_PAUSED,
        RUN_SUSPENDED,                          /* nothing can move before a person resolves a node */
        RUN_STOPPING,                           /* the result is fixed */
        RUN_SUCCEEDED,
        RUN_PARTIAL,                            /* with failures that were tolerated */
        RUN_FAILED,
        RUN_TIMEOUT,
        RUN_CANCELLED,
        _RUN_STATE_MAX,
} RunState;

typedef enum RunEvent {
        RUN_EVENT_ADMIT,                        /* the unit is active, and MaxRuns= has room */
        RUN_EVENT_QUEUE,                        /* there is no room */
        RUN_EVENT_UNIT_FAILED,                  /* the start job of the unit */
        RUN_EVENT_UNIT_CANCELLED,               /* the start job of the unit */
        RUN_EVENT_QUEUE_TIMEOUT,
        RUN_EVENT_AWAIT,                        /* the launch of a batch prepares, or waits for its owner */
        RUN_EVENT_PROCEED,                      /* it does so no longer */
        RUN_EVENT_PAUSE,
        RUN_EVENT_HOLD,                         /* the unit is stopped */
        RUN_EVENT_DRAINED,                      /* the last attempt has ended */
        RUN_EVENT_RESUME,
        RUN_EVENT_STUCK,                        /* nothing can move, and some node is PENDING */
        RUN_EVENT_RESOLVE,                      /* a person has changed a node */
        RUN_EVENT_STOP,
        RUN_EVENT_CANCEL,
        RUN_EVENT_DEADLINE,
        RUN_EVENT_END,                          /* FailurePolicy=end */
        RUN_EVENT_DONE,                         /* all nodes are terminal */
        RUN_EVENT_STOPPED,                      /* nothing of it runs any more */
        RUN_EVENT_RETRY,
        RUN_EVENT_RERUN,
        RUN_EVENT_COMPENSATE,                   /* a person wants undone what has succeeded */
        _RUN_EVENT_MAX,
} RunEvent;

typedef enum RunNodeState {
        RUN_NODE_WAITING,
        RUN_NODE_BLOCKED,                       /* only a person can free it: a parent is PENDING */
        RUN_NODE_READY,
        RUN_NODE_RUNNING,
        RUN_NODE_DEFERRED,                      /* not before a time */
        RUN_NODE_PENDING,                       /* a person must resolve it */
        RUN_NODE_SUCCEEDED,
        RUN_NODE_FAILED,
        RUN_NODE_TIMEOUT,
        RUN_NODE_CANCELLED,
        RUN_NODE_SKIPPED,
        _RUN_NODE_STATE_MAX,
} RunNodeState;

typedef enum RunNodeEvent {
        RUN_NODE_EVENT_FIT,                     /* its parents allow it */
        RUN_NODE_EVENT_WAIT,                    /* its parents may allow it later */
        RUN_NODE_EVENT_BLOCK,
        RUN_NODE_EVENT_NEVER,                   /* its parents will never allow it */
        RUN_NODE_EVENT_DISPATCH,                /* a checkpoint succeeds at once */
        RUN_NODE_EVENT_SUCCESS,
        RUN_NODE_EVENT_FAILURE,
        RUN_NODE_EVENT_LOST,
        RUN_NODE_EVENT_INTERRUPTED,
        RUN_NODE_EVENT_GONE,                    /* the tree is gone after the outcome was fixed */
        RUN_NODE_EVENT_DUE,                     /* the time of a DEFERRED node has come */
        RUN_NODE_EVENT_BOUND,                   /* a limit of all tries is reached while DEFERRED */
        RUN_NODE_EVENT_AS_SUCCESS,
        RUN_NODE_EVENT_AS_FAILED,
        RUN_NODE_EVENT_AS_RETRY,
        RUN_NODE_EVENT_SKIP,
        RUN_NODE_EVENT_GATE,                    /* it is READY, and a person has to approve it first */
        RUN_NODE_EVENT_APPROVE,
        RUN_NODE_EVENT_REJECT,
        RUN_NODE_EVENT_COMPLETE,                /* somebody else has done what it waits for */
        RUN_NODE_EVENT_UNNEEDED,                /* all goals below are terminal */
        RUN_NODE_EVENT_END,                     /* the run is STOPPING */
        RUN_NODE_EVENT_DEADLINE,                /* of the run */
        RUN_NODE_EVENT_RESET,                   /* a next generation, for retry and rerun */
        _RUN_NODE_EVENT_MAX,
} RunNodeEvent;

typedef enum RunAttemptState {
        RUN_ATTEMPT_STARTING,
        RUN_ATTEMPT_RUNNING,
        RUN_ATTEMPT_DONE,
        RUN_ATTEMPT_LOST,                       /* nobody knows what became of it */
        RUN_ATTEMPT_INTERRUPTED,                /* ended by a stop of the unit or a shutdown */
        RUN_ATTEMPT_ABANDONED,                  /* the process is left; its result is ignored */
        _RUN_ATTEMPT_STATE_MAX,
} RunAttemptState;

typedef enum RunAttemptEvent {
        RUN_ATTEMPT_EVENT_STARTED,
        RUN_ATTEMPT_EVENT_EXITED,
        RUN_ATTEMPT_EVENT_SPAWN_FAILED,
        RUN_ATTEMPT_EVENT_LOST,
        RUN_ATTEMPT_EVENT_INTERRUPTED,
        RUN_ATTEMPT_EVENT_ABANDON,
        _RUN_ATTEMPT_EVENT_MAX,
} RunAttemptEvent;

DECLARE_STRING_TABLE(run_state, RunState);                      /* "RUNNING": as users read it */
DECLARE_STRING_TABLE(run_node_state, RunNodeState);
DECLARE_STRING_TABLE(run_attempt_state, RunAttemptState);
DECLARE_STRING_TABLE(run_event, RunEvent);
DECLARE_STRING_TABLE(run_node_event, RunNodeEvent);
DECLARE_STRING_TABLE(run_attempt_event, RunAttemptEvent);

bool run_state_is_terminal(RunState state);
bool run_node_state_is_terminal(RunNodeState state);
bool run_attempt_state_is_terminal(RunAttemptState state);

/* The states that may follow, a bit each (1U << state); 0: the event is refused. */
uint32_t run_state_after(RunState state, RunEvent event);
uint32_t run_node_state_after(RunNodeState state, RunNodeEvent event);
uint32_t run_attempt_state_after(RunAttemptState state, RunAttemptEvent event);

/* Why an event is refused: a sentence (owned by the caller) that names both. 0 or -ENOMEM. */
int run_state_refuse(RunState state, RunEvent event, char **ret_sentence);
int run_node_state_refuse(RunNodeState state, RunNodeEvent event, char **ret_sentence);
int run_attempt_state_refuse(RunAttemptState state, RunAttemptEvent event, char **ret_sentence);
