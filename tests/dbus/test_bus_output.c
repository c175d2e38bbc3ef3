/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Output on a private connection: messages are complete and in order, however
 * little the socket accepts
 */

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/vector.h"
#include "dbus/peer/bus_output.h"
#include "double/double_assert.h"

static BusOutput output;
static BusWire wire;
static int sockets[2];
static VECTOR(char) heard;

static void set_up(void) {
        output = (BusOutput) {};
        cr_assert(zero(int, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)));
}

static void tear_down(void) {
        bus_output_deinit(&output);
        bus_wire_deinit(&wire);
        vector_deinit(&heard);
        close(sockets[0]);
        if (sockets[1] >= 0)
                close(sockets[1]);
}

TestSuite(bus_output, .init = set_up, .fini = tear_down);

static void add(const char *text) {
        bus_wire_begin(&wire);
        sink_string(&wire.sink, text);
        cr_assert(eq(int, bus_wire_finish_signal(&wire, "/a", "a.b", "C", "a.b", NULL), 0));
        cr_assert(eq(int, bus_output_add_wire(&output, &wire), 0));
}

static void add_message(void) {
        DBusMessage *message = dbus_message_new_signal("/a", "a.b", "D");

        cr_assert(eq(int, bus_output_add_message(&output, message), 0));
        dbus_message_unref(message);
}

static void hear(void) {
        char bytes[65536];
        ssize_t n = recv(sockets[1], bytes, sizeof(bytes), MSG_DONTWAIT);

        for (ssize_t i = 0; i < n; i++)
                cr_assert(eq(int, vector_push(&heard, bytes[i]), 0));
}

/* The next received message, from index *@at on. */
static DBusMessage *next(size_t *at) {
        int n = dbus_message_demarshal_bytes_needed(heard.items + *at, (int) (heard.n - *at));
        DBusMessage *message = dbus_message_demarshal(heard.items + *at, n, NULL);

        cr_assert(lt(int, 0, n));
        cr_assert(ne(ptr, message, NULL));
        *at += (size_t) n;
        return message;
}

Test(bus_output, messages_leave_in_order_with_rising_serials) {
        static const char *const members[] = { "C", "D", "C" };
        size_t at = 0;

        add("first");
        add_message();
        add("third");
        bus_output_write(&output, sockets[0]);
        cr_assert(zero(sz, bus_output_size(&output)));
        hear();
        for (unsigned i = 0; i < 3; i++) {
                DBusMessage *message = next(&at);

                assert_string(dbus_message_get_member(message), members[i]);
                cr_assert(eq(uint, dbus_message_get_serial(message), i + 1));
                dbus_message_unref(message);
        }
        cr_assert(eq(sz, at, heard.n));
}

Test(bus_output, what_the_socket_does_not_take_stays) {
        char text[1000];
        size_t at = 0;
        unsigned n = 0;

        memset(text, 'x', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        for (unsigned i = 0; i < 2000; i++)
                add(text);
        bus_output_write(&output, sockets[0]);
        cr_assert(lt(sz, 0, bus_output_size(&output)));
        while (bus_output_size(&output) > 0) {
                hear();
                add("one more");
                bus_output_write(&output, sockets[0]);
                n++;
        }
        for (size_t before = heard.n - 1; before != heard.n;) {
                before = heard.n;
                hear();
        }
        for (unsigned i = 0; i < 2000 + n; i++)
                dbus_message_unref(next(&at));
        cr_assert(eq(sz, at, heard.n));
}

Test(bus_output, the_last_message_is_no_backlog) {
        add("first");
        cr_assert(zero(sz, bus_output_backlog(&output)));
        add("second");
        cr_assert(lt(sz, 0, bus_output_backlog(&output)));
        cr_assert(lt(sz, bus_output_backlog(&output), bus_output_size(&output)));
}

Test(bus_output, what_came_since_is_not_unread) {
        add("first");
        add("second");
        cr_assert(zero(sz, bus_output_take_unread(&output)));
        cr_assert(eq(sz, bus_output_take_unread(&output), bus_output_size(&output)));
        add("third");
        cr_assert(eq(sz, bus_output_take_unread(&output), bus_output_size(&output) - output.last));
        bus_output_write(&output, sockets[0]);
        cr_assert(zero(sz, bus_output_take_unread(&output)));
}

Test(bus_output, nothing_is_kept_for_who_hung_up) {
        close(sockets[1]);
        sockets[1] = -1;
        add("first");
        bus_output_write(&output, sockets[0]);
        cr_assert(zero(sz, bus_output_size(&output)));
        add("second");
        cr_assert(zero(sz, bus_output_size(&output)));
}
