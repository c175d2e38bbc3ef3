/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Runs on the bus, for the files of bus_run
 */

#include "basic/vector.h"
#include "dbus/broadcast/bus_broadcast.h"
#include "manager/manager_run.h"

/* — bus_run_property.c — */

extern const BusProperty bus_run_properties[];
/* A run by its row; everything is borrowed. */
void bus_run_view_values(const ManagerRunValues *values, char *const *environment, ManagerRunView *ret_view);
/* Writes an a{sv} with what may have changed, with the keys of its row in the store. */
void bus_run_put_view(const ManagerRunView *run, Sink *sink);

/* — bus_run_untouched.c — */

/*
 * Writes nodes of a run that nothing has happened to, as the filters of @query say (NULL: all), from number *@from on,
 * and at most @limit. Returns how many these are; *@from is where to go on, or RUN_NODE_NONE. Without a sink they are
 * counted.
 */
uint32_t bus_run_put_untouched(const ManagerRuns *runs, uint32_t run, const RunStoreQuery *query, uint32_t *from,
                               uint32_t limit, Sink *sink);

/* — bus_run_news.c — */

typedef struct BusRunNode {
        uint32_t run, node;
} BusRunNode;

/* The changes of this turn. */
typedef struct BusRunNews {
        BusBroadcast *broadcast; /* borrowed */
        const BusKind *kind; /* of runs */
        VECTOR(uint32_t) runs;
        VECTOR(BusRunNode) nodes; /* of runs that a client watches */
        bool knows_watched, is_watched; /* whether any run is; asked once in a turn */
} BusRunNews;

void bus_run_news_deinit(BusRunNews *news);
void bus_run_news_note(BusRunNews *news, uint32_t run);
void bus_run_news_note_node(BusRunNews *news, uint32_t run, uint32_t node);
void bus_run_news_send(BusRunNews *news); /* at the end of a turn */
