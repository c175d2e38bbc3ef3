/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Groups and elements of a stream: lists, tables, and what leaves memory
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_stream_private.h"

/* — lists — */

/* A group whose query has failed is in another list of the same link. */
static StreamQueueEnds *ends_of(RunStream *stream, const StreamGroup *group, StreamQueue queue) {
        return queue == STREAM_QUEUE_ASK && group->ask == STREAM_ASK_LATER ? &stream->failed : &stream->queues[queue];
}

static void queue_insert(RunStream *stream, StreamGroup *group, StreamQueue queue, bool is_first) {
        StreamQueueEnds *ends = ends_of(stream, group, queue);
        StreamGroup *before, *next;

        if (group->is_in[queue])
                return;
        before = is_first ? NULL : ends->last;
        next = is_first ? ends->first : NULL;
        group->before[queue] = before;
        group->next[queue] = next;
        *(before ? &before->next[queue] : &ends->first) = group;
        *(next ? &next->before[queue] : &ends->last) = group;
        group->is_in[queue] = true;
        ends->n++;
}

void stream_queue_add(RunStream *stream, StreamGroup *group, StreamQueue queue) {
        queue_insert(stream, group, queue, false);
}

void stream_queue_remove(RunStream *stream, StreamGroup *group, StreamQueue queue) {
        StreamQueueEnds *ends = ends_of(stream, group, queue);
        StreamGroup *before = group->before[queue], *next = group->next[queue];

        if (!group->is_in[queue])
                return;
        *(before ? &before->next[queue] : &ends->first) = next;
        *(next ? &next->before[queue] : &ends->last) = before;
        group->is_in[queue] = false;
        ends->n--;
}

void stream_list_add(StreamList *list, StreamElement *element) {
        element->next = NULL;
        *(list->last ? &list->last->next : &list->first) = element;
        list->last = element;
        list->n++;
        element->is_kept = true;
}

StreamElement *stream_list_take(StreamList *list) {
        StreamElement *element = list->first;

        list->first = element->next;
        if (!list->first)
                list->last = NULL;
        list->n--;
        return element;
}

/* — elements — */

void stream_element_drop_data(RunStream *stream, StreamElement *element) {
        if (element->has_data)
                stream->bytes -= element->size;
        free(element->data);
        element->data = NULL;
        element->has_data = false;
}

void stream_element_free(RunStream *stream, StreamElement *element) {
        stream_element_drop_data(stream, element);
        free(element->key);
        free(element);
}

int stream_element_new(RunStream *stream, StreamGroup *group, const RunElementRow *row, bool has_data,
                       StreamElement **ret_element) {
        StreamElement *element = calloc(1, sizeof(*element));

        if (!element)
                return -ENOMEM;
        *element = (StreamElement) {
                .sequence = row->sequence,
                .position = row->position,
                .group = group,
                .key = row->key ? strdup(row->key) : NULL,
                .data = has_data && row->size > 0 ? malloc(row->size) : NULL,
                .size = row->size,
                .tries = row->tries,
                .deaths = row->deaths,
                .issue = row->issue,
                .end = row->end,
                .state = (uint8_t) row->state,
                .reason = (uint8_t) row->reason,
                .has_data = has_data,
        };
        if ((row->key && !element->key) || (has_data && row->size > 0 && !element->data)) {
                free(element->key);
                free(element->data);
                free(element);
                return -ENOMEM;
        }
        if (has_data) {
                if (row->size > 0)
                        memcpy(element->data, row->data, row->size);
                stream->bytes += row->size;
        }
        *ret_element = element;
        return 0;
}

void stream_element_touch(RunStream *stream, StreamElement *element, unsigned changes) {
        element->changes |= changes;
        if (element->is_dirty)
                return;
        element->is_dirty = true;
        element->next_dirty = NULL;
        *(stream->last_dirty ? &stream->last_dirty->next_dirty : &stream->first_dirty) = element;
        stream->last_dirty = element;
        element->group->n_dirty++;
}

/* — groups — */

StreamGroup *stream_group_find(const RunStream *stream, const char *name) {
        const uint32_t hash = index_table_hash(name);
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&stream->by_name, hash, &probe, &at))
                if (strcmp(stream->groups.items[at].group->name, name) == 0)
                        return stream->groups.items[at].group;
        return NULL;
}

static int reserve(RunStream *stream) {
        int r = heap_reserve(&stream->delayed, stream->n_groups + 1);

        if (r == 0)
                r = index_table_reserve(&stream->by_name, 1);
        if (r == 0)
                r = index_table_reserve(&stream->by_sequence, stream->n_groups + 1 - stream->by_sequence.n);
        if (r == 0 && stream->spare_group == STREAM_NO_SLOT) {
                r = vector_push(&stream->groups, ((StreamSlot) { .next_spare = STREAM_NO_SLOT }));
                if (r == 0)
                        stream->spare_group = (uint32_t) stream->groups.n - 1;
        }
        return r;
}

int stream_group_get(RunStream *stream, const char *name, StreamGroup **ret_group) {
        StreamGroup *group = stream_group_find(stream, name);
        int r = 0;

        if (group) {
                *ret_group = group;
                return 0;
        }
        r = reserve(stream);
        if (r < 0)
                return r;
        group = calloc(1, sizeof(*group));
        if (!group)
                return -ENOMEM;
        group->name = strdup(name);
        if (!group->name) {
                free(group);
                return -ENOMEM;
        }
        group->heap_place = HEAP_NOWHERE;
        group->slot = stream->spare_group;
        stream->spare_group = stream->groups.items[group->slot].next_spare;
        stream->groups.items[group->slot].group = group;
        stream->n_groups++;
        (void) index_table_put(&stream->by_name, index_table_hash(name), group->slot);
        *ret_group = group;
        return 0;
}

/* A group that nothing goes on in, and of which no row is to be taken. */
static bool is_dormant(const StreamGroup *group) {
        return group->waiting == 0 && group->unlinked.n == 0 && group->n_dirty == 0 &&
               group->ask == STREAM_ASK_NOTHING && !group->is_in[STREAM_QUEUE_DIRTY] &&
               !group->is_in[STREAM_QUEUE_PRUNE];
}

static void group_free(RunStream *stream, StreamGroup *group) {
        assert(!group->is_indexed && group->heap_place == HEAP_NOWHERE && group->chain.n == 0);
        for (StreamQueue queue = 0; queue < _STREAM_QUEUE_MAX; queue++)
                assert(!group->is_in[queue]);

        index_table_remove(&stream->by_name, index_table_hash(group->name), group->slot);
        stream->groups.items[group->slot] = (StreamSlot) { .next_spare = stream->spare_group };
        stream->spare_group = group->slot;
        stream->n_groups--;
        free(group->name);
        free(group);
}

/* Of what is not linked yet the first elements keep their data while there is room: they are the next to be issued. */
static void settle_element(RunStream *stream, StreamElement *element) {
        StreamGroup *group = element->group;

        if (element->is_dirty)
                return;
        if (!element->is_kept) {
                stream_element_free(stream, element);
                return;
        }
        if (element->state != RUN_ELEMENT_UNLINKED)
                return;
        element->is_held = stream->bytes <= RUN_STREAM_BYTES_MAX && group->n_held < RUN_STREAM_AHEAD;
        group->n_held += element->is_held;
        if (!element->is_held)
                stream_element_drop_data(stream, element);
}

void stream_settle(RunStream *stream) {
        StreamElement *element = stream->taken;
        StreamGroup *group = stream->taken_group;

        stream->taken = NULL;
        stream->taken_group = NULL;
        if (element)
                settle_element(stream, element);
        if (group && is_dormant(group))
                group_free(stream, group);
}

void stream_group_touch(RunStream *stream, StreamGroup *group) {
        stream_queue_add(stream, group, STREAM_QUEUE_DIRTY);
}

/* — heads — */

StreamGroup *stream_find_out(const RunStream *stream, uint64_t sequence) {
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&stream->by_sequence, stream_hash(sequence), &probe, &at)) {
                StreamGroup *group = stream->groups.items[at].group;

                if (group->chain.n > 0 && group->chain.first->sequence == sequence && group->work == STREAM_OUT)
                        return group;
        }
        return NULL;
}

void stream_index(RunStream *stream, StreamGroup *group) {
        if (group->is_indexed)
                return;
        group->is_indexed = true;
        (void) index_table_put(&stream->by_sequence, stream_hash(group->chain.first->sequence), group->slot);
}

void stream_unindex(RunStream *stream, StreamGroup *group) {
        if (!group->is_indexed)
                return;
        group->is_indexed = false;
        index_table_remove(&stream->by_sequence, stream_hash(group->chain.first->sequence), group->slot);
}

void stream_queue_up(RunStream *stream, StreamGroup *group, bool is_first) {
        group->work = STREAM_QUEUED;
        queue_insert(stream, group, STREAM_QUEUE_READY, is_first);
}

/* Elements are asked for by a group that has a place and no head, and in advance by one whose chain is nearly empty. */
static bool lacks_elements(const RunStream *stream, const StreamGroup *group) {
        if (group->work == STREAM_LOADING)
                return true;
        /* What was claimed may have been read without its data, and is executed if its command never began. */
        if (group->work == STREAM_OUT && group->chain.n > 0 && !group->chain.first->has_data)
                return true;
        return group->work == STREAM_OUT && group->waiting > group->chain.n &&
               group->chain.n <= RUN_STREAM_AHEAD / 4 && stream->bytes < RUN_STREAM_BYTES_MAX;
}

void stream_want(RunStream *stream, StreamGroup *group) {
        if (group->ask != STREAM_ASK_NOTHING || stream->is_restoring)
                return;
        if (group->is_known && !lacks_elements(stream, group))
                return;
        group->ask = STREAM_ASK_WANTED;
        stream_queue_add(stream, group, STREAM_QUEUE_ASK);
}
