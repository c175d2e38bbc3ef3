/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The settings into which a section is read
 *
 * While files are read, rare settings are collected beside their struct; they
 * are allocated and attached only if there are any.
 */

#include <errno.h>
#include <stdlib.h>

#include "basic/macro.h"
#include "unitfile/draft_section.h"

int draft_section_init(DraftSection *section, const SettingsKind *kind, UnitDraft *draft) {
        int r = kind && kind->make ? kind->make(&section->own) : 0;

        if (r < 0)
                return r;
        section->kind = kind;
        if (section->own && kind->exec != SETTINGS_HAVE_NOT)
                section->exec = (ExecSettings *) ((char *) section->own + kind->exec);
        if (section->own && kind->kill != SETTINGS_HAVE_NOT)
                section->kill = (KillSettings *) ((char *) section->own + kind->kill);
        section->target = (DirectiveTarget) {
                .draft = draft,
                .bases = {
                        [DIRECTIVE_IN_TYPE] = section->own,
                        [DIRECTIVE_IN_EXEC] = section->exec,
                        [DIRECTIVE_IN_EXEC_RARE] = section->exec ? &section->exec_rare : NULL,
                        [DIRECTIVE_IN_EXEC_TERMS] = section->exec ? &section->exec_terms : NULL,
                        [DIRECTIVE_IN_KILL] = section->kill,
                        [DIRECTIVE_IN_RESOURCES] = settings_kind_has_resources(kind) ? &section->resources : NULL,
                        [DIRECTIVE_IN_ITEM] = section->own && kind->item > 0
                                                      ? *(void **) ((char *) section->own + kind->item)
                                                      : NULL,
                },
        };
        return 0;
}

void draft_section_deinit(DraftSection *section) {
        if (section->own)
                section->kind->release(section->own);
        section->own = NULL;
        exec_rare_settings_deinit(&section->exec_rare);
        exec_terms_deinit(&section->exec_terms);
        resource_settings_deinit(&section->resources);
        for (size_t i = 0; i < section->lines.n; i++)
                free(section->lines.items[i].value);
        vector_deinit(&section->lines);
        free(take_ptr(section->name));
}

int draft_section_settle(DraftSection *section, ResourceSettings **ret_resources) {
        cleanup_(resource_settings_freep) ResourceSettings *resources = NULL;
        int r = 0;

        if (section->exec)
                r = exec_terms_take(&section->exec_terms, &section->exec_rare.terms);
        if (r == 0 && section->exec)
                r = exec_settings_take_rare(section->exec, &section->exec_rare);
        if (r == 0)
                r = resource_settings_take(&section->resources, &resources);
        if (r < 0)
                return r;
        if (section->own && section->kind->resources != SETTINGS_HAVE_NOT)
                *(ResourceSettings **) ((char *) section->own + section->kind->resources) = take_ptr(resources);
        *ret_resources = take_ptr(resources);
        return 0;
}
