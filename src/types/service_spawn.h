/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The commands of a service
 */

#include "types/service_state.h"

/* Requests a process, and sets the time limit of its step. 0, or a negative errno with the failure stored. */
int service_run(Unit *unit, UnitPurpose purpose, ServiceExec kind, unsigned index);
int service_prepare_spawn(Unit *unit, UnitPurpose purpose, ExecRequest *request);
UnitProcess *service_process(const Unit *unit, UnitPurpose purpose);    /* NULL: no probe is running */
ExecCommand *service_process_command(const Unit *unit, const UnitProcess *process);     /* NULL: it has none */
/* Records that a process has started, which may have failed since: its pid and time. */
void service_record_start(Unit *unit, UnitPurpose purpose, UnitProcess *process, pid_t pid);
/* The same of one that runs its program, with what the host tells of it. */
void service_note_process(Unit *unit, UnitPurpose purpose, UnitProcess *process, const ExecResult *result);
int service_result_environment(const Unit *unit, char ***environment);  /* as UnitVTable.result_environment */
