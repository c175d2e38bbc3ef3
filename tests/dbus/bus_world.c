/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A manager and the parts of its bus in the process of the test, and one client of its socket
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
#include "bus_world.h"
#include "dbus/bus_interfaces.h"
#include "double/double_assert.h"

#define KINDS_MAX 8

void bus_world_add_unit(const BusWorld *world, const char *name, const char *text) {
        char path[96];
        FILE *file;

        snprintf(path, sizeof(path), "%s/units/%s", world->folder, name);
        file = fopen(path, "we");
        assert_not_null(file);
        fputs(text, file);
        fclose(file);
}

void bus_world_drain(BusWorld *world) {
        static char bytes[65536];
        ssize_t n;

        while ((n = recv(world->client, bytes, sizeof(bytes) - 1, MSG_DONTWAIT)) > 0) {
                for (ssize_t i = 0; i < n; i++)
                        bytes[i] = bytes[i] == '\0' ? ' ' : bytes[i];
                bytes[n] = '\0';
                text_add(&world->seen, bytes);
        }
}

bool bus_world_has_seen(const BusWorld *world, const char *text) {
        return world->seen.n > 0 && strstr(world->seen.string, text);
}

void bus_world_turn(BusWorld *world) {
        cr_assert(ge(int, manager_turn(world->manager, BUS_WORLD_PATIENCE), 0));
}

void bus_world_settle(BusWorld *world) {
        while (manager_turn(world->manager, 0) > 0)
                ;
}

static int on_knock(sd_event_source *source, void *userdata) {
        return 0;
}

/* Output that is made outside of a turn is sent at the end of the next turn. */
static void make_a_turn(BusWorld *world) {
        sd_event_source *knock = NULL;

        cr_assert(ge(int, sd_event_add_defer(manager_event(world->manager), &knock, on_knock, NULL), 0));
        bus_world_turn(world);
        sd_event_source_disable_unref(knock);
}

void bus_world_wait(BusWorld *world, const char *text) {
        usec_t end = clock_monotonic() + BUS_WORLD_PATIENCE;

        make_a_turn(world);
        for (bus_world_drain(world); !bus_world_has_seen(world, text); bus_world_drain(world)) {
                cr_assert(clock_monotonic() < end, "waiting for \"%s\"", text);
                cr_assert(ge(int, manager_turn(world->manager, USEC_PER_SEC), 0));
        }
}

BusPeer *bus_world_peer(const BusWorld *world) {
        return world->peers.items.items[0];
}

static void connect_client(BusWorld *world) {
        static const char greeting[] = "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n";
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        world->client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/run/private", world->folder);
        cr_assert(eq(int, connect(world->client, (struct sockaddr *) &address, sizeof(address)), 0));
        cr_assert(eq(int, (int) send(world->client, greeting, sizeof(greeting) - 1, MSG_NOSIGNAL),
                     (int) sizeof(greeting) - 1));
        while (!bus_world_has_seen(world, "OK ") || world->peers.items.n == 0) {
                bus_world_turn(world);
                bus_world_drain(world);
        }
}

static void start_bus(BusWorld *world, const char *run, const BusKind *const *kinds) {
        static const BusInterface *const common[] = { &bus_properties_interface, &bus_introspectable_interface, NULL };
        static const BusKind *all[KINDS_MAX + 1];
        char socket_path[80];
        size_t n = 0;

        all[n++] = &bus_unit_kind;
        all[n++] = &bus_job_kind;
        for (; kinds && *kinds && n < KINDS_MAX; kinds++)
                all[n++] = *kinds;
        all[n] = NULL;

        world->tree = (BusTree) {
                .manager = world->manager,
                .peers = &world->peers,
                .dialects = BUS_DIALECT_BIT(BUS_DIALECT_OWN),
                .root = &bus_manager_kind,
                .driver = &bus_driver_kind,
                .kinds = all,
                .common = common,
                .before_reply = bus_signals_announce_jobs,
                .userdata = &world->signals,
        };
        world->dispatch.tree = &world->tree;
        snprintf(socket_path, sizeof(socket_path), "%s/private", run);
        cr_assert(eq(int, bus_peers_init(&world->peers, world->manager, &bus_dispatch_receiver, &world->dispatch), 0));
        cr_assert(eq(int, bus_server_new(&world->server, &world->peers, &(BusPlace) { .path = socket_path }, 1, NULL),
                     0));
        cr_assert(eq(int, bus_signals_attach(&world->signals, &world->tree, &bus_unit_kind, &bus_job_kind), 0));
}

void bus_world_start(BusWorld *world, const BusKind *const *kinds) {
        char units[64], run[64];

        *world = (BusWorld) { .folder = "/tmp/jobd-turn-XXXXXX" };
        log_set_level(LOG_LEVEL_ERROR);
        cr_assert(mkdtemp(world->folder) != NULL);
        snprintf(units, sizeof(units), "%s/units", world->folder);
        snprintf(run, sizeof(run), "%s/run", world->folder);
        cr_assert(mkdir(units, 0755) == 0 && mkdir(run, 0755) == 0);
        cr_assert(eq(int, manager_new(&world->manager, &(ManagerOptions) {
                .is_user = true, .no_default_dependencies = true, .unit_path = units, .runtime_directory = run,
                .default_unit = "" }, NULL), 0));
        start_bus(world, run, kinds);
        connect_client(world);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
        return remove(path);
}

void bus_world_stop(BusWorld *world) {
        close(world->client);
        bus_signals_detach(&world->signals);
        bus_server_free(world->server);
        bus_peers_deinit(&world->peers);
        bus_dispatch_deinit(&world->dispatch);
        manager_free(world->manager);
        text_deinit(&world->seen);
        nftw(world->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void bus_world_send(BusWorld *world, DBusMessage *message) {
        char *bytes;
        int n;

        dbus_message_set_serial(message, ++world->serial);
        cr_assert(dbus_message_marshal(message, &bytes, &n));
        cr_assert(eq(int, (int) send(world->client, bytes, (size_t) n, MSG_NOSIGNAL), n));
        dbus_free(bytes);
        dbus_message_unref(message);
}

void bus_world_call(BusWorld *world, const char *path, const char *interface, const char *method) {
        bus_world_send(world, dbus_message_new_method_call(NULL, path, interface, method));
}

void bus_world_listen(BusWorld *world) {
        bus_world_call(world, "/org/jobd1", BUS_OBJECT_MANAGER_INTERFACE, "GetManagedObjects");
        bus_world_wait(world, "a{oa{sa{sv}}}");
        bus_world_forget(world);
}

void bus_world_forget(BusWorld *world) {
        text_deinit(&world->seen);
        world->seen = (Text) {};
}
