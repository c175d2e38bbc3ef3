/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * D-Bus values as JSON
 *
 * All answers of the manager become JSON once, on arrival, and are printed
 * from that, for people as for programs. The rules are generic: a struct or
 * array is an array, a dictionary an object, a variant its value, "ay" a
 * string of hex digits, an unsigned 64-bit number with all bits set
 * ("infinity", "not set") null, and any other number beyond the range of
 * JSON's signed integers a string of digits.
 */

#include <dbus/dbus.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define cleanup_json_ cleanup_(json_decrefp)

/* The arguments of @message as an array; NULL without memory. @escape: escape control characters. */
json_t *value_read(DBusMessage *message, bool escape);

/*
 * Appends @args, an array with one item for each complete type of @signature. The value of a variant is an object with
 * one member, named by the signature: {"u": 12}. An array of bytes may be a string, also one that is no UTF-8. 0,
 * -EINVAL if they do not match, or -ENOMEM.
 */
int value_append(DBusMessage *message, const char *signature, const json_t *args);

/* A new array of the strings; NULL without memory. */
json_t *value_from_strings(char *const *strings);

/* Members of an object; "", 0 or false if it is no object or lacks the member. */
const char *value_string(const json_t *object, const char *key);
uint64_t value_u64(const json_t *object, const char *key);      /* null is UINT64_MAX */
bool value_bool(const json_t *object, const char *key);

/* The same for an item of an array. */
const char *value_item_string(const json_t *array, size_t index);
uint64_t value_item_u64(const json_t *array, size_t index);

/* " (did you mean backup.flow?)", *@ret_n bytes long, in the failure of a unit that is not there; "" without one. */
const char *value_hint(const json_t *unit, int *ret_n);
