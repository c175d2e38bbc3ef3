/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State that outlives the process: writing it
 *
 * A log. Each commit appends the records that were marked, as they are now, and
 * says of those that are gone that they are empty; a row holds as many as were
 * changed. So a commit costs what has changed, wherever that lies, and however
 * much there is.
 *
 * Which numbers have a record in the log is known, a bit for each: what came and
 * went between two commits leaves nothing behind.
 *
 * What is old is left behind by a sweep: once much more has been logged than
 * there is, each commit writes some records along that were not marked, by
 * number. When the sweep has seen all, whatever is needed stands in rows since
 * its beginning, and those before are dropped, a few with each commit. No commit
 * takes longer for it than another.
 */

#include <errno.h>

#include "basic/macro.h"
#include "store/store_private.h"

/* A row is ended when it has that many bytes: what is dropped and read at once stays small. */
#define ROW_SIZE 65536U

/* Rows that are dropped with a commit. */
#define DROPPED_MAX 32

/* A sweep begins when there are that many records more than this multiple of those that say something. */
#define SWEEP_MIN 2048U
#define SWEEP_FACTOR 4U

/* What it looks at in a commit that writes none, and how many more for each that was. */
#define SWEEP_STEP 8U
#define SWEEP_STEP_FACTOR 2U

/* — marks — */

void store_mark(Store *store, StoreSpace space, uint32_t number) {
        StoreMarks *marks = &store->marks[space];
        int r = number_set_add(&marks->set, number);

        if (r > 0)
                r = vector_push(&marks->numbers, number);
        if (r < 0)
                store->all_is_marked = true;
}

void store_mark_all(Store *store) {
        store->all_is_marked = true;
}

bool store_is_dirty(const Store *store) {
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++)
                if (store->marks[i].numbers.n > 0)
                        return true;
        return store->all_is_marked;
}

static void forget_marks(Store *store) {
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++) {
                StoreMarks *marks = &store->marks[i];

                if (store->all_is_marked)
                        number_set_deinit(&marks->set);         /* there may be numbers in it that are not in the list */
                for (size_t k = 0; k < marks->numbers.n && !store->all_is_marked; k++)
                        number_set_remove(&marks->set, marks->numbers.items[k]);
                vector_clear(&marks->numbers);
        }
        store->all_is_marked = false;
}

/* — what has a record — */

static uint64_t count_live(const Store *store) {
        uint64_t n = 0;

        for (size_t i = 0; i < _STORE_SPACE_MAX; i++)
                n += store->live[i].n;
        return n;
}

static void forget_live(Store *store) {
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++)
                number_set_deinit(&store->live[i]);
}

/* What is gone has no record only when the commit that says so is through. */
static void forget_gone(Store *store, bool is_committed) {
        for (size_t i = 0; i < store->gone.n && is_committed; i++)
                number_set_remove(&store->live[store->gone.items[i].space], store->gone.items[i].number);
        vector_clear(&store->gone);
}

/* — rows — */

/* What a commit does to the store's own counters, which hold when it is through. */
typedef struct Progress {
        int64_t next_row, lowest_row, needed_row;
        uint64_t n_logged;
        StoreSweep sweep;
} Progress;

static int end_row(Store *store, Progress *progress) {
        sqlite3_stmt *statement = store->statements[STATEMENT_PUT];
        int r;

        if (store->row.n == 0)
                return 0;
        sqlite3_bind_int64(statement, 1, progress->next_row++);
        sqlite3_bind_blob64(statement, 2, store->row.bytes, store->row.n, SQLITE_STATIC);
        r = store_run(store, STATEMENT_PUT);
        sqlite3_clear_bindings(statement);
        record_writer_clear(&store->row);
        return r;
}

/* The record as the owner has it now; that it is gone is told by @tells_gone, or by rows that are dropped. */
static int write_record(Store *store, Progress *progress, StoreSpace space, uint32_t number, bool tells_gone) {
        int r;

        record_writer_clear(&store->record);
        store->owner.save(store->owner.userdata, space, number, &store->record);
        if (store->record.has_failed)
                return -ENOMEM;
        if (store->record.n > 0) {
                r = number_set_add(&store->live[space], number);
        } else {
                if (!number_set_has(&store->live[space], number))
                        return 0;
                r = vector_push(&store->gone, ((StoreGone) { space, number }));
        }
        if (r < 0 || (store->record.n == 0 && !tells_gone))
                return r;
        record_put(&store->row, space);
        record_put(&store->row, number);
        record_put_bytes(&store->row, store->record.bytes, store->record.n);
        progress->n_logged++;
        if (store->row.has_failed)
                return -ENOMEM;
        return store->row.n < ROW_SIZE ? 0 : end_row(store, progress);
}

static int write_marked(Store *store, Progress *progress) {
        int r = 0;

        for (StoreSpace space = 0; space < _STORE_SPACE_MAX; space++)
                for (size_t i = 0; i < store->marks[space].numbers.n && r == 0; i++)
                        r = write_record(store, progress, space, store->marks[space].numbers.items[i], true);
        return r;
}

static int drop_rows(Store *store, Progress *progress, int64_t behind) {
        sqlite3_stmt *statement = store->statements[STATEMENT_DROP];

        progress->lowest_row = behind;
        sqlite3_bind_int64(statement, 1, behind);
        return store_run(store, STATEMENT_DROP);
}

/* — everything — */

static void begin_sweep(Progress *progress) {
        progress->sweep = (StoreSweep) { .is_on = true, .first_row = progress->next_row, .n_logged = progress->n_logged };
}

static void end_sweep(Progress *progress) {
        progress->needed_row = progress->sweep.first_row;
        progress->n_logged -= progress->sweep.n_logged;
        progress->sweep = (StoreSweep) {};
}

/* Up to @n records from where it is; it ends when there are no more. */
static int go_on_with_sweep(Store *store, Progress *progress, uint64_t n) {
        StoreSweep *sweep = &progress->sweep;
        int r = 0;

        while (n > 0 && r == 0 && sweep->space < _STORE_SPACE_MAX) {
                if (number_set_next(&store->live[sweep->space], sweep->number, &sweep->number)) {
                        r = write_record(store, progress, sweep->space, sweep->number, false);
                        n--;
                } else {
                        sweep->number = UINT32_MAX;
                }
                if (sweep->number == UINT32_MAX) {
                        sweep->space++;
                        sweep->number = 0;
                } else {
                        sweep->number++;
                }
        }
        if (r == 0 && sweep->space == _STORE_SPACE_MAX)
                end_sweep(progress);
        return r;
}

static int write_space(Store *store, Progress *progress, StoreSpace space) {
        for (uint32_t number = 0;; number++) {
                int r = store->owner.next(store->owner.userdata, space, number, &number);

                if (r > 0)
                        r = write_record(store, progress, space, number, false);
                else
                        return r;
                if (r < 0 || number == UINT32_MAX)
                        return r;
        }
}

/* What the rows say so far is forgotten with them: they are dropped in the same commit. */
static int write_everything(Store *store, Progress *progress) {
        int r = 0;

        forget_live(store);
        begin_sweep(progress);
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX && r == 0; space++)
                r = write_space(store, progress, space);
        if (r == 0)
                end_sweep(progress);
        return r;
}

/* What was marked, and what it takes to leave what is old behind. */
static int write_changes(Store *store, Progress *progress) {
        uint64_t before = progress->n_logged;
        int r;

        if (!progress->sweep.is_on && progress->lowest_row == progress->needed_row &&
            progress->n_logged > SWEEP_MIN + SWEEP_FACTOR * count_live(store))
                begin_sweep(progress);
        r = write_marked(store, progress);
        if (r == 0 && progress->sweep.is_on)
                r = go_on_with_sweep(store, progress, SWEEP_STEP + SWEEP_STEP_FACTOR * (progress->n_logged - before));
        return r;
}

/* — committing — */

static Progress progress_of(const Store *store) {
        return (Progress) {
                .next_row = store->next_row,
                .lowest_row = store->lowest_row,
                .needed_row = store->needed_row,
                .n_logged = store->n_logged,
                .sweep = store->sweep,
        };
}

static void take_over(Store *store, const Progress *progress) {
        store->next_row = progress->next_row;
        store->lowest_row = progress->lowest_row;
        store->needed_row = progress->needed_row;
        store->n_logged = progress->n_logged;
        store->sweep = progress->sweep;
}

static int write_rows(Store *store, Progress *progress) {
        int r;

        record_writer_clear(&store->row);
        r = store->all_is_marked ? write_everything(store, progress) : write_changes(store, progress);
        if (r == 0)
                r = end_row(store, progress);
        if (r < 0 || progress->lowest_row == progress->needed_row)
                return r;
        if (store->all_is_marked)
                return drop_rows(store, progress, progress->needed_row);
        return drop_rows(store, progress, MIN(progress->lowest_row + DROPPED_MAX, progress->needed_row));
}

int store_commit(Store *store) {
        Progress progress = progress_of(store);
        int r;

        if (!store_is_dirty(store))
                return 0;
        r = store_run(store, STATEMENT_BEGIN);
        if (r < 0)
                return r;
        r = write_rows(store, &progress);
        if (r == 0)
                r = store_run(store, STATEMENT_COMMIT);
        if (r < 0) {
                store_run(store, STATEMENT_ROLLBACK);
                forget_gone(store, false);
                store->sweep = (StoreSweep) {};
                return r;
        }
        take_over(store, &progress);
        forget_gone(store, true);
        forget_marks(store);
        return 0;
}
