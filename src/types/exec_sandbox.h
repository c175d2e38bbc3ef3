/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Shared objects of the processes of a run: folders and namespaces of the sandbox
 *
 * For every type that runs commands. Hardly any unit has a sandbox that is shared, so the data are kept apart from the
 * units.
 */

#include "exec/exec.h"
#include "unit/unit.h"

/*
 * Gives @request what the processes of the unit share, if its sandbox needs that: what exists already, what a unit has
 * that this one is joined with (JoinsNamespaceOf=), or something new. 0 or -ENOMEM.
 */
int exec_sandbox_share(Unit *unit, ExecRequest *request);

/*
 * A process of the unit runs: keeps what was made for it, for a restart of core. Warns if it runs without its sandbox.
 */
void exec_sandbox_spawned(Unit *unit, const ExecResult *result);

/* The run is over: folders and namespaces are removed, unless a unit that is joined still has them. */
void exec_sandbox_release(Unit *unit);
/* The unit is unloaded, or core ends: folders and namespaces stay. */
void exec_sandbox_forget(Unit *unit);

/* As UnitVTable.record, .restore and .resume. A damaged record is marked in the reader. */
void exec_sandbox_record(const Unit *unit, RecordWriter *writer);
void exec_sandbox_restore(Unit *unit, RecordReader *reader);
void exec_sandbox_resume(Unit *unit);
