/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Dynamic users: users that exist while a unit runs
 *
 * The numbers of these users, which are also those of their groups, are from a
 * range reserved for them. The assignments are stored in the runtime folder,
 * so they outlive the manager's process.
 */

#include <sys/types.h>

#define EXEC_DYNAMIC_UID_FIRST 61184U
#define EXEC_DYNAMIC_UID_LAST 65519U

/*
 * Takes the number of the user @name: the same as before if it was not released. 0, -EUSERS if none is free, or -errno.
 */
int exec_dynamic_user_take(const char *name, uid_t *ret_uid);

/* The number that the user has: 0, -ESRCH if none, or -errno. */
int exec_dynamic_user_find(const char *name, uid_t *ret_uid);

/* Releases a number that no process uses any more. Numbers outside of the range are ignored. */
void exec_dynamic_user_release(uid_t uid);
