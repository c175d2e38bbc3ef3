/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Values of JSON in memory
 *
 * A tree is one array: a value is followed by all that is in it, so the first
 * entry of an object or array stands right behind it, and its next sibling
 * .span values later. It takes 32 bytes a value and as many as the text has,
 * and keeps nothing of the text itself. Values do not change.
 *
 * A function that takes time in proportion to a tree has a budget: *budget is reduced by
 * one for each value that is looked at, more for long numbers, and the search
 * ends when it is 0.
 */

#include "basic/json.h"
#include "basic/macro.h"

#define JSON_TREE_MAX (64U * 1024U * 1024U)     /* bytes of the text */

typedef struct JsonValue {
        JsonKind kind : 4;              /* JSON_TOKEN_NULL, _FALSE, _TRUE, _NUMBER, _STRING, _OBJECT or _ARRAY */
        uint32_t n_key : 28;
        uint32_t n;                     /* bytes of .text, or entries */
        uint32_t span;                  /* values that this one consists of, with itself */
        const char *text;               /* a string, decoded; a number as it is written; with a NUL behind it */
        const char *key;                /* of an entry of an object; else NULL */
} JsonValue;

typedef struct JsonTree {
        JsonValue *values;              /* owned; the first one is the whole */
        char *bytes;                    /* owned */
} JsonTree;

/* A value that belongs to no tree and borrows its text; static and automatic ones are made this way. */
#define JSON_VALUE_OF(value_kind) ((JsonValue) { .kind = (value_kind), .span = 1 })
#define JSON_VALUE_STRING(string, length) \
        ((JsonValue) { .kind = JSON_TOKEN_STRING, .span = 1, .text = (string), .n = (uint32_t) (length) })
#define JSON_VALUE_NUMBER(string, length) \
        ((JsonValue) { .kind = JSON_TOKEN_NUMBER, .span = 1, .text = (string), .n = (uint32_t) (length) })

/* Reads a text in slices. It is borrowed and must stay until the end. */
typedef struct JsonBuilder {
        JsonReader reader;
        VECTOR(JsonValue) values;
        char *bytes;                    /* owned */
        size_t n_bytes;
        size_t open[JSON_DEPTH_MAX];    /* containers, as indexes of .values */
        unsigned depth;
        const char *key;                /* of the value that comes next; borrowed from .bytes */
        uint32_t n_key;
} JsonBuilder;

/* 0, -ENOMEM, or -E2BIG for a text of more than JSON_TREE_MAX bytes. Needs json_builder_deinit() in any case. */
int json_builder_begin(JsonBuilder *builder, const char *text, size_t n);
void json_builder_deinit(JsonBuilder *builder);

/*
 * Does so much as @budget allows, as JsonReader.budget: JSON_STEP_PAUSED; JSON_STEP_END with a tree that the caller
 * owns; -EBADMSG, which json_reader_explain(&builder->reader) puts in words; or -ENOMEM.
 */
int json_builder_step(JsonBuilder *builder, size_t budget, JsonTree *ret_tree);

/*
 * Reads a short text at once: 0; -EBADMSG with the reason in *ret_problem (NULL: nobody asks), which the caller owns
 * ("line 1, column 3: a number lacks digits"); -E2BIG, -ENOMEM.
 */
int json_tree_read(const char *text, size_t n, JsonTree *ret_tree, char **ret_problem);
void json_tree_deinit(JsonTree *tree);

/* Of an object or array with entries: the first one. Of an entry that is not the last one: the next one. */
static inline const JsonValue *json_value_first(const JsonValue *value) {
        return value + 1;
}
static inline const JsonValue *json_value_next(const JsonValue *value) {
        return value + value->span;
}

/*
 * The value at @path, such as "a.b.0": keys of objects and indexes of arrays, joined by '.'. An empty path is @value.
 * NULL if there is none, or if *budget has come to 0.
 */
const JsonValue *json_value_find(const JsonValue *value, const char *path, size_t *budget);

/*
 * Equal are numbers of the same value however they are written, strings of the same bytes, arrays item by item, and
 * objects with the same keys in any order. False, too, if *budget has come to 0.
 */
bool json_value_equal(const JsonValue *a, const JsonValue *b, size_t *budget);

/*
 * Compares two numbers, or two strings by their bytes: -1, 0 or 1. Whole numbers are exact, also beside one with a
 * fraction or an exponent, which is the double that is nearest.
 */
int json_value_compare(const JsonValue *a, const JsonValue *b);
