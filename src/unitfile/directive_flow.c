/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Flow], [Node …] and [Policy …]
 *
 * What [Flow] has in common with [Batch] is in a table of its own (directive_run.c).
 *
 * A setting that this version does not carry out is refused: a run that ignores a condition,
 * a lock or a parent is worse than none. The same holds for what belongs to a
 * service and has another name here.
 */

#include "basic/macro.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_flow.h"
#include "unitfile/directive_service.h"
#include "unitfile/flow_data.h"
#include "unitfile/flow_value.h"

#define NODE(name_, parse_, field_, ...)                                                                 \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE,                                     \
          .offset = offsetof(FlowNodeSettings, field_), .own_size = sizeof(FlowNodeSettings), __VA_ARGS__ }
#define POLICY(name_, parse_, field_, ...)                                                               \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_TYPE, .offset = offsetof(FlowPolicy, field_), \
          .own_size = sizeof(FlowPolicy), __VA_ARGS__ }

const Directive flow_directives[] = {
        FLOW("CompensateOn", flow_parse_compensate_on, compensate_on, .is_strict = true),
        FLOW("EndMode", directive_parse_enum, end_mode, .from_string = flow_end_mode_from_string,
             .is_strict = true),
        DIRECTIVE_REFUSE("ExecStart", "the command would not run; use Exec= of a node"),
        FLOW("ExecStartPre", directive_parse_command, process.commands[FLOW_EXEC_START_PRE], .is_strict = true,
             .is_default = true),
        FLOW("ExecStopPost", directive_parse_command, process.commands[FLOW_EXEC_STOP_POST], .is_strict = true,
             .is_default = true),
        FLOW("FailurePolicy", directive_parse_enum, failure_policy, .from_string = flow_failure_from_string,
             .is_strict = true),
        FLOW("GrowMax", directive_parse_u32, grow_max, .is_strict = true),
        FLOW("MaxParallel", flow_parse_count, max_parallel, .is_strict = true),
        FLOW("NodesFile", flow_parse_nodes_file, nodes_file, .is_strict = true),
        FLOW("OnBegin", flow_parse_targets, on_begin, .is_strict = true, .is_default = true),
        FLOW("OnResult", flow_parse_targets, on_result, .is_strict = true, .is_default = true),
        DIRECTIVE_REFUSE("PriorityInherit", "nodes would run in the order of the file"),
        REFUSE_RESTARTS("a node that failed would not run again; use Retry= of the node"),
        DIRECTIVE_REFUSE("SkipRunning", "nodes that are not needed any more would go on"),
        FLOW("SkipUnneeded", flow_parse_skip_unneeded, skip_unneeded, .from_string = flow_skip_from_string,
             .is_strict = true),
        DIRECTIVE_REFUSE("Type",
                         "the end of a node would be judged in another way; a node has ended when its command has"),
        DIRECTIVE_REFUSE("WatchdogSec", "a command that hangs would go on; use TimeoutSec= of the node"),
};

const size_t flow_directives_n = ELEMENTSOF(flow_directives);

const Directive node_directives[] = {
        NODE("AfterUnit", flow_parse_units, node.units[FLOW_AFTER_UNIT], .is_strict = true),
        NODE("AgainExitStatus", service_parse_exit_status, node.again_exit_status, .is_strict = true),
        NODE("AgainMax", directive_parse_u32, node.again_max, .is_strict = true),
        NODE("AgainMaxSec", flow_parse_timeout, node.again_window, .is_strict = true),
        NODE("AgainSec", flow_parse_timeout, node.again, .is_strict = true),
        NODE("Always", directive_parse_bool, node.always, .is_strict = true),
        NODE("AnyOf", flow_parse_any_of, node.depends_on, .is_strict = true),
        DIRECTIVE_REFUSE("AsUnit", "the node would not be a unit of its own"),
        DIRECTIVE_REFUSE("AttemptLeaseSec", "attempts would run on this host"),
        DIRECTIVE_REFUSE("Batch", "the node would start no other run; use Flow=, which names a batch, too"),
        NODE("BindsToUnit", flow_parse_units, node.units[FLOW_BINDS_TO_UNIT], .is_strict = true),
        NODE("Callback", directive_parse_bool, node.has_callback, .is_strict = true),
        NODE("Compensate", directive_parse_command, node.compensation, .is_strict = true),
        NODE("Data", flow_parse_data, node.data.data, .is_strict = true),
        NODE("DataFile", directive_parse_path, node.data.data_file, .is_strict = true),
        NODE("Default", flow_parse_default, node.data.standard, .is_strict = true),
        NODE("DefaultOn", flow_parse_default_on, node.data.default_on, .is_strict = true),
        NODE("DependsOn", flow_parse_depends_on, node.depends_on, .is_strict = true),
        NODE("EndRun", directive_parse_enum, node.end_run, .from_string = flow_end_run_from_string,
             .is_strict = true),
        NODE("Exec", directive_parse_command, node.command, .is_strict = true),
        DIRECTIVE_REFUSE("ExecStart", "the command would not run; use Exec="),
        NODE("ExecStartPre", directive_parse_command, process.commands[FLOW_EXEC_START_PRE], .is_strict = true,
             .is_default = true),
        NODE("ExecStopPost", directive_parse_command, process.commands[FLOW_EXEC_STOP_POST], .is_strict = true,
             .is_default = true),
        NODE("FailurePolicy", directive_parse_enum, node.failure_policy,
             .from_string = flow_failure_from_string, .is_strict = true),
        NODE("Flow", flow_parse_sub_flow, node.flow, .is_strict = true),
        NODE("Foreach", flow_parse_foreach, node.foreach, .is_strict = true),
        NODE("ForeachMax", flow_parse_count, node.foreach_max, .is_strict = true),
        NODE("ForeachParallel", flow_parse_count, node.foreach_parallel, .is_strict = true),
        NODE("Gate", flow_parse_gate, node.has_gate, .is_strict = true),
        NODE("HoldLock", directive_parse_enum, node.claim.hold_lock, .from_string = flow_hold_from_string,
             .is_strict = true),
        DIRECTIVE_REFUSE("Host", "attempts would run on this host"),
        NODE("Idempotent", directive_parse_bool, node.idempotent, .is_strict = true),
        NODE("InputMode", directive_parse_enum, node.data.input_mode,
             .from_string = flow_input_mode_from_string, .is_strict = true),
        NODE("Inputs", flow_parse_inputs, node.data.inputs, .is_strict = true),
        NODE("JobMode", directive_parse_enum, node.job_mode, .from_string = job_mode_from_string, .is_strict = true),
        NODE("KeepResult", flow_parse_keep_result, node.data.drops_result, .is_strict = true),
        REFUSE_SOCKETS("nothing would listen; a flow has no sockets"),
        NODE("Lock", flow_parse_lock, node.claim.locks, .is_strict = true),
        NODE("LockSlots", flow_parse_count, node.claim.lock_slots, .is_strict = true),
        DIRECTIVE_REFUSE("LogShip", "logs would stay where they are written"),
        NODE("Needs", flow_parse_needs, node.claim.needs, .is_strict = true),
        NODE("NoRetryExitStatus", service_parse_exit_status, node.no_retry_exit_status, .is_strict = true),
        NODE("OnBegin", flow_parse_targets, node.on_begin, .is_strict = true, .is_default = true),
        DIRECTIVE_REFUSE("OnLeaseLost", "attempts would run on this host"),
        NODE("OnResult", flow_parse_targets, node.on_result, .is_strict = true, .is_default = true),
        NODE("Operation", directive_parse_enum, node.operation, .from_string = flow_operation_from_string,
             .is_strict = true),
        NODE("OptionalDependsOn", flow_parse_optional_depends_on, node.depends_on, .is_strict = true),
        NODE("Otherwise", directive_parse_bool, node.otherwise, .is_strict = true),
        NODE("Outputs", flow_parse_outputs, node.data.outputs, .is_strict = true),
        NODE("PendingExitStatus", service_parse_exit_status, node.pending_exit_status, .is_strict = true),
        NODE("Priority", flow_parse_priority, node.claim.priority, .is_strict = true),
        DIRECTIVE_REFUSE("PriorityInherit", "nodes would run in the order of the file"),
        NODE("QueueTimeoutSec", flow_parse_timeout, node.claim.queue_timeout, .is_strict = true),
        NODE("Readiness", flow_parse_readiness, node.readiness, .is_strict = true),
        NODE("ReadinessContext", flow_parse_readiness_context, node.readiness_context, .is_strict = true),
        NODE("Recover", directive_parse_enum, node.recover, .from_string = flow_recover_from_string,
             .is_strict = true),
        NODE("RequiresUnit", flow_parse_units, node.units[FLOW_REQUIRES_UNIT], .is_strict = true),
        NODE("RequisiteUnit", flow_parse_units, node.units[FLOW_REQUISITE_UNIT], .is_strict = true),
        REFUSE_RESTARTS("a node that failed would not run again; use Retry="),
        NODE("ResultMax", flow_parse_result_max, node.data.result_max, .is_strict = true),
        NODE("Retry", directive_parse_u32, node.retry, .is_strict = true),
        NODE("RetryBackoff", directive_parse_enum, node.retry_backoff, .from_string = flow_backoff_from_string,
             .is_strict = true),
        NODE("RetryDelaySec", directive_parse_seconds, node.retry_delay, .is_strict = true),
        NODE("RetryExitStatus", service_parse_exit_status, node.retry_exit_status, .is_strict = true),
        NODE("RetryJitter", flow_parse_percent, node.retry_jitter, .is_strict = true),
        NODE("RetryMaxDelaySec", flow_parse_timeout, node.retry_max_delay, .is_strict = true),
        DIRECTIVE_REFUSE("RetryValues", "each try would be the same"),
        NODE("RetryWindowSec", flow_parse_timeout, node.retry_window, .is_strict = true),
        NODE("Save", directive_parse_bool, node.data.saves_result, .is_strict = true),
        NODE("Script", flow_parse_script, node.script, .is_strict = true),
        NODE("SkipCountsAs", flow_parse_skip_counts_as, node.skip_counts_as, .is_strict = true),
        DIRECTIVE_REFUSE("SkipRunning", "nodes that are not needed any more would go on"),
        NODE("SkipUnneeded", flow_parse_skip_unneeded, node.skip_unneeded, .from_string = flow_skip_from_string,
             .is_strict = true),
        NODE("SleepSec", flow_parse_sleep, node.sleep, .is_strict = true),
        NODE("SleepUntil", flow_parse_sleep_until, node.sleep_until, .is_strict = true),
        DIRECTIVE_REFUSE("Stream", "the node would push to no stream"),
        NODE("SubParams", flow_parse_sub_params, node.sub_params, .is_strict = true),
        NODE("SuccessExitStatus", service_parse_exit_status, node.success_exit_status, .is_strict = true),
        NODE("TimeoutSec", flow_parse_timeout, node.timeout, .is_strict = true),
        NODE("TotalTimeoutSec", flow_parse_timeout, node.total_timeout, .is_strict = true),
        DIRECTIVE_REFUSE("Type",
                         "the end of a node would be judged in another way; a node has ended when its command has"),
        NODE("Unit", flow_parse_unit, node.unit, .is_strict = true),
        NODE("WaitFor", directive_parse_enum, node.wait_for, .from_string = flow_wait_for_from_string,
             .is_strict = true),
        DIRECTIVE_REFUSE("WatchdogSec", "a command that hangs would go on; use TimeoutSec="),
        NODE("When", flow_parse_when, node.when, .is_strict = true),
};

const size_t node_directives_n = ELEMENTSOF(node_directives);

const Directive policy_directives[] = {
        POLICY("Command", directive_parse_command, command, .is_strict = true),
        POLICY("TimeoutSec", flow_parse_timeout, timeout, .is_strict = true),
};

const size_t policy_directives_n = ELEMENTSOF(policy_directives);
