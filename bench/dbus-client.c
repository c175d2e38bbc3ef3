/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A client of a manager's private socket, in D-Bus, as cheap as can be
 *
 * It writes and reads the wire format itself, so that what is measured is the
 * manager and not a library: of what comes in it looks at the header only, and
 * at the body of JobRemoved. jobd and systemd have the same calls under other
 * names. The answer is one line of JSON; times are nanoseconds, points in time
 * those of the monotonic clock.
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
        MESSAGE_METHOD_CALL = 1,
        MESSAGE_METHOD_RETURN = 2,
        MESSAGE_ERROR = 3,
        MESSAGE_SIGNAL = 4,

        FIELD_PATH = 1,
        FIELD_INTERFACE = 2,
        FIELD_MEMBER = 3,
        FIELD_REPLY_SERIAL = 5,
        FIELD_DESTINATION = 6,
        FIELD_SIGNATURE = 8,

        FLAG_NO_REPLY = 1,

        BUFFER_SIZE = 4 << 20,
        TRIPS_MAX = 1 << 20,
};

typedef struct Dialect {
        const char *name, *path, *interface;
} Dialect;

static const Dialect jobd_dialect = { "org.jobd1", "/org/jobd1", "org.jobd1.Manager" };
static const Dialect systemd_dialect = { "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
                                         "org.freedesktop.systemd1.Manager" };

typedef struct Client {
        const Dialect *dialect;
        int fd;
        uint32_t serial;                /* of the last call */
        uint8_t *buffer;
        size_t begin, end;              /* what was read and not looked at */
        uint64_t n_signals, n_bytes;    /* taken in since the last call */
} Client;

/* A message that came in; it points into the buffer. */
typedef struct Message {
        uint8_t type;
        uint32_t reply_serial;
        const char *member;             /* "" if it has none */
        const uint8_t *body;
} Message;

static void die(const char *what) {
        fprintf(stderr, "dbus-client: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
        exit(1);
}

static uint64_t now_nsec(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t) now.tv_sec * 1000000000U + (uint64_t) now.tv_nsec;
}

/* — writing — */

typedef struct Writer {
        uint8_t data[4096];
        size_t n;
} Writer;

static void put_align(Writer *writer, size_t to) {
        while (writer->n % to != 0)
                writer->data[writer->n++] = 0;
}

static void put_u32(Writer *writer, uint32_t value) {
        put_align(writer, 4);
        memcpy(writer->data + writer->n, &value, 4);
        writer->n += 4;
}

static void put_string(Writer *writer, const char *string) {
        size_t n = strlen(string);

        if (n > 1000)
                die("a name is too long");
        put_u32(writer, (uint32_t) n);
        memcpy(writer->data + writer->n, string, n + 1);
        writer->n += n + 1;
}

static void put_signature(Writer *writer, const char *signature) {
        size_t n = strlen(signature);

        writer->data[writer->n++] = (uint8_t) n;
        memcpy(writer->data + writer->n, signature, n + 1);
        writer->n += n + 1;
}

static void put_field(Writer *writer, uint8_t field, const char *type, const char *value) {
        put_align(writer, 8);
        writer->data[writer->n++] = field;
        put_signature(writer, type);
        if (type[0] == 'g')
                put_signature(writer, value);
        else
                put_string(writer, value);
}

static void put_zero_u64(Writer *writer) {
        put_align(writer, 8);
        memset(writer->data + writer->n, 0, 8);
        writer->n += 8;
}

/* A call of the manager with up to two strings; with @sets_zero a variant follows them, the number 0. */
static void write_call(Client *client, Writer *writer, const char *member, const char *first, const char *second,
                       bool sets_zero, uint8_t flags) {
        uint32_t n_fields, n_body;
        size_t body;

        memcpy(writer->data, (uint8_t[]) { 'l', MESSAGE_METHOD_CALL, flags, 1 }, 4);
        memset(writer->data + 4, 0, 12);
        writer->n = 16;
        put_field(writer, FIELD_PATH, "o", client->dialect->path);
        put_field(writer, FIELD_INTERFACE, "s", client->dialect->interface);
        put_field(writer, FIELD_MEMBER, "s", member);
        put_field(writer, FIELD_DESTINATION, "s", client->dialect->name);
        if (first)
                put_field(writer, FIELD_SIGNATURE, "g", sets_zero ? "ssv" : second ? "ss" : "s");
        n_fields = (uint32_t) writer->n - 16;
        put_align(writer, 8);
        body = writer->n;
        if (first)
                put_string(writer, first);
        if (second)
                put_string(writer, second);
        if (sets_zero) {
                put_signature(writer, "t");
                put_zero_u64(writer);
        }
        n_body = (uint32_t) (writer->n - body);
        client->serial++;
        memcpy(writer->data + 4, &n_body, 4);
        memcpy(writer->data + 8, &client->serial, 4);
        memcpy(writer->data + 12, &n_fields, 4);
}

static void write_all(Client *client, const void *data, size_t n) {
        const uint8_t *at = data;

        while (n > 0) {
                ssize_t written = write(client->fd, at, n);

                if (written < 0)
                        die("writing");
                at += written;
                n -= (size_t) written;
        }
}

static void call(Client *client, const char *member, const char *first, const char *second, uint8_t flags) {
        Writer writer;

        client->n_signals = client->n_bytes = 0;
        write_call(client, &writer, member, first, second, false, flags);
        write_all(client, writer.data, writer.n);
}

static void set_zero(Client *client, const char *interface, const char *property) {
        Writer writer;

        write_call(client, &writer, "Set", interface, property, true, 0);
        write_all(client, writer.data, writer.n);
}

/* — reading — */

static uint32_t get_u32(const uint8_t *at) {
        uint32_t value;

        memcpy(&value, at, 4);
        return value;
}

static size_t align(size_t n, size_t to) {
        return (n + to - 1) / to * to;
}

static void fill(Client *client, size_t wanted) {
        if (client->begin + wanted > BUFFER_SIZE) {
                memmove(client->buffer, client->buffer + client->begin, client->end - client->begin);
                client->end -= client->begin;
                client->begin = 0;
        }
        if (wanted > BUFFER_SIZE)
                die("a message is too long");
        while (client->end - client->begin < wanted) {
                ssize_t n = read(client->fd, client->buffer + client->end, BUFFER_SIZE - client->end);

                if (n <= 0)
                        die("reading");
                client->end += (size_t) n;
                client->n_bytes += (uint64_t) n;
        }
}

/* One header field; returns where the next one is. */
static const uint8_t *read_field(Message *message, const uint8_t *base, const uint8_t *at) {
        uint8_t field = at[0];
        char type = (char) at[2];
        size_t place;

        at += 4;
        if (field == FIELD_REPLY_SERIAL)
                message->reply_serial = get_u32(at);
        else if (field == FIELD_MEMBER)
                message->member = (const char *) at + 4;
        place = (size_t) (at - base) + (type == 'u' ? 4 : type == 'g' ? (size_t) at[0] + 2 : get_u32(at) + 5U);
        return base + align(place, 8);
}

static void next_message(Client *client, Message *ret_message) {
        const uint8_t *base, *fields_end;
        size_t n_fields, n_body;

        fill(client, 16);
        base = client->buffer + client->begin;
        if (base[0] != 'l')
                die("byte order");
        n_body = get_u32(base + 4);
        n_fields = get_u32(base + 12);
        fill(client, align(16 + n_fields, 8) + n_body);

        base = client->buffer + client->begin;
        fields_end = base + 16 + n_fields;
        *ret_message = (Message) { .type = base[1], .member = "" };
        for (const uint8_t *at = base + 16; at < fields_end;)
                at = read_field(ret_message, base, at);
        ret_message->body = base + align(16 + n_fields, 8);
        client->begin += align(16 + n_fields, 8) + n_body;
        client->n_signals += ret_message->type == MESSAGE_SIGNAL;
}

static void await_reply(Client *client, Message *ret_message) {
        do
                next_message(client, ret_message);
        while (ret_message->reply_serial != client->serial);
        if (ret_message->type != MESSAGE_ERROR)
                return;
        fprintf(stderr, "dbus-client: refused: %s\n", (const char *) ret_message->body + 4);
        exit(1);
}

/* The reply names a job; waits for the end of that one. */
static void await_job(Client *client) {
        Message message;
        uint32_t id;
        const char *path, *slash;

        await_reply(client, &message);
        path = (const char *) message.body + 4;
        slash = strrchr(path, '/');
        id = slash ? (uint32_t) strtoul(slash + 1, NULL, 10) : 0;
        do
                next_message(client, &message);
        while (message.type != MESSAGE_SIGNAL || strcmp(message.member, "JobRemoved") != 0 ||
               get_u32(message.body) != id);
}

static void connect_to(Client *client, const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        char uid[16], hello[96] = "";
        size_t n = 1;

        if (strlen(path) >= sizeof(address.sun_path))
                die("the socket's path is too long");
        strcpy(address.sun_path, path);
        client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (client->fd < 0 || connect(client->fd, (struct sockaddr *) &address, sizeof(address)) < 0)
                die(path);

        snprintf(uid, sizeof(uid), "%u", (unsigned) getuid());
        n += (size_t) sprintf(hello + n, "AUTH EXTERNAL ");
        for (const char *c = uid; *c; c++)
                n += (size_t) sprintf(hello + n, "%02x", (unsigned) *c);
        /* All at once, as systemd's own clients do it: it does not see a call in one packet with BEGIN. */
        n += (size_t) sprintf(hello + n, "\r\nBEGIN\r\n");
        write_all(client, hello, n);
        do {
                fill(client, client->end + 1);
        } while (!memchr(client->buffer, '\n', client->end));
        if (memcmp(client->buffer, "OK ", 3) != 0)
                die("logging in");
        client->begin = client->end = 0;
}

/* — verbs — */

static void verb_call(Client *client, const char *member, const char *unit) {
        Message message;
        uint64_t began = now_nsec();

        call(client, member, unit, NULL, 0);
        await_reply(client, &message);
        printf("{\"began\": %" PRIu64 ", \"took\": %" PRIu64 "}\n", began, now_nsec() - began);
}

/* Hangs up at once, so that nobody listens when the job runs. */
static void verb_send(Client *client, const char *member, const char *unit) {
        uint64_t began = now_nsec();

        call(client, member, unit, "replace", FLAG_NO_REPLY);
        close(client->fd);
        printf("{\"began\": %" PRIu64 "}\n", began);
}

static void verb_watch(Client *client, const char *member, const char *unit) {
        Message message;
        uint64_t began;

        call(client, "Subscribe", NULL, NULL, 0);
        await_reply(client, &message);
        began = now_nsec();
        call(client, member, unit, "replace", 0);
        await_job(client);
        printf("{\"began\": %" PRIu64 ", \"took\": %" PRIu64 ", \"signals\": %" PRIu64 ", \"bytes\": %" PRIu64 "}\n", began,
               now_nsec() - began, client->n_signals, client->n_bytes);
}

static int compare_u64(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

        return (x > y) - (x < y);
}

/* The unit is started and stopped in turns, so that each request has something to do. */
static void verb_trips(Client *client, const char *unit, size_t n) {
        uint64_t *took;
        uint64_t began, last;
        Message message;

        if (n == 0 || n > TRIPS_MAX || !(took = calloc(n, sizeof(*took))))
                die("number of round trips");
        call(client, "Subscribe", NULL, NULL, 0);
        await_reply(client, &message);
        began = last = now_nsec();
        for (size_t i = 0; i < n; i++) {
                uint64_t now;

                call(client, i % 2 == 0 ? "StartUnit" : "StopUnit", unit, "replace", 0);
                await_job(client);
                now = now_nsec();
                took[i] = now - last;
                last = now;
        }
        qsort(took, n, sizeof(*took), compare_u64);
        printf("{\"took\": %" PRIu64 ", \"p50\": %" PRIu64 ", \"p99\": %" PRIu64 "}\n", last - began, took[n / 2],
               took[n * 99 / 100]);
        free(took);
}

/* Asks for a unit again and again: the longest answer is that of the longest turn of the manager. */
static void verb_probe(Client *client, const char *unit, uint64_t msec) {
        const struct timespec pause = { .tv_nsec = 200000 };
        uint64_t began = now_nsec(), longest = 0, n = 0;

        while (now_nsec() - began < msec * 1000000) {
                uint64_t asked = now_nsec(), took;
                Message message;

                call(client, "LoadUnit", unit, NULL, 0);
                await_reply(client, &message);
                took = now_nsec() - asked;
                longest = took > longest ? took : longest;
                n++;
                nanosleep(&pause, NULL);
        }
        printf("{\"longest\": %" PRIu64 ", \"answers\": %" PRIu64 "}\n", longest, n);
}

/* The longest turn since the last time that this was asked for. */
static void verb_turn(Client *client) {
        const char *interface = client->dialect->interface;
        const Dialect properties = { client->dialect->name, client->dialect->path, "org.freedesktop.DBus.Properties" };
        Message message;
        uint64_t longest;

        client->dialect = &properties;
        call(client, "Get", interface, "LongestTurnUSec", 0);
        await_reply(client, &message);
        memcpy(&longest, message.body + 8, sizeof(longest)); /* behind the signature of the variant */
        set_zero(client, interface, "LongestTurnUSec");
        await_reply(client, &message);
        printf("{\"longest\": %" PRIu64 "}\n", longest * 1000);
}

static int run(Client *client, int argc, char **argv) {
        const char *verb = argv[0];

        if (strcmp(verb, "call") == 0 && argc >= 2)
                verb_call(client, argv[1], argc > 2 ? argv[2] : NULL);
        else if (strcmp(verb, "send") == 0 && argc == 3)
                verb_send(client, argv[1], argv[2]);
        else if (strcmp(verb, "watch") == 0 && argc == 3)
                verb_watch(client, argv[1], argv[2]);
        else if (strcmp(verb, "trips") == 0 && argc == 3)
                verb_trips(client, argv[1], strtoul(argv[2], NULL, 10));
        else if (strcmp(verb, "probe") == 0 && argc == 3)
                verb_probe(client, argv[1], strtoull(argv[2], NULL, 10));
        else if (strcmp(verb, "turn") == 0 && argc == 1)
                verb_turn(client);
        else
                return 2;
        return 0;
}

int main(int argc, char **argv) {
        Client client = { .dialect = &jobd_dialect };
        int status;

        if (argc < 4) {
                fputs("dbus-client jobd|systemd SOCKET call METHOD [UNIT]\n"
                      "                                send|watch StartUnit|StopUnit UNIT\n"
                      "                                trips UNIT NUMBER\n"
                      "                                probe UNIT MILLISECONDS\n"
                      "                                turn\n", stderr);
                return 2;
        }
        if (strcmp(argv[1], "systemd") == 0)
                client.dialect = &systemd_dialect;
        client.buffer = malloc(BUFFER_SIZE);
        if (!client.buffer)
                die("memory");
        errno = 0;
        connect_to(&client, argv[2]);
        status = run(&client, argc - 3, argv + 3);
        free(client.buffer);
        return status;
}
