/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors of a batch that are issued again
 */

#include <errno.h>
#include <stdlib.h>

#include "manager/manager_launch_cursor.h"
#include "manager/manager_launch_mend.h"
#include "manager/manager_run_private.h"

#define ROWS_AT_ONCE 128U /* also how many are issued again at a time, before more are read */
#define AGAIN_TIME (100 * USEC_PER_MSEC)

/* — the request — */

static void note_news(ManagerRuns *runs) {
        manager_run_note_work(runs);
        manager_turn_wake(runs->host.attempts.turn);
}

static int mark(const RunRange *range, ManagerMend *mend) {
        RunRangeCounts counts;

        run_range_count(range, &counts);
        if (counts.errors == 0)
                return -ENOENT;
        *mend = (ManagerMend) { 0, counts.next };
        return 0;
}

/* The launch that is there. Its record says it, too; but that does not outlive the boot. */
static int mark_launch(ManagerRuns *runs, ManagerRun *run, ManagerLaunch *launch) {
        int r = mark(launch->range, &launch->mend);

        if (r < 0)
                return r;
        /* An answer that is under way is about where it was. */
        launch->mend_query = 0;
        launch->has_changed = true;
        launch->changed_at = runs->now;
        return manager_launch_put_cursor(runs, run, launch);
}

/* The next launch. */
static int mark_cursor(ManagerRuns *runs, ManagerRun *run, bool is_over) {
        cleanup_(manager_launch_deinit) ManagerLaunch launch = {};
        int r;

        if (!run->facts.cursor)
                return -ENOENT;
        r = manager_launch_open_cursor(runs, run, &launch);
        if (r < 0)
                return r == -ENOMEM ? r : -EBADMSG;
        r = mark(launch.range, &launch.mend);
        if (r == 0 && is_over)
                r = run_engine_verb(runs->engine, run->id, RUN_VERB_RETRY, 0);
        return r < 0 ? r : manager_launch_put_cursor(runs, run, &launch);
}

int manager_launch_retry_errors(ManagerRuns *runs, ManagerRun *run) {
        RunAttemptKey key;
        ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run->id, &key);
        RunRow row;
        int r = run_engine_get_row(runs->engine, run->id, &row);

        if (r < 0 || row.state == RUN_STOPPING || row.state == RUN_CANCELLED)
                return -EINVAL;
        if (launch && launch->range && !launch->has_end)
                r = mark_launch(runs, run, launch);
        else if (launch && launch->saved)
                return -EAGAIN;
        else
                r = mark_cursor(runs, run, run_state_is_terminal(row.state));
        if (r == 0)
                note_news(runs);
        return r;
}

/* — rows — */

/* Those whose rows are not deleted yet. */
static int list_mended(ManagerLaunch *launch) {
        int r = 0;

        vector_clear(&launch->mended);
        for (size_t i = launch->errors.n_due; i < launch->errors.all.n && r >= 0; i++)
                if (launch->errors.all.items[i].is_mended)
                        r = vector_push(&launch->mended, launch->errors.all.items[i].item);
        return r;
}

void manager_launch_mend(ManagerRuns *runs, const ManagerRun *run, ManagerLaunch *launch) {
        RunStoreQuery query = {
                .table = RUNSTORE_ITEM_ERROR,
                .columns = UINT64_C(1) << ITEM_ERROR_RUN | UINT64_C(1) << ITEM_ERROR_ITEM |
                           UINT64_C(1) << ITEM_ERROR_TEXT,
                .limit = ROWS_AT_ONCE,
                .n_filters = 1,
                /* Rows that were put a moment ago count. */
                .is_behind = true,
        };
        const RunStoreValue of = { .type = RUNSTORE_INTEGER, .integer = (int64_t) run->id };
        RunRangeCounts counts;

        run_range_count(launch->range, &counts);
        if (!manager_mend_has_more(&launch->mend) || launch->mend_query > 0 || counts.seconds >= ROWS_AT_ONCE)
                return;
        /* The batch of the errors that are to be issued again comes first. */
        if (manager_launch_has_unput(runs, run->id))
                return;
        query.filters[0] = (RunStoreFilter) {
                .column = ITEM_ERROR_RUN, .compare = RUNSTORE_EQUAL, .value = of
        };
        if (launch->mend.next > 0) {
                query.n_cursor = 2;
                query.cursor[0] = of;
                query.cursor[1] = (RunStoreValue) { .type = RUNSTORE_INTEGER,
                                                    .integer = (int64_t) (launch->mend.next - 1) };
        }
        if (list_mended(launch) >= 0 && manager_run_link_query(runs->link, &query, &launch->mend_query) == 0)
                return;
        launch->mend_query = 0;
        runs->look_at = MIN(runs->look_at, usec_add(runs->now, AGAIN_TIME));
}

static bool was_mended(const ManagerLaunch *launch, uint64_t item) {
        for (size_t i = 0; i < launch->mended.n; i++)
                if (launch->mended.items[i] == item)
                        return true;
        return false;
}

/* The page of the item may be gone: the row has its text. */
static int retry(ManagerLaunch *launch, uint64_t item, const char *text) {
        int r = launch->pages ? manager_launch_keep_text(launch, item, text) : 0;

        if (r < 0)
                return r;
        r = run_range_retry(launch->range, item);
        if (r < 0 && launch->pages)
                manager_launch_drop_text(launch, item);
        return r;
}

/* An error that is issued again already is not issued twice. */
static void take_page(ManagerLaunch *launch, RunStorePage *page) {
        ManagerMend *mend = &launch->mend;
        ManagerRunValues values;

        while (manager_mend_has_more(mend) && manager_run_values_next(page, &values) > 0) {
                const uint64_t item = manager_run_values_number(&values, ITEM_ERROR_ITEM);

                if (item >= mend->end)
                        break;
                if (!was_mended(launch, item) &&
                    retry(launch, item, manager_run_values_text(&values, ITEM_ERROR_TEXT)) == -ENOMEM)
                        return;
                mend->next = item + 1;
        }
        if (!page->has_more)
                mend->next = mend->end;
}

static ManagerLaunch *find(ManagerRuns *runs, uint64_t query) {
        for (const ManagerFlow *flow = runs->flows; flow; flow = flow->next)
                for (const ManagerRun *run = flow->first; run; run = run->next) {
                        RunAttemptKey key;
                        ManagerLaunch *launch = manager_attempts_find_launch(runs->attempts, run->id, &key);

                        if (launch && launch->mend_query == query)
                                return launch;
                }
        return NULL;
}

void manager_launch_take_rows(ManagerRuns *runs, uint64_t query, RunStorePage *page) {
        ManagerLaunch *launch = find(runs, query);

        if (!launch)
                return;
        launch->mend_query = 0;
        /* The next launch reads them again. */
        if (!launch->has_end) {
                take_page(launch, page);
                launch->has_changed = true;
                launch->changed_at = runs->now;
        }
        runs->has_work = runs->host.attempts.turn->has_news = true;
}

bool manager_launch_take_refusal(ManagerRuns *runs, uint64_t query) {
        ManagerLaunch *launch = find(runs, query);

        if (!launch)
                return false;
        launch->mend_query = 0;
        runs->look_at = MIN(runs->look_at, usec_add(runs->now, AGAIN_TIME));
        return true;
}
