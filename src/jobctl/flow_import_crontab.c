/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crontab(5) of Vixie cron
 *
 * Each line with a time becomes a flow of one node, with a timer. What cron
 * does for a line is written out: the shell, the variables that stand above
 * it, the home as working directory, and what follows % as standard input.
 */

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "jobctl/cron_time.h"
#include "jobctl/flow_import.h"

typedef struct CronVariable {
        char *name; /* owned */
        char *value; /* owned */
} CronVariable;

typedef struct CronReader {
        const ImportInput *input; /* borrowed */
        ImportOutput *output; /* borrowed */
        unsigned line;
        VECTOR(CronVariable) variables; /* in the order in which they are first set */
} CronReader;

static int fail(CronReader *reader, const char *format, ...) printf_(2, 3);

static int fail(CronReader *reader, const char *format, ...) {
        va_list args;
        int r;

        va_start(args, format);
        r = text_vformat(&reader->output->problem, format, args);
        va_end(args);
        reader->output->line = reader->line;
        return r < 0 ? r : -EBADMSG;
}

static const char *skip_blanks(const char *at) {
        return at + strspn(at, " \t");
}

/* — variables — */

static const char *value_of(const CronReader *reader, const char *name) {
        for (size_t i = 0; i < reader->variables.n; i++)
                if (strcmp(reader->variables.items[i].name, name) == 0)
                        return reader->variables.items[i].value;
        return NULL;
}

static int set_variable(CronReader *reader, const char *name, char *value /* taken over */) {
        CronVariable variable = { .value = value };

        for (size_t i = 0; i < reader->variables.n; i++)
                if (strcmp(reader->variables.items[i].name, name) == 0) {
                        free(reader->variables.items[i].value);
                        reader->variables.items[i].value = value;
                        return 0;
                }
        variable.name = strdup(name);
        if (!variable.name || vector_push(&reader->variables, variable) < 0) {
                free(variable.name);
                free(value);
                return -ENOMEM;
        }
        return 0;
}

/* The note about a variable of cron itself, or NULL. */
static const char *reason_of(const char *name, const char *value) {
        static const struct {
                const char *name, *reason;
        } reasons[] = {
                { "MAILTO", "has no counterpart: output goes to the log ('jobctl flow logs'); OnFailure= of [Unit] can "
                            "start a unit that sends mail" },
                { "MAILFROM", "has no counterpart: no mail is sent" },
                { "CONTENT_TYPE", "has no counterpart: no mail is sent" },
                { "CONTENT_TRANSFER_ENCODING", "has no counterpart: no mail is sent" },
                { "LOGNAME", "cannot be set, in a crontab either; it is left out" },
                { "CRON_TZ", "is the time zone of the lines below it, as in cronie; Vixie cron ignores it" },
                { "RANDOM_DELAY", "is the most minutes by which lines below it are late, as in cronie; Vixie cron "
                                  "ignores it" },
        };

        /* MAILTO="" is what happens anyway. */
        if (!*value)
                return NULL;
        for (size_t i = 0; i < ELEMENTSOF(reasons); i++)
                if (strcmp(reasons[i].name, name) == 0)
                        return reasons[i].reason;
        return NULL;
}

/* Variables that say something to cron, and are not passed on. */
static bool is_of_cron(const char *name) {
        static const char *const names[] = { "MAILTO",  "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING",
                                             "LOGNAME", "CRON_TZ",  "RANDOM_DELAY" };

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (strcmp(names[i], name) == 0)
                        return true;
        return false;
}

/* The word that @at begins with, without the quotes that it may have; *ret_end is behind it. */
static char *read_word(const char *at, const char *stop, const char **ret_end) {
        const char quote = *at == '"' || *at == '\'' ? *at : '\0';
        size_t n = quote ? 0 : strcspn(at, stop);

        if (quote) {
                const char *end = strchr(at + 1, quote);

                if (!end)
                        return NULL;
                *ret_end = end + 1;
                return strndup(at + 1, (size_t) (end - at - 1));
        }
        *ret_end = at + n;
        return strndup(at, n);
}

/* "NAME = value": 1 if @text is that, 0 if it is not, or an error. */
static int read_variable(CronReader *reader, const char *text) {
        const char *at, *end, *reason;
        cleanup_free_ char *name = read_word(text, " \t=", &at);
        char *value;
        int r;

        if (!name || !*name || *(at = skip_blanks(at)) != '=')
                return 0;
        at = skip_blanks(at + 1);
        value = read_word(at, "", &end);
        if (!value)
                return fail(reader, "A quote of the value of %s is not closed", name);
        if (*skip_blanks(end)) {
                free(value);
                return fail(reader, "There is more behind the closing quote of %s", name);
        }
        reason = reason_of(name, value);
        r = reason ? import_note(&reader->output->notes, name, reason, reader->line) : 0;
        if (r < 0) {
                free(value);
                return r;
        }
        r = set_variable(reader, name, value);
        return r < 0 ? r : 1;
}

/* — a line with a time — */

/* Words that say nothing about what a command does; those that have one themselves. */
static bool is_idle_word(const char *word, bool *ret_skips_next) {
        static const char *const idle[] = { "command", "nice",    "ionice",  "exec", "sudo",  "env",   "if",
                                            "then",    "flock",   "timeout", "sh",   "bash",  "nohup", "time",
                                            "setsid",  "chronic", "umask",   "in",   "while", "do",    "else" };
        static const char *const with_word[] = { "cd", "test", "source", "for", "case" };

        for (size_t i = 0; i < ELEMENTSOF(with_word); i++)
                if (strcmp(with_word[i], word) == 0)
                        return *ret_skips_next = true;
        for (size_t i = 0; i < ELEMENTSOF(idle); i++)
                if (strcmp(idle[i], word) == 0)
                        return true;
        return false;
}

/* A name for the command: its first word that looks like a program, without the folder. */
static int name_command(const char *command, char **ret_name) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        cleanup_(strv_freep) char **words = NULL;
        bool skips_next = false;
        int r = strv_split(command, " \t\n;&|(){}", &words);

        if (r < 0)
                return r;
        strv_foreach(word, words) {
                const char *slash = strrchr(*word, '/'), *name = slash ? slash + 1 : *word;
                const bool is_skipped = skips_next;

                skips_next = false;
                if (is_skipped || !*name || !strchr(letters, *name) || is_idle_word(name, &skips_next) ||
                    name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")] ||
                    strlen(name) > 40)
                        continue;
                return text_copy(name, ret_name);
        }
        return text_copy("command", ret_name);
}

/* FILE-COMMAND, with a number if another line has that name. */
static int name_flow(CronReader *reader, ImportedFlow *flow, const char *command) {
        for (unsigned n = 1;; n++) {
                cleanup_free_ char *name = NULL;
                char suffix[16] = "";
                bool is_free = true;
                int r;

                if (n > 1)
                        snprintf(suffix, sizeof(suffix), "-%u", n);
                r = text_format(&name, "%s-%s%s", reader->input->name, command, suffix);
                if (r < 0)
                        return r;
                for (size_t i = 0; i < reader->output->flows.n; i++)
                        is_free &= !text_equal(reader->output->flows.items[i]->name, name);
                if (is_free) {
                        flow->name = take_ptr(name);
                        return 0;
                }
        }
}

/* The command, up to the first %; a backslash there keeps what follows it, and leaves only a % alone. */
static int read_shell_line(const char **at, char **ret_command) {
        cleanup_(text_deinit) Text command = {};
        const char *text = *at;

        for (; *text && *text != '%'; text++) {
                if (*text == '\\' && text[1] != '%')
                        text_add_char(&command, *text);
                if (*text == '\\' && text[1])
                        text++;
                text_add_char(&command, *text);
        }
        *at = text;
        return text_finish(&command, ret_command);
}

/* The input behind the first %: each further one ends a line, and "\%" is a %. The manager ends the last line. */
static int set_input(ImportedFlow *flow, const char *at) {
        cleanup_(text_deinit) Text input = {};
        cleanup_free_ char *text = NULL;
        const char *const begin = at;
        int r;

        if (!*at)
                return 0;
        for (; *at && strcmp(at, "%") != 0; at++)
                if (*at == '%')
                        text_add(&input, "\\n");
                else if (*at == '\\' && at[1] == '%')
                        text_add_char(&input, *++at);
                else if (*at == '\\')
                        text_add(&input, "\\\\");
                else if (*at == ' ' && (at == begin || !at[1]))
                        text_add(&input, "\\x20");
                else
                        text_add_char(&input, *at);
        text_add(&flow->settings, "StandardInput=data\n");
        if (input.n == 0)
                text_add(&flow->settings, "StandardInputData=Cg==\n");
        r = text_finish(&input, &text);
        if (r == 0 && *text)
                import_add_setting(&flow->settings, "StandardInputText", text);
        return r;
}

static void set_environment(CronReader *reader, ImportedFlow *flow) {
        const char *home = value_of(reader, "HOME");

        import_add_setting(&flow->settings, "WorkingDirectory", home && *home ? home : "~");
        for (size_t i = 0; i < reader->variables.n; i++)
                if (!is_of_cron(reader->variables.items[i].name))
                        import_add_environment(&flow->settings, reader->variables.items[i].name,
                                               reader->variables.items[i].value);
}

static int set_timer(CronReader *reader, const CronTime *time, ImportedFlow *flow) {
        const char *delay = value_of(reader, "RANDOM_DELAY"), *zone = value_of(reader, "CRON_TZ");
        uint32_t minutes = 0;

        if (time->is_reboot) {
                text_add(&flow->install, "WantedBy=default.target\n");
                return 0;
        }
        if (delay && text_parse_u32(delay, &minutes) < 0)
                return fail(reader, "RANDOM_DELAY is '%s', not a number of minutes", delay);
        cron_time_write(time, zone && *zone ? zone : NULL, &flow->timer);
        text_add(&flow->timer, "AccuracySec=1s\n");
        if (minutes > 0)
                text_addf(&flow->timer, "RandomizedDelaySec=%umin\n", minutes);
        return 0;
}

static int add_task(CronReader *reader, ImportedFlow *flow, const char *name, char *command /* taken over */) {
        const char *shell = value_of(reader, "SHELL");
        ImportTask *task;
        uint32_t at;
        int r = import_find_task(flow, name, &at);

        if (r == 0)
                r = vector_push(&flow->order, at);
        if (r < 0) {
                free(command);
                return r;
        }
        task = &flow->tasks.items[at];
        task->is_task = task->is_shell = true;
        task->line = reader->line;
        task->program = command;
        /* After a power failure cron forgets what ran; a run that waits for a person would block those after it. */
        text_add(&task->settings, "Recover=fail\n");
        return text_copy(shell && *shell ? shell : "/bin/sh", &task->shell);
}

/* The rest of a line: a user, if there is such a column, and the command. */
static int read_command(CronReader *reader, const CronTime *time, const char *rest) {
        const size_t n_user = reader->input->has_users ? strcspn(rest, " \t") : 0;
        cleanup_free_ char *user = strndup(rest, n_user), *command = NULL, *name = NULL;
        ImportedFlow *flow;
        int r;

        rest = skip_blanks(rest + n_user);
        if (user && user[strspn(user, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$")])
                return fail(reader, "'%s' is not the name of a user", user);
        if (!*rest)
                return fail(reader, "There is no command%s", reader->input->has_users ? " behind the user" : "");
        r = read_shell_line(&rest, &command);
        if (r == 0)
                r = name_command(command, &name);
        if (r == 0)
                r = import_add_flow(reader->output, &flow);
        if (r == 0)
                r = name_flow(reader, flow, name);
        if (r == 0)
                r = text_copy(command, &flow->description);
        if (r < 0 || !user)
                return r < 0 ? r : -ENOMEM;
        flow->line = reader->line;
        if (*user)
                text_addf(&flow->settings, "User=%s\n", user);
        set_environment(reader, flow);
        r = *rest == '%' ? set_input(flow, rest + 1) : 0;
        if (r == 0)
                r = set_timer(reader, time, flow);
        return r < 0 ? r : add_task(reader, flow, name, take_ptr(command));
}

static int read_line(CronReader *reader, char *text) {
        cleanup_free_ char *problem = NULL;
        const char *rest;
        CronTime time;
        int r;

        text = text + strspn(text, " \t");
        for (size_t n = strlen(text); n > 0 && isspace((unsigned char) text[n - 1]); n--)
                text[n - 1] = '\0';
        if (!*text || *text == '#')
                return 0;
        r = read_variable(reader, text);
        if (r != 0)
                return r < 0 ? r : 0;
        /* Of SuSE: the line is not written to the log. */
        if (*text == '-') {
                r = import_note(&reader->output->notes, "-", "before a time has no counterpart: starts are logged",
                                reader->line);
                text++;
        }
        if (r == 0)
                r = cron_time_parse(text, &time, &rest, &problem);
        if (r == -EINVAL)
                return fail(reader, "%s", problem);
        return r < 0 ? r : read_command(reader, &time, rest);
}

int import_crontab(const ImportInput *input, ImportOutput *output) {
        CronReader reader = { .input = input, .output = output };
        int r = 0;

        for (const char *at = input->text; r == 0 && *at;) {
                size_t n = strcspn(at, "\n");
                cleanup_free_ char *line = strndup(at, n);

                reader.line++;
                r = line ? read_line(&reader, line) : -ENOMEM;
                at += n + (at[n] == '\n');
        }
        if (r == 0 && output->flows.n == 0) {
                reader.line = 0;
                r = fail(&reader, "There is no line with a time");
        }
        for (size_t i = 0; i < reader.variables.n; i++) {
                free(reader.variables.items[i].name);
                free(reader.variables.items[i].value);
        }
        vector_deinit(&reader.variables);
        return r;
}
