/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory that is freed together
 *
 * For the many small objects of one transaction. A reset keeps the first
 * chunk, so a small transaction allocates nothing.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
        ArenaChunk *first;      /* owned */
        ArenaChunk *current;    /* borrowed from the list */
} Arena;

void arena_deinit(Arena *arena);
void arena_reset(Arena *arena);
/* Frees up to @n_chunks of it, of some KiB at least, and all objects are gone. Returns whether some are left. */
bool arena_free_some(Arena *arena, size_t n_chunks);

/* Zeroed memory aligned for any object, or NULL. */
void *arena_alloc(Arena *arena, size_t size);
char *arena_strdup(Arena *arena, const char *string);
