/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What the model knows
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run_model.h"

/* Who has told an attempt to end: the first decides what becomes of its node. */
typedef enum ModelEnding {
        MODEL_RUNS_ON,
        MODEL_TIMED_OUT,                /* TimeoutSec= of the node */
        MODEL_TIMED_OUT_IN_ALL,         /* TotalTimeoutSec= */
        MODEL_DEADLINE,                 /* of the run */
        MODEL_CANCELLED,
        MODEL_KILLED,                   /* EndMode=kill */
        MODEL_ABANDONED,                /* TimeoutMode=abandon: nobody tells it anything */
        MODEL_UNNEEDED,                 /* a sub-run that waits, and all goals below it have ended */
} ModelEnding;

/* What became of an attempt. */
typedef enum ModelEnd {
        MODEL_IS_LIVE,
        MODEL_SUCCEEDED,
        MODEL_FAILED,                   /* also by its timeout */
        MODEL_ASKS_AGAIN,               /* neither success nor failure: not yet */
        MODEL_ASKS_HUMAN,
        MODEL_LOST,
        MODEL_INTERRUPTED,
        MODEL_WAS_ENDED,                /* by a deadline, a cancel, a kill; or no try can help it */
} ModelEnd;

typedef struct ModelAttempt {
        uint8_t run, node, generation, number;
        uint32_t turn;                  /* that made it */
        uint64_t made_at, started_at;
        bool is_started;
        bool is_abandoned;              /* its node has ended; so it has no other end than MODEL_WAS_ENDED */
        ModelEnding ending;
        ModelEnd end;
} ModelAttempt;

typedef enum ModelHold {
        MODEL_NOT_HELD,
        MODEL_HELD_BY_SYSTEM,           /* until the unit starts again */
        MODEL_HELD_BY_PERSON,           /* until a person starts it, or resumes the run */
} ModelHold;

typedef struct ModelRun {
        TrialRunState state;
        TrialReason reason;
        ModelHold hold;
        uint8_t round;
        uint8_t key;
        uint8_t priority;
        uint32_t place;                 /* among those that wait: lower ones came first */
        uint64_t queued_at;
        uint64_t begun_at;              /* the present round */
        uint64_t deadline;              /* TRIAL_NEVER: none, or it has passed */
        TrialRunState result;           /* of STOPPING */
        TrialReason result_reason;
        TrialNodeView nodes[TRIAL_NODES_MAX];
        uint8_t forgiven[TRIAL_NODES_MAX];      /* attempts before a human's retry: they do not count */
        uint64_t ready_at[TRIAL_NODES_MAX];     /* since when a READY one is */
        bool is_wanted[TRIAL_NODES_MAX];        /* a human has asked for the present generation, or for another try */
        bool is_marked[TRIAL_NODES_MAX];        /* it runs, and nobody needs it */
        bool has_passed[TRIAL_NODES_MAX];       /* its When= was true in the present generation */
        bool is_approved[TRIAL_NODES_MAX];      /* its gate is open in the present generation */
        TrialResolution completion[TRIAL_NODES_MAX];    /* of the present generation … */
        bool is_completed[TRIAL_NODES_MAX];     /* … if there is one */
        bool has_begun[TRIAL_NODES_MAX];        /* in the present generation, without an attempt */
        bool is_asked[TRIAL_NODES_MAX];         /* the command that judges it has not answered */
        bool must_ask[TRIAL_NODES_MAX];         /* a parent has ended since it was asked */
        uint16_t ends_seen[TRIAL_NODES_MAX][TRIAL_PARENTS_MAX]; /* of its parents; 0: has not ended */
        uint64_t wakes_at[TRIAL_NODES_MAX];     /* of one that sleeps */
        bool has_locks[TRIAL_NODES_MAX];
        uint32_t successes, success[TRIAL_NODES_MAX];   /* how many there were, and which one was the node's last */
        bool has_result;                        /* since it has begun to stop, in this round */
        bool wants_undo;                        /* a person has asked for that */
        bool has_turn[TRIAL_NODES_MAX];         /* of an instance: within ForeachParallel= */
        uint16_t rank[TRIAL_NODES_MAX];         /* the place of a node among all, which follow in the order of additions */
        uint8_t way[TRIAL_NODES_MAX];           /* nodes on the longest way from a node to a goal */
        uint8_t additions;                      /* how many there were */
        bool is_deciding;                       /* what follows from the event */
        bool is_ended;                          /* by what follows, once all of that is decided */
} ModelRun;

typedef struct RunModel {
        const TrialDefinition *definition;      /* borrowed */
        uint8_t order[TRIAL_NODES_MAX];         /* nodes, each after those that decide about it */
        uint64_t now;
        uint32_t turn;                  /* the present one, from 1 */
        uint32_t accepted, durable;     /* turns that the store has */
        bool unit_is_active;
        uint32_t places;                /* given so far */
        ModelRun runs[TRIAL_RUNS_MAX];
        uint8_t n_runs;
        ModelAttempt *attempts;         /* all that were ever made; owned */
        size_t n_attempts, room;
} RunModel;

/* — questions — */

#define MODEL_NO_NODE TRIAL_NODES_MAX

bool run_model_is_busy(TrialRunState state);
unsigned run_model_count_busy(const RunModel *model);
/* The node has a process; also one that was abandoned. */
bool run_model_has_process(const RunModel *model, unsigned run, unsigned node);
/* There is one for another process of the run. */
bool run_model_has_place(const RunModel *model, unsigned run);
/* Of nodes of all runs, in the order in which they begin (D15). */
bool run_model_comes_before(const RunModel *model, unsigned run, unsigned node, unsigned other_run, unsigned other);
/* Of nodes of a run. */
bool run_model_is_more_urgent(const RunModel *model, unsigned run, unsigned a, unsigned b);
uint8_t run_model_priority(const RunModel *model, unsigned run, unsigned node);
/* Which run or node that takes something begins next; false: none. */
bool run_model_next_claim(const RunModel *model, bool of_runs, unsigned *ret_run, unsigned *ret_node);
/* What a run (MODEL_NO_NODE) or a node that takes something cannot have; TRIAL_FOR_PLACE: nothing. */
TrialWhy run_model_why_claim(const RunModel *model, unsigned run, unsigned node);
ModelAttempt *run_model_last_attempt(RunModel *model, unsigned run, unsigned node);
ModelAttempt *run_model_live_attempt(RunModel *model, unsigned run, unsigned node);
bool run_model_waits_with_sub_run(const RunModel *model, unsigned run, unsigned node);
/* It is RUNNING, and that is all: nothing has to end … */
bool run_model_is_idle(const RunModel *model, unsigned run, unsigned node);
/* … but a time. */
bool run_model_sleeps(const RunModel *model, unsigned run, unsigned node);
/* A process of the run goes on that was abandoned. */
bool run_model_has_abandoned(RunModel *model, unsigned run);
/* An attempt whose node has ended at the deadline of the run, while its process goes on; NULL. */
ModelAttempt *run_model_abandoned_attempt(RunModel *model, unsigned run, unsigned node);
bool run_model_may_spawn(const RunModel *model, const ModelAttempt *attempt);
/* When @attempt is told to end by a time of its own; TRIAL_NEVER. */
uint64_t run_model_attempt_deadline(const RunModel *model, const ModelAttempt *attempt);
/* When all attempts of the node's generation together have taken too long; TRIAL_NEVER. */
uint64_t run_model_total_deadline(const RunModel *model, unsigned run, unsigned node);
uint64_t run_model_queue_deadline(const RunModel *model, const ModelRun *run);
/* When a READY node has waited too long for its start; TRIAL_NEVER. */
uint64_t run_model_ready_deadline(const RunModel *model, const ModelRun *run, unsigned node);
/* When a node has said "not yet" for too long; TRIAL_NEVER. */
uint64_t run_model_again_deadline(const RunModel *model, unsigned run, unsigned node);
/* What a failure means: with a default for the end in @state, as little as `continue`. */
TrialFailurePolicy run_model_policy(const TrialNode *spec, TrialNodeState state);
/* Counts the nodes on the longest way from each node to a goal, in the graph as it is now. */
void run_model_find_ways(const RunModel *model, ModelRun *run);
/* Marks @goals[i] of all nodes of a run that nothing depends on, and of what is always needed. */
void run_model_find_goals(const RunModel *model, const ModelRun *run, bool *goals);
/* Marks @needed[i] of all nodes that somebody needs. */
void run_model_find_needed(const RunModel *model, unsigned run, bool *needed);
/* What the nodes that have ended make of their run. */
TrialRunState run_model_result(const RunModel *model, const ModelRun *run);
/* Marks @below[i] of all of a run that is below @node. */
void run_model_descendants(const RunModel *model, const ModelRun *run, unsigned node, bool *below);

/* Of a node with Foreach=: it is RUNNING, and its instances decide. */
bool run_model_waits_for_items(const RunModel *model, unsigned run, unsigned node);
/* An instance that ForeachParallel= does not let begin. */
bool run_model_is_bounded(const RunModel *model, unsigned run, unsigned node);

/* — changes — */

/* A human has changed something in a run that waited for that. */
void run_model_wake(ModelRun *run);
/* A next generation, which nobody has decided anything about. */
void run_model_reset(RunModel *model, unsigned run, unsigned node);
/* Forgets the list of a node. */
void run_model_drop_items(RunModel *model, unsigned run, unsigned node);
void run_model_reset_items(RunModel *model, unsigned run, unsigned node);
void run_model_begin_list(RunModel *model, unsigned run, unsigned node);
/* An instance keeps its turn beside its sub-run that waits, or beside a lock that it keeps. */
bool run_model_keeps_turn(const RunModel *model, unsigned run, unsigned node);
/* An instance has another state: it may take a turn, or give one back. */
void run_model_take_turn(RunModel *model, unsigned run, unsigned node);
void run_model_give_turns(RunModel *model, unsigned run);
/* Nodes all of whose instances have ended do so. */
void run_model_end_lists(RunModel *model, unsigned run);

void run_model_set(RunModel *model, unsigned run, unsigned node, TrialNodeState state, TrialReason reason);
/* The run ends with @result, unless it does so already; attempts are told to end unless @ending is MODEL_RUNS_ON. */
void run_model_stop(RunModel *model, unsigned run, TrialRunState result, TrialReason reason, ModelEnding ending);
/* The node's parents allow it to run: what does When= say? */
void run_model_become_ready(RunModel *model, unsigned run, unsigned node);
/* A node has failed that ends the run: now, or once all that follows from the event is decided. */
void run_model_end_by_node(RunModel *model, unsigned run);
void run_model_succeed(RunModel *model, unsigned run, unsigned node, TrialReason reason);
/* The node fails whatever its policy is; but `end` ends the run. */
void run_model_fail_once(RunModel *model, unsigned run, unsigned node, TrialReason reason);
/* A failure after which the node is not tried again. */
void run_model_fail(RunModel *model, unsigned run, unsigned node, TrialNodeState state, TrialReason reason);
void run_model_end_attempt(RunModel *model, ModelAttempt *attempt, const TrialEvent *event);
/* What somebody else has said that the node has become. */
void run_model_take_completion(RunModel *model, unsigned run, unsigned node);
/* A node that waits with its sub-run is RUNNING again. */
void run_model_go_on(RunModel *model, unsigned run, unsigned node);
/* The run ends: nothing of it waits for a person. A stop is handed down; else what might wait for ever is told to end. */
void run_model_end_wait(RunModel *model, unsigned run, unsigned node, ModelEnding ending);
void run_model_tell_end(RunModel *model, ModelAttempt *attempt, ModelEnding ending);
/* The end of a node that is idle, since its run ends. */
void run_model_end_idle(RunModel *model, unsigned run, unsigned node);
/* Everything that follows from what is there, until nothing more does. */
void run_model_settle(RunModel *model);
/* What a command that judges a node has said. */
int run_model_answer(RunModel *model, const TrialEvent *event);
/* READY nodes get attempts. */
void run_model_dispatch(RunModel *model);
/* Everything that is due at the present time. */
void run_model_pass_time(RunModel *model);
/* The result is fixed, though a compensation may wait for a person. */
bool run_model_is_ending(const ModelRun *run);
bool run_model_is_undone(const RunModel *model, const ModelRun *run, unsigned node);
/* Nothing else is left of a run that stops: goes on with its end. Returns false when that is done, too. */
bool run_model_end_step(RunModel *model, unsigned run);
/* @has_begun: in this round; then the final command runs all the same. */
void run_model_give_up(RunModel *model, unsigned run, bool has_begun);
int run_model_compensate(RunModel *model, unsigned run);
/* Marks what has to be done again in a next round, because it was undone. */
void run_model_redo(RunModel *model, unsigned run, bool *is_reset);
/* What people and units ask for. Returns -EINVAL where the state does not allow it, -EBUSY for a busy unit. */
int run_model_ask(RunModel *model, const TrialEvent *event);
