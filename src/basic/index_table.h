/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A hash table of indexes into an array
 *
 * Stores an index and its hash, eight bytes; the keys stay in the array, and
 * the caller compares them. A uthash handle takes 56 bytes in each object.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct IndexSlot {
        uint32_t hash;
        uint32_t place;                 /* index + 1; 0: the slot is free */
} IndexSlot;

typedef struct IndexTable {
        IndexSlot *slots;               /* owned */
        size_t n_slots;                 /* a power of two, or 0 */
        size_t n;
} IndexTable;

uint32_t index_table_hash(const char *string);

void index_table_deinit(IndexTable *table);

/* Makes room for @extra further indexes, so that index_table_put() can't fail for these: 0 or -ENOMEM. */
int index_table_reserve(IndexTable *table, size_t extra);

/* Adds @index, less than UINT32_MAX and not yet stored under this hash: 0 or -ENOMEM. */
int index_table_put(IndexTable *table, uint32_t hash, uint32_t index);
bool index_table_remove(IndexTable *table, uint32_t hash, uint32_t index);

/*
 * The next index stored under @hash. *@probe is 0 for the first call and belongs to this function afterwards; the table
 * must not change between calls. False at the end.
 */
static inline bool index_table_next(const IndexTable *table, uint32_t hash, size_t *probe, uint32_t *ret_index) {
        while (*probe < table->n_slots) {
                const IndexSlot *slot = &table->slots[(hash + (*probe)++) & (table->n_slots - 1)];

                if (slot->place == 0)
                        return false;
                if (slot->hash == hash) {
                        *ret_index = slot->place - 1;
                        return true;
                }
        }
        return false;
}
