/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A stream and the store: rows that are taken, queries and their answers, and a stream that is made from rows
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_stream_private.h"

static void fill_element(const StreamElement *element, RunElementRow *ret_row) {
        const bool is_new = element->changes & RUN_ELEMENT_PUSHED;

        *ret_row = (RunElementRow) {
                .sequence = element->sequence,
                .group = element->group->name,
                .key = element->key,
                .data = is_new ? element->data : NULL,
                .size = is_new ? element->size : 0,
                .position = element->position,
                .changes = element->changes,
                .state = (RunElementState) element->state,
                .tries = element->tries,
                .deaths = element->deaths,
                .issue = element->issue,
                .reason = (RunReason) element->reason,
                .end = element->end,
        };
}

static RunGroupState state_of(const StreamGroup *group) {
        if (group->waiting == 0)
                return RUN_GROUP_IDLE;
        return group->work == STREAM_STOPPED ? RUN_GROUP_PENDING : RUN_GROUP_AT_WORK;
}

static void fill_group(const StreamGroup *group, RunGroupRow *ret_row) {
        *ret_row = (RunGroupRow) {
                .name = group->name,
                .head = group->chain.n > 0 ? group->chain.first->sequence : 0,
                .tail = group->tail,
                .waiting = group->waiting,
                .done = group->done,
                .failed = group->failed,
                .state = state_of(group),
                .is_new = group->is_new,
        };
}

/* — rows — */

bool run_stream_take_element(RunStream *stream, RunElementRow *ret_row) {
        StreamElement *element = stream->first_dirty;

        stream_settle(stream);
        if (!element)
                return false;
        stream->first_dirty = element->next_dirty;
        if (!stream->first_dirty)
                stream->last_dirty = NULL;
        element->is_dirty = false;
        element->group->n_dirty--;
        fill_element(element, ret_row);
        element->changes = 0;
        stream->taken = element;
        stream->taken_group = element->group;
        return true;
}

bool run_stream_take_group(RunStream *stream, RunGroupRow *ret_row) {
        StreamGroup *group = stream->queues[STREAM_QUEUE_DIRTY].first;

        stream_settle(stream);
        if (!group)
                return false;
        stream_queue_remove(stream, group, STREAM_QUEUE_DIRTY);
        fill_group(group, ret_row);
        group->is_new = false;
        stream->taken_group = group;
        return true;
}

bool run_stream_take_prune(RunStream *stream, RunStreamPrune *ret_prune) {
        StreamGroup *group = stream->queues[STREAM_QUEUE_PRUNE].first;

        stream_settle(stream);
        if (!group)
                return false;
        stream_queue_remove(stream, group, STREAM_QUEUE_PRUNE);
        *ret_prune = (RunStreamPrune) { .group = group->name, .position = group->pruned };
        stream->taken_group = group;
        return true;
}

/* — queries — */

static bool lacks_data(const StreamGroup *group) {
        return group->chain.n > 0 && !group->chain.first->has_data;
}

/* The position of the last element that is not to be answered: positions of a group have no gaps. */
static uint64_t known_up_to(const StreamGroup *group) {
        return group->done + group->failed + (lacks_data(group) ? 0 : group->chain.n);
}

bool run_stream_take_query(RunStream *stream, RunStreamQuery *ret_query) {
        StreamGroup *group = stream->queues[STREAM_QUEUE_ASK].first;

        stream_settle(stream);
        if (!group)
                return false;
        stream_queue_remove(stream, group, STREAM_QUEUE_ASK);
        group->ask = STREAM_ASK_OPEN;
        *ret_query = (RunStreamQuery) {
                .kind = group->is_known ? RUN_STREAM_QUERY_ELEMENTS : RUN_STREAM_QUERY_GROUP,
                .group = group->name,
                .position = group->is_known ? known_up_to(group) : 0,
                .limit = group->is_known ? RUN_STREAM_AHEAD - group->chain.n + lacks_data(group) : 1,
                .bytes = stream->bytes < RUN_STREAM_BYTES_MAX ? RUN_STREAM_BYTES_MAX - stream->bytes : 0,
        };
        return true;
}

static void set_group(StreamGroup *group, const RunGroupRow *row) {
        group->is_known = true;
        group->is_new = !row;
        if (!row)
                return;
        group->tail = row->tail;
        group->waiting = row->waiting;
        group->done = row->done;
        group->failed = row->failed;
}

void run_stream_answer_group(RunStream *stream, const char *name, const RunGroupRow *row) {
        StreamGroup *group;

        stream_settle(stream);
        group = stream_group_find(stream, name);
        if (!group || group->is_known || group->ask != STREAM_ASK_OPEN)
                return;
        group->ask = STREAM_ASK_NOTHING;
        set_group(group, row);
        stream->backlog += group->waiting;
        if (group->waiting > 0)
                stream_queue_up(stream, group, false);
        /* The delay of the linker has gone by with the question. */
        stream->link_at = 0;
        if (group->unlinked.n > 0)
                stream_queue_add(stream, group, STREAM_QUEUE_LINK);
        else
                stream->taken_group = group;
}

/* The head that was known without its data. */
static int give_data(RunStream *stream, StreamElement *head, const RunElementRow *row) {
        if (row->size > 0) {
                head->data = malloc(row->size);
                if (!head->data)
                        return -ENOMEM;
                memcpy(head->data, row->data, row->size);
        }
        head->size = row->size;
        head->has_data = true;
        stream->bytes += row->size;
        return 0;
}

int run_stream_answer_element(RunStream *stream, const RunElementRow *row) {
        StreamElement *element;
        StreamGroup *group;
        int r;

        stream_settle(stream);
        group = stream_group_find(stream, row->group);
        if (!group || !group->is_known || group->ask != STREAM_ASK_OPEN)
                return 0;
        if (lacks_data(group))
                return group->chain.first->sequence == row->sequence ? give_data(stream, group->chain.first, row) : 0;
        if (group->chain.n > 0 && stream->bytes > RUN_STREAM_BYTES_MAX)
                return 0;
        if (group->chain.n >= RUN_STREAM_AHEAD || group->chain.n >= group->waiting ||
            row->position != known_up_to(group) + 1 || run_element_state_is_over(row->state))
                return 0;
        r = stream_element_new(stream, group, row, true, &element);
        if (r < 0)
                return r;
        if (group->chain.n > 0)
                element->state = RUN_ELEMENT_WAITING;
        stream_list_add(&group->chain, element);
        if (group->chain.n == 1 && element->state != RUN_ELEMENT_READY) {
                element->state = RUN_ELEMENT_READY;
                stream_element_touch(stream, element, 0);
        }
        return 0;
}

void run_stream_answer_end(RunStream *stream, const char *name, usec_t retry) {
        StreamGroup *group;

        stream_settle(stream);
        group = stream_group_find(stream, name);
        if (!group || group->ask != STREAM_ASK_OPEN)
                return;
        group->ask = STREAM_ASK_NOTHING;
        if (!group->is_known) {
                group->ask = STREAM_ASK_LATER;
                group->asks_at = retry;
                stream_queue_add(stream, group, STREAM_QUEUE_ASK);
        } else if (group->work != STREAM_LOADING)
                stream->taken_group = group;
        else {
                stream->n_places--;
                /* A head that does not come holds up no other group. */
                if (group->chain.n > 0 && group->chain.first->has_data)
                        stream_queue_up(stream, group, true);
                else
                        stream_delay(stream, group, retry);
        }
}

/* — after a restart — */

int run_stream_restore_group(RunStream *stream, const RunGroupRow *row) {
        StreamGroup *group;
        int r;

        assert(stream->is_restoring);
        if (run_stream_check_group(row->name) < 0)
                return -EINVAL;
        r = stream_group_get(stream, row->name, &group);
        if (r < 0 || group->is_known)
                return r;
        set_group(group, row);
        stream->backlog += group->waiting;
        return 0;
}

static void go_out(RunStream *stream, StreamGroup *group) {
        group->work = STREAM_OUT;
        stream->n_out++;
        stream->n_places++;
}

static int restore_head(RunStream *stream, StreamGroup *group, const RunElementRow *row) {
        StreamElement *element;
        int r;

        if (!group->is_known || group->waiting == 0 || group->chain.n > 0 || row->position == 0)
                return 0;
        r = stream_element_new(stream, group, row,
                               row->state == RUN_ELEMENT_RUNNING || stream->bytes <= RUN_STREAM_BYTES_MAX, &element);
        if (r < 0)
                return r;
        stream_list_add(&group->chain, element);
        stream_index(stream, group);
        if (row->state == RUN_ELEMENT_RUNNING)
                go_out(stream, group);
        return 0;
}

static int restore_unlinked(RunStream *stream, StreamGroup *group, const RunElementRow *row) {
        StreamElement *element;
        int r;

        if (group->unlinked.n > 0 && group->unlinked.last->sequence >= row->sequence)
                return 0;
        r = stream_element_new(stream, group, row, false, &element);
        if (r < 0)
                return r;
        stream_list_add(&group->unlinked, element);
        stream->backlog++;
        stream->unlinked++;
        return 0;
}

int run_stream_restore_element(RunStream *stream, const RunElementRow *row) {
        StreamGroup *group;
        int r;

        assert(stream->is_restoring);
        if (run_stream_check_group(row->group) < 0 || row->sequence == 0 || row->sequence >= stream->next_sequence)
                return -EINVAL;
        r = stream_group_get(stream, row->group, &group);
        if (r < 0)
                return r;
        switch (row->state) {
        case RUN_ELEMENT_UNLINKED:
                return restore_unlinked(stream, group, row);
        case RUN_ELEMENT_READY:
        case RUN_ELEMENT_RUNNING:
        case RUN_ELEMENT_PENDING:
                return restore_head(stream, group, row);
        case RUN_ELEMENT_WAITING:
        case RUN_ELEMENT_SUCCEEDED:
        case RUN_ELEMENT_FAILED:
        case RUN_ELEMENT_SKIPPED:
                return 0;
        case _RUN_ELEMENT_STATE_MAX:
                break;
        }
        return -EINVAL;
}

/* The row of a begin may be lost with the store; that of an end, which an attempt can outlive for a while, is not. */
static bool is_attempt_of(const StreamElement *head, uint32_t issue) {
        return head->state == RUN_ELEMENT_RUNNING ? issue >= head->issue
                                                  : head->state == RUN_ELEMENT_READY && issue > head->issue;
}

int run_stream_claim(RunStream *stream, uint64_t sequence, uint32_t issue, uint32_t tries) {
        size_t probe = 0;
        uint32_t at;

        assert(stream->is_restoring);
        while (index_table_next(&stream->by_sequence, stream_hash(sequence), &probe, &at)) {
                StreamGroup *group = stream->groups.items[at].group;
                StreamElement *head = group->chain.first;

                if (head->sequence != sequence || head->is_claimed || !is_attempt_of(head, issue))
                        continue;
                if (issue > head->issue) {
                        head->state = RUN_ELEMENT_RUNNING;
                        head->reason = RUN_REASON_NONE;
                        head->issue = issue;
                        head->tries = tries;
                        stream_element_touch(stream, head, RUN_ELEMENT_BEGAN);
                }
                head->is_claimed = true;
                if (group->work != STREAM_OUT)
                        go_out(stream, group);
                return 0;
        }
        return -ENOENT;
}

uint64_t run_stream_next_unclaimed(const RunStream *stream, uint64_t from) {
        uint64_t lowest = 0;

        for (size_t i = 0; i < stream->groups.n; i++) {
                const StreamGroup *group = stream->groups.items[i].group;
                const StreamElement *head = group ? group->chain.first : NULL;

                if (head && head->state == RUN_ELEMENT_RUNNING && !head->is_claimed && head->sequence >= from &&
                    (lowest == 0 || head->sequence < lowest))
                        lowest = head->sequence;
        }
        return lowest;
}

static void begin_group(RunStream *stream, StreamGroup *group) {
        const StreamElement *head = group->chain.first;

        /* An earlier message may have changed it already. */
        if (group->work == STREAM_IDLE && head && head->state == RUN_ELEMENT_PENDING) {
                group->work = STREAM_STOPPED;
                stream->n_pending++;
        } else if (group->work == STREAM_IDLE && group->waiting > 0) {
                group->is_restored = stream->has_restored = true;
                stream_queue_up(stream, group, false);
        }
        if (group->work != STREAM_OUT)
                stream_unindex(stream, group);
        stream_want(stream, group);
        if (group->is_known && group->unlinked.n > 0)
                stream_queue_add(stream, group, STREAM_QUEUE_LINK);
}

void run_stream_begin(RunStream *stream) {
        assert(stream->is_restoring);

        stream->is_restoring = false;
        for (size_t i = 0; i < stream->groups.n; i++)
                if (stream->groups.items[i].group)
                        begin_group(stream, stream->groups.items[i].group);
}

/* — what can be asked — */

void run_stream_count(const RunStream *stream, RunStreamCounts *ret_counts) {
        *ret_counts = (RunStreamCounts) {
                .sequence = stream->next_sequence - 1,
                .backlog = stream->backlog,
                .unlinked = stream->unlinked,
                .groups = stream->n_groups,
                .out = stream->n_out,
                .places = stream->n_places,
                .queued = stream->queues[STREAM_QUEUE_READY].n,
                .delayed = (uint32_t) stream->delayed.n,
                .pending = stream->n_pending,
                .done = stream->done,
                .failed = stream->n_failed,
                .strange = stream->strange,
                .bytes = stream->bytes,
                .is_held = stream->is_held,
        };
}

int run_stream_get_group(const RunStream *stream, const char *name, RunGroupRow *ret_group, RunElementRow *ret_head) {
        const StreamGroup *group = stream_group_find(stream, name);

        if (!group)
                return -ENOENT;
        fill_group(group, ret_group);
        *ret_head = (RunElementRow) { .group = group->name };
        if (group->chain.n > 0)
                fill_element(group->chain.first, ret_head);
        return 0;
}
