/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals about runs that have changed, and about their nodes
 *
 * A run changes with each end of a node, and has many nodes: that is told only
 * to clients that watch the run, and each run and node once a turn.
 */

#include <stdlib.h>

#include "basic/log.h"
#include "dbus/bus_run_private.h"

/* Of one signal; more follow in others. */
#define NODES_A_SIGNAL 500U

void bus_run_news_deinit(BusRunNews *news) {
        vector_deinit(&news->runs);
        vector_deinit(&news->nodes);
}

/* Clients would wait for that change for ever; after a lost connection they ask again. */
static void out_of_memory(BusRunNews *news) {
        log_error("Out of memory while noting a change of a run for D-Bus clients, disconnecting them.");
        bus_broadcast_drop_all(news->broadcast);
}

static bool watches_any(const BusRunNews *news) {
        bus_foreach_peer(news->broadcast->tree->peers, peer)
                bus_foreach_client(peer, client)
                        if (client->watches.n > 0)
                                return true;
        return false;
}

static bool is_watched(BusRunNews *news) {
        if (!news->knows_watched) {
                news->knows_watched = true;
                news->is_watched = watches_any(news);
        }
        return news->is_watched;
}

void bus_run_news_watch(BusRunNews *news) {
        news->knows_watched = false;
}

void bus_run_news_note(BusRunNews *news, uint32_t run) {
        if (news->runs.n > 0 && vector_last(&news->runs) == run)
                return;
        if (is_watched(news) && vector_push(&news->runs, run) < 0)
                out_of_memory(news);
}

void bus_run_news_note_node(BusRunNews *news, uint32_t run, uint32_t node) {
        if (is_watched(news) && vector_push(&news->nodes, ((BusRunNode) { run, node })) < 0)
                out_of_memory(news);
}

/* — sending — */

static void send_to_watchers(BusRunNews *news, uint32_t run, const char *member, BusSignalWrite write,
                             const void *data) {
        const BusObject object = { .kind = news->kind, .id = run };

        bus_foreach_peer(news->broadcast->tree->peers, peer)
                bus_foreach_client(peer, client)
                        if (bus_client_watches(client, run))
                                bus_broadcast_to_client(news->broadcast, client, &object, "Run", member, write, data);
}

static void write_run(const BusView *view, const void *data, Sink *sink) {
        const ManagerRunView *run = data;

        sink_u64(sink, run->id);
        bus_run_put_view(run, sink);
}

static void send_runs(BusRunNews *news) {
        const ManagerRuns *runs = manager_runs(news->broadcast->tree->manager);

        u32_sort(news->runs.items, news->runs.n);
        for (size_t i = 0; i < news->runs.n; i++) {
                ManagerRunView run;

                if ((i > 0 && news->runs.items[i] == news->runs.items[i - 1]) ||
                    manager_runs_view(runs, news->runs.items[i], &run) < 0)
                        continue;
                send_to_watchers(news, news->runs.items[i], "RunChanged", write_run, &run);
        }
}

typedef struct BusRunNodes {
        const BusRunNode *items;
        size_t n; /* one at least */
} BusRunNodes;

static void write_nodes(const BusView *view, const void *data, Sink *sink) {
        const BusRunNodes *nodes = data;

        sink_u64(sink, nodes->items[0].run);
        sink_open(sink, 'a', "a{sv}");
        for (size_t i = 0; i < nodes->n; i++)
                if (i == 0 || nodes->items[i].node != nodes->items[i - 1].node)
                        (void) manager_runs_write_node(manager_runs(view->tree->manager), nodes->items[i].run,
                                                       nodes->items[i].node, sink);
        sink_close(sink);
}

static int compare_nodes(const void *a, const void *b) {
        const BusRunNode *first = a, *second = b;

        if (first->run != second->run)
                return first->run < second->run ? -1 : 1;
        return first->node < second->node ? -1 : first->node > second->node;
}

static void send_nodes(BusRunNews *news) {
        if (news->nodes.n > 1)
                qsort(news->nodes.items, news->nodes.n, sizeof(BusRunNode), compare_nodes);
        for (size_t i = 0, n; i < news->nodes.n; i += n) {
                for (n = 1; i + n < news->nodes.n && n < NODES_A_SIGNAL &&
                            news->nodes.items[i + n].run == news->nodes.items[i].run;)
                        n++;
                send_to_watchers(news, news->nodes.items[i].run, "NodesChanged", write_nodes,
                                 &(BusRunNodes) { &news->nodes.items[i], n });
        }
}

void bus_run_news_send(BusRunNews *news) {
        news->knows_watched = false;
        send_nodes(news);
        send_runs(news);
        vector_clear(&news->nodes);
        vector_clear(&news->runs);
}
