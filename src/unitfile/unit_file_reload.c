/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading unit files again
 *
 * Only units with changed files are read, into drafts first. If one of these
 * is broken nothing changes. Otherwise all of them become stubs again and are
 * loaded from their drafts, so the checked drafts are applied even if the
 * files change in the meantime.
 *
 * A target is also read again if a unit that it pulls in was, because their
 * order may have changed; and so are the units that refer to a unit with
 * several names, because it may lose the name that they use.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "basic/text.h"
#include "unitfile/draft_type.h"
#include "unitfile/file_record.h"
#include "unitfile/unit_draft_read.h"
#include "unitfile/unit_file_loader.h"

/* One unit to be read again. */
typedef struct ReloadItem {
        Unit *unit;             /* borrowed until it is read */
        UnitDraft *draft;       /* owned until the loader gets it */
        char *difference;       /* owned; NULL if its own files are unchanged */
        char *name;             /* owned */
        bool has_changed;
} ReloadItem;

typedef VECTOR(ReloadItem) ReloadItems;

static void reload_items_deinit(ReloadItems *items) {
        for (size_t i = 0; i < items->n; i++) {
                unit_draft_free(items->items[i].draft);
                free(items->items[i].difference);
                free(items->items[i].name);
        }
        vector_deinit(items);
}

/* 1 if @name is still a link to @unit, 0 if not, or -ENOMEM. */
static int reload_name_leads_to(const UnitFileLoader *loader, const Unit *unit, const char *name) {
        cleanup_(name_lookup_deinit) NameLookup lookup = {};
        int r = name_map_lookup(loader->names, name, &lookup);

        return r < 0 ? r : lookup.found == NAME_FOUND_ALIAS && strcmp(lookup.id, unit->id) == 0;
}

/* The listing of the folders must be up to date. */
static bool reload_has_changed(const UnitFileLoader *loader, const Unit *unit) {
        cleanup_(unit_sources_deinit) UnitSources sources = {};
        const FileRecord *record = unit->file_state;
        const DraftType *type = draft_type_of(unit->type);

        if (!record || unit->load_state == UNIT_STUB)
                return false;
        strv_foreach(alias, unit->names + 1)
                if (reload_name_leads_to(loader, unit, *alias) == 0)
                        return true;
        if (unit_sources_find(loader->names, unit->id, type && type->is_found_with_dropins, &sources) < 0)
                return false;
        return !file_record_has_sources(record, unit->id, &sources) || !file_record_is_current(record) ||
               (type && type->is_current && unit->type_settings && !type->is_current(loader, unit->type_settings));
}

/* A unit that could not be loaded may lack something outside of its files, which may be there now. */
static bool reload_may_be_mended(const Unit *unit) {
        const DraftType *type = draft_type_of(unit->type);

        return unit->load_state == UNIT_BAD_SETTING && unit->file_state && type && type->imply;
}

bool unit_file_has_changed(UnitFileLoader *loader, const Unit *unit) {
        return name_map_refresh(loader->names) >= 0 && reload_has_changed(loader, unit);
}

static int reload_add(ReloadItems *items, Unit *unit, bool has_changed) {
        ReloadItem item = { .unit = unit, .name = strdup(unit->id), .has_changed = has_changed };
        int r = item.name ? vector_push(items, item) : -ENOMEM;

        if (r < 0)
                free(item.name);
        return r;
}

/* Adds the units whose files declare a relation to @unit. */
static int reload_add_referrers(ReloadItems *items, const Unit *unit, bool *is_listed) {
        for (int kind = 0; kind < _UNIT_RELATION_MAX; kind++) {
                UnitRelations relations = unit_relations(unit, (UnitRelationKind) kind);

                for (size_t i = 0; i < relations.n; i++) {
                        Unit *other = unit_table_at(unit->table, relations.items[i].other);
                        int r;

                        if (relations.items[i].there == UNIT_ORIGIN_NONE || is_listed[other->index] ||
                            !other->file_state)
                                continue;
                        is_listed[other->index] = true;
                        r = reload_add(items, other, false);
                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

static int reload_add_pullers(ReloadItems *items, const Unit *unit, bool *is_listed) {
        static const UnitRelationKind kinds[] = { UNIT_REQUIRED_BY, UNIT_REQUISITE_OF, UNIT_WANTED_BY, UNIT_BOUND_BY,
                                                  UNIT_UPHELD_BY };

        for (size_t k = 0; k < ELEMENTSOF(kinds); k++) {
                UnitRelations pullers = unit_relations(unit, kinds[k]);

                for (size_t i = 0; i < pullers.n; i++) {
                        Unit *target = unit_table_at(unit->table, pullers.items[i].other);
                        int r;

                        if (target->type != UNIT_TARGET || is_listed[target->index] || !target->file_state)
                                continue;
                        is_listed[target->index] = true;
                        r = reload_add(items, target, false);
                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

/* Adds the changed units (of which @only is the only one, if it is given), and the other units to be read with them. */
static int reload_gather(const UnitFileLoader *loader, UnitTable *table, const Unit *only, ReloadItems *items) {
        cleanup_free_ bool *is_listed = calloc(MAX(unit_table_size(table), 1U), sizeof(bool));
        size_t n_changed;
        int r = 0;

        if (!is_listed)
                return -ENOMEM;
        unit_table_foreach(table, unit) {
                const bool has_changed = (!only || unit == only) && reload_has_changed(loader, unit);

                if (!has_changed && (only || !reload_may_be_mended(unit)))
                        continue;
                is_listed[unit->index] = true;
                r = reload_add(items, unit, has_changed);
                if (r < 0)
                        return r;
        }
        n_changed = items->n;
        for (size_t i = 0; r == 0 && i < n_changed; i++) {
                const Unit *unit = items->items[i].unit;

                r = reload_add_pullers(items, unit, is_listed);
                if (r == 0 && unit->names[1])
                        r = reload_add_referrers(items, unit, is_listed);
        }
        return r;
}

static int reload_item_compare(const void *a, const void *b) {
        return strcmp(((const ReloadItem *) a)->name, ((const ReloadItem *) b)->name);
}

/* Reads all drafts: the number of newly broken ones, or -ENOMEM. */
static int reload_read(const UnitFileLoader *loader, ReloadItems *items, const UnitDraft **ret_first_broken) {
        int n_broken = 0;

        for (size_t i = 0; i < items->n; i++) {
                ReloadItem *item = &items->items[i];
                int r = unit_draft_read(loader, item->name,
                                        unit_file_loader_has_type(loader, item->unit, item->unit->type), &item->draft);

                if (r == 0 && item->has_changed)
                        r = file_record_difference(item->unit->file_state, item->draft->state, &item->difference);
                if (r < 0)
                        return r;
                if (item->has_changed && item->draft->is_broken && n_broken++ == 0)
                        *ret_first_broken = item->draft;
        }
        return n_broken;
}

/*
 * Removes names from @unit that are no longer links to it, before files are read in which these names may mean other
 * units.
 */
static int reload_drop_names(const UnitFileLoader *loader, UnitTable *table, Unit *unit) {
        for (size_t i = strv_length(unit->names) - 1; i > 0; i--) {
                int r = reload_name_leads_to(loader, unit, unit->names[i]);

                if (r < 0)
                        return r;
                if (r == 0)
                        unit_table_drop_name(table, unit, unit->names[i]);
        }
        return 0;
}

/* Passes the drafts to the loader, and lets the table load from them. */
static int reload_apply(UnitFileLoader *loader, UnitTable *table, ReloadItems *items) {
        int r = vector_reserve(&loader->prepared, items->n);

        for (size_t i = 0; r == 0 && i < items->n; i++) {
                ReloadItem *item = &items->items[i];

                loader->prepared.items[loader->prepared.n++] = take_ptr(item->draft);
                r = reload_drop_names(loader, table, item->unit);
                if (r == 0)
                        r = unit_table_reload_unit(table, item->unit);
        }
        if (r == 0)
                r = unit_table_load_queued(table);
        for (size_t i = 0; i < loader->prepared.n; i++)
                unit_draft_free(loader->prepared.items[i]);
        vector_clear(&loader->prepared);
        return r;
}

static int reload_refuse(int n_broken, const UnitDraft *first, Failure *ret_failure) {
        return failure_set(ret_failure, -EBADMSG, "LoadFailed",
                           "Nothing was reloaded, as %d unit%s would become unusable ('--force' takes the rest). %s%s",
                           n_broken, n_broken == 1 ? "" : "s", n_broken == 1 ? "" : "The first: ",
                           failure_message(&first->failure));
}

static int reload(UnitFileLoader *loader, UnitTable *table, const Unit *only, bool force, UnitFileChanged changed,
                  void *userdata, Failure *ret_failure) {
        cleanup_(reload_items_deinit) ReloadItems items = {};
        const UnitDraft *first_broken = NULL;
        int r;

        assert(loader);
        assert(table);

        r = name_map_refresh(loader->names);
        if (r >= 0)
                r = reload_gather(loader, table, only, &items);
        if (r >= 0 && items.n > 0) {
                qsort(items.items, items.n, sizeof(ReloadItem), reload_item_compare);
                r = reload_read(loader, &items, &first_broken);
        }
        if (r > 0 && !force)
                return reload_refuse(r, first_broken, ret_failure);
        if (r >= 0)
                r = reload_apply(loader, table, &items);
        if (r < 0)
                return failure_set(ret_failure, r, "LoadFailed", "The unit files could not be read again: %s.",
                                   strerror(-r));
        for (size_t i = 0; changed && i < items.n; i++) {
                Unit *unit = unit_table_find(table, items.items[i].name);

                if (unit && items.items[i].difference && *items.items[i].difference)
                        changed(userdata, unit, items.items[i].difference);
        }
        return 0;
}

int unit_file_reload(UnitFileLoader *loader, UnitTable *table, bool force, UnitFileChanged changed, void *userdata,
                     Failure *ret_failure) {
        return reload(loader, table, NULL, force, changed, userdata, ret_failure);
}

int unit_file_reload_unit(UnitFileLoader *loader, Unit *unit, UnitFileChanged changed, void *userdata,
                          Failure *ret_failure) {
        assert(unit);

        return reload(loader, unit->table, unit, false, changed, userdata, ret_failure);
}
