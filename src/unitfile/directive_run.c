/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directives of units that have runs: [Flow], [Batch] and [Stream]
 *
 * Those of runs that end, which a stream does not have, are in a table of their own.
 */

#include "basic/macro.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_flow.h"
#include "unitfile/flow_value.h"

const Directive run_directives[] = {
        FLOW("AllowControl", flow_parse_allow, allow_control, .is_strict = true),
        FLOW("AllowSubmit", flow_parse_allow, allow_submit, .is_strict = true),
        DIRECTIVE_REFUSE("AttemptLeaseSec", "attempts would run on this host"),
        DIRECTIVE_REFUSE("Host", "attempts would run on this host"),
        FLOW("KeepFor", flow_parse_keep_for, keep_for, .is_strict = true),
        FLOW("KeepRuns", directive_parse_u32, keep_runs, .is_strict = true),
        REFUSE_SOCKETS("nothing would listen; runs have no sockets"),
        DIRECTIVE_REFUSE("LogShip", "logs would stay where they are written"),
        FLOW("Notify", flow_parse_notify, notify, .is_strict = true),
        FLOW("NotifyMax", flow_parse_count, notify_max, .is_strict = true),
        DIRECTIVE_REFUSE("OnLeaseLost", "attempts would run on this host"),
        FLOW("Params", flow_parse_params, params, .is_strict = true),
        FLOW("RunName", flow_parse_run_name, run_name, .is_strict = true),
        FLOW("StopMode", directive_parse_enum, stop_mode, .from_string = flow_stop_mode_from_string,
             .is_strict = true),
        FLOW("SummarySec", flow_parse_summary, summary, .is_strict = true),
        FLOW("TimeoutStopSec", flow_parse_timeout, timeout_stop, .is_strict = true),
};

const size_t run_directives_n = ELEMENTSOF(run_directives);

const Directive ending_run_directives[] = {
        FLOW("CatchUp", directive_parse_enum, catch_up, .from_string = flow_catch_up_from_string,
             .is_strict = true),
        FLOW("FinalExec", directive_parse_command, final, .is_strict = true),
        FLOW("HoldLock", directive_parse_enum, claim.hold_lock, .from_string = flow_hold_from_string,
             .is_strict = true),
        FLOW("Lock", flow_parse_lock, claim.locks, .is_strict = true),
        FLOW("LockSlots", flow_parse_count, claim.lock_slots, .is_strict = true),
        FLOW("MaxQueued", flow_parse_count, max_queued, .is_strict = true),
        FLOW("MaxRuns", flow_parse_count, max_runs, .is_strict = true),
        FLOW("Needs", flow_parse_needs, claim.needs, .is_strict = true),
        FLOW("OnBusy", directive_parse_enum, on_busy, .from_string = flow_busy_from_string, .is_strict = true),
        FLOW("OnTrigger", flow_parse_on_trigger, on_trigger, .from_string = flow_busy_from_string,
             .is_strict = true),
        FLOW("Priority", flow_parse_priority, claim.priority, .is_strict = true),
        FLOW("QueueTimeoutSec", flow_parse_timeout, claim.queue_timeout, .is_strict = true),
        FLOW("RunDirectory", directive_parse_bool, run_directory, .is_strict = true),
        FLOW("RunTimeoutSec", flow_parse_timeout, run_timeout, .is_strict = true),
        FLOW("StartMode", directive_parse_enum, start_mode, .from_string = flow_start_mode_from_string,
             .is_strict = true),
        FLOW("TimeoutMode", directive_parse_enum, timeout_mode, .from_string = flow_timeout_mode_from_string,
             .is_strict = true),
        DIRECTIVE_REFUSE("TimeoutSec", "a run would have no deadline; use RunTimeoutSec="),
};

const size_t ending_run_directives_n = ELEMENTSOF(ending_run_directives);
