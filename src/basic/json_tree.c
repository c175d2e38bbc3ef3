/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of JSON in memory
 *
 * Strings, keys and numbers are copied one after another, each with a NUL
 * behind it. They fit into as many bytes as the text has and one more: a
 * string has two quotes there, and a number is followed by another character,
 * or is the whole text.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_tree.h"

#define NUMBER_SHORT 32                 /* characters of two numbers whose comparison costs no more than other ones */

/* — reading — */

int json_builder_begin(JsonBuilder *builder, const char *text, size_t n) {
        *builder = (JsonBuilder) {};
        if (n > JSON_TREE_MAX)
                return -E2BIG;
        builder->bytes = malloc(n + 1);
        if (!builder->bytes)
                return -ENOMEM;
        json_reader_begin(&builder->reader, text, n);
        return 0;
}

void json_builder_deinit(JsonBuilder *builder) {
        json_reader_deinit(&builder->reader);
        vector_deinit(&builder->values);
        free(builder->bytes);
        builder->bytes = NULL;
}

static const char *add_bytes(JsonBuilder *builder, const JsonToken *token) {
        char *copy = builder->bytes + builder->n_bytes;

        assert(token->n <= builder->reader.n - builder->n_bytes);

        memcpy(copy, token->text, token->n + 1);
        builder->n_bytes += token->n + 1;
        return copy;
}

static int add_value(JsonBuilder *builder, const JsonToken *token) {
        JsonValue value = { .kind = token->kind, .span = 1, .key = builder->key, .n_key = builder->n_key };
        int r;

        if (token->text) {
                value.text = add_bytes(builder, token);
                value.n = (uint32_t) token->n;
        }
        r = vector_push(&builder->values, value);
        if (r < 0)
                return r;
        builder->key = NULL;
        builder->n_key = 0;
        if (builder->depth > 0)
                builder->values.items[builder->open[builder->depth - 1]].n++;
        if (token->kind == JSON_TOKEN_OBJECT || token->kind == JSON_TOKEN_ARRAY)
                builder->open[builder->depth++] = builder->values.n - 1;
        return 0;
}

static int add_token(JsonBuilder *builder, const JsonToken *token) {
        if (token->kind == JSON_TOKEN_KEY) {
                builder->key = add_bytes(builder, token);
                builder->n_key = (uint32_t) token->n;
                return 0;
        }
        if (token->kind == JSON_TOKEN_OBJECT_END || token->kind == JSON_TOKEN_ARRAY_END) {
                size_t at = builder->open[--builder->depth];

                builder->values.items[at].span = (uint32_t) (builder->values.n - at);
                return 0;
        }
        return add_value(builder, token);
}

/* Hands the tree over, with no more room than it needs. */
static void take_tree(JsonBuilder *builder, JsonTree *ret_tree) {
        JsonValue *values = realloc(builder->values.items, builder->values.n * sizeof(*values));

        *ret_tree = (JsonTree) { .values = values ?: builder->values.items, .bytes = take_ptr(builder->bytes) };
        builder->values.items = NULL;
        vector_deinit(&builder->values);
}

int json_builder_step(JsonBuilder *builder, size_t budget, JsonTree *ret_tree) {
        int r;

        builder->reader.budget = budget;
        for (;;) {
                JsonToken token;

                r = json_reader_next(&builder->reader, &token);
                if (r != JSON_STEP_TOKEN)
                        break;
                r = add_token(builder, &token);
                if (r < 0)
                        return r;
        }
        if (r == JSON_STEP_END)
                take_tree(builder, ret_tree);
        return r;
}

int json_tree_read(const char *text, size_t n, JsonTree *ret_tree, char **ret_problem) {
        cleanup_(json_builder_deinit) JsonBuilder builder;
        int r = json_builder_begin(&builder, text, n), k;

        if (r < 0)
                return r;
        r = json_builder_step(&builder, SIZE_MAX, ret_tree);
        if (r != -EBADMSG || !ret_problem)
                return r;
        k = json_reader_explain(&builder.reader, ret_problem);
        return k < 0 ? k : r;
}

void json_tree_deinit(JsonTree *tree) {
        free(tree->values);
        free(tree->bytes);
        *tree = (JsonTree) {};
}

/* — looking up — */

static bool spend(size_t *budget, size_t n) {
        *budget -= MIN(*budget, n);
        return *budget > 0;
}

/* The entry with that key: entries are looked at in order. */
static const JsonValue *find_entry(const JsonValue *object, const char *key, size_t n, size_t *budget) {
        const JsonValue *entry = json_value_first(object);

        for (uint32_t i = 0; i < object->n && spend(budget, 1); i++, entry = json_value_next(entry))
                if (entry->n_key == n && memcmp(entry->key, key, n) == 0)
                        return entry;
        return NULL;
}

/* A decimal number without leading zeros, below @limit. */
static bool read_index(const char *digits, size_t n, uint32_t limit, uint32_t *ret_index) {
        uint64_t index = 0;

        if (n == 0 || n > 10 || (n > 1 && digits[0] == '0'))
                return false;
        for (size_t i = 0; i < n; i++) {
                if (digits[i] < '0' || digits[i] > '9')
                        return false;
                index = index * 10 + (uint64_t) (digits[i] - '0');
        }
        *ret_index = (uint32_t) index;
        return index < limit;
}

static const JsonValue *find_item(const JsonValue *array, const char *digits, size_t n, size_t *budget) {
        const JsonValue *item = json_value_first(array);
        uint32_t index;

        if (!read_index(digits, n, array->n, &index))
                return NULL;
        for (; index > 0 && spend(budget, 1); index--)
                item = json_value_next(item);
        return index == 0 ? item : NULL;
}

const JsonValue *json_value_find(const JsonValue *value, const char *path, size_t *budget) {
        while (value && *path) {
                size_t n = strcspn(path, ".");

                if (value->kind == JSON_TOKEN_OBJECT)
                        value = find_entry(value, path, n, budget);
                else if (value->kind == JSON_TOKEN_ARRAY)
                        value = find_item(value, path, n, budget);
                else
                        value = NULL;
                path += n + (path[n] == '.');
        }
        return value;
}

/* — comparing — */

/* A whole number as its digits; false for another one. */
static bool read_integer(const JsonValue *number, bool *ret_is_negative, uint64_t *ret_magnitude) {
        const char *digits = number->text + (number->text[0] == '-');
        uint64_t magnitude = 0;

        for (; *digits >= '0' && *digits <= '9'; digits++)
                magnitude = magnitude * 10 + (uint64_t) (*digits - '0');
        *ret_magnitude = magnitude;
        *ret_is_negative = number->text[0] == '-' && magnitude > 0;
        return *digits == '\0';
}

/* A magnitude and one with a fraction: exactly, for a double has not all whole numbers of 64 bits. */
static int compare_magnitude(uint64_t a, double b) {
        uint64_t whole;

        if (b >= 0x1p64)
                return -1;
        whole = (uint64_t) b;
        if (a != whole)
                return a < whole ? -1 : 1;
        return b > (double) whole ? -1 : 0;
}

static int compare_mixed(bool is_negative, uint64_t magnitude, double real) {
        if (real < 0)
                return is_negative ? -compare_magnitude(magnitude, -real) : 1;
        return is_negative ? -1 : compare_magnitude(magnitude, real);
}

static int compare_numbers(const JsonValue *a, const JsonValue *b) {
        bool a_is_negative, b_is_negative;
        uint64_t a_magnitude, b_magnitude;
        bool a_is_whole = read_integer(a, &a_is_negative, &a_magnitude);
        bool b_is_whole = read_integer(b, &b_is_negative, &b_magnitude);
        double x, y;

        if (a_is_whole && b_is_whole) {
                if (a_is_negative != b_is_negative)
                        return a_is_negative ? -1 : 1;
                if (a_magnitude == b_magnitude)
                        return 0;
                return (a_magnitude < b_magnitude) != a_is_negative ? -1 : 1;
        }
        if (a_is_whole)
                return compare_mixed(a_is_negative, a_magnitude, strtod(b->text, NULL));
        if (b_is_whole)
                return -compare_mixed(b_is_negative, b_magnitude, strtod(a->text, NULL));
        x = strtod(a->text, NULL);
        y = strtod(b->text, NULL);
        return (x > y) - (x < y);
}

int json_value_compare(const JsonValue *a, const JsonValue *b) {
        int r;

        assert(a->kind == b->kind && (a->kind == JSON_TOKEN_NUMBER || a->kind == JSON_TOKEN_STRING));

        if (a->kind == JSON_TOKEN_NUMBER)
                return compare_numbers(a, b);
        r = memcmp(a->text, b->text, MIN(a->n, b->n));
        return r != 0 ? (r > 0) - (r < 0) : (a->n > b->n) - (a->n < b->n);
}

static bool arrays_are_equal(const JsonValue *a, const JsonValue *b, size_t *budget) {
        const JsonValue *x = json_value_first(a), *y = json_value_first(b);

        for (uint32_t i = 0; i < a->n; i++, x = json_value_next(x), y = json_value_next(y))
                if (!json_value_equal(x, y, budget))
                        return false;
        return true;
}

/* Keys that are in the same order in both, as they mostly are, are not searched. */
static bool objects_are_equal(const JsonValue *a, const JsonValue *b, size_t *budget) {
        const JsonValue *x = json_value_first(a), *y = json_value_first(b);

        for (uint32_t i = 0; i < a->n; i++, x = json_value_next(x), y = json_value_next(y)) {
                const JsonValue *other = y;

                if (x->n_key != y->n_key || memcmp(x->key, y->key, x->n_key) != 0)
                        other = find_entry(b, x->key, x->n_key, budget);
                if (!other || !json_value_equal(x, other, budget))
                        return false;
        }
        return true;
}

/* Calls itself at most JSON_DEPTH_MAX deep. */
bool json_value_equal(const JsonValue *a, const JsonValue *b, size_t *budget) {
        if (!spend(budget, 1) || a->kind != b->kind)
                return false;
        if (a->kind == JSON_TOKEN_NUMBER)
                return spend(budget, (a->n + b->n) / NUMBER_SHORT) && compare_numbers(a, b) == 0;
        if (a->n != b->n)
                return false;
        if (a->kind == JSON_TOKEN_STRING)
                return memcmp(a->text, b->text, a->n) == 0;
        if (a->kind == JSON_TOKEN_ARRAY)
                return arrays_are_equal(a, b, budget);
        return a->kind != JSON_TOKEN_OBJECT || objects_are_equal(a, b, budget);
}
