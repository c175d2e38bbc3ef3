/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A mount shown to users, and recorded for the next core: entries of UnitVTable
 */

#include "unit/unit.h"

int mount_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
int mount_save(const Unit *unit, Sink *sink);
extern const UnitPropertyTable *const mount_properties[];

/* mount_record.c */
void mount_record(const Unit *unit, RecordWriter *writer);
int mount_restore(Unit *unit, RecordReader *reader);
