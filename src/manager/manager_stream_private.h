/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The structures of streams
 */

#include "manager/manager_stream.h"
#include "manager/manager_stream_row.h"

/* How a stream is loaded: a query of the store after the other, each of which may have several pages. */
typedef enum ManagerStreamPhase {
        MANAGER_STREAM_LAST, /* its last number */
        MANAGER_STREAM_GROUPS_AT_WORK,
        MANAGER_STREAM_GROUPS_PENDING,
        MANAGER_STREAM_RUNNING, /* elements */
        MANAGER_STREAM_READY,
        MANAGER_STREAM_PENDING,
        MANAGER_STREAM_UNLINKED,
        MANAGER_STREAM_OPEN, /* it works */
} ManagerStreamPhase;

typedef enum ManagerStreamQueryKind {
        MANAGER_STREAM_ASK_LOAD,
        MANAGER_STREAM_ASK_KEY,
        MANAGER_STREAM_ASK_GROUP,
        MANAGER_STREAM_ASK_ELEMENTS,
        MANAGER_STREAM_ASK_PRUNE,
} ManagerStreamQueryKind;

typedef struct ManagerStreamQuery {
        uint64_t number; /* 0: the store is to be asked */
        ManagerStreamQueryKind kind;
        char *text; /* owned: a group or a key; NULL */
        uint64_t position; /* elements behind that one, or, of ASK_PRUNE, up to there */
        uint32_t limit;
        uint64_t bytes; /* of data that are wanted */
} ManagerStreamQuery;

/* An element that was issued, and begins when its batch is safe. */
typedef struct ManagerStreamBegin {
        uint64_t sequence;
        uint64_t batch; /* 0: the one at hand */
        bool is_repeatable;
} ManagerStreamBegin;

/* Facts for the next row of an element. */
typedef struct ManagerStreamNote {
        uint64_t sequence;
        char *problem, *operator; /* owned; NULL: none */
        void *result; /* the same */
        size_t n_result;
} ManagerStreamNote;

struct ManagerStream {
        RunStream *engine; /* owned; NULL: its last number is not known yet */
        ManagerStreamPhase phase;
        uint64_t after; /* the last row of the page before; 0: none */
        char *after_name; /* owned: the same, of groups */
        bool knows_attempts; /* this core has begun all that there are */
        bool is_issuing; /* it has a launch, which is not to end */
        bool has_put; /* rows in the batch at hand … */
        bool has_lost; /* … or rows that are in none */
        usec_t ask_at; /* queries that were refused are not sent before */
        /* By their numbers, from .first on: .n_sent were sent, the others are to be. Those before were answered. */
        VECTOR(ManagerStreamQuery) queries;
        size_t first, n_sent;
        VECTOR(ManagerStreamBegin) begins;
        VECTOR(RunAttemptKey) strays; /* attempts that no element has claimed: nothing begins before they are over */
        VECTOR(ManagerStreamNote) notes;
        VECTOR(uint64_t) deletes; /* elements that are pruned */
        VECTOR(ManagerStreamQuery) prunes; /* groups of which the next page is to be asked for, one each … */
        size_t n_pruning; /* … and pages that are */
};

/* — manager_stream_data.c — */

bool manager_stream_is_open(const ManagerStream *stream); /* also NULL: false */
void manager_stream_clear(ManagerStream *stream);
void manager_stream_clear_notes(ManagerStream *stream);

int manager_stream_ask(ManagerStream *stream, const ManagerStreamQuery *query); /* takes .text; 0 or -ENOMEM */
bool manager_stream_has_queries(const ManagerStream *stream);
/* The next one that is to be sent; NULL: there is none. With its number it counts as sent when n_sent says so. */
ManagerStreamQuery *manager_stream_next_query(ManagerStream *stream);
/* Removes the query with a number, and gives it away: false: there is none. Answers come in the order of questions. */
bool manager_stream_take_query(ManagerStream *stream, uint64_t number, ManagerStreamQuery *ret_query);
/* The query with the number is to be sent once more, behind the others. */
bool manager_stream_repeat_query(ManagerStream *stream, uint64_t number);

/*
 * Elements that are pruned are asked for by pages, and deleted. A page is asked for when all of those before it are
 * deleted, of whatever group: before, it would have rows that are to be deleted already.
 */
bool manager_stream_has_room(const ManagerStream *stream); /* for a group that is to be pruned */
int manager_stream_note_prune(ManagerStream *stream, const ManagerStreamQuery *query); /* takes .text; 0 or -ENOMEM */
int manager_stream_ask_prunes(ManagerStream *stream);

/* — manager_stream_load.c — */

/* The engine of a stream from the settings of its run: 0, -ENOMEM, or -EINVAL for a section that cannot be read. */
int manager_stream_make(const ManagerRun *run, uint64_t sequence, RunStream **ret_engine);
void manager_stream_load_next(ManagerRuns *runs, ManagerRun *run); /* asks for the next page, if none was asked for */
void manager_stream_describe_load(const ManagerStream *stream, RunStoreQuery *query);
/* 0, or an error after which it is to be loaded anew. */
int manager_stream_load_rows(ManagerRuns *runs, ManagerRun *run, RunStorePage *page);

/* — manager_stream_push.c — */

void manager_stream_take_pushes(ManagerRuns *runs);
void manager_stream_note_batch(ManagerRuns *runs); /* what was taken in this turn is in the last batch */
/* The stream is loaded again: those that wait ask for their keys again, and those that it has taken fail. */
void manager_stream_forget_pushes(ManagerRuns *runs, const ManagerRun *run);
