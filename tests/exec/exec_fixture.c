/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A shell script as an ExecRequest, and what it wrote
 */

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec_fixture.h"

void fixture_init(Fixture *fixture, const char *script) {
        *fixture = (Fixture) { .folder = "/tmp/test-exec-XXXXXX" };
        cr_assert(mkdtemp(fixture->folder) != NULL);
        cr_assert(chmod(fixture->folder, 0755) == 0);
        snprintf(fixture->output, sizeof(fixture->output), "%s/output", fixture->folder);
        fixture->argv[0] = (char *) "sh";
        fixture->argv[1] = (char *) "-c";
        fixture->argv[2] = (char *) script;
        fixture->request = (ExecRequest) {
                .path = "/bin/sh",
                .argv = fixture->argv,
                .umask = 0022,
                .flags = EXEC_REQUEST_NO_EXPANSION,
                .standard_output = { EXEC_STREAM_APPEND, fixture->output },
                .standard_error = { .kind = EXEC_STREAM_SAME },
        };
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place) {
        return remove(path);
}

void fixture_deinit(Fixture *fixture) {
        exec_request_deinit(&fixture->request);
        nftw(fixture->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int fixture_run(Fixture *fixture) {
        int pidfd = -1, status = -1, r;
        pid_t pid = 0;

        r = exec_spawn(&fixture->request, &pid, &pidfd, &fixture->result);
        cr_assert(r == 0, "%s", fixture->result.message);
        cr_assert(waitpid(pid, &status, 0) == pid);
        if (pidfd >= 0)
                close(pidfd);
        return status;
}

void fixture_fail(Fixture *fixture, ExecStep step, int error, const char *part) {
        int pidfd = -1, r;
        pid_t pid = 0;

        r = exec_spawn(&fixture->request, &pid, &pidfd, &fixture->result);
        cr_assert(r == -error, "expected %s, got %d: %s", strerror(error), r, fixture->result.message);
        cr_assert(fixture->result.step == step, "step %d: %s", fixture->result.step, fixture->result.message);
        cr_assert(eq(int, fixture->result.error, error));
        cr_assert(strstr(fixture->result.message, part) != NULL, "\"%s\" lacks \"%s\"", fixture->result.message, part);
        cr_assert(waitpid(-1, NULL, WNOHANG) <= 0, "there is something left to reap");
}

const char *fixture_output(const Fixture *fixture) {
        static char text[65536];
        ssize_t n;
        int fd;

        fd = open(fixture->output, O_RDONLY | O_CLOEXEC);
        cr_assert(fd >= 0);
        n = read(fd, text, sizeof(text) - 1);
        cr_assert(n >= 0);
        close(fd);
        while (n > 0 && text[n - 1] == '\n')
                n--;
        text[n] = '\0';
        return text;
}

const char *fixture_path(const Fixture *fixture, const char *name) {
        static char paths[4][96];
        static unsigned next;
        char *path = paths[next++ % 4];

        snprintf(path, sizeof(paths[0]), "%s/%s", fixture->folder, name);
        return path;
}

void fixture_write(const Fixture *fixture, const char *name, const char *text, mode_t mode) {
        int fd = open(fixture_path(fixture, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        cr_assert(fd >= 0);
        cr_assert(write(fd, text, strlen(text)) == (ssize_t) strlen(text));
        cr_assert(fchmod(fd, mode) == 0);
        close(fd);
}
