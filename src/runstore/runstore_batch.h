/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The operations of a batch, and the terms and rows of a query
 *
 * A batch is its epoch and then operations, each a table, a kind and values
 * by number of their column, in rising order. "Put" makes a row or changes
 * the given columns of it, and names the whole primary key; so a batch that
 * is written twice changes nothing. "Delete" names columns of the primary key
 * from its first on, and removes all rows that agree.
 *
 * Rows of streams change what earlier batches have put. So "after" names a
 * batch: if that or a later one was refused, operations of the batch at hand
 * on tables of streams, which follow it, are left out.
 */

#include "runstore/runstore_protocol.h"
#include "runstore/runstore_table.h"

typedef enum RunStoreOperationKind {
        RUNSTORE_PUT,
        RUNSTORE_DELETE,
        RUNSTORE_AFTER,                 /* of the table of elements: the number is in ELEMENT_SEQUENCE */
        _RUNSTORE_OPERATION_MAX,
} RunStoreOperationKind;

typedef struct RunStoreValue {
        RunStoreType type;
        int64_t integer;
        const void *bytes;              /* borrowed: of TEXT (a NUL follows) and BYTES */
        size_t n;                       /* without the NUL */
} RunStoreValue;

typedef struct RunStoreOperation {
        RunStoreTable table;
        RunStoreOperationKind kind;
        uint64_t columns;               /* bit c: .values[c] is given */
        RunStoreValue values[RUNSTORE_COLUMNS_MAX];
} RunStoreOperation;

/* — writing — */

/* An operation of @n_columns values, each of which follows by one of the functions below. */
void runstore_put_operation(RecordWriter *writer, RunStoreTable table, RunStoreOperationKind kind, size_t n_columns);
void runstore_put_null(RecordWriter *writer, unsigned column);
void runstore_put_integer(RecordWriter *writer, unsigned column, int64_t value);
void runstore_put_text(RecordWriter *writer, unsigned column, const char *value);       /* NULL: as put_null */
void runstore_put_bytes(RecordWriter *writer, unsigned column, const void *bytes, size_t n);

void runstore_put_after(RecordWriter *writer, uint64_t number);

/* — reading — */

void runstore_put_value(RecordWriter *writer, const RunStoreValue *value);

/* Fails the reader for anything that is no value. */
void runstore_get_value(RecordReader *reader, RunStoreValue *ret_value);

/* 1, 0 at the end, -EBADMSG: what core sends is judged whole, before it is accepted. */
int runstore_next_operation(RecordReader *reader, RunStoreOperation *ret_operation);

/* Whether all of it can be read: 0 or -EBADMSG. */
int runstore_check_operations(const void *bytes, size_t n);

/* — queries — */

typedef enum RunStoreCompare {
        RUNSTORE_EQUAL,
        RUNSTORE_LESS,
        RUNSTORE_AT_MOST,
        RUNSTORE_GREATER,
        RUNSTORE_AT_LEAST,
        _RUNSTORE_COMPARE_MAX,
} RunStoreCompare;

#define RUNSTORE_FILTERS_MAX 16U
#define RUNSTORE_LIMIT_MAX 1000U

typedef struct RunStoreFilter {
        unsigned column;
        RunStoreCompare compare;
        RunStoreValue value;
} RunStoreFilter;

typedef struct RunStoreQuery {
        RunStoreTable table;
        uint64_t columns;               /* bits of those wanted; 0: all */
        bool is_descending;             /* by the primary key, the highest first */
        bool is_behind;                 /* not sent: it leaves behind all batches that are queued, and sees them */
        uint32_t limit;                 /* rows at most; 0, or too many: RUNSTORE_LIMIT_MAX */
        size_t n_filters;
        RunStoreFilter filters[RUNSTORE_FILTERS_MAX];
        size_t n_cursor;                /* 0, or the columns of the primary key */
        RunStoreValue cursor[RUNSTORE_KEY_MAX];         /* that of the page before: its last row */
} RunStoreQuery;

void runstore_put_query(RecordWriter *writer, const RunStoreQuery *query);
/* 0 or -EBADMSG. Values point into @frame. */
int runstore_get_query(const RunStoreFrame *frame, RunStoreQuery *ret_query);

/* A page: columns, the rows' values in that order, and whether more rows follow; the last row is the next cursor. */
typedef struct RunStorePage {
        uint64_t columns;
        bool has_more;
        size_t n_cursor;
        RunStoreValue cursor[RUNSTORE_KEY_MAX];
        uint64_t n_rows;
        RecordReader rows;              /* n_rows × as many values as .columns has bits */
} RunStorePage;

int runstore_get_page(const RunStoreFrame *frame, RunStorePage *ret_page);
void runstore_put_page(RecordWriter *writer,
                       const RunStorePage *page); /* without its rows, which follow as a byte string */
