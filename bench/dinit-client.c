/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A client of dinit's control socket
 *
 * The part of its protocol that is needed to load, start and stop a service:
 * a byte for the command, a handle for the service. Answers are bytes of 50 to
 * 99; 100 and up are news of services that we have a handle of, with their
 * length in the second byte. The answer is one line of JSON as dbus-client's.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
        COMMAND_LOAD = 2,
        COMMAND_START = 3,
        COMMAND_STOP = 4,

        REPLY_ACK = 50,
        REPLY_RECORD = 59,
        REPLY_ALREADY = 61,
        INFO_FIRST = 100,
        INFO_EVENT = 101,

        TRIPS_MAX = 1 << 20,
};

typedef struct Client {
        int fd;
        uint8_t handle[4];              /* of the service that is watched: the last that was loaded */
        bool saw_event;                 /* of it, since the last command */
} Client;

static void die(const char *what) {
        fprintf(stderr, "dinit-client: %s: %s\n", what, errno ? strerror(errno) : "refused");
        exit(1);
}

static uint64_t now_nsec(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t) now.tv_sec * 1000000000U + (uint64_t) now.tv_nsec;
}

static void write_all(Client *client, const void *data, size_t n) {
        if (write(client->fd, data, n) != (ssize_t) n)
                die("writing");
}

static void read_all(Client *client, void *data, size_t n) {
        uint8_t *at = data;

        while (n > 0) {
                ssize_t got = read(client->fd, at, n);

                if (got <= 0)
                        die("reading");
                at += got;
                n -= (size_t) got;
        }
}

/* One byte of an answer, or the whole of a piece of news. */
static uint8_t next_byte(Client *client) {
        uint8_t first, n, rest[256];

        read_all(client, &first, 1);
        if (first < INFO_FIRST)
                return first;
        read_all(client, &n, 1);
        if (n < 2)
                die("news without length");
        read_all(client, rest, n - 2U);
        if (first == INFO_EVENT && memcmp(rest, client->handle, 4) == 0)
                client->saw_event = true;
        return first;
}

static uint8_t await_reply(Client *client) {
        uint8_t reply;

        do
                reply = next_byte(client);
        while (reply >= INFO_FIRST);
        return reply;
}

static void connect_to(Client *client, const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (strlen(path) >= sizeof(address.sun_path))
                die("the socket's path is too long");
        strcpy(address.sun_path, path);
        client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (client->fd < 0 || connect(client->fd, (struct sockaddr *) &address, sizeof(address)) < 0)
                die(path);
}

static void load(Client *client, const char *service) {
        uint8_t command[300] = { COMMAND_LOAD }, rest[6];
        uint16_t n = (uint16_t) strlen(service);

        if (n > 200)
                die("the service's name is too long");
        memcpy(command + 1, &n, 2);
        memcpy(command + 3, service, n);
        write_all(client, command, 3U + n);
        if (await_reply(client) != REPLY_RECORD)
                die(service);
        read_all(client, rest, sizeof(rest));
        memcpy(client->handle, rest + 1, 4);
}

/* Has the service with that handle started or stopped, and waits until there is news of the one that is watched. */
static void change(Client *client, const uint8_t *handle, uint8_t command) {
        bool is_other = memcmp(handle, client->handle, 4) != 0;
        uint8_t packet[6] = { command }, reply;

        client->saw_event = false;
        memcpy(packet + 2, handle, 4);
        write_all(client, packet, sizeof(packet));
        reply = await_reply(client);
        if (reply != REPLY_ACK && reply != REPLY_ALREADY)
                die("starting or stopping");
        while ((reply == REPLY_ACK || is_other) && !client->saw_event)
                next_byte(client);
}

static int compare_u64(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

        return (x > y) - (x < y);
}

static void trips(Client *client, size_t n) {
        uint64_t *took;
        uint64_t began, last;

        if (n == 0 || n > TRIPS_MAX || !(took = calloc(n, sizeof(*took))))
                die("number of round trips");
        began = last = now_nsec();
        for (size_t i = 0; i < n; i++) {
                uint64_t now;

                change(client, client->handle, i % 2 == 0 ? COMMAND_START : COMMAND_STOP);
                now = now_nsec();
                took[i] = now - last;
                last = now;
        }
        qsort(took, n, sizeof(*took), compare_u64);
        printf("{\"took\": %" PRIu64 ", \"p50\": %" PRIu64 ", \"p99\": %" PRIu64 "}\n", last - began, took[n / 2],
               took[n * 99 / 100]);
        free(took);
}

int main(int argc, char **argv) {
        Client client = {};
        uint8_t handle[4];
        uint64_t began;

        if (argc < 4) {
                fputs("dinit-client SOCKET load SERVICE\n"
                      "                    start|stop SERVICE [SERVICE-TO-WAIT-FOR]\n"
                      "                    trips SERVICE NUMBER\n", stderr);
                return 2;
        }
        errno = 0;
        connect_to(&client, argv[1]);
        began = now_nsec();
        load(&client, argv[3]);
        if (strcmp(argv[2], "trips") == 0 && argc == 5) {
                trips(&client, strtoul(argv[4], NULL, 10));
                return 0;
        }
        if (strcmp(argv[2], "load") != 0) {
                memcpy(handle, client.handle, 4);
                if (argc == 5)
                        load(&client, argv[4]);
                began = now_nsec();
                change(&client, handle, strcmp(argv[2], "start") == 0 ? COMMAND_START : COMMAND_STOP);
        }
        printf("{\"began\": %" PRIu64 ", \"took\": %" PRIu64 "}\n", began, now_nsec() - began);
        return 0;
}
