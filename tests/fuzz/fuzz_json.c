/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Texts of JSON, whole and in slices
 *
 * An input is the length of a slice, in one byte, and a text. In slices the tokens and problems are the same; a tree is
 * written, read and written again as the same text; what it has is found by its path.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/json_write.h"
#include "fuzz.h"

static int next(JsonReader *reader, size_t budget, JsonToken *token) {
        int r;

        do {
                if (reader->budget == 0)
                        reader->budget = budget;
                r = json_reader_next(reader, token);
        } while (r == JSON_STEP_PAUSED);
        return r;
}

/* All tokens with their places, and the problem, as a text. */
static char *trace(const char *json, size_t n, size_t budget) {
        JsonReader reader = {};
        JsonToken token;
        Text text = {};
        char *result;
        int r;

        json_reader_begin(&reader, json, n);
        reader.budget = budget;
        while ((r = next(&reader, budget, &token)) == JSON_STEP_TOKEN) {
                fuzz_check(token.at < reader.at && reader.at <= n);
                text_addf(&text, "%d at %zu: ", token.kind, token.at);
                if (!token.text)
                        continue;
                fuzz_check(token.text[token.n] == '\0');
                json_write_string(&text, token.text, token.n);
                if (token.is_integer)
                        text_addf(&text, " %d %" PRIu64, token.is_negative, token.magnitude);
        }
        fuzz_check(r == JSON_STEP_END || r == -EBADMSG);
        if (r == -EBADMSG) {
                char *problem;

                fuzz_check(reader.at <= n && json_reader_explain(&reader, &problem) == 0);
                text_addf(&text, "%s at %zu", problem, reader.at);
                free(problem);
        }
        json_reader_deinit(&reader);
        fuzz_check(text_finish(&text, &result) == 0);
        return result;
}

static char *write_tree(const JsonTree *tree) {
        Text text = {};
        char *result;

        json_write_value(&text, tree->values, SIZE_MAX);
        fuzz_check(text_finish(&text, &result) == 0);
        return result;
}

/* Entries are found by their keys and items by their indexes, where these can stand in a path. */
static void check_paths(const JsonValue *container) {
        const JsonValue *entry = json_value_first(container);

        for (uint32_t i = 0; i < container->n; i++, entry = json_value_next(entry)) {
                size_t unlimited = SIZE_MAX;
                char index[16];

                snprintf(index, sizeof(index), "%u", i);
                fuzz_check((entry->key != NULL) == (container->kind == JSON_TOKEN_OBJECT));
                if (!entry->key)
                        fuzz_check(json_value_find(container, index, &unlimited) == entry);
                else if (entry->n_key > 0 && !memchr(entry->key, '.', entry->n_key) &&
                         strlen(entry->key) == entry->n_key)
                        fuzz_check(json_value_find(container, entry->key, &unlimited) == entry);
        }
}

static void check_values(const JsonTree *tree) {
        const JsonValue *end = json_value_next(tree->values);

        for (const JsonValue *value = tree->values; value < end; value++) {
                fuzz_check(json_value_next(value) <= end);
                if (value->kind == JSON_TOKEN_OBJECT || value->kind == JSON_TOKEN_ARRAY)
                        check_paths(value);
                else
                        fuzz_check(value->span == 1);
                if (value->kind == JSON_TOKEN_NUMBER)
                        fuzz_check(json_value_compare(value, value) == 0);
        }
}

static void check_tree(JsonTree *tree) {
        char *first = write_tree(tree), *second, *problem = NULL;
        size_t unlimited = SIZE_MAX;
        JsonTree again;

        check_values(tree);
        fuzz_check(json_tree_read(first, strlen(first), &again, &problem) == 0);
        second = write_tree(&again);
        fuzz_check_string(first, second);
        fuzz_check(json_value_equal(tree->values, again.values, &unlimited));
        json_tree_deinit(&again);
        free(first);
        free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
        FuzzInput input = { bytes, bytes + n_bytes };
        size_t budget = 1 + fuzz_choose(&input, 256), n;
        char *json = fuzz_rest(&input, &n), *whole, *sliced;
        JsonBuilder builder;
        JsonTree tree;
        int r;

        whole = trace(json, n, SIZE_MAX);
        sliced = trace(json, n, budget);
        fuzz_check_string(whole, sliced);
        fuzz_check(json_builder_begin(&builder, json, n) == 0);
        do
                r = json_builder_step(&builder, budget, &tree);
        while (r == JSON_STEP_PAUSED);
        fuzz_check(r == JSON_STEP_END || r == -EBADMSG);
        json_builder_deinit(&builder);
        if (r == JSON_STEP_END) {
                check_tree(&tree);
                json_tree_deinit(&tree);
        }
        free(whole);
        free(sliced);
        free(json);
        return 0;
}
