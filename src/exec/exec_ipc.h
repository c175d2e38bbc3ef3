/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * IPC objects that a user's processes leave behind
 */

#include <sys/types.h>

/*
 * Removes shared memory without users, semaphores and message queues of System V, and shared memory and message queues
 * of POSIX, that belong to @uid or @gid (0 and -1 match nothing), in the manager's IPC namespace. Returns their number.
 */
unsigned exec_ipc_remove(uid_t uid, gid_t gid);
