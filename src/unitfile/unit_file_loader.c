/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loader
 *
 * A unit is read when a table requests it, from the folders as they are when
 * that load begins; so a new unit file can be started without a reload. A
 * loaded unit does not change until it is read again.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

UnitFileLoader *unit_file_loader_free(UnitFileLoader *loader) {
        if (!loader)
                return NULL;
        for (size_t i = 0; i < loader->prepared.n; i++)
                unit_draft_free(loader->prepared.items[i]);
        vector_deinit(&loader->prepared);
        strv_free(loader->search_path);
        free(loader->runtime_directory);
        name_map_free(loader->names);
        free(loader);
        return NULL;
}

int unit_file_loader_new(UnitFileLoader **ret_loader, const UnitFileOptions *options) {
        cleanup_(unit_file_loader_freep) UnitFileLoader *loader = calloc(1, sizeof(*loader));
        int r;

        assert(ret_loader);
        assert(options);

        if (!loader)
                return -ENOMEM;
        r = strv_copy(options->search_path, &loader->search_path);
        if (r == 0 && options->runtime_directory) {
                loader->runtime_directory = strdup(options->runtime_directory);
                r = loader->runtime_directory ? 0 : -ENOMEM;
        }
        if (r == 0)
                r = name_map_new(&loader->names, loader->search_path, options->root);
        if (r < 0)
                return r;
        if (options->no_boot_folders)
                name_map_leave_boot(loader->names, options->no_boot_folders);
        loader->options = *options;
        loader->options.search_path = loader->search_path;
        loader->options.runtime_directory = loader->runtime_directory;
        loader->options.root = *name_map_root(loader->names) ? name_map_root(loader->names) : NULL;
        *ret_loader = take_ptr(loader);
        return 0;
}

bool unit_file_loader_boots(const UnitFileLoader *loader) {
        return !loader->options.no_boot_folders;
}

char *const *unit_file_loader_search_path(const UnitFileLoader *loader) {
        return loader->search_path;
}

/* A unit of an unregistered type has the table's fallback vtable. */
bool unit_file_loader_has_type(const UnitFileLoader *loader, const Unit *unit, UnitType type) {
        if (unit)
                return unit->vtable->type == unit->type;
        return draft_type_of(type);
}

/* The draft that a reload has read for the unit, or NULL. */
static UnitDraft *loader_take_prepared(UnitFileLoader *loader, const Unit *unit) {
        size_t low = 0, high = loader->prepared.n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                UnitDraft *draft = loader->prepared.items[middle];
                int order = strcmp(draft->name, unit->id);

                if (order == 0)
                        return draft->state ? draft : NULL;
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

/* The unit is an alias of @name. */
static int loader_merge(UnitTable *table, Unit *unit, const char *name) {
        Unit *into;
        int r = unit_table_name(table, name, &into);

        if (r < 0 || into == unit)
                return r;
        r = unit_table_merge(table, unit, into);
        if (r != -EBUSY && r != -EINVAL)
                return r;
        unit->load_state = UNIT_ERROR;
        return failure_set(&unit->load_failure, -EBUSY, "LoadFailed",
                           "Unit %s is in use and has become another name of %s; stop it, then load it again.",
                           unit->id,
                           name) == -ENOMEM ? -ENOMEM : 0;
}

static int loader_begin(void *userdata) {
        UnitFileLoader *loader = userdata;
        int r = name_map_refresh(loader->names);

        return r < 0 ? r : 0;
}

static int loader_load(void *userdata, Unit *unit) {
        UnitFileLoader *loader = userdata;
        cleanup_(unit_draft_freep) UnitDraft *read = NULL;
        UnitDraft *draft = loader_take_prepared(loader, unit);
        int r;

        if (!draft) {
                r = unit_draft_read(loader, unit->id, unit_file_loader_has_type(loader, unit, unit->type), &read);
                if (r < 0)
                        return r;
                draft = read;
        }
        if (draft->load_state == UNIT_STUB)
                return loader_merge(unit->table, unit, draft->state->sources.id);
        r = unit_draft_apply(draft, unit->table, unit);
        return r == 0 && draft->draft_type && draft->draft_type->relate ? draft->draft_type->relate(unit) : r;
}

static bool loader_may_exist_now(void *userdata, const Unit *unit) {
        UnitFileLoader *loader = userdata;
        cleanup_(name_lookup_deinit) NameLookup lookup = {};
        const DraftType *type = draft_type_of(unit->type);

        if (type && type->is_there && type->is_there(loader, unit->id))
                return true;
        return name_map_refresh(loader->names) >= 0 && name_map_lookup(loader->names, unit->id, &lookup) >= 0 &&
               lookup.found != NAME_FOUND_NOTHING;
}

void unit_file_loader_attach(UnitFileLoader *loader, UnitTable *table) {
        static const UnitLoaderOps ops = {
                .begin = loader_begin,
                .load = loader_load,
                .may_exist_now = loader_may_exist_now,
        };

        assert(loader);
        assert(table);

        loader->table = table;
        unit_table_set_loader(table, &ops, loader);
}
