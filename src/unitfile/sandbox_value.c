/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of sandbox directives
 *
 * The settings are allocated by the first of these lines, so a unit without
 * any has none.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unitfile/directive_value.h"
#include "unitfile/file_word.h"
#include "unitfile/sandbox_value.h"
#include "unitfile/unit_draft.h"
#include "unitfile/unit_file_loader.h"

/* NULL: out of memory. */
static SandboxSettings *settings_of(const DirectiveLine *line) {
        ExecRareSettings *rare = directive_base(line, DIRECTIVE_IN_EXEC_RARE);

        if (!rare->sandbox)
                rare->sandbox = calloc(1, sizeof(*rare->sandbox));
        if (rare->sandbox)
                rare->sandbox->is_lenient = line->target->draft->loader->options.lenient_directives;
        return rare->sandbox;
}

static void *field_of(const DirectiveLine *line) {
        SandboxSettings *settings = settings_of(line);

        return settings ? (char *) settings + line->directive->argument : NULL;
}

int sandbox_parse_bool(const DirectiveLine *line, const char *value) {
        int yes = *value ? text_parse_bool(value) : 0;
        bool *field;

        if (yes < 0)
                return directive_complain(line, "'%s' is neither 'yes' nor 'no'", value);
        field = field_of(line);
        if (!field)
                return -ENOMEM;
        *field = yes > 0;
        return 0;
}

int sandbox_parse_path(const DirectiveLine *line, const char *value) {
        cleanup_free_ char *path = NULL;
        char **field;
        int r = *value ? directive_expand_path(line, value, &path) : 1;

        if (r <= 0)
                return r;
        field = field_of(line);
        if (!field)
                return -ENOMEM;
        free(*field);
        *field = take_ptr(path);
        return 0;
}

int sandbox_parse_enum(const DirectiveLine *line, const char *value) {
        int found = *value ? line->directive->from_string(value) : 0;
        int yes = text_parse_bool(value), *field;

        if (found < 0 && yes >= 0)
                found = line->directive->from_string(yes ? "yes" : "no");
        if (found < 0)
                return directive_complain_choice(line, value);
        field = field_of(line);
        if (!field)
                return -ENOMEM;
        *field = found;
        return 0;
}

int sandbox_parse_mount_api(const DirectiveLine *line, const char *value) {
        int yes = *value ? text_parse_bool(value) : 0;
        SandboxSettings *settings;

        if (yes < 0)
                return directive_complain(line, "'%s' is neither 'yes' nor 'no'", value);
        settings = settings_of(line);
        if (!settings)
                return -ENOMEM;
        settings->has_mount_api_vfs = *value;
        settings->mount_api_vfs = yes > 0;
        return 0;
}

/* Passes each word of @value, with unresolved specifiers, to @take; 0, also for a bad word (reported), or -ENOMEM. */
static int parse_words(const DirectiveLine *line, const char *value, SandboxPathKind kind,
                       int (*take)(const DirectiveLine *line, SandboxSettings *settings, SandboxPathKind kind,
                                   const char *word)) {
        SandboxSettings *settings = settings_of(line);
        const char *at = value;
        int r = settings ? 0 : -ENOMEM;

        if (r == 0 && !*value)
                sandbox_settings_drop_paths(settings, kind);
        while (r == 0) {
                cleanup_free_ char *word = NULL;

                r = file_word_next(&at, FILE_WORD_UNQUOTE | FILE_WORD_KEEP_ESCAPES, &word);
                if (r == -EINVAL)
                        return directive_complain(line, "'%s' has an unclosed quote", at);
                if (r <= 0)
                        return r;
                r = take(line, settings, kind, word);
        }
        return r;
}

static int take_path(const DirectiveLine *line, SandboxSettings *settings, SandboxPathKind kind, const char *word) {
        cleanup_free_ char *path = NULL;
        SandboxPath row = { .kind = kind };
        int r;

        if (*word == '-') {
                row.is_optional = true;
                word++;
        }
        if (*word == '+') {
                row.is_below_root = true;
                word++;
        }
        r = directive_expand_path(line, word, &path);
        if (r <= 0)
                return r;
        row.path = path;
        return sandbox_settings_add_path(settings, &row);
}

int sandbox_parse_paths(const DirectiveLine *line, const char *value) {
        return parse_words(line, value, (SandboxPathKind) line->directive->argument, take_path);
}

/* Takes the part of *@at up to a ':', unescaped ("\:" is a literal colon); *@at is NULL after the last. */
static int take_part(const char **at, char **ret_part) {
        Text part = {};
        const char *from = *at;

        while (*from && *from != ':') {
                if (*from == '\\' && (from[1] == ':' || from[1] == '\\'))
                        from++;
                text_add_char(&part, *from++);
        }
        *at = *from ? from + 1 : NULL;
        return text_finish(&part, ret_part);
}

static int take_bind(const DirectiveLine *line, SandboxSettings *settings, SandboxPathKind kind, const char *word) {
        cleanup_free_ char *outside = NULL, *inside = NULL, *option = NULL, *source = NULL, *path = NULL;
        SandboxPath row = { .kind = kind };
        int r;

        if (*word == '-') {
                row.is_optional = true;
                word++;
        }
        r = take_part(&word, &outside);
        if (r == 0 && word)
                r = take_part(&word, &inside);
        if (r == 0 && word)
                r = take_part(&word, &option);
        if (r < 0)
                return r;
        if (word || (option && *option && strcmp(option, "rbind") != 0 && strcmp(option, "norbind") != 0))
                return directive_complain(line, "'%s' is not an option; it is 'rbind' or 'norbind'", word ? word :
                                          option);
        row.is_alone = option && strcmp(option, "norbind") == 0;
        r = directive_expand_path(line, outside, &source);
        if (r > 0)
                r = directive_expand_path(line, inside && *inside ? inside : outside, &path);
        if (r <= 0)
                return r;
        row.source = source;
        row.path = path;
        return sandbox_settings_add_path(settings, &row);
}

int sandbox_parse_binds(const DirectiveLine *line, const char *value) {
        return parse_words(line, value, (SandboxPathKind) line->directive->argument, take_bind);
}

static int take_temporary(const DirectiveLine *line, SandboxSettings *settings, SandboxPathKind kind,
                          const char *word) {
        cleanup_free_ char *name = NULL, *path = NULL, *options = NULL;
        SandboxPath row = { .kind = kind };
        int r;

        r = take_part(&word, &name);
        if (r == 0)
                r = directive_expand_path(line, name, &path);
        if (r > 0 && word)
                r = directive_expand(line, word, &options);
        if (r <= 0)
                return r;
        row.path = path;
        row.options = options && *options ? options : NULL;
        return sandbox_settings_add_path(settings, &row);
}

int sandbox_parse_temporary(const DirectiveLine *line, const char *value) {
        return parse_words(line, value, SANDBOX_TEMPORARY, take_temporary);
}
