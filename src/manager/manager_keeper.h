/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Who keeps what must outlive us
 *
 * The manager's side of the keeper, without its protocol: core fills this in.
 * A manager that nobody keeps (run by hand, in a test) has no .ops; all of the
 * functions below may be called then, too, and do nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "basic/failure.h"

typedef struct Manager Manager;
typedef struct UnitExit UnitExit;

typedef struct ManagerKeeperOps {
        /*
         * Holds a copy of @fd under @name ("notify", "bus/private", UNIT/WHAT/INDEX) until it is dropped, also if we die;
         * replaces what had that name. 0 or -errno; what fails later is logged.
         */
        int (*store_fd)(void *userdata, const char *name, int fd);
        /*
         * accept() on a listening socket that does not block: what comes out of it is held under @name before we have it. A
         * descriptor that the caller owns, or a negative errno: that of accept(); -EMFILE or -ENOSPC if it could not be held
         * and so was not accepted; -EBADF if it does block; -EOPNOTSUPP.
         */
        int (*accept_fd)(void *userdata, const char *name, int listening);
        int (*drop_fd)(void *userdata, const char *name);
        /*
         * A descriptor that was held when we began: the caller owns it, the keeper goes on holding it. -ENOENT. What nobody
         * has taken when the loop begins is dropped.
         */
        int (*take_fd)(void *userdata, const char *name);
        void (*sync)(void *userdata);   /* returns when the keeper has done what it was asked for */
        /*
         * Before the loop, of a process that is gone: is its exit the keeper's to tell? It does so in the first turn. May ask
         * the keeper, and wait for the answer.
         */
        bool (*has_exit)(void *userdata, pid_t pid);
        /* At the end of a turn, once its state is saved: the exits that were told in it need not be told again. */
        void (*committed)(void *userdata);
        /* What sd_notify() would tell whoever started us: he listens to the keeper only. */
        void (*notify)(void *userdata, const char *text);
} ManagerKeeperOps;

typedef struct ManagerKeeper {
        const ManagerKeeperOps *ops;    /* NULL: nobody keeps us */
        void *userdata;                 /* borrowed */
        pid_t pid;                      /* our parent; what a manager before us has left are its children */
        bool is_again;                  /* a manager before us has served under it */
} ManagerKeeper;

int manager_store_fd(Manager *manager, const char *name, int fd);
int manager_accept_fd(Manager *manager, const char *name, int listening);      /* also without a keeper, or one that can't hold it */
int manager_drop_fd(Manager *manager, const char *name);
int manager_take_fd(Manager *manager, const char *name);                /* -ENOENT without a keeper */
void manager_sync_keeper(Manager *manager);
bool manager_has_kept_exit(const Manager *manager, pid_t pid);
void manager_tell_committed(Manager *manager);
void manager_tell_parent(Manager *manager, const char *text);

bool manager_is_kept(const Manager *manager);                            /* is there a keeper? */

/* Has a manager before us served? Then units may run already, and nothing is started as at the beginning. */
bool manager_is_again(const Manager *manager);

/* Is a socket of ours to stay where it is when we go? The next one goes on with it. */
bool manager_leaves_sockets(const Manager *manager);

/*
 * Executing ourselves anew: asked for, the loop ends at the end of the turn, and manager_wants_reexec(). Whoever runs it
 * then does it (prepare: what the next one is not to inherit), or goes on with the loop. -EOPNOTSUPP without a keeper,
 * -EBUSY if we are about to end, or why the state cannot be written.
 */
int manager_ask_reexec(Manager *manager, Failure *ret_failure);
bool manager_wants_reexec(const Manager *manager);
int manager_prepare_reexec(Manager *manager);
void manager_give_up_reexec(Manager *manager);

/*
 * Exits of processes that are the keeper's children, not ours: called by the client of the keeper, in a turn. They meet
 * only processes that we have adopted: a number may have been given to a child of ours since.
 */
void manager_take_kept_exits(Manager *manager, const UnitExit *exits, size_t n);
