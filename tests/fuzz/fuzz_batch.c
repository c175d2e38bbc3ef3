/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What a worker of a pool writes, and checkpoints of a range
 *
 * An input says which of them follows. What a worker writes comes in pieces of a length, which is a byte of the input: it
 * is the same in one piece, and with another reader after each piece; answers, written again, are what came. A checkpoint
 * gets a hash that fits: it is refused, or makes a range whose counts fit each other, which is the same when it is saved
 * and restored, and comes to its end.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/text.h"
#include "fuzz.h"
#include "run/run_line.h"
#include "run/run_range.h"

#define NOW USEC_PER_DAY
#define ITEMS_MAX 300U /* that a range is played with */
#define SPAN_MAX 3000U

/* — lines — */

static void add_answer(const RunLineReader *reader, int step, const RunLineAnswer *answer, Text *text) {
        if (step == RUN_LINE_HELLO) {
                text_addf(text, "hello\t1\t%" PRIu32 "\n", reader->depth);
                return;
        }
        fuzz_check(step == RUN_LINE_ANSWER && answer->length <= reader->length_max && reader->depth > 0);
        text_addf(text, "%" PRIu64 "\t%u\t%zu\n", answer->index, answer->status, answer->length);
        text_add_n(text, answer->result, answer->length);
}

static void replace_reader(RunLineReader *reader) {
        const size_t length_max = reader->length_max;
        RecordWriter writer = {};
        RecordReader record;

        run_line_save(reader, &writer);
        run_line_reader_deinit(reader);
        run_line_reader_init(reader, length_max);
        record_reader_init(&record, writer.bytes, writer.n);
        fuzz_check(run_line_restore(reader, &record) == 0 && record_is_at_end(&record));
        record_writer_deinit(&writer);
}

/* Whether the worker has kept the rules; what it has said that is whole is added. */
static bool read_lines(RunLineReader *reader, const char *bytes, size_t n, size_t piece, bool is_replaced, Text *text) {
        RunLineAnswer answer;
        int r = 0;

        for (size_t i = 0; i < n && r >= 0; i += piece) {
                const size_t n_piece = n - i < piece ? n - i : piece;
                char *copy = malloc(n_piece);
                const char *at = copy;
                size_t n_left = n_piece;

                memcpy(copy, bytes + i, n_piece);
                while ((r = run_line_read(reader, &at, &n_left, &answer)) > 0)
                        add_answer(reader, r, &answer, text);
                fuzz_check(r == -EPROTO || n_left == 0);
                fuzz_check((r == -EPROTO) == (reader->problem[0] != '\0'));
                free(copy);
                if (is_replaced)
                        replace_reader(reader);
        }
        return run_line_end(reader) == 0;
}

static void check_lines(FuzzInput *input) {
        const size_t length_max = fuzz_byte(input), piece = fuzz_byte(input) + 1U;
        size_t n;
        char *bytes = fuzz_rest(input, &n);
        RunLineReader readers[3];
        Text texts[3] = {};
        bool is_whole = false;

        for (unsigned i = 0; i < 3; i++) {
                run_line_reader_init(&readers[i], length_max);
                is_whole = read_lines(&readers[i], bytes, n, i == 0 ? n : piece, i == 2, &texts[i]);
                fuzz_check(texts[i].n <= n && (texts[i].n == 0 || memcmp(texts[i].string, bytes, texts[i].n) == 0));
                fuzz_check(!is_whole || (texts[i].n == n && readers[i].depth > 0));
                fuzz_check(texts[i].n == texts[0].n);
                fuzz_check_string(readers[i].problem, readers[0].problem);
        }
        for (unsigned i = 0; i < 3; i++) {
                run_line_reader_deinit(&readers[i]);
                text_deinit(&texts[i]);
        }
        free(bytes);
}

/* — checkpoints — */

static void check_counts(const RunRange *range) {
        RunRangeCounts counts;

        run_range_count(range, &counts);
        fuzz_check(counts.base <= counts.next && counts.next <= counts.n && counts.over <= counts.next);
        fuzz_check(counts.next - counts.base <= RUN_RANGE_WINDOW_MAX && counts.out <= counts.slots);
        fuzz_check(counts.launch_errors <= counts.launch_over);
        fuzz_check(!counts.is_over || (counts.base == counts.n && counts.over == counts.n && counts.waiting == 0));
}

static void check_same(const RunRangeSettings *settings, const RunRange *range) {
        RecordWriter before = {}, after = {};
        RunRange *other = NULL;
        RecordReader record;

        run_range_save(range, NOW, &before);
        record_reader_init(&record, before.bytes, before.n);
        fuzz_check(run_range_restore(settings, &record, NOW, &other) == 0 && record_is_at_end(&record));
        run_range_save(other, NOW, &after);
        fuzz_check(before.n == after.n && memcmp(before.bytes, after.bytes, before.n) == 0);
        run_range_free(other);
        record_writer_deinit(&before);
        record_writer_deinit(&after);
}

static void play(RunRange *range) {
        RunRangeIssue issued;
        RunRangeItem item;

        run_range_launch(range, NOW);
        for (unsigned i = 0; i < ITEMS_MAX; i++) {
                issued = run_range_issue(range, USEC_INFINITY, &item);
                if (issued != RUN_RANGE_ISSUED)
                        break;
                fuzz_check(run_range_is_out(range, item.index));
                fuzz_check(run_range_end(range, item.index, RUN_RANGE_SUCCESS, NOW, 0, 0) <= RUN_RANGE_MENDED);
        }
        check_counts(range);
}

/* Many items take long: there is nothing else to be seen with them. */
static bool is_long(const char *bytes, size_t n) {
        RecordReader record;

        record_reader_init(&record, bytes, n);
        (void) record_get(&record);
        (void) record_get(&record);
        return record_get(&record) > SPAN_MAX;
}

static void check_checkpoint(FuzzInput *input) {
        RunRangeSettings settings = { .n = UINT64_MAX - 1, .window = 100, .slots = 10 };
        RecordWriter writer = {};
        uint64_t sum = HASH_BEGIN;
        RunRange *range = NULL;
        RecordReader record;
        size_t n;
        char *bytes;
        int r;

        if (fuzz_choose(input, 2) > 0)
                settings.n = fuzz_number(input, 2);
        bytes = fuzz_rest(input, &n);
        for (size_t i = 0; i < n; i++)
                sum = hash_add_byte(sum, bytes[i]);
        record_put_bytes(&writer, bytes, n);
        record_put_time(&writer, sum);
        record_reader_init(&record, writer.bytes, writer.n);
        r = is_long(bytes, n) ? -EBADMSG : run_range_restore(&settings, &record, NOW, &range);
        fuzz_check(r == 0 || r == -EBADMSG || r == -EINVAL || r == -ENOMEM);
        if (r == 0) {
                check_counts(range);
                check_same(&settings, range);
                play(range);
                run_range_free(range);
        }
        record_writer_deinit(&writer);
        free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        FuzzInput input = { bytes, bytes + n };

        switch (fuzz_choose(&input, 2)) {
        case 0:
                check_lines(&input);
                break;
        case 1:
                check_checkpoint(&input);
                break;
        }
        return 0;
}
