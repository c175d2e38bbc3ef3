/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Unit files: lines, words, specifiers, directives and their values
 *
 * An input says what the unit is, and has its file and perhaps, after a NUL, a drop-in. The unit is loaded as a manager
 * does it, with the real types. Its file is written again in a plain form, one logical line after the other, without
 * comments and continuations: then its settings, relations and properties are the same. Each message is a sentence about
 * a line that exists.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/strv.h"
#include "basic/text.h"
#include "double/double_sink.h"
#include "double/double_unit.h"
#include "fuzz.h"
#include "types/unit_types.h"
#include "unitfile/file_text.h"
#include "unitfile/file_word.h"
#include "unitfile/specifier.h"
#include "unitfile/unit_file.h"

enum {
        FLAG_USER = 1 << 0,
        FLAG_LENIENT = 1 << 1,
        FLAG_VERIFY = 1 << 2,           /* looks at users, programs, paths */
        FLAG_RAW = 1 << 3,              /* the file has all of the input, with its NULs */
        FLAG_DEFAULTS = 1 << 4,
};

static const struct {
        const char *unit, *file;
} names[] = {
        { "a.service", "a.service" }, { "t@a-b\\x20c.service", "t@.service" }, { "a.socket", "a.socket" },
        { "a.timer", "a.timer" },     { "a.path", "a.path" },                  { "mnt-a.mount", "mnt-a.mount" },
        { "a.target", "a.target" },   { "a-b.slice", "a-b.slice" },            { "a.scope", "a.scope" },
        { "a.flow", "a.flow" },
};

/* — what is asked — */

typedef struct Files {
        const char *unit;               /* borrowed: the name */
        unsigned flags;
        char path[128], folder[160], dropin[192];
        unsigned n_lines;               /* of the longer one */
        unsigned n_errors;
} Files;

static unsigned count_lines(const char *text, size_t n) {
        unsigned lines = 1;

        for (size_t i = 0; i < n; i++)
                lines += text[i] == '\n';
        return lines;
}

static void receive(void *userdata, const UnitFileDiagnostic *diagnostic) {
        Files *files = userdata;

        fuzz_check(diagnostic->message && *diagnostic->message && text_is_utf8(diagnostic->message));
        fuzz_check(diagnostic->line <= files->n_lines + 1);
        fuzz_check(diagnostic->file && *diagnostic->file);
        files->n_errors += diagnostic->severity == UNIT_FILE_ERROR;
}

static UnitFileOptions options_of(Files *files) {
        static char *folders[2];

        folders[0] = (char *) fuzz_folder();
        return (UnitFileOptions) {
                .search_path = folders, .is_user = files->flags & FLAG_USER, .runtime_directory = "/run/fuzz",
                .lenient_directives = files->flags & FLAG_LENIENT, .is_thorough = files->flags & FLAG_VERIFY,
                .no_default_dependencies = !(files->flags & FLAG_DEFAULTS), .receiver = receive, .userdata = files,
        };
}

static void describe_relations(const Unit *unit, Text *text) {
        for (UnitRelationKind kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelations relations = unit_relations(unit, kind);

                for (size_t i = 0; i < relations.n; i++)
                        text_addf(text, "%s %s\n", unit_relation_to_string(kind),
                                  unit_table_at(unit->table, relations.items[i].other)->id);
        }
}

static void describe_properties(const Unit *unit, Text *text) {
        const UnitProperty *property;
        DoubleSink sink;

        for (size_t i = 0; (property = unit_property_at(unit->vtable->properties, i)); i++) {
                double_sink_init(&sink);
                unit_property_write(property, unit, &sink.sink);
                fuzz_check(sink.sink.error == 0 && sink.depth == 0);
                text_addf(text, "%s=%s\n", property->name, double_sink_string(&sink));
                double_sink_deinit(&sink);
        }
}

/* The unit as it is after it was loaded from its files; the caller owns the text. */
static char *load(Files *files) {
        cleanup_(unit_file_loader_freep) UnitFileLoader *loader = NULL;
        cleanup_(double_world_freep) DoubleWorld *doubles = double_world_new();
        UnitFileOptions options = options_of(files);
        UnitTable *table = NULL;
        Unit *unit = NULL;
        Text text = {};
        char *description;

        files->n_errors = 0;
        fuzz_check(unit_file_loader_new(&loader, &options) == 0 && unit_table_new(&table) == 0);
        unit_table_set_host(table, &doubles->host);
        for (size_t i = 0; unit_types[i]; i++)
                unit_table_set_type(table, unit_types[i]);
        unit_file_loader_attach(loader, table);
        fuzz_check(unit_table_load(table, files->unit, &unit) == 0);
        fuzz_check(unit->load_state != UNIT_STUB);
        fuzz_check(unit->load_state == UNIT_LOADED || unit->load_state == UNIT_MASKED ||
                   text_is_utf8(failure_message(&unit->load_failure)));
        text_addf(&text, "%s\n", unit_load_state_to_string(unit->load_state));
        if (unit->load_state == UNIT_LOADED) {
                describe_relations(unit, &text);
                describe_properties(unit, &text);
        }
        fuzz_check(text_finish(&text, &description) == 0);
        unit_table_free(table);
        return description;
}

/* — lines — */

/* Adds the logical lines of @file, one a line. False if they cannot stand for themselves. */
static bool make_plain(const char *file, char **ret_plain) {
        cleanup_free_ char *copy = strdup(file);
        cleanup_(file_lines_deinit) FileLines lines = { .next = copy };
        bool is_plain = true;
        unsigned number, last = 0;
        Text plain = {};
        char *line;
        int r;

        while ((r = file_lines_next(&lines, &line, &number)) > 0) {
                size_t n = strlen(line);

                fuzz_check(n > 0 && number > last && !strchr(line, '\n'));
                fuzz_check(!strchr(" \t", line[0]) && !strchr(" \t", line[n - 1]));
                /* It would continue, be a comment, or begin with a byte order mark. */
                is_plain = is_plain && line[n - 1] != '\\' && line[0] != '#' && line[0] != ';' && line[0] != '\xef';
                last = number;
                text_addf(&plain, "%s\n", line);
        }
        fuzz_check(r == 0 || r == -E2BIG);
        fuzz_check(text_finish(&plain, ret_plain) == 0);
        return is_plain && r == 0;
}

static void check_words(const char *text) {
        for (unsigned flags = 0; flags < 16; flags++) {
                const char *at = text;
                size_t left = strlen(text);
                char *word;
                int r;

                while ((r = file_word_next(&at, (FileWordFlags) flags, &word)) > 0) {
                        fuzz_check(strlen(at) < left);
                        left = strlen(at);
                        free(word);
                }
                fuzz_check(r == 0 ? *at == '\0' : r == -EINVAL && strlen(at) == left);
        }
}

/* A word in double quotes is taken as it is, with backslashes in front of some. */
static void check_quoting(const char *text) {
        cleanup_free_ char *quoted = NULL, *word = NULL;
        const char *at;
        Text line = {};

        text_add_char(&line, '"');
        for (const char *c = text; *c; c++) {
                if (strchr("\"\\", *c))
                        text_add_char(&line, '\\');
                text_add_char(&line, *c);
        }
        text_add(&line, "\" x");
        fuzz_check(text_finish(&line, &quoted) == 0);
        at = quoted;
        fuzz_check(file_word_next(&at, FILE_WORD_UNQUOTE | FILE_WORD_UNESCAPE, &word) == 1);
        fuzz_check_string(word, text);
        fuzz_check_string(at, "x");
}

static void check_specifiers(const char *text, unsigned flags) {
        const SpecifierContext context = { .unit = "t@a-b\\x20c.service", .fragment = "/etc/x/t@.service",
                                           .runtime_directory = "/run/x", .is_user = flags & FLAG_USER };
        cleanup_free_ char *expanded = NULL, *problem = NULL;
        int r = specifier_expand(&context, text, &expanded, &problem);

        fuzz_check(r == 0 || r == SPECIFIER_LEFT || r == -EINVAL);
        fuzz_check((r == 0) == (problem == NULL));
        fuzz_check(r < 0 || strchr(text, '%') || strcmp(text, expanded) == 0);
}

/* — a unit — */

static void write_files(Files *files, const char *file, size_t n, const char *dropin) {
        size_t n_dropin = dropin ? strlen(dropin) : 0;

        fuzz_write_file(files->path, file, n);
        files->n_lines = MAX(count_lines(file, n), count_lines(dropin, n_dropin));
        (void) unlink(files->dropin);
        (void) rmdir(files->folder);
        if (n_dropin > 0) {
                (void) mkdir(files->folder, 0700);
                fuzz_write_file(files->dropin, dropin, n_dropin);
        }
}

static void check_unit(FuzzInput *input, Files *files) {
        cleanup_free_ char *file = NULL, *dropin = NULL, *plain = NULL, *plain_dropin = NULL, *first = NULL, *second = NULL;
        bool is_plain;

        file = fuzz_string(input);
        dropin = fuzz_string(input);
        write_files(files, file, strlen(file), dropin);
        first = load(files);
        if (files->flags & FLAG_VERIFY) {
                UnitFileOptions options = options_of(files);

                fuzz_check(unit_file_verify(files->path, &options) >= 0);
        }

        /* An empty file is a mask, also if nothing is left of it. */
        is_plain = make_plain(file, &plain);
        is_plain = make_plain(dropin, &plain_dropin) && is_plain;
        if (!is_plain || !*plain || !*file || !text_is_utf8(file) || !text_is_utf8(dropin))
                return;
        write_files(files, plain, strlen(plain), plain_dropin);
        second = load(files);
        fuzz_check_string(first, second);
}

static void check_raw(FuzzInput *input, Files *files) {
        size_t n;
        cleanup_free_ char *bytes = fuzz_rest(input, &n), *description = NULL;
        FileProblem problem = {};
        int r = file_text_check(bytes, n, &problem);

        fuzz_check(r == 0 || (r == -EBADMSG && problem.text && problem.line <= count_lines(bytes, n)));
        fuzz_check(r < 0 || (strlen(bytes) == n && text_is_utf8(bytes)));
        write_files(files, bytes, n, NULL);
        description = load(files);
        fuzz_check(r == 0 || files->n_errors > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
        FuzzInput input = { bytes, bytes + n }, whole;
        unsigned choice = fuzz_choose(&input, ELEMENTSOF(names));
        Files files = { .unit = names[choice].unit, .flags = fuzz_byte(&input) };
        cleanup_free_ char *text = NULL;

        snprintf(files.path, sizeof(files.path), "%s/%s", fuzz_folder(), names[choice].file);
        snprintf(files.folder, sizeof(files.folder), "%s.d", files.path);
        snprintf(files.dropin, sizeof(files.dropin), "%s/x.conf", files.folder);
        whole = input;
        text = fuzz_string(&whole);
        check_words(text);
        check_quoting(text);
        check_specifiers(text, files.flags);
        if (files.flags & FLAG_RAW)
                check_raw(&input, &files);
        else
                check_unit(&input, &files);
        (void) unlink(files.path);
        (void) unlink(files.dropin);
        (void) rmdir(files.folder);
        return 0;
}
