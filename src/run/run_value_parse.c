/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Parsing expressions
 *
 * One function for each line of the grammar, which adds the steps of what it
 * has read. They call each other no deeper than parentheses and "not" are
 * nested, which is limited.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/text.h"
#include "run/run_value_private.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define NODE_NAME_MAX 255U

typedef struct Parser {
        const char *text;
        size_t at;
        RunExpression *expression;
        unsigned n_terms, depth;
        char **ret_problem;
} Parser;

#define refuse(parser, where, format, ...) \
        run_value_refuse((parser)->ret_problem, "At column %zu: " format ".", (where) + 1, ##__VA_ARGS__)

static void skip_blanks(Parser *parser) {
        parser->at += strspn(parser->text + parser->at, " \t\r\n");
}

static size_t name_length(const Parser *parser) {
        return strspn(parser->text + parser->at, NAME_CHARACTERS);
}

/* Whether the next word, all of it, is this one. */
static bool is_word(const Parser *parser, const char *word) {
        size_t n = name_length(parser);

        return n == strlen(word) && memcmp(parser->text + parser->at, word, n) == 0;
}

static bool take_word(Parser *parser, const char *word) {
        if (!is_word(parser, word))
                return false;
        parser->at += strlen(word);
        return true;
}

static bool take_char(Parser *parser, char c) {
        if (parser->text[parser->at] != c)
                return false;
        parser->at++;
        return true;
}

/* — references — */

static int copy_part(const char *from, size_t n, char **ret_copy) {
        *ret_copy = strndup(from, n);
        return *ret_copy ? 0 : -ENOMEM;
}

/* ".name": the name. */
static int parse_segment(Parser *parser, const char **ret_name, size_t *ret_n) {
        if (!take_char(parser, '.'))
                return refuse(parser, parser->at, "a '.' and a name are missing");
        *ret_n = name_length(parser);
        *ret_name = parser->text + parser->at;
        if (*ret_n == 0)
                return refuse(parser, parser->at, "a name of letters, digits, '_' and '-' is missing behind the '.'");
        parser->at += *ret_n;
        return 0;
}

static int parse_path(Parser *parser, RunReference *reference) {
        size_t begin = parser->at, n;
        const char *name;

        while (parser->text[parser->at] == '.') {
                int r = parse_segment(parser, &name, &n);

                if (r < 0)
                        return r;
        }
        begin += parser->at > begin;
        return copy_part(parser->text + begin, parser->at - begin, &reference->path);
}

static int parse_field(Parser *parser, RunReference *reference) {
        const char *name;
        size_t n;
        int r = parse_segment(parser, &name, &n);

        return r < 0 ? r : copy_part(name, n, &reference->name);
}

/* One of several names. */
static int parse_choice(Parser *parser, const char *of, const char *const *names, size_t n_names,
                        unsigned *ret_choice) {
        size_t begin = parser->at + 1, n;
        const char *name;
        int r = parse_segment(parser, &name, &n);

        if (r < 0)
                return r;
        for (unsigned i = 0; i < n_names; i++)
                if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0) {
                        *ret_choice = i;
                        return 0;
                }
        if (strcmp(of, "a node") != 0)
                return refuse(parser, begin, "%s has no '%.*s'", of, (int) n, name);
        return refuse(parser, begin,
                      "a node has 'state', 'result' and 'cause', and no '%.*s' (a node whose name has a '.' is written "
                      "node[\"a.b\"])", (int) n, name);
}

static int parse_no_path(Parser *parser, RunReference *reference) {
        if (parser->text[parser->at] == '.')
                return refuse(parser, parser->at, "a state, an id and a name have no parts");
        return copy_part("", 0, &reference->path);
}

static int parse_node(Parser *parser, RunReference *reference) {
        static const char *const fields[] = { "state", "result", "cause" };
        static const RunReferenceKind kinds[] = { RUN_REFERENCE_STATE, RUN_REFERENCE_RESULT, RUN_REFERENCE_CAUSE };
        unsigned choice;
        int r = parse_choice(parser, "a node", fields, ELEMENTSOF(fields), &choice);

        if (r < 0)
                return r;
        reference->kind = kinds[choice];
        return choice == 0 ? parse_no_path(parser, reference) : parse_path(parser, reference);
}

static int parse_run(Parser *parser, RunReference *reference) {
        static const char *const fields[] = { "id", "name" };
        unsigned choice;
        int r = parse_choice(parser, "a run", fields, ELEMENTSOF(fields), &choice);

        if (r < 0)
                return r;
        reference->kind = choice == 0 ? RUN_REFERENCE_RUN_ID : RUN_REFERENCE_RUN_NAME;
        return parse_no_path(parser, reference);
}

static int parse_retry(Parser *parser, RunReference *reference) {
        static const char *const fields[] = { "value" };
        unsigned choice;
        int r = parse_choice(parser, "a retry", fields, ELEMENTSOF(fields), &choice);

        reference->kind = RUN_REFERENCE_RETRY;
        return r < 0 ? r : parse_path(parser, reference);
}

/* ["name"].field */
static int parse_quoted_node(Parser *parser, RunReference *reference) {
        size_t begin = parser->at, n;
        const char *name;

        if (!take_char(parser, '[') || !take_char(parser, '"'))
                return refuse(parser, begin, "'node' is followed by a name in brackets and quotes: node[\"a.b\"]");
        name = parser->text + parser->at;
        n = strspn(name, NAME_CHARACTERS ".");
        parser->at += n;
        if (n == 0 || n > NODE_NAME_MAX || !take_char(parser, '"') || !take_char(parser, ']'))
                return refuse(parser, begin, "a name of a node has letters, digits, '_', '.' and '-', at most 255, and "
                              "stands in node[\"…\"]");
        reference->name = strndup(name, n);
        return reference->name ? parse_node(parser, reference) : -ENOMEM;
}

/* What an element of a stream has; a word that is followed by a '.' belongs to a node. True: it was taken. */
static bool take_element(Parser *parser, const char **ret_word) {
        static const char *const words[] = { "group", "sequence", "key" };

        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (is_word(parser, words[i]) && parser->text[parser->at + strlen(words[i])] != '.') {
                        parser->at += strlen(words[i]);
                        *ret_word = words[i];
                        return true;
                }
        return false;
}

static int parse_element(const char *word, RunReference *reference) {
        int r = copy_part(word, strlen(word), &reference->name);

        reference->kind = RUN_REFERENCE_ELEMENT;
        return r < 0 ? r : copy_part("", 0, &reference->path);
}

/* The word at the parser's place belongs to a node. */
static int parse_bare_node(Parser *parser, RunReference *reference) {
        size_t begin = parser->at, n = name_length(parser);

        if (n > NODE_NAME_MAX)
                return refuse(parser, begin, "a name of a node has at most 255 characters");
        parser->at += n;
        if (parser->text[parser->at] != '.')
                return refuse(parser, begin, "'%.*s' is no value: a string stands in double quotes, and a node is "
                              "followed by .state, .result or .cause", (int) n, parser->text + begin);
        reference->name = strndup(parser->text + begin, n);
        return reference->name ? parse_node(parser, reference) : -ENOMEM;
}

static int parse_fields_of(Parser *parser, RunReference *reference) {
        static const char *const words[] = { "and", "or", "not", "in", "true", "false", "null" };
        const char *word;
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (is_word(parser, words[i]))
                        return refuse(parser, parser->at, "'%s' stands where a value is expected", words[i]);
        if (take_word(parser, "node"))
                return parse_quoted_node(parser, reference);
        if (take_word(parser, "run"))
                return parse_run(parser, reference);
        if (take_word(parser, "retry"))
                return parse_retry(parser, reference);
        if (take_element(parser, &word))
                return parse_element(word, reference);
        if (take_word(parser, "item"))
                reference->kind = RUN_REFERENCE_ITEM;
        else if (take_word(parser, "param") || take_word(parser, "trigger")) {
                reference->kind = parser->text[parser->at - 1] == 'm' ? RUN_REFERENCE_PARAM : RUN_REFERENCE_TRIGGER;
                r = parse_field(parser, reference);
        } else
                return parse_bare_node(parser, reference);
        return r < 0 ? r : parse_path(parser, reference);
}

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int parse_reference(Parser *parser, RunReference *ret_reference) {
        cleanup_(run_reference_deinit) RunReference reference = { .column = (unsigned) parser->at + 1 };
        size_t begin = parser->at;
        int r;

        if (!is_letter(parser->text[begin]))
                return refuse(parser, begin, "a name is missing");
        r = parse_fields_of(parser, &reference);
        if (r == 0)
                r = copy_part(parser->text + begin, parser->at - begin, &reference.text);
        if (r < 0)
                return r;
        *ret_reference = reference;
        reference = (RunReference) {};
        return 0;
}

int run_reference_parse(const char *text, size_t *at, RunReference *ret_reference, char **ret_problem) {
        Parser parser = { .text = text, .at = *at, .ret_problem = ret_problem };
        int r = parse_reference(&parser, ret_reference);

        *at = parser.at;
        return r;
}

/* — literals — */

/* The end of the value of JSON at the parser's place. */
static int find_end(Parser *parser, JsonReader *reader, size_t *ret_end) {
        JsonToken token;
        int r;

        json_reader_begin(reader, parser->text + parser->at, strlen(parser->text + parser->at));
        do
                r = json_reader_next(reader, &token);
        while (r == JSON_STEP_TOKEN && !reader->is_done);
        if (r == -EBADMSG)
                return refuse(parser, parser->at + reader->at, "%s", reader->problem);
        *ret_end = parser->at + reader->at;
        return r < 0 ? r : 0;
}

static int read_literal(Parser *parser, JsonTree *ret_tree) {
        cleanup_(json_reader_deinit) JsonReader reader = {};
        size_t begin = parser->at;
        int r = find_end(parser, &reader, &parser->at);

        if (r < 0)
                return r;
        /* A number or a word has no end of its own. */
        if (!strchr("\"]}", parser->text[parser->at - 1]) &&
            (name_length(parser) > 0 || parser->text[parser->at] == '.'))
                return refuse(parser, begin, "this is no value (a node whose name begins with a digit is written "
                              "node[\"1st\"])");
        r = json_tree_read(parser->text + begin, parser->at - begin, ret_tree, parser->ret_problem);
        return r == -E2BIG ? refuse(parser, begin, "the value is too large") : r;
}

/* — steps — */

static int add_step(Parser *parser, RunStepKind kind, size_t operand, size_t at) {
        RunStep step = { .kind = kind, .operand = (unsigned) operand, .column = (unsigned) at + 1 };

        return vector_push(&parser->expression->steps, step);
}

static int parse_literal(Parser *parser) {
        RunExpression *expression = parser->expression;
        size_t begin = parser->at;
        JsonTree tree;
        int r = vector_reserve(&expression->literals, 1);

        if (r == 0)
                r = read_literal(parser, &tree);
        if (r < 0)
                return r;
        expression->literals.items[expression->literals.n++] = tree;
        return add_step(parser, RUN_STEP_LITERAL, expression->literals.n - 1, begin);
}

static int parse_variable(Parser *parser) {
        RunExpression *expression = parser->expression;
        size_t begin = parser->at;
        RunReference reference;
        int r = vector_reserve(&expression->references, 1);

        if (r == 0)
                r = parse_reference(parser, &reference);
        if (r < 0)
                return r;
        expression->references.items[expression->references.n++] = reference;
        return add_step(parser, RUN_STEP_REFERENCE, expression->references.n - 1, begin);
}

static int parse_expression(Parser *parser);

static int enter(Parser *parser) {
        if (parser->depth == RUN_NESTING_MAX)
                return refuse(parser, parser->at, "parentheses and 'not' are nested more than %u deep",
                              RUN_NESTING_MAX);
        parser->depth++;
        return 0;
}

static int parse_parenthesis(Parser *parser) {
        size_t begin = parser->at;
        int r = enter(parser);

        parser->at++;
        if (r == 0)
                r = parse_expression(parser);
        if (r < 0)
                return r;
        parser->depth--;
        return take_char(parser, ')') ? 0 : refuse(parser, parser->at, "the ')' for column %zu is missing", begin + 1);
}

static int parse_term(Parser *parser) {
        char c;

        skip_blanks(parser);
        c = parser->text[parser->at];
        if (c == '(')
                return parse_parenthesis(parser);
        if (c == '\0')
                return refuse(parser, parser->at, "a value is missing");
        if (c == '\'')
                return refuse(parser, parser->at, "a string stands in double quotes");
        if (++parser->n_terms > RUN_TERMS_MAX)
                return refuse(parser, parser->at, "an expression has at most %u values and references", RUN_TERMS_MAX);
        if (is_word(parser, "true") || is_word(parser, "false") || is_word(parser, "null") ||
            strchr("\"[{-0123456789", c))
                return parse_literal(parser);
        if (c == '!')
                return refuse(parser, parser->at, "'!' is written 'not'");
        return is_letter(c) ? parse_variable(parser) : refuse(parser, parser->at, "there is no value");
}

/* — operators — */

/* Of comparisons; a longer one before its beginning. */
static const struct {
        const char *word;
        RunStepKind kind;
} comparisons[] = {
        { "==", RUN_STEP_EQUAL }, { "!=", RUN_STEP_DIFFERENT }, { "<=", RUN_STEP_LESS_OR_EQUAL },
        { ">=", RUN_STEP_MORE_OR_EQUAL }, { "<", RUN_STEP_LESS }, { ">", RUN_STEP_MORE },
};

static bool take_comparison(Parser *parser, RunStepKind *ret_kind) {
        skip_blanks(parser);
        *ret_kind = RUN_STEP_IN;
        if (take_word(parser, "in"))
                return true;
        for (size_t i = 0; i < ELEMENTSOF(comparisons); i++)
                if (text_starts_with(parser->text + parser->at, comparisons[i].word)) {
                        parser->at += strlen(comparisons[i].word);
                        *ret_kind = comparisons[i].kind;
                        return true;
                }
        return false;
}

static int parse_comparison(Parser *parser) {
        RunStepKind kind, next;
        size_t at;
        int r = parse_term(parser);

        if (r < 0)
                return r;
        skip_blanks(parser);
        at = parser->at;
        if (!take_comparison(parser, &kind))
                return 0;
        r = parse_term(parser);
        if (r == 0)
                r = add_step(parser, kind, 0, at);
        if (r < 0)
                return r;
        skip_blanks(parser);
        at = parser->at;
        if (take_comparison(parser, &next))
                return refuse(parser, at, "a comparison is not compared: join two of them with 'and'");
        return 0;
}

static int parse_negation(Parser *parser) {
        size_t begin = 0, n = 0;
        int r;

        /* Each "not" of a row negates the next, so that two of them check the type and change nothing. */
        for (skip_blanks(parser); is_word(parser, "not"); skip_blanks(parser)) {
                r = enter(parser);
                if (r < 0)
                        return r;
                begin = parser->at;
                parser->at += strlen("not");
                n++;
        }
        r = parse_comparison(parser);
        for (; r == 0 && n > 0; n--, parser->depth--)
                r = add_step(parser, RUN_STEP_NOT, 0, begin);
        return r;
}

/* A row of what @parse_side reads, joined by @word. */
static int parse_row(Parser *parser, const char *word, RunStepKind kind, int (*parse_side)(Parser *parser)) {
        RunExpression *expression = parser->expression;
        int r = parse_side(parser);

        while (r == 0) {
                size_t at, jump;

                skip_blanks(parser);
                at = parser->at;
                if (!take_word(parser, word))
                        break;
                jump = expression->steps.n;
                r = add_step(parser, kind, 0, at);
                if (r == 0)
                        r = parse_side(parser);
                if (r == 0)
                        r = add_step(parser, kind == RUN_STEP_AND ? RUN_STEP_AND_RIGHT : RUN_STEP_OR_RIGHT, 0, at);
                if (r == 0)
                        expression->steps.items[jump].operand = (unsigned) expression->steps.n;
        }
        return r;
}

static int parse_conjunction(Parser *parser) {
        return parse_row(parser, "and", RUN_STEP_AND, parse_negation);
}

static int parse_expression(Parser *parser) {
        return parse_row(parser, "or", RUN_STEP_OR, parse_conjunction);
}

/* The expression has ended, and the text has not. */
static int refuse_rest(Parser *parser) {
        static const struct {
                const char *word, *problem;
        } hints[] = {
                { "&&", "'&&' is written 'and'" },
                { "||", "'||' is written 'or'" },
                { "=", "'=' is written '=='" },
                { "not", "'not in' is written: not (a in b)" },
                { ")", "there is no '(' for this ')'" },
                { "(", "there are no functions" },
                { ".", "a '.' stands behind no name" },
        };

        for (size_t i = 0; i < ELEMENTSOF(hints); i++)
                if (text_starts_with(parser->text + parser->at, hints[i].word))
                        return refuse(parser, parser->at, "%s", hints[i].problem);
        return refuse(parser, parser->at, "an operator is missing: one of == != < <= > >= in and or");
}

int run_expression_parse(const char *text, RunExpression **ret_expression, char **ret_problem) {
        cleanup_(run_expression_freep) RunExpression *expression = calloc(1, sizeof(*expression));
        Parser parser = { .text = text, .expression = expression, .ret_problem = ret_problem };
        int r;

        if (!expression)
                return -ENOMEM;
        if (strlen(text) > JSON_TREE_MAX)
                return refuse(&parser, (size_t) 0, "the expression is too long");
        r = parse_expression(&parser);
        if (r < 0)
                return r;
        skip_blanks(&parser);
        if (text[parser.at] != '\0')
                return refuse_rest(&parser);
        *ret_expression = take_ptr(expression);
        return 0;
}
