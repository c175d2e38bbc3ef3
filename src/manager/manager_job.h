/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Jobs in the loop: requests of units, and the dispatch of the engine
 */

#include "basic/vector.h"
#include "job/job_manager.h"
#include "job/job_plan.h"
#include "manager/manager_mount.h"
#include "manager/manager_stage_kind.h"
#include "manager/manager_trigger.h"
#include "manager/manager_turn.h"

/* A job requested by a unit, by name, because the unit may be gone by the next turn. */
typedef struct ManagerRequest {
        char *unit;                     /* owned */
        char *reason;                   /* owned */
        JobType type;
        JobMode mode;
        bool reload_if_possible;
} ManagerRequest;

typedef struct ManagerJobs {
        ManagerTurn *turn;              /* borrowed, like the following */
        UnitTable *units;
        JobManager *engine;
        ManagerMounts *mounts;          /* refreshed before jobs are made */
        ManagerTriggers *triggers;
        const ManagerStage *stage;
        void (*before)(void *userdata); /* called before jobs are run: requests of the manager itself */
        void (*refused)(void *userdata, Unit *unit);    /* a start that was requested for a unit */
        void *userdata;

        VECTOR(ManagerRequest) requests;
        sd_event_source *source;        /* owned: runs the engine */
        bool is_armed;                  /* .source */
        bool takes_turns;               /* .source has the priority of the bus, after a full budget */
        bool was_asked;                 /* a client has requested jobs in this turn */
} ManagerJobs;

int manager_jobs_init(ManagerJobs *jobs);       /* makes the source. 0 or -errno */
void manager_jobs_deinit(ManagerJobs *jobs);

/* Outcomes as for job_manager_exec(). */
int manager_jobs_exec(ManagerJobs *jobs, const JobRequest *requests, size_t n, const JobOptions *options,
                      JobPlan **ret_plan);
/* Plans the same requests; nothing happens. */
int manager_jobs_plan(ManagerJobs *jobs, const JobRequest *request, const JobOptions *options, JobPlan **ret_plan);
/* Ends a job; if it runs, what the unit does goes on without one. */
void manager_jobs_cancel(ManagerJobs *jobs, uint32_t id, const JobRequester *requester);
/* Requests one start, without a plan. True if it was accepted; otherwise the reason is logged. */
bool manager_jobs_start(ManagerJobs *jobs, const char *unit, JobMode mode, const JobRequester *requester);

/* Requests a job for a unit, which is made in a later turn. 0 or -ENOMEM. */
int manager_jobs_request(ManagerJobs *jobs, const Unit *unit, JobType type, JobMode mode, const char *reason);
static inline bool manager_jobs_has_requests(const ManagerJobs *jobs) {
        return jobs->requests.n > 0;
}

void manager_jobs_wake(ManagerJobs *jobs);      /* .before has something to do */
void manager_jobs_arm(ManagerJobs *jobs);       /* if there are jobs to run */
void manager_jobs_run(ManagerJobs *jobs);
void manager_jobs_run_asked(ManagerJobs *jobs); /* at the end of a turn */

/* — queries of units — */

bool manager_jobs_has(const ManagerJobs *jobs, const Unit *unit);               /* installed or requested */
bool manager_jobs_is_stopping(const ManagerJobs *jobs, const Unit *unit);       /* or the manager is */
bool manager_jobs_will_start(const ManagerJobs *jobs, const Unit *unit);
bool manager_jobs_is_awaited(const ManagerJobs *jobs, const Unit *unit);        /* a start of it is running */

/* — as part of a record. Reading: 0, -EBADMSG or -ENOMEM. — */

void manager_jobs_write_requests(const ManagerJobs *jobs, RecordWriter *writer);
int manager_jobs_read_requests(ManagerJobs *jobs, RecordReader *reader);
