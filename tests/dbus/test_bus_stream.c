/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The socket of a message bus, and the ledger: nothing is lost between two cores, and nothing comes twice
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/macro.h"
#include "dbus/peer/bus_stream.h"
#include "double/double_assert.h"

#define CALLER ":1.7"

typedef struct Core {
        BusStream *stream;
        DBusConnection *connection;
        int memory;                     /* of the ledger */
} Core;

static sd_event *event;
static int sockets[2];                  /* core's end, which the keeper holds, and that of the bus */
static Core core;

/* A core takes the socket up, with the ledger of the core before, or without one. */
static void start_core(int memory) {
        BusLedger *ledger;

        cr_assert(zero(int, bus_ledger_new(&ledger, memory)));
        core.memory = dup(bus_ledger_fd(ledger));
        cr_assert(zero(int, bus_stream_new(&core.stream, event, dup(sockets[0]), false, ledger, &core.connection)));
}

/* As a kill does, it leaves the ledger: its descriptor. */
static int end_core(void) {
        dbus_connection_close(core.connection);
        dbus_connection_unref(core.connection);
        core.stream = bus_stream_free(core.stream);
        return core.memory;
}

static void set_up(void) {
        cr_assert(ge(int, sd_event_new(&event), 0));
        cr_assert(zero(int, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets)));
        start_core(-1);
}

static void tear_down(void) {
        close(end_core());
        sd_event_unref(event);
        close(sockets[0]);
        if (sockets[1] >= 0)
                close(sockets[1]);
}

TestSuite(bus_stream, .init = set_up, .fini = tear_down);

typedef struct Bytes {
        char *items;                    /* of libdbus */
        int n;
} Bytes;

static Bytes call_with(uint32_t serial, const char *argument, int fd) {
        DBusMessage *message = dbus_message_new_method_call("org.jobd1", "/org/jobd1", "org.jobd1.Manager", "GetUnit");
        Bytes bytes;

        cr_assert(dbus_message_set_sender(message, CALLER));
        cr_assert(dbus_message_append_args(message, DBUS_TYPE_STRING, &argument, DBUS_TYPE_INVALID));
        if (fd >= 0)
                cr_assert(dbus_message_append_args(message, DBUS_TYPE_UNIX_FD, &fd, DBUS_TYPE_INVALID));
        dbus_message_set_serial(message, serial);
        cr_assert(dbus_message_marshal(message, &bytes.items, &bytes.n));
        dbus_message_unref(message);
        return bytes;
}

static Bytes call(uint32_t serial) {
        return call_with(serial, "a.service", -1);
}

static void put(Bytes bytes, int from, int to) {
        cr_assert(eq(int, (int) write(sockets[1], bytes.items + from, (size_t) (to - from)), to - from));
}

static void put_call(uint32_t serial) {
        Bytes bytes = call(serial);

        put(bytes, 0, bytes.n);
        dbus_free(bytes.items);
}

/* All that is under way gets to its end: both ends of the feed are here. */
static void run(void) {
        for (unsigned i = 0; i < 32; i++) {
                cr_assert(ge(int, sd_event_run(event, 0), 0));
                dbus_connection_read_write(core.connection, 0);
        }
}

/* What libdbus has read. */
static DBusMessage *next_message(void) {
        DBusMessage *message;

        run();
        message = dbus_connection_pop_message(core.connection);
        cr_assert(message != NULL);
        return message;
}

static void assert_call(uint32_t serial) {
        DBusMessage *message = next_message();

        cr_assert(eq(u32, dbus_message_get_serial(message), serial));
        dbus_message_unref(message);
}

static void assert_no_call(void) {
        run();
        cr_assert(eq(ptr, dbus_connection_pop_message(core.connection), NULL));
}

/* The calls that the next core would find, as "serial/stage …". */
static const char *left(void) {
        static char text[256];
        BusLedger *ledger;
        BusLedgerCall found;
        uint64_t order = 0;
        size_t n = 0;

        cr_assert(zero(int, bus_ledger_new(&ledger, dup(core.memory))));
        text[0] = '\0';
        while (bus_ledger_next_call(ledger, &order, &found))
                n += (size_t) snprintf(text + n, sizeof(text) - n, "%s%u/%u", n > 0 ? " " : "", found.serial, found.stage);
        bus_ledger_free(ledger);
        return text;
}

static void answer(uint32_t serial) {
        BusOutput output = {};

        bus_ledger_answer(bus_stream_ledger(core.stream), CALLER, serial);
        bus_stream_write(core.stream, &output);
        bus_output_deinit(&output);
}

static int open_ledger(void) {
        BusLedger *ledger = NULL;
        int r = bus_ledger_new(&ledger, dup(core.memory));

        bus_ledger_free(ledger);
        return r;
}

Test(bus_stream, calls_come_in_order_and_stay_until_they_are_answered) {
        put_call(1);
        put_call(2);
        put_call(3);
        assert_call(1);
        assert_call(2);
        assert_call(3);
        assert_string(left(), "1/1 2/1 3/1");
        answer(2);
        assert_string(left(), "1/1 3/1");
        bus_ledger_mark(bus_stream_ledger(core.stream), CALLER, 1, BUS_LEDGER_BEGUN);
        put_call(4);
        assert_call(4);
        assert_string(left(), "1/3 3/1 4/1");
        bus_ledger_note_client(bus_stream_ledger(core.stream), CALLER, 0);
        assert_string(left(), "");
}

Test(bus_stream, the_next_core_makes_a_call_once_more_and_not_for_ever) {
        put_call(1);
        put_call(2);
        assert_call(1);
        assert_call(2);
        bus_ledger_mark(bus_stream_ledger(core.stream), CALLER, 1, BUS_LEDGER_BEGUN);
        put_call(3);
        start_core(end_core());
        assert_call(2);
        assert_call(3);
        assert_no_call();
        assert_string(left(), "1/3 2/2 3/1");
        start_core(end_core());
        assert_call(3);
        assert_no_call();
}

/* It is written down before it is read: here its bytes are still in the socket when the next core comes. */
Test(bus_stream, a_call_that_is_in_the_ledger_and_in_the_socket_comes_once) {
        Bytes bytes = call(1);
        const BusHeader header = bus_header_read((const uint8_t *) bytes.items, (size_t) bytes.n);

        cr_assert(bus_ledger_add(bus_stream_ledger(core.stream), &header, (const uint8_t *) bytes.items,
                                 (size_t) bytes.n));
        put(bytes, 0, bytes.n);
        put_call(2);
        start_core(end_core());
        assert_call(1);
        assert_call(2);
        assert_no_call();
        dbus_free(bytes.items);
}

Test(bus_stream, a_connection_with_a_part_of_a_message_cannot_be_taken_over) {
        Bytes bytes = call(1);

        put(bytes, 0, 10);
        assert_no_call();
        cr_assert(eq(int, open_ledger(), 0));    /* nothing of it was read */
        put(bytes, 10, bytes.n - 1);
        assert_no_call();
        cr_assert(eq(int, open_ledger(), -ESTALE));
        put(bytes, bytes.n - 1, bytes.n);
        assert_call(1);
        cr_assert(eq(int, open_ledger(), 0));
        assert_string(left(), "1/1");
        dbus_free(bytes.items);
}

Test(bus_stream, output_that_the_bus_has_read_in_part_is_told) {
        BusOutput output = {};
        char byte[4096];

        output.bytes = calloc(1, 4000000);
        output.allocated = output.end = 4000000;
        bus_stream_write(core.stream, &output);
        cr_assert(lt(sz, 0, bus_output_size(&output)));
        cr_assert(eq(int, open_ledger(), -ESTALE));
        while (bus_output_size(&output) > 0) {
                while (read(sockets[1], byte, sizeof(byte)) > 0)
                        ;
                bus_stream_write(core.stream, &output);
        }
        cr_assert(eq(int, open_ledger(), 0));
        bus_output_deinit(&output);
}

Test(bus_stream, a_long_call_is_read_and_its_caller_known) {
        char text[20001] = {};
        BusLedger *ledger;
        BusLedgerCall found;
        uint64_t order = 0;
        Bytes bytes;

        memset(text, 'x', sizeof(text) - 1);
        bytes = call_with(9, text, -1);
        put(bytes, 0, bytes.n);
        assert_call(9);
        cr_assert(zero(int, bus_ledger_new(&ledger, dup(core.memory))));
        cr_assert(bus_ledger_next_call(ledger, &order, &found));
        assert_string(found.sender, CALLER);
        cr_assert(found.wants_reply);
        cr_assert(eq(sz, found.n, 0));
        bus_ledger_free(ledger);
        dbus_free(bytes.items);
}

Test(bus_stream, descriptors_come_along) {
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(sizeof(int))];
        } control = { .header = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) } };
        int pipe_fds[2], got = -1;
        DBusMessage *message;
        const char *text;
        Bytes bytes;
        char byte;

        cr_assert(zero(int, pipe(pipe_fds)));
        bytes = call_with(1, "a.service", pipe_fds[0]);
        memcpy(CMSG_DATA(&control.header), &pipe_fds[0], sizeof(int));
        cr_assert(eq(int, (int) sendmsg(sockets[1], &(struct msghdr) {
                .msg_iov = &(struct iovec) { bytes.items, (size_t) bytes.n }, .msg_iovlen = 1,
                .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes) }, 0), bytes.n));
        message = next_message();
        cr_assert(dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_UNIX_FD, &got,
                                        DBUS_TYPE_INVALID));
        cr_assert(eq(int, (int) write(pipe_fds[1], "!", 1), 1));
        cr_assert(eq(int, (int) read(got, &byte, 1), 1));
        dbus_message_unref(message);
        dbus_free(bytes.items);
        close(got);
        close(pipe_fds[0]);
        close(pipe_fds[1]);
}

Test(bus_stream, what_comes_before_the_end_is_read) {
        put_call(1);
        close(sockets[1]);
        sockets[1] = -1;
        assert_call(1);
        run();
        cr_assert(not(dbus_connection_get_is_connected(core.connection)));
}

Test(bus_stream, clients_are_known_to_the_next_core) {
        BusLedger *ledger = bus_stream_ledger(core.stream);
        size_t i = 0;
        uint32_t flags = 0;

        bus_ledger_note_client(ledger, ":1.1", BUS_LEDGER_CLIENT_KNOWN);
        bus_ledger_note_client(ledger, ":1.2", BUS_LEDGER_CLIENT_KNOWN);
        bus_ledger_note_client(ledger, ":1.3", BUS_LEDGER_CLIENT_KNOWN);
        bus_ledger_note_client(ledger, ":1.3", BUS_LEDGER_CLIENT_KNOWN | BUS_LEDGER_CLIENT_SUBSCRIBED);
        bus_ledger_note_client(ledger, ":1.1", 0);
        start_core(end_core());
        ledger = bus_stream_ledger(core.stream);
        assert_string(bus_ledger_next_client(ledger, &i, &flags), ":1.2");
        assert_string(bus_ledger_next_client(ledger, &i, &flags), ":1.3");
        cr_assert(eq(u32, flags, BUS_LEDGER_CLIENT_KNOWN | BUS_LEDGER_CLIENT_SUBSCRIBED));
        cr_assert(eq(ptr, (void *) bus_ledger_next_client(ledger, &i, &flags), NULL));
}

/* More of them than there are slots, and then again: the rest is served, and not written down. */
Test(bus_stream, a_full_ledger_takes_no_more) {
        BusLedger *ledger = bus_stream_ledger(core.stream);
        Bytes bytes = call(1);
        BusHeader header = bus_header_read((const uint8_t *) bytes.items, (size_t) bytes.n);
        BusLedgerCall found;
        uint64_t order = 0;
        unsigned n = 0;

        for (header.serial = 1; header.serial <= BUS_LEDGER_CALLS + 5; header.serial++)
                cr_assert(bus_ledger_add(ledger, &header, (const uint8_t *) bytes.items, (size_t) bytes.n));
        while (bus_ledger_next_call(ledger, &order, &found))
                cr_assert(eq(u32, found.serial, ++n));
        cr_assert(eq(uint, n, BUS_LEDGER_CALLS));
        bus_ledger_note_client(ledger, CALLER, 0);
        put_call(77);
        assert_call(77);
        assert_string(left(), "77/1");
        dbus_free(bytes.items);
}

Test(bus_stream, another_version_is_no_ledger) {
        const uint32_t version = 0;

        cr_assert(eq(int, (int) pwrite(core.memory, &version, sizeof(version), 0), (int) sizeof(version)));
        cr_assert(eq(int, open_ledger(), -EPROTO));
}
