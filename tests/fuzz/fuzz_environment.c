/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Environment files, and commands whose variables are replaced by what they assign
 *
 * An input is a file; after a NUL, if there is one, come the words of a command. What was read can be written and read
 * again: names are valid and unique, values are the same.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "exec/exec_environment.h"
#include "exec/exec_expand.h"
#include "fuzz.h"

/* As a line of such a file; everything is taken as it is between double quotes, but for four characters. */
static void print_assignment(Text *text, const char *assignment) {
        const char *value = strchr(assignment, '=') + 1;

        text_add_n(text, assignment, (size_t) (value - assignment));
        text_add_char(text, '"');
        for (; *value; value++) {
                if (strchr("\"\\`$", *value))
                        text_add_char(text, '\\');
                text_add_char(text, *value);
        }
        text_add(text, "\"\n");
}

static void check_names(char *const *environment) {
        strv_foreach(assignment, environment) {
                size_t n = strcspn(*assignment, "=");

                fuzz_check((*assignment)[n] == '=');
                fuzz_check(exec_environment_name_is_valid(*assignment, n));
                fuzz_check(text_is_utf8(*assignment));
                fuzz_check(exec_environment_get(environment, *assignment, n) == *assignment + n + 1);
        }
}

static void check_equal(char *const *a, char *const *b) {
        fuzz_check(strv_length(a) == strv_length(b));
        for (size_t i = 0; i < strv_length(a); i++)
                fuzz_check_string(a[i], b[i]);
}

static void check_again(char *const *environment) {
        cleanup_(strv_freep) char **again = NULL, **merged = NULL, **set = NULL;
        cleanup_free_ char *text = NULL;
        Text printed = {};

        strv_foreach(assignment, environment) {
                print_assignment(&printed, *assignment);
                fuzz_check(exec_environment_set(&set, *assignment) == 0);
        }
        fuzz_check(text_finish(&printed, &text) == 0);
        fuzz_check(exec_environment_parse(&again, text, strlen(text)) == 0);
        check_equal(environment, again);
        check_equal(environment, set);
        fuzz_check(exec_environment_merge(&again, environment) == 0);
        check_equal(environment, again);
        fuzz_check(exec_environment_merge(&merged, environment) == 0);
        check_equal(environment, merged);
}

/* "${NAME}" in a word of its own is the value, in one word; "$NAME" as the first word is itself. */
static void check_expansion(char *const *environment, FuzzInput *input) {
        cleanup_(strv_freep) char **argv = NULL, **expanded = NULL, **whole = NULL;
        cleanup_free_ char *braces = NULL;

        while (input->at < input->end)
                fuzz_check(strv_consume(&argv, fuzz_string(input)) == 0);
        fuzz_check(exec_expand_argv(argv, environment, &expanded) == 0);
        fuzz_check((strv_length(argv) == 0) == (strv_length(expanded) == 0));
        if (!environment || !*environment)
                return;
        fuzz_check(text_format(&braces, "${%.*s}", (int) strcspn(*environment, "="), *environment) == 0);
        fuzz_check(exec_expand_argv((char *const[]) { braces, braces, NULL }, environment, &whole) == 0);
        fuzz_check(strv_length(whole) == 2);
        fuzz_check_string(whole[1], strchr(*environment, '=') + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        cleanup_(strv_freep) char **environment = NULL;
        FuzzInput input = { bytes, bytes + n };
        cleanup_free_ char *file = fuzz_string(&input);
        int r = exec_environment_parse(&environment, file, strlen(file));

        fuzz_check(r == 0 || (r == -EINVAL && !text_is_utf8(file)));
        fuzz_check(exec_environment_parse(&environment, (const char *) bytes, n) == 0 || r < 0 || memchr(bytes, '\0', n));
        check_names(environment);
        check_again(environment);
        check_expansion(environment, &input);
        return 0;
}
