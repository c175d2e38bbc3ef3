/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Files of units that clients make
 *
 * The files lie in a folder of their own, which the manager has made the first
 * of its search path, and are there for as long as their units are loaded.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/failure.h"
#include "unitfile/unit_file.h"

/* Is the unit's main file one of those? */
bool transient_file_is_of(const Unit *unit);

/*
 * Would a unit of that name, of nothing but @text, be free of faults? 0, -EINVAL with the first of them in
 * @ret_failure, or -ENOMEM. Changes nothing.
 */
int transient_file_check(UnitFileLoader *loader, const char *name, const char *text, Failure *ret_failure);

/*
 * Writes the file into @folder (which is made) atomically. @commit: the commit of the state that will first include the
 * unit, for the next core. 0, or a negative errno with @ret_failure.
 */
int transient_file_place(const char *folder, const char *name, uint64_t commit, const char *text,
                         Failure *ret_failure);

/* Removes it, and what was changed of it since (its drop-ins there); it may be gone. */
void transient_file_remove(const char *folder, const char *name);

/* The same for all units of later commits: no client was told that they exist. */
void transient_file_sweep_later(const char *folder, uint64_t commit);

/* The latest that one of them is of; 0: there is none. */
uint64_t transient_file_last_commit(const char *folder);

/* The same for all units that have something in the folder and are not in @table (NULL: all). */
void transient_file_sweep(const char *folder, const UnitTable *table);
