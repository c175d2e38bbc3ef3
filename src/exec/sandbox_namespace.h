/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Namespaces that last without a process in them
 *
 * Each function returns a descriptor (close-on-exec) that the caller owns, or
 * a negative errno.
 */

#include <sys/types.h>

/*
 * Makes a namespace: CLONE_NEWNET (with loopback up) or CLONE_NEWIPC. @user_fd: the user namespace that owns it, -1:
 * the manager's.
 */
int sandbox_namespace_make(int kind, int user_fd);

/* In a child that shares the manager's descriptors: moves it into a new network namespace with loopback up. */
int sandbox_namespace_enter_new_network(void);

/*
 * Makes a user namespace that maps only root and @uid, root and @gid, to themselves (UINT32_MAX: only root). Without
 * privileges a manager can map only itself.
 */
int sandbox_namespace_make_user(uid_t uid, gid_t gid);

/* Opens the namespace at @path; -EINVAL if it is of another kind. */
int sandbox_namespace_open(const char *path, int kind);
