/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The keeper, which holds what must outlive the program: descriptors, and the
 * exits of processes that a program before this one has left
 *
 * This side of it, without the protocol: core fills this in. A program without a
 * keeper (run by hand, in a test) has no .ops; all of the functions below may be
 * called then, too, and do nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "basic/failure.h"

typedef struct UnitExit UnitExit;

typedef struct ProcessKeeperOps {
        /*
         * Stores a copy of @fd under @name ("notify", "bus/private", UNIT/WHAT/INDEX) until it is dropped, even if core
         * dies; replaces one of the same name. 0 or -errno; a later failure is logged.
         */
        int (*store_fd)(void *userdata, const char *name, int fd);
        /*
         * accept() on a non-blocking listening socket: the keeper stores the connection under @name before the manager
         * gets it. A descriptor that the caller owns, or a negative errno: of accept(); -EMFILE or -ENOSPC if it could
         * not be stored and was not accepted; -EBADF if the socket blocks; -EOPNOTSUPP.
         */
        int (*accept_fd)(void *userdata, const char *name, int listening);
        int (*drop_fd)(void *userdata, const char *name);
        /*
         * A descriptor that was stored at the start of core: the caller owns its copy, the keeper continues to store
         * it. -ENOENT. Descriptors that are not taken before the loop begins are dropped.
         */
        int (*take_fd)(void *userdata, const char *name);
        void (*sync)(void *userdata);   /* returns when all requests are done */
        /*
         * Before the loop, for a process that is gone: returns true if the keeper will report its exit, in the first
         * turn. May ask the keeper and wait for the answer.
         */
        bool (*has_exit)(void *userdata, pid_t pid);
        /* At the end of a turn, after the commit: exits reported in it need not be reported again. */
        void (*committed)(void *userdata);
        /* Text in sd_notify()'s format for the process that started jobd, which accepts it from the keeper only. */
        void (*notify)(void *userdata, const char *text);
} ProcessKeeperOps;

typedef struct ProcessKeeper {
        const ProcessKeeperOps *ops;    /* NULL: there is no keeper */
        void *userdata;                 /* borrowed */
        pid_t pid;                      /* our parent; processes that a program before us has left are its children */
        bool is_again;                  /* a program before us has served under it */
} ProcessKeeper;

int process_keeper_store_fd(const ProcessKeeper *keeper, const char *name, int fd);
/* Also works without a keeper, or if the keeper can't store the descriptor. */
int process_keeper_accept_fd(const ProcessKeeper *keeper, const char *name, int listening);
int process_keeper_drop_fd(const ProcessKeeper *keeper, const char *name);
int process_keeper_take_fd(const ProcessKeeper *keeper, const char *name);      /* -ENOENT without a keeper */
void process_keeper_sync(const ProcessKeeper *keeper);
bool process_keeper_has_exit(const ProcessKeeper *keeper, pid_t pid);
void process_keeper_tell_committed(const ProcessKeeper *keeper);
