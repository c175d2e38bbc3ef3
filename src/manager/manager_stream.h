/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Streams: elements that are pushed, and executed group by group
 *
 * The run of a stream has an engine of elements (run_stream.h) as long as it
 * is in memory; what is pushed is taken while the run does not end, and
 * executed while it has a launch, which is the attempt of its node. Elements
 * and groups are rows of the store: what changes in a turn is in one batch,
 * and an element begins when that is accepted or durable.
 *
 * The attempt of an element stays in the state of the manager until the store
 * has its end. So a core that takes over loads the rows, claims the attempts
 * that are there, and learns their ends again.
 */

#include "manager/manager_attempt_launch.h"
#include "manager/manager_run_get.h"
#include "run/run_stream.h"

typedef struct ManagerStream ManagerStream;

/* The ticket of the run that pushes wait for: .b is the number of one of them. */
#define MANAGER_RUN_OF_PUSH (UINT64_MAX - 2)

ManagerStream *manager_stream_free(ManagerStream *stream); /* accepts NULL */

/* — requests — */

typedef struct ManagerPushRequest {
        const char *unit; /* borrowed, as all of it */
        const RunStreamElement *elements;
        size_t n;
        bool is_many; /* the answer is an array */
        const char *operator, *client, *reqid; /* NULL: not known */
        uint32_t uid;
        ManagerRunTicket ticket;
} ManagerPushRequest;

/* 0: it is answered when all elements are durable; otherwise a negative errno with @ret_failure. */
int manager_runs_push(ManagerRuns *runs, const ManagerPushRequest *request, Failure *ret_failure);

typedef struct ManagerResolveRequest {
        const char *unit, *group; /* borrowed, as all of it */
        uint64_t sequence; /* 0: the head of the group */
        RunStreamOutcome outcome;
        const void *result;
        size_t n_result; /* 0: it has none */
        const char *operator, *reqid; /* NULL: not known */
        uint32_t uid;
        ManagerRunTicket ticket;
} ManagerResolveRequest;

int manager_runs_resolve_element(ManagerRuns *runs, const ManagerResolveRequest *request, Failure *ret_failure);
/* The run of a stream that lives: -ENOENT with @ret_failure. */
int manager_runs_find_stream(const ManagerRuns *runs, const char *unit, uint32_t *ret_run, Failure *ret_failure);

/* — in a turn — */

/* Takes pushes, and puts what has changed into the batch at hand. */
void manager_streams_step(ManagerRuns *runs);
/* The batch has been sent, or could not be made: asks the store for what is missing. */
void manager_streams_send(ManagerRuns *runs, bool is_stored);
/* The store knows less than was thought: all streams are loaded again. */
void manager_streams_reset(ManagerRuns *runs);
usec_t manager_streams_due(const ManagerRuns *runs);
/* Rows for a query; false: it is none of a stream. */
bool manager_stream_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_stream_refused(ManagerRuns *runs, uint64_t query);
/* The submission of a run that pushes wait for has ended. */
void manager_stream_answer_submit(ManagerRuns *runs, const ManagerRunAnswer *answer);
void manager_stream_answer_durable(ManagerRuns *runs);
bool manager_stream_has_pushes(const ManagerRuns *runs); /* that are to be answered */
bool manager_stream_has_pushes_to(const ManagerRuns *runs, const ManagerFlow *flow);
/* Pushes that no run has taken yet fail, or, with @is_taken, pushes that a run has taken. */
void manager_stream_refuse_pushes(ManagerRuns *runs, bool is_taken, const Failure *failure);
void manager_stream_drop_pushes(ManagerRuns *runs);

/* — launches and attempts — */

bool manager_stream_is_of(const ManagerRun *run); /* it is the run of a stream */
/* As ManagerAttemptsOps.step_launch. */
void manager_stream_step_launch(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, ManagerLaunch *launch,
                                bool ends);
/* As ManagerAttemptsOps.ended, of an element. */
void manager_stream_note_end(ManagerRuns *runs, ManagerRun *run, const RunAttemptKey *key, RunEndKind kind,
                             uint16_t end);
/* As ManagerAttemptsOps.element_of. */
int manager_stream_find_element(void *userdata, const RunAttemptKey *key, uint64_t element,
                                RunStreamBegin *ret_element);
/* Attempts of its elements are over, and the store has not all of their ends: the run stays in memory. */
bool manager_stream_is_settling(const ManagerRuns *runs, const ManagerRun *run);
/* The counts of the stream of a run; -ENOENT: it is none of a stream, or is being loaded. */
int manager_stream_count(const ManagerRuns *runs, uint32_t run, RunStreamCounts *ret_counts);
/* The state of the elements, as a part of a sentence. */
void manager_stream_explain(const ManagerRuns *runs, const ManagerRun *run, Text *text);
