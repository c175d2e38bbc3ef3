/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Values of a run, from one object of JSON
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "double/double_scope.h"

static const JsonValue *get(const JsonValue *object, const char *key) {
        const JsonValue *entry;

        if (!object || object->kind != JSON_TOKEN_OBJECT)
                return NULL;
        entry = json_value_first(object);
        for (uint32_t i = 0; i < object->n; i++, entry = json_value_next(entry))
                if (strcmp(entry->key, key) == 0)
                        return entry;
        return NULL;
}

static const JsonValue *find_value(const JsonValue *root, const RunReference *reference) {
        const JsonValue *node = reference->name ? get(get(root, "node"), reference->name) : NULL;

        switch (reference->kind) {
        case RUN_REFERENCE_PARAM:
                return get(get(root, "param"), reference->name);
        case RUN_REFERENCE_STATE:
                return get(node, "state");
        case RUN_REFERENCE_RESULT:
                return get(node, "result");
        case RUN_REFERENCE_CAUSE:
                return get(node, "cause");
        case RUN_REFERENCE_ITEM:
                return get(root, "item");
        case RUN_REFERENCE_RETRY:
                return get(root, "retry");
        case RUN_REFERENCE_TRIGGER:
                return get(get(root, "trigger"), reference->name);
        case RUN_REFERENCE_RUN_ID:
                return get(get(root, "run"), "id");
        case RUN_REFERENCE_RUN_NAME:
                return get(get(root, "run"), "name");
        case RUN_REFERENCE_ELEMENT:
                return get(get(root, "element"), reference->name);
        }
        return NULL;
}

/* Texts are given as values that the scope has made itself. */
static int find(const RunScope *scope, const RunReference *reference, JsonValue *made, const JsonValue **ret_value) {
        DoubleScope *self = container_of((RunScope *) (uintptr_t) scope, DoubleScope, scope);
        const JsonValue *value = find_value(self->tree.values, reference);

        self->n_finds++;
        if (self->has_no_memory)
                return -ENOMEM;
        if (!value)
                return 0;
        if (value->kind != JSON_TOKEN_STRING) {
                *ret_value = value;
                return 0;
        }
        if (strcmp(value->text, "TOO LARGE") == 0)
                return -EFBIG;
        *made = JSON_VALUE_STRING(value->text, value->n);
        *ret_value = made;
        return 0;
}

void double_scope_init(DoubleScope *scope, const char *json) {
        char *problem = NULL;

        *scope = (DoubleScope) { .scope.find = find };
        if (json_tree_read(json, strlen(json), &scope->tree, &problem) < 0) {
                fprintf(stderr, "%s: %s\n", json, problem);
                abort();
        }
}

void double_scope_deinit(DoubleScope *scope) {
        json_tree_deinit(&scope->tree);
}
