/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading log files: by time, from the end, across rotation
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double/double_assert.h"
#include "log/log_reader.h"

static char folder[64];
static char *folders[] = { folder, NULL };

static void begin(void) {
        strcpy(folder, "/tmp/test-reader-XXXXXX");
        cr_assert(mkdtemp(folder) != NULL);
}

static void end(void) {
        char command[128];

        snprintf(command, sizeof(command), "rm -r %s", folder);
        cr_assert(eq(int, system(command), 0));
}

TestSuite(log_reader, .init = begin, .fini = end, .timeout = 100);

static void append(const char *name, const char *text) {
        char path[256];
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        file = fopen(path, "ae");
        fputs(text, file);
        fclose(file);
}

/* Appends a context, and records "FIRST" to "LAST" at these seconds. */
static void append_records(const char *name, const char *unit, unsigned first, unsigned last) {
        char line[256];

        snprintf(line, sizeof(line), "@\t%s\t%032d\t12\tme\t-\n", unit, (int) first);
        append(name, line);
        for (unsigned i = first; i <= last; i++) {
                snprintf(line, sizeof(line), "%u000000\t%u\t%u\t-\t%s %u\n", i, i, i % 8, unit, i);
                append(name, line);
        }
}

static LogReader *open_reader(const LogFilter *filter, const char *unit) {
        LogReader *reader = NULL;

        cr_assert(eq(int, log_reader_new(&reader, folders, filter), 0));
        cr_assert(eq(int, log_reader_add(reader, unit, false), 0));
        return reader;
}

/* The messages that are read, separated by commas; static. */
static const char *messages(LogReader *reader) {
        static char text[1024];
        LogEntry entry;

        text[0] = '\0';
        while (log_reader_next(reader, &entry) == 1)
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%.*s", *text ? "," : "",
                         (int) entry.record.length, entry.record.message);
        return text;
}

static void assert_read(const LogFilter *filter, const char *unit, const char *expected) {
        cleanup_(log_reader_freep) LogReader *reader = open_reader(filter, unit);

        assert_string(messages(reader), expected);
}

static const LogFilter all = { .priority_max = 7 };

Test(log_reader, goes_through_the_files_of_a_unit) {
        append_records("a.service.log.20000000", "a", 10, 11);
        append_records("a.service.log.40000000", "a", 30, 30);
        append_records("a.service.log", "a", 50, 51);
        append_records("b.service.log", "b", 1, 2);
        assert_read(&all, "a.service", "a 10,a 11,a 30,a 50,a 51");
}

Test(log_reader, several_units_are_read_by_time) {
        append_records("a.service.log", "a", 10, 11);
        append_records("b.service.log", "b", 9, 9);
        append_records("b.service.log", "b", 11, 12);
        assert_read(&all, "*", "b 9,a 10,a 11,b 11,b 12");
        assert_read(&all, "?.service", "b 9,a 10,a 11,b 11,b 12");
}

Test(log_reader, leaves_out_what_is_not_wanted) {
        append_records("a.service.log", "a", 10, 20);
        assert_read(&(LogFilter) { .priority_max = 7, .since = 12000000, .until = 14000000 }, "a.service", "a 12,a 13,a 14");
        assert_read(&(LogFilter) { .priority_max = 1 }, "a.service", "a 16,a 17");
        append_records("a.service.log", "a", 30, 31);
        assert_read(&(LogFilter) { .priority_max = 7, .invocation = "00000000000000000000000000000030" }, "a.service",
                    "a 30,a 31");
}

Test(log_reader, the_last_ones_may_be_in_several_files) {
        append_records("a.service.log.20000000", "a", 10, 12);
        append_records("a.service.log", "a", 50, 51);
        append_records("b.service.log", "b", 40, 40);
        assert_read(&(LogFilter) { .priority_max = 7, .last = 4 }, "a.service", "a 11,a 12,a 50,a 51");
        assert_read(&(LogFilter) { .priority_max = 7, .last = 3 }, "*", "b 40,a 50,a 51");
        assert_read(&(LogFilter) { .priority_max = 7, .last = 100 }, "b.service", "b 40");
}

Test(log_reader, finds_the_last_ones_of_a_large_file) {
        append_records("a.service.log", "a", 1, 9999);
        append_records("a.service.log", "a", 10000, 30000);
        assert_read(&(LogFilter) { .priority_max = 7, .last = 2 }, "a.service", "a 29999,a 30000");
}

Test(log_reader, lines_that_are_none_are_passed_over) {
        append("a.service.log", "garbage\n1\t2\n\n@\tshort\n5000000\t1\t6\t-\twithout a context\n");
        append_records("a.service.log", "a", 10, 10);
        append("a.service.log", "12000000\t1\t9\t-\ttoo high\n12000000\t1\t6\tx\tno mark\n13000000\t1\t6\t-\tnot complete");
        assert_read(&all, "a.service", "a 10");
}

Test(log_reader, goes_on_with_what_comes_across_rotation) {
        cleanup_(log_reader_freep) LogReader *reader = open_reader(&(LogFilter) { .priority_max = 7, .last = 1 }, "a.service");
        char from[128], to[128];

        assert_string(messages(reader), "");
        append_records("a.service.log", "a", 10, 11);
        cr_assert(eq(int, log_reader_wait(reader, USEC_PER_MINUTE), 1));
        assert_string(messages(reader), "a 10,a 11");
        append_records("a.service.log", "a", 12, 12);
        snprintf(from, sizeof(from), "%s/a.service.log", folder);
        snprintf(to, sizeof(to), "%s/a.service.log.20000000", folder);
        cr_assert(eq(int, rename(from, to), 0));
        append_records("a.service.log", "a", 30, 30);
        cr_assert(eq(int, log_reader_wait(reader, USEC_PER_MINUTE), 1));
        assert_string(messages(reader), "a 12,a 30");
}

Test(log_reader, begins_with_what_is_new) {
        append_records("a.service.log", "a", 10, 11);
        {
                cleanup_(log_reader_freep) LogReader *reader =
                        open_reader(&(LogFilter) { .priority_max = 7, .last = LOG_LAST_NONE }, "a.service");

                assert_string(messages(reader), "");
                append_records("a.service.log", "a", 12, 12);
                assert_string(messages(reader), "a 12");
        }
}

Test(log_reader, finds_the_last_invocation) {
        char invocation[33];

        cr_assert(eq(int, log_reader_find_invocation(folders, "a.service", invocation), -2));
        append_records("a.service.log", "a", 10, 11);
        append_records("a.service.log", "a", 20, 20);
        cr_assert(eq(int, log_reader_find_invocation(folders, "a.service", invocation), 0));
        assert_string(invocation, "00000000000000000000000000000020");
}

Test(log_reader, what_the_manager_said_of_a_unit) {
        cleanup_(log_reader_freep) LogReader *reader = NULL;

        cr_assert(eq(int, log_reader_new(&reader, folders, &all), 0));
        cr_assert(eq(int, log_reader_add(reader, "a.service", true), 0));
        append("jobd.log", "@\tjobd\t-\t1\tjobd\t-\n1\t1\t6\t-\tStarted a.service.\n2\t1\t6\t-\tStarted aa.service.\n"
                           "4\t1\t6\t-\ta.service: odd\n");
        append("a.service.log", "@\ta.service\t-\t1\tx\t-\n3\t1\t6\t-\thello\n");
        assert_string(messages(reader), "Started a.service.,hello,a.service: odd");
}

/* A reader without permission must not report that there are no lines. */
Test(log_reader, what_may_not_be_read_is_known) {
        LogReader *reader;
        char path[256];

        append_records("a.service.log", "a.service", 1, 2);
        append_records("b.service.log", "b.service", 1, 1);
        snprintf(path, sizeof(path), "%s/a.service.log", folder);
        cr_assert(chmod(path, 0) == 0 && chmod(folder, 0755) == 0);
        if (geteuid() == 0 && seteuid(65534) < 0)
                cr_skip_test("there is no other user");

        reader = open_reader(&all, "a.service");
        assert_string(messages(reader), "");
        cr_assert(log_reader_is_denied(reader));
        log_reader_free(reader);
        reader = open_reader(&all, "b.service");
        assert_string(messages(reader), "b.service 1");
        cr_assert(not(log_reader_is_denied(reader)));
        log_reader_free(reader);
        (void) !seteuid(getuid());
}
