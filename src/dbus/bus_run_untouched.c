/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes of a run that nothing has happened to
 *
 * The store has no rows of them, and there may be 100,000. If they are more than
 * a page they are listed in pages of their own before the rows of the store: so
 * one that begins meanwhile is listed twice, but none is missed.
 */

#include <string.h>

#include "basic/text.h"
#include "dbus/bus_run_private.h"

static bool is_value(const RunStoreFilter *filter, const RunNodeRow *row, const char *name) {
        const RunStoreValue *value = &filter->value;

        switch (filter->column) {
        case NODE_RUN:
                return true;
        case NODE_NAME:
                return strcmp(value->bytes, name) == 0;
        case NODE_STATE:
                return strcmp(value->bytes, run_node_state_to_string(row->state)) == 0;
        case NODE_GENERATION:
                return value->integer == (int64_t) row->generation;
        case NODE_ATTEMPTS:
                return value->integer == 0;
        default:
                return false;
        }
}

static bool is_wanted(const RunStoreQuery *query, const RunNodeRow *row, const char *name) {
        for (size_t i = 0; query && i < query->n_filters; i++)
                if (!is_value(&query->filters[i], row, name))
                        return false;
        return true;
}

/* A filter decides before any node is looked at: it has one name, and an untouched node has few states. */
static void narrow(const ManagerRuns *runs, uint32_t run, const RunStoreQuery *query, uint32_t *from, uint32_t *end) {
        *end = UINT32_MAX;
        for (size_t i = 0; query && i < query->n_filters; i++) {
                const RunStoreFilter *filter = &query->filters[i];

                if (filter->column == NODE_NAME) {
                        const uint32_t node = manager_runs_find_node(runs, run, filter->value.bytes);

                        *from = MAX(*from, node);
                        *end = node == RUN_NODE_NONE ? 0 : node + 1;
                } else if (filter->column == NODE_STATE && !text_equal(filter->value.bytes, "WAITING") &&
                           !text_equal(filter->value.bytes, "READY"))
                        *end = 0;
        }
}

static void put_node(uint32_t run, const char *name, const RunNodeRow *row, RunWhy why, Sink *sink) {
        sink_open(sink, 'a', "{sv}");
        sink_entry_u64(sink, "run", run);
        sink_entry_string(sink, "node", name);
        sink_entry_u64(sink, "generation", row->generation);
        sink_entry_string(sink, "state", run_node_state_to_string(row->state));
        sink_entry_u64(sink, "attempts", 0);
        sink_entry_string(sink, "why", run_why_to_string(why));
        sink_close(sink);
}

uint32_t bus_run_put_untouched(const ManagerRuns *runs, uint32_t run, const RunStoreQuery *query, uint32_t *from,
                               uint32_t limit, Sink *sink) {
        uint32_t n = 0, i = *from, end;
        RunNodeRow row;
        RunWhy why;

        narrow(runs, run, query, &i, &end);
        for (; i < end && n < limit && manager_runs_node(runs, run, i, &row, &why) == 0; i++) {
                const char *name = manager_runs_node_name(runs, run, i);

                if (!manager_runs_is_untouched(runs, run, &row) || manager_runs_is_of_end(runs, run, i) ||
                    !is_wanted(query, &row, name))
                        continue;
                if (sink)
                        put_node(run, name, &row, why, sink);
                n++;
        }
        *from = n < limit ? RUN_NODE_NONE : i;
        return n;
}
