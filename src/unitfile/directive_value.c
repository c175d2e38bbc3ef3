/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parsers of values
 *
 * A field changes only if the whole value is valid, so a bad line keeps the
 * value of earlier lines.
 */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "basic/usec.h"
#include "unitfile/directive_value.h"
#include "unitfile/exit_name.h"
#include "unitfile/file_word.h"
#include "unitfile/unit_draft.h"

void *directive_base(const DirectiveLine *line, DirectiveBase base) {
        assert(line->target->bases[base]);

        return line->target->bases[base];
}

void *directive_field(const DirectiveLine *line) {
        return (char *) directive_base(line, (DirectiveBase) line->directive->base) + line->directive->offset;
}

int directive_complain(const DirectiveLine *line, const char *format, ...) {
        cleanup_free_ char *message = NULL;
        va_list args;
        int r;

        va_start(args, format);
        r = text_vformat(&message, format, args);
        va_end(args);
        if (r < 0)
                return r;
        if (line->directive->is_strict)
                return unit_draft_refuse(line->target->draft, line->file, line->line, line->directive->name, "%s.",
                                         message);
        unit_draft_report(line->target->draft, UNIT_FILE_WARNING, line->file, line->line, line->directive->name,
                          "%s; the line is ignored.", message);
        return 0;
}

void directive_note(const DirectiveLine *line, UnitFileSeverity severity, const char *format, ...) {
        cleanup_free_ char *message = NULL;
        va_list args;

        va_start(args, format);
        (void) text_vformat(&message, format, args);
        va_end(args);
        unit_draft_report(line->target->draft, severity, line->file, line->line, line->directive->name, "%s",
                          message ? message : "Out of memory.");
}

int directive_expand(const DirectiveLine *line, const char *value, char **ret_text) {
        cleanup_free_ char *problem = NULL;
        int r = specifier_expand(&line->target->draft->specifiers, value, ret_text, &problem);

        if (r == SPECIFIER_LEFT)
                directive_note(line, UNIT_FILE_WARNING, "In '%s': %s; it is left unchanged.", value, problem);
        if (r >= 0)
                return 1;
        /* A placeholder for a value of the run is never a line to be left out. */
        if (r == -EINVAL && line->target->draft->specifiers.has_expressions)
                return unit_draft_refuse(line->target->draft, line->file, line->line, line->directive->name,
                                         "In '%s': %s.", value, problem);
        return r == -EINVAL ? directive_complain(line, "In '%s': %s", value, problem) : r;
}

bool directive_simplify_path(char *path) {
        bool is_absolute = path[0] == '/';
        char *to = path;
        const char *from = path;

        while (*from) {
                size_t n;

                from += strspn(from, "/");
                n = strcspn(from, "/");
                if (n == 2 && from[0] == '.' && from[1] == '.')
                        return false;
                if (n > 0 && !(n == 1 && from[0] == '.')) {
                        if (is_absolute || to > path)
                                *to++ = '/';
                        memmove(to, from, n);
                        to += n;
                }
                from += n;
        }
        if (is_absolute && to == path)
                *to++ = '/';
        *to = '\0';
        return true;
}

int directive_expand_path(const DirectiveLine *line, const char *value, char **ret_path) {
        cleanup_free_ char *path = NULL;
        int r = directive_expand(line, value, &path);

        if (r <= 0)
                return r;
        if (path[0] != '/')
                return directive_complain(line, "'%s' is not an absolute path", path);
        if (!directive_simplify_path(path))
                return directive_complain(line, "The path '%s' contains '..'", path);
        *ret_path = take_ptr(path);
        return 1;
}

int directive_next_word(const DirectiveLine *line, const char **at, char **ret_word) {
        cleanup_free_ char *word = NULL;
        int r = file_word_next(at, FILE_WORD_UNQUOTE | FILE_WORD_UNESCAPE, &word);

        if (r == -EINVAL) {
                r = directive_complain(line, "'%s' has an unclosed quote or an unknown escape", *at);
                return r < 0 ? r : -EINVAL;
        }
        if (r <= 0)
                return r;
        r = directive_expand(line, word, ret_word);
        return r == 0 ? -EINVAL : r;
}

int directive_parse_bool(const DirectiveLine *line, const char *value) {
        int r = text_parse_bool(value);

        if (r < 0)
                return directive_complain(line, "'%s' is neither 'yes' nor 'no'", value);
        *(bool *) directive_field(line) = r > 0;
        return 0;
}

int directive_parse_i32(const DirectiveLine *line, const char *value) {
        int32_t number;

        if (text_parse_i32(value, &number) < 0)
                return directive_complain(line, "'%s' is not a whole number between -2147483648 and 2147483647", value);
        *(int32_t *) directive_field(line) = number;
        return 0;
}

int directive_parse_u32(const DirectiveLine *line, const char *value) {
        uint32_t number;

        if (text_parse_u32(value, &number) < 0)
                return directive_complain(line, "'%s' is not a whole number between 0 and 4294967295", value);
        *(uint32_t *) directive_field(line) = number;
        return 0;
}

int directive_parse_seconds(const DirectiveLine *line, const char *value) {
        usec_t usec;

        if (usec_parse(value, USEC_PER_SEC, &usec) < 0)
                return directive_complain(line, "'%s' is not a time span such as '90', '1min 30s' or 'infinity'",
                                          value);
        *(usec_t *) directive_field(line) = usec;
        return 0;
}

int directive_parse_time_limit(const DirectiveLine *line, const char *value) {
        usec_t *field = directive_field(line);
        int r = directive_parse_seconds(line, value);

        if (r == 0 && *field == 0)
                *field = USEC_INFINITY;
        return r;
}

/* The words of all enums of unit files: a string table can be asked for one word, but not listed. */
static const char *const enum_words[] = {
        "yes", "no", "none", "off", "auto", "always", "on-success", "on-failure", "on-abnormal", "on-abort",
        "on-watchdog",
        "control-group", "mixed", "process", "main", "exec", "all", "normal", "direct", "debug", "terminate", "abort",
        "kill",
        "continue", "stop", "inactive", "inactive-or-failed", "exit", "exit-force", "reboot", "reboot-force",
        "reboot-immediate", "poweroff", "poweroff-force", "poweroff-immediate", "halt", "halt-force", "halt-immediate",
        "kexec", "kexec-force", "soft-reboot", "soft-reboot-force", "inherit", "private", "shared", "slave",
        "read-only",
        "tmpfs", "full", "strict", "noaccess", "invisible", "ptraceable", "default", "pid", "disabled", "enabled",
        "restart",
        "both", "ipv6-only", "us", "ns", "closed", "tcp", "udp", "data", "resolve",
        "queue", "reject", "skip", "replace", "end", "suspend", "drain", "wait", "interrupt", "fixed", "linear",
        "exponential", "retry", "pending", "fail", "node", "attempt", "file", "stdin", "env", "pool",
        "accepted", "finished", "start", "try-restart", "reload",
        "reload-or-restart", "reload-or-try-restart", "job", "active", "replace-irreversibly", "isolate", "flush",
        "last", "ignore-dependencies", "ignore-requirements", "triggering", "restart-dependencies", "lenient",
};

int directive_complain_choice(const DirectiveLine *line, const char *value) {
        const char *choices[ELEMENTSOF(enum_words)], *nearest;
        cleanup_(text_deinit) Text list = {};
        cleanup_free_ char *text = NULL;
        size_t n = 0;
        int r;

        for (size_t i = 0; i < ELEMENTSOF(enum_words); i++)
                if (line->directive->from_string(enum_words[i]) >= 0)
                        choices[n++] = enum_words[i];
        for (size_t i = 0; i < n; i++)
                text_addf(&list, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", choices[i]);
        r = text_finish(&list, &text);
        if (r < 0)
                return r;
        nearest = text_nearest(value, choices, n);
        return directive_complain(line, "'%s' is none of %s%s%s%s", value, text, nearest ? " (did you mean '" : "",
                                  nearest ? nearest : "", nearest ? "'?)" : "");
}

int directive_parse_enum(const DirectiveLine *line, const char *value) {
        int found = *value ? line->directive->from_string(value) : 0;

        if (found < 0)
                return directive_complain_choice(line, value);
        *(int *) directive_field(line) = found;
        return 0;
}

static void directive_set_string(const DirectiveLine *line, char *string) {
        char **field = directive_field(line);

        free(*field);
        *field = string;
}

int directive_parse_string(const DirectiveLine *line, const char *value) {
        char *text = NULL;
        int r = *value ? directive_expand(line, value, &text) : 1;

        if (r > 0)
                directive_set_string(line, text);
        return r < 0 ? r : 0;
}

int directive_parse_path(const DirectiveLine *line, const char *value) {
        char *path = NULL;
        int r = *value ? directive_expand_path(line, value, &path) : 1;

        if (r > 0)
                directive_set_string(line, path);
        return r < 0 ? r : 0;
}

int directive_parse_list(const DirectiveLine *line, const char *value, DirectiveJudge judge) {
        char ***field = directive_field(line);
        const char *at = value;

        if (!*value) {
                *field = strv_free(*field);
                return 0;
        }
        for (;;) {
                cleanup_free_ char *word = NULL;
                int r = directive_next_word(line, &at, &word);

                if (r <= 0)
                        return r == -EINVAL ? 0 : r;
                r = judge ? judge(line, &word) : 1;
                if (r > 0)
                        r = strv_consume(field, take_ptr(word));
                if (r < 0)
                        return r;
        }
}

int directive_parse_strings(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, NULL);
}

static int directive_judge_path(const DirectiveLine *line, char **word) {
        if ((*word)[0] != '/')
                return directive_complain(line, "'%s' is not an absolute path", *word);
        if (!directive_simplify_path(*word))
                return directive_complain(line, "The path '%s' contains '..'", *word);
        return 1;
}

int directive_parse_paths(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, directive_judge_path);
}

const char *directive_unit_name_hint(const char *word) {
        if (strchr(word, ','))
                return " (names are separated by blanks, not by commas)";
        if (strchr(word, '/'))
                return " (it contains a '/')";
        if (!strchr(word, '.'))
                return " (its type is missing, such as '.service')";
        return "";
}

static int directive_judge_unit_name(const DirectiveLine *line, char **word) {
        if (!unit_name_is_valid(*word))
                return directive_complain(line, "'%s' is not a unit name%s", *word, directive_unit_name_hint(*word));
        return 1;
}

int directive_parse_unit_names(const DirectiveLine *line, const char *value) {
        return directive_parse_list(line, value, directive_judge_unit_name);
}

int directive_parse_ignored(const DirectiveLine *line, const char *value) {
        directive_note(line, UNIT_FILE_WARNING, "This directive is not supported; the line is ignored: %s.",
                       line->directive->reason);
        return 0;
}

/* Returns true for values that turn a restriction off or reset a list. */
static bool value_asks_for_nothing(const char *value) {
        return !*value || text_parse_bool(value) == 0 || strcmp(value, "inherit") == 0 ||
                strcmp(value, "private") == 0 ||
               strcmp(value, "default") == 0 || strcmp(value, "auto") == 0 || strcmp(value, "all") == 0;
}

int directive_parse_refused(const DirectiveLine *line, const char *value) {
        UnitDraft *draft = line->target->draft;
        DraftRefusal refusal = {
                .directive = line->directive, .target = line->target, .file = line->file, .line = line->line };
        size_t kept = 0;

        if (!value_asks_for_nothing(value))
                return vector_push(&draft->refusals, refusal);
        for (size_t i = 0; i < draft->refusals.n; i++)
                if (draft->refusals.items[i].directive != line->directive ||
                    draft->refusals.items[i].target != line->target)
                        draft->refusals.items[kept++] = draft->refusals.items[i];
        draft->refusals.n = kept;
        return 0;
}

int directive_parse_signal(const DirectiveLine *line, const char *value) {
        int signal = signal_from_name(value);

        if (signal < 0)
                return directive_complain(line, "'%s' is not a signal such as SIGTERM", value);
        *(int *) directive_field(line) = signal;
        return 0;
}
