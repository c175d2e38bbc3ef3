/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The store: writing state that outlives the process
 *
 * The state is a log. Each commit appends the marked records with their
 * present content; the record of an object that is gone is empty. A row of the
 * database contains many records. So the cost of a commit depends on the
 * number of changed records, not on the size of the state or the place of the
 * changes.
 *
 * The store keeps a set of all numbers that have a record in the log, so an
 * object that comes and goes between two commits leaves no record.
 *
 * A sweep removes old rows: when the log has many more records than there are
 * objects, each commit also writes some unmarked records, in the order of
 * their numbers. When the sweep has passed all numbers, all current records
 * are in rows written since its start, and older rows are deleted, a few with
 * each commit. So the work is spread evenly over the commits.
 *
 * Marked records may be written ahead of their commit, while they are in the
 * processor's caches. They take effect with the commit, or not at all; a
 * record that changes again is written again.
 *
 * While the file cannot be written the log goes on in memory, in the spare,
 * which begins with all records. What the file then lacks is not recorded: it
 * gets all records, once it can be written.
 */

#include <errno.h>

#include "basic/macro.h"
#include "store/store_spare.h"

/* Size at which a row is complete, so that a row is read and deleted in a short time. */
#define ROW_SIZE 65536U

/* A record is announced to the owner, twice, this many records before it is written. */
#define SOON 20U
#define SOON_FOUND 10U

/* Rows deleted in one commit. */
#define DROPPED_MAX 32

/* A sweep begins when the log has this many records more than the multiple of the records in use. */
#define SWEEP_MIN 2048U
#define SWEEP_FACTOR 4U

/* SQLite's log is copied to the file within a commit at this multiple of its usual size. */
#define LOG_PAGES_FACTOR 4U

/* Records that a sweep reads in a commit without changes, and the factor by which a changed record adds to them. */
#define SWEEP_STEP 8U
#define SWEEP_STEP_FACTOR 2U

/* — marks — */

/* Apart from store_mark(), which then needs no registers of its own. */
__attribute__((noinline)) static void add_mark(Store *store, StoreSpace space, uint32_t number) {
        StoreMarks *marks = &store->marks[space];
        int r = number_set_add(&marks->set, number);

        if (r > 0)
                r = vector_push(&marks->numbers, number);
        if (r < 0)
                store->all_is_marked = true;
}

/* Most calls are for what is marked: a unit is marked with each step of its job. */
void store_mark(Store *store, StoreSpace space, uint32_t number) {
        if (!number_set_has(&store->marks[space].set, number))
                add_mark(store, space, number);
}

void store_mark_all(Store *store) {
        store->all_is_marked = true;
}

bool store_is_dirty(const Store *store) {
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++)
                if (store->marks[i].numbers.n > 0)
                        return true;
        return store->all_is_marked || store->is_writing;
}

static void forget_marks(Store *store) {
        for (size_t i = 0; i < _STORE_SPACE_MAX; i++) {
                StoreMarks *marks = &store->marks[i];

                if (store->all_is_marked)
                        number_set_deinit(&marks->set);         /* some of its numbers may be missing in the list */
                for (size_t k = 0; k < marks->numbers.n && !store->all_is_marked; k++)
                        number_set_remove(&marks->set, marks->numbers.items[k]);
                vector_clear(&marks->numbers);
                vector_clear(&marks->ahead);
                marks->n_looked_at = 0;
        }
        store->all_is_marked = false;
}

/* Marks the records of a failed commit again. A number may be listed twice then, which costs one extra record. */
static void mark_again(Store *store) {
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX; space++) {
                StoreMarks *marks = &store->marks[space];

                for (size_t i = 0; i < marks->ahead.n; i++)
                        store_mark(store, space, marks->ahead.items[i]);
                vector_clear(&marks->ahead);
                marks->n_looked_at = 0;
        }
}

/* — numbers with a record — */

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

/* Removes the numbers of empty records from the set, after the commit that contains these records. */
static void forget_gone(Store *store, bool is_committed) {
        for (size_t i = 0; i < store->gone.n && is_committed; i++)
                number_set_remove(&store->live[store->gone.items[i].space], store->gone.items[i].number);
        vector_clear(&store->gone);
}

/* — rows — */

static int put_row(Store *store, StoreProgress *progress) {
        sqlite3_stmt *statement = store->statements[STATEMENT_PUT];
        int r;

        sqlite3_bind_int64(statement, 1, progress->next_row++);
        sqlite3_bind_blob64(statement, 2, store->row.bytes, store->row.n, SQLITE_STATIC);
        r = store_run(store, STATEMENT_PUT);
        sqlite3_clear_bindings(statement);
        return r;
}

/* @progress is the one of the commit to the file; a commit to the spare has none of it. */
static int end_row(Store *store, StoreProgress *progress) {
        int r;

        if (store->row.n == 0)
                return 0;
        if (progress == &store->progress)
                r = put_row(store, progress);
        else
                r = store_spare_put(store, store->row.bytes, store->row.n);
        record_writer_clear(&store->row);
        return r;
}

/* The owner writes the record directly into the row. False, with nothing added, if there is no such record. */
static bool put_record(Store *store, StoreSpace space, uint32_t number) {
        RecordWriter *row = &store->row;
        size_t before = row->n, place;

        record_put(row, space);
        record_put(row, number);
        place = record_open(row);
        store->owner.save(store->owner.userdata, space, number, row);
        if (record_close(row, place) > 0 || row->has_failed)
                return true;
        record_cut(row, before);
        return false;
}

static void put_gone(Store *store, StoreSpace space, uint32_t number) {
        record_put(&store->row, space);
        record_put(&store->row, number);
        record_put_bytes(&store->row, NULL, 0);
}

static int note_written(Store *store, StoreProgress *progress) {
        progress->n_logged++;
        if (store->row.has_failed)
                return -ENOMEM;
        return store->row.n < ROW_SIZE ? 0 : end_row(store, progress);
}

/* Writes a record; an empty one, if it is gone and @tells_gone. Otherwise deleted rows make it disappear. */
static int write_record(Store *store, StoreProgress *progress, StoreSpace space, uint32_t number, bool tells_gone) {
        int r;

        if (put_record(store, space, number)) {
                r = number_set_add(&store->live[space], number);
                return r < 0 ? r : note_written(store, progress);
        }
        if (!number_set_has(&store->live[space], number))
                return 0;
        r = vector_push(&store->gone, ((StoreGone) { space, number }));
        if (r < 0 || !tells_gone)
                return r;
        put_gone(store, space, number);
        return note_written(store, progress);
}

static void tell_soon(const Store *store, StoreSpace space, size_t i) {
        const StoreNumbers *numbers = &store->marks[space].numbers;

        if (!store->owner.soon)
                return;
        if (numbers->n - i > SOON)
                store->owner.soon(store->owner.userdata, space, numbers->items[i + SOON], false);
        if (numbers->n - i > SOON_FOUND)
                store->owner.soon(store->owner.userdata, space, numbers->items[i + SOON_FOUND], true);
}

static int write_marked_in(Store *store, StoreProgress *progress, StoreSpace space) {
        int r = 0;

        for (size_t i = 0; i < store->marks[space].numbers.n && r == 0; i++) {
                tell_soon(store, space, i);
                r = write_record(store, progress, space, store->marks[space].numbers.items[i], true);
        }
        return r;
}

static int write_marked(Store *store, StoreProgress *progress) {
        int r = 0;

        for (StoreSpace space = 0; space < _STORE_SPACE_MAX && r == 0; space++)
                r = write_marked_in(store, progress, space);
        return r;
}

static int drop_rows(Store *store, StoreProgress *progress, int64_t behind) {
        sqlite3_stmt *statement = store->statements[STATEMENT_DROP];

        progress->lowest_row = behind;
        sqlite3_bind_int64(statement, 1, behind);
        return store_run(store, STATEMENT_DROP);
}

/* — everything — */

static void begin_sweep(StoreProgress *progress) {
        progress->sweep = (StoreSweep) {
                .is_on = true,
                .first_row = progress->next_row,
                .n_logged = progress->n_logged,
        };
}

static void end_sweep(StoreProgress *progress) {
        progress->needed_row = progress->sweep.first_row;
        progress->n_logged -= progress->sweep.n_logged;
        progress->sweep = (StoreSweep) {};
}

/* Continues the sweep with up to @n records; the sweep ends when there are no more. */
static int go_on_with_sweep(Store *store, StoreProgress *progress, uint64_t n) {
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

static int write_space(Store *store, StoreProgress *progress, StoreSpace space) {
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

/* Writes all records. The existing rows are deleted in the same commit. */
static int write_everything(Store *store, StoreProgress *progress) {
        int r = 0;

        forget_live(store);
        begin_sweep(progress);
        for (StoreSpace space = 0; space < _STORE_SPACE_MAX && r == 0; space++)
                r = write_space(store, progress, space);
        if (r == 0)
                end_sweep(progress);
        return r;
}

/* Writes the marked records, and continues or starts a sweep. */
static int write_changes(Store *store, StoreProgress *progress) {
        uint64_t n_written;
        int r;

        if (!progress->sweep.is_on && progress->lowest_row == progress->needed_row &&
            progress->n_logged > SWEEP_MIN + SWEEP_FACTOR * count_live(store))
                begin_sweep(progress);
        r = write_marked(store, progress);
        n_written = progress->n_logged - store->committed.n_logged;
        if (r == 0 && progress->sweep.is_on)
                r = go_on_with_sweep(store, progress, SWEEP_STEP + SWEEP_STEP_FACTOR * n_written);
        return r;
}

/* — committing — */

static int write_rows(Store *store, StoreProgress *progress) {
        int r;

        r = store->all_is_marked ? write_everything(store, progress) : write_changes(store, progress);
        if (r == 0)
                r = end_row(store, progress);
        if (r < 0 || progress->lowest_row == progress->needed_row)
                return r;
        if (store->all_is_marked)
                return drop_rows(store, progress, progress->needed_row);
        return drop_rows(store, progress, MIN(progress->lowest_row + DROPPED_MAX, progress->needed_row));
}

static int begin(Store *store) {
        int r;

        if (store->is_writing)
                return 0;
        r = store_run(store, STATEMENT_BEGIN);
        if (r < 0)
                return r;
        record_writer_clear(&store->row);
        store->progress = store->committed;
        store->is_writing = true;
        return 0;
}

static int give_up(Store *store, int error) {
        store_run(store, STATEMENT_ROLLBACK);
        store->is_writing = false;
        store->committed.sweep = (StoreSweep) {};
        forget_gone(store, false);
        mark_again(store);
        return error;
}

static int commit_to_file(Store *store) {
        int r = begin(store);

        if (r < 0)
                return r;
        r = write_rows(store, &store->progress);
        if (r == 0)
                r = store_write_format(store);
        if (r == 0)
                r = store_run(store, STATEMENT_COMMIT);
        if (r < 0)
                return give_up(store, r);
        store->is_writing = false;
        store->found_version = store->version;
        store->committed = store->progress;
        forget_gone(store, true);
        forget_marks(store);
        if (store->n_log_pages >= LOG_PAGES_FACTOR * store->log_pages)
                store_shorten_log(store);
        return 0;
}

static int write_to_spare(Store *store) {
        StoreProgress progress = {};
        int r;

        r = store->all_is_marked ? store_spare_begin(store) : 0;
        if (r < 0)
                return r;
        record_writer_clear(&store->row);
        r = store->all_is_marked ? write_everything(store, &progress) : write_marked(store, &progress);
        if (r == 0)
                r = end_row(store, &progress);
        return r < 0 ? r : store_spare_commit(store);
}

static int commit_to_spare(Store *store) {
        int r = write_to_spare(store);

        forget_gone(store, r == 0);
        if (r == 0) {
                forget_marks(store);
                return 0;
        }
        store_spare_give_up(store);
        store->all_is_marked = true;
        return r;
}

int store_commit(Store *store) {
        int r;

        if (!store_is_dirty(store))
                return 0;
        if (store->spare && !store->all_is_marked && !store_spare_is_due(store))
                return commit_to_spare(store);

        if (store->spare)
                store->all_is_marked = true;
        r = commit_to_file(store);
        if (r == 0) {
                store_spare_end(store);
                return 0;
        }
        if (!store->owner.hold)
                return r;
        store->file_error = r;
        store->all_is_marked = true;
        return commit_to_spare(store) == 0 ? 0 : r;
}

int store_file_error(const Store *store) {
        return store->spare ? store->file_error : 0;
}

void store_tidy(Store *store) {
        if (store->n_log_pages >= store->log_pages && !store->is_writing)
                store_shorten_log(store);
}

/* — ahead of a commit — */

/* A record that is gone stays marked: if it comes back before the commit, nothing must have been written about it. */
static int write_ahead(Store *store, StoreSpace space, size_t i) {
        StoreMarks *marks = &store->marks[space];
        uint32_t number = marks->numbers.items[i];
        int r;

        if (!put_record(store, space, number)) {
                marks->numbers.items[marks->n_looked_at++] = number;
                return 0;
        }
        r = number_set_add(&store->live[space], number);
        if (r >= 0)
                r = note_written(store, &store->progress);
        if (r < 0)
                return r;
        number_set_remove(&marks->set, number);
        return vector_push(&marks->ahead, number);
}

int store_write_ahead(Store *store, StoreSpace space, size_t n_min) {
        StoreMarks *marks = &store->marks[space];
        size_t i = marks->n_looked_at;
        int r;

        if (store->all_is_marked || store->spare || marks->numbers.n - i < n_min)
                return 0;
        r = vector_reserve(&marks->ahead, marks->numbers.n - i);
        if (r == 0)
                r = begin(store);
        if (r < 0)
                return r;
        for (; i < marks->numbers.n && r == 0; i++) {
                tell_soon(store, space, i);
                r = write_ahead(store, space, i);
        }
        /* Within a row the first record of a number is valid, and a later one may follow. */
        if (r == 0)
                r = end_row(store, &store->progress);
        if (r < 0)
                return give_up(store, r);
        marks->numbers.n = marks->n_looked_at;
        return 0;
}
