/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From D-Bus to JSON and back
 *
 * The recursion follows the types of a message, which libdbus limits to a
 * depth of 64, not data of users.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/terminal.h"
#include "jobctl/value.h"

static json_t *read_one(DBusMessageIter *iter, bool escape);

static json_t *read_string(const char *string, bool escape) {
        cleanup_free_ char *escaped = NULL;

        if (!escape)
                return json_string(string);
        if (terminal_escape(string, &escaped) < 0)
                return NULL;
        return json_string(escaped);
}

static json_t *read_u64(uint64_t value) {
        char digits[24];

        if (value == UINT64_MAX)
                return json_null();
        if (value <= INT64_MAX)
                return json_integer((json_int_t) value);
        snprintf(digits, sizeof(digits), "%" PRIu64, value);
        return json_string(digits);
}

static json_t *read_basic(DBusMessageIter *iter, int type, bool escape) {
        DBusBasicValue value = {};

        if (type == DBUS_TYPE_UNIX_FD)
                return json_null();
        dbus_message_iter_get_basic(iter, &value);
        switch (type) {
        case DBUS_TYPE_BYTE:
                return json_integer(value.byt);
        case DBUS_TYPE_BOOLEAN:
                return json_boolean(value.bool_val);
        case DBUS_TYPE_INT16:
                return json_integer(value.i16);
        case DBUS_TYPE_UINT16:
                return json_integer(value.u16);
        case DBUS_TYPE_INT32:
                return json_integer(value.i32);
        case DBUS_TYPE_UINT32:
                return json_integer(value.u32);
        case DBUS_TYPE_INT64:
                return json_integer(value.i64);
        case DBUS_TYPE_UINT64:
                return read_u64(value.u64);
        case DBUS_TYPE_DOUBLE:
                return value.dbl - value.dbl == 0 ? json_real(value.dbl) : json_null();
        default:
                return read_string(value.str, escape);
        }
}

static json_t *read_bytes(DBusMessageIter *items) {
        cleanup_(text_deinit) Text text = {};
        cleanup_free_ char *hex = NULL;

        for (; dbus_message_iter_get_arg_type(items) != DBUS_TYPE_INVALID; dbus_message_iter_next(items)) {
                uint8_t byte;

                dbus_message_iter_get_basic(items, &byte);
                text_addf(&text, "%02x", byte);
        }
        return text_finish(&text, &hex) < 0 ? NULL : json_string(hex);
}

/* Keys that are not strings become strings. */
static int read_entry(json_t *object, DBusMessageIter *entry, bool escape) {
        cleanup_json_ json_t *key = read_one(entry, escape);
        cleanup_free_ char *name = NULL;

        if (!key)
                return -ENOMEM;
        name = json_is_string(key) ? strdup(json_string_value(key)) : json_dumps(key, JSON_ENCODE_ANY);
        dbus_message_iter_next(entry);
        if (!name || json_object_set_new_nocheck(object, name, read_one(entry, escape)) < 0)
                return -ENOMEM;
        return 0;
}

static json_t *read_dictionary(DBusMessageIter *items, bool escape) {
        cleanup_json_ json_t *object = json_object();

        for (; dbus_message_iter_get_arg_type(items) != DBUS_TYPE_INVALID; dbus_message_iter_next(items)) {
                DBusMessageIter entry;

                dbus_message_iter_recurse(items, &entry);
                if (!object || read_entry(object, &entry, escape) < 0)
                        return NULL;
        }
        return take_ptr(object);
}

static json_t *read_items(DBusMessageIter *items, bool escape) {
        cleanup_json_ json_t *array = json_array();

        for (; dbus_message_iter_get_arg_type(items) != DBUS_TYPE_INVALID; dbus_message_iter_next(items))
                if (json_array_append_new(array, read_one(items, escape)) < 0)
                        return NULL;
        return take_ptr(array);
}

static json_t *read_one(DBusMessageIter *iter, bool escape) {
        int type = dbus_message_iter_get_arg_type(iter);
        DBusMessageIter inner;

        if (dbus_type_is_basic(type))
                return read_basic(iter, type, escape);

        dbus_message_iter_recurse(iter, &inner);
        if (type == DBUS_TYPE_VARIANT)
                return read_one(&inner, escape);
        if (type == DBUS_TYPE_ARRAY && dbus_message_iter_get_element_type(iter) == DBUS_TYPE_DICT_ENTRY)
                return read_dictionary(&inner, escape);
        if (type == DBUS_TYPE_ARRAY && dbus_message_iter_get_element_type(iter) == DBUS_TYPE_BYTE)
                return read_bytes(&inner);
        return read_items(&inner, escape);
}

json_t *value_read(DBusMessage *message, bool escape) {
        DBusMessageIter iter;

        dbus_message_iter_init(message, &iter);
        return read_items(&iter, escape);
}

/* — the other direction — */

static int append_one(DBusMessageIter *iter, DBusSignatureIter *type, const json_t *value);

static int append_basic(DBusMessageIter *iter, int type, const json_t *value) {
        json_int_t number = json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
        DBusBasicValue basic = {};

        if (type == DBUS_TYPE_STRING || type == DBUS_TYPE_OBJECT_PATH || type == DBUS_TYPE_SIGNATURE) {
                if (!json_is_string(value))
                        return -EINVAL;
                basic.str = (char *) json_string_value(value);
        } else if (!json_is_integer(value) && !json_is_boolean(value))
                return -EINVAL;
        else if (type == DBUS_TYPE_BOOLEAN)
                basic.bool_val = number != 0;
        else if (type == DBUS_TYPE_BYTE)
                basic.byt = (unsigned char) number;
        else if (type == DBUS_TYPE_UINT32)
                basic.u32 = (uint32_t) number;
        else if (type == DBUS_TYPE_INT32)
                basic.i32 = (int32_t) number;
        else if (type == DBUS_TYPE_UNIX_FD)
                basic.fd = (int) number;
        else if (type == DBUS_TYPE_UINT64)
                basic.u64 = (uint64_t) number;
        else
                return -EINVAL;
        return dbus_message_iter_append_basic(iter, type, &basic) ? 0 : -ENOMEM;
}

static int append_entry(DBusMessageIter *iter, DBusSignatureIter *type, const char *key, const json_t *value) {
        DBusMessageIter entry;
        DBusSignatureIter item;
        int r = -ENOMEM;

        dbus_signature_iter_recurse(type, &item);
        if (!dbus_message_iter_open_container(iter, DBUS_TYPE_DICT_ENTRY, NULL, &entry))
                return -ENOMEM;
        if (dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key)) {
                dbus_signature_iter_next(&item);
                r = append_one(&entry, &item, value);
        }
        if (!dbus_message_iter_close_container(iter, &entry))
                return -ENOMEM;
        return r;
}

static int append_items(DBusMessageIter *iter, DBusSignatureIter *type, const json_t *value) {
        const char *key;
        json_t *item;
        size_t i;
        int r = 0;

        if (dbus_signature_iter_get_current_type(type) == DBUS_TYPE_DICT_ENTRY) {
                json_object_foreach((json_t *) value, key, item)
                        if (r == 0)
                                r = append_entry(iter, type, key, item);
                return r;
        }
        json_array_foreach(value, i, item)
                if (r == 0)
                        r = append_one(iter, type, item);
        return r;
}

/* A string stands for its bytes, which need not be UTF-8. */
static int append_bytes(DBusMessageIter *items, DBusSignatureIter *type, const json_t *value) {
        const char *bytes = json_string_value(value);

        if (dbus_signature_iter_get_current_type(type) != DBUS_TYPE_BYTE)
                return -EINVAL;
        return dbus_message_iter_append_fixed_array(items, DBUS_TYPE_BYTE, &bytes, (int) json_string_length(value))
                       ? 0
                       : -ENOMEM;
}

static int append_array(DBusMessageIter *iter, DBusSignatureIter *type, const json_t *value) {
        DBusMessageIter items;
        DBusSignatureIter item;
        char *contents;
        dbus_bool_t opened;
        int r;

        dbus_signature_iter_recurse(type, &item);
        contents = dbus_signature_iter_get_signature(&item);
        opened = contents && dbus_message_iter_open_container(iter, DBUS_TYPE_ARRAY, contents, &items);
        dbus_free(contents);
        if (!opened)
                return -ENOMEM;
        r = json_is_string(value) ? append_bytes(&items, &item, value) : append_items(&items, &item, value);
        return dbus_message_iter_close_container(iter, &items) ? r : -ENOMEM;
}

static int append_struct(DBusMessageIter *iter, DBusSignatureIter *type, const json_t *value) {
        DBusMessageIter fields;
        DBusSignatureIter field;
        size_t i = 0;
        int r;

        dbus_signature_iter_recurse(type, &field);
        if (!dbus_message_iter_open_container(iter, DBUS_TYPE_STRUCT, NULL, &fields))
                return -ENOMEM;
        do
                r = append_one(&fields, &field, json_array_get(value, i++));
        while (r == 0 && dbus_signature_iter_next(&field));
        return dbus_message_iter_close_container(iter, &fields) ? r : -ENOMEM;
}

static int append_variant(DBusMessageIter *iter, const json_t *value) {
        void *member = json_object_iter((json_t *) value);
        const char *signature = member ? json_object_iter_key(member) : NULL;
        DBusSignatureIter type;
        DBusMessageIter inner;
        int r;

        if (!signature || !dbus_signature_validate_single(signature, NULL))
                return -EINVAL;
        dbus_signature_iter_init(&type, signature);
        if (!dbus_message_iter_open_container(iter, DBUS_TYPE_VARIANT, signature, &inner))
                return -ENOMEM;
        r = append_one(&inner, &type, json_object_iter_value(member));
        return dbus_message_iter_close_container(iter, &inner) ? r : -ENOMEM;
}

static int append_one(DBusMessageIter *iter, DBusSignatureIter *type, const json_t *value) {
        int kind = dbus_signature_iter_get_current_type(type);

        if (kind == DBUS_TYPE_ARRAY)
                return append_array(iter, type, value);
        if (kind == DBUS_TYPE_STRUCT)
                return append_struct(iter, type, value);
        if (kind == DBUS_TYPE_VARIANT)
                return append_variant(iter, value);
        return append_basic(iter, kind, value);
}

int value_append(DBusMessage *message, const char *signature, const json_t *args) {
        DBusMessageIter iter;
        DBusSignatureIter type;
        size_t i = 0;
        int r;

        if (!*signature)
                return 0;
        if (!json_is_array(args))
                return -ENOMEM;
        dbus_message_iter_init_append(message, &iter);
        dbus_signature_iter_init(&type, signature);
        do
                r = append_one(&iter, &type, json_array_get(args, i++));
        while (r == 0 && dbus_signature_iter_next(&type));
        return r;
}

json_t *value_from_strings(char *const *strings) {
        cleanup_json_ json_t *array = json_array();

        strv_foreach(string, strings)
                if (json_array_append_new(array, json_string(*string)) < 0)
                        return NULL;
        return take_ptr(array);
}

/* — reading — */

static uint64_t number_of(const json_t *value) {
        uint64_t number;

        if (json_is_null(value))
                return UINT64_MAX;
        if (json_is_string(value))
                return text_parse_u64(json_string_value(value), &number) == 0 ? number : 0;
        return (uint64_t) json_integer_value(value);
}

const char *value_string(const json_t *object, const char *key) {
        const char *string = json_string_value(json_object_get(object, key));

        return string ?: "";
}

uint64_t value_u64(const json_t *object, const char *key) {
        const json_t *value = json_object_get(object, key);

        return value ? number_of(value) : 0;
}

bool value_bool(const json_t *object, const char *key) {
        return json_is_true(json_object_get(object, key));
}

const char *value_item_string(const json_t *array, size_t index) {
        const char *string = json_string_value(json_array_get(array, index));

        return string ?: "";
}

uint64_t value_item_u64(const json_t *array, size_t index) {
        const json_t *value = json_array_get(array, index);

        return value ? number_of(value) : 0;
}

const char *value_hint(const json_t *unit, int *ret_n) {
        const char *message = value_item_string(json_object_get(unit, "LoadError"), 1);
        const char *hint = strstr(message, " (did you mean "), *end = hint ? strstr(hint, "?)") : NULL;

        *ret_n = end ? (int) (end - hint) + 2 : 0;
        return end ? hint : "";
}
