/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What units with a control group can be told: directives that [Service],
 * [Socket], [Mount], [Scope] and [Slice] share
 *
 * What limits a unit is strict; what is a wish is not. What is not implemented
 * is ignored if the unit only gets less of what it wishes for, and refused if
 * it could then use more than it is meant to.
 */

#include "basic/macro.h"
#include "unit/file/directive_resource.h"
#include "unit/file/directive_value.h"

const Directive resource_directives[] = {
        RESOURCE("AllowedCPUs", resource_parse_nodes, allowed_cpus, .is_strict = true),
        RESOURCE("AllowedMemoryNodes", resource_parse_nodes, allowed_memory_nodes, .is_strict = true),
        DIRECTIVE_REFUSE("BPFProgram"),
        DIRECTIVE_IGNORE("BlockIOAccounting"),
        DIRECTIVE_IGNORE("BlockIODeviceWeight"),
        DIRECTIVE_REFUSE("BlockIOReadBandwidth"),
        DIRECTIVE_IGNORE("BlockIOWeight"),
        DIRECTIVE_REFUSE("BlockIOWriteBandwidth"),
        RESOURCE("CPUAccounting", directive_parse_bool, accounts[RESOURCE_CPU]),
        RESOURCE("CPUQuota", resource_parse_cpu_quota, cpu_quota_per_sec, .is_strict = true),
        RESOURCE("CPUQuotaPeriodSec", directive_parse_seconds, cpu_quota_period),
        DIRECTIVE_IGNORE("CPUShares"),
        RESOURCE("CPUWeight", resource_parse_weight, cpu_weight, .argument = 1),
        DIRECTIVE_IGNORE("DefaultMemoryLow"),
        DIRECTIVE_IGNORE("DefaultMemoryMin"),
        DIRECTIVE_IGNORE("DefaultStartupMemoryLow"),
        DIRECTIVE_OTHER("Delegate", resource_parse_delegate),
        DIRECTIVE_IGNORE("DelegateSubgroup"),
        DIRECTIVE_REFUSE("DeviceAllow"),
        DIRECTIVE_REFUSE("DevicePolicy"),
        DIRECTIVE_IGNORE("DisableControllers"),
        RESOURCE("IOAccounting", directive_parse_bool, accounts[RESOURCE_IO]),
        DIRECTIVE_IGNORE("IODeviceLatencyTargetSec"),
        DIRECTIVE_OTHER("IODeviceWeight", resource_parse_device_weight),
        RESOURCE_OF_DEVICE("IOReadBandwidthMax", RESOURCE_READ_BANDWIDTH),
        RESOURCE_OF_DEVICE("IOReadIOPSMax", RESOURCE_READ_IOPS),
        RESOURCE("IOWeight", resource_parse_weight, io_weight),
        RESOURCE_OF_DEVICE("IOWriteBandwidthMax", RESOURCE_WRITE_BANDWIDTH),
        RESOURCE_OF_DEVICE("IOWriteIOPSMax", RESOURCE_WRITE_IOPS),
        DIRECTIVE_IGNORE("IPAccounting"),
        DIRECTIVE_REFUSE("IPAddressAllow"),
        DIRECTIVE_REFUSE("IPAddressDeny"),
        DIRECTIVE_REFUSE("IPEgressFilterPath"),
        DIRECTIVE_REFUSE("IPIngressFilterPath"),
        DIRECTIVE_IGNORE("ManagedOOMMemoryPressure"),
        DIRECTIVE_IGNORE("ManagedOOMMemoryPressureDurationSec"),
        DIRECTIVE_IGNORE("ManagedOOMMemoryPressureLimit"),
        DIRECTIVE_IGNORE("ManagedOOMPreference"),
        DIRECTIVE_IGNORE("ManagedOOMSwap"),
        RESOURCE("MemoryAccounting", directive_parse_bool, accounts[RESOURCE_MEMORY]),
        RESOURCE("MemoryHigh", resource_parse_memory, memory_high, .argument = 1, .is_strict = true),
        DIRECTIVE_REFUSE("MemoryLimit"),
        RESOURCE("MemoryLow", resource_parse_memory, memory_low),
        RESOURCE("MemoryMax", resource_parse_memory, memory_max, .argument = 1, .is_strict = true),
        RESOURCE("MemoryMin", resource_parse_memory, memory_min),
        DIRECTIVE_IGNORE("MemoryPressureThresholdSec"),
        DIRECTIVE_IGNORE("MemoryPressureWatch"),
        RESOURCE("MemorySwapMax", resource_parse_memory, memory_swap_max, .is_strict = true),
        RESOURCE("MemoryZSwapMax", resource_parse_memory, memory_zswap_max, .is_strict = true),
        DIRECTIVE_IGNORE("MemoryZSwapWriteback"),
        DIRECTIVE_REFUSE("NFTSet"),
        DIRECTIVE_REFUSE("RestrictNetworkInterfaces"),
        RESOURCE("Slice", resource_parse_slice, slice, .is_strict = true),
        DIRECTIVE_REFUSE("SocketBindAllow"),
        DIRECTIVE_REFUSE("SocketBindDeny"),
        DIRECTIVE_REFUSE("StartupAllowedCPUs"),
        DIRECTIVE_REFUSE("StartupAllowedMemoryNodes"),
        DIRECTIVE_IGNORE("StartupBlockIOWeight"),
        DIRECTIVE_IGNORE("StartupCPUShares"),
        RESOURCE("StartupCPUWeight", resource_parse_weight, startup_cpu_weight, .argument = 1),
        RESOURCE("StartupIOWeight", resource_parse_weight, startup_io_weight),
        DIRECTIVE_REFUSE("StartupMemoryHigh"),
        DIRECTIVE_IGNORE("StartupMemoryLow"),
        DIRECTIVE_REFUSE("StartupMemoryMax"),
        DIRECTIVE_REFUSE("StartupMemorySwapMax"),
        DIRECTIVE_REFUSE("StartupMemoryZSwapMax"),
        RESOURCE("TasksAccounting", directive_parse_bool, accounts[RESOURCE_TASKS]),
        RESOURCE("TasksMax", resource_parse_tasks, tasks_max, .is_strict = true),
};

const size_t resource_directives_n = ELEMENTSOF(resource_directives);
