/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The abstract unit
 *
 * The life of a unit: created as a stub, loaded, used, freed. Names and index
 * belong to the table; the relations have their own file.
 */

#include <assert.h>
#include <string.h>

#include "basic/strv.h"
#include "unit/unit_private.h"

static int fallback_init(Unit *unit) {
        return 0;
}

static void fallback_deinit(Unit *unit) {
}

const UnitVTable unit_fallback_vtable = {
        .type = _UNIT_TYPE_INVALID,
        .interface = "Unit",
        .init = fallback_init,
        .deinit = fallback_deinit,
};

int unit_adopt_type(Unit *unit) {
        const UnitVTable *vtable = unit->table->types[unit->type];
        int r;

        if (!vtable || unit->vtable == vtable)
                return 0;

        r = vtable->init(unit);
        if (r < 0)
                return r;
        unit->vtable = vtable;
        return 0;
}

int unit_new(UnitTable *table, const char *id, Unit **ret_unit) {
        cleanup_(unit_freep) Unit *unit = NULL;
        size_t size = strlen(id) + 1;
        int r;

        assert(table);
        assert(unit_name_is_valid(id));
        assert(ret_unit);

        unit = calloc(1, sizeof(*unit) + size);
        if (!unit)
                return -ENOMEM;

        unit->table = table;
        unit->type = unit_name_type(id);
        memcpy(unit->id_text, id, size);
        unit->id = unit->only_name[0] = unit->id_text;
        unit->names = unit->only_name;
        unit->vtable = &unit_fallback_vtable;
        unit_settings_init(&unit->settings);
        r = unit_adopt_type(unit);
        if (r < 0)
                return r;

        *ret_unit = take_ptr(unit);
        return 0;
}

static void unit_drop_contents(Unit *unit) {
        unit->vtable->deinit(unit);
        unit->vtable = &unit_fallback_vtable;
        unit->state_of_type = NULL;

        if (unit->type_settings)
                unit->type_settings_free(unit->type_settings);
        unit->type_settings = NULL;
        if (unit->file_state)
                unit->file_state_free(unit->file_state);
        unit->file_state = NULL;

        unit_settings_deinit(&unit->settings);
        failure_deinit(&unit->load_failure);
}

Unit *unit_free(Unit *unit) {
        if (!unit)
                return NULL;

        unit_drop_contents(unit);
        unit_relations_free(unit);
        unit_drop_aliases(unit);
        free(unit);
        return NULL;
}

int unit_push_name(Unit *unit, const char *name) {
        char **names = NULL, *copy;

        assert(unit);

        if (unit->names != unit->only_name)
                return strv_push(&unit->names, name);

        /* An array of four: room for two names and the NULL, and a power of two, as strv_push() expects. */
        copy = strdup(name);
        names = calloc(4, sizeof(*names));
        if (!copy || !names) {
                free(copy);
                free(names);
                return -ENOMEM;
        }
        names[0] = unit->id_text;
        names[1] = copy;
        unit->names = names;
        return 0;
}

void unit_drop_aliases(Unit *unit) {
        if (unit->names == unit->only_name)
                return;
        for (size_t i = 1; unit->names[i]; i++)
                free(unit->names[i]);
        free(unit->names);
        unit->names = unit->only_name;
}

void unit_reset(Unit *unit) {
        assert(unit);

        unit_drop_contents(unit);
        unit_settings_init(&unit->settings);
        unit->load_state = UNIT_STUB;
        unit->active_state = UNIT_INACTIVE;
        unit->inactive_exit = unit->active_enter = unit->active_exit = (UnitTimestamp) {};
        unit->inactive_enter = unit->state_change = unit->conditions_checked = (UnitTimestamp) {};
        memset(unit->invocation_id, 0, sizeof(unit->invocation_id));
        unit->condition_result = unit->assert_result = 0;
        unit->needs_reload = false;

        /* If this fails, loading the unit adopts the type; until then the unit has no operations. */
        (void) unit_adopt_type(unit);
}

const char *unit_description(const Unit *unit) {
        assert(unit);

        return unit->settings.description ?: unit->id;
}

Unit *unit_ref(Unit *unit) {
        assert(unit);
        assert(unit->n_references < UINT32_MAX);

        unit->n_references++;
        return unit;
}

Unit *unit_unref(Unit *unit) {
        if (!unit)
                return NULL;
        assert(unit->n_references > 0);

        unit->n_references--;
        return NULL;
}

bool unit_has_name(const Unit *unit, const char *name) {
        assert(unit);
        assert(name);

        return strv_contains(unit->names, name);
}
