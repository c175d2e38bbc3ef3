/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Notifications reach the unit of their sender, and nothing else does.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basic/log.h"
#include "manager_world.h"

static Unit *fake_unit(World *world, const char *name) {
        world_fake_services(world);
        world_write(world, name, "[Service]\nExecStart=/bin/true\n");
        return unit_ref(world_load(world, name));
}

static bool send_text(const World *world, const void *text, size_t n, int fd) {
        union {
                struct cmsghdr header;
                char room[CMSG_SPACE(sizeof(int))];
        } control = { .header = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
                                  .cmsg_len = CMSG_LEN(sizeof(int)) } };
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        struct iovec part = { .iov_base = (void *) text, .iov_len = n };
        struct msghdr message = { .msg_name = &address, .msg_namelen = sizeof(address), .msg_iov = &part,
                                  .msg_iovlen = 1 };
        int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        bool is_sent;

        strcpy(address.sun_path, world->manager->notify.path);
        if (fd >= 0) {
                memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
                message.msg_control = &control;
                message.msg_controllen = sizeof(control);
        }
        is_sent = sendmsg(s, &message, 0) == (ssize_t) n;
        close(s);
        return is_sent;
}

/* A child of @unit that sends @text, from a child of its own if @is_nested, and waits to be killed. */
static pid_t fork_sender(World *world, Unit *unit, const char *text, bool is_nested) {
        int gate[2];
        pid_t pid;

        cr_assert(eq(int, pipe2(gate, O_CLOEXEC), 0));
        pid = fork();
        if (pid == 0) {
                char byte;

                close(gate[1]);
                if (read(gate[0], &byte, 1) != 0)
                        _exit(1);
                if (is_nested && fork() != 0)
                        pause();
                if (!send_text(world, text, strlen(text), -1))
                        _exit(1);
                pause();
        }
        cr_assert(eq(int, world_add_process(world, unit, UNIT_PURPOSE_MAIN, pid, -1, 0), 0));
        close(gate[0]);
        close(gate[1]);
        return pid;
}

Test(manager_notify, reaches_the_unit_of_the_process) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service"), *b = fake_unit(world, "b.service");

        fork_sender(world, a, "READY=1\nSTATUS=up", false);
        world_wait(world, world_has_calls, "notify a.service READY=1 STATUS=up;");
        fork_sender(world, b, "STOPPING=1", false);
        world_wait(world, world_has_calls, "notify b.service STOPPING=1;");
}

Test(manager_notify, a_descendant_speaks_for_the_unit) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");

        fork_sender(world, a, "READY=1", true);
        world_wait(world, world_has_calls, "notify a.service READY=1;");
}

Test(manager_notify, a_stranger_is_not_heard) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");

        cr_assert(send_text(world, "READY=1", 7, -1));  /* from the test process, which belongs to no unit */
        fork_sender(world, a, "STATUS=mine", false);
        world_wait(world, world_has_calls, "notify a.service");
        assert_string(world_calls(world), "notify a.service STATUS=mine;");
}

/* Any process can send them, and their messages would displace those of units from the log. */
Test(manager_notify, bad_datagrams_do_not_fill_the_log) {
        cleanup_(world_freep) World *world = world_new();
        FILE *log = tmpfile();
        char line[256];
        unsigned n = 0;

        assert_not_null(log);
        log_set_kernel(fileno(log));
        log_set_level(LOG_LEVEL_WARNING);
        for (unsigned i = 0; i < 500; i++) {
                if (!send_text(world, "X=1", 4, -1))
                        break;
                if (i % 8 == 7)
                        world_settle(world);
        }
        world_settle(world);
        log_set_kernel(-1);
        rewind(log);
        while (fgets(line, sizeof(line), log))
                n += strstr(line, "malformed") != NULL;
        fclose(log);
        cr_assert(n > 0 && n <= 40, "%u lines, which is more than two intervals make", n);
}

Test(manager_notify, bad_datagrams_are_dropped_and_descriptors_closed) {
        cleanup_(world_freep) World *world = world_new();
        static const char with_nul[] = "READY=1\0X=1";
        static char large[5000];
        int ends[2];
        char byte;

        memset(large, 'x', sizeof(large));
        cr_assert(eq(int, pipe2(ends, O_CLOEXEC), 0));
        cr_assert(send_text(world, with_nul, sizeof(with_nul), -1));
        cr_assert(send_text(world, large, sizeof(large), -1));
        cr_assert(send_text(world, "", 0, -1));
        cr_assert(send_text(world, "FDSTORE=1", 9, ends[1]));
        close(ends[1]);
        world_settle(world);
        assert_string(world_calls(world), "");
        cr_assert(eq(int, (int) read(ends[0], &byte, 1), 0));   /* nobody holds the other end any more */
        close(ends[0]);
}

/* Datagrams after one that is too long are neither lost nor mixed up with its rest. */
Test(manager_notify, who_says_too_much_silences_nobody) {
        static const size_t sizes[] = { 4097, 6000, 2 * 4096, 2 * 4096 + 1, 30000 };
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        static char large[30000];
        pid_t pid;

        memset(large, 'x', sizeof(large));
        for (size_t i = 0; i < ELEMENTSOF(sizes); i++) {
                pid = fork();
                if (pid == 0)
                        _exit(!send_text(world, large, sizes[i], -1) || !send_text(world, "STATUS=1", 8, -1) ||
                              !send_text(world, "STATUS=2", 8, -1));
                cr_assert(eq(int, world_add_process(world, a, UNIT_PURPOSE_MAIN, pid, -1, 0), 0));
                world_wait(world, world_has_calls, "exit");
                cr_assert(eq(int, strncmp(world_calls(world),
                                          "notify a.service STATUS=1;notify a.service STATUS=2;exit ", 57), 0),
                          "%zu bytes: %.80s", sizes[i], world_calls(world));
                world_clear_calls(world);
        }
}

/* Recorded datagrams are removed from the socket, and no others. */
Test(manager_notify, what_comes_behind_a_long_one_is_not_taken_for_it) {
        static char large[6000];
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        siginfo_t info;
        pid_t pid;

        memset(large, 'x', sizeof(large));
        cr_assert(send_text(world, large, sizeof(large), -1));
        manager_notify_read(&world->manager->notify, 64);
        pid = fork();
        if (pid == 0)
                _exit(!send_text(world, "READY=1", 7, -1));
        cr_assert(eq(int, world_add_process(world, a, UNIT_PURPOSE_MAIN, pid, -1, 0), 0));
        cr_assert(eq(int, waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0));
        state_commit(world->manager->turn.state);
        world_wait(world, world_has_calls, "exit");
        cr_assert(eq(int, strncmp(world_calls(world), "notify a.service READY=1;exit ", 30), 0), "%s",
                  world_calls(world));
}

/* SIGCHLD is handled before notifications, except for those of the exited process. */
Test(manager_notify, what_was_said_before_the_end_is_heard_before_it) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        siginfo_t info;
        pid_t pid;

        pid = fork();
        if (pid == 0)
                _exit(!send_text(world, "READY=1", 7, -1));
        cr_assert(eq(int, world_add_process(world, a, UNIT_PURPOSE_MAIN, pid, -1, 0), 0));
        cr_assert(eq(int, waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0));
        world_wait(world, world_has_calls, "exit");
        cr_assert(eq(int, strncmp(world_calls(world), "notify a.service READY=1;exit ", 30), 0), "%s",
                  world_calls(world));
}

Test(manager_notify, ten_thousand_leave_the_manager_serving) {
        cleanup_(world_freep) World *world = world_new();
        Unit *a = fake_unit(world, "a.service");
        pid_t pid = fork();

        if (pid == 0) {
                for (unsigned i = 0; i < 10000; i++)
                        if (!send_text(world, "garbage", 7, -1))
                                _exit(1);
                _exit(0);
        }
        cr_assert(eq(int, world_add_process(world, a, UNIT_PURPOSE_MAIN, pid, -1, 0), 0));
        world_wait(world, world_has_calls, "exit");
}

/* There is a datagram to read at the beginning of every turn. */
Test(manager_notify, who_never_stops_talking_holds_up_nobody) {
        cleanup_(world_freep) World *world = world_new();

        fake_unit(world, "a.service");
        world_exec(world, JOB_REPLACE, "start:a.service");
        for (unsigned i = 0; i < 10; i++) {
                cr_assert(send_text(world, "STATUS=again", 12, -1));
                world_turn(world);
        }
        assert_string(world_calls(world), "start a.service;");
}

Test(manager_notify, any_user_may_write_to_the_socket) {
        cleanup_(world_freep) World *world = world_new();
        struct stat status;

        cr_assert(eq(int, stat(world->manager->notify.path, &status), 0));
        cr_assert(eq(int, (int) (status.st_mode & 0777), 0666));
}

Test(manager_notify, a_folder_that_is_too_deep_gets_an_abstract_name) {
        char deep[200];
        cleanup_(manager_freep) Manager *manager = NULL;

        log_set_level(LOG_LEVEL_ERROR);
        memset(deep, 'x', sizeof(deep));
        memcpy(deep, "/tmp/", 5);
        deep[sizeof(deep) - 1] = '\0';
        cr_assert(eq(int, manager_new(&manager, &(ManagerOptions) {
                .unit_path = "/nonexistent", .runtime_directory = deep, .default_unit = "" }, NULL), 0));
        cr_assert(eq(chr, manager->notify.path[0], '@'));
}
