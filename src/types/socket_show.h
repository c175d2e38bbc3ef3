/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A socket shown to users, and recorded for the next core: entries of UnitVTable
 */

#include "unit/unit.h"

int socket_activity(const Unit *unit, char **ret_activity, usec_t *ret_since);
int socket_save(const Unit *unit, Sink *sink);
extern const UnitPropertyTable *const socket_properties[];

/* socket_record.c */
void socket_record(const Unit *unit, RecordWriter *writer);
int socket_restore(Unit *unit, RecordReader *reader);
