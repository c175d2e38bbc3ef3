/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What units with a control group show of it: rows for their tables
 *
 * Names and signatures are systemd's, but for ResourcesNotApplied, which is
 * ours. Amounts that are not known, and limits that are not set, are
 * 18446744073709551615.
 */

#include "unit/file/resource_settings.h"
#include "unit/unit.h"

#define GROUP_PROPERTIES                                                                                                 \
        { "Slice", "s", UNIT_PROPERTY_CONST, group_get_slice, "The slice that it asks for; empty: the default one." },   \
        { "ControlGroup", "s", 0, group_get_path, "Its control group; empty: it has none." },                            \
        { "MemoryCurrent", "t", 0, group_get_memory, "Bytes of memory in use." },                                        \
        { "MemoryPeak", "t", 0, group_get_memory_peak, "The most bytes of memory that were in use." },                   \
        { "TasksCurrent", "t", 0, group_get_tasks, "Number of tasks." },                                                 \
        { "CPUUsageNSec", "t", 0, group_get_cpu, "CPU time used." },                                                     \
        { "ResourcesNotApplied", "as", 0, group_get_unapplied, "Resource settings without effect, with the reason." },   \
        { "Delegate", "b", UNIT_PROPERTY_CONST, group_get_delegate, "Whether its control group is its own affair." },    \
        { "OOMPolicy", "s", UNIT_PROPERTY_CONST, group_get_oom_policy,                                                   \
          "What happens when the kernel kills one of its processes for lack of memory: stop, continue, kill." },         \
        { "CPUWeight", "t", UNIT_PROPERTY_CONST, group_get_cpu_weight, "Its share of busy processors; 0: idle." },       \
        { "CPUQuotaPerSecUSec", "t", UNIT_PROPERTY_CONST, group_get_cpu_quota, "CPU time it may use in each second." },  \
        { "IOWeight", "t", UNIT_PROPERTY_CONST, group_get_io_weight, "Its share of busy disks." },                       \
        { "MemoryMin", "t", UNIT_PROPERTY_CONST, group_get_memory_min, "Bytes that are never taken from it." },          \
        { "MemoryLow", "t", UNIT_PROPERTY_CONST, group_get_memory_low, "Bytes that are taken from it late." },           \
        { "MemoryHigh", "t", UNIT_PROPERTY_CONST, group_get_memory_high, "Bytes above which it is slowed down." },       \
        { "MemoryMax", "t", UNIT_PROPERTY_CONST, group_get_memory_max, "The most bytes that it may use." },              \
        { "MemorySwapMax", "t", UNIT_PROPERTY_CONST, group_get_memory_swap_max, "The most bytes of swap." },             \
        { "TasksMax", "t", UNIT_PROPERTY_CONST, group_get_tasks_max, "The most tasks that it may have." }

void group_get_slice(const Unit *unit, Sink *sink);
void group_get_path(const Unit *unit, Sink *sink);
void group_get_memory(const Unit *unit, Sink *sink);
void group_get_memory_peak(const Unit *unit, Sink *sink);
void group_get_tasks(const Unit *unit, Sink *sink);
void group_get_cpu(const Unit *unit, Sink *sink);
void group_get_unapplied(const Unit *unit, Sink *sink);
void group_get_delegate(const Unit *unit, Sink *sink);
void group_get_oom_policy(const Unit *unit, Sink *sink);
void group_get_cpu_weight(const Unit *unit, Sink *sink);
void group_get_cpu_quota(const Unit *unit, Sink *sink);
void group_get_io_weight(const Unit *unit, Sink *sink);
void group_get_memory_min(const Unit *unit, Sink *sink);
void group_get_memory_low(const Unit *unit, Sink *sink);
void group_get_memory_high(const Unit *unit, Sink *sink);
void group_get_memory_max(const Unit *unit, Sink *sink);
void group_get_memory_swap_max(const Unit *unit, Sink *sink);
void group_get_tasks_max(const Unit *unit, Sink *sink);
