/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * D-Bus values to JSON and back.
 */

#include <errno.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/value.h"

/* Sends @args through a message and returns what is read as compact JSON. */
static char *round_trip(const char *signature, json_t *args, bool escape) {
        DBusMessage *message = dbus_message_new_signal("/a", "a.b", "C");
        cleanup_json_ json_t *json = NULL;

        cr_assert(eq(int, value_append(message, signature, args), 0));
        json = value_read(message, escape);
        assert_not_null(json);
        dbus_message_unref(message);
        json_decref(args);
        return json_dumps(json, JSON_COMPACT);
}

static void assert_round_trip(const char *signature, json_t *args, const char *expected) {
        cleanup_free_ char *text = round_trip(signature, args, false);

        assert_string(text, expected);
}

Test(value, basic_types) {
        assert_round_trip("subit", json_pack("[s i b i I]", "x", 7, 1, -3, (json_int_t) 1 << 40),
                          "[\"x\",7,true,-3,1099511627776]");
}

Test(value, structs_and_arrays_are_arrays) {
        assert_round_trip("a(ss)as", json_pack("[[[ss][ss]][s]]", "a", "b", "c", "d", "e"),
                          "[[[\"a\",\"b\"],[\"c\",\"d\"]],[\"e\"]]");
}

Test(value, dictionaries_are_objects_and_variants_their_values) {
        assert_round_trip("a{sv}", json_pack("[{s{si}s{s[s]}}]", "id", "u", 12, "names", "as", "x"),
                          "[{\"id\":12,\"names\":[\"x\"]}]");
}

Test(value, empty_containers) {
        assert_round_trip("asa{sv}", json_pack("[[]{}]"), "[[],{}]");
}

Test(value, infinity_is_null_and_what_does_not_fit_is_digits) {
        DBusMessage *message = dbus_message_new_signal("/a", "a.b", "C");
        uint64_t infinity = UINT64_MAX, big = UINT64_MAX - 1;
        cleanup_json_ json_t *json = NULL;

        dbus_message_append_args(message, DBUS_TYPE_UINT64, &infinity, DBUS_TYPE_UINT64, &big, DBUS_TYPE_INVALID);
        json = value_read(message, false);
        dbus_message_unref(message);
        cr_assert(eq(int, json_typeof(json_array_get(json, 0)), JSON_NULL));
        cr_assert(eq(u64, value_item_u64(json, 0), UINT64_MAX));
        cr_assert(eq(u64, value_item_u64(json, 1), big));
}

Test(value, bytes_are_hex_digits) {
        DBusMessage *message = dbus_message_new_signal("/a", "a.b", "C");
        const uint8_t bytes[] = { 0x00, 0xab, 0xff };
        const uint8_t *array = bytes;
        cleanup_json_ json_t *json = NULL;

        dbus_message_append_args(message, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &array, 3, DBUS_TYPE_INVALID);
        json = value_read(message, false);
        dbus_message_unref(message);
        assert_string(value_item_string(json, 0), "00abff");
}

Test(value, control_characters_are_escaped_when_asked_for) {
        cleanup_free_ char *raw = round_trip("s", json_pack("[s]", "\033[1m"), false);
        cleanup_free_ char *escaped = round_trip("s", json_pack("[s]", "\033[1m"), true);

        assert_string(raw, "[\"\\u001B[1m\"]");
        assert_string(escaped, "[\"\\\\x1b[1m\"]");
}

Test(value, arguments_of_another_type_are_refused) {
        DBusMessage *message = dbus_message_new_signal("/a", "a.b", "C");
        cleanup_json_ json_t *args = json_pack("[s]", "x");

        cr_assert(eq(int, value_append(message, "u", args), -EINVAL));
        dbus_message_unref(message);
}

/* Also bytes that are no UTF-8, and a NUL. */
Test(value, a_string_stands_for_an_array_of_bytes) {
        static const char bytes[] = { 'a', '\0', '\xff' };
        DBusMessage *message = dbus_message_new_signal("/a", "a.b", "C");
        cleanup_json_ json_t *args = json_array(), *numbers = json_pack("[s]", "x");
        cleanup_json_ json_t *read = NULL;
        cleanup_free_ char *text = NULL;

        json_array_append_new(args, json_stringn_nocheck(bytes, sizeof(bytes)));
        cr_assert(eq(int, value_append(message, "au", numbers), -EINVAL));
        dbus_message_unref(message);
        message = dbus_message_new_signal("/a", "a.b", "C");
        cr_assert(eq(int, value_append(message, "ay", args), 0));
        read = value_read(message, false);
        text = json_dumps(read, JSON_COMPACT);
        assert_string(text, "[\"6100ff\"]");
        dbus_message_unref(message);
}

Test(value, absent_members_read_as_nothing) {
        cleanup_json_ json_t *object = json_pack("{s:i}", "n", 3);

        assert_string(value_string(object, "s"), "");
        assert_string(value_string(object, "n"), "");
        cr_assert(eq(u64, value_u64(object, "x"), 0));
        cr_assert(eq(u64, value_u64(NULL, "x"), 0));
        cr_assert(not(value_bool(object, "n")));
        cr_assert(eq(u64, value_u64(object, "n"), 3));
}
