/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Scripts
 *
 * Parsed line by line and without nesting, so that a script can be written
 * interactively, and every message can name the line.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "sim/sim_script.h"

#define BLANKS " \t\r\n"

static int sim_line_parse_json(SimLine *line, const char *text, Failure *ret_failure) {
        json_error_t error;
        const char *rest;

        line->json = json_loads(text, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (!line->json)
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "\"%s\" needs a JSON object after it: %s at column %d", line->words[0], error.text,
                                   error.column);
        if (!json_is_object(line->json))
                return failure_set(ret_failure, -EINVAL, "InvalidArgs",
                                   "\"%s\" compares with an event, which is a JSON object, not a list", line->words[0]);
        rest = text + error.position;
        rest += strspn(rest, BLANKS);
        if (*rest && *rest != '#')
                return failure_set(ret_failure, -EINVAL, "InvalidArgs", "something follows the JSON object: %s", rest);
        return 0;
}

static int sim_line_push(SimLine *line, const char *word, size_t n) {
        char *copy = strndup(word, n);

        if (!copy || strv_consume(&line->words, copy) < 0)
                return -ENOMEM;
        line->n_words++;
        return 0;
}

static int sim_line_parse_words(SimLine *line, const char *text) {
        for (;;) {
                size_t n;

                text += strspn(text, BLANKS);
                if (!*text || *text == '#')
                        return 0;
                n = strcspn(text, BLANKS);
                if (sim_line_push(line, text, n) < 0)
                        return -ENOMEM;
                text += n;
        }
}

/* All other verbs that begin with "expect" are followed by JSON. */
static bool sim_text_has_words(const char *text) {
        static const char *const verbs[] = { "expect-state", "expect-order", "expect-run", "expect-node",
                                             "expect-items" };

        if (!text_starts_with(text, "expect"))
                return true;
        for (size_t i = 0; i < ELEMENTSOF(verbs); i++)
                if (text_starts_with(text, verbs[i]))
                        return true;
        return false;
}

static int sim_line_parse_into(SimLine *line, const char *text, Failure *ret_failure) {
        size_t n;

        text += strspn(text, BLANKS);
        if (sim_text_has_words(text))
                return sim_line_parse_words(line, text);

        n = strcspn(text, BLANKS);
        if (sim_line_push(line, text, n) < 0)
                return -ENOMEM;
        return sim_line_parse_json(line, text + n, ret_failure);
}

int sim_line_parse(SimLine *ret_line, const char *text, Failure *ret_failure) {
        SimLine line = {};
        int r;

        r = sim_line_parse_into(&line, text, ret_failure);
        if (r < 0) {
                sim_line_deinit(&line);
                return r;
        }
        *ret_line = line;
        return 0;
}

void sim_line_deinit(SimLine *line) {
        line->words = strv_free(line->words);
        json_decref(line->json);
        line->json = NULL;
        line->n_words = 0;
}
