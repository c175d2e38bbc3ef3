/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expansion of $VARIABLES in a command line
 *
 * Takes place when the command is about to run, with its complete environment,
 * EnvironmentFile= included. Values are not expanded again.
 */

#include <assert.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_environment.h"
#include "exec/exec_expand.h"

/* Adds the value of "${NAME}" at @at; returns the length of that expression, or 0 if there is none. */
static size_t expand_braces(Text *text, const char *at, char *const *environment) {
        const char *name, *end, *value;

        if (at[1] != '{')
                return 0;
        name = at + 2;
        end = strchr(name, '}');
        if (!end)
                return 0;
        value = exec_environment_get(environment, name, (size_t) (end - name));
        if (value)
                text_add(text, value);
        return (size_t) (end + 1 - at);
}

static int expand_word(const char *word, char *const *environment, char **ret_word) {
        cleanup_(text_deinit) Text text = {};

        while (*word) {
                size_t n = 0;

                if (word[0] == '$' && word[1] == '$') {
                        text_add_char(&text, '$');
                        n = 2;
                } else if (word[0] == '$')
                        n = expand_braces(&text, word, environment);
                if (n == 0) {
                        text_add_char(&text, *word);
                        n = 1;
                }
                word += n;
        }
        return text_finish(&text, ret_word);
}

/* Adds one character of a value, or opens or closes a quote; returns the number of characters read. */
static size_t read_value_character(Text *word, const char *at, char *quote) {
        if (*quote ? *at == *quote : (*at == '"' || *at == '\'')) {
                *quote = *quote ? '\0' : *at;
                return 1;
        }
        if (*at == '\\' && at[1]) {
                text_add_char(word, at[1]);
                return 2;
        }
        text_add_char(word, *at);
        return 1;
}

static int add_word(Text *word, char ***argv) {
        cleanup_free_ char *string = NULL;

        if (text_finish(word, &string) < 0)
                return -ENOMEM;
        return strv_push(argv, string);
}

/* Splits a value into words at white space outside of quotes and backslash escapes. */
static int add_split_value(const char *value, char ***argv) {
        for (;;) {
                cleanup_(text_deinit) Text word = {};
                char quote = '\0';

                value += strspn(value, " \t\n\r");
                if (!*value)
                        return 0;
                while (*value && (quote || !strchr(" \t\n\r", *value)))
                        value += read_value_character(&word, value, &quote);
                if (add_word(&word, argv) < 0)
                        return -ENOMEM;
        }
}

static bool is_lone_variable(const char *word) {
        return word[0] == '$' && word[1] && word[1] != '$' && word[1] != '{';
}

int exec_expand_argv(char *const *argv, char *const *environment, char ***ret_argv) {
        cleanup_(strv_freep) char **expanded = NULL;
        int r = 0;

        assert(ret_argv);

        strv_foreach(word, argv) {
                if (word != argv && is_lone_variable(*word)) {
                        const char *value = exec_environment_get(environment, *word + 1, strlen(*word + 1));

                        r = value ? add_split_value(value, &expanded) : 0;
                } else {
                        cleanup_free_ char *string = NULL;

                        r = expand_word(*word, environment, &string);
                        if (r == 0)
                                r = strv_push(&expanded, string);
                }
                if (r < 0)
                        return r;
        }
        *ret_argv = take_ptr(expanded);
        return 0;
}
