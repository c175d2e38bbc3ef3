/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child that hangs in the kernel, and does not die either: in a file system
 * that has taken the request and does not answer. The file system is us.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/macro.h"
#include "exec_fixture.h"

typedef union Request {
        struct fuse_in_header header;
        char bytes[FUSE_MIN_READ_BUFFER * 2];
} Request;

static void answer(int fuse, const Request *request, int error, const void *data, size_t n) {
        struct {
                struct fuse_out_header header;
                char data[sizeof(struct fuse_entry_out)];
        } reply = { .header = { .len = (uint32_t) (sizeof(reply.header) + n), .error = error,
                                .unique = request->header.unique } };

        cr_assert(le(sz, n, sizeof(reply.data)));
        if (n > 0)
                memcpy(reply.data, data, n);
        cr_assert(write(fuse, &reply, reply.header.len) == (ssize_t) reply.header.len);
}

/* Serves one file under any name, which can be opened, until a request of kind @opcode: that one is returned unanswered. */
static void serve_until(int fuse, uint32_t opcode, Request *request) {
        const struct fuse_open_out opened = {};
        const struct fuse_entry_out entry = {
                .nodeid = 2, .entry_valid = 3600, .attr_valid = 3600,
                .attr = { .ino = 2, .mode = S_IFREG | 0644, .nlink = 1 },
        };

        for (;;) {
                cr_assert(read(fuse, request, sizeof(*request)) > 0);
                if (request->header.opcode == opcode)
                        return;
                if (request->header.opcode == FUSE_LOOKUP)
                        answer(fuse, request, 0, &entry, sizeof(entry));
                else if (request->header.opcode == FUSE_OPEN)
                        answer(fuse, request, 0, &opened, sizeof(opened));
        }
}

/* Returns -1 if the mount is impossible here. */
static int mount_silent(const char *path) {
        const struct fuse_init_out welcome = {
                .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096 };
        Request request;
        char options[128];
        int fuse;

        cr_assert(mkdir(path, 0755) == 0);
        fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
        if (fuse < 0)
                return -1;
        snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
        if (mount("silent", path, "fuse", MS_NOSUID | MS_NODEV, options) < 0) {
                close(fuse);
                return -1;
        }
        serve_until(fuse, FUSE_INIT, &request);
        answer(fuse, &request, 0, &welcome, sizeof(welcome));
        return fuse;
}

static pid_t hang(Fixture *fixture, int fuse, Request *request) {
        ExecSpawn *spawn = NULL;
        int pidfd = -1;
        pid_t pid = 0;

        cr_assert(eq(int, exec_spawn_begin(&fixture->request, &spawn, &fixture->result), 0));
        serve_until(fuse, FUSE_ACCESS, request);
        cr_assert(eq(int, exec_spawn_finish(spawn, &pid, &pidfd, &fixture->result), -ETIME));
        cr_assert(eq(int, (int) fixture->result.step, EXEC_STEP_CHDIR));
        return fixture->result.pid;
}

/* Starts as many children as can be on their way at once. */
static void start_many(Fixture *fixture) {
        ExecSpawn *spawns[EXEC_SPAWNS_MAX];

        for (size_t i = 0; i < ELEMENTSOF(spawns); i++)
                cr_assert(eq(int, exec_spawn_begin(&fixture->request, &spawns[i], &fixture->result), 0));
        for (size_t i = 0; i < ELEMENTSOF(spawns); i++) {
                int pidfd = -1;
                pid_t pid = 0;

                cr_assert(eq(int, exec_spawn_finish(spawns[i], &pid, &pidfd, &fixture->result), 0));
                cr_assert(waitpid(pid, NULL, 0) == pid);
                close(pidfd);
        }
}

/* A user who makes a child hang, by a file system of the user, must not be able to read the memory of the manager. */
Test(exec_hang, memory_stays_closed_until_the_last_has_left_it_and_no_place_is_lost) {
        FIXTURE("exit");
        int before = prctl(PR_GET_DUMPABLE), fuse;
        char path[64];
        Request request;
        pid_t pid;

        snprintf(path, sizeof(path), "%s", fixture_path(&fixture, "silent"));
        fuse = mount_silent(path);
        if (fuse < 0) {
                rmdir(path);
                cr_skip("needs FUSE");
        }
        cr_assert(chmod(fixture.folder, 0711) == 0);
        fixture.request.user = "65534";
        fixture.request.group = "65534";
        fixture.request.working_directory = path;
        pid = hang(&fixture, fuse, &request);
        fixture.request.user = fixture.request.group = NULL;
        fixture.request.working_directory = NULL;
        start_many(&fixture);
        cr_assert(waitpid(pid, NULL, WNOHANG) == 0, "it hangs no longer");
        cr_assert(ne(int, prctl(PR_GET_DUMPABLE), 1));

        answer(fuse, &request, -EACCES, NULL, 0);
        cr_assert(waitpid(pid, NULL, 0) == pid);
        start_many(&fixture);
        cr_assert(eq(int, prctl(PR_GET_DUMPABLE), before));
        close(fuse);
        cr_assert(umount2(path, MNT_DETACH) == 0 && rmdir(path) == 0);
}

/* The child has failed and is closing its files. */
Test(exec_hang, end_that_lasts_is_not_waited_for) {
        FIXTURE("exit");
        char path[64], file[80];
        ExecSpawn *spawn = NULL;
        int fuse, pidfd = -1;
        Request request;
        pid_t pid = 0;

        snprintf(path, sizeof(path), "%s", fixture_path(&fixture, "silent"));
        snprintf(file, sizeof(file), "%s/file", path);
        fuse = mount_silent(path);
        if (fuse < 0) {
                rmdir(path);
                cr_skip("needs FUSE");
        }
        fixture.request.standard_input_file = file;
        fixture.request.path = "/no/such/program";
        cr_assert(eq(int, exec_spawn_begin(&fixture.request, &spawn, &fixture.result), 0));
        serve_until(fuse, FUSE_FLUSH, &request);
        cr_assert(eq(int, exec_spawn_finish(spawn, &pid, &pidfd, &fixture.result), -ENOENT));
        cr_assert(eq(int, (int) fixture.result.step, EXEC_STEP_EXEC));
        cr_assert(waitpid(fixture.result.pid, NULL, WNOHANG) == 0, "it is there no longer");

        answer(fuse, &request, 0, NULL, 0);
        cr_assert(waitpid(fixture.result.pid, NULL, 0) == fixture.result.pid);
        close(fuse);
        cr_assert(umount2(path, MNT_DETACH) == 0 && rmdir(path) == 0);
}
