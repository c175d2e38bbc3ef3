/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reader of JSON (RFC 8259)
 *
 * All that takes long in one token is done a piece at a time: the characters
 * of a string, blanks, and forgetting the keys of an object that ends. The
 * hashes of keys are seeded with an address, which the author of a text does
 * not know: chosen keys would else make a list of the table.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/json.h"
#include "basic/macro.h"

void json_reader_begin(JsonReader *reader, const char *text, size_t n) {
        assert(reader && (text || n == 0));

        reader->text = text;
        reader->n = n;
        reader->at = reader->stop = 0;
        reader->budget = SIZE_MAX;
        reader->seed = HASH_BEGIN ^ (uint64_t) (uintptr_t) reader * UINT64_C(0x9E3779B97F4A7C15);
        reader->is_in_string = reader->is_before_colon = reader->is_after_comma = false;
        reader->depth = 0;
        reader->n_objects = 0;
        reader->is_after_key = reader->is_done = false;
        reader->string.n = reader->keys.n = 0;
        reader->string.error = reader->keys.error = 0;
        reader->key_places.n = 0;
        /* Empty, unless the last text ended in an error. */
        if (reader->by_key.n > 0)
                index_table_deinit(&reader->by_key);
        reader->problem = NULL;
}

void json_reader_deinit(JsonReader *reader) {
        text_deinit(&reader->string);
        text_deinit(&reader->keys);
        vector_deinit(&reader->key_places);
        index_table_deinit(&reader->by_key);
}

static int fail(JsonReader *reader, const char *problem) {
        reader->problem = problem;
        return -EBADMSG;
}

/* The byte at the reader's place; '\0' at the end, and for a byte that no JSON text has there. */
static char peek(const JsonReader *reader) {
        return reader->at < reader->n ? reader->text[reader->at] : '\0';
}

static bool is_paused(const JsonReader *reader) {
        return reader->at >= reader->stop && reader->at < reader->n;
}

static void skip_blanks(JsonReader *reader) {
        while (reader->at < reader->stop && memchr(" \t\r\n", reader->text[reader->at], 4))
                reader->at++;
}

/* — strings — */

/* Four hexadecimal digits. */
static int read_unit(JsonReader *reader, unsigned *ret_unit) {
        unsigned unit = 0;

        for (unsigned i = 0; i < 4; i++, reader->at++) {
                char c = peek(reader);

                if (c >= '0' && c <= '9')
                        unit = unit * 16 + (unsigned) (c - '0');
                else if ((c | 32) >= 'a' && (c | 32) <= 'f')
                        unit = unit * 16 + (unsigned) ((c | 32) - 'a' + 10);
                else
                        return fail(reader, "\\u is not followed by four hexadecimal digits");
        }
        *ret_unit = unit;
        return 0;
}

static void add_utf8(Text *text, unsigned code) {
        if (code < 0x80) {
                text_add_char(text, (char) code);
        } else if (code < 0x800) {
                text_add_char(text, (char) (0xC0 | code >> 6));
                text_add_char(text, (char) (0x80 | (code & 0x3F)));
        } else if (code < 0x10000) {
                text_add_char(text, (char) (0xE0 | code >> 12));
                text_add_char(text, (char) (0x80 | (code >> 6 & 0x3F)));
                text_add_char(text, (char) (0x80 | (code & 0x3F)));
        } else {
                text_add_char(text, (char) (0xF0 | code >> 18));
                text_add_char(text, (char) (0x80 | (code >> 12 & 0x3F)));
                text_add_char(text, (char) (0x80 | (code >> 6 & 0x3F)));
                text_add_char(text, (char) (0x80 | (code & 0x3F)));
        }
}

/* The rest of \uXXXX, which for a character beyond 16 bits is a pair. */
static int read_code(JsonReader *reader) {
        unsigned code, low;
        int r = read_unit(reader, &code);

        if (r < 0)
                return r;
        if (code >= 0xD800 && code < 0xDC00) {
                if (reader->n - reader->at < 2 || memcmp(reader->text + reader->at, "\\u", 2) != 0)
                        return fail(reader, "half of a surrogate pair stands alone");
                reader->at += 2;
                r = read_unit(reader, &low);
                if (r < 0)
                        return r;
                if (low < 0xDC00 || low >= 0xE000)
                        return fail(reader, "half of a surrogate pair stands alone");
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xDC00 && code < 0xE000)
                return fail(reader, "half of a surrogate pair stands alone");
        add_utf8(&reader->string, code);
        return 0;
}

static int read_escape(JsonReader *reader) {
        static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
        char c = peek(reader);
        const char *found = c ? strchr(letters, c) : NULL;

        if (c == 'u') {
                reader->at++;
                return read_code(reader);
        }
        if (!found)
                return fail(reader, "a backslash is followed by none of \" \\ / b f n r t u");
        text_add_char(&reader->string, meanings[found - letters]);
        reader->at++;
        return 0;
}

/* Skips plain bytes: to a quote, a backslash, a control character, or the end of the call's share; or -EBADMSG. */
static int read_plain(JsonReader *reader) {
        size_t begin = reader->at, n = 1;

        while (reader->at < reader->stop && n > 0) {
                unsigned char c = (unsigned char) reader->text[reader->at];

                if (c < ' ' || c == '"' || c == '\\')
                        break;
                n = c < 0x80 ? 1 : text_utf8_length(reader->text + reader->at, reader->n - reader->at);
                reader->at += n;
        }
        text_add_n(&reader->string, reader->text + begin, reader->at - begin);
        return n > 0 ? 0 : fail(reader, "a string is not valid UTF-8");
}

/* 0 at the end of the string, JSON_STEP_PAUSED, or an error. */
static int read_string(JsonReader *reader) {
        for (;;) {
                int r = read_plain(reader);

                if (r < 0 || is_paused(reader))
                        return r < 0 ? r : JSON_STEP_PAUSED;
                if (reader->at == reader->n) {
                        reader->at = reader->string_at;
                        return fail(reader, "a string has no closing quote");
                }
                if (reader->text[reader->at] == '"')
                        break;
                if (reader->text[reader->at] != '\\')
                        return fail(reader, "a control character stands in a string (write \\n, \\t or \\u00XX)");
                reader->at++;
                r = read_escape(reader);
                if (r < 0)
                        return r;
        }
        reader->at++;
        reader->is_in_string = false;
        return reader->string.error;
}

static void begin_string(JsonReader *reader, JsonKind kind) {
        reader->string_kind = kind;
        reader->string_at = reader->at++;
        reader->is_in_string = true;
        reader->string.n = 0;
        text_add(&reader->string, "");
}

/* — numbers and words — */

static size_t count_digits(const JsonReader *reader, size_t at) {
        size_t n = 0;

        /* A number that is too long is refused, however long it is. */
        while (n <= JSON_NUMBER_MAX && at + n < reader->n && reader->text[at + n] >= '0' && reader->text[at + n] <= '9')
                n++;
        return n;
}

/* The whole number of the digits: false if it has more than 64 bits. */
static bool read_magnitude(const char *digits, size_t n, uint64_t *ret_magnitude) {
        uint64_t sum = 0;

        for (size_t i = 0; i < n; i++)
                if (__builtin_mul_overflow(sum, 10, &sum) ||
                    __builtin_add_overflow(sum, (uint64_t) (digits[i] - '0'), &sum))
                        return false;
        *ret_magnitude = sum;
        return true;
}

/* A '.' or 'e' and the digits behind it: their length, 0 if there are none, or -EBADMSG. */
static int skip_part(JsonReader *reader, size_t *at, bool is_exponent) {
        size_t begin = *at, n;

        if (begin >= reader->n || (is_exponent ? (reader->text[begin] | 32) != 'e' : reader->text[begin] != '.'))
                return 0;
        begin++;
        if (is_exponent && begin < reader->n && (reader->text[begin] == '+' || reader->text[begin] == '-'))
                begin++;
        n = count_digits(reader, begin);
        if (n == 0)
                return fail(reader, "a number lacks digits");
        *at = begin + n;
        return 1;
}

static int read_number(JsonReader *reader, JsonToken *token) {
        size_t begin = reader->at, at = begin + (peek(reader) == '-'), n = count_digits(reader, at), digits = at;
        int r, has_part;

        if (n == 0)
                return fail(reader, "a number lacks digits");
        if (n > 1 && reader->text[at] == '0')
                return fail(reader, "a number begins with 0");
        at += n;
        has_part = skip_part(reader, &at, false);
        r = has_part < 0 ? has_part : skip_part(reader, &at, true);
        if (r < 0)
                return r;
        if (at - begin > JSON_NUMBER_MAX)
                return fail(reader, "a number has more than 1000 characters");
        token->is_integer = r == 0 && has_part == 0;
        token->is_negative = digits > begin;
        if (token->is_integer && (!read_magnitude(reader->text + digits, n, &token->magnitude) ||
                                  (token->is_negative && token->magnitude > UINT64_C(1) << 63)))
                return fail(reader, "a whole number has more than 64 bits");
        reader->string.n = 0;
        text_add_n(&reader->string, reader->text + begin, at - begin);
        reader->at = at;
        token->kind = JSON_TOKEN_NUMBER;
        return reader->string.error;
}

static int read_word(JsonReader *reader, JsonToken *token) {
        static const char *const words[] = {
                [JSON_TOKEN_NULL] = "null", [JSON_TOKEN_FALSE] = "false", [JSON_TOKEN_TRUE] = "true",
        };

        for (JsonKind kind = JSON_TOKEN_NULL; kind <= JSON_TOKEN_TRUE; kind++) {
                size_t n = strlen(words[kind]);

                if (reader->n - reader->at < n || memcmp(reader->text + reader->at, words[kind], n) != 0)
                        continue;
                reader->at += n;
                token->kind = kind;
                return 0;
        }
        return fail(reader, "there is no value: a string stands in double quotes");
}

/* — objects and arrays — */

static int open_level(JsonReader *reader, bool is_object) {
        if (reader->depth == JSON_DEPTH_MAX)
                return fail(reader, "values are nested more than 64 deep");
        reader->levels[reader->depth++] = (JsonLevel) {
                .is_object = is_object, .number = reader->n_objects++, .n_keys = reader->key_places.n,
        };
        reader->at++;
        return 0;
}

/* 0 or JSON_STEP_PAUSED: the keys of a large object are many. */
static int close_level(JsonReader *reader) {
        const JsonLevel *level = &reader->levels[reader->depth - 1];

        for (; reader->key_places.n > level->n_keys; reader->budget--) {
                JsonKeyPlace place;

                if (reader->budget == 0)
                        return JSON_STEP_PAUSED;
                place = vector_pop(&reader->key_places);
                (void) index_table_remove(&reader->by_key, place.hash, (uint32_t) reader->key_places.n);
                reader->keys.n = place.at;
        }
        reader->depth--;
        reader->at++;
        return 0;
}

/* Remembers the key in reader->string, unless its object has it. */
static int add_key(JsonReader *reader, uint32_t object) {
        JsonKeyPlace place = { .at = reader->keys.n, .n = reader->string.n, .object = object };
        uint64_t hash = reader->seed + object;
        size_t probe = 0;
        uint32_t other;
        int r;

        for (size_t i = 0; i < place.n; i++)
                hash = hash_add_byte(hash, reader->string.string[i]);
        place.hash = (uint32_t) (hash ^ hash >> 32);
        while (index_table_next(&reader->by_key, place.hash, &probe, &other)) {
                const JsonKeyPlace *found = &reader->key_places.items[other];

                if (found->object == object && found->n == place.n &&
                    memcmp(reader->keys.string + found->at, reader->string.string, place.n) == 0)
                        return fail(reader, "the object has this key twice");
        }
        text_add_n(&reader->keys, reader->string.string, place.n);
        r = reader->keys.error;
        if (r == 0)
                r = index_table_reserve(&reader->by_key, 1);
        if (r == 0)
                r = vector_push(&reader->key_places, place);
        return r < 0 ? r : index_table_put(&reader->by_key, place.hash, (uint32_t) (reader->key_places.n - 1));
}

static int read_colon(JsonReader *reader, JsonToken *token) {
        skip_blanks(reader);
        if (is_paused(reader))
                return JSON_STEP_PAUSED;
        if (peek(reader) != ':')
                return fail(reader, "a ':' is missing behind the key");
        reader->at++;
        reader->is_before_colon = false;
        reader->is_after_key = true;
        token->kind = JSON_TOKEN_KEY;
        token->at = reader->string_at;
        return 0;
}

/* The rest of a string or key. */
static int finish_string(JsonReader *reader, JsonToken *token) {
        int r = read_string(reader);

        if (r != 0)
                return r;
        token->kind = reader->string_kind;
        token->at = reader->string_at;
        if (token->kind == JSON_TOKEN_STRING)
                return 0;
        r = add_key(reader, reader->levels[reader->depth - 1].number);
        if (r < 0) {
                reader->at = reader->string_at;
                return r;
        }
        reader->is_before_colon = true;
        return read_colon(reader, token);
}

static int read_key(JsonReader *reader, JsonToken *token) {
        if (peek(reader) != '"')
                return fail(reader, "a key in double quotes is missing");
        begin_string(reader, JSON_TOKEN_KEY);
        return finish_string(reader, token);
}

static int read_value(JsonReader *reader, JsonToken *token) {
        char c = peek(reader);

        reader->is_after_key = false;
        if (c == '{' || c == '[') {
                token->kind = c == '{' ? JSON_TOKEN_OBJECT : JSON_TOKEN_ARRAY;
                return open_level(reader, c == '{');
        }
        if (c == '"') {
                begin_string(reader, JSON_TOKEN_STRING);
                return finish_string(reader, token);
        }
        return c == '-' || (c >= '0' && c <= '9') ? read_number(reader, token) : read_word(reader, token);
}

/* The next entry of the innermost object or array, or its end. */
static int read_entry(JsonReader *reader, JsonToken *token) {
        JsonLevel *level = &reader->levels[reader->depth - 1];
        char c = peek(reader);

        if (!reader->is_after_comma && c == (level->is_object ? '}' : ']')) {
                token->kind = level->is_object ? JSON_TOKEN_OBJECT_END : JSON_TOKEN_ARRAY_END;
                return close_level(reader);
        }
        if (level->has_entries && !reader->is_after_comma) {
                if (c != ',')
                        return fail(reader, level->is_object ? "a ',' or '}' is missing" : "a ',' or ']' is missing");
                reader->at++;
                reader->is_after_comma = true;
                skip_blanks(reader);
                if (is_paused(reader))
                        return JSON_STEP_PAUSED;
                token->at = reader->at;
        }
        reader->is_after_comma = false;
        level->has_entries = true;
        return level->is_object ? read_key(reader, token) : read_value(reader, token);
}

/* 0 with a token, JSON_STEP_PAUSED, or an error. */
static int read_token(JsonReader *reader, JsonToken *token) {
        if (reader->is_in_string)
                return finish_string(reader, token);
        if (reader->is_before_colon)
                return read_colon(reader, token);
        skip_blanks(reader);
        if (is_paused(reader))
                return JSON_STEP_PAUSED;
        token->at = reader->at;
        return reader->depth > 0 && !reader->is_after_key ? read_entry(reader, token) : read_value(reader, token);
}

static int read_end(JsonReader *reader) {
        skip_blanks(reader);
        if (is_paused(reader))
                return JSON_STEP_PAUSED;
        return reader->at == reader->n ? JSON_STEP_END : fail(reader, "there is more behind the value");
}

int json_reader_next(JsonReader *reader, JsonToken *ret_token) {
        size_t begin = reader->at;
        JsonToken token = {};
        int r;

        if (reader->budget == 0)
                return JSON_STEP_PAUSED;
        reader->stop = begin + MIN(reader->budget, reader->n - begin);
        r = reader->is_done ? read_end(reader) : read_token(reader, &token);
        if (r < 0)
                return r;
        reader->budget -= MIN(reader->budget, reader->at - begin);
        if (r > 0)
                return r;
        if (reader->is_done) {
                *ret_token = (JsonToken) { .at = reader->at };
                return JSON_STEP_END;
        }
        reader->is_done = reader->depth == 0;
        if (token.kind == JSON_TOKEN_NUMBER || token.kind == JSON_TOKEN_STRING || token.kind == JSON_TOKEN_KEY) {
                token.text = reader->string.string;
                token.n = reader->string.n;
        }
        *ret_token = token;
        return JSON_STEP_TOKEN;
}

int json_reader_check(JsonReader *reader) {
        JsonToken token;
        int r;

        do
                r = json_reader_next(reader, &token);
        while (r == JSON_STEP_TOKEN);
        return r;
}

int json_reader_explain(const JsonReader *reader, char **ret_problem) {
        unsigned line = 1;
        size_t begin = 0;

        assert(reader->problem);

        for (size_t i = 0; i < reader->at; i++)
                if (reader->text[i] == '\n') {
                        line++;
                        begin = i + 1;
                }
        return text_format(ret_problem, "line %u, column %zu: %s", line, reader->at - begin + 1, reader->problem);
}
