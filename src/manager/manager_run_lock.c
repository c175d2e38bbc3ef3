/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks and resources of runs, for others to see, and locks to be given up
 *
 * A node that waits for its next try or for a person keeps its locks, though
 * nothing of it runs. A person may have it give them up, all of them; it takes
 * them again for its next attempt. Those of a run are its own until it ends:
 * what its nodes have done rests on them.
 */

#include <errno.h>
#include <inttypes.h>

#include "basic/text.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_lock.h"
#include "manager/manager_run_table.h"

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
                sink_entry_string(sink, "name", manager_run_facts(run)->name);
                sink_entry_string(sink, "unit", manager_run_facts(run)->unit);
        }
        if (run && entry->key.node != RUN_CLAIM_OF_RUN)
                sink_entry_string(sink, "node",
                                  run_graph_name(manager_run_graph(run), entry->key.node));
        if (!entry->is_held) {
                sink_entry_u64(sink, "priority", entry->priority);
                sink_entry_u64(sink, "since",
                               usec_sub(manager_runs_now_realtime(runs),
                                        usec_sub(manager_runs_now(runs), entry->since)));
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
        run_engine_visit_locks(manager_runs_engine(runs), visit, &list);
        sink_close(sink);
        return list.has_more;
}

/* — giving up — */

/* The locks that a node holds, as "a, b"; the caller owns the text. NULL: it holds none, or not @lock. 0 or -ENOMEM. */
static int list_held(const ManagerRuns *runs, uint32_t run, uint32_t node, const char *lock, char **ret_list) {
        cleanup_(text_deinit) Text text = {};
        bool has_lock = !lock;
        const char *name;
        size_t n = 0;

        *ret_list = NULL;
        for (; (name = run_engine_held_lock(manager_runs_engine(runs), run, node, n)); n++) {
                text_addf(&text, "%s%s", n > 0 ? ", " : "", name);
                has_lock = has_lock || text_equal(name, lock);
        }
        return n > 0 && has_lock ? text_finish(&text, ret_list) : 0;
}

/* 1; 0: it has nothing to give up, or runs; -ENOMEM. */
static int unlock_node(ManagerRuns *runs, ManagerRun *run, uint32_t node, const ManagerRunCommand *command) {
        cleanup_free_ char *held = NULL;
        int r = list_held(runs, manager_run_id(run), node, command->lock, &held);

        if (r < 0 || !held ||
            run_engine_verb(manager_runs_engine(runs), manager_run_id(run), RUN_VERB_UNLOCK, node) < 0)
                return r;
        manager_run_put_event(runs, run,
                              (ManagerRunEvent) {
                                      .node = run_graph_name(manager_run_graph(run), node),
                                      .kind = "verb",
                                      .new = "unlock",
                                      .comment = held,
                                      .operator= command->operator,
                                      .reqid = command->reqid,
                                      .uid = command->uid,
                              });
        return 1;
}

/* An instance of @node that holds locks, or @lock: "a[3]"; NULL: none does. */
static const char *find_holder(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, const char *lock) {
        const RunEngine *engine = manager_runs_engine(runs);
        const RunGraph *graph = manager_run_graph(run);
        const uint32_t n = run_graph_count_items(graph, node);
        const char *name;
        uint32_t instance;

        for (uint32_t i = 0; i < n && (instance = run_graph_find_item(graph, node, i)) != RUN_NODE_NONE; i++)
                for (size_t k = 0; (name = run_engine_held_lock(engine, manager_run_id(run), instance, k)); k++)
                        if (!lock || text_equal(name, lock))
                                return run_graph_name(graph, instance);
        return NULL;
}

/* The locks come free by themselves, but perhaps late: says when, and what can be done. */
static int refuse_held(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, const char *who,
                       const char *held, Failure *ret_failure) {
        RunNodeRow entry = {};
        RunRow row = {};
        RunWhy why;

        (void) manager_run_get(runs, run, &row, &why);
        (void) manager_run_get_node(runs, run, node, &entry, &why);
        if (row.state == RUN_STOPPING)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "%s keeps its locks (%s) until it has ended: %s is STOPPING already, and 'flow "
                                   "cancel' ends what runs of it.",
                                   who, held, node == RUN_NODE_NONE ? "it" : "the run");
        if (node == RUN_NODE_NONE)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "%s itself holds its locks (%s), from its beginning until it has ended: 'flow stop' "
                                   "and 'flow cancel' end it.",
                                   who, held);
        return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                           "%s is %s: it keeps its locks (%s) until nothing of it runs any more; 'flow cancel' ends "
                           "what runs.",
                           who, run_node_state_to_string(entry.state), held);
}

static int refuse_foreach(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, const char *who,
                          const char *lock, Failure *ret_failure) {
        const char *holder = find_holder(runs, run, node, lock);

        if (holder)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "%s has Foreach=: locks are held by its instances, as by %s; name one of them, or "
                                   "the run alone for all.",
                                   who, holder);
        return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                           "%s has Foreach=, and none of its instances holds %s%s%s; 'flow locks' says who holds what.",
                           who, lock ? "the lock '" : "a lock", lock ?: "", lock ? "'" : "");
}

/* @node: RUN_NODE_NONE if the run was named. */
static int refuse(const ManagerRuns *runs, const ManagerRun *run, uint32_t node, const char *lock,
                  Failure *ret_failure) {
        const bool is_node = node != RUN_NODE_NONE;
        cleanup_free_ char *held = NULL, *who = NULL;
        int r = is_node ? text_format(&who, "Node %s of run %" PRIu32, run_graph_name(manager_run_graph(run), node),
                                      manager_run_id(run))
                        : text_format(&who, "Run %" PRIu32, manager_run_id(run));

        if (r == 0)
                r = list_held(runs, manager_run_id(run), node, lock, &held);
        if (r < 0)
                return failure_set(ret_failure, r, "NoMemory", "Out of memory.");
        if (held)
                return refuse_held(runs, run, node, who, held, ret_failure);
        if (is_node && run_graph_policy(manager_run_graph(run), node)->is_foreach)
                return refuse_foreach(runs, run, node, who, lock, ret_failure);
        if (!is_node)
                return failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                   "No node of run %" PRIu32 " holds %s%s%s while nothing of it runs; 'flow locks' "
                                   "says who holds what.",
                                   manager_run_id(run), lock ? "the lock '" : "a lock", lock ?: "", lock ? "'" : "");
        return lock ? failure_set(ret_failure, -EINVAL, "InvalidTransition",
                                  "%s does not hold the lock '%s'; 'flow locks' says who does.", who, lock)
                    : failure_set(ret_failure, -EINVAL, "InvalidTransition", "%s holds no lock.", who);
}

int manager_run_unlock(ManagerRuns *runs, ManagerRun *run, const ManagerRunCommand *command, Failure *ret_failure) {
        const uint32_t n = run_graph_count(manager_run_graph(run));
        bool has_any = false;
        uint32_t node;
        int r = manager_run_find_node(run, command->node, &node, ret_failure);

        if (r < 0)
                return r;
        for (uint32_t i = command->node ? node : 0; i < (command->node ? node + 1 : n) && r >= 0; i++) {
                r = unlock_node(runs, run, i, command);
                has_any = has_any || r > 0;
        }
        if (r < 0)
                return r;
        if (!has_any)
                return refuse(runs, run, command->node ? node : RUN_NODE_NONE, command->lock, ret_failure);
        manager_run_note_work(runs);
        return 0;
}
