/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Standard input, output and error of real processes
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/macro.h"
#include "double/double_rights.h"
#include "exec_fixture.h"

Test(exec_stream, files_that_cannot_be_opened_are_named) {
        FIXTURE("");

        fixture.request.standard_output = (ExecStream) { EXEC_STREAM_FILE, "/no/such/folder/log" };
        fixture_fail(&fixture, EXEC_STEP_STDOUT, ENOENT, "standard output: cannot open /no/such/folder/log: No such file");
        fixture.request.standard_output = (ExecStream) { EXEC_STREAM_NULL, NULL };
        fixture.request.standard_error = (ExecStream) { EXEC_STREAM_APPEND, "/no/such/folder/err" };
        fixture_fail(&fixture, EXEC_STEP_STDERR, ENOENT, "standard error: cannot open /no/such/folder/err: No such file");
        fixture.request.standard_error = (ExecStream) { EXEC_STREAM_SAME, NULL };
        fixture.request.standard_input_file = "/no/such/folder/in";
        fixture_fail(&fixture, EXEC_STEP_STDIN, ENOENT, "standard input: cannot open /no/such/folder/in: No such file");
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_STDIN), 208));
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_STDOUT), 209));
        cr_assert(eq(int, exec_step_exit_status(EXEC_STEP_STDERR), 222));
}

Test(exec_stream, full_file_system_under_the_output) {
        char small[96], log[128];
        FIXTURE("");

        snprintf(small, sizeof(small), "%s", fixture_path(&fixture, "small"));
        snprintf(log, sizeof(log), "%s/x.log", small);
        cr_assert(mkdir(small, 0755) == 0);
        if (mount("tmpfs", small, "tmpfs", 0, "nr_inodes=1,size=64k") < 0)
                cr_skip("cannot mount: %s", strerror(errno));
        fixture.request.standard_output = (ExecStream) { EXEC_STREAM_APPEND, log };
        fixture_fail(&fixture, EXEC_STEP_STDOUT, ENOSPC, "x.log: No space left on device");
        umount(small);
}

Test(exec_stream, output_is_truncated_kept_or_appended) {
        static const struct {
                ExecStreamKind kind;
                const char *expected;
        } table[] = {
                { EXEC_STREAM_FILE, "new456" },
                { EXEC_STREAM_APPEND, "123456new" },
                { EXEC_STREAM_TRUNCATE, "new" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                FIXTURE("printf new");

                fixture_write(&fixture, "output", "123456", 0644);
                fixture.request.standard_output.kind = table[i].kind;
                fixture_run(&fixture);
                assert_string(fixture_output(&fixture), table[i].expected);
        }
}

Test(exec_stream, both_streams_to_one_file_share_its_offset) {
        FIXTURE("printf one; printf two >&2; printf three");

        fixture.request.standard_output.kind = EXEC_STREAM_TRUNCATE;
        fixture.request.standard_error = fixture.request.standard_output;
        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "onetwothree");
}

Test(exec_stream, input_is_null_or_a_file) {
        FIXTURE("cat; readlink /proc/self/fd/0");

        fixture_run(&fixture);
        assert_string(fixture_output(&fixture), "/dev/null");

        fixture_write(&fixture, "input", "text\n", 0644);
        fixture.request.standard_input_file = fixture_path(&fixture, "input");
        fixture.request.standard_output.kind = EXEC_STREAM_TRUNCATE;
        fixture_run(&fixture);
        cr_assert(strncmp(fixture_output(&fixture), "text\n", 5) == 0);
}

Test(exec_stream, fifo_without_a_reader_does_not_block) {
        FIXTURE("echo lost");

        cr_assert(mkfifo(fixture_path(&fixture, "fifo"), 0600) == 0);
        fixture.request.standard_output = (ExecStream) { EXEC_STREAM_APPEND, fixture_path(&fixture, "fifo") };
        cr_assert(eq(int, fixture_run(&fixture), 0));
}

/* The other end of a terminal, which is at *ret_name. */
static int open_pair(char *ret_name, size_t size) {
        int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

        cr_assert(fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0 && ptsname_r(fd, ret_name, size) == 0);
        return fd;
}

Test(exec_stream, terminal_is_the_controlling_one_and_takes_the_inherited_output) {
        char name[64], text[256] = "";
        FIXTURE("read word </dev/tty; echo \"said $word to $(tty)\"");
        int fd = open_pair(name, sizeof(name));
        ssize_t n;

        fixture.request.tty = name;
        fixture.request.standard_output = (ExecStream) { .kind = EXEC_STREAM_INHERIT };
        cr_assert(eq(int, (int) write(fd, "hello\n", 6), 6));
        cr_assert(eq(int, fixture_run(&fixture), 0));
        for (size_t at = 0; !strstr(text, name) && (n = read(fd, text + at, sizeof(text) - at - 1)) > 0;)
                at += (size_t) n;
        cr_assert(strstr(text, "said hello to ") != NULL, "%s", text);
        close(fd);
}

Test(exec_stream, terminal_is_the_users) {
        need_users();

        char name[64];
        FIXTURE("stat -c '%U %a' \"$(tty)\"; : 3<>\"$(tty)\" && echo opened");
        int fd = open_pair(name, sizeof(name));

        fixture.request.tty = name;
        fixture.request.user = "nobody";
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "nobody 620\nopened");
        close(fd);
}

Test(exec_stream, file_that_is_no_terminal_is_step_stdin) {
        FIXTURE("");

        fixture.request.tty = "/dev/null";
        fixture_fail(&fixture, EXEC_STEP_STDIN, ENOTTY, "standard input: cannot open /dev/null: Inappropriate");
}
