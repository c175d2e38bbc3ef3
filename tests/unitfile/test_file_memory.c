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
#include "unitfile/flow_graph.h"
#include "unitfile/flow_nodes.h"
#include "unitfile/path_settings.h"
#include "unitfile/timer_settings.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

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

/* — flows — */

static const char flow_text[] =
        "[Flow]\nUser=bob\nEnvironment=A=1\nExecStartPre=/bin/pre\nOnBusy=skip\n"
        "[Node a]\nExec=/bin/a %p\nEnvironment=B=2\nMemoryMax=1M\n[Node b]\nDependsOn=a\nReadiness=at-least:1\nPrivateTmp=yes\n"
        "[Node c]\nDependsOn=a b\nExec=/bin/c\n";

static void add_node(Text *text, const FlowNode *node) {
        text_addf(text, "%s %s:%u %d", node->name, strrchr(node->place.file, '/'), node->place.line,
                  (int) node->readiness.kind);
        for (size_t i = 0; i < node->depends_on.n; i++)
                text_addf(text, " <%s:%u", node->depends_on.items[i].name, node->depends_on.items[i].place.line);
        if (node->command)
                text_addf(text, " %s %s", node->command->argv[0], node->command->argv[1] ?: "");
        if (node->process)
                text_addf(text, " %s %s %s", node->process->exec.user, node->process->exec.environment[0],
                          node->process->commands[FLOW_EXEC_START_PRE]->path);
        if (node->resources)
                text_addf(text, " %llu", (unsigned long long) node->resources->memory_max.amount);
        text_add_char(text, '\n');
}

static char *describe_flow(const Unit *unit) {
        const FlowSettings *flow = unit->type_settings;
        Text text = {};
        char *string;

        text_addf(&text, "%d %s %d\n", (int) unit->load_state, flow->process.exec.user, (int) flow->on_busy);
        for (size_t i = 0; i < flow->nodes.n; i++)
                add_node(&text, &flow->nodes.items[i]);
        cr_assert(eq(int, text_finish(&text, &string), 0));
        return string;
}

static FileWorld *flow_world_new(void) {
        FileWorld *world = file_world_new();

        file_write(world, "a/x.flow", flow_text);
        file_write(world, "a/x.flow.d/1.conf", "[Node b]\nRetry=2\nUser=alice\n[Node d]\nDependsOn=c\n[Flow]\nGroup=staff\n");
        world->options.receiver = NULL;
        file_world_restart(world);
        return world;
}

static bool check_flow(size_t n, bool and_all_after, const char *expected) {
        cleanup_(file_world_freep) FileWorld *world = flow_world_new();
        cleanup_free_ char *after = NULL;
        Unit *unit = NULL;
        bool has_failed;
        int r;

        double_memory_arm(n, and_all_after);
        r = unit_table_load(world->table, "x.flow", &unit);
        has_failed = double_memory_disarm();
        cr_assert(r == 0 || (r == -ENOMEM && has_failed), "allocation %zu: %d", n, r);
        after = describe_flow(file_load(world, "x.flow"));
        cr_assert(strcmp(after, expected) == 0, "allocation %zu (load: %d):\n%s\nexpected:\n%s", n, r, after, expected);
        return has_failed;
}

Test(file_memory, a_flow_is_read_later, .timeout = 240) {
        cleanup_(file_world_freep) FileWorld *world = flow_world_new();
        cleanup_free_ char *expected = describe_flow(file_load(world, "x.flow"));

        cr_assert(strstr(expected, "\nb /x.flow:10 2 <a:11 alice A=1 /bin/pre\n") != NULL, "%s", expected);
        for (int variant = 0; variant < 2; variant++)
                for (size_t n = 1; check_flow(n, variant, expected); n++)
                        ;
}

/* All nodes of a file and their graph; without memory for the n-th allocation, as far as they were read. */
static int read_nodes(FileWorld *world, UnitDraft *draft, Text *text) {
        static const char lines[] =
                "{\"Node\":\"n1\",\"Exec\":\"/bin/n %p\",\"User\":\"eve\",\"DependsOn\":[\"c\",\"d\"],\"MemoryMax\":\"2M\"}\n"
                "{\"Node\":\"n2\",\"DependsOn\":\"n1\"}\n";
        cleanup_(flow_graph_deinit) FlowGraph graph;
        FlowNodes nodes;
        FlowNode *node;
        int r;

        flow_graph_init(&graph, draft);
        r = flow_graph_add_sections(&graph);
        if (r == 0)
                r = flow_nodes_begin(&nodes, draft, "/x.jsonl", lines);
        else
                return r;
        while (r == 0 && (r = flow_nodes_next(&nodes, &node)) > 0) {
                if (text)
                        add_node(text, node);
                r = flow_graph_add(&graph, node);
        }
        flow_nodes_end(&nodes);
        if (r == 0)
                r = flow_graph_finish(&graph);
        cr_assert(r < 0 || (!graph.is_broken && graph.nodes.n == 6 && graph.edges.n == 7));
        return r;
}

Test(file_memory, nodes_of_a_file_are_read_or_it_is_said, .timeout = 240) {
        cleanup_(file_world_freep) FileWorld *world = flow_world_new();

        for (size_t n = 1;; n++) {
                cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
                cleanup_(text_deinit) Text text = {};
                bool has_failed;
                int r;

                cr_assert(name_map_refresh(world->loader->names) >= 0);
                cr_assert(eq(int, unit_draft_read(world->loader, "x.flow", true, &draft), 0));
                double_memory_arm(n, false);
                r = read_nodes(world, draft, NULL);
                has_failed = double_memory_disarm();
                cr_assert(r == 0 || (r == -ENOMEM && has_failed), "allocation %zu: %d", n, r);
                cr_assert(eq(int, read_nodes(world, draft, &text), 0));
                assert_string(text.string, "n1 /x.jsonl:1 0 <c:1 <d:1 /bin/n x eve A=1 /bin/pre 2097152\n"
                                           "n2 /x.jsonl:2 0 <n1:2\n");
                if (!has_failed)
                        break;
        }
}
