/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Information about processes, from /proc
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basic/text.h"
#include "dbus/peer/bus_process.h"

#define START_FIELD 22                  /* of /proc/PID/stat, counted from 1 */
#define NAME_MAX_BYTES 16               /* as the kernel has it, with the newline after it */

size_t bus_process_read(pid_t pid, const char *file, char *buffer, size_t size) {
        char path[64];
        ssize_t n;
        int fd;

        snprintf(path, sizeof(path), "/proc/%d/%s", (int) pid, file);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return 0;
        n = read(fd, buffer, size - 1);
        close(fd);

        buffer[n > 0 ? n : 0] = '\0';
        return n > 0 ? (size_t) n : 0;
}

/* The name stands in parentheses and may contain some, too; behind it come the third field and the rest. */
uint64_t bus_process_start(pid_t pid) {
        char stat[1024];
        const char *at = pid > 0 && bus_process_read(pid, "stat", stat, sizeof(stat)) > 0 ? strrchr(stat, ')') : NULL;

        for (int field = 2; at && field < START_FIELD; field++)
                at = strchr(at + 1, ' ');
        return at ? strtoull(at + 1, NULL, 10) : 0;
}

int bus_process_name(pid_t pid, char **ret_name) {
        char name[NAME_MAX_BYTES + 1];
        size_t n = pid > 0 ? bus_process_read(pid, "comm", name, sizeof(name)) : 0;

        if (n > 0 && name[n - 1] == '\n')
                name[--n] = '\0';
        return n > 0 ? text_escape_control(name, ret_name) : -ENOENT;
}
