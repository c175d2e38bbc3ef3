/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON, written
 */

#include <string.h>

#include "basic/json_write.h"

static void write_escape(Text *text, char c) {
        static const char characters[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
        const char *found = c ? strchr(characters, c) : NULL;

        if (found) {
                text_add_char(text, '\\');
                text_add_char(text, letters[found - characters]);
        } else
                text_addf(text, "\\u%04x", (unsigned char) c);
}

void json_write_string(Text *text, const char *bytes, size_t n) {
        size_t written = 0;

        text_add_char(text, '"');
        for (size_t i = 0; i < n; i++) {
                if ((unsigned char) bytes[i] >= ' ' && bytes[i] != '"' && bytes[i] != '\\')
                        continue;
                text_add_n(text, bytes + written, i - written);
                write_escape(text, bytes[i]);
                written = i + 1;
        }
        text_add_n(text, bytes + written, n - written);
        text_add_char(text, '"');
}

/* A value, or the beginning of an object or array. */
static void write_begin(Text *text, const JsonValue *value) {
        switch (value->kind) {
        case JSON_TOKEN_NULL:
                text_add(text, "null");
                break;
        case JSON_TOKEN_FALSE:
                text_add(text, "false");
                break;
        case JSON_TOKEN_TRUE:
                text_add(text, "true");
                break;
        case JSON_TOKEN_NUMBER:
                text_add_n(text, value->text, value->n);
                break;
        case JSON_TOKEN_STRING:
        case JSON_TOKEN_KEY:
                json_write_string(text, value->text, value->n);
                break;
        case JSON_TOKEN_OBJECT:
        case JSON_TOKEN_OBJECT_END:
                text_add_char(text, '{');
                break;
        case JSON_TOKEN_ARRAY:
        case JSON_TOKEN_ARRAY_END:
                text_add_char(text, '[');
                break;
        }
}

void json_write_value(Text *text, const JsonValue *value, size_t limit) {
        const JsonValue *open[JSON_DEPTH_MAX], *end = value + value->span;
        unsigned depth = 0;

        for (const JsonValue *v = value; v < end && text->n <= limit;) {
                if (depth > 0 && v != json_value_first(open[depth - 1]))
                        text_add_char(text, ',');
                if (depth > 0 && v->key) {
                        json_write_string(text, v->key, v->n_key);
                        text_add_char(text, ':');
                }
                write_begin(text, v);
                if (v->kind == JSON_TOKEN_OBJECT || v->kind == JSON_TOKEN_ARRAY)
                        open[depth++] = v;
                v++;
                while (depth > 0 && v == json_value_next(open[depth - 1]))
                        text_add_char(text, open[--depth]->kind == JSON_TOKEN_OBJECT ? '}' : ']');
        }
}
