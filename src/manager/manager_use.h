/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * An attempt's use of units: jobs that it asks for as a client would, and
 * states that it waits for
 *
 * A use is looked at again and again, at the end of turns; a job that has ended
 * is found among the ended ones. So no event is missed, and a restart of core
 * needs nothing but the uses, which are recorded with their attempt, in the
 * commit that has the job.
 */

#include "basic/record.h"
#include "basic/vector.h"
#include "manager/manager_job.h"
#include "run/run_engine.h"
#include "unitfile/flow_settings.h"

typedef enum ManagerUseKind {
        MANAGER_USE_JOB, /* Unit=: the node itself, after all others */
        MANAGER_USE_REQUIRES, /* is started before, and held */
        MANAGER_USE_BINDS_TO, /* the same, and its end is that of the attempt */
        MANAGER_USE_REQUISITE, /* must be active */
        MANAGER_USE_AFTER, /* its job, if it has one, must end */
        _MANAGER_USE_KIND_MAX,
} ManagerUseKind;

typedef enum ManagerUseStep {
        MANAGER_USE_NEW,
        MANAGER_USE_ASKED, /* .job has not ended */
        MANAGER_USE_WATCHED, /* the unit has not the state that is waited for */
        MANAGER_USE_MET,
        _MANAGER_USE_STEP_MAX,
} ManagerUseStep;

typedef struct ManagerUse {
        char *unit; /* owned */
        ManagerUseKind kind;
        ManagerUseStep step;
        uint32_t job; /* 0: none yet */
        bool is_own; /* .job was made for it */
        FlowOperation operation; /* these of a job */
        JobMode mode;
        FlowWaitFor wait_for;
} ManagerUse;

typedef VECTOR(ManagerUse) ManagerUses;

typedef struct ManagerUseContext {
        ManagerJobs *jobs; /* borrowed, as all of it */
        const Unit *flow; /* nothing may stop it */
        const char *who; /* "run 17, node x" */
} ManagerUseContext;

typedef enum ManagerUseResult {
        MANAGER_USES_WAIT,
        MANAGER_USES_MET,
        MANAGER_USES_ENDED, /* one cannot be met any more */
} ManagerUseResult;

/* 0 or -ENOMEM. */
int manager_uses_make(ManagerUses *uses, const FlowNode *node);
void manager_uses_deinit(ManagerUses *uses);

/*
 * One step: asks for what was not asked for yet, and looks at the rest. With MANAGER_USES_ENDED *ret_kind is how the
 * attempt has ended, and *ret_problem, which the caller owns, why; NULL: there is nothing to be said. *ret_has_changed:
 * a record was. Not from inside the engine of runs or of jobs.
 */
ManagerUseResult manager_uses_step(ManagerUses *uses, const ManagerUseContext *context, RunEndKind *ret_kind,
                                   char **ret_problem, bool *ret_has_changed);
bool manager_uses_are_met(const ManagerUses *uses);
/* A unit that the attempt is bound to, and that is gone; NULL: none. */
const char *manager_uses_find_lost(const ManagerUses *uses, const ManagerJobs *jobs);
bool manager_uses_hold(const ManagerUses *uses, const Unit *unit);
/* The attempt has ended: what it has held may be unneeded. */
void manager_uses_release(const ManagerUses *uses, ManagerJobs *jobs);
/* The attempt ends: cancels the job that was made for its node; what the unit does goes on without one. */
void manager_uses_cancel(ManagerUses *uses, const ManagerUseContext *context);

/* Adds what is waited for: "it waits for job 12 (restart a.service)"; nothing: false. */
bool manager_uses_explain(const ManagerUses *uses, const ManagerJobs *jobs, const Unit *flow, Text *text);
uint32_t manager_uses_job(const ManagerUses *uses); /* the last one that was asked for; 0: none */

void manager_uses_write(const ManagerUses *uses, RecordWriter *writer);
int manager_uses_read(ManagerUses *uses, RecordReader *reader); /* 0, -EBADMSG, -ENOMEM */
