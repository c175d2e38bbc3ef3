/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Retention: runs that have ended are removed from the store
 *
 * KeepRuns= and KeepFor= of the flow are looked at after the end of one of its
 * runs: a query lists those that have ended, the latest first, and what is
 * behind the last one to be kept is deleted.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_run_folder.h"
#include "manager/manager_run_private.h"

#define KEEP_SUCCEEDED USEC_PER_DAY
#define KEEP_OTHERS (7 * USEC_PER_DAY)

/* A flow whose runs are looked at. */
struct ManagerRetention {
        struct ManagerRetention *next;
        char *unit; /* owned */
        uint64_t query; /* under way; 0: none */
        uint32_t keep_runs, n_seen;
        usec_t keep_for; /* 0: by the state of the run */
        uint64_t cursor; /* number of the last run that was seen; 0: none */
};

static void free_first(ManagerRuns *runs) {
        ManagerRetention *retention = runs->retentions;

        runs->retentions = retention->next;
        free(retention->unit);
        free(retention);
}

void manager_run_drop_retentions(ManagerRuns *runs) {
        while (runs->retentions)
                free_first(runs);
}

/* Without memory the runs are looked at when the next one has ended. */
void manager_run_retain(ManagerRuns *runs, const ManagerRun *run) {
        const FlowSettings *settings = flow_definition_settings(run->definition);
        ManagerRetention **last = &runs->retentions, *retention;

        for (; *last; last = &(*last)->next)
                if (strcmp((*last)->unit, run->facts.unit) == 0 && (*last)->query == 0)
                        return;
        retention = calloc(1, sizeof(*retention));
        if (retention)
                retention->unit = strdup(run->facts.unit);
        if (!retention || !retention->unit) {
                free(retention);
                return;
        }
        retention->keep_runs = settings->keep_runs;
        retention->keep_for = settings->has_keep_for ? settings->keep_for : 0;
        *last = retention;
}

static void ask(ManagerRuns *runs, ManagerRetention *retention) {
        RunStoreQuery query = {
                .table = RUNSTORE_RUN,
                .columns = UINT64_C(1) << RUN_ROW_ID | UINT64_C(1) << RUN_ROW_STATE |
                           UINT64_C(1) << RUN_ROW_ENDED | UINT64_C(1) << RUN_ROW_PARENT,
                .is_descending = true,
                .n_filters = 1,
        };

        query.filters[0] = (RunStoreFilter) {
                .column = RUN_ROW_UNIT,
                .compare = RUNSTORE_EQUAL,
                .value = { .type = RUNSTORE_TEXT, .bytes = retention->unit, .n = strlen(retention->unit) },
        };
        if (retention->cursor > 0) {
                query.n_cursor = 1;
                query.cursor[0] = (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = (int64_t) retention->cursor };
        }
        if (manager_run_link_query(runs->link, &query, &retention->query) < 0)
                retention->query = 0;
}

void manager_run_retain_step(ManagerRuns *runs) {
        if (runs->retentions && runs->retentions->query == 0)
                ask(runs, runs->retentions);
}

static bool is_kept(const ManagerRuns *runs, ManagerRetention *retention, const ManagerRunValues *values) {
        const int state = run_state_from_string(manager_run_values_text(values, RUN_ROW_STATE));
        const usec_t now = runs->host.attempts.turn->now_realtime;
        usec_t keep_for = retention->keep_for;

        if (state < 0 || !run_state_is_terminal((RunState) state))
                return true;
        /* The run that it is a part of may still look how it has ended. */
        if (manager_run_find(runs, (uint32_t) manager_run_values_number(values, RUN_ROW_PARENT)))
                return true;
        if (keep_for == 0)
                keep_for = state == RUN_SUCCEEDED ? KEEP_SUCCEEDED : KEEP_OTHERS;
        return ++retention->n_seen <= retention->keep_runs &&
               usec_add(manager_run_values_number(values, RUN_ROW_ENDED), keep_for) > now;
}

/* A person has made it go on meanwhile, or will have when it is loaded. */
static bool is_wanted(const ManagerRuns *runs, uint32_t id) {
        if (manager_run_find(runs, id))
                return true;
        for (const ManagerPending *pending = runs->pending; pending; pending = pending->next)
                if (pending->id == id)
                        return true;
        return false;
}

static void drop(ManagerRuns *runs, uint32_t id) {
        RecordWriter *writer = is_wanted(runs, id) ? NULL : manager_run_writer(runs);

        if (!writer)
                return;
        /* The folder first: if core dies in between, the run is looked at again. */
        manager_run_folder_remove(runs->run_folders, id);
        manager_run_row_delete(writer, id);
        manager_run_outbox_forget(runs, id);
}

bool manager_run_retain_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        ManagerRetention *retention = runs->retentions;
        ManagerRunValues values;

        if (!retention || retention->query != query)
                return false;
        retention->query = 0;
        while (manager_run_values_next(page, &values) > 0) {
                retention->cursor = manager_run_values_number(&values, RUN_ROW_ID);
                if (!is_kept(runs, retention, &values))
                        drop(runs, (uint32_t) retention->cursor);
        }
        if (!page->has_more)
                free_first(runs);
        runs->host.attempts.turn->has_news = true;
        return true;
}

bool manager_run_retain_refused(ManagerRuns *runs, uint64_t query) {
        if (!runs->retentions || runs->retentions->query != query)
                return false;
        free_first(runs);
        return true;
}
