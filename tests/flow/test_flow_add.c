/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes that are added to a run, as text
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "file_world.h"
#include "flow/flow_add.h"
#include "flow/flow_definition.h"

static FileWorld *world;

static void set_up(void) {
        world = file_world_new();
}

static void tear_down(void) {
        file_world_free(world);
}

TestSuite(flow_add, .init = set_up, .fini = tear_down, .timeout = 60);

#define FLOW "[Node top]\nExec=/bin/true\n[Node last]\nDependsOn=top\n"
#define LINE "{\"Node\":\"more\",\"Exec\":\"/bin/more\"}\n"

static FlowDefinition *define(const char *text) {
        cleanup_(failure_deinit) Failure failure = {};
        FlowDefinition *definition = NULL;
        int r = flow_definition_new(&definition, world->loader, "x.flow", text, NULL, &failure);

        if (r == 0)
                r = flow_definition_read(definition, UINT32_MAX, &failure);
        cr_assert(eq(int, r, 0), "%s", failure_message(&failure));
        return definition;
}

/* Adds @lines below top to a run with @text: how many nodes are new, or an error. */
static int add(const char *text, const char *lines, char **ret_more) {
        cleanup_(flow_definition_unrefp) FlowDefinition *definition = define(text);
        cleanup_(failure_deinit) Failure failure = {};
        FlowAddition addition;
        int r = flow_addition_read(&addition, lines, "top", text, flow_definition_graph(definition), &failure);

        if (r == 0)
                r = (int) strv_length(addition.names);
        if (r > 0)
                cr_assert(eq(int, text_finish(&addition.text, ret_more), 0));
        flow_addition_deinit(&addition);
        return r;
}

Test(flow_add, the_same_node_again_changes_nothing) {
        cleanup_free_ char *more = NULL, *text = NULL;

        cr_assert(eq(int, add(FLOW, LINE, &more), 1));
        cr_assert(eq(int, text_format(&text, FLOW "\n%s", more), 0));
        cr_assert(eq(u32, flow_addition_count(text), 1));
        cr_assert(eq(int, add(text, LINE, NULL), 0));
        cr_assert(eq(int, add(text, "{\"Node\":\"more\",\"Exec\":\"/bin/other\"}", NULL), -EINVAL));
}

/* Versions before the one that marks a parent which the node has not named wrote the same line without the mark. */
Test(flow_add, nodes_of_an_earlier_version_are_known) {
        const char *text = FLOW "\n# Added to the run.\n[Node more]\nDependsOn=top\nExec=/bin/more\n\n";

        cr_assert(eq(u32, flow_addition_count(text), 1));
        cr_assert(eq(int, add(text, LINE, NULL), 0));
        cr_assert(eq(int, add(text, "{\"Node\":\"more\",\"Exec\":\"/bin/other\"}", NULL), -EINVAL));
        cr_assert(eq(int, add(text, "{\"Node\":\"more\",\"Exec\":\"/bin/more\",\"DependsOn\":\"last\"}", NULL), -EINVAL));
}
