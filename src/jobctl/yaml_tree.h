/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A document of YAML as a tree, for files that people write
 *
 * An alias is the node that it names, which then has several parents; what all of them would be if they were written
 * out is bounded. "<<" adds the keys of other maps. A map has each key once, and keys are text.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/index_table.h"
#include "basic/vector.h"

/* The nodes of a document with its aliases written out, how deep they may be, and anchors. */
#define YAML_NODES_MAX 100000U
#define YAML_DEPTH_MAX 32U
#define YAML_ANCHORS_MAX 1000U

typedef enum YamlKind {
        YAML_KIND_TEXT,
        YAML_KIND_LIST,
        YAML_KIND_MAP,
} YamlKind;

typedef struct YamlNode {
        YamlKind kind;
        bool is_plain; /* text without quotes, which may be a number, a boolean or null */
        bool is_complete;
        unsigned line, column; /* from 1 */
        uint32_t size; /* nodes that it stands for, with itself */
        char *text; /* owned; NULL: it is no text */
        VECTOR(uint32_t) items; /* of a list: nodes; of a map: pairs */
} YamlNode;

typedef struct YamlPair {
        uint32_t map, key, value; /* nodes */
        bool is_merged; /* of "<<": a key that is written takes its place */
} YamlPair;

typedef struct YamlTree {
        VECTOR(YamlNode) nodes;
        VECTOR(YamlPair) pairs;
        IndexTable by_key; /* of pairs */
        uint32_t root;
        char *problem; /* owned: after -EBADMSG, a sentence without its full stop … */
        unsigned line; /* … and its line */
} YamlTree;

void yaml_tree_deinit(YamlTree *tree);

/* Reads a text of one document into an empty tree: 0, -EBADMSG with the problem, or -ENOMEM. */
int yaml_tree_read(const char *text, size_t n, YamlTree *tree);

/* The value of a key; NULL if @map is NULL or no map, or has no such key, or if its value is null. */
const YamlNode *yaml_get(const YamlTree *tree, const YamlNode *map, const char *key);
/* The item of a list; the key and value of a map. */
const YamlNode *yaml_item(const YamlTree *tree, const YamlNode *list, size_t i);
const YamlNode *yaml_key(const YamlTree *tree, const YamlNode *map, size_t i);
const YamlNode *yaml_value(const YamlTree *tree, const YamlNode *map, size_t i);

bool yaml_is_null(const YamlNode *node);
/* 1, 0, or -EINVAL. */
int yaml_bool(const YamlNode *node);
