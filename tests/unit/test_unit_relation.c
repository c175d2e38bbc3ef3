/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Relations: both sides agree, whoever declared what, in any order of events.
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "double/double_unit.h"

static UnitOriginId origin_at(DoubleWorld *world, unsigned line) {
        UnitOriginId origin;

        cr_assert(eq(int, unit_table_origin(world->table, "test", line, NULL, &origin), 0));
        return origin;
}

static void add(DoubleWorld *world, Unit *unit, UnitRelationKind kind, Unit *other, unsigned line) {
        cr_assert(eq(int, unit_add_relation(unit, kind, other, origin_at(world, line)), 0));
}

Test(unit_relation, inverse_of_the_inverse_is_the_kind) {
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelationKind inverse = unit_relation_inverse((UnitRelationKind) kind);

                cr_assert(eq(int, (int) unit_relation_inverse(inverse), kind));
                cr_assert(eq(int, inverse == (UnitRelationKind) kind, kind == UNIT_JOINS_NAMESPACE_OF));
                cr_assert(eq(int, unit_relation_from_string(unit_relation_to_string((UnitRelationKind) kind)), kind));
        }
        assert_string(unit_relation_to_string(unit_relation_inverse(UNIT_PART_OF)), "ConsistsOf");
}

Test(unit_relation, each_side_knows_where_it_was_declared) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *a = double_unit(world, "a.service", UNIT_INACTIVE), *b = double_unit(world, "b.service", UNIT_INACTIVE);
        const UnitRelation *mine, *theirs;

        add(world, a, UNIT_BEFORE, b, 3);
        mine = unit_find_relation(a, UNIT_BEFORE, b);
        theirs = unit_find_relation(b, UNIT_AFTER, a);
        cr_assert(eq(u32, mine->here, origin_at(world, 3)));
        cr_assert(eq(u32, mine->there, UNIT_ORIGIN_NONE));
        cr_assert(eq(u32, theirs->here, UNIT_ORIGIN_NONE));
        cr_assert(eq(u32, theirs->there, origin_at(world, 3)));

        add(world, b, UNIT_AFTER, a, 7);
        mine = unit_find_relation(a, UNIT_BEFORE, b);
        theirs = unit_find_relation(b, UNIT_AFTER, a);
        cr_assert(eq(u32, mine->here, origin_at(world, 3)));
        cr_assert(eq(u32, mine->there, origin_at(world, 7)));
        cr_assert(eq(u32, theirs->here, origin_at(world, 7)));
        cr_assert(eq(u32, theirs->there, origin_at(world, 3)));
        cr_assert(eq(sz, unit_relations(a, UNIT_BEFORE).n, 1));
}

Test(unit_relation, first_declaration_stays) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *a = double_unit(world, "a.service", UNIT_INACTIVE), *b = double_unit(world, "b.service", UNIT_INACTIVE);

        add(world, a, UNIT_WANTS, b, 1);
        add(world, a, UNIT_WANTS, b, 2);
        cr_assert(eq(sz, unit_relations(a, UNIT_WANTS).n, 1));
        cr_assert(eq(u32, unit_find_relation(a, UNIT_WANTS, b)->here, origin_at(world, 1)));
}

Test(unit_relation, none_to_itself) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *a = double_unit(world, "a.service", UNIT_INACTIVE);

        add(world, a, UNIT_CONFLICTS, a, 1);
        cr_assert(eq(sz, unit_relations(a, UNIT_CONFLICTS).n, 0));
        cr_assert(not(unit_has_relation(a, UNIT_CONFLICTED_BY, a)));
}

Test(unit_relation, entries_keep_their_order) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        static const char *const names[] = { "c.service", "a.service", "d.service", "b.service" };
        Unit *target = double_unit(world, "t.target", UNIT_INACTIVE);
        UnitRelations relations;

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                add(world, target, UNIT_REQUIRES, double_unit(world, names[i], UNIT_INACTIVE), 1);
        relations = unit_relations(target, UNIT_REQUIRES);
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                assert_string(unit_table_at(world->table, relations.items[i].other)->id, names[i]);
}

Test(unit_relation, withdrawal_leaves_what_others_say) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *a = double_unit(world, "a.service", UNIT_INACTIVE), *b = double_unit(world, "b.service", UNIT_INACTIVE);
        Unit *c = double_unit(world, "c.service", UNIT_INACTIVE);

        add(world, a, UNIT_BEFORE, b, 1);
        add(world, b, UNIT_AFTER, a, 2);
        add(world, a, UNIT_REQUIRES, b, 3);
        add(world, c, UNIT_WANTS, a, 4);
        unit_withdraw_relations(a);

        cr_assert(unit_has_relation(a, UNIT_BEFORE, b));
        cr_assert(eq(u32, unit_find_relation(a, UNIT_BEFORE, b)->here, UNIT_ORIGIN_NONE));
        cr_assert(eq(u32, unit_find_relation(b, UNIT_AFTER, a)->here, origin_at(world, 2)));
        cr_assert(eq(u32, unit_find_relation(b, UNIT_AFTER, a)->there, UNIT_ORIGIN_NONE));
        cr_assert(not(unit_has_relation(a, UNIT_REQUIRES, b)));
        cr_assert(not(unit_has_relation(b, UNIT_REQUIRED_BY, a)));
        cr_assert(unit_has_relation(a, UNIT_WANTED_BY, c));

        unit_withdraw_relations(b);
        unit_withdraw_relations(c);
        cr_assert(eq(u64, a->relation_mask, 0));
        cr_assert(eq(u64, b->relation_mask, 0));
        assert_null(a->buckets);
}

/* — after a load — */

/* So many further units that a load puts all relations together. */
static void load_many(DoubleWorld *world, unsigned from, unsigned to) {
        Unit *target = double_unit(world, "many.target", UNIT_INACTIVE), *unit;

        for (unsigned i = from; i < to; i++) {
                char name[32];

                snprintf(name, sizeof(name), "many%u.service", i);
                cr_assert(eq(int, unit_table_name(world->table, name, &unit), 0));
                add(world, target, UNIT_WANTS, unit, 1);
                add(world, unit, UNIT_BEFORE, target, 2);
        }
        cr_assert(eq(int, unit_table_load_queued(world->table), 0));

        /* The buckets are directly followed by their items. */
        cr_assert(eq(u32, unit_relation_count_kinds(unit->relation_mask), 2));
        cr_assert(unit->buckets[0].items == (UnitRelation *) (unit->buckets + 2));
        cr_assert(unit->buckets[1].items == (UnitRelation *) (unit->buckets + 2) + 1);
        cr_assert(eq(sz, unit_relations(target, UNIT_WANTS).n, to));
}

/* — random events against a naive model — */

#define UNITS 12
#define EVENTS 4000

typedef struct Model {
        unsigned declared[UNITS][_UNIT_RELATION_MAX][UNITS];    /* line, or 0 */
} Model;

static unsigned next_random(uint64_t *seed) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        return (unsigned) (*seed >> 33);
}

static void assert_entry(DoubleWorld *world, const Unit *unit, const Unit *other, UnitRelationKind kind,
                         unsigned here, unsigned there) {
        const UnitRelation *relation = unit_find_relation(unit, kind, other);

        cr_assert(eq(int, unit_has_relation(unit, kind, other), relation != NULL));
        cr_assert(eq(int, relation != NULL, here != 0 || there != 0));
        if (!relation)
                return;
        cr_assert(eq(u32, relation->here, here ? origin_at(world, here) : UNIT_ORIGIN_NONE));
        cr_assert(eq(u32, relation->there, there ? origin_at(world, there) : UNIT_ORIGIN_NONE));
}

static void assert_model(DoubleWorld *world, Unit *const units[UNITS], const Model *model) {
        for (size_t i = 0; i < UNITS; i++)
                for (size_t j = 0; j < UNITS; j++)
                        for (int kind = 0; i != j && kind < _UNIT_RELATION_MAX; kind++) {
                                UnitRelationKind inverse = unit_relation_inverse((UnitRelationKind) kind);

                                assert_entry(world, units[i], units[j], (UnitRelationKind) kind,
                                             model->declared[i][kind][j], model->declared[j][inverse][i]);
                        }
}

Test(unit_relation, agrees_with_a_table_of_declarations) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        cleanup_free_ Model *model = calloc(1, sizeof(*model));
        Unit *units[UNITS];
        uint64_t seed = 42;

        for (int i = 0; i < UNITS; i++) {
                char name[32];

                snprintf(name, sizeof(name), "u%d.service", i);
                units[i] = double_unit(world, name, UNIT_INACTIVE);
        }

        for (unsigned event = 1; event <= EVENTS; event++) {
                size_t i = next_random(&seed) % UNITS, j = next_random(&seed) % UNITS;
                UnitRelationKind kind = next_random(&seed) % _UNIT_RELATION_MAX;

                if (next_random(&seed) % 40 == 0) {
                        unit_withdraw_relations(units[i]);
                        memset(model->declared[i], 0, sizeof(model->declared[i]));
                } else {
                        add(world, units[i], kind, units[j], event);
                        if (i != j && model->declared[i][kind][j] == 0)
                                model->declared[i][kind][j] = event;
                }
                if (event % 1000 == 0)
                        load_many(world, event == 1000 ? 0 : 1000U << (event / 1000), 1000U << (event / 1000 + 1));
                if (event % 100 == 0)
                        assert_model(world, units, model);
        }
}

/* Quadratic time would take minutes here. */
Test(unit_relation, great_target_is_filled_and_emptied_in_linear_time) {
        cleanup_(double_world_freep) DoubleWorld *world = double_world_new();
        Unit *target = double_unit(world, "t.target", UNIT_INACTIVE);
        Unit *member;
        char name[32];

        for (int i = 0; i < 100000; i++) {
                snprintf(name, sizeof(name), "u%d.service", i);
                cr_assert(eq(int, unit_table_name(world->table, name, &member), 0));
                add(world, target, UNIT_REQUIRES, member, 1);
                add(world, target, UNIT_AFTER, member, 1);
        }
        for (uint32_t i = 0; i < unit_table_size(world->table); i++)
                add(world, unit_table_at(world->table, i), UNIT_BEFORE, target, 2);
        cr_assert(eq(sz, unit_relations(target, UNIT_AFTER).n, 100000));
        unit_withdraw_relations(target);
        cr_assert(eq(sz, unit_relations(target, UNIT_REQUIRES).n, 0));
        cr_assert(eq(sz, unit_relations(target, UNIT_AFTER).n, 100000));
}
