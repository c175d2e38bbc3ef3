/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread that looks for rows
 *
 * The file is opened for each group of queries: it may be another one by
 * then, and an idle store holds no lock.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "runstore/runstore_query.h"
#include "runstore/runstore_schema.h"

/* A page ends behind the row with which it has as many bytes. */
#define PAGE_BYTES ((size_t) 256 * 1024)

static const char *const compare_signs[_RUNSTORE_COMPARE_MAX] = {
        [RUNSTORE_EQUAL] = "=",   [RUNSTORE_LESS] = "<",      [RUNSTORE_AT_MOST] = "<=",
        [RUNSTORE_GREATER] = ">", [RUNSTORE_AT_LEAST] = ">=",
};

/* — the statement — */

static void write_columns(Text *sql, const RunStoreTableInfo *info, uint64_t columns) {
        const char *separator = "";

        for (unsigned c = 0; c < info->n_columns; c++)
                if (columns >> c & 1) {
                        text_addf(sql, "%s\"%s\"", separator, info->columns[c].name);
                        separator = ", ";
                }
}

static void write_key(Text *sql, const RunStoreTableInfo *info, const char *behind) {
        for (unsigned c = 0; c < info->n_key; c++)
                text_addf(sql, "%s\"%s\"%s", c > 0 ? ", " : "", info->columns[c].name, behind);
}

/* The index of nodes by state leaves out those that succeeded, and is used only where that is said. */
static bool leaves_out_success(const RunStoreQuery *query, const RunStoreFilter *filter) {
        return query->table == RUNSTORE_NODE && filter->column == NODE_STATE && filter->compare == RUNSTORE_EQUAL &&
               !text_equal(filter->value.bytes, "SUCCEEDED");
}

/*
 * Without counts of rows, which nobody makes, SQLite takes the primary key where a run may have a million of elements,
 * and few of them are of the group or the state that is asked for.
 */
static const char *index_of(const RunStoreQuery *query) {
        static const struct {
                RunStoreTable table;
                unsigned column;
                const char *name;
        } indexes[] = {
                { RUNSTORE_ELEMENT, ELEMENT_KEY, "element_key" },
                { RUNSTORE_ELEMENT, ELEMENT_GROUP, "element_group" },
                { RUNSTORE_ELEMENT, ELEMENT_STATE, "element_state" },
                { RUNSTORE_STREAM_GROUP, STREAM_GROUP_STATE, "stream_group_state" },
        };
        bool has_position = false;

        /* With its group alone. */
        for (size_t k = 0; k < query->n_filters && query->table == RUNSTORE_ELEMENT; k++)
                has_position |= query->filters[k].column == ELEMENT_POSITION;
        for (size_t i = 0; i < ELEMENTSOF(indexes); i++) {
                bool has_run = false, has_column = false;

                for (size_t k = 0; k < query->n_filters && query->table == indexes[i].table; k++) {
                        has_run |= query->filters[k].column == 0 && query->filters[k].compare == RUNSTORE_EQUAL;
                        has_column |= query->filters[k].column == indexes[i].column &&
                                      query->filters[k].compare == RUNSTORE_EQUAL;
                }
                if (has_run && has_column)
                        return has_position ? "element_position" : indexes[i].name;
        }
        return NULL;
}

static void write_terms(Text *sql, const RunStoreTableInfo *info, const RunStoreQuery *query) {
        const char *separator = " WHERE ";

        for (unsigned i = 0; i < query->n_filters; i++) {
                const RunStoreFilter *filter = &query->filters[i];

                text_addf(sql, "%s\"%s\" %s ?%u", separator, info->columns[filter->column].name,
                          compare_signs[filter->compare], i + 1);
                separator = " AND ";
                if (leaves_out_success(query, filter))
                        text_add(sql, " AND state <> 'SUCCEEDED'");
        }
        if (query->n_cursor == 0)
                return;
        text_addf(sql, "%s(", separator);
        write_key(sql, info, "");
        text_addf(sql, ") %s (", query->is_descending ? "<" : ">");
        for (unsigned c = 0; c < info->n_key; c++)
                text_addf(sql, "%s?%u", c > 0 ? ", " : "", RUNSTORE_FILTERS_MAX + c + 1);
        text_add(sql, ")");
}

/* One row more than wanted shows whether there are more. */
static int write_select(const RunStoreQuery *query, char **ret_sql) {
        const RunStoreTableInfo *info = runstore_table(query->table);
        const uint64_t key = (UINT64_C(1) << info->n_key) - 1;
        const char *index = index_of(query);
        Text sql = {};
        int r;

        text_add(&sql, "SELECT ");
        write_columns(&sql, info, query->columns | key);
        text_addf(&sql, " FROM \"%s\"", info->name);
        if (index)
                text_addf(&sql, " INDEXED BY %s", index);
        write_terms(&sql, info, query);
        text_add(&sql, " ORDER BY ");
        write_key(&sql, info, query->is_descending ? " DESC" : "");
        text_addf(&sql, " LIMIT %u", query->limit + 1);
        r = text_finish(&sql, ret_sql);
        text_deinit(&sql);
        return r;
}

static void bind(sqlite3_stmt *statement, int place, const RunStoreValue *value) {
        if (value->type == RUNSTORE_INTEGER)
                sqlite3_bind_int64(statement, place, value->integer);
        else if (value->type == RUNSTORE_TEXT)
                sqlite3_bind_text64(statement, place, value->bytes, value->n, SQLITE_STATIC, SQLITE_UTF8);
        else
                sqlite3_bind_blob64(statement, place, value->bytes ?: "", value->n, SQLITE_STATIC);
}

/* — rows — */

/* The value is valid until the next step. */
static RunStoreValue column_value(sqlite3_stmt *statement, int column) {
        switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
                return (RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = sqlite3_column_int64(statement, column) };
        case SQLITE_TEXT: {
                const char *text = (const char *) sqlite3_column_text(statement, column);

                return (RunStoreValue) { .type = RUNSTORE_TEXT, .bytes = text, .n = text ? strlen(text) : 0 };
        }
        case SQLITE_BLOB: {
                const void *bytes = sqlite3_column_blob(statement, column);

                return (RunStoreValue) { .type = RUNSTORE_BYTES,
                                        .bytes = bytes,
                                        .n = (size_t) sqlite3_column_bytes(statement, column) };
        }
        default:
                return (RunStoreValue) {};
        }
}

/* The page is written behind its rows, so they are collected first. */
typedef struct Page {
        RunStorePage page;
        RecordWriter rows, cursor;
} Page;

static void add_row(Page *page, sqlite3_stmt *statement, const RunStoreTableInfo *info) {
        const int n = sqlite3_column_count(statement);

        record_writer_clear(&page->cursor);
        for (int c = 0; c < n; c++) {
                RunStoreValue value = column_value(statement, c);

                /* Somebody else's hand can put text that is not UTF-8 there. */
                if (value.type == RUNSTORE_TEXT && (!value.bytes || !text_is_utf8(value.bytes)))
                        value = (RunStoreValue) {};
                runstore_put_value(&page->rows, &value);
                if ((size_t) c < info->n_key)
                        runstore_put_value(&page->cursor, &value);
        }
        page->page.n_rows++;
}

static int read_rows(Page *page, sqlite3 *db, sqlite3_stmt *statement, const RunStoreQuery *query) {
        const RunStoreTableInfo *info = runstore_table(query->table);
        int code;

        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
                if (page->page.n_rows == query->limit || page->rows.n >= PAGE_BYTES) {
                        page->page.has_more = true;
                        return 0;
                }
                add_row(page, statement, info);
        }
        return runstore_map_error(db, code);
}

static int write_page(Page *page, const RunStoreQuery *query, RunStoreTask *task) {
        const RunStoreTableInfo *info = runstore_table(query->table);
        RecordReader cursor;

        record_reader_init(&cursor, page->cursor.bytes, page->cursor.n);
        page->page.columns = query->columns | ((UINT64_C(1) << info->n_key) - 1);
        page->page.n_cursor = page->page.has_more ? info->n_key : 0;
        for (size_t c = 0; c < page->page.n_cursor; c++)
                runstore_get_value(&cursor, &page->page.cursor[c]);
        runstore_frame_begin(&task->answer, RUNSTORE_ROWS, task->number);
        runstore_put_page(&task->answer, &page->page);
        record_put_bytes(&task->answer, page->rows.bytes, page->rows.n);
        if (page->rows.has_failed || cursor.has_failed)
                return -ENOMEM;
        return runstore_frame_end(&task->answer);
}

static int answer(sqlite3 *db, RunStoreTask *task) {
        const RunStoreFrame frame = { .bytes = task->bytes, .n = task->n };
        cleanup_free_ char *sql = NULL;
        sqlite3_stmt *statement = NULL;
        RunStoreQuery query = {};
        Page page = {};
        int r = runstore_get_query(&frame, &query);

        if (r == 0)
                r = write_select(&query, &sql);
        if (r == 0)
                r = runstore_map_error(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
        for (unsigned i = 0; i < query.n_filters && r == 0; i++)
                bind(statement, (int) i + 1, &query.filters[i].value);
        for (unsigned c = 0; c < query.n_cursor && r == 0; c++)
                bind(statement, (int) (RUNSTORE_FILTERS_MAX + c) + 1, &query.cursor[c]);
        if (r == 0)
                r = read_rows(&page, db, statement, &query);
        sqlite3_finalize(statement);
        if (r == 0)
                r = write_page(&page, &query, task);
        record_writer_deinit(&page.rows);
        record_writer_deinit(&page.cursor);
        return r;
}

/* One that is being made, or is not ours, has no identity, and is the writer's matter. */
static void note_damage(RunStoreTask *task, sqlite3 *db) {
        task->file_identity = runstore_file_identity(db);
        task->is_damaged = task->file_identity != 0;
}

static void *run(void *userdata) {
        RunStoreReader *reader = userdata;
        RunStoreTasks tasks = {};

        while (runstore_worker_wait(&reader->worker, 0, &tasks)) {
                sqlite3 *db = NULL;
                int r = runstore_file_open_to_read(reader->path, &db);

                for (RunStoreTask *task = tasks.first; task; task = task->next) {
                        int error = r < 0 ? r : answer(db, task);

                        if (error < 0)
                                runstore_task_refuse(task, RUNSTORE_REFUSED_IO, "%s cannot be read: %s", reader->path,
                                                     strerrordesc_np(-error));
                        if (error == -EBADMSG && db)
                                note_damage(task, db);
                }
                sqlite3_close(db);
                runstore_worker_return(&reader->worker, &tasks);
        }
        runstore_worker_return(&reader->worker, &tasks);
        return NULL;
}

int runstore_reader_start(RunStoreReader *reader, const char *path) {
        *reader = (RunStoreReader) { .path = path };
        return runstore_worker_start(&reader->worker, run, reader);
}

void runstore_reader_end(RunStoreReader *reader) {
        runstore_worker_end(&reader->worker);
}
