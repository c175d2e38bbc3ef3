/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Frames between core and jobd-runstore
 *
 * An input is what comes over a link. Of what is read without an error everything holds that the writer of SQL relies
 * upon; what is read is the same after it was written again. Core's end takes the same bytes for answers: whatever they
 * are, it counts no batch as durable that it has not sent.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "fuzz.h"
#include "runstore/runstore_client.h"

#define BATCHES 3U
#define INPUT_MAX 65536U

/* — operations — */

static void check_value(const RunStoreValue *value, RunStoreType type, bool may_be_null) {
        fuzz_check(value->type == type || (may_be_null && value->type == RUNSTORE_NULL));
        if (value->type == RUNSTORE_TEXT)
                fuzz_check(strlen(value->bytes) == value->n && text_is_utf8(value->bytes));
}

static void check_operation(const RunStoreOperation *operation) {
        const RunStoreTableInfo *info = runstore_table(operation->table);
        const uint64_t key = (UINT64_C(1) << info->n_key) - 1;

        fuzz_check(operation->columns != 0 && operation->columns >> info->n_columns == 0);
        if (operation->kind == RUNSTORE_PUT)
                fuzz_check((operation->columns & key) == key);
        else
                fuzz_check(operation->columns & 1 && (operation->columns & ~key) == 0);
        for (unsigned c = 0; c < info->n_columns; c++)
                if (operation->columns >> c & 1)
                        check_value(&operation->values[c], info->columns[c].type, c >= info->n_key);
}

static void write_operation(RecordWriter *writer, const RunStoreOperation *operation) {
        runstore_put_operation(writer, operation->table, operation->kind, (size_t) __builtin_popcountll(operation->columns));
        for (unsigned c = 0; c < RUNSTORE_COLUMNS_MAX; c++)
                if (operation->columns >> c & 1) {
                        record_put(writer, c);
                        runstore_put_value(writer, &operation->values[c]);
                }
}

static void write_operations(const void *bytes, size_t n, RecordWriter *writer) {
        static RunStoreOperation operation;
        RecordReader reader;
        int r;

        record_reader_init(&reader, bytes, n);
        while ((r = runstore_next_operation(&reader, &operation)) > 0) {
                check_operation(&operation);
                write_operation(writer, &operation);
        }
        fuzz_check(r == 0);
}

static void check_operations(const RunStoreFrame *frame) {
        RecordWriter once = {}, twice = {};

        if (frame->n < sizeof(uint64_t) || runstore_check_operations(frame->bytes + sizeof(uint64_t), frame->n - sizeof(uint64_t)) < 0)
                return;
        write_operations(frame->bytes + sizeof(uint64_t), frame->n - sizeof(uint64_t), &once);
        write_operations(once.bytes, once.n, &twice);
        fuzz_check(once.n == twice.n && (once.n == 0 || memcmp(once.bytes, twice.bytes, once.n) == 0));
        record_writer_deinit(&once);
        record_writer_deinit(&twice);
}

/* — queries and pages — */

static void check_query(const RunStoreFrame *frame) {
        RunStoreQuery query = {}, again = {};
        const RunStoreTableInfo *info;
        RecordWriter writer = {};
        RunStoreFrame written = {};

        if (runstore_get_query(frame, &query) < 0)
                return;
        info = runstore_table(query.table);
        fuzz_check(query.limit > 0 && query.limit <= RUNSTORE_LIMIT_MAX && query.columns != 0);
        fuzz_check(query.columns >> info->n_columns == 0 && (query.n_cursor == 0 || query.n_cursor == info->n_key));
        for (size_t i = 0; i < query.n_filters; i++) {
                fuzz_check(query.filters[i].column < info->n_columns);
                check_value(&query.filters[i].value, info->columns[query.filters[i].column].type, false);
        }
        for (size_t i = 0; i < query.n_cursor; i++)
                check_value(&query.cursor[i], info->columns[i].type, false);
        runstore_put_query(&writer, &query);
        written.bytes = writer.bytes;
        written.n = writer.n;
        fuzz_check(runstore_get_query(&written, &again) == 0);
        fuzz_check(again.columns == query.columns && again.n_filters == query.n_filters && again.limit == query.limit);
        record_writer_deinit(&writer);
}

static void check_page(const RunStoreFrame *frame) {
        RunStorePage page;

        if (runstore_get_page(frame, &page) < 0)
                return;
        for (uint64_t i = 0; i < page.n_rows * (uint64_t) __builtin_popcountll(page.columns); i++) {
                RunStoreValue value;

                runstore_get_value(&page.rows, &value);
        }
        fuzz_check(record_is_at_end(&page.rows));
}

static void check_others(const RunStoreFrame *frame) {
        RunStoreRefusal refusal;
        RunStoreWelcome welcome;
        RunStoreHello hello;

        (void) runstore_get_hello(frame, &hello);
        if (runstore_get_welcome(frame, &welcome) == 0)
                fuzz_check(welcome.durable <= welcome.accepted);
        if (runstore_get_refusal(frame, &refusal) == 0)
                fuzz_check((unsigned) refusal.reason < _RUNSTORE_REASON_MAX && refusal.sentence);
}

static void check_frames(const uint8_t *bytes, size_t n) {
        RunStoreFrame frame;
        size_t missing;
        ssize_t size;

        while ((size = runstore_frame_read(bytes, n, &frame, &missing)) > 0) {
                check_operations(&frame);
                check_query(&frame);
                check_page(&frame);
                check_others(&frame);
                bytes += size;
                n -= (size_t) size;
        }
        if (size == 0)
                fuzz_check(missing > 0 && missing <= RUNSTORE_FRAME_MAX);
}

/* — core's end — */

typedef struct Core {
        RunStoreClient *client;
        uint64_t first, last;           /* numbers of its batches */
} Core;

static void on_welcomed(void *userdata, const RunStoreWelcome *welcome, bool has_lost) {
        Core *core = userdata;

        for (unsigned i = 0; i < BATCHES; i++) {
                RecordWriter *writer;

                fuzz_check(runstore_client_begin(core->client, &writer) == 0);
                fuzz_check(runstore_client_end(core->client, &core->last) == 0);
        }
        core->first = core->last - BATCHES + 1;
}

static void on_mark(void *userdata, uint64_t number) {
        Core *core = userdata;

        fuzz_check(number >= core->first && number <= core->last);
}

static void on_refused(void *userdata, uint64_t number, const RunStoreRefusal *refusal) {
}

static void on_stored(void *userdata, uint64_t number, const uint8_t hash[static RUNSTORE_HASH_BYTES], uint64_t n) {
}

static void on_rows(void *userdata, uint64_t number, RunStorePage *page) {
        fuzz_check(number == 0);        /* nothing was asked */
}

static const RunStoreClientOps ops = { on_welcomed, on_mark, on_mark, on_refused, on_stored, on_rows };

static void play_store(const uint8_t *bytes, size_t n) {
        Core core = {};
        int fds[2];

        fuzz_check(runstore_client_new(&core.client, 7, &ops, &core) == 0);
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) < 0)
                exit(1);
        fuzz_check(runstore_client_attach(core.client, fds[0]) == 0);
        /* In two parts, so that the batches leave between them. */
        for (unsigned part = 0; part < 2; part++) {
                size_t length = part == 0 ? MIN(n, (size_t) 32) : n;

                (void) !send(fds[1], bytes, length, MSG_NOSIGNAL);
                bytes += length;
                n -= length;
                if (runstore_client_is_attached(core.client))
                        (void) runstore_client_serve(core.client);
        }
        close(fds[1]);
        runstore_client_free(core.client);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        uint8_t *copy;

        if (n == 0 || n > INPUT_MAX)
                return 0;
        copy = malloc(n);
        if (!copy)
                return 0;
        memcpy(copy, bytes, n);
        check_frames(copy, n);
        play_store(copy, n);
        free(copy);
        return 0;
}
