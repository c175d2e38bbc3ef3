/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Finds things that lie in an array, by the hash of their key
 *
 * Keeps an index and its hash, eight bytes; the keys stay where they are, and
 * the caller compares them. A uthash handle costs 56 bytes in each thing.
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
void index_table_clear(IndexTable *table);      /* keeps its room */

/* Makes room for @extra further indexes, so that so many index_table_put() can't fail: 0 or -ENOMEM. */
int index_table_reserve(IndexTable *table, size_t extra);

/* Adds @index, which must not be there under this hash yet: 0 or -ENOMEM. It is less than UINT32_MAX. */
int index_table_put(IndexTable *table, uint32_t hash, uint32_t index);
bool index_table_remove(IndexTable *table, uint32_t hash, uint32_t index);

/*
 * The next index that was put under @hash. *@probe is 0 for the first, and then left to this; nothing may be put or
 * removed between. False at the end.
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
