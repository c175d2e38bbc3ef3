/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties that only a batch has
 */

#include <inttypes.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "types/exec_property.h"
#include "types/unit_runs.h"

/* A batch whose file is gone has no items: all of this is 0, or empty. */
static const FlowNode *item_of(const FlowSettings *batch) {
        static const FlowNode none;

        return batch->nodes.n > 0 ? &batch->nodes.items[0] : &none;
}

#define RANGE(name, put, expression) UNIT_RUNS_GETTER(name, put, flow->range.expression)
#define ITEM(name, put, expression) UNIT_RUNS_GETTER(name, put, item_of(flow)->expression)
#define COMMANDS(name, expression)                                                     \
        static void get_##name(const Unit *unit, Sink *sink) {                         \
                const FlowSettings *flow = unit_runs_settings(unit);                   \
                                                                                       \
                exec_property_put_commands(expression, sink);                          \
        }
#define STATUSES(name)                                                                 \
        static void get_##name(const Unit *unit, Sink *sink) {                         \
                exec_property_put_statuses(sink, &item_of(unit_runs_settings(unit))->name); \
        }

RANGE(burst, sink_u32, burst)
UNIT_RUNS_GETTER(depth, sink_u32, flow_range_depth(&flow->range))
UNIT_RUNS_GETTER(item_mode, sink_string, flow_item_mode_to_string(flow->range.item_mode))
RANGE(items, sink_u64, items)
UNIT_RUNS_GETTER(items_file, sink_string, flow->range.items_file ? flow->range.items_file : "")
RANGE(manual_start, sink_bool, manual_start)
RANGE(max_error_percent, sink_u32, max_error_percent)
RANGE(max_errors, sink_u64, max_errors)
RANGE(max_errors_total, sink_u64, max_errors_total)
UNIT_RUNS_GETTER(on_error_budget, sink_string, flow_error_budget_to_string(flow->range.on_error_budget))
RANGE(parallel, sink_u32, parallel)
RANGE(pause_timeout, sink_u64, pause_timeout)
RANGE(prepare_timeout, sink_u64, prepare_timeout)
UNIT_RUNS_GETTER(source, sink_string, flow->range.source ? flow->range.source : "")
RANGE(sync, sink_u64, sync)
RANGE(sync_items, sink_u32, sync_items)
RANGE(window, sink_u32, window)
UNIT_RUNS_GETTER(worker_idle, sink_u64, flow_range_worker_idle(&flow->range))
RANGE(worker_max_items, sink_u32, worker_max_items)
ITEM(again, sink_u64, again)
ITEM(item_retry, sink_u32, retry)
ITEM(item_timeout, sink_u64, timeout)
UNIT_RUNS_GETTER(retry_backoff, sink_string, flow_backoff_to_string(item_of(flow)->retry_backoff))
ITEM(retry_delay, sink_u64, retry_delay)
ITEM(retry_jitter, sink_u32, retry_jitter)
ITEM(retry_max_delay, sink_u64, retry_max_delay)
STATUSES(again_exit_status)
STATUSES(no_retry_exit_status)
STATUSES(retry_exit_status)
STATUSES(success_exit_status)
COMMANDS(exec, item_of(flow)->command)
COMMANDS(exec_check, flow->range.exec_check)
COMMANDS(exec_prepare, flow->range.exec_prepare)
COMMANDS(items_command, flow->range.items_command)

/* As in a unit file. */
static void get_rate(const Unit *unit, Sink *sink) {
        const FlowRange *range = &unit_runs_settings(unit)->range;
        const char *period = range->rate_period == USEC_PER_HOUR     ? "h"
                             : range->rate_period == USEC_PER_MINUTE ? "min"
                                                                     : "s";
        cleanup_free_ char *text = NULL;

        if (range->rate > 0 && text_format(&text, "%" PRIu32 "/%s", range->rate, period) == 0)
                sink_string(sink, text);
        else
                sink_string(sink, "");
}

#define C (UNIT_PROPERTY_CONST | UNIT_PROPERTY_OWN)

static const UnitProperty rows[] = {
        { "Items", "t", C, get_items, "How many items there are; 0: Items= is not set." },
        { "ItemsFile", "s", C, get_items_file, "The file of which each line is an item; empty: none." },
        { "ItemsCommand", "a(sasbttttuii)", C, get_items_command, "The command that prints items." },
        { "Source", "s", C, get_source, "A text that commands around a run and its callbacks get." },
        { "Exec", "a(sasbttttuii)", C, get_exec, "The command of an item or, in a pool, of a worker." },
        { "ExecCheck", "a(sasbttttuii)", C, get_exec_check, "The command that may refuse a run." },
        { "ExecPrepare", "a(sasbttttuii)", C, get_exec_prepare, "The command that runs before a launch." },
        { "PrepareTimeoutUSec", "t", C, get_prepare_timeout, "How long that may take." },
        { "ItemMode", "s", C, get_item_mode,
          "'exec': each item has a process of its own; 'pool': workers take one after the other." },
        { "Depth", "u", C, get_depth, "How many items a worker has at a time." },
        { "WorkerMaxItems", "u", C, get_worker_max_items, "How many items a worker takes before it is ended; 0: any." },
        { "WorkerIdleUSec", "t", C, get_worker_idle, "After how long without an item a worker is ended." },
        { "Parallel", "u", C, get_parallel, "How many processes there are at a time; 0: one for each CPU." },
        { "Rate", "s", C, get_rate, "How many items are issued in a time, such as '100/min'; empty: no limit." },
        { "Burst", "u", C, get_burst, "How many are issued at once; 0: a twentieth of those of a second." },
        { "Window", "u", C, get_window, "How far an item may be ahead of the first that is not over; 0: automatic." },
        { "ItemRetry", "u", C, get_item_retry, "How often an item that has failed is issued again." },
        { "ItemTimeoutUSec", "t", C, get_item_timeout, "How long an item may take." },
        { "RetryBackoff", "s", C, get_retry_backoff, "How the delay grows: 'fixed', 'linear' or 'exponential'." },
        { "RetryDelayUSec", "t", C, get_retry_delay, "The time before the first retry." },
        { "RetryMaxDelayUSec", "t", C, get_retry_max_delay, "The longest time before a retry." },
        { "RetryJitter", "u", C, get_retry_jitter, "By how much of a hundred that time varies." },
        { "RetryExitStatus", "(aiai)", C, get_retry_exit_status,
          "Exit statuses and signals after which an item is issued again; none: all but those that are no failure." },
        { "NoRetryExitStatus", "(aiai)", C, get_no_retry_exit_status, "Those after which an item is not." },
        { "SuccessExitStatus", "(aiai)", C, get_success_exit_status, "Those that are no failure." },
        { "AgainUSec", "t", C, get_again,
          "After how long an item that says 'not yet' is issued again; 0: none says so." },
        { "AgainExitStatus", "(aiai)", C, get_again_exit_status, "Those that say so; none: 75." },
        { "MaxErrors", "t", C, get_max_errors, "How many items of a launch may fail; 0: any number." },
        { "MaxErrorPercent", "u", C, get_max_error_percent, "How many of a hundred; 0: any number." },
        { "MaxErrorsTotal", "t", C, get_max_errors_total, "How many items of a run may fail; 0: any number." },
        { "OnErrorBudget", "s", C, get_on_error_budget,
          "What becomes of items that are out when too many have failed: 'drain' or 'kill'." },
        { "ManualStart", "b", C, get_manual_start, "Whether a run waits until somebody starts it." },
        { "SyncUSec", "t", C, get_sync, "The time between two checkpoints ..." },
        { "SyncItems", "u", C, get_sync_items, "... or the number of items that are over." },
        { "PauseTimeoutUSec", "t", C, get_pause_timeout, "After how long a pause ends items that are out." },
};

const UnitPropertyTable batch_properties = { rows, ELEMENTSOF(rows), true, UNIT_BATCH };
