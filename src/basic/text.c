/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Text that grows, and questions about strings
 *
 * Text from outside is checked byte by byte, without the locale: a unit
 * manager may run without one.
 */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "basic/vector.h"

#define TEXT_NEAREST_MAX 128            /* longer words have no nearest one */
#define TEXT_BEGINNING_MIN 3           /* letters that count as the beginning of a word */

void text_deinit(Text *text) {
        assert(text);

        free(text->string);
        *text = (Text) {};
}

static bool text_reserve(Text *text, size_t extra) {
        if (text->error < 0)
                return false;
        text->error = vector_reserve_raw((void **) &text->string, &text->allocated, 1, text->n + extra + 1);
        return text->error == 0;
}

void text_add_n(Text *text, const char *bytes, size_t n) {
        assert(text);

        if (!text_reserve(text, n))
                return;
        if (n > 0)
                memcpy(text->string + text->n, bytes, n);
        text->n += n;
        text->string[text->n] = '\0';
}

void text_add(Text *text, const char *string) {
        text_add_n(text, string, strlen(string));
}

void text_add_char(Text *text, char c) {
        text_add_n(text, &c, 1);
}

void text_addf(Text *text, const char *format, ...) {
        va_list args;
        int n;

        assert(text);

        va_start(args, format);
        n = vsnprintf(NULL, 0, format, args);
        va_end(args);
        if (n < 0 && text->error == 0)
                text->error = -ENOMEM;
        if (n < 0 || !text_reserve(text, (size_t) n))
                return;

        va_start(args, format);
        vsnprintf(text->string + text->n, (size_t) n + 1, format, args);
        va_end(args);
        text->n += (size_t) n;
}

int text_finish(Text *text, char **ret_string) {
        int r;

        assert(text);
        assert(ret_string);

        text_add_n(text, NULL, 0);
        r = text->error;
        if (r == 0)
                *ret_string = take_ptr(text->string);
        text_deinit(text);
        return r;
}

int text_vformat(char **ret_string, const char *format, va_list args) {
        char *string;

        assert(ret_string);

        if (vasprintf(&string, format, args) < 0)
                return -ENOMEM;

        *ret_string = string;
        return 0;
}

int text_format(char **ret_string, const char *format, ...) {
        va_list args;
        int r;

        va_start(args, format);
        r = text_vformat(ret_string, format, args);
        va_end(args);
        return r;
}

int text_copy(const char *string, char **ret_copy) {
        *ret_copy = string ? strdup(string) : NULL;
        return string && !*ret_copy ? -ENOMEM : 0;
}

int text_join_path(const char *folder, const char *name, char **ret_path) {
        size_t n = strlen(folder), size = strlen(name) + 1;
        char *path = malloc(n + 1 + size);

        if (!path)
                return -ENOMEM;
        memcpy(path, folder, n);
        path[n] = '/';
        memcpy(path + n + 1, name, size);
        *ret_path = path;
        return 0;
}

bool text_starts_with(const char *string, const char *prefix) {
        return strncmp(string, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *string, const char *suffix) {
        size_t n = strlen(string), n_suffix = strlen(suffix);

        return n >= n_suffix && strcmp(string + n - n_suffix, suffix) == 0;
}

void text_write_hex(char *hex, const uint8_t *bytes, size_t n) {
        static const char digits[] = "0123456789abcdef";

        for (size_t i = 0; i < n; i++) {
                *hex++ = digits[bytes[i] >> 4];
                *hex++ = digits[bytes[i] & 15];
        }
        *hex = '\0';
}

bool text_equal(const char *a, const char *b) {
        return a && b ? strcmp(a, b) == 0 : a == b;
}

/* As text_utf8_length(); @ret_code is the code point. */
static size_t text_utf8_character(const char *string, size_t n_bytes, uint32_t *ret_code) {
        static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
        const unsigned char *c = (const unsigned char *) string;
        uint32_t code = c[0];
        size_t n;

        if (c[0] < 0x80)
                n = 1;
        else if ((c[0] & 0xE0) == 0xC0)
                n = 2, code &= 0x1F;
        else if ((c[0] & 0xF0) == 0xE0)
                n = 3, code &= 0x0F;
        else if ((c[0] & 0xF8) == 0xF0)
                n = 4, code &= 0x07;
        else
                return 0;
        if (n > n_bytes)
                return 0;

        for (size_t i = 1; i < n; i++) {
                if ((c[i] & 0xC0) != 0x80)
                        return 0;
                code = code << 6 | (c[i] & 0x3F);
        }
        if (code < least[n] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF)
                return 0;

        *ret_code = code;
        return n;
}

size_t text_utf8_length(const char *bytes, size_t n) {
        uint32_t code;

        return n > 0 ? text_utf8_character(bytes, n, &code) : 0;
}

bool text_is_utf8(const char *string) {
        assert(string);

        while (*string != '\0') {
                uint32_t code;
                size_t n = (unsigned char) *string < 0x80 ? 1 : text_utf8_character(string, SIZE_MAX, &code);

                if (n == 0)
                        return false;
                string += n;
        }
        return true;
}

void text_shorten(char *string, size_t n) {
        assert(n >= strlen("…"));

        if (strlen(string) <= n)
                return;
        n -= strlen("…");
        while (n > 0 && ((unsigned char) string[n] & 0xc0) == 0x80)
                n--;
        strcpy(string + n, "…");
}

int text_escape_control(const char *string, char **ret_string) {
        cleanup_(text_deinit) Text text = {};

        assert(string);

        while (*string != '\0') {
                uint32_t code = 0;
                size_t n = text_utf8_character(string, SIZE_MAX, &code);
                bool is_control = n == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0);

                n = MAX(n, (size_t) 1);
                if (!is_control)
                        text_add_n(&text, string, n);
                else
                        for (size_t i = 0; i < n; i++)
                                text_addf(&text, "\\x%02x", (unsigned char) string[i]);
                string += n;
        }

        return text_finish(&text, ret_string);
}

/* The edit distance: insertions, deletions, replacements and swaps of neighbours, with three rows of the table. */
static size_t text_distance(const char *a, const char *b) {
        size_t rows[3][TEXT_NEAREST_MAX + 1];
        size_t n_a = strlen(a), n_b = strlen(b);

        if (n_a > TEXT_NEAREST_MAX || n_b > TEXT_NEAREST_MAX)
                return SIZE_MAX;

        for (size_t j = 0; j <= n_b; j++)
                rows[0][j] = j;
        for (size_t i = 1; i <= n_a; i++) {
                const size_t *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
                size_t *row = rows[i % 3];

                row[0] = i;
                for (size_t j = 1; j <= n_b; j++) {
                        size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);

                        row[j] = MIN(replaced, MIN(above[j], row[j - 1]) + 1);
                        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                                row[j] = MIN(row[j], two_above[j - 2] + 1);
                }
        }
        return rows[n_a % 3][n_b];
}

static size_t common_beginning(const char *a, const char *b) {
        size_t n = 0;

        while (a[n] && a[n] == b[n])
                n++;
        return n;
}

/*
 * Of two candidates at the same distance: the one with the same beginning as the word, which few people get wrong; then
 * the one of the same length, as letters are more often wrong or swapped than missing.
 */
static bool is_nearer_in_length(const char *word, const char *candidate, const char *than) {
        size_t length = strlen(word), a = strlen(candidate), b = strlen(than);
        size_t begins = common_beginning(word, candidate), other = common_beginning(word, than);

        if (begins >= other + TEXT_BEGINNING_MIN || other >= begins + TEXT_BEGINNING_MIN)
                return begins > other;
        return MAX(a, length) - MIN(a, length) < MAX(b, length) - MIN(b, length);
}

const char *text_nearest(const char *word, const char *const *candidates, size_t n) {
        size_t length = strlen(word), least = MAX(length / 3, (size_t) 1) + 1;
        const char *nearest = NULL;
        bool is_beginning = false;

        for (size_t i = 0; i < n; i++) {
                bool begins = candidates[i] && length >= TEXT_BEGINNING_MIN && text_starts_with(candidates[i], word);
                size_t distance = candidates[i] ? text_distance(word, candidates[i]) : SIZE_MAX;

                if (distance == SIZE_MAX || begins < is_beginning || (begins == is_beginning && distance > least))
                        continue;
                if (begins == is_beginning && distance == least &&
                    (!nearest || !is_nearer_in_length(word, candidates[i], nearest)))
                        continue;
                least = distance;
                nearest = candidates[i];
                is_beginning = begins;
        }
        return nearest;
}

int text_parse_bool(const char *string) {
        static const char *const yes[] = { "1", "yes", "y", "true", "t", "on" };
        static const char *const no[] = { "0", "no", "n", "false", "f", "off" };

        assert(string);

        for (size_t i = 0; i < ELEMENTSOF(yes); i++) {
                if (strcasecmp(string, yes[i]) == 0)
                        return 1;
                if (strcasecmp(string, no[i]) == 0)
                        return 0;
        }
        return -EINVAL;
}

int text_parse_u64(const char *string, uint64_t *ret_value) {
        uint64_t value = 0;

        assert(string);
        assert(ret_value);

        if (*string == '\0' || strspn(string, "0123456789") != strlen(string))
                return -EINVAL;
        for (; *string != '\0'; string++)
                if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
                    __builtin_add_overflow(value, (uint64_t) (*string - '0'), &value))
                        return -ERANGE;

        *ret_value = value;
        return 0;
}

int text_parse_u32(const char *string, uint32_t *ret_value) {
        uint64_t value;
        int r;

        assert(ret_value);

        r = text_parse_u64(string, &value);
        if (r < 0)
                return r;
        if (value > UINT32_MAX)
                return -ERANGE;

        *ret_value = (uint32_t) value;
        return 0;
}

int text_parse_i32(const char *string, int32_t *ret_value) {
        bool is_negative;
        uint64_t value;
        int r;

        assert(string);
        assert(ret_value);

        is_negative = *string == '-';
        r = text_parse_u64(string + is_negative, &value);
        if (r < 0)
                return r;
        if (value > (uint64_t) INT32_MAX + is_negative)
                return -ERANGE;

        *ret_value = (int32_t) (is_negative ? -(int64_t) value : (int64_t) value);
        return 0;
}
