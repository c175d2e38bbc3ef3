/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * garbage ADDRESS-OF-SOCKET COUNT SEED
 *
 * Sends what no honest client sends: bytes that are no message at all, real
 * messages with bits turned, and well-formed calls of real methods with wrong
 * signatures, names and paths. Exits with 0 when all of it was sent, each on a
 * connection that the other side may close whenever it likes.
 */

#include <dbus/dbus.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const methods[] = {
        "StartUnit", "StopUnit", "Exec", "Plan", "Explain", "Query", "Cancel", "CancelJob", "GetUnit", "LoadUnit",
        "ListUnits", "ListUnitsByPatterns", "ListJobs", "GetJob", "KillUnit", "EnqueueUnitJob", "Subscribe", "Reload",
        "RefUnit", "UnrefUnit", "GetUnitByPID", "Get", "GetAll", "Set", "Introspect", "Hello", "AddMatch", "Nonsense",
};
static const char *const interfaces[] = {
        "org.jobd1.Manager", "org.jobd1.Unit", "org.jobd1.Job", "org.jobd1.Service",
        "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus", "a.b",
};
static const char *const paths[] = {
        "/org/jobd1", "/org/jobd1/unit/a_2eservice", "/org/jobd1/job/1", "/org/jobd1/unit/_", "/org/jobd1/job/x", "/",
        "/org/jobd1/unit/_zz_2", "/org/freedesktop/DBus",
};
static const char *const words[] = {
        "", "a.service", "replace", "nonsense", "../../etc/passwd", "x\n.service", "a@b.service", "@.service", "-1",
        "org.jobd1.Manager", "%n%i%%", "a.service\t", "99999999999999999999", "t1", "start", "*",
};

#define PICK(array) ((array)[(size_t) rand() % (sizeof(array) / sizeof((array)[0]))])

static void append_random(DBusMessageIter *iter, int depth) {
        const char *word = PICK(words), *path = PICK(paths);
        dbus_uint32_t u = (dbus_uint32_t) rand();
        dbus_int64_t x = rand();
        DBusMessageIter sub;

        switch (rand() % (depth > 3 ? 4 : 6)) {
        case 0:
                dbus_message_iter_append_basic(iter, DBUS_TYPE_STRING, &word);
                break;
        case 1:
                dbus_message_iter_append_basic(iter, DBUS_TYPE_UINT32, &u);
                break;
        case 2:
                dbus_message_iter_append_basic(iter, DBUS_TYPE_INT64, &x);
                break;
        case 3:
                dbus_message_iter_append_basic(iter, DBUS_TYPE_OBJECT_PATH, &path);
                break;
        case 4:
                dbus_message_iter_open_container(iter, DBUS_TYPE_ARRAY, "s", &sub);
                for (int i = rand() % 4; i > 0; i--) {
                        word = PICK(words);
                        dbus_message_iter_append_basic(&sub, DBUS_TYPE_STRING, &word);
                }
                dbus_message_iter_close_container(iter, &sub);
                break;
        case 5:
                dbus_message_iter_open_container(iter, DBUS_TYPE_STRUCT, NULL, &sub);
                append_random(&sub, depth + 1);
                dbus_message_iter_close_container(iter, &sub);
                break;
        }
}

static DBusMessage *random_call(dbus_uint32_t serial) {
        DBusMessage *message = dbus_message_new_method_call("org.jobd1", PICK(paths), PICK(interfaces), PICK(methods));
        DBusMessageIter iter;

        dbus_message_iter_init_append(message, &iter);
        for (int i = rand() % 4; i > 0; i--)
                append_random(&iter, 0);
        dbus_message_set_serial(message, serial);
        return message;
}

static int connect_to(const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct timeval limit = { .tv_sec = 5 };

        snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
        if (fd < 0 || connect(fd, (struct sockaddr *) &address, sizeof(address)) < 0) {
                perror(path);
                exit(1);
        }
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        return fd;
}

static void send_bytes(int fd, const char *bytes, size_t n) {
        ssize_t r;

        do
                r = send(fd, bytes, n, MSG_NOSIGNAL);
        while (r < 0 && errno == EINTR);
        if (r < 0 && errno != EPIPE && errno != ECONNRESET && errno != EAGAIN) {
                perror("send");
                exit(1);
        }
}

static void authenticate(int fd) {
        char uid[16], text[128], hex[64] = "", reply[256];
        size_t n = 0;

        snprintf(uid, sizeof(uid), "%u", geteuid());
        for (const char *c = uid; *c; c++)
                n += (size_t) snprintf(hex + n, sizeof(hex) - n, "%02x", *c);
        send_bytes(fd, "\0", 1);
        snprintf(text, sizeof(text), "AUTH EXTERNAL %s\r\n", hex);
        send_bytes(fd, text, strlen(text));
        if (recv(fd, reply, sizeof(reply), 0) <= 0)
                exit(1);
        send_bytes(fd, "BEGIN\r\n", 7);
}

/* Reads all that has arrived, so that the peer is never blocked by a full socket; true if it has closed. */
static bool drain(int fd) {
        char reply[65536];
        ssize_t n;

        while ((n = recv(fd, reply, sizeof(reply), MSG_DONTWAIT)) > 0)
                ;
        return n == 0 || (n < 0 && errno != EAGAIN);
}

int main(int argc, char *argv[]) {
        int count, fd = -1, kind = 0;

        if (argc != 4)
                return 2;
        signal(SIGPIPE, SIG_IGN);
        count = atoi(argv[2]);
        srand((unsigned) atoi(argv[3]));

        for (int i = 0; i < count; i++) {
                char *bytes = NULL;
                int n = 0;

                if (fd >= 0 && drain(fd)) {
                        close(fd);
                        fd = -1;
                }
                if (fd < 0) {
                        kind = rand() % 10;
                        fd = connect_to(argv[1]);
                        if (kind > 0)
                                authenticate(fd);
                }

                DBusMessage *call = random_call((dbus_uint32_t) i + 1);
                if (!dbus_message_marshal(call, &bytes, &n))
                        return 1;
                if (kind < 3)
                        for (int turned = 1 + rand() % 8; turned > 0; turned--)
                                bytes[rand() % n] ^= (char) (1 << rand() % 8);
                send_bytes(fd, bytes, rand() % 50 == 0 ? (size_t) (rand() % n) : (size_t) n);
                if (kind < 3 || rand() % 200 == 0) {
                        close(fd);
                        fd = -1;
                }
                dbus_free(bytes);
                dbus_message_unref(call);
        }
        if (fd >= 0)
                close(fd);
        return 0;
}
