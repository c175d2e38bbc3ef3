/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Service]
 *
 * Every directive that systemd knows there has a row, here or in the shared
 * tables. An unimplemented one is ignored if the service does the same without
 * it (priorities, display), and refused if the service could do more or less
 * than intended.
 */

#include "basic/macro.h"
#include "unit/unit_settings.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_resource.h"
#include "unitfile/directive_service.h"
#include "unitfile/directive_socket.h"
#include "unitfile/directive_value.h"
#include "unitfile/service_settings.h"

#define COMMAND(name_, exec_) DIRECTIVE_SERVICE(name_, directive_parse_command, commands[exec_], .is_strict = true)

#define PROBE(name_, parse_, kind_, field_, ...)                                                         \
        DIRECTIVE_SERVICE_RARE(name_, parse_, probes[SERVICE_PROBE_##kind_].field_,                      \
                               .argument = SERVICE_PROBE_##kind_, __VA_ARGS__)

const Directive service_directives[] = {
        DIRECTIVE_SERVICE_RARE("BusName", service_parse_bus_name, bus_name),
        COMMAND("ExecCondition", SERVICE_EXEC_CONDITION),
        COMMAND("ExecReload", SERVICE_EXEC_RELOAD),
        COMMAND("ExecStart", SERVICE_EXEC_START),
        COMMAND("ExecStartPost", SERVICE_EXEC_START_POST),
        COMMAND("ExecStartPre", SERVICE_EXEC_START_PRE),
        COMMAND("ExecStop", SERVICE_EXEC_STOP),
        COMMAND("ExecStopPost", SERVICE_EXEC_STOP_POST),
        DIRECTIVE_OTHER("ExitType", service_parse_exit_type, DIRECTIVE_IN_TYPE, .own_size = sizeof(ServiceSettings),
                        .is_strict = true),
        DIRECTIVE_RARE("FailureAction", directive_parse_enum, failure_action, .from_string = unit_action_from_string),
        DIRECTIVE_SERVICE_RARE("FileDescriptorStoreMax", directive_parse_u32, fd_store_max),
        DIRECTIVE_SERVICE_RARE("FileDescriptorStorePreserve", service_parse_fd_preserve, fd_store_preserve),
        DIRECTIVE_IGNORE("FsckPassNo", "fsck is a matter of /etc/fstab"),
        DIRECTIVE_SERVICE("GuessMainPID", directive_parse_bool, guess_main_pid),
        PROBE("LivenessExec", service_parse_probe_command, LIVENESS, command, .is_strict = true),
        PROBE("LivenessHTTP", service_parse_probe_http, LIVENESS, command, .is_strict = true),
        PROBE("LivenessIntervalSec", directive_parse_seconds, LIVENESS, interval),
        PROBE("LivenessStartPeriodSec", directive_parse_seconds, LIVENESS, start_period),
        PROBE("LivenessTCP", service_parse_probe_tcp, LIVENESS, command, .is_strict = true),
        PROBE("LivenessThreshold", directive_parse_u32, LIVENESS, threshold),
        PROBE("LivenessTimeoutSec", directive_parse_seconds, LIVENESS, timeout),
        DIRECTIVE_SERVICE("NonBlocking", directive_parse_bool, non_blocking),
        DIRECTIVE_SERVICE("NotifyAccess", service_parse_notify_access, notify_access, .is_strict = true,
                          .from_string = service_notify_access_from_string),
        DIRECTIVE_SERVICE_RARE("NotifyFd", service_parse_notify_fd, notify_fd, .is_strict = true),
        RESOURCE("OOMPolicy", directive_parse_enum, oom_policy, .from_string = resource_oom_policy_from_string),
        DIRECTIVE_SERVICE_RARE("OpenFile", service_parse_open_file, open_files, .is_strict = true),
        DIRECTIVE_SERVICE("PIDFile", service_parse_pid_file, pid_file, .is_strict = true),
        DIRECTIVE_SERVICE_RARE("PermissionsStartOnly", directive_parse_bool, permissions_start_only, .is_strict = true),
        PROBE("ReadinessExec", service_parse_probe_command, READINESS, command, .is_strict = true),
        PROBE("ReadinessHTTP", service_parse_probe_http, READINESS, command, .is_strict = true),
        PROBE("ReadinessIntervalSec", directive_parse_seconds, READINESS, interval),
        PROBE("ReadinessStartPeriodSec", directive_parse_seconds, READINESS, start_period),
        PROBE("ReadinessTCP", service_parse_probe_tcp, READINESS, command, .is_strict = true),
        PROBE("ReadinessThreshold", directive_parse_u32, READINESS, threshold),
        PROBE("ReadinessTimeoutSec", directive_parse_seconds, READINESS, timeout),
        DIRECTIVE_RARE("RebootArgument", directive_parse_string, reboot_argument),
        DIRECTIVE_SERVICE_RARE("ReloadLimitBurst", directive_parse_u32, reload_limit_burst),
        DIRECTIVE_SERVICE_RARE("ReloadLimitIntervalSec", directive_parse_seconds, reload_limit_interval),
        DIRECTIVE_SERVICE_RARE("ReloadSignal", directive_parse_signal, reload_signal, .is_strict = true),
        DIRECTIVE_SERVICE("RemainAfterExit", directive_parse_bool, remain_after_exit),
        DIRECTIVE_SERVICE("Restart", directive_parse_enum, restart, .from_string = service_restart_from_string,
                          .is_strict = true),
        DIRECTIVE_SERVICE("RestartForceExitStatus", service_parse_exit_status, restart_force_exit_status,
                          .is_strict = true),
        DIRECTIVE_SERVICE_RARE("RestartJitter", service_parse_restart_jitter, restart_jitter),
        DIRECTIVE_SERVICE_RARE("RestartMaxDelaySec", directive_parse_seconds, restart_max_delay),
        DIRECTIVE_SERVICE_RARE("RestartMode", directive_parse_enum, restart_mode,
                               .from_string = service_restart_mode_from_string, .is_strict = true),
        DIRECTIVE_SERVICE("RestartPreventExitStatus", service_parse_exit_status, restart_prevent_exit_status,
                          .is_strict = true),
        DIRECTIVE_SERVICE_RARE("RestartResetSec", directive_parse_seconds, restart_reset),
        DIRECTIVE_SERVICE("RestartSec", directive_parse_seconds, restart_usec),
        DIRECTIVE_SERVICE_RARE("RestartSteps", directive_parse_u32, restart_steps),
        DIRECTIVE_SERVICE_RARE("RootDirectoryStartOnly", directive_parse_bool, root_directory_start_only,
                               .is_strict = true),
        DIRECTIVE_SERVICE("RuntimeMaxSec", directive_parse_seconds, runtime_max, .is_strict = true),
        DIRECTIVE_SERVICE_RARE("RuntimeRandomizedExtraSec", directive_parse_seconds, runtime_extra),
        DIRECTIVE_OTHER("Sockets", socket_parse_sockets, DIRECTIVE_IN_UNIT),
        DIRECTIVE_RARE("StartLimitAction", directive_parse_enum, start_limit_action,
                          .from_string = unit_action_from_string),
        DIRECTIVE_UNIT("StartLimitBurst", directive_parse_u32, start_limit_burst),
        DIRECTIVE_UNIT("StartLimitInterval", directive_parse_seconds, start_limit_interval,
                       .renamed_to = "StartLimitIntervalSec"),
        DIRECTIVE_SERVICE("SuccessExitStatus", service_parse_exit_status, success_exit_status, .is_strict = true),
        DIRECTIVE_IGNORE("SysVStartPriority", "there are no start numbers; use After="),
        DIRECTIVE_SERVICE("TimeoutAbortSec", service_parse_timeout_abort, timeout_abort, .is_strict = true),
        DIRECTIVE_TIMEOUT_CLEAN,
        DIRECTIVE_SERVICE("TimeoutSec", service_parse_timeout, timeout_stop, .is_strict = true),
        DIRECTIVE_SERVICE_RARE("TimeoutStartFailureMode", directive_parse_enum, timeout_start_mode,
                               .from_string = service_timeout_mode_from_string, .is_strict = true),
        DIRECTIVE_SERVICE("TimeoutStartSec", service_parse_timeout_start, timeout_start, .is_strict = true),
        DIRECTIVE_SERVICE_RARE("TimeoutStopFailureMode", directive_parse_enum, timeout_stop_mode,
                               .from_string = service_timeout_mode_from_string, .is_strict = true),
        DIRECTIVE_SERVICE("TimeoutStopSec", directive_parse_time_limit, timeout_stop, .is_strict = true),
        DIRECTIVE_SERVICE("Type", service_parse_type, type, .is_strict = true),
        DIRECTIVE_IGNORE("USBFunctionDescriptors", "it only serves ListenUSBFunction=, which is refused"),
        DIRECTIVE_IGNORE("USBFunctionStrings", "it only serves ListenUSBFunction=, which is refused"),
        DIRECTIVE_SERVICE("WatchdogSec", service_parse_watchdog, watchdog, .is_strict = true),
};

const size_t service_directives_n = ELEMENTSOF(service_directives);
