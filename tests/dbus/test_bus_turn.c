/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What leaves in which turn: a manager and its bus in the process of the test
 */

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/clock.h"
#include "basic/log.h"
#include "basic/text.h"
#include "dbus/bus_internal.h"
#include "double/double_assert.h"
#include "manager/outbox.h"

/* More than are begun in the turn in which they are asked for, and in the next. */
#define TARGETS 300U

/* It only ends a test that hangs. */
#define PATIENCE (5 * USEC_PER_MINUTE)

typedef struct World {
        char folder[32];
        Manager *manager;
        Bus *bus;
        int client;                     /* its socket */
        Text seen;                      /* all that came to it, but NULs */
} World;

static void add_file(const World *world, const char *name, const char *text) {
        char path[96];
        FILE *file;

        snprintf(path, sizeof(path), "%s/units/%s", world->folder, name);
        file = fopen(path, "we");
        assert_not_null(file);
        fputs(text, file);
        fclose(file);
}

/* Whatever has come. */
static void drain(World *world) {
        static char bytes[65536];
        ssize_t n;

        while ((n = recv(world->client, bytes, sizeof(bytes) - 1, MSG_DONTWAIT)) > 0) {
                for (ssize_t i = 0; i < n; i++)
                        bytes[i] = bytes[i] == '\0' ? ' ' : bytes[i];
                bytes[n] = '\0';
                text_add(&world->seen, bytes);
        }
}

static bool has_seen(const World *world, const char *text) {
        return world->seen.n > 0 && strstr(world->seen.string, text);
}

static void connect_client(World *world) {
        static const char greeting[] = "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n";
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        world->client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/run/private", world->folder);
        cr_assert(eq(int, connect(world->client, (struct sockaddr *) &address, sizeof(address)), 0));
        cr_assert(eq(int, (int) send(world->client, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL), (int) sizeof(greeting) - 1));
        while (!has_seen(world, "OK ") || world->bus->peers.n == 0) {
                cr_assert(ge(int, manager_turn(world->manager, PATIENCE), 0));
                drain(world);
        }
}

static void world_start(World *world) {
        char units[64], run[64];

        *world = (World) { .folder = "/tmp/jobd-turn-XXXXXX" };
        log_set_level(LOG_LEVEL_ERROR);
        cr_assert(mkdtemp(world->folder) != NULL);
        snprintf(units, sizeof(units), "%s/units", world->folder);
        snprintf(run, sizeof(run), "%s/run", world->folder);
        cr_assert(mkdir(units, 0755) == 0 && mkdir(run, 0755) == 0);
        add_file(world, "x@.target", "[Unit]\nDescription=One of many\n");
        cr_assert(eq(int, manager_new(&world->manager, &(ManagerOptions) {
                .is_user = true, .no_default_dependencies = true, .unit_path = units, .runtime_directory = run,
                .default_unit = "" }, NULL), 0));
        cr_assert(eq(int, bus_new(&world->bus, world->manager, &(BusOptions) {
                .is_user = true, .no_bus = true, .runtime_directory = run }, NULL), 0));
        connect_client(world);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
        return remove(path);
}

static void world_stop(World *world) {
        close(world->client);
        bus_free(world->bus);
        manager_free(world->manager);
        text_deinit(&world->seen);
        nftw(world->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static BusPeer *the_peer(const World *world) {
        return world->bus->peers.items[0];
}

static void send_call(const World *world) {
        DBusMessage *call = dbus_message_new_method_call(NULL, "/org/jobd1", DBUS_INTERFACE_INTROSPECTABLE, "Introspect");
        char *bytes;
        int n;

        dbus_message_set_serial(call, 1);
        cr_assert(dbus_message_marshal(call, &bytes, &n));
        cr_assert(eq(int, (int) send(world->client, bytes, (size_t) n, MSG_NOSIGNAL), n));
        dbus_free(bytes);
        dbus_message_unref(call);
}

/* Calls that it reads no answers of, until one does not fit into the socket. */
static void fill_socket(World *world) {
        usec_t end = clock_monotonic() + PATIENCE;

        while (bus_output_size(&the_peer(world)->output) == 0) {
                cr_assert(clock_monotonic() < end);
                send_call(world);
                while (manager_turn(world->manager, 0) > 0)
                        ;
        }
}

/* A turn that takes some time, leaves an answer, and has jobs behind it. */
static int on_request(sd_event_source *source, void *userdata) {
        World *world = userdata;
        DBusMessage *answer = dbus_message_new_signal("/org/jobd1", "org.jobd1.Test", "TheAnswer");
        usec_t end = clock_monotonic() + 100 * USEC_PER_MSEC;

        for (unsigned i = 0; i < TARGETS; i++) {
                cleanup_(job_plan_freep) JobPlan *plan = NULL;
                char name[32];

                snprintf(name, sizeof(name), "x@%u.target", i);
                cr_assert(eq(int, manager_exec(world->manager, &(JobRequest) { .unit = name, .type = JOB_START }, 1, JOB_REPLACE,
                                               NULL, &plan), JOB_MANAGER_E_SUCCESS));
        }
        cr_assert(eq(int, bus_peer_send(the_peer(world), answer), 0));
        dbus_message_unref(answer);
        while (clock_monotonic() < end)
                ;
        return 0;
}

/* Also where something that has left before is still to be written, and now can be. */
Test(bus_turn, an_answer_that_is_told_later_does_not_leave_with_what_is_older) {
        cleanup_(world_stop) World world;
        sd_event_source *source = NULL;
        unsigned n_later = 0;

        world_start(&world);
        fill_socket(&world);
        cr_assert(ge(int, sd_event_add_defer(manager_event(world.manager), &source, on_request, &world), 0));
        sd_event_source_set_priority(source, MANAGER_PRIORITY_CHILDREN);
        do {
                drain(&world);
                cr_assert(ge(int, manager_turn(world.manager, PATIENCE), 0));
                if (outbox_length(manager_outbox(world.manager)) == 0)
                        continue;
                n_later++;
                drain(&world);
                cr_assert(not(has_seen(&world, "TheAnswer")), "it is not committed yet");
        } while (n_later == 0 || outbox_length(manager_outbox(world.manager)) > 0);
        for (drain(&world); !has_seen(&world, "TheAnswer"); drain(&world))
                cr_assert(ge(int, manager_turn(world.manager, PATIENCE), 0));
        sd_event_source_disable_unref(source);
}
