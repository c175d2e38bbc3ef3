/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of execution directives
 *
 * Most of them are strict, and a bad value refuses the unit: a unit must run
 * exactly as its file says.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive_exec.h"
#include "unitfile/directive_value.h"
#include "unitfile/unit_draft.h"

static bool environment_is_assignment(const char *word) {
        size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

        return n > 0 && word[n] == '=' && !(word[0] >= '0' && word[0] <= '9');
}

int exec_parse_assignments(const DirectiveLine *line, const char *value, const char *form,
                           bool (*is_one)(const char *word),
                           int (*add)(const DirectiveLine *line, char ***list, char *word)) {
        char ***list = directive_field(line);
        const char *at = value;

        if (!*value)
                *list = strv_free(*list);
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                if (!is_one(word)) {
                        directive_note(line, UNIT_FILE_WARNING, "'%s' is not of the form %s; it is ignored.", word,
                                       form);
                        continue;
                }
                r = add(line, list, take_ptr(word));
                if (r < 0)
                        return r;
        }
}

static int environment_set(const DirectiveLine *line, char ***environment, char *assignment) {
        return draft_lists_set(&line->target->draft->lists, environment, assignment, '=');
}

int exec_parse_environment(const DirectiveLine *line, const char *value) {
        return exec_parse_assignments(line, value, "NAME=value", environment_is_assignment, environment_set);
}

int exec_parse_environment_file(const DirectiveLine *line, const char *value) {
        char ***files = directive_field(line);
        cleanup_free_ char *path = NULL;
        bool is_optional = *value == '-';
        char *entry;
        int r;

        if (!*value) {
                *files = strv_free(*files);
                return 0;
        }
        r = directive_expand_path(line, value + is_optional, &path);
        if (r <= 0)
                return r;
        r = text_format(&entry, "%s%s", is_optional ? "-" : "", path);
        return r < 0 ? r : strv_consume(files, entry);
}

int exec_parse_working_directory(const DirectiveLine *line, const char *value) {
        ExecSettings *exec = directive_base(line, DIRECTIVE_IN_EXEC);
        bool is_optional = *value == '-';
        cleanup_free_ char *path = NULL;
        int r;

        value += is_optional;
        if (!*value)
                r = is_optional ? directive_complain(line, "A path must follow the '-'") : 1;
        else if (strcmp(value, "~") == 0)
                r = (path = strdup("~")) ? 1 : -ENOMEM;
        else
                r = directive_expand_path(line, value, &path);
        if (r <= 0)
                return r;
        free(exec->working_directory);
        exec->working_directory = take_ptr(path);
        exec->working_directory_optional = is_optional;
        return 0;
}

/* A user or group: a number, or a name that /etc/passwd can contain. */
static bool account_is_valid(const char *name) {
        size_t n = strlen(name);
        uint32_t id;

        if (text_parse_u32(name, &id) == 0)
                return id != UINT32_MAX && id != UINT16_MAX;
        if (n == 0 || n > 255 || name[0] == '-' || (name[0] >= '0' && name[0] <= '9') || name[0] == '.')
                return false;
        for (const char *at = name; *at; at++)
                if ((unsigned char) *at <= ' ' || strchr(":/\"'\\,\x7f", *at))
                        return false;
        return true;
}

int exec_parse_account(const DirectiveLine *line, const char *value) {
        char **field = directive_field(line);
        char *name = NULL;
        int r;

        if (*value) {
                r = directive_expand(line, value, &name);
                if (r <= 0)
                        return r;
                if (!account_is_valid(name)) {
                        r = directive_complain(line, "'%s' is not the name or number of a user or group", name);
                        free(name);
                        return r;
                }
        }
        free(*field);
        *field = name;
        return 0;
}

static int judge_account(const DirectiveLine *line, char **word) {
        return account_is_valid(*word) ? 1 :
                directive_complain(line, "'%s' is not the name or number of a group", *word);
}

int exec_parse_accounts(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, judge_account);
}

int exec_parse_umask(const DirectiveLine *line, const char *value) {
        size_t n = strspn(value, "01234567");

        if (n == 0 || n > 4 || value[n])
                return directive_complain(line, "'%s' is not a mode such as 0022", value);
        *(uint32_t *) directive_field(line) = (uint32_t) strtoul(value, NULL, 8) & 0777;
        return 0;
}

/* "tty" does not wait for the terminal as in systemd, which would block the manager: it fails. */
static ExecTty parse_tty(const char *value) {
        static const struct {
                const char *value;
                ExecTty tty;
        } kinds[] = {
                { "tty", EXEC_TTY_IF_FREE },
                { "tty-fail", EXEC_TTY_IF_FREE },
                { "tty-force", EXEC_TTY_FORCE },
        };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++)
                if (strcmp(kinds[i].value, value) == 0)
                        return kinds[i].tty;
        return EXEC_TTY_NONE;
}

int exec_parse_standard_input(const DirectiveLine *line, const char *value) {
        char **field = directive_field(line);
        cleanup_free_ char *path = NULL;
        bool is_inherited = strcmp(value, "inherit") == 0, is_socket = strcmp(value, "socket") == 0;
        ExecSettings *exec = directive_base(line, DIRECTIVE_IN_EXEC);
        ExecTty tty = parse_tty(value);

        if (text_starts_with(value, "file:")) {
                int r = directive_expand_path(line, value + strlen("file:"), &path);

                if (r <= 0)
                        return r;
        } else if (*value && !is_inherited && !is_socket && tty == EXEC_TTY_NONE && strcmp(value, "null") != 0 &&
                   strcmp(value, "data") != 0)
                return directive_complain(line,
                                          "'%s' is not supported; use null, data, inherit, socket, tty, tty-force "
                                                "or file:PATH", value);
        exec->inherits_standard_input = is_inherited;
        exec->standard_input_is_socket = is_socket;
        exec->tty = tty;
        free(*field);
        *field = take_ptr(path);
        return 0;
}

static char **output_file(const DirectiveLine *line) {
        ExecSettings *exec = directive_base(line, DIRECTIVE_IN_EXEC);

        return directive_field(line) == &exec->standard_error ? &exec->standard_error_file
                                                                  : &exec->standard_output_file;
}

static int output_set(const DirectiveLine *line, ExecOutput output, char *path) {
        char **file = output_file(line);

        free(*file);
        *file = path;
        *(ExecOutput *) directive_field(line) = output;
        return 0;
}

/* Parses "file:PATH", "append:PATH", "truncate:PATH": 1, 0 if it is none of them, or an error (-EINVAL: reported). */
static int output_parse_file(const DirectiveLine *line, const char *value) {
        static const struct {
                const char *prefix;
                ExecOutput output;
        } kinds[] = {
                { "file:", EXEC_OUTPUT_FILE },
                { "append:", EXEC_OUTPUT_APPEND },
                { "truncate:", EXEC_OUTPUT_TRUNCATE },
        };

        for (size_t i = 0; i < ELEMENTSOF(kinds); i++) {
                char *path = NULL;
                int r;

                if (!text_starts_with(value, kinds[i].prefix))
                        continue;
                r = directive_expand_path(line, value + strlen(kinds[i].prefix), &path);
                if (r <= 0)
                        return r == 0 ? -EINVAL : r;
                output_set(line, kinds[i].output, path);
                return 1;
        }
        return 0;
}

/* "syslog" is an old name of "journal". */
static const struct {
        const char *value;
        ExecOutput output;
} output_names[] = {
        { "null", EXEC_OUTPUT_NULL },
        { "socket", EXEC_OUTPUT_SOCKET },
        { "journal", EXEC_OUTPUT_JOURNAL },
        { "log", EXEC_OUTPUT_JOURNAL },
        { "syslog", EXEC_OUTPUT_JOURNAL },
        { "kmsg", EXEC_OUTPUT_KMSG },
        { "journal+console", EXEC_OUTPUT_JOURNAL_CONSOLE },
        { "syslog+console", EXEC_OUTPUT_JOURNAL_CONSOLE },
        { "kmsg+console", EXEC_OUTPUT_KMSG_CONSOLE },
        { "tty", EXEC_OUTPUT_TTY },
};

int exec_parse_standard_output(const DirectiveLine *line, const char *value) {
        const ExecSettings *exec = directive_base(line, DIRECTIVE_IN_EXEC);
        bool is_error = output_file(line) == &exec->standard_error_file;
        int r = output_parse_file(line, value);

        if (r != 0)
                return r == -ENOMEM ? r : 0;
        if (!*value)
                return output_set(line, is_error ? EXEC_OUTPUT_SAME : EXEC_OUTPUT_DEFAULT, NULL);
        if (strcmp(value, "inherit") == 0)
                return output_set(line, is_error ? EXEC_OUTPUT_SAME : EXEC_OUTPUT_INHERIT, NULL);
        for (size_t i = 0; i < ELEMENTSOF(output_names); i++)
                if (strcmp(output_names[i].value, value) == 0)
                        return output_set(line, output_names[i].output, NULL);
        return directive_complain(line,
                                  "'%s' is not supported; use journal, kmsg, inherit, null, tty, socket, file:PATH, "
                                        "append:PATH or truncate:PATH", value);
}

static int exec_parse_range(const DirectiveLine *line, const char *value, int32_t least, int32_t most, bool *has) {
        int32_t number;

        if (!*value) {
                *has = false;
                return 0;
        }
        if (text_parse_i32(value + (value[0] == '+' && value[1] != '-'), &number) < 0 || number < least ||
            number > most)
                return directive_complain(line, "'%s' is not a number between %d and %d", value, least, most);
        *(int32_t *) directive_field(line) = number;
        *has = true;
        return 0;
}

int exec_parse_nice(const DirectiveLine *line, const char *value) {
        ExecSettings *exec = directive_base(line, DIRECTIVE_IN_EXEC);

        return exec_parse_range(line, value, -20, 19, &exec->has_nice);
}

int exec_parse_oom_score_adjust(const DirectiveLine *line, const char *value) {
        ExecSettings *exec = directive_base(line, DIRECTIVE_IN_EXEC);

        return exec_parse_range(line, value, -1000, 1000, &exec->has_oom_score_adjust);
}
