/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The interface of the job engine
 *
 * Requests for changes of units go in, jobs come out: expanded over the units'
 * relations, checked, committed as a whole or not at all, dispatched in order,
 * and ended by the units' changes of state. The caller passes the time as a
 * value. Subscribers get events and must not call back from inside one. Jobs
 * are named by id, never by a pointer that outlives a call.
 *
 * Functions return 0, a negative errno (-ENOMEM only, unless stated
 * otherwise), or an outcome of the enum below.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/failure.h"
#include "basic/sink.h"
#include "job/job_notify.h"
#include "job/job_plan.h"
#include "job/job_record.h"
#include "job/job_type.h"
#include "unit/unit_table.h"

enum {
        JOB_MANAGER_E_SUCCESS,
        JOB_MANAGER_E_REFUSED,          /* the plan's failure says why; nothing has changed */
        JOB_MANAGER_E_NO_SUCH_JOB,
        JOB_MANAGER_E_NOT_CANCELABLE,   /* the job runs; the failure says what would end it */
};

typedef struct JobManager JobManager;

/* The client or rule that asks. Strings are copied. */
typedef struct JobRequester {
        const char *name;               /* bus name, or NULL if a rule asks */
        const char *command;            /* name of the client's process, for messages; NULL if unknown */
        uint32_t uid, pid;              /* of the client; pid 0 if unknown */
        const char *reason;             /* "unit x.service changed", "auto-restart", …; NULL for a client */
} JobRequester;

typedef struct JobOptions {
        JobMode mode;
        const JobRequester *requester;
        uint64_t now;                   /* monotonic, µs */
        bool wants_anchors_only;        /* exec: the plan contains the anchors only */
        bool wants_edges;               /* plan: include the edges (who pulls in, who waits) */
} JobOptions;

/* A job: its present state, or the state in which it ended. */
typedef struct JobInfo {
        uint32_t id;
        Unit *unit;                     /* borrowed, valid during the call; NULL if an ended job's unit is gone */
        JobType type;
        JobType run_type;
        JobState state;
        JobResult result;               /* _JOB_RESULT_INVALID until the job has ended */
        bool is_irreversible;
        bool ignores_order;
        bool is_paused;                 /* put back by the answer "not now" */
        uint32_t blocker;               /* the job that must end first, if known; else JOB_ID_NONE */
        uint64_t transaction;           /* the transaction that made the job */
        uint64_t installed_at;          /* monotonic µs */
        uint64_t triggered_at;          /* 0 while the job waits */
        uint64_t deadline;              /* the earlier of its time limits; USEC_INFINITY if it has none */
} JobInfo;

typedef enum JobEventKind {
        JOB_EVENT_INSTALLED,
        JOB_EVENT_CHANGED,              /* type, state, merged, paused, irreversible */
        JOB_EVENT_FINISHED,             /* exactly once for each id, absorbed ids included */
        JOB_EVENT_REFUSED,              /* a follow-up request of the engine's own was refused: failure says why */
        JOB_EVENT_CYCLE_BROKEN,         /* failure's message lists the edges and the victim */
} JobEventKind;

typedef struct JobEvent {
        JobEventKind kind;
        JobInfo job;                    /* of CHANGED, FINISHED and REFUSED */
        const char *cause;              /* one sentence, or NULL; for an ended job use job_event_cause() */
        const struct JobEndReason *end;
        uint32_t forgotten;             /* FINISHED: id of an old job that left the history; or JOB_ID_NONE */
        const Failure *failure;
} JobEvent;

#define JOB_EVENT_CAUSE_MAX 1024

/* The cause in words, formatted on demand. NULL if there is none. */
const char *job_event_cause(const JobEvent *event, char buffer[static JOB_EVENT_CAUSE_MAX]);

typedef void (*JobSubscriber)(const JobEvent *event, void *userdata);

/*
 * The conditions or assertions that prevented the last start of the unit, as unit_list_unmet() wrote them; NULL if
 * there were none, or if the log has no more of that start. @ret_at: the end of its job, monotonic.
 */
const char *job_manager_find_unmet(const JobManager *manager, const Unit *unit, UnitAnswer *ret_answer, usec_t *ret_at);

int job_manager_new(JobManager **ret_manager, UnitTable *units /* borrowed */);
JobManager *job_manager_free(JobManager *manager);
DEFINE_CLEANUP(JobManager, job_manager_free)

/* Subscribers are called in the order of their subscription. */
int job_manager_subscribe(JobManager *manager, JobSubscriber subscriber, void *userdata);

/* Units that have a holder are needed, as for StopWhenUnneeded=. @holders is copied; NULL: nothing is held. */
void job_manager_set_holders(JobManager *manager, const JobHolders *holders);
/* @unit is held no more: rules that depend on that are checked with the next run. */
void job_manager_look(JobManager *manager, const Unit *unit);

/* — requests — */

/*
 * Runs all requests as one transaction. job_manager_plan() runs the same code and stops before the commit. @ret_plan
 * (may be NULL for exec) is filled on success and on refusal: job/job_plan.h.
 */
int job_manager_exec(JobManager *manager, const JobRequest *requests, size_t n, const JobOptions *options,
                     JobPlan **ret_plan);
int job_manager_plan(JobManager *manager, const JobRequest *requests, size_t n, const JobOptions *options,
                     JobPlan **ret_plan);

/* Ends a pending job. Outcomes: NO_SUCH_JOB, NOT_CANCELABLE, with @ret_failure (may be NULL). */
int job_manager_cancel(JobManager *manager, uint32_t id, const JobRequester *requester, uint64_t now,
                       Failure *ret_failure);
/* Cancels all pending jobs and returns their number. */
size_t job_manager_cancel_all(JobManager *manager, const JobRequester *requester, uint64_t now);

/*
 * The same for running jobs, too: such a job ends, and what the unit does goes on without one. The only outcome beside
 * success is NO_SUCH_JOB.
 */
int job_manager_detach(JobManager *manager, uint32_t id, const JobRequester *requester, uint64_t now,
                       Failure *ret_failure);
size_t job_manager_detach_all(JobManager *manager, const JobRequester *requester, uint64_t now);

/* — running — */

/* Triggers at most @budget jobs; true if more are ready. */
bool job_manager_run(JobManager *manager, unsigned budget, uint64_t now);

/* A unit reports a change of state, or of sub-state only (old == new). May be called from inside a trigger. */
void job_manager_finish(JobManager *manager, Unit *unit, UnitActiveState old, UnitActiveState new,
                        UnitChangeFlags flags, uint64_t now);

/* @unit, which answered "not now", is ready to be asked again. */
void job_manager_resume(JobManager *manager, Unit *unit);

/* A round of a run of @unit, a flow, has ended: OnFailure= or OnSuccess=. Not callable from inside a trigger. */
void job_manager_notify_run(JobManager *manager, const Unit *unit, const JobRunEnd *end, uint64_t now);

/* @unit reloaded without a job: requests try-reload for the units that it propagates reloads to. */
void job_manager_notify_reload(JobManager *manager, Unit *unit, JobMode mode, uint64_t now);

/* When job_manager_expire() must be called next: monotonic µs, or USEC_INFINITY. */
uint64_t job_manager_next_deadline(const JobManager *manager);
void job_manager_expire(JobManager *manager, uint64_t now);

/* — changes of units and relations — */

/* @unit is about to leave its table: its jobs end as "collected". */
void job_manager_forget_unit(JobManager *manager, Unit *unit, uint64_t now);

/* @unit has new relations that are unknown to its jobs and its neighbours' jobs. Not callable from inside a trigger. */
void job_manager_unit_related(JobManager *manager, Unit *unit);

/*
 * Relations have changed (reload): pending jobs are scanned again, and the youngest job of each new cycle is canceled.
 */
void job_manager_graph_changed(JobManager *manager, uint64_t now);

/* an absorbed id: its survivor */

bool job_manager_find(const JobManager *manager, uint32_t id, JobInfo *ret_job);  /* an absorbed id: its survivor */
bool job_manager_find_ended(const JobManager *manager, uint32_t id, JobInfo *ret_job);  /* the last 10,000 */
/* The job that stands for the unit: the running one, else the pending one, else a nop. */
bool job_manager_unit_job(const JobManager *manager, const Unit *unit, JobInfo *ret_job);
bool job_manager_unit_has_type(const JobManager *manager, const Unit *unit, JobType type);
size_t job_manager_count(const JobManager *manager);
bool job_manager_has_ready(const JobManager *manager);

typedef VECTOR(JobInfo) JobInfos;
int job_manager_list(const JobManager *manager, JobInfos *ret_jobs);   /* by id; to be freed */
/* The jobs that must go before a job by order or, with !@before, that must wait for it. */
int job_manager_neighbours(const JobManager *manager, uint32_t id, bool before, JobInfos *ret_jobs);

/* @what: a job id, a unit name, or "t12" for a transaction. Writes an a{sv}; -ENOENT if @what is unknown. */
int job_manager_explain(const JobManager *manager, const char *what, uint64_t now, Sink *sink);

/* Writes a job as an a{sv}, with the keys of Query and of jobd-sim's "jobs". */
void job_manager_write_job(const JobManager *manager, const JobInfo *job, Sink *sink);
void job_manager_write_stats(const JobManager *manager, Sink *sink);                    /* an a{sv} */

/* — save and restore: job/job_record.h — */

int job_manager_save(const JobManager *manager, JobSnapshot *ret_snapshot);
/*
 * Save in parts: writes one job (waiting, running or in the history) as bytes that job_snapshot_read_record() reads.
 * Writes nothing if no job has the id or the job has been absorbed.
 */
void job_manager_write_record(const JobManager *manager, uint32_t id, RecordWriter *writer);
/* Prefetches what job_manager_write_record() will read: the job, and some jobs later, with @is_found, its names. */
void job_manager_fetch_record(const JobManager *manager, uint32_t id, bool is_found);
void job_manager_write_counters(const JobManager *manager, RecordWriter *writer);
typedef VECTOR(uint32_t) JobIds;
int job_manager_list_records(const JobManager *manager, JobIds *ret_ids);       /* of all records, sorted */
/* The unit that @unit waits for to start again (RestartOnDependency=); NULL if none. */
const Unit *job_manager_recovers_with(const JobManager *manager, const Unit *unit);
/*
 * Restores into an empty manager whose units and unit states are already restored. A triggered job is not triggered
 * again: its unit's state will end it. The job of a unit that cannot be used ends as "collected", in the history.
 */
int job_manager_restore(JobManager *manager, const JobSnapshot *snapshot, uint64_t now);
