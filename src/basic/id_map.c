/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * From a non-zero u32 to a pointer
 *
 * Probing over a power of two of slots, in steps of an odd number, which reach
 * all of them. A removal moves the entries behind it back, so there are no
 * tombstones, and a map with many insertions and removals stays as fast as a
 * new one.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "basic/id_map.h"

#define ID_MAP_SLOTS_MIN 16
#define ID_MAP_ROW 8U

/*
 * A step leads out of the row and to another place in it. With steps of one slot, rows that lie behind one another
 * would be one long run, which each removal would have to walk to its end. A product with the inverse (modulo 2⁶⁴, and
 * so modulo the number of slots) is the number of steps between two slots.
 */
#define ID_MAP_STEP (ID_MAP_ROW + 1U)
#define ID_MAP_STEP_INVERSE ((size_t) UINT64_C(0x8E38E38E38E38E39))

void id_map_deinit(IdMap *map) {
        assert(map);

        free(map->ids);
        free(map->values);
        *map = (IdMap) {};
}

static size_t id_map_home(const IdMap *map, uint32_t id) {
        /*
         * Ids rise one by one and are looked up in that order, so eight ids of a row lie beside each other. The
         * multiplication spreads the rows; its high bits are the good ones.
         */
        uint64_t hash = (id / ID_MAP_ROW) * UINT64_C(0x9E3779B97F4A7C15);

        return ((size_t) (hash >> 32) * ID_MAP_ROW + id % ID_MAP_ROW) & map->mask;
}

/* How many steps lead from the one slot to the other. */
static size_t id_map_steps(const IdMap *map, size_t from, size_t to) {
        return (to - from) * ID_MAP_STEP_INVERSE & map->mask;
}

/* The slot of @id, or the free slot for it. */
static size_t id_map_slot(const IdMap *map, uint32_t id) {
        size_t at = id_map_home(map, id);

        while (map->ids[at] != 0 && map->ids[at] != id)
                at = (at + ID_MAP_STEP) & map->mask;
        return at;
}

static int id_map_resize(IdMap *map, size_t slots) {
        IdMap bigger = { .n = map->n, .mask = slots - 1 };

        bigger.ids = calloc(slots, sizeof(*bigger.ids));
        bigger.values = calloc(slots, sizeof(*bigger.values));
        if (!bigger.ids || !bigger.values) {
                id_map_deinit(&bigger);
                return -ENOMEM;
        }

        for (size_t i = 0; map->mask > 0 && i <= map->mask; i++) {
                size_t at;

                if (map->ids[i] == 0)
                        continue;
                at = id_map_slot(&bigger, map->ids[i]);
                bigger.ids[at] = map->ids[i];
                bigger.values[at] = map->values[i];
        }

        id_map_deinit(map);
        *map = bigger;
        return 0;
}

/* There are long runs if more than half of the slots are in use. */
static bool id_map_has_room(const IdMap *map, size_t n) {
        return map->mask > 0 && n * 2 <= map->mask + 1;
}

int id_map_reserve(IdMap *map, size_t extra) {
        size_t slots, wanted;

        assert(map);

        if (extra > UINT32_MAX)
                return -ENOMEM;
        wanted = map->n + extra;
        if (id_map_has_room(map, wanted))
                return 0;
        slots = map->mask > 0 ? map->mask + 1 : ID_MAP_SLOTS_MIN;
        while (wanted * 2 > slots)
                slots *= 2;
        return id_map_resize(map, slots);
}

int id_map_put(IdMap *map, uint32_t id, void *value) {
        size_t at = 0;
        int r;

        assert(map);
        assert(id != 0);

        if (map->mask > 0) {
                at = id_map_slot(map, id);
                if (map->ids[at] == id) {
                        map->values[at] = value;
                        return 0;
                }
        }
        if (!id_map_has_room(map, map->n + 1)) {
                r = id_map_reserve(map, 1);
                if (r < 0)
                        return r;
                at = id_map_slot(map, id);
        }

        map->ids[at] = id;
        map->values[at] = value;
        map->n++;
        return 0;
}

void *id_map_get(const IdMap *map, uint32_t id) {
        size_t at;

        assert(map);

        if (map->mask == 0 || id == 0)
                return NULL;
        at = id_map_slot(map, id);
        return map->ids[at] == id ? map->values[at] : NULL;
}

bool id_map_remove(IdMap *map, uint32_t id) {
        size_t hole, at;

        assert(map);

        if (map->mask == 0 || id == 0)
                return false;
        hole = id_map_slot(map, id);
        if (map->ids[hole] != id)
                return false;

        for (at = (hole + ID_MAP_STEP) & map->mask; map->ids[at] != 0; at = (at + ID_MAP_STEP) & map->mask) {
                size_t home = id_map_home(map, map->ids[at]);

                /* The entry may move to the hole unless its home lies behind the hole. */
                if (id_map_steps(map, home, at) < id_map_steps(map, hole, at))
                        continue;
                map->ids[hole] = map->ids[at];
                map->values[hole] = map->values[at];
                hole = at;
        }

        map->ids[hole] = 0;
        map->values[hole] = NULL;
        map->n--;
        return true;
}
