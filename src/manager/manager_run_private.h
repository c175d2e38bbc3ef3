/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The structures of a run, a flow with runs, and the table of them
 *
 * For those who own a part of it, and who make, load, put and end runs. Whoever
 * only looks at runs has manager_run_get.h.
 */

#include "basic/id_map.h"
#include "manager/manager_alarm.h"
#include "manager/manager_run_data.h"
#include "manager/manager_run_get.h"
#include "manager/manager_run_graph.h"
#include "manager/manager_run_keep.h"
#include "manager/manager_run_load.h"
#include "manager/manager_run_outbox.h"
#include "manager/manager_run_policy.h"
#include "manager/manager_run_table.h"
#include "manager/manager_stream.h"

/* A node as the last batch has it: what follows is told once. */
typedef struct ManagerRunMark {
        uint32_t number; /* of its last attempt */
        uint32_t state : 8, generation : 24;
} ManagerRunMark;

/* A run that lives, or that a person wants to go on. */
struct ManagerRun {
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
        RunState put_state; /* as the last batch has it */
        RunState new_state; /* as it was last put, though that batch may have been refused */
        RunState told_state; /* that others were told of by Notify= … */
        bool is_told; /* … if any was */
        bool must_tell_alarm; /* that it is suspended, by Notify= */
        usec_t summary_at; /* of the next summary, by the clock of the engine; 0: not set yet */
        bool is_put; /* the store has a row of it */
        bool has_no_elements; /* of a stream: it was submitted by this core */
        bool has_grown; /* the store lacks its definition */
        bool is_new; /* in the batch at hand */
        bool is_over; /* it has ended, by its last row */
        bool drops_files; /* it is forgotten, and its large results with it */
        uint32_t told_round; /* whose end others were told of; 0: none */
        uint64_t batch; /* with its last row */
        ManagerStream *stream; /* owned: of the run of a stream; NULL: there is none yet */
};

/* A flow with runs. */
struct ManagerFlow {
        struct ManagerFlow *next, *previous;
        Unit *unit; /* a reference */
        RunFlow *engine; /* owned by the engine of runs */
        ManagerRun *first;
        ManagerKept kept; /* of the last submission */
        bool is_starting; /* its start job waits for a submission */
        bool must_hold; /* a person has stopped its unit, which the store has not recorded yet */
        bool is_reviving; /* its start was asked for by runs that were interrupted, and by no person */
        bool is_stopping; /* its stop waits for attempts … */
        bool waits_for_hold; /* … and for .hold_batch */
        uint64_t hold_batch; /* that holds its runs; 0: none; UINT64_MAX: the one at hand */
        bool has_failed, has_succeeded; /* a run has, since it became active */
        bool is_news; /* the unit is to be told */
        bool holds_pushes; /* one waits, in this turn, and those behind it do */
        const char *problem; /* why its start has failed; static */
        usec_t paused_until; /* by the clock of the engine: then NodesFile= of a submission is read again */
};

/* The definition of the last flow that had no runs any more. */
typedef struct ManagerSpare {
        ManagerKept kept;
        char *unit; /* owned: its name, since the unit need not stay */
} ManagerSpare;

/* An answer that waits until a batch is durable. */
typedef struct ManagerAwaited {
        ManagerRunTicket ticket;
        ManagerRunAnswerKind kind;
        uint32_t run, n;
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

/* An end of a run that others were told of, as long as the store may not have it. */
typedef struct ManagerToldEnd {
        uint32_t run, round;
        uint64_t batch; /* that has it */
        bool is_of_earlier; /* an earlier core has told it, or it was long ago, and the run has not ended again */
} ManagerToldEnd;

typedef struct ManagerSubmit ManagerSubmit;
typedef struct ManagerPush ManagerPush;
typedef struct ManagerPending ManagerPending;
typedef struct ManagerTrigger ManagerTrigger;
typedef struct ManagerRetention ManagerRetention;
typedef struct ManagerRemains ManagerRemains;
typedef struct ManagerOutline ManagerOutline;
typedef struct ManagerReading ManagerReading;

#define MANAGER_RUN_BYTES_TIGHT ((size_t) 32 * 1024 * 1024) /* that the store has not: no attempt begins */
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
        ManagerPush *pushes, *last_waiting; /* owned: that no run has taken, in their order … */
        ManagerPush *taken, *last_taken; /* owned: … and those that are not durable */
        uint64_t last_push; /* the number of the last one */
        size_t n_push_bytes; /* of both */
        ManagerPending *pending; /* owned */
        ManagerRetention *retentions; /* owned */
        ManagerRemains *remains; /* owned: of runs that are gone */
        ManagerReading *readings; /* owned: results that clients wait for */
        ManagerOutline *outlines; /* owned: of definitions that the store is to get, in their order */
        uint8_t outlined[MANAGER_RUN_OUTLINED][MANAGER_RUN_HASH_BYTES]; /* that it has; a ring */
        size_t n_outlined;
        ManagerTrigger *triggers; /* owned, in their order */
        uint64_t last_trigger; /* the number of the last one */
        uint64_t last_sub; /* the last ticket of a sub-run */
        VECTOR(ManagerRunEnd) ends;
        VECTOR(ManagerToldEnd) told_ends;
        bool must_commit; /* the state, before the batch leaves */
        bool has_put_errors; /* of items, into the batch at hand … */
        uint64_t errors_batch; /* … and the last one that has some, and is not durable; 0: none */
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
        /* As manager_stream_answer_submit(). */
        void (*answer_push)(ManagerRuns *runs, const ManagerRunAnswer *answer);
        int (*query)(ManagerRuns *runs, const RunStoreQuery *query, uint32_t run, ManagerRunTicket ticket,
                     Failure *ret_failure); /* as manager_runs_query() */
        bool is_loaded, knows_attempts;
        bool must_revive; /* runs that the end of the earlier manager has held */
        VECTOR(uint32_t) left_out; /* runs that live and could not be loaded … */
        bool has_lost_count; /* … and more of them, for want of memory */
        uint32_t last_id;
        uint32_t n_processors;
        char boot[37];
        RecordWriter *writer; /* borrowed: of the batch at hand; NULL: none is open */
        bool has_batch; /* something was to be put */
        bool has_refused; /* the batch of this turn could not be made: no other one passes for it */
        bool has_missed; /* an attempt could not be begun */
        bool has_work; /* since its last turn began */
        bool has_heard; /* from the store, since it was last set to false */
        uint64_t batch; /* the last one */
        uint64_t durable, accepted; /* .accepted: 0 until the store says so */
        usec_t now; /* by the clock of the engine, in this turn */
        sd_event_source *timer; /* owned */
        usec_t alarm;
        usec_t look_at; /* when to look what became of a store that could not be used; USEC_INFINITY: need not be */
        bool is_refusing; /* it cannot be used: nothing waits for it any more */
        bool has_failed; /* to load what lives */
};
