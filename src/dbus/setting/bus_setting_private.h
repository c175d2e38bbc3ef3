/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Readers of D-Bus values, and writers of structured ones
 */

#include <stdint.h>

#include "dbus/setting/bus_setting_value.h"

/* Each returns the value at the iterator and moves on to the next. */
static inline const char *bus_take_string(DBusMessageIter *fields) {
        const char *value;

        dbus_message_iter_get_basic(fields, &value);
        dbus_message_iter_next(fields);
        return value;
}

static inline bool bus_take_bool(DBusMessageIter *fields) {
        dbus_bool_t value;

        dbus_message_iter_get_basic(fields, &value);
        dbus_message_iter_next(fields);
        return value;
}

static inline uint64_t bus_take_u64(DBusMessageIter *fields) {
        DBusBasicValue value = {};

        dbus_message_iter_get_basic(fields, &value);
        dbus_message_iter_next(fields);
        return value.u64;
}

static inline const char *bus_take_bytes(DBusMessageIter *fields, int *ret_n) {
        const char *bytes = NULL;
        DBusMessageIter items;

        dbus_message_iter_recurse(fields, &items);
        dbus_message_iter_get_fixed_array(&items, &bytes, ret_n);
        dbus_message_iter_next(fields);
        return bytes;
}

#define bus_foreach_item(items, array)                                              \
        for (dbus_message_iter_recurse((array), (items));                       \
             dbus_message_iter_get_arg_type(items) != DBUS_TYPE_INVALID; dbus_message_iter_next(items))

void bus_setting_add_bytes(Text *line, const char *bytes, size_t n);     /* quoted, with a space in front */
/* As bus_setting_add_text(), but for a directive that '%' is no specifier for. */
void bus_setting_add_value(const BusSettingTarget *target, const char *directive, const char *text);
void bus_setting_add_words(Text *line, DBusMessageIter *array);  /* of "as" */

/* bus_setting_struct.c */
int bus_setting_write_commands(const BusSettingTarget *target, DBusMessageIter *value);  /* a(sasb), a(sasas) */
int bus_setting_write_files(const BusSettingTarget *target, DBusMessageIter *value);     /* a(sb): path, optional */
int bus_setting_write_conditions(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_named(const BusSettingTarget *target, DBusMessageIter *value);     /* a(ss), a(st): name, value */
int bus_setting_write_colon_pairs(const BusSettingTarget *target, DBusMessageIter *value);       /* a(ss): "a:b" */
int bus_setting_write_blank_pairs(const BusSettingTarget *target, DBusMessageIter *value);  /* a(ss), a(st): "a b" */
int bus_setting_write_binds(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_credentials(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_filter(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_statuses(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_addresses(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_joined(const BusSettingTarget *target, DBusMessageIter *value);    /* as: "a:b" */
int bus_setting_write_label(const BusSettingTarget *target, DBusMessageIter *value);     /* (bs): optional, name */
int bus_setting_write_open_files(const BusSettingTarget *target, DBusMessageIter *value);        /* a(sst) */
int bus_setting_write_fields(const BusSettingTarget *target, DBusMessageIter *value);    /* aay */
int bus_setting_write_base64(const BusSettingTarget *target, DBusMessageIter *value);    /* ay */

/* bus_setting_bits.c */
int bus_setting_write_capabilities(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_secure_bits(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_namespaces(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_propagation(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_protocol(const BusSettingTarget *target, DBusMessageIter *value);
int bus_setting_write_hexadecimal(const BusSettingTarget *target, DBusMessageIter *value);
