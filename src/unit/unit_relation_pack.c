/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Packing the relations of each unit
 *
 * During a load, each unit gets its relations one by one, as many from other
 * units' files as from its own, so its buckets and entries end up scattered in
 * memory. A transaction of 100,000 jobs would then wait for memory at each of
 * them. After a load that added many, all relations are copied unit by unit:
 * first a unit's buckets, then their entries. This happens only when half as
 * many entries were added as existed, which keeps the cost linear.
 *
 * An array in a slab has no header, so the pieces of the new blocks belong to
 * the slab from then on: an array that grows or is freed returns its piece to
 * the slab.
 */

#include <assert.h>
#include <string.h>

#include "basic/macro.h"
#include "unit/unit_private.h"

#define PACK_MIN 4096U                  /* entries: fewer fit into any cache */

static_assert(_UNIT_RELATION_MAX * (sizeof(UnitRelationBucket) + SLAB_SHORT * sizeof(UnitRelation)) <= SLAB_BLOCK_MAX,
              "a unit's short arrays fit into a block");

typedef struct Pack {
        Slab relations;                 /* the new slab */
        SlabDrain old;                  /* the old slab: memory of relations and buckets */
        size_t n_old_chunks;
        uint64_t n;                     /* entries */
} Pack;

static bool is_short(const UnitRelationBucket *bucket) {
        return bucket->allocated <= SLAB_SHORT;         /* a long array has its own allocation and stays there */
}

static size_t pack_bytes(const Unit *unit, size_t n_kinds) {
        size_t n = n_kinds * sizeof(UnitRelationBucket);

        for (size_t i = 0; i < n_kinds; i++)
                if (is_short(&unit->buckets[i]))
                        n += unit->buckets[i].n * sizeof(UnitRelation);
        return n;
}

static void pack_bucket(Pack *pack, UnitRelationBucket *bucket, UnitRelation **at) {
        UnitRelation *items = bucket->n > 0 ? *at : NULL;

        if (!is_short(bucket))
                return;
        if (items)
                memcpy(items, bucket->items, bucket->n * sizeof(*items));
        slab_drain_release(&pack->old, bucket->items, bucket->allocated * sizeof(*items));
        bucket->items = items;
        bucket->allocated = bucket->n;
        *at += bucket->n;
}

static int pack_unit(Pack *pack, Unit *unit) {
        size_t n_kinds = unit_relation_count_kinds(unit->relation_mask);
        UnitRelationBucket *buckets;
        UnitRelation *at;

        if (n_kinds == 0)
                return 0;
        /* One more chunk, and all old ones: after this nothing can fail. */
        if (vector_reserve(&pack->relations.chunks, pack->n_old_chunks + 1) < 0)
                return -ENOMEM;

        buckets = slab_take_block(&pack->relations, pack_bytes(unit, n_kinds));
        if (!buckets)
                return -ENOMEM;

        memcpy(buckets, unit->buckets, n_kinds * sizeof(*buckets));
        slab_drain_release(&pack->old, unit->buckets, n_kinds * sizeof(*buckets));
        unit->buckets = buckets;
        at = (UnitRelation *) (buckets + n_kinds);
        for (size_t i = 0; i < n_kinds; i++)
                pack_bucket(pack, &buckets[i], &at);
        return 0;
}

/* Reserves memory first. What cannot be moved stays where it is, and the new slab takes its memory over. */
static int pack_begin(Pack *pack, UnitTable *table) {
        slab_init(&pack->relations, sizeof(UnitRelation));
        if (slab_share_chunks(&table->relations, &table->buckets) < 0)
                return -ENOMEM;
        pack->n_old_chunks = table->relations.chunks.n;
        if (vector_reserve(&pack->relations.chunks, pack->n_old_chunks) < 0 ||
            slab_drain_begin(&pack->old, &table->relations) < 0)
                return -ENOMEM;

        for (size_t at = 0; at < table->slots.n; at++) {
                const Unit *unit = table->slots.items[at];
                size_t n_kinds = unit ? unit_relation_count_kinds(unit->relation_mask) : 0;

                if (!unit)
                        continue;

                slab_drain_count(&pack->old, unit->buckets, n_kinds * sizeof(*unit->buckets));
                for (size_t i = 0; i < n_kinds; i++) {
                        const UnitRelationBucket *bucket = &unit->buckets[i];

                        pack->n += bucket->n;
                        if (is_short(bucket))
                                slab_drain_count(&pack->old, bucket->items, bucket->allocated * sizeof(*bucket->items));
                }
        }
        return 0;
}

void unit_relations_pack(UnitTable *table) {
        Pack pack = {};
        int r = 0;

        if (table->n_appended < PACK_MIN || table->n_appended < table->n_packed / 2)
                return;

        table->n_appended = 0;
        if (pack_begin(&pack, table) < 0) {
                slab_deinit(&pack.relations);
                return;
        }

        for (size_t at = 0; at < table->slots.n && r == 0; at++)
                r = table->slots.items[at] ? pack_unit(&pack, table->slots.items[at]) : 0;
        slab_drain_end(&pack.old, &pack.relations);
        slab_deinit(&table->buckets);
        slab_init(&table->buckets, sizeof(UnitRelationBucket));
        table->relations = pack.relations;
        table->n_packed = pack.n;
}
