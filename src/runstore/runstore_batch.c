/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operations, queries and pages as bytes
 *
 * A reader judges everything that the writer of SQL relies upon: tables,
 * columns, types and keys are known and complete.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "runstore/runstore_batch.h"

/* — values — */

void runstore_put_value(RecordWriter *writer, const RunStoreValue *value) {
        record_put(writer, (uint64_t) value->type);
        switch (value->type) {
        case RUNSTORE_INTEGER:
                record_put_signed(writer, value->integer);
                return;
        case RUNSTORE_TEXT:
        case RUNSTORE_BYTES:
                record_put_bytes(writer, value->bytes, value->n + (value->type == RUNSTORE_TEXT));
                return;
        case RUNSTORE_NULL:
        case _RUNSTORE_TYPE_MAX:
                return;
        }
}

void runstore_get_value(RecordReader *reader, RunStoreValue *ret_value) {
        *ret_value = (RunStoreValue) { .type = (RunStoreType) record_get_below(reader, _RUNSTORE_TYPE_MAX) };
        switch (ret_value->type) {
        case RUNSTORE_INTEGER:
                ret_value->integer = record_get_signed(reader);
                return;
        case RUNSTORE_TEXT:
                ret_value->bytes = record_get_string(reader);
                if (!ret_value->bytes || !text_is_utf8(ret_value->bytes))
                        reader->has_failed = true;
                ret_value->n = ret_value->bytes ? strlen(ret_value->bytes) : 0;
                return;
        case RUNSTORE_BYTES:
                ret_value->bytes = record_get_bytes(reader, &ret_value->n);
                return;
        case RUNSTORE_NULL:
        case _RUNSTORE_TYPE_MAX:
                return;
        }
}

static void put_column(RecordWriter *writer, unsigned column, const RunStoreValue *value) {
        record_put(writer, column);
        runstore_put_value(writer, value);
}

void runstore_put_null(RecordWriter *writer, unsigned column) {
        put_column(writer, column, &(RunStoreValue) { .type = RUNSTORE_NULL });
}

void runstore_put_integer(RecordWriter *writer, unsigned column, int64_t value) {
        put_column(writer, column, &(RunStoreValue) { .type = RUNSTORE_INTEGER, .integer = value });
}

void runstore_put_text(RecordWriter *writer, unsigned column, const char *value) {
        RunStoreValue text = { .type = RUNSTORE_TEXT, .bytes = value };

        if (!value) {
                runstore_put_null(writer, column);
                return;
        }
        text.n = strlen(value);
        put_column(writer, column, &text);
}

void runstore_put_bytes(RecordWriter *writer, unsigned column, const void *bytes, size_t n) {
        put_column(writer, column, &(RunStoreValue) { .type = RUNSTORE_BYTES, .bytes = bytes, .n = n });
}

/* — operations — */

void runstore_put_operation(RecordWriter *writer, RunStoreTable table, RunStoreOperationKind kind, size_t n_columns) {
        record_put(writer, (uint64_t) table);
        record_put(writer, (uint64_t) kind);
        record_put(writer, n_columns);
}

void runstore_put_after(RecordWriter *writer, uint64_t number) {
        runstore_put_operation(writer, RUNSTORE_ELEMENT, RUNSTORE_AFTER, 1);
        runstore_put_integer(writer, ELEMENT_SEQUENCE, (int64_t) number);
}

static uint64_t first_bits(size_t n) {
        return (UINT64_C(1) << n) - 1;
}

static bool fits(const RunStoreTableInfo *info, unsigned column, const RunStoreValue *value) {
        return value->type == info->columns[column].type || (value->type == RUNSTORE_NULL && column >= info->n_key);
}

/* All of the key for a row that is put; for rows to delete the first columns of the key, one at least, and no other. */
static bool has_key(const RunStoreTableInfo *info, const RunStoreOperation *operation) {
        const uint64_t key = first_bits(info->n_key);

        if (operation->kind == RUNSTORE_PUT)
                return (operation->columns & key) == key;
        if (operation->kind == RUNSTORE_AFTER)
                return operation->table == RUNSTORE_ELEMENT && operation->columns == UINT64_C(1) << ELEMENT_SEQUENCE;
        return operation->columns > 0 && !(operation->columns & (operation->columns + 1)) &&
               !(operation->columns & ~key);
}

int runstore_next_operation(RecordReader *reader, RunStoreOperation *ret_operation) {
        const RunStoreTableInfo *info;
        uint64_t n, after = 0;

        if (record_is_at_end(reader))
                return 0;
        ret_operation->table = (RunStoreTable) record_get_below(reader, _RUNSTORE_TABLE_MAX);
        ret_operation->kind = (RunStoreOperationKind) record_get_below(reader, _RUNSTORE_OPERATION_MAX);
        ret_operation->columns = 0;
        info = runstore_table(ret_operation->table);
        n = record_get_below(reader, info->n_columns + 1);
        for (uint64_t i = 0; i < n && !reader->has_failed; i++) {
                unsigned column = (unsigned) record_get_below(reader, info->n_columns);

                if (column < after)
                        return -EBADMSG;
                after = column + 1;
                runstore_get_value(reader, &ret_operation->values[column]);
                if (!fits(info, column, &ret_operation->values[column]))
                        return -EBADMSG;
                ret_operation->columns |= UINT64_C(1) << column;
        }
        return reader->has_failed || !has_key(info, ret_operation) ? -EBADMSG : 1;
}

int runstore_check_operations(const void *bytes, size_t n) {
        RunStoreOperation operation;
        RecordReader reader;
        int r;

        record_reader_init(&reader, bytes, n);
        do
                r = runstore_next_operation(&reader, &operation);
        while (r > 0);
        return r;
}

/* — queries — */

static void put_cursor(RecordWriter *writer, const RunStoreValue *cursor, size_t n) {
        record_put(writer, n);
        for (size_t i = 0; i < n; i++)
                runstore_put_value(writer, &cursor[i]);
}

/* A cursor is absent, or a whole key. */
static size_t get_cursor(RecordReader *reader, RunStoreValue cursor[static RUNSTORE_KEY_MAX]) {
        size_t n = record_get_below(reader, RUNSTORE_KEY_MAX + 1);

        for (size_t i = 0; i < n; i++)
                runstore_get_value(reader, &cursor[i]);
        return n;
}

void runstore_put_query(RecordWriter *writer, const RunStoreQuery *query) {
        record_put(writer, (uint64_t) query->table);
        record_put(writer, query->columns);
        record_put(writer, query->is_descending);
        record_put(writer, query->limit);
        record_put(writer, query->n_filters);
        for (size_t i = 0; i < query->n_filters; i++) {
                record_put(writer, query->filters[i].column);
                record_put(writer, (uint64_t) query->filters[i].compare);
                runstore_put_value(writer, &query->filters[i].value);
        }
        put_cursor(writer, query->cursor, query->n_cursor);
}

static bool get_filter(RecordReader *reader, const RunStoreTableInfo *info, RunStoreFilter *filter) {
        filter->column = (unsigned) record_get_below(reader, info->n_columns);
        filter->compare = (RunStoreCompare) record_get_below(reader, _RUNSTORE_COMPARE_MAX);
        runstore_get_value(reader, &filter->value);
        return !reader->has_failed && filter->value.type == info->columns[filter->column].type;
}

int runstore_get_query(const RunStoreFrame *frame, RunStoreQuery *ret_query) {
        const RunStoreTableInfo *info;
        RecordReader reader;

        record_reader_init(&reader, frame->bytes, frame->n);
        ret_query->table = (RunStoreTable) record_get_below(&reader, _RUNSTORE_TABLE_MAX);
        info = runstore_table(ret_query->table);
        ret_query->columns = record_get(&reader);
        ret_query->is_descending = record_get_below(&reader, 2);
        ret_query->limit = (uint32_t) record_get_below(&reader, UINT64_C(1) << 32);
        if (ret_query->limit == 0 || ret_query->limit > RUNSTORE_LIMIT_MAX)
                ret_query->limit = RUNSTORE_LIMIT_MAX;
        ret_query->n_filters = record_get_below(&reader, RUNSTORE_FILTERS_MAX + 1);
        if (ret_query->columns & ~first_bits(info->n_columns))
                return -EBADMSG;
        if (ret_query->columns == 0)
                ret_query->columns = first_bits(info->n_columns);
        for (size_t i = 0; i < ret_query->n_filters; i++)
                if (!get_filter(&reader, info, &ret_query->filters[i]))
                        return -EBADMSG;
        ret_query->n_cursor = get_cursor(&reader, ret_query->cursor);
        if (ret_query->n_cursor > 0 && ret_query->n_cursor != info->n_key)
                return -EBADMSG;
        for (size_t i = 0; i < ret_query->n_cursor; i++)
                if (ret_query->cursor[i].type != info->columns[i].type)
                        return -EBADMSG;
        return record_is_at_end(&reader) ? 0 : -EBADMSG;
}

void runstore_put_page(RecordWriter *writer, const RunStorePage *page) {
        record_put(writer, page->columns);
        record_put(writer, page->has_more);
        put_cursor(writer, page->cursor, page->n_cursor);
        record_put(writer, page->n_rows);
}

/* All rows are read once, so that who reads them later need not look for errors. */
int runstore_get_page(const RunStoreFrame *frame, RunStorePage *ret_page) {
        RecordReader reader, rows;
        const void *bytes;
        unsigned n_columns;
        size_t n;

        record_reader_init(&reader, frame->bytes, frame->n);
        ret_page->columns = record_get(&reader);
        ret_page->has_more = record_get_below(&reader, 2);
        ret_page->n_cursor = get_cursor(&reader, ret_page->cursor);
        ret_page->n_rows = record_get_below(&reader, RUNSTORE_LIMIT_MAX + 1);
        bytes = record_get_bytes(&reader, &n);
        record_reader_init(&ret_page->rows, bytes, n);
        rows = ret_page->rows;
        n_columns = (unsigned) __builtin_popcountll(ret_page->columns);
        for (uint64_t i = 0; i < ret_page->n_rows * n_columns && !rows.has_failed; i++) {
                RunStoreValue value;

                runstore_get_value(&rows, &value);
        }
        return record_is_at_end(&reader) && record_is_at_end(&rows) ? 0 : -EBADMSG;
}
