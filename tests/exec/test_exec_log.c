/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output that goes to the log: into a FIFO, or to a socket that speaks as journald's does
 */

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "exec_fixture.h"

/* Reads until the last writer has closed; static. */
static const char *read_all(int fd) {
        static char text[256];
        size_t n = 0;
        ssize_t got;

        while ((got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
                n += (size_t) got;
        text[n] = '\0';
        return text;
}

Test(exec_log, both_streams_are_one_fifo) {
        FIXTURE("echo out; echo err >&2; echo again >/proc/self/fd/1; test -p /dev/stdout && echo pipe");
        char path[128];
        int fd;

        strcpy(path, fixture_path(&fixture, "fifo"));
        cr_assert(mkfifo(path, 0600) == 0);
        fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        fixture.request.standard_output = (ExecStream) { .kind = EXEC_STREAM_LOG, .path = path };
        fixture.request.standard_error = (ExecStream) { .kind = EXEC_STREAM_SAME };
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(read_all(fd), "out\nerr\nagain\npipe\n");
        close(fd);
}

Test(exec_log, a_socket_is_told_first_who_it_is) {
        FIXTURE("echo out; echo err >&2");
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;

        strcpy(address.sun_path, fixture_path(&fixture, "socket"));
        cr_assert(bind(server, (const struct sockaddr *) &address, sizeof(address)) == 0);
        cr_assert(listen(server, 5) == 0);
        fixture.request.standard_output = (ExecStream) {
                .kind = EXEC_STREAM_LOG, .path = address.sun_path, .header = "sh\nx.service\n6\n1\n0\n0\n0\n" };
        fixture.request.standard_error = fixture.request.standard_output;
        cr_assert(eq(int, fixture_run(&fixture), 0));
        fd = accept(server, NULL, NULL);
        assert_string(read_all(fd), "sh\nx.service\n6\n1\n0\n0\n0\nout\nerr\n");
        close(fd);
        close(server);
}

Test(exec_log, a_log_that_is_not_there_keeps_nothing_from_running) {
        FIXTURE("readlink /proc/self/fd/2 >>\"$0\"");
        char output[128];

        strcpy(output, fixture.output);
        fixture.argv[3] = output;
        fixture.request.standard_error = (ExecStream) { .kind = EXEC_STREAM_LOG, .path = "/nonexistent/fifo" };
        cr_assert(eq(int, fixture_run(&fixture), 0));
        fixture.request.standard_error = (ExecStream) {
                .kind = EXEC_STREAM_LOG, .path = "/nonexistent/socket", .header = "x\n" };
        cr_assert(eq(int, fixture_run(&fixture), 0));
        assert_string(fixture_output(&fixture), "/dev/null\n/dev/null");
}
