/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * One attempt: its steps, from the first command until its tree is gone
 *
 * ExecStartPre= commands, the command, the end of what is left of the tree,
 * ExecStopPost= commands, and again the end of the tree; then its result is
 * taken, and its end is told. A step goes on by itself when a process has
 * ended or a time has come. The attempt that is a job or a run of others has
 * no steps of its own: it is told how it ends (manager_attempt_job.h).
 */

#include "manager/manager_attempt_command.h"
#include "manager/manager_attempt_report.h"
#include "manager/manager_control.h"

typedef struct ManagerAttempt ManagerAttempt;

/* Data that all attempts of the manager have in common. */
typedef struct ManagerAttemptShared {
        ManagerAttemptsHost host;
        const ProcessOwnerOps *ops; /* static: of each as an owner of processes */
        ManagerControlWatches watches;
        size_t n_told; /* attempts whose end is in the next batch */
        size_t n_to_store; /* results for the store */
        size_t n_using; /* attempts that have uses of units, or are runs or launches */
        size_t n_items_over; /* items whose end is told: they are to be forgotten */
} ManagerAttemptShared;

/*
 * An attempt with the number of its record, which knows nothing yet. @shared: borrowed; @unit gets a reference.
 * 0 or -ENOMEM.
 */
int manager_attempt_new(ManagerAttempt **ret_attempt, ManagerAttemptShared *shared, const RunAttemptKey *key,
                        Unit *unit, uint32_t number);
ManagerAttempt *manager_attempt_free(ManagerAttempt *attempt); /* the processes stay */

/* — how it begins and ends — */

/* @id: of its row. 0 or -ENOMEM. */
int manager_attempt_begin(ManagerAttempt *attempt, uint64_t id, FlowDefinition *definition, RunGraph *graph);
/* An attempt that executes an item of a batch, or an element of a stream. */
int manager_attempt_begin_item(ManagerAttempt *attempt, const ManagerAttemptItem *item, FlowDefinition *definition,
                               RunGraph *graph); /* 0 or -ENOMEM */
int manager_attempt_begin_worker(ManagerAttempt *attempt, FlowDefinition *definition, RunGraph *graph); /* the same */
void manager_attempt_ask(ManagerAttempt *attempt, FlowDefinition *definition, RunGraph *graph); /* it is a question */
void manager_attempt_stop(ManagerAttempt *attempt); /* also one that ends */
void manager_attempt_interrupt(ManagerAttempt *attempt); /* the same, for the unit is stopped */
/* Ends the process of an attempt without a definition, which goes on when it has one. */
void manager_attempt_force(ManagerAttempt *attempt);
void manager_attempt_abandon(ManagerAttempt *attempt);
/* Kills what is left of it, and tells nobody; it is forgotten. */
void manager_attempt_drop(ManagerAttempt *attempt);

/* — what it is told — */

void manager_attempt_hear(ManagerAttempt *attempt, int watch); /* of the folder: see manager_control_watch() */
/* Watches its folder, if it runs and that is due: see manager_attempt_control_watch_due(). */
void manager_attempt_watch(ManagerAttempt *attempt, usec_t at, usec_t *next);
int manager_attempt_output(const ManagerAttempt *attempt); /* see manager_attempts_get_output() */
void manager_attempt_store(ManagerAttempt *attempt); /* gives the store what is for it */
void manager_attempt_store_again(ManagerAttempt *attempt, uint64_t durable); /* see manager_attempts_store_again() */
/* See manager_attempts_stored(): false: it has asked for nothing with this number. */
bool manager_attempt_stored(ManagerAttempt *attempt, uint64_t number, const uint8_t *hash);
bool manager_attempt_refused(ManagerAttempt *attempt, uint64_t number, bool is_too_large);
/* Nothing of it is left to be done: its record and its folder go, and it is to be freed. */
void manager_attempt_forget(ManagerAttempt *attempt);
/* The same, but the record may stay for a while: its end is durable, and a core that reads it forgets it, too. */
void manager_attempt_forget_later(ManagerAttempt *attempt);
void manager_attempt_resume(ManagerAttempt *attempt, FlowDefinition *definition, RunGraph *graph, bool has_to_end);
void manager_attempt_hand_over(ManagerAttempt *attempt, bool is_handed_over); /* see manager_attempts_hand_over() */
void manager_attempt_know(ManagerAttempt *attempt); /* a run will resume it */
void manager_attempt_go_alone(ManagerAttempt *attempt); /* it is abandoned, and no run asks for it any more */

/* — what processes ask and tell: see process_owner.h — */

ManagerAttempt *manager_attempt_of(ProcessOwner *owner);
int manager_attempt_prepare(ManagerAttempt *attempt, UnitPurpose purpose, ExecRequest *request, ExecResult *result);
void manager_attempt_note_process(ManagerAttempt *attempt, pid_t pid, const ExecResult *result);
void manager_attempt_note_exit(ManagerAttempt *attempt, const UnitExit *exit);
void manager_attempt_note_time(ManagerAttempt *attempt, UnitPurpose purpose); /* a timer has elapsed */
void manager_attempt_note_empty(ManagerAttempt *attempt); /* the control group has no processes any more */

/* — what can be asked — */

const ManagerAttemptState *manager_attempt_state(const ManagerAttempt *attempt);
const ManagerAttemptBasis *manager_attempt_basis(const ManagerAttempt *attempt);
int manager_attempt_worker_fd(const ManagerAttempt *attempt); /* -1: none */
ManagerAttemptReport *manager_attempt_report(ManagerAttempt *attempt);
const char *manager_attempt_node(const ManagerAttempt *attempt); /* its name; NULL: not known yet */
ProcessOwner *manager_attempt_owner(ManagerAttempt *attempt);
bool manager_attempt_is_known(const ManagerAttempt *attempt); /* a run has asked for it */
bool manager_attempt_is_stuck(const ManagerAttempt *attempt); /* only the store can bring it to an end */
bool manager_attempt_uses_others(const ManagerAttempt *attempt); /* it is to be looked at in each turn */
bool manager_attempt_waits_for_units(const ManagerAttempt *attempt); /* before its first command */
void manager_attempt_get(const ManagerAttempt *attempt, ManagerAttemptFacts *ret_facts); /* valid until the next turn */

/* — for manager_attempt_job.h: what it is beside processes — */

ManagerUses *manager_attempt_uses(ManagerAttempt *attempt);
ManagerSub *manager_attempt_sub(ManagerAttempt *attempt);
ManagerLaunch *manager_attempt_launch(ManagerAttempt *attempt);
void manager_attempt_mark(const ManagerAttempt *attempt); /* its record is to be written again */
void manager_attempt_complain(ManagerAttempt *attempt, const char *problem); /* the first one is what it fails by */
void manager_attempt_cancel_job(ManagerAttempt *attempt); /* that its node is */
void manager_attempt_note_begun(ManagerAttempt *attempt); /* what it asked others for is there */
/* Units that it needs are there; or not, and it ends so. */
void manager_attempt_go_on(ManagerAttempt *attempt);
void manager_attempt_fail(ManagerAttempt *attempt, RunEndKind kind);
/* A unit that it is bound to is gone. */
void manager_attempt_end_lost(ManagerAttempt *attempt);
/* The job or the run has ended: its result is what is in the folder, as if a command had left that. */
void manager_attempt_end_job(ManagerAttempt *attempt, RunEndKind kind);
void manager_attempt_look_at(ManagerAttempt *attempt, usec_t delay);
void manager_attempt_look_again(ManagerAttempt *attempt); /* soon */

/* — records — */

void manager_attempt_write(const ManagerAttempt *attempt, RecordWriter *writer); /* behind the name of its unit */
/* Behind the key, too. 0, -EBADMSG or -ENOMEM. */
int manager_attempt_read(ManagerAttempt *attempt, RecordReader *reader, unsigned *n_processes);
