/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From files to a draft
 *
 * The main file is read first, then the drop-ins; then the implied
 * dependencies are added. A draft is complete even if its files have errors:
 * it contains the errors with file and line, and no other unit is affected.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unit/unit_name.h"
#include "unitfile/file_text.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_hint.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

static int draft_add_links(UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;

        for (size_t i = 0; i < sources->links.n; i++) {
                const SourceLink *link = &sources->links.items[i];
                cleanup_free_ char *name = NULL;
                int r = unit_draft_resolve_template(draft, link->name, &name);

                if (r == -EINVAL) {
                        unit_draft_report(draft, UNIT_FILE_WARNING, link->path, 0, NULL,
                                          "The name of the link gives no valid unit name here; the link is ignored.");
                        continue;
                }
                if (r == 0)
                        r = unit_draft_add_relation(draft, link->kind, name, link->path, 0, NULL);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int draft_fail_reading(UnitDraft *draft, const char *path, int error) {
        cleanup_free_ char *message = NULL;
        int r = text_format(&message, "The file cannot be read: %s.", strerror(-error));

        if (r < 0)
                return r;
        unit_draft_tell(draft, UNIT_FILE_ERROR, path, 0, NULL, message);
        draft->is_broken = true;
        return unit_draft_fail(draft, UNIT_ERROR, "LoadFailed", path, 0, NULL, message);
}

/* Results for a file without text. */
enum {
        DRAFT_FILE_EMPTY = 1, /* a main file that is a mask */
        DRAFT_FILE_GONE, /* removed, or a link to a missing file */
};

static int draft_parse(UnitDraft *draft, const char *path, char *text) {
        DirectiveSections known;
        int r = draft->draft_type && draft->draft_type->note_text ? draft->draft_type->note_text(draft, text) : 0;

        known.items = directive_sections(&known.n);
        return r < 0 ? r : unit_draft_parse(draft, &known, path, text);
}

/* Reads the text that sections ask for, as if it were further drop-ins. */
static int draft_read_implied(UnitDraft *draft) {
        const DraftType *type = draft->draft_type;
        const char *file;
        char *text;
        int r = 0;

        while (type && type->imply && (r = type->imply(draft, &file, &text)) > 0) {
                r = draft_parse(draft, file, text);
                free(text);
                if (r < 0)
                        return r;
        }
        return r;
}

/* Reads and parses one file: 0, one of the above, or -ENOMEM. @dropin: its number, counted from 1; 0: the main file. */
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
        return draft_parse(draft, path, text);
}

static int draft_read_fragment(UnitDraft *draft) {
        const UnitSources *sources = &draft->state->sources;
        cleanup_free_ char *text = NULL;

        if (!sources->builtin)
                return draft_read_file(draft, sources->fragment, 0);
        text = strdup(sources->builtin);
        return text ? draft_parse(draft, sources->fragment, text) : -ENOMEM;
}

/* Reports refused directives that no later line has reset. */
static int draft_judge_refusals(UnitDraft *draft) {
        for (size_t i = 0; i < draft->refusals.n; i++) {
                const DraftRefusal *refusal = &draft->refusals.items[i];
                int r;

                if (draft->loader->options.lenient_directives) {
                        unit_draft_report(draft, UNIT_FILE_WARNING, refusal->file, refusal->line,
                                          refusal->directive->name,
                                          "This directive is not supported; the unit runs without it.");
                        continue;
                }
                r = unit_draft_refuse(draft, refusal->file, refusal->line, refusal->directive->name,
                                      "This directive is not supported, and without it %s.",
                                      refusal->directive->reason);
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
        int r = text_format(&message, "Unit type %s is not supported by this version.",
                            unit_type_to_string(draft->type));

        if (r < 0)
                return r;
        unit_draft_tell(draft, UNIT_FILE_ERROR, fragment, 0, NULL, message);
        draft->load_state = UNIT_ERROR;
        failure_set(&draft->failure, -EOPNOTSUPP, "LoadFailed", "%s: Unit type %s is not supported by this version.",
                    fragment, unit_type_to_string(draft->type));
        return 0;
}

static int draft_set_not_found(UnitDraft *draft) {
        cleanup_free_ char *hint = NULL;
        int r = unit_file_hint(draft->loader, draft->name, &hint);

        if (r < 0)
                return r;
        draft->load_state = UNIT_NOT_FOUND;
        failure_set(&draft->failure, -ENOENT, "NoSuchUnit", "Unit %s not found%s.", draft->name, hint);
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
        for (size_t i = 0; r >= 0 && i < draft->instances.n; i++)
                r = unit_draft_parse_kept(draft, draft->instances.items[i]);
        if (r >= 0)
                r = draft_read_implied(draft);
        if (r >= 0)
                r = draft_judge_refusals(draft);
        if (r >= 0)
                r = draft_copy_paths(draft);
        if (r >= 0)
                r = draft_add_links(draft);
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
        int r = text_format(&message, "The alias is not usable: %s.", sources->problem);

        if (r < 0)
                return r;
        unit_draft_tell(draft, UNIT_FILE_ERROR, path, 0, NULL, message);
        draft->is_broken = true;
        return unit_draft_fail(draft, UNIT_ERROR, "LoadFailed", path, 0, NULL, message);
}

static int draft_read_nothing(UnitDraft *draft) {
        const DraftType *type = draft->draft_type;
        int r = type && type->find && draft->is_supported ? type->find(draft) : 0;

        if (r < 0)
                return r;
        if (r == 0)
                return draft_set_not_found(draft);
        return type->is_found_with_dropins ? draft_read_files(draft) : unit_draft_add_implied(draft);
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

        r = unit_draft_new(loader, name, draft_type_of(unit_name_type(name)), true, &draft);
        if (r < 0)
                return r;
        sources = &draft->state->sources;
        /* Specifiers name the file that the unit has now. */
        draft->fragment = take_ptr(sources->fragment);
        draft->specifiers.fragment = draft->fragment;
        unit_sources_deinit(sources);
        *sources = (UnitSources) {
                .found = NAME_FOUND_FILE, .id = strdup(name), .fragment = strdup(path), .builtin = text
        };
        if (!sources->id || !sources->fragment)
                return -ENOMEM;
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

        r = unit_draft_new(loader, name, draft_type_of(unit_name_type(name)), is_supported, &draft);
        if (r == 0)
                r = draft_read_found(draft);
        if (r == 0)
                r = file_values_finish(&draft->values, &draft->state->values);
        if (r < 0)
                return r;
        *ret_draft = take_ptr(draft);
        return 0;
}
