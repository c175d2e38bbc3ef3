/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The tables of transitions
 *
 * A row has masks, because several states often go the same way. Tables are
 * short, so a look-up reads the whole of one.
 */

#include <stddef.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "run/run_type.h"

#define S(state) (1U << (state))

typedef struct Transition {
        uint32_t from;
        uint32_t event;
        uint32_t to;                    /* SAME: the state stays */
} Transition;

#define SAME UINT32_MAX

#define RUN_ENDED (S(RUN_SUCCEEDED) | S(RUN_PARTIAL) | S(RUN_FAILED) | S(RUN_TIMEOUT) | S(RUN_CANCELLED))
#define RUN_LIVE ((S(_RUN_STATE_MAX) - 1) & ~RUN_ENDED)
#define RUN_ADMITTED (S(RUN_RUNNING) | S(RUN_AWAITING) | S(RUN_PAUSING) | S(RUN_PAUSED) | S(RUN_SUSPENDED))

static const Transition run_table[] = {
        { S(RUN_CREATED) | S(RUN_QUEUED), RUN_EVENT_ADMIT, S(RUN_RUNNING) },
        { S(RUN_CREATED), RUN_EVENT_QUEUE, S(RUN_QUEUED) },
        { S(RUN_CREATED) | S(RUN_QUEUED), RUN_EVENT_UNIT_FAILED, S(RUN_FAILED) },
        { S(RUN_CREATED), RUN_EVENT_UNIT_CANCELLED, S(RUN_CANCELLED) },
        { S(RUN_QUEUED), RUN_EVENT_QUEUE_TIMEOUT, S(RUN_TIMEOUT) },
        { S(RUN_RUNNING), RUN_EVENT_AWAIT, S(RUN_AWAITING) },
        { S(RUN_AWAITING), RUN_EVENT_PROCEED, S(RUN_RUNNING) },
        { S(RUN_RUNNING) | S(RUN_AWAITING), RUN_EVENT_PAUSE, S(RUN_PAUSING) | S(RUN_PAUSED) },
        { S(RUN_RUNNING) | S(RUN_AWAITING) | S(RUN_PAUSING), RUN_EVENT_HOLD, S(RUN_PAUSING) | S(RUN_PAUSED) },
        { S(RUN_CREATED) | S(RUN_QUEUED) | S(RUN_PAUSED) | S(RUN_SUSPENDED) | S(RUN_STOPPING), RUN_EVENT_HOLD, SAME },
        { S(RUN_PAUSING), RUN_EVENT_DRAINED, S(RUN_PAUSED) | S(RUN_STOPPING) },
        { S(RUN_PAUSING) | S(RUN_PAUSED), RUN_EVENT_RESUME, S(RUN_RUNNING) },
        /* A hold is taken off. */
        { S(RUN_CREATED) | S(RUN_QUEUED) | S(RUN_SUSPENDED) | S(RUN_STOPPING), RUN_EVENT_RESUME, SAME },
        /* In STOPPING a compensation, or the final node, is PENDING. */
        { S(RUN_RUNNING) | S(RUN_STOPPING), RUN_EVENT_STUCK, S(RUN_SUSPENDED) },
        { S(RUN_SUSPENDED), RUN_EVENT_RESOLVE, S(RUN_RUNNING) | S(RUN_STOPPING) },
        { S(RUN_RUNNING) | S(RUN_AWAITING) | S(RUN_PAUSING) | S(RUN_PAUSED), RUN_EVENT_RESOLVE, SAME },
        { RUN_ENDED, RUN_EVENT_RESOLVE, S(RUN_CREATED) },
        /* In STOPPING the first result stands; a later request only ends what runs by stronger means. */
        { RUN_LIVE, RUN_EVENT_STOP, S(RUN_STOPPING) },
        { RUN_LIVE, RUN_EVENT_CANCEL, S(RUN_STOPPING) },
        { RUN_ADMITTED | S(RUN_STOPPING), RUN_EVENT_DEADLINE, S(RUN_STOPPING) },
        { RUN_ADMITTED, RUN_EVENT_END, S(RUN_STOPPING) },
        { S(RUN_RUNNING) | S(RUN_AWAITING) | S(RUN_PAUSING), RUN_EVENT_DONE, S(RUN_STOPPING) },
        { S(RUN_STOPPING), RUN_EVENT_STOPPED, RUN_ENDED },
        { RUN_ENDED, RUN_EVENT_RETRY, S(RUN_CREATED) },
        { RUN_ENDED, RUN_EVENT_RERUN, S(RUN_CREATED) },
        { RUN_ENDED, RUN_EVENT_COMPENSATE, S(RUN_STOPPING) },
};

#define NODE_ENDED \
        (S(RUN_NODE_SUCCEEDED) | S(RUN_NODE_FAILED) | S(RUN_NODE_TIMEOUT) | S(RUN_NODE_CANCELLED) | S(RUN_NODE_SKIPPED))
#define NODE_AT_REST \
        (S(RUN_NODE_WAITING) | S(RUN_NODE_BLOCKED) | S(RUN_NODE_READY) | S(RUN_NODE_DEFERRED) | S(RUN_NODE_PENDING))
#define NODE_UNREADY (S(RUN_NODE_WAITING) | S(RUN_NODE_BLOCKED))
#define NODE_FAILURE (S(RUN_NODE_FAILED) | S(RUN_NODE_TIMEOUT) | S(RUN_NODE_PENDING))

static const Transition node_table[] = {
        { NODE_UNREADY, RUN_NODE_EVENT_FIT, S(RUN_NODE_READY) },
        { NODE_UNREADY, RUN_NODE_EVENT_WAIT, S(RUN_NODE_WAITING) },
        { NODE_UNREADY, RUN_NODE_EVENT_BLOCK, S(RUN_NODE_BLOCKED) },
        { NODE_UNREADY, RUN_NODE_EVENT_NEVER, S(RUN_NODE_SKIPPED) },
        { S(RUN_NODE_READY), RUN_NODE_EVENT_DISPATCH, S(RUN_NODE_RUNNING) | S(RUN_NODE_SUCCEEDED) },
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_SUCCESS, S(RUN_NODE_SUCCEEDED) },
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_FAILURE, NODE_FAILURE | S(RUN_NODE_DEFERRED) },
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_LOST, NODE_FAILURE | S(RUN_NODE_DEFERRED) },
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_INTERRUPTED, NODE_FAILURE | S(RUN_NODE_READY) },
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_GONE, S(RUN_NODE_CANCELLED) | S(RUN_NODE_TIMEOUT) | S(RUN_NODE_FAILED) },
        { S(RUN_NODE_DEFERRED), RUN_NODE_EVENT_DUE, S(RUN_NODE_READY) },
        { S(RUN_NODE_DEFERRED), RUN_NODE_EVENT_BOUND, NODE_FAILURE },
        { S(RUN_NODE_PENDING), RUN_NODE_EVENT_AS_SUCCESS, S(RUN_NODE_SUCCEEDED) },
        /* In an ended run: a new round begins with it. */
        { S(RUN_NODE_FAILED) | S(RUN_NODE_TIMEOUT), RUN_NODE_EVENT_AS_SUCCESS, S(RUN_NODE_SUCCEEDED) },
        { S(RUN_NODE_PENDING), RUN_NODE_EVENT_AS_FAILED, S(RUN_NODE_FAILED) },
        { S(RUN_NODE_PENDING), RUN_NODE_EVENT_AS_RETRY, S(RUN_NODE_READY) },
        { NODE_AT_REST, RUN_NODE_EVENT_SKIP, S(RUN_NODE_SKIPPED) },
        { S(RUN_NODE_READY), RUN_NODE_EVENT_GATE, S(RUN_NODE_PENDING) },
        { S(RUN_NODE_PENDING), RUN_NODE_EVENT_APPROVE, S(RUN_NODE_READY) | S(RUN_NODE_SUCCEEDED) },
        { S(RUN_NODE_PENDING), RUN_NODE_EVENT_REJECT, S(RUN_NODE_FAILED) },
        /* While its process runs, the node stays. */
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_COMPLETE,
          S(RUN_NODE_RUNNING) | S(RUN_NODE_SUCCEEDED) | S(RUN_NODE_FAILED) | S(RUN_NODE_PENDING) },
        { S(RUN_NODE_READY) | S(RUN_NODE_DEFERRED) | S(RUN_NODE_PENDING), RUN_NODE_EVENT_COMPLETE,
          S(RUN_NODE_SUCCEEDED) | S(RUN_NODE_FAILED) | S(RUN_NODE_PENDING) },
        { S(RUN_NODE_PENDING), RUN_NODE_EVENT_UNNEEDED, S(RUN_NODE_CANCELLED) },
        /* A RUNNING node ends later: its processes must be gone first. */
        { NODE_AT_REST, RUN_NODE_EVENT_END, S(RUN_NODE_SKIPPED) },
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_END, SAME },
        { NODE_AT_REST, RUN_NODE_EVENT_DEADLINE, S(RUN_NODE_TIMEOUT) },
        { S(RUN_NODE_RUNNING), RUN_NODE_EVENT_DEADLINE, SAME },
        { NODE_ENDED, RUN_NODE_EVENT_RESET, S(RUN_NODE_WAITING) },
};

#define ATTEMPT_LIVE (S(RUN_ATTEMPT_STARTING) | S(RUN_ATTEMPT_RUNNING))

static const Transition attempt_table[] = {
        { S(RUN_ATTEMPT_STARTING), RUN_ATTEMPT_EVENT_STARTED, S(RUN_ATTEMPT_RUNNING) },
        /* The exit may be told before the start was. */
        { ATTEMPT_LIVE, RUN_ATTEMPT_EVENT_EXITED, S(RUN_ATTEMPT_DONE) },
        { S(RUN_ATTEMPT_STARTING), RUN_ATTEMPT_EVENT_SPAWN_FAILED, S(RUN_ATTEMPT_DONE) },
        { ATTEMPT_LIVE, RUN_ATTEMPT_EVENT_LOST, S(RUN_ATTEMPT_LOST) },
        { ATTEMPT_LIVE, RUN_ATTEMPT_EVENT_INTERRUPTED, S(RUN_ATTEMPT_INTERRUPTED) },
        { ATTEMPT_LIVE, RUN_ATTEMPT_EVENT_ABANDON, S(RUN_ATTEMPT_ABANDONED) },
        /* A late exit is noted. */
        { S(RUN_ATTEMPT_ABANDONED), RUN_ATTEMPT_EVENT_EXITED, SAME },
        { S(RUN_ATTEMPT_ABANDONED), RUN_ATTEMPT_EVENT_LOST, SAME },
};

static const char *const run_states[_RUN_STATE_MAX] = {
        [RUN_CREATED] = "CREATED",
        [RUN_QUEUED] = "QUEUED",
        [RUN_RUNNING] = "RUNNING",
        [RUN_AWAITING] = "AWAITING",
        [RUN_PAUSING] = "PAUSING",
        [RUN_PAUSED] = "PAUSED",
        [RUN_SUSPENDED] = "SUSPENDED",
        [RUN_STOPPING] = "STOPPING",
        [RUN_SUCCEEDED] = "SUCCEEDED",
        [RUN_PARTIAL] = "PARTIAL",
        [RUN_FAILED] = "FAILED",
        [RUN_TIMEOUT] = "TIMEOUT",
        [RUN_CANCELLED] = "CANCELLED",
};

static const char *const run_events[_RUN_EVENT_MAX] = {
        [RUN_EVENT_ADMIT] = "admit",
        [RUN_EVENT_QUEUE] = "queue",
        [RUN_EVENT_UNIT_FAILED] = "unit-failed",
        [RUN_EVENT_UNIT_CANCELLED] = "unit-cancelled",
        [RUN_EVENT_QUEUE_TIMEOUT] = "queue-timeout",
        [RUN_EVENT_AWAIT] = "await",
        [RUN_EVENT_PROCEED] = "proceed",
        [RUN_EVENT_PAUSE] = "pause",
        [RUN_EVENT_HOLD] = "hold",
        [RUN_EVENT_DRAINED] = "drained",
        [RUN_EVENT_RESUME] = "resume",
        [RUN_EVENT_STUCK] = "stuck",
        [RUN_EVENT_RESOLVE] = "resolve",
        [RUN_EVENT_STOP] = "stop",
        [RUN_EVENT_CANCEL] = "cancel",
        [RUN_EVENT_DEADLINE] = "deadline",
        [RUN_EVENT_END] = "end",
        [RUN_EVENT_DONE] = "done",
        [RUN_EVENT_STOPPED] = "stopped",
        [RUN_EVENT_RETRY] = "retry",
        [RUN_EVENT_RERUN] = "rerun",
        [RUN_EVENT_COMPENSATE] = "compensate",
};

static const char *const node_states[_RUN_NODE_STATE_MAX] = {
        [RUN_NODE_WAITING] = "WAITING",
        [RUN_NODE_BLOCKED] = "BLOCKED",
        [RUN_NODE_READY] = "READY",
        [RUN_NODE_RUNNING] = "RUNNING",
        [RUN_NODE_DEFERRED] = "DEFERRED",
        [RUN_NODE_PENDING] = "PENDING",
        [RUN_NODE_SUCCEEDED] = "SUCCEEDED",
        [RUN_NODE_FAILED] = "FAILED",
        [RUN_NODE_TIMEOUT] = "TIMEOUT",
        [RUN_NODE_CANCELLED] = "CANCELLED",
        [RUN_NODE_SKIPPED] = "SKIPPED",
};

static const char *const node_events[_RUN_NODE_EVENT_MAX] = {
        [RUN_NODE_EVENT_FIT] = "fit",
        [RUN_NODE_EVENT_WAIT] = "wait",
        [RUN_NODE_EVENT_BLOCK] = "block",
        [RUN_NODE_EVENT_NEVER] = "never",
        [RUN_NODE_EVENT_DISPATCH] = "dispatch",
        [RUN_NODE_EVENT_SUCCESS] = "success",
        [RUN_NODE_EVENT_FAILURE] = "failure",
        [RUN_NODE_EVENT_LOST] = "lost",
        [RUN_NODE_EVENT_INTERRUPTED] = "interrupted",
        [RUN_NODE_EVENT_GONE] = "gone",
        [RUN_NODE_EVENT_DUE] = "due",
        [RUN_NODE_EVENT_BOUND] = "bound",
        [RUN_NODE_EVENT_AS_SUCCESS] = "resolve-success",
        [RUN_NODE_EVENT_AS_FAILED] = "resolve-failed",
        [RUN_NODE_EVENT_AS_RETRY] = "resolve-retry",
        [RUN_NODE_EVENT_SKIP] = "skip",
        [RUN_NODE_EVENT_GATE] = "gate",
        [RUN_NODE_EVENT_APPROVE] = "approve",
        [RUN_NODE_EVENT_REJECT] = "reject",
        [RUN_NODE_EVENT_COMPLETE] = "complete",
        [RUN_NODE_EVENT_UNNEEDED] = "unneeded",
        [RUN_NODE_EVENT_END] = "end",
        [RUN_NODE_EVENT_DEADLINE] = "deadline",
        [RUN_NODE_EVENT_RESET] = "reset",
};

static const char *const attempt_states[_RUN_ATTEMPT_STATE_MAX] = {
        [RUN_ATTEMPT_STARTING] = "STARTING",
        [RUN_ATTEMPT_RUNNING] = "RUNNING",
        [RUN_ATTEMPT_DONE] = "DONE",
        [RUN_ATTEMPT_LOST] = "LOST",
        [RUN_ATTEMPT_INTERRUPTED] = "INTERRUPTED",
        [RUN_ATTEMPT_ABANDONED] = "ABANDONED",
};

static const char *const attempt_events[_RUN_ATTEMPT_EVENT_MAX] = {
        [RUN_ATTEMPT_EVENT_STARTED] = "started",
        [RUN_ATTEMPT_EVENT_EXITED] = "exited",
        [RUN_ATTEMPT_EVENT_SPAWN_FAILED] = "spawn-failed",
        [RUN_ATTEMPT_EVENT_LOST] = "lost",
        [RUN_ATTEMPT_EVENT_INTERRUPTED] = "interrupted",
        [RUN_ATTEMPT_EVENT_ABANDON] = "abandon",
};

DEFINE_STRING_TABLE(run_state, RunState, run_states)
DEFINE_STRING_TABLE(run_event, RunEvent, run_events)
DEFINE_STRING_TABLE(run_node_state, RunNodeState, node_states)
DEFINE_STRING_TABLE(run_node_event, RunNodeEvent, node_events)
DEFINE_STRING_TABLE(run_attempt_state, RunAttemptState, attempt_states)
DEFINE_STRING_TABLE(run_attempt_event, RunAttemptEvent, attempt_events)

static uint32_t find_next(const Transition *table, size_t n, unsigned state, unsigned event) {
        for (size_t i = 0; i < n; i++)
                if (table[i].event == event && (table[i].from & S(state)))
                        return table[i].to == SAME ? S(state) : table[i].to;
        return 0;
}

bool run_state_is_terminal(RunState state) {
        return RUN_ENDED & S(state);
}

bool run_node_state_is_terminal(RunNodeState state) {
        return NODE_ENDED & S(state);
}

bool run_attempt_state_is_terminal(RunAttemptState state) {
        return !(ATTEMPT_LIVE & S(state));
}

uint32_t run_state_after(RunState state, RunEvent event) {
        return find_next(run_table, ELEMENTSOF(run_table), state, event);
}

uint32_t run_node_state_after(RunNodeState state, RunNodeEvent event) {
        return find_next(node_table, ELEMENTSOF(node_table), state, event);
}

uint32_t run_attempt_state_after(RunAttemptState state, RunAttemptEvent event) {
        return find_next(attempt_table, ELEMENTSOF(attempt_table), state, event);
}

static int refuse(const char *what, const char *state, const char *event, char **ret_sentence) {
        return text_format(ret_sentence, "%s is %s, where \"%s\" is not possible.", what, state, event);
}

int run_state_refuse(RunState state, RunEvent event, char **ret_sentence) {
        return refuse("The run", run_state_to_string(state), run_event_to_string(event), ret_sentence);
}

int run_node_state_refuse(RunNodeState state, RunNodeEvent event, char **ret_sentence) {
        return refuse("The node", run_node_state_to_string(state), run_node_event_to_string(event), ret_sentence);
}

int run_attempt_state_refuse(RunAttemptState state, RunAttemptEvent event, char **ret_sentence) {
        return refuse("The attempt", run_attempt_state_to_string(state), run_attempt_event_to_string(event),
                      ret_sentence);
}
