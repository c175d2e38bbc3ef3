/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resource settings as files of a control group
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "process/resource_attribute.h"

static CgroupAttribute attributes[RESOURCE_ATTRIBUTES_MAX];
static size_t n_attributes;

static const CgroupAttribute *find(const char *file) {
        for (size_t i = 0; i < n_attributes; i++)
                if (strcmp(attributes[i].file, file) == 0)
                        return &attributes[i];
        cr_fatal("there is no %s", file);
}

static void assert_value(const char *file, const char *value) {
        assert_string(find(file)->list ? find(file)->list : find(file)->value, value);
        cr_assert(not(find(file)->is_default));
}

Test(resource_attribute, nothing_said) {
        n_attributes = resource_list_attributes(NULL, NULL, attributes);
        for (size_t i = 0; i < n_attributes; i++)
                cr_assert(attributes[i].is_default && attributes[i].value[0] != '\0');
        assert_string(find("memory.max")->value, "max");
        assert_string(find("cpu.weight")->value, "100");
        cr_assert(eq(int, resource_wanted_controllers(NULL), 0));
}

/* A truncated number would name another processor. */
Test(resource_attribute, long_lists_are_whole) {
        char list[1024];
        ResourceSettings settings = { .allowed_cpus = list, .allowed_memory_nodes = list };

        for (size_t i = 0, n = 0; i < 200; i++)
                n += (size_t) snprintf(list + n, sizeof(list) - n, "%s%zu", i > 0 ? "," : "", 2 * i);
        n_attributes = resource_list_attributes(&settings, NULL, attributes);
        assert_value("cpuset.cpus", list);
        assert_value("cpuset.mems", list);
}

Test(resource_attribute, values) {
        ResourceSettings settings = {
                .cpu_weight = 50,
                .cpu_quota_per_sec = 250000,
                .io_weight = 7,
                .allowed_cpus = (char *) "0-1",
                .memory_min = { .is_set = true },
                .memory_high = { .is_set = true, .amount = 1000 },
                .memory_max = { .is_set = true, .amount = RESOURCE_INFINITY },
                .tasks_max = { .is_set = true, .amount = 12 },
                .oom_policy = RESOURCE_OOM_KILL,
        };

        n_attributes = resource_list_attributes(&settings, NULL, attributes);
        assert_value("cpu.weight", "50");
        assert_value("cpu.max", "25000 100000");
        assert_value("io.weight", "7");
        assert_value("cpuset.cpus", "0-1");
        assert_value("memory.min", "0");
        assert_value("memory.high", "1000");
        assert_value("memory.max", "max");
        assert_value("pids.max", "12");
        assert_value("memory.oom.group", "1");
        cr_assert(find("memory.low")->is_default && find("cpu.idle")->is_default);

        settings.cpu_weight = RESOURCE_WEIGHT_IDLE;
        settings.cpu_quota_period = 10000;
        n_attributes = resource_list_attributes(&settings, NULL, attributes);
        assert_value("cpu.idle", "1");
        assert_value("cpu.max", "2500 10000");
        cr_assert(find("cpu.weight")->is_default);
}

Test(resource_attribute, share_of_the_machine) {
        const ResourceSettings settings = { .memory_max = { .is_set = true, .is_part = true, .amount = 5000 } };
        uint64_t whole = (uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE), value;

        n_attributes = resource_list_attributes(&settings, NULL, attributes);
        cr_assert(sscanf(find("memory.max")->value, "%" SCNu64, &value) == 1);
        cr_assert(value >= whole / 2 - 1 && value <= whole / 2 + 1);
}

Test(resource_attribute, controllers_without_a_limit) {
        ResourceSettings settings = { .accounts = { [RESOURCE_MEMORY] = true, [RESOURCE_CPU] = true } };

        cr_assert(eq(int, resource_wanted_controllers(&settings), 1 << CGROUP_MEMORY));
        assert_string(resource_wanting_directive(&settings, CGROUP_MEMORY), "MemoryAccounting");
        settings.delegated = 1 << RESOURCE_TASKS;
        cr_assert(eq(int, resource_wanted_controllers(&settings), 1 << CGROUP_MEMORY | 1 << CGROUP_PIDS));
        assert_string(resource_wanting_directive(&settings, CGROUP_PIDS), "Delegate");
}
