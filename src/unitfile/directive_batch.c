/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Batch]: what it does not have in common with [Flow]
 *
 * A setting that this version does not carry out is refused, as in a flow.
 */

#include "basic/macro.h"
#include "unitfile/batch_value.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_flow.h"
#include "unitfile/directive_service.h"
#include "unitfile/flow_value.h"

const Directive batch_directives[] = {
        ITEM("AgainExitStatus", service_parse_exit_status, again_exit_status, .is_strict = true),
        DIRECTIVE_REFUSE("AgainMax", "an item could say 'not yet' any number of times; its command is to fail then"),
        DIRECTIVE_REFUSE("AgainMaxSec", "an item could say 'not yet' for ever; its command is to fail then"),
        ITEM("AgainSec", flow_parse_timeout, again, .is_strict = true),
        FLOW("Burst", batch_parse_burst, range.burst, .is_strict = true),
        FLOW("Depth", batch_parse_depth, range.depth, .is_strict = true),
        ITEM("Exec", directive_parse_command, command, .is_strict = true),
        DIRECTIVE_REFUSE("ExecCheck", "each run would be accepted; use ExecPrepare=, which holds up each launch"),
        FLOW("ExecPrepare", directive_parse_command, range.exec_prepare, .is_strict = true),
        DIRECTIVE_REFUSE("ExecStart", "the command would not run; use Exec="),
        DIRECTIVE_REFUSE("ExecStartPre", "the command would not run; use ExecPrepare=, which runs before each launch"),
        DIRECTIVE_REFUSE("ExecStopPost", "the command would not run; use FinalExec=, which runs at the end of a run"),
        DIRECTIVE_REFUSE("FailurePolicy", "items that fail would end no run; use MaxErrors= or MaxErrorPercent="),
        ITEM("Idempotent", batch_parse_idempotent, idempotent, .is_strict = true),
        FLOW("ItemMode", directive_parse_enum, range.item_mode, .from_string = flow_item_mode_from_string,
             .is_strict = true),
        ITEM("ItemRetry", directive_parse_u32, retry, .is_strict = true),
        ITEM("ItemTimeoutSec", flow_parse_timeout, timeout, .is_strict = true),
        FLOW("Items", batch_parse_items, range.items, .is_strict = true),
        FLOW("ItemsCommand", directive_parse_command, range.items_command, .is_strict = true),
        FLOW("ItemsFile", directive_parse_path, range.items_file, .is_strict = true),
        FLOW("ManualStart", directive_parse_bool, range.manual_start, .is_strict = true),
        FLOW("MaxErrorPercent", flow_parse_percent, range.max_error_percent, .is_strict = true),
        FLOW("MaxErrors", batch_parse_number, range.max_errors, .is_strict = true),
        FLOW("MaxErrorsTotal", batch_parse_number, range.max_errors_total, .is_strict = true),
        DIRECTIVE_REFUSE("MaxParallel", "as many items as Parallel= says would be out; use Parallel="),
        ITEM("NoRetryExitStatus", service_parse_exit_status, no_retry_exit_status, .is_strict = true),
        FLOW("OnErrorBudget", directive_parse_enum, range.on_error_budget, .from_string = flow_error_budget_from_string,
             .is_strict = true),
        FLOW("Parallel", flow_parse_count, range.parallel, .is_strict = true),
        FLOW("PauseTimeoutSec", flow_parse_timeout, range.pause_timeout, .is_strict = true),
        FLOW("PrepareTimeoutSec", flow_parse_timeout, range.prepare_timeout, .is_strict = true),
        DIRECTIVE_REFUSE("PriorityInherit", "a run would have its own priority alone"),
        FLOW("Rate", batch_parse_rate, range.rate, .is_strict = true),
        ITEM("Recover", batch_parse_recover, recover, .is_strict = true),
        REFUSE_RESTARTS("an item that failed would not be issued again; use ItemRetry="),
        DIRECTIVE_REFUSE("Retry", "an item that failed would be issued again as ItemRetry= says; use ItemRetry="),
        ITEM("RetryBackoff", directive_parse_enum, retry_backoff, .from_string = flow_backoff_from_string,
             .is_strict = true),
        ITEM("RetryDelaySec", directive_parse_seconds, retry_delay, .is_strict = true),
        ITEM("RetryExitStatus", service_parse_exit_status, retry_exit_status, .is_strict = true),
        ITEM("RetryJitter", flow_parse_percent, retry_jitter, .is_strict = true),
        ITEM("RetryMaxDelaySec", flow_parse_timeout, retry_max_delay, .is_strict = true),
        DIRECTIVE_REFUSE("RetryWindowSec", "an item would have all of its tries, however long they take; "
                                           "use ItemRetry="),
        DIRECTIVE_REFUSE("Source", "nobody would get the text; use Params="),
        ITEM("SuccessExitStatus", service_parse_exit_status, success_exit_status, .is_strict = true),
        FLOW("SyncItems", flow_parse_count, range.sync_items, .is_strict = true),
        FLOW("SyncSec", batch_parse_span, range.sync, .is_strict = true),
        DIRECTIVE_REFUSE("TotalTimeoutSec", "an item would have all of its tries, however long they take; "
                                            "use ItemTimeoutSec="),
        DIRECTIVE_REFUSE("Type",
                         "the end of an item would be judged in another way; it has ended when its command has"),
        DIRECTIVE_REFUSE("WatchdogSec", "a command that hangs would go on; use ItemTimeoutSec="),
        FLOW("Window", batch_parse_window, range.window, .is_strict = true),
        FLOW("WorkerIdleSec", flow_parse_timeout, range.worker_idle, .is_strict = true),
        FLOW("WorkerMaxItems", directive_parse_u32, range.worker_max_items, .is_strict = true),
};

const size_t batch_directives_n = ELEMENTSOF(batch_directives);
