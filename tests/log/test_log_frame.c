/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes as lines, lines as records, names of files, limits
 */

#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "log/log_frame.h"
#include "log/log_limit.h"

/* Each line as "PRIORITY MARK message|"; static. */
static const char *cut(const char *bytes, size_t line_max, bool is_end) {
        static char text[512];
        LogFrame frame = { .bytes = bytes, .n = strlen(bytes), .line_max = line_max, .is_end = is_end, .has_prefix = true,
                           .level = 6 };
        LogRecord record;

        text[0] = '\0';
        while (log_frame_next(&frame, &record))
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u%c%.*s|", record.priority, (char) record.mark,
                         (int) record.length, record.message);
        return text;
}

Test(log_frame, cuts_at_line_breaks) {
        assert_string(cut("a\nbc\n\nd\n", 10, false), "6-a|6-bc|6-|6-d|");
        assert_string(cut("a\nbc", 10, true), "6-a|6$bc|");
        assert_string(cut("<3>a\n<8>b\n<12>c\n<3\n<0>\n", 10, false), "3-a|6-<8>b|6-<12>c|6-<3|0-|");
}

Test(log_frame, cuts_lines_that_are_too_long) {
        assert_string(cut("abcdef\ngh\n", 4, false), "6+abcd|6-ef|6-gh|");
        assert_string(cut("abcd\n", 4, false), "6-abcd|");
        assert_string(cut("abcdefgh", 4, false), "6+abcd|6+efgh|");
}

Test(log_frame, takes_what_is_complete) {
        cr_assert(eq(sz, log_frame_take("ab\ncd", 5, 10, false), 3));
        cr_assert(eq(sz, log_frame_take("abcd", 4, 10, false), 0));
        cr_assert(eq(sz, log_frame_take("abcd", 4, 10, true), 4));
        cr_assert(eq(sz, log_frame_take("abcde", 5, 2, false), 4));
}

Test(log_record, is_read_as_it_was_written) {
        cleanup_(text_deinit) Text text = {};
        const LogRecord record = { .realtime = 5, .monotonic = 6, .priority = 3, .mark = LOG_MARK_CUT,
                                   .message = "a\tb\0c", .length = 5 };
        LogContext context;
        LogRecord read;

        log_record_write(&record, &text);
        cr_assert(eq(int, log_line_read(text.string, text.n - 1, &context, &read), 2));
        cr_assert(eq(u64, read.realtime, 5));
        cr_assert(eq(u64, read.monotonic, 6));
        cr_assert(eq(u32, read.priority, 3));
        cr_assert(eq(int, read.mark, LOG_MARK_CUT));
        cr_assert(eq(sz, read.length, 5));
        cr_assert(eq(int, memcmp(read.message, "a\tb\0c", 5), 0));
}

Test(log_context, is_read_as_it_was_written) {
        cleanup_(text_deinit) Text text = {};
        LogContext read;
        LogRecord record;

        log_context_write(&(LogContext) { .unit = "a.service", .pid = 7, .identifier = "me", .extra = "A=b\tC=d" }, &text);
        cr_assert(eq(int, log_line_read(text.string, text.n - 1, &read, &record), 1));
        assert_string(read.unit, "a.service");
        assert_null(read.invocation);
        cr_assert(eq(int, read.pid, 7));
        assert_string(read.identifier, "me");
        assert_string(read.extra, "A=b\tC=d");
}

Test(log_file_name, tells_of_unit_and_time) {
        char name[LOG_FILE_NAME_MAX], unit[300];
        usec_t time;
        size_t n;

        assert_string(log_file_name("a@b.service", name), "a@b.service.log");
        assert_string(log_file_name("../x", name), "_._x.log");
        memset(unit, 'u', sizeof(unit));
        unit[250] = '\0';
        cr_assert(lt(sz, strlen(log_file_name(unit, name)), 220));
        cr_assert(log_file_name_read("a.service.log", &n, &time));
        cr_assert(all(eq(sz, n, 13), eq(u64, time, 0)));
        cr_assert(log_file_name_read("a.log.service.log.123", &n, &time));
        cr_assert(all(eq(sz, n, 17), eq(u64, time, 123)));
        cr_assert(not(log_file_name_read("a.service.log.old", &n, &time)));
        cr_assert(not(log_file_name_read(".log", &n, &time)));
        cr_assert(not(log_file_name_read("a.service", &n, &time)));
}

Test(log_limit, lets_so_many_through_in_such_a_time) {
        LogLimit limit = {};

        cr_assert(log_limit_take(&limit, 100, 10, 2));
        cr_assert(log_limit_take(&limit, 105, 10, 2));
        cr_assert(not(log_limit_take(&limit, 109, 10, 2)));
        cr_assert(log_limit_is_reached(&limit, 109, 10, 2));
        cr_assert(log_limit_take(&limit, 110, 10, 2));
        for (unsigned i = 0; i < 100; i++)
                cr_assert(log_limit_take(&limit, 110, 0, 2));
}
