/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading again against reading anew
 *
 * Files, links and folders come, change and go by chance; after each reload
 * the units must say what those of a table say that has just read the same
 * folders. Left out is what hangs on the order of loading: which of two lines
 * that say the same is named, and the order that targets imply.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "file_world.h"

#define SEEDS 40
#define ROUNDS 8
#define LINES_MAX 1024

static const char *const names[] = {
        "a.target", "b.target", "a-b.target", "a-b-c.target", "c.service", "d.service",
        "t@.service", "t@1.service", "t@2.service", "u@.service", "u@1.service",
};

static uint64_t seed;

static unsigned choose(unsigned n) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        return (unsigned) (seed >> 33) % n;
}

static const char *choose_name(void) {
        return names[choose(ELEMENTSOF(names))];
}

static void remove_if_there(FileWorld *world, const char *path) {
        char full[256];

        snprintf(full, sizeof(full), "%s/%s", world->root, path);
        (void) remove(full);
}

static void write_unit(FileWorld *world, const char *path) {
        static const char *const settings[] = { "Wants", "Requires", "After", "Before", "Conflicts", "PartOf", "OnFailure" };
        cleanup_free_ char *text = NULL;

        cr_assert(eq(int, text_format(&text, "[Unit]\nDescription=%u\n%s=%s %s\n%s=%s\n%s%s", choose(100),
                                      settings[choose(ELEMENTSOF(settings))], choose_name(), choose_name(),
                                      settings[choose(ELEMENTSOF(settings))], choose_name(),
                                      choose(9) == 0 ? "JobTimeoutSec=soon\n" : "",
                                      strstr(path, "service") ? "[Service]\nExecStart=/bin/true\n" : ""), 0));
        file_write(world, path, text);
}

static void change_something(FileWorld *world) {
        static const char *const shared[] = { "a-.target", "a-b-.target", "service", "target" };
        const char *name = choose_name();
        char folder = "ab"[choose(2)], path[128], text[128];

        switch (choose(7)) {
        case 0 ... 2:
                snprintf(path, sizeof(path), "%c/%s", folder, name);
                remove_if_there(world, path);
                write_unit(world, path);
                break;
        case 3:
        case 4:
                snprintf(path, sizeof(path), "%c/%s", folder, name);
                remove_if_there(world, path);
                if (choose(2))
                        file_link(world, path, choose(5) ? choose_name() : "/dev/null");
                break;
        case 5:
                snprintf(path, sizeof(path), "%c/%s.d/%u.conf", folder, choose(4) ? name : shared[choose(4)], choose(2));
                remove_if_there(world, path);
                snprintf(text, sizeof(text), "[Unit]\nDescription=drop-in %u\nAfter=%s\n", choose(100), choose_name());
                if (choose(3))
                        file_write(world, path, text);
                break;
        case 6:
                snprintf(path, sizeof(path), "%c/%s.%s/%s", folder, name, choose(2) ? "wants" : "requires", choose_name());
                remove_if_there(world, path);
                if (choose(3))
                        file_link(world, path, choose(4) ? "../missing" : "/dev/null");
                break;
        }
}

static void load_all(FileWorld *world) {
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (!strstr(names[i], "@."))
                        file_load(world, names[i]);
}

static int compare_lines(const void *a, const void *b) {
        return strcmp(*(char *const *) a, *(char *const *) b);
}

static void describe_unit(FileWorld *world, const char *name, char **lines, size_t *n) {
        const Unit *unit = unit_table_find(world->table, name);

        cr_assert(eq(int, text_format(&lines[(*n)++], "%s %s %d %s", name, unit->id, (int) unit->load_state,
                                      unit_description(unit)), 0));
        for (size_t i = 0; unit->names[i]; i++)
                cr_assert(eq(int, text_format(&lines[(*n)++], "%s = %s", name, unit->names[i]), 0));
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelations relations = unit_relations(unit, (UnitRelationKind) kind);

                for (size_t i = 0; i < relations.n; i++) {
                        UnitOrigin origin = unit_table_origin_at(world->table, relations.items[i].here);

                        if (relations.items[i].here == UNIT_ORIGIN_NONE || (origin.implied && strstr(origin.implied, "order")))
                                continue;
                        cr_assert(eq(int, text_format(&lines[(*n)++], "%s %s %s", name,
                                                      unit_relation_to_string((UnitRelationKind) kind),
                                                      unit_table_at(world->table, relations.items[i].other)->id), 0));
                }
        }
}

static char *describe(FileWorld *world) {
        static char *lines[LINES_MAX];
        Text text = {};
        size_t n = 0;
        char *string;

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (!strstr(names[i], "@."))
                        describe_unit(world, names[i], lines, &n);
        qsort(lines, n, sizeof(*lines), compare_lines);
        for (size_t i = 0; i < n; i++) {
                text_addf(&text, "%s\n", lines[i]);
                free(lines[i]);
        }
        cr_assert(eq(int, text_finish(&text, &string), 0));
        return string;
}

static void check_round(FileWorld *world, unsigned number) {
        cleanup_free_ char *again = NULL, *anew = NULL;
        FileWorld fresh = *world;

        for (unsigned i = 0; i <= choose(4); i++)
                change_something(world);
        cr_assert(eq(int, file_reload(world, true, NULL), 0));
        load_all(world);
        again = describe(world);

        fresh.table = NULL;
        fresh.loader = NULL;
        file_world_restart(&fresh);
        load_all(&fresh);
        anew = describe(&fresh);
        unit_table_free(fresh.table);
        unit_file_loader_free(fresh.loader);
        cr_assert(strcmp(again, anew) == 0, "seed %u: again:\n%s\nanew:\n%s", number, again, anew);
}

Test(unit_file_again, units_are_as_if_read_anew) {
        for (unsigned number = 1; number <= SEEDS; number++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();

                seed = number * UINT64_C(0x9E3779B97F4A7C15);
                world->options.receiver = NULL;
                file_world_restart(world);
                for (int i = 0; i < 12; i++)
                        change_something(world);
                load_all(world);
                for (int round = 0; round < ROUNDS; round++)
                        check_round(world, number);
        }
}
