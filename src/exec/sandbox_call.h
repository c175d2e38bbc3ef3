/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * System calls for mounts, made by the child
 *
 * Each returns its result or a negative errno, and uses nothing of the C
 * library: see exec_syscall.h.
 */

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mount.h>

#include "exec/exec_syscall.h"

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

child_ static inline int sandbox_close(int fd) {
        return (int) exec_call1(SYS_close, fd);
}

/* Opens a path without leaving @root, even through absolute symlinks and "..". */
child_ static inline int sandbox_open(int root, const char *path, int flags) {
        struct open_how how = { .flags = (uint64_t) (flags | O_PATH | O_CLOEXEC) };

        if (root != AT_FDCWD)
                how.resolve = RESOLVE_IN_ROOT;
        return (int) exec_call4(SYS_openat2, root, path, &how, sizeof(how));
}

/* Copies the mount at @fd and, unless @is_alone, the mounts below it. */
child_ static inline int sandbox_copy_tree(int fd, const char *path, bool is_alone) {
        unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (is_alone ? 0 : AT_RECURSIVE);

        return (int) exec_call3(SYS_open_tree, fd, path, flags);
}

child_ static inline int sandbox_attach(int tree, int at, const char *path) {
        unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | (*path ? 0 : MOVE_MOUNT_T_EMPTY_PATH);

        return (int) exec_call5(SYS_move_mount, tree, "", at, path, flags);
}

child_ static inline int sandbox_set_attributes(int tree, uint64_t set, uint64_t clear, bool is_alone) {
        struct mount_attr attributes = { .attr_set = set, .attr_clr = clear };

        if (set == 0 && clear == 0)
                return 0;
        return (int) exec_call5(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | (is_alone ? 0 : AT_RECURSIVE),
                                &attributes, sizeof(attributes));
}

/* Makes a new file system that is not mounted yet. @options: "a=b,c", or NULL. */
int sandbox_make_file_system(const char *type, const char *options, uint64_t attributes);

/* Fills a new file system as /dev, with device nodes that are no hardware and the links that programs expect. */
int sandbox_make_devices(int folder);
