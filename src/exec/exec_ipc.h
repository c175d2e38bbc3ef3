/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What processes of a user leave behind of IPC
 */

#include <sys/types.h>

/*
 * Removes shared memory that nobody has attached, semaphores and message queues of System V, and shared memory and
 * message queues of POSIX, that belong to @uid or @gid; 0 and -1 stand for nobody. In our IPC namespace. How many there
 * were.
 */
unsigned exec_ipc_remove(uid_t uid, gid_t gid);
