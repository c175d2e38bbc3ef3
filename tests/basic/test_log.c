/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The log: levels, and the bytes that reach a terminal.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "basic/log.h"
#include "double/double_assert.h"

static void read_back(FILE *file, char *buffer, size_t size) {
        size_t n;

        rewind(file);
        n = fread(buffer, 1, size - 1, file);
        buffer[n] = '\0';
        fclose(file);
}

static FILE *capture(void) {
        FILE *file = tmpfile();

        assert_not_null(file);
        cr_assert(dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
        return file;
}

Test(log, line_has_priority_and_unit_and_no_control_characters) {
        FILE *file = capture();
        char buffer[256];

        errno = EIO;
        log_write(LOG_LEVEL_WARNING, "a.service", "said %s", "\033[31mred\n");
        cr_assert(eq(int, errno, EIO));
        log_error("plain");
        read_back(file, buffer, sizeof(buffer));
        assert_string(buffer, "<4>a.service: said \\x1b[31mred\\x0a\n<3>plain\n");
}

Test(log, that_of_the_kernel_gets_a_facility_and_short_lines) {
        FILE *error = capture(), *kernel = tmpfile();
        char buffer[4096], long_text[2000];

        assert_not_null(kernel);
        log_set_kernel(fileno(kernel));
        log_write(LOG_LEVEL_NOTICE, "a.service", "begins");
        memset(long_text, 'x', sizeof(long_text) - 1);
        long_text[sizeof(long_text) - 1] = '\0';
        log_error("%s", long_text);
        log_set_kernel(-1);
        log_error("here again");
        read_back(kernel, buffer, sizeof(buffer));
        cr_assert(strncmp(buffer, "<29>jobd: a.service: begins\n<27>jobd: xxx", 41) == 0, "%s", buffer);
        cr_assert(lt(sz, strlen(buffer), 1000));
        read_back(error, buffer, sizeof(buffer));
        assert_string(buffer, "<3>here again\n");
}

Test(log, level_keeps_the_rest_back) {
        FILE *file = capture();
        char buffer[256];

        log_debug("not yet");
        log_set_level(LOG_LEVEL_DEBUG);
        log_debug("now");
        log_set_level(LOG_LEVEL_ERROR);
        cr_assert(log_shows(LOG_LEVEL_ERROR) && !log_shows(LOG_LEVEL_INFO));
        log_info("no more");
        read_back(file, buffer, sizeof(buffer));
        assert_string(buffer, "<7>now\n");
}

Test(log, full_pipe_loses_lines_and_says_so_and_never_blocks) {
        char buffer[65536], long_line[8192];
        int fds[2];
        ssize_t n;

        memset(long_line, 'x', sizeof(long_line) - 1);
        long_line[sizeof(long_line) - 1] = '\0';
        cr_assert(pipe(fds) == 0 && dup2(fds[1], STDERR_FILENO) == STDERR_FILENO);
        for (int i = 0; i < 100; i++)
                log_error("%s", long_line);
        for (size_t left = 100000; left > 0; left -= MIN(left, (size_t) n)) {
                struct pollfd readable = { .fd = fds[0], .events = POLLIN };

                if (poll(&readable, 1, 0) == 0)
                        break;
                n = read(fds[0], buffer, sizeof(buffer));
                cr_assert(n > 0);
        }

        log_error("again");
        n = read(fds[0], buffer, sizeof(buffer) - 1);
        cr_assert(n > 0);
        buffer[n] = '\0';
        cr_assert(strstr(buffer, "lines of the log were lost") != NULL);
        cr_assert(strstr(buffer, "<3>again\n") != NULL);
}

Test(log, levels_by_name_and_number) {
        cr_assert(eq(int, log_level_from_string("err"), LOG_LEVEL_ERROR));
        cr_assert(eq(int, log_level_from_string("debug"), LOG_LEVEL_DEBUG));
        cr_assert(eq(int, log_level_from_string("6"), LOG_LEVEL_INFO));
        cr_assert(eq(int, log_level_from_string("8"), -EINVAL));
        cr_assert(eq(int, log_level_from_string("loud"), -EINVAL));
        cr_assert(eq(int, log_level_from_string(NULL), -EINVAL));
}
