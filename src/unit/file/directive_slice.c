/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Slice]
 *
 * What limits all units in it together. What is not implemented is treated as
 * in [Service].
 */

#include "basic/macro.h"
#include "unit/file/directive_resource.h"
#include "unit/file/directive_value.h"

const Directive slice_directives[] = {
        RESOURCE_ALLOWED_CPUS,
        RESOURCE_ALLOWED_MEMORY_NODES,
        DIRECTIVE_REFUSE("BPFProgram"),
        RESOURCE_CPU_ACCOUNTING,
        RESOURCE_CPU_QUOTA,
        RESOURCE_CPU_QUOTA_PERIOD,
        RESOURCE_CPU_WEIGHT,
        DIRECTIVE_IGNORE("ConcurrencyHardMax"),
        DIRECTIVE_IGNORE("ConcurrencySoftMax"),
        DIRECTIVE_IGNORE("DefaultMemoryLow"),
        DIRECTIVE_IGNORE("DefaultMemoryMin"),
        DIRECTIVE_IGNORE("DefaultStartupMemoryLow"),
        DIRECTIVE_REFUSE("DeviceAllow"),
        DIRECTIVE_REFUSE("DevicePolicy"),
        DIRECTIVE_IGNORE("DisableControllers"),
        RESOURCE_IO_ACCOUNTING,
        DIRECTIVE_IGNORE("IODeviceLatencyTargetSec"),
        DIRECTIVE_IGNORE("IODeviceWeight"),
        DIRECTIVE_REFUSE("IOReadBandwidthMax"),
        DIRECTIVE_REFUSE("IOReadIOPSMax"),
        RESOURCE_IO_WEIGHT,
        DIRECTIVE_REFUSE("IOWriteBandwidthMax"),
        DIRECTIVE_REFUSE("IOWriteIOPSMax"),
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
        RESOURCE_MEMORY_ACCOUNTING,
        RESOURCE_MEMORY_HIGH,
        RESOURCE_MEMORY_LOW,
        RESOURCE_MEMORY_MAX,
        RESOURCE_MEMORY_MIN,
        DIRECTIVE_IGNORE("MemoryPressureThresholdSec"),
        DIRECTIVE_IGNORE("MemoryPressureWatch"),
        RESOURCE_MEMORY_SWAP_MAX,
        DIRECTIVE_REFUSE("MemoryZSwapMax"),
        DIRECTIVE_IGNORE("MemoryZSwapWriteback"),
        DIRECTIVE_REFUSE("NFTSet"),
        DIRECTIVE_REFUSE("RestrictNetworkInterfaces"),
        DIRECTIVE_REFUSE("SocketBindAllow"),
        DIRECTIVE_REFUSE("SocketBindDeny"),
        DIRECTIVE_REFUSE("StartupAllowedCPUs"),
        DIRECTIVE_REFUSE("StartupAllowedMemoryNodes"),
        DIRECTIVE_IGNORE("StartupCPUWeight"),
        DIRECTIVE_IGNORE("StartupIOWeight"),
        DIRECTIVE_REFUSE("StartupMemoryHigh"),
        DIRECTIVE_IGNORE("StartupMemoryLow"),
        DIRECTIVE_REFUSE("StartupMemoryMax"),
        DIRECTIVE_REFUSE("StartupMemorySwapMax"),
        DIRECTIVE_REFUSE("StartupMemoryZSwapMax"),
        RESOURCE_TASKS_ACCOUNTING,
        RESOURCE_TASKS_MAX,
};

const size_t slice_directives_n = ELEMENTSOF(slice_directives);
