/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The unit types
 *
 * Rules for a host, beyond unit/unit.h:
 *
 * - prepare_spawn() returns -ECANCELED if the unit does not want that process any more (a stop came before the outbox
 *   was flushed): the spawn is dropped, without spawned(). After any other error, and when exec_spawn() fails, call
 *   spawned() with pid 0 and the ExecResult.
 * - No entry may call back into the unit before it returned: answers to set_timer(), kill() and the like come in a
 *   later turn.
 */

#include "unit/unit.h"

extern const UnitVTable batch_vtable;
extern const UnitVTable flow_vtable;
extern const UnitVTable mount_vtable;
extern const UnitVTable path_vtable;
extern const UnitVTable scope_vtable;
extern const UnitVTable service_vtable;
extern const UnitVTable slice_vtable;
extern const UnitVTable socket_vtable;
extern const UnitVTable stream_vtable;
extern const UnitVTable target_vtable;
extern const UnitVTable timer_vtable;

/*
 * All of them, each once; ends with NULL. The manager has units of these types, and the pages of the API and the tests
 * are made from the list.
 */
extern const UnitVTable *const unit_types[];
