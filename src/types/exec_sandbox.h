/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the processes of a unit's run have in common: its part in types
 *
 * For every type that runs commands; a unit without a sandbox costs nothing
 * but a look. Kept apart from the units, since hardly any has it.
 */

#include "exec/exec.h"
#include "unit/unit.h"

/*
 * Lets @request have what the unit's processes share, if its sandbox needs that: what is there already, what a unit has that
 * it is joined with (JoinsNamespaceOf=), or something new. 0 or -ENOMEM.
 */
int exec_sandbox_share(Unit *unit, ExecRequest *request);

/* A process of it runs: what was made for that is kept for the core after us. And tells what it runs without. */
void exec_sandbox_spawned(Unit *unit, const ExecResult *result);

/* The run is over: folders and namespaces go, unless a unit that is joined has them still. */
void exec_sandbox_release(Unit *unit);
/* The unit goes, or we do: what there is stays. */
void exec_sandbox_forget(Unit *unit);

/* As UnitVTable.record, .restore and .resume; restoring says what is wrong by the reader alone. */
void exec_sandbox_record(const Unit *unit, RecordWriter *writer);
void exec_sandbox_restore(Unit *unit, RecordReader *reader);
void exec_sandbox_resume(Unit *unit);
