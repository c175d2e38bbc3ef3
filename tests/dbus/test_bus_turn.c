/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The turns in which messages are sent: a manager and its bus in the process
 * of the test
 */

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/clock.h"
#include "bus_world.h"
#include "double/double_assert.h"
#include "process/outbox.h"

/* More than are started in the turn of the request and in the next turn. */
#define TARGETS 300U

/* Makes calls without reading the replies until a reply does not fit into the socket. */
static void fill_socket(BusWorld *world) {
        usec_t end = clock_monotonic() + BUS_WORLD_PATIENCE;

        while (bus_output_size(&bus_world_peer(world)->output) == 0) {
                cr_assert(clock_monotonic() < end);
                bus_world_call(world, "/org/jobd1", DBUS_INTERFACE_INTROSPECTABLE, "Introspect");
                bus_world_settle(world);
        }
}

/* A turn that takes some time, sends a reply, and is followed by turns with jobs. */
static int on_request(sd_event_source *source, void *userdata) {
        BusWorld *world = userdata;
        DBusMessage *answer = dbus_message_new_signal("/org/jobd1", "org.jobd1.Test", "TheAnswer");
        usec_t end = clock_monotonic() + 100 * USEC_PER_MSEC;

        for (unsigned i = 0; i < TARGETS; i++) {
                cleanup_(job_plan_freep) JobPlan *plan = NULL;
                char name[32];

                snprintf(name, sizeof(name), "x@%u.target", i);
                cr_assert(eq(int, manager_exec(world->manager, &(JobRequest) { .unit = name, .type = JOB_START }, 1,
                                               JOB_REPLACE, NULL, &plan), JOB_MANAGER_E_SUCCESS));
        }
        cr_assert(eq(int, bus_peer_send(bus_world_peer(world), answer), 0));
        dbus_message_unref(answer);
        while (clock_monotonic() < end)
                ;
        return 0;
}

/* This also holds if earlier output is still queued and can be written now. */
Test(bus_turn, an_answer_that_is_told_later_does_not_leave_with_what_is_older) {
        cleanup_(bus_world_stop) BusWorld world;
        sd_event_source *source = NULL;
        unsigned n_later = 0;

        bus_world_start(&world, NULL);
        bus_world_add_unit(&world, "x@.target", "[Unit]\nDescription=One of many\n");
        fill_socket(&world);
        cr_assert(ge(int, sd_event_add_defer(manager_event(world.manager), &source, on_request, &world), 0));
        sd_event_source_set_priority(source, MANAGER_PRIORITY_CHILDREN);
        do {
                bus_world_drain(&world);
                cr_assert(ge(int, manager_turn(world.manager, BUS_WORLD_PATIENCE), 0));
                if (outbox_length(manager_outbox(world.manager)) == 0)
                        continue;
                n_later++;
                bus_world_drain(&world);
                cr_assert(not(bus_world_has_seen(&world, "TheAnswer")), "it is not committed yet");
        } while (n_later == 0 || outbox_length(manager_outbox(world.manager)) > 0);
        bus_world_wait(&world, "TheAnswer");
        sd_event_source_disable_unref(source);
}

static void run(BusWorld *world, const char *unit, JobType type) {
        cleanup_(job_plan_freep) JobPlan *plan = NULL;

        cr_assert(eq(int, manager_exec(world->manager, &(JobRequest) { .unit = unit, .type = type }, 1, JOB_REPLACE, NULL,
                                       &plan), JOB_MANAGER_E_SUCCESS));
}

/* Signals of the last job are queued after the signals of the unit itself, which have been sent. */
Test(bus_turn, a_unit_that_goes_with_its_job_in_one_turn_takes_no_news_along) {
        static const char *const heard[] = { "JobNew", "JobRemoved", "UnitRemoved", "InterfacesRemoved" };
        cleanup_(bus_world_stop) BusWorld world;

        bus_world_start(&world, NULL);
        bus_world_add_unit(&world, "x.target", "[Unit]\nDescription=It comes and goes\n");
        bus_world_listen(&world);
        run(&world, "x.target", JOB_START);
        bus_world_wait(&world, "JobRemoved");
        cr_assert(bus_world_has_seen(&world, "UnitNew"));
        bus_world_settle(&world);
        bus_world_drain(&world);
        bus_world_forget(&world);

        run(&world, "x.target", JOB_STOP);
        cr_assert(manager_find_unit(world.manager, "x.target") != NULL);
        bus_world_wait(&world, "JobRemoved");
        bus_world_settle(&world);
        bus_world_drain(&world);
        for (size_t i = 0; i < ELEMENTSOF(heard); i++)
                cr_assert(bus_world_has_seen(&world, heard[i]), "%s was not announced", heard[i]);
}

static int connect_another(const BusWorld *world, const char *greeting, size_t n) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        snprintf(address.sun_path, sizeof(address.sun_path), "%s/run/private", world->folder);
        cr_assert(eq(int, connect(fd, (struct sockaddr *) &address, sizeof(address)), 0));
        cr_assert(eq(int, (int) send(fd, greeting, n, MSG_NOSIGNAL), (int) n));
        return fd;
}

/* Reads all that has arrived; true once the manager has closed the connection. */
static bool has_ended(int fd) {
        char bytes[256];
        ssize_t n;

        while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
                ;
        return n == 0;
}

/* The time limit of both has passed when they are accepted; only the first has sent its whole authentication. */
Test(bus_turn, a_connection_that_is_not_authenticated_ends) {
        static const char greeting[] = "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n", begun[] = "\0AUTH EXTERNAL\r\n";
        usec_t end = clock_monotonic() + BUS_WORLD_PATIENCE;
        cleanup_(bus_world_stop) BusWorld world;
        int first, second;

        bus_world_start(&world, NULL);
        cr_assert(eq(int, world.peers.authentication_time == BUS_AUTHENTICATION_TIME, true));
        world.peers.authentication_time = 0;
        first = connect_another(&world, greeting, sizeof(greeting) - 1);
        second = connect_another(&world, begun, sizeof(begun) - 1);
        while (!has_ended(second)) {
                cr_assert(clock_monotonic() < end);
                cr_assert(ge(int, manager_turn(world.manager, USEC_PER_SEC), 0));
        }
        bus_world_settle(&world);
        cr_assert(not(has_ended(first)));
        cr_assert(eq(int, (int) world.peers.items.n, 2));
        close(first);
        close(second);
}
