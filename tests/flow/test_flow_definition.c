/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Definitions of runs: from the text of a flow to its graph and its commands
 *
 * S000-17, S004-2
 */

#include <errno.h>

#include "double/double_memory.h"
#include "file_world.h"
#include "flow/flow_definition.h"
#include "unitfile/unit_file_loader.h"

static FileWorld *world;

static void set_up(void) {
        world = file_world_new();
}

static void tear_down(void) {
        file_world_free(world);
}

TestSuite(flow_definition, .init = set_up, .fini = tear_down, .timeout = 60);

static const FlowSettings *load(const char *text) {
        Unit *unit;

        file_world_restart(world);
        file_write(world, "a/x.flow", text);
        unit = file_load(world, "x.flow");
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

/* All of it. */
static FlowDefinition *make(const char *text, const char *nodes) {
        cleanup_(failure_deinit) Failure failure = {};
        FlowDefinition *definition = NULL;
        int r = flow_definition_new(&definition, world->loader, "x.flow", text, nodes, &failure);

        cr_assert(eq(int, r, 0), "%s", failure_message(&failure));
        while ((r = flow_definition_read(definition, 1, &failure)) > 0)
                ;
        cr_assert(eq(int, r, 0), "%s", failure_message(&failure));
        return definition;
}

static void expect_command(FlowDefinition *definition, const char *name, const char *path, const char *user) {
        const uint32_t node = run_graph_find(flow_definition_graph(definition), name);
        FlowCommand command;

        cr_assert(ne(u32, node, RUN_NODE_NONE), "there is no node %s", name);
        cr_assert(eq(int, flow_command_open(&command, definition, node), 0));
        cr_expect(eq(str, command.node->command->path, (char *) path));
        cr_expect(eq(str, command.process->exec.user, (char *) user));
        flow_command_close(&command);
}

/* What a run executes does not change with the files of its unit. */
Test(flow_definition, is_what_the_files_said) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        cleanup_free_ char *text = NULL;

        file_write(world, "a/x.flow.d/more.conf", "[Node b]\nDependsOn=a\nExec=/bin/b\nUser=other");
        text = strdup(load("[Flow]\nUser=all\n[Node a]\nExec=/bin/a")->text);
        load("[Node a]\nExec=/bin/changed\n");
        definition = make(text, NULL);
        cr_assert(eq(u32, run_graph_count(flow_definition_graph(definition)), 2));
        expect_command(definition, "a", "/bin/a", "all");
        expect_command(definition, "b", "/bin/b", "other");
        cr_assert(eq(str, (char *) flow_definition_text(definition), text));
}

/* A definition that is made of a definition's text is the same one: that is how it outlives core. */
Test(flow_definition, is_made_again_from_its_text) {
        cleanup_(flow_definition_unrefp)
                FlowDefinition *first = make(load("[Node a]\nExec=/bin/a\nUser=u\n")->text, NULL);
        cleanup_(flow_definition_unrefp) FlowDefinition *second = make(flow_definition_text(first), NULL);

        cr_assert(eq(str, (char *) flow_definition_text(second), (char *) flow_definition_text(first)));
        expect_command(second, "a", "/bin/a", "u");
}

static const char flow_of_file[] = "[Flow]\nNodesFile=/n.jsonl\nUser=all\n[Node first]\nExec=/bin/first\n";
static const char nodes[] = "{\"Node\":\"a\",\"Exec\":\"/bin/a\",\"DependsOn\":\"first\"}\n"
                            "\n"
                            "{\"Node\":\"b\",\"DependsOn\":\"a\"}\n"
                            "{\"Node\":\"c\",\"Exec\":\"/bin/c\",\"User\":\"own\",\"DependsOn\":\"b\"}\n";

/* Between the step that makes the graph and the end nothing is done but giving back what it was made of. */
Test(flow_definition, what_a_large_graph_was_made_of_goes_in_steps_of_its_own) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        cleanup_(failure_deinit) Failure failure = {};
        cleanup_(text_deinit) Text lines = {};
        const char *text = load(flow_of_file)->text;
        unsigned n_steps = 1;
        int r;

        for (unsigned i = 0; i < 100; i++)
                text_addf(&lines, "{\"Node\":\"n%u\",\"DependsOn\":\"first\"}\n", i);
        cr_assert(eq(int, flow_definition_new(&definition, world->loader, "x.flow", text, lines.string, &failure), 0));
        do
                r = flow_definition_read(definition, 1, &failure);
        while (!flow_definition_graph(definition));
        cr_assert(eq(int, r, 1));
        cr_assert(not(flow_definition_is_read(definition)));
        for (; (r = flow_definition_read(definition, 1, &failure)) > 0; n_steps++)
                cr_assert(not(flow_definition_is_read(definition)));
        cr_assert(eq(int, r, 0));
        cr_assert(lt(uint, 101 / 10, n_steps));
        cr_assert(flow_definition_is_read(definition));
        cr_assert(eq(u32, run_graph_count(flow_definition_graph(definition)), 101));
}

Test(flow_definition, reads_nodes_of_a_file_in_steps) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        cleanup_(failure_deinit) Failure failure = {};
        const char *text = load(flow_of_file)->text;
        FlowCommand both[2];

        cr_assert(eq(int, flow_definition_new(&definition, world->loader, "x.flow", text, nodes, &failure), 0));
        cr_assert(eq(int, flow_definition_read(definition, 2, &failure), 1));
        cr_assert(eq(ptr, flow_definition_graph(definition), NULL));
        cr_assert(eq(int, flow_definition_read(definition, 8, &failure), 0));
        cr_assert(eq(u32, run_graph_count(flow_definition_graph(definition)), 4));
        cr_assert(eq(u32, run_graph_payload(flow_definition_graph(definition), 2), RUN_NODE_NONE), "b is a checkpoint");
        expect_command(definition, "first", "/bin/first", "all");
        expect_command(definition, "a", "/bin/a", "all");
        expect_command(definition, "c", "/bin/c", "own");
        /* Several commands are open at a time. */
        cr_assert(eq(int, flow_command_open(&both[0], definition, 1), 0));
        cr_assert(eq(int, flow_command_open(&both[1], definition, 3), 0));
        cr_expect(eq(str, both[0].node->command->path, (char *) "/bin/a"));
        cr_expect(eq(str, both[1].node->command->path, (char *) "/bin/c"));
        flow_command_close(&both[0]);
        flow_command_close(&both[1]);
}

static void expect_refusal(const char *lines, const char *part) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        cleanup_(failure_deinit) Failure failure = {};
        int r = flow_definition_new(&definition, world->loader, "x.flow", load(flow_of_file)->text, lines, &failure);

        while (r >= 0 && (r = flow_definition_read(definition, 10, &failure)) > 0)
                ;
        cr_assert(eq(int, r, -EINVAL));
        file_assert_contains(failure_message(&failure), part);
}

Test(flow_definition, errors_name_the_place) {
        expect_refusal("{\"Node\":\"a\"}\n{\"Node\":\"b\",\"Nope\":1}\n",
                       "/n.jsonl:2: Nope=: Unknown directive of a node");
        expect_refusal("{\"Node\":\"a\",\"DependsOn\":\"nobody\"}\n", "nobody");
        expect_refusal("{\"Node\":\"a\",\"DependsOn\":\"b\"}\n{\"Node\":\"b\",\"DependsOn\":\"a\"}\n", "a");
        expect_refusal("{\"Node\":\"first\"}\n", "first");
        cr_assert(eq(str, (char *) file_said(world), (char *) ""), "they are the caller's to tell");
}

/* A text that a later version has written, or that somebody has damaged. */
/* A run of an earlier jobd, which took such a line for a mistake and ignored it, goes on. */
Test(flow_definition, what_was_judged_once_may_have_unknown_directives) {
        const char *text = "[Flow]\nTriesMax=3\nUser=u\n[Node a]\nExec=/bin/a\nDependson=b\n[Node b]\nExec=/bin/b\n";
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        Unit *unit;

        file_world_restart(world);
        definition = make(text, NULL);
        expect_command(definition, "a", "/bin/a", "u");
        cr_expect(eq(u32, run_graph_count(flow_definition_graph(definition)), 2));

        /* Not so a file, which somebody can mend. */
        file_world_restart(world);
        file_write(world, "a/x.flow", text);
        unit = file_load(world, "x.flow");
        cr_expect(eq(int, unit->load_state, UNIT_BAD_SETTING));
}

Test(flow_definition, refuses_a_text_that_is_no_flow) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        cleanup_(failure_deinit) Failure failure = {};

        load("[Node a]\n");
        cr_assert(eq(int,
                     flow_definition_new(&definition, world->loader, "x.flow", "[Flow]\nMaxRuns=none\n[Node a]\n", NULL,
                                         &failure),
                     -EINVAL));
        file_assert_contains(failure_message(&failure), "MaxRuns");
}

static int try_all(const char *text) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = NULL;
        cleanup_(failure_deinit) Failure failure = {};
        FlowCommand command;
        int r = flow_definition_new(&definition, world->loader, "x.flow", text, nodes, &failure);

        while (r >= 0 && (r = flow_definition_read(definition, 10, &failure)) > 0)
                ;
        if (r == 0)
                r = flow_command_open(&command, definition, 3);
        if (r == 0)
                flow_command_close(&command);
        return r;
}

Test(flow_definition, memory_that_runs_out) {
        const char *text = load(flow_of_file)->text;
        bool was_reached = true;

        for (size_t n = 1; was_reached; n++) {
                int r;

                double_memory_arm(n, false);
                r = try_all(text);
                was_reached = double_memory_disarm();
                cr_assert(r == 0 || r == -ENOMEM, "allocation %zu: %d", n, r);
        }
        cr_assert(eq(int, try_all(text), 0));
}
