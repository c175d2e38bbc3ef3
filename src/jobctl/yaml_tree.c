/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * YAML, read by the events of libyaml
 *
 * libyaml has a loader of its own, which neither bounds what aliases stand
 * for nor knows "<<". Here nothing recurses: nodes that are not complete are
 * on a stack, and an alias of one of them is refused.
 */

#include <errno.h>
#include <string.h>
#include <yaml.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/yaml_tree.h"

#define NO_KEY UINT32_MAX

/* A list or map that is not complete. */
typedef struct YamlFrame {
        uint32_t node;
        uint32_t key; /* of the value that comes next; NO_KEY: a key comes next, or it is a list */
} YamlFrame;

typedef struct YamlAnchor {
        char *name; /* owned */
        uint32_t node;
} YamlAnchor;

typedef struct YamlReader {
        YamlTree *tree; /* borrowed */
        yaml_parser_t parser;
        VECTOR(YamlFrame) frames;
        VECTOR(YamlAnchor) anchors;
        bool has_document;
} YamlReader;

void yaml_tree_deinit(YamlTree *tree) {
        for (size_t i = 0; i < tree->nodes.n; i++) {
                free(tree->nodes.items[i].text);
                vector_deinit(&tree->nodes.items[i].items);
        }
        vector_deinit(&tree->nodes);
        vector_deinit(&tree->pairs);
        index_table_deinit(&tree->by_key);
        free(tree->problem);
}

static int fail(YamlTree *tree, unsigned line, unsigned column, const char *problem) {
        tree->line = line;
        return text_format(&tree->problem, "Column %u: %s", column, problem) < 0 ? -ENOMEM : -EBADMSG;
}

static int fail_at(YamlTree *tree, uint32_t node, const char *problem) {
        return fail(tree, tree->nodes.items[node].line, tree->nodes.items[node].column, problem);
}

/* — maps — */

static uint32_t hash_key(uint32_t map, const char *key) {
        return index_table_hash(key) ^ (map * UINT32_C(0x9e3779b9));
}

static YamlPair *find_pair(const YamlTree *tree, uint32_t map, const char *key) {
        const uint32_t hash = hash_key(map, key);
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&tree->by_key, hash, &probe, &at)) {
                YamlPair *pair = &tree->pairs.items[at];

                if (pair->map == map && strcmp(tree->nodes.items[pair->key].text, key) == 0)
                        return pair;
        }
        return NULL;
}

static int add_pair(YamlTree *tree, uint32_t map, uint32_t key, uint32_t value, bool is_merged) {
        const YamlPair pair = { .map = map, .key = key, .value = value, .is_merged = is_merged };
        const uint32_t at = (uint32_t) tree->pairs.n;
        int r = vector_push(&tree->pairs, pair);

        if (r == 0)
                r = vector_push(&tree->nodes.items[map].items, at);
        return r < 0 ? r : index_table_put(&tree->by_key, hash_key(map, tree->nodes.items[key].text), at);
}

/* Adds what @node stands for to the size of the list or map that it is put in. */
static int charge(YamlTree *tree, uint32_t container, uint32_t node) {
        YamlNode *to = &tree->nodes.items[container];

        to->size += tree->nodes.items[node].size;
        return to->size > YAML_NODES_MAX ? fail_at(tree, container, "the document has more than 100,000 values") : 0;
}

/* The keys of a map that @map does not have yet. */
static int merge_map(YamlTree *tree, uint32_t map, uint32_t from) {
        int r = charge(tree, map, from);

        for (size_t i = 0; r == 0 && i < tree->nodes.items[from].items.n; i++) {
                const YamlPair pair = tree->pairs.items[tree->nodes.items[from].items.items[i]];

                if (!find_pair(tree, map, tree->nodes.items[pair.key].text))
                        r = add_pair(tree, map, pair.key, pair.value, true);
        }
        return r;
}

static int merge(YamlTree *tree, uint32_t map, uint32_t from) {
        const YamlNode *node = &tree->nodes.items[from];
        int r = 0;

        if (node->kind == YAML_KIND_MAP)
                return merge_map(tree, map, from);
        if (node->kind != YAML_KIND_LIST)
                return fail_at(tree, from, "what '<<' adds is neither a map nor a list of maps");
        for (size_t i = 0; r == 0 && i < tree->nodes.items[from].items.n; i++) {
                const uint32_t item = tree->nodes.items[from].items.items[i];

                if (tree->nodes.items[item].kind != YAML_KIND_MAP)
                        return fail_at(tree, item, "what '<<' adds is not a map");
                r = merge_map(tree, map, item);
        }
        return r;
}

static int put_value(YamlTree *tree, uint32_t map, uint32_t key, uint32_t value) {
        const YamlNode *name = &tree->nodes.items[key];
        YamlPair *pair;

        if (name->is_plain && strcmp(name->text, "<<") == 0)
                return merge(tree, map, value);
        pair = find_pair(tree, map, name->text);
        if (!pair)
                return add_pair(tree, map, key, value, false);
        if (!pair->is_merged)
                return fail_at(tree, key, "the key is there twice");
        *pair = (YamlPair){ .map = map, .key = key, .value = value };
        return 0;
}

/* — events — */

/* A node that is complete, or an alias of one, becomes a part of what is on the stack. */
static int put(YamlReader *reader, uint32_t node) {
        YamlTree *tree = reader->tree;
        YamlFrame *frame;
        uint32_t key;
        int r;

        if (reader->frames.n == 0) {
                tree->root = node;
                return 0;
        }
        frame = &vector_last(&reader->frames);
        r = charge(tree, frame->node, node);
        if (r < 0)
                return r;
        if (tree->nodes.items[frame->node].kind == YAML_KIND_LIST)
                return vector_push(&tree->nodes.items[frame->node].items, node);
        if (frame->key == NO_KEY) {
                if (tree->nodes.items[node].kind != YAML_KIND_TEXT)
                        return fail_at(tree, node, "a key is not a text");
                frame->key = node;
                return 0;
        }
        key = frame->key;
        frame->key = NO_KEY;
        return put_value(tree, frame->node, key, node);
}

static int add_anchor(YamlReader *reader, const yaml_char_t *name, uint32_t node) {
        YamlAnchor anchor = { .node = node };

        if (!name)
                return 0;
        if (reader->anchors.n >= YAML_ANCHORS_MAX)
                return fail_at(reader->tree, node, "the document has more than 1,000 anchors");
        anchor.name = strdup((const char *) name);
        if (anchor.name && vector_push(&reader->anchors, anchor) == 0)
                return 0;
        free(anchor.name);
        return -ENOMEM;
}

static int add_node(YamlReader *reader, const yaml_event_t *event, YamlKind kind, const yaml_char_t *anchor,
                    uint32_t *ret_node) {
        const YamlNode node = {
                .kind = kind,
                .line = (unsigned) event->start_mark.line + 1,
                .column = (unsigned) event->start_mark.column + 1,
                .size = 1,
        };

        *ret_node = (uint32_t) reader->tree->nodes.n;
        if (reader->tree->nodes.n >= YAML_NODES_MAX)
                return fail(reader->tree, node.line, node.column, "the document has more than 100,000 values");
        if (vector_push(&reader->tree->nodes, node) < 0)
                return -ENOMEM;
        return add_anchor(reader, anchor, *ret_node);
}

static int read_text(YamlReader *reader, const yaml_event_t *event) {
        const char *text = (const char *) event->data.scalar.value;
        YamlNode *node;
        uint32_t at;
        int r = add_node(reader, event, YAML_KIND_TEXT, event->data.scalar.anchor, &at);

        if (r < 0)
                return r;
        node = &reader->tree->nodes.items[at];
        node->is_complete = true;
        node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        node->text = strndup(text, event->data.scalar.length);
        if (!node->text)
                return -ENOMEM;
        if (strlen(node->text) != event->data.scalar.length)
                return fail_at(reader->tree, at, "the text has a NUL");
        return put(reader, at);
}

static int read_alias(YamlReader *reader, const yaml_event_t *event) {
        const char *name = (const char *) event->data.alias.anchor;
        const unsigned line = (unsigned) event->start_mark.line + 1, column = (unsigned) event->start_mark.column + 1;

        /* The last one of that name. */
        for (size_t i = reader->anchors.n; i-- > 0;) {
                const uint32_t node = reader->anchors.items[i].node;

                if (strcmp(reader->anchors.items[i].name, name) != 0)
                        continue;
                if (!reader->tree->nodes.items[node].is_complete)
                        return fail(reader->tree, line, column, "the alias stands within what it names");
                return put(reader, node);
        }
        return fail(reader->tree, line, column, "there is no anchor for this alias");
}

static int begin(YamlReader *reader, const yaml_event_t *event, YamlKind kind, const yaml_char_t *anchor) {
        YamlFrame frame = { .key = NO_KEY };
        int r = add_node(reader, event, kind, anchor, &frame.node);

        if (r < 0)
                return r;
        if (reader->frames.n >= YAML_DEPTH_MAX)
                return fail_at(reader->tree, frame.node, "lists and maps are more than 32 deep");
        return vector_push(&reader->frames, frame);
}

static int end(YamlReader *reader) {
        const uint32_t node = vector_pop(&reader->frames).node;

        reader->tree->nodes.items[node].is_complete = true;
        return put(reader, node);
}

static int begin_document(YamlReader *reader, const yaml_event_t *event) {
        if (reader->has_document)
                return fail(reader->tree, (unsigned) event->start_mark.line + 1,
                            (unsigned) event->start_mark.column + 1,
                            "a second document begins; each one needs a file of its own");
        reader->has_document = true;
        return 0;
}

static int read_event(YamlReader *reader, const yaml_event_t *event) {
        switch (event->type) {
        case YAML_DOCUMENT_START_EVENT:
                return begin_document(reader, event);
        case YAML_ALIAS_EVENT:
                return read_alias(reader, event);
        case YAML_SCALAR_EVENT:
                return read_text(reader, event);
        case YAML_SEQUENCE_START_EVENT:
                return begin(reader, event, YAML_KIND_LIST, event->data.sequence_start.anchor);
        case YAML_MAPPING_START_EVENT:
                return begin(reader, event, YAML_KIND_MAP, event->data.mapping_start.anchor);
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
                return end(reader);
        case YAML_NO_EVENT:
        case YAML_STREAM_START_EVENT:
        case YAML_STREAM_END_EVENT:
        case YAML_DOCUMENT_END_EVENT:
                return 0;
        }
        return 0;
}

/* The error of libyaml, with its place. */
static int fail_syntax(YamlReader *reader, const char *text) {
        const yaml_parser_t *parser = &reader->parser;
        const char *problem = parser->problem ? parser->problem : "this is not YAML";
        unsigned line = (unsigned) parser->problem_mark.line + 1, column = (unsigned) parser->problem_mark.column + 1;
        cleanup_free_ char *whole = NULL;

        if (parser->error == YAML_MEMORY_ERROR)
                return -ENOMEM;
        if (parser->error == YAML_READER_ERROR) {
                line = column = 1;
                for (size_t i = 0; i < parser->problem_offset && text[i]; i++, column++)
                        if (text[i] == '\n') {
                                line++;
                                column = 0;
                        }
        }
        if (text_format(&whole, "%s%s%s", problem, parser->context ? " " : "", parser->context ? parser->context : "") <
            0)
                return -ENOMEM;
        return fail(reader->tree, line, column, whole);
}

int yaml_tree_read(const char *text, size_t n, YamlTree *tree) {
        YamlReader reader = { .tree = tree };
        bool is_over = false;
        int r = 0;

        if (!yaml_parser_initialize(&reader.parser))
                return -ENOMEM;
        yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&reader.parser, (const unsigned char *) text, n);
        while (r == 0 && !is_over) {
                yaml_event_t event;

                if (!yaml_parser_parse(&reader.parser, &event)) {
                        r = fail_syntax(&reader, text);
                        break;
                }
                r = read_event(&reader, &event);
                is_over = event.type == YAML_STREAM_END_EVENT;
                yaml_event_delete(&event);
        }
        if (r == 0 && tree->nodes.n == 0)
                r = fail(tree, 1, 1, "there is no document");
        for (size_t i = 0; i < reader.anchors.n; i++)
                free(reader.anchors.items[i].name);
        vector_deinit(&reader.anchors);
        vector_deinit(&reader.frames);
        yaml_parser_delete(&reader.parser);
        return r;
}

/* — what is read — */

bool yaml_is_null(const YamlNode *node) {
        static const char *const words[] = { "", "~", "null", "Null", "NULL" };

        for (size_t i = 0; node->kind == YAML_KIND_TEXT && node->is_plain && i < ELEMENTSOF(words); i++)
                if (strcmp(node->text, words[i]) == 0)
                        return true;
        return false;
}

int yaml_bool(const YamlNode *node) {
        static const char *const words[] = { "false", "true", "False", "True", "FALSE", "TRUE" };

        for (size_t i = 0; node->kind == YAML_KIND_TEXT && node->is_plain && i < ELEMENTSOF(words); i++)
                if (strcmp(node->text, words[i]) == 0)
                        return (int) i % 2;
        return -EINVAL;
}

const YamlNode *yaml_get(const YamlTree *tree, const YamlNode *map, const char *key) {
        const YamlPair *pair;

        if (!map || map->kind != YAML_KIND_MAP)
                return NULL;
        pair = find_pair(tree, (uint32_t) (map - tree->nodes.items), key);
        return pair && !yaml_is_null(&tree->nodes.items[pair->value]) ? &tree->nodes.items[pair->value] : NULL;
}

const YamlNode *yaml_item(const YamlTree *tree, const YamlNode *list, size_t i) {
        return &tree->nodes.items[list->items.items[i]];
}

const YamlNode *yaml_key(const YamlTree *tree, const YamlNode *map, size_t i) {
        return &tree->nodes.items[tree->pairs.items[map->items.items[i]].key];
}

const YamlNode *yaml_value(const YamlTree *tree, const YamlNode *map, size_t i) {
        return &tree->nodes.items[tree->pairs.items[map->items.items[i]].value];
}
