/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The stages of the manager, from start to end
 */

#include "basic/record.h"
#include "manager/manager_contract.h"
#include "manager/manager_job.h"
#include "manager/manager_listener.h"

typedef struct ManagerStages {
        const ManagerOptions *options;  /* borrowed, like all up to .listeners */
        ManagerTurn *turn;
        UnitTable *units;
        JobManager *engine;
        ManagerJobs *jobs;
        ManagerContract *contract;
        const ManagerUnits *rows;
        const ManagerListeners *listeners;

        ManagerStage stage;
        usec_t deadline;                /* of the stages of leaving */
        UnitAction action;              /* the first requested one, or UNIT_ACTION_NONE */
        bool is_acting;                 /* .action is being executed */
        int action_status;
        int exit_status;
        usec_t started, started_realtime;
        usec_t finished, finished_realtime;     /* end of the startup; 0: not yet */
} ManagerStages;

/* Called before jobs are run: starts the default unit at the beginning, and executes a requested action. */
void manager_stages_begin(ManagerStages *stages);
/* Called at the end of a turn: checks whether the stage is over. */
void manager_stages_step(ManagerStages *stages);

/* Implement manager_exit(), manager_leave() and manager_set_exit_status(). */
void manager_stages_exit(ManagerStages *stages, int status, bool orderly);
void manager_stages_leave(ManagerStages *stages, UnitAction action);
int manager_stages_set_exit_status(ManagerStages *stages, int status);

/* A unit requests @action; @exit_status -1: none given. */
void manager_stages_request(ManagerStages *stages, const Unit *unit, UnitAction action, int exit_status,
                            const char *reason);
/* A start of a target such as reboot.target requests the action of that target. */
void manager_stages_watch(ManagerStages *stages, const JobEvent *event);

const char *manager_stages_name(const ManagerStages *stages);  /* as manager_system_state() */

/* Parts of the manager's record; the end of the startup is a part of its own, which earlier versions did not write. */
void manager_stages_write(const ManagerStages *stages, RecordWriter *writer);
void manager_stages_read(ManagerStages *stages, RecordReader *reader);
void manager_stages_write_finished(const ManagerStages *stages, RecordWriter *writer);
void manager_stages_read_finished(ManagerStages *stages, RecordReader *reader);
