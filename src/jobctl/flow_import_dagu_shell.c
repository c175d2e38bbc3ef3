/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workflow of Dagu: commands
 *
 * A command that needs nothing around it is given to its shell, as Dagu does.
 * Otherwise lines of /bin/sh set the variables, run it, and look at its end;
 * the texts of the file are arguments of that shell, so that none of them is
 * read as a part of the lines.
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "jobctl/flow_import_dagu.h"

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:=+/@-";

void dagu_script_deinit(DaguScript *script) {
        text_deinit(&script->head);
        text_deinit(&script->run);
        strv_free(script->arguments);
        free(script->shell);
}

/* — texts — */

void dagu_add_quoted(Text *text, const char *word) {
        if (*word && word[strspn(word, plain)] == '\0') {
                text_add(text, word);
                return;
        }
        text_add_char(text, '\'');
        for (; *word; word++)
                if (*word == '\'')
                        text_add(text, "'\\''");
                else
                        text_add_char(text, *word);
        text_add_char(text, '\'');
}

bool dagu_is_dynamic(const char *value) {
        return strchr(value, '$') || strchr(value, '`');
}

/* Variables of Dagu that a run has, too; the others have no counterpart. */
static int check_special(DaguReader *reader, const YamlNode *node, const char *text) {
        static const char *const known[] = { "DAG_NAME", "DAG_RUN_ID", "DAG_RUN_STEP_NAME" };
        static const char *const unknown[] = {
                "DAG_RUN_LOG_FILE",         "DAG_RUN_STEP_STDOUT_FILE", "DAG_RUN_STEP_STDERR_FILE", "DAG_RUN_STATUS",
                "DAG_RUN_ARTIFACTS_DIR",    "DAG_RUN_WORK_DIR",         "DAG_DOCS_DIR",             "DAG_PARAMS_JSON",
                "DAGU_PARAMS_JSON",         "DAG_WAITING_STEPS",        "DAG_PUSHBACK",             "WEBHOOK_PAYLOAD",
                "DAG_RUN_STEP_OUTPUT_FILE",
        };

        for (size_t i = 0; i < ELEMENTSOF(unknown); i++)
                if (strstr(text, unknown[i]))
                        return dagu_fail(reader, node, "%s has no counterpart: the variable would be empty",
                                         unknown[i]);
        for (size_t i = 0; i < ELEMENTSOF(known); i++)
                reader->uses_special |= strstr(text, known[i]) != NULL;
        return 0;
}

/* Refuses what a shell would not replace, but Dagu does. */
static int check_text(DaguReader *reader, const YamlNode *node, const char *text) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-";

        for (const char *at = strstr(text, "${"); at; at = strstr(at + 2, "${")) {
                const size_t n = strspn(at + 2, letters), whole = strcspn(at, "}");

                if (n > 0 && at[2 + n] == '.')
                        return dagu_fail(reader, node,
                                         "'%.*s%s' has no counterpart: only Dagu replaces it; $JOBD_INPUT and %%{...} "
                                         "have results of other nodes",
                                         (int) MIN(whole, (size_t) 40), at, at[whole] == '}' ? "}" : "");
        }
        return check_special(reader, node, text);
}

int dagu_add_expanded(DaguReader *reader, const YamlNode *node, const char *value, Text *text) {
        int r = check_text(reader, node, value);

        if (r < 0)
                return r;
        if (!dagu_is_dynamic(value)) {
                dagu_add_quoted(text, value);
                return 0;
        }
        if (strstr(value, "'$"))
                return dagu_fail(reader, node, "'%s' has no counterpart: Dagu leaves a variable between ' as it is",
                                 value);
        text_add_char(text, '"');
        for (const char *at = value; *at; at++) {
                const size_t n = strspn(at, "\\");

                /* Backslashes stay; but one before a $, if it is not one of a pair, makes that a plain $. */
                for (size_t i = 0; i < n; i++)
                        text_add(text, i + 1 == n && n % 2 == 1 && at[n] == '$' ? "\\$" : "\\\\");
                if (n > 0) {
                        at += n - (n % 2 == 1 && at[n] == '$' ? 0 : 1);
                        continue;
                }
                /* Dagu replaces variables and `...` alone. */
                if (*at == '"' || (*at == '$' && at[1] == '('))
                        text_add_char(text, '\\');
                text_add_char(text, *at);
        }
        text_add_char(text, '"');
        return 0;
}

/* Whether Dagu would replace ${NAME}. */
static bool is_known_variable(const DaguReader *reader, const char *name, size_t n) {
        const YamlNode *env = dagu_get(reader, reader->root, "env");

        for (size_t i = 0; i < reader->params.n; i++)
                if (strlen(reader->params.items[i].name) == n &&
                    strncmp(reader->params.items[i].name, name, n) == 0)
                        return true;
        for (size_t i = 0; i < reader->steps.n; i++)
                if (reader->steps.items[i].output && strlen(reader->steps.items[i].output) == n &&
                    strncmp(reader->steps.items[i].output, name, n) == 0)
                        return true;
        for (size_t i = 0; env && env->kind == YAML_KIND_MAP && i < env->items.n; i++) {
                const char *key = yaml_key(&reader->yaml, env, i)->text;

                if (strlen(key) == n && strncmp(key, name, n) == 0)
                        return true;
        }
        return false;
}

/* A script of another language: what Dagu replaces in it stays. */
static int check_foreign(DaguReader *reader, const YamlNode *node) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

        for (const char *at = strchr(node->text, '$'); at; at = strchr(at + 1, '$')) {
                const char *name = at + 1 + (at[1] == '{');
                const size_t n = strspn(name, letters);

                if (n > 0 && is_known_variable(reader, name, n))
                        return dagu_fail(reader, node,
                                         "'%.*s' in a text that no shell reads has no counterpart: only Dagu replaces "
                                         "it; the variable is in the environment",
                                         (int) MIN((size_t) (name - at) + n + (at[1] == '{'), (size_t) 40), at);
        }
        return 0;
}

/* — shells — */

static const char *const unix_shells[] = { "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh" };

static bool is_one_of(const char *word, const char *const *words, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(words[i], word) == 0)
                        return true;
        return false;
}

static int read_shell_words(DaguReader *reader, const YamlNode *node, char ***ret_words) {
        if (node->kind == YAML_KIND_MAP)
                return dagu_fail(reader, node, "shell is neither a text nor a list");
        if (node->kind == YAML_KIND_TEXT) {
                if (strpbrk(node->text, "'\"\\$`"))
                        return dagu_fail(reader, node, "shell has no counterpart if it is quoted or computed: '%s'",
                                         node->text);
                return strv_split(node->text, " \t\n", ret_words);
        }
        for (size_t i = 0; i < node->items.n; i++) {
                const YamlNode *word = yaml_item(&reader->yaml, node, i);
                int r;

                if (word->kind != YAML_KIND_TEXT || dagu_is_dynamic(word->text))
                        return dagu_fail(reader, word, "a word of shell is not a text without variables");
                r = strv_push(ret_words, word->text);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int get_shell(DaguReader *reader, const YamlNode *step, DaguShell *ret_shell) {
        static const char *const others[] = { "nix-shell", "pwsh", "powershell", "cmd", "cmd.exe", "powershell.exe" };
        const YamlNode *own = dagu_get(reader, step, "shell"),
                       *node = own ? own : dagu_get(reader, reader->root, "shell");
        const char *name = "direct";
        int r;

        *ret_shell = (DaguShell){ .is_own = own != NULL };
        if (!node && !reader->has_noted_shell) {
                reader->has_noted_shell = true;
                r = import_note(&reader->output->notes, "shell",
                                "is not named: it is /bin/sh, where Dagu takes $SHELL of whoever runs it", 0);
                if (r < 0)
                        return r;
        }
        r = node ? read_shell_words(reader, node, &ret_shell->words) : strv_push(&ret_shell->words, "/bin/sh");
        if (r == 0 && ret_shell->words && ret_shell->words[0]) {
                const char *slash = strrchr(ret_shell->words[0], '/');

                name = slash ? slash + 1 : ret_shell->words[0];
        }
        if (r == 0 && is_one_of(name, others, ELEMENTSOF(others)))
                r = dagu_fail(reader, node, "shell '%s' has no counterpart: Dagu starts it in a way of its own", name);
        ret_shell->is_unix = is_one_of(name, unix_shells, ELEMENTSOF(unix_shells));
        if (r < 0 || strcmp(name, "direct") == 0)
                ret_shell->words = strv_free(ret_shell->words);
        return r;
}

/* The shell, up to the text that it runs. */
static void add_shell(Text *text, const DaguShell *shell, bool has_command) {
        bool has_e = shell->is_own || !shell->is_unix, has_c = !has_command;

        strv_foreach(word, shell->words) {
                text_addf(text, "%s", word == shell->words ? "" : " ");
                dagu_add_quoted(text, *word);
                has_e |= strcmp(*word, "-e") == 0;
                has_c |= strcmp(*word, "-c") == 0;
        }
        text_addf(text, "%s%s", has_e ? "" : " -e", has_c ? "" : " -c");
}

/* — what is executed — */

/* A further argument of the lines, and the word that stands for it. */
static int add_argument(DaguScript *script, const char *value) {
        int r = strv_push(&script->arguments, value);
        const size_t n = strv_length(script->arguments);

        text_addf(&script->run, n < 10 ? "\"$%zu\"" : "\"${%zu}\"", n);
        return r;
}

static void add_positional(const DaguReader *reader, DaguScript *script) {
        if (reader->params.n > 0)
                text_add(&script->run, " sh");
        for (size_t i = 0; i < reader->params.n; i++)
                text_addf(&script->run, " \"$JOBD_P_%s\"", reader->params.items[i].field);
}

/* A text that the shell reads. */
static int add_shell_text(DaguReader *reader, const DaguShell *shell, const YamlNode *node, DaguScript *script) {
        cleanup_(text_deinit) Text words = {};
        int r = shell->is_unix ? check_text(reader, node, node->text) : check_foreign(reader, node);

        if (r < 0)
                return r;
        add_shell(&script->run, shell, true);
        text_add_char(&script->run, ' ');
        r = add_argument(script, node->text);
        if (shell->is_unix)
                add_positional(reader, script);
        /* The caller, which runs a shell by itself, writes the -c. */
        add_shell(&words, shell, false);
        if (r == 0)
                r = words.error;
        if (r == 0 && !script->shell && import_is_program(shell->words[0]) && !strv_contains(shell->words, "-c") &&
            !strchr(words.string, '\''))
                r = text_copy(words.string, &script->shell);
        return r;
}

/* "/usr/bin/env bash -e". */
static bool names_shell(const char *program) {
        for (size_t n; *program; program += n + strspn(program + n, " \t/")) {
                n = strcspn(program, " \t/");
                for (size_t i = 0; i < ELEMENTSOF(unix_shells); i++)
                        if (strlen(unix_shells[i]) == n && strncmp(program, unix_shells[i], n) == 0)
                                return true;
        }
        return false;
}

/* A text in a file, which @program gets as its last argument. */
static int add_file(DaguReader *reader, const char *program, const YamlNode *node, DaguScript *script) {
        int r = names_shell(program) ? check_text(reader, node, node->text) : check_foreign(reader, node);

        if (r < 0)
                return r;
        script->is_plain = false;
        text_add(&script->run, "f=$(mktemp) && trap 'rm -f \"$f\"' EXIT && printf %s ");
        r = add_argument(script, node->text);
        text_addf(&script->run, " >\"$f\" && %s \"$f\"", program);
        return r;
}

static int add_script(DaguReader *reader, const DaguShell *shell, const YamlNode *node, DaguScript *script) {
        cleanup_(text_deinit) Text program = {};
        cleanup_free_ char *first = NULL;

        if (node->kind != YAML_KIND_TEXT)
                return dagu_fail(reader, node, "script is not a text");
        if (text_starts_with(node->text, "#!")) {
                first = strndup(node->text + 2, strcspn(node->text + 2, "\n"));
                if (!first)
                        return -ENOMEM;
                if (!first[strspn(first, " \t")] || first[strspn(first, " \t_.,:=+/@-"
                                                                        "abcdefghijklmnopqrstuvwxyz"
                                                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")])
                        return dagu_fail(reader, node, "the first line of the script names no program: '%s'", first);
                return add_file(reader, first + strspn(first, " \t"), node, script);
        }
        if (!shell->words)
                return dagu_fail(reader, node, "script has no shell that reads it");
        if (shell->is_unix)
                return add_shell_text(reader, shell, node, script);
        add_shell(&program, shell, false);
        return program.error < 0 ? program.error : add_file(reader, program.string, node, script);
}

/* Words that a shell would take as they are. */
static bool is_simple(const char *command) {
        return !command[strcspn(command, "|&;<>()$`\\\"'*?[#~%{!\n")];
}

/* A program and its arguments, which no shell reads. */
static int add_exec(DaguReader *reader, const YamlNode *exec, DaguScript *script) {
        static const DaguKey keys[] = { { .name = "command" }, { .name = "args" } };
        const YamlNode *args = dagu_get(reader, exec, "args"), *command = dagu_get(reader, exec, "command");
        int r = exec->kind == YAML_KIND_MAP ? dagu_check_keys(reader, exec, "exec", keys, ELEMENTSOF(keys))
                                            : dagu_fail(reader, exec, "exec is not a map");

        if (r == 0 && (!command || command->kind != YAML_KIND_TEXT || !*command->text))
                r = dagu_fail(reader, exec, "exec has no command");
        if (r == 0)
                r = dagu_add_expanded(reader, command, command->text, &script->run);
        for (size_t i = 0; r == 0 && i < dagu_count(args); i++) {
                const YamlNode *word = dagu_item(reader, args, i);

                if (word->kind != YAML_KIND_TEXT)
                        return dagu_fail(reader, word, "an argument of exec is not a text");
                text_add_char(&script->run, ' ');
                r = dagu_add_expanded(reader, word, word->text, &script->run);
        }
        return r;
}

/* The commands of a list are executed one after the other, each by a shell of its own. */
static int add_commands(DaguReader *reader, const DaguShell *shell, const YamlNode *command, DaguScript *script) {
        const size_t n = dagu_count(command);

        if (n == 0)
                return dagu_fail(reader, command, "command is empty");
        script->is_plain = n == 1;
        for (size_t i = 0; i < n; i++) {
                const YamlNode *item = dagu_item(reader, command, i);
                int r;

                if (item->kind != YAML_KIND_TEXT || !item->text[strspn(item->text, " \t\n")])
                        return dagu_fail(reader, item, "a command is not a text; quote one that has a colon");
                text_add(&script->run, i > 0 ? " &&\n" : "");
                if (shell->words)
                        r = strchr(item->text, '\n') ? add_script(reader, shell, item, script)
                                                     : add_shell_text(reader, shell, item, script);
                else if (!is_simple(item->text))
                        r = dagu_fail(reader, item, "a command without a shell has no counterpart if it is quoted or "
                                                    "computed; write 'exec' with its arguments");
                else {
                        text_add(&script->run, item->text);
                        r = 0;
                }
                if (r < 0)
                        return r;
        }
        return 0;
}

static int check_type(DaguReader *reader, const YamlNode *step) {
        const YamlNode *type = dagu_get(reader, step, "type"), *executor = dagu_get(reader, step, "executor");
        const YamlNode *selector = dagu_get(reader, step, "worker_selector");

        if (selector && !(selector->kind == YAML_KIND_TEXT && strcmp(selector->text, "local") == 0))
                return dagu_fail(reader, selector,
                                 "worker_selector has no counterpart: the command would be executed on this machine");
        if (executor && executor->kind == YAML_KIND_MAP) {
                if (dagu_get(reader, executor, "config"))
                        return dagu_fail(reader, executor, "executor has no counterpart if it has a config");
                type = dagu_get(reader, executor, "type");
        } else if (executor)
                type = executor;
        if (type && (type->kind != YAML_KIND_TEXT ||
                     (*type->text && strcmp(type->text, "command") != 0 && strcmp(type->text, "shell") != 0)))
                return dagu_fail(reader, type,
                                 "a step of type '%s' has no counterpart: it would not be a command; those of type "
                                 "'command' and 'shell' are",
                                 type->kind == YAML_KIND_TEXT ? type->text : "?");
        return 0;
}

static int add_run(DaguReader *reader, const YamlNode *step, const DaguShell *shell, DaguScript *script) {
        const YamlNode *exec = dagu_get(reader, step, "exec"), *command = dagu_get(reader, step, "command"),
                       *text = dagu_get(reader, step, "script");

        if (step->kind == YAML_KIND_TEXT)
                command = step;
        if (exec)
                return command || text ? dagu_fail(reader, exec, "exec stands beside another command")
                                       : add_exec(reader, exec, script);
        if (command && text) {
                if (command->kind != YAML_KIND_TEXT || text->kind != YAML_KIND_TEXT || !is_simple(command->text))
                        return dagu_fail(reader, command, "a command that a script is given to is one plain line");
                return add_file(reader, command->text, text, script);
        }
        if (text)
                return add_script(reader, shell, text, script);
        return command ? add_commands(reader, shell, command, script) : dagu_fail(reader, step, "there is no command");
}

int dagu_add_run(DaguReader *reader, const YamlNode *step, DaguScript *script) {
        DaguShell shell = {};
        int r = check_type(reader, step);

        script->is_plain = true;
        if (r == 0)
                r = get_shell(reader, step, &shell);
        if (r == 0)
                r = add_run(reader, step, &shell, script);
        strv_free(shell.words);
        return r;
}

/* — conditions — */

/* "$NAME" or "${", but not a "$" that ends an expression. */
static bool names_variable(const char *pattern) {
        for (const char *at = strchr(pattern, '$'); at; at = strchr(at + 1, '$'))
                if (at[1] == '{' || at[1] == '_' || (at[1] >= 'a' && at[1] <= 'z') || (at[1] >= 'A' && at[1] <= 'Z'))
                        return true;
        return false;
}

static int add_match(DaguReader *reader, const YamlNode *value, const YamlNode *expected, Text *text) {
        const char *pattern = expected->text + 3;
        int r;

        if (!text_starts_with(expected->text, "re:")) {
                text_add(text, "[ ");
                r = dagu_add_expanded(reader, value, value->text, text);
                text_add(text, " = ");
                return r < 0 ? r : dagu_add_expanded(reader, expected, expected->text, text);
        }
        /* Only expressions that grep -E and Go read in the same way are taken. */
        if (strpbrk(pattern, "\\`") || strstr(pattern, "(?") || strstr(pattern, "*?") || strstr(pattern, "+?") ||
            names_variable(pattern))
                return dagu_fail(reader, expected, "the expression '%s' has no counterpart: only Go reads it",
                                 pattern);
        text_add(text, "printf '%s\\n' ");
        r = dagu_add_expanded(reader, value, value->text, text);
        text_add(text, " | grep -Eq -e ");
        dagu_add_quoted(text, pattern);
        return r;
}

static int add_condition(DaguReader *reader, const YamlNode *step, const YamlNode *node, Text *text) {
        static const DaguKey keys[] = { { .name = "condition" }, { .name = "command" }, { .name = "expected" },
                                        { .name = "negate" } };
        const YamlNode *condition = node, *expected = NULL;
        DaguShell shell = {};
        bool negate = false;
        int r = 0;

        if (node->kind == YAML_KIND_MAP) {
                r = dagu_check_keys(reader, node, "a condition", keys, ELEMENTSOF(keys));
                if (r == 0)
                        r = MIN(dagu_get_bool(reader, node, "negate", &negate), 0);
                condition = dagu_get(reader, node, "condition");
                if (!condition)
                        condition = dagu_get(reader, node, "command");
                expected = dagu_get(reader, node, "expected");
        }
        if (r < 0)
                return r;
        if (!condition || condition->kind != YAML_KIND_TEXT || !*condition->text ||
            (expected && expected->kind != YAML_KIND_TEXT))
                return dagu_fail(reader, node, "a condition is not a text");
        text_add(text, negate ? "! { " : "{ ");
        if (expected && *expected->text) {
                r = add_match(reader, condition, expected, text);
                text_add(text, text_starts_with(expected->text, "re:") ? "; }" : " ]; }");
                return r;
        }
        r = get_shell(reader, step, &shell);
        /* Dagu gives no -e here. */
        shell.is_own = true;
        if (r == 0 && !shell.words)
                r = strv_push(&shell.words, "/bin/sh");
        if (r == 0)
                r = check_text(reader, condition, condition->text);
        if (r == 0) {
                add_shell(text, &shell, true);
                text_add_char(text, ' ');
                dagu_add_quoted(text, condition->text);
                text_add(text, " >/dev/null; }");
        }
        strv_free(shell.words);
        return r;
}

int dagu_add_conditions(DaguReader *reader, const YamlNode *step, const YamlNode *conditions, Text *text) {
        for (size_t i = 0; i < dagu_count(conditions); i++) {
                int r;

                text_add(text, i > 0 ? " &&\n" : "");
                r = add_condition(reader, step, dagu_item(reader, conditions, i), text);
                if (r < 0)
                        return r;
        }
        return text->error;
}

int dagu_set_command(DaguReader *reader, DaguScript *script, const Text *tail, ImportTask *task) {
        cleanup_(text_deinit) Text lines = {};
        int r = MIN(script->head.error, script->run.error);

        if (r == 0 && tail)
                r = tail->error;
        if (r < 0)
                return r;
        task->is_task = task->is_shell = true;
        if (reader->params.n > 0)
                text_add(&task->settings, "InputMode=env\n");
        if (script->shell && script->is_plain && script->head.n == 0 && !tail) {
                task->shell = take_ptr(script->shell);
                return text_copy(script->arguments[0], &task->program);
        }
        text_add(&lines, script->head.n > 0 ? script->head.string : "");
        text_add(&lines, script->is_plain && !tail ? "exec " : "");
        text_add(&lines, script->run.string);
        text_add(&lines, script->is_plain || tail ? "" : "\nexit $?");
        if (tail && tail->n > 0)
                text_addf(&lines, "\n%s", tail->string);
        if (script->arguments)
                r = strv_push(&task->arguments, "sh");
        strv_foreach(argument, script->arguments)
                if (r == 0)
                        r = strv_push(&task->arguments, *argument);
        if (r == 0)
                r = text_copy("/bin/sh", &task->shell);
        reader->n_text += lines.n;
        if (r == 0 && reader->n_text > DAGU_TEXT_MAX) {
                reader->output->line = task->line;
                r = text_copy("the commands with the lines before them have more than 64 MiB",
                              &reader->output->problem);
                return r < 0 ? r : -EBADMSG;
        }
        return r < 0 ? r : text_finish(&lines, &task->program);
}
