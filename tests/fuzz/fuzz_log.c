/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Log records: lines of a file, bytes of a stream, and whole files
 *
 * A line that can be read is written again and is the same then. The records of a stream have all of its bytes. What was
 * written to a file is read from it, whatever stands behind it; the last records of a file are the end of all of them.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "fuzz.h"
#include "log/log_frame.h"
#include "log/log_reader.h"
#include "log/log_record.h"
#include "log/log_source.h"

#define UNIT "a.service"
#define ENTRIES_MAX 100000U

/* — a line — */

static bool same(const char *a, const char *b) {
        return text_equal(a && *a ? a : NULL, b && *b ? b : NULL);
}

static void check_context(const LogContext *context) {
        cleanup_free_ char *written = NULL, *kept = NULL;
        LogContext again = {};
        LogRecord record;
        Text text = {};

        log_context_write(context, &text);
        fuzz_check(text_finish(&text, &written) == 0 && text_copy(written, &kept) == 0);
        fuzz_check(log_line_read(written, strlen(written) - 1, &again, &record) == 1);
        fuzz_check(same(context->unit && *context->unit ? context->unit : "-", again.unit));
        fuzz_check(same(context->invocation, again.invocation) && same(context->boot, again.boot));
        fuzz_check(same(context->identifier, again.identifier) && same(context->extra, again.extra));
        fuzz_check(context->pid == again.pid);
}

static void check_record(const LogRecord *record) {
        cleanup_free_ char *written = NULL;
        LogRecord again = {};
        LogContext context;
        Text text = {};
        size_t n;

        log_record_write(record, &text);
        n = text.n;
        fuzz_check(text_finish(&text, &written) == 0 && written[n - 1] == '\n');
        fuzz_check(log_line_read(written, n - 1, &context, &again) == 2);
        fuzz_check(again.realtime == record->realtime && again.monotonic == record->monotonic &&
                   again.priority == record->priority && again.mark == record->mark &&
                   again.length == record->length && memcmp(again.message, record->message, record->length) == 0);
}

static void check_line(FuzzInput *input) {
        LogContext context = {};
        LogRecord record = {};
        size_t n;
        cleanup_free_ char *line = fuzz_rest(input, &n);
        char *end = memchr(line, '\n', n);
        int r;

        if (end)
                n = (size_t) (end - line);
        r = log_line_read(line, n, &context, &record);
        if (r == 1)
                check_context(&context);
        else if (r == 2)
                check_record(&record);
}

static void check_name(FuzzInput *input) {
        cleanup_free_ char *unit = fuzz_string(input);
        char name[LOG_FILE_NAME_MAX];
        size_t length;
        usec_t time;

        (void) log_file_name_read(unit, &length, &time);
        log_file_name(unit, name);
        fuzz_check(strlen(name) < LOG_FILE_NAME_MAX && !strchr(name, '/') && name[0] != '.');
        if (*unit) {
                fuzz_check(log_file_name_read(name, &length, &time));
                fuzz_check(length == strlen(name) && time == 0);
        }
}

/* — a stream — */

/* What @record is of; bytes are marked as they were written. */
static size_t take_record(const char *at, size_t n, const LogRecord *record, bool has_prefix) {
        size_t prefix = (size_t) (record->message - at);

        fuzz_check(prefix == 0 || (prefix == 3 && has_prefix && at[0] == '<' && at[2] == '>'));
        fuzz_check(record->priority <= 7);
        fuzz_check(!memchr(record->message, '\n', record->length));
        n -= prefix + record->length;
        fuzz_check(record->mark != LOG_MARK_WHOLE || (n > 0 && record->message[record->length] == '\n'));
        fuzz_check(record->mark != LOG_MARK_END || n == 0);
        return prefix + record->length + (record->mark == LOG_MARK_WHOLE);
}

static void check_stream(FuzzInput *input) {
        size_t line_max = 1 + fuzz_choose(input, 64), n, taken, done = 0;
        unsigned flags = fuzz_byte(input);
        cleanup_free_ char *bytes = fuzz_rest(input, &n);
        LogFrame frame = { .bytes = bytes, .line_max = line_max, .is_end = flags & 1, .has_prefix = flags & 2, .level = 6 };
        LogRecord record;

        taken = log_frame_take(bytes, n, line_max, frame.is_end);
        fuzz_check(taken <= n && (!frame.is_end || taken > 0 || n == 0) && (n < line_max || taken > 0));
        fuzz_check(!memchr(bytes + taken, '\n', n - taken));
        frame.n = taken;
        frame.is_end = frame.is_end && taken == n;
        while (log_frame_next(&frame, &record)) {
                fuzz_check(record.length <= line_max);
                done += take_record(bytes + done, taken - done, &record, frame.has_prefix);
        }
        fuzz_check(done == taken);
}

/* — a file — */

static void make_path(char path[static 128], const char *suffix) {
        snprintf(path, 128, "%s/" UNIT LOG_FILE_SUFFIX "%s", fuzz_folder(), suffix);
}

/* A file of a context, some records, and then whatever comes: the number of records is that of the first ones. */
static unsigned write_known(FuzzInput *input, Text *text) {
        LogContext context = { .unit = UNIT, .pid = 7, .identifier = "a", .invocation = "0123456789abcdef0123456789abcdef" };
        unsigned n = fuzz_choose(input, 8);

        log_context_write(&context, text);
        for (unsigned i = 0; i < n; i++) {
                static const char letters[] = "abcdefghijklmnop";
                LogRecord record = { .realtime = 1000 + i, .monotonic = i, .priority = i, .mark = LOG_MARK_WHOLE,
                                     .message = letters, .length = fuzz_choose(input, sizeof(letters)) };

                log_record_write(&record, text);
        }
        return n;
}

static char *describe(const LogSource *source) {
        cleanup_free_ char *message = strndup(source->record.message, source->record.length);
        Text text = {};
        char *all;

        log_context_write(&source->context, &text);
        text_addf(&text, "%llu %u %zu %s\n", (unsigned long long) source->record.realtime, source->record.priority,
                  source->record.length, message);
        fuzz_check(text_finish(&text, &all) == 0);
        return all;
}

/* The records of the files as text, or more than the last ones; the caller frees them. */
static char **read_all(size_t last, unsigned n_known) {
        LogFilter filter = { .priority_max = 7, .last = last };
        LogSource *source = NULL;
        char **all = NULL;
        unsigned n;

        fuzz_check(log_source_new(&source, fuzz_folder(), UNIT LOG_FILE_SUFFIX, NULL) == 0);
        fuzz_check(log_source_seek(source, &filter) == 0);
        for (n = 0; log_source_fill(source, &filter) == 1; n++) {
                fuzz_check(source->context.unit && n < ENTRIES_MAX);
                if (n < n_known)
                        fuzz_check(source->record.realtime == 1000 + n && strcmp(source->context.unit, UNIT) == 0);
                fuzz_check(strv_consume(&all, describe(source)) == 0);
                source->has_record = false;
        }
        fuzz_check(n >= n_known);
        log_source_free(source);
        return all;
}

static void check_last(char *const *all, size_t last) {
        cleanup_(strv_freep) char **end = read_all(last, 0);
        size_t n_all = strv_length(all), n_end = strv_length(end), wanted = MIN(n_all, last);

        fuzz_check(n_end >= wanted && n_end <= n_all);
        for (size_t i = 1; i <= wanted; i++)
                fuzz_check_string(all[n_all - i], end[n_end - i]);
}

/* Readers wait for changes, which makes them slow: few inputs have one. */
static void check_reader(char *const *all) {
        char *folders[] = { (char *) fuzz_folder(), NULL };
        LogFilter filter = { .priority_max = 7, .last = 3 };
        cleanup_(log_reader_freep) LogReader *reader = NULL;
        LogEntry entry;
        size_t n = 0;

        fuzz_check(log_reader_new(&reader, folders, &filter) == 0);
        fuzz_check(log_reader_add(reader, UNIT, false) == 0);
        while (log_reader_next(reader, &entry) == 1)
                n++;
        fuzz_check(n == MIN(strv_length(all), filter.last));
}

static void check_file(FuzzInput *input) {
        unsigned last = 1 + fuzz_choose(input, 16), flags = fuzz_byte(input), n_known;
        cleanup_free_ char *rest = NULL, *whole = NULL;
        cleanup_(strv_freep) char **all = NULL;
        char path[128], old[128], invocation[33];
        size_t n_rest, length;
        Text text = {};

        make_path(path, "");
        make_path(old, ".5000");
        n_known = write_known(input, &text);
        if (flags & 1) {                /* a complete file before the current one */
                fuzz_write_file(old, text.string, text.n);
                text_deinit(&text);
                text = (Text) {};
        } else {
                (void) unlink(old);
        }
        rest = fuzz_rest(input, &n_rest);
        text_add_n(&text, rest, n_rest);
        length = text.n;
        fuzz_check(text_finish(&text, &whole) == 0);
        fuzz_write_file(path, whole, length);

        all = read_all(0, n_known);
        check_last(all, last);
        if (flags == 0xa5)
                check_reader(all);
        if (log_reader_find_invocation((char *[]) { (char *) fuzz_folder(), NULL }, UNIT, invocation) == 0)
                fuzz_check(strlen(invocation) == 32);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        FuzzInput input = { bytes, bytes + n };

        switch (fuzz_choose(&input, 4)) {
        case 0:
                check_line(&input);
                break;
        case 1:
                check_stream(&input);
                break;
        case 2:
                check_name(&input);
                break;
        case 3:
                check_file(&input);
                break;
        }
        return 0;
}
