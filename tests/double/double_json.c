/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random values of JSON
 */

#include "basic/macro.h"
#include "double/double_json.h"

unsigned double_json_number(uint64_t *seed, unsigned limit) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        return (unsigned) ((*seed >> 11) % limit);
}

static void add_blanks(uint64_t *seed, Text *loose) {
        static const char *const blanks[] = { "", "", "", " ", "\n", "\t \r\n" };

        text_add(loose, blanks[double_json_number(seed, ELEMENTSOF(blanks))]);
}

/* A character as it may be written, and as it must be. */
static void add_character(uint64_t *seed, Text *loose, Text *compact) {
        static const struct {
                const char *loose, *compact;
        } characters[] = {
                { "a", "a" }, { "\\u0062", "b" }, { " ", " " }, { "\\/", "/" }, { ".", "." }, { "\\\"", "\\\"" },
                { "\\u005c", "\\\\" }, { "\\u000A", "\\n" }, { "\\u0001", "\\u0001" }, { "\\u0000", "\\u0000" },
                { "\\b", "\\b" }, { "\\u007f", "\x7f" }, { "\\u00E4", "ä" }, { "ß", "ß" }, { "\\u20ac", "€" },
                { "\\ud83D\\ude00", "😀" }, { "😀", "😀" }, { "%{", "%{" },
        };
        unsigned i = double_json_number(seed, ELEMENTSOF(characters));

        text_add(loose, characters[i].loose);
        text_add(compact, characters[i].compact);
}

static void add_string(uint64_t *seed, unsigned n, Text *loose, Text *compact) {
        text_add_char(loose, '"');
        text_add_char(compact, '"');
        for (; n > 0; n--)
                add_character(seed, loose, compact);
        text_add_char(loose, '"');
        text_add_char(compact, '"');
}

static void add_scalar(uint64_t *seed, Text *loose, Text *compact) {
        static const char *const words[] = {
                "null", "true", "false", "0", "-0", "1", "-1", "1.0", "1e0", "2", "10", "0.5", "5e-1",
                "-3.25E+2", "1e300", "9007199254740993", "9007199254740992.0", "18446744073709551615",
                "-9223372036854775808",
        };
        unsigned i = double_json_number(seed, ELEMENTSOF(words) + 6);

        if (i < ELEMENTSOF(words)) {
                text_add(loose, words[i]);
                text_add(compact, words[i]);
        } else
                add_string(seed, double_json_number(seed, 6), loose, compact);
}

/* Keys are numbered, so that no object has one twice; most of them can stand in a path. */
static void add_key(uint64_t *seed, unsigned i, Text *loose, Text *compact) {
        static const char keys[] = "abcdefgh";

        text_add_char(loose, '"');
        text_add_char(compact, '"');
        text_add_char(loose, keys[i]);
        text_add_char(compact, keys[i]);
        if (double_json_number(seed, 8) == 0)
                add_character(seed, loose, compact);
        text_add(loose, "\"");
        text_add(compact, "\":");
        add_blanks(seed, loose);
        text_add_char(loose, ':');
}

static void add_entries(uint64_t *seed, unsigned depth, bool is_object, Text *loose, Text *compact) {
        unsigned n = double_json_number(seed, 5);

        add_blanks(seed, loose);
        for (unsigned i = 0; i < n; i++) {
                if (i > 0) {
                        text_add_char(loose, ',');
                        text_add_char(compact, ',');
                }
                add_blanks(seed, loose);
                if (is_object)
                        add_key(seed, i, loose, compact);
                double_json_value(seed, depth - 1, loose, compact);
        }
}

void double_json_value(uint64_t *seed, unsigned depth, Text *loose, Text *compact) {
        unsigned kind = depth == 0 ? 0 : double_json_number(seed, 3);

        add_blanks(seed, loose);
        if (kind == 0)
                add_scalar(seed, loose, compact);
        else {
                text_add_char(loose, kind == 1 ? '{' : '[');
                text_add_char(compact, kind == 1 ? '{' : '[');
                add_entries(seed, depth, kind == 1, loose, compact);
                text_add_char(loose, kind == 1 ? '}' : ']');
                text_add_char(compact, kind == 1 ? '}' : ']');
        }
        add_blanks(seed, loose);
}
