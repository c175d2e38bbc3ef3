/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties that only a stream has
 */

#include "basic/macro.h"
#include "types/exec_property.h"
#include "types/unit_runs.h"

/* A stream whose file is gone has no command: all of this is 0, or empty. */
static const FlowNode *element_of(const FlowSettings *stream) {
        static const FlowNode none;

        return stream->nodes.n > 0 ? &stream->nodes.items[0] : &none;
}

static const char *failure_word(const FlowNode *element) {
        return element->failure_policy == FLOW_FAILURE_SUSPEND ? "suspend" : "continue";
}

/* As it acts: without Recover= the tries decide. */
static const char *recover_word(const FlowNode *element) {
        switch (element->recover) {
        case FLOW_RECOVER_RETRY:
                return "retry";
        case FLOW_RECOVER_PENDING:
                return "pending";
        case FLOW_RECOVER_FAIL:
                return "fail";
        case FLOW_RECOVER_UNSET:
        case _FLOW_RECOVER_MAX:
                break;
        }
        return element->retry > 0 || element->idempotent ? "retry" : "pending";
}

#define STREAM(name, put, expression) UNIT_RUNS_GETTER(name, put, flow->stream.expression)
#define ELEMENT(name, put, expression) UNIT_RUNS_GETTER(name, put, element_of(flow)->expression)
#define STATUSES(name)                                                                 \
        static void get_##name(const Unit *unit, Sink *sink) {                         \
                exec_property_put_statuses(sink, &element_of(unit_runs_settings(unit))->name); \
        }

STREAM(keep_done, sink_u32, keep_done)
STREAM(link_batch, sink_u32, link_batch)
STREAM(max_backlog, sink_u64, max_backlog)
STREAM(max_groups, sink_u32, max_groups)
UNIT_RUNS_GETTER(failure_policy, sink_string, failure_word(element_of(flow)))
UNIT_RUNS_GETTER(item_mode, sink_string, flow_item_mode_to_string(flow->range.item_mode))
UNIT_RUNS_GETTER(link_delay, sink_u32, (uint32_t) (flow->stream.link_delay / USEC_PER_MSEC))
UNIT_RUNS_GETTER(recover, sink_string, recover_word(element_of(flow)))
UNIT_RUNS_GETTER(retry_backoff, sink_string, flow_backoff_to_string(element_of(flow)->retry_backoff))
ELEMENT(again, sink_u64, again)
ELEMENT(idempotent, sink_bool, idempotent)
ELEMENT(retry, sink_u32, retry)
ELEMENT(retry_delay, sink_u64, retry_delay)
ELEMENT(retry_jitter, sink_u32, retry_jitter)
ELEMENT(retry_max_delay, sink_u64, retry_max_delay)
ELEMENT(timeout, sink_u64, timeout)
STATUSES(again_exit_status)
STATUSES(no_retry_exit_status)
STATUSES(pending_exit_status)
STATUSES(retry_exit_status)
STATUSES(success_exit_status)

static void get_exec(const Unit *unit, Sink *sink) {
        exec_property_put_commands(element_of(unit_runs_settings(unit))->command, sink);
}

#define C (UNIT_PROPERTY_CONST | UNIT_PROPERTY_OWN)

static const UnitProperty rows[] = {
        { "Exec", "a(sasbttttuii)", C, get_exec, "The command of an element, which gets its data as standard input." },
        { "ItemMode", "s", C, get_item_mode, "'exec': each element has a process of its own." },
        { "MaxGroups", "u", C, get_max_groups, "How many groups are at work at a time." },
        { "MaxBacklog", "t", C, get_max_backlog, "How many elements may wait; more are refused." },
        { "LinkBatch", "u", C, get_link_batch, "How many elements of a group are put in order at a time." },
        { "LinkDelayMs", "u", C, get_link_delay, "How many milliseconds after a push that is done." },
        { "KeepDone", "u", C, get_keep_done, "How many elements of a group that are over are kept." },
        { "FailurePolicy", "s", C, get_failure_policy,
          "What an element does that has failed for good: 'continue': the next one begins; 'suspend': its group waits "
          "for a person." },
        { "Recover", "s", C, get_recover,
          "What becomes of an element that was lost or interrupted: 'retry', 'pending' or 'fail'." },
        { "Idempotent", "b", C, get_idempotent, "Whether the command may be executed twice." },
        { "Retry", "u", C, get_retry, "How often an element that has failed is executed again." },
        { "TimeoutUSec", "t", C, get_timeout, "How long an attempt of an element may take." },
        { "RetryBackoff", "s", C, get_retry_backoff, "How the delay grows: 'fixed', 'linear' or 'exponential'." },
        { "RetryDelayUSec", "t", C, get_retry_delay, "The time before the first retry." },
        { "RetryMaxDelayUSec", "t", C, get_retry_max_delay, "The longest time before a retry." },
        { "RetryJitter", "u", C, get_retry_jitter, "By how much of a hundred that time varies." },
        { "RetryExitStatus", "(aiai)", C, get_retry_exit_status,
          "Exit statuses and signals after which an element is tried again; none: all but those that are no failure." },
        { "NoRetryExitStatus", "(aiai)", C, get_no_retry_exit_status, "Those after which an element is not." },
        { "SuccessExitStatus", "(aiai)", C, get_success_exit_status, "Those that are no failure." },
        { "PendingExitStatus", "(aiai)", C, get_pending_exit_status, "Those that ask for a person." },
        { "AgainUSec", "t", C, get_again,
          "After how long an element that says 'not yet' is executed again; 0: none says so." },
        { "AgainExitStatus", "(aiai)", C, get_again_exit_status, "Those that say so; none: 75." },
};

const UnitPropertyTable stream_properties = { rows, ELEMENTSOF(rows), true, UNIT_STREAM };
