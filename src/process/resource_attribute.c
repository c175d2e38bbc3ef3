/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resource settings as files of a control group
 *
 * Names and values are those of the kernel's version 2 interface. A setting that was withdrawn is written, too, with
 * the value of a new group.
 */

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "process/resource_attribute.h"
#include "unitfile/resource_count.h"

#define CPU_PERIOD_DEFAULT (100 * USEC_PER_MSEC)
/* The kernel accepts periods in these bounds. */
#define CPU_PERIOD_MIN (1 * USEC_PER_MSEC)
#define CPU_PERIOD_MAX (1 * USEC_PER_SEC)

static const ResourceSettings nothing;

/* The value comes from .format, .list or .limit; "" for what a new group has. */
typedef struct Row {
        CgroupController controller;
        const char *file;
        const char *directive;
        void (*format)(const ResourceSettings *settings, char *value, size_t size);
        const char *fresh;              /* the value in a new group */
        const char *(*list)(const ResourceSettings *settings);  /* a text of any length; NULL: none */
        uint64_t (*count_limit)(const ResourceLimit *limit);
        size_t limit;                   /* offset of a ResourceLimit */
} Row;

static void format_weight(uint32_t weight, char *value, size_t size) {
        if (weight > 0 && weight != RESOURCE_WEIGHT_IDLE)
                snprintf(value, size, "%" PRIu32, weight);
}

static void format_cpu_weight(const ResourceSettings *settings, char *value, size_t size) {
        format_weight(settings->cpu_weight, value, size);
}

static void format_cpu_idle(const ResourceSettings *settings, char *value, size_t size) {
        if (settings->cpu_weight == RESOURCE_WEIGHT_IDLE)
                snprintf(value, size, "1");
}

static void format_io_weight(const ResourceSettings *settings, char *value, size_t size) {
        format_weight(settings->io_weight, value, size);
}

static void format_cpu_max(const ResourceSettings *settings, char *value, size_t size) {
        usec_t period = settings->cpu_quota_period > 0 ? settings->cpu_quota_period : CPU_PERIOD_DEFAULT;

        period = MAX(CPU_PERIOD_MIN, MIN(period, CPU_PERIOD_MAX));
        if (settings->cpu_quota_per_sec > 0 && settings->cpu_quota_per_sec != USEC_INFINITY) {
                usec_t quota = MAX(settings->cpu_quota_per_sec * period / USEC_PER_SEC, CPU_PERIOD_MIN);

                snprintf(value, size, "%" PRIu64 " %" PRIu64, (uint64_t) quota, (uint64_t) period);
        }
}

static const char *list_cpus(const ResourceSettings *settings) {
        return settings->allowed_cpus;
}

static const char *list_memory_nodes(const ResourceSettings *settings) {
        return settings->allowed_memory_nodes;
}

static void format_limit(const ResourceLimit *limit, uint64_t (*count_limit)(const ResourceLimit *limit), char *value,
                         size_t size) {
        uint64_t amount;

        if (!limit->is_set)
                return;
        amount = count_limit(limit);
        if (amount == RESOURCE_INFINITY)
                snprintf(value, size, "max");
        else
                snprintf(value, size, "%" PRIu64, amount);
}

static void format_oom_group(const ResourceSettings *settings, char *value, size_t size) {
        if (settings->oom_policy == RESOURCE_OOM_KILL)
                snprintf(value, size, "1");
}

#define CONTROLLER_memory CGROUP_MEMORY
#define CONTROLLER_tasks CGROUP_PIDS
#define LIMIT(name_, field_, of_, kind_, file_, ...)                             \
        { CONTROLLER_##of_, file_, #name_, .fresh = (kind_) == RESOURCE_GUARD ? "0" : "max", \
          .count_limit = resource_count_##of_, .limit = offsetof(ResourceSettings, field_) },

static const Row rows[] = {
        { CGROUP_CPU, "cpu.weight", "CPUWeight", format_cpu_weight, "100" },
        { CGROUP_CPU, "cpu.idle", "CPUWeight", format_cpu_idle, "0" },
        { CGROUP_CPU, "cpu.max", "CPUQuota", format_cpu_max, "max" },
        { CGROUP_CPUSET, "cpuset.cpus", "AllowedCPUs", NULL, "\n", list_cpus },
        { CGROUP_CPUSET, "cpuset.mems", "AllowedMemoryNodes", NULL, "\n", list_memory_nodes },
        { CGROUP_IO, "io.weight", "IOWeight", format_io_weight, "default 100" },
        { CGROUP_MEMORY, "memory.oom.group", "OOMPolicy", format_oom_group, "0" },
        RESOURCE_LIMITS(LIMIT)
};

bool resource_has_startup(const ResourceSettings *settings) {
        return settings && (settings->startup_cpu_weight > 0 || settings->startup_io_weight > 0);
}

static size_t list_rows(const ResourceSettings *settings, CgroupAttribute attributes[static RESOURCE_ATTRIBUTES_MAX]) {
        static_assert(ELEMENTSOF(rows) + RESOURCE_DEVICE_FILES * RESOURCE_DEVICES_MAX <= RESOURCE_ATTRIBUTES_MAX,
                      "room for all");

        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                CgroupAttribute *attribute = &attributes[i];

                *attribute = (CgroupAttribute) {
                        .controller = rows[i].controller,
                        .file = rows[i].file,
                        .directive = rows[i].directive,
                };
                if (rows[i].list)
                        attribute->list = rows[i].list(settings);
                else if (rows[i].count_limit)
                        format_limit((const ResourceLimit *) ((const char *) settings + rows[i].limit),
                                     rows[i].count_limit,
                                     attribute->value, sizeof(attribute->value));
                else
                        rows[i].format(settings, attribute->value, sizeof(attribute->value));
                attribute->is_default = !attribute->list && attribute->value[0] == '\0';
                if (attribute->is_default)
                        strcpy(attribute->value, rows[i].fresh);
        }
        return ELEMENTSOF(rows);
}

size_t resource_list_attributes(const ResourceSettings *settings, const ResourceDefaults *defaults,
                                CgroupAttribute attributes[static RESOURCE_ATTRIBUTES_MAX]) {
        ResourceSettings now = settings ? *settings : nothing;  /* borrowed from @settings */
        size_t n;

        if (defaults && defaults->is_startup && now.startup_cpu_weight > 0)
                now.cpu_weight = now.startup_cpu_weight;
        if (defaults && defaults->is_startup && now.startup_io_weight > 0)
                now.io_weight = now.startup_io_weight;
        if (defaults && !now.tasks_max.is_set)
                now.tasks_max = defaults->tasks_max;
        n = list_rows(&now, attributes);
        for (size_t i = 0; i < now.n_devices; i++)
                n += resource_list_device(&now.devices[i], attributes + n);
        return n;
}

uint8_t resource_wanted_controllers(const ResourceSettings *settings) {
        uint8_t wanted = settings ? settings->delegated : 0;

        static_assert((int) RESOURCE_CPU == (int) CGROUP_CPU && (int) RESOURCE_CPUSET == (int) CGROUP_CPUSET &&
                              (int) RESOURCE_IO == (int) CGROUP_IO && (int) RESOURCE_MEMORY == (int) CGROUP_MEMORY &&
                              (int) RESOURCE_TASKS == (int) CGROUP_PIDS,
                      "one order");
        for (unsigned i = 0; settings && i < _RESOURCE_KIND_MAX; i++)
                if (settings->accounts[i] && i != RESOURCE_CPU)         /* cpu.stat is there anyway */
                        wanted |= (uint8_t) (1U << i);
        return wanted;
}

const char *resource_wanting_directive(const ResourceSettings *settings, CgroupController controller) {
        static const char *const accounting[_CGROUP_CONTROLLER_MAX] = {
                [CGROUP_CPU] = "CPUAccounting",
                [CGROUP_IO] = "IOAccounting",
                [CGROUP_MEMORY] = "MemoryAccounting",
                [CGROUP_PIDS] = "TasksAccounting",
        };

        return settings->accounts[controller] ? accounting[controller] : "Delegate";
}
