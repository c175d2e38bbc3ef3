/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Keys of pushes
 *
 * A key is here from the first look at it until nobody has it pinned, the row
 * of its element is durable, and no question about it is open. A query that was
 * sent before that row was durable does not see it; but then the key is still
 * here when the answer comes, and is known.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_stream_private.h"

static StreamKey *key_find(const RunStream *stream, const char *key) {
        const uint32_t hash = index_table_hash(key);
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&stream->by_key, hash, &probe, &at))
                if (strcmp(stream->keys.items[at].key, key) == 0)
                        return &stream->keys.items[at];
        return NULL;
}

static int key_add(RunStream *stream, const char *name, StreamKey **ret_key) {
        char *copy = strdup(name);
        StreamKey *key;
        uint32_t slot;
        int r = copy ? index_table_reserve(&stream->by_key, 1) : -ENOMEM;

        if (r == 0 && stream->spare_key == STREAM_NO_SLOT) {
                r = vector_push(&stream->keys, ((StreamKey) { .next = STREAM_NO_SLOT }));
                if (r == 0)
                        stream->spare_key = (uint32_t) stream->keys.n - 1;
        }
        if (r < 0) {
                free(copy);
                return r;
        }
        slot = stream->spare_key;
        key = &stream->keys.items[slot];
        stream->spare_key = key->next;
        *key = (StreamKey) { .key = copy, .next = STREAM_NO_SLOT };
        (void) index_table_put(&stream->by_key, index_table_hash(copy), slot);
        *ret_key = key;
        return 0;
}

static void key_drop(RunStream *stream, StreamKey *key) {
        const uint32_t slot = (uint32_t) (key - stream->keys.items);

        if (key->pins > 0 || key->is_listed || (key->is_asked && !key->is_known))
                return;
        index_table_remove(&stream->by_key, index_table_hash(key->key), slot);
        free(key->key);
        *key = (StreamKey) { .next = stream->spare_key };
        stream->spare_key = slot;
}

void stream_keys_deinit(RunStream *stream) {
        for (size_t i = 0; i < stream->keys.n; i++)
                free(stream->keys.items[i].key);
        vector_deinit(&stream->keys);
        index_table_deinit(&stream->by_key);
}

static RunStreamKey answer_of(const StreamKey *key, uint64_t *ret_sequence) {
        if (!key->is_known)
                return RUN_STREAM_KEY_ASKED;
        if (key->sequence == 0)
                return RUN_STREAM_KEY_FREE;
        *ret_sequence = key->sequence;
        return RUN_STREAM_KEY_USED;
}

int run_stream_pin_key(RunStream *stream, const char *name, RunStreamKey *ret_answer, uint64_t *ret_sequence) {
        StreamKey *key = key_find(stream, name);
        int r = key ? 0 : key_add(stream, name, &key);

        if (r < 0)
                return r;
        key->pins++;
        if (!key->is_known && !key->is_asked) {
                key->is_asked = true;
                *ret_answer = RUN_STREAM_KEY_ASK;
        } else
                *ret_answer = answer_of(key, ret_sequence);
        return 0;
}

RunStreamKey run_stream_find_key(const RunStream *stream, const char *name, uint64_t *ret_sequence) {
        const StreamKey *key = key_find(stream, name);

        assert(key);
        return answer_of(key, ret_sequence);
}

void run_stream_unpin_key(RunStream *stream, const char *name) {
        StreamKey *key = key_find(stream, name);

        assert(key && key->pins > 0);
        key->pins--;
        key_drop(stream, key);
}

void run_stream_answer_key(RunStream *stream, const char *name, uint64_t sequence) {
        StreamKey *key = key_find(stream, name);

        if (!key || key->is_known)
                return;
        key->is_known = true;
        key->sequence = sequence;
        key_drop(stream, key);
}

void run_stream_forget_key(RunStream *stream, const char *name) {
        StreamKey *key = key_find(stream, name);

        if (!key || key->is_known)
                return;
        key->is_asked = false;
        key_drop(stream, key);
}

void stream_key_use(RunStream *stream, const char *name, uint64_t sequence) {
        StreamKey *key = key_find(stream, name);
        const uint32_t slot = (uint32_t) (key - stream->keys.items);

        key->is_known = key->is_listed = true;
        key->sequence = sequence;
        *(stream->last_key == STREAM_NO_SLOT ? &stream->first_key : &stream->keys.items[stream->last_key].next) = slot;
        stream->last_key = slot;
}

void run_stream_note_durable(RunStream *stream, uint64_t sequence) {
        while (stream->first_key != STREAM_NO_SLOT) {
                StreamKey *key = &stream->keys.items[stream->first_key];

                if (key->sequence > sequence)
                        return;
                stream->first_key = key->next;
                if (stream->first_key == STREAM_NO_SLOT)
                        stream->last_key = STREAM_NO_SLOT;
                key->next = STREAM_NO_SLOT;
                key->is_listed = false;
                key_drop(stream, key);
        }
}
