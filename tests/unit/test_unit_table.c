/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The table: names, indexes, loading, aliases, and what goes when a unit goes.
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "unit/unit_table.h"

/* A loader with a table of files, which logs its calls. */
typedef struct File {
        const char *name;
        const char *alias_of;
        const char *wants;
        bool is_missing;
} File;

typedef struct World {
        UnitTable *table;
        const File *files;
        size_t n_files;
        Text heard;
        unsigned n_loads;
        int error;
} World;

static int world_load(void *userdata, Unit *unit) {
        World *world = userdata;
        const File *file = NULL;
        UnitOriginId origin;
        Unit *other;

        world->n_loads++;
        if (world->error < 0)
                return world->error;
        for (size_t i = 0; i < world->n_files; i++)
                if (strcmp(world->files[i].name, unit->id) == 0 && !world->files[i].is_missing)
                        file = &world->files[i];
        if (!file) {
                unit->load_state = UNIT_NOT_FOUND;
                return 0;
        }

        if (file->alias_of) {
                cr_assert(eq(int, unit_table_name(world->table, file->alias_of, &other), 0));
                return unit_table_merge(world->table, unit, other);
        }
        if (file->wants) {
                cr_assert(eq(int, unit_table_name(world->table, file->wants, &other), 0));
                cr_assert(eq(int, unit_table_origin(world->table, unit->id, 2, NULL, &origin), 0));
                cr_assert(eq(int, unit_add_relation(unit, UNIT_WANTS, other, origin), 0));
        }
        unit->load_state = UNIT_LOADED;
        return 0;
}

static bool world_may_exist_now(void *userdata, const Unit *unit) {
        const World *world = userdata;

        for (size_t i = 0; i < world->n_files; i++)
                if (strcmp(world->files[i].name, unit->id) == 0)
                        return !world->files[i].is_missing;
        return false;
}

static void world_added(void *userdata, Unit *unit) {
        text_addf(&((World *) userdata)->heard, "+%s ", unit->id);
}

static void world_removed(void *userdata, Unit *unit) {
        text_addf(&((World *) userdata)->heard, "-%s ", unit->id);
}

static const UnitLoaderOps world_loader = { .load = world_load, .may_exist_now = world_may_exist_now };
static const UnitObserverOps world_observer = { .added = world_added, .removed = world_removed };

static void world_init(World *world, const File *files, size_t n_files) {
        *world = (World) { .files = files, .n_files = n_files };
        cr_assert(eq(int, unit_table_new(&world->table), 0));
        unit_table_set_loader(world->table, &world_loader, world);
        unit_table_set_observer(world->table, &world_observer, world);
}

static void world_deinit(World *world) {
        unit_table_free(world->table);
        text_deinit(&world->heard);
}

static Unit *load(World *world, const char *name) {
        Unit *unit = NULL;

        cr_assert(eq(int, unit_table_load(world->table, name, &unit), 0));
        return unit;
}

static Unit *name(World *world, const char *id) {
        Unit *unit = NULL;

        cr_assert(eq(int, unit_table_name(world->table, id, &unit), 0));
        return unit;
}

static void wants(World *world, Unit *unit, Unit *other) {
        UnitOriginId origin;

        cr_assert(eq(int, unit_table_origin(world->table, unit->id, 1, NULL, &origin), 0));
        cr_assert(eq(int, unit_add_relation(unit, UNIT_WANTS, other, origin), 0));
}

Test(unit_table, name_finds_what_it_made) {
        cleanup_(world_deinit) World world;
        Unit *a;

        world_init(&world, NULL, 0);
        assert_null(unit_table_find(world.table, "a.service"));
        a = name(&world, "a.service");
        cr_assert(eq(ptr, name(&world, "a.service"), a));
        cr_assert(eq(ptr, unit_table_find(world.table, "a.service"), a));
        cr_assert(eq(ptr, unit_table_at(world.table, a->index), a));
        cr_assert(eq(int, (int) a->load_state, UNIT_STUB));
        cr_assert(eq(uint, world.n_loads, 0));
        cr_assert(eq(u32, unit_table_count(world.table), 1));
}

Test(unit_table, bad_names_are_refused) {
        cleanup_(world_deinit) World world;
        Unit *unit = NULL;

        world_init(&world, NULL, 0);
        cr_assert(eq(int, unit_table_name(world.table, "a", &unit), -EINVAL));
        cr_assert(eq(int, unit_table_load(world.table, "a/b.service", &unit), -EINVAL));
        cr_assert(eq(int, unit_table_load(world.table, "a@.service", &unit), -EINVAL));
        cr_assert(eq(u32, unit_table_count(world.table), 0));
        assert_null(unit);
}

Test(unit_table, loading_follows_what_a_unit_refers_to) {
        static const File files[] = {
                { .name = "a.service", .wants = "b.service" },
                { .name = "b.service", .wants = "c.service" },
                { .name = "c.service", .wants = "a.service" },
        };
        cleanup_(world_deinit) World world;
        Unit *a;

        world_init(&world, files, ELEMENTSOF(files));
        a = load(&world, "a.service");
        cr_assert(eq(int, (int) a->load_state, UNIT_LOADED));
        cr_assert(eq(int, (int) unit_table_find(world.table, "c.service")->load_state, UNIT_LOADED));
        cr_assert(unit_has_relation(a, UNIT_WANTED_BY, unit_table_find(world.table, "c.service")));
        cr_assert(eq(uint, world.n_loads, 3));
        assert_string(world.heard.string, "+a.service +b.service +c.service ");
        cr_assert(eq(ptr, load(&world, "a.service"), a));
        cr_assert(eq(uint, world.n_loads, 3));
}

Test(unit_table, alias_is_merged_and_followed) {
        static const File files[] = {
                { .name = "a.service" },
                { .name = "b.service", .alias_of = "a.service" },
                { .name = "c.service", .alias_of = "b.service" },
                { .name = "x.service", .wants = "b.service" },
        };
        cleanup_(world_deinit) World world;
        Unit *x, *a;

        world_init(&world, files, ELEMENTSOF(files));
        x = load(&world, "x.service");
        a = load(&world, "c.service");
        assert_string(a->id, "a.service");
        cr_assert(eq(int, (int) a->load_state, UNIT_LOADED));
        cr_assert(eq(ptr, load(&world, "b.service"), a));
        cr_assert(unit_has_name(a, "c.service"));
        cr_assert(unit_has_relation(x, UNIT_WANTS, a));
        cr_assert(unit_has_relation(a, UNIT_WANTED_BY, x));
        cr_assert(eq(u32, unit_table_count(world.table), 2));
        assert_string(world.heard.string, "+x.service +a.service ");
}

Test(unit_table, merge_unites_relations) {
        cleanup_(world_deinit) World world;
        Unit *a, *alias, *x, *y;

        world_init(&world, NULL, 0);
        a = name(&world, "a.service");
        alias = name(&world, "alias.service");
        x = name(&world, "x.service");
        y = name(&world, "y.service");
        wants(&world, x, a);
        wants(&world, x, alias);
        wants(&world, y, alias);
        wants(&world, alias, x);
        wants(&world, a, alias);
        cr_assert(eq(int, unit_table_merge(world.table, alias, a), 0));

        cr_assert(eq(sz, unit_relations(a, UNIT_WANTED_BY).n, 2));
        cr_assert(eq(sz, unit_relations(a, UNIT_WANTS).n, 1));
        cr_assert(eq(sz, unit_relations(x, UNIT_WANTS).n, 1));
        cr_assert(eq(sz, unit_relations(x, UNIT_WANTED_BY).n, 1));
        cr_assert(eq(sz, unit_relations(y, UNIT_WANTS).n, 1));
        cr_assert(unit_has_relation(y, UNIT_WANTS, a));
        cr_assert(ne(u32, unit_find_relation(y, UNIT_WANTS, a)->here, UNIT_ORIGIN_NONE));
        cr_assert(eq(ptr, unit_table_find(world.table, "alias.service"), a));
}

Test(unit_table, merge_refuses_what_is_in_use_or_of_another_type) {
        cleanup_(world_deinit) World world;
        Unit *a, *b;

        world_init(&world, NULL, 0);
        a = name(&world, "a.service");
        b = name(&world, "b.service");
        cr_assert(eq(int, unit_table_merge(world.table, b, name(&world, "b.target")), -EINVAL));
        unit_ref(b);
        cr_assert(eq(int, unit_table_merge(world.table, b, a), -EBUSY));
        unit_unref(b);
        b->active_state = UNIT_ACTIVE;
        cr_assert(eq(int, unit_table_merge(world.table, b, a), -EBUSY));
        b->active_state = UNIT_INACTIVE;
        cr_assert(eq(int, unit_table_merge(world.table, b, a), 0));
}

Test(unit_table, missing_unit_is_looked_for_again_only_if_it_may_be_there) {
        File files[] = { { .name = "a.service", .is_missing = true } };
        cleanup_(world_deinit) World world;
        Unit *a;

        world_init(&world, files, ELEMENTSOF(files));
        a = load(&world, "a.service");
        cr_assert(eq(int, (int) a->load_state, UNIT_NOT_FOUND));
        load(&world, "a.service");
        cr_assert(eq(uint, world.n_loads, 1));
        files[0].is_missing = false;
        cr_assert(eq(ptr, load(&world, "a.service"), a));
        cr_assert(eq(int, (int) a->load_state, UNIT_LOADED));
        cr_assert(eq(uint, world.n_loads, 2));
}

Test(unit_table, stub_stays_queued_until_it_is_read) {
        static const File files[] = { { .name = "a.service", .wants = "b.service" }, { .name = "b.service" } };
        cleanup_(world_deinit) World world;
        Unit *a;

        world_init(&world, files, ELEMENTSOF(files));
        a = name(&world, "a.service");
        cr_assert(eq(int, unit_table_load_queued(world.table), 0));
        cr_assert(eq(int, (int) a->load_state, UNIT_LOADED));
        assert_string(world.heard.string, "+a.service +b.service ");
}

Test(unit_table, failed_load_is_passed_up_and_can_be_repeated) {
        static const File files[] = { { .name = "a.service" } };
        cleanup_(world_deinit) World world;
        Unit *unit = NULL;

        world_init(&world, files, ELEMENTSOF(files));
        world.error = -ENOMEM;
        cr_assert(eq(int, unit_table_load(world.table, "a.service", &unit), -ENOMEM));
        assert_null(unit);
        world.error = 0;
        cr_assert(eq(int, (int) load(&world, "a.service")->load_state, UNIT_LOADED));
}

Test(unit_table, without_a_loader_units_stay_as_they_are) {
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        Unit *unit;

        cr_assert(eq(int, unit_table_new(&table), 0));
        cr_assert(eq(int, unit_table_load(table, "a.service", &unit), 0));
        cr_assert(eq(int, (int) unit->load_state, UNIT_STUB));
}

Test(unit_table, indexes_are_given_again) {
        cleanup_(world_deinit) World world;
        char id[32];

        world_init(&world, NULL, 0);
        for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 100; i++) {
                        snprintf(id, sizeof(id), "u%d.service", i);
                        name(&world, id);
                }
                cr_assert(eq(u32, unit_table_size(world.table), 100));
                for (int i = round; i < 100; i += 2) {
                        snprintf(id, sizeof(id), "u%d.service", i);
                        if (unit_table_find(world.table, id))
                                unit_table_remove(world.table, unit_table_find(world.table, id));
                }
        }
        cr_assert(eq(u32, unit_table_count(world.table), 51));
        for (uint32_t i = 0; i < 100; i++)
                if (unit_table_at(world.table, i))
                        unit_table_remove(world.table, unit_table_at(world.table, i));
        cr_assert(eq(u32, unit_table_size(world.table), 0));
        name(&world, "z.service");
        cr_assert(eq(u32, unit_table_size(world.table), 1));
}

Test(unit_table, removed_unit_is_a_stub_again_while_others_speak_of_it) {
        static const File files[] = { { .name = "a.service", .wants = "b.service" },
                                      { .name = "b.service", .wants = "a.service" } };
        cleanup_(world_deinit) World world;
        Unit *a, *b;

        world_init(&world, files, ELEMENTSOF(files));
        a = load(&world, "a.service");
        b = load(&world, "b.service");
        b->condition_result = 1;
        unit_table_remove(world.table, b);
        cr_assert(eq(ptr, unit_table_find(world.table, "b.service"), b));
        cr_assert(eq(int, (int) b->load_state, UNIT_STUB));
        cr_assert(eq(int, b->condition_result, 0));
        cr_assert(unit_has_relation(a, UNIT_WANTS, b));
        cr_assert(not(unit_has_relation(b, UNIT_WANTS, a)));
        unit_table_remove(world.table, a);
        assert_null(unit_table_find(world.table, "a.service"));
        cr_assert(eq(u64, b->relation_mask, 0));
        assert_string(world.heard.string, "+a.service +b.service -b.service -a.service ");

        cr_assert(eq(ptr, load(&world, "b.service"), b));
        cr_assert(eq(int, (int) b->load_state, UNIT_LOADED));
}

Test(unit_table, reload_keeps_state_and_what_others_say) {
        static const File before[] = { { .name = "a.service", .wants = "b.service" },
                                       { .name = "b.service", .wants = "a.service" } };
        static const File after[] = { { .name = "a.service" }, { .name = "b.service", .wants = "a.service" } };
        cleanup_(world_deinit) World world;
        Unit *a, *b;

        world_init(&world, before, ELEMENTSOF(before));
        a = load(&world, "a.service");
        b = load(&world, "b.service");
        a->active_state = UNIT_ACTIVE;
        world.files = after;
        cr_assert(eq(int, unit_table_reload_unit(world.table, a), 0));
        cr_assert(eq(int, (int) a->load_state, UNIT_STUB));
        cr_assert(eq(int, unit_table_load_queued(world.table), 0));

        cr_assert(eq(int, (int) a->load_state, UNIT_LOADED));
        cr_assert(eq(int, (int) a->active_state, UNIT_ACTIVE));
        cr_assert(not(unit_has_relation(a, UNIT_WANTS, b)));
        cr_assert(unit_has_relation(b, UNIT_WANTS, a));
        assert_string(world.heard.string, "+a.service +b.service ");
}

Test(unit_table, name_belongs_to_one_unit) {
        cleanup_(world_deinit) World world;
        Unit *a, *b;

        world_init(&world, NULL, 0);
        a = name(&world, "a.service");
        b = name(&world, "b.service");
        cr_assert(eq(int, unit_table_add_name(world.table, a, "c.service"), 0));
        cr_assert(eq(int, unit_table_add_name(world.table, a, "c.service"), 0));
        cr_assert(eq(int, unit_table_add_name(world.table, b, "c.service"), -EEXIST));
        cr_assert(eq(int, unit_table_add_name(world.table, a, "d.service"), 0));
        unit_table_drop_name(world.table, a, "c.service");
        assert_null(unit_table_find(world.table, "c.service"));
        cr_assert(eq(ptr, unit_table_find(world.table, "d.service"), a));
        cr_assert(eq(int, unit_table_add_name(world.table, b, "c.service"), 0));
        unit_table_drop_name(world.table, b, "c.service");
        unit_table_drop_name(world.table, a, "d.service");
        cr_assert(eq(int, unit_table_add_name(world.table, a, "c.service"), 0));
        cr_assert(eq(ptr, unit_table_find(world.table, "c.service"), a));
        unit_table_remove(world.table, a);
        assert_null(unit_table_find(world.table, "c.service"));
}

/* A unit that .verify refuses has a bad setting; for any other .loaded is called. */
static bool refuses;
static unsigned n_loaded;

static int picky_init(Unit *unit) {
        return 0;
}

static void picky_deinit(Unit *unit) {
}

static int picky_verify(Unit *unit, Failure *ret_failure) {
        return refuses ? failure_set(ret_failure, -EINVAL, "BadUnitSetting", "%s is bad.", unit->id) : 0;
}

static void picky_loaded(Unit *unit) {
        n_loaded++;
}

static const UnitVTable picky_vtable = {
        .type = UNIT_SERVICE,
        .init = picky_init,
        .deinit = picky_deinit,
        .verify = picky_verify,
        .loaded = picky_loaded,
};

Test(unit_table, type_has_a_say_in_what_is_loaded) {
        static const File files[] = { { .name = "a.service" }, { .name = "b.service" } };
        cleanup_(world_deinit) World world;
        Unit *a;

        world_init(&world, files, ELEMENTSOF(files));
        unit_table_set_type(world.table, &picky_vtable);
        load(&world, "b.service");
        refuses = true;
        a = load(&world, "a.service");
        cr_assert(eq(int, (int) a->load_state, UNIT_BAD_SETTING));
        assert_string(failure_message(&a->load_failure), "a.service is bad.");
        cr_assert(eq(uint, n_loaded, 1));
}

/* "u1.service" wants "u2.service", and so on. */
static int chain_load(void *userdata, Unit *unit) {
        UnitTable *table = userdata;
        UnitOriginId origin;
        char next[32];
        Unit *other;
        int n;

        cr_assert(eq(int, sscanf(unit->id, "u%d", &n), 1));
        unit->load_state = UNIT_LOADED;
        if (n == 100000)
                return 0;
        snprintf(next, sizeof(next), "u%d.service", n + 1);
        cr_assert(eq(int, unit_table_name(table, next, &other), 0));
        cr_assert(eq(int, unit_table_origin(table, "chain", 1, NULL, &origin), 0));
        return unit_add_relation(unit, UNIT_WANTS, other, origin);
}

Test(unit_table, long_chain_is_loaded_without_recursion) {
        static const UnitLoaderOps chain_loader = { .load = chain_load };
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        Unit *first;

        cr_assert(eq(int, unit_table_new(&table), 0));
        unit_table_set_loader(table, &chain_loader, table);
        cr_assert(eq(int, unit_table_load(table, "u1.service", &first), 0));
        cr_assert(eq(u32, unit_table_count(table), 100000));
        cr_assert(eq(int, (int) unit_table_find(table, "u100000.service")->load_state, UNIT_LOADED));
}

/* "u1.service" wants 300 others, and each of them one more; each is read half once before that works. */
static int flaky_load(void *userdata, Unit *unit) {
        static bool was_tried[1001];
        UnitTable *table = userdata;
        unsigned n, first, last;
        UnitOriginId origin;
        bool works;

        cr_assert(eq(int, sscanf(unit->id, "u%u", &n), 1));
        works = was_tried[n];
        was_tried[n] = true;
        first = n == 1 ? 2 : n + 300;
        last = n > 301 ? 0 : n == 1 ? 301 : first;
        unit->load_state = UNIT_LOADED;
        cr_assert(eq(int, unit_table_origin(table, "flaky", 1, NULL, &origin), 0));
        for (unsigned i = first; i <= last && (works || i < last || i == first); i++) {
                char name[32];
                Unit *other;

                snprintf(name, sizeof(name), "u%u.service", i);
                cr_assert(eq(int, unit_table_name(table, name, &other), 0));
                cr_assert(eq(int, unit_add_relation(unit, UNIT_WANTS, other, origin), 0));
        }
        return works ? 0 : -ENOMEM;
}

Test(unit_table, what_was_read_half_is_no_unit_and_read_again) {
        static const UnitLoaderOps flaky_loader = { .load = flaky_load };
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        unsigned n_failures = 0;
        Unit *first;
        int r;

        cr_assert(eq(int, unit_table_new(&table), 0));
        unit_table_set_loader(table, &flaky_loader, table);
        cr_assert(eq(int, unit_table_load(table, "u1.service", &first), -ENOMEM));
        first = unit_table_find(table, "u1.service");
        cr_assert(eq(int, (int) first->load_state, UNIT_STUB));
        cr_assert(eq(sz, unit_relations(first, UNIT_WANTS).n, 0));

        while ((r = unit_table_load_queued(table)) == -ENOMEM)
                n_failures++;
        cr_assert(eq(int, r, 0));
        cr_assert(eq(uint, n_failures, 600));
        unit_table_foreach(table, unit)
                cr_assert(eq(int, (int) unit->load_state, UNIT_LOADED));
        cr_assert(eq(u32, unit_table_count(table), 601));
        cr_assert(eq(sz, unit_relations(first, UNIT_WANTS).n, 300));
}

static unsigned n_begun;
static int begin_result;

static int counting_begin(void *userdata) {
        n_begun++;
        return begin_result;
}

Test(unit_table, a_load_begins_once_however_many_it_reads) {
        static const UnitLoaderOps counting_loader = { .begin = counting_begin, .load = chain_load };
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        Unit *unit;

        cr_assert(eq(int, unit_table_new(&table), 0));
        unit_table_set_loader(table, &counting_loader, table);
        begin_result = -ENOMEM;
        cr_assert(eq(int, unit_table_load(table, "u99990.service", &unit), -ENOMEM));
        cr_assert(eq(int, (int) unit_table_find(table, "u99990.service")->load_state, UNIT_STUB));

        n_begun = 0;
        begin_result = 0;
        cr_assert(eq(int, unit_table_load(table, "u99990.service", &unit), 0));
        cr_assert(eq(u32, unit_table_count(table), 11));
        cr_assert(eq(uint, n_begun, 1));

        cr_assert(eq(int, unit_table_load(table, "u99995.service", &unit), 0));
        cr_assert(eq(uint, n_begun, 1), "nothing was to be read");
}

Test(unit_table, every_unit_is_visited) {
        cleanup_(world_deinit) World world;
        unsigned n = 0;

        world_init(&world, NULL, 0);
        name(&world, "a.service");
        unit_table_remove(world.table, name(&world, "b.service"));
        name(&world, "c.service");
        name(&world, "d.service");
        unit_table_remove(world.table, unit_table_find(world.table, "c.service"));
        unit_table_foreach(world.table, unit) {
                cr_assert(eq(ptr, unit_table_at(world.table, unit->index), unit));
                n++;
        }
        cr_assert(eq(uint, n, 2));
}
