/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data of a draft: settings, messages, relations
 *
 * Value parsers, checks and implied dependencies all write into the draft by
 * these functions, so this file calls none of them. unit_draft_read.c reads
 * the files.
 */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/unit_file_loader.h"

static void free_instance(DraftSection *instance) {
        draft_section_deinit(instance);
        free(instance);
}

UnitDraft *unit_draft_free(UnitDraft *draft) {
        if (!draft)
                return NULL;
        for (size_t i = 0; i < draft->relations.n; i++)
                free(draft->relations.items[i].name);
        vector_deinit(&draft->relations);
        vector_deinit(&draft->refusals);
        for (size_t i = 0; i < draft->typos.n; i++)
                free(draft->typos.items[i].key);
        vector_deinit(&draft->typos);
        free(draft->fragment);
        failure_deinit(&draft->failure);
        unit_settings_deinit(&draft->settings);
        draft_section_deinit(&draft->section);
        for (size_t i = 0; i < draft->instances.n; i++)
                free_instance(draft->instances.items[i]);
        vector_deinit(&draft->instances);
        index_table_deinit(&draft->by_instance);
        service_rare_settings_deinit(&draft->service_rare);
        draft_lists_deinit(&draft->lists);
        file_values_deinit(&draft->values);
        file_state_free(draft->state);
        free(draft->name);
        free(draft);
        return NULL;
}

int unit_draft_new(const UnitFileLoader *loader, const char *name, const DraftType *type, bool is_supported,
                   UnitDraft **ret_draft) {
        cleanup_(unit_draft_freep) UnitDraft *draft = calloc(1, sizeof(*draft));
        int r;

        if (!draft)
                return -ENOMEM;
        unit_settings_init(&draft->settings);
        draft->loader = loader;
        draft->name = strdup(name);
        if (!draft->name)
                return -ENOMEM;
        draft->type = unit_name_type(name);
        draft->is_supported = is_supported;
        draft->load_state = UNIT_LOADED;
        draft->draft_type = type;
        draft->settings.ignore_on_isolate = type && type->ignores_isolate;
        draft->rare = unit_settings_own_rare(&draft->settings);
        if (!draft->rare)
                return -ENOMEM;
        r = file_state_new(&draft->state);
        if (r == 0)
                r = unit_sources_find(loader->names, name, type && type->is_found_with_dropins,
                                      &draft->state->sources);
        if (r == 0)
                r = draft_section_init(&draft->section, type && type->has_settings ? &type->settings : NULL, draft);
        if (r < 0)
                return r;
        draft->section.target.bases[DIRECTIVE_IN_UNIT] = &draft->settings;
        draft->section.target.bases[DIRECTIVE_IN_UNIT_RARE] = draft->rare;
        draft->section.target.bases[DIRECTIVE_IN_SERVICE_RARE] = &draft->service_rare;
        draft->specifiers = (SpecifierContext) {
                .unit = draft->name,
                .fragment = draft->state->sources.fragment,
                .runtime_directory = loader->runtime_directory,
                .is_user = loader->options.is_user,
                .has_expressions = unit_type_has_runs(draft->type),
        };
        *ret_draft = take_ptr(draft);
        return 0;
}

bool unit_draft_name_is_of_instance(const char *name) {
        size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

        return n > 0 && n <= UNIT_NAME_MAX && !name[n];
}

DraftSection *unit_draft_find_instance(const UnitDraft *draft, const char *section, const char *name) {
        size_t probe = 0;
        uint32_t at;

        while (index_table_next(&draft->by_instance, index_table_hash(name), &probe, &at)) {
                DraftSection *instance = draft->instances.items[at];

                if (strcmp(instance->section->name, section) == 0 && strcmp(instance->name, name) == 0)
                        return instance;
        }
        return NULL;
}

int unit_draft_open_instance(UnitDraft *draft, const DirectiveSection *section, const char *name, const char *file,
                             unsigned line, DraftSection **ret_instance) {
        DraftSection *instance = unit_draft_find_instance(draft, section->name, name);
        int r;

        if (instance) {
                *ret_instance = instance;
                return 0;
        }
        r = index_table_reserve(&draft->by_instance, 1);
        if (r < 0)
                return r;
        instance = calloc(1, sizeof(*instance));
        if (!instance)
                return -ENOMEM;
        instance->section = section;
        instance->file = file;
        instance->line = line;
        instance->name = strdup(name);
        r = instance->name ? draft_section_init(instance, section->instances, draft) : -ENOMEM;
        if (r == 0)
                r = vector_push(&draft->instances, instance);
        if (r < 0) {
                free_instance(instance);
                return r;
        }
        *ret_instance = instance;
        return index_table_put(&draft->by_instance, index_table_hash(name), (uint32_t) (draft->instances.n - 1));
}

/* — messages — */

/* A rule between settings has no line number: the last line that assigns the setting is reported. */
static void draft_settle_place(const UnitDraft *draft, const char *setting, const char **file, unsigned *line) {
        if (*line == 0 && setting && draft->state && *file && *file == draft->state->sources.fragment)
                *line = unit_draft_find_setting(draft, setting, file);
}

void unit_draft_tell(const UnitDraft *draft, UnitFileSeverity severity, const char *file, unsigned line,
                     const char *setting, const char *message) {
        const UnitFileOptions *options = &draft->loader->options;
        cleanup_free_ char *clean = NULL;
        UnitFileDiagnostic diagnostic = {
                .severity = severity,
                .unit = draft->name,
                .file = file,
                .line = line,
                .setting = setting,
        };

        if (!options->receiver)
                return;
        diagnostic.message = text_escape_control(message, &clean) < 0 ? "Out of memory." : clean;
        options->receiver(options->userdata, &diagnostic);
}

void unit_draft_report(const UnitDraft *draft, UnitFileSeverity severity, const char *file, unsigned line,
                       const char *setting, const char *format, ...) {
        cleanup_free_ char *message = NULL;
        va_list args;

        if (draft->is_quiet || !draft->loader->options.receiver)
                return;
        va_start(args, format);
        (void) text_vformat(&message, format, args);
        va_end(args);
        draft_settle_place(draft, setting, &file, &line);
        unit_draft_tell(draft, severity, file, line, setting, message ? message : "Out of memory.");
}

/* Stores "file:line: Setting=: message" as the unit's failure, unless there is one. */
int unit_draft_fail(UnitDraft *draft, UnitLoadState state, const char *name, const char *file, unsigned line,
                    const char *setting, const char *message) {
        cleanup_free_ char *clean = NULL;
        char place[16] = "";

        if (draft->load_state != UNIT_LOADED)
                return 0;
        draft->load_state = state;
        if (text_escape_control(message, &clean) < 0)
                return -ENOMEM;
        if (line > 0)
                snprintf(place, sizeof(place), ":%u", line);
        failure_set(&draft->failure, state == UNIT_BAD_SETTING ? -ENOEXEC : -EIO, name,
                    "%s%s: %s%s%s Correct the file, then reload the unit files ('jobctl daemon-reload').", file, place,
                    setting ? setting : "", setting ? "=: " : "", clean);
        return 0;
}

/* The effects that a message ends with. */
static const char line_is_ignored[] = "; the line is ignored.", unit_is_refused[] = "; the unit is refused.";

size_t unit_draft_length_without_effect(const char *message) {
        size_t n = strlen(message);

        if (text_ends_with(message, line_is_ignored))
                return n - strlen(line_is_ignored);
        if (text_ends_with(message, unit_is_refused))
                return n - strlen(unit_is_refused);
        return n > 0 && message[n - 1] == '.' ? n - 1 : n;
}

void unit_draft_note_typo(UnitDraft *draft, const char *file, unsigned line, const char *key, const char *meant) {
        DraftTypo typo = { .meant = meant, .file = file, .line = line };

        if (draft->is_quiet || text_copy(key, &typo.key) < 0)
                return;
        if (vector_push(&draft->typos, typo) < 0)
                free(typo.key);
}

/* A missing setting may stand misspelt in an ignored line: the failure names both, as nobody sees the warning. */
static int add_typo(const UnitDraft *draft, unsigned line, const char *setting, char **message) {
        char *longer;
        int r;

        for (size_t i = 0; i < draft->typos.n && line == 0 && setting; i++) {
                const DraftTypo *typo = &draft->typos.items[i];

                if (strcmp(typo->meant, setting) != 0)
                        continue;
                r = text_format(&longer, "%s There is %s= in %s:%u, which is ignored: did you mean %s=?", *message,
                                typo->key, typo->file, typo->line, setting);
                if (r < 0)
                        return r;
                free(*message);
                *message = longer;
                return 0;
        }
        return 0;
}

int unit_draft_refuse(UnitDraft *draft, const char *file, unsigned line, const char *setting, const char *format, ...) {
        cleanup_free_ char *message = NULL, *with_effect = NULL;
        va_list args;
        int r;

        if (draft->is_quiet)
                return 0;
        va_start(args, format);
        r = text_vformat(&message, format, args);
        va_end(args);
        if (r < 0)
                return r;
        r = text_format(&with_effect, "%.*s%s", (int) unit_draft_length_without_effect(message), message,
                        unit_is_refused);
        if (r < 0)
                return r;
        draft_settle_place(draft, setting, &file, &line);
        unit_draft_tell(draft, UNIT_FILE_ERROR, file, line, setting, with_effect);
        draft->is_broken = true;
        r = add_typo(draft, line, setting, &message);
        return r < 0 ? r : unit_draft_fail(draft, UNIT_BAD_SETTING, "BadUnitSetting", file, line, setting, message);
}

/* — relations — */

int unit_draft_resolve_template(const UnitDraft *draft, const char *name, char **ret_name) {
        const char *unit = draft->name;
        cleanup_free_ char *instance = NULL;
        int r;

        if (!unit_name_is_template(name)) {
                *ret_name = strdup(name);
                return *ret_name ? 0 : -ENOMEM;
        }
        if (unit_name_is_instance(unit))
                r = unit_name_instance(unit, &instance);
        else
                r = unit_name_prefix(unit, &instance);
        return r < 0 ? r : unit_name_replace_instance(name, instance, ret_name);
}

int unit_draft_add_relation(UnitDraft *draft, UnitRelationKind kind, const char *name, const char *file, unsigned line,
                            const char *implied) {
        DraftRelation relation = { .kind = kind, .file = file, .line = line, .implied = implied };
        int r;

        if (strcmp(name, draft->name) == 0)
                return 0;
        relation.name = strdup(name);
        if (!relation.name)
                return -ENOMEM;
        r = vector_push(&draft->relations, relation);
        if (r < 0)
                free(relation.name);
        return r;
}
