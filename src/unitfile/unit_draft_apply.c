/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a draft to a unit
 *
 * A draft is applied even if the unit is unusable: its relations still order
 * how it stops, if it is active. Only the settings of its type are not
 * replaced then, because the command lines that the unit was started with are
 * better than incomplete ones.
 */

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "unit/sandbox_settings.h"
#include "unitfile/file_record.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"
#include "unitfile/unit_implied.h"

static void apply_free_resources(void *settings) {
        resource_settings_free(settings);
}

static void apply_free_record(void *record) {
        file_record_free(record);
}

/* Adds the unit's aliases. A name that belongs to another loaded unit stays there, with a warning. */
static int apply_aliases(UnitDraft *draft, UnitTable *table, Unit *unit) {
        strv_foreach(alias, draft->state->sources.aliases) {
                int r = unit_table_add_name(table, unit, *alias);

                if (r == -EEXIST) {
                        Unit *other = unit_table_find(table, *alias);

                        r = other->load_state == UNIT_STUB ? unit_table_merge(table, other, unit) : -EBUSY;
                        if (r == -EBUSY || r == -EINVAL) {
                                unit_draft_report(draft, UNIT_FILE_WARNING, draft->state->sources.fragment, 0, NULL,
                                                  "The alias %s is the name of another unit that is loaded; it is "
                                                  "ignored until that one is gone.",
                                                  *alias);
                                r = 0;
                        }
                }
                if (r < 0)
                        return r;
        }
        return 0;
}

static int apply_relations(UnitDraft *draft, UnitTable *table, Unit *unit) {
        for (size_t i = 0; i < draft->relations.n; i++) {
                const DraftRelation *relation = &draft->relations.items[i];
                UnitOriginId origin;
                Unit *other;
                int r = unit_table_name(table, relation->name, &other);

                if (r == -EINVAL)
                        continue;
                if (r == 0)
                        r = unit_table_origin(table, relation->file, relation->line, relation->implied, &origin);
                if (r == 0)
                        r = unit_add_relation(unit, relation->kind, other, origin);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* @path: of the main file, owned by the table, or NULL. */
static void apply_type_settings(Unit *unit, void *settings, void (*free_settings)(void *)) {
        if (unit->type_settings)
                unit->type_settings_free(unit->type_settings);
        unit->type_settings = settings;
        unit->type_settings_free = free_settings;
}

/*
 * PrivateDevices= also sets the device policy to closed, because a device node may be outside of /dev. Without root the
 * policy cannot be set, but no node can be made either.
 */
static void apply_private_devices(const UnitDraft *draft, DraftSection *section) {
        const SandboxSettings *sandbox = section->exec ? section->exec_rare.sandbox : NULL;

        if (sandbox && sandbox->private_devices && section->resources.device_policy == RESOURCE_DEVICES_AUTO &&
            (!draft->loader->options.is_user || geteuid() == 0))
                section->resources.device_policy = RESOURCE_DEVICES_CLOSED;
}

int unit_draft_settle_section(const UnitDraft *draft, DraftSection *section, ResourceSettings **ret_resources) {
        int r = unit_draft_apply_dynamic_user(draft, section);

        if (r < 0)
                return r;
        apply_private_devices(draft, section);
        return draft_section_settle(section, ret_resources);
}

static int apply_instances(UnitDraft *draft) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < draft->instances.n; i++) {
                cleanup_(resource_settings_freep) ResourceSettings *resources = NULL;

                r = unit_draft_settle_section(draft, draft->instances.items[i], &resources);
        }
        if (r == 0 && draft->draft_type && draft->draft_type->take_instances)
                r = draft->draft_type->take_instances(draft);
        return r;
}

int unit_draft_settle(UnitDraft *draft, ResourceSettings **ret_resources) {
        int r = unit_draft_settle_section(draft, &draft->section, ret_resources);

        return r < 0 ? r : apply_instances(draft);
}

static int apply_settings(UnitDraft *draft, Unit *unit, const char *path) {
        cleanup_(resource_settings_freep) ResourceSettings *resources = NULL;
        int r = draft->load_state == UNIT_LOADED ? unit_draft_settle(draft, &resources) : 0;

        if (r < 0)
                return r;
        unit_settings_deinit(&unit->settings);
        unit->settings = draft->settings;
        unit_settings_trim(&unit->settings);
        unit->settings.fragment_path = draft->settings.fragment_path ? path : NULL;
        unit_settings_init(&draft->settings);
        draft->rare = NULL;

        if (draft->load_state == UNIT_LOADED && draft->section.own)
                apply_type_settings(unit, take_ptr(draft->section.own), draft->section.kind->release);
        else if (draft->load_state == UNIT_LOADED && settings_kind_has_resources(draft->section.kind))
                apply_type_settings(unit, take_ptr(resources), apply_free_resources);
        unit->load_state = draft->load_state;
        failure_copy(&unit->load_failure, &draft->failure);
        return 0;
}

/* Keeps a record of the files in the unit. */
static int apply_state(UnitDraft *draft, Unit *unit, const char *path) {
        FileRecord *record;
        int r = file_record_new(&record, draft->state, unit->id, path);

        draft->state = file_state_free(draft->state);
        if (r < 0)
                return r;
        if (unit->file_state)
                unit->file_state_free(unit->file_state);
        unit->file_state = record;
        unit->file_state_free = apply_free_record;
        return 0;
}

int unit_draft_apply(UnitDraft *draft, UnitTable *table, Unit *unit) {
        const char *path = NULL;
        int r = 0;

        assert(draft->load_state != UNIT_STUB);

        if (draft->state->sources.fragment)
                r = unit_table_path(table, draft->state->sources.fragment, &path);
        if (r < 0)
                return r;
        r = apply_settings(draft, unit, path);
        if (r < 0)
                return r;
        r = apply_aliases(draft, table, unit);
        if (r == 0)
                r = apply_relations(draft, table, unit);
        if (r == 0)
                r = unit_file_order_targets(unit);
        return r < 0 ? r : apply_state(draft, unit, path);
}
