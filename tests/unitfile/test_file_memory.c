/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that runs out while units are read
 *
 * Every allocation of a load, and of a reload, fails once, and once more with
 * all that come after it. What was not read then is read when there is memory
 * again, and is the same as if there always had been.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_memory.h"
#include "file_world.h"
#include "unitfile/path_settings.h"
#include "unitfile/timer_settings.h"

/* — folders with something of everything — */

static FileWorld *world_new(void) {
        FileWorld *world = file_world_new();

        file_write(world, "a/t.target", "[Unit]\nWants=x.service y@1.service\nRequires=alias.service m.service\n");
        file_write(world, "a/x.service",
                   "[Unit]\nDescription=\"x\" of %p\nAfter=gone.service\nConditionPathExists=/nowhere\n"
                   "Documentation=man:a(1) man:b(1)\n"
                   "[Service]\nExecStart=/bin/true 'a b' c\nEnvironment=A=1 B=2\n[Install]\nWantedBy=t.target\n");
        file_write(world, "a/x.service.d/1.conf", "[Unit]\nBefore=y@1.service\n[Service]\nNice=3\n");
        file_write(world, "b/y@.service", "[Unit]\nPartOf=t.target\n[Service]\nExecStart=/bin/echo %i\n");
        file_write(world, "b/real.service", "[Service]\nExecStart=/bin/true\n[Install]\nAlias=alias.service\n");
        file_link(world, "a/alias.service", "../b/real.service");
        file_link(world, "a/m.service", "/dev/null");
        file_link(world, "a/t.target.wants/w.target", "../w.target");
        file_write(world, "a/w.target", "[Unit]\nConflicts=shutdown.target\nNonsense=1\n");
        file_write(world, "a/bad.target", "[Unit]\nJobTimeoutSec=soon\n");
        file_write(world, "a/w.target.d/x.conf", "[Unit]\nAfter=bad.target\n");
        return world;
}

#define LINES_MAX 512

static void add_line(char **lines, size_t *n, Text *text) {
        size_t at = (*n)++;

        cr_assert(at < LINES_MAX);
        cr_assert(eq(int, text_finish(text, &lines[at]), 0));
}

static void describe_unit(const Unit *unit, char **lines, size_t *n) {
        char origin[512];
        Text text = {};

        text_addf(&text, "%s %d '%s' %d", unit->id, (int) unit->load_state, unit_description(unit),
                  unit->type_settings ? ((ServiceSettings *) unit->type_settings)->exec.nice : 0);
        for (size_t i = 1; unit->names[i]; i++)
                text_addf(&text, " =%s", unit->names[i]);
        add_line(lines, n, &text);
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelations relations = unit_relations(unit, (UnitRelationKind) kind);

                for (size_t i = 0; i < relations.n; i++) {
                        text_addf(&text, "%s %s %s %s", unit->id, unit_relation_to_string((UnitRelationKind) kind),
                                  unit_table_at(unit->table, relations.items[i].other)->id,
                                  unit_origin_format(unit->table, relations.items[i].here, origin, sizeof(origin)));
                        add_line(lines, n, &text);
                }
        }
}

static int compare_lines(const void *a, const void *b) {
        return strcmp(*(char *const *) a, *(char *const *) b);
}

/* All units with all that their files say of them, sorted; without the folder's name. */
static char *describe(const FileWorld *world) {
        static char *lines[LINES_MAX];
        Text all = {};
        size_t n = 0;
        char *string;

        unit_table_foreach(world->table, unit)
                describe_unit(unit, lines, &n);
        qsort(lines, n, sizeof(*lines), compare_lines);
        for (size_t i = 0; i < n; i++) {
                char *root = strstr(lines[i], world->root);

                if (root)
                        memmove(root, root + strlen(world->root), strlen(root + strlen(world->root)) + 1);
                text_addf(&all, "%s\n", lines[i]);
                free(lines[i]);
        }
        cr_assert(eq(int, text_finish(&all, &string), 0));
        return string;
}

static void change_files(FileWorld *world) {
        file_write(world, "a/x.service", "[Unit]\nAfter=real.service new.target\n[Service]\nExecStart=/bin/false\n");
        file_remove(world, "a/x.service.d/1.conf");
        file_write(world, "a/new.target", "[Unit]\nDescription=new\n");
        file_remove(world, "a/alias.service");
        file_write(world, "a/alias.service", "[Service]\nExecStart=/bin/true\n");
        file_link(world, "a/other.service", "../b/real.service");
        file_remove(world, "a/m.service");
        file_write(world, "a/w.target.d/y.conf", "[Unit]\nDescription=w\n");
}

/* The n-th allocation fails; @expected is what is there in the end. False if there is no n-th. */
static bool check_load(size_t n, bool and_all_after, const char *expected) {
        cleanup_(file_world_freep) FileWorld *world = world_new();
        cleanup_free_ char *after = NULL;
        Unit *unit = NULL;
        bool has_failed;
        int r;

        world->options.receiver = NULL;         /* what it says takes memory of the test's own */
        file_world_restart(world);
        double_memory_arm(n, and_all_after);
        r = unit_table_load(world->table, "t.target", &unit);
        has_failed = double_memory_disarm();
        cr_assert(r == 0 || (r == -ENOMEM && has_failed), "allocation %zu: %d", n, r);

        file_load(world, "t.target");
        after = describe(world);
        cr_assert(strcmp(after, expected) == 0, "allocation %zu (load: %d):\n%s\nexpected:\n%s", n, r, after, expected);
        return has_failed;
}

Test(file_memory, what_was_not_read_is_read_later, .timeout = 240) {
        cleanup_(file_world_freep) FileWorld *world = world_new();
        cleanup_free_ char *expected = NULL;

        file_load(world, "t.target");
        expected = describe(world);
        for (int variant = 0; variant < 2; variant++)
                for (size_t n = 1; check_load(n, variant, expected); n++)
                        ;
}

static bool check_reload(size_t n, bool and_all_after, const char *expected) {
        cleanup_(file_world_freep) FileWorld *world = world_new();
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_free_ char *after = NULL;
        bool has_failed;
        int r;

        world->options.receiver = NULL;
        file_world_restart(world);
        file_load(world, "t.target");
        change_files(world);
        double_memory_arm(n, and_all_after);
        r = unit_file_reload(world->loader, world->table, true, NULL, NULL, &failure);
        has_failed = double_memory_disarm();
        cr_assert(r == 0 || (r == -ENOMEM && has_failed), "allocation %zu: %d", n, r);

        cr_assert(eq(int, unit_file_reload(world->loader, world->table, true, NULL, NULL, &failure), 0));
        after = describe(world);
        cr_assert(strcmp(after, expected) == 0, "allocation %zu (reload: %d):\n%s\nexpected:\n%s", n, r, after, expected);
        return has_failed;
}

Test(file_memory, what_was_not_read_again_is_read_later, .timeout = 240) {
        cleanup_(file_world_freep) FileWorld *world = world_new();
        cleanup_free_ char *expected = NULL;

        file_load(world, "t.target");
        change_files(world);
        cr_assert(eq(int, file_reload(world, true, NULL), 0));
        expected = describe(world);
        for (int variant = 0; variant < 2; variant++)
                for (size_t n = 1; check_reload(n, variant, expected); n++)
                        ;
}

/* The n-th allocation fails while both are read. False if there is no n-th. */
static bool check_triggering(size_t n) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const TimerSettings *timer;
        const PathSettings *path;
        bool has_failed;
        Unit *unit;
        int r;

        file_write(world, "a/x.timer", "[Timer]\nOnCalendar=Mon,Fri *-*~1..3 8:00/15 UTC\nOnBootSec=5min\nUnit=%p.service\n");
        file_write(world, "a/x.path", "[Path]\nPathExistsGlob=/a/*\nPathChanged=/b\n");
        world->options.receiver = NULL;
        file_world_restart(world);
        double_memory_arm(n, false);
        r = unit_table_load(world->table, "x.timer", &unit);
        if (r == 0)
                r = unit_table_load(world->table, "x.path", &unit);
        has_failed = double_memory_disarm();
        cr_assert(r == 0 || (r == -ENOMEM && has_failed), "allocation %zu: %d", n, r);

        timer = file_load(world, "x.timer")->type_settings;
        path = file_load(world, "x.path")->type_settings;
        cr_assert(timer && timer->values.n == 2 && strcmp(timer->unit, "x.service") == 0, "allocation %zu", n);
        cr_assert(path && path->values.n == 2, "allocation %zu", n);
        return has_failed;
}

Test(file_memory, what_triggers_others_is_read_later, .timeout = 240) {
        for (size_t n = 1; check_triggering(n); n++)
                ;
}
