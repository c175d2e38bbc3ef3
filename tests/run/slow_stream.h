/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A slow model of a stream: all elements in one array, and each question answered by looking at all of them
 *
 * It does not choose which group is issued: it says whether what was issued may be.
 */

#include <stdbool.h>

#include "run/run_stream.h"

#define SLOW_ELEMENTS 1200U
#define SLOW_GROUPS 10U

/* What a model with a fault does wrong. */
typedef enum SlowStreamFault {
        SLOW_STREAM_IS_RIGHT,
        SLOW_STREAM_LOSES_WAKE_UP, /* an element that is linked behind a tail that is over is not READY */
        SLOW_STREAM_LINKS_ALL, /* LinkBatch= is no limit */
        SLOW_STREAM_LINKS_BACKWARDS, /* the last one first */
        SLOW_STREAM_NEXT_WAITS, /* the next one is not READY when the head is over */
        SLOW_STREAM_GOES_ON, /* a PENDING head is no head */
        SLOW_STREAM_FAILURE_STOPS, /* FAILED stops the group */
        SLOW_STREAM_LOST_TAKES_TRY,
        SLOW_STREAM_NO_POISON,
        SLOW_STREAM_AGAIN_TAKES_TRY,
        SLOW_STREAM_INTERRUPTED_TAKES_TRY,
        SLOW_STREAM_RETURN_TAKES_TRY,
        SLOW_STREAM_SKIP_FAILS,
        SLOW_STREAM_RETRY_KEEPS_TRIES, /* a person's retry */
        SLOW_STREAM_ONE_TRY_MORE,
        SLOW_STREAM_NO_DELAY,
        SLOW_STREAM_NO_SUSPEND, /* FailurePolicy=suspend is as continue */
        SLOW_STREAM_RECOVER_RETRIES, /* whatever Recover= says */
        SLOW_STREAM_KEY_LOST, /* of an element that is over */
        SLOW_STREAM_BACKLOG_LINKED, /* only what is linked counts */
        _SLOW_STREAM_FAULT_MAX,
} SlowStreamFault;

typedef struct SlowElement {
        uint32_t group, key; /* key: 0: none */
        uint32_t position, tries, deaths;
        RunElementState state;
        RunReason reason;
        usec_t due;
} SlowElement;

typedef struct SlowStream {
        RunStreamSettings settings;
        SlowStreamFault fault;
        SlowElement elements[SLOW_ELEMENTS]; /* by sequence, from 1 on */
        uint32_t n;
        bool is_known[SLOW_GROUPS];
} SlowStream;

SlowElement *slow_at(SlowStream *slow, uint64_t sequence);
/* The number of the head of a group; 0: none. */
uint32_t slow_head(SlowStream *slow, uint32_t group);
uint64_t slow_backlog(SlowStream *slow);
void slow_group_row(SlowStream *slow, uint32_t group, RunGroupRow *ret_row); /* .name is not set */
uint32_t slow_count(SlowStream *slow, uint32_t group, RunElementState state);

uint32_t slow_find_key(SlowStream *slow, uint32_t key); /* its element; 0: none */
RunStreamPush slow_push(SlowStream *slow, uint32_t group, uint32_t key, uint32_t *ret_sequence);
void slow_link(SlowStream *slow);
/* Why the element may not begin; NULL: it may, and is RUNNING now. */
const char *slow_begin(SlowStream *slow, uint64_t sequence, usec_t now);
/* The head of the group could begin. */
bool slow_can_begin(SlowStream *slow, uint32_t group, usec_t now);
RunStreamEnd slow_end(SlowStream *slow, uint64_t sequence, RunEndKind kind, uint16_t end, usec_t now, usec_t again);
RunStreamEnd slow_return(SlowStream *slow, uint64_t sequence);
int slow_resolve(SlowStream *slow, uint32_t group, uint64_t sequence, RunStreamOutcome outcome);
/* After a restart: delays begin anew. */
void slow_restart(SlowStream *slow, usec_t now);
