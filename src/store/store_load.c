/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The store: reading what was committed
 *
 * Rows are read from the latest to the first: the first record found for a
 * number is the current one, the others are outdated.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_spare.h"

typedef struct Found {
        uint32_t number;
        size_t at, n;                   /* in Loading.bytes */
} Found;

typedef struct Loading {
        StoreSpace space;
        NumberSet seen;
        VECTOR(Found) found;
        VECTOR(uint8_t) bytes;
} Loading;

static void loading_deinit(Loading *loading) {
        number_set_deinit(&loading->seen);
        vector_deinit(&loading->found);
        vector_deinit(&loading->bytes);
}

static int keep(Loading *loading, uint32_t number, const void *bytes, size_t n) {
        Found found = { .number = number, .at = loading->bytes.n, .n = n };
        int r;

        r = number_set_add(&loading->seen, number);
        if (r <= 0 || n == 0)
                return r;
        if (vector_reserve(&loading->bytes, n) < 0 || vector_push(&loading->found, found) < 0)
                return -ENOMEM;
        memcpy(loading->bytes.items + loading->bytes.n, bytes, n);
        loading->bytes.n += n;
        return 0;
}

static int read_row(void *userdata, const void *bytes, size_t size) {
        Loading *loading = userdata;
        RecordReader reader;

        record_reader_init(&reader, bytes, size);
        while (!record_is_at_end(&reader)) {
                StoreSpace space = (StoreSpace) record_get_below(&reader, _STORE_SPACE_MAX);
                uint32_t number = (uint32_t) record_get_below(&reader, UINT64_C(1) << 32);
                size_t n;
                const void *record = record_get_bytes(&reader, &n);
                int r;

                if (reader.has_failed)
                        return -EBADMSG;
                r = space == loading->space ? keep(loading, number, record, n) : 0;
                if (r < 0)
                        return r;
        }
        return 0;
}

static int read_rows(Store *store, Loading *loading) {
        sqlite3_stmt *statement = store->statements[STATEMENT_READ];
        int code, r = 0;

        if (store->spare)
                return store_spare_read(store, read_row, loading);
        code = sqlite3_step(statement);
        for (; code == SQLITE_ROW && r >= 0; code = sqlite3_step(statement))
                r = read_row(loading, sqlite3_column_blob(statement, 0), (size_t) sqlite3_column_bytes(statement, 0));
        sqlite3_reset(statement);
        if (r < 0)
                return r;
        return code == SQLITE_DONE ? 0 : store_map_error(code);
}

static int compare_found(const void *a, const void *b) {
        const Found *first = a, *second = b;

        return (first->number > second->number) - (first->number < second->number);
}

static int load_space(Store *store, Loading *loading) {
        int r = read_rows(store, loading);

        if (loading->found.n > 1)
                qsort(loading->found.items, loading->found.n, sizeof(*loading->found.items), compare_found);
        return r;
}

int store_load(Store *store, StoreSpace space, StoreTake take, void *userdata) {
        cleanup_(loading_deinit) Loading loading = { .space = space };
        int r = load_space(store, &loading);

        for (size_t i = 0; i < loading.found.n && r >= 0; i++) {
                RecordReader record;

                record_reader_init(&record, loading.bytes.items + loading.found.items[i].at, loading.found.items[i].n);
                record.format = store->spare ? store_spare_version(store) : store->found_version;
                r = take(userdata, loading.found.items[i].number, &record);
                if (r >= 0 && !record_is_at_end(&record))
                        r = -EBADMSG;
        }
        return r < 0 ? r : 0;
}

static bool is_as_found(Store *store, const Loading *loading, uint32_t number, const Found *found) {
        RecordWriter *record = &store->record;

        record_writer_clear(record);
        store->owner.save(store->owner.userdata, loading->space, number, record);
        if (!found)
                return record->n == 0;
        return record->n == found->n && memcmp(record->bytes, loading->bytes.items + found->at, found->n) == 0;
}

/* Both are sorted by number: a number that only one of them has is missing, or was not removed. */
static int compare_space(Store *store, Loading *loading, uint32_t *ret_number) {
        const Found *found = loading->found.items, *end = found + loading->found.n;

        for (uint32_t number = 0;;) {
                int r = store->owner.next(store->owner.userdata, loading->space, number, &number);
                bool is_first = found < end && (r == 0 || found->number <= number);

                if (r < 0 || (r == 0 && !is_first))
                        return r;
                *ret_number = is_first ? found->number : number;
                if (!is_as_found(store, loading, *ret_number, is_first ? found : NULL))
                        return 1;
                number += r > 0 && number == *ret_number;
                found += is_first;
        }
}

int store_compare(Store *store, StoreSpace *ret_space, uint32_t *ret_number) {
        int r = 0;

        for (StoreSpace space = 0; space < _STORE_SPACE_MAX && r == 0; space++) {
                cleanup_(loading_deinit) Loading loading = { .space = space };

                *ret_space = space;
                r = load_space(store, &loading);
                if (r == 0)
                        r = compare_space(store, &loading, ret_number);
        }
        return r;
}
