/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The sink over a message: what goes in comes out, and nothing goes in that libdbus would abort on
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/bus_sink.h"
#include "double/double_assert.h"

static DBusMessage *message;
static BusSink sink;

static void set_up(void) {
        message = dbus_message_new_signal("/a", "a.b", "c");
        bus_sink_init(&sink, message);
}

static void tear_down(void) {
        dbus_message_unref(message);
}

TestSuite(bus_sink, .init = set_up, .fini = tear_down);

Test(bus_sink, values_are_appended_with_their_types) {
        sink_bool(&sink.sink, true);
        sink_byte(&sink.sink, 7);
        sink_u32(&sink.sink, 1);
        sink_i32(&sink.sink, -1);
        sink_u64(&sink.sink, 1);
        sink_double(&sink.sink, 0.5);
        sink_string(&sink.sink, "x");
        sink_string(&sink.sink, NULL);
        sink_path(&sink.sink, "/x");
        cr_assert(eq(int, bus_sink_finish(&sink), 0));
        assert_string(dbus_message_get_signature(message), "byuitdsso");
}

Test(bus_sink, containers_nest) {
        sink_open(&sink.sink, 'a', "{sv}");
        sink_entry_u32(&sink.sink, "n", 3);
        sink_entry_open(&sink.sink, "list", "a(so)");
        sink_open(&sink.sink, 'a', "(so)");
        sink_open(&sink.sink, 'r', "so");
        sink_string(&sink.sink, "x");
        sink_path(&sink.sink, "/");
        sink_close(&sink.sink);
        sink_close(&sink.sink);
        sink_entry_close(&sink.sink);
        sink_close(&sink.sink);
        cr_assert(eq(int, bus_sink_finish(&sink), 0));
        assert_string(dbus_message_get_signature(message), "a{sv}");
}

Test(bus_sink, text_that_is_not_utf8_is_escaped) {
        const char *text;

        sink_string(&sink.sink, "a\xff" "b");
        cr_assert(eq(int, bus_sink_finish(&sink), 0));
        cr_assert(dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID));
        assert_string(text, "a\\xffb");
}

Test(bus_sink, what_is_no_path_is_an_error) {
        sink_open(&sink.sink, 'a', "o");
        sink_path(&sink.sink, "/a/");
        sink_close(&sink.sink);
        cr_assert(eq(int, bus_sink_finish(&sink), -EINVAL));
}

Test(bus_sink, a_body_has_a_limit) {
        cleanup_free_ char *text = malloc(1 << 20);

        memset(text, 'x', (1 << 20) - 1);
        text[(1 << 20) - 1] = '\0';
        sink_open(&sink.sink, 'a', "s");
        for (unsigned i = 0; i < 64; i++)
                sink_string(&sink.sink, text);
        sink_close(&sink.sink);
        cr_assert(eq(int, bus_sink_finish(&sink), -EMSGSIZE));
}
