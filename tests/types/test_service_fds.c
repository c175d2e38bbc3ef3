/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors that a service stores
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "basic/macro.h"
#include "service_world.h"
#include "types/unit_types.h"

#define START SERVICE_EXEC_START

static void bring_up(World *world, uint32_t most) {
        world->settings->notify_access = SERVICE_NOTIFY_MAIN;
        world_rare(world)->fd_store_max = most;
        world_command(world, START, "/bin/a");
        world_start(world);
}

/* A pipe: the test keeps one end and passes the other. */
static int pass(World *world, const char *line) {
        int ends[2];

        cr_assert(pipe2(ends, O_CLOEXEC) == 0);
        world_pass(world, world_main(world), line, &ends[0], 1);
        return ends[1];
}

static void restart(World *world) {
        world->will_start = true;
        world_stop(world);
        world_die(world, world_main(world), SIGTERM, false);
        world->will_start = false;
        world_start(world);
}

static unsigned count_kept(const World *world) {
        unsigned n = 0;

        for (size_t i = 0; i < ELEMENTSOF(world->kept); i++)
                n += world->kept[i] >= 0;
        return n;
}

Test(service_fds, come_back_with_the_next_start) {
        char text[3] = "";
        int first, second;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 4);
        first = pass(world, "FDSTORE=1|FDNAME=web");
        second = pass(world, "FDSTORE=1");
        assert_string(world_property(world, "NFileDescriptorStore"), "2");
        restart(world);
        assert_string(world->given_names, "web=0 stored=0");
        cr_assert(write(first, "1\n", 2) == 2);
        cr_assert(read(world->given[0], text, 2) == 2);
        assert_string(text, "1\n");
        cr_assert(eq(u32, count_kept(world), 2));
        close(first);
        close(second);
}

Test(service_fds, go_when_it_stays_down) {
        int end;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 4);
        end = pass(world, "FDSTORE=1|FDNAME=web");
        world_stop(world);
        world_die(world, world_main(world), SIGTERM, false);
        assert_string(world_property(world, "NFileDescriptorStore"), "0");
        cr_assert(eq(u32, count_kept(world), 0));
        world_start(world);
        cr_assert(eq(sz, world->n_given, 0));
        close(end);
}

Test(service_fds, stay_for_a_restart_by_itself) {
        int end;
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        bring_up(world, 4);
        end = pass(world, "FDSTORE=1|FDNAME=web");
        world_exit(world, world_main(world), 1);
        world_start(world);
        assert_string(world->given_names, "web=0");
        close(end);
}

Test(service_fds, go_when_a_restart_is_called_off) {
        int end;
        WORLD(SERVICE_SIMPLE);

        world->settings->restart = SERVICE_RESTART_ALWAYS;
        bring_up(world, 4);
        end = pass(world, "FDSTORE=1|FDNAME=web");
        world_exit(world, world_main(world), 1);
        cr_assert(eq(u32, count_kept(world), 1));
        world_stop(world);
        assert_string(world_property(world, "NFileDescriptorStore"), "0");
        cr_assert(eq(u32, count_kept(world), 0));
        close(end);
}

Test(service_fds, preserve_says_how_long) {
        static const struct {
                ServiceFdPreserve preserve;
                bool at_restart, at_stop;
        } cases[] = {
                { SERVICE_FDS_NO, false, false },
                { SERVICE_FDS_RESTART, true, false },
                { SERVICE_FDS_YES, true, true },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                int end;
                WORLD(SERVICE_SIMPLE);

                world_rare(world)->fd_store_preserve = cases[i].preserve;
                bring_up(world, 4);
                end = pass(world, "FDSTORE=1");
                restart(world);
                cr_assert(eq(sz, world->n_given, cases[i].at_restart));
                world_stop(world);
                world_die(world, world_main(world), SIGTERM, false);
                cr_assert(eq(u32, count_kept(world), cases[i].at_stop));
                close(end);
        }
}

Test(service_fds, no_more_than_the_limit) {
        int first, second;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 1);
        first = pass(world, "FDSTORE=1");
        second = pass(world, "FDSTORE=1");
        assert_string(world_property(world, "NFileDescriptorStore"), "1");
        /* It was closed: no process reads from it. */
        signal(SIGPIPE, SIG_IGN);
        cr_assert(write(second, "x", 1) < 0 && errno == EPIPE);
        close(first);
        close(second);
}

Test(service_fds, none_are_stored_without_a_limit) {
        int end;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 0);
        end = pass(world, "FDSTORE=1");
        assert_string(world_property(world, "NFileDescriptorStore"), "0");
        close(end);
}

Test(service_fds, the_same_one_is_stored_once) {
        int ends[2], again;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 4);
        cr_assert(pipe2(ends, O_CLOEXEC) == 0);
        again = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
        world_pass(world, world_main(world), "FDSTORE=1", &ends[0], 1);
        world_pass(world, world_main(world), "FDSTORE=1", &again, 1);
        assert_string(world_property(world, "NFileDescriptorStore"), "1");
        close(ends[1]);
}

Test(service_fds, are_removed_by_name) {
        int a, b;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 4);
        a = pass(world, "FDSTORE=1|FDNAME=a");
        b = pass(world, "FDSTORE=1|FDNAME=b");
        world_notify(world, world_main(world), "FDSTOREREMOVE=1|FDNAME=a");
        assert_string(world_property(world, "NFileDescriptorStore"), "1");
        world_notify(world, world_main(world), "FDSTOREREMOVE=1");
        assert_string(world_property(world, "NFileDescriptorStore"), "1");
        restart(world);
        assert_string(world->given_names, "b=0");
        close(a);
        close(b);
}

Test(service_fds, go_when_the_other_side_hangs_up) {
        int a, b;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 4);
        a = pass(world, "FDSTORE=1|FDNAME=a");
        b = pass(world, "FDSTORE=1|FDNAME=b|FDPOLL=0");
        cr_assert(eq(u32, world->watched, 2), "the first, and not the second");
        world_fd_ready(world, 1);
        assert_string(world_property(world, "NFileDescriptorStore"), "1");
        close(a);
        close(b);
}

Test(service_fds, bad_names_are_replaced) {
        int end;
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 4);
        end = pass(world, "FDSTORE=1|FDNAME=a:b");
        restart(world);
        assert_string(world->given_names, "stored=0");
        close(end);
}

Test(service_fds, only_who_may_notify_may_store) {
        int ends[2];
        WORLD(SERVICE_SIMPLE);

        bring_up(world, 4);
        cr_assert(pipe2(ends, O_CLOEXEC) == 0);
        world_pass(world, 1234, "FDSTORE=1", &ends[0], 1);
        assert_string(world_property(world, "NFileDescriptorStore"), "0");
        close(ends[1]);
}
