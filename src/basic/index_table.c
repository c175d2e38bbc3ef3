/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A hash table of indexes
 *
 * Open addressing with linear probing, at most four fifths full. The hash is
 * stored, so that the table grows without access to the keys, and a key is
 * compared only if it is almost certainly the right one. A removal leaves no
 * mark: the entries behind it move up.
 */

#include <assert.h>
#include <errno.h>

#include "basic/index_table.h"
#include "basic/macro.h"

#define SLOTS_MIN 16

/* FNV-1a, folded, because the lower bits choose the slot. */
uint32_t index_table_hash(const char *string) {
        uint64_t hash = UINT64_C(0xCBF29CE484222325);

        for (; *string; string++)
                hash = (hash ^ (unsigned char) *string) * UINT64_C(0x100000001B3);
        return (uint32_t) (hash ^ (hash >> 32));
}

void index_table_deinit(IndexTable *table) {
        assert(table);

        free(table->slots);
        *table = (IndexTable) {};
}

/* The caller has reserved the room. */
static void index_table_insert(IndexTable *table, IndexSlot slot) {
        size_t at = slot.hash & (table->n_slots - 1);

        while (table->slots[at].place != 0)
                at = (at + 1) & (table->n_slots - 1);
        table->slots[at] = slot;
}

int index_table_reserve(IndexTable *table, size_t extra) {
        IndexSlot *old = table->slots;
        size_t n_old = table->n_slots, n_slots = MAX(n_old, (size_t) SLOTS_MIN);

        if (table->n + extra > SIZE_MAX / 64)
                return -ENOMEM;
        while ((table->n + extra) * 5 > n_slots * 4)
                n_slots *= 2;
        if (n_slots == n_old)
                return 0;

        table->slots = calloc(n_slots, sizeof(*table->slots));
        if (!table->slots) {
                table->slots = old;
                return -ENOMEM;
        }
        table->n_slots = n_slots;
        for (size_t i = 0; i < n_old; i++)
                if (old[i].place != 0)
                        index_table_insert(table, old[i]);
        free(old);
        return 0;
}

int index_table_put(IndexTable *table, uint32_t hash, uint32_t index) {
        int r;

        assert(table);
        assert(index < UINT32_MAX);

        r = index_table_reserve(table, 1);
        if (r < 0)
                return r;
        index_table_insert(table, (IndexSlot) { .hash = hash, .place = index + 1 });
        table->n++;
        return 0;
}

/* Closes the gap at @gap: moves up each entry behind it that is then found sooner. */
static void index_table_close(IndexTable *table, size_t gap) {
        size_t mask = table->n_slots - 1;

        for (size_t at = (gap + 1) & mask; table->slots[at].place != 0; at = (at + 1) & mask) {
                size_t wanted = table->slots[at].hash & mask;

                if (((at - wanted) & mask) < ((at - gap) & mask))
                        continue;
                table->slots[gap] = table->slots[at];
                gap = at;
        }
        table->slots[gap] = (IndexSlot) {};
}

bool index_table_remove(IndexTable *table, uint32_t hash, uint32_t index) {
        size_t probe = 0;
        uint32_t found;

        assert(table);

        while (index_table_next(table, hash, &probe, &found)) {
                if (found != index)
                        continue;
                index_table_close(table, (hash + probe - 1) & (table->n_slots - 1));
                table->n--;
                return true;
        }
        return false;
}
