/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Files of units made by clients
 *
 * The files are in a folder of their own, the first of the manager's search
 * path, and exist as long as their units are loaded.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/failure.h"
#include "unitfile/unit_file.h"

/* Returns true if the unit's main file is in that folder. */
bool transient_file_is_of(const Unit *unit);

/*
 * Checks a unit @name that consists of @text only: 0, -EINVAL with its first error in @ret_failure, or -ENOMEM. Changes
 * nothing.
 */
int transient_file_check(UnitFileLoader *loader, const char *name, const char *text, Failure *ret_failure);

/*
 * Writes the file into @folder (created if missing) atomically. @commit: the first commit of the state that includes
 * the unit, for the next core process. 0, or a negative errno with @ret_failure.
 */
int transient_file_place(const char *folder, const char *name, uint64_t commit, const char *text,
                         Failure *ret_failure);

/* Removes the file and its drop-ins there; they may be missing. */
void transient_file_remove(const char *folder, const char *name);

/* The same for all units of later commits, whose existence was never reported to a client. */
void transient_file_sweep_later(const char *folder, uint64_t commit);

/* The highest commit among the files; 0 if there are none. */
uint64_t transient_file_last_commit(const char *folder);

/* Removes the files of all units that are not in @table (NULL: all). */
void transient_file_sweep(const char *folder, const UnitTable *table);
