/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A unit's state as bytes, for the next core process
 *
 * Settings are not included, because the unit's files are read again; only
 * run-time state is.
 */

#include "unit/unit.h"

/* Writes nothing for a unit that was never started and has no state. */
void unit_record(const Unit *unit, RecordWriter *writer);

/*
 * Restores into the unit of that name, which has just been loaded. Calls neither observers nor the host. 0, or -EBADMSG
 * if the record cannot be read; the unit is inactive then. If the unit's files are missing or broken the state is
 * restored all the same, because its processes run.
 */
int unit_restore(Unit *unit, RecordReader *reader);
