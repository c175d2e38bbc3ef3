/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors that a process is given: their numbers, and what tells it of them
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "basic/text.h"
#include "exec_fixture.h"

/* Makes a pipe that contains @line. */
static int line_pipe(const char *line) {
        int fds[2];

        cr_assert(pipe2(fds, O_CLOEXEC) == 0);
        cr_assert(write(fds[1], line, strlen(line)) == (ssize_t) strlen(line));
        close(fds[1]);
        return fds[0];
}

static void give(Fixture *fixture, const char *line, const char *name, int target) {
        cr_assert(exec_request_add_descriptor(&fixture->request, (ExecDescriptor) {
                .fd = line_pipe(line), .is_owned = true, .name = name, .target = target }) == 0);
}

Test(exec_descriptor, follow_each_other_from_3_on) {
        FIXTURE("read a <&3; read b <&4; echo $a $b $LISTEN_FDS $LISTEN_FDNAMES; "
                "test \"$LISTEN_PID\" = $$ && echo mine; ls /proc/self/fd | wc -l");

        give(&fixture, "first\n", "web", 0);
        give(&fixture, "second\n", NULL, 0);
        cr_assert(eq(int, fixture_run(&fixture), 0));
        /* ls has the descriptors 0 to 4, and one for the folder that it lists. */
        assert_string(fixture_output(&fixture), "first second 2 web:unknown\nmine\n6");
}

Test(exec_descriptor, one_with_a_number_of_its_own_is_not_told_of) {
        FIXTURE("read a <&9; read b <&3; echo $a $b $LISTEN_FDS; ls /proc/self/fd | tr '\\n' ' '");

        give(&fixture, "ninth\n", NULL, 9);
        give(&fixture, "third\n", "x", 0);
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "ninth third 1\n0 1 2 3 4 9 ");
}

Test(exec_descriptor, own_numbers_may_be_in_the_way) {
        int fds[8];
        FIXTURE("read a <&3; read b <&4; read c <&5; echo $a $b $c");

        /* Some of these have the numbers 3, 4 and 5 in the test process, too, in another order. */
        for (int i = 0; i < 8; i++)
                fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        for (int i = 0; i < 8; i++)
                close(fds[i]);
        give(&fixture, "third\n", NULL, 5);
        give(&fixture, "first\n", NULL, 3);
        give(&fixture, "second\n", NULL, 4);
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "first second third");
}

Test(exec_descriptor, two_for_one_number_are_refused) {
        FIXTURE("");

        give(&fixture, "a", NULL, 0);
        give(&fixture, "b", NULL, 3);
        fixture_fail(&fixture, EXEC_STEP_FDS, EBUSY, "two descriptors are to have the number 3");
        exec_request_drop_descriptors(&fixture.request);
}

Test(exec_descriptor, nonblocking_is_set_only_if_wanted) {
        int blocking, nonblocking;
        FIXTURE("true");

        blocking = line_pipe("");
        nonblocking = line_pipe("");
        cr_assert(exec_request_add_descriptor(&fixture.request, (ExecDescriptor) { .fd = blocking }) == 0);
        cr_assert(exec_request_add_descriptor(&fixture.request, (ExecDescriptor) {
                .fd = nonblocking, .is_nonblocking = true }) == 0);
        cr_assert(eq(int, fixture_run(&fixture), 0));
        cr_assert(not(fcntl(blocking, F_GETFL) & O_NONBLOCK));
        cr_assert(eq(int, fcntl(nonblocking, F_GETFL) & O_NONBLOCK, O_NONBLOCK));
        exec_request_drop_descriptors(&fixture.request);
        cr_assert(eq(int, close(blocking), 0), "not owned, so it is still open");
        close(nonblocking);
}

/* The value from a unit file is kept. */
Test(exec_descriptor, pid_is_told_where_there_is_a_place_for_it) {
        char *const environment[] = { (char *) "LISTEN_PID=1", NULL };
        FIXTURE("test \"$WATCHDOG_PID\" = $$ && echo mine $LISTEN_PID");

        fixture.request.own_environment = NULL;
        fixture.request.manager_environment = (char *const[]) { (char *) "WATCHDOG_PID=" EXEC_PID_PLACE, NULL };
        fixture.request.environment = environment;
        fixture.request.flags |= EXEC_REQUEST_TELLS_PID;
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "mine 1");
}

/* A child of the process inherits the variable, and sees that it is not meant. */
Test(exec_descriptor, every_process_is_told_its_pid) {
        char *const environment[] = { (char *) "SYSTEMD_EXEC_PID=1", NULL };
        FIXTURE("test \"$SYSTEMD_EXEC_PID\" = $$ && echo mine || echo $SYSTEMD_EXEC_PID");

        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "mine");
        fixture.request.environment = environment;
        cr_assert(eq(int, fixture_run(&fixture), 0));
        cr_assert(text_ends_with(fixture_output(&fixture), "1"), "%s", fixture_output(&fixture));
}

/* A file in memory with @text in it, from its start, at @number or above. */
static int make_file(const char *text, int number) {
        int fd = memfd_create("test", MFD_CLOEXEC), moved;

        cr_assert(fd >= 0);
        cr_assert(write(fd, text, strlen(text)) == (ssize_t) strlen(text));
        cr_assert(lseek(fd, 0, SEEK_SET) == 0);
        moved = fcntl(fd, F_DUPFD_CLOEXEC, number);
        cr_assert(moved >= number);
        close(fd);
        return moved;
}

Test(exec_descriptor, streams_may_be_descriptors) {
        int input = make_file("line\n", 50), output = make_file("", 60), error = make_file("", 12);
        char text[32] = {};
        FIXTURE("read word; echo out $word; echo err >&2; [ -e /proc/self/fd/3 ] || echo alone");

        fixture.request.standard_input_fd = input;
        fixture.request.standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = output };
        fixture.request.standard_error = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = error };
        cr_assert(eq(int, fixture_run(&fixture), 0));
        cr_assert(pread(output, text, sizeof(text) - 1, 0) > 0);
        assert_string(text, "out line\nalone\n");
        memset(text, 0, sizeof(text));
        cr_assert(pread(error, text, sizeof(text) - 1, 0) > 0);
        assert_string(text, "err\n");
}

Test(exec_descriptor, standard_error_joins_an_output_that_is_a_descriptor) {
        int output = make_file("", 30);
        char text[32] = {};
        FIXTURE("echo out; echo err >&2");

        fixture.request.standard_output = (ExecStream) { .kind = EXEC_STREAM_FD, .fd = output };
        fixture.request.standard_error = (ExecStream) { .kind = EXEC_STREAM_SAME };
        cr_assert(eq(int, fixture_run(&fixture), 0));
        cr_assert(pread(output, text, sizeof(text) - 1, 0) > 0);
        assert_string(text, "out\nerr\n");
}
