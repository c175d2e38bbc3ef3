/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Writes doc/directives.md from the tables that unit files are read by, or, with --check, tells whether it is current
 *
 * LIST has the directives that systemd knows (tools/record-directives). Each directive
 * of a section that jobd reads must have a row: one without a row is reported as unknown, like a typing mistake.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/directive.h"
#include "whole_file.h"

/* What systemd knows: "Section.Name". */
static char **known;

static int read_known(const char *path) {
        cleanup_free_ char *text = NULL;
        const char *section = "";
        char *save = NULL;
        int r = whole_file_read(path, &text);

        for (char *line = r < 0 ? NULL : strtok_r(text, "\n", &save); line && r >= 0; line = strtok_r(NULL, "\n", &save)) {
                cleanup_free_ char *entry = NULL;

                if (line[0] == '[') {
                        line[strlen(line) - 1] = '\0';
                        section = line + 1;
                        continue;
                }
                r = text_format(&entry, "%s.%s", section, line);
                if (r >= 0)
                        r = strv_push(&known, entry);
        }
        return r;
}

static bool is_known(const char *section, const char *name) {
        size_t n = strlen(section);

        strv_foreach(entry, known)
                if (strncmp(*entry, section, n) == 0 && (*entry)[n] == '.' && strcmp(*entry + n + 1, name) == 0)
                        return true;
        return false;
}

static bool section_has(const DirectiveSection *section, const DirectiveTable *table) {
        for (size_t i = 0; i < DIRECTIVE_SECTION_TABLES_MAX && section->tables[i]; i++)
                if (section->tables[i] == table)
                        return true;
        return false;
}

/* Does systemd know it in one of the sections that have this table? */
static bool is_known_in(const DirectiveTable *table, const char *name) {
        size_t n;
        const DirectiveSection *sections = directive_sections(&n);

        for (size_t i = 0; i < n; i++)
                if (section_has(&sections[i], table) && is_known(sections[i].name, name))
                        return true;
        return false;
}

static const char *table_title(const DirectiveTable *table) {
        if (table->directives == exec_directives)
                return ": execution";
        if (table->directives == kill_directives)
                return ": killing";
        if (table->directives == resource_directives)
                return ": resource control";
        if (table->directives == resource_limit_directives)
                return ": resource control in bytes and tasks";
        return "";
}

/* Why a name is not in systemd's list; NULL: nobody has said. */
static const char *origin(const char *name) {
        static const char *const own[] = { "JobPriority", "NotifyFd", "ReloadLimitBurst", "ReloadLimitIntervalSec",
                                           "RestartJitter", "RestartOnDependency", "RestartResetSec" };
        static const char *const dropped[] = { "Capabilities", "FsckPassNo", "IgnoreOnSnapshot", "SysVStartPriority" };
        static const char *const newer[] = {
                "AcceptFileDescriptors", "AssertFirmware", "AssertKernelModuleLoaded", "AssertVersion",
                "BindLogSockets", "ConcurrencyHardMax", "ConcurrencySoftMax", "ConditionKernelModuleLoaded",
                "ConditionVersion", "CoredumpReceive", "DefaultStartupMemoryLow", "DeferTrigger",
                "DeferTriggerMaxSec", "DelegateSubgroup", "ExtensionImagePolicy", "FileDescriptorStorePreserve",
                "ImportCredential", "LogFilterPatterns", "ManagedOOMMemoryPressureDurationSec", "MemoryKSM",
                "MemoryPressureThresholdSec", "MemoryPressureWatch", "MemoryTHP", "MemoryZSwapMax",
                "MemoryZSwapWriteback", "MountImagePolicy", "NFTSet", "OpenFile", "PassFileDescriptorsToExec",
                "PassPIDFD", "PollLimitBurst", "PollLimitIntervalSec", "PrivateBPF", "PrivatePIDs", "PrivateTmpEx",
                "ProtectControlGroupsEx", "ReloadSignal", "RestartMaxDelaySec", "RestartMode", "RestartSteps",
                "RootEphemeral", "RootImagePolicy", "SetLoginEnvironment", "StartupMemoryHigh", "StartupMemoryLow",
                "StartupMemoryMax", "StartupMemorySwapMax", "StartupMemoryZSwapMax", "SurviveFinalKillSignal",
                "UpheldBy", "UserNamespacePath", "WantsMountsFor"
        };

        for (size_t i = 0; i < ELEMENTSOF(own); i++)
                if (strcmp(own[i], name) == 0)
                        return "jobd's own";
        for (size_t i = 0; i < ELEMENTSOF(dropped); i++)
                if (strcmp(dropped[i], name) == 0)
                        return "dropped by systemd before 252";
        for (size_t i = 0; i < ELEMENTSOF(newer); i++)
                if (strcmp(newer[i], name) == 0)
                        return "not in systemd 252";
        if (text_starts_with(name, "Readiness") || text_starts_with(name, "Liveness"))
                return "jobd's own";
        return NULL;
}

static void add_note(Text *text, const char **before, const char *note, const char *name, const char *after) {
        text_addf(text, "%s%s%s%s", *before, note, name, after);
        *before = "; ";
}

/* Is the table of a unit type that systemd does not have? */
static bool is_of_own_type(const DirectiveTable *table) {
        return table->directives == run_directives || table->directives == flow_directives ||
               table->directives == node_directives || table->directives == policy_directives ||
               table->directives == batch_directives || table->directives == stream_directives ||
               table->directives == ending_run_directives;
}

static bool needs_origin(const DirectiveTable *table, const Directive *row) {
        return !is_known_in(table, row->name) && !is_of_own_type(table);
}

static void add_row(Text *text, const DirectiveTable *table, const Directive *row) {
        static const char *const statuses[] = {
                [DIRECTIVE_SUPPORTED] = "supported",
                [DIRECTIVE_IGNORED] = "ignored",
                [DIRECTIVE_REFUSED] = "**refused**",
        };
        const DirectiveSection *unit = directive_section_find("Unit");
        const char *before = " ";

        text_addf(text, "| `%s=` | %s |", row->name, statuses[row->status]);
        if (row->renamed_to)
                add_note(text, &before, "old name of `", row->renamed_to, "=`");
        if (row->reason && *row->reason)
                add_note(text, &before, row->status == DIRECTIVE_REFUSED ? "without it " : "", row->reason, "");
        if (!row->renamed_to && !section_has(unit, table) && directive_find(unit, row->name))
                add_note(text, &before, "now in [Unit]", "", "");
        if (needs_origin(table, row) && origin(row->name))
                add_note(text, &before, origin(row->name), "", "");
        text_add(text, " |\n");
}

static void add_head(Text *text) {
        text_add(text, "\n| Directive | | |\n|---|---|---|\n");
}

static void add_table(Text *text, const DirectiveTable *table) {
        size_t n;
        const DirectiveSection *sections = directive_sections(&n);

        text_add(text, "\n##");
        for (size_t i = 0; i < n; i++)
                if (section_has(&sections[i], table))
                        text_addf(text, " [%s]", sections[i].name);
        text_addf(text, "%s\n", table_title(table));
        add_head(text);
        for (size_t i = 0; i < *table->n; i++)
                add_row(text, table, &table->directives[i]);
}

/* A section of systemd that jobd does not read, as it does not support the type of unit. */
static void add_unread(Text *text, const char *section) {
        size_t n;
        const DirectiveTable *tables = directive_tables(&n);
        size_t length = strlen(section);

        text_addf(text, "\n## [%s]\n\nUnits of this type are refused as a whole: \"Unit type … is not supported by this version.\"\n",
                  section);
        add_head(text);
        strv_foreach(entry, known) {
                DirectiveSection shared = { .name = section };
                size_t n_shared = 0;

                for (size_t i = 0; i < n; i++)
                        if (*table_title(&tables[i]))
                                shared.tables[n_shared++] = &tables[i];
                if (strncmp(*entry, section, length) == 0 && (*entry)[length] == '.' &&
                    !directive_find(&shared, *entry + length + 1))
                        text_addf(text, "| `%s=` | **refused** | with the unit |\n", *entry + length + 1);
        }
}

static const char introduction[] =
        "# Directives\n\n"
        "All directives of unit files, with their support by jobd: those of systemd 252, newer ones, and jobd's own. The\n"
        "build writes this file from the tables of the unit file parser: `ninja -C build directive-text`.\n\n"
        "- **supported**: the directive has the effect described in jobd.unit(5), which is that of systemd.\n"
        "- **ignored**: the directive has no effect and causes a warning. The note says why that does no harm.\n"
        "- **refused**: the unit cannot be started, because without the directive it could do more or less than intended;\n"
        "  the note says what. With `UnsupportedDirectives=warn` in jobd.conf the unit runs without it. Values without\n"
        "  an effect (`no`, an empty list) are accepted.\n\n"
        "Directives that several sections share are in one table. Names that begin with `X-` are ignored silently.\n";

static int make_text(char **ret_text) {
        static const char *const others[] = { "Socket", "Mount", "Scope", "Automount", "Swap" };
        cleanup_(text_deinit) Text text = {};
        size_t n, counts[3] = {};
        const DirectiveTable *tables = directive_tables(&n);

        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < *tables[i].n; k++)
                        counts[tables[i].directives[k].status]++;
        text_add(&text, introduction);
        text_addf(&text, "\n%zu are supported, %zu ignored, %zu refused.\n", counts[DIRECTIVE_SUPPORTED],
                  counts[DIRECTIVE_IGNORED], counts[DIRECTIVE_REFUSED]);
        for (size_t i = 0; i < n; i++)
                add_table(&text, &tables[i]);
        for (size_t i = 0; i < ELEMENTSOF(others); i++)
                if (!directive_section_find(others[i]))
                        add_unread(&text, others[i]);
        return text_finish(&text, ret_text);
}

/* The number of systemd's directives without a row. */
static size_t count_missing(void) {
        size_t n_missing = 0;

        strv_foreach(entry, known) {
                char *dot = strchr(*entry, '.');
                const DirectiveSection *section;

                *dot = '\0';
                section = directive_section_find(*entry);
                *dot = '.';
                if (!section || directive_find(section, dot + 1))
                        continue;
                fprintf(stderr, "%s: systemd has this directive, and no table of jobd does.\n", *entry);
                n_missing++;
        }
        return n_missing;
}

/* The number of directives that systemd does not know and that no list of origin() has. */
static size_t count_without_origin(void) {
        size_t n, n_found = 0;
        const DirectiveTable *tables = directive_tables(&n);

        for (size_t t = 0; t < n; t++)
                for (size_t i = 0; i < *tables[t].n; i++)
                        if (needs_origin(&tables[t], &tables[t].directives[i]) && !origin(tables[t].directives[i].name)) {
                                fprintf(stderr, "%s: systemd 252 does not have this directive; origin() must say why.\n",
                                        tables[t].directives[i].name);
                                n_found++;
                        }
        return n_found;
}

int main(int argc, char **argv) {
        bool is_check = argc == 4 && strcmp(argv[1], "--check") == 0;
        const char *path = argv[argc - 1];
        cleanup_free_ char *text = NULL, *there = NULL;
        int r;

        if (argc != 3 && !is_check) {
                fprintf(stderr, "Usage: %s [--check] LIST FILE\n", argv[0]);
                return 2;
        }
        r = read_known(argv[argc - 2]);
        if (r >= 0)
                r = make_text(&text);
        if (r >= 0)
                r = is_check ? whole_file_read(path, &there) : whole_file_write(path, text);
        if (r < 0)
                fprintf(stderr, "%s: %s\n", path, strerror(-r));
        else if (is_check && strcmp(text, there) != 0) {
                fprintf(stderr, "%s is out of date: run \"ninja directive-text\" in the build folder.\n", path);
                r = -ESTALE;
        }
        if (count_without_origin() + count_missing() > 0)
                r = -ENOENT;
        strv_free(known);
        return r < 0;
}
