/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Retention: runs that have ended are removed from the store
 *
 * A look is a walk over the rows of runs, the latest first: KeepRuns= and
 * KeepFor= of each flow say which of its runs go. All flows are looked at when
 * core begins and each hour, since one that is run no more has no other
 * occasion; a single one after the end of its runs. A flow that keeps many and
 * ends many is looked at once for several ends, so that the rows that are read
 * are not as many as the square of those ends.
 *
 * A run of a stream may have millions of elements. These are deleted some at a
 * time, before the run is; the look goes on after that.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manager/manager_run_command.h"
#include "manager/manager_run_folder.h"
#include "manager/manager_run_host.h"
#include "manager/manager_run_private.h"
#include "manager/manager_run_retain.h"
#include "manager/manager_run_table.h"

#define KEEP_SUCCEEDED USEC_PER_DAY
#define KEEP_OTHERS (7 * USEC_PER_DAY)
#define LOOK_EVERY USEC_PER_HOUR
/* A look takes so many runs at once, and deletes them in one batch, which others wait for. */
#define ROWS_AT_ONCE 64U
/* So long after the boot the wall clock may be wrong, and with it all ages. */
#define CLOCK_PATIENCE (90 * USEC_PER_SEC)
/* Ends of a flow have a look in common, for so long and until they are such a part of what it keeps. */
#define GATHER_FOR (5 * USEC_PER_SEC)
#define GATHER_SHARE 16U

/* Rows of a stream that are deleted at once. */
#define SLICE 200U

/* The limits of one flow, and how many of its runs the look has seen. */
typedef struct Keep {
        char *unit; /* owned */
        uint32_t keep_runs, n_seen;
        usec_t keep_for; /* 0: by the state of the run */
} Keep;

/* A look. */
struct ManagerRetention {
        struct ManagerRetention *next;
        usec_t due;
        uint32_t n_ends; /* since it waits */
        bool is_of_all;
        VECTOR(Keep) keeps; /* of the flow alone, or of those that were seen so far, the last one first */
        uint64_t query; /* under way; 0: none */
        bool has_begun, is_over;
        uint64_t cursor; /* number of the last run that was seen; 0: none */
        VECTOR(uint32_t) drops; /* runs that are not kept */

        VECTOR(uint32_t) streams; /* runs of streams that are not kept: the last one is taken apart … */
        size_t table; /* … in that table of slices[] */
        uint64_t slice_query; /* under way; 0: none */
        bool has_slice, is_last_slice; /* rows that are to be deleted; and no more of the table are */
        VECTOR(uint64_t) sequences; /* of elements */
        VECTOR(char *) names; /* owned: of groups, or keys */
};

static const struct {
        RunStoreTable table;
        unsigned run, row; /* columns: its key */
} slices[] = {
        { RUNSTORE_STREAM_KEY, STREAM_KEY_RUN, STREAM_KEY_KEY },
        { RUNSTORE_STREAM_GROUP, STREAM_GROUP_RUN, STREAM_GROUP_NAME },
        { RUNSTORE_ELEMENT, ELEMENT_RUN, ELEMENT_SEQUENCE },
};

static void clear_slice(ManagerRetention *retention) {
        for (size_t i = 0; i < retention->names.n; i++)
                free(retention->names.items[i]);
        vector_clear(&retention->names);
        vector_clear(&retention->sequences);
        retention->has_slice = false;
}

static void free_retention(ManagerRetention *retention) {
        for (size_t i = 0; i < retention->keeps.n; i++)
                free(retention->keeps.items[i].unit);
        vector_deinit(&retention->keeps);
        vector_deinit(&retention->drops);
        clear_slice(retention);
        vector_deinit(&retention->streams);
        vector_deinit(&retention->sequences);
        vector_deinit(&retention->names);
        free(retention);
}

static void free_first(ManagerRuns *runs) {
        ManagerRetention *retention = runs->retentions;

        runs->retentions = retention->next;
        free_retention(retention);
}

void manager_run_drop_retentions(ManagerRuns *runs) {
        while (runs->retentions)
                free_first(runs);
}

static int add_keep(ManagerRetention *retention, const char *unit, const FlowSettings *settings, size_t *ret_place) {
        Keep keep = {
                .unit = strdup(unit),
                .keep_runs = settings->keep_runs,
                .keep_for = settings->has_keep_for ? settings->keep_for : 0,
        };
        int r = keep.unit ? vector_push(&retention->keeps, keep) : -ENOMEM;

        if (r < 0)
                free(keep.unit);
        else
                *ret_place = retention->keeps.n - 1;
        return r;
}

static ManagerRetention *add_retention(ManagerRuns *runs, usec_t due) {
        ManagerRetention **last = &runs->retentions, *retention = calloc(1, sizeof(*retention));

        while (*last)
                last = &(*last)->next;
        if (!retention)
                return NULL;
        retention->due = due;
        return *last = retention;
}

/* — occasions — */

/* Without memory the runs are looked at when the next one has ended. */
void manager_run_retain(ManagerRuns *runs, const ManagerRun *run) {
        const FlowSettings *settings = flow_definition_settings(run->definition);
        const uint32_t share = settings->keep_runs / GATHER_SHARE;
        ManagerRetention *retention = runs->retentions;
        size_t place;

        while (retention && (retention->is_of_all || retention->has_begun ||
                             strcmp(retention->keeps.items[0].unit, run->facts.unit) != 0))
                retention = retention->next;
        if (!retention) {
                retention = add_retention(runs, share > 0 ? usec_add(runs->now, GATHER_FOR) : 0);
                if (!retention || add_keep(retention, run->facts.unit, settings, &place) < 0) {
                        if (retention)
                                retention->is_of_all = true; /* it needs no memory before it begins */
                        return;
                }
        }
        if (++retention->n_ends >= share)
                retention->due = 0;
}

void manager_run_retain_all(ManagerRuns *runs) {
        runs->retain_at = MAX(runs->now, MANAGER_RUN_BOOT + CLOCK_PATIENCE);
}

usec_t manager_run_retain_next(const ManagerRuns *runs) {
        usec_t next = runs->retain_at;

        /* One that has begun goes on with the rows that the store sends; others come after it. */
        if (runs->retentions && runs->retentions->has_begun)
                return next;
        for (const ManagerRetention *retention = runs->retentions; retention; retention = retention->next)
                next = MIN(next, retention->due);
        return MAX(next, runs->now + 1);
}

/* — the walk — */

static void ask(ManagerRuns *runs, ManagerRetention *retention) {
        RunStoreQuery query = {
                .table = RUNSTORE_RUN,
                .columns = UINT64_C(1) << RUN_ROW_ID | UINT64_C(1) << RUN_ROW_UNIT | UINT64_C(1) << RUN_ROW_STATE |
                           UINT64_C(1) << RUN_ROW_ENDED | UINT64_C(1) << RUN_ROW_PARENT,
                .is_descending = true,
                .limit = ROWS_AT_ONCE,
                .n_filters = retention->is_of_all ? 0 : 1,
        };

        if (!retention->is_of_all)
                query.filters[0] = (RunStoreFilter) {
                        .column = RUN_ROW_UNIT,
                        .compare = RUNSTORE_EQUAL,
                        .value = { .type = RUNSTORE_TEXT,
                                   .bytes = retention->keeps.items[0].unit,
                                   .n = strlen(retention->keeps.items[0].unit) },
                };
        if (retention->cursor > 0) {
                query.n_cursor = 1;
                query.cursor[0] = (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = (int64_t) retention->cursor };
        }
        if (manager_run_link_query(runs->link, &query, &retention->query) < 0)
                retention->query = 0;
}

/* Behind the batch with the deletes of the slice before. */
static void ask_for_slice(ManagerRuns *runs, ManagerRetention *retention) {
        RunStoreQuery query = {
                .table = slices[retention->table].table,
                .columns = UINT64_C(1) << slices[retention->table].row,
                .limit = SLICE,
                .is_behind = true,
                .n_filters = 1,
                .filters[0] = {
                        .column = slices[retention->table].run,
                        .compare = RUNSTORE_EQUAL,
                        .value = { .type = RUNSTORE_INTEGER, .integer = vector_last(&retention->streams) },
                },
        };

        if (manager_run_link_query(runs->link, &query, &retention->slice_query) < 0)
                retention->slice_query = 0;
}

/* The first look that is due goes to the front, where it stays until its end. */
static void choose(ManagerRuns *runs) {
        ManagerRetention **at = &runs->retentions, *retention;

        while (*at && (*at)->due > runs->now)
                at = &(*at)->next;
        retention = *at;
        if (!retention)
                return;
        *at = retention->next;
        retention->next = runs->retentions;
        runs->retentions = retention;
        retention->has_begun = true;
}

void manager_run_retain_step(ManagerRuns *runs) {
        ManagerRetention *all;

        if (runs->retain_at <= runs->now) {
                runs->retain_at = usec_add(runs->now, LOOK_EVERY);
                all = add_retention(runs, 0);
                if (all)
                        all->is_of_all = true;
        }
        if (runs->retentions && !runs->retentions->has_begun)
                choose(runs);
        /* Rows of deleted runs leave the outbox before a look at all runs takes more of them. */
        if (runs->retentions && runs->retentions->streams.n > 0) {
                if (runs->retentions->slice_query == 0 && !runs->retentions->has_slice)
                        ask_for_slice(runs, runs->retentions);
                return;
        }
        if (runs->retentions && runs->retentions->has_begun && runs->retentions->query == 0 &&
            !(runs->retentions->is_of_all && manager_run_outbox_count_gone(runs) >= ROWS_AT_ONCE))
                ask(runs, runs->retentions);
}

/* A flow that is there and cannot be read keeps all its runs until it can, because its limits are not known. */
static int add_unknown(ManagerRetention *retention, const char *name, bool is_gone, size_t *ret_place) {
        FlowSettings *settings = NULL;
        int r = flow_settings_new(&settings);

        if (r == 0 && !is_gone) {
                settings->keep_runs = UINT32_MAX;
                settings->has_keep_for = true;
                settings->keep_for = USEC_INFINITY;
        }
        if (r == 0)
                r = add_keep(retention, name, settings, ret_place);
        flow_settings_free(settings);
        return r;
}

/* The limits of the flow; NULL without memory. A flow whose file is gone has the defaults. */
static Keep *find_keep(ManagerRuns *runs, ManagerRetention *retention, const char *name) {
        Keep *keeps = retention->keeps.items, found;
        Unit *unit = NULL;
        size_t place = 0;
        int r;

        while (place < retention->keeps.n && strcmp(keeps[place].unit, name) != 0)
                place++;
        if (place == retention->keeps.n) {
                r = unit_table_load(runs->host.units, name, &unit);
                if (r == 0 && unit_type_has_runs(unit->type) && unit->load_state == UNIT_LOADED)
                        r = add_keep(retention, name, unit->type_settings, &place);
                else if (r != -ENOMEM)
                        r = add_unknown(retention, name,
                                        r == -EINVAL || (r == 0 && unit->load_state == UNIT_NOT_FOUND), &place);
                if (r < 0)
                        return NULL;
                keeps = retention->keeps.items;
        }
        found = keeps[place];
        memmove(keeps + 1, keeps, place * sizeof(*keeps));
        keeps[0] = found;
        return keeps;
}

/* The run lives, or will do when it is loaded, for a person has asked for that. */
static bool is_wanted(const ManagerRuns *runs, uint32_t id) {
        return manager_run_find(runs, id) || manager_run_is_pending(runs, id);
}

/* Of a run that is known to live, or that may live though it could not be loaded. */
static bool is_part(const ManagerRuns *runs, uint32_t parent) {
        if (parent == 0)
                return false;
        for (size_t i = 0; i < runs->left_out.n; i++)
                if (runs->left_out.items[i] == parent)
                        return true;
        return runs->has_lost_count || is_wanted(runs, parent);
}

static bool is_kept(ManagerRuns *runs, ManagerRetention *retention, const ManagerRunValues *values) {
        const int state = run_state_from_string(manager_run_values_text(values, RUN_ROW_STATE));
        const usec_t now = runs->host.attempts.turn->now_realtime;
        usec_t keep_for;
        Keep *keep;

        if (state < 0 || !run_state_is_terminal((RunState) state))
                return true;
        /* The run that it is a part of may still look how it has ended. */
        if (is_part(runs, (uint32_t) manager_run_values_number(values, RUN_ROW_PARENT)))
                return true;
        keep = find_keep(runs, retention, manager_run_values_text(values, RUN_ROW_UNIT));
        if (!keep)
                return true;
        keep_for = keep->keep_for;
        if (keep_for == 0)
                keep_for = state == RUN_SUCCEEDED ? KEEP_SUCCEEDED : KEEP_OTHERS;
        return ++keep->n_seen <= keep->keep_runs &&
               usec_add(manager_run_values_number(values, RUN_ROW_ENDED), keep_for) > now;
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

/* The rows of the slice, and when they were the last of the run, the run. */
static void drop_slice(ManagerRuns *runs, ManagerRetention *retention) {
        const uint32_t run = vector_last(&retention->streams);
        RecordWriter *writer = is_wanted(runs, run) ? NULL : manager_run_writer(runs);

        for (size_t i = 0; writer && i < retention->sequences.n; i++)
                manager_run_row_delete_one(writer, slices[retention->table].table, run, retention->sequences.items[i],
                                           NULL);
        for (size_t i = 0; writer && i < retention->names.n; i++)
                manager_run_row_delete_one(writer, slices[retention->table].table, run, 0, retention->names.items[i]);
        clear_slice(retention);
        /* Rows that could not be deleted are found by the next look. */
        if (writer && (!retention->is_last_slice || ++retention->table < ELEMENTSOF(slices)))
                return;
        (void) vector_pop(&retention->streams);
        retention->table = 0;
        if (writer)
                drop(runs, run);
}

/*
 * In the turn that sends the batch: no question that comes later is asked of the store before that, so nobody loads a
 * run that is about to be deleted.
 */
void manager_run_retain_drop(ManagerRuns *runs) {
        ManagerRetention *retention = runs->retentions;

        if (!retention)
                return;
        for (size_t i = 0; i < retention->drops.n; i++)
                drop(runs, retention->drops.items[i]);
        vector_clear(&retention->drops);
        if (retention->has_slice)
                drop_slice(runs, retention);
        if (retention->is_over && retention->streams.n == 0)
                free_first(runs);
}

static int take_slice_row(ManagerRetention *retention, const ManagerRunValues *values) {
        const unsigned column = slices[retention->table].row;
        char *name = NULL;
        int r;

        if (slices[retention->table].table == RUNSTORE_ELEMENT)
                return vector_push(&retention->sequences, manager_run_values_number(values, column));
        r = text_copy(manager_run_values_text(values, column), &name);
        if (r == 0)
                r = vector_push(&retention->names, name);
        if (r < 0)
                free(name);
        return r;
}

/* Rows for which memory is missing are in the next slice. */
static void take_slice(ManagerRetention *retention, RunStorePage *page) {
        ManagerRunValues values;

        retention->slice_query = 0;
        retention->is_last_slice = !page->has_more;
        while (manager_run_values_next(page, &values) > 0)
                if (take_slice_row(retention, &values) < 0)
                        retention->is_last_slice = false;
        retention->has_slice = true;
}

static int add_drop(ManagerRetention *retention, const ManagerRunValues *values) {
        const uint32_t run = (uint32_t) manager_run_values_number(values, RUN_ROW_ID);

        if (unit_name_type(manager_run_values_text(values, RUN_ROW_UNIT)) == UNIT_STREAM)
                return vector_push(&retention->streams, run);
        return vector_push(&retention->drops, run);
}

bool manager_run_retain_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        ManagerRetention *retention = runs->retentions;
        ManagerRunValues values;

        if (!retention || (retention->query != query && retention->slice_query != query))
                return false;
        if (retention->slice_query == query) {
                take_slice(retention, page);
                runs->host.attempts.turn->has_news = true;
                return true;
        }
        retention->query = 0;
        while (manager_run_values_next(page, &values) > 0) {
                retention->cursor = manager_run_values_number(&values, RUN_ROW_ID);
                /* Without memory it goes with the next look. */
                if (!is_kept(runs, retention, &values))
                        (void) add_drop(retention, &values);
        }
        retention->is_over = !page->has_more;
        runs->host.attempts.turn->has_news = true;
        return true;
}

bool manager_run_retain_refused(ManagerRuns *runs, uint64_t query) {
        if (!runs->retentions || (runs->retentions->query != query && runs->retentions->slice_query != query))
                return false;
        free_first(runs);
        return true;
}
