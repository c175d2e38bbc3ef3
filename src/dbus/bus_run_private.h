/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs on the bus, for the files of bus_run
 */

#include "basic/vector.h"
#include "dbus/broadcast/bus_broadcast.h"
#include "dbus/object/bus_call.h"
#include "dbus/object/bus_later.h"
#include "manager/manager_run.h"

/* — bus_run.c — */

/* Keeps the call, and gives the ticket of its answer. */
int bus_run_keep(BusCall *call, ManagerRunTicket *ret_ticket);
/* @r: whether the answer will come. */
int bus_run_end_asking(BusCall *call, int r);
/* Keeps the call until the store has answered. */
int bus_run_send_query(BusCall *call, const RunStoreQuery *query, uint32_t run);

/* — bus_run_property.c — */

extern const BusProperty bus_run_properties[];
/* A run by its row; everything is borrowed. */
void bus_run_view_values(const ManagerRunValues *values, char *const *environment, ManagerRunView *ret_view);
/* Writes an a{sv} with what may have changed, with the keys of its row in the store. */
void bus_run_put_view(const ManagerRunView *run, Sink *sink);

/* — bus_run_nodes.c — */

/* A node that nothing had happened to when the store was asked. */
typedef struct BusRunUntouched {
        char *name; /* owned */
        uint32_t generation;
        RunNodeState state;
        RunWhy why;
} BusRunUntouched;

/* A page of nodes: those without a row, which are merged with the rows of the store. */
typedef struct BusRunPage {
        BusLater later; /* the call that is answered with it */
        uint32_t limit; /* of nodes */
        VECTOR(BusRunUntouched) nodes; /* by their names */
        bool has_more; /* with later names */
} BusRunPage;

typedef struct BusRunPageOps {
        void (*put_row)(void *userdata, const ManagerRunValues *values, Sink *sink);
        void *userdata;
} BusRunPageOps;

/* For the answer to @query, whose limit is not 0. 0 or -ENOMEM. */
int bus_run_page_new(const ManagerRuns *runs, uint32_t run, const RunStoreQuery *query, BusRunPage **ret_page);
BusRunPage *bus_run_page_free(BusRunPage *page); /* accepts NULL, returns NULL */
DEFINE_CLEANUP(BusRunPage, bus_run_page_free)
/* Writes nodes with and without a row. Returns the name of the last one, or "" if it is the last one of all. */
const char *bus_run_page_put(const BusRunPage *page, const ManagerRunAnswer *answer, const BusRunPageOps *ops,
                             Sink *sink);

/* — bus_run_news.c — */

typedef struct BusRunNode {
        uint32_t run, node;
} BusRunNode;

/* The changes of this turn. */
typedef struct BusRunNews {
        BusBroadcast *broadcast; /* borrowed */
        const BusKind *kind; /* of runs */
        VECTOR(uint32_t) runs;
        VECTOR(BusRunNode) nodes;
        bool knows_watched, is_watched; /* whether a client watches any run; asked once in a turn */
} BusRunNews;

void bus_run_news_deinit(BusRunNews *news);
void bus_run_news_watch(BusRunNews *news); /* a client has begun or ended to watch a run */
void bus_run_news_note(BusRunNews *news, uint32_t run);
void bus_run_news_note_node(BusRunNews *news, uint32_t run, uint32_t node);
void bus_run_news_send(BusRunNews *news); /* at the end of a turn */
