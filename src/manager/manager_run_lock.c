/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks and resources of runs, for others to see
 */

#include "basic/text.h"
#include "manager/manager_run_private.h"

typedef struct LockList {
        const ManagerRuns *runs; /* borrowed, as all of it */
        const ManagerLockFilter *filter;
        Sink *sink;
        uint32_t n; /* entries that the filter lets through */
        bool has_more;
} LockList;

static const char *kind_of(const RunLockEntry *entry) {
        if (!entry->is_lock)
                return "resource";
        return entry->key.node == RUN_CLAIM_OF_RUN ? "run" : "node";
}

static bool is_wanted(const LockList *list, const RunLockEntry *entry) {
        const ManagerLockFilter *filter = list->filter;

        return (!filter->lock || text_equal(filter->lock, entry->name)) &&
               (!filter->kind || text_equal(filter->kind, kind_of(entry))) &&
               (filter->run == 0 || filter->run == entry->key.run);
}

static void put_entry(const LockList *list, const RunLockEntry *entry) {
        const ManagerRuns *runs = list->runs;
        const ManagerRun *run = manager_run_find(runs, entry->key.run);
        Sink *sink = list->sink;

        sink_open(sink, 'a', "{sv}");
        sink_entry_string(sink, "lock", entry->name);
        sink_entry_string(sink, "kind", kind_of(entry));
        sink_entry_string(sink, "state", entry->is_held ? "held" : "waits");
        if (entry->is_held && entry->is_lock)
                sink_entry_u64(sink, "slot", entry->slot);
        if (!entry->is_lock)
                sink_entry_u64(sink, "amount", entry->amount);
        sink_entry_u64(sink, "total", entry->total);
        sink_entry_u64(sink, "run", entry->key.run);
        if (run) {
                sink_entry_string(sink, "name", run->facts.name);
                sink_entry_string(sink, "unit", run->facts.unit);
        }
        if (run && entry->key.node != RUN_CLAIM_OF_RUN)
                sink_entry_string(sink, "node",
                                  run_graph_name(run->graph, entry->key.node));
        if (!entry->is_held) {
                sink_entry_u64(sink, "priority", entry->priority);
                sink_entry_u64(sink, "since",
                               usec_sub(runs->host.attempts.turn->now_realtime, usec_sub(runs->now, entry->since)));
        }
        sink_close(sink);
}

static void visit(void *userdata, const RunLockEntry *entry) {
        LockList *list = userdata;
        const ManagerLockFilter *filter = list->filter;

        if (!is_wanted(list, entry))
                return;
        list->n++;
        if (list->n > filter->skip + filter->limit)
                list->has_more = true;
        else if (list->n > filter->skip)
                put_entry(list, entry);
}

bool manager_runs_write_locks(const ManagerRuns *runs, const ManagerLockFilter *filter, Sink *sink) {
        LockList list = { .runs = runs, .filter = filter, .sink = sink };

        sink_open(sink, 'a', "a{sv}");
        run_engine_visit_locks(runs->engine, visit, &list);
        sink_close(sink);
        return list.has_more;
}
