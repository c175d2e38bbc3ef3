/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of resources as numbers
 */

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "basic/macro.h"
#include "unitfile/resource_count.h"

#define PARTS 10000U                    /* hundredths of a percent in the whole */

static uint64_t count(const ResourceLimit *limit, uint64_t (*count_whole)(void)) {
        uint64_t whole;

        if (!limit->is_part)
                return limit->amount;
        whole = count_whole();
        return whole / PARTS * limit->amount + whole % PARTS * limit->amount / PARTS;
}

static uint64_t physical_memory(void) {
        long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

        return pages > 0 && size > 0 ? (uint64_t) pages * (uint64_t) size : 0;
}

static uint64_t read_number(const char *path, uint64_t fallback) {
        FILE *file = fopen(path, "re");
        uint64_t value;

        if (!file)
                return fallback;
        if (fscanf(file, "%" SCNu64, &value) != 1)
                value = fallback;
        fclose(file);
        return value;
}

static uint64_t possible_tasks(void) {
        uint64_t pids = read_number("/proc/sys/kernel/pid_max", 32768);
        uint64_t threads = read_number("/proc/sys/kernel/threads-max", 32768);

        return MIN(MIN(pids, threads), read_number("/sys/fs/cgroup/pids.max", UINT64_MAX));
}

uint64_t resource_count_memory(const ResourceLimit *limit) {
        return count(limit, physical_memory);
}

uint64_t resource_count_tasks(const ResourceLimit *limit) {
        return count(limit, possible_tasks);
}
