/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Attempts: the processes that execute nodes of runs
 *
 * An attempt is an owner of processes (process_owner.h): ExecStartPre=, the
 * command of the node, ExecStopPost=. It has a control group in that of its
 * flow, and is over when its whole tree is gone. What ended it first is its
 * end, whatever comes after.
 *
 * The attempt of a node with Unit= is a job of that unit instead (manager_use.h):
 * it has no process, and is over when the job is. That of a node with Flow= is a
 * run of that flow (manager_run_sub.c), and over when the end of the run is durable. What RequiresUnit= and its kin
 * want comes before both, and units that they name are held until the end. A
 * question to a command that judges a node is one that has no row: nothing is
 * lost with it.
 *
 * Attempts are recorded in the state of the manager until the end is durable
 * in the store of runs, so that no death of core loses how one has ended.
 *
 * The attempt of the node of a batch is a launch (manager_launch.h), which has
 * no process itself; each of its items is an attempt, which has no row in the
 * store, and is forgotten when its end is told.
 */

#include "basic/record.h"
#include "flow/flow_definition.h"
#include "manager/manager_log.h"
#include "manager/manager_run_row.h"
#include "manager/manager_turn.h"
#include "manager/manager_use.h"
#include "manager/manager_attempt_state.h"
#include "process/process_errand.h"
#include "process/process_group.h"
#include "process/process_kept.h"
#include "process/process_timer.h"
#include "run/run_stream.h"

typedef struct ManagerAttempts ManagerAttempts;
typedef struct ManagerLaunch ManagerLaunch; /* manager_launch.h */

/* The run that an attempt of a node with Flow= is, or that the compensation of such a node has undone. */
typedef struct ManagerSub {
        uint32_t run; /* 0: its number is not known yet */
        uint64_t ticket; /* of what was asked for last */
        usec_t not_before; /* something cannot be asked for before then */
        bool is_asked; /* an answer is to come */
        bool is_unknown; /* there is no run yet: so says the store */
        bool is_told; /* the run was told to end; these are passed down, too: … */
        bool is_paused; /* … the parent was paused, and the run with it, as the store knows */
        bool is_told_pause; /* the same, as the store need not know yet: not recorded */
        bool is_stopped; /* … the parent was stopped */
        bool is_undo; /* of a compensation; not recorded */
        bool is_undone; /* nothing is left of the run; not recorded */
        bool is_undoing; /* the run was told to undo what it has done, as the store knows */
        uint64_t undone; /* the number of the success that was undone last; 0: none was */
        bool has_changed; /* in a step, so that it is to be recorded */
        char *refusal; /* owned: why the run was not undone when it was told to last; NULL: it was not; not recorded */
        bool has_end; /* the following are set */
        RunEndKind kind;
        char *problem; /* owned; NULL: none */
        char *result; /* owned: a value of JSON; NULL: none */
} ManagerSub;

typedef struct ManagerAttemptsOps {
        /* Adds what every process of this manager gets. 0, or < 0 with @result set: none is to be made. */
        int (*surround)(void *userdata, ExecRequest *request, ExecResult *result);
        ProcessOwner *(*owner_of)(void *userdata, Unit *unit); /* NULL: no memory */
        /* The words of a command with values of its run; the caller owns them. As manager_run_substitute(). */
        int (*substitute)(void *userdata, const RunAttemptKey *key, const ExecCommand *command, char ***ret_argv,
                          char **ret_problem);
        const char *(*token_of)(void *userdata, const RunAttemptKey *key); /* of Callback=; NULL: none */
        char *const *(*environment_of)(void *userdata, uint32_t run); /* that all attempts of the run have */
        /* The element of a stream with that number, which is out: 0 or -ENOENT. */
        int (*element_of)(void *userdata, const RunAttemptKey *key, uint64_t element, RunStreamBegin *ret_element);
        RunState (*result_of)(void *userdata, uint32_t run); /* of one that is about to end */
        /*
         * What the attempt is given, as JSON that the caller owns; files that the JSON names are put into @folder. 0;
         * -ENODATA with a sentence, which the caller owns, if something that the node needs is not there; -ENOENT if
         * @folder is NULL and there are such files; or -errno.
         */
        int (*input)(void *userdata, const RunAttemptKey *key, const char *folder, char **ret_json,
                     char **ret_problem);
        /* Parameters of the run and, with @has_results, results of parents: InputMode=env, Script=. */
        int (*variables)(void *userdata, const RunAttemptKey *key, bool has_results, char ***environment);
        /* The same for the command that judges a node; nothing can lack. */
        int (*question)(void *userdata, const RunAttemptKey *key, const char *folder, char **ret_json);
        /* The answer to a question; @reason: borrowed; NULL: none. */
        void (*answered)(void *userdata, const RunAttemptKey *key, const Unit *unit, RunAnswer answer,
                         const char *reason);
        /* Nodes for its run, below its own, as in NodesFile=. 0, or -errno with a sentence, which the caller owns. */
        int (*add_nodes)(void *userdata, const RunAttemptKey *key, const char *lines, char **ret_problem);
        /* As runstore_client_collect(). */
        int (*collect)(void *userdata, int fd, uint64_t n_max, uint32_t run, uint64_t *ret_number);
        /* A worker runs; @fd: its standard input and output, which its attempt owns. */
        void (*connected)(void *userdata, const RunAttemptKey *key, int fd);
        /* .started: its first process runs; .ended: all are gone. */
        void (*started)(void *userdata, const RunAttemptKey *key);
        void (*ended)(void *userdata, const RunAttemptKey *key, Unit *unit, RunEndKind kind, uint16_t end);
        /* An attempt of @unit that no run knows is gone. */
        void (*dropped)(void *userdata, Unit *unit);
        /*
         * Of an attempt that is a run: submits it, tells it what its parent was told and, with @ends, to end, and looks
         * what has become of it.
         */
        void (*step_sub)(void *userdata, const RunAttemptKey *key, ManagerSub *sub, bool ends);
        /* Of one that is a launch: issues items, or with @ends no more. */
        void (*step_launch)(void *userdata, const RunAttemptKey *key, ManagerLaunch *launch, bool ends);
        void (*abandon_launch)(void *userdata, const RunAttemptKey *key); /* its items are left */
} ManagerAttemptsOps;

typedef struct ManagerAttemptsHost {
        ManagerTurn *turn; /* all borrowed */
        ProcessErrands *errands;
        ProcessTable *processes;
        ProcessTimers *timers;
        ProcessGroups *groups;
        ManagerLog *const *log;
        const char *folder; /* for folders of attempts, and files of large results */
        const char *run_folders; /* for folders of runs; NULL: there are none */
        ManagerJobs *jobs;
        ProcessKept *kept; /* borrowed */
        const ManagerAttemptsOps *ops;
        void *userdata;
} ManagerAttemptsHost;

int manager_attempts_new(ManagerAttempts **ret_attempts, const ManagerAttemptsHost *host);
ManagerAttempts *manager_attempts_free(ManagerAttempts *attempts); /* the processes stay */

/*
 * Begins an attempt of a node of @graph, which is that of @definition with instances, as part of @unit, which stays
 * loaded as long as it has attempts; @id: its row. 0, -EEXIST if it is there, or -ENOMEM.
 */
int manager_attempts_begin(ManagerAttempts *attempts, const RunAttemptKey *key, uint64_t id, Unit *unit,
                           FlowDefinition *definition, RunGraph *graph);
/* The same for an item of a batch; it has no row. */
int manager_attempts_begin_item(ManagerAttempts *attempts, const RunAttemptKey *key, const ManagerAttemptItem *item,
                                Unit *unit, FlowDefinition *definition, RunGraph *graph);
/* The same for a worker, which executes many: .connected follows, or .ended. */
int manager_attempts_begin_worker(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit,
                                  FlowDefinition *definition, RunGraph *graph);
/*
 * Asks the command of [Policy …] that judges the node, whose number of an attempt is 0: .answered follows, unless the
 * manager ends before. A question about the node that is there is dropped. 0 or -ENOMEM.
 */
int manager_attempts_ask(ManagerAttempts *attempts, const RunAttemptKey *key, Unit *unit, FlowDefinition *definition,
                         RunGraph *graph);
/* Nobody waits for the answer any more: ends the command, if there is one. */
void manager_attempts_end_question(ManagerAttempts *attempts, uint32_t run, uint32_t node, uint32_t generation);
/*
 * Asks for the jobs that attempts want, and looks what became of those that were asked for: at the end of a turn, not
 * from inside the engine of runs. True if that has told something, so that another turn is to follow.
 */
bool manager_attempts_step(ManagerAttempts *attempts);
/* Ends the processes of an attempt, or interrupts those of all attempts of @unit. */
void manager_attempts_end(ManagerAttempts *attempts, const RunAttemptKey *key);
/* Leaves the processes of an attempt, whose end counts for nothing; one that has none yet gets none. */
void manager_attempts_abandon(ManagerAttempts *attempts, const RunAttemptKey *key);
void manager_attempts_interrupt(ManagerAttempts *attempts, const Unit *unit);
/*
 * Ends the processes of attempts that were interrupted and wait for their definition, as the settings of @unit say:
 * nobody waits for the store any more.
 */
void manager_attempts_force(ManagerAttempts *attempts, const Unit *unit);
/* At the end of a turn, when no batch is open: gives the store what is to be kept there. */
void manager_attempts_store(ManagerAttempts *attempts);
/* Another store process, with all up to @durable, does not answer to these numbers any more: it is asked again. */
void manager_attempts_store_again(ManagerAttempts *attempts, uint64_t durable);
/* The store has the file that was collected under @number, or has refused it. False: that is none of an attempt. */
bool manager_attempts_stored(ManagerAttempts *attempts, uint64_t number, const uint8_t *hash);
bool manager_attempts_refused(ManagerAttempts *attempts, uint64_t number, bool is_too_large);
/* The ends that were told since the last call are in @batch of the store … */
void manager_attempts_note_batch(ManagerAttempts *attempts, uint64_t batch);
/* … which has all up to @durable: these are forgotten. */
void manager_attempts_forget_stored(ManagerAttempts *attempts, uint64_t durable);

/* — after a restart — */

/*
 * Gives a restored attempt the definition of its run, and tells its start and end again. @has_to_end: its run has told
 * it to end. -ENOENT if there is none.
 */
int manager_attempts_resume(ManagerAttempts *attempts, const RunAttemptKey *key, FlowDefinition *definition,
                            RunGraph *graph, bool has_to_end);
/* The same for all items of the launch of a run. */
void manager_attempts_resume_items(ManagerAttempts *attempts, uint32_t run, FlowDefinition *definition,
                                   RunGraph *graph);
/*
 * Another image of the program takes over: it gets the descriptors of workers, and launches as they are. False: none
 * does, after all.
 */
void manager_attempts_hand_over(ManagerAttempts *attempts, bool is_handed_over);
/*
 * The descriptor of a worker; -EAGAIN: its process is still to be made; -ENOENT: it has none, since another core
 * than that before this one has died.
 */
int manager_attempts_worker_fd(const ManagerAttempts *attempts, const RunAttemptKey *key);
/* Attempts of elements of a run, which are resumed when its stream is loaded. */
void manager_attempts_know_elements(ManagerAttempts *attempts, uint32_t run);
/* Kills attempts that no run has asked for, and forgets them; abandoned ones go on. */
void manager_attempts_drop_unknown(ManagerAttempts *attempts);

/* — what can be asked — */

bool manager_attempts_has(const ManagerAttempts *attempts, const RunAttemptKey *key);
bool manager_attempts_is_live(const ManagerAttempts *attempts, const RunAttemptKey *key); /* it is not over */
/* The facts of an attempt; valid until the next turn. -ENOENT. */
int manager_attempts_get(const ManagerAttempts *attempts, const RunAttemptKey *key, ManagerAttemptFacts *ret_facts);
/* How many attempts of @unit are not over; those that are runs of other flows do not count. */
unsigned manager_attempts_count(const ManagerAttempts *attempts, const Unit *unit);
/* How many of these no signal ends: their definition, or the place of their result, is in the store. */
unsigned manager_attempts_count_stuck(const ManagerAttempts *attempts, const Unit *unit);
/* The launch of a run, to be changed, and its key; NULL: it has none that is not over. */
ManagerLaunch *manager_attempts_find_launch(const ManagerAttempts *attempts, uint32_t run, RunAttemptKey *ret_key);
/* The same with the key of a launch, also of one that is over; NULL: there is none. */
ManagerLaunch *manager_attempts_get_launch(const ManagerAttempts *attempts, const RunAttemptKey *key);
/* Of launches of a run that have a number, also those that are over, the first one behind number @after; NULL: none. */
ManagerLaunch *manager_attempts_next_launch(const ManagerAttempts *attempts, uint32_t run, uint32_t after);
/* All launches. @visit: whether the record of the launch has changed. */
void manager_attempts_visit_launches(const ManagerAttempts *attempts,
                                     bool (*visit)(void *userdata, ManagerLaunch *launch), void *userdata);
/* Attempts of items of a run that are not over. @visit may end them. */
void manager_attempts_visit_items(const ManagerAttempts *attempts, uint32_t run,
                                  void (*visit)(void *userdata, const RunAttemptKey *key, uint64_t item),
                                  void *userdata);
uint32_t manager_attempts_count_items(const ManagerAttempts *attempts, uint32_t run);
/* The text of that item; NULL: it has none, or is not there. */
const char *manager_attempts_get_text(const ManagerAttempts *attempts, const RunAttemptKey *key);
/* The descriptor of the output of an attempt that reads items; -1: the output is lost. */
int manager_attempts_get_output(const ManagerAttempts *attempts, const RunAttemptKey *key);
/* The attempt of an element. */
typedef struct ManagerElementAttempt {
        RunAttemptKey key;
        uint64_t sequence;
        uint32_t issue, tries; /* its number; how often the element had failed before */
        bool is_over; /* it is kept until the store has its end */
} ManagerElementAttempt;

/* Attempts of elements of a run, also those that are over. @visit may end them. */
void manager_attempts_visit_elements(const ManagerAttempts *attempts, uint32_t run,
                                     void (*visit)(void *userdata, const ManagerElementAttempt *attempt),
                                     void *userdata);
int manager_attempts_get_element(const ManagerAttempts *attempts, const RunAttemptKey *key,
                                 ManagerElementAttempt *ret_attempt); /* 0 or -ENOENT */
/* The ends of attempts of elements may be in no batch: they are told again when they are resumed. */
void manager_attempts_untell_elements(ManagerAttempts *attempts, uint32_t run);
/* Items of a run that are over, and are kept until the store has their ends. */
size_t manager_attempts_count_kept(const ManagerAttempts *attempts, uint32_t run);
/* The end of an element has been taken, and is in the next batch. */
void manager_attempts_note_told(ManagerAttempts *attempts, const RunAttemptKey *key);
/* The item that an attempt executes, and how often it has failed before; @ret_is_told: it was told to end. -ENOENT. */
int manager_attempts_get_item(const ManagerAttempts *attempts, const RunAttemptKey *key, uint64_t *ret_item,
                              uint32_t *ret_tries, bool *ret_is_told);
/* The run that an attempt is, or, to be changed, the one that has asked with @ticket; NULL: there is none. */
const ManagerSub *manager_attempts_get_sub(const ManagerAttempts *attempts, const RunAttemptKey *key);
ManagerSub *manager_attempts_change_sub(const ManagerAttempts *attempts, uint64_t ticket);
/* Says which units a running attempt waits for, as manager_uses_explain(). */
bool manager_attempts_explain(const ManagerAttempts *attempts, const RunAttemptKey *key, Text *text);
/* The node of an abandoned attempt of @run that is not over, "?" if its name is not known; NULL: there is none. */
const char *manager_attempts_find_abandoned(const ManagerAttempts *attempts, uint32_t run);
/* The attempt that holds @unit, as "run 17, node x", until the next call; NULL: none does. */
const char *manager_attempts_find_holder(ManagerAttempts *attempts, const Unit *unit);
ProcessOwner *manager_attempts_find_owner(const ManagerAttempts *attempts, const char *name);

/* — records — */

void manager_attempts_write(const ManagerAttempts *attempts, uint32_t number, RecordWriter *writer);
int manager_attempts_next(const ManagerAttempts *attempts, uint32_t number, uint32_t *ret_number);
int manager_attempts_read(ManagerAttempts *attempts, UnitTable *units, uint32_t number, RecordReader *reader,
                          unsigned *n_processes);
/* Returns true if a process in the record still runs. */
bool manager_attempts_look(RecordReader *reader);
int manager_attempts_tell_lost(ManagerAttempts *attempts); /* as process_table_tell_lost() */
