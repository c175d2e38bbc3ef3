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
 * A new namespace: CLONE_NEWNET (its loopback is up) or CLONE_NEWIPC. @user_fd: of the user namespace that shall own
 * it, -1: ours.
 */
int sandbox_namespace_make(int kind, int user_fd);

/* In a child that shares our descriptors: it has a new one of its own from here on, and its loopback is up. */
int sandbox_namespace_enter_new_network(void);

/*
 * A user namespace in which root and @uid, root and @gid are who they are outside, and nobody else is anybody
 * (UINT32_MAX: only root is). One that makes it without privileges can have itself in it, and nobody else.
 */
int sandbox_namespace_make_user(uid_t uid, gid_t gid);

/* The one at @path; -EINVAL if it is not of that kind. */
int sandbox_namespace_open(const char *path, int kind);
