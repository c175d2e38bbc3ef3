/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * JSON, token by token: what a text reads as, and where and why it is none
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "basic/json.h"
#include "basic/macro.h"
#include "double/double_assert.h"

/* The next token, in steps of @budget; the reader must not do much more than that in one of them. */
static int next_in_slices(JsonReader *reader, size_t budget, JsonToken *ret_token) {
        size_t at;
        int r;

        do {
                if (reader->budget == 0)
                        reader->budget = budget;
                at = reader->at;
                r = json_reader_next(reader, ret_token);
                if (budget < SIZE_MAX && reader->at > at &&
                    (r != JSON_STEP_TOKEN || ret_token->kind > JSON_TOKEN_NUMBER))
                        cr_expect(le(sz, reader->at - at, budget + 12));
        } while (r == JSON_STEP_PAUSED);
        return r;
}

/* The tokens as words: "{ k:a 1 ] …", or "@OFFSET: problem" at the end. */
static char *tokens_in_slices(const char *json, size_t n, size_t budget) {
        static const char *const words[] = {
                [JSON_TOKEN_NULL] = "null", [JSON_TOKEN_FALSE] = "false", [JSON_TOKEN_TRUE] = "true",
                [JSON_TOKEN_OBJECT] = "{", [JSON_TOKEN_OBJECT_END] = "}", [JSON_TOKEN_ARRAY] = "[",
                [JSON_TOKEN_ARRAY_END] = "]",
        };
        JsonReader reader = {};
        Text text = {};
        JsonToken token;
        char *result;
        int r;

        json_reader_begin(&reader, json, n);
        reader.budget = budget;
        while ((r = next_in_slices(&reader, budget, &token)) > 0) {
                if (text.n > 0)
                        text_add_char(&text, ' ');
                if (token.kind == JSON_TOKEN_NUMBER && token.is_integer)
                        text_addf(&text, "%s%" PRIu64, token.is_negative ? "-" : "", token.magnitude);
                else if (token.kind == JSON_TOKEN_NUMBER)
                        text_addf(&text, "real:%s", token.text);
                else if (token.text)
                        text_addf(&text, "%s%.*s", token.kind == JSON_TOKEN_KEY ? "k:" : "", (int) token.n, token.text);
                else
                        text_add(&text, words[token.kind]);
        }
        if (r == -EBADMSG)
                text_addf(&text, "%s@%zu: %s", text.n > 0 ? " " : "", reader.at, reader.problem);
        else
                cr_assert(eq(int, r, 0));
        json_reader_deinit(&reader);
        cr_assert(eq(int, text_finish(&text, &result), 0));
        return result;
}

static char *tokens_of(const char *json, size_t n) {
        return tokens_in_slices(json, n, SIZE_MAX);
}

/* In slices of any length the tokens and problems are the same. */
static void assert_tokens(const char *json, const char *expected) {
        static const size_t budgets[] = { SIZE_MAX, 1, 2, 3, 7 };

        for (size_t i = 0; i < ELEMENTSOF(budgets); i++) {
                cleanup_free_ char *tokens = tokens_in_slices(json, strlen(json), budgets[i]);

                cr_expect(eq(str, tokens, (char *) expected), "%s in slices of %zu", json, budgets[i]);
        }
}

Test(json, values) {
        assert_tokens("null", "null");
        assert_tokens(" true\r\n", "true");
        assert_tokens("[]", "[ ]");
        assert_tokens("{}", "{ }");
        assert_tokens("{\"a\": [1, {\"a\":false}, \"x y\"], \"b\":null}", "{ k:a [ 1 { k:a false } x y ] k:b null }");
        assert_tokens("[[],[[]],{}]", "[ [ ] [ [ ] ] { } ]");
}

Test(json, numbers_are_exact) {
        assert_tokens("0", "0");
        assert_tokens("-0", "-0");
        assert_tokens("18446744073709551615", "18446744073709551615");
        assert_tokens("-9223372036854775808", "-9223372036854775808");
        assert_tokens("18446744073709551616", "@0: a whole number has more than 64 bits");
        assert_tokens("-9223372036854775809", "@0: a whole number has more than 64 bits");
        assert_tokens("1.50", "real:1.50");
        assert_tokens("-1e+9", "real:-1e+9");
        assert_tokens("100000000000000000000.5", "real:100000000000000000000.5");
        assert_tokens("01", "@0: a number begins with 0");
        assert_tokens("-", "@0: a number lacks digits");
        assert_tokens("1.", "@0: a number lacks digits");
        assert_tokens("1e", "@0: a number lacks digits");
        assert_tokens("+1", "@0: there is no value: a string stands in double quotes");
}

Test(json, strings) {
        assert_tokens("\"\\\"\\\\\\/\"", "\"\\/");
        assert_tokens("\"a\\tb\\n\"", "a\tb\n");
        assert_tokens("\"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\"", "Aä€😀");
        assert_tokens("\"ä\"", "ä");
        assert_tokens("\"\\ud83d\"", "@7: half of a surrogate pair stands alone");
        assert_tokens("\"\\ude00\"", "@7: half of a surrogate pair stands alone");
        assert_tokens("\"\\ud83d\\u0041\"", "@13: half of a surrogate pair stands alone");
        assert_tokens("\"\\u12g4\"", "@5: \\u is not followed by four hexadecimal digits");
        assert_tokens("\"\\x\"", "@2: a backslash is followed by none of \" \\ / b f n r t u");
        assert_tokens("\"a\tb\"", "@2: a control character stands in a string (write \\n, \\t or \\u00XX)");
        assert_tokens("\"abc", "@0: a string has no closing quote");
        assert_tokens("\"abc\\", "@5: a backslash is followed by none of \" \\ / b f n r t u");
}

Test(json, strings_are_utf8) {
        assert_tokens("\"\xc3\xa4\xf0\x9f\x98\x80\"", "ä😀");
        assert_tokens("\"ab\xff\"", "@3: a string is not valid UTF-8");
        assert_tokens("\"\xc3\"", "@1: a string is not valid UTF-8");
        assert_tokens("\"\xc3", "@1: a string is not valid UTF-8");
        assert_tokens("\"\xc0\x80\"", "@1: a string is not valid UTF-8");
        assert_tokens("\"\xed\xa0\x80\"", "@1: a string is not valid UTF-8");
        assert_tokens("\"\xf4\x90\x80\x80\"", "@1: a string is not valid UTF-8");
        assert_tokens("{\"a\xfe\":1}", "{ @3: a string is not valid UTF-8");
}

/* What costs time in one token is read in slices, too: text, blanks, the keys of an object that ends. */
Test(json, large_tokens_are_read_in_slices) {
        enum { N = 100000, BUDGET = 1000 };
        cleanup_free_ char *json = NULL;
        JsonReader reader = {};
        unsigned n_steps = 0;
        Text text = {};
        int r;

        text_addf(&text, "{\"a\" %*s : \"%0*d\"", N, "", N, 0);
        for (unsigned i = 0; i < N / 10; i++)
                text_addf(&text, ", \"%u\":1", i);
        text_add_char(&text, '}');
        cr_assert(eq(int, text_finish(&text, &json), 0));
        json_reader_begin(&reader, json, strlen(json));
        do {
                size_t at = reader.at, n_keys = reader.key_places.n;

                reader.budget = BUDGET;
                r = json_reader_check(&reader);
                cr_assert(le(sz, reader.at - at, BUDGET + 12));
                cr_assert(reader.key_places.n >= n_keys || n_keys - reader.key_places.n <= BUDGET);
                n_steps++;
        } while (r == JSON_STEP_PAUSED);
        cr_assert(eq(int, r, JSON_STEP_END));
        cr_assert(ge(uint, n_steps, (unsigned) (strlen(json) + N / 10) / BUDGET));
        json_reader_deinit(&reader);
}

Test(json, a_text_is_one_value_or_the_place_is_told) {
        static const struct {
                const char *json, *problem;
        } cases[] = {
                { "{\"a\":[1,2]}", NULL },
                { "1\n", NULL },
                { "1\n2", "line 2, column 1: there is more behind the value" },
                { "{\"a\":1,\n \"b\" 2}", "line 2, column 6: a ':' is missing behind the key" },
                { "", "line 1, column 1: there is no value: a string stands in double quotes" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_free_ char *problem = NULL;
                JsonReader reader = {};
                int r;

                json_reader_begin(&reader, cases[i].json, strlen(cases[i].json));
                r = json_reader_check(&reader);
                cr_expect(eq(int, r, cases[i].problem ? -EBADMSG : JSON_STEP_END), "%s", cases[i].json);
                if (r == -EBADMSG) {
                        cr_assert(eq(int, json_reader_explain(&reader, &problem), 0));
                        assert_string(problem, cases[i].problem);
                }
                json_reader_deinit(&reader);
        }
}

Test(json, a_number_is_not_endless) {
        char json[JSON_NUMBER_MAX + 2] = "0.";
        cleanup_free_ char *good = NULL, *bad = NULL, *long_fraction = NULL;

        memset(json + 2, '1', sizeof(json) - 2);
        good = tokens_of(json, JSON_NUMBER_MAX);
        cr_assert(strncmp(good, "real:0.111", 10) == 0, "%s", good);
        bad = tokens_of(json, JSON_NUMBER_MAX + 1);
        assert_string(bad, "@0: a number has more than 1000 characters");
        memset(json, '1', sizeof(json));
        long_fraction = tokens_of(json, sizeof(json));
        assert_string(long_fraction, "@0: a number has more than 1000 characters");
}

Test(json, a_string_may_have_any_character) {
        JsonReader reader = {};
        JsonToken token;

        json_reader_begin(&reader, "\"a\\u0000b\"", 10);
        cr_assert(eq(int, json_reader_next(&reader, &token), 1));
        cr_assert(eq(sz, token.n, 3));
        cr_assert(memcmp(token.text, "a\0b", 4) == 0);
        json_reader_deinit(&reader);
}

Test(json, a_key_stands_once_in_an_object) {
        assert_tokens("{\"a\":1,\"a\":2}", "{ k:a 1 @7: the object has this key twice");
        assert_tokens("{\"a\":1,\"\\u0061\":2}", "{ k:a 1 @7: the object has this key twice");
        assert_tokens("[{\"a\":1},{\"a\":2}]", "[ { k:a 1 } { k:a 2 } ]");
        assert_tokens("{\"a\":{\"a\":{\"b\":1}},\"b\":2}", "{ k:a { k:a { k:b 1 } } k:b 2 }");
        assert_tokens("{\"a\":{\"b\":{}},\"a\":2}", "{ k:a { k:b { } } @14: the object has this key twice");
        assert_tokens("{\"\":1,\"\":2}", "{ k: 1 @6: the object has this key twice");
}

Test(json, what_is_missing_is_named) {
        assert_tokens("", "@0: there is no value: a string stands in double quotes");
        assert_tokens("{\"a\" 1}", "{ @5: a ':' is missing behind the key");
        assert_tokens("{\"a\":1 \"b\":2}", "{ k:a 1 @7: a ',' or '}' is missing");
        assert_tokens("[1 2]", "[ 1 @3: a ',' or ']' is missing");
        assert_tokens("[1", "[ 1 @2: a ',' or ']' is missing");
        assert_tokens("[1,]", "[ 1 @3: there is no value: a string stands in double quotes");
        assert_tokens("{\"a\":1,}", "{ k:a 1 @7: a key in double quotes is missing");
        assert_tokens("{a:1}", "{ @1: a key in double quotes is missing");
        assert_tokens("[}", "[ @1: there is no value: a string stands in double quotes");
        assert_tokens("1 2", "1 @2: there is more behind the value");
        assert_tokens("{}}", "{ } @2: there is more behind the value");
        assert_tokens("nul", "@0: there is no value: a string stands in double quotes");
}

Test(json, depth_is_limited) {
        char deep[200];
        cleanup_free_ char *good = NULL, *bad = NULL;

        memset(deep, '[', 64);
        memset(deep + 64, ']', 64);
        good = tokens_of(deep, 128);
        cr_expect(strchr(good, '@') == NULL, "%s", good);
        memset(deep, '[', 65);
        memset(deep + 65, ']', 65);
        bad = tokens_of(deep, 130);
        cr_expect(strstr(bad, "@64: values are nested more than 64 deep") != NULL, "%s", bad);
}

/* Many keys cost as much each as few. */
Test(json, an_object_may_have_many_keys, .timeout = 20) {
        JsonReader reader = {};
        cleanup_free_ char *json = NULL;
        Text text = {};
        JsonToken token;
        size_t n = 0;
        int r;

        for (unsigned i = 0; i < 200000; i++)
                text_addf(&text, "%s\"key%u\":%u", i == 0 ? "{" : ",", i, i);
        text_add(&text, "}");
        cr_assert(eq(int, text_finish(&text, &json), 0));
        json_reader_begin(&reader, json, strlen(json));
        while ((r = json_reader_next(&reader, &token)) > 0)
                n += token.kind == JSON_TOKEN_KEY;
        cr_assert(eq(int, r, 0));
        cr_assert(eq(sz, n, 200000));
        cr_assert(eq(sz, reader.by_key.n, 0), "the keys of an object go with it");
        json_reader_deinit(&reader);
}

Test(json, the_end_has_a_place) {
        JsonReader reader = {};
        JsonToken token;

        json_reader_begin(&reader, "1 \n ", 4);
        cr_assert(eq(int, json_reader_next(&reader, &token), JSON_STEP_TOKEN));
        cr_assert(eq(sz, token.at, 0));
        cr_assert(eq(int, json_reader_next(&reader, &token), JSON_STEP_END));
        cr_assert(eq(sz, token.at, 4));
        json_reader_deinit(&reader);
}

Test(json, a_reader_is_used_again_after_an_error) {
        JsonReader reader = {};
        JsonToken token;

        json_reader_begin(&reader, "{\"a\":", 5);
        while (json_reader_next(&reader, &token) > 0)
                ;
        json_reader_begin(&reader, "{\"a\":1}", 7);
        cr_assert(eq(int, json_reader_next(&reader, &token), 1));
        cr_assert(eq(int, json_reader_next(&reader, &token), 1));
        assert_string(token.text, "a");
        json_reader_deinit(&reader);
}
