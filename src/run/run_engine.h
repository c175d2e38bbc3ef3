/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The engine of runs: what becomes of the nodes of a graph
 *
 * The engine knows no clock, process, file or bus. It is told what has
 * happened (a run is submitted, an attempt has ended, it is later, a person
 * asks for something, the store has a batch), and asks its host for the rest.
 *
 * A caller tells what has happened, as often as it likes, and then ends the
 * turn with run_engine_turn(): attempts are made for nodes that are READY, and
 * all that has changed since the last turn becomes one batch of rows. An
 * attempt is HELD until the store has the batch that it was made in: accepted
 * is enough where the command may run twice (Recover=retry), else the batch
 * must be durable. Then the host is asked to spawn it. So a command that must
 * not run twice does not, whoever dies.
 *
 * An attempt need not be a process (RunPolicy.action): the host knows what it is,
 * and tells its start and its end all the same. Without one it has no place of
 * MaxParallel=, and its node is RUNNING with a reason.
 *
 * A batch is a run of one node, whose attempts are launches: the host issues items
 * as long as the row of the run says RUNNING. In any other state it issues no more,
 * and tells that the launch was interrupted once no item is out.
 *
 * The first signal decides: what an attempt is told to end for is its outcome,
 * whatever its exit says. The node stays RUNNING until the end of the whole
 * tree is told, and ends then.
 *
 * When all nodes have ended, those that have succeeded may be undone, and a final
 * node runs, while the run is STOPPING: see run_undo.c.
 *
 * After a restart the rows are given back (run_engine_restore()), and the
 * engine goes on as if nothing had been. A node without a row is WAITING.
 *
 * Functions return 0 or a negative errno. What is refused changes nothing.
 * Memory is taken when a flow, a run or a graph is made, and nowhere else: the
 * end of an attempt never fails for want of it. A node with Foreach= has a graph
 * made when it begins. Times are µs of a clock that
 * goes on in suspend. Ids of runs are chosen by the caller, and not 0.
 */

#include <stdbool.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/usec.h"
#include "run/run_graph.h"
#include "run/run_pool.h"
#include "run/run_type.h"

typedef struct RunEngine RunEngine;
typedef struct RunFlow RunFlow; /* a unit and its runs */

/* — settings — */

/* The way of a run that is submitted while MaxRuns= runs are busy. */
typedef enum RunBusy {
        RUN_BUSY_QUEUE,
        RUN_BUSY_REJECT,
        RUN_BUSY_SKIP,
        RUN_BUSY_REPLACE, /* the others are cancelled */
} RunBusy;

/* The way of what runs at the deadline of its run. */
typedef enum RunTimeoutMode {
        RUN_TIMEOUT_TERMINATE, /* is told to end */
        RUN_TIMEOUT_DRAIN, /* may end, and counts */
        RUN_TIMEOUT_ABANDON, /* is left, and counts no more */
} RunTimeoutMode;

typedef struct RunSettings {
        uint32_t max_parallel; /* attempts of a run */
        uint32_t max_runs, max_queued;
        RunBusy on_busy;
        bool end_kills; /* FailurePolicy=end also ends what runs */
        RunTimeoutMode timeout_mode;
        usec_t timeout; /* from RUNNING; USEC_INFINITY: none */
        usec_t queue_timeout; /* from QUEUED; USEC_INFINITY: none */
        uint8_t priority; /* of a run in the queue for its locks and resources */
} RunSettings;

/* — reasons — */

typedef enum RunReason {
        RUN_REASON_NONE,
        RUN_REASON_RETRY, /* DEFERRED */
        RUN_REASON_AGAIN, /* DEFERRED: it said "not yet" */
        RUN_REASON_STATUS, /* PENDING: it said so itself */
        RUN_REASON_LOST, /* DEFERRED, PENDING, FAILED */
        RUN_REASON_INTERRUPTED, /* PENDING, FAILED */
        RUN_REASON_POISON, /* PENDING: lost three times */
        RUN_REASON_FAILED, /* PENDING */
        RUN_REASON_UPSTREAM, /* SKIPPED */
        RUN_REASON_UPSTREAM_FAILED, /* SKIPPED */
        RUN_REASON_ENDED, /* SKIPPED, CANCELLED: the run was over */
        RUN_REASON_OPERATOR, /* SUCCEEDED, FAILED, SKIPPED */
        RUN_REASON_UNNEEDED, /* CANCELLED: all goals below it had ended */
        RUN_REASON_DEADLINE, /* TIMEOUT, of the run */
        RUN_REASON_UNIT, /* of a run: PAUSED by a stop of the unit */
        RUN_REASON_DEPENDENCY, /* of a run: FAILED, since the unit did not start */
        RUN_REASON_QUEUE, /* TIMEOUT in the queue; of a node: it was READY for too long */
        RUN_REASON_SHORT_CIRCUIT, /* SKIPPED: nothing below needs it; RUNNING: becomes that unless it succeeds */
        RUN_REASON_WHEN, /* SKIPPED: its condition is false */
        RUN_REASON_EXPRESSION, /* FAILED: its condition has no value */
        RUN_REASON_POLICY, /* PENDING, FAILED: so says the command that judges it */
        RUN_REASON_SLEEP, /* RUNNING: it waits for its time, without a process */
        RUN_REASON_GATE, /* PENDING: a person has to approve it before it begins */
        RUN_REASON_REJECTED, /* FAILED: a person has not */
        RUN_REASON_DEADLOCK, /* PENDING: it waits for what waits for its own run */
        RUN_REASON_RESULT_INVALID, /* FAILED: what it left as its result is no JSON */
        RUN_REASON_RESULT_TOO_LARGE, /* FAILED */
        RUN_REASON_OUTPUT_MISSING, /* FAILED: its result lacks a key that it has to have */
        RUN_REASON_INPUT_MISSING, /* FAILED: nobody has given what it needs */
        RUN_REASON_JOB, /* RUNNING: a job of a unit, and no process; CANCELLED: that was cancelled */
        RUN_REASON_REFUSED, /* FAILED: it must not be done, however often it is tried */
        RUN_REASON_FOREACH, /* RUNNING: its instances are executed */
        RUN_REASON_TOO_MANY, /* FAILED: it would have more instances than ForeachMax= allows */
        RUN_REASON_COMPENSATE, /* of a run: STOPPING, SUSPENDED while what has succeeded is undone … */
        RUN_REASON_FINAL, /* … and while the final node runs */
        RUN_REASON_CALLBACK, /* RUNNING: its command has ended, and somebody else completes it; FAILED: so they said */
        /* RUNNING: a run of another flow, and no process; PENDING: that waits for a person; CANCELLED: was cancelled */
        RUN_REASON_SUB_RUN,
        RUN_REASON_RANGE, /* RUNNING: items of a batch are executed */
        RUN_REASON_ITEM_ERRORS, /* SUCCEEDED: all items are over, and some are errors */
        RUN_REASON_ERROR_BUDGET, /* of a run: PAUSED, as too many items of a launch are errors */
        RUN_REASON_PREPARE, /* the same: its preparation has failed */
        RUN_REASON_ITEMS, /* the same: its items cannot be read */
        _RUN_REASON_MAX,
} RunReason;

DECLARE_STRING_TABLE(run_reason, RunReason); /* "upstream-failed"; "" for none */

/* The thing that a node or a run waits for. */
typedef enum RunWhy {
        RUN_WHY_NOTHING, /* it has ended, or goes on by itself */
        RUN_WHY_PARENTS,
        RUN_WHY_HUMAN, /* to resolve it, or to resume the run */
        RUN_WHY_TIME,
        RUN_WHY_PROCESS,
        RUN_WHY_END, /* of a process that was told to end */
        RUN_WHY_STORE,
        RUN_WHY_PLACE, /* MaxParallel=, MaxRuns= */
        RUN_WHY_RUN, /* that has not begun, or is paused */
        RUN_WHY_UNIT, /* to be active */
        RUN_WHY_POLICY, /* a command that judges it */
        RUN_WHY_GATE, /* a person, to approve it */
        RUN_WHY_LOCK, /* see run_engine_get_lock() */
        RUN_WHY_RESOURCE,
        RUN_WHY_JOB, /* of a unit, to end */
        RUN_WHY_ITEMS, /* its instances, to end */
        RUN_WHY_COMPENSATE, /* what has succeeded to be undone */
        RUN_WHY_FINAL, /* the final node */
        RUN_WHY_CALLBACK, /* somebody else, to complete it */
        RUN_WHY_SUB_RUN, /* another run, to end */
        RUN_WHY_RANGE, /* the items of a batch, to be over */
        RUN_WHY_PROCEED, /* a batch: its preparation to end, or its owner to go on */
        _RUN_WHY_MAX,
} RunWhy;

DECLARE_STRING_TABLE(run_why, RunWhy);

/* — rows: what the store keeps, and what can be asked — */

/* How far an attempt that has not ended is. */
typedef enum RunAttempt {
        RUN_ATTEMPT_NONE,
        RUN_ATTEMPT_IS_HELD, /* until the store has it */
        RUN_ATTEMPT_IS_ASKED, /* the host was asked to spawn it */
        RUN_ATTEMPT_IS_STARTED,
} RunAttempt;

/* The reason why an attempt was told to end. */
typedef enum RunOutcome {
        RUN_OUTCOME_OPEN, /* nothing: its exit decides */
        RUN_OUTCOME_TIMEOUT, /* of the attempt */
        RUN_OUTCOME_TOTAL, /* of all attempts of the node */
        RUN_OUTCOME_DEADLINE, /* of the run */
        RUN_OUTCOME_CANCELLED,
        RUN_OUTCOME_ENDED, /* FailurePolicy=end */
        RUN_OUTCOME_UNNEEDED, /* all goals below it have ended */
        _RUN_OUTCOME_MAX,
} RunOutcome;

/* An outside decision about a node that waits for one, or will. */
typedef enum RunCompletion {
        RUN_COMPLETION_NONE,
        RUN_COMPLETION_SUCCESS,
        RUN_COMPLETION_FAILURE,
} RunCompletion;

typedef struct RunNodeRow {
        uint32_t node;
        RunNodeState state;
        RunReason reason;
        RunAttempt attempt;
        RunOutcome outcome;
        uint32_t generation, number; /* from 1; of the last attempt in the generation, 0: none yet */
        uint32_t failures, agains, losses; /* that count against the limits */
        uint32_t batch; /* that the attempt was made in; 0: the one of this row */
        /* Not before, if DEFERRED; since when, if READY; the start of an attempt; the end of a sleep. */
        usec_t at; /* by the wall clock for a node that sleeps until a time */
        usec_t first_at; /* the first of the attempts that count; 0: none yet */
        bool is_wanted; /* a person has asked for this generation, or for another try */
        bool has_passed; /* its condition was true in this generation */
        bool is_approved; /* a person has opened its gate in this generation */
        bool has_given_up; /* a person has had it give up its locks, until it takes them for its next attempt */
        RunCompletion completion; /* of this generation */
} RunNodeRow;

typedef struct RunRow {
        uint32_t id;
        uint64_t key; /* of the request; 0: none */
        RunState state;
        RunReason reason;
        RunState result; /* of STOPPING, and of SUSPENDED while it ends; else RUN_CREATED */
        bool is_held, is_held_by_person; /* by a stop of the unit */
        bool is_paused; /* by a person */
        uint32_t round; /* from 1 */
        uint64_t place; /* in the order of submission */
        usec_t queued_at;
        usec_t deadline; /* USEC_INFINITY: none */
        uint8_t priority; /* given back, it counts only with … */
        bool has_priority; /* … this; otherwise the one of the flow does */
        uint32_t parent, parent_node; /* as in RunSubmit; the parent is given back before it */
} RunRow;

/* — the host — */

typedef struct RunAttemptKey {
        uint32_t run, node, generation, number;
} RunAttemptKey;

/* The answer of a condition about a node whose parents allow it. */
typedef enum RunCondition {
        RUN_CONDITION_TRUE,
        RUN_CONDITION_FALSE,
        RUN_CONDITION_BROKEN, /* it has no value */
} RunCondition;

/*
 * Functions are called from run_engine_turn() and run_engine_stored() alone, but .end, .abandon and .judge. None may
 * call the engine.
 */
typedef struct RunHost {
        /* Rows of the batch of this turn; borrowed. */
        void (*put_run)(void *userdata, const RunRow *row);
        void (*put_node)(void *userdata, uint32_t run, const RunNodeRow *row);
        /*
         * Ends the batch: 0 and its number, which rises; or an error, with which all of it is put again, with what
         * comes, at the end of the next turn.
         */
        int (*persist)(void *userdata, uint32_t *ret_batch);
        /*
         * Spawns an attempt, and tells its start or its end. After a restart it can be asked for one that it knows:
         * then it tells what it knows.
         */
        void (*spawn)(void *userdata, const RunAttemptKey *attempt);
        /* Ends the tree of an attempt for which spawn was called, and tells its end. */
        void (*end)(void *userdata, const RunAttemptKey *attempt, RunOutcome outcome);
        /* Forgets an attempt for which spawn was called: its end need not be told. With RUN_TIMEOUT_ABANDON. */
        void (*abandon)(void *userdata, const RunAttemptKey *attempt);
        /* Judges a node with a condition, by its parents as they are now. */
        RunCondition (*judge)(void *userdata, uint32_t run, uint32_t node);
        /*
         * Asks the command that judges a node, and tells run_engine_answered() what it says, but not from here. A node
         * has one question at a time, a run as many as MaxParallel= allows.
         */
        void (*ask)(void *userdata, uint32_t run, uint32_t node, uint32_t generation);
        /* When a node with .sleeps_until wakes next, by the wall clock; 0: at once. NULL: there are no such nodes. */
        usec_t (*wake)(void *userdata, uint32_t run, uint32_t node);
        uint32_t (*random)(void *userdata); /* any of all values, for jitter */
        /* These three may be NULL where no node has Foreach=. */
        /* How many items such a node has: RUN_REASON_NONE, or why it fails. */
        RunReason (*count)(void *userdata, uint32_t run, uint32_t node, uint32_t *ret_n);
        /* From now on the run has that graph, with more nodes: 0, or -ENOMEM with which it does not. */
        int (*grow)(void *userdata, uint32_t run, RunGraph *graph);
        /* All instances have succeeded: RUN_REASON_NONE, or why the node has failed for all that. */
        RunReason (*gather)(void *userdata, uint32_t run, uint32_t node);
} RunHost;

/* @host stays as long as the engine. -ENOMEM. */
int run_engine_new(RunEngine **ret_engine, const RunHost *host, void *userdata);
RunEngine *run_engine_free(RunEngine *engine); /* with its flows and runs */
DEFINE_CLEANUP(RunEngine, run_engine_free)

/* A unit, which is inactive. -ENOMEM. It lives as long as the engine, or until it is forgotten. */
int run_flow_new(RunEngine *engine, const RunSettings *settings, RunFlow **ret_flow);
/* -EBUSY: it has runs. */
int run_flow_forget(RunFlow *flow);
/* There are @total of a resource, for Needs=. As of run_pool_set_resource(). */
int run_engine_set_resource(RunEngine *engine, const char *name, uint64_t total);
/* Whether waiting raises priorities; at first it does. */
void run_engine_set_ageing(RunEngine *engine, bool is_on);
/* Whether a run of the graph, and all of its nodes, can ever have what they take: as of run_pool_check(). */
int run_engine_check(const RunEngine *engine, const RunGraph *graph, char **ret_problem);

/* For runs to come; those that are there keep what they have. */
void run_flow_set(RunFlow *flow, const RunSettings *settings);

/* — what happens — */

typedef struct RunSubmit {
        uint32_t id;
        uint64_t key; /* a request with the key of another run is that run's; 0: none */
        RunGraph *graph; /* a reference is taken */
        uint32_t parent, parent_node; /* the run and node that it is the sub-run of; .parent 0: of none */
        bool has_priority;
        uint8_t priority; /* in place of the flow's */
        bool is_paused; /* it begins when a person resumes it, and asks for no place before */
} RunSubmit;

/*
 * 0; with the key of an earlier run nothing is made, and *ret_id is that run's. -EBUSY by OnBusy= or MaxQueued=,
 * -ENOBUFS by MaxQueued= for one that takes something, -EAGAIN while the store is full, -EEXIST for an id that is
 * taken, -ENOMEM, or what run_engine_check() refuses.
 */
int run_engine_submit(RunFlow *flow, const RunSubmit *submit, uint32_t *ret_id);

typedef enum RunEndKind {
        RUN_END_EXITED, /* with a status, or by a signal */
        RUN_END_FAILED, /* it could not be spawned */
        RUN_END_LOST, /* nobody knows what it did */
        RUN_END_INTERRUPTED, /* by a stop of the unit, or a shutdown */
        RUN_END_TIMEOUT, /* a limit that is not the node's own */
        RUN_END_CANCELLED, /* by somebody else */
        RUN_END_REFUSED, /* it must not be done */
        /* These have a status or signal, too, which decides unless it is a success. */
        RUN_END_RESULT_INVALID,
        RUN_END_RESULT_TOO_LARGE,
        RUN_END_OUTPUT_MISSING,
        RUN_END_INPUT_MISSING, /* no process was made, nor will there be one */
        RUN_END_PENDING, /* it has a status or signal, and whatever that is, it has asked for a person */
        RUN_END_WITH_ERRORS, /* the items of a batch are over, and some are errors: a success, but a partial one */
        _RUN_END_KIND_MAX,
} RunEndKind;

/*
 * After a restart, before any attempt is told of as started or ended: the host has @attempt, begun or not. One that the
 * host does not tell of is asked for in the next turn, or ends with whatever would end it before. -ENOENT: there is no
 * such attempt (any more).
 */
int run_engine_known(RunEngine *engine, const RunAttemptKey *attempt);

/* -ENOENT: there is no such attempt (any more). */
int run_engine_started(RunEngine *engine, const RunAttemptKey *attempt, usec_t at);
/* @end: of a kind that has a status or signal, less than RUN_ENDS; else 0. The whole tree is gone. -ENOENT. */
int run_engine_ended(RunEngine *engine, const RunAttemptKey *attempt, RunEndKind kind, uint16_t end);
/* The same; a node that says "not yet" runs again after @again, or for USEC_INFINITY after AgainSec=. */
int run_engine_ended_until(RunEngine *engine, const RunAttemptKey *attempt, RunEndKind kind, uint16_t end,
                           usec_t again);

/*
 * The run of another flow that an attempt is, or has undone, @waits for a person, or does no more: its node is PENDING
 * meanwhile. In a run that ends an attempt that is a run is told to end instead. 1: it has changed; 0: it is so
 * already, or cannot be, because the attempt is to end; -ENOENT.
 */
int run_engine_sub_waits(RunEngine *engine, const RunAttemptKey *attempt, bool waits);
/*
 * An attempt that has the run undone has found it undone by somebody else: from now on it has the locks
 * of the attempt. Whether that was otherwise.
 */
bool run_engine_sub_joins(RunEngine *engine, uint32_t id);

/*
 * The launch of a batch prepares or waits for its owner, or does so no longer: its run is AWAITING meanwhile. 1: it has
 * changed; 0: it is so already, or the run does not go on; -ENOENT.
 */
int run_engine_awaits(RunEngine *engine, const RunAttemptKey *attempt, bool awaits);
/*
 * The launch of a batch wants its run paused, with @reason: as by the verb, and a person resumes it. As above.
 */
int run_engine_pause(RunEngine *engine, const RunAttemptKey *attempt, RunReason reason);

typedef enum RunAnswer {
        RUN_ANSWER_READY,
        RUN_ANSWER_WAIT,
        RUN_ANSWER_NEVER,
        RUN_ANSWER_FAIL,
        RUN_ANSWER_PENDING, /* or no answer that can be read */
        RUN_ANSWER_LOST, /* it was ended before it could answer, by no fault of its own: it is asked again */
        _RUN_ANSWER_MAX,
} RunAnswer;

DECLARE_STRING_TABLE(run_answer, RunAnswer); /* "READY" */

/* The answer of a command that was asked about a node: -ENOENT if nothing waits for it. */
int run_engine_answered(RunEngine *engine, uint32_t run, uint32_t node, uint32_t generation, RunAnswer answer);

/* The time is @now, not earlier than before. */
void run_engine_time(RunEngine *engine, usec_t now);
/* The wall clock shows @realtime when it is @now. */
void run_engine_wall(RunEngine *engine, usec_t now, usec_t realtime);
/* When to tell the time next; USEC_INFINITY: need not be. */
usec_t run_engine_deadline(const RunEngine *engine);

/* The store has the batches up to these numbers, which do not fall but by run_engine_restored(). */
void run_engine_stored(RunEngine *engine, uint32_t accepted, uint32_t durable);

typedef enum RunStore {
        RUN_STORE_OPEN,
        RUN_STORE_TIGHT, /* no attempt is made */
        RUN_STORE_FULL, /* no run is taken, either */
} RunStore;

/* How much the store takes. Ends of attempts, and what people ask for, are always taken. */
void run_engine_set_store(RunEngine *engine, RunStore store);

typedef enum RunUnitEvent {
        RUN_UNIT_ACTIVE, /* the start job has ended well */
        RUN_UNIT_FAILED, /* the start job has failed */
        RUN_UNIT_CANCELLED, /* the start job was cancelled */
        RUN_UNIT_STOP, /* it begins to stop */
        RUN_UNIT_INACTIVE, /* no run is left */
} RunUnitEvent;

/* @by_person: a person has asked for the start or stop; others come from other units. */
void run_flow_unit(RunFlow *flow, RunUnitEvent event, bool by_person);
/*
 * Whether a run waits for the unit to start. A run that is not durable does not: a start that outlived it would make
 * another run.
 */
bool run_flow_wants_unit(const RunFlow *flow);

typedef enum RunVerb {
        RUN_VERB_PAUSE,
        RUN_VERB_RESUME,
        RUN_VERB_STOP, /* nothing new starts, what runs ends by itself */
        RUN_VERB_CANCEL, /* what runs is told to end, too */
        RUN_VERB_RETRY, /* a node, with what was skipped or cancelled below it */
        RUN_VERB_RERUN, /* a node and all below it, of a run that has ended */
        RUN_VERB_AS_SUCCESS, /* these resolve a node */
        RUN_VERB_AS_FAILED,
        RUN_VERB_AS_RETRY,
        RUN_VERB_AS_SKIP,
        RUN_VERB_SKIP, /* a node that does not run */
        RUN_VERB_APPROVE, /* a node that waits at its gate */
        RUN_VERB_REJECT,
        RUN_VERB_COMPENSATE, /* what has succeeded in a run that has ended */
        RUN_VERB_UNLOCK, /* a node that does not run: it gives up all of its locks, as it has taken them */
        _RUN_VERB_MAX,
} RunVerb;

/* -ENOENT: no such run or node; -EINVAL: not in its state. @node is of no account where the verb is about the run. */
int run_engine_verb(RunEngine *engine, uint32_t run, RunVerb verb, uint32_t node);

/*
 * Somebody else completes a node with a callback, in the generation that it is in: at once, or as soon as its attempt
 * succeeds. The same again is the same again. -ENOENT: no such run or node; -EINVAL: not in its state or generation.
 */
int run_engine_complete(RunEngine *engine, uint32_t run, uint32_t node, uint32_t generation, RunCompletion completion);

/*
 * Ends the turn: makes up to @budget attempts (a checkpoint counts as one), and puts and ends the batch if something
 * has changed. Returns whether more can be done at once: then the next turn should come soon.
 */
bool run_engine_turn(RunEngine *engine, uint32_t budget);
/*
 * Of nodes to which nothing has happened no more than that end with their run in a turn: the others do in the next
 * ones, and the run after them. No more than that, too, become READY because their run was submitted: of those that
 * nothing is before, which are WAITING until then. At first there is no limit.
 */
void run_engine_set_slice(RunEngine *engine, uint32_t n_nodes);

/* — the watchdog — */

/* Errors of the engine that the watchdog finds. */
typedef enum RunOversight {
        RUN_OVERSIGHT_PARENTS, /* of a node: they say another state */
        RUN_OVERSIGHT_POLICY, /* the command that judges it was not asked, and all that is above it has ended */
        RUN_OVERSIGHT_READY, /* a node that is READY was none of those that may begin */
        RUN_OVERSIGHT_LOCK, /* it did not wait for what it takes */
        RUN_OVERSIGHT_TIME, /* a node, or the run, had no timer for what is to come */
        RUN_OVERSIGHT_ATTEMPT, /* the host was not to be asked for an attempt that the store has */
        RUN_OVERSIGHT_ITEMS, /* instances have ended, and their node has not */
        RUN_OVERSIGHT_RUN, /* the nodes of a run say another state of it */
        RUN_OVERSIGHT_STUCK, /* nothing of a run can move, and there is nothing to repair */
        _RUN_OVERSIGHT_MAX,
} RunOversight;

DECLARE_STRING_TABLE_TO(run_oversight, RunOversight); /* "nobody was to begin it": of the node, or run */

/* @node: RUN_NODE_NONE is the run itself. It may not change the engine. */
typedef void (*RunOversightVisitor)(void *userdata, uint32_t run, uint32_t node, RunOversight oversight);

/* From here on all runs that live are to be looked at … */
void run_engine_watch_begin(RunEngine *engine);
/*
 * … about @budget nodes and their parents at a time: what can move and does not is told, and repaired. Returns whether
 * more are left. Before run_engine_turn(), which does what follows.
 */
bool run_engine_watch(RunEngine *engine, uint32_t budget, RunOversightVisitor visit, void *userdata);

/* — restart — */

/*
 * A run as it was kept, with all of its rows; .batch of each is known, or else that of the last batch.
 -EEXIST, -EINVAL for rows that cannot be, -ENOMEM: nothing is added.
 */
int run_engine_restore(RunFlow *flow, RunGraph *graph, const RunRow *row, const RunNodeRow *nodes, uint32_t n_nodes);
/* Before run_engine_restored(): the settings of one that was given back, if its flow has others now. -ENOENT. */
int run_engine_restore_settings(RunEngine *engine, uint32_t run, const RunSettings *settings);
/*
 * All runs were given back: the store has batches up to these numbers, the last one was made when it was @then, and
 * it is @now. In another boot, whose clock may be behind, waits last as long as they had to at @then; a deadline in the
 * row of a run is by the clock of @now already. What has become of attempts is told next.
 */
void run_engine_restored(RunEngine *engine, uint32_t accepted, uint32_t durable, usec_t then, usec_t now,
                         bool is_other_boot);

/*
 * The run goes on with @graph, which has all nodes of its graph, by their names, and more. -ENOENT; -EINVAL: it ends
 * already, has instances of Foreach=, a node is missing, or, with a sentence in *@ret_problem (owned; NULL before), one
 * that has begun would depend on a new one, or a new one on one that has ended; -EBUSY: it has sub-runs; -ENOMEM.
 * Nothing has changed then.
 */
int run_engine_grow(RunEngine *engine, uint32_t run, RunGraph *graph, char **ret_problem);

/* The host has something new for the row of a run: it is put again, with the next turn. -ENOENT. */
int run_engine_touch(RunEngine *engine, uint32_t run);
/* The store has lost all rows: those of runs that have not ended are put again, with the next turn. */
void run_engine_put_all(RunEngine *engine);

/* — what can be asked — */

/* Without what it waits for, which takes a look at the other runs of its flow. -ENOENT. */
int run_engine_get_row(const RunEngine *engine, uint32_t run, RunRow *ret_row);
/* -ENOENT. */
int run_engine_get(const RunEngine *engine, uint32_t run, RunRow *ret_row, RunWhy *ret_why);
int run_engine_get_node(const RunEngine *engine, uint32_t run, uint32_t node, RunNodeRow *ret_row, RunWhy *ret_why);
/* Whether something that the run has done is not undone, though the run has what undoes it. */
bool run_engine_can_undo(const RunEngine *engine, uint32_t run);
/* Whether the node has changed since its last row was put. */
bool run_engine_has_changed(const RunEngine *engine, uint32_t run, uint32_t node);
/*
 * A node that is PENDING, or with RUN_NODE_NONE all that are, wait for a person because somebody wants it so: at a
 * gate, or with a sub-run that is paused, or waits so itself.
 */
bool run_engine_waits_on_purpose(const RunEngine *engine, uint32_t run, uint32_t node);
/* The lock or resource that a node, or with RUN_NODE_NONE the run, waits for: 1; 0: none; or -ENOENT. */
int run_engine_get_lock(const RunEngine *engine, uint32_t run, uint32_t node, RunClaimWhy *ret_why);
/* The locks that a node, or with RUN_NODE_NONE the run, holds, by name: NULL once @at is their number. */
const char *run_engine_held_lock(const RunEngine *engine, uint32_t run, uint32_t node, size_t at);
/* The claims that hold locks and resources, or wait for them: as run_pool_visit(). */
void run_engine_visit_locks(const RunEngine *engine, RunLockVisitor visit, void *userdata);
/* How many nodes of a run have each state. -ENOENT. */
int run_engine_tally(const RunEngine *engine, uint32_t run, uint32_t ret_n[static _RUN_NODE_STATE_MAX]);
/* Drops a run that has ended. -EBUSY: it has not, its rows were not put, or it has sub-runs; -ENOENT. */
int run_engine_forget(RunEngine *engine, uint32_t run);
/* Bytes that a run of @n_nodes takes, without what its allocation costs. */
size_t run_engine_bytes(uint32_t n_nodes);
