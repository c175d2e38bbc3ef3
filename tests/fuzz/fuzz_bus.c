/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * D-Bus: messages as bytes, typed values as settings, lists of settings, object paths
 *
 * A message that libdbus accepts is read value by value and written by our own writer: the bytes are the same. A value
 * that a client sets becomes lines of the directive that is meant, each an assignment of its own, whatever text is in the
 * value. A label of a path has one path.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "basic/text.h"
#include "dbus/bus_interfaces.h"
#include "dbus/peer/bus_header.h"
#include "dbus/peer/bus_path.h"
#include "dbus/peer/bus_wire.h"
#include "dbus/setting/bus_setting.h"
#include "dbus/setting/bus_setting_list.h"
#include "double/double_unit.h"
#include "fuzz.h"
#include "unitfile/file_text.h"

#define DEPTH_MAX 16U
#define ITEMS_MAX 5U

/* — messages — */

/* Copies the value at @from. False for one that our sinks have no type for. */
static bool copy_value(DBusMessageIter *from, Sink *sink, unsigned depth) {
        int type = dbus_message_iter_get_arg_type(from);
        cleanup_free_ char *contents = NULL;
        DBusMessageIter items;
        DBusBasicValue basic = {};
        char *signature;
        bool is_copied = true;

        if (type == DBUS_TYPE_UNIX_FD || depth == DEPTH_MAX)
                return false;
        if (dbus_type_is_basic(type)) {
                bool truth;

                dbus_message_iter_get_basic(from, &basic);
                truth = basic.bool_val;
                sink->ops->put(sink, (char) type, type == DBUS_TYPE_BOOLEAN ? (const void *) &truth :
                                                  strchr("sog", type)       ? (const void *) basic.str : &basic);
                return true;
        }
        dbus_message_iter_recurse(from, &items);
        signature = dbus_message_iter_get_signature(type == DBUS_TYPE_VARIANT ? &items : from);
        fuzz_check(signature != NULL);
        /* "a" and the brackets are said by the kind of the container. */
        contents = strdup(type == DBUS_TYPE_VARIANT ? signature : signature + 1);
        dbus_free(signature);
        if (type != DBUS_TYPE_ARRAY && type != DBUS_TYPE_VARIANT)
                contents[strlen(contents) - 1] = '\0';
        sink_open(sink, (char) (type == DBUS_TYPE_STRUCT ? 'r' : type == DBUS_TYPE_DICT_ENTRY ? 'e' : type), contents);
        for (; is_copied && dbus_message_iter_get_arg_type(&items) != DBUS_TYPE_INVALID; dbus_message_iter_next(&items))
                is_copied = copy_value(&items, sink, depth + 1);
        sink_close(sink);
        return is_copied;
}

static uint32_t body_length(const char *bytes) {
        uint32_t length;

        memcpy(&length, bytes + 4, sizeof(length));
        return length;
}

/* Both have the bytes of this machine; libdbus takes ours, too. */
static void check_same_body(DBusMessage *message, const BusWire *wire) {
        size_t n_got = bus_wire_size(wire);
        cleanup_free_ char *got = malloc(n_got);
        DBusMessage *written;
        char *expected;
        int n_expected;

        bus_wire_copy(wire, 1, (uint8_t *) got);
        written = dbus_message_demarshal(got, (int) n_got, NULL);
        fuzz_check(written != NULL);
        fuzz_check_string(dbus_message_get_signature(message), dbus_message_get_signature(written));
        fuzz_check(dbus_message_marshal(message, &expected, &n_expected));
        fuzz_check(body_length(expected) == body_length(got) && body_length(got) == wire->body.n);
        fuzz_check(wire->body.n == 0 || memcmp(expected + n_expected - wire->body.n, wire->body.items, wire->body.n) == 0);
        fuzz_check(wire->body.n == 0 || memcmp(got + n_got - wire->body.n, wire->body.items, wire->body.n) == 0);
        dbus_free(expected);
        dbus_message_unref(written);
}

static void check_copy(DBusMessage *message) {
        BusWire wire = {};
        DBusMessageIter fields;
        bool is_copied = true;

        bus_wire_begin(&wire);
        if (dbus_message_iter_init(message, &fields))
                do
                        is_copied = copy_value(&fields, &wire.sink, 0);
                while (is_copied && dbus_message_iter_next(&fields));
        if (is_copied && wire.sink.error == 0) {
                fuzz_check(bus_wire_finish_reply(&wire, 7, "a.b", ":1.2") == 0);
                check_same_body(message, &wire);
        }
        bus_wire_deinit(&wire);
}

static void check_message(FuzzInput *input) {
        DBusError error = DBUS_ERROR_INIT;
        DBusMessage *message;
        size_t n;
        cleanup_free_ char *copy = fuzz_rest(input, &n), *bytes = malloc(n > 0 ? n : 1);

        memcpy(bytes, copy, n);
        /* Also of what is no message, or a part of one. */
        (void) bus_header_descriptors((const uint8_t *) bytes, n);
        message = dbus_message_demarshal(bytes, (int) n, &error);
        dbus_error_free(&error);
        if (!message)
                return;
        if (bytes[0] == DBUS_LITTLE_ENDIAN)
                check_copy(message);
        dbus_message_unref(message);
}

/* — settings — */

static bool append_basic(FuzzInput *input, DBusMessageIter *to, int kind) {
        const char *fallback = kind == DBUS_TYPE_OBJECT_PATH ? "/" : "";
        cleanup_free_ char *text = NULL;
        DBusBasicValue value = {};

        if (strchr("sog", kind)) {
                text = fuzz_string(input);
                value.str = (char *) fallback;
                if (kind == DBUS_TYPE_STRING ? dbus_validate_utf8(text, NULL) :
                    kind == DBUS_TYPE_SIGNATURE ? dbus_signature_validate(text, NULL) : dbus_validate_path(text, NULL))
                        value.str = text;
        } else if (kind == DBUS_TYPE_BOOLEAN) {
                value.bool_val = fuzz_byte(input) & 1;
        } else {
                value.u64 = fuzz_byte(input) & 1 ? fuzz_number(input, 8) : fuzz_number(input, 1);
        }
        return dbus_message_iter_append_basic(to, kind, &value);
}

/* One value of @type, made of what comes in the input. */
static bool append_value(FuzzInput *input, DBusMessageIter *to, DBusSignatureIter *type, unsigned depth) {
        int kind = dbus_signature_iter_get_current_type(type);
        unsigned n = kind == DBUS_TYPE_ARRAY ? fuzz_choose(input, ITEMS_MAX) : 1;
        DBusSignatureIter within;
        DBusMessageIter inner;
        char *signature = NULL;
        bool is_done = true;

        if (kind == DBUS_TYPE_UNIX_FD || kind == DBUS_TYPE_VARIANT || depth == DEPTH_MAX)
                return false;
        if (dbus_type_is_basic(kind))
                return append_basic(input, to, kind);
        dbus_signature_iter_recurse(type, &within);
        if (kind == DBUS_TYPE_ARRAY)
                signature = dbus_signature_iter_get_signature(&within);
        is_done = dbus_message_iter_open_container(to, kind, signature, &inner);
        dbus_free(signature);
        for (; is_done && n > 0; n--)
                do
                        is_done = append_value(input, &inner, &within, depth + 1);
                while (is_done && kind != DBUS_TYPE_ARRAY && dbus_signature_iter_next(&within));
        if (is_done)
                return dbus_message_iter_close_container(to, &inner);
        dbus_message_iter_abandon_container(to, &inner);
        return false;
}

static bool append_setting(FuzzInput *input, DBusMessageIter *settings, const char *name, const char *signature) {
        DBusMessageIter fields, value;
        DBusSignatureIter type;
        bool is_done;

        dbus_message_iter_open_container(settings, DBUS_TYPE_STRUCT, NULL, &fields);
        dbus_message_iter_append_basic(&fields, DBUS_TYPE_STRING, &name);
        dbus_message_iter_open_container(&fields, DBUS_TYPE_VARIANT, signature, &value);
        dbus_signature_iter_init(&type, signature);
        is_done = append_value(input, &value, &type, 0);
        if (is_done) {
                dbus_message_iter_close_container(&fields, &value);
                dbus_message_iter_close_container(settings, &fields);
        } else {
                dbus_message_iter_abandon_container(&fields, &value);
                dbus_message_iter_abandon_container(settings, &fields);
        }
        return is_done;
}

/* A property and its type: of the directives, with the types that many have, or what the input says. */
static char *choose_property(FuzzInput *input, char **ret_signature) {
        static const char *const signatures[] = { "s", "b", "t", "u", "i", "as", "ay", "a(sasb)", "a(ss)", "a(st)", "a(sb)" };
        unsigned choice = fuzz_byte(input);
        size_t n, number;
        const DirectiveTable *tables;
        char *name;

        if (choice & 1) {
                name = fuzz_string(input);
                *ret_signature = fuzz_string(input);
                if (dbus_validate_utf8(name, NULL) && dbus_signature_validate_single(*ret_signature, NULL))
                        return name;
                free(name);
                return NULL;
        }
        tables = directive_tables(&n);
        number = fuzz_number(input, 2);
        for (size_t i = 0; i < n; i++) {
                if (number < *tables[i].n) {
                        *ret_signature = strdup(signatures[choice / 2 % ELEMENTSOF(signatures)]);
                        return strdup(tables[i].directives[number].name);
                }
                number -= *tables[i].n;
        }
        return NULL;
}

/* As the loader reads them: assignments of directives of the section, each on a line. */
static void check_lines(const BusSetting *setting, const char *text) {
        cleanup_free_ char *copy = strdup(text);
        cleanup_(file_lines_deinit) FileLines lines = { .next = copy };
        const DirectiveSection *section = directive_section_find(setting->section);
        unsigned number, n = 0, n_written = 0;
        char *line;
        int r;

        fuzz_check(section && text_is_utf8(text));
        for (const char *c = text; *c; c++)
                n_written += *c == '\n';
        while ((r = file_lines_next(&lines, &line, &number)) > 0) {
                char *equals = strchr(line, '=');

                n++;
                fuzz_check(equals && number == n);
                *equals = '\0';
                fuzz_check(directive_find(section, line));
                if (directive_find(section, setting->directive))
                        fuzz_check_string(line, setting->directive);
        }
        fuzz_check(r == 0 && n == n_written);
}

static void check_setting(const Unit *unit, DBusMessage *message) {
        cleanup_(bus_setting_deinit) BusSetting setting = {};
        BusCall call = { .message = message };
        DBusMessageIter whole, all, entries;

        dbus_message_iter_init(message, &whole);
        dbus_message_iter_recurse(&whole, &all);
        for (entries = all; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_STRUCT; dbus_message_iter_next(&entries)) {
                BusSettingScope scope = { unit, bus_unit_properties, &all };
                cleanup_free_ char *lines = NULL;
                DBusMessageIter fields;
                int r;

                dbus_message_iter_recurse(&entries, &fields);
                r = bus_setting_read(&call, &scope, &fields, &setting);
                fuzz_check(r >= 0 || r == -EINVAL || r == -EPERM);
                fuzz_check(r >= 0 || text_is_utf8(failure_message(&call.failure)));
                if (r >= 0) {
                        fuzz_check(text_finish(&setting.lines, &lines) == 0);
                        check_lines(&setting, lines);
                }
                failure_deinit(&call.failure);
                call.failure = (Failure) {};
                bus_setting_deinit(&setting);
                setting = (BusSetting) {};
        }
}

static void check_settings(FuzzInput *input) {
        static const char *const names[] = { "a.service", "a.socket", "a.timer", "a.path", "a.mount", "a.slice", "a.scope",
                                             "a.target" };
        static DoubleWorld *world;
        const char *name = names[fuzz_choose(input, ELEMENTSOF(names))];
        DBusMessage *message = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_CALL);
        DBusMessageIter whole, settings;
        bool is_done = true;

        if (!world)
                world = double_world_new();
        dbus_message_iter_init_append(message, &whole);
        dbus_message_iter_open_container(&whole, DBUS_TYPE_ARRAY, "(sv)", &settings);
        for (unsigned i = 0; i < 4 && is_done && (i == 0 || input->at < input->end); i++) {
                cleanup_free_ char *signature = NULL, *property = choose_property(input, &signature);

                is_done = property && append_setting(input, &settings, property, signature);
        }
        if (is_done) {
                dbus_message_iter_close_container(&whole, &settings);
                check_setting(double_unit(world, name, UNIT_INACTIVE), message);
                check_copy(message);
        } else {
                dbus_message_iter_abandon_container(&whole, &settings);
        }
        dbus_message_unref(message);
}

/* — lists and paths — */

static void check_list(FuzzInput *input) {
        static const char *const directives[] = { "DeviceAllow", "IPAddressAllow", "IOReadBandwidthMax", "IODeviceWeight" };
        const char *directive = directives[fuzz_choose(input, ELEMENTSOF(directives))];
        cleanup_free_ char *before = fuzz_string(input), *value = fuzz_string(input), *lines = NULL, *list = NULL, *again = NULL;
        size_t n = strlen(directive);

        value[strcspn(value, "\n")] = '\0';
        fuzz_check(bus_setting_is_list(directive));
        fuzz_check(text_format(&lines, "%s=%s\n", directive, value) == 0);
        fuzz_check(bus_setting_add_to_list(directive, before, lines, &list) == 0);
        for (const char *at = list; *at; at += strcspn(at, "\n") + 1)
                fuzz_check(strncmp(at, directive, n) == 0 && at[n] == '=' && strchr(at, '\n'));
        fuzz_check(text_ends_with(list, lines));
        /* What is set again is there once, at the end. */
        fuzz_check(bus_setting_add_to_list(directive, list, lines, &again) == 0);
        fuzz_check_string(list, again);
}

static void check_path(FuzzInput *input) {
        cleanup_free_ char *text = fuzz_string(input), *label = NULL, *path = NULL, *back = NULL;
        int r = bus_path_unescape(text, &label);

        fuzz_check(r == 0 || r == -EINVAL);
        if (r == 0) {
                fuzz_check(bus_path_escape(label, &path) == 0);
                fuzz_check_string(path, text);
                free(take_ptr(path));
        }
        fuzz_check(bus_path_escape(text, &path) == 0);
        fuzz_check(*path && path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] == '\0');
        fuzz_check(bus_path_unescape(path, &back) == 0);
        fuzz_check_string(back, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        static void (*const checks[])(FuzzInput *input) = { check_settings, check_settings, check_message, check_list,
                                                            check_path };
        FuzzInput input = { bytes, bytes + n };

        checks[fuzz_choose(&input, ELEMENTSOF(checks))](&input);
        return 0;
}
