/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words of a setting
 *
 * Quotes may begin in the middle of a word, as in a shell; escapes are the
 * same inside and outside of them. An escape never results in a NUL byte,
 * because the result is a C string.
 */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdbool.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/file_word.h"

#define BLANKS " \t\n\r"

static void file_word_add_utf8(Text *word, uint32_t c) {
        if (c < 0x80)
                text_add_char(word, (char) c);
        else if (c < 0x800) {
                text_add_char(word, (char) (0xC0 | c >> 6));
                text_add_char(word, (char) (0x80 | (c & 0x3F)));
        } else if (c < 0x10000) {
                text_add_char(word, (char) (0xE0 | c >> 12));
                text_add_char(word, (char) (0x80 | (c >> 6 & 0x3F)));
                text_add_char(word, (char) (0x80 | (c & 0x3F)));
        } else {
                text_add_char(word, (char) (0xF0 | c >> 18));
                text_add_char(word, (char) (0x80 | (c >> 12 & 0x3F)));
                text_add_char(word, (char) (0x80 | (c >> 6 & 0x3F)));
                text_add_char(word, (char) (0x80 | (c & 0x3F)));
        }
}

/* Reads exactly @n digits of @base; false if there are fewer. */
static bool file_word_read_digits(const char *at, size_t n, unsigned base, uint32_t *ret_value) {
        uint32_t value = 0;

        for (size_t i = 0; i < n; i++) {
                unsigned digit;

                if (at[i] >= '0' && at[i] <= '9')
                        digit = (unsigned) (at[i] - '0');
                else if (at[i] >= 'a' && at[i] <= 'f')
                        digit = (unsigned) (at[i] - 'a') + 10;
                else if (at[i] >= 'A' && at[i] <= 'F')
                        digit = (unsigned) (at[i] - 'A') + 10;
                else
                        return false;
                if (digit >= base)
                        return false;
                value = value * base + digit;
        }
        *ret_value = value;
        return true;
}

static char file_word_simple_escape(char c) {
        static const char from[] = "abfnrtv\\\"'s", to[] = "\a\b\f\n\r\t\v\\\"' ";
        const char *found = c ? strchr(from, c) : NULL;

        return found ? to[found - from] : '\0';
}

/* Decodes the escape whose backslash precedes @at; returns its length after the backslash, 0 if it is unknown. */
static size_t file_word_unescape(const char *at, Text *word) {
        static const struct {
                char letter;
                uint8_t digits;
                uint8_t base;
        } numbers[] = { { 'x', 2, 16 }, { 'u', 4, 16 }, { 'U', 8, 16 }, { '\0', 3, 8 } };
        char simple = file_word_simple_escape(*at);

        if (simple) {
                text_add_char(word, simple);
                return 1;
        }
        for (size_t i = 0; i < ELEMENTSOF(numbers); i++) {
                size_t skip = numbers[i].letter ? 1 : 0;
                uint32_t c;

                if (skip && *at != numbers[i].letter)
                        continue;
                if (!file_word_read_digits(at + skip, numbers[i].digits, numbers[i].base, &c) || c == 0)
                        return 0;
                if (numbers[i].digits <= 3 ? c > 0xFF : c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
                        return 0;
                if (numbers[i].digits <= 3)
                        text_add_char(word, (char) c);
                else
                        file_word_add_utf8(word, c);
                return skip + numbers[i].digits;
        }
        return 0;
}

/* Reads a backslash at *@at with the characters that belong to it. */
static int file_word_take_escape(const char **at, FileWordFlags flags, Text *word) {
        const char *next = *at + 1;
        size_t n;

        if (flags & FILE_WORD_KEEP_ESCAPES) {
                text_add_char(word, '\\');
                *at = next;
                return 0;
        }
        n = flags & FILE_WORD_UNESCAPE ? file_word_unescape(next, word) : *next ? 1 : 0;
        if (n > 0 && !(flags & FILE_WORD_UNESCAPE))
                text_add_char(word, *next);
        if (n == 0) {
                if (!(flags & FILE_WORD_KEEP_UNKNOWN))
                        return -EINVAL;
                text_add_char(word, '\\');
                /* An escaped blank does not end the word. */
                if (*next && strchr(BLANKS, *next)) {
                        text_add_char(word, *next);
                        n = 1;
                }
        }
        *at = next + n;
        return 0;
}

static int file_word_read(const char **at, FileWordFlags flags, Text *word) {
        char quote = '\0';

        for (;;) {
                char c = **at;

                if (!c)
                        return quote ? -EINVAL : 0;
                if (!quote && strchr(BLANKS, c))
                        return 0;
                if (c == '\\') {
                        int r = file_word_take_escape(at, flags, word);

                        if (r < 0)
                                return r;
                        continue;
                }
                (*at)++;
                if (flags & FILE_WORD_UNQUOTE && quote && c == quote)
                        quote = '\0';
                else if (flags & FILE_WORD_UNQUOTE && !quote && (c == '"' || c == '\''))
                        quote = c;
                else
                        text_add_char(word, c);
        }
}

/* Fast path for a word without quotes and backslashes: 1 with the word, 0 if it has some, or -ENOMEM. */
static int file_word_take_plain(const char **at, char **ret_word) {
        size_t n = strcspn(*at, BLANKS "\\\"'");

        if ((*at)[n] != '\0' && !strchr(BLANKS, (*at)[n]))
                return 0;
        *ret_word = strndup(*at, n);
        if (!*ret_word)
                return -ENOMEM;
        *at += n;
        return 1;
}

int file_word_next(const char **at, FileWordFlags flags, char **ret_word) {
        cleanup_(text_deinit) Text word = {};
        const char *next;
        int r;

        assert(at && *at);

        next = *at + strspn(*at, BLANKS);
        if (!*next) {
                *at = next;
                return 0;
        }
        r = file_word_take_plain(&next, ret_word);
        if (r == 0) {
                r = file_word_read(&next, flags, &word);
                if (r == 0)
                        r = text_finish(&word, ret_word);
        }
        if (r < 0)
                return r;
        *at = next + strspn(next, BLANKS);
        return 1;
}

int file_text_unescape(const char *text, char **ret_text) {
        cleanup_(text_deinit) Text plain = {};

        while (*text)
                if (*text != '\\')
                        text_add_char(&plain, *text++);
                else if (file_word_take_escape(&text, FILE_WORD_UNESCAPE, &plain) < 0)
                        return -EINVAL;
        return text_finish(&plain, ret_text);
}
