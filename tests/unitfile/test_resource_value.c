/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resource directives: what they take, and what comes of a value that they don't
 */

#include <stdio.h>

#include "basic/macro.h"
#include "file_world.h"
#include "unitfile/resource_settings.h"

static const ResourceSettings *load(FileWorld *world, const char *lines) {
        static const ResourceSettings nothing;
        const ResourceSettings *resources;

        file_world_restart(world);
        resources = file_service(file_load_service(world, "x.service", lines))->resources;
        return resources ? resources : &nothing;
}

#define RESOURCE_TEST(name)                                                                                     \
        static void name##_body(FileWorld *world);                                                              \
        Test(resource_value, name) {                                                                            \
                cleanup_(file_world_freep) FileWorld *world = file_world_new();                                 \
                                                                                                                \
                name##_body(world);                                                                             \
        }                                                                                                       \
        static void name##_body(FileWorld *world)

RESOURCE_TEST(nothing_is_kept_of_nothing) {
        cr_assert(file_service(file_load_service(world, "x.service", "Nice=1"))->resources == NULL);
        cr_assert(file_service(file_load_service(world, "y.service", "MemoryMax=1G\nMemoryMax="))->resources == NULL);
}

RESOURCE_TEST(devices_are_closed_to_whom_they_are_hidden_from) {
        cr_assert(eq(int, load(world, "PrivateDevices=yes")->device_policy, RESOURCE_DEVICES_CLOSED));
        cr_assert(eq(int, load(world, "PrivateDevices=yes\nDevicePolicy=strict")->device_policy, RESOURCE_DEVICES_STRICT));
        cr_assert(eq(int, load(world, "PrivateDevices=yes\nPrivateDevices=no")->device_policy, RESOURCE_DEVICES_AUTO));
}

RESOURCE_TEST(memory) {
        static const struct {
                const char *value;
                uint64_t amount;
                bool is_part;
        } cases[] = {
                { "1048576", 1048576, false },
                { "1K", 1024, false },
                { "1.5M", 1572864, false },
                { "2G", UINT64_C(2) << 30, false },
                { "3T", UINT64_C(3) << 40, false },
                { "infinity", RESOURCE_INFINITY, false },
                { "20%", 2000, true },
                { "12.5%", 1250, true },
                { "100%", 10000, true },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                char line[64];
                ResourceLimit limit;

                snprintf(line, sizeof(line), "MemoryMax=%s", cases[i].value);
                limit = load(world, line)->memory_max;
                cr_assert(limit.is_set, "%s: %s", line, file_said(world));
                cr_assert(eq(u64, limit.amount, cases[i].amount), "%s", line);
                cr_assert(eq(int, limit.is_part, cases[i].is_part), "%s", line);
        }
}

RESOURCE_TEST(names_of_control_groups_v1) {
        cr_assert(eq(u64, load(world, "MemoryLimit=2G")->memory_max.amount, UINT64_C(2) << 30));
        assert_said(world, "note a/x.service:3 MemoryLimit: This is the old name of MemoryMax=.");
        cr_assert(eq(u32, load(world, "CPUShares=512")->cpu_weight, 50));
        assert_said(world, "note a/x.service:3 CPUShares: This is the old name of CPUWeight=: CPUShares=1024 is CPUWeight=100.");
        cr_assert(eq(u32, load(world, "CPUShares=2")->cpu_weight, 1));
        cr_assert(eq(u32, load(world, "CPUShares=262144")->cpu_weight, 10000));
        cr_assert(eq(u32, load(world, "StartupCPUShares=2048")->startup_cpu_weight, 200));
        cr_assert(eq(u32, load(world, "BlockIOWeight=1000")->io_weight, 200));
        cr_assert(eq(u32, load(world, "StartupBlockIOWeight=10")->startup_io_weight, 2));
        cr_assert(eq(u32, load(world, "CPUShares=1023")->old_weights[RESOURCE_OLD_CPU_SHARES], 1023));
        cr_assert(eq(u32, load(world, "CPUShares=1023\nCPUShares=")->old_weights[RESOURCE_OLD_CPU_SHARES], 0));
        cr_assert(eq(u32, load(world, "CPUShares=1023\nCPUShares=")->cpu_weight, 0));
        cr_assert(eq(u32, load(world, "CPUShares=1")->old_weights[RESOURCE_OLD_CPU_SHARES], 0));
        cr_assert(eq(u32, load(world, "BlockIOWeight=300\nIOWeight=9")->old_weights[RESOURCE_OLD_BLOCK_IO_WEIGHT], 300));
        cr_assert(load(world, "BlockIOAccounting=yes")->accounts[RESOURCE_IO]);
        cr_assert(eq(u32, load(world, "BlockIODeviceWeight=/dev/sda 100")->devices[0].weight, 20));
        cr_assert(eq(u64, load(world, "BlockIOReadBandwidth=/dev/sda 5M")->devices[0].limits[RESOURCE_READ_BANDWIDTH],
                     5000000));
        cr_assert(eq(u64, load(world, "BlockIOWriteBandwidth=/dev/sda 5M")->devices[0].limits[RESOURCE_WRITE_BANDWIDTH],
                     5000000));
}

/* A file for old and new versions has both names, in any order. */
RESOURCE_TEST(the_present_name_holds) {
        cr_assert(eq(u64, load(world, "MemoryMax=1G\nMemoryLimit=2G")->memory_max.amount, UINT64_C(1) << 30));
        cr_assert(strstr(file_said(world), "MemoryLimit: MemoryMax= is set as well and holds.") != NULL);
        cr_assert(eq(u64, load(world, "MemoryMax=1G\nMemoryLimit=2G")->old_memory_limit.amount, UINT64_C(2) << 30));
        cr_assert(eq(u64, load(world, "MemoryLimit=2G\nMemoryMax=1G")->memory_max.amount, UINT64_C(1) << 30));
        cr_assert(eq(u64, load(world, "MemoryLimit=2G\nMemoryMax=1G")->old_memory_limit.amount, UINT64_C(2) << 30));
        cr_assert(not(load(world, "MemoryLimit=2G\nMemoryLimit=")->old_memory_limit.is_set));
        cr_assert(eq(u64, load(world, "MemoryLimit=2G\nMemoryLimit=3G")->memory_max.amount, UINT64_C(3) << 30));
        cr_assert(eq(u32, load(world, "CPUWeight=30\nCPUShares=1024")->cpu_weight, 30));
        cr_assert(eq(u32, load(world, "BlockIOWeight=500\nIOWeight=30\nCPUShares=1024")->io_weight, 30));
}

RESOURCE_TEST(a_limit_that_cannot_be_read_refuses_the_unit) {
        static const char *const lines[] = {
                "MemoryMax=lots",  "MemoryMax=1Q",    "MemoryMax=-1",   "MemoryMax=0",        "MemoryHigh=101%",
                "MemoryMax=1e3",   "MemoryMax=0x10",  "MemoryMax=nan",  "MemorySwapMax=1GG",  "TasksMax=0",
                "TasksMax=many",   "TasksMax=1.5",    "CPUQuota=20",    "CPUQuota=0%",        "CPUQuota=-5%",
                "AllowedCPUs=a",   "AllowedCPUs=3-1", "AllowedCPUs=1-", "AllowedCPUs=99999",  "Slice=x.service",
                "MemoryLimit=0", "MemoryLimit=lots", "BlockIOReadBandwidth=5M",
                "Slice=a--b.slice", "Slice=../x.slice", "MemoryMax=99999999E",
        };

        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                char name[32];

                snprintf(name, sizeof(name), "x%zu.service", i);
                cr_assert(eq(int, file_load_service(world, name, lines[i])->load_state, UNIT_BAD_SETTING), "%s", lines[i]);
        }
}

RESOURCE_TEST(a_wish_that_cannot_be_read_is_left_out) {
        cr_assert(eq(u32, load(world, "CPUWeight=0")->cpu_weight, 0));
        assert_said(world, "warning a/x.service:3 CPUWeight: '0' is not a whole number between 1 and 10000, or 'idle'");
        cr_assert(eq(u32, load(world, "CPUShares=1")->cpu_weight, 0));
        assert_said(world, "note a/x.service:3 CPUShares: This is the old name of CPUWeight=: CPUShares=1024 is "
                           "CPUWeight=100.\nwarning a/x.service:3 CPUShares: '1' is not a whole number between 2 and 262144; "
                           "the line is ignored.");
        cr_assert(eq(u32, load(world, "IOWeight=idle")->io_weight, 0));
        assert_said(world, "warning a/x.service:3 IOWeight");
        cr_assert(not(load(world, "MemoryLow=some")->memory_low.is_set));
        assert_said(world, "warning a/x.service:3 MemoryLow");
        cr_assert(eq(int, load(world, "OOMPolicy=cry")->oom_policy, RESOURCE_OOM_DEFAULT));
        assert_said(world, "warning a/x.service:3 OOMPolicy");
}

RESOURCE_TEST(weights_and_quota) {
        cr_assert(eq(u32, load(world, "CPUWeight=10000")->cpu_weight, 10000));
        cr_assert(eq(u32, load(world, "CPUWeight=idle")->cpu_weight, RESOURCE_WEIGHT_IDLE));
        cr_assert(eq(u64, load(world, "CPUQuota=20%")->cpu_quota_per_sec, 200000));
        cr_assert(eq(u64, load(world, "CPUQuota=250%")->cpu_quota_per_sec, 2500000));
        cr_assert(eq(u64, load(world, "CPUQuota=250%\nCPUQuota=")->cpu_quota_per_sec, 0));
        cr_assert(eq(u64, load(world, "CPUQuota=5%\nCPUQuotaPeriodSec=10ms")->cpu_quota_period, 10000));
}

RESOURCE_TEST(lists_add_up) {
        assert_string(load(world, "AllowedCPUs=0-3,5 7")->allowed_cpus, "0-3,5,7");
        assert_string(load(world, "AllowedCPUs=0\nAllowedCPUs=2")->allowed_cpus, "0,2");
        assert_null(load(world, "AllowedCPUs=0\nAllowedCPUs=\nNice=0")->allowed_cpus);
}

RESOURCE_TEST(delegation) {
        cr_assert(eq(int, load(world, "Delegate=yes")->delegated, 31));
        cr_assert(eq(int, load(world, "Delegate=memory pids")->delegated, 1 << RESOURCE_MEMORY | 1 << RESOURCE_TASKS));
        cr_assert(load(world, "Delegate=memory")->delegate);
        cr_assert(not(load(world, "Delegate=yes\nDelegate=no")->delegate));
        cr_assert(eq(int, load(world, "Delegate=memory cheese")->delegated, 1 << RESOURCE_MEMORY));
        assert_said(world, "'cheese' is not a controller");
}

RESOURCE_TEST(slice) {
        assert_string(load(world, "Slice=a-b.slice")->slice, "a-b.slice");
        assert_string(load(world, "Slice=%p.slice")->slice, "x.slice");
}

RESOURCE_TEST(devices) {
        const ResourceSettings *resources = load(world, "IOReadBandwidthMax=/dev/sda 5M\nIOWriteIOPSMax=/dev/sda infinity\n"
                                                        "IODeviceWeight=/var//%p 20\nIOReadBandwidthMax=/dev/sda 1.5K");

        cr_assert(eq(sz, resources->n_devices, 2));
        assert_string(resources->devices[0].path, "/dev/sda");
        cr_assert(eq(u64, resources->devices[0].limits[RESOURCE_READ_BANDWIDTH], 1500));
        cr_assert(eq(u64, resources->devices[0].limits[RESOURCE_WRITE_IOPS], RESOURCE_INFINITY));
        cr_assert(eq(u64, resources->devices[0].limits[RESOURCE_READ_IOPS], 0));
        assert_string(resources->devices[1].path, "/var/x");
        cr_assert(eq(u32, resources->devices[1].weight, 20));

        resources = load(world, "IOReadIOPSMax=/dev/sda 5\nIODeviceWeight=/dev/sda 7\nIOReadIOPSMax=");
        cr_assert(eq(sz, resources->n_devices, 1));
        resources = load(world, "IOReadIOPSMax=/dev/sda 5\nIOReadIOPSMax=");
        cr_assert(eq(sz, resources->n_devices, 0));
        cr_assert(eq(ptr, (void *) resources->devices, NULL));
}

RESOURCE_TEST(latency_of_devices) {
        const ResourceSettings *resources = load(world, "IODeviceLatencyTargetSec=/dev/sda 25ms\n"
                                                        "IODeviceLatencyTargetSec=/dev/sdb infinity\nIODeviceWeight=/dev/sda 7\n"
                                                        "IODeviceLatencyTargetSec=/dev/sdc 0\nIODeviceLatencyTargetSec=/dev/sda 2");

        cr_assert(eq(sz, resources->n_devices, 3));
        cr_assert(eq(u64, resources->devices[0].latency_target, 2 * USEC_PER_SEC));
        cr_assert(eq(u32, resources->devices[0].weight, 7));
        cr_assert(eq(u64, resources->devices[1].latency_target, USEC_INFINITY));
        cr_assert(eq(u64, resources->devices[2].latency_target, USEC_INFINITY));
        resources = load(world, "IODeviceLatencyTargetSec=/dev/sda 5\nIODeviceWeight=/dev/sdb 7\nIODeviceLatencyTargetSec=");
        cr_assert(eq(sz, resources->n_devices, 1));
        assert_string(resources->devices[0].path, "/dev/sdb");
}

RESOURCE_TEST(a_limit_of_a_device_that_cannot_be_read_refuses_the_unit) {
        static const char *const lines[] = { "IOReadBandwidthMax=/dev/sda", "IOReadBandwidthMax=/dev/sda x",
                                             "IOWriteBandwidthMax=sda 5M", "IOReadIOPSMax=/dev/sda 0",
                                             "IODeviceLatencyTargetSec=/dev/sda", "IODeviceLatencyTargetSec=/dev/sda soon",
                                             "IODeviceLatencyTargetSec=sda 5ms" };

        for (size_t i = 0; i < ELEMENTSOF(lines); i++) {
                file_world_restart(world);
                cr_assert(eq(int, file_load_service(world, "x.service", lines[i])->load_state, UNIT_BAD_SETTING), "%s: %s",
                          lines[i], file_said(world));
        }
        cr_assert(eq(sz, load(world, "IODeviceWeight=/dev/sda 0")->n_devices, 0));
        assert_said(world, "between 1 and 10000");
}

RESOURCE_TEST(what_holds_for_the_startup) {
        const ResourceSettings *resources = load(world, "StartupCPUWeight=idle\nStartupIOWeight=50\nMemoryZSwapMax=0");

        cr_assert(eq(u32, resources->startup_cpu_weight, RESOURCE_WEIGHT_IDLE));
        cr_assert(eq(u32, resources->startup_io_weight, 50));
        cr_assert(resources->memory_zswap_max.is_set && resources->memory_zswap_max.amount == 0);
}
