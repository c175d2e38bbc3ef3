/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * From a non-zero u32 to a pointer
 *
 * Open addressing, at most half full: 12 bytes per slot, where a uthash
 * handle takes 56 bytes in each object. Jobs are found by id with it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct IdMap {
        uint32_t *ids;          /* owned; 0 is a free slot */
        void **values;          /* owned array of borrowed pointers */
        size_t n;
        size_t mask;            /* slots - 1, or 0 before the first reserve */
} IdMap;

void id_map_deinit(IdMap *map);

/* Makes room for @extra further ids, so that id_map_put() can't fail for these: 0 or -ENOMEM. */
int id_map_reserve(IdMap *map, size_t extra);

/* Stores @value under @id, in place of an earlier value: 0 or -ENOMEM. */
int id_map_put(IdMap *map, uint32_t id, void *value);
void *id_map_get(const IdMap *map, uint32_t id);        /* NULL if not there */
bool id_map_remove(IdMap *map, uint32_t id);
