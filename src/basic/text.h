/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Text that grows
 *
 * A Text remembers the first failed allocation, so a long message is written
 * without a check after each part and checked once, by text_finish().
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Text {
        char *string;           /* owned, NUL-terminated once something was added */
        size_t n;
        size_t allocated;
        int error;              /* 0 or -ENOMEM */
} Text;

void text_deinit(Text *text);
void text_add(Text *text, const char *string);
void text_add_n(Text *text, const char *bytes, size_t n);
void text_add_char(Text *text, char c);
void text_addf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Hands the string over (never NULL on success, "" if nothing was added) and empties @text; or -ENOMEM. */
int text_finish(Text *text, char **ret_string);

/* asprintf() and vasprintf() that return 0 or -ENOMEM, and then leave @ret_string as it was. */
int text_format(char **ret_string, const char *format, ...) __attribute__((format(printf, 2, 3)));
int text_vformat(char **ret_string, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* strdup() that gives NULL for NULL. 0 or -ENOMEM. */
int text_copy(const char *string, char **ret_copy);

/* "folder/name". 0 or -ENOMEM. */
int text_join_path(const char *folder, const char *name, char **ret_path);

bool text_starts_with(const char *string, const char *prefix);
bool text_ends_with(const char *string, const char *suffix);
bool text_equal(const char *a, const char *b);          /* NULL equals NULL */

/* Writes @n bytes as 2 * @n digits "0" to "f" and a NUL, without printf(): names of invocations are often written. */
void text_write_hex(char *hex, const uint8_t *bytes, size_t n);

/* Whether @string is valid UTF-8 (D-Bus disconnects a sender of anything else). */
bool text_is_utf8(const char *string);
/* The length in bytes of the UTF-8 character that @n bytes begin with, 0 if they begin with none. */
size_t text_utf8_length(const char *bytes, size_t n);

/*
 * A copy fit for a terminal: control characters, ESC and invalid UTF-8 as \xNN.
 * 0 or -ENOMEM.
 */
int text_escape_control(const char *string, char **ret_string);

/* Shortens @string to at most @n bytes (at least 3), between characters, with "…" in place of the rest. */
void text_shorten(char *string, size_t n);

/*
 * For "did you mean": the candidate that begins with @word, if that has three letters, otherwise the nearest in edit
 * distance (at most a third of the length of @word); or NULL. Of several the nearest, and of those one of the same
 * length as @word.
 */
const char *text_nearest(const char *word, const char *const *candidates, size_t n);

/* Parses "1", "yes", "true", "on", "y", "t" and their opposites: 1, 0 or -EINVAL. */
int text_parse_bool(const char *string);
int text_parse_u32(const char *string, uint32_t *ret_value);     /* decimal; -EINVAL, -ERANGE */
int text_parse_u64(const char *string, uint64_t *ret_value);
int text_parse_i32(const char *string, int32_t *ret_value);
