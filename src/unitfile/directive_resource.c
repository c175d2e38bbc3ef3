/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control group directives shared by [Service], [Socket], [Mount], [Scope] and
 * [Slice]
 *
 * Amounts of memory and tasks have a table of their own, made from the list of
 * limits. Limits are strict, preferences are not. A directive that is not implemented
 * is ignored if the unit only gets less than it prefers, and refused if the
 * unit could use more than it is allowed to.
 */

#include "basic/macro.h"
#include "unitfile/directive_resource.h"
#include "unitfile/directive_value.h"

/* @usual_ is the default on the old scale. */
#define OLD_WEIGHT(name_, old_, field_, renamed_to_, usual_) \
        RESOURCE(name_, resource_parse_old_weight, field_, .argument = old_, .renamed_to = renamed_to_, \
                 .reason = name_ "=" usual_ " is " renamed_to_ "=100")

const Directive resource_directives[] = {
        RESOURCE("AllowedCPUs", resource_parse_nodes, allowed_cpus, .is_strict = true),
        RESOURCE("AllowedMemoryNodes", resource_parse_nodes, allowed_memory_nodes, .is_strict = true),
        DIRECTIVE_REFUSE("BPFProgram", "the filter would be missing"),
        RESOURCE("BlockIOAccounting", directive_parse_bool, accounts[RESOURCE_IO], .renamed_to = "IOAccounting"),
        DIRECTIVE_OTHER("BlockIODeviceWeight", resource_parse_old_device_weight, DIRECTIVE_IN_RESOURCES,
                        .renamed_to = "IODeviceWeight", .reason = "a weight of 500 is IODeviceWeight= of 100"),
        RESOURCE_OF_DEVICE("BlockIOReadBandwidth", RESOURCE_READ_BANDWIDTH, .renamed_to = "IOReadBandwidthMax"),
        OLD_WEIGHT("BlockIOWeight", RESOURCE_OLD_BLOCK_IO_WEIGHT, io_weight, "IOWeight", "500"),
        RESOURCE_OF_DEVICE("BlockIOWriteBandwidth", RESOURCE_WRITE_BANDWIDTH, .renamed_to = "IOWriteBandwidthMax"),
        RESOURCE("CPUAccounting", directive_parse_bool, accounts[RESOURCE_CPU]),
        RESOURCE("CPUQuota", resource_parse_cpu_quota, cpu_quota_per_sec, .is_strict = true),
        RESOURCE("CPUQuotaPeriodSec", directive_parse_seconds, cpu_quota_period),
        OLD_WEIGHT("CPUShares", RESOURCE_OLD_CPU_SHARES, cpu_weight, "CPUWeight", "1024"),
        RESOURCE("CPUWeight", resource_parse_weight, cpu_weight, .argument = 1),
        DIRECTIVE_IGNORE("DefaultMemoryLow", "units in the slice are protected by their own settings only"),
        DIRECTIVE_IGNORE("DefaultMemoryMin", "units in the slice are protected by their own settings only"),
        DIRECTIVE_IGNORE("DefaultStartupMemoryLow",
                         "units in the slice are protected by their own settings only"),
        DIRECTIVE_OTHER("Delegate", resource_parse_delegate, DIRECTIVE_IN_RESOURCES),
        DIRECTIVE_IGNORE("DelegateSubgroup", "processes stay in the control group of the unit"),
        RESOURCE("DeviceAllow", resource_parse_device_allow, device_allow, .is_strict = true),
        RESOURCE("DevicePolicy", directive_parse_enum, device_policy, .is_strict = true,
                 .from_string = resource_device_policy_from_string),
        DIRECTIVE_IGNORE("DisableControllers", "a controller may be on that nobody needs"),
        RESOURCE("IOAccounting", directive_parse_bool, accounts[RESOURCE_IO]),
        DIRECTIVE_OTHER("IODeviceLatencyTargetSec", resource_parse_device_latency, DIRECTIVE_IN_RESOURCES,
                        .is_strict = true),
        DIRECTIVE_OTHER("IODeviceWeight", resource_parse_device_weight, DIRECTIVE_IN_RESOURCES),
        RESOURCE_OF_DEVICE("IOReadBandwidthMax", RESOURCE_READ_BANDWIDTH),
        RESOURCE_OF_DEVICE("IOReadIOPSMax", RESOURCE_READ_IOPS),
        RESOURCE("IOWeight", resource_parse_weight, io_weight),
        RESOURCE_OF_DEVICE("IOWriteBandwidthMax", RESOURCE_WRITE_BANDWIDTH),
        RESOURCE_OF_DEVICE("IOWriteIOPSMax", RESOURCE_WRITE_IOPS),
        DIRECTIVE_IGNORE("IPAccounting", "traffic is not counted"),
        DIRECTIVE_OTHER("IPAddressAllow", resource_parse_ip_allow, DIRECTIVE_IN_RESOURCES, .is_strict = true),
        DIRECTIVE_OTHER("IPAddressDeny", resource_parse_ip_deny, DIRECTIVE_IN_RESOURCES, .is_strict = true),
        DIRECTIVE_REFUSE("IPEgressFilterPath", "the filter would be missing"),
        DIRECTIVE_REFUSE("IPIngressFilterPath", "the filter would be missing"),
        DIRECTIVE_IGNORE("ManagedOOMMemoryPressure", "there is no systemd-oomd to read it"),
        DIRECTIVE_IGNORE("ManagedOOMMemoryPressureDurationSec", "there is no systemd-oomd to read it"),
        DIRECTIVE_IGNORE("ManagedOOMMemoryPressureLimit", "there is no systemd-oomd to read it"),
        DIRECTIVE_IGNORE("ManagedOOMPreference", "there is no systemd-oomd to read it"),
        DIRECTIVE_IGNORE("ManagedOOMSwap", "there is no systemd-oomd to read it"),
        RESOURCE("MemoryAccounting", directive_parse_bool, accounts[RESOURCE_MEMORY]),
        RESOURCE("MemoryLimit", resource_parse_old_limit, memory_max, .argument = RESOURCE_OLD_MEMORY_LIMIT,
                 .is_strict = true, .renamed_to = "MemoryMax"),
        DIRECTIVE_IGNORE("MemoryPressureThresholdSec", "processes are not told of memory pressure"),
        DIRECTIVE_IGNORE("MemoryPressureWatch", "processes are not told of memory pressure"),
        DIRECTIVE_IGNORE("MemoryZSwapWriteback", "it only tunes how swap is used"),
        DIRECTIVE_REFUSE("NFTSet", "the firewall would not know the unit"),
        DIRECTIVE_REFUSE("RestrictNetworkInterfaces", "the unit could use any network interface"),
        RESOURCE("Slice", resource_parse_slice, slice, .is_strict = true),
        DIRECTIVE_REFUSE("SocketBindAllow", "the unit could listen on other ports than it should"),
        DIRECTIVE_REFUSE("SocketBindDeny", "the unit could listen on other ports than it should"),
        DIRECTIVE_REFUSE("StartupAllowedCPUs", "the unit could use other CPUs than it should"),
        DIRECTIVE_REFUSE("StartupAllowedMemoryNodes", "the unit could use other memory nodes than it should"),
        OLD_WEIGHT("StartupBlockIOWeight", RESOURCE_OLD_STARTUP_BLOCK_IO_WEIGHT, startup_io_weight,
                   "StartupIOWeight", "500"),
        OLD_WEIGHT("StartupCPUShares", RESOURCE_OLD_STARTUP_CPU_SHARES, startup_cpu_weight, "StartupCPUWeight",
                   "1024"),
        RESOURCE("StartupCPUWeight", resource_parse_weight, startup_cpu_weight, .argument = 1),
        RESOURCE("StartupIOWeight", resource_parse_weight, startup_io_weight),
        DIRECTIVE_REFUSE("StartupMemoryHigh", "the unit could use more memory; use MemoryHigh="),
        DIRECTIVE_IGNORE("StartupMemoryLow", "it is a preference for the startup only; MemoryLow= applies"),
        DIRECTIVE_REFUSE("StartupMemoryMax", "the unit could use more memory; use MemoryMax="),
        DIRECTIVE_REFUSE("StartupMemorySwapMax", "the unit could use more memory; use MemorySwapMax="),
        DIRECTIVE_REFUSE("StartupMemoryZSwapMax", "the unit could use more memory; use MemoryZSwapMax="),
        RESOURCE("TasksAccounting", directive_parse_bool, accounts[RESOURCE_TASKS]),
};

const size_t resource_directives_n = ELEMENTSOF(resource_directives);

#define LIMIT(name_, field_, of_, kind_, ...)                                    \
        RESOURCE(#name_, resource_parse_##of_, field_, .argument = (kind_) == RESOURCE_CAP, \
                 .is_strict = (kind_) != RESOURCE_GUARD),

const Directive resource_limit_directives[] = { RESOURCE_LIMITS(LIMIT) };

const size_t resource_limit_directives_n = ELEMENTSOF(resource_limit_directives);
