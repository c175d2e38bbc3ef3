/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Stream]: what it does not have in common with [Flow]
 *
 * A setting that this version does not carry out is refused, as in a flow. So
 * is what needs a run that ends.
 */

#include "basic/macro.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_flow.h"
#include "unitfile/directive_service.h"
#include "unitfile/flow_value.h"
#include "unitfile/stream_value.h"

const Directive stream_directives[] = {
        ITEM("AgainExitStatus", service_parse_exit_status, again_exit_status, .is_strict = true),
        DIRECTIVE_REFUSE("AgainMax", "an element could say 'not yet' any number of times; its command is to fail then"),
        DIRECTIVE_REFUSE("AgainMaxSec", "an element could say 'not yet' for ever; its command is to fail then"),
        ITEM("AgainSec", flow_parse_timeout, again, .is_strict = true),
        DIRECTIVE_REFUSE("AllowProcessors", "each element would have the command of Exec=; write a stream for each "
                                            "command, or a command that looks at the element"),
        DIRECTIVE_REFUSE("CatchUp", "nothing would be caught up: a stream has one run, and a timer starts it once"),
        DIRECTIVE_REFUSE("Depth", "each element would have a process of its own"),
        ITEM("Exec", directive_parse_command, command, .is_strict = true),
        DIRECTIVE_REFUSE("ExecStart", "the command would not run; use Exec="),
        DIRECTIVE_REFUSE("ExecStartPre", "the command would not run; have Exec= do its work"),
        DIRECTIVE_REFUSE("ExecStopPost", "the command would not run; have Exec= do its work"),
        ITEM("FailurePolicy", stream_parse_failure_policy, failure_policy, .from_string = flow_failure_from_string,
             .is_strict = true),
        DIRECTIVE_REFUSE("FinalExec", "the command would not run: a stream never ends by itself"),
        DIRECTIVE_REFUSE("HoldLock", "no lock would be held: elements of a group exclude one another, and MaxGroups=1 "
                                     "those of all groups"),
        ITEM("Idempotent", directive_parse_bool, idempotent, .is_strict = true),
        FLOW("InputMode", stream_parse_input_mode, stream, .is_strict = true),
        FLOW("ItemMode", stream_parse_item_mode, range.item_mode, .from_string = flow_item_mode_from_string,
             .is_strict = true),
        FLOW("KeepDone", stream_parse_keep_done, stream.keep_done, .is_strict = true),
        FLOW("LinkBatch", stream_parse_link_batch, stream.link_batch, .is_strict = true),
        FLOW("LinkDelayMs", stream_parse_link_delay, stream.link_delay, .is_strict = true),
        DIRECTIVE_REFUSE("Lock", "no lock would be held: elements of a group exclude one another, and MaxGroups=1 "
                                 "those of all groups"),
        DIRECTIVE_REFUSE("LockSlots", "no lock would be held; use MaxGroups="),
        FLOW("MaxBacklog", stream_parse_max_backlog, stream.max_backlog, .is_strict = true),
        FLOW("MaxGroups", stream_parse_max_groups, stream.max_groups, .is_strict = true),
        DIRECTIVE_REFUSE("MaxParallel", "as many elements as MaxGroups= says would be executed at a time; use "
                                        "MaxGroups="),
        DIRECTIVE_REFUSE("MaxQueued", "no run would wait: a stream has one run"),
        DIRECTIVE_REFUSE("MaxRuns", "there would be one run: elements are its parts; use a template for several "
                                    "streams"),
        DIRECTIVE_REFUSE("Needs", "no resource would be taken; use MaxGroups="),
        ITEM("NoRetryExitStatus", service_parse_exit_status, no_retry_exit_status, .is_strict = true),
        FLOW("OnBacklogFull", stream_parse_on_backlog_full, stream, .is_strict = true),
        DIRECTIVE_REFUSE("OnBusy", "no run would wait: a stream has one run"),
        DIRECTIVE_REFUSE("OnTrigger", "no run would wait: a stream has one run"),
        ITEM("PendingExitStatus", service_parse_exit_status, pending_exit_status, .is_strict = true),
        DIRECTIVE_REFUSE("Priority", "elements would be executed in the order in which groups ask for it"),
        DIRECTIVE_REFUSE("PriorityInherit", "elements would be executed in the order in which groups ask for it"),
        DIRECTIVE_REFUSE("QueueTimeoutSec", "elements would wait as long as it takes; use MaxBacklog="),
        ITEM("Recover", directive_parse_enum, recover, .from_string = flow_recover_from_string, .is_strict = true),
        REFUSE_RESTARTS("an element that failed would not be executed again; use Retry="),
        ITEM("Retry", directive_parse_u32, retry, .is_strict = true),
        ITEM("RetryBackoff", directive_parse_enum, retry_backoff, .from_string = flow_backoff_from_string,
             .is_strict = true),
        ITEM("RetryDelaySec", directive_parse_seconds, retry_delay, .is_strict = true),
        ITEM("RetryExitStatus", service_parse_exit_status, retry_exit_status, .is_strict = true),
        ITEM("RetryJitter", flow_parse_percent, retry_jitter, .is_strict = true),
        ITEM("RetryMaxDelaySec", flow_parse_timeout, retry_max_delay, .is_strict = true),
        DIRECTIVE_REFUSE("RetryWindowSec", "an element would have all of its tries, however long they take; "
                                           "use Retry="),
        DIRECTIVE_REFUSE("RunDirectory", "there would be no folder that elements share; use StateDirectory="),
        DIRECTIVE_REFUSE("RunTimeoutSec", "the run would have no deadline: a stream never ends by itself; use "
                                          "TimeoutSec=, which an element has"),
        DIRECTIVE_REFUSE("StartMode", "a start would be done when the run is recorded: a stream never ends by itself"),
        ITEM("SuccessExitStatus", service_parse_exit_status, success_exit_status, .is_strict = true),
        DIRECTIVE_REFUSE("TimeoutMode", "the run would have no deadline: a stream never ends by itself"),
        ITEM("TimeoutSec", flow_parse_timeout, timeout, .is_strict = true),
        DIRECTIVE_REFUSE("TotalTimeoutSec", "an element would have all of its tries, however long they take; "
                                            "use TimeoutSec="),
        DIRECTIVE_REFUSE("Type",
                         "the end of an element would be judged in another way; it has ended when its command has"),
        DIRECTIVE_REFUSE("WatchdogSec", "a command that hangs would go on; use TimeoutSec="),
        DIRECTIVE_REFUSE("WorkerIdleSec", "each element would have a process of its own"),
        DIRECTIVE_REFUSE("WorkerMaxItems", "each element would have a process of its own"),
};

const size_t stream_directives_n = ELEMENTSOF(stream_directives);
