/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec…= lines
 *
 * A line has one command, or several separated by the word ';'. Specifiers are
 * resolved here; $VARIABLES are expanded when the command runs, because they
 * may come from a file that is read only then.
 */

#include <errno.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "run/run_word.h"
#include "unitfile/directive_command.h"
#include "unitfile/directive_value.h"
#include "unitfile/exec_settings.h"
#include "unitfile/file_word.h"
#include "unitfile/unit_draft.h"

#define WORD_FLAGS (FILE_WORD_UNQUOTE | FILE_WORD_UNESCAPE)

static inline void exec_command_freep(ExecCommand **command) {
        *command = exec_command_free_all(*command);
}

/* Takes the prefixes "-@:+!" from @word: 0, or -EINVAL if the combination is invalid. */
static int exec_take_prefixes(const char **word, ExecCommandFlags *ret_flags) {
        static const struct {
                char prefix;
                ExecCommandFlags flag;
        } prefixes[] = {
                { '-', EXEC_IGNORE_FAILURE }, { '@', EXEC_ARGV0 },     { ':', EXEC_NO_EXPANSION },
                { '+', EXEC_FULL_PRIVILEGES }, { '!', EXEC_NO_SETUID },
        };
        ExecCommandFlags flags = 0;
        unsigned n_marks = 0;

        for (;; (*word)++) {
                size_t i = 0;

                while (i < ELEMENTSOF(prefixes) && prefixes[i].prefix != **word)
                        i++;
                if (i == ELEMENTSOF(prefixes))
                        break;
                if (flags & prefixes[i].flag && **word != '!')
                        return -EINVAL;
                flags |= prefixes[i].flag;
                n_marks += **word == '!';
        }
        if (n_marks > 2)
                return -EINVAL;
        if (flags & EXEC_FULL_PRIVILEGES && flags & EXEC_NO_SETUID)
                return -EINVAL;
        /* "!!" is for machines without ambient capabilities: it has no effect here. */
        if (n_marks == 2)
                flags &= ~EXEC_NO_SETUID;
        *ret_flags = flags;
        return 0;
}

/* The next word between blanks, with quotes and escapes resolved. Unknown escapes are kept, with a warning. */
static int exec_next_word(const DirectiveLine *line, const char **at, char **ret_word) {
        int r = file_word_next(at, WORD_FLAGS, ret_word);

        if (r != -EINVAL)
                return r;
        r = file_word_next(at, WORD_FLAGS | FILE_WORD_KEEP_UNKNOWN, ret_word);
        if (r == -EINVAL) {
                r = directive_complain(line, "'%s' has an unclosed quote", *at);
                return r < 0 ? r : -EINVAL;
        }
        if (r > 0)
                directive_note(line, UNIT_FILE_WARNING, "'%s' has an unknown escape; it is left unchanged.",
                               *ret_word);
        return r;
}

/* Returns true if the next word is an unquoted ';'. */
static bool exec_is_separator(const char *at) {
        return at[0] == ';' && (!at[1] || strchr(" \t\n", at[1]));
}

/* Warns about words that a shell would interpret, but that are passed as arguments. */
static void exec_note_shell(const DirectiveLine *line, const char *at) {
        static const char *const words[] = { "&&", "||", "|", "&", ">", ">>", "<", "2>", "2>&1" };
        size_t n = strcspn(at, " \t\n");

        if (!strchr("&|<>2", *at))
                return;
        for (size_t i = 0; i < ELEMENTSOF(words); i++)
                if (strlen(words[i]) == n && strncmp(words[i], at, n) == 0)
                        directive_note(line, UNIT_FILE_WARNING,
                                       "'%s' is passed to the program as an argument, because no shell reads the "
                                       "line; to use one, write /bin/sh -c '...'.", words[i]);
}

int directive_expand_argument(const DirectiveLine *line, const char *word, char **ret_argument) {
        SpecifierContext *specifiers = &line->target->draft->specifiers;
        cleanup_free_ char *problem = NULL;
        RunWord *parsed = NULL;
        int r;

        specifiers->keeps_expressions = specifiers->has_expressions;
        r = directive_expand(line, word, ret_argument);
        specifiers->keeps_expressions = false;
        if (r <= 0 || !specifiers->has_expressions || !strstr(*ret_argument, "%{"))
                return r;
        r = run_word_parse(*ret_argument, &parsed, &problem);
        run_word_free(parsed);
        if (r == 0)
                return 1;
        free(take_ptr(*ret_argument));
        return r == -EINVAL ? unit_draft_refuse(line->target->draft, line->file, line->line, line->directive->name,
                                                "In '%s': %s", word, problem)
                            : r;
}

/* 1 with an argument, 0 at the end of the command, or an error. "\;" is a literal semicolon. */
static int exec_next_argument(const DirectiveLine *line, const char **at, char **ret_argument) {
        cleanup_free_ char *word = NULL;
        int r;

        if (!**at || exec_is_separator(*at))
                return 0;
        if (text_starts_with(*at, "\\;") && (!(*at)[2] || strchr(" \t\n", (*at)[2]))) {
                *at += 2;
                *at += strspn(*at, " \t\n");
                *ret_argument = strdup(";");
                return *ret_argument ? 1 : -ENOMEM;
        }
        exec_note_shell(line, *at);
        r = exec_next_word(line, at, &word);
        if (r <= 0)
                return r;
        r = directive_expand_argument(line, word, ret_argument);
        return r == 0 ? -EINVAL : r;
}

static int exec_check_path(const DirectiveLine *line, const char *path) {
        size_t n = strlen(path);
        int r = 0;

        if (n == 0)
                r = directive_complain(line, "The command is empty: it must begin with the path or name of a program");
        else if (path[0] != '/' && strchr(path, '/'))
                r = directive_complain(line, "'%s' is neither an absolute path nor the plain name of a "
                                             "program", path);
        else if (path[n - 1] == '/')
                r = directive_complain(line, "'%s' is a directory, not a program", path);
        else if (n >= 4096)
                r = directive_complain(line, "The path is longer than 4095 bytes");
        else
                return 1;
        return r < 0 ? r : -EINVAL;
}

static int exec_parse_path(const DirectiveLine *line, const char **at, ExecCommand *command) {
        cleanup_free_ char *word = NULL;
        const char *path;
        int r = exec_next_word(line, at, &word);

        if (r <= 0)
                return r;
        path = word;
        if (exec_take_prefixes(&path, &command->flags) < 0) {
                r = directive_complain(line, "The prefixes of '%s' cannot be combined", word);
                return r < 0 ? r : -EINVAL;
        }
        r = directive_expand(line, path, &command->path);
        if (r <= 0)
                return r == 0 ? -EINVAL : r;
        return exec_check_path(line, command->path);
}

static int exec_parse_arguments(const DirectiveLine *line, const char **at, ExecCommand *command) {
        VECTOR(char *) argv = {};
        int r = 1;

        if (!(command->flags & EXEC_ARGV0)) {
                char *copy = strdup(command->path);

                r = copy ? vector_push(&argv, copy) : -ENOMEM;
                if (r < 0)
                        free(copy);
                else
                        r = 1;
        }
        while (r > 0) {
                char *argument = NULL;

                r = exec_next_argument(line, at, &argument);
                if (r > 0 && vector_push(&argv, argument) < 0) {
                        free(argument);
                        r = -ENOMEM;
                }
        }
        if (r == 0)
                r = vector_push(&argv, (char *) NULL);
        if (r < 0) {
                for (size_t i = 0; i < argv.n; i++)
                        free(argv.items[i]);
                vector_deinit(&argv);
                return r;
        }
        command->argv = argv.items;
        return 0;
}

/* 1 with a command, 0 if there is none left, -EINVAL for a bad one (reported), or -ENOMEM. */
static int exec_parse_command(const DirectiveLine *line, const char **at, ExecCommand **ret_command) {
        cleanup_(exec_command_freep) ExecCommand *command = calloc(1, sizeof(*command));
        int r;

        if (!command)
                return -ENOMEM;
        while (exec_is_separator(*at)) {
                (*at)++;
                *at += strspn(*at, " \t\n");
        }
        r = exec_parse_path(line, at, command);
        if (r <= 0)
                return r;
        r = exec_parse_arguments(line, at, command);
        if (r < 0)
                return r;
        if (!command->argv[0]) {
                r = directive_complain(line, "With '@' the program must be followed by its argv[0], which is missing");
                return r < 0 ? r : -EINVAL;
        }
        command->line = line->line;
        command->file = strdup(line->file);
        if (!command->file)
                return -ENOMEM;
        *ret_command = take_ptr(command);
        return 1;
}

int directive_add_command(const DirectiveLine *line, const char *value, ExecCommand **list) {
        ExecCommand **end = list;
        const char *at = value;

        for (;;) {
                int r;

                while (*end)
                        end = &(*end)->next;
                r = exec_parse_command(line, &at, end);
                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
        }
}

int directive_parse_command(const DirectiveLine *line, const char *value) {
        ExecCommand **list = directive_field(line);

        if (!*value) {
                *list = exec_command_free_all(*list);
                return 0;
        }
        return directive_add_command(line, value, list);
}
