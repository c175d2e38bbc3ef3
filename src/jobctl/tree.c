/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Trees for people
 *
 * Printing keeps the path from the root in an array, so that deep trees need
 * no stack; services can nest control groups arbitrarily deep.
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/tree.h"
#include "jobctl/value.h"

void tree_deinit(Tree *tree) {
        for (size_t i = 0; i < tree->nodes.n; i++) {
                free(tree->nodes.items[i].label);
                free(tree->nodes.items[i].key);
        }
        vector_deinit(&tree->nodes);
}

size_t tree_add(Tree *tree, size_t parent, const char *key, TerminalColor color, const char *format, ...) {
        TreeNode node = { .key = key ? strdup(key) : NULL, .parent = parent, .color = color };
        va_list args;

        va_start(args, format);
        text_vformat(&node.label, format, args);
        va_end(args);
        if (!node.label || (key && !node.key) || vector_push(&tree->nodes, node) < 0) {
                free(node.label);
                free(node.key);
                tree->error = -ENOMEM;
                return parent;
        }
        return tree->nodes.n - 1;
}

/* Searches backwards: nodes that are looked up in a row are neighbours. */
size_t tree_find(Tree *tree, size_t parent, const char *key) {
        for (size_t i = tree->nodes.n; i-- > 0;)
                if (tree->nodes.items[i].parent == parent && text_equal(tree->nodes.items[i].key, key))
                        return i;
        return tree_add(tree, parent, key, COLOR_NONE, "%s", key);
}

/* — printing — */

/* The first child of @parent after @after (TREE_ROOT: from the beginning): leaves, then the others. */
static size_t next_child(const Tree *tree, size_t parent, size_t after) {
        bool is_leaf = after == TREE_ROOT || !tree->nodes.items[after].key;
        size_t from = after == TREE_ROOT ? 0 : after + 1;

        for (int pass = is_leaf ? 0 : 1; pass < 2; pass++) {
                for (size_t i = from; i < tree->nodes.n; i++)
                        if (tree->nodes.items[i].parent == parent && !tree->nodes.items[i].key == (pass == 0))
                                return i;
                from = parent == TREE_ROOT ? 0 : parent + 1;
        }
        return TREE_ROOT;
}

typedef struct TreeStep {
        size_t node, next;              /* the node being printed, and its next sibling */
} TreeStep;

typedef VECTOR(TreeStep) TreeSteps;

static int print_node(const Tree *tree, const Terminal *terminal, const TreeSteps *way, int indent, bool is_full) {
        const TreeNode *node = &tree->nodes.items[vector_last(way).node];
        size_t used = (size_t) indent + 2 * way->n, room = terminal->width > used ? terminal->width - used : 1;
        cleanup_free_ char *cut = NULL;

        printf("%*s", indent, "");
        for (size_t i = 0; i < way->n; i++) {
                bool is_last = way->items[i].next == TREE_ROOT;

                if (i + 1 == way->n)
                        fputs(terminal->has_utf8 ? (is_last ? "└─" : "├─") : is_last ? "`-" : "|-", stdout);
                else
                        fputs(is_last ? "  " : terminal->has_utf8 ? "│ " : "| ", stdout);
        }
        if (terminal->is_out_terminal && !is_full && terminal_text_cut(node->label, room, terminal->has_utf8, &cut) < 0)
                return -ENOMEM;
        terminal_print(terminal, node->color, cut ?: node->label);
        putchar('\n');
        return 0;
}

static int enter(const Tree *tree, TreeSteps *way, size_t parent, size_t after) {
        TreeStep step = { .node = next_child(tree, parent, after) };

        if (step.node == TREE_ROOT)
                return 0;
        step.next = next_child(tree, parent, step.node);
        return vector_push(way, step) < 0 ? -ENOMEM : 1;
}

int tree_print(const Tree *tree, const Terminal *terminal, int indent, bool is_full) {
        TreeSteps way = {};
        int r = tree->error < 0 ? tree->error : enter(tree, &way, TREE_ROOT, TREE_ROOT);

        while (r >= 0 && way.n > 0) {
                size_t parent, done;

                r = print_node(tree, terminal, &way, indent, is_full);
                if (r == 0)
                        r = enter(tree, &way, vector_last(&way).node, TREE_ROOT);
                while (r == 0 && way.n > 0) {
                        done = vector_pop(&way).node;
                        parent = tree->nodes.items[done].parent;
                        r = enter(tree, &way, parent, done);
                }
        }
        vector_deinit(&way);
        return r < 0 ? r : 0;
}

/* — processes — */

static int compare_processes(const void *a, const void *b) {
        const json_t *left = *(json_t *const *) a, *right = *(json_t *const *) b;
        int order = strcmp(value_item_string(left, 0), value_item_string(right, 0));
        uint64_t pid_left = value_item_u64(left, 1), pid_right = value_item_u64(right, 1);

        return order ? order : (pid_left > pid_right) - (pid_left < pid_right);
}

/* The part of the path below @base, without a leading slash. */
static const char *group_below(const char *group, const char *base) {
        size_t n = strcmp(base, "/") == 0 ? 0 : strlen(base);

        if (strncmp(group, base, n) == 0 && (group[n] == '/' || group[n] == '\0'))
                group += n;
        return group + strspn(group, "/");
}

static size_t find_group(Tree *tree, const char *group) {
        size_t node = TREE_ROOT;

        while (*group) {
                size_t n = strcspn(group, "/");
                cleanup_free_ char *name = strndup(group, n);

                if (!name) {
                        tree->error = -ENOMEM;
                        return node;
                }
                node = tree_find(tree, node, name);
                group += n + strspn(group + n, "/");
        }
        return node;
}

void tree_add_processes(Tree *tree, const json_t *processes, const char *base) {
        size_t n = json_array_size(processes);
        cleanup_free_ json_t **rows = calloc(n + 1, sizeof(*rows));
        int width = 1;

        if (!rows) {
                tree->error = -ENOMEM;
                return;
        }
        for (size_t i = 0; i < n; i++) {
                char digits[24];

                rows[i] = json_array_get(processes, i);
                width = MAX(width, snprintf(digits, sizeof(digits), "%" PRIu64, value_item_u64(rows[i], 1)));
        }
        qsort(rows, n, sizeof(*rows), compare_processes);
        for (size_t i = 0; i < n; i++)
                tree_add(tree, find_group(tree, group_below(value_item_string(rows[i], 0), base)), NULL, COLOR_GREY,
                         "%*" PRIu64 " %s", width, value_item_u64(rows[i], 1), value_item_string(rows[i], 2));
}
