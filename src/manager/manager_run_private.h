/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs, for the files of manager_run
 */

#include "basic/id_map.h"
#include "basic/json_tree.h"
#include "manager/manager_alarm.h"
#include "manager/manager_run.h"
#include "manager/manager_run_outbox.h"
#include "manager/manager_target.h"
#include "runstore/sha256.h"
#include "unitfile/file_state.h"

typedef struct ManagerFlow ManagerFlow;

/* The result and the exit of a node's last attempt, of which the engine knows nothing. */
typedef struct ManagerNodeData {
        ManagerResult *result; /* a reference; NULL: none */
        uint32_t generation, number; /* of that attempt; 0: none has ended */
        int16_t exit, signal; /* -1: none */
        char *token; /* owned: with which somebody else completes it, of its last generation; NULL: none */
        bool is_completed; /* .result is of who has done that */
        uint32_t cause; /* the node that has failed first, plus one, when it was last looked for; 0: it was not */
} ManagerNodeData;

/* A node as the last batch has it: what follows is told once. */
typedef struct ManagerRunMark {
        uint32_t number; /* of its last attempt */
        uint32_t state : 8, generation : 24;
} ManagerRunMark;

/* The list of a node with Foreach=, as long as instances are executed. */
typedef struct ManagerItems {
        uint32_t node;
        JsonTree tree; /* owned */
        const JsonValue **values; /* owned: each item, in .tree */
        uint32_t n;
} ManagerItems;

typedef struct ManagerReaders ManagerReaders;

/* The last answer of the command that judges a node. */
typedef struct ManagerSaying {
        uint32_t node, generation;
        RunAnswer answer;
        char *reason; /* owned; NULL: none */
} ManagerSaying;

/* A run that lives, or that a person wants to go on. */
typedef struct ManagerRun {
        struct ManagerRun *next, *previous; /* of the flow */
        ManagerFlow *flow; /* borrowed */
        uint32_t id;
        FlowDefinition *definition; /* a reference */
        RunGraph *graph; /* a reference: that of the definition, or with instances of Foreach= */
        VECTOR(ManagerItems) items; /* owned */
        ManagerRunFacts facts;
        ManagerNodeData *data; /* owned: of each node */
        ManagerRunMark *marks; /* owned: of each node */
        ManagerReaders *readers; /* owned: who may read results still; NULL: not looked at yet */
        VECTOR(ManagerSaying) sayings; /* of nodes that a command judges */
        uint64_t put_sequence; /* .facts.sequence as its row has it */
        RunState put_state; /* as the store has it */
        RunState told_state; /* that others were told of by Notify= … */
        bool is_told; /* … if any was */
        bool must_tell_alarm; /* that it is suspended, by Notify= */
        usec_t summary_at; /* of the next summary, by the clock of the engine; 0: not set yet */
        bool is_put; /* the store has a row of it */
        bool has_grown; /* the store lacks its definition */
        bool is_new; /* in the batch at hand */
        bool is_over; /* it has ended, by its last row */
        uint32_t told_round; /* whose end others were told of; 0: none */
        uint64_t batch; /* with its last row */
} ManagerRun;

/* The texts of a definition, as they were read. */
typedef struct ManagerTexts {
        uint8_t hash[MANAGER_RUN_HASH_BYTES]; /* of both */
        uint8_t nodes_hash[SHA256_BYTES]; /* of NodesFile= */
        SeenFile nodes;
} ManagerTexts;

typedef struct ManagerNodes ManagerNodes;

/* A definition that was read: a large one takes long to read, and to write. */
typedef struct ManagerKept {
        FlowDefinition *definition; /* a reference; NULL: none */
        ManagerTexts texts;
        bool is_stored; /* the store has it */
} ManagerKept;

/* A flow with runs. */
struct ManagerFlow {
        struct ManagerFlow *next, *previous;
        Unit *unit; /* a reference */
        RunFlow *engine; /* owned by the engine of runs */
        ManagerRun *first;
        ManagerKept kept; /* of the last submission */
        bool is_starting; /* its start job waits for a submission */
        bool is_stopping; /* its stop waits for attempts */
        bool has_failed, has_succeeded; /* a run has, since it became active */
        bool is_news; /* the unit is to be told */
        const char *problem; /* why its start has failed; static */
};

/* The definition of the last flow that had no runs any more. */
typedef struct ManagerSpare {
        ManagerKept kept;
        char *unit; /* owned: its name, since the unit need not stay */
} ManagerSpare;

/* A submission that waits for the store or for its definition. */
typedef struct ManagerSubmit {
        struct ManagerSubmit *next;
        ManagerFlow *flow; /* borrowed */
        FlowDefinition *definition; /* a reference; NULL: not begun */
        ManagerTexts texts; /* of it */
        ManagerNodes *nodes; /* owned: NodesFile=, while it is read; NULL */
        char *key, *trigger; /* owned */
        char *name; /* owned: that is asked for; NULL: as RunName= says */
        char **params; /* owned: assignments, as run_param.h has them */
        ManagerRunFacts facts; /* of the run: what was asked for, and the rest before it is submitted */
        ManagerRunTicket ticket;
        bool is_start; /* of the unit's start job */
        bool has_priority;
        uint8_t priority;
        uint64_t query; /* for a run with the key, or with the name; 0: none is under way */
        bool is_new; /* no run has the key */
        bool has_facts, is_free; /* .facts are whole; no run has the name */
        uint32_t found; /* the run that has it; 0: none */
} ManagerSubmit;

/* A command for a run that is being loaded. */
typedef struct ManagerPending {
        struct ManagerPending *next;
        uint32_t id;
        RunVerb verb;
        bool is_delete, stops;
        RunCompletion completion;
        char *token, *result; /* owned */
        char *node, *lines, *lock, *comment, *operator, *reqid; /* owned */
        uint32_t uid;
        bool must_be_allowed;
        ManagerRunTicket ticket;
} ManagerPending;

/* An answer that waits until a batch is durable. */
typedef struct ManagerAwaited {
        ManagerRunTicket ticket;
        ManagerRunAnswerKind kind;
        uint32_t run;
        uint64_t batch; /* 0: the one at hand */
} ManagerAwaited;

/* An acknowledgement that is to be made in the next turn. */
typedef struct ManagerAcknowledgement {
        uint64_t alarm;
        char *operator; /* owned */
        uint32_t uid;
        ManagerRunTicket ticket;
} ManagerAcknowledgement;

typedef struct ManagerAsked {
        uint64_t query;
        ManagerRunTicket ticket;
        uint32_t run; /* that it is about; 0: several */
        RunStoreTable table;
} ManagerAsked;

/* A run that has ended in this turn. */
typedef struct ManagerRunEnd {
        const Unit *unit; /* borrowed from the flow, which stays until the end of the turn */
        JobRunEnd end;
} ManagerRunEnd;

typedef struct ManagerRunLoad ManagerRunLoad;
typedef struct ManagerTrigger ManagerTrigger;
typedef struct ManagerRetention ManagerRetention;
typedef struct ManagerOutline ManagerOutline;
typedef struct ManagerReading ManagerReading;

#define MANAGER_RUN_OUTLINED 64U /* definitions that are remembered */

struct ManagerRuns {
        ManagerRunsHost host;
        ManagerAttempts *attempts; /* owned */
        char *run_folders; /* owned: for RunDirectory=; NULL: there is no store */
        ManagerRunLink *link; /* owned */
        RunEngine *engine; /* owned */
        ManagerFlow *flows;
        ManagerSpare spare;
        IdMap by_id; /* ManagerRun */
        ManagerSubmit *submits; /* owned, in their order */
        ManagerPending *pending; /* owned */
        ManagerRetention *retentions; /* owned */
        ManagerReading *readings; /* owned: results that clients wait for */
        ManagerOutline *outlines; /* owned: of definitions that the store is to get, in their order */
        uint8_t outlined[MANAGER_RUN_OUTLINED][MANAGER_RUN_HASH_BYTES]; /* that it has; a ring */
        size_t n_outlined;
        ManagerTrigger *triggers; /* owned, in their order */
        uint64_t last_trigger; /* the number of the last one */
        uint64_t last_sub; /* the last ticket of a sub-run */
        VECTOR(ManagerRunEnd) ends;
        VECTOR(ManagerAwaited) awaited;
        VECTOR(ManagerAsked) asked;
        ManagerAlarms *alarms; /* owned */
        VECTOR(ManagerAcknowledgement) acknowledgements;
        ManagerOutbox *outbox; /* owned */
        usec_t signals_from; /* when targets signal: are told, by the clock of the engine */
        usec_t summary_at; /* of the first summary to come */
        usec_t watch_at, watch_pause; /* the next round of the watchdog; until the one after it */
        bool is_watching; /* a round is not at its end */
        usec_t retain_at; /* when runs of all flows are looked at; USEC_INFINITY: they are not loaded yet */
        ManagerRunLoad *load; /* owned; NULL: nothing is being loaded */
        void (*loaded)(ManagerRuns *runs, uint32_t id, bool has_failed); /* the loader has ended */
        void (*answer_sub)(ManagerRuns *runs, const ManagerRunAnswer *answer); /* as manager_run_answer_sub() */
        int (*query)(ManagerRuns *runs, const RunStoreQuery *query, uint32_t run, ManagerRunTicket ticket,
                     Failure *ret_failure); /* as manager_runs_query() */
        bool is_loaded, knows_attempts;
        bool must_revive; /* runs that the end of the earlier manager has held */
        uint32_t last_id;
        uint32_t n_processors;
        char boot[37];
        RecordWriter *writer; /* borrowed: of the batch at hand; NULL: none is open */
        bool has_batch; /* something was to be put */
        bool has_missed; /* an attempt could not be begun */
        bool has_work; /* since its last turn began */
        bool has_heard; /* from the store, since it was last set to false */
        uint64_t batch; /* the last one */
        uint64_t durable;
        usec_t now; /* by the clock of the engine, in this turn */
        sd_event_source *timer; /* owned */
        usec_t alarm;
        usec_t look_at; /* when to look what became of a store that could not be used; USEC_INFINITY: need not be */
        bool is_refusing; /* it cannot be used: nothing waits for it any more */
        bool has_failed; /* to load what lives */
};

/* Something has changed that is to be taken up in a turn of the runs: if that of this turn is over, in another one. */
static inline void manager_run_note_work(ManagerRuns *runs) {
        runs->has_work = true;
        runs->host.attempts.turn->has_news = true;
}

/* — manager_run_table.c — */

ManagerFlow *manager_run_find_flow(const ManagerRuns *runs, const Unit *unit); /* NULL: it has none */
ManagerFlow *manager_run_flow(ManagerRuns *runs, Unit *unit); /* made if needed; NULL: no memory */
/* The start of the unit lasts until its runs have ended, which do not wait for it to be active. */
bool manager_run_waits_for_end(const Unit *unit);
void manager_run_note_result(ManagerFlow *flow, RunState state); /* a run has ended so: the unit is judged by that */
void manager_run_drop_flow(ManagerRuns *runs, ManagerFlow *flow);
void manager_run_drop_spare(ManagerRuns *runs);
/* The definition of @flow that was read last; NULL: none is known. */
const ManagerKept *manager_run_find_kept(const ManagerRuns *runs, const ManagerFlow *flow);
/* The definition of the last submission. */
void manager_run_keep_definition(ManagerRuns *runs, ManagerFlow *flow, FlowDefinition *definition,
                                 const ManagerTexts *texts);
bool manager_run_has_stored(const ManagerRun *run); /* the store has its definition */
void manager_run_note_stored(ManagerRun *run); /* it has */
void manager_run_forget_stored(ManagerRuns *runs); /* none is known to be there */
/* The hash of a definition; @nodes_hash: of its NodesFile=, or NULL. */
void manager_run_hash(const char *text, const uint8_t *nodes_hash, uint8_t hash[static MANAGER_RUN_HASH_BYTES]);
/* @busy: in place of OnBusy=. */
void manager_run_set_settings(ManagerRuns *runs, ManagerFlow *flow, const FlowSettings *settings, FlowBusy busy);
ManagerRun *manager_run_find(const ManagerRuns *runs, uint32_t id);
/* A run that the engine has, by its name; NULL. */
ManagerRun *manager_run_find_name(const ManagerRuns *runs, const char *name);
/* The node that a run is a part of, in the graph of its parent; RUN_NODE_NONE: the parent is not there. */
uint32_t manager_run_find_parent_node(const ManagerRuns *runs, const ManagerRunFacts *facts);
/* @name: NULL gives 0. -ENOENT with @ret_failure. */
int manager_run_find_node(const ManagerRun *run, const char *name, uint32_t *ret_node, Failure *ret_failure);
/* A run of @flow that the engine has, or will have. Takes @facts. 0 or -ENOMEM. */
int manager_run_add(ManagerFlow *flow, ManagerRuns *runs, uint32_t id, FlowDefinition *definition,
                    ManagerRunFacts *facts, ManagerRun **ret_run);
void manager_run_remove(ManagerRuns *runs, ManagerRun *run);
uint32_t manager_run_count_live(const ManagerRuns *runs, const ManagerFlow *flow); /* runs that have not ended */

/* — manager_run_answer.c — */

void manager_run_tell(ManagerRuns *runs, const ManagerRunAnswer *answer); /* whoever has asked */
void manager_run_answer(ManagerRuns *runs, ManagerRunTicket ticket, uint32_t run, const Failure *failure);
void manager_run_answer_failure(ManagerRuns *runs, ManagerRunTicket ticket, int code, const char *name,
                                const char *sentence);
/* Answers when what changes in this turn is durable. */
void manager_run_await(ManagerRuns *runs, ManagerRunTicket ticket, ManagerRunAnswerKind kind, uint32_t run);
void manager_run_answer_durable(ManagerRuns *runs);
void manager_run_refuse_awaited(ManagerRuns *runs, const Failure *failure); /* what was asked for stays done */

/* — manager_run_alarm.c — */

/* The news of a node's row against the batch before; bits. */
enum {
        MANAGER_RUN_NODE_WAITS = 1 << 0, /* PENDING: a person is to decide */
        MANAGER_RUN_NODE_BEGINS = 1 << 1, /* an attempt */
        MANAGER_RUN_NODE_ENDS = 1 << 2,
};

unsigned manager_run_compare_node(const ManagerRun *run, const RunNodeRow *row);
void manager_run_mark_node(ManagerRun *run, const RunNodeRow *row);
/* Each raises an alarm, which is in the next batch: 0 or -ENOMEM. @node: its name. */
int manager_run_raise_pending(ManagerRuns *runs, const ManagerRun *run, const char *node, const RunNodeRow *row);
int manager_run_raise_suspended(ManagerRuns *runs, const ManagerRun *run);
void manager_run_raise_queue(ManagerRuns *runs, const ManagerFlow *flow, uint32_t max);
/* A callback was given up; a run has one such alarm at a time. */
void manager_run_raise_callback(ManagerRuns *runs, const char *unit, uint32_t run, uint32_t callback, uint32_t tries,
                                const char *problem);
void manager_run_refuse_acknowledgements(ManagerRuns *runs, const Failure *failure);

/* — manager_run_tell.c: rows of the outbox; each 0 or -ENOMEM — */

/* @news: as of manager_run_compare_node(); before that is marked. */
int manager_run_tell_node(ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, unsigned news);
int manager_run_tell_alarm(ManagerRuns *runs, ManagerRun *run, uint32_t node, ManagerAlarmKind kind);
int manager_run_tell_runs(ManagerRuns *runs); /* the new states of runs, at the end of a batch */
void manager_run_summarize(ManagerRuns *runs); /* in a turn */

/* — manager_run_token.c — */

/* The generation of a node that a token stands for. */
typedef struct ManagerToken {
        uint32_t run, node, generation;
} ManagerToken;

bool manager_run_read_token(const char *text, ManagerToken *ret_token); /* false: it has not the form of one */
/* Gives a node with Callback= a token, if it has begun and has none of its generation. 0 or -errno. */
int manager_run_make_token(ManagerRun *run, const RunNodeRow *row);
const char *manager_run_token(void *userdata, const RunAttemptKey *key); /* NULL: it has none */

/* — manager_run_complete.c — */

/* 0, -ENOMEM, or a negative errno with @ret_failure. */
int manager_run_complete(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure);

/* — manager_run_trigger.c — */

/* The ticket of a trigger: its number is .b. */
#define MANAGER_RUN_OF_TRIGGER UINT64_MAX

bool manager_run_next_trigger(ManagerRuns *runs, ManagerRunRequest *ret_request); /* that was not submitted yet */
void manager_run_end_trigger(ManagerRuns *runs, uint64_t number, const Failure *failure);
uint32_t manager_run_count_triggers(const ManagerRuns *runs, const Unit *unit);
void manager_run_drop_triggers(ManagerRuns *runs);

/* — manager_run_host.c — */

extern const RunHost manager_run_host; /* its userdata are the runs */

/* The batch of the turn, for rows; NULL: there is no link to the store yet. */
RecordWriter *manager_run_writer(ManagerRuns *runs);
void manager_run_put_event(ManagerRuns *runs, ManagerRun *run,
                           ManagerRunEvent event); /* .id, .run and .at are set here */
int manager_run_persist(void *userdata, uint32_t *ret_batch); /* as RunHost.persist */
void manager_run_begin_missed(ManagerRuns *runs); /* attempts for which there was no memory */

/* — manager_run_attempt.c — */

extern const ManagerAttemptsOps manager_run_attempts_ops; /* its userdata are the runs */

/* — manager_run_sub.c: Flow= — */

/* The ticket of a sub-run: that of its ManagerSub is .b. */
#define MANAGER_RUN_OF_SUB (UINT64_MAX - 1)

/* Keys of sub-runs begin with it, and no others. */
#define MANAGER_RUN_SUB_KEY "sub-run "

void manager_run_step_sub(void *userdata, const RunAttemptKey *key, ManagerSub *sub, bool ends);
void manager_run_answer_sub(ManagerRuns *runs, const ManagerRunAnswer *answer);
void manager_run_explain_sub(const ManagerRuns *runs, const RunAttemptKey *key, Text *text);

/* — manager_run_add.c — */

/* Adds the nodes of @command: 0, or a negative errno with @ret_failure. */
int manager_run_add_nodes(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure);

/* — manager_run_data.c — */

typedef enum ManagerResultSource {
        MANAGER_RESULT_NONE,
        MANAGER_RESULT_OWN, /* of its last attempt */
        MANAGER_RESULT_DEFAULT, /* Default= */
        MANAGER_RESULT_ITEMS, /* of its instances */
        _MANAGER_RESULT_SOURCE_MAX,
} ManagerResultSource;

const char *manager_result_source_to_string(ManagerResultSource source); /* NULL: none */

/* The result of a node as it is now; to be deinitialized. */
typedef struct ManagerNodeResult {
        ManagerResultSource source;
        ManagerResult *result; /* a reference; NULL: none, which counts as null */
} ManagerNodeResult;

int manager_run_data_init(ManagerRun *run); /* 0 or -ENOMEM */
void manager_run_data_deinit(ManagerRun *run);
/* The result of an attempt counts from now on, if the end of that attempt has made the node what it is. */
void manager_run_data_set(ManagerRun *run, const RunAttemptKey *key, const ManagerAttemptFacts *facts);
void manager_run_data_drop(ManagerRun *run, uint32_t node); /* the result is kept no longer */
/* 0 or -ENOMEM. */
int manager_run_get_result(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, ManagerNodeResult *ret);
void manager_run_result_deinit(ManagerNodeResult *result);
/* Makes the list of the results of all instances of a node: 0; -E2BIG: it is too large; or -errno. */
int manager_run_measure_list(const ManagerRuns *runs, const ManagerRun *run, uint32_t node);
/*
 * Why a node has no result of its own: the node that has failed, itself or the first above it, with its attempt and
 * exit. RUN_NODE_NONE: nothing has failed.
 */
uint32_t manager_run_find_cause(const ManagerRuns *runs, const ManagerRun *run, uint32_t node);
/* {"node":…,"attempt":…,"exit":…} of that node; NULL for RUN_NODE_NONE. 0 or -ENOMEM. */
int manager_run_write_cause(const ManagerRuns *runs, const ManagerRun *run, uint32_t cause, char **ret_json);
/* The result as a tree that the caller owns. -EFBIG: it is too large to be looked at; -ENOMEM, or -errno of a file. */
int manager_run_read_result(const ManagerResult *result, JsonTree *ret_tree);
/* Whether parent number @i of @node is none, but a node beside it (Otherwise=). */
bool manager_run_is_beside(const ManagerRun *run, uint32_t node, uint32_t i);
void manager_run_drop_files(const ManagerRun *run); /* of large results, when the run is forgotten */
void manager_run_sweep_files(const ManagerRuns *runs); /* those of runs that are not there */

/* — manager_run_graph.c — */

/* The command of @node, or of the node that it is an instance of: as flow_command_open(). */
int manager_run_open_command(const ManagerRun *run, uint32_t node, FlowCommand *ret_command);
int manager_run_set_graph(ManagerRun *run, RunGraph *graph); /* 0 or -ENOMEM */
/* The items of a node with Foreach=: kept from an array of JSON, 0 or a negative errno; found again, or NULL. */
int manager_run_keep_items(ManagerRun *run, uint32_t node, const char *json, ManagerItems **ret_items);
ManagerItems *manager_run_find_items(const ManagerRun *run, uint32_t node);
void manager_run_drop_items_of(ManagerRun *run, uint32_t node);
void manager_run_drop_items(ManagerRun *run); /* all of them */

/* — manager_run_item.c: Foreach=, as of RunHost — */

RunReason manager_run_count(void *userdata, uint32_t id, uint32_t node, uint32_t *ret_n);
int manager_run_grow(void *userdata, uint32_t id, RunGraph *graph);
RunReason manager_run_gather(void *userdata, uint32_t id, uint32_t node);

/* — manager_run_input.c: as of ManagerAttemptsOps — */

int manager_run_input(void *userdata, const RunAttemptKey *key, const char *folder, char **ret_json,
                      char **ret_problem);
int manager_run_variables(void *userdata, const RunAttemptKey *key, bool has_results, char ***environment);

/* — manager_run_policy.c: [Policy …] — */

void manager_run_ask(void *userdata, uint32_t id, uint32_t node, uint32_t generation); /* as RunHost.ask */
/* The node of @row is to be asked about, and there was no memory for that. */
void manager_run_ask_missed(ManagerRuns *runs, const ManagerRun *run, const RunNodeRow *row);
int manager_run_question(void *userdata, const RunAttemptKey *key, const char *folder,
                         char **ret_json); /* as of ManagerAttemptsOps */
/* The engine has been told. @has_decided: the node is not WAITING any more. */
void manager_run_note_answer(ManagerRun *run, const RunAttemptKey *key, RunAnswer answer, const char *reason,
                             bool has_decided);
/* The command of a node has asked for a person. @reason: NULL or "": it has not said why. */
void manager_run_note_pending(ManagerRun *run, const RunAttemptKey *key, const char *reason);
/* The last answer about a node in its present generation; NULL: none is known. */
const ManagerSaying *manager_run_find_saying(const ManagerRun *run, const RunNodeRow *row);
/* The name of the policy of a node; the caller owns it. NULL: it has none. 0 or -errno. */
int manager_run_get_policy(const ManagerRun *run, uint32_t node, char **ret_name);

/* — manager_run_lock.c — */

/* A node, or all nodes of a run, give up their locks. 0, -ENOMEM, or a negative errno with @ret_failure. */
int manager_run_unlock(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure);

/* — manager_run_deliver.c — */

/* After the death of core clients have to connect again, before anything is told that they would miss. */
#define MANAGER_RUN_SIGNAL_PAUSE (2 * USEC_PER_SEC)

/*
 * Tells a target that needs no process: who is told, and jobs, are in the turn. 0, -ENOMEM, or -EINVAL with a sentence
 * without its end.
 */
int manager_run_deliver(ManagerRuns *runs, const ManagerTarget *target, const ManagerCallbackTerms *terms,
                        Failure *ret_failure);

/* — manager_run_value.c — */

/* The name of run @id by RunName=. 0, -ENOMEM, or -EINVAL with a sentence, which the caller owns. */
int manager_run_make_name(const FlowSettings *settings, const ManagerRunFacts *facts, uint32_t id, char **ret_name,
                          char **ret_problem);

/* Evaluates the list of Foreach= of @node. 0, or a negative errno, perhaps with a sentence, which the caller owns. */
int manager_run_evaluate_items(const ManagerRuns *runs, ManagerRun *run, uint32_t node, ManagerItems **ret_items,
                               char **ret_problem);
usec_t manager_run_wake(void *userdata, uint32_t id, uint32_t node); /* as RunHost.wake */
RunCondition manager_run_judge(void *userdata, uint32_t id, uint32_t node); /* as RunHost.judge */
/*
 * The words of a command with the values that they name; the caller owns them. 0, -ENOENT, -ENOMEM, or -EINVAL and
 * -EFBIG with a sentence, which the caller owns.
 */
int manager_run_substitute(ManagerRuns *runs, const RunAttemptKey *key, const ExecCommand *command, char ***ret_argv,
                           char **ret_problem);
/*
 * Assignments of SubParams= with the values that they name; the caller owns them. 0, or a negative errno, perhaps with
 * a sentence, which the caller owns.
 */
int manager_run_make_params(const ManagerRuns *runs, ManagerRun *run, uint32_t node, char *const *words,
                            char ***ret_params, char **ret_problem);

/* — manager_run_nodes.c — */

int manager_run_nodes_begin(const char *path, ManagerNodes **ret_nodes, Failure *ret_failure);
bool manager_run_nodes_is_of(const ManagerNodes *nodes, const char *path);
/* 1: there is more to do; 0 with the text, which the caller owns, and what @texts is to know of it; or an error. */
int manager_run_nodes_go_on(ManagerNodes *nodes, size_t n, ManagerTexts *texts, char **ret_text, Failure *ret_failure);
ManagerNodes *manager_run_nodes_free(ManagerNodes *nodes); /* accepts NULL, returns NULL */

/* — manager_run_submit.c — */

/*
 * The definition of a run of @flow that is submitted now: that of the last one, if nothing has changed, else one that
 * is to be read. 0, -ENOMEM, or a negative errno with @ret_failure. 1: about @n bytes were read, and there are more:
 * *@nodes, which is NULL at first and owned by the caller, has what was read so far.
 */
int manager_run_define(const ManagerRuns *runs, const ManagerFlow *flow, ManagerNodes **nodes, size_t n,
                       ManagerTexts *texts, FlowDefinition **ret_definition, Failure *ret_failure);
/* The parameters of a run, with the defaults of Params=, which the caller owns. NULL: none. As above. */
int manager_run_apply_params(const FlowDefinition *definition, char *const *params, char **ret_json,
                             Failure *ret_failure);

/* @is_start: for the start job of the unit, which waits for it. 0 or -ENOMEM. */
int manager_run_add_submit(ManagerRuns *runs, ManagerFlow *flow, const ManagerRunRequest *request, bool is_start);
void manager_run_submit_triggers(ManagerRuns *runs); /* in a turn: those that were not submitted yet */
void manager_run_submit_all(ManagerRuns *runs); /* in a turn: those that can be */
bool manager_run_submit_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page); /* false: not for them */
bool manager_run_submit_refused(ManagerRuns *runs, uint64_t query);
bool manager_run_is_reading(const ManagerRuns *runs); /* a definition, which goes on in the next turn */
bool manager_run_is_submitted_to(const ManagerRuns *runs, const ManagerFlow *flow);
void manager_run_ask_for_unit(ManagerRuns *runs, ManagerFlow *flow); /* to start, if a run waits for that */
/* Submissions that people wait for fail, with @has_starts also those of start jobs; those of triggers stay. */
void manager_run_refuse_submits(ManagerRuns *runs, const Failure *failure, bool has_starts);
void manager_run_drop_submits(ManagerRuns *runs);

/* — manager_run_command.c — */

/*
 * Executes those commands whose run is there, and fails those for @id, 0: none, which is not. @has_failed: it could not
 * be loaded, and may be in the store.
 */
void manager_run_take_pending(ManagerRuns *runs, uint32_t id, bool has_failed);
void manager_run_refuse_pending(ManagerRuns *runs, const Failure *failure);
void manager_run_drop_pending(ManagerRuns *runs);

/* — manager_run_load.c — */

/*
 * Begins to load what lives, or run @id alone (0: what lives); ManagerRuns.loaded follows. If the link is lost while a
 * run is loaded alone, nothing follows, and the next link begins that again.
 */
void manager_run_load_begin(ManagerRuns *runs, uint32_t id);
/* Rows for a query of the loader: false if it is none. */
bool manager_run_load_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_load_refused(ManagerRuns *runs, uint64_t query, const RunStoreRefusal *refusal);
void manager_run_load_step(ManagerRuns *runs); /* reads definitions on, in a turn */
ManagerRunLoad *manager_run_load_free(ManagerRunLoad *load);

/* — manager_run_watch.c — */

usec_t manager_run_watch_pause(void);
/* In a turn, when times have come, before the engine ends it. Returns whether a round is to go on in the next turn. */
bool manager_run_watch(ManagerRuns *runs);

/* — manager_run_retain.c — */

void manager_run_retain(ManagerRuns *runs, const ManagerRun *run); /* it has ended: others of its flow may go */
void manager_run_retain_all(ManagerRuns *runs); /* core has begun: runs of all flows may go */
usec_t manager_run_retain_next(const ManagerRuns *runs);
void manager_run_retain_drop(ManagerRuns *runs); /* in a turn, before its batch ends … */
void manager_run_retain_step(ManagerRuns *runs); /* … and when runs that have ended were forgotten */
bool manager_run_retain_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_retain_refused(ManagerRuns *runs, uint64_t query);
void manager_run_drop_retentions(ManagerRuns *runs);

/* — manager_run_define.c — */

void manager_run_outline(ManagerRuns *runs, const ManagerRun *run); /* its definition is put for the first time */
/* In a turn, before the end of the batch: whether there are rows for it, which are put then … */
bool manager_run_outline_has_rows(ManagerRuns *runs);
void manager_run_outline_put(ManagerRuns *runs, RecordWriter *writer);
void manager_run_outline_end_batch(ManagerRuns *runs, bool is_taken); /* … and behind it */
bool manager_run_outline_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_outline_refused(ManagerRuns *runs, uint64_t query);
void manager_run_drop_outlines(ManagerRuns *runs); /* and what the store has is not known any more */

/* — manager_run_keep.c — */

/* The row of a node is in the batch of @writer: drops results that nobody can read any more. */
void manager_run_note_reader(const ManagerRuns *runs, ManagerRun *run, const RunNodeRow *row, RecordWriter *writer);
ManagerReaders *manager_run_free_readers(ManagerReaders *readers);
/* The results of nodes with Save=, an object by their names; NULL: there are none. 0 or -ENOMEM. */
int manager_run_make_result(const ManagerRuns *runs, const ManagerRun *run, char **ret_json);

/* — manager_run_blob.c — */

bool manager_run_reading_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page);
bool manager_run_reading_refused(ManagerRuns *runs, uint64_t query, const RunStoreRefusal *refusal);
void manager_run_drop_readings(ManagerRuns *runs);
