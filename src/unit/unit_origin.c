/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Where things were declared
 *
 * Files are few and found by uthash. Origins are many: a table of ids, probed
 * in line, costs a tenth of a hash handle in each.
 */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "unit/unit_private.h"

#define ORIGIN_SLOTS_MIN 64

struct UnitOriginFile {
        UT_hash_handle hh;
        char name[];
};

void unit_origins_deinit(UnitOrigins *origins) {
        UnitOriginFile *file, *next;

        assert(origins);

        HASH_ITER(hh, origins->files, file, next) {
                HASH_DEL(origins->files, file);
                free(file);
        }
        vector_deinit(&origins->entries);
        free(origins->slots);
        *origins = (UnitOrigins) {};
}

static int unit_origins_add_file(UnitOrigins *origins, const char *name, const UnitOriginFile **ret_file) {
        size_t n = strlen(name);
        UnitOriginFile *file;

        HASH_FIND(hh, origins->files, name, n, file);
        if (!file) {
                file = malloc(sizeof(*file) + n + 1);
                if (!file)
                        return -ENOMEM;
                memcpy(file->name, name, n + 1);
                HASH_ADD_KEYPTR(hh, origins->files, file->name, n, file);
                if (!file->hh.tbl) {
                        free(file);
                        return -ENOMEM;
                }
        }

        *ret_file = file;
        return 0;
}

/* The slot that holds @entry's id, or the free one where it would go. */
static size_t unit_origins_slot(const UnitOrigins *origins, const UnitOriginEntry *entry) {
        uint64_t hash = (uintptr_t) entry->file ^ (uintptr_t) entry->implied * UINT64_C(31);
        size_t at;

        hash = (hash + entry->line * UINT64_C(0xC2B2AE3D27D4EB4F)) * UINT64_C(0x9E3779B97F4A7C15);
        for (at = (size_t) (hash >> 32) & (origins->n_slots - 1); origins->slots[at] != UNIT_ORIGIN_NONE;
             at = (at + 1) & (origins->n_slots - 1)) {
                const UnitOriginEntry *other = &origins->entries.items[origins->slots[at] - 1];

                if (other->file == entry->file && other->line == entry->line && other->implied == entry->implied)
                        break;
        }
        return at;
}

static int unit_origins_reserve(UnitOrigins *origins) {
        UnitOriginId *slots, *old = origins->slots;
        size_t n_slots;

        if (vector_reserve(&origins->entries, 1) < 0)
                return -ENOMEM;
        if ((origins->entries.n + 1) * 3 <= origins->n_slots * 2)
                return 0;

        n_slots = MAX(origins->n_slots * 2, (size_t) ORIGIN_SLOTS_MIN);
        slots = calloc(n_slots, sizeof(*slots));
        if (!slots)
                return -ENOMEM;

        origins->slots = slots;
        origins->n_slots = n_slots;
        for (size_t i = 0; i < origins->entries.n; i++)
                slots[unit_origins_slot(origins, &origins->entries.items[i])] = (UnitOriginId) (i + 1);
        free(old);
        return 0;
}

int unit_origins_add(UnitOrigins *origins, const char *file, unsigned line, const char *implied,
                     UnitOriginId *ret_id) {
        UnitOriginEntry entry = { .implied = implied, .line = line };
        size_t at;

        assert(origins);
        assert(ret_id);

        if (file && file[0] != '\0' && unit_origins_add_file(origins, file, &entry.file) < 0)
                return -ENOMEM;
        if (unit_origins_reserve(origins) < 0)
                return -ENOMEM;

        at = unit_origins_slot(origins, &entry);
        if (origins->slots[at] == UNIT_ORIGIN_NONE) {
                origins->entries.items[origins->entries.n++] = entry;
                origins->slots[at] = (UnitOriginId) origins->entries.n;
        }
        *ret_id = origins->slots[at];
        return 0;
}

UnitOrigin unit_origins_at(const UnitOrigins *origins, UnitOriginId id) {
        const UnitOriginEntry *entry;

        assert(origins);

        if (id == UNIT_ORIGIN_NONE)
                return (UnitOrigin) { .file = "" };
        assert(id <= origins->entries.n);

        entry = &origins->entries.items[id - 1];
        return (UnitOrigin) {
                .file = entry->file ? entry->file->name : "",
                .line = entry->line,
                .implied = entry->implied,
        };
}

const char *unit_origin_format(const UnitTable *table, UnitOriginId id, char *buffer, size_t size) {
        UnitOrigin origin = unit_table_origin_at(table, id);
        const char *slash = strrchr(origin.file, '/');
        const char *base = slash ? slash + 1 : origin.file;

        assert(size > 0);

        if (origin.implied && base[0] == '\0')
                snprintf(buffer, size, "%s", origin.implied);
        else if (origin.implied && origin.line == 0)
                snprintf(buffer, size, "%s of %s", origin.implied, base);
        else if (origin.implied)
                snprintf(buffer, size, "%s by %s:%u", origin.implied, origin.file, origin.line);
        else if (origin.line > 0)
                snprintf(buffer, size, "%s:%u", origin.file, origin.line);
        else
                snprintf(buffer, size, "%s", origin.file);
        return buffer;
}
