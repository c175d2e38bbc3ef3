/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes of a run, page by page
 *
 * The store has no rows of nodes that nothing has happened to, and there may be
 * 100,000. A page has the next names, of the ones and the others: a name stays
 * while its node begins, so each node is on one page. Those without a row are
 * noted when the store is asked: what begins before it answers is not missed,
 * and if it has a row of it, that counts.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_run_private.h"

typedef struct NamedNode {
        const char *name; /* borrowed */
        uint32_t node;
} NamedNode;

typedef VECTOR(NamedNode) NamedNodes;

/* — nodes that nothing has happened to — */

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
        for (size_t i = 0; i < query->n_filters; i++)
                if (!is_value(&query->filters[i], row, name))
                        return false;
        return true;
}

/* A filter decides before any node is looked at: it has one name, and an untouched node has few states. */
static void narrow(const ManagerRuns *runs, uint32_t run, const RunStoreQuery *query, uint32_t *from, uint32_t *end) {
        *from = 0;
        *end = UINT32_MAX;
        for (size_t i = 0; i < query->n_filters; i++) {
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

static int compare_names(const void *a, const void *b) {
        return strcmp(((const NamedNode *) a)->name, ((const NamedNode *) b)->name);
}

/* Keeps the first @limit of them, and tells whether there were more. */
static bool cut(NamedNodes *nodes, uint32_t limit) {
        if (nodes->n > 1)
                qsort(nodes->items, nodes->n, sizeof(*nodes->items), compare_names);
        if (nodes->n <= limit)
                return false;
        nodes->n = limit;
        return true;
}

/* The first ones behind the cursor, of which few are held at a time. */
static int gather(const ManagerRuns *runs, uint32_t run, const RunStoreQuery *query, NamedNodes *nodes,
                  bool *ret_has_more) {
        const char *after = query->n_cursor > 0 ? query->cursor[1].bytes : "", *before = NULL, *name;
        bool has_more = false;
        uint32_t i, end;
        RunNodeRow row;
        RunWhy why;

        for (narrow(runs, run, query, &i, &end); i < end && (name = manager_runs_node_name(runs, run, i)); i++) {
                if (strcmp(name, after) <= 0 || (before && strcmp(name, before) > 0) ||
                    manager_runs_node(runs, run, i, &row, &why) < 0 || !manager_runs_may_lack_row(runs, run, &row) ||
                    manager_runs_is_of_end(runs, run, i) || !is_wanted(query, &row, name))
                        continue;
                if (vector_push(nodes, ((NamedNode) { name, i })) < 0)
                        return -ENOMEM;
                if (nodes->n < 2 * (size_t) query->limit)
                        continue;
                has_more |= cut(nodes, query->limit);
                before = nodes->items[nodes->n - 1].name;
        }
        *ret_has_more = cut(nodes, query->limit) || has_more;
        return 0;
}

static int note(const ManagerRuns *runs, uint32_t run, const NamedNode *named, BusRunPage *page) {
        BusRunUntouched node = {};
        RunNodeRow row;
        int r = manager_runs_node(runs, run, named->node, &row, &node.why);

        if (r == 0)
                r = text_copy(named->name, &node.name);
        if (r < 0)
                return r;
        node.state = row.state;
        node.generation = row.generation;
        r = vector_push(&page->nodes, node);
        if (r < 0)
                free(node.name);
        return r;
}

BusRunPage *bus_run_page_free(BusRunPage *page) {
        if (!page)
                return NULL;
        for (size_t i = 0; i < page->nodes.n; i++)
                free(page->nodes.items[i].name);
        vector_deinit(&page->nodes);
        free(page);
        return NULL;
}

int bus_run_page_new(const ManagerRuns *runs, uint32_t run, const RunStoreQuery *query, BusRunPage **ret_page) {
        cleanup_(bus_run_page_freep) BusRunPage *page = calloc(1, sizeof(*page));
        NamedNodes nodes = {};
        int r = page ? 0 : -ENOMEM;

        if (r == 0)
                r = gather(runs, run, query, &nodes, &page->has_more);
        for (size_t i = 0; r == 0 && i < nodes.n; i++)
                r = note(runs, run, &nodes.items[i], page);
        vector_deinit(&nodes);
        if (r < 0)
                return r;
        page->limit = query->limit;
        *ret_page = take_ptr(page);
        return 0;
}

/* — together with rows — */

static void put_node(uint32_t run, const BusRunUntouched *node, Sink *sink) {
        sink_open(sink, 'a', "{sv}");
        sink_entry_u64(sink, "run", run);
        sink_entry_string(sink, "node", node->name);
        sink_entry_u64(sink, "generation", node->generation);
        sink_entry_string(sink, "state", run_node_state_to_string(node->state));
        sink_entry_u64(sink, "attempts", 0);
        sink_entry_string(sink, "why", run_why_to_string(node->why));
        sink_close(sink);
}

/* Ends where the store, or the run, may have others that come before what is left of the other one. */
const char *bus_run_page_put(const BusRunPage *page, const ManagerRunAnswer *answer, const BusRunPageOps *ops,
                             Sink *sink) {
        RunStorePage rows = *answer->page;
        ManagerRunValues values;
        bool has_row = manager_run_values_next(&rows, &values) > 0;
        const char *last = "";
        size_t i = 0;

        for (uint32_t n = 0; n < page->limit; n++) {
                const BusRunUntouched *node = i < page->nodes.n ? &page->nodes.items[i] : NULL;
                const char *name = has_row ? manager_run_values_text(&values, NODE_NAME) : NULL;
                int order;

                if ((!name && (!node || answer->page->has_more)) || (!node && page->has_more))
                        break;
                order = !name ? 1 : !node ? -1 : strcmp(name, node->name);
                last = order <= 0 ? name : node->name;
                if (order >= 0)
                        i++;
                if (order > 0) {
                        put_node(answer->run, node, sink);
                        continue;
                }
                ops->put_row(ops->userdata, &values, sink);
                has_row = manager_run_values_next(&rows, &values) > 0;
        }
        return has_row || i < page->nodes.n || answer->page->has_more || page->has_more ? last : "";
}
