/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Information about processes, from /proc
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/text.h"
#include "dbus/peer/bus_process.h"

#define LINE_MAX_BYTES 4096
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

int bus_process_name(pid_t pid, char **ret_name) {
        char name[NAME_MAX_BYTES + 1];
        size_t n = pid > 0 ? bus_process_read(pid, "comm", name, sizeof(name)) : 0;

        if (n > 0 && name[n - 1] == '\n')
                name[--n] = '\0';
        return n > 0 ? text_escape_control(name, ret_name) : -ENOENT;
}

static bool is_trusted(pid_t pid) {
        struct stat status;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%d", (int) pid);
        return stat(path, &status) == 0 && (status.st_uid == 0 || status.st_uid == geteuid());
}

int bus_process_command_line(pid_t pid, char **ret_line) {
        char line[LINE_MAX_BYTES];
        size_t n = pid > 0 && is_trusted(pid) ? bus_process_read(pid, "cmdline", line, sizeof(line)) : 0;

        while (n > 0 && line[n - 1] == '\0')
                n--;
        for (size_t i = 0; i < n; i++)
                if (line[i] == '\0')
                        line[i] = ' ';
        return n > 0 ? text_escape_control(line, ret_line) : bus_process_name(pid, ret_line);
}
