/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * All units, by index and by name
 *
 * Indexes are dense: a free one is reused before a new one is given, so arrays
 * by index stay as short as the table. The index of a unit is stored under the
 * hash of each of its names; the units own the strings.
 *
 * A name seen for the first time becomes a stub and is queued. Loading
 * processes the queue and so follows relations without recursion: a chain of
 * 100,000 units uses no stack. A nested load reads only its own unit and
 * leaves the queue to the outer one.
 */

#include <assert.h>
#include <string.h>

#include "basic/strv.h"
#include "unit/unit_private.h"

#define QUEUE_KEPT 1024                 /* places kept after a load */

int unit_table_new(UnitTable **ret_table) {
        UnitTable *table;

        assert(ret_table);

        table = calloc(1, sizeof(*table));
        if (!table)
                return -ENOMEM;

        slab_init(&table->relations, sizeof(UnitRelation));
        slab_init(&table->buckets, sizeof(UnitRelationBucket));
        *ret_table = table;
        return 0;
}

UnitTable *unit_table_free(UnitTable *table) {
        if (!table)
                return NULL;

        index_table_deinit(&table->by_name);
        for (size_t i = 0; i < table->slots.n; i++)
                unit_free(table->slots.items[i]);
        vector_deinit(&table->slots);
        vector_deinit(&table->slot_flags);
        vector_deinit(&table->free_indexes);
        vector_deinit(&table->queue);
        unit_origins_deinit(&table->origins);
        slab_deinit(&table->relations);
        slab_deinit(&table->buckets);
        free(table);
        return NULL;
}

void unit_table_set_loader(UnitTable *table, const UnitLoaderOps *ops, void *userdata) {
        assert(table);

        table->loader = ops;
        table->loader_userdata = userdata;
}

void unit_table_set_observer(UnitTable *table, const UnitObserverOps *ops, void *userdata) {
        assert(table);

        table->observer = ops;
        table->observer_userdata = userdata;
}

void unit_table_set_host(UnitTable *table, UnitHost *host) {
        assert(table);

        table->host = host;
}

UnitHost *unit_table_host(const UnitTable *table) {
        assert(table);

        return table->host;
}

void unit_table_set_type(UnitTable *table, const UnitVTable *vtable) {
        assert(table);
        assert((unsigned) vtable->type < _UNIT_TYPE_MAX);

        table->types[vtable->type] = vtable;
}

uint32_t unit_table_size(const UnitTable *table) {
        return (uint32_t) table->slots.n;
}

uint32_t unit_table_count(const UnitTable *table) {
        return table->n_units;
}

uint64_t unit_table_withdrawals(const UnitTable *table) {
        return table->n_withdrawals;
}

bool unit_table_has_unneeded(const UnitTable *table) {
        return table->has_unneeded;
}

void unit_note_settings(Unit *unit) {
        unit->table->has_unneeded |= unit->settings.stop_when_unneeded;
}

Unit *unit_table_find(const UnitTable *table, const char *name) {
        uint32_t hash, index;
        size_t probe = 0;

        assert(table);
        assert(name);

        hash = index_table_hash(name);
        while (index_table_next(&table->by_name, hash, &probe, &index))
                if (unit_has_name(table->slots.items[index], name))
                        return table->slots.items[index];
        return NULL;
}

int unit_table_add_name(UnitTable *table, Unit *unit, const char *name) {
        Unit *owner;
        int r;

        assert(table);
        assert(unit);
        assert(name);

        owner = unit_table_find(table, name);
        if (owner)
                return owner == unit ? 0 : -EEXIST;

        r = index_table_reserve(&table->by_name, 1);
        if (r == 0)
                r = unit_push_name(unit, name);
        return r < 0 ? r : index_table_put(&table->by_name, index_table_hash(name), unit->index);
}

void unit_table_drop_name(UnitTable *table, Unit *unit, const char *name) {
        size_t at = 1;

        assert(table);
        assert(strcmp(name, unit->id) != 0 && unit_has_name(unit, name));

        index_table_remove(&table->by_name, index_table_hash(name), unit->index);
        while (strcmp(unit->names[at], name) != 0)
                at++;
        free(unit->names[at]);
        memmove(unit->names + at, unit->names + at + 1, (strv_length(unit->names + at + 1) + 1) * sizeof(char *));
}

/* Removes the names from @first on from the index. */
static void unit_table_forget_names(UnitTable *table, const Unit *unit, size_t first) {
        for (size_t i = first; unit->names[i]; i++)
                index_table_remove(&table->by_name, index_table_hash(unit->names[i]), unit->index);
}

/* Finds an index for a new unit, with room in all arrays that an index needs. */
static int unit_table_take_index(UnitTable *table, uint32_t *ret_index) {
        while (table->free_indexes.n > 0) {
                *ret_index = vector_pop(&table->free_indexes);
                if (*ret_index < table->slots.n)        /* the table may have shrunk since it was freed */
                        return 0;
        }

        /* Reserved here, because freeing an index must not fail. */
        if (vector_reserve_raw((void **) &table->free_indexes.items, &table->free_indexes.allocated,
                               sizeof(*table->free_indexes.items), table->slots.n + 1) < 0 ||
            vector_reserve(&table->slots, 1) < 0 || vector_reserve(&table->slot_flags, 1) < 0)
                return -ENOMEM;
        *ret_index = (uint32_t) table->slots.n;
        table->slots.items[table->slots.n++] = NULL;
        table->slot_flags.items[table->slot_flags.n++] = 0;
        return 0;
}

static void unit_table_give_index(UnitTable *table, uint32_t index) {
        table->slots.items[index] = NULL;
        table->n_units--;

        if (index + 1 < table->slots.n) {
                vector_push(&table->free_indexes, index);
                return;
        }
        while (table->slots.n > 0 && !vector_last(&table->slots))
                table->slots.n--;
        table->slot_flags.n = table->slots.n;
        if (table->slots.n == 0)
                vector_clear(&table->free_indexes);
}

static int unit_table_enqueue(UnitTable *table, const Unit *unit) {
        uint8_t *flags = &table->slot_flags.items[unit->index];
        int r;

        if (*flags & UNIT_SLOT_IS_QUEUED)
                return 0;

        /* Drops the processed part when it is the larger one, except for one place for unit_table_put_back(). */
        if (table->queue_head > 64 && table->queue_head > table->queue.n / 2) {
                table->queue.n -= table->queue_head - 1;
                memmove(table->queue.items + 1, table->queue.items + table->queue_head,
                        (table->queue.n - 1) * sizeof(*table->queue.items));
                table->queue_head = 1;
        }
        r = vector_push(&table->queue, unit->index);
        if (r == 0)
                *flags |= UNIT_SLOT_IS_QUEUED;
        return r;
}

/* Puts a unit just taken from the queue back to its front. */
static void unit_table_put_back(UnitTable *table, const Unit *unit) {
        uint8_t *flags = &table->slot_flags.items[unit->index];

        if (*flags & UNIT_SLOT_IS_QUEUED)
                return;
        assert(table->queue_head > 0);

        table->queue.items[--table->queue_head] = unit->index;
        *flags |= UNIT_SLOT_IS_QUEUED;
}

static void unit_table_discard(UnitTable *table, Unit *unit) {
        unit_table_forget_names(table, unit, 0);
        unit_table_give_index(table, unit->index);
        unit_free(unit);
}

static int unit_table_add(UnitTable *table, const char *name, Unit **ret_unit) {
        cleanup_(unit_freep) Unit *new = NULL;
        Unit *unit;
        int r;

        r = unit_new(table, name, &new);
        if (r < 0)
                return r;
        r = unit_table_take_index(table, &new->index);
        if (r < 0)
                return r;

        unit = take_ptr(new);
        table->slots.items[unit->index] = unit;
        table->n_units++;
        r = index_table_put(&table->by_name, index_table_hash(name), unit->index);
        if (r == 0)
                r = unit_table_enqueue(table, unit);
        if (r < 0) {
                unit_table_discard(table, unit);
                return r;
        }

        *ret_unit = unit;
        return 0;
}

int unit_table_name(UnitTable *table, const char *name, Unit **ret_unit) {
        Unit *unit;

        assert(table);
        assert(name);
        assert(ret_unit);

        unit = unit_table_find(table, name);
        if (!unit) {
                if (!unit_name_is_valid(name))
                        return -EINVAL;
                return unit_table_add(table, name, ret_unit);
        }

        *ret_unit = unit;
        return 0;
}

static void unit_table_announce(UnitTable *table, Unit *unit) {
        uint8_t *flags = &table->slot_flags.items[unit->index];

        if (*flags & UNIT_SLOT_IS_ANNOUNCED)
                return;
        *flags |= UNIT_SLOT_IS_ANNOUNCED;
        if (table->observer && table->observer->added)
                table->observer->added(table->observer_userdata, unit);
}

static void unit_table_renounce(UnitTable *table, Unit *unit) {
        uint8_t *flags = &table->slot_flags.items[unit->index];

        if (!(*flags & UNIT_SLOT_IS_ANNOUNCED))
                return;
        if (table->observer && table->observer->removed)
                table->observer->removed(table->observer_userdata, unit);
        table->slot_flags.items[unit->index] &= (uint8_t) ~UNIT_SLOT_IS_ANNOUNCED;
}

static void unit_table_tell_related(UnitTable *table, Unit *unit) {
        if ((table->slot_flags.items[unit->index] & UNIT_SLOT_IS_ANNOUNCED) &&
            table->observer && table->observer->related)
                table->observer->related(table->observer_userdata, unit);
}

static void unit_table_verify(Unit *unit) {
        int r;

        if (unit->load_state != UNIT_LOADED || !unit->vtable->verify)
                return;
        r = unit->vtable->verify(unit, &unit->load_failure);
        if (r >= 0)
                return;

        unit->load_state = UNIT_BAD_SETTING;
        if (unit->load_failure.code == 0)
                failure_set(&unit->load_failure, r, "BadUnitSetting", "Unit %s has a bad setting.", unit->id);
}

/* A running unit keeps its old type settings until new ones have been read. */
static void unit_table_settle_type_settings(Unit *unit, void *old, void (*old_free)(void *settings)) {
        if (!old)
                return;
        if (unit->type_settings || unit->load_state == UNIT_LOADED) {
                old_free(old);
                return;
        }
        unit->type_settings = old;
        unit->type_settings_free = old_free;
}

/* After -ENOMEM: a unit that was read in part must not count as loaded. */
static void unit_table_unread(Unit *unit) {
        unit_withdraw_relations(unit);
        failure_deinit(&unit->load_failure);
        unit->load_state = UNIT_STUB;
}

/*
 * Reads one stub. *@unit becomes the unit with that name: still a stub if it is an alias of one, or without a loader.
 */
static int unit_table_read(UnitTable *table, Unit **unit) {
        void (*old_free)(void *settings) = (*unit)->type_settings_free;
        void *old = take_ptr((*unit)->type_settings);
        char name[UNIT_NAME_MAX + 1];
        Unit *read;
        int r;

        strcpy(name, (*unit)->id);
        r = unit_adopt_type(*unit);
        if (r == 0)
                r = table->loader->load(table->loader_userdata, *unit);

        read = unit_table_find(table, name);
        assert(read);
        if (read == *unit)
                unit_table_settle_type_settings(read, old, old_free);
        else if (old)
                old_free(old);
        if (r < 0) {
                if (read == *unit && read->load_state != UNIT_STUB)
                        unit_table_unread(read);
                return r;
        }

        unit_note_settings(read);
        if (read == *unit && read->load_state != UNIT_STUB) {
                unit_table_verify(read);
                if (read->load_state == UNIT_LOADED && read->vtable->loaded)
                        read->vtable->loaded(read);
                unit_table_announce(table, read);
        }
        *unit = read;
        return 0;
}

/* Reads a stub and, if it is an alias of another stub, that one. */
static int unit_table_read_through(UnitTable *table, Unit **unit) {
        for (;;) {
                const Unit *before = *unit;
                int r;

                if ((*unit)->load_state != UNIT_STUB || !table->loader)
                        return 0;
                r = unit_table_read(table, unit);
                if (r < 0)
                        return r;
                if (*unit == before)
                        return 0;
        }
}

/* Called before the first unit of a load is read. */
static int unit_table_begin(UnitTable *table) {
        if (!table->loader || !table->loader->begin || table->n_loading > 0)
                return 0;
        return table->loader->begin(table->loader_userdata);
}

static int unit_table_drain(UnitTable *table) {
        int r = 0;

        if (!table->loader || table->n_loading > 0)
                return 0;

        table->n_loading++;
        while (r == 0 && table->queue_head < table->queue.n) {
                uint32_t index = table->queue.items[table->queue_head++];
                Unit *unit = unit_table_at(table, index);

                if (index < table->slots.n)
                        table->slot_flags.items[index] &= (uint8_t) ~UNIT_SLOT_IS_QUEUED;
                if (unit)
                        r = unit_table_read_through(table, &unit);
                if (r < 0)
                        unit_table_put_back(table, unit);
        }
        table->n_loading--;

        if (table->queue_head == table->queue.n) {
                table->queue_head = 0;
                if (table->queue.allocated > QUEUE_KEPT)
                        vector_deinit(&table->queue);
                else
                        vector_clear(&table->queue);
        }
        unit_relations_pack(table);
        return r;
}

static bool unit_table_may_exist_now(const UnitTable *table, const Unit *unit) {
        return unit->load_state == UNIT_NOT_FOUND && table->loader && table->loader->may_exist_now &&
               table->loader->may_exist_now(table->loader_userdata, unit);
}

int unit_table_load_unit(UnitTable *table, Unit *unit, Unit **ret_unit) {
        bool is_looked_for_again = false;
        int r;

        assert(table);
        assert(unit);
        assert(ret_unit);

        if (unit_table_may_exist_now(table, unit)) {
                r = unit_table_enqueue(table, unit);
                if (r < 0)
                        return r;
                failure_deinit(&unit->load_failure);
                unit->load_state = UNIT_STUB;
                is_looked_for_again = true;
        }

        if (unit->load_state == UNIT_STUB || table->queue.n > 0) {
                r = unit_table_begin(table);
                if (r < 0)
                        return r;
        }
        table->n_loading++;
        r = unit_table_read_through(table, &unit);
        table->n_loading--;
        if (r < 0)
                return r;

        /* A unit read next may be an alias of a stub, so this unit stays. */
        r = unit_table_drain(table);
        if (r < 0)
                return r;
        if (is_looked_for_again)
                unit_table_tell_related(table, unit);

        *ret_unit = unit;
        return 0;
}

int unit_table_load(UnitTable *table, const char *name, Unit **ret_unit) {
        Unit *unit;
        int r;

        assert(name);

        if (unit_name_is_template(name))
                return -EINVAL;
        r = unit_table_name(table, name, &unit);
        if (r < 0)
                return r;
        return unit_table_load_unit(table, unit, ret_unit);
}

int unit_table_load_queued(UnitTable *table) {
        int r;

        assert(table);

        r = unit_table_begin(table);
        return r < 0 ? r : unit_table_drain(table);
}

int unit_table_reload_unit(UnitTable *table, Unit *unit) {
        int r;

        assert(table);
        assert(unit);

        r = unit_table_enqueue(table, unit);
        if (r < 0)
                return r;

        unit_withdraw_relations(unit);
        unit_settings_deinit(&unit->settings);
        unit_settings_init(&unit->settings);
        failure_deinit(&unit->load_failure);
        unit->load_state = UNIT_STUB;
        unit->needs_reload = false;
        return 0;
}

/* Gives the names of @unit to @into as well: 0, or -ENOMEM with all look-ups by name unchanged. */
static int unit_table_move_names(UnitTable *table, Unit *unit, Unit *into) {
        size_t n = strv_length(into->names);
        int r = index_table_reserve(&table->by_name, strv_length(unit->names));

        strv_foreach(name, unit->names)
                if (r == 0)
                        r = unit_push_name(into, *name);
        if (r < 0) {
                while (into->names[n]) {
                        free(into->names[n]);
                        into->names[n++] = NULL;
                }
                return r;
        }

        unit_table_forget_names(table, unit, 0);
        strv_foreach(name, into->names + n)
                (void) index_table_put(&table->by_name, index_table_hash(*name), into->index);
        return 0;
}

int unit_table_merge(UnitTable *table, Unit *unit, Unit *into) {
        int r;

        assert(table);
        assert(unit);
        assert(into);
        assert(unit != into);

        if (unit->type != into->type)
                return -EINVAL;
        if (unit->n_references > 0 || unit->active_state != UNIT_INACTIVE)
                return -EBUSY;

        /* While its relations exist, because waiting jobs have counted them. */
        unit_table_renounce(table, unit);
        r = unit_relations_move(unit, into);
        if (r < 0)
                return r;
        r = unit_table_move_names(table, unit, into);
        if (r < 0)
                return r;

        unit_table_give_index(table, unit->index);
        unit_free(unit);
        unit_table_tell_related(table, into);
        return 0;
}

void unit_table_remove(UnitTable *table, Unit *unit) {
        assert(table);
        assert(unit);
        assert(unit->n_references == 0);

        unit_table_renounce(table, unit);
        unit_withdraw_relations(unit);
        if (unit->relation_mask == 0) {
                unit_table_discard(table, unit);
                return;
        }

        unit_table_forget_names(table, unit, 1);
        unit_drop_aliases(unit);
        unit_reset(unit);
}

int unit_table_origin(UnitTable *table, const char *file, unsigned line, const char *implied, UnitOriginId *ret_id) {
        assert(table);

        return unit_origins_add(&table->origins, file, line, implied, ret_id);
}

int unit_table_path(UnitTable *table, const char *path, const char **ret_path) {
        assert(table);

        return unit_origins_add_path(&table->origins, path, ret_path);
}

UnitOrigin unit_table_origin_at(const UnitTable *table, UnitOriginId id) {
        assert(table);

        return unit_origins_at(&table->origins, id);
}
