/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A unit as its files say it
 *
 * The main file comes first, then the drop-ins, then what no line says. A
 * draft is complete even where its files are broken: it then says what is
 * wrong, with file and line, and no other unit suffers from it.
 */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "unit/unit_name.h"
#include "unit/unit_slice.h"
#include "unitfile/file_text.h"
#include "unitfile/mount_file.h"
#include "unitfile/unit_file_loader.h"

UnitDraft *unit_draft_free(UnitDraft *draft) {
        if (!draft)
                return NULL;
        for (size_t i = 0; i < draft->relations.n; i++)
                free(draft->relations.items[i].name);
        vector_deinit(&draft->relations);
        vector_deinit(&draft->refusals);
        failure_deinit(&draft->failure);
        unit_settings_deinit(&draft->settings);
        if (draft->own)
                draft->draft_type->release(draft->own);
        service_rare_settings_deinit(&draft->service_rare);
        exec_rare_settings_deinit(&draft->exec_rare);
        exec_terms_deinit(&draft->exec_terms);
        resource_settings_deinit(&draft->resources);
        file_values_deinit(&draft->values);
        file_state_free(draft->state);
        free(draft->name);
        free(draft);
        return NULL;
}

static int draft_make_own(UnitDraft *draft) {
        const DraftType *type = draft_type_of(draft->type);
        int r;

        if (!type)
                return 0;
        r = type->make(&draft->own);
        if (r < 0)
                return r;
        draft->draft_type = type;
        if (type->exec != DRAFT_TYPE_HAS_NOT)
                draft->exec = (ExecSettings *) ((char *) draft->own + type->exec);
        if (type->kill != DRAFT_TYPE_HAS_NOT)
                draft->kill = (KillSettings *) ((char *) draft->own + type->kill);
        return 0;
}

static int draft_new(const UnitFileLoader *loader, const char *name, bool is_supported, UnitDraft **ret_draft) {
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
        /* Where the others go to, or come from, a file system is of use. */
        draft->settings.ignore_on_isolate = draft->type == UNIT_MOUNT;
        draft->rare = unit_settings_own_rare(&draft->settings);
        if (!draft->rare)
                return -ENOMEM;
        r = file_state_new(&draft->state);
        if (r == 0)
                r = unit_sources_find(loader->names, name, &draft->state->sources);
        if (r == 0)
                r = draft_make_own(draft);
        if (r < 0)
                return r;
        draft->specifiers = (SpecifierContext) {
                .unit = draft->name,
                .fragment = draft->state->sources.fragment,
                .runtime_directory = loader->runtime_directory,
                .is_user = loader->options.is_user,
        };
        *ret_draft = take_ptr(draft);
        return 0;
}

/* — saying what is wrong — */

/* A rule between settings knows no line: the last one that says the setting is meant. */
static void draft_settle_place(const UnitDraft *draft, const char *setting, const char **file, unsigned *line) {
        if (*line == 0 && setting && draft->state && *file && *file == draft->state->sources.fragment)
                *line = unit_draft_find_setting(draft, setting, file);
}

static void draft_tell(const UnitDraft *draft, UnitFileSeverity severity, const char *file, unsigned line,
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
        char *message = NULL;
        va_list args;
        int n;

        if (!draft->loader->options.receiver)
                return;
        va_start(args, format);
        n = vasprintf(&message, format, args);
        va_end(args);
        draft_settle_place(draft, setting, &file, &line);
        draft_tell(draft, severity, file, line, setting, n < 0 ? "Out of memory." : message);
        if (n >= 0)
                free(message);
}

/* "file:line: Setting=: message", the first of which is the unit's failure. */
static int draft_fail(UnitDraft *draft, UnitLoadState state, const char *name, const char *file, unsigned line,
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

int unit_draft_refuse(UnitDraft *draft, const char *file, unsigned line, const char *setting, const char *format, ...) {
        cleanup_free_ char *message = NULL;
        va_list args;
        int n;

        va_start(args, format);
        n = vasprintf(&message, format, args);
        va_end(args);
        if (n < 0) {
                message = NULL;
                return -ENOMEM;
        }
        draft_settle_place(draft, setting, &file, &line);
        draft_tell(draft, UNIT_FILE_ERROR, file, line, setting, message);
        draft->is_broken = true;
        return draft_fail(draft, UNIT_BAD_SETTING, "BadUnitSetting", file, line, setting, message);
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

static int draft_add_links(UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;

        for (size_t i = 0; i < sources->links.n; i++) {
                const SourceLink *link = &sources->links.items[i];
                cleanup_free_ char *name = NULL;
                int r = unit_draft_resolve_template(draft, link->name, &name);

                if (r == -EINVAL) {
                        unit_draft_report(draft, UNIT_FILE_WARNING, link->path, 0, NULL,
                                          "The link's name does not make a unit name here; it is ignored.");
                        continue;
                }
                if (r == 0)
                        r = unit_draft_add_relation(draft, link->kind, name, link->path, 0, NULL);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* — reading — */

static int draft_fail_reading(UnitDraft *draft, const char *path, int error) {
        cleanup_free_ char *message = NULL;
        int r = text_format(&message, "It cannot be read: %s.", strerror(-error));

        if (r < 0)
                return r;
        draft_tell(draft, UNIT_FILE_ERROR, path, 0, NULL, message);
        draft->is_broken = true;
        return draft_fail(draft, UNIT_ERROR, "LoadFailed", path, 0, NULL, message);
}

/* What came of a file that has nothing to parse. */
enum {
        DRAFT_FILE_EMPTY = 1,           /* for a main file that is a mask */
        DRAFT_FILE_GONE,                /* or it never was: a link to nowhere */
};

/* Reads one file and parses it: 0, one of the above, or -ENOMEM. @dropin: which one, from 1 on; 0: the main file. */
static int draft_read_file(UnitDraft *draft, const char *path, uint32_t dropin) {
        cleanup_free_ char *text = NULL;
        FileProblem problem;
        struct stat st;
        int r = file_text_read(path, &text, &st, &problem);

        if (r == -ENOMEM || (r < 0 && file_state_note_unread(draft->state, dropin, path) < 0))
                return -ENOMEM;
        if (r == -EBADMSG)
                return unit_draft_refuse(draft, path, problem.line, NULL, "%s", problem.text);
        if (r == -ENOENT)
                return DRAFT_FILE_GONE;
        if (r < 0)
                return draft_fail_reading(draft, path, r);
        r = file_state_note(draft->state, dropin, &st, text);
        if (r < 0 || !*text)
                return r < 0 ? r : DRAFT_FILE_EMPTY;
        return unit_draft_parse(draft, path, text);
}

static int draft_read_fragment(UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;
        cleanup_free_ char *text = NULL;

        if (!sources->builtin)
                return draft_read_file(draft, sources->fragment, 0);
        text = strdup(sources->builtin);
        return text ? unit_draft_parse(draft, sources->fragment, text) : -ENOMEM;
}

/* What was refused by name: it stands only if no later line took it back. */
static int draft_judge_refusals(UnitDraft *draft) {
        for (size_t i = 0; i < draft->refusals.n; i++) {
                const DraftRefusal *refusal = &draft->refusals.items[i];
                int r;

                if (draft->loader->options.lenient_directives) {
                        unit_draft_report(draft, UNIT_FILE_WARNING, refusal->file, refusal->line,
                                          refusal->directive->name,
                                          "This is not supported; the unit runs without it.");
                        continue;
                }
                r = unit_draft_refuse(draft, refusal->file, refusal->line, refusal->directive->name,
                                      "This is not supported, and without it %s.", refusal->directive->reason);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int draft_copy_paths(UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;

        draft->settings.fragment_path = sources->fragment;
        return strv_copy(sources->dropins, &draft->rare->dropin_paths);
}

static int draft_set_masked(UnitDraft *draft) {
        const char *fragment = draft->state->sources.fragment;

        draft->load_state = UNIT_MASKED;
        failure_set(&draft->failure, -ERFKILL, "UnitMasked", "Unit %s is masked%s%s.", draft->name,
                    fragment ? " by " : "", fragment ? fragment : "");
        return fragment ? draft_copy_paths(draft) : 0;
}

static int draft_refuse_type(UnitDraft *draft) {
        cleanup_free_ char *message = NULL;
        const char *fragment = draft->state->sources.fragment;
        int r = text_format(&message, "Unit type %s is not supported by this version.", unit_type_to_string(draft->type));

        if (r < 0)
                return r;
        draft_tell(draft, UNIT_FILE_ERROR, fragment, 0, NULL, message);
        draft->load_state = UNIT_ERROR;
        failure_set(&draft->failure, -EOPNOTSUPP, "LoadFailed", "%s: Unit type %s is not supported by this version.",
                    fragment, unit_type_to_string(draft->type));
        return 0;
}

static int draft_set_not_found(UnitDraft *draft) {
        draft->load_state = UNIT_NOT_FOUND;
        failure_set(&draft->failure, -ENOENT, "NoSuchUnit", "Unit %s not found.", draft->name);
        return 0;
}

static int draft_read_files(UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;
        uint32_t n_dropins = 0;
        int r = sources->fragment ? draft_read_fragment(draft) : 0;

        if (r == DRAFT_FILE_EMPTY)
                return draft_set_masked(draft);
        if (r == DRAFT_FILE_GONE)
                return draft_set_not_found(draft);
        strv_foreach(dropin, draft->state->sources.dropins)
                if (r >= 0)
                        r = draft_read_file(draft, *dropin, ++n_dropins);
        if (r >= 0)
                r = draft_judge_refusals(draft);
        if (r >= 0)
                r = draft_copy_paths(draft);
        if (r >= 0)
                r = draft_add_links(draft);
        if (r >= 0 && draft->type == UNIT_SLICE && !unit_slice_is_valid(draft->name))
                r = unit_draft_refuse(draft, sources->fragment, 0, NULL, "'%s' is no name of a slice, like 'a.slice' or "
                                                                          "'a-b.slice' inside of it.", draft->name);
        if (r >= 0 && draft->draft_type && draft->draft_type->check)
                r = draft->draft_type->check(draft);
        if (r >= 0)
                r = unit_draft_add_implied(draft);
        if (r >= 0 && !draft->is_supported)
                r = draft_refuse_type(draft);
        return r < 0 ? r : 0;
}

static int draft_set_bad_alias(UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;
        const char *path = sources->fragment ? sources->fragment : sources->id;
        cleanup_free_ char *message = NULL;
        int r = text_format(&message, "It is no usable alias: %s.", sources->problem);

        if (r < 0)
                return r;
        draft_tell(draft, UNIT_FILE_ERROR, path, 0, NULL, message);
        draft->is_broken = true;
        return draft_fail(draft, UNIT_ERROR, "LoadFailed", path, 0, NULL, message);
}

/* A slice needs no file to be a place for others, and may have drop-ins; nor does a mount that is there. */
static int draft_read_nothing(UnitDraft *draft) {
        int r = 0;

        if (draft->type == UNIT_SLICE && draft->is_supported && unit_slice_is_valid(draft->name))
                return draft_read_files(draft);
        if (draft->type == UNIT_MOUNT && draft->is_supported)
                r = mount_draft_find(draft);
        if (r < 0)
                return r;
        return r > 0 ? unit_draft_add_implied(draft) : draft_set_not_found(draft);
}

static int draft_read_found(UnitDraft *draft) {
        switch (draft->state->sources.found) {
        case NAME_FOUND_NOTHING:
                return draft_read_nothing(draft);
        case NAME_FOUND_FILE:
                return draft_read_files(draft);
        case NAME_FOUND_MASK:
                return draft_set_masked(draft);
        case NAME_FOUND_ALIAS:
                draft->load_state = UNIT_STUB;
                return 0;
        case NAME_FOUND_BAD_ALIAS:
                return draft_set_bad_alias(draft);
        }
        return 0;
}

int unit_draft_read_text(const UnitFileLoader *loader, const char *name, const char *path, const char *text,
                         UnitDraft **ret_draft) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        UnitSources *sources;
        int r;

        r = draft_new(loader, name, true, &draft);
        if (r < 0)
                return r;
        sources = &draft->state->sources;
        unit_sources_deinit(sources);
        *sources = (UnitSources) { .found = NAME_FOUND_FILE, .id = strdup(name), .fragment = strdup(path), .builtin = text };
        if (!sources->id || !sources->fragment)
                return -ENOMEM;
        draft->specifiers.fragment = sources->fragment;
        r = draft_read_files(draft);
        if (r < 0)
                return r;
        *ret_draft = take_ptr(draft);
        return 0;
}

int unit_draft_read(const UnitFileLoader *loader, const char *name, bool is_supported, UnitDraft **ret_draft) {
        cleanup_(unit_draft_freep) UnitDraft *draft = NULL;
        int r;

        assert(loader);
        assert(unit_name_is_valid(name));
        assert(ret_draft);

        r = draft_new(loader, name, is_supported, &draft);
        if (r == 0)
                r = draft_read_found(draft);
        if (r == 0)
                r = file_values_finish(&draft->values, &draft->state->values);
        if (r < 0)
                return r;
        *ret_draft = take_ptr(draft);
        return 0;
}
