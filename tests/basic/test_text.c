/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Text and questions about strings: mostly tables.
 */

#include <errno.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "double/double_assert.h"

Test(text, copy) {
        cleanup_free_ char *copy = NULL, *none = (char *) "";

        cr_assert(eq(int, text_copy("a", &copy), 0));
        cr_assert(eq(str, copy, (char *) "a"));
        cr_assert(eq(int, text_copy(NULL, &none), 0));
        cr_assert(eq(ptr, none, NULL));
}

Test(text, parts_add_up) {
        cleanup_free_ char *string = NULL;
        Text text = {};

        for (int i = 0; i < 100; i++)
                text_addf(&text, "%d,", i);
        text_add_n(&text, "xyz", 2);
        text_add_char(&text, '!');
        cr_assert(eq(int, text_finish(&text, &string), 0));
        cr_assert(text_starts_with(string, "0,1,2,"));
        cr_assert(text_ends_with(string, "98,99,xy!"));
        assert_null(text.string);
}

Test(text, nothing_is_the_empty_string) {
        cleanup_free_ char *string = NULL;
        Text text = {};

        cr_assert(eq(int, text_finish(&text, &string), 0));
        assert_string(string, "");
}

Test(text, failed_text_adds_nothing_and_says_so_at_the_end) {
        Text text = { .error = -ENOMEM };
        char *string = NULL;

        text_add(&text, "a");
        text_addf(&text, "%d", 1);
        cr_assert(eq(int, text_finish(&text, &string), -ENOMEM));
        assert_null(string);
}

Test(text, format_allocates) {
        cleanup_free_ char *string = NULL;

        cr_assert(eq(int, text_format(&string, "%s-%d", "a", 1), 0));
        assert_string(string, "a-1");
}

Test(text, paths_are_joined) {
        cleanup_free_ char *path = NULL;

        cr_assert(eq(int, text_join_path("/etc/jobd", "a.service", &path), 0));
        assert_string(path, "/etc/jobd/a.service");
}

Test(text, ends_and_equality) {
        cr_assert(text_starts_with("abc", ""));
        cr_assert(not(text_starts_with("ab", "abc")));
        cr_assert(text_ends_with("abc", "abc"));
        cr_assert(not(text_ends_with("bc", "abc")));
        cr_assert(text_equal(NULL, NULL));
        cr_assert(not(text_equal(NULL, "")));
        cr_assert(text_equal("a", "a"));
}

Test(text, utf8_is_judged_to_the_letter) {
        static const struct {
                const char *bytes;
                bool is_valid;
        } table[] = {
                { "", true },
                { "plain", true },
                { "\xc3\xa4", true },                   /* ä */
                { "\xe2\x82\xac", true },               /* € */
                { "\xf0\x9f\x98\x80", true },
                { "\xf4\x8f\xbf\xbf", true },           /* U+10FFFF */
                { "\xf4\x90\x80\x80", false },          /* U+110000 */
                { "\xc0\x80", false },                  /* overlong NUL */
                { "\xc1\xbf", false },
                { "\xe0\x9f\xbf", false },
                { "\xf0\x8f\xbf\xbf", false },
                { "\xed\x9f\xbf", true },
                { "\xed\xa0\x80", false },              /* a surrogate */
                { "\xee\x80\x80", true },
                { "\x80", false },
                { "a\xc3", false },
                { "\xe2\x82", false },
                { "\xc3(", false },
                { "\xff", false },
                { "\xf8\x88\x80\x80\x80", false },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                cr_assert(eq(int, text_is_utf8(table[i].bytes), table[i].is_valid), "case %zu", i);
}

Test(text, control_characters_are_shown) {
        static const struct {
                const char *from, *to;
        } table[] = {
                { "plain", "plain" },
                { "a\tb\n", "a\\x09b\\x0a" },
                { "\033[2J", "\\x1b[2J" },
                { "\x7f", "\\x7f" },
                { "\xc2\x9b", "\\xc2\\x9b" },           /* CSI as one character */
                { "\xc3\xa4\xff", "\xc3\xa4\\xff" },
                { "\xe2\x82", "\\xe2\\x82" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_free_ char *escaped = NULL;

                cr_assert(eq(int, text_escape_control(table[i].from, &escaped), 0));
                assert_string(escaped, table[i].to);
        }
}

Test(text, nearest_word_is_near) {
        static const char *const words[] = { "Requires", "Requisite", "Restart", "RestartSec", NULL, "User" };

        assert_string(text_nearest("Restrat", words, ELEMENTSOF(words)), "Restart");
        assert_string(text_nearest("Require", words, ELEMENTSOF(words)), "Requires");
        assert_string(text_nearest("user", words, ELEMENTSOF(words)), "User");
        assert_string(text_nearest("Usre", words, ELEMENTSOF(words)), "User");
        assert_null(text_nearest("Banana", words, ELEMENTSOF(words)));
        assert_null(text_nearest("", words, ELEMENTSOF(words)));
        assert_null(text_nearest("Restart", words, 0));
}

Test(text, word_that_is_begun_is_nearer_than_another) {
        static const char *const words[] = { "start", "status", "stats", "stop" };

        assert_string(text_nearest("stat", words, ELEMENTSOF(words)), "stats");
        assert_string(text_nearest("statu", words, ELEMENTSOF(words)), "status");
        assert_string(text_nearest("strat", words, ELEMENTSOF(words)), "start");
        assert_string(text_nearest("sta", words, ELEMENTSOF(words)), "start");
        assert_null(text_nearest("s", words, ELEMENTSOF(words)));
        assert_string(text_nearest("sotp", words, ELEMENTSOF(words)), "stop");
}

Test(text, of_two_near_words_the_one_of_the_same_length) {
        static const char *const words[] = { "stats", "status" }, *const turned[] = { "status", "stats" };

        assert_string(text_nearest("stauts", words, ELEMENTSOF(words)), "status");
        assert_string(text_nearest("stauts", turned, ELEMENTSOF(turned)), "status");
        assert_string(text_nearest("statz", words, ELEMENTSOF(words)), "stats");
}

Test(text, long_text_is_cut_between_characters) {
        static const struct {
                const char *from;
                size_t n;
                const char *to;
        } table[] = {
                { "plain", 5, "plain" },
                { "plains", 5, "pl…" },
                { "plains", 3, "…" },
                { "\xc3\xa4\xc3\xb6\xc3\xbc", 6, "\xc3\xa4\xc3\xb6\xc3\xbc" },
                { "\xc3\xa4\xc3\xb6\xc3\xbcx", 6, "\xc3\xa4…" },
                { "\xe2\x82\xac\xe2\x82\xac", 5, "…" },
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cleanup_free_ char *text = strdup(table[i].from);

                text_shorten(text, table[i].n);
                assert_string(text, table[i].to);
        }
}

Test(text, long_words_have_no_nearest) {
        static const char *const words[] = { "a" };
        char word[1000];

        for (size_t i = 0; i < sizeof(word); i++)
                word[i] = i + 1 < sizeof(word) ? 'a' : '\0';
        assert_null(text_nearest(word, words, 1));
}

Test(text, booleans) {
        static const char *const yes[] = { "1", "yes", "true", "on", "y", "t", "YES", "True" };
        static const char *const no[] = { "0", "no", "false", "off", "n", "f", "Off" };
        static const char *const neither[] = { "", "2", "ja", "yes " };

        for (size_t i = 0; i < ELEMENTSOF(yes); i++)
                cr_assert(eq(int, text_parse_bool(yes[i]), 1));
        for (size_t i = 0; i < ELEMENTSOF(no); i++)
                cr_assert(eq(int, text_parse_bool(no[i]), 0));
        for (size_t i = 0; i < ELEMENTSOF(neither); i++)
                cr_assert(eq(int, text_parse_bool(neither[i]), -EINVAL));
}

Test(text, numbers_and_their_limits) {
        static const struct {
                const char *string;
                int as_u32, as_u64, as_i32;
        } table[] = {
                { "0", 0, 0, 0 },
                { "2147483647", 0, 0, 0 },
                { "2147483648", 0, 0, -ERANGE },
                { "-2147483648", -EINVAL, -EINVAL, 0 },
                { "-2147483649", -EINVAL, -EINVAL, -ERANGE },
                { "4294967295", 0, 0, -ERANGE },
                { "4294967296", -ERANGE, 0, -ERANGE },
                { "18446744073709551615", -ERANGE, 0, -ERANGE },
                { "18446744073709551616", -ERANGE, -ERANGE, -ERANGE },
                { "", -EINVAL, -EINVAL, -EINVAL },
                { "-", -EINVAL, -EINVAL, -EINVAL },
                { "+1", -EINVAL, -EINVAL, -EINVAL },
                { " 1", -EINVAL, -EINVAL, -EINVAL },
                { "1a", -EINVAL, -EINVAL, -EINVAL },
                { "0x10", -EINVAL, -EINVAL, -EINVAL },
        };
        uint32_t u32;
        uint64_t u64;
        int32_t i32;

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                cr_assert(eq(int, text_parse_u32(table[i].string, &u32), table[i].as_u32), "%s", table[i].string);
                cr_assert(eq(int, text_parse_u64(table[i].string, &u64), table[i].as_u64), "%s", table[i].string);
                cr_assert(eq(int, text_parse_i32(table[i].string, &i32), table[i].as_i32), "%s", table[i].string);
        }
        text_parse_i32("-2147483648", &i32);
        cr_assert(eq(i32, i32, INT32_MIN));
        text_parse_u64("18446744073709551615", &u64);
        cr_assert(eq(u64, u64, UINT64_MAX));
}

Test(text, hex_digits) {
        char hex[9];

        text_write_hex(hex, (const uint8_t[]) { 0x00, 0x0f, 0xa9, 0xff }, 4);
        assert_string(hex, "000fa9ff");
        text_write_hex(hex, NULL, 0);
        assert_string(hex, "");
}

Test(text, a_character_ends_with_the_bytes_that_there_are) {
        cr_expect(eq(sz, text_utf8_length("a", 1), 1));
        cr_expect(eq(sz, text_utf8_length("\xc3\xa4", 2), 2));
        cr_expect(eq(sz, text_utf8_length("\xc3\xa4", 1), 0));
        cr_expect(eq(sz, text_utf8_length("\xf0\x9f\x98\x80", 4), 4));
        cr_expect(eq(sz, text_utf8_length("\xf0\x9f\x98\x80", 3), 0));
        cr_expect(eq(sz, text_utf8_length("a", 0), 0));
}
