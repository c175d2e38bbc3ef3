/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Private sockets
 *
 * Anyone may connect, since reading is for anyone; rights are checked for each
 * call, by the uid that the kernel reports for the socket. The number of
 * connections is limited by that uid, too, before a client has sent anything.
 * For a connection above the limit there is a place where each call is answered
 * with that, so that a client learns at once why it is not served.
 *
 * libdbus takes over listening sockets in one way only, as a service gets them
 * from systemd: LISTEN_PID and LISTEN_FDS in the environment, and descriptors
 * from 3 on, all of them as one server. It has no call that takes a descriptor,
 * neither one that listens nor one that was accepted, and a listening socket of
 * its own would be a new one, which clients that wait on the old one never
 * reach. So the variables are set for the length of that call, and the dialect
 * of a client follows from the place that it has connected to.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "basic/fd.h"
#include "basic/log.h"
#include "basic/text.h"
#include "dbus/peer/bus_process.h"
#include "dbus/peer/bus_server.h"

struct BusServer {
        BusPeers *peers;                /* borrowed */
        DBusServer *server;             /* owned */
        BusLoop *loop;                  /* owned */
        BusPlace places[BUS_SERVER_FDS];        /* .path is owned, the name is not */
        size_t n_places;
        char *id;                       /* owned by libdbus's allocator */
        bool is_kept;                   /* a keeper holds the sockets, too */
        bool is_refusing;               /* and has logged that */
};

/* A socket that accepts connections is served; one that refuses them is left over. */
static bool is_served(const char *path) {
        cleanup_fd_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
                return false;

        strcpy(address.sun_path, path);
        return connect(fd, (struct sockaddr *) &address, sizeof(address)) == 0 || errno == EAGAIN;
}

/* Makes the last folder of the path only. */
static int make_folder_of(const char *path, Failure *ret_failure) {
        cleanup_free_ char *folder = strdup(path);
        char *slash = folder ? strrchr(folder, '/') : NULL;

        if (!folder)
                return -ENOMEM;
        if (!slash || slash == folder)
                return 0;

        *slash = '\0';
        if (mkdir(folder, 0755) < 0 && errno != EEXIST)
                return failure_set(ret_failure, -errno, "IOError", "Cannot make %s for the socket: %s.", folder,
                                   strerror(errno));
        return 0;
}

static dbus_bool_t on_user(DBusConnection *connection, unsigned long uid, void *userdata) {
        return TRUE;
}

static int credentials_of_connection(DBusConnection *connection, struct ucred *ret_credentials) {
        socklen_t size = sizeof(*ret_credentials);
        int fd;

        if (!dbus_connection_get_socket(connection, &fd))
                return -ENOTCONN;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ret_credentials, &size) < 0)
                return -errno;
        return 0;
}

/* Half of the descriptors are for what units need. */
static size_t connections_max(void) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return BUS_CONNECTIONS_MAX;
        return (size_t) MIN(limit.rlim_cur / 2, (rlim_t) BUS_CONNECTIONS_MAX);
}

/*
 * Root and the owner have all the room; others have a share each, and all of them together leave half of it free. 0 or
 * -EUSERS, with @failure then.
 */
static int check_room(const BusPeers *peers, uid_t uid, Failure *failure) {
        const bool is_other = bus_peers_is_other_user(peers, uid);
        const size_t most = connections_max();
        size_t n = 0, n_of_user = 0, n_of_others = 0;

        bus_foreach_peer(peers, peer) {
                if (peer->is_message_bus || peer->is_refused)
                        continue;
                n++;
                n_of_user += peer->uid == uid;
                n_of_others += peer->is_of_other_user;
        }
        if (is_other && n_of_user >= BUS_CONNECTIONS_PER_USER_MAX)
                return failure_set(failure, -EUSERS, "LimitsExceeded",
                                   "uid %u has %zu connections to jobd, the most that a user may have: close one.",
                                   (unsigned) uid, n_of_user);
        if (is_other && n_of_others >= most / 2)
                return failure_set(failure, -EUSERS, "LimitsExceeded",
                                   "jobd has %zu connections of users who may only read, and takes no more: try later.",
                                   n_of_others);
        if (n >= most)
                return failure_set(failure, -EUSERS, "LimitsExceeded",
                                   "jobd has %zu connections, %zu of them of uid %u, and takes no more: close one.", n,
                                   n_of_user, (unsigned) uid);
        return 0;
}

/* Places where calls are answered with a refusal: others leave half of them to root and the owner. */
static bool has_room_to_refuse(const BusPeers *peers, uid_t uid) {
        const size_t most = bus_peers_is_other_user(peers, uid) ? BUS_REFUSED_MAX / 2 : BUS_REFUSED_MAX;
        size_t n = 0;

        bus_foreach_peer(peers, peer)
                n += peer->is_refused;
        return n < most;
}

/* The place that the client has connected to. */
static const BusPlace *place_of_connection(const BusServer *server, DBusConnection *connection) {
        struct sockaddr_un address = {};
        socklen_t size = sizeof(address) - 1;
        int fd;

        if (!dbus_connection_get_socket(connection, &fd) || getsockname(fd, (struct sockaddr *) &address, &size) < 0)
                return &server->places[0];
        for (size_t i = 1; i < server->n_places; i++)
                if (strcmp(address.sun_path, server->places[i].path) == 0)
                        return &server->places[i];
        return &server->places[0];
}

static void on_message(BusPeer *peer, DBusMessage *message, void *userdata) {
        const BusPeers *peers = peer->peers;
        cleanup_(failure_deinit) Failure failure = {};

        assert(peer->clients.n == 1);

        if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL)
                return;
        if (peer->is_refused && check_room(peers, peer->uid, &failure) < 0) {
                peers->receiver->refuse(peer->clients.items[0], message, &failure, peers->userdata);
                return;
        }
        peer->is_refused = false;
        peers->receiver->call(peer->clients.items[0], message, peers->userdata);
}

static const BusPeerOps peer_ops = { .message = on_message };

static int accept_connection(BusServer *server, DBusConnection *connection, const struct ucred *credentials,
                             bool is_refused) {
        cleanup_(bus_peer_unrefp) BusPeer *peer = NULL;
        cleanup_free_ char *name = NULL;
        BusClient *client;
        int r;

        r = bus_peer_new(&peer, server->peers, dbus_connection_ref(connection), credentials->uid, &peer_ops, NULL);
        if (r < 0)
                return r;

        dbus_connection_set_unix_user_function(connection, on_user, NULL, NULL);
        peer->dialects = BUS_DIALECT_BIT(place_of_connection(server, connection)->dialect);
        peer->is_refused = is_refused;
        peer->server_id = server->id;

        r = text_format(&name, ":0.%llu", (unsigned long long) peer->id);
        if (r >= 0)
                r = bus_peer_add_client(peer, name, &client);
        if (r >= 0)
                r = bus_peer_limit_authentication(peer);
        if (r < 0)
                return r;

        client->uid = credentials->uid;
        client->pid = credentials->pid;
        client->started = peer->is_of_other_user ? bus_process_start(credentials->pid) : 0;
        client->is_known = true;
        return bus_peers_add(server->peers, peer);
}

/* libdbus closes a connection that is not taken over here. */
static void on_connection(DBusServer *dbus_server, DBusConnection *connection, void *userdata) {
        BusServer *server = userdata;
        cleanup_(failure_deinit) Failure failure = {};
        struct ucred credentials;
        bool is_refused;

        if (credentials_of_connection(connection, &credentials) < 0)
                return;

        is_refused = check_room(server->peers, credentials.uid, &failure) < 0;
        if (is_refused && !server->is_refusing)
                log_warning("A connection to %s is refused: %s", place_of_connection(server, connection)->path,
                            failure_message(&failure));
        server->is_refusing = is_refused;
        if (is_refused && !has_room_to_refuse(server->peers, credentials.uid))
                return;
        if (accept_connection(server, connection, &credentials, is_refused) < 0)
                log_error("Out of memory while accepting a connection.");
}

static int make_socket(const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd;

        if (strlen(path) >= sizeof(address.sun_path))
                return -ENAMETOOLONG;
        strcpy(address.sun_path, path);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0 || (unlink(path) < 0 && errno != ENOENT) ||
            bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0 || listen(fd, BUS_QUEUE_MAX) < 0) {
                int error = errno;

                fd_close(fd);
                return -error;
        }
        return fd;
}

/* The socket that the keeper holds, unless its file was removed: no client would find it. */
static int open_kept_socket(const BusServer *server, const BusPlace *place) {
        Manager *manager = server->peers->manager;
        int fd, r;

        fd = manager_take_fd(manager, place->kept_name);
        if (fd >= 0 && access(place->path, F_OK) == 0)
                return fd;
        fd_close(fd);
        if (is_served(place->path))
                return -EADDRINUSE;
        fd = make_socket(place->path);
        if (fd < 0)
                return fd;
        r = manager_store_fd(manager, place->kept_name, fd);
        if (r < 0)
                fd_close(fd);
        return r < 0 ? r : fd;
}

static int listen_on_kept(BusServer *server, const BusPlace **ret_place, DBusError *error) {
        char pid[16], n[16];

        for (size_t i = 0; i < server->n_places; i++) {
                cleanup_fd_ int fd = open_kept_socket(server, &server->places[i]);

                *ret_place = &server->places[i];
                if (fd < 0 || dup3(fd, BUS_SERVER_FD + (int) i, O_CLOEXEC) < 0)
                        return fd < 0 ? fd : -errno;
        }
        snprintf(pid, sizeof(pid), "%d", (int) getpid());
        snprintf(n, sizeof(n), "%zu", server->n_places);
        if (setenv("LISTEN_PID", pid, 1) < 0 || setenv("LISTEN_FDS", n, 1) < 0)
                return -ENOMEM;
        server->server = dbus_server_listen("systemd:", error);
        unsetenv("LISTEN_PID");
        unsetenv("LISTEN_FDS");
        return 0;
}

static int listen_on_path(BusServer *server, const char *path, DBusError *error) {
        cleanup_free_ char *address = NULL;
        char *escaped;
        int r;

        if (is_served(path))
                return -EADDRINUSE;
        escaped = dbus_address_escape_value(path);
        if (!escaped)
                return -ENOMEM;
        r = text_format(&address, "unix:path=%s", escaped);
        dbus_free(escaped);
        if (r < 0)
                return r;
        server->server = dbus_server_listen(address, error);
        return 0;
}

static int server_listen(BusServer *server, Failure *ret_failure) {
        static const char *mechanisms[] = { "EXTERNAL", NULL };
        const BusPlace *place = &server->places[0];
        DBusError error = DBUS_ERROR_INIT;
        int r;

        r = server->is_kept ? listen_on_kept(server, &place, &error) : listen_on_path(server, place->path, &error);
        if (r == -ENOMEM)
                return r;
        if (r == -EADDRINUSE)
                return failure_set(ret_failure, -EADDRINUSE, "AlreadyRunning",
                                   "%s is served by another process; is a manager running already?", place->path);
        if (!server->server) {
                r = failure_set(ret_failure, -EADDRNOTAVAIL, "IOError", "Cannot listen on %s: %s.", place->path,
                                r < 0 ? strerror(-r) : error.message);
                dbus_error_free(&error);
                return r;
        }

        server->id = dbus_server_get_id(server->server);
        if (!server->id || !dbus_server_set_auth_mechanisms(server->server, mechanisms))
                return -ENOMEM;
        dbus_server_set_new_connection_function(server->server, on_connection, server, NULL);
        return bus_loop_new_for_server(&server->loop, server->peers->event, server->server);
}

static int take_places(BusServer *server, const BusPlace *places, size_t n_places, Failure *ret_failure) {
        int r = 0;

        for (size_t i = 0; i < n_places && r >= 0; i++) {
                char *path = strdup(places[i].path);

                if (!path)
                        return -ENOMEM;
                server->places[i] = places[i];
                server->places[i].path = path;
                server->n_places++;
                r = make_folder_of(path, ret_failure);
        }
        return r;
}

static int open_to_others(const BusServer *server, Failure *ret_failure) {
        for (size_t i = 0; i < server->n_places; i++)
                if (chmod(server->places[i].path, 0666) < 0)
                        return failure_set(ret_failure, -errno, "IOError", "Cannot open %s to others: %s.",
                                           server->places[i].path, strerror(errno));
        return 0;
}

int bus_server_new(BusServer **ret_server, BusPeers *peers, const BusPlace *places, size_t n_places,
                   Failure *ret_failure) {
        cleanup_(bus_server_freep) BusServer *server = NULL;
        int r;

        assert(ret_server);
        assert(n_places > 0 && n_places <= (manager_is_kept(peers->manager) ? BUS_SERVER_FDS : 1));

        server = calloc(1, sizeof(*server));
        if (!server)
                return -ENOMEM;

        *server = (BusServer) { .peers = peers, .is_kept = manager_is_kept(peers->manager) };
        r = take_places(server, places, n_places, ret_failure);
        if (r >= 0)
                r = server_listen(server, ret_failure);
        if (r >= 0)
                r = open_to_others(server, ret_failure);
        if (r < 0)
                return r;
        *ret_server = take_ptr(server);
        return 0;
}

BusServer *bus_server_free(BusServer *server) {
        const bool removes = server && server->server &&
                             (!server->is_kept || !manager_leaves_sockets(server->peers->manager));

        if (!server)
                return NULL;

        if (server->server) {
                dbus_server_disconnect(server->server);
                server->loop = bus_loop_free(server->loop);
                dbus_server_unref(server->server);
        }
        for (size_t i = 0; i < server->n_places; i++) {
                if (removes)
                        unlink(server->places[i].path);
                free((char *) server->places[i].path);
        }
        dbus_free(server->id);
        free(server);
        return NULL;
}
