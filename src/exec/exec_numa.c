/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory nodes and their processors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "exec/exec_numa.h"

#define CPU_MAX 8191U

/* Parses a list in the kernel's format: "0-3,8". */
static int add_list(const char *list, ExecSet *cpus) {
        while (*list >= '0' && *list <= '9') {
                char *end;
                size_t from = strtoul(list, &end, 10), to = from;
                int r;

                if (*end == '-')
                        to = strtoul(end + 1, &end, 10);
                if (from > to || to > CPU_MAX)
                        return -ERANGE;
                r = exec_set_add(cpus, from, to);
                if (r < 0)
                        return r;
                list = *end == ',' ? end + 1 : end;
        }
        return 0;
}

static int add_node(size_t node, ExecSet *cpus) {
        char path[64], list[4096];
        ssize_t n;
        int fd;

        snprintf(path, sizeof(path), "/sys/devices/system/node/node%zu/cpulist", node);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? 0 : -errno;
        n = read(fd, list, sizeof(list) - 1);
        close(fd);
        if (n < 0)
                return -EIO;
        list[n] = '\0';
        return add_list(list, cpus);
}

int exec_numa_add_cpus(const ExecSet *nodes, ExecSet *cpus) {
        int r = 0;

        for (size_t node = 0; node < nodes->n * 64 && r == 0; node++)
                if (nodes->words[node / 64] >> (node % 64) & 1)
                        r = add_node(node, cpus);
        return r;
}
