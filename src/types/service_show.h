/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A service shown to users, and recorded for the next core: entries of UnitVTable
 */

#include "unit/unit.h"

int service_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
int service_save(const Unit *unit, Sink *sink);
extern const UnitPropertyTable *const service_properties[];

/* service_record.c */
void service_record(const Unit *unit, RecordWriter *writer);
int service_restore(Unit *unit, RecordReader *reader);
