/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Resource directives: rows and parsers that [Service] and [Slice] share
 */

#include "unit/file/directive.h"
#include "unit/file/resource_settings.h"

int resource_parse_memory(const DirectiveLine *line, const char *value);        /* argument 1: 0 is no limit to live with */
int resource_parse_tasks(const DirectiveLine *line, const char *value);
int resource_parse_weight(const DirectiveLine *line, const char *value);        /* argument 1: "idle", too */
int resource_parse_cpu_quota(const DirectiveLine *line, const char *value);
int resource_parse_nodes(const DirectiveLine *line, const char *value);
int resource_parse_slice(const DirectiveLine *line, const char *value);
int resource_parse_delegate(const DirectiveLine *line, const char *value);

#define RESOURCE(name_, parse_, field_, ...)                                                             \
        { .name = name_, .parse = parse_, .base = DIRECTIVE_IN_RESOURCES,                                \
          .offset = offsetof(ResourceSettings, field_), __VA_ARGS__ }

/* One for each directive, so that the tables can be sorted. What limits a unit is strict; what is a wish is not. */
#define RESOURCE_ALLOWED_CPUS RESOURCE("AllowedCPUs", resource_parse_nodes, allowed_cpus, .is_strict = true)
#define RESOURCE_ALLOWED_MEMORY_NODES \
        RESOURCE("AllowedMemoryNodes", resource_parse_nodes, allowed_memory_nodes, .is_strict = true)
#define RESOURCE_CPU_ACCOUNTING RESOURCE("CPUAccounting", directive_parse_bool, accounts[RESOURCE_CPU])
#define RESOURCE_CPU_QUOTA RESOURCE("CPUQuota", resource_parse_cpu_quota, cpu_quota_per_sec, .is_strict = true)
#define RESOURCE_CPU_QUOTA_PERIOD RESOURCE("CPUQuotaPeriodSec", directive_parse_seconds, cpu_quota_period)
#define RESOURCE_CPU_WEIGHT RESOURCE("CPUWeight", resource_parse_weight, cpu_weight, .argument = 1)
#define RESOURCE_IO_ACCOUNTING RESOURCE("IOAccounting", directive_parse_bool, accounts[RESOURCE_IO])
#define RESOURCE_IO_WEIGHT RESOURCE("IOWeight", resource_parse_weight, io_weight)
#define RESOURCE_MEMORY_ACCOUNTING RESOURCE("MemoryAccounting", directive_parse_bool, accounts[RESOURCE_MEMORY])
#define RESOURCE_MEMORY_HIGH \
        RESOURCE("MemoryHigh", resource_parse_memory, memory_high, .argument = 1, .is_strict = true)
#define RESOURCE_MEMORY_LOW RESOURCE("MemoryLow", resource_parse_memory, memory_low)
#define RESOURCE_MEMORY_MAX RESOURCE("MemoryMax", resource_parse_memory, memory_max, .argument = 1, .is_strict = true)
#define RESOURCE_MEMORY_MIN RESOURCE("MemoryMin", resource_parse_memory, memory_min)
#define RESOURCE_MEMORY_SWAP_MAX RESOURCE("MemorySwapMax", resource_parse_memory, memory_swap_max, .is_strict = true)
#define RESOURCE_SLICE RESOURCE("Slice", resource_parse_slice, slice, .is_strict = true)
#define RESOURCE_TASKS_ACCOUNTING RESOURCE("TasksAccounting", directive_parse_bool, accounts[RESOURCE_TASKS])
#define RESOURCE_TASKS_MAX RESOURCE("TasksMax", resource_parse_tasks, tasks_max, .is_strict = true)
