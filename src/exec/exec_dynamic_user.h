/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Users that exist while a unit runs
 *
 * The numbers of these users, which are their groups' as well, are from a range
 * that is nobody else's. Which user has which number stands in the runtime
 * folder, so it outlives the manager's process.
 */

#include <sys/types.h>

#define EXEC_DYNAMIC_UID_FIRST 61184U
#define EXEC_DYNAMIC_UID_LAST 65519U

/* The user of that name: the same one as before if it has not been released. 0, -EUSERS if none is free, or -errno. */
int exec_dynamic_user_take(const char *name, uid_t *ret_uid);

/* The one that it has already: 0, -ESRCH if it has none, or -errno. */
int exec_dynamic_user_find(const char *name, uid_t *ret_uid);

/* Nobody runs as this one any more. One that is not of the range is left alone. */
void exec_dynamic_user_release(uid_t uid);
