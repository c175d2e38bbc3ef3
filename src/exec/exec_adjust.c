/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process attributes that belong to the memory, so that a child changes the
 * manager's, too
 */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec/exec_adjust.h"

typedef struct Adjustment {
        const char *path;
        size_t prefix;                  /* length of "0x", which must be written but is not printed */
        char own[24];                   /* the manager's value; empty: unknown */
} Adjustment;

static Adjustment adjustments[] = {
        { .path = "/proc/self/oom_score_adj" },
        { .path = "/proc/self/coredump_filter", .prefix = 2 },
};

void exec_adjust_save(void) {
        for (size_t i = 0; i < ELEMENTSOF(adjustments); i++) {
                Adjustment *adjustment = &adjustments[i];
                int fd = open(adjustment->path, O_RDONLY | O_CLOEXEC);
                ssize_t n = -1;

                if (fd >= 0) {
                        n = read(fd, adjustment->own + adjustment->prefix,
                                 sizeof(adjustment->own) - adjustment->prefix - 1);
                        close(fd);
                }
                if (n > 0)
                        memcpy(adjustment->own, "0x", adjustment->prefix);
                adjustment->own[n > 0 ? adjustment->prefix + (size_t) n : 0] = '\0';
        }
}

void exec_adjust_restore(void) {
        for (size_t i = 0; i < ELEMENTSOF(adjustments); i++) {
                const Adjustment *adjustment = &adjustments[i];
                int fd = adjustment->own[0] ? open(adjustment->path, O_WRONLY | O_CLOEXEC) : -1;

                if (fd < 0)
                        continue;
                /* Setting the old value back needs no privilege: only a value below the last privileged one does. */
                (void) !write(fd, adjustment->own, strlen(adjustment->own));
                close(fd);
        }
}
