/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unmounting
 *
 * The table is read anew in each round, since one unmount makes others possible,
 * such as that of a loop device on it. The kernel lists mounts in the order in
 * which they were made; the reverse order works mostly. Nothing is unmounted
 * lazily: a file system that is gone from the table may still be written, and
 * nothing tells when it is clean.
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/swap.h>

#include "basic/log.h"
#include "core/machine_bounded.h"
#include "core/machine_mount_table.h"
#include "core/machine_unmount.h"

/* Each has a limit of its own: one that hangs takes no time from the others. */
#define CALL_TIMEOUT (10 * USEC_PER_SEC)

#define ROUNDS_MAX 64U

#define MOUNTS_FILE "/proc/self/mountinfo"

static int call_unmount(const void *argument) {
        const MachineMount *mount_point = argument;

        return umount2(mount_point->path, UMOUNT_NOFOLLOW) < 0 ? -errno : 0;
}

static int call_make_read_only(const void *argument) {
        const MachineMount *mount_point = argument;

        return mount(NULL, mount_point->path, NULL, MS_REMOUNT | MS_RDONLY | mount_point->flags, NULL) < 0 ? -errno : 0;
}

static bool is_below(const char *path, const char *root) {
        size_t n = strlen(root);

        return strncmp(path, root, n) == 0 && path[n] == '/';
}

static bool is_to_go(const MachineMount *mount_point, const char *root) {
        return is_below(mount_point->path, root) && !machine_mount_is_kernels(mount_point);
}

static bool is_root(const MachineMount *mount_point) {
        return strcmp(mount_point->path, "/") == 0;
}

/* Returns how many were unmounted. */
static unsigned unmount_once(const MachineMounts *mounts, const char *root) {
        unsigned n = 0;

        for (size_t i = mounts->n; i-- > 0;) {
                const MachineMount *mount_point = &mounts->items[i];

                if (!is_to_go(mount_point, root) || is_root(mount_point))
                        continue;
                if (machine_call_bounded(call_unmount, mount_point, CALL_TIMEOUT) == 0) {
                        log_info("Unmounted %s.", mount_point->path);
                        n++;
                }
        }
        return n;
}

/* Returns how many stay writable. */
static int make_rest_read_only(const MachineMounts *mounts, const char *root) {
        int n = 0;

        for (size_t i = mounts->n; i-- > 0;) {
                const MachineMount *mount_point = &mounts->items[i];
                int r;

                if (!is_to_go(mount_point, root) || mount_point->is_read_only)
                        continue;
                r = machine_call_bounded(call_make_read_only, mount_point, CALL_TIMEOUT);
                if (r == 0) {
                        log_info("%s is read-only now.", mount_point->path);
                        continue;
                }
                log_error("%s can neither be unmounted nor made read-only: %s", mount_point->path, strerror(-r));
                n++;
        }
        return n;
}

static int read_mounts(MachineMounts *mounts) {
        machine_mounts_deinit(mounts);
        *mounts = (MachineMounts) {};
        return machine_mounts_read(mounts, MOUNTS_FILE);
}

int machine_unmount_all(const char *root) {
        cleanup_(machine_mounts_deinit) MachineMounts mounts = {};
        unsigned n_gone = 1;
        int r = 0;

        assert(root);

        for (unsigned round = 0; r == 0 && n_gone > 0 && round < ROUNDS_MAX; round++) {
                r = read_mounts(&mounts);
                n_gone = r == 0 ? unmount_once(&mounts, root) : 0;
        }
        if (r == 0)
                r = read_mounts(&mounts);
        return r < 0 ? r : make_rest_read_only(&mounts, root);
}

/* — swap — */

static int call_swap_off(const void *argument) {
        return swapoff(argument) < 0 ? -errno : 0;
}

/* The first word of each line but the first is the file or device, with blanks as in the table of mounts. */
int machine_swap_off(void) {
        FILE *file = fopen("/proc/swaps", "re");
        cleanup_free_ char *line = NULL;
        size_t size = 0;
        int r = 0;

        if (!file)
                return errno == ENOENT ? 0 : -errno;
        while (getline(&line, &size, file) >= 0) {
                int error;

                line[strcspn(line, " \t\n")] = '\0';
                if (line[0] != '/')
                        continue;
                error = machine_call_bounded(call_swap_off, line, CALL_TIMEOUT);
                if (error < 0) {
                        log_warning("Cannot turn off swap on %s: %s", line, strerror(-error));
                        r = error;
                }
        }
        fclose(file);
        return r;
}
