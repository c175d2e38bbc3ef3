/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From the start of the manager to its end
 */

#include "basic/record.h"
#include "manager/manager_contract.h"
#include "manager/manager_job.h"
#include "manager/manager_listener.h"

typedef struct ManagerStages {
        const ManagerOptions *options;  /* borrowed, as is all up to .listeners */
        ManagerTurn *turn;
        UnitTable *units;
        ManagerJobs *jobs;
        ManagerContract *contract;
        const ManagerUnits *rows;
        const ManagerListeners *listeners;

        ManagerStage stage;
        usec_t deadline;                /* of the stages of leaving */
        UnitAction action;              /* the first that was asked for, UNIT_ACTION_NONE if none */
        bool is_acting;                 /* on it */
        int action_status;
        int exit_status;
        usec_t started, started_realtime;
        usec_t finished, finished_realtime;     /* the startup; 0: not yet */
} ManagerStages;

/* Before jobs are run: starts the default unit at the beginning, and does what was asked for by an action. */
void manager_stages_begin(ManagerStages *stages);
/* At the end of a turn: is the stage over? */
void manager_stages_step(ManagerStages *stages);

/* As manager_exit(), manager_leave() and manager_set_exit_status(). */
void manager_stages_exit(ManagerStages *stages, int status, bool orderly);
void manager_stages_leave(ManagerStages *stages, UnitAction action);
int manager_stages_set_exit_status(ManagerStages *stages, int status);

/* A unit asks for @action; @exit_status -1: it names none. */
void manager_stages_request(ManagerStages *stages, const Unit *unit, UnitAction action, int exit_status,
                            const char *reason);
/* A start of a target like reboot.target asks for the action that the target stands for. */
void manager_stages_watch(ManagerStages *stages, const JobEvent *event);

const char *manager_stages_name(const ManagerStages *stages);  /* as manager_system_state() */

/* Parts of the manager's record; when the startup was finished stands apart: earlier versions did not write it. */
void manager_stages_write(const ManagerStages *stages, RecordWriter *writer);
void manager_stages_read(ManagerStages *stages, RecordReader *reader);
void manager_stages_write_finished(const ManagerStages *stages, RecordWriter *writer);
void manager_stages_read_finished(ManagerStages *stages, RecordReader *reader);
