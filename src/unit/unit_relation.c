/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Relations between units
 *
 * A unit has a bucket of entries for each kind of relation that it takes part
 * in; a bit mask tells which, and the buckets lie in the order of the bits, so
 * that a look-up is a mask, a population count and an addition. Most buckets
 * have one to three entries: arrays of so few have no room to spare.
 *
 * An entry is looked up on the side that has fewer entries. If the larger side
 * must be searched too, the search begins where the last one ended: members of
 * a target are added and removed in sequence, so a target of 100,000 units is
 * filled, and emptied, in linear time.
 *
 * Invariant: unit has (kind, other, here, there) exactly if other has
 * (inverse of kind, unit, there, here), and here or there is set.
 */

#include <assert.h>
#include <string.h>

#include "basic/vector.h"
#include "unit/unit_private.h"

#define NOWHERE UINT32_MAX

static const char *const relations[_UNIT_RELATION_MAX] = {
        [UNIT_REQUIRES] = "Requires",
        [UNIT_REQUISITE] = "Requisite",
        [UNIT_WANTS] = "Wants",
        [UNIT_BINDS_TO] = "BindsTo",
        [UNIT_PART_OF] = "PartOf",
        [UNIT_UPHOLDS] = "Upholds",
        [UNIT_REQUIRED_BY] = "RequiredBy",
        [UNIT_REQUISITE_OF] = "RequisiteOf",
        [UNIT_WANTED_BY] = "WantedBy",
        [UNIT_BOUND_BY] = "BoundBy",
        [UNIT_CONSISTS_OF] = "ConsistsOf",
        [UNIT_UPHELD_BY] = "UpheldBy",
        [UNIT_CONFLICTS] = "Conflicts",
        [UNIT_CONFLICTED_BY] = "ConflictedBy",
        [UNIT_BEFORE] = "Before",
        [UNIT_AFTER] = "After",
        [UNIT_ON_SUCCESS] = "OnSuccess",
        [UNIT_ON_SUCCESS_OF] = "OnSuccessOf",
        [UNIT_ON_FAILURE] = "OnFailure",
        [UNIT_ON_FAILURE_OF] = "OnFailureOf",
        [UNIT_TRIGGERS] = "Triggers",
        [UNIT_TRIGGERED_BY] = "TriggeredBy",
        [UNIT_PROPAGATES_RELOAD_TO] = "PropagatesReloadTo",
        [UNIT_RELOAD_PROPAGATED_FROM] = "ReloadPropagatedFrom",
        [UNIT_PROPAGATES_STOP_TO] = "PropagatesStopTo",
        [UNIT_STOP_PROPAGATED_FROM] = "StopPropagatedFrom",
        [UNIT_JOINS_NAMESPACE_OF] = "JoinsNamespaceOf",
        [UNIT_IN_SLICE] = "InSlice",
        [UNIT_SLICE_OF] = "SliceOf",
};

DEFINE_STRING_TABLE(unit_relation, UnitRelationKind, relations)

UnitRelationKind unit_relation_inverse(UnitRelationKind kind) {
        static const uint8_t inverse[_UNIT_RELATION_MAX] = {
                [UNIT_REQUIRES] = UNIT_REQUIRED_BY,
                [UNIT_REQUISITE] = UNIT_REQUISITE_OF,
                [UNIT_WANTS] = UNIT_WANTED_BY,
                [UNIT_BINDS_TO] = UNIT_BOUND_BY,
                [UNIT_PART_OF] = UNIT_CONSISTS_OF,
                [UNIT_UPHOLDS] = UNIT_UPHELD_BY,
                [UNIT_REQUIRED_BY] = UNIT_REQUIRES,
                [UNIT_REQUISITE_OF] = UNIT_REQUISITE,
                [UNIT_WANTED_BY] = UNIT_WANTS,
                [UNIT_BOUND_BY] = UNIT_BINDS_TO,
                [UNIT_CONSISTS_OF] = UNIT_PART_OF,
                [UNIT_UPHELD_BY] = UNIT_UPHOLDS,
                [UNIT_CONFLICTS] = UNIT_CONFLICTED_BY,
                [UNIT_CONFLICTED_BY] = UNIT_CONFLICTS,
                [UNIT_BEFORE] = UNIT_AFTER,
                [UNIT_AFTER] = UNIT_BEFORE,
                [UNIT_ON_SUCCESS] = UNIT_ON_SUCCESS_OF,
                [UNIT_ON_SUCCESS_OF] = UNIT_ON_SUCCESS,
                [UNIT_ON_FAILURE] = UNIT_ON_FAILURE_OF,
                [UNIT_ON_FAILURE_OF] = UNIT_ON_FAILURE,
                [UNIT_TRIGGERS] = UNIT_TRIGGERED_BY,
                [UNIT_TRIGGERED_BY] = UNIT_TRIGGERS,
                [UNIT_PROPAGATES_RELOAD_TO] = UNIT_RELOAD_PROPAGATED_FROM,
                [UNIT_RELOAD_PROPAGATED_FROM] = UNIT_PROPAGATES_RELOAD_TO,
                [UNIT_PROPAGATES_STOP_TO] = UNIT_STOP_PROPAGATED_FROM,
                [UNIT_STOP_PROPAGATED_FROM] = UNIT_PROPAGATES_STOP_TO,
                [UNIT_JOINS_NAMESPACE_OF] = UNIT_JOINS_NAMESPACE_OF,
                [UNIT_IN_SLICE] = UNIT_SLICE_OF,
                [UNIT_SLICE_OF] = UNIT_IN_SLICE,
        };

        assert((unsigned) kind < _UNIT_RELATION_MAX);

        return (UnitRelationKind) inverse[kind];
}

static_assert(_UNIT_RELATION_MAX <= 32, "a mask has a bit for each kind");

static uint32_t relation_bit(UnitRelationKind kind) {
        return UINT32_C(1) << kind;
}

/* The place of the bucket of @kind, whether it exists or not. */
static size_t relation_place(const Unit *unit, UnitRelationKind kind) {
        return unit_relation_count_kinds(unit->relation_mask & (relation_bit(kind) - 1));
}

static UnitRelationBucket *relation_bucket(const Unit *unit, UnitRelationKind kind) {
        return unit->relation_mask & relation_bit(kind) ? &unit->buckets[relation_place(unit, kind)] : NULL;
}

/* The place of @other in @unit's bucket of @kind: searches circularly from the table's hint. */
static uint32_t relation_search(const Unit *unit, UnitRelationKind kind, uint32_t other) {
        const UnitRelationBucket *bucket = relation_bucket(unit, kind);
        uint32_t start, at;

        if (!bucket || bucket->n == 0)
                return NOWHERE;

        start = at = unit->table->relation_hint < bucket->n ? unit->table->relation_hint : 0;
        do {
                if (bucket->items[at].other == other) {
                        if (bucket->n > 1)
                                unit->table->relation_hint = at + 1;
                        return at;
                }
                at = at + 1 < bucket->n ? at + 1 : 0;
        } while (at != start);
        return NOWHERE;
}

const UnitRelation *unit_find_relation(const Unit *unit, UnitRelationKind kind, const Unit *other) {
        const UnitRelationBucket *bucket = relation_bucket(unit, kind), *theirs;
        UnitRelationKind inverse = unit_relation_inverse(kind);
        uint32_t at;

        theirs = relation_bucket(other, inverse);
        if (!bucket || !theirs)
                return NULL;
        if (theirs->n < bucket->n && relation_search(other, inverse, unit->index) == NOWHERE)
                return NULL;

        at = relation_search(unit, kind, other->index);
        return at == NOWHERE ? NULL : &bucket->items[at];
}

bool unit_has_relation(const Unit *unit, UnitRelationKind kind, const Unit *other) {
        UnitRelationKind inverse = unit_relation_inverse(kind);

        if (unit_relations(other, inverse).n < unit_relations(unit, kind).n)
                return relation_search(other, inverse, unit->index) != NOWHERE;
        return relation_search(unit, kind, other->index) != NOWHERE;
}

/* Makes room for @extra more entries in @unit's bucket of @kind. */
static int relation_reserve(Unit *unit, UnitRelationKind kind, uint32_t extra) {
        UnitRelationBucket *bucket = relation_bucket(unit, kind);
        UnitRelation *items;
        uint32_t wanted;

        if (!bucket) {
                size_t n = unit_relation_count_kinds(unit->relation_mask), place = relation_place(unit, kind);

                bucket = slab_resize(&unit->table->buckets, unit->buckets, n, n + 1);
                if (!bucket)
                        return -ENOMEM;
                unit->buckets = bucket;
                bucket += place;
                memmove(bucket + 1, bucket, (n - place) * sizeof(*bucket));
                *bucket = (UnitRelationBucket) {};
                unit->relation_mask |= relation_bit(kind);
        }

        wanted = bucket->n + extra;
        if (wanted <= bucket->allocated)
                return 0;
        if (wanted > SLAB_SHORT)
                wanted = MAX(wanted, bucket->allocated * 2);
        items = slab_resize(&unit->table->relations, bucket->items, bucket->allocated, wanted);
        if (!items)
                return -ENOMEM;
        bucket->items = items;
        bucket->allocated = wanted;
        return 0;
}

static void relation_append(Unit *unit, UnitRelationKind kind, UnitRelation relation) {
        UnitRelationBucket *bucket = relation_bucket(unit, kind);

        assert(bucket && bucket->n < bucket->allocated);

        bucket->items[bucket->n++] = relation;
        unit->table->n_appended++;
}

static void relation_free_items(Unit *unit, UnitRelationBucket *bucket) {
        bucket->items = slab_resize(&unit->table->relations, bucket->items, bucket->allocated, 0);
}

/* Removes empty buckets. */
static void relation_drop_empty(Unit *unit) {
        size_t from = 0, to = 0, n = unit_relation_count_kinds(unit->relation_mask);

        for (unsigned kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                if (!(unit->relation_mask & (UINT32_C(1) << kind)))
                        continue;
                if (unit->buckets[from].n > 0)
                        unit->buckets[to++] = unit->buckets[from];
                else {
                        relation_free_items(unit, &unit->buckets[from]);
                        unit->relation_mask &= ~(UINT32_C(1) << kind);
                }
                from++;
        }

        unit->buckets = slab_resize(&unit->table->buckets, unit->buckets, n, to);
}

static void relation_remove(Unit *unit, UnitRelationKind kind, uint32_t other) {
        UnitRelationBucket *bucket = relation_bucket(unit, kind);
        uint32_t at = relation_search(unit, kind, other);

        assert(bucket && at != NOWHERE);

        memmove(bucket->items + at, bucket->items + at + 1, (bucket->n - at - 1) * sizeof(*bucket->items));
        unit->table->relation_hint = at;
        bucket->n--;
}

/* Sets the origins of @unit's entry for @other: those that are missing, or both with @overwrite. */
static void relation_set(Unit *unit, UnitRelationKind kind, uint32_t other, UnitOriginId here, UnitOriginId there,
                         bool overwrite) {
        uint32_t at = relation_search(unit, kind, other);
        UnitRelation *relation;

        assert(at != NOWHERE);

        relation = &relation_bucket(unit, kind)->items[at];
        if (overwrite || relation->here == UNIT_ORIGIN_NONE)
                relation->here = here;
        if (overwrite || relation->there == UNIT_ORIGIN_NONE)
                relation->there = there;
}

/* Returns true if @relation already has the origins (@here, @there). */
static bool relation_is_told(const UnitRelation *relation, UnitOriginId here, UnitOriginId there) {
        return (relation->here != UNIT_ORIGIN_NONE || here == UNIT_ORIGIN_NONE) &&
               (relation->there != UNIT_ORIGIN_NONE || there == UNIT_ORIGIN_NONE);
}

static int relation_join(Unit *unit, UnitRelationKind kind, Unit *other, UnitOriginId here, UnitOriginId there) {
        UnitRelationKind inverse = unit_relation_inverse(kind);
        int r;

        if (unit == other)
                return 0;

        if (unit_has_relation(unit, kind, other)) {
                const UnitRelation *known = unit_find_relation(unit, kind, other);

                if (!relation_is_told(known, here, there)) {
                        relation_set(unit, kind, other->index, here, there, false);
                        relation_set(other, inverse, unit->index, there, here, false);
                }
                return 0;
        }

        r = relation_reserve(unit, kind, 1);
        if (r < 0)
                return r;
        r = relation_reserve(other, inverse, 1);
        if (r < 0)
                return r;

        relation_append(unit, kind, (UnitRelation) { other->index, here, there });
        relation_append(other, inverse, (UnitRelation) { unit->index, there, here });
        return 0;
}

int unit_add_relation(Unit *unit, UnitRelationKind kind, Unit *other, UnitOriginId origin) {
        assert(unit);
        assert(other);
        assert(unit->table == other->table);
        assert(origin != UNIT_ORIGIN_NONE);

        return relation_join(unit, kind, other, origin, UNIT_ORIGIN_NONE);
}

static void relation_withdraw_kind(Unit *unit, UnitRelationKind kind) {
        UnitRelationKind inverse = unit_relation_inverse(kind);
        UnitRelationBucket *bucket = relation_bucket(unit, kind);
        uint32_t kept = 0;

        for (uint32_t i = 0; bucket && i < bucket->n; i++) {
                UnitRelation relation = bucket->items[i];
                Unit *other = unit_table_at(unit->table, relation.other);

                if (relation.there == UNIT_ORIGIN_NONE) {
                        relation_remove(other, inverse, unit->index);
                        if (relation_bucket(other, inverse)->n == 0)
                                relation_drop_empty(other);
                        continue;
                }
                if (relation.here != UNIT_ORIGIN_NONE)
                        relation_set(other, inverse, unit->index, relation.there, UNIT_ORIGIN_NONE, true);
                relation.here = UNIT_ORIGIN_NONE;
                bucket->items[kept++] = relation;
        }
        if (bucket)
                bucket->n = kept;
}

void unit_withdraw_relations(Unit *unit) {
        assert(unit);

        unit->table->n_withdrawals++;
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++)
                relation_withdraw_kind(unit, (UnitRelationKind) kind);
        relation_drop_empty(unit);
}

/* Moves the entries one by one from @from to @into; memory was reserved before. */
static void relation_move_kind(Unit *from, UnitRelationKind kind, Unit *into) {
        UnitRelationKind inverse = unit_relation_inverse(kind);
        UnitRelations list = unit_relations(from, kind);

        for (size_t i = 0; i < list.n; i++) {
                UnitRelation relation = list.items[i];
                Unit *other = unit_table_at(from->table, relation.other);
                uint32_t at;

                if (other == into || unit_has_relation(into, kind, other)) {
                        relation_remove(other, inverse, from->index);
                        relation_join(into, kind, other, relation.here, relation.there);
                        continue;
                }

                /* In place, to keep the order of the other unit's entries. */
                at = relation_search(other, inverse, from->index);
                assert(at != NOWHERE);
                relation_bucket(other, inverse)->items[at].other = into->index;
                relation_append(into, kind, relation);
        }
}

void unit_relations_free(Unit *unit) {
        size_t n = unit_relation_count_kinds(unit->relation_mask);

        for (size_t i = 0; i < n; i++)
                relation_free_items(unit, &unit->buckets[i]);
        unit->buckets = slab_resize(&unit->table->buckets, unit->buckets, n, 0);
        unit->relation_mask = 0;
}

int unit_relations_move(Unit *from, Unit *into) {
        assert(from != into);

        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelations list = unit_relations(from, (UnitRelationKind) kind);

                if (list.n > 0 && relation_reserve(into, (UnitRelationKind) kind, (uint32_t) list.n) < 0) {
                        relation_drop_empty(into);
                        return -ENOMEM;
                }
        }

        from->table->n_withdrawals++;
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++)
                relation_move_kind(from, (UnitRelationKind) kind, into);
        unit_relations_free(from);
        relation_drop_empty(into);
        return 0;
}
