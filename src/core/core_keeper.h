/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Core's end of the link to the keeper
 *
 * At the start core says hello and takes what the keeper holds: the only time
 * that it waits for an answer. Then exits come by an event source of the
 * manager's loop. If the keeper dies core dies, too, at once: the next keeper's
 * core takes the state, and services go on.
 */

#include "basic/failure.h"
#include "manager/manager.h"

typedef struct CoreKeeper CoreKeeper;

/* The pid of the keeper that has started this process, which may have ended since; 0: nobody has, or not a keeper. */
pid_t core_keeper_find(void);

/*
 * *ret_keeper is NULL if no keeper has started this process. -ETIMEDOUT, -EPIPE, … with @ret_failure if one has that
 * does not answer, or has ended.
 */
int core_keeper_new(CoreKeeper **ret_keeper, Failure *ret_failure);
CoreKeeper *core_keeper_free(CoreKeeper *keeper);
DEFINE_CLEANUP(CoreKeeper, core_keeper_free)

/* The options of a manager that has this keeper; without one (NULL) all zero. */
ProcessKeeper core_keeper_for_manager(CoreKeeper *keeper);

/*
 * Passes the exits that the keeper has, and those to come, to @manager in its turns. Nothing is asked of the manager
 * once its loop has ended.
 */
int core_keeper_attach(CoreKeeper *keeper, Manager *manager);

/* Tells the keeper that core serves. Descriptors that nothing has taken are dropped. */
int core_keeper_ready(CoreKeeper *keeper);

/*
 * The keeper ends core, to start it again, if core does not answer for @limit: its loop answers, from here on. 0 or
 * USEC_INFINITY: the keeper does not, any more.
 */
int core_keeper_watch(CoreKeeper *keeper, usec_t limit);

/* Tells the keeper to end with @status once core has ended. */
void core_keeper_exit(CoreKeeper *keeper, int status);

/*
 * Tells the keeper that core executes itself anew: if it is not ready in time after that, or ends, the previous image
 * is started. 0 once the keeper has answered; then the link is ready to be inherited, until core_keeper_stay().
 */
int core_keeper_reexec(CoreKeeper *keeper);
void core_keeper_stay(CoreKeeper *keeper);

/* Whether another image was to be executed, which did not become ready. */
bool core_keeper_has_fallen_back(const CoreKeeper *keeper);

/* Has any core been ready under this keeper, this one or an earlier one? */
bool core_keeper_is_again(const CoreKeeper *keeper);
