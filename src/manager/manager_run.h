/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs of flows: the run engine with units, processes and the store
 *
 * A flow is active while it has runs that live. Its start submits one, unless
 * it has some; its stop holds them. The runs of an earlier core or boot are
 * loaded from the store before anything else happens to runs; what is asked
 * until then waits.
 *
 * A request that changes a run is answered when it is durable: each has a ticket
 * of the caller's, and the answer comes by ManagerRunsOps.answered, once.
 */

#include "basic/sink.h"
#include "manager/manager_attempt.h"
#include "manager/manager_callback.h"
#include "manager/manager_job.h"
#include "manager/manager_run_link.h"
#include "manager/manager_run_row.h"
#include "unitfile/unit_file.h"

typedef struct ManagerRuns ManagerRuns;

/* The caller's name of a request; zeros: it wants no answer. */
typedef struct ManagerRunTicket {
        uint64_t a, b;
        uint32_t what; /* the caller's, too */
} ManagerRunTicket;

typedef enum ManagerRunAnswerKind {
        MANAGER_RUN_DONE, /* a command, or any failure */
        MANAGER_RUN_AGAIN, /* a retry or a rerun … */
        MANAGER_RUN_AGAIN_OUTDATED, /* … of a run whose flow has changed since it was submitted */
        MANAGER_RUN_COUNTED, /* errors that are issued again */
        MANAGER_RUN_SUBMITTED,
        MANAGER_RUN_ROWS, /* of the store */
        MANAGER_RUN_RESULT, /* of a node: it is in the descriptor */
        MANAGER_RUN_PUSHED, /* an element into a stream, or … */
        MANAGER_RUN_PUSHED_MANY, /* … several */
        MANAGER_RUN_RESOLVED, /* an element of a stream */
} ManagerRunAnswerKind;

typedef struct ManagerRunResult {
        uint64_t n; /* bytes; 0: the node has none, which counts as null */
        const char *source; /* "own", "default", "dropped"; "": none */
} ManagerRunResult;

typedef struct ManagerRunAnswer {
        ManagerRunTicket ticket;
        ManagerRunAnswerKind kind;
        const Failure *failure; /* NULL: it succeeded */
        uint32_t run; /* 0 of a submission: none was made, by OnBusy=skip */
        uint32_t n; /* of errors */
        RunStorePage *page; /* of rows … */
        RunStoreTable table; /* … of this table */
        const ManagerRunResult *result; /* or the result of a node */
        const uint64_t *sequences; /* or the numbers of elements */
        size_t n_sequences;
} ManagerRunAnswer;

/* The notice for a target signal:; all is borrowed, and nothing is NULL. */
typedef struct ManagerRunNotice {
        uint32_t run, uid; /* of whoever has submitted the run, who may read what it is about */
        const char *name; /* of the target */
        const char *unit, *node, *event; /* .node: "": it is about the run */
        const char *key; /* the same for the same event, however often it is told */
        const char *object; /* JSON */
} ManagerRunNotice;

typedef struct ManagerRunsOps {
        void (*answered)(void *userdata, const ManagerRunAnswer *answer);
        void (*came)(void *userdata, uint32_t run, const char *unit);
        void (*suspended)(void *userdata, uint32_t run, const char *unit);
        void (*went)(void *userdata, uint32_t run, RunState state); /* its end is durable */
        void (*changed)(void *userdata, uint32_t run);
        void (*node_changed)(void *userdata, uint32_t run, uint32_t node);
        void (*notified)(void *userdata, const ManagerRunNotice *notice);
        bool (*is_ending)(void *userdata); /* the manager stops all units */
        bool (*is_serving)(void *userdata); /* the boot is over */
} ManagerRunsOps;

typedef struct ManagerRunsHost {
        ManagerAttemptsHost attempts; /* .ops and .userdata are set by the runs */
        int (*surround)(void *userdata, ExecRequest *request, ExecResult *result);
        ProcessOwner *(*owner_of)(void *userdata, Unit *unit);
        UnitFileLoader *loader; /* borrowed, as all of it */
        UnitTable *units;
        ManagerJobs *jobs;
        const ManagerRunsOps *ops;
        void *userdata;
        const char *folder; /* for the socket of the store */
} ManagerRunsHost;

int manager_runs_new(ManagerRuns **ret_runs, const ManagerRunOptions *options, const ManagerRunsHost *host);
ManagerRuns *manager_runs_free(ManagerRuns *runs);
ManagerAttempts *manager_runs_attempts(const ManagerRuns *runs);
ManagerCallbacks *manager_runs_callbacks(ManagerRuns *runs);

/*
 * Loads the runs of an earlier manager, if there are some. @is_taken_over: this one goes on where an earlier core was,
 * and knows its attempts; otherwise runs that a shutdown has held go on as soon as the boot is over.
 */
void manager_runs_begin(ManagerRuns *runs, bool is_taken_over);
void manager_runs_end(ManagerRuns *runs); /* all processes are being ended */

/* At the end of a turn, before the state is committed. */
void manager_runs_turn(ManagerRuns *runs);
/* Something has come since that turn of the runs began: another turn is to follow. */
bool manager_runs_has_work(const ManagerRuns *runs);
bool manager_runs_is_daemon(const ManagerRuns *runs, pid_t pid);

/* — requests — */

typedef struct ManagerRunRequest {
        const char *unit; /* borrowed, as all of it */
        const char *key; /* a request with the key of another run of the unit is that run's; NULL */
        const char *operator; /* who asks; NULL */
        const char *trigger; /* the unit that has triggered it; NULL: none has */
        const char *name; /* of the run; NULL: as RunName= says */
        const char *client, *namespace, *reqid; /* for the record; NULL */
        char *const *params; /* assignments, as run_param.h has them; NULL: none */
        char *const *environment; /* of its attempts */
        uint32_t uid;
        uint32_t parent; /* the run that it is a part of; 0: of none */
        const char *parent_node;
        uint64_t first; /* item of a batch: those before it count as over */
        bool is_created; /* it is made alone, and begins when a person resumes it */
        bool has_priority;
        uint8_t priority; /* in place of the flow's */
        ManagerRunTicket ticket;
} ManagerRunRequest;

/* 0: it is answered later; otherwise a negative errno with @ret_failure. */
int manager_runs_submit(ManagerRuns *runs, const ManagerRunRequest *request, Failure *ret_failure);

/*
 * Writes an a{sv} about what a run would do that was submitted now, of which nothing happens: .unit and .params of
 * @request count. 0, -ENOMEM, or a negative errno with @ret_failure.
 */
int manager_runs_plan(ManagerRuns *runs, const ManagerRunRequest *request, Sink *sink, Failure *ret_failure);

typedef struct ManagerRunCommand {
        uint32_t run;
        RunVerb verb;
        bool is_question; /* with RUN_VERB_COMPENSATE: whether that has something to do is asked alone */
        bool is_delete; /* in place of the verb … */
        bool stops; /* … also of a run that lives: it is stopped */
        bool is_proceed; /* in place of the verb: a batch that waits for its owner goes on */
        bool is_retry_errors; /* the same: items of a batch that are errors are issued again */
        const char *token; /* in place of the verb: somebody completes the node that has it; NULL: nobody does … */
        RunCompletion completion; /* … so … */
        const char *result; /* … with this result, a value of JSON; NULL: none */
        const char *node; /* NULL: the verb is about the run */
        const char *lines; /* in place of the verb: nodes to add, below .node unless that is NULL; NULL: none */
        const char *lock; /* of RUN_VERB_UNLOCK: only from who holds this one; NULL: any */
        const char *comment; /* why, for the events; NULL: nothing is said */
        const char *operator, *reqid; /* of the person and the request; NULL: not known */
        uint32_t uid;
        bool must_be_allowed; /* only if .uid may control the run, which did not live when that was to be judged */
        ManagerRunTicket ticket;
} ManagerRunCommand;

int manager_runs_command(ManagerRuns *runs, const ManagerRunCommand *command, Failure *ret_failure);
/* The same for a command with a token, which names its run. */
int manager_runs_complete(ManagerRuns *runs, const ManagerRunCommand *command, Failure *ret_failure);
/* The number of a run that lives, by its number or name: -ENOENT with @ret_failure. */
int manager_runs_find(const ManagerRuns *runs, const char *run, uint32_t *ret_id, Failure *ret_failure);

/* — rights beside those of root and of the manager's owner — */

bool manager_run_may_submit(const Unit *unit, uid_t uid); /* AllowSubmit= */
bool manager_runs_has(const ManagerRuns *runs, uint32_t run); /* it lives, or has ended a moment ago */
/* AllowControl=, or @uid has submitted the run; false for one that is not there. */
bool manager_runs_may_control(const ManagerRuns *runs, uint32_t run, uid_t uid);

/* Acknowledges an alarm; answered when that is durable. 0, or a negative errno with @ret_failure. */
int manager_runs_acknowledge(ManagerRuns *runs, uint64_t alarm, const char *operator, uint32_t uid,
                             ManagerRunTicket ticket, Failure *ret_failure);
uint32_t manager_runs_count_alarms(const ManagerRuns *runs); /* that nobody has acknowledged */

/* Asks the store: .answered with a page. @run: that the query is about; 0: several. */
int manager_runs_query(ManagerRuns *runs, const RunStoreQuery *query, uint32_t run, ManagerRunTicket ticket,
                       Failure *ret_failure);
typedef struct ManagerRunResultRequest {
        uint32_t run;
        const char *node; /* borrowed */
        int fd; /* borrowed: of a file in memory, into which the result is written */
        uint32_t uid; /* who asks … */
        bool is_other; /* … may read only what that user has submitted */
        ManagerRunTicket ticket;
} ManagerRunResultRequest;

/* The result of a node that has ended, of any size: answered when it is written, or with a failure. */
int manager_runs_read_result(ManagerRuns *runs, const ManagerRunResultRequest *request, Failure *ret_failure);
/* Writes an a{sv} about what a live run, or a node of it (NULL: none), waits for. -ENOENT with @ret_failure. */
int manager_runs_explain(const ManagerRuns *runs, uint32_t run, const char *node, Sink *sink, Failure *ret_failure);

typedef struct ManagerLockFilter {
        const char *lock, *kind; /* borrowed; NULL: any */
        uint32_t run; /* 0: any */
        uint32_t skip, limit; /* entries before the first, and at most */
} ManagerLockFilter;

/* Writes aa{sv}, the holders of locks and resources and those that wait; returns whether there are more. */
bool manager_runs_write_locks(const ManagerRuns *runs, const ManagerLockFilter *filter, Sink *sink);

/* The problem of the store, a sentence; NULL: none. */
const char *manager_runs_problem(const ManagerRuns *runs);
/* The reason why a live run, or a node of it, waits; -ENOENT: it does not live. */
int manager_runs_why(const ManagerRuns *runs, uint32_t run, const char *node, RunWhy *ret_why);
/* Whether the node is a compensation, or the final one, of a run that lives. */
bool manager_runs_is_of_end(const ManagerRuns *runs, uint32_t run, uint32_t node);
/* The node's name; NULL: the run does not live, or has no such node. */
const char *manager_runs_node_name(const ManagerRuns *runs, uint32_t run, uint32_t node);
uint32_t manager_runs_find_node(const ManagerRuns *runs, uint32_t run, const char *name); /* RUN_NODE_NONE: none */
/* A run as clients see it; strings are borrowed, and "" where there is none. */
typedef struct ManagerRunView {
        uint32_t id, uid, round;
        uint8_t priority;
        const char *unit, *name, *key, *operator, * trigger, *client, *namespace, *reqid, *parent_node;
        uint32_t parent; /* 0: it is no part of another run */
        const char *state, *reason, *why;
        char *const *environment;
        const uint8_t *definition; /* MANAGER_RUN_HASH_BYTES; NULL: not known */
        usec_t created, queued, started, ended, deadline, deleted; /* wall clock; 0: none */
        uint64_t n_done, n_failed, n_running, n_total; /* nodes, or items of a batch */
        uint32_t n_launches; /* of a batch */
} ManagerRunView;

/* A run that lives; until the next turn. -ENOENT. */
int manager_runs_view(const ManagerRuns *runs, uint32_t run, ManagerRunView *ret_view);
/* Writes an a{sv} about a node of a run that lives, with the keys of its row in the store. -ENOENT: nothing. */
int manager_runs_write_node(const ManagerRuns *runs, uint32_t run, uint32_t node, Sink *sink);
/* The row of a node of a live run, by number. -ENOENT. */
int manager_runs_node(const ManagerRuns *runs, uint32_t run, uint32_t node, RunNodeRow *ret_row, RunWhy *ret_why);

/* Nothing has happened to the node, so that it has no row in the store, or it may get its first row in this turn. */
bool manager_runs_may_lack_row(const ManagerRuns *runs, uint32_t run, const RunNodeRow *row);

/* — from units: see UnitHostOps — */

int manager_runs_start_unit(ManagerRuns *runs, Unit *unit);
void manager_runs_stop_unit(ManagerRuns *runs, Unit *unit, bool interrupts);
void manager_runs_unit_changed(ManagerRuns *runs, const Unit *unit, UnitActiveState old, UnitActiveState new);
void manager_runs_job_installed(ManagerRuns *runs, const JobInfo *job);
void manager_runs_job_ended(ManagerRuns *runs, const JobInfo *job);
void manager_runs_start_refused(ManagerRuns *runs, const Unit *unit);
void manager_runs_get(const ManagerRuns *runs, const Unit *unit, UnitRuns *ret_runs);
void manager_runs_write_live(const ManagerRuns *runs, const Unit *unit, Sink *sink);
int manager_runs_trigger(ManagerRuns *runs, const Unit *unit, const UnitRunRequest *request);

/* — records: what was triggered, told or held, and is not durable yet — */

void manager_runs_write_triggers(const ManagerRuns *runs, RecordWriter *writer);
int manager_runs_read_triggers(ManagerRuns *runs, RecordReader *reader);
