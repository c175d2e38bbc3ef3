/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Units that clients make
 *
 * A unit is made of the text of a unit file, which is put into a folder of the
 * manager's for as long as the unit is loaded.
 */

#include "manager/manager.h"

/*
 * Has a unit @name made of @text. 0 with the unit loaded, or with @ret_failure: UnitExists if there is a unit, or a
 * file, of that name, InvalidArgs with the first fault of the text, …
 */
int manager_make_transient(Manager *manager, const char *name, const char *text, Unit **ret_unit, Failure *ret_failure);

/*
 * Has a scope that was just made consist of these processes. @uid: who asks; he may do that with his own processes. 0, or
 * a negative errno with @ret_failure.
 */
int manager_give_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid, const char *controller,
                           Failure *ret_failure);

/* The same for more of them that come into the group of a unit that is active. */
int manager_attach_processes(Manager *manager, Unit *unit, const pid_t *pids, size_t n, uid_t uid, Failure *ret_failure);
int manager_abandon_unit(Manager *manager, Unit *unit, Failure *ret_failure);

/* Its file goes with the next commit, if it is one of those: it is unloaded, or was not wanted after all. */
void manager_drop_transient(Manager *manager, const Unit *unit);
void manager_settle_transient(Manager *manager, bool is_written);       /* false: they stay for who comes after us */

/* Where these files are: 0 or -ENOMEM. */
int manager_transient_folder(const Manager *manager, char **ret_folder);

/* Before units are read: what was made after that commit, the last one, was not made. */
void manager_drop_uncommitted(Manager *manager, uint64_t commit);
/* The latest commit that a file says it is part of: that of a state that is lost, perhaps. */
uint64_t manager_transient_commit(const Manager *manager);

/* Removes files of an earlier manager whose units are not there; @is_done: of all units. */
void manager_sweep_transient(Manager *manager, bool is_done);
