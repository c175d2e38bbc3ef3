/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Values of D-Bus as lines of a unit file
 *
 * The parser of unit files reads the lines afterwards, also in the next core:
 * so values are formatted here, but not checked.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "dbus/setting/bus_setting_list.h"
#include "dbus/setting/bus_setting_private.h"

void bus_setting_add_text(Text *line, const char *text) {
        for (; *text; text++) {
                if (*text == '%')
                        text_add_char(line, '%');
                text_add_char(line, *text);
        }
}

/*
 * Within quotes: each character that is no part of a plain word is escaped; of bytes that are no text, also those above
 * ASCII, as a unit file has to be UTF-8.
 */
static void add_quoted(Text *line, const char *bytes, size_t n, bool is_text) {
        text_add(line, " \"");
        for (size_t i = 0; i < n; i++) {
                unsigned char c = (unsigned char) bytes[i];

                if (c < ' ' || c == 0x7f || (c > 0x7f && !is_text))
                        text_addf(line, "\\x%02x", c);
                else if (c == '"' || c == '\\')
                        text_addf(line, "\\%c", c);
                else if (c == '%')
                        text_add(line, "%%");
                else
                        text_add_char(line, (char) c);
        }
        text_add_char(line, '"');
}

void bus_setting_add_bytes(Text *line, const char *bytes, size_t n) {
        add_quoted(line, bytes, n, false);
}

void bus_setting_add_word(Text *line, const char *word) {
        add_quoted(line, word, strlen(word), true);
}

void bus_setting_add_words(Text *line, DBusMessageIter *array) {
        DBusMessageIter items;

        bus_foreach_item(&items, array) {
                const char *word;

                dbus_message_iter_get_basic(&items, &word);
                bus_setting_add_word(line, word);
        }
}

/* — simple types — */

static void add_number(Text *line, const char *directive, uint64_t value) {
        bool is_span = text_ends_with(directive, "Sec") && !text_ends_with(directive, "NSec");

        if (value == UINT64_MAX)
                text_add(line, text_ends_with(directive, "Weight") ? "" : "infinity");
        else
                text_addf(line, "%" PRIu64 "%s", value, is_span ? "us" : "");
}

/* A share is written in percent, and '%' is no specifier there; in the path of a device it is. */
static bool has_percents(const BusSettingTarget *target, const char *name) {
        const Directive *directive = directive_find(target->section, name);

        return directive && ((directive->base == DIRECTIVE_IN_RESOURCES && !text_equal(name, "Slice") &&
                              !bus_setting_is_list(name)) ||
                             text_ends_with(name, "Jitter") || text_ends_with(name, "Percent") ||
                             text_ends_with(name, "Pressure"));
}

void bus_setting_add_value(const BusSettingTarget *target, const char *directive, const char *text) {
        if (has_percents(target, directive))
                text_add(target->lines, text);
        else
                bus_setting_add_text(target->lines, text);
}

static int add_string(const BusSettingTarget *target, const char *value) {
        size_t n = strlen(value);

        if (strpbrk(value, "\n\r") || (n > 0 && value[n - 1] == '\\'))
                return -EINVAL;
        bus_setting_add_value(target, target->directive, value);
        return 0;
}

static int add_plain(const BusSettingTarget *target, DBusMessageIter *value) {
        DBusBasicValue basic = {};
        int type = dbus_message_iter_get_arg_type(value);

        if (type == DBUS_TYPE_ARRAY) {
                if (dbus_message_iter_get_element_type(value) != DBUS_TYPE_STRING)
                        return -EINVAL;
                bus_setting_add_words(target->lines, value);
                return 0;
        }
        if (!dbus_type_is_basic(type))
                return -EINVAL;
        dbus_message_iter_get_basic(value, &basic);
        switch (type) {
        case DBUS_TYPE_STRING:
                return add_string(target, basic.str);
        case DBUS_TYPE_BOOLEAN:
                text_add(target->lines, basic.bool_val ? "yes" : "no");
                return 0;
        case DBUS_TYPE_UINT32:
                add_number(target->lines, target->directive, basic.u32);
                return 0;
        case DBUS_TYPE_UINT64:
                add_number(target->lines, target->directive, basic.u64);
                return 0;
        case DBUS_TYPE_INT32:
                text_addf(target->lines, "%d", basic.i32);
                return 0;
        case DBUS_TYPE_INT64:
                text_addf(target->lines, "%" PRId64, (int64_t) basic.i64);
                return 0;
        default:
                return -EINVAL;
        }
}

int bus_setting_write_plain(const BusSettingTarget *target, DBusMessageIter *value) {
        int r;

        text_addf(target->lines, "%s=", target->directive);
        r = add_plain(target, value);
        text_add_char(target->lines, '\n');
        return r;
}
