/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * %{…}: values of a run in the words of a command
 *
 * A word is a row of parts, each a text and the reference behind it; the last
 * one is text alone.
 */

#include <errno.h>
#include <string.h>

#include "basic/json_write.h"
#include "basic/text.h"
#include "run/run_value_private.h"
#include "run/run_word.h"

typedef struct WordPart {
        char *text;                     /* owned */
        RunReference reference;         /* .text is NULL: none */
} WordPart;

struct RunWord {
        VECTOR(WordPart) parts;
};

RunWord *run_word_free(RunWord *word) {
        if (!word)
                return NULL;

        for (size_t i = 0; i < word->parts.n; i++) {
                free(word->parts.items[i].text);
                run_reference_deinit(&word->parts.items[i].reference);
        }
        vector_deinit(&word->parts);
        free(word);
        return NULL;
}

size_t run_word_count(const RunWord *word) {
        return word->parts.n - 1;
}

const RunReference *run_word_reference(const RunWord *word, size_t i) {
        return &word->parts.items[i].reference;
}

/* Up to the next reference or the end. */
static int parse_text(const char *text, size_t *at, WordPart *part) {
        cleanup_(text_deinit) Text result = {};

        while (text[*at] && !text_starts_with(text + *at, "%{")) {
                if (text_starts_with(text + *at, "%%{")) {
                        text_add(&result, "%{");
                        *at += strlen("%%{");
                } else
                        text_add_char(&result, text[(*at)++]);
        }
        return text_finish(&result, &part->text);
}

/* The reader stands at "%{". */
static int parse_reference(const char *text, size_t *at, WordPart *part, char **ret_problem) {
        size_t begin = *at;
        int r;

        *at += strlen("%{");
        *at += strspn(text + *at, " \t");
        r = run_reference_parse(text, at, &part->reference, ret_problem);
        if (r < 0)
                return r;
        *at += strspn(text + *at, " \t");
        if (text[*at] != '}')
                return run_value_refuse(ret_problem, "At column %zu: %%{ takes one reference, such as param.x or "
                                        "NODE.result.a.b, and the '}' behind it (%%%%{ stands for %%{).", begin + 1);
        (*at)++;
        return 0;
}

int run_word_parse(const char *text, RunWord **ret_word, char **ret_problem) {
        cleanup_(run_word_freep) RunWord *word = calloc(1, sizeof(*word));
        size_t at = 0;
        int r;

        if (!word)
                return -ENOMEM;
        for (;;) {
                WordPart *part;

                r = vector_push(&word->parts, ((WordPart) {}));
                if (r < 0)
                        return r;
                part = &vector_last(&word->parts);
                r = parse_text(text, &at, part);
                if (r < 0)
                        return r;
                if (text[at] == '\0')
                        break;
                r = parse_reference(text, &at, part, ret_problem);
                if (r < 0)
                        return r;
        }
        *ret_word = take_ptr(word);
        return 0;
}

/* — substitution — */

static int add_string(Text *text, const RunReference *reference, const JsonValue *value, char **ret_problem) {
        if (memchr(value->text, '\0', value->n))
                return run_value_refuse(ret_problem,
                                        "The value of %s has a NUL byte, which no argument of a command can have.",
                                        reference->text);
        text_add_n(text, value->text, value->n);
        return 0;
}

static int add_value(Text *text, const RunReference *reference, const RunScope *scope, size_t *budget,
                     char **ret_problem) {
        RunValue value;
        int r = run_reference_find(reference, scope, budget, &value, ret_problem);

        if (r < 0 || value.value->kind == JSON_TOKEN_NULL)
                return r;
        if (value.value->kind == JSON_TOKEN_STRING)
                return add_string(text, reference, value.value, ret_problem);
        json_write_value(text, value.value, RUN_WORD_MAX);
        return 0;
}

static int refuse_length(const RunReference *reference, char **ret_problem) {
        int r = text_format(ret_problem,
                            "With the value of %s the argument has more than %u bytes, too many for a command.",
                            reference->text, RUN_WORD_MAX);

        return r < 0 ? r : -EFBIG;
}

int run_word_substitute(const RunWord *word, const RunScope *scope, char **ret_string, char **ret_problem) {
        cleanup_(text_deinit) Text text = {};
        size_t budget = RUN_EVALUATION_MAX;

        for (size_t i = 0; i < word->parts.n; i++) {
                const WordPart *part = &word->parts.items[i];
                int r;

                text_add(&text, part->text);
                if (!part->reference.text)
                        continue;
                r = add_value(&text, &part->reference, scope, &budget, ret_problem);
                if (r < 0)
                        return r;
                if (text.n > RUN_WORD_MAX)
                        return refuse_length(&part->reference, ret_problem);
        }
        return text_finish(&text, ret_string);
}
