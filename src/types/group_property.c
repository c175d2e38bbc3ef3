/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of units with a control group
 *
 * A limit in percent is shown as the amount on this machine.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "types/group_property.h"
#include "unit/unit_slice.h"
#include "unit/unit_table.h"
#include "unitfile/resource_count.h"
#include "unitfile/resource_settings.h"

static const ResourceSettings nothing;

static const ResourceSettings *resources_of(const Unit *unit) {
        UnitGroup group = {};

        unit->vtable->group(unit, &group);
        return group.resources ? group.resources : &nothing;
}

static UnitHost *host_of(const Unit *unit) {
        return unit_table_host(unit->table);
}

static void get_path(const Unit *unit, Sink *sink) {
        cleanup_free_ char *path = NULL;
        UnitHost *host = host_of(unit);

        if (host->ops->group_path)
                (void) host->ops->group_path(host, unit, &path);
        sink_string(sink, path);
}

/* One getter of a limit or share that was set: @expression may use resources. */
#define GETTER(name, put, expression)                                            \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                const ResourceSettings *resources = resources_of(unit);          \
                                                                                 \
                put(sink, expression);                                           \
        }

static void put_value(const Unit *unit, Sink *sink, UnitGroupValue what) {
        UnitHost *host = host_of(unit);
        uint64_t value;

        if (!host->ops->group_value || host->ops->group_value(host, unit, what, &value) < 0)
                value = UINT64_MAX;
        sink_u64(sink, value);
}

/* The same of a value that the kernel reports for the group. */
#define VALUE(name, what)                                                        \
        static void get_##name(const Unit *unit, Sink *sink) {                   \
                put_value(unit, sink, what);                                     \
        }

VALUE(memory, UNIT_GROUP_MEMORY)
VALUE(memory_peak, UNIT_GROUP_MEMORY_PEAK)
VALUE(tasks, UNIT_GROUP_TASKS)
VALUE(cpu, UNIT_GROUP_CPU_NSEC)

static void get_unapplied(const Unit *unit, Sink *sink) {
        cleanup_(strv_freep) char **list = NULL;
        UnitHost *host = host_of(unit);

        if (host->ops->list_unapplied)
                (void) host->ops->list_unapplied(host, unit, &list);
        sink_strv(sink, list);
}

static const ResourceDefaults *defaults_of(const Unit *unit) {
        static const ResourceDefaults none;
        UnitHost *host = host_of(unit);

        return host->ops->resource_defaults ? host->ops->resource_defaults(host) : &none;
}

static void get_slice(const Unit *unit, Sink *sink) {
        cleanup_free_ char *own = NULL;
        const char *slice = resources_of(unit)->slice;

        if (!slice && unit->vtable->holds_units)
                (void) unit_slice_parent(unit->id, &own);
        else if (!slice)
                (void) unit_slice_default(unit->id, defaults_of(unit)->is_user, &own);
        sink_string(sink, slice ? slice : own);
}

static void put_weight(Sink *sink, uint32_t weight) {
        sink_u64(sink, weight == 0 ? UINT64_MAX : weight == RESOURCE_WEIGHT_IDLE ? 0 : weight);
}

GETTER(delegate, sink_bool, resources->delegate)
GETTER(oom_policy, sink_string, resource_oom_policy_to_string(resource_settings_oom_policy(resources)))
GETTER(cpu_weight, put_weight, resources->cpu_weight)
GETTER(io_weight, put_weight, resources->io_weight)
GETTER(startup_cpu_weight, put_weight, resources->startup_cpu_weight)
GETTER(startup_io_weight, put_weight, resources->startup_io_weight)
GETTER(cpu_shares, put_weight, resources->old_weights[RESOURCE_OLD_CPU_SHARES])
GETTER(startup_cpu_shares, put_weight, resources->old_weights[RESOURCE_OLD_STARTUP_CPU_SHARES])
GETTER(block_io_weight, put_weight, resources->old_weights[RESOURCE_OLD_BLOCK_IO_WEIGHT])
GETTER(startup_block_io_weight, put_weight, resources->old_weights[RESOURCE_OLD_STARTUP_BLOCK_IO_WEIGHT])
GETTER(cpu_quota, sink_u64, resources->cpu_quota_per_sec == 0 ? USEC_INFINITY : resources->cpu_quota_per_sec)
GETTER(device_policy, sink_string, resource_device_policy_to_string(resources->device_policy))

GETTER(accounts_cpu, sink_bool, resources->accounts[RESOURCE_CPU])
GETTER(accounts_io, sink_bool, resources->accounts[RESOURCE_IO])
GETTER(accounts_memory, sink_bool, resources->accounts[RESOURCE_MEMORY])
GETTER(accounts_tasks, sink_bool, resources->accounts[RESOURCE_TASKS])
GETTER(cpu_quota_period, sink_u64, resources->cpu_quota_period == 0 ? USEC_INFINITY : resources->cpu_quota_period)

/* A list such as "5,0-3" as a bit for each number; NULL: none. */
static void put_nodes(Sink *sink, const char *list) {
        uint8_t mask[RESOURCE_NODE_MAX / 8 + 1] = {};
        size_t n = 0;

        while (list && *list) {
                char *end;
                unsigned long first = strtoul(list, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

                for (unsigned long node = first; node <= MIN(last, RESOURCE_NODE_MAX); node++) {
                        mask[node / 8] |= (uint8_t) (1U << node % 8);
                        n = MAX(n, node / 8 + 1);
                }
                list = end + (*end == ',');
        }
        sink_open(sink, 'a', "y");
        for (size_t i = 0; i < n; i++)
                sink_byte(sink, mask[i]);
        sink_close(sink);
}

GETTER(allowed_cpus, put_nodes, resources->allowed_cpus)
GETTER(allowed_memory_nodes, put_nodes, resources->allowed_memory_nodes)

/* Defaults of settings that are not set: nothing is kept for the unit, and it may use all that there is. */
static uint64_t unset_amount(ResourceLimitKind kind) {
        return kind == RESOURCE_GUARD ? 0 : RESOURCE_INFINITY;
}

static const ResourceLimit *memory_limit(const Unit *unit, const ResourceLimit *own) {
        return own;
}

/* Units that processes are in have the manager's limit of tasks, unless their own is set. */
static const ResourceLimit *tasks_limit(const Unit *unit, const ResourceLimit *own) {
        return own->is_set || unit->vtable->holds_units ? own : &defaults_of(unit)->tasks_max;
}

#define LIMIT(name_, field_, of_, kind_, ...)                                                                     \
        static void get_##field_(const Unit *unit, Sink *sink) {                                                  \
                const ResourceLimit *limit = of_##_limit(unit, &resources_of(unit)->field_);                      \
                                                                                                                  \
                sink_u64(sink, limit->is_set ? resource_count_##of_(limit) : unset_amount(kind_));                \
        }

RESOURCE_LIMITS(LIMIT)
LIMIT(MemoryLimit, old_memory_limit, memory, RESOURCE_CAP)

typedef uint64_t (*DeviceValue)(const ResourceDevice *device);

static void put_devices(const Unit *unit, Sink *sink, DeviceValue value_of) {
        const ResourceSettings *resources = resources_of(unit);

        sink_open(sink, 'a', "(st)");
        for (size_t i = 0; i < resources->n_devices; i++) {
                const ResourceDevice *device = &resources->devices[i];
                uint64_t value = value_of(device);

                if (value == 0)
                        continue;
                sink_open(sink, 'r', "st");
                sink_string(sink, device->path);
                sink_u64(sink, value);
                sink_close(sink);
        }
        sink_close(sink);
}

#define DEVICES(name, field)                                            \
        static uint64_t name##_of(const ResourceDevice *device) {       \
                return device->field;                                   \
        }                                                               \
        static void get_##name(const Unit *unit, Sink *sink) {          \
                put_devices(unit, sink, name##_of);                     \
        }

DEVICES(device_weight, weight)
DEVICES(latency_target, latency_target)
DEVICES(read_bandwidth, limits[RESOURCE_READ_BANDWIDTH])
DEVICES(write_bandwidth, limits[RESOURCE_WRITE_BANDWIDTH])
DEVICES(read_iops, limits[RESOURCE_READ_IOPS])
DEVICES(write_iops, limits[RESOURCE_WRITE_IOPS])

static void get_device_allow(const Unit *unit, Sink *sink) {
        char *const *entry = resources_of(unit)->device_allow;

        sink_open(sink, 'a', "(ss)");
        for (; entry && *entry; entry++) {
                const char *space = strrchr(*entry, ' ');
                cleanup_free_ char *device = strndup(*entry, (size_t) (space - *entry));

                sink_open(sink, 'r', "ss");
                sink_string(sink, device);
                sink_string(sink, space + 1);
                sink_close(sink);
        }
        sink_close(sink);
}

static void put_addresses(Sink *sink, const IpPrefix *prefixes, size_t n) {
        sink_open(sink, 'a', "(iayu)");
        for (size_t i = 0; i < n; i++) {
                sink_open(sink, 'r', "iayu");
                sink_i32(sink, prefixes[i].family);
                sink_open(sink, 'a', "y");
                for (size_t k = 0; k < (prefixes[i].family == AF_INET ? 4U : 16U); k++)
                        sink_byte(sink, prefixes[i].address[k]);
                sink_close(sink);
                sink_u32(sink, prefixes[i].bits);
                sink_close(sink);
        }
        sink_close(sink);
}

static void get_ip_allow(const Unit *unit, Sink *sink) {
        put_addresses(sink, resources_of(unit)->ip_allow, resources_of(unit)->n_ip_allow);
}

static void get_ip_deny(const Unit *unit, Sink *sink) {
        put_addresses(sink, resources_of(unit)->ip_deny, resources_of(unit)->n_ip_deny);
}

#define OWN UNIT_PROPERTY_OWN
#define FOREIGN UNIT_PROPERTY_FOREIGN
#define LIMIT_ROW(name_, field_, of_, kind_, file_, description_) { #name_, "t", 0, get_##field_, description_ },

static const UnitProperty rows[] = {
        { "Slice", "s", 0, get_slice, "The slice that it is in." },
        { "ControlGroup", "s", 0, get_path, "Its control group; empty: it has none." },
        { "MemoryCurrent", "t", 0, get_memory, "Bytes of memory in use." },
        { "MemoryPeak", "t", OWN, get_memory_peak, "The most bytes of memory that were in use." },
        { "TasksCurrent", "t", 0, get_tasks, "Number of tasks." },
        { "CPUUsageNSec", "t", 0, get_cpu, "CPU time used." },
        { "ResourcesNotApplied", "as", OWN, get_unapplied, "Resource settings without effect, with the reason." },
        { "Delegate", "b", 0, get_delegate, "Whether it manages its control group itself." },
        { "OOMPolicy", "s", UNIT_PROPERTY_CONST, get_oom_policy,
          "What happens when the kernel kills one of its processes for lack of memory: stop, continue, kill." },
        { "CPUAccounting", "b", 0, get_accounts_cpu, "Whether its CPU time is counted in any case." },
        { "IOAccounting", "b", 0, get_accounts_io, "Whether what it reads and writes is counted in any case." },
        { "MemoryAccounting", "b", 0, get_accounts_memory, "Whether its memory is counted in any case." },
        { "TasksAccounting", "b", 0, get_accounts_tasks, "Whether its tasks are counted in any case." },
        { "AllowedCPUs", "ay", 0, get_allowed_cpus, "The processors that it may use, a bit for each; empty: all." },
        { "AllowedMemoryNodes", "ay", 0, get_allowed_memory_nodes,
          "The memory nodes that it may use, a bit for each; empty: all." },
        { "CPUWeight", "t", 0, get_cpu_weight, "Its share of busy processors; 0: idle." },
        { "StartupCPUWeight", "t", 0, get_startup_cpu_weight, "The same while the manager starts up or ends." },
        { "CPUQuotaPerSecUSec", "t", 0, get_cpu_quota, "CPU time it may use in each second." },
        { "CPUQuotaPeriodUSec", "t", 0, get_cpu_quota_period, "The span in which that is measured, if it was set." },
        { "IOWeight", "t", 0, get_io_weight, "Its share of busy disks." },
        { "StartupIOWeight", "t", 0, get_startup_io_weight, "The same while the manager starts up or ends." },
        { "CPUShares", "t", FOREIGN, get_cpu_shares, NULL },
        { "StartupCPUShares", "t", FOREIGN, get_startup_cpu_shares, NULL },
        { "BlockIOWeight", "t", FOREIGN, get_block_io_weight, NULL },
        { "StartupBlockIOWeight", "t", FOREIGN, get_startup_block_io_weight, NULL },
        { "MemoryLimit", "t", FOREIGN, get_old_memory_limit, NULL },
        { "IODeviceWeight", "a(st)", 0, get_device_weight, "Its share of single busy disks." },
        { "IODeviceLatencyTargetUSec", "a(st)", 0, get_latency_target,
          "The longest time that operations of single disks should take; others are held back for that." },
        { "IOReadBandwidthMax", "a(st)", 0, get_read_bandwidth,
          "The most bytes that it may read in a second, of disks." },
        { "IOWriteBandwidthMax", "a(st)", 0, get_write_bandwidth, "The most bytes that it may write in a second." },
        { "IOReadIOPSMax", "a(st)", 0, get_read_iops, "The most reads in a second." },
        { "IOWriteIOPSMax", "a(st)", 0, get_write_iops, "The most writes in a second." },
        { "DevicePolicy", "s", 0, get_device_policy, "Which devices it may open: auto, closed, strict." },
        { "DeviceAllow", "a(ss)", 0, get_device_allow, "Devices that it may open, and what for." },
        { "IPAddressAllow", "a(iayu)", 0, get_ip_allow, "Addresses that it may reach, and be reached from." },
        { "IPAddressDeny", "a(iayu)", 0, get_ip_deny, "Addresses that it may not reach, unless they are allowed." },
        RESOURCE_LIMITS(LIMIT_ROW)
};

const UnitPropertyTable group_properties = { rows, ELEMENTSOF(rows) };
