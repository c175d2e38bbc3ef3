/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The processes of a unit, with their command lines
 *
 * jobd only sends their names: a command line is in the memory of its
 * process, and reading it blocks as long as that memory is busy. So it is
 * read here, where nothing else waits for it.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/processes.h"
#include "jobctl/value.h"

#define COMMAND_MAX 1024

static size_t read_file(uint64_t pid, const char *file, char *buffer, size_t size) {
        char path[64];
        ssize_t n = 0;
        int fd;

        snprintf(path, sizeof(path), "/proc/%" PRIu64 "/%s", pid, file);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
                n = read(fd, buffer, size - 1);
                close(fd);
        }
        n = MAX(n, 0);
        buffer[n] = '\0';
        return (size_t) n;
}

/* Whether the process has the same name here; if not, jobctl is in another pid namespace than jobd. */
static bool is_same(uint64_t pid, const char *name) {
        char comm[32];
        cleanup_free_ char *own = NULL;

        if (read_file(pid, "comm", comm, sizeof(comm)) == 0)
                return false;
        comm[strcspn(comm, "\n")] = '\0';
        return text_escape_control(comm, &own) == 0 && text_equal(own, name);
}

static int complete(json_t *process) {
        char line[COMMAND_MAX];
        cleanup_free_ char *command = NULL;
        uint64_t pid = value_item_u64(process, 1);
        json_t *value;
        size_t n;
        int r;

        if (!is_same(pid, value_item_string(process, 2)))
                return 0;
        n = read_file(pid, "cmdline", line, sizeof(line));
        for (size_t i = 0; i + 1 < n; i++)
                if (line[i] == '\0')
                        line[i] = ' ';
        if (n == 0 || *line == '\0')
                return 0;
        r = text_escape_control(line, &command);
        if (r < 0)
                return r;
        value = json_string(command);
        return value ? json_array_set_new(process, 2, value) : 0;
}

int processes_list(Jobctl *ctl, const char *unit, json_t **ret_processes, BusError *ret_error) {
        cleanup_json_ json_t *reply = NULL;
        json_t *process;
        size_t i;
        int r;

        r = jobctl_call(ctl, "GetUnitProcesses", "s", json_pack("[s]", unit), &reply, ret_error);
        if (r < 0)
                return r;
        json_array_foreach(json_array_get(reply, 0), i, process)
                if (r == 0)
                        r = complete(process) < 0 ? -ENOMEM : 0;
        *ret_processes = json_incref(json_array_get(reply, 0));
        return r;
}

static void add_process(ProcessUsage *usage, uint64_t pid) {
        unsigned long user = 0, kernel = 0;
        long threads = 0, pages = 0;
        char line[1024];
        const char *rest;

        read_file(pid, "stat", line, sizeof(line));
        rest = strrchr(line, ')');
        if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %ld"
                                  " %*d %*u %*u %ld", &user, &kernel, &threads, &pages) != 4)
                return;
        if (usage->tasks == PROCESS_USAGE_UNKNOWN)
                *usage = (ProcessUsage) {};
        usage->cpu += (uint64_t) (user + kernel) * 1000000000 / (uint64_t) sysconf(_SC_CLK_TCK);
        usage->memory += (uint64_t) pages * (uint64_t) sysconf(_SC_PAGESIZE);
        usage->tasks += (uint64_t) threads;
}

ProcessUsage processes_measure(const json_t *processes) {
        ProcessUsage usage = { PROCESS_USAGE_UNKNOWN, PROCESS_USAGE_UNKNOWN, PROCESS_USAGE_UNKNOWN };
        const json_t *process;
        size_t i;

        json_array_foreach(processes, i, process)
                add_process(&usage, value_item_u64(process, 1));
        return usage;
}
