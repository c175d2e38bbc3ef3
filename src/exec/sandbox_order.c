/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The mounts of a sandbox in the order in which they are made
 *
 * An outer mount comes before those inside, because it would hide them. The
 * attributes of a path apply to everything below it, up to the next path with
 * a directive of its own.
 */

#include <string.h>

#include "exec/exec_syscall.h"
#include "exec/sandbox_order.h"

child_ bool sandbox_is_below(const char *path, const char *folder) {
        size_t i = 0;

        while (folder[i] && folder[i] == path[i])
                i++;
        return !folder[i] && (!path[i] || path[i] == '/' || (i > 0 && path[i - 1] == '/'));
}

child_ static int compare_paths(const char *a, const char *b) {
        while (*a && *a == *b) {
                a++;
                b++;
        }
        return (int) (unsigned char) *a - (int) (unsigned char) *b;
}

child_ static bool comes_before(const SandboxMount *a, const SandboxMount *b) {
        int order = compare_paths(a->path, b->path);

        return order < 0 || (order == 0 && a->kind < b->kind);
}

/* By insertion: the mounts are few, and mostly in order. */
child_ void sandbox_order_sort(SandboxMount *mounts, size_t n) {
        for (size_t i = 1; i < n; i++) {
                SandboxMount mount = mounts[i];
                size_t at = i;

                for (; at > 0 && comes_before(&mount, &mounts[at - 1]); at--)
                        mounts[at] = mounts[at - 1];
                mounts[at] = mount;
        }
}

child_ static bool is_self(const SandboxMount *mount) {
        return mount->kind == SANDBOX_MOUNT_SELF || mount->kind == SANDBOX_MOUNT_IMPLICIT;
}

child_ static void merge(SandboxMount *kept, const SandboxMount *other) {
        /* An implicit mount's attributes need not apply to a new file system. */
        if (other->kind != SANDBOX_MOUNT_IMPLICIT) {
                kept->is_read_only |= other->is_read_only;
                kept->stays_writable |= other->stays_writable;
        }
        kept->is_no_exec |= other->is_no_exec;
        kept->stays_executable |= other->stays_executable;
        kept->is_optional &= other->is_optional;
}

/* The innermost earlier mount that contains it. "/" comes first, so there is one. */
child_ static size_t find_outer(const SandboxMount *mounts, size_t i) {
        size_t outer = i;

        while (outer-- > 0)
                if (sandbox_is_below(mounts[i].path, mounts[outer].path))
                        return outer;
        return 0;
}

/* Computes the attributes; false if the mount changes nothing. */
child_ static bool settle(SandboxMount *mount, const SandboxMount *outer) {
        /* The stricter one of two contradicting directives for one path. */
        if (is_self(mount) && !mount->is_read_only)
                mount->is_read_only = outer->is_read_only && !mount->stays_writable;
        if (!mount->is_no_exec)
                mount->is_no_exec = outer->is_no_exec && !mount->stays_executable;
        return !is_self(mount) || mount->is_read_only != outer->is_read_only ||
               mount->is_no_exec != outer->is_no_exec;
}

child_ size_t sandbox_order_settle(SandboxMount *mounts, size_t n) {
        size_t n_kept = 1;

        for (size_t i = 1; i < n; i++) {
                if (compare_paths(mounts[i].path, mounts[n_kept - 1].path) == 0)
                        merge(&mounts[n_kept - 1], &mounts[i]);
                else
                        mounts[n_kept++] = mounts[i];
        }
        n = n_kept;
        n_kept = 1;
        for (size_t i = 1; i < n; i++) {
                SandboxMount *mount = &mounts[n_kept];

                *mount = mounts[i];
                mount->outer = find_outer(mounts, n_kept);
                if (mounts[mount->outer].kind == SANDBOX_MOUNT_INACCESSIBLE)
                        continue;
                if (settle(mount, &mounts[mount->outer]))
                        n_kept++;
        }
        return n_kept;
}
