/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The elements of a stream: groups, each of which is a chain
 *
 * An element is pushed into a group and gets a sequence number, which rises
 * over the whole run. An element is UNLINKED at first. The linker gives it a
 * position in its group: WAITING. The first element of a group that is not over
 * is the head. The head becomes READY, and RUNNING when it is issued. When the
 * head is over, the next element becomes READY in the same step. So the
 * elements of a group are executed one after the other, by sequence, and those
 * of several groups side by side. A PENDING head stops its group until a person
 * resolves it.
 *
 * Rows of the store are the truth, and what is here is a part of it: groups
 * that have work, and of each the first elements that are not over. A stream
 * is changed by calls, which note the rows that have changed; then
 *
 *     run_stream_step()             links and issues
 *     run_stream_take_element() …   until there are no more: rows for the batch of this turn
 *     run_stream_take_query() …     what the store is to be asked, after that batch
 *     run_stream_take_begin() …     elements whose commands begin when that batch is accepted or durable
 *
 * Rows that are taken between two steps belong in one batch. A row that changes
 * twice in a turn is taken once. Elements that are over, and groups without
 * work, leave memory when their rows are taken.
 *
 * A group of which nothing is in memory is unknown. A push into it is accepted
 * at once, and its row asked for; its elements are linked when that is there.
 * Elements of the store that are linked and not in memory are asked for when
 * their turn comes, and some in advance. A query must see all rows that were
 * taken before the query.
 *
 * MaxGroups= is the number of places: of elements that are out, and of heads
 * that are being loaded. A group gives its place up at each end of an element;
 * if it has more to do, it stands last in the queue of groups. A group whose
 * head waits for another try, or is PENDING, has no place.
 *
 * Times are µs of a clock that does not go back and goes on in suspend. Functions return 0 or a negative errno; memory
 * is taken where -ENOMEM is said, and then nothing has changed. Strings and data in arguments are copied, and those in
 * results are borrowed until the next call that changes the stream or takes a row, except where another time is said.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/macro.h"
#include "basic/string_table.h"
#include "basic/usec.h"
#include "run/run_engine.h"

#define RUN_STREAM_GROUP_MAX 100U /* characters */
#define RUN_STREAM_KEY_MAX 255U /* bytes */
#define RUN_STREAM_DATA_MAX (UINT32_C(1) << 20) /* bytes of an element */
#define RUN_STREAM_AHEAD 32U /* linked elements of a group in memory, at most */
#define RUN_STREAM_BYTES_MAX (UINT64_C(8) << 20) /* data in memory, beyond which none is held for later */
#define RUN_STREAM_LINK_MAX 4096U /* elements that a step links, of all groups */
#define RUN_STREAM_PRUNE 100U /* elements that are over, of a group, between two prunings */

typedef struct RunStream RunStream;

typedef enum RunElementState {
        RUN_ELEMENT_UNLINKED,
        RUN_ELEMENT_WAITING, /* linked, behind the head */
        RUN_ELEMENT_READY, /* the head: waits for a place, or for another try */
        RUN_ELEMENT_RUNNING, /* issued */
        RUN_ELEMENT_PENDING, /* a person must resolve it */
        RUN_ELEMENT_SUCCEEDED,
        RUN_ELEMENT_FAILED,
        RUN_ELEMENT_SKIPPED,
        _RUN_ELEMENT_STATE_MAX,
} RunElementState;

typedef enum RunGroupState {
        RUN_GROUP_IDLE, /* all that is linked is over */
        RUN_GROUP_AT_WORK,
        RUN_GROUP_PENDING, /* its head is */
        _RUN_GROUP_STATE_MAX,
} RunGroupState;

DECLARE_STRING_TABLE(run_element_state, RunElementState); /* "UNLINKED": as users read it */
DECLARE_STRING_TABLE(run_group_state, RunGroupState); /* "AT-WORK" */

bool run_element_state_is_over(RunElementState state);

typedef struct RunStreamSettings {
        RunPolicy policy; /* of an element, as flow_spec_element_policy() makes it */
        uint32_t link_batch; /* elements of a group that a step links, at least 1 */
        usec_t link_delay; /* from a push to the linker, so that it links more at once; 0: in the next step */
        uint64_t max_backlog; /* elements that are not over, of all groups; at least 1 */
        uint32_t keep_done; /* elements of a group that are over and stay in the store */
        uint32_t max_groups; /* at least 1 */
} RunStreamSettings;

/*
 * A stream without elements; @sequence is above each that was ever given, in the store or to an attempt, and at least
 * 1. It restores until run_stream_begin(). -EINVAL: settings that cannot be; -ENOMEM.
 */
int run_stream_new(const RunStreamSettings *settings, uint64_t sequence, RunStream **ret_stream);
RunStream *run_stream_free(RunStream *stream); /* accepts NULL, returns NULL */
DEFINE_CLEANUP(RunStream, run_stream_free)

/* 0, or -EINVAL: not UTF-8, a control character, or longer than RUN_STREAM_GROUP_MAX characters. */
int run_stream_check_group(const char *group);
/* The same; or empty, or longer than RUN_STREAM_KEY_MAX bytes. */
int run_stream_check_key(const char *key);

/* — rows — */

typedef enum RunElementChange {
        RUN_ELEMENT_PUSHED = 1 << 0, /* the row is new: all columns, with .key and .data; the time of the push */
        RUN_ELEMENT_LINKED = 1 << 1, /* .position */
        RUN_ELEMENT_BEGAN = 1 << 2, /* the time of its begin */
        RUN_ELEMENT_ENDED = 1 << 3, /* an attempt has: .exit, .signal */
        RUN_ELEMENT_OVER = 1 << 4, /* the time of its end */
        RUN_ELEMENT_BECAME_PENDING = 1 << 5, /* an alarm */
        RUN_ELEMENT_RESOLVED = 1 << 6, /* by a person */
} RunElementChange;

typedef struct RunElementRow {
        uint64_t sequence;
        const char *group;
        const char *key; /* NULL: none */
        const void *data; /* with RUN_ELEMENT_PUSHED, and in what the store has answered */
        size_t size; /* of .data */
        uint64_t position; /* in the group, from 1 on; 0: UNLINKED */
        unsigned changes; /* bits of RunElementChange; .state, .tries, .deaths, .issue and .reason always count */
        RunElementState state;
        uint32_t tries; /* that have failed */
        uint32_t deaths; /* attempts that were lost */
        uint32_t issue; /* how often it was issued: the number of its last attempt */
        RunReason reason;
        uint16_t end; /* of the last attempt that has ended: as run_engine_ended() has it */
} RunElementRow;

typedef struct RunGroupRow {
        const char *name;
        uint64_t head; /* sequence of the head; 0: none, or not in memory */
        uint64_t tail; /* sequence of the last element that is linked; 0: none */
        uint64_t waiting; /* linked and not over, with the head */
        uint64_t done; /* SUCCEEDED and SKIPPED, ever */
        uint64_t failed; /* FAILED, ever */
        RunGroupState state;
        bool is_new; /* taken: there is no row of it yet */
} RunGroupRow;

/* Elements of the group that are over and at or below a position are deleted, some at a time; never the tail. */
typedef struct RunStreamPrune {
        const char *group;
        uint64_t position;
} RunStreamPrune;

/* False: no more. */
bool run_stream_take_element(RunStream *stream, RunElementRow *ret_row);
bool run_stream_take_group(RunStream *stream, RunGroupRow *ret_row);
bool run_stream_take_prune(RunStream *stream, RunStreamPrune *ret_prune);

/* — keys — */

typedef enum RunStreamKey {
        RUN_STREAM_KEY_FREE, /* the key is not used, as the store has said: push */
        RUN_STREAM_KEY_USED, /* by *ret_sequence; it may not be durable yet */
        RUN_STREAM_KEY_ASK, /* ask the store, and hand the answer to run_stream_answer_key() */
        RUN_STREAM_KEY_ASKED, /* the store was asked; look again after the answer */
} RunStreamKey;

/*
 * Looks a key up before a push with it, and pins it until run_stream_unpin_key(): so two pushes of one key, however
 * they meet, get one number. -ENOMEM. To look again (…_ASK, …_ASKED) use run_stream_find_key().
 */
int run_stream_pin_key(RunStream *stream, const char *key, RunStreamKey *ret_answer, uint64_t *ret_sequence);
/* The same of a key that is pinned; never …_ASK. */
RunStreamKey run_stream_find_key(const RunStream *stream, const char *key, uint64_t *ret_sequence);
void run_stream_unpin_key(RunStream *stream, const char *key);
/* @sequence: 0: the store does not have it. An answer to nothing is dropped. */
void run_stream_answer_key(RunStream *stream, const char *key, uint64_t sequence);
/*
 * The query has failed, and no answer comes: the next one who looks is told …_ASK. Those that were told …_ASKED fail,
 * too, and unpin. Otherwise a question stays open, also if nobody has the key pinned any more, until it is answered.
 */
void run_stream_forget_key(RunStream *stream, const char *key);
/* All rows of elements up to @sequence are durable: the store answers for their keys. */
void run_stream_note_durable(RunStream *stream, uint64_t sequence);

/* — pushes — */

typedef enum RunStreamPush {
        RUN_STREAM_PUSHED,
        RUN_STREAM_REPEATED, /* the key is used: *ret_sequence is the number of its element */
        RUN_STREAM_FULL, /* the backlog is */
} RunStreamPush;

typedef struct RunStreamElement {
        const char *group; /* valid, as run_stream_check_group() says */
        const char *key; /* NULL: none; else pinned, and not …_ASK nor …_ASKED */
        const void *data;
        size_t size; /* at most RUN_STREAM_DATA_MAX */
} RunStreamElement;

/*
 * A RunStreamPush, or -ENOMEM; after run_stream_begin(). The push is to be answered when the rows of this turn are
 * durable.
 */
int run_stream_push(RunStream *stream, const RunStreamElement *element, usec_t now, uint64_t *ret_sequence);

/* — turns — */

/* While it is held no element is issued; what is out goes on, pushes are accepted, and linked. At first it is not. */
void run_stream_hold(RunStream *stream, bool is_held);
/* Links, ends delays, and issues. */
void run_stream_step(RunStream *stream, usec_t now);
/* When run_stream_step() has something to do, if nothing else happens: @now: at once; USEC_INFINITY: never. */
usec_t run_stream_due(const RunStream *stream, usec_t now);

typedef struct RunStreamBegin {
        uint64_t sequence;
        const char *group, *key; /* borrowed, as .data, until its end; .key: NULL: none */
        const void *data;
        size_t size;
        uint32_t tries; /* before this one */
        uint32_t issue; /* the number of the attempt */
        bool is_repeatable; /* Recover=retry: begins when its batch is accepted; else, when it is durable */
} RunStreamBegin;

/* An element that was issued, once for each try. The host begins it after the batch of this turn, and tells its end. */
bool run_stream_take_begin(RunStream *stream, RunStreamBegin *ret_begin);
/* The same of an element that is out, at any time: after a claim, too, if its data is in memory. -ENOENT. */
int run_stream_find_begin(const RunStream *stream, uint64_t sequence, RunStreamBegin *ret_begin);
/* The element is out, with the attempt of that number: the end of another one is not that of the element. */
bool run_stream_is_out(const RunStream *stream, uint64_t sequence, uint32_t issue);

typedef enum RunStreamQueryKind {
        RUN_STREAM_QUERY_GROUP, /* the row of .group: run_stream_answer_group() */
        RUN_STREAM_QUERY_ELEMENTS, /* .limit elements from behind .position on: run_stream_answer_element() … */
} RunStreamQueryKind;

typedef struct RunStreamQuery {
        RunStreamQueryKind kind;
        const char *group;
        uint64_t position; /* elements that are linked have higher ones, if they are neither over nor in memory */
        uint32_t limit;
        uint64_t bytes; /* of data, beyond which no more elements are needed; one at least is */
} RunStreamQuery;

/* One query of a group is under way at a time. */
bool run_stream_take_query(RunStream *stream, RunStreamQuery *ret_query);
/* @row: NULL: there is none. An answer to nothing is dropped. */
void run_stream_answer_group(RunStream *stream, const char *group, const RunGroupRow *row);
/* By rising position, then run_stream_answer_end(). Dropped: one that is no answer, or is beyond .limit. -ENOMEM. */
int run_stream_answer_element(RunStream *stream, const RunElementRow *row);
/* No more elements come. If none has, as when the query failed, the group asks again, not before @retry. */
void run_stream_answer_end(RunStream *stream, const char *group, usec_t retry);

/* — ends — */

typedef enum RunStreamEnd {
        RUN_STREAM_ENDED, /* its row has changed */
        RUN_STREAM_STRANGE, /* it is not out: nothing has changed */
} RunStreamEnd;

/*
 * An attempt has ended: @end as for run_engine_ended(). @again: with RUN_END_EXITED and a status that says "not yet",
 * after how long, or USEC_INFINITY: as the settings say. @random: any of all values, for jitter.
 */
RunStreamEnd run_stream_end(RunStream *stream, uint64_t sequence, RunEndKind kind, uint16_t end, usec_t now,
                            usec_t again, uint32_t random);
/* The element was issued, and has never begun: READY, and nothing is counted. */
RunStreamEnd run_stream_return(RunStream *stream, uint64_t sequence);

typedef enum RunStreamOutcome {
        RUN_STREAM_AS_SUCCESS,
        RUN_STREAM_AS_FAILED, /* FAILED, and the next one begins, whatever the failure policy says */
        RUN_STREAM_AS_RETRY, /* READY, with all its tries */
        RUN_STREAM_AS_SKIP,
        _RUN_STREAM_OUTCOME_MAX,
} RunStreamOutcome;

DECLARE_STRING_TABLE(run_stream_outcome, RunStreamOutcome); /* "success", "failed", "retry", "skip" */

/*
 * A person resolves the head of a group, which is PENDING: @sequence: its number, or 0. The number is in *ret_sequence.
 * -ENOENT: the group has no work; -EBUSY: the head is not PENDING; -ESTALE: @sequence is not the head.
 */
int run_stream_resolve(RunStream *stream, const char *group, uint64_t sequence, RunStreamOutcome outcome,
                       uint64_t *ret_sequence);

/* — after a restart — */

/*
 * In this order: each group that has linked elements which are not over; all heads of these (RUNNING, READY, PENDING);
 * all UNLINKED elements, by sequence, in groups that were told or not; run_stream_claim() of each attempt that the host
 * has; run_stream_lost() of those of run_stream_next_unclaimed(); run_stream_begin(). A group without a head, or a head
 * that is WAITING, is repaired: its first element is asked for. Rows with the same number are dropped. -EINVAL:
 * a row that cannot be; -ENOMEM.
 */
int run_stream_restore_group(RunStream *stream, const RunGroupRow *row);
int run_stream_restore_element(RunStream *stream, const RunElementRow *row);
/*
 * The host has an attempt of the element, begun or not; its end is told by run_stream_end() when it is known, also
 * at once. @issue: its number, which is above that of the row if the store has died before it had that of the begin;
 * @tries: those that had failed by then. Of several attempts the one with the highest number is told first. -ENOENT:
 * the element is over, unknown or no head, or the end of the attempt is known: it is nobody's.
 */
int run_stream_claim(RunStream *stream, uint64_t sequence, uint32_t issue, uint32_t tries);
/* The lowest from @from on that is RUNNING and not claimed; 0: none. It was lost, or goes to run_stream_return(). */
uint64_t run_stream_next_unclaimed(const RunStream *stream, uint64_t from);
/* From now on it works. What is RUNNING and was neither claimed nor ended counts as out. */
void run_stream_begin(RunStream *stream);

/* — what can be asked — */

typedef struct RunStreamCounts {
        uint64_t sequence; /* the last that was given */
        uint64_t backlog; /* elements that are not over … */
        uint64_t unlinked; /* … of them, not linked */
        uint32_t groups; /* in memory */
        uint32_t out; /* elements that are */
        uint32_t places; /* in use: .out, and heads that are being loaded */
        uint32_t queued; /* groups that wait for a place */
        uint32_t delayed; /* groups whose head waits for another try */
        uint32_t pending; /* groups whose head is PENDING */
        uint64_t done, failed; /* of this stream since it was made */
        uint64_t strange; /* ends that were dropped */
        uint64_t bytes; /* of data in memory */
        bool is_held;
} RunStreamCounts;

void run_stream_count(const RunStream *stream, RunStreamCounts *ret_counts);
/* The row of a group in memory, and its head as far as that is known (.sequence 0: not). -ENOENT. */
int run_stream_get_group(const RunStream *stream, const char *group, RunGroupRow *ret_group, RunElementRow *ret_head);
