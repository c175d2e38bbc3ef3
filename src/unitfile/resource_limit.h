/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Limits of a control group: the list of them
 *
 * Each line has a directive, its member in ResourceSettings, what it is an
 * amount of (memory, tasks), its kind, its file in the control group, and one
 * sentence on it. The settings, the directives, the files that are written and
 * the properties that are read and set on D-Bus are made from this list.
 */

typedef enum ResourceLimitKind {
        RESOURCE_GUARD,                 /* that much is kept for the unit: a wish; none unless it is set */
        RESOURCE_CAP,                   /* the unit cannot run with nothing */
        RESOURCE_SPARE,                 /* the unit can do without */
} ResourceLimitKind;

/* Sorted by directive. */
#define RESOURCE_LIMITS(LIMIT)                                                                                    \
        LIMIT(MemoryHigh, memory_high, memory, RESOURCE_CAP, "memory.high", "Bytes above which it is slowed down.") \
        LIMIT(MemoryLow, memory_low, memory, RESOURCE_GUARD, "memory.low", "Bytes that are taken from it late.")    \
        LIMIT(MemoryMax, memory_max, memory, RESOURCE_CAP, "memory.max", "The most bytes that it may use.")         \
        LIMIT(MemoryMin, memory_min, memory, RESOURCE_GUARD, "memory.min", "Bytes that are never taken from it.")   \
        LIMIT(MemorySwapMax, memory_swap_max, memory, RESOURCE_SPARE, "memory.swap.max", "The most bytes of swap.") \
        LIMIT(MemoryZSwapMax, memory_zswap_max, memory, RESOURCE_SPARE, "memory.zswap.max",                         \
              "The most bytes of compressed swap in memory.")                                                       \
        LIMIT(TasksMax, tasks_max, tasks, RESOURCE_CAP, "pids.max", "The most tasks that it may have.")
