/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A unit's state as bytes, for the core that comes after this one
 *
 * What its files say is not in it: they are read again. Only what happened.
 */

#include "unit/unit.h"

/* A unit that was never started and has nothing to tell writes nothing. */
void unit_record(const Unit *unit, RecordWriter *writer);

/*
 * Into a unit of that name that has just been loaded. Observers are not told, the host is not asked. -EBADMSG if it
 * cannot be read; the unit is inactive then. If its files are gone or broken the state is restored all the same: it
 * runs, after all.
 */
int unit_restore(Unit *unit, RecordReader *reader);
