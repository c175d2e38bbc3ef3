/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Memory that goes away together
 *
 * A list of chunks, filled from the front. Nothing in it is freed by itself,
 * so an allocation is an addition and a comparison; what is larger than a
 * chunk gets one of its own size.
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

void *arena_alloc(Arena *arena, size_t size) {
        ArenaChunk *chunk;
        void *object;

        assert(arena);

        if (size > SIZE_MAX / 2)
                return NULL;
        size = (MAX(size, (size_t) 1) + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;

        chunk = arena->current;
        if (!chunk || chunk->size - chunk->used < size)
                chunk = arena_add_chunk(arena, size);
        if (!chunk)
                return NULL;

        object = chunk->bytes + chunk->used;
        chunk->used += size;
        return memset(object, 0, size);
}

char *arena_strdup(Arena *arena, const char *string) {
        size_t size;
        char *copy;

        assert(string);

        size = strlen(string) + 1;
        copy = arena_alloc(arena, size);
        return copy ? memcpy(copy, string, size) : NULL;
}
