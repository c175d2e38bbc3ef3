/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounting
 *
 * The mounts that programs expect, with systemd's flags: no set-uid programs
 * and no devices where there is no reason for any. An initramfs or an earlier
 * core may have made some of them; a mount that is there is never touched.
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "basic/macro.h"
#include "core/machine_mount.h"
#include "core/machine_mount_table.h"

typedef struct EarlyMount {
        const char *type;
        const char *path;
        unsigned long flags;
        const char *options[3];         /* the first that the kernel knows is taken; NULL: none are needed */
        bool is_needed;
} EarlyMount;

/* Parents stand before mounts inside them. Group 5 is tty by convention of all distributions. */
static const EarlyMount mounts[] = {
        { "proc", "/proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, {}, true },
        { "sysfs", "/sys", MS_NOSUID | MS_NOEXEC | MS_NODEV, {}, true },
        { "devtmpfs", "/dev", MS_NOSUID | MS_STRICTATIME, { "mode=0755" }, true },
        { "tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV | MS_STRICTATIME, { "mode=01777" }, true },
        { "devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, { "mode=0620,gid=5,ptmxmode=0666", "mode=0620" }, false },
        { "tmpfs", "/run", MS_NOSUID | MS_NODEV | MS_STRICTATIME, { "mode=0755,size=20%,nr_inodes=800k", "mode=0755" },
          true },
        { "cgroup2", "/sys/fs/cgroup", MS_NOSUID | MS_NOEXEC | MS_NODEV,
          { "nsdelegate,memory_recursiveprot", "nsdelegate" }, false },
        /* The kernel makes these folders if it has the file system. */
        { "securityfs", "/sys/kernel/security", MS_NOSUID | MS_NOEXEC | MS_NODEV, {}, false },
        { "smackfs", "/sys/fs/smackfs", MS_NOSUID | MS_NOEXEC | MS_NODEV, { "smackfsdef=*" }, false },
        { "bpf", "/sys/fs/bpf", MS_NOSUID | MS_NOEXEC | MS_NODEV, { "mode=0700" }, false },
        { "pstore", "/sys/fs/pstore", MS_NOSUID | MS_NOEXEC | MS_NODEV, {}, false },
        { "efivarfs", "/sys/firmware/efi/efivars", MS_NOSUID | MS_NOEXEC | MS_NODEV, {}, false },
};

static int mount_one(const EarlyMount *early, const char *path) {
        if (machine_is_mount_point(path))
                return 0;
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
                return -errno;
        for (size_t i = 0; i < ELEMENTSOF(early->options) && (i == 0 || early->options[i]); i++)
                if (mount(early->type, path, early->type, early->flags, early->options[i]) == 0)
                        return 0;
        /* Kernels older than the options refuse them. */
        return mount(early->type, path, early->type, early->flags, NULL) == 0 ? 0 : -errno;
}

int machine_mount_all(const char *root, Failure *ret_failure) {
        int r = 0;

        assert(root);

        for (size_t i = 0; i < ELEMENTSOF(mounts); i++) {
                char path[4096];
                int error;

                if (snprintf(path, sizeof(path), "%s%s", root, mounts[i].path) >= (int) sizeof(path))
                        return failure_set(ret_failure, -ENAMETOOLONG, "InvalidArgs", "%s is too long.", root);
                error = mount_one(&mounts[i], path);
                if (error < 0 && mounts[i].is_needed)
                        r = failure_set(ret_failure, error, "Failed", "Cannot mount %s: %s", mounts[i].path,
                                        strerror(-error));
        }
        return r;
}
