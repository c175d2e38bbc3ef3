/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Lines of a worker
 *
 * Lines are short: they are gathered in the reader, and judged when they are
 * whole. A result is looked for in the bytes of the caller first. Only one
 * that is not whole there is gathered, in memory of its length: as the length
 * is bounded, a worker cannot ask for more.
 *
 * What is half-read is saved as the bytes that were read, and restored by
 * reading them: there is no state that bytes cannot bring about.
 */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "run/run_line.h"

#define VERSION 1U

void run_line_reader_init(RunLineReader *reader, size_t length_max) {
        assert(length_max < SIZE_MAX);

        *reader = (RunLineReader) { .length_max = length_max };
}

void run_line_reader_deinit(RunLineReader *reader) {
        free(reader->result);
        *reader = (RunLineReader) {};
}

printf_(2, 3) static int refuse(RunLineReader *reader, const char *format, ...) {
        va_list args;

        va_start(args, format);
        vsnprintf(reader->problem, sizeof(reader->problem), format, args);
        va_end(args);
        return -EPROTO;
}

/* — a line — */

/* Takes a number up to @limit from the line, and the byte @after it. */
static bool take_number(const char **at, const char *end, uint64_t limit, char after, uint64_t *ret_value) {
        const char *digit = *at;
        uint64_t value = 0;

        for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
                if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
                    __builtin_add_overflow(value, (uint64_t) (*digit - '0'), &value))
                        return false;
        if (digit == *at || (**at == '0' && digit > *at + 1) || digit == end || *digit != after || value > limit)
                return false;
        *at = digit + 1;
        *ret_value = value;
        return true;
}

static int judge_hello(RunLineReader *reader) {
        static const char hello[] = "hello\t";
        const char *at = reader->line + sizeof(hello) - 1, *end = reader->line + reader->n_line;
        uint64_t version, depth;

        if (reader->n_line < sizeof(hello) || memcmp(reader->line, hello, sizeof(hello) - 1) != 0)
                return refuse(reader, "the first line does not begin with \"hello\" and a tab");
        if (!take_number(&at, end, UINT64_MAX, '\t', &version))
                return refuse(reader, "there is no number and tab behind \"hello\"");
        if (version != VERSION)
                return refuse(reader, "the worker speaks version %llu, and not %u", (unsigned long long) version,
                              VERSION);
        if (!take_number(&at, end, RUN_LINE_DEPTH_MAX, '\n', &depth) || at != end || depth == 0)
                return refuse(reader, "the depth in the first line is no number from 1 to %u", RUN_LINE_DEPTH_MAX);
        reader->depth = (uint32_t) depth;
        return RUN_LINE_HELLO;
}

static int judge_answer(RunLineReader *reader) {
        const char *at = reader->line, *end = reader->line + reader->n_line;
        uint64_t index, status, length;

        if (!take_number(&at, end, UINT64_MAX - 1, '\t', &index))
                return refuse(reader, "a line does not begin with the index of an item and a tab");
        if (!take_number(&at, end, UINT8_MAX, '\t', &status))
                return refuse(reader, "the status of item %llu is no number up to %u, with a tab behind it",
                              (unsigned long long) index, UINT8_MAX);
        if (!take_number(&at, end, UINT64_MAX, '\n', &length))
                return refuse(reader, "the length of the result of item %llu is no number, at the end of its line",
                              (unsigned long long) index);
        if (length > reader->length_max)
                return refuse(reader, "the result of item %llu has %llu bytes, and %zu are allowed",
                              (unsigned long long) index, (unsigned long long) length, reader->length_max);
        reader->index = index;
        reader->status = (uint8_t) status;
        reader->length = (size_t) length;
        reader->n_result = 0;
        reader->is_in_result = true;
        return RUN_LINE_MORE;
}

/* Takes bytes up to the end of the line. */
static int read_line(RunLineReader *reader, const char **bytes, size_t *n) {
        const size_t n_free = RUN_LINE_MAX - reader->n_line;
        const char *end = memchr(*bytes, '\n', MIN(*n, n_free));
        const size_t taken = end ? (size_t) (end - *bytes) + 1 : MIN(*n, n_free);
        int r;

        memcpy(reader->line + reader->n_line, *bytes, taken);
        reader->n_line += taken;
        *bytes += taken;
        *n -= taken;
        if (!end)
                return reader->n_line < RUN_LINE_MAX ? RUN_LINE_MORE :
                                                       refuse(reader, "a line has more than %u bytes", RUN_LINE_MAX);
        r = reader->depth == 0 ? judge_hello(reader) : judge_answer(reader);
        reader->n_line = 0;
        return r;
}

/* — a result — */

static int answer(RunLineReader *reader, const char *result, RunLineAnswer *ret_answer) {
        reader->is_in_result = false;
        *ret_answer = (RunLineAnswer) {
                .index = reader->index, .status = reader->status, .result = result, .length = reader->length
        };
        return RUN_LINE_ANSWER;
}

static int reserve(RunLineReader *reader) {
        char *result;

        if (reader->length <= reader->allocated)
                return 0;
        result = malloc(reader->length);
        if (!result)
                return -ENOMEM;
        free(reader->result);
        reader->result = result;
        reader->allocated = reader->length;
        return 0;
}

static int read_result(RunLineReader *reader, const char **bytes, size_t *n, RunLineAnswer *ret_answer) {
        const char *begin = *bytes;
        const size_t taken = MIN(*n, reader->length - reader->n_result);

        if (reader->n_result > 0 || taken < reader->length) {
                if (reader->n_result == 0 && reserve(reader) < 0)
                        return -ENOMEM;
                memcpy(reader->result + reader->n_result, begin, taken);
                begin = reader->result;
        }
        reader->n_result += taken;
        *bytes += taken;
        *n -= taken;
        return reader->n_result < reader->length ? RUN_LINE_MORE : answer(reader, begin, ret_answer);
}

/* Takes what the bytes have of a line or of a result. */
static int read_part(RunLineReader *reader, const char **bytes, size_t *n, RunLineAnswer *ret_answer) {
        int r;

        if (reader->is_in_result)
                return read_result(reader, bytes, n, ret_answer);
        r = read_line(reader, bytes, n);
        return r == RUN_LINE_MORE && reader->is_in_result && reader->length == 0 ? answer(reader, "", ret_answer) : r;
}

int run_line_read(RunLineReader *reader, const char **bytes, size_t *n, RunLineAnswer *ret_answer) {
        int r = RUN_LINE_MORE;

        if (reader->problem[0] != '\0')
                return -EPROTO;
        while (*n > 0 && r == RUN_LINE_MORE)
                r = read_part(reader, bytes, n, ret_answer);
        return r;
}

int run_line_end(RunLineReader *reader) {
        if (reader->problem[0] != '\0')
                return -EPROTO;
        if (reader->is_in_result)
                return refuse(reader, "the worker has ended in the result of item %llu",
                              (unsigned long long) reader->index);
        if (reader->n_line > 0)
                return refuse(reader, "the worker has ended in a line");
        return reader->depth > 0 ? 0 : refuse(reader, "the worker has ended before its first line");
}

/* — saving — */

/* The bytes that bring a reader which has its hello to where this one is; empty between two answers. */
void run_line_save(const RunLineReader *reader, RecordWriter *writer) {
        const bool has_problem = reader->problem[0] != '\0';
        char line[RUN_LINE_MAX];
        int n;

        record_put_string(writer, has_problem ? reader->problem : NULL);
        record_put(writer, reader->depth);
        record_put(writer, reader->is_in_result && !has_problem);
        if (!reader->is_in_result || has_problem) {
                record_put_bytes(writer, reader->line, has_problem ? 0 : reader->n_line);
                return;
        }
        n = snprintf(line, sizeof(line), "%llu\t%u\t%zu\n", (unsigned long long) reader->index, reader->status,
                     reader->length);
        record_put_bytes(writer, line, (size_t) n);
        record_put_bytes(writer, reader->result, reader->n_result);
}

/* Bytes that must not make anything whole. */
static int read_again(RunLineReader *reader, RecordReader *record) {
        RunLineAnswer none;
        size_t n;
        const char *bytes = record_get_bytes(record, &n);
        const int r = run_line_read(reader, &bytes, &n, &none);

        if (r == -ENOMEM)
                return r;
        return record->has_failed || r != RUN_LINE_MORE ? -EBADMSG : 0;
}

int run_line_restore(RunLineReader *reader, RecordReader *record) {
        const char *problem = record_get_string(record);
        const uint32_t depth = (uint32_t) record_get_below(record, RUN_LINE_DEPTH_MAX + 1);
        const bool is_in_result = record_get_below(record, 2);
        int r;

        if (record->has_failed || (problem && (problem[0] == '\0' || strlen(problem) >= sizeof(reader->problem))))
                return -EBADMSG;
        reader->depth = depth;
        r = read_again(reader, record);
        if (r >= 0 && reader->is_in_result != is_in_result)
                r = -EBADMSG;
        if (r >= 0 && is_in_result)
                r = read_again(reader, record);
        if (r >= 0 && problem)
                (void) refuse(reader, "%s", problem);
        return r;
}

/* — to a worker — */

size_t run_line_write(char *buffer, size_t size, uint64_t index, const char *item, size_t length) {
        char line[RUN_LINE_MAX];
        const size_t n = (size_t) snprintf(line, sizeof(line), "%llu\t%zu\n", (unsigned long long) index, length);

        if (length > SIZE_MAX - n)
                return SIZE_MAX;
        if (n + length > size)
                return n + length;
        memcpy(buffer, line, n);
        if (length > 0)
                memcpy(buffer + n, item, length);
        return n + length;
}
