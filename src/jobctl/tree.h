/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Trees for people
 *
 * Nodes are added below others and printed with branches, in the order in
 * which they were added, but leaves first.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "basic/vector.h"
#include "jobctl/terminal.h"

#define TREE_ROOT ((size_t) -1)

typedef struct TreeNode {
        char *label;                    /* owned */
        char *key;                      /* owned; the key for tree_find(); NULL: a leaf */
        size_t parent;                  /* index; TREE_ROOT for top-level nodes */
        TerminalColor color;
} TreeNode;

typedef struct Tree {
        VECTOR(TreeNode) nodes;
        int error;                      /* the first failed allocation */
} Tree;

void tree_deinit(Tree *tree);

/* Returns the index of the new node. @key may be NULL. */
size_t tree_add(Tree *tree, size_t parent, const char *key, TerminalColor color, const char *format, ...)
        __attribute__((format(printf, 5, 6)));

/* The node with that key directly below @parent; added, with the key as its label, if it is missing. */
size_t tree_find(Tree *tree, size_t parent, const char *key);

/* Prints the tree, @indent columns from the left: leaves first. 0 or -ENOMEM. */
int tree_print(const Tree *tree, const Terminal *terminal, int indent, bool is_full);

/* Adds processes, a(sus) group, pid, command line, below nodes for their groups, whose names are relative to @base. */
void tree_add_processes(Tree *tree, const json_t *processes, const char *base);
