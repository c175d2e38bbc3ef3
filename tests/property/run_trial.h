/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs on trial: a case, what happens to it, and what can be seen of it
 *
 * These types belong to no engine. A case is one definition (a graph with the
 * settings of its nodes) and steps; the player turns steps into events, which
 * it gives to a subject, and compares what two subjects show.
 *
 * A turn is a list of events that ends with TRIAL_TURN. Its changes are one
 * batch, with the number of the turn, that the store accepts and makes durable
 * later. Times are seconds of a clock that runs while the machine does.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"

#define TRIAL_NODES_MAX 200
#define TRIAL_PARENTS_MAX 12
#define TRIAL_RUNS_MAX 5
#define TRIAL_ATTEMPTS_MAX (TRIAL_RUNS_MAX * TRIAL_NODES_MAX)
#define TRIAL_STEPS_MAX 96
#define TRIAL_LOCKS_MAX 2
#define TRIAL_ITEMS_MAX 4               /* of a node with Foreach= */
#define TRIAL_ADDITIONS_MAX 3
#define TRIAL_ITEMS_BROKEN 254          /* in place of their number: the list has no value */
#define TRIAL_ITEMS_TOO_MANY 255        /* more than ForeachMax= */
#define TRIAL_NEVER UINT64_MAX

#define TRIAL_STATUS_PENDING 3
#define TRIAL_STATUS_AGAIN 75

/* — definition — */

typedef enum TrialReadiness {
        TRIAL_ALL_SUCCEEDED,
        TRIAL_ALL_FINISHED,
        TRIAL_AT_LEAST,                 /* .amount parents */
        TRIAL_AT_LEAST_PERCENT,         /* .amount percent of them, rounded up */
        TRIAL_ANY,                      /* AnyOf= */
        TRIAL_NAMED,                    /* the marked parents */
        TRIAL_MUST,                     /* the marked parents are must ones, the others optional */
        TRIAL_OPTIONAL,                 /* all are optional */
        TRIAL_NONE_FAILED,              /* this and what follows are Airflow's */
        TRIAL_ONE_FAILED,
        TRIAL_ALL_FAILED,
        TRIAL_ALWAYS,
        TRIAL_NONE_SKIPPED,
        TRIAL_ONE_DONE,
        TRIAL_ALL_SKIPPED,
        TRIAL_NONE_FAILED_MIN_ONE,
        TRIAL_ONE_SUCCESS,              /* as any, but nothing is skipped for it */
        _TRIAL_READINESS_MAX,
} TrialReadiness;

/* What a node counts as for its children. */
typedef enum TrialParent {
        TRIAL_PARENT_SUCCEEDED,
        TRIAL_PARENT_FAILED,
        TRIAL_PARENT_SKIPPED,
        TRIAL_PARENT_PENDING,           /* or blocked */
        TRIAL_PARENT_UNFINISHED,
        _TRIAL_PARENT_MAX,
} TrialParent;

typedef enum TrialVerdict {
        TRIAL_READY,
        TRIAL_WAIT,
        TRIAL_BLOCKED,
        TRIAL_NEVER_READY,
} TrialVerdict;

typedef enum TrialRecover {
        TRIAL_RECOVER_RETRY,
        TRIAL_RECOVER_PENDING,
        TRIAL_RECOVER_FAIL,
} TrialRecover;

typedef enum TrialFailurePolicy {
        TRIAL_POLICY_SUSPEND,
        TRIAL_POLICY_CONTINUE,
        TRIAL_POLICY_END,
} TrialFailurePolicy;

typedef enum TrialBackoff {
        TRIAL_BACKOFF_FIXED,
        TRIAL_BACKOFF_LINEAR,
        TRIAL_BACKOFF_EXPONENTIAL,
} TrialBackoff;

typedef enum TrialOnBusy {
        TRIAL_BUSY_QUEUE,
        TRIAL_BUSY_REJECT,
        TRIAL_BUSY_SKIP,
        TRIAL_BUSY_REPLACE,
} TrialOnBusy;

typedef enum TrialSkipUnneeded {
        TRIAL_SKIP_OPTIONAL,            /* behind edges that a child can do without: any, optional */
        TRIAL_SKIP_NONE,                /* never */
        TRIAL_SKIP_ALL,                 /* also behind at-least, and children that can't run any more */
} TrialSkipUnneeded;

typedef enum TrialWhen {
        TRIAL_WHEN_NONE,                /* there is no When= */
        TRIAL_WHEN_TRUE,
        TRIAL_WHEN_FALSE,
        TRIAL_WHEN_ERROR,
} TrialWhen;

typedef enum TrialEndRun {
        TRIAL_END_RUN_NO,
        TRIAL_END_RUN_SUCCESS,
        TRIAL_END_RUN_FAILURE,
} TrialEndRun;

/* DefaultOn=: the ends for which Default= gives a result. */
typedef enum TrialDefault {
        TRIAL_DEFAULT_ON_FAILURE = 1 << 0,
        TRIAL_DEFAULT_ON_TIMEOUT = 1 << 1,
        TRIAL_DEFAULT_ON_SKIP = 1 << 2,
} TrialDefault;

typedef enum TrialTimeoutMode {
        TRIAL_TIMEOUT_TERMINATE,
        TRIAL_TIMEOUT_DRAIN,
        TRIAL_TIMEOUT_ABANDON,
} TrialTimeoutMode;

/* What a node does once it begins. */
typedef enum TrialAction {
        TRIAL_ACTION_PROCESS,
        TRIAL_ACTION_JOB,               /* Unit=: an attempt without a process */
        TRIAL_ACTION_RUN,               /* Flow=: the same; the attempt is a run of another flow */
        TRIAL_ACTION_SLEEP,             /* SleepSec=: no attempt */
        TRIAL_ACTION_SLEEP_UNTIL,       /* SleepUntil=: the same */
        TRIAL_ACTION_NOTHING,           /* a checkpoint: the same */
        _TRIAL_ACTION_MAX,
} TrialAction;

typedef struct TrialNode {
        uint8_t parents[TRIAL_PARENTS_MAX];
        bool is_marked[TRIAL_PARENTS_MAX];      /* named, or must */
        TrialParent skip_counts_as[TRIAL_PARENTS_MAX];  /* SkipCountsAs=; TRIAL_PARENT_SUCCEEDED or _FAILED */
        bool skip_counts[TRIAL_PARENTS_MAX];            /* there is one for this parent */
        uint8_t n_parents;
        TrialReadiness readiness;
        uint8_t amount;
        TrialFailurePolicy policy;
        TrialRecover recover;
        uint8_t retry;
        bool is_picky;                  /* NoRetryExitStatus=2 */
        bool can_be_pending;            /* PendingExitStatus=3 */
        uint32_t again;                 /* AgainSec=; 0: 75 is a failure */
        uint8_t again_max;              /* AgainMax=; 0: none */
        uint32_t retry_delay, retry_max_delay;  /* seconds */
        TrialBackoff backoff;
        uint32_t timeout, total_timeout;        /* seconds; 0: none */
        uint32_t again_max_time;        /* AgainMaxSec=; 0: none */
        uint32_t queue_timeout;         /* from READY to the start; 0: none */
        uint8_t default_on;             /* TrialDefault */
        TrialSkipUnneeded skip_unneeded;
        bool is_always_needed;          /* Always=yes */
        TrialWhen when;                 /* what the expression says */
        bool is_otherwise;
        TrialEndRun end_run;
        TrialAction action;
        uint32_t sleep;                 /* seconds; of TRIAL_ACTION_SLEEP_UNTIL the time */
        bool has_gate;                  /* Gate=manual */
        bool asks_policy;               /* Readiness=policy:NAME, in place of .readiness */
        uint8_t locks;                  /* Lock=: a bit each */
        uint8_t slots[TRIAL_LOCKS_MAX]; /* LockSlots= of each */
        uint8_t need;                   /* Needs=, of a process */
        bool gives_up_locks;            /* HoldLock=attempt */
        uint8_t priority;
        bool takes_priority;            /* that of its run, in place of .priority */
        bool lacks_input;               /* a key of Inputs= that nobody gives */
        bool has_undo;                  /* Compensate= */
        bool has_callback;              /* Callback=yes: after the process somebody else completes it */
        bool is_foreach;                /* Foreach=: its instances act in its place */
        uint8_t items[2];               /* of the list in odd generations of the node, and in even ones */
        uint8_t foreach_parallel;       /* ForeachParallel=; 0: no limit */
        bool is_item;                   /* an instance: … */
        uint8_t item_of, item;          /* … of that node, for that item */
        uint8_t added_in;               /* AddNodes: which addition brings it, from 1; 0: it is there from the beginning */
} TrialNode;

typedef struct TrialDefinition {
        TrialNode nodes[TRIAL_NODES_MAX];       /* parents come before their children */
        uint8_t n_nodes;
        uint8_t n_items;                        /* instances, the last ones of all nodes: as many as there can be */
        uint8_t max_parallel;                   /* attempts of a run */
        uint8_t max_runs, max_queued;
        TrialOnBusy on_busy;
        bool end_kills;                         /* EndMode=kill */
        uint32_t timeout;                       /* RunTimeoutSec=; 0: none */
        TrialTimeoutMode timeout_mode;
        uint32_t queue_timeout;                 /* of a run; 0: none */
        uint8_t run_slots;                      /* of the lock that each run takes; 0: none */
        uint8_t run_need;                       /* of a resource of its own, of which there are .total, too */
        uint8_t total;                          /* of the resource of nodes */
        uint8_t priority;                       /* of runs that name none */
        bool undoes_failure, undoes_cancel;     /* CompensateOn= */
        bool has_final;                         /* FinalExec= */
        uint32_t end_timeout;                   /* of what ends a run; 0: none */
} TrialDefinition;

/* — what happens — */

typedef enum TrialEventKind {
        TRIAL_SUBMIT,                   /* .run is the id that it gets if it is taken */
        TRIAL_STARTED,                  /* the process of an attempt, at .at */
        TRIAL_EXITED,                   /* with all of its tree */
        TRIAL_LOST,
        TRIAL_INTERRUPTED,              /* it has ended because of a stop of the unit or a shutdown */
        TRIAL_TIME,                     /* it is .at */
        TRIAL_ACCEPTED,                 /* the store has the turns up to .turn */
        TRIAL_DURABLE,
        TRIAL_SUB_WAITS,                /* the run that an attempt is .waits for a person, or does no more */
        TRIAL_ANSWERED,                 /* the command that judges .node says .answer */
        TRIAL_PAUSE,
        TRIAL_RESUME,
        TRIAL_STOP,
        TRIAL_CANCEL,
        TRIAL_RETRY,                    /* .node */
        TRIAL_RERUN,
        TRIAL_RESOLVE,
        TRIAL_SKIP,
        TRIAL_APPROVE,
        TRIAL_REJECT,
        TRIAL_COMPENSATE,               /* what has succeeded in a run that has ended */
        TRIAL_UNLOCK,                   /* .node gives up its locks */
        TRIAL_ADD,                      /* .node and all others of its addition */
        TRIAL_COMPLETE,                 /* .node in .generation, by the one with its token: .resolution */
        TRIAL_UNIT_ACTIVE,              /* the unit's start job has ended well */
        TRIAL_UNIT_FAILED,              /* the unit's start job has failed */
        TRIAL_UNIT_CANCELLED,           /* the unit's start job was cancelled */
        TRIAL_UNIT_STOP,                /* it begins to stop */
        TRIAL_UNIT_INACTIVE,            /* no run is live */
        TRIAL_TURN,                     /* the end of a turn: attempts are made */
        TRIAL_RESTART,                  /* as after .turn; attempts are told after it, then a turn ends */
        _TRIAL_EVENT_MAX,
} TrialEventKind;

/* How an attempt ends that is neither lost nor interrupted. */
typedef enum TrialEnd {
        TRIAL_END_STATUS,               /* .status; also beside the next three, where it decides unless it is 0 */
        TRIAL_END_RESULT_INVALID,       /* what it left is no JSON */
        TRIAL_END_RESULT_TOO_LARGE,
        TRIAL_END_OUTPUT_MISSING,       /* of Outputs= */
        TRIAL_END_INPUT_MISSING,        /* of Inputs=: no process is made */
        TRIAL_END_FAILED,               /* it could not be spawned; the job has failed */
        TRIAL_END_TIMEOUT,              /* a limit that is not the node's own, as of the job */
        TRIAL_END_CANCELLED,            /* the job, by somebody else */
        TRIAL_END_REFUSED,              /* the job would stop the flow itself */
        _TRIAL_END_MAX,
} TrialEnd;

/* What a command says that judges a node. */
typedef enum TrialAnswer {
        TRIAL_ANSWER_READY,
        TRIAL_ANSWER_WAIT,
        TRIAL_ANSWER_NEVER,
        TRIAL_ANSWER_FAIL,
        TRIAL_ANSWER_PENDING,           /* or nothing that can be read */
        _TRIAL_ANSWER_MAX,
} TrialAnswer;

typedef enum TrialResolution {
        TRIAL_AS_SUCCESS,
        TRIAL_AS_FAILED,
        TRIAL_AS_RETRY,
        TRIAL_AS_SKIP,
} TrialResolution;

typedef struct TrialEvent {
        TrialEventKind kind;
        uint8_t run, node, generation, number;  /* of an attempt: generation of the node, number in the generation */
        uint8_t status;                         /* exit status */
        TrialEnd end;                           /* TRIAL_EXITED */
        uint8_t key;                            /* TRIAL_SUBMIT: of the request, which is not taken twice */
        uint8_t priority;                       /* TRIAL_SUBMIT: 0: that of the flow */
        TrialAnswer answer;
        TrialResolution resolution;
        bool waits;                             /* TRIAL_SUB_WAITS */
        bool by_person;                         /* a start or stop of the unit */
        bool is_other_boot;                     /* TRIAL_RESTART */
        uint64_t at;
        uint32_t turn;
        uint32_t durable;                       /* TRIAL_RESTART: of the turns that are kept */
} TrialEvent;

/* — what is seen — */

typedef enum TrialRunState {
        TRIAL_RUN_CREATED,
        TRIAL_RUN_QUEUED,
        TRIAL_RUN_RUNNING,
        TRIAL_RUN_PAUSING,
        TRIAL_RUN_PAUSED,
        TRIAL_RUN_SUSPENDED,
        TRIAL_RUN_STOPPING,
        TRIAL_RUN_SUCCEEDED,
        TRIAL_RUN_PARTIAL,
        TRIAL_RUN_FAILED,
        TRIAL_RUN_TIMEOUT,
        TRIAL_RUN_CANCELLED,
        _TRIAL_RUN_STATE_MAX,
} TrialRunState;

typedef enum TrialNodeState {
        TRIAL_NODE_WAITING,
        TRIAL_NODE_BLOCKED,
        TRIAL_NODE_READY,
        TRIAL_NODE_RUNNING,
        TRIAL_NODE_DEFERRED,
        TRIAL_NODE_PENDING,
        TRIAL_NODE_SUCCEEDED,
        TRIAL_NODE_FAILED,
        TRIAL_NODE_TIMEOUT,
        TRIAL_NODE_CANCELLED,
        TRIAL_NODE_SKIPPED,
        TRIAL_NODE_ABSENT,              /* an instance for which there is no item, or a node that was not added */
        _TRIAL_NODE_STATE_MAX,
} TrialNodeState;

typedef enum TrialReason {
        TRIAL_REASON_NONE,
        TRIAL_REASON_RETRY,             /* DEFERRED */
        TRIAL_REASON_AGAIN,             /* DEFERRED */
        TRIAL_REASON_STATUS,            /* PENDING: it said so itself */
        TRIAL_REASON_LOST,              /* DEFERRED, PENDING, FAILED */
        TRIAL_REASON_INTERRUPTED,       /* PENDING, FAILED */
        TRIAL_REASON_POISON,            /* PENDING: lost three times */
        TRIAL_REASON_FAILED,            /* PENDING */
        TRIAL_REASON_UPSTREAM,          /* SKIPPED */
        TRIAL_REASON_UPSTREAM_FAILED,   /* SKIPPED */
        TRIAL_REASON_ENDED,             /* SKIPPED, CANCELLED */
        TRIAL_REASON_OPERATOR,          /* SUCCEEDED, FAILED, SKIPPED */
        TRIAL_REASON_UNNEEDED,          /* CANCELLED */
        TRIAL_REASON_DEADLINE,          /* TIMEOUT, of the run */
        TRIAL_REASON_UNIT,              /* run: PAUSED */
        TRIAL_REASON_DEPENDENCY,        /* run: FAILED */
        TRIAL_REASON_QUEUE,             /* TIMEOUT, also of a run */
        TRIAL_REASON_WHEN,              /* SKIPPED */
        TRIAL_REASON_EXPRESSION,        /* FAILED */
        TRIAL_REASON_SHORT_CIRCUIT,     /* SKIPPED: nobody needs it */
        TRIAL_REASON_POLICY,            /* PENDING, FAILED */
        TRIAL_REASON_SLEEP,             /* RUNNING */
        TRIAL_REASON_JOB,               /* RUNNING; CANCELLED, with the job */
        TRIAL_REASON_GATE,              /* PENDING */
        TRIAL_REASON_REJECTED,          /* FAILED */
        TRIAL_REASON_RESULT_INVALID,    /* FAILED, as all that follow */
        TRIAL_REASON_RESULT_TOO_LARGE,
        TRIAL_REASON_OUTPUT_MISSING,
        TRIAL_REASON_INPUT_MISSING,
        TRIAL_REASON_REFUSED,
        TRIAL_REASON_COMPENSATE,        /* run: STOPPING, SUSPENDED */
        TRIAL_REASON_FINAL,             /* the same */
        TRIAL_REASON_CALLBACK,          /* also RUNNING, while somebody else has to complete it */
        TRIAL_REASON_FOREACH,           /* RUNNING: its instances do */
        TRIAL_REASON_TOO_MANY,          /* FAILED: the list has more items than ForeachMax= */
        TRIAL_REASON_SUB_RUN,           /* RUNNING; PENDING, as long as that waits; CANCELLED, with it */
        _TRIAL_REASON_MAX,
} TrialReason;

/* The thing that a node or a run waits for. */
typedef enum TrialWhy {
        TRIAL_FOR_NOTHING,              /* it has ended, or goes on by itself */
        TRIAL_FOR_PARENTS,
        TRIAL_FOR_HUMAN,                /* to resolve it, or to resume the run */
        TRIAL_FOR_TIME,
        TRIAL_FOR_PROCESS,
        TRIAL_FOR_END,                  /* of a process that was told to end */
        TRIAL_FOR_STORE,
        TRIAL_FOR_PLACE,                /* MaxParallel=, MaxRuns= */
        TRIAL_FOR_RUN,                  /* that has not begun, or is paused */
        TRIAL_FOR_UNIT,                 /* to be active */
        TRIAL_FOR_GATE,                 /* a human, to approve it */
        TRIAL_FOR_JOB,                  /* to end */
        TRIAL_FOR_POLICY,               /* to answer */
        TRIAL_FOR_LOCK,
        TRIAL_FOR_RESOURCE,
        TRIAL_FOR_CALLBACK,
        TRIAL_FOR_COMPENSATION,
        TRIAL_FOR_FINAL,
        TRIAL_FOR_ITEMS,                /* instances, to end */
        TRIAL_FOR_SUB_RUN,              /* to end, or to go on */
        _TRIAL_WHY_MAX,
} TrialWhy;

typedef struct TrialNodeView {
        TrialNodeState state;
        TrialReason reason;
        uint8_t generation;             /* from 1 */
        TrialWhy why;
        uint64_t not_before;            /* of DEFERRED; else 0 */
        bool is_asked;                  /* the command that judges it */
} TrialNodeView;

typedef struct TrialRunView {
        TrialRunState state;
        TrialReason reason;
        bool is_held;                   /* by a stop of the unit */
        uint8_t round;                  /* from 1 */
        TrialWhy why;
        TrialNodeView nodes[TRIAL_NODES_MAX];
} TrialRunView;

typedef enum TrialAttemptState {
        TRIAL_ATTEMPT_HELD,             /* until the store has it */
        TRIAL_ATTEMPT_SPAWNED,          /* may be spawned, and is asked for */
        TRIAL_ATTEMPT_RUNNING,          /* said to have started */
} TrialAttemptState;

/* An attempt that has not ended. */
typedef struct TrialAttempt {
        uint8_t run, node, generation, number;
        TrialAttemptState state;
        bool is_ending;                 /* it has been told to end, if it has a process */
        bool is_abandoned;              /* its node has ended, its process has not */
} TrialAttempt;

typedef struct TrialView {
        TrialRunView runs[TRIAL_RUNS_MAX];
        uint8_t n_runs;
        TrialAttempt attempts[TRIAL_ATTEMPTS_MAX];      /* by run and node; a node has one at most */
        uint16_t n_attempts;
        uint64_t deadline;                              /* of the next timer; TRIAL_NEVER */
} TrialView;

/* What a subject knows beyond the first rules: cases have nothing else. */
typedef enum TrialFeature {
        TRIAL_HAS_OPTIONAL = 1 << 0,    /* any, named, must and optional parents */
        TRIAL_HAS_AIRFLOW = 1 << 1,     /* Airflow's rules */
        TRIAL_HAS_SKIP_COUNTS = 1 << 2, /* SkipCountsAs= */
        TRIAL_HAS_SHORT_CIRCUIT = 1 << 3,       /* else all nodes have SkipUnneeded=no */
        TRIAL_HAS_SKIP_ALL = 1 << 4,    /* SkipUnneeded=all */
        TRIAL_HAS_ABANDON = 1 << 5,     /* TimeoutMode=abandon */
        TRIAL_HAS_NODE_QUEUE = 1 << 6,  /* QueueTimeoutSec= of nodes */
        TRIAL_HAS_AGAIN_BOUND = 1 << 7, /* AgainMaxSec= */
        TRIAL_HAS_END_RUN = 1 << 8,
        TRIAL_HAS_DEFAULT = 1 << 9,
        TRIAL_HAS_WHEN = 1 << 10,       /* When=, Otherwise= */
        TRIAL_HAS_GATE = 1 << 11,       /* Gate= */
        TRIAL_HAS_SLEEP = 1 << 12,      /* SleepSec=, SleepUntil=, checkpoints */
        TRIAL_HAS_JOB = 1 << 13,        /* Unit= */
        TRIAL_HAS_RESULT = 1 << 14,     /* Inputs=, Outputs=, ResultMax= */
        TRIAL_HAS_POLICY = 1 << 15,     /* Readiness=policy: */
        TRIAL_HAS_LOCK = 1 << 16,       /* Lock=, Needs= */
        TRIAL_HAS_PRIORITY = 1 << 17,
        TRIAL_HAS_CALLBACK = 1 << 18,   /* Callback= */
        TRIAL_HAS_UNDO = 1 << 19,       /* Compensate=, FinalExec= */
        TRIAL_HAS_FOREACH = 1 << 20,    /* Foreach=, ForeachParallel=, ForeachMax= */
        TRIAL_HAS_GROWTH = 1 << 21,     /* AddNodes */
        TRIAL_HAS_GROWTH_WAKES = 1 << 22,       /* nodes that can run are added to a run that is SUSPENDED, too */
        TRIAL_HAS_SUB_RUN = 1 << 23,    /* Flow= */
        TRIAL_HAS_SUB_RUN_ENDS = 1 << 24,       /* one that begins to wait for a person while its run ends is ended */
        TRIAL_FEATURES = (1 << 25) - 1,
} TrialFeature;

/* Whatever runs runs. Answers are 0, or a negative errno for a refusal, which changes nothing. */
typedef struct TrialSubject {
        const char *name;
        uint32_t features;              /* TrialFeature */
        void *(*new_subject)(const TrialDefinition *definition);        /* borrows it */
        void (*free_subject)(void *subject);
        int (*apply)(void *subject, const TrialEvent *event);
        void (*look)(void *subject, TrialView *ret_view);
} TrialSubject;

bool trial_run_is_terminal(TrialRunState state);
bool trial_node_is_terminal(TrialNodeState state);
/* Something that a person asks of a run. */
bool trial_is_verb(TrialEventKind kind);
/*
 * Compensations and the final node stand behind the others: views have their states, too. Returns how many there are in
 * all; some are no nodes, and stay WAITING.
 */
unsigned trial_n_views(const TrialDefinition *definition);
unsigned trial_undo_of(const TrialDefinition *definition, unsigned node);
/* Gives these nodes their settings. */
void trial_lay_ends(TrialDefinition *definition);
/* Takes the instances away, and lays them again, after the other nodes were changed. */
void trial_strip_items(TrialDefinition *definition);
void trial_lay_items(TrialDefinition *definition);
/* Nodes of the definition, without instances. */
unsigned trial_n_own(const TrialDefinition *definition);
/* The instance of @node for @item, which may be there, or is now; TRIAL_NODES_MAX. */
unsigned trial_find_item(const TrialDefinition *definition, unsigned node, unsigned item);
/* The list of @node is known, and has items: these count in its place. */
bool trial_is_expanded(const TrialDefinition *definition, const TrialNodeView *views, unsigned node);
/* Nodes of the definition that nobody has added to the run: they have no edges, either. */
bool trial_is_missing(const TrialNode *spec, const TrialNodeView *view);
bool trial_can_grow(const TrialDefinition *definition);
/* Nothing of @addition is there, and all that its nodes name is, or comes with them. */
bool trial_knows_parents(const TrialDefinition *definition, const TrialNodeView *views, unsigned addition);
/*
 * Whether the nodes of @addition may be added to a run that looks like @views: their parents are known, nothing that they
 * wait for has ended, and all that waits for them is WAITING or BLOCKED.
 */
bool trial_may_add(const TrialDefinition *definition, const TrialNodeView *views, unsigned addition);
void trial_remove_parent(TrialNode *node, unsigned at);
/* Takes out what a graph cannot have before all additions are there. */
void trial_trim_additions(TrialDefinition *definition);
/* Its end needs neither a process nor a job. */
bool trial_needs_no_attempt(const TrialNode *spec);
/* It takes a place of MaxParallel=. */
bool trial_needs_place(const TrialNode *spec);
/* The node waits with its attempt: a run that waits for a person. */
bool trial_waits_with_sub_run(const TrialNodeView *view);
/* It is RUNNING without an attempt: it sleeps, or somebody else has to complete it. */
bool trial_is_idle(const TrialNode *spec, const TrialNodeView *view);
/*
 * The @k-th parent of @spec, which looks like @parent, as the node sees it. What was skipped because of a failure has
 * failed; but nothing is done then, so that one-done does not count it.
 */
TrialParent trial_parent(const TrialNode *spec, unsigned k, const TrialNodeView *parent);

#define TRIAL_FAMILY_MAX (TRIAL_PARENTS_MAX * TRIAL_ITEMS_MAX)

/* What a node sees of its parents, each instance for itself. */
typedef struct TrialFamily {
        unsigned n;
        TrialParent as[TRIAL_FAMILY_MAX];
        bool is_marked[TRIAL_FAMILY_MAX];
        bool is_many[TRIAL_FAMILY_MAX];         /* nobody knows yet how many it is */
} TrialFamily;

void trial_find_family(const TrialDefinition *definition, const TrialNodeView *views, unsigned node,
                       TrialFamily *ret_family);
/* It takes a lock or a resource: of a node with Foreach= its instances do. */
bool trial_takes(const TrialNode *spec);
bool trial_run_takes(const TrialDefinition *definition);
/* A node with When= that decides about @otherwise, which has Otherwise=yes: they have the same parents. */
bool trial_decides_about(const TrialNode *node, const TrialNode *otherwise);
const TrialAttempt *trial_find_attempt(const TrialView *view, const TrialEvent *event);

const char *trial_event_name(TrialEventKind kind);
const char *trial_run_state_name(TrialRunState state);
const char *trial_node_state_name(TrialNodeState state);
const char *trial_reason_name(TrialReason reason);
const char *trial_readiness_name(TrialReadiness readiness);
const char *trial_why_name(TrialWhy why);
const char *trial_verdict_name(TrialVerdict verdict);
/* NULL: there is none with that bit. */
const char *trial_feature_name(unsigned bit);
