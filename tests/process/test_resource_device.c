/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of single devices, settings for the startup, and defaults
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "process/resource_attribute.h"
#include "unitfile/resource_count.h"

static CgroupAttribute attributes[RESOURCE_ATTRIBUTES_MAX];
static size_t n_attributes;

static const CgroupAttribute *find_last(const char *file) {
        for (size_t i = n_attributes; i-- > 0;)
                if (strcmp(attributes[i].file, file) == 0)
                        return &attributes[i];
        cr_fatal("there is no %s", file);
}

Test(resource_device, what_is_no_disk_is_told_of) {
        ResourceDevice devices[] = { { .path = (char *) "/nonexistent/disk", .limits = { [RESOURCE_WRITE_IOPS] = 5 } },
                                     { .path = (char *) "/proc", .weight = 7, .latency_target = 1 } };
        const ResourceSettings settings = { .devices = devices, .n_devices = ELEMENTSOF(devices) };
        const CgroupAttribute *limit, *weight;

        n_attributes = resource_list_attributes(&settings, NULL, attributes);
        limit = find_last("io.max");
        weight = find_last("io.weight");
        cr_assert(eq(int, limit->error, -ENOENT));
        assert_string(limit->directive, "IOWriteIOPSMax");
        cr_assert(eq(int, weight->error, -ENODEV));
        assert_string(weight->directive, "IODeviceWeight");
        cr_assert(not(limit->is_default || weight->is_default));
        cr_assert(eq(int, find_last("io.latency")->error, -ENODEV));
        assert_string(find_last("io.latency")->directive, "IODeviceLatencyTargetSec");
}

/* There may be no disk where the tests run; a folder's file system serves as well. */
Test(resource_device, lines_of_a_disk) {
        ResourceDevice device = { .path = (char *) "/", .weight = 7, .latency_target = 25 * USEC_PER_MSEC,
                                  .limits = { [RESOURCE_READ_BANDWIDTH] = 5000000,
                                          [RESOURCE_WRITE_IOPS] = RESOURCE_INFINITY } };
        const ResourceSettings settings = { .devices = &device, .n_devices = 1 };
        char line[128];
        dev_t disk;

        if (resource_find_disk("/", &disk) < 0)
                cr_skip_test("/ is on no disk");
        n_attributes = resource_list_attributes(&settings, NULL, attributes);
        snprintf(line, sizeof(line), "%u:%u 7", major(disk), minor(disk));
        assert_string(find_last("io.weight")->value, line);
        snprintf(line, sizeof(line), "%u:%u rbps=5000000 wiops=max", major(disk), minor(disk));
        assert_string(find_last("io.max")->value, line);
        cr_assert(eq(int, find_last("io.max")->error, 0));
        snprintf(line, sizeof(line), "%u:%u target=25000", major(disk), minor(disk));
        assert_string(find_last("io.latency")->value, line);
        device.latency_target = USEC_INFINITY;
        n_attributes = resource_list_attributes(&settings, NULL, attributes);
        snprintf(line, sizeof(line), "%u:%u target=max", major(disk), minor(disk));
        assert_string(find_last("io.latency")->value, line);
}

Test(resource_device, weights_of_the_startup) {
        const ResourceSettings settings = { .cpu_weight = 50, .startup_cpu_weight = 70, .startup_io_weight = 30 };
        ResourceDefaults defaults = { .is_startup = true };

        cr_assert(resource_has_startup(&settings) && !resource_has_startup(NULL));
        n_attributes = resource_list_attributes(&settings, &defaults, attributes);
        assert_string(find_last("cpu.weight")->value, "70");
        assert_string(find_last("io.weight")->value, "30");
        defaults.is_startup = false;
        n_attributes = resource_list_attributes(&settings, &defaults, attributes);
        assert_string(find_last("cpu.weight")->value, "50");
        cr_assert(find_last("io.weight")->is_default);
}

Test(resource_device, tasks_by_default) {
        const ResourceDefaults defaults = { .tasks_max = { .is_set = true, .amount = 123 } };
        const ResourceSettings own = { .tasks_max = { .is_set = true, .amount = RESOURCE_INFINITY } };
        const ResourceLimit share = { .is_set = true, .is_part = true, .amount = 1500 };
        const ResourceLimit all = { .is_set = true, .is_part = true, .amount = 10000 };

        n_attributes = resource_list_attributes(NULL, &defaults, attributes);
        assert_string(find_last("pids.max")->value, "123");
        n_attributes = resource_list_attributes(&own, &defaults, attributes);
        assert_string(find_last("pids.max")->value, "max");
        cr_assert(resource_count_tasks(&share) > 0);
        cr_assert(resource_count_tasks(&share) <= resource_count_tasks(&all) / 100 * 15 + 15);
        cr_assert(resource_count_tasks(&share) + 15 >= resource_count_tasks(&all) / 100 * 15);
}
