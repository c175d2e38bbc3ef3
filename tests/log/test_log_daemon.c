/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jobd-log: keeping, cutting, counting and rotating, and the successor of a
 * killed one
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "log/log_world.h"

TestSuite(log_daemon, .init = log_world_begin, .fini = log_world_end, .timeout = 100);

static void assert_record(const LogWorldRecord *record, uint32_t priority, LogMark mark, const char *message) {
        assert_string(record->record.message, message);
        cr_assert(eq(u32, record->record.priority, priority));
        cr_assert(eq(int, record->record.mark, mark));
}

Test(log_daemon, keeps_lines_with_their_priorities) {
        LogWorldRecord *records;
        uint32_t stream = log_world_add_stream("a.service");
        int fd = log_world_open(stream);
        size_t n;

        log_world.table.streams[stream].pid = 42;
        log_world_start_daemon();
        log_world_write(fd, "one\n<3>two\n\n<9>three\nfo");
        log_world_write(fd, "ur\nfive");
        close(fd);
        n = log_world_read("a.service", 6, &records);
        cr_assert(eq(sz, n, 6));
        assert_record(&records[0], 6, LOG_MARK_WHOLE, "one");
        assert_record(&records[1], 3, LOG_MARK_WHOLE, "two");
        assert_record(&records[2], 6, LOG_MARK_WHOLE, "");
        assert_record(&records[3], 6, LOG_MARK_WHOLE, "<9>three");
        assert_record(&records[4], 6, LOG_MARK_WHOLE, "four");
        assert_record(&records[5], 6, LOG_MARK_END, "five");
        assert_string(records[0].unit, "a.service");
        assert_string(records[0].invocation, "abababababababababababababababab");
        cr_assert(eq(int, records[0].pid, 42));
        log_world_free(records, n);
}

Test(log_daemon, leaves_out_what_is_less_important) {
        LogWorldRecord *records;
        uint32_t stream = log_world_add_stream("a.service");
        int fd = log_world_open(stream);
        size_t n;

        log_world.table.streams[stream].level_max = 4;
        log_world_start_daemon();
        log_world_write(fd, "info\n<4>warning\n<7>debug\n<0>emergency\n");
        n = log_world_read("a.service", 2, &records);
        cr_assert(eq(sz, n, 2));
        assert_record(&records[0], 4, LOG_MARK_WHOLE, "warning");
        assert_record(&records[1], 0, LOG_MARK_WHOLE, "emergency");
        log_world_free(records, n);
        close(fd);
}

Test(log_daemon, cuts_long_lines_and_says_so) {
        enum { LENGTH = 200000 };
        LogWorldRecord *records;
        uint32_t stream = log_world_add_stream("a.service");
        char *line = malloc(LENGTH + 1);
        size_t n, length = 0;
        int fd;

        memset(line, 'x', LENGTH);
        line[LENGTH] = '\n';
        log_world_start_daemon();
        fd = log_world_open(stream);
        for (size_t done = 0; done <= LENGTH;)
                done += (size_t) write(fd, line + done, MIN((size_t) 2049, LENGTH + 1 - done));
        log_world_write(fd, "end\n");
        close(fd);
        do {
                n = log_world_read("a.service", 5, &records);
                length = strcmp(records[n - 1].record.message, "end") == 0;
                if (!length)
                        log_world_free(records, n);
        } while (!length);
        length = 0;
        for (size_t i = 0; i + 1 < n; i++) {
                length += records[i].record.length;
                cr_assert(eq(int, records[i].record.mark, i + 2 < n ? LOG_MARK_CUT : LOG_MARK_WHOLE));
                cr_assert(le(sz, records[i].record.length, 48 * 1024));
        }
        cr_assert(eq(sz, length, LENGTH));
        log_world_free(records, n);
        free(line);
}

Test(log_daemon, counts_what_is_over_the_limit) {
        LogWorldRecord *records;
        uint32_t stream = log_world_add_stream("a.service");
        size_t n;
        int fd;

        log_world.table.header->settings.interval = 3600 * USEC_PER_SEC;
        log_world.table.header->settings.burst = 10;
        log_world_start_daemon();
        fd = log_world_open(stream);
        for (unsigned i = 0; i < 1000; i++)
                dprintf(fd, "%u\n", i);
        close(fd);
        n = log_world_read("a.service", 11, &records);
        cr_assert(eq(sz, n, 11));
        assert_record(&records[9], 6, LOG_MARK_WHOLE, "9");
        assert_record(&records[10], 4, LOG_MARK_NOTE, "990 lines were dropped: more than 10 within 1h");
        log_world_free(records, n);
}

Test(log_daemon, rotates_within_the_limits) {
        enum { LINES = 200000 };
        LogWorldRecord *records;
        uint32_t stream = log_world_add_stream("a.service");
        uint64_t size;
        unsigned last, lowest = LINES;
        size_t n;
        int fd;

        log_world.table.header->settings.file_size_max = 256 * 1024;
        log_world.table.header->settings.size_max = 4 * 1024 * 1024;
        log_world_start_daemon();
        fd = log_world_open(stream);
        for (unsigned i = 0; i < LINES; i++)
                dprintf(fd, "line %u of %u\n", i, LINES);
        close(fd);
        do {
                n = log_world_read("a.service", 100, &records);
                cr_assert(eq(int, sscanf(records[n - 1].record.message, "line %u", &last), 1));
                cr_assert(eq(int, sscanf(records[0].record.message, "line %u", &lowest), 1));
                for (size_t i = 0; i < n; i++)
                        cr_assert(eq(int, atoi(records[i].record.message + 5), (int) (lowest + i)));
                log_world_free(records, n);
        } while (last < LINES - 1);
        cr_assert(lt(sz, 8, log_world_count_files(&size)));
        cr_assert(lt(u64, size, (uint64_t) 4 * 1024 * 1024 * 5 / 4));
        cr_assert(lt(u64, (uint64_t) 2 * 1024 * 1024, size));
}

/* Starts a process that writes numbered lines and ends. */
static pid_t start_writer(uint32_t stream, unsigned lines) {
        pid_t pid = fork();

        if (pid == 0) {
                FILE *file = fdopen(log_world_open(stream), "w");

                for (unsigned i = 0; i < lines; i++)
                        fprintf(file, "stream %u line %u\n", stream, i);
                fclose(file);
                _exit(0);
        }
        return pid;
}

Test(log_daemon, loses_nothing_when_it_is_killed) {
        enum { STREAMS = 4, LINES = 100000, KILLS = 60 };
        pid_t writers[STREAMS];
        char unit[32];

        for (unsigned i = 0; i < STREAMS; i++) {
                snprintf(unit, sizeof(unit), "%u.service", i);
                log_world_add_stream(unit);
        }
        log_world_start_daemon();
        for (uint32_t i = 0; i < STREAMS; i++)
                writers[i] = start_writer(i, LINES);
        srand(1);
        for (unsigned i = 0; i < KILLS; i++) {
                usleep((useconds_t) (rand() % 5000));
                log_world_kill_daemon(SIGKILL);
                log_world_start_daemon();
        }
        for (unsigned i = 0; i < STREAMS; i++) {
                LogWorldRecord *records;
                size_t n;

                waitpid(writers[i], NULL, 0);
                snprintf(unit, sizeof(unit), "%u.service", i);
                n = log_world_read(unit, LINES, &records);
                cr_assert(eq(sz, n, LINES));
                for (size_t k = 0; k < n; k++) {
                        char message[64];

                        snprintf(message, sizeof(message), "stream %u line %zu", i, k);
                        assert_string(records[k].record.message, message);
                }
                log_world_free(records, n);
        }
}

Test(log_daemon, leaves_when_nobody_writes) {
        uint32_t stream = log_world_add_stream("a.service");
        LogWorldRecord *records;
        size_t n;
        int fd;

        log_world_start_daemon();
        fd = log_world_open(stream);
        kill(log_world.daemon, SIGTERM);
        log_world_write(fd, "last words\n");
        close(fd);
        waitpid(log_world.daemon, NULL, 0);
        log_world.daemon = 0;
        n = log_world_read("a.service", 1, &records);
        assert_record(&records[0], 6, LOG_MARK_WHOLE, "last words");
        log_world_free(records, n);
}

Test(log_daemon, a_stream_is_done_when_all_is_taken_and_nobody_writes) {
        uint32_t number = log_world_add_stream("a.service");
        LogStream *stream = &log_world.table.streams[number];
        LogWorldRecord *records;
        int fd = log_world_open(number);
        size_t n;

        cr_assert(not(log_stream_is_done(stream, log_world.fds[number])));
        log_world_write(fd, "x\n");
        close(fd);
        cr_assert(not(log_stream_is_done(stream, log_world.fds[number])));
        log_world_start_daemon();
        n = log_world_read("a.service", 1, &records);
        while (!log_stream_is_done(stream, log_world.fds[number]))
                usleep(1000);
        log_world_free(records, n);
}

Test(log_daemon, goes_on_where_its_file_was_deleted) {
        uint32_t stream = log_world_add_stream("a.service");
        LogWorldRecord *records;
        char path[256];
        size_t n;
        int fd;

        log_world_start_daemon();
        fd = log_world_open(stream);
        log_world_write(fd, "before\n");
        n = log_world_read("a.service", 1, &records);
        log_world_free(records, n);
        snprintf(path, sizeof(path), "%s/a.service.log", log_world.logs);
        cr_assert(eq(int, unlink(path), 0));
        do
                log_world_write(fd, "after\n");
        while (usleep(10000) == 0 && access(path, F_OK) < 0);
        n = log_world_read("a.service", 1, &records);
        assert_string(records[0].record.message, "after");
        log_world_free(records, n);
        close(fd);
}

/* Two pages are left in the file system: room for one stream, not for as many as are usually reserved at once. */
Test(log_daemon, a_stream_is_made_where_there_is_room_for_no_others) {
        LogTable table;
        char folder[128], path[160];
        int fd;

        snprintf(folder, sizeof(folder), "%s/full", log_world.folder);
        snprintf(path, sizeof(path), "%s/filler", folder);
        cr_assert(eq(int, mkdir(folder, 0700), 0));
        cr_assert(eq(int, mount("tmpfs", folder, "tmpfs", 0, "size=64k"), 0));
        cr_assert(eq(int, log_table_open(&table, folder, true), 0));
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        cr_assert(eq(int, fallocate(fd, 0, 0, 13L * 4096), 0));
        close(fd);
        cr_assert(eq(int, log_table_reserve(&table, 0), 0));
        table.streams[0].generation = 1;
        cr_assert(eq(int, log_table_reserve(&table, 15), -ENOSPC));
        unlink(path);
        cr_assert(eq(int, log_table_reserve(&table, 15), 0));
        table.streams[15].generation = 1;
        log_table_close(&table);
        cr_assert(eq(int, umount2(folder, MNT_DETACH), 0));
        cr_assert(eq(int, rmdir(folder), 0));
}
