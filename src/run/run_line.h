/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * What is said to a worker of a pool, and what it says
 *
 *     worker   hello TAB 1 TAB DEPTH NL             once, first: so many items may be out to it
 *     to it    INDEX TAB LENGTH NL and LENGTH bytes: an item
 *     worker   INDEX TAB STATUS TAB LENGTH NL and LENGTH bytes: its end, as an exit status, and its result
 *
 * Numbers are decimal, without a sign and without zeros in front; a line has at most RUN_LINE_MAX bytes, with its NL.
 * A reader takes what a worker writes, in pieces as they come. It judges lines and lengths. Whether an item is out to
 * this worker, and whether a result is JSON, is for the caller to judge.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/record.h"

#define RUN_LINE_MAX 64U
#define RUN_LINE_DEPTH_MAX 1000000U
#define RUN_LINE_PROBLEM_MAX 128U

typedef struct RunLineReader {
        size_t length_max; /* of a result */
        uint32_t depth; /* 0: the worker has not said hello */

        char line[RUN_LINE_MAX];
        size_t n_line; /* of a line that has begun */

        bool is_in_result; /* the line of an answer is whole, its result is not */
        uint64_t index;
        uint8_t status;
        size_t length, n_result;
        char *result; /* owned; only of one that came in pieces */
        size_t allocated;

        char problem[RUN_LINE_PROBLEM_MAX]; /* "": none */
} RunLineReader;

/* Results have @length_max bytes at most, less than SIZE_MAX. */
void run_line_reader_init(RunLineReader *reader, size_t length_max);
void run_line_reader_deinit(RunLineReader *reader);

typedef struct RunLineAnswer {
        uint64_t index;
        uint8_t status;
        const char *result; /* no NUL behind it */
        size_t length;
} RunLineAnswer;

typedef enum RunLineStep {
        RUN_LINE_MORE, /* all bytes are taken, and nothing is whole */
        RUN_LINE_HELLO, /* RunLineReader.depth is known */
        RUN_LINE_ANSWER,
} RunLineStep;

/*
 * Takes bytes up to the end of a line or an answer, and moves @bytes and @n behind them. The result of an answer stays
 * where it is, if it is whole there, or else in the reader until the next call: no byte of a result is copied twice.
 * Returns a RUN_LINE_…; -EPROTO: the worker has broken the rules, .problem says how, and each later call does the same;
 * -ENOMEM: nothing is lost, and a later call goes on.
 */
int run_line_read(RunLineReader *reader, const char **bytes, size_t *n, RunLineAnswer *ret_answer);
/* The worker has closed its end: 0, or -EPROTO if it has said something by half, or no hello. */
int run_line_end(RunLineReader *reader);

/*
 * What another reader needs to go on where this one is: a hello, half a line, half a result. 0, -EBADMSG for what
 * run_line_save() has not written, or with a smaller @length_max; -ENOMEM. The caller initialises @reader.
 */
void run_line_save(const RunLineReader *reader, RecordWriter *writer);
int run_line_restore(RunLineReader *reader, RecordReader *record);

/*
 * Writes an item of @length bytes to a buffer of @size bytes. Returns how many bytes it takes: more than @size, and
 * nothing is written.
 */
size_t run_line_write(char *buffer, size_t size, uint64_t index, const char *item, size_t length);
