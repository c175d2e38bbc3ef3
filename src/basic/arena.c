/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Memory that is freed together
 *
 * A list of chunks, filled from the front. No object is freed alone, so an
 * allocation is an addition and a comparison. An object larger than a chunk
 * gets a chunk of its own size. Strings are packed without gaps.
 */

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "basic/arena.h"
#include "basic/macro.h"

#define ARENA_CHUNK_SIZE 16384
#define ARENA_ALIGNMENT _Alignof(max_align_t)

struct ArenaChunk {
        ArenaChunk *next;
        size_t size;
        size_t used;
        _Alignas(max_align_t) unsigned char bytes[];
};

static void arena_free_from(ArenaChunk *chunk) {
        while (chunk) {
                ArenaChunk *next = chunk->next;

                free(chunk);
                chunk = next;
        }
}

void arena_deinit(Arena *arena) {
        assert(arena);

        arena_free_from(arena->first);
        *arena = (Arena) {};
}

void arena_reset(Arena *arena) {
        assert(arena);

        if (!arena->first)
                return;

        arena_free_from(arena->first->next);
        arena->first->next = NULL;
        arena->first->used = 0;
        arena->current = arena->first;
}

bool arena_free_some(Arena *arena, size_t n_chunks) {
        assert(arena);

        for (; arena->first && n_chunks > 0; n_chunks--) {
                ArenaChunk *next = arena->first->next;

                free(arena->first);
                arena->first = next;
        }
        /* Nothing is taken of what is left. */
        arena->current = NULL;
        return arena->first;
}

static ArenaChunk *arena_add_chunk(Arena *arena, size_t size) {
        ArenaChunk *chunk;

        size = MAX(size, (size_t) ARENA_CHUNK_SIZE);
        chunk = malloc(sizeof(*chunk) + size);
        if (!chunk)
                return NULL;

        *chunk = (ArenaChunk) { .size = size };
        if (arena->current)
                arena->current->next = chunk;
        else
                arena->first = chunk;
        arena->current = chunk;
        return chunk;
}

static void *arena_take(Arena *arena, size_t size, size_t alignment) {
        ArenaChunk *chunk = arena->current;
        size_t start;

        if (size > SIZE_MAX / 2)
                return NULL;
        start = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
        if (!chunk || start > chunk->size || chunk->size - start < size) {
                chunk = arena_add_chunk(arena, size);
                start = 0;
        }
        if (!chunk)
                return NULL;

        chunk->used = start + size;
        return chunk->bytes + start;
}

void *arena_alloc(Arena *arena, size_t size) {
        void *object;

        assert(arena);

        size = MAX(size, (size_t) 1);
        object = arena_take(arena, size, ARENA_ALIGNMENT);
        return object ? memset(object, 0, size) : NULL;
}

char *arena_strdup(Arena *arena, const char *string) {
        size_t size;
        char *copy;

        assert(arena);
        assert(string);

        size = strlen(string) + 1;
        copy = arena_take(arena, size, 1);
        return copy ? memcpy(copy, string, size) : NULL;
}
