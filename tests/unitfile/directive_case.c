/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of directives
 */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "directive_case.h"

#define ANY_TEXT " takes any text"

/* The unit of each section: the lines of its type without which it is refused. */
static const struct CaseUnit {
        const char *section, *name;
        const char *own;                /* the section of the type, which .lines are of */
        const char *lines[3];
        const char *header;             /* of an instance, where the section has such */
        const char *more;               /* text in front */
        const char *instead[2];         /* directives that stand in place of the first line */
} units[] = {
        { "Unit", "x.service", "Service", { "ExecStart=/bin/true" } },
        { "Install", "x.service", "Service", { "ExecStart=/bin/true" } },
        { "Service", "x.service", "Service", { "ExecStart=/bin/true", "RestartSteps=5", "RestartMaxDelaySec=1min" } },
        { "Socket", "x.socket", "Socket", { "ListenStream=/run/x" } },
        { "Mount", "mnt.mount", "Mount", { "What=tmpfs", "Type=tmpfs" } },
        { "Timer", "x.timer", "Timer", { "OnBootSec=1h" } },
        { "Path", "x.path", "Path", { "PathExists=/x" } },
        { "Scope", "x.scope", "Scope", {} },
        { "Slice", "x.slice", "Slice", {} },
        { "Flow", "x.flow", "Flow", {}, .more = "[Node a]\n" },
        { "Node *", "x.flow", "Flow", {}, .header = "Node a", .more = "[Node b]\n" },
        { "Batch", "x.batch", "Batch", { "Items=10", "Exec=/bin/true", "ItemMode=pool" },
          .instead = { "ItemsCommand=", "ItemsFile=" } },
        { "Stream", "x.stream", "Stream", { "Exec=/bin/true" } },
        { "Policy *", "x.flow", "Flow", {}, .header = "Policy a", .more = "[Node b]\n" },
};

static const struct CaseUnit *unit_of(const DirectiveSection *section) {
        for (size_t i = 0; i < ELEMENTSOF(units); i++)
                if (strcmp(units[i].section, section->name) == 0)
                        return &units[i];
        cr_fatal("[%s] has no unit that its directives can be tried in: see tests/unitfile/directive_case.c",
                 section->name);
        return NULL;
}

/* Is the directive of @assignment assigned in @lines, too? */
static bool is_assigned(const char *assignment, const char *lines) {
        size_t n = strcspn(assignment, "=") + 1;

        for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n')
                if (strncmp(line, assignment, n) == 0)
                        return true;
        return false;
}

static bool is_replaced(const struct CaseUnit *unit, size_t line, const char *lines) {
        for (size_t i = 0; i < ELEMENTSOF(unit->instead) && unit->instead[i] && line == 0; i++)
                if (is_assigned(unit->instead[i], lines))
                        return true;
        return false;
}

static char *make_file(const DirectiveSection *section, const char *lines) {
        const struct CaseUnit *unit = unit_of(section);
        Text text = {};
        char *file;

        text_addf(&text, "%s[%s]\n", unit->more ? unit->more : "", unit->own);
        for (size_t i = 0; i < ELEMENTSOF(unit->lines) && unit->lines[i]; i++)
                if (!is_assigned(unit->lines[i], lines) && !is_replaced(unit, i, lines))
                        text_addf(&text, "%s\n", unit->lines[i]);
        text_addf(&text, "[%s]\n%s", unit->header ? unit->header : section->name, lines);
        cr_assert(eq(int, text_finish(&text, &file), 0));
        return file;
}

/* The folder has the name that files of scopes must be in. */
Unit *directive_case_load(FileWorld *world, const DirectiveSection *section, const char *lines,
                          const UnitVTable *const *types, UnitHost *host) {
        cleanup_free_ char *folder = NULL, *path = NULL, *file = make_file(section, lines);
        Unit *unit;

        cr_assert(eq(int, text_format(&folder, "%s/transient", world->root), 0));
        cr_assert(eq(int, text_format(&path, "transient/%s", unit_of(section)->name), 0));
        file_write(world, path, file);
        world->options.search_path = (char *[]){ folder, NULL };
        file_world_restart(world);
        if (host)
                unit_table_set_host(world->table, host);
        for (size_t i = 0; types && types[i]; i++)
                unit_table_set_type(world->table, types[i]);
        unit = file_load(world, unit_of(section)->name);
        world->options.search_path = world->search_path;
        file_remove(world, path);
        return unit;
}

const char *directive_case_try(FileWorld *world, const DirectiveSection *section, const char *directive,
                               const char *value) {
        cleanup_free_ char *line = NULL;

        cr_assert(eq(int, text_format(&line, "%s=%s\n", directive, value), 0));
        (void) directive_case_load(world, section, line, NULL, NULL);
        return file_said(world);
}

bool directive_case_is_accepted(const Directive *row, const char *said) {
        cleanup_(strv_freep) char **remarks = NULL;

        cr_assert(strv_split(said, "\n", &remarks) >= 0);
        strv_foreach(remark, remarks)
                if (**remark && !strstr(*remark, ": This kernel has no ") &&
                    !(row->renamed_to && strstr(*remark, ": This is the old name of ")))
                        return false;
        return true;
}

/* — the file of cases — */

static void read_case(const char *text, DirectiveCase *ret_case) {
        size_t n = strcspn(text, "!= ");
        cleanup_free_ char *name = strndup(text, n);

        ret_case->directive = ret_case->section ? directive_find(ret_case->section, name) : NULL;
        cr_assert(ret_case->directive != NULL, "line %u: [%s] has no directive '%s'", ret_case->line,
                  ret_case->section ? ret_case->section->name : "", name);
        if (strcmp(text + n, ANY_TEXT) == 0) {
                ret_case->kind = CASE_ANY_TEXT;
                return;
        }
        ret_case->kind = text[n] == '!' ? CASE_REFUSED : CASE_ACCEPTED;
        n += text[n] == '!';
        cr_assert(text[n] == '=', "line %u is no case: '%s'", ret_case->line, text);
        ret_case->value = strdup(text + n + 1);
}

static const DirectiveSection *read_section(char *line, unsigned number) {
        const DirectiveSection *section;

        line[strcspn(line, "]")] = '\0';
        section = directive_section_find(line + 1);
        cr_assert(section != NULL, "line %u: there is no section [%s]", number, line + 1);
        return section;
}

DirectiveCases *directive_cases_read(void) {
        DirectiveCases *cases = calloc(1, sizeof(*cases));
        const DirectiveSection *section = NULL;
        FILE *file = fopen(DIRECTIVE_VALUES, "re");
        char line[1024];

        cr_assert(cases != NULL && file != NULL, "%s", DIRECTIVE_VALUES);
        for (unsigned number = 1; fgets(line, sizeof(line), file); number++) {
                DirectiveCase new = { .section = section, .line = number };

                line[strcspn(line, "\n")] = '\0';
                if (line[0] == '[')
                        section = read_section(line, number);
                if (!isalpha((unsigned char) line[0]))
                        continue;
                read_case(line, &new);
                cr_assert(eq(int, vector_push(&cases->items, new), 0));
        }
        fclose(file);
        return cases;
}

DirectiveCases *directive_cases_free(DirectiveCases *cases) {
        for (size_t i = 0; i < cases->items.n; i++)
                free(cases->items.items[i].value);
        vector_deinit(&cases->items);
        free(cases);
        return NULL;
}

bool directive_cases_have(const DirectiveCases *cases, const Directive *directive, DirectiveCaseKind kind) {
        for (size_t i = 0; i < cases->items.n; i++)
                if (cases->items.items[i].directive == directive && cases->items.items[i].kind == kind)
                        return true;
        return false;
}
