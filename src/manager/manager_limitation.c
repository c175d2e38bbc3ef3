/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limitations of the environment
 *
 * jobd runs in a container, on an old kernel or with a low limit. But users
 * must be able to find out what is missing: each limitation is a sentence that
 * is logged once, and kept for clients.
 *
 * Each process and each client takes a descriptor, so the manager raises its
 * own limit to the maximum; processes get the limit that the manager was
 * started with. A process has a pidfd, so that a signal can't hit a process
 * with a reused pid, but children of the manager are safe without: if
 * descriptors are scarce, they are left for clients and files.
 */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/capability.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "manager/manager_limitation.h"

#define RESERVED_FDS_MAX 256U

void manager_limitations_note(ManagerLimitations *limitations, LogLevel level, const char *format, ...) {
        cleanup_free_ char *text = NULL;
        va_list arguments;
        int r;

        va_start(arguments, format);
        r = text_vformat(&text, format, arguments);
        va_end(arguments);
        if (r < 0 || strv_contains(limitations->texts, text))
                return;
        log_write(level, NULL, "%s", text);
        (void) strv_push(&limitations->texts, text);
}

static void note_loss(ManagerLimitations *limitations, const char *text) {
        manager_limitations_note(limitations, LOG_LEVEL_WARNING, "%s", text);
}

/* The word after @key in the first line containing @part of a file of /proc. */
static bool find_in_file(const char *path, const char *part, const char *key, char value[static 64]) {
        FILE *file = fopen(path, "re");
        char line[4096];
        bool is_found = false;

        while (file && !is_found && fgets(line, sizeof(line), file)) {
                const char *at = strstr(line, part) ? strstr(line, key) : NULL;

                is_found = at && sscanf(at + strlen(key), "%63[^, \n]", value) == 1;
        }
        if (file)
                fclose(file);
        return is_found;
}

/* hidepid does not apply to a process that may trace others. */
static bool are_processes_hidden(void) {
        char value[64];

        if (!find_in_file("/proc/self/mountinfo", " /proc ", "hidepid=", value) || strcmp(value, "0") == 0 ||
            strcmp(value, "off") == 0)
                return false;
        if (!find_in_file("/proc/self/status", "CapEff:", "CapEff:\t", value))
                return true;
        return !(strtoull(value, NULL, 16) & UINT64_C(1) << CAP_SYS_PTRACE);
}

static void look_at_proc(ManagerLimitations *limitations) {
        if (access("/proc/self/stat", F_OK) < 0)
                note_loss(limitations,
                          "/proc is not mounted: processes that have left the tree of their service are not "
                                   "found, and no main process is guessed.");
        else if (are_processes_hidden())
                note_loss(limitations,
                          "/proc is mounted with hidepid: processes of a service that belong to another user "
                                   "than ours are not found.");
}

/* As many as select() takes: programs that need more raise their limit up to the hard one. */
#define OPEN_FILES 1024

void manager_limitations_raise_open_files(ManagerLimitations *limitations) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return;
        limitations->open_files = (uint32_t) MIN(limit.rlim_max, (rlim_t) OPEN_FILES);
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
                limitations->open_files = 0;
}

void manager_limitations_lower_open_files(ManagerLimitations *limitations) {
        struct rlimit limit;

        if (limitations->open_files == 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return;
        limit.rlim_cur = limitations->open_files;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
                limitations->open_files = 0;
}

void manager_limitations_init(ManagerLimitations *limitations) {
        struct rlimit limit;

        manager_limitations_raise_open_files(limitations);
        limitations->pidfds_end = INT_MAX;
        if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < INT_MAX)
                limitations->pidfds_end = (int) (limit.rlim_cur - MIN(limit.rlim_cur / 4 + 8, RESERVED_FDS_MAX));
        look_at_proc(limitations);
}

/* The kernel assigns the lowest free number, so a high number means that many are in use. */
int manager_limitations_spare_pidfd(ManagerLimitations *limitations, int pidfd) {
        if (pidfd >= 0 && pidfd < limitations->pidfds_end)
                return pidfd;
        if (pidfd < 0)
                pidfd = dup(STDERR_FILENO);
        if (pidfd >= 0)
                close(pidfd);
        if (pidfd >= 0 && pidfd < limitations->pidfds_end)
                return -1;              /* below the limit: the kernel itself ran out of descriptors */
        note_loss(limitations, "The limit of descriptors (ulimit -n) is too low to have one for each process: some are "
                           "followed by their numbers alone.");
        return -1;
}

void manager_limitations_note_no_process(ManagerLimitations *limitations) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
                note_loss(limitations,
                          "No more processes are allowed, by pids.max of a control group or by the kernel: "
                                   "some services cannot be started.");
        else
                manager_limitations_note(limitations, LOG_LEVEL_WARNING,
                                        "No more processes are allowed (ulimit -u is %llu, or pids.max of a control "
                                        "group): some services cannot be started.",
                                        (unsigned long long) limit.rlim_cur);
}

void manager_limitations_deinit(ManagerLimitations *limitations) {
        strv_free(limitations->texts);
}
