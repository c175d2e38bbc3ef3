/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The log files that are deleted, and the names of those that stay
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"
#include "log/log_file.h"

#define NOW (UINT64_C(1700000000) * USEC_PER_SEC)

/* The oldest first; the last one is the current file. */
static const char *const names[] = { "a.log.1000", "b.log.2000", "a.log.3000", "a.log" };

typedef struct Fixture {
        char folder[64];
        LogHeader header;
        LogFiles files;
} Fixture;

static void begin(Fixture *f) {
        *f = (Fixture) { .folder = "/tmp/jobd-test-vacuum.XXXXXX" };
        f->files.header = &f->header;
        assert_not_null(mkdtemp(f->folder));
        f->files.folder_fd = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cr_assert(f->files.folder_fd >= 0);
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                int fd = openat(f->files.folder_fd, names[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0640);

                cr_assert(fd >= 0 && write(fd, "0\n", 2) == 2);
                close(fd);
        }
}

static void end(Fixture *f) {
        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                (void) unlinkat(f->files.folder_fd, names[i], 0);
        close(f->files.folder_fd);
        cr_assert(eq(int, rmdir(f->folder), 0));
}

/* Returns a digit for each remaining file. */
static const char *what_is_left(const Fixture *f) {
        static char left[ELEMENTSOF(names) + 1];
        size_t n = 0;

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (faccessat(f->files.folder_fd, names[i], F_OK, 0) == 0)
                        left[n++] = (char) ('0' + i);
        left[n] = '\0';
        return left;
}

Test(log_vacuum, the_oldest_go_first_when_there_are_too_many) {
        struct stat status;
        Fixture f;

        begin(&f);
        cr_assert(eq(int, fstatat(f.files.folder_fd, names[0], &status, 0), 0));
        f.header.settings.size_max = (uint64_t) status.st_blocks * 512 * 2;
        log_files_vacuum(&f.files, NOW);
        assert_string(what_is_left(&f), status.st_blocks > 0 ? "23" : "0123");
        end(&f);
}

/* Other users who fill the disk must not cause the logs to be removed. */
Test(log_vacuum, a_disk_that_others_have_filled_does_not_cost_all) {
        Fixture f;

        begin(&f);
        f.header.settings.size_max = LOG_AUTOMATIC;
        f.header.settings.keep_free = UINT64_C(1) << 60;
        log_files_vacuum(&f.files, NOW);
        assert_string(what_is_left(&f), "0123");
        end(&f);
}

Test(log_vacuum, what_is_too_old_goes_in_any_case) {
        Fixture f;

        begin(&f);
        f.header.settings.size_max = LOG_AUTOMATIC;
        f.header.settings.age_max = NOW - 2500;
        log_files_vacuum(&f.files, NOW);
        assert_string(what_is_left(&f), "23");
        end(&f);
}

static void set_time(const Fixture *f, const char *name, usec_t time) {
        const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = (time_t) (time / USEC_PER_SEC) } };

        cr_assert(eq(int, utimensat(f->files.folder_fd, name, times, 0), 0));
}

/* The clock was wrong for a while: all later names of that unit have later times, to keep their order. */
Test(log_vacuum, the_file_tells_when_its_name_tells_of_a_time_to_come) {
        static const char name[] = "a.log.1900000000000000";
        Fixture f;

        begin(&f);
        cr_assert(eq(int, renameat(f.files.folder_fd, names[2], f.files.folder_fd, name), 0));
        set_time(&f, name, NOW - USEC_PER_DAY);
        set_time(&f, names[3], NOW);
        f.header.settings.size_max = LOG_AUTOMATIC;
        f.header.settings.age_max = 2 * USEC_PER_DAY;
        log_files_vacuum(&f.files, NOW);
        cr_assert(eq(int, faccessat(f.files.folder_fd, name, F_OK, 0), 0));
        f.header.settings.age_max = USEC_PER_HOUR;
        log_files_vacuum(&f.files, NOW);
        cr_assert(eq(int, faccessat(f.files.folder_fd, name, F_OK, 0), -1));
        assert_string(what_is_left(&f), "3");
        end(&f);
}

/* A file of unknown age is not too old, but is the first to be deleted for lack of space. */
Test(log_vacuum, one_whose_age_nobody_knows_goes_before_the_others) {
        static const char name[] = "a.log.1900000000000000";
        struct stat status;
        Fixture f;

        begin(&f);
        cr_assert(eq(int, renameat(f.files.folder_fd, names[2], f.files.folder_fd, name), 0));
        set_time(&f, name, NOW + USEC_PER_DAY);
        f.header.settings.size_max = LOG_AUTOMATIC;
        f.header.settings.age_max = NOW - 500;
        log_files_vacuum(&f.files, NOW);
        cr_assert(eq(int, faccessat(f.files.folder_fd, name, F_OK, 0), 0));
        assert_string(what_is_left(&f), "013");
        cr_assert(eq(int, fstatat(f.files.folder_fd, names[0], &status, 0), 0));
        f.header.settings.size_max = (uint64_t) status.st_blocks * 512 * 3;
        log_files_vacuum(&f.files, NOW);
        assert_string(what_is_left(&f), "013");
        cr_assert(eq(int, faccessat(f.files.folder_fd, name, F_OK, 0), status.st_blocks > 0 ? -1 : 0));
        (void) unlinkat(f.files.folder_fd, name, 0);
        end(&f);
}

static void rotate(Fixture *f, usec_t realtime) {
        LogFile *file;

        cr_assert(eq(int, log_files_find(&f->files, "a", &file), 0));
        cr_assert(eq(int, log_file_open(&f->files, file, realtime), 0));
        cr_assert(eq(int, log_file_append(&f->files, file, "0\n", 2), 0));
        log_files_rotate(&f->files, realtime);
}

static bool take(const Fixture *f, const char *name) {
        return unlinkat(f->files.folder_fd, name, 0) == 0;
}

/* Readers rely on the names. */
Test(log_rotation, keeps_the_order_when_the_clock_is_set_back) {
        int fd;
        Fixture f;

        begin(&f);
        fd = openat(f.files.folder_fd, "a.log.18446744073709551615", O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
        cr_assert(fd >= 0);
        close(fd);
        rotate(&f, NOW);
        rotate(&f, NOW - USEC_PER_HOUR);
        rotate(&f, NOW);
        rotate(&f, NOW + USEC_PER_HOUR);
        cr_assert(take(&f, "a.log.1700000000000000"));
        cr_assert(take(&f, "a.log.1700000000000001"));
        cr_assert(take(&f, "a.log.1700000000000002"));
        cr_assert(take(&f, "a.log.1700003600000000"));
        cr_assert(take(&f, "a.log.18446744073709551615"));
        for (size_t i = 0; i < f.files.items.n; i++) {
                free(f.files.items.items[i]->unit);
                free(f.files.items.items[i]);
        }
        vector_deinit(&f.files.items);
        end(&f);
}
