/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams: settings, defaults, what is refused, and the node that a stream is
 *
 * S000-3, S000-8, S000-23
 */

#include "basic/macro.h"
#include "basic/text.h"
#include "file_world.h"
#include "unit/unit_name.h"
#include "unitfile/flow_settings.h"
#include "unitfile/unit_file_loader.h"

static FileWorld *world;

static void set_up(void) {
        world = file_world_new();
}

static void tear_down(void) {
        file_world_free(world);
}

TestSuite(stream_file, .init = set_up, .fini = tear_down, .timeout = 60);

static const Unit *load(const char *text) {
        file_world_restart(world);
        file_write(world, "a/x.stream", text);
        return file_load(world, "x.stream");
}

static const FlowSettings *stream_of(const Unit *unit) {
        cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", failure_message(&unit->load_failure));
        return unit->type_settings;
}

Test(stream_file, defaults) {
        const FlowSettings *stream = stream_of(load("[Stream]\nExec=/bin/true\n"));
        const FlowNode *element = stream->nodes.items;

        assert_string(file_said(world), "");
        cr_assert(eq(int, (int) unit_name_type("orders.stream"), UNIT_STREAM));
        cr_assert(stream->is_stream);
        cr_assert(eq(u32, stream->stream.link_batch, 100));
        cr_assert(eq(u64, stream->stream.link_delay, 0));
        cr_assert(eq(u64, stream->stream.max_backlog, 1000000));
        cr_assert(eq(u32, stream->stream.keep_done, 1000));
        cr_assert(eq(u32, stream->stream.max_groups, 64));
        cr_assert(eq(u32, stream->max_runs, 1));
        cr_assert(eq(u64, stream->run_timeout, USEC_INFINITY));
        cr_assert(eq(sz, stream->nodes.n, 1));
        cr_assert(element->is_range);
        assert_string(element->name, "elements");
        cr_assert(eq(u32, element->retry, 5));
        cr_assert(eq(int, element->recover, FLOW_RECOVER_UNSET));
        cr_assert(eq(int, flow_node_failure(stream, element), FLOW_FAILURE_CONTINUE));
        cr_assert(eq(u64, element->timeout, USEC_INFINITY));
}

Test(stream_file, a_stream_has_what_its_section_says) {
        const FlowSettings *stream = stream_of(load(
                "[Stream]\nExec=/bin/echo %p %{group} %{sequence} %{key} %{run.id}\nMaxGroups=8\nMaxBacklog=500\n"
                "LinkBatch=50\nLinkDelayMs=20\nKeepDone=7\nFailurePolicy=suspend\nRecover=fail\nRetry=2\n"
                "RetryDelaySec=1\nTimeoutSec=30\nPendingExitStatus=4\nAgainSec=9\nItemMode=exec\n"
                "OnBacklogFull=reject\nInputMode=stdin\nStopMode=interrupt\nKeepRuns=3\nUser=nobody\n"));
        const FlowNode *element = stream->nodes.items;

        assert_string(file_said(world), "");
        assert_string(element->command->argv[1], "x");
        assert_string(element->command->argv[2], "%{group}");
        cr_assert(eq(u32, stream->stream.max_groups, 8));
        cr_assert(eq(u64, stream->stream.max_backlog, 500));
        cr_assert(eq(u32, stream->stream.link_batch, 50));
        cr_assert(eq(u64, stream->stream.link_delay, 20 * USEC_PER_MSEC));
        cr_assert(eq(u32, stream->stream.keep_done, 7));
        cr_assert(eq(int, flow_node_failure(stream, element), FLOW_FAILURE_SUSPEND));
        cr_assert(eq(int, element->recover, FLOW_RECOVER_FAIL));
        cr_assert(eq(u32, element->retry, 2));
        cr_assert(eq(u64, element->timeout, 30 * USEC_PER_SEC));
        cr_assert(exit_status_set_has_status(&element->pending_exit_status, 4));
        cr_assert(eq(u64, element->again, 9 * USEC_PER_SEC));
        cr_assert(eq(int, stream->stop_mode, FLOW_STOP_INTERRUPT));
        cr_assert(eq(u32, stream->keep_runs, 3));
}

/* An empty value is the default again. */
Test(stream_file, an_empty_value_is_the_default) {
        const FlowSettings *stream = stream_of(load("[Stream]\nExec=/bin/true\nMaxGroups=8\nMaxGroups=\nMaxBacklog=5\n"
                                                    "MaxBacklog=\nLinkBatch=3\nLinkBatch=\nLinkDelayMs=9\nLinkDelayMs=\n"
                                                    "KeepDone=1\nKeepDone=\n"));

        assert_string(file_said(world), "");
        cr_assert(eq(u32, stream->stream.link_batch, 100));
        cr_assert(eq(u64, stream->stream.link_delay, 0));
        cr_assert(eq(u64, stream->stream.max_backlog, 1000000));
        cr_assert(eq(u32, stream->stream.keep_done, 1000));
        cr_assert(eq(u32, stream->stream.max_groups, 64));
}

/* Elements of a group are told by their numbers: a template makes streams, and each instance is one. */
Test(stream_file, a_template_makes_streams) {
        const Unit *unit;

        file_world_restart(world);
        file_write(world, "a/x@.stream", "[Stream]\nExec=/bin/echo %i\n");
        unit = file_load(world, "x@north.stream");
        assert_string(stream_of(unit)->nodes.items[0].command->argv[1], "north");
}

static const struct {
        const char *lines, *says;
} refusals[] = {
        { "MaxGroups=4", "The stream has no Exec=" },
        { "Exec=/bin/true\nFailurePolicy=end", "'end' is not possible in a stream, which never ends" },
        { "Exec=/bin/true\nOnBacklogFull=drop-oldest", "'drop-oldest' is not supported by this version" },
        { "Exec=/bin/true\nItemMode=pool", "'pool' is not supported in a stream by this version" },
        { "Exec=/bin/true\nAllowProcessors=a", "each element would have the command of Exec=" },
        { "Exec=/bin/true\nRunTimeoutSec=1h", "use TimeoutSec=, which an element has" },
        { "Exec=/bin/true\nMaxRuns=2", "use a template for several streams" },
        { "Exec=/bin/true\nLock=a", "MaxGroups=1 those of all groups" },
        { "Exec=/bin/echo %{item}", "a stream has elements: write %{group}, %{sequence} or %{key}" },
        { "Exec=/bin/echo %{a.result}", "a stream has no nodes" },
        { "Exec=/bin/echo %{param.x}", "Params= of [Stream] has no parameter 'x'" },
        { "Exec=/bin/true\nSuccessExitStatus=3\nPendingExitStatus=3", "An exit status is in SuccessExitStatus=" },
};

Test(stream_file, what_a_stream_cannot_have_is_refused) {
        for (size_t i = 0; i < ELEMENTSOF(refusals); i++) {
                cleanup_free_ char *text = NULL;

                cr_assert(eq(int, text_format(&text, "[Stream]\n%s\n", refusals[i].lines), 0));
                cr_expect(ne(int, load(text)->load_state, UNIT_LOADED), "%s", refusals[i].lines);
                cr_expect(strstr(file_said(world), refusals[i].says) != NULL, "%s: %s", refusals[i].lines, file_said(world));
        }
}

/* The words of elements are none in a flow or a batch; a node of that name keeps its own. */
Test(stream_file, only_a_stream_has_elements) {
        file_world_restart(world);
        file_write(world, "a/x.batch", "[Batch]\nItems=3\nExec=/bin/echo %{sequence}\n");
        cr_assert(ne(int, file_load(world, "x.batch")->load_state, UNIT_LOADED));
        cr_assert(strstr(file_said(world), "there are elements in a stream alone") != NULL, "%s", file_said(world));
        file_world_restart(world);
        file_write(world, "a/x.flow", "[Node group]\nExec=/bin/true\n[Node b]\nDependsOn=group\n"
                                      "Exec=/bin/echo %{group.state}\n");
        cr_assert(eq(int, file_load(world, "x.flow")->load_state, UNIT_LOADED), "%s", file_said(world));
}
