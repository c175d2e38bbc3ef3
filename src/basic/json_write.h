/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * JSON, written
 *
 * Compact and always the same way: no blanks, keys in the order of the value,
 * numbers as they were written, and in strings no more escapes than JSON
 * demands. So a value is written as the same text again when it is read back.
 */

#include "basic/json_tree.h"

/* Stops within @value when @text has come to more than @limit bytes: what is too long is not written to its end. */
void json_write_value(Text *text, const JsonValue *value, size_t limit);

/* @n bytes of UTF-8 as a string, with its quotes. */
void json_write_string(Text *text, const char *bytes, size_t n);
