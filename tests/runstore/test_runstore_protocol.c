/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames, batches, queries and pages: what is written is read, and nothing
 * else is
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "runstore/runstore_batch.h"
#include "runstore/sha256.h"

static RunStoreFrame read_frame(const RecordWriter *writer) {
        RunStoreFrame frame = {};
        size_t missing = 0;

        cr_assert(eq(int, (int) runstore_frame_read(writer->bytes, writer->n, &frame, &missing), (int) writer->n));
        return frame;
}

Test(runstore_protocol, frame_is_read_as_it_was_written) {
        RecordWriter writer = {};
        RunStoreWelcome welcome;
        RunStoreFrame frame;

        runstore_frame_begin(&writer, RUNSTORE_WELCOME, 77);
        runstore_put_welcome(&writer, &(RunStoreWelcome) { 5, 9, 7, UINT64_MAX, 1 });
        cr_assert(eq(int, runstore_frame_end(&writer), 0));
        frame = read_frame(&writer);
        cr_assert(eq(int, frame.kind, RUNSTORE_WELCOME));
        cr_assert(eq(u64, frame.number, 77));
        cr_assert(eq(int, runstore_get_welcome(&frame, &welcome), 0));
        cr_assert(eq(u64, welcome.epoch, 5));
        cr_assert(eq(u64, welcome.accepted, 9));
        cr_assert(eq(u64, welcome.durable, 7));
        cr_assert(eq(u64, welcome.identity, UINT64_MAX));
        cr_assert(eq(u64, welcome.format, 1));
        record_writer_deinit(&writer);
}

Test(runstore_protocol, hello_and_refusal_are_read_as_they_were_written) {
        RecordWriter writer = {};
        RunStoreRefusal refusal;
        RunStoreHello hello;
        RunStoreFrame frame;

        runstore_frame_begin(&writer, RUNSTORE_HELLO, 0);
        runstore_put_hello(&writer, &(RunStoreHello) { 1, UINT64_MAX, 3 });
        cr_assert(eq(int, runstore_frame_end(&writer), 0));
        frame = read_frame(&writer);
        cr_assert(eq(int, runstore_get_hello(&frame, &hello), 0));
        cr_assert(eq(u64, hello.epoch, UINT64_MAX));
        cr_assert(eq(int, runstore_get_refusal(&frame, &refusal), -EBADMSG));
        runstore_frame_begin(&writer, RUNSTORE_REFUSED, 3);
        runstore_put_refusal(&writer, RUNSTORE_REFUSED_FULL, "full");
        cr_assert(eq(int, runstore_frame_end(&writer), 0));
        frame = read_frame(&writer);
        cr_assert(eq(int, runstore_get_refusal(&frame, &refusal), 0));
        cr_assert(eq(int, refusal.reason, RUNSTORE_REFUSED_FULL));
        assert_string(refusal.sentence, "full");
        record_writer_deinit(&writer);
}

Test(runstore_protocol, torn_frame_waits_for_its_rest) {
        RecordWriter writer = {};
        RunStoreFrame frame;
        size_t missing;

        runstore_frame_begin(&writer, RUNSTORE_REFUSED, 1);
        runstore_put_refusal(&writer, RUNSTORE_REFUSED_FULL, "some words");
        cr_assert(eq(int, runstore_frame_end(&writer), 0));
        for (size_t n = 0; n < writer.n; n++) {
                missing = 0;
                cr_assert(eq(int, (int) runstore_frame_read(writer.bytes, n, &frame, &missing), 0));
                cr_assert(eq(sz, missing, n < sizeof(RunStoreHeader) ? sizeof(RunStoreHeader) - n : writer.n - n));
        }
        record_writer_deinit(&writer);
}

Test(runstore_protocol, header_that_is_wrong_is_refused_before_its_body) {
        const struct {
                RunStoreHeader header;
                int error;
        } cases[] = {
                { { .kind = RUNSTORE_BATCH, .version = 2 }, -EPROTONOSUPPORT },
                { { .kind = 0, .version = 1 }, -EBADMSG },
                { { .kind = _RUNSTORE_KIND_MAX, .version = 1 }, -EBADMSG },
                { { .kind = RUNSTORE_BATCH, .version = 1, .length = RUNSTORE_FRAME_MAX + 1 }, -EMSGSIZE },
                { { .kind = RUNSTORE_BATCH, .version = 1, .length = UINT32_MAX }, -EMSGSIZE },
                { { .kind = RUNSTORE_BATCH, .version = 1, .length = RUNSTORE_FRAME_MAX }, 0 },
        };
        RunStoreFrame frame;
        size_t missing;

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                cr_assert(eq(int,
                             (int) runstore_frame_read((const uint8_t *) &cases[i].header, sizeof(RunStoreHeader),
                                                       &frame, &missing),
                             cases[i].error),
                          "case %zu", i);
}

/* — operations — */

Test(runstore_protocol, operations_are_read_as_they_were_written) {
        RunStoreOperation operation;
        RecordWriter writer = {};
        RecordReader reader;

        runstore_put_operation(&writer, RUNSTORE_NODE, RUNSTORE_PUT, 4);
        runstore_put_integer(&writer, NODE_RUN, INT64_MIN);
        runstore_put_text(&writer, NODE_NAME, "ünder");
        runstore_put_text(&writer, NODE_STATE, NULL);
        runstore_put_bytes(&writer, NODE_BLOB, "a\0b", 3);
        runstore_put_operation(&writer, RUNSTORE_NODE, RUNSTORE_DELETE, 1);
        runstore_put_integer(&writer, NODE_RUN, 7);
        cr_assert(eq(int, runstore_check_operations(writer.bytes, writer.n), 0));
        record_reader_init(&reader, writer.bytes, writer.n);
        cr_assert(eq(int, runstore_next_operation(&reader, &operation), 1));
        cr_assert(eq(int, operation.table, RUNSTORE_NODE));
        cr_assert(eq(i64, operation.values[NODE_RUN].integer, INT64_MIN));
        assert_string(operation.values[NODE_NAME].bytes, "ünder");
        cr_assert(eq(sz, operation.values[NODE_NAME].n, strlen("ünder")));
        cr_assert(eq(int, operation.values[NODE_STATE].type, RUNSTORE_NULL));
        cr_assert(eq(sz, operation.values[NODE_BLOB].n, 3));
        cr_assert(eq(int, memcmp(operation.values[NODE_BLOB].bytes, "a\0b", 3), 0));
        cr_assert(eq(u64, operation.columns, 1 << NODE_RUN | 1 << NODE_NAME | 1 << NODE_STATE | 1 << NODE_BLOB));
        cr_assert(eq(int, runstore_next_operation(&reader, &operation), 1));
        cr_assert(eq(int, operation.kind, RUNSTORE_DELETE));
        cr_assert(eq(int, runstore_next_operation(&reader, &operation), 0));
        for (size_t n = 1; n < writer.n; n++)
                if (runstore_check_operations(writer.bytes, n) == 0)
                        cr_assert(eq(sz, n, writer.n - 6), "cut at %zu of %zu", n, writer.n);
        record_writer_deinit(&writer);
}

static void put_integer_run(RecordWriter *writer, RunStoreOperationKind kind, unsigned column) {
        runstore_put_operation(writer, RUNSTORE_RUN, kind, 1);
        runstore_put_integer(writer, column, 1);
}

static void put_pair(RecordWriter *writer, unsigned first, unsigned second) {
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, first, 1);
        runstore_put_integer(writer, second, 1);
}

static void put_text(RecordWriter *writer, unsigned column, const char *text) {
        runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 2);
        runstore_put_integer(writer, RUN_ROW_ID, 1);
        runstore_put_text(writer, column, text);
}

/* Cases that are one thing away from a batch that is good. */
static void put_wrong(RecordWriter *writer, int number) {
        switch (number) {
        case 0:
                put_integer_run(writer, RUNSTORE_PUT, RUN_ROW_ENDED); /* without its key */
                return;
        case 1:
                put_integer_run(writer, RUNSTORE_DELETE, RUN_ROW_ENDED); /* not by its key */
                return;
        case 2:
                put_pair(writer, RUN_ROW_ENDED, RUN_ROW_ID); /* not in order */
                return;
        case 3:
                put_pair(writer, RUN_ROW_ID, RUN_ROW_ID); /* twice */
                return;
        case 4:
                put_pair(writer, RUN_ROW_ID, RUN_ROW_NAME); /* a number for a text */
                return;
        case 5:
                put_pair(writer, RUN_ROW_ID, _RUN_ROW_MAX); /* no column */
                return;
        case 6:
                put_text(writer, RUN_ROW_NAME, "\xff"); /* not UTF-8 */
                return;
        case 7:
                put_integer_run(writer, _RUNSTORE_OPERATION_MAX, RUN_ROW_ID);
                return;
        case 8:
                runstore_put_operation(writer, _RUNSTORE_TABLE_MAX, RUNSTORE_PUT, 0);
                return;
        case 9:
                runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_DELETE, 0); /* all rows */
                return;
        case 10:
                runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, 1);
                runstore_put_null(writer, RUN_ROW_ID);
                return;
        case 11:
                runstore_put_operation(writer, RUNSTORE_NODE, RUNSTORE_DELETE, 1);
                runstore_put_text(writer, NODE_NAME, "not the first of the key");
                return;
        case 12:
                runstore_put_operation(writer, RUNSTORE_RUN, RUNSTORE_PUT, _RUN_ROW_MAX + 1);
                return;
        default:
                cr_assert(false);
        }
}

Test(runstore_protocol, operations_that_cannot_be_written_are_refused) {
        RecordWriter writer = {};

        for (int i = 0; i <= 12; i++) {
                record_writer_clear(&writer);
                put_wrong(&writer, i);
                cr_assert(eq(int, runstore_check_operations(writer.bytes, writer.n), -EBADMSG), "case %d", i);
        }
        record_writer_clear(&writer);
        put_pair(&writer, RUN_ROW_ID, RUN_ROW_ENDED);
        put_text(&writer, RUN_ROW_NAME, "fine");
        put_integer_run(&writer, RUNSTORE_DELETE, RUN_ROW_ID);
        cr_assert(eq(int, runstore_check_operations(writer.bytes, writer.n), 0));
        record_writer_deinit(&writer);
}

/* — queries — */

static int read_query(RecordWriter *writer, const RunStoreQuery *query, RunStoreQuery *ret_query) {
        RunStoreFrame frame;

        runstore_frame_begin(writer, RUNSTORE_QUERY, 1);
        runstore_put_query(writer, query);
        cr_assert(eq(int, runstore_frame_end(writer), 0));
        frame = read_frame(writer);
        return runstore_get_query(&frame, ret_query);
}

Test(runstore_protocol, query_is_read_as_it_was_written) {
        RunStoreQuery query = {
                .table = RUNSTORE_NODE, .columns = 1 << NODE_STATE, .is_descending = true, .limit = 12, .n_filters = 2,
                .filters = { { NODE_RUN, RUNSTORE_EQUAL, { .type = RUNSTORE_INTEGER, .integer = 9 } },
                             { NODE_STATE, RUNSTORE_LESS, { .type = RUNSTORE_TEXT, .bytes = "X", .n = 1 } } },
                .n_cursor = 2, .cursor = { { .type = RUNSTORE_INTEGER, .integer = 9 }, { .type = RUNSTORE_TEXT, .bytes = "n", .n = 1 } },
        }, got;
        RecordWriter writer = {};

        cr_assert(eq(int, read_query(&writer, &query, &got), 0));
        cr_assert(eq(int, got.table, RUNSTORE_NODE));
        cr_assert(eq(u64, got.columns, 1 << NODE_STATE));
        cr_assert(got.is_descending);
        cr_assert(eq(u32, got.limit, 12));
        cr_assert(eq(sz, got.n_filters, 2));
        cr_assert(eq(int, got.filters[1].compare, RUNSTORE_LESS));
        assert_string(got.filters[1].value.bytes, "X");
        assert_string(got.cursor[1].bytes, "n");
        query.limit = 0;
        query.columns = 0;
        cr_assert(eq(int, read_query(&writer, &query, &got), 0));
        cr_assert(eq(u32, got.limit, RUNSTORE_LIMIT_MAX));
        cr_assert(eq(u64, got.columns, (UINT64_C(1) << _NODE_MAX) - 1));
        record_writer_deinit(&writer);
}

Test(runstore_protocol, query_that_cannot_be_asked_is_refused) {
        const RunStoreValue number = { .type = RUNSTORE_INTEGER }, none = {};
        const RunStoreQuery queries[] = {
                { .table = RUNSTORE_RUN, .columns = UINT64_C(1) << _RUN_ROW_MAX },
                { .table = _RUNSTORE_TABLE_MAX },
                { .table = RUNSTORE_RUN, .n_filters = 1, .filters = { { _RUN_ROW_MAX, RUNSTORE_EQUAL, number } } },
                { .table = RUNSTORE_RUN, .n_filters = 1, .filters = { { RUN_ROW_NAME, RUNSTORE_EQUAL, number } } },
                { .table = RUNSTORE_RUN, .n_filters = 1, .filters = { { RUN_ROW_ID, _RUNSTORE_COMPARE_MAX, number } } },
                { .table = RUNSTORE_RUN, .n_filters = 1, .filters = { { RUN_ROW_NAME, RUNSTORE_EQUAL, none } } },
                { .table = RUNSTORE_NODE, .n_cursor = 1, .cursor = { number } },
                { .table = RUNSTORE_NODE, .n_cursor = 2, .cursor = { number, number } },
        };
        RecordWriter writer = {};
        RunStoreQuery got;

        for (size_t i = 0; i < ELEMENTSOF(queries); i++)
                cr_assert(eq(int, read_query(&writer, &queries[i], &got), -EBADMSG), "case %zu", i);
        cr_assert(eq(int, read_query(&writer, &(RunStoreQuery) { .table = RUNSTORE_RUN }, &got), 0));
        record_writer_deinit(&writer);
}

/* — SHA-256 — */

static void assert_hash(const char *text, size_t times, const char *expected) {
        const size_t n = strlen(text);
        char *bytes = malloc(n * times + 1), hex[2 * SHA256_BYTES + 1];
        uint8_t hash[SHA256_BYTES];

        for (size_t i = 0; i < times; i++)
                memcpy(bytes + i * n, text, n);
        sha256(bytes, n * times, hash);
        for (size_t i = 0; i < SHA256_BYTES; i++)
                snprintf(hex + 2 * i, 3, "%02x", hash[i]);
        assert_string(hex, expected);
        free(bytes);
}

/* However the bytes are cut. */
Test(runstore_protocol, hash_is_that_of_all_parts) {
        uint8_t bytes[300], whole[SHA256_BYTES], parts[SHA256_BYTES];

        for (size_t i = 0; i < sizeof(bytes); i++)
                bytes[i] = (uint8_t) (i * 7);
        sha256(bytes, sizeof(bytes), whole);
        for (size_t n = 1; n < sizeof(bytes); n++) {
                Sha256 sum;

                sha256_begin(&sum);
                for (size_t at = 0; at < sizeof(bytes); at += n)
                        sha256_add(&sum, bytes + at, MIN(n, sizeof(bytes) - at));
                sha256_end(&sum, parts);
                cr_assert(memcmp(whole, parts, SHA256_BYTES) == 0, "parts of %zu bytes", n);
        }
}

/* The examples of FIPS 180-4, and lengths about the end of a block. */
Test(runstore_protocol, hash_is_that_of_the_standard) {
        assert_hash("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_hash("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_hash("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        assert_hash("a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
        assert_hash("a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
        assert_hash("a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}
