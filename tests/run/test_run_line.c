/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Lines of a worker, in one piece, in all pairs of pieces, byte by byte, and with another reader that goes on
 */

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "double/double_memory.h"
#include "run/run_line.h"

#define LENGTH_MAX 20U
#define HELLO "hello\t1\t8\n"

/* What a reader says of some bytes, as text: "hello 8", "7 0 [1]", and its problem. */
typedef struct Trace {
        char text[512];
        size_t n;
} Trace;

#define add(trace, ...) \
        ((trace)->n += (size_t) snprintf((trace)->text + (trace)->n, sizeof((trace)->text) - (trace)->n, __VA_ARGS__))

static void read_all(RunLineReader *reader, const char *bytes, size_t n, Trace *trace) {
        char *copy = malloc(n > 0 ? n : 1); /* of this size, and gone when the next piece comes */
        const char *at = copy;
        RunLineAnswer answer;
        int r;

        memcpy(copy, bytes, n);
        while ((r = run_line_read(reader, &at, &n, &answer)) > 0)
                if (r == RUN_LINE_HELLO)
                        add(trace, "hello %u;", reader->depth);
                else
                        add(trace, "%lu %u %.*s;", answer.index, answer.status, (int) answer.length, answer.result);
        cr_assert(r == -EPROTO || (r == 0 && n == 0));
        free(copy);
}

/* At the end of what the worker says. */
static void finish(RunLineReader *reader, Trace *trace) {
        if (run_line_end(reader) < 0)
                add(trace, "%s", reader->problem);
        run_line_reader_deinit(reader);
}

static Trace trace_pieces(const char *bytes, size_t n, size_t first, size_t piece) {
        RunLineReader reader;
        Trace trace = {};

        run_line_reader_init(&reader, LENGTH_MAX);
        read_all(&reader, bytes, first, &trace);
        for (size_t i = first; i < n; i += piece)
                read_all(&reader, bytes + i, MIN(piece, n - i), &trace);
        finish(&reader, &trace);
        return trace;
}

static int save_and_restore(RunLineReader *reader) {
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RecordReader record;
        RunLineReader other;
        int r;

        run_line_save(reader, &writer);
        cr_assert(not(writer.has_failed));
        record_reader_init(&record, writer.bytes, writer.n);
        run_line_reader_init(&other, LENGTH_MAX);
        r = run_line_restore(&other, &record);
        cr_assert(r < 0 || record_is_at_end(&record));
        run_line_reader_deinit(reader);
        *reader = other;
        return r;
}

/* With another reader after each byte. */
static Trace trace_restored(const char *bytes, size_t n) {
        RunLineReader reader;
        Trace trace = {};

        run_line_reader_init(&reader, LENGTH_MAX);
        for (size_t i = 0; i < n; i++) {
                read_all(&reader, bytes + i, 1, &trace);
                cr_assert(eq(int, save_and_restore(&reader), 0));
        }
        finish(&reader, &trace);
        return trace;
}

static void check_bytes(const char *bytes, size_t n, const char *wanted) {
        for (size_t first = 0; first <= n; first++) {
                assert_string(trace_pieces(bytes, n, first, n).text, wanted);
                assert_string(trace_pieces(bytes, n, first, 1).text, wanted);
                assert_string(trace_pieces(bytes, n, first, 3).text, wanted);
        }
        assert_string(trace_restored(bytes, n).text, wanted);
}

static void check(const char *bytes, const char *wanted) {
        check_bytes(bytes, strlen(bytes), wanted);
}

Test(run_line, answers_come_in_any_pieces) {
        check(HELLO, "hello 8;");
        check("hello\t1\t1000000\n", "hello 1000000;");
        check(HELLO "7\t0\t3\n[1]", "hello 8;7 0 [1];");
        check(HELLO "7\t0\t3\n[1]8\t75\t0\n9\t1\t4\nnull0\t255\t0\n", "hello 8;7 0 [1];8 75 ;9 1 null;0 255 ;");
        check(HELLO "18446744073709551614\t0\t20\n\n\n\n1\t0\t3\n[1]2345678\n",
              "hello 8;18446744073709551614 0 \n\n\n1\t0\t3\n[1]2345678\n;");
}

Test(run_line, a_nul_is_a_byte_of_a_result) {
        static const char bytes[] = HELLO "1\t0\t2\n\0\0";
        const char *at = bytes;
        RunLineReader reader;
        RunLineAnswer answer;
        size_t n = sizeof(bytes) - 1;

        run_line_reader_init(&reader, LENGTH_MAX);
        cr_assert(eq(int, run_line_read(&reader, &at, &n, &answer), RUN_LINE_HELLO));
        cr_assert(eq(int, run_line_read(&reader, &at, &n, &answer), RUN_LINE_ANSWER));
        cr_assert(eq(sz, answer.length, 2));
        cr_assert(eq(int, memcmp(answer.result, "\0\0", 2), 0));
        run_line_reader_deinit(&reader);
}

Test(run_line, the_first_line_is_a_hello) {
        static const char none[] = "the first line does not begin with \"hello\" and a tab";
        static const char depth[] = "the depth in the first line is no number from 1 to 1000000";

        check("1\t0\t0\n", none);
        check("\n", none);
        check("hello\n", none);
        check("hello 1 8\n", none);
        check("Hello\t1\t8\n", none);
        check("hello\tx\t8\n", "there is no number and tab behind \"hello\"");
        check("hello\t1\n", "there is no number and tab behind \"hello\"");
        check("hello\t2\t8\n", "the worker speaks version 2, and not 1");
        check("hello\t1\t0\n", depth);
        check("hello\t1\t08\n", depth);
        check("hello\t1\t1000001\n", depth);
        check("hello\t1\t8\t\n", depth);
        check("hello\t1\t8\r\n", depth);
        check(HELLO HELLO, "hello 8;a line does not begin with the index of an item and a tab");
}

Test(run_line, numbers_are_digits_and_nothing_else) {
        static const char index[] = "hello 8;a line does not begin with the index of an item and a tab";
        static const char status[] = "hello 8;the status of item 1 is no number up to 255, with a tab behind it";
        static const char length[] = "hello 8;the length of the result of item 1 is no number, at the end of its line";

        check(HELLO "\n", index);
        check(HELLO "-1\t0\t0\n", index);
        check(HELLO "+1\t0\t0\n", index);
        check(HELLO " 1\t0\t0\n", index);
        check(HELLO "01\t0\t0\n", index);
        check(HELLO "00\t0\t0\n", index);
        check(HELLO "0x1\t0\t0\n", index);
        check(HELLO "1\n", index);
        check(HELLO "1 0 0\n", index);
        check(HELLO "18446744073709551615\t0\t0\n", index);
        check(HELLO "18446744073709551616\t0\t0\n", index);
        check(HELLO "99999999999999999999\t0\t0\n", index);
        check(HELLO "1\t256\t0\n", status);
        check(HELLO "1\t\t0\n", status);
        check(HELLO "1\t0\n", status);
        check(HELLO "1\t-1\t0\n", status);
        check(HELLO "1\t0\t\n", length);
        check(HELLO "1\t0\t1x\n", length);
        check(HELLO "1\t0\t1\t\n", length);
        check(HELLO "1\t0\t007\n", length);
        check(HELLO "1\t0\t18446744073709551616\n", length);
        check_bytes(HELLO "1\t0\t\0\n", sizeof(HELLO) - 1 + 6, length);
}

Test(run_line, lengths_are_bounded) {
        check(HELLO "1\t0\t20\n12345678901234567890", "hello 8;1 0 12345678901234567890;");
        check(HELLO "1\t0\t21\n", "hello 8;the result of item 1 has 21 bytes, and 20 are allowed");
        check(HELLO "1\t0\t1073741824\n", "hello 8;the result of item 1 has 1073741824 bytes, and 20 are allowed");
        check(HELLO "1\t0\t18446744073709551615\n",
              "hello 8;the result of item 1 has 18446744073709551615 bytes, and 20 are allowed");
        check("0123456789012345678901234567890123456789012345678901234567890123456789",
              "a line has more than 64 bytes");
        check("012345678901234567890123456789012345678901234567890123456789012\n",
              "the first line does not begin with \"hello\" and a tab");
        check("0123456789012345678901234567890123456789012345678901234567890123\n", "a line has more than 64 bytes");
}

Test(run_line, an_end_in_between_is_a_problem) {
        check("", "the worker has ended before its first line");
        check("hel", "the worker has ended in a line");
        check(HELLO "1\t", "hello 8;the worker has ended in a line");
        check(HELLO "1\t0\t3\n", "hello 8;the worker has ended in the result of item 1");
        check(HELLO "1\t0\t3\n[1", "hello 8;the worker has ended in the result of item 1");
}

Test(run_line, a_problem_stays) {
        const char *bytes = "x\n" HELLO;
        size_t n = strlen(bytes);
        RunLineReader reader;
        RunLineAnswer answer;

        run_line_reader_init(&reader, LENGTH_MAX);
        for (unsigned i = 0; i < 3; i++) {
                cr_assert(eq(int, run_line_read(&reader, &bytes, &n, &answer), -EPROTO));
                assert_string(reader.problem, "the first line does not begin with \"hello\" and a tab");
                cr_assert(eq(int, save_and_restore(&reader), 0));
        }
        run_line_reader_deinit(&reader);
}

Test(run_line, a_result_that_is_whole_is_not_copied) {
        static const char bytes[] = HELLO "1\t0\t3\n[1]";
        const char *at = bytes;
        RunLineReader reader;
        RunLineAnswer answer;
        size_t n = sizeof(bytes) - 1;

        run_line_reader_init(&reader, LENGTH_MAX);
        (void) run_line_read(&reader, &at, &n, &answer);
        double_memory_arm(1, true);
        cr_assert(eq(int, run_line_read(&reader, &at, &n, &answer), RUN_LINE_ANSWER));
        cr_assert(not(double_memory_disarm()));
        cr_assert(eq(ptr, (void *) answer.result, (void *) (bytes + sizeof(bytes) - 4)));
        run_line_reader_deinit(&reader);
}

Test(run_line, without_memory_nothing_is_lost) {
        const char *bytes = HELLO "1\t0\t3\n[1";
        size_t n = strlen(bytes);
        RunLineReader reader;
        RunLineAnswer answer;

        run_line_reader_init(&reader, LENGTH_MAX);
        (void) run_line_read(&reader, &bytes, &n, &answer);
        double_memory_arm(1, true);
        cr_assert(eq(int, run_line_read(&reader, &bytes, &n, &answer), -ENOMEM));
        cr_assert(double_memory_disarm());
        cr_assert(eq(int, run_line_read(&reader, &bytes, &n, &answer), RUN_LINE_MORE));
        cr_assert(eq(sz, n, 0));
        bytes = "]";
        n = 1;
        cr_assert(eq(int, run_line_read(&reader, &bytes, &n, &answer), RUN_LINE_ANSWER));
        cr_assert(eq(int, memcmp(answer.result, "[1]", 3), 0));
        run_line_reader_deinit(&reader);
}

/* Each byte changed, and each beginning: refused, or a reader like any other. */
Test(run_line, a_damaged_record_is_refused) {
        static const char *const states[] = { "", "hel", HELLO, HELLO "12\t3", HELLO "12\t3\t10\n", HELLO "12\t3\t10\n[12", "x\n" };

        for (size_t k = 0; k < ELEMENTSOF(states); k++) {
                cleanup_(record_writer_deinit) RecordWriter writer = {};
                RunLineReader reader;
                Trace trace = {};

                run_line_reader_init(&reader, LENGTH_MAX);
                read_all(&reader, states[k], strlen(states[k]), &trace);
                run_line_save(&reader, &writer);
                run_line_reader_deinit(&reader);
                for (size_t i = 0; i < writer.n * 256; i++) {
                        const size_t n = i % 256 == 0 ? i / 256 : writer.n;
                        uint8_t *copy = malloc(n > 0 ? n : 1);
                        RecordReader record;
                        int r;

                        memcpy(copy, writer.bytes, n);
                        if (n == writer.n)
                                copy[i / 256] ^= (uint8_t) (i % 256);
                        record_reader_init(&record, copy, n);
                        run_line_reader_init(&reader, LENGTH_MAX);
                        r = run_line_restore(&reader, &record);
                        cr_assert(r == -EBADMSG || (r == 0 && n == writer.n), "%zu %zu: %d", k, i, r);
                        free(copy);
                        if (r == 0)
                                read_all(&reader, "1\n23\n4", 6, &trace);
                        trace.n = 0;
                        run_line_reader_deinit(&reader);
                }
        }
}

Test(run_line, a_result_that_is_longer_than_the_next_reader_allows_is_refused) {
        const char *bytes = HELLO "1\t0\t10\n[1";
        cleanup_(record_writer_deinit) RecordWriter writer = {};
        RunLineReader reader;
        RecordReader record;
        Trace trace = {};

        run_line_reader_init(&reader, 10);
        read_all(&reader, bytes, strlen(bytes), &trace);
        run_line_save(&reader, &writer);
        run_line_reader_deinit(&reader);
        run_line_reader_init(&reader, 9);
        record_reader_init(&record, writer.bytes, writer.n);
        cr_assert(eq(int, run_line_restore(&reader, &record), -EBADMSG));
        run_line_reader_deinit(&reader);
}

Test(run_line, an_item_is_written_if_it_fits) {
        char buffer[RUN_LINE_MAX] = "unchanged";

        cr_assert(eq(sz, run_line_write(buffer, 0, 7, "abc", 3), 7));
        cr_assert(eq(sz, run_line_write(buffer, 6, 7, "abc", 3), 7));
        assert_string(buffer, "unchanged");
        cr_assert(eq(sz, run_line_write(buffer, 7, 7, "abc", 3), 7));
        cr_assert(eq(int, memcmp(buffer, "7\t3\nabced", 9), 0));
        cr_assert(eq(sz, run_line_write(buffer, sizeof(buffer), UINT64_MAX - 1, NULL, 0), 23));
        cr_assert(eq(int, memcmp(buffer, "18446744073709551614\t0\n", 23), 0));
        cr_assert(run_line_write(buffer, sizeof(buffer), 1, "", SIZE_MAX) > sizeof(buffer));
}
