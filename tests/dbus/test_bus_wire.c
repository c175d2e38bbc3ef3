/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Messages in the format of the wire: the same bytes as libdbus writes, and libdbus understands them
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "bus_sink.h"
#include "dbus/peer/bus_wire.h"
#include "double/double_assert.h"

static BusWire wire;

static void set_up(void) {
        bus_wire_begin(&wire);
}

static void tear_down(void) {
        bus_wire_deinit(&wire);
}

TestSuite(bus_wire, .init = set_up, .fini = tear_down);

static int finish(void) {
        return bus_wire_finish_signal(&wire, "/a/b", "a.b.C", "Member", "a.b", NULL);
}

/* What libdbus reads of it; a message that was read has a serial, its copy has none. */
static DBusMessage *read_wire(void) {
        const size_t n = bus_wire_size(&wire);
        uint8_t *bytes = malloc(n);
        DBusMessage *read, *copy;

        cr_assert(bytes != NULL);
        bus_wire_copy(&wire, 1, bytes);
        read = dbus_message_demarshal((const char *) bytes, (int) n, NULL);
        cr_assert(read != NULL);
        copy = dbus_message_copy(read);
        cr_assert(copy != NULL);
        dbus_message_unref(read);
        free(bytes);
        return copy;
}

static void write_basics(Sink *sink) {
        sink_byte(sink, 7);
        sink_bool(sink, true);
        sink_byte(sink, 8);
        sink_u64(sink, 1);
        sink_i32(sink, -1);
        sink_double(sink, 0.5);
        sink_string(sink, "x");
        sink_string(sink, NULL);
        sink_path(sink, "/x");
        sink_u32(sink, 9);
}

static void write_containers(Sink *sink) {
        sink_byte(sink, 1);
        sink_open(sink, 'a', "{sv}");
        sink_entry_u32(sink, "n", 3);
        sink_entry_open(sink, "list", "a(so)");
        sink_open(sink, 'a', "(so)");
        for (unsigned i = 0; i < 3; i++) {
                sink_open(sink, 'r', "so");
                sink_string(sink, i == 1 ? "longer than others" : "x");
                sink_path(sink, "/");
                sink_close(sink);
        }
        sink_close(sink);
        sink_entry_close(sink);
        sink_entry_u64(sink, "t", 5);
        sink_close(sink);
        sink_strv(sink, NULL);
        sink_open(sink, 'a', "(t)");
        sink_close(sink);
        sink_open(sink, 'r', "uo");
        sink_u32(sink, 1);
        sink_path(sink, "/a");
        sink_close(sink);
}

static void write_nothing(Sink *sink) {
}

/* The body as libdbus lays it out: the last bytes of the message. */
static void assert_as_libdbus(void (*write)(Sink *sink)) {
        DBusMessage *message = dbus_message_new_signal("/a/b", "a.b.C", "Member"), *read;
        BusSink sink;
        char *expected, *got;
        int n_expected, n_got;

        bus_sink_init(&sink, message);
        write(&sink.sink);
        cr_assert(eq(int, bus_sink_finish(&sink), 0));
        write(&wire.sink);
        cr_assert(eq(int, finish(), 0));
        read = read_wire();

        assert_string(dbus_message_get_signature(read), dbus_message_get_signature(message));
        assert_string(dbus_message_get_path(read), "/a/b");
        assert_string(dbus_message_get_interface(read), "a.b.C");
        assert_string(dbus_message_get_member(read), "Member");
        assert_string(dbus_message_get_sender(read), "a.b");
        cr_assert(eq(uint, dbus_message_get_serial(read), 0));

        cr_assert(dbus_message_marshal(message, &expected, &n_expected));
        cr_assert(dbus_message_marshal(read, &got, &n_got));
        cr_assert(ge(sz, (size_t) n_expected, wire.body.n));
        cr_assert(eq(int, memcmp(expected + n_expected - wire.body.n, got + n_got - wire.body.n, wire.body.n), 0));
        dbus_free(expected);
        dbus_free(got);
        dbus_message_unref(message);
        dbus_message_unref(read);
}

Test(bus_wire, basic_values_are_laid_out_as_by_libdbus) {
        assert_as_libdbus(write_basics);
}

Test(bus_wire, containers_are_laid_out_as_by_libdbus) {
        assert_as_libdbus(write_containers);
}

Test(bus_wire, a_signal_may_be_empty) {
        assert_as_libdbus(write_nothing);
}

Test(bus_wire, one_is_written_after_the_other) {
        write_containers(&wire.sink);
        cr_assert(eq(int, finish(), 0));
        bus_wire_begin(&wire);
        assert_as_libdbus(write_basics);
}

static DBusMessage *reply(const char *sender, const char *destination) {
        DBusMessage *message;

        write_containers(&wire.sink);
        cr_assert(eq(int, bus_wire_finish_reply(&wire, 77, sender, destination), 0));
        message = read_wire();
        cr_assert(eq(int, dbus_message_get_type(message), DBUS_MESSAGE_TYPE_METHOD_RETURN));
        cr_assert(eq(uint, dbus_message_get_reply_serial(message), 77));
        cr_assert(dbus_message_get_no_reply(message));
        return message;
}

Test(bus_wire, a_reply_names_the_call_and_who_speaks_to_whom) {
        DBusMessage *message = reply("a.b", ":1.2");

        assert_string(dbus_message_get_sender(message), "a.b");
        assert_string(dbus_message_get_destination(message), ":1.2");
        assert_string(dbus_message_get_signature(message), "ya{sv}asa(t)(uo)");
        dbus_message_unref(message);
}

Test(bus_wire, a_reply_may_leave_the_names_to_a_message_bus) {
        DBusMessage *message = reply(NULL, NULL);

        cr_assert(eq(ptr, (void *) dbus_message_get_sender(message), NULL));
        cr_assert(eq(ptr, (void *) dbus_message_get_destination(message), NULL));
        dbus_message_unref(message);
}

Test(bus_wire, a_large_message_leaves_no_room_behind) {
        for (unsigned i = 0; i < 100000; i++)
                sink_u32(&wire.sink, i);
        cr_assert(eq(int, finish(), -EMSGSIZE));
        bus_wire_begin(&wire);
        sink_open(&wire.sink, 'a', "t");
        for (unsigned i = 0; i < 100000; i++)
                sink_u64(&wire.sink, i);
        sink_close(&wire.sink);
        cr_assert(eq(int, finish(), 0));
        bus_wire_begin(&wire);
        cr_assert(eq(sz, wire.body.allocated, 0));
        assert_as_libdbus(write_basics);
}

/* At every offset, within words of eight bytes and after them. */
Test(bus_wire, a_byte_that_is_not_utf8_is_found_wherever_it_stands) {
        for (size_t n = 1; n < 20; n++)
                for (size_t at = 0; at < n; at++) {
                        char text[20] = "", *written;

                        memset(text, 'a', n);
                        text[at] = '\xff';
                        bus_wire_begin(&wire);
                        sink_string(&wire.sink, text);
                        cr_assert(eq(int, finish(), 0));
                        written = (char *) wire.body.items + sizeof(uint32_t);
                        cr_assert(eq(sz, strlen(written), n + 3));
                        cr_assert(eq(int, strncmp(written + at, "\\xff", 4), 0));
                }
}

Test(bus_wire, text_in_utf8_is_left_alone) {
        sink_string(&wire.sink, "Größe und Länge 12345");
        cr_assert(eq(int, finish(), 0));
        assert_string((char *) wire.body.items + sizeof(uint32_t), "Größe und Länge 12345");
}

Test(bus_wire, text_that_is_not_utf8_is_escaped) {
        DBusMessage *message;
        const char *text;

        sink_string(&wire.sink, "a\xff" "b");
        cr_assert(eq(int, finish(), 0));
        message = read_wire();
        cr_assert(dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID));
        assert_string(text, "a\\xffb");
        dbus_message_unref(message);
}

Test(bus_wire, what_is_no_path_is_an_error) {
        sink_open(&wire.sink, 'a', "o");
        sink_path(&wire.sink, "/a/");
        sink_close(&wire.sink);
        cr_assert(eq(int, finish(), -EINVAL));
}

Test(bus_wire, a_body_has_a_limit) {
        cleanup_free_ char *text = malloc(1 << 20);

        memset(text, 'x', (1 << 20) - 1);
        text[(1 << 20) - 1] = '\0';
        sink_open(&wire.sink, 'a', "s");
        for (unsigned i = 0; i < 64; i++)
                sink_string(&wire.sink, text);
        sink_close(&wire.sink);
        cr_assert(eq(int, finish(), -EMSGSIZE));
}

Test(bus_wire, a_signature_has_a_limit) {
        for (unsigned i = 0; i < 300; i++)
                sink_byte(&wire.sink, 1);
        cr_assert(eq(int, finish(), -EMSGSIZE));
}

Test(bus_wire, a_signal_may_be_for_one_client) {
        DBusMessage *message;

        sink_u32(&wire.sink, 1);
        cr_assert(eq(int, bus_wire_finish_signal(&wire, "/a/b", "a.b.C", "Member", "a.b", ":1.7"), 0));
        message = read_wire();
        cr_assert(eq(str, (char *) dbus_message_get_destination(message), (char *) ":1.7"));
        cr_assert(eq(str, (char *) dbus_message_get_member(message), (char *) "Member"));
        dbus_message_unref(message);
}
