/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Core's end of the link to the keeper
 *
 * At the start it says hello and takes what the keeper holds: the only time that
 * it waits for an answer. Then exits come by an event source of the manager's
 * loop. If the keeper dies we do too, at once: whoever comes after it takes our
 * state, and our services go on.
 */

#include "basic/failure.h"
#include "manager/manager.h"

typedef struct CoreKeeper CoreKeeper;

/* The pid of our parent, if it has started us with a link; else 0. */
pid_t core_keeper_find(void);

/* *ret_keeper is NULL if nobody keeps us. -ETIMEDOUT, -EPIPE, … with @ret_failure if it is there and does not answer. */
int core_keeper_new(CoreKeeper **ret_keeper, Failure *ret_failure);
CoreKeeper *core_keeper_free(CoreKeeper *keeper);
DEFINE_CLEANUP(CoreKeeper, core_keeper_free)

/* What a manager is to be told of it; without a keeper (NULL) all zero. */
ManagerKeeper core_keeper_for_manager(CoreKeeper *keeper);

/* The exits that the keeper has, and those to come, are told to @manager in its turns. Nothing is asked of it once its loop has ended. */
int core_keeper_attach(CoreKeeper *keeper, Manager *manager);

/* We serve. What was handed over and nobody has taken is dropped. */
int core_keeper_ready(CoreKeeper *keeper);

/* The keeper is to end with @status once we have ended. */
void core_keeper_exit(CoreKeeper *keeper, int status);

/*
 * We are about to execute ourselves: if we are not ready in time after that, or end, we are started from the image before.
 * 0 once the keeper has taken note of it; then the link is ready to be inherited, until core_keeper_stay().
 */
int core_keeper_reexec(CoreKeeper *keeper);
void core_keeper_stay(CoreKeeper *keeper);

/* Has a core before us been ready under this keeper, or have we ourselves been? */
bool core_keeper_is_again(const CoreKeeper *keeper);
