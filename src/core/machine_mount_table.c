/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the table of mounts
 *
 * "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=…":
 * a line has any number of fields before the lone '-', so the fields after it
 * are counted from there. Blanks in paths are written in octal.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "basic/macro.h"
#include "core/machine_mount_table.h"

static const struct {
        const char *name;
        unsigned long flag;
} options[] = {
        { "nosuid", MS_NOSUID },
        { "nodev", MS_NODEV },
        { "noexec", MS_NOEXEC },
        { "noatime", MS_NOATIME },
        { "nodiratime", MS_NODIRATIME },
        { "relatime", MS_RELATIME },
        { "ro", MS_RDONLY },
};

static unsigned long parse_flags(char *text) {
        unsigned long flags = 0;
        char *rest = NULL;

        for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
                for (size_t i = 0; i < ELEMENTSOF(options); i++)
                        if (strcmp(options[i].name, word) == 0)
                                flags |= options[i].flag;
        return flags;
}

static bool is_octal(const char *text) {
        return text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' && text[2] <= '7' &&
               text[3] >= '0' && text[3] <= '7';
}

static void unescape(char *text) {
        char *to = text;

        for (const char *from = text; *from; to++) {
                if (is_octal(from)) {
                        *to = (char) ((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
                        from += 4;
                } else {
                        *to = *from++;
                }
        }
        *to = '\0';
}

static void mount_deinit(MachineMount *mount) {
        free(mount->path);
        free(mount->type);
}

/* 1, 0 if the line makes no sense, -ENOMEM. */
static int parse_line(MachineMount *ret_mount, char *line) {
        char *rest = NULL, *path = NULL, *flags = NULL, *type, *super;
        char *separator = strstr(line, " - ");
        unsigned n = 0;

        if (!separator)
                return 0;
        *separator = '\0';
        for (char *field = strtok_r(line, " ", &rest); field; field = strtok_r(NULL, " ", &rest), n++)
                if (n == 4)
                        path = field;
                else if (n == 5)
                        flags = field;
        type = strtok_r(separator + strlen(" - "), " ", &rest);
        if (!path || !flags || !type || !strtok_r(NULL, " ", &rest))
                return 0;
        super = strtok_r(NULL, " \n", &rest);
        unescape(path);
        *ret_mount = (MachineMount) {
                .path = strdup(path),
                .type = strdup(type),
                .flags = parse_flags(flags),
                .is_read_only = super && (parse_flags(super) & MS_RDONLY),
        };
        if (ret_mount->path && ret_mount->type)
                return 1;
        mount_deinit(ret_mount);
        return -ENOMEM;
}

static int add_line(MachineMounts *mounts, char *line) {
        MachineMount mount;
        int r;

        r = parse_line(&mount, line);
        if (r <= 0)
                return r;
        r = vector_push(mounts, mount);
        if (r < 0)
                mount_deinit(&mount);
        return r;
}

int machine_mounts_read(MachineMounts *mounts, const char *path) {
        FILE *file = fopen(path, "re");
        cleanup_free_ char *line = NULL;
        size_t size = 0;
        int r = 0;

        assert(mounts);

        if (!file)
                return -errno;
        while (r >= 0 && getline(&line, &size, file) >= 0)
                r = add_line(mounts, line);
        if (r >= 0 && ferror(file))
                r = -EIO;
        fclose(file);
        return r < 0 ? r : 0;
}

void machine_mounts_deinit(MachineMounts *mounts) {
        for (size_t i = 0; i < mounts->n; i++)
                mount_deinit(&mounts->items[i]);
        vector_deinit(mounts);
}

bool machine_mount_is_kernels(const MachineMount *mount) {
        static const char *const types[] = {
                "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs",
                "efivarfs", "fusectl", "hugetlbfs", "mqueue", "proc", "pstore", "ramfs", "rootfs", "securityfs",
                "selinuxfs", "smackfs", "sysfs", "tmpfs", "tracefs",
        };

        for (size_t i = 0; i < ELEMENTSOF(types); i++)
                if (strcmp(types[i], mount->type) == 0)
                        return true;
        return false;
}

bool machine_is_mount_point(const char *path) {
        struct statx status;

        return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &status) == 0 &&
               (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}
