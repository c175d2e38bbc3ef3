/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A stream, for its own files
 */

#include "basic/heap.h"
#include "basic/index_table.h"
#include "basic/vector.h"
#include "run/run_stream.h"

#define STREAM_NO_SLOT UINT32_MAX

typedef struct StreamGroup StreamGroup;

typedef struct StreamElement {
        uint64_t sequence;
        uint64_t position; /* 0: not linked */
        StreamGroup *group; /* borrowed; outlives the element */
        char *key; /* owned; NULL: none */
        void *data; /* owned; NULL without .has_data, or if there are no bytes */
        size_t size;
        struct StreamElement *next; /* in a list of its group */
        struct StreamElement *next_dirty;
        unsigned changes; /* RunElementChange, since its row was taken */
        uint32_t tries, deaths, issue;
        uint16_t end;
        uint8_t state; /* RunElementState */
        uint8_t reason; /* RunReason */
        bool has_data;
        bool is_dirty; /* its row is to be taken */
        bool is_kept; /* in a list of its group; else it is freed when its row is taken */
        bool is_claimed; /* while restoring */
        bool is_held; /* not linked, its row was taken, and its data are kept */
} StreamElement;

typedef struct StreamList {
        StreamElement *first, *last;
        uint32_t n;
} StreamList;

typedef enum StreamWork {
        STREAM_IDLE, /* nothing is linked that is not over */
        STREAM_QUEUED,
        STREAM_LOADING, /* has a place, and waits for its head */
        STREAM_OUT, /* has a place, and its head is out */
        STREAM_DELAYED, /* in the heap */
        STREAM_STOPPED, /* its head is PENDING */
} StreamWork;

typedef enum StreamAsk {
        STREAM_ASK_NOTHING,
        STREAM_ASK_WANTED, /* in .wanted of the stream */
        STREAM_ASK_OPEN, /* the query was taken */
        STREAM_ASK_LATER, /* in .failed of the stream, until .asks_at */
} StreamAsk;

/* Lists of groups, by the link in the group. */
typedef enum StreamQueue {
        STREAM_QUEUE_READY, /* groups that wait for a place */
        STREAM_QUEUE_LINK, /* known groups with elements to link */
        STREAM_QUEUE_BEGIN, /* their heads were issued */
        STREAM_QUEUE_ASK, /* wanted, or failed */
        STREAM_QUEUE_DIRTY,
        STREAM_QUEUE_PRUNE,
        _STREAM_QUEUE_MAX,
} StreamQueue;

struct StreamGroup {
        char *name; /* owned */
        uint32_t slot;
        StreamGroup *next[_STREAM_QUEUE_MAX], *before[_STREAM_QUEUE_MAX];
        bool is_in[_STREAM_QUEUE_MAX];
        StreamList chain; /* the head, and what comes next; linked, and not over */
        StreamList unlinked;
        uint64_t tail; /* sequence */
        uint64_t waiting, done, failed; /* as in its row */
        uint64_t pruned; /* position, of the prune that is to be taken */
        usec_t due; /* in the heap */
        uint32_t heap_place;
        uint32_t n_dirty; /* elements */
        uint32_t n_held; /* elements of .unlinked with .is_held */
        usec_t asks_at;
        uint8_t work; /* StreamWork */
        uint8_t ask; /* StreamAsk */
        bool is_known; /* its row is, or that there is none */
        bool is_new; /* there is none */
        bool is_restored; /* in the queue since run_stream_begin() */
        bool is_indexed; /* its head is in .by_sequence */
};

typedef struct StreamQueueEnds {
        StreamGroup *first, *last;
        uint32_t n;
} StreamQueueEnds;

typedef struct StreamSlot {
        StreamGroup *group; /* owned; NULL: the slot is free */
        uint32_t next_spare;
} StreamSlot;

typedef struct StreamKey {
        char *key; /* owned; NULL: the slot is free */
        uint64_t sequence; /* 0: not used, or not known */
        uint32_t pins;
        uint32_t next; /* by sequence, of those that are not durable; of a free slot: the next one */
        bool is_known; /* the store has answered, or the element was pushed here */
        bool is_asked;
        bool is_listed; /* among those that are not durable */
} StreamKey;

struct RunStream {
        RunStreamSettings settings;
        uint64_t next_sequence;
        VECTOR(StreamSlot) groups;
        uint32_t spare_group;
        uint32_t n_groups;
        IndexTable by_name; /* of .groups */
        IndexTable by_sequence; /* of .groups: the sequence of a head that is out */
        StreamQueueEnds queues[_STREAM_QUEUE_MAX];
        StreamQueueEnds failed; /* links of STREAM_QUEUE_ASK: queries that are asked again later */
        Heap delayed; /* groups */
        usec_t link_at; /* if there are groups to link */
        StreamElement *first_dirty, *last_dirty;
        StreamElement *taken; /* an element whose row was taken last, and which may leave memory */
        StreamGroup *taken_group; /* the same */
        VECTOR(StreamKey) keys;
        uint32_t spare_key, first_key, last_key; /* STREAM_NO_SLOT: none */
        IndexTable by_key;
        uint64_t backlog, unlinked, done, n_failed, strange, bytes, durable;
        uint32_t n_out, n_places, n_pending;
        bool is_restoring, is_held;
        bool has_restored; /* groups with .is_restored */
};

static inline uint32_t stream_hash(uint64_t sequence) {
        return (uint32_t) (sequence * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* — lists — */

void stream_queue_add(RunStream *stream, StreamGroup *group, StreamQueue queue); /* does nothing if it is in it */
void stream_queue_remove(RunStream *stream, StreamGroup *group, StreamQueue queue);
void stream_list_add(StreamList *list, StreamElement *element);
StreamElement *stream_list_take(StreamList *list); /* the first, of a list that has one */

/* — elements and groups — */

/* Copies the strings and data; 0 or -ENOMEM. Without @has_data the data is not kept. */
int stream_element_new(RunStream *stream, StreamGroup *group, const RunElementRow *row, bool has_data,
                       StreamElement **ret_element);
void stream_element_free(RunStream *stream, StreamElement *element);
void stream_element_drop_data(RunStream *stream, StreamElement *element);
void stream_element_touch(RunStream *stream, StreamElement *element, unsigned changes);
/* Frees what was taken last: first in each call that changes a stream. */
void stream_settle(RunStream *stream);

StreamGroup *stream_group_find(const RunStream *stream, const char *name);
/* The group of @name, made if it is not there, with room for all that may be noted of it. 0 or -ENOMEM. */
int stream_group_get(RunStream *stream, const char *name, StreamGroup **ret_group);
void stream_group_touch(RunStream *stream, StreamGroup *group);
/* The group of the head that is out; NULL. */
StreamGroup *stream_find_out(const RunStream *stream, uint64_t sequence);
/* The head of the group comes to be out, or is not any more. */
void stream_index(RunStream *stream, StreamGroup *group);
void stream_unindex(RunStream *stream, StreamGroup *group);
/* A group that has something to do, and no place, gets in the queue. */
void stream_queue_up(RunStream *stream, StreamGroup *group, bool is_first);
/* The head waits until a time. */
void stream_delay(RunStream *stream, StreamGroup *group, usec_t due);
/* Notes a query for what the group lacks. */
void stream_want(RunStream *stream, StreamGroup *group);

/* — keys — */

void stream_keys_deinit(RunStream *stream);
/* The key, which is pinned, is that of the element; it was not used. */
void stream_key_use(RunStream *stream, const char *key, uint64_t sequence);
