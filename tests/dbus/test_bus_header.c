/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The header of a message: number of descriptors, size, serial, sender
 */

#include <dbus/dbus.h>

#include "dbus/peer/bus_header.h"
#include "double/double_assert.h"

static unsigned count(DBusMessage *message, unsigned n) {
        unsigned found;
        char *bytes;
        int size;

        for (int fd = 0; n > 0; n--)
                cr_assert(dbus_message_append_args(message, DBUS_TYPE_UNIX_FD, &fd, DBUS_TYPE_INVALID));
        dbus_message_set_serial(message, 1);
        cr_assert(dbus_message_marshal(message, &bytes, &size));
        found = bus_header_descriptors((const uint8_t *) bytes, (size_t) size);
        /* For a part of a header the number is unknown, and no byte after the part is read. */
        for (int part = 0; part < size; part++)
                cr_assert(le(uint, bus_header_descriptors((const uint8_t *) bytes, (size_t) part), n + found));
        dbus_free(bytes);
        dbus_message_unref(message);
        return found;
}

static DBusMessage *call(void) {
        return dbus_message_new_method_call("org.jobd1", "/org/jobd1", "org.jobd1.Manager", "LoadUnit");
}

Test(bus_header, descriptors_are_counted) {
        cr_assert(eq(uint, count(call(), 0), 0));
        cr_assert(eq(uint, count(call(), 1), 1));
        cr_assert(eq(uint, count(call(), 7), 7));
}

Test(bus_header, the_rest_is_read_as_libdbus_wrote_it) {
        DBusMessage *message = call();
        BusHeader header;
        char *bytes;
        int size;

        cr_assert(dbus_message_set_sender(message, ":1.42"));
        dbus_message_set_serial(message, 0x12345678);
        dbus_message_set_no_reply(message, TRUE);
        cr_assert(dbus_message_marshal(message, &bytes, &size));
        header = bus_header_read((const uint8_t *) bytes, (size_t) size);
        cr_assert(eq(int, header.type, DBUS_MESSAGE_TYPE_METHOD_CALL));
        cr_assert(not(header.wants_reply));
        cr_assert(eq(u32, header.serial, 0x12345678));
        assert_string(header.sender, ":1.42");
        cr_assert(eq(sz, bus_header_message_size((const uint8_t *) bytes), (size_t) size));
        bytes[0] = 'x';
        cr_assert(zero(sz, bus_header_message_size((const uint8_t *) bytes)));
        dbus_free(bytes);
        dbus_message_unref(message);
}

Test(bus_header, fields_in_front_do_not_matter) {
        DBusMessage *message = call();

        cr_assert(dbus_message_set_sender(message, ":1.100"));
        cr_assert(eq(uint, count(message, 3), 3));
        message = dbus_message_new_signal("/", "a.b", "C");
        cr_assert(dbus_message_set_destination(message, "a.b.c"));
        cr_assert(eq(uint, count(message, 2), 2));
}
