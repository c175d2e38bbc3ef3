/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Where things were declared
 *
 * An id is a block and a place in it. A block covers sixteen consecutive lines
 * of a file and is made when the first of them is requested, so most unit
 * files need one block for all their relations. The blocks of a file are a
 * ring with a cursor: lines are requested in order, so the next one is in the
 * block at the cursor or the one after it, whatever the length of the file.
 */

#include <assert.h>
#include <string.h>

#include "unit/unit_private.h"

#define BLOCKS_MAX (UINT32_MAX / UNIT_ORIGIN_BLOCK_LINES - 1)

void unit_origins_deinit(UnitOrigins *origins) {
        assert(origins);

        arena_deinit(&origins->paths);
        vector_deinit(&origins->files);
        index_table_deinit(&origins->files_by_path);
        vector_deinit(&origins->blocks);
        vector_deinit(&origins->implied);
        *origins = (UnitOrigins) {};
}

static int unit_origins_new_file(UnitOrigins *origins, const char *path, uint32_t hash, uint32_t *ret_file) {
        UnitOriginFile file = {};

        if (vector_reserve(&origins->files, 1) < 0 || index_table_reserve(&origins->files_by_path, 1) < 0)
                return -ENOMEM;
        file.path = arena_strdup(&origins->paths, path);
        if (!file.path)
                return -ENOMEM;

        *ret_file = (uint32_t) origins->files.n;
        origins->files.items[origins->files.n++] = file;
        return index_table_put(&origins->files_by_path, hash, *ret_file);
}

static int unit_origins_add_file(UnitOrigins *origins, const char *path, uint32_t *ret_file) {
        size_t probe = 0;
        uint32_t hash;

        *ret_file = origins->last_file;
        if (*ret_file < origins->files.n && strcmp(origins->files.items[*ret_file].path, path) == 0)
                return 0;

        hash = index_table_hash(path);
        while (index_table_next(&origins->files_by_path, hash, &probe, ret_file))
                if (strcmp(origins->files.items[*ret_file].path, path) == 0) {
                        origins->last_file = *ret_file;
                        return 0;
                }
        if (unit_origins_new_file(origins, path, hash, ret_file) < 0)
                return -ENOMEM;
        origins->last_file = *ret_file;
        return 0;
}

int unit_origins_add_path(UnitOrigins *origins, const char *path, const char **ret_path) {
        uint32_t file;
        int r;

        assert(origins);
        assert(path);

        r = unit_origins_add_file(origins, path, &file);
        if (r == 0)
                *ret_path = origins->files.items[file].path;
        return r;
}

static int unit_origins_add_implied(UnitOrigins *origins, const char *implied, uint32_t *ret_index) {
        if (origins->implied.n == 0 && vector_push(&origins->implied, NULL) < 0)
                return -ENOMEM;
        for (uint32_t i = 0; i < origins->implied.n; i++)
                if (origins->implied.items[i] == implied) {
                        *ret_index = i;
                        return 0;
                }

        *ret_index = (uint32_t) origins->implied.n;
        return vector_push(&origins->implied, implied);
}

/* The block of @wanted's file that covers the same lines, counted from 1; 0 if there is none. */
static uint32_t unit_origins_find_block(const UnitOrigins *origins, const UnitOriginBlock *wanted) {
        uint32_t start = origins->files.items[wanted->file].cursor, at = start;

        while (at != 0) {
                const UnitOriginBlock *block = &origins->blocks.items[at - 1];

                if (block->first == wanted->first && block->implied == wanted->implied)
                        return at;
                at = block->next == start ? 0 : block->next;
        }
        return 0;
}

/* Inserts the block after the one at its file's cursor. */
static int unit_origins_add_block(UnitOrigins *origins, UnitOriginBlock block, uint32_t *ret_block) {
        uint32_t before = origins->files.items[block.file].cursor;

        if (origins->blocks.n >= BLOCKS_MAX || vector_reserve(&origins->blocks, 1) < 0)
                return -ENOMEM;

        *ret_block = (uint32_t) origins->blocks.n + 1;
        block.next = *ret_block;
        if (before != 0) {
                block.next = origins->blocks.items[before - 1].next;
                origins->blocks.items[before - 1].next = *ret_block;
        }
        origins->blocks.items[origins->blocks.n++] = block;
        return 0;
}

int unit_origins_add(UnitOrigins *origins, const char *file, unsigned line, const char *implied,
                     UnitOriginId *ret_id) {
        UnitOriginBlock wanted = { .first = line / UNIT_ORIGIN_BLOCK_LINES };
        uint32_t block;

        assert(origins);
        assert(ret_id);

        if (unit_origins_add_file(origins, file ? file : "", &wanted.file) < 0 ||
            unit_origins_add_implied(origins, implied, &wanted.implied) < 0)
                return -ENOMEM;

        block = unit_origins_find_block(origins, &wanted);
        if (block == 0 && unit_origins_add_block(origins, wanted, &block) < 0)
                return -ENOMEM;
        origins->files.items[wanted.file].cursor = block;
        *ret_id = block * UNIT_ORIGIN_BLOCK_LINES + line % UNIT_ORIGIN_BLOCK_LINES;
        return 0;
}

UnitOrigin unit_origins_at(const UnitOrigins *origins, UnitOriginId id) {
        const UnitOriginBlock *block;

        assert(origins);

        if (id == UNIT_ORIGIN_NONE)
                return (UnitOrigin) { .file = "" };
        assert(id >= UNIT_ORIGIN_BLOCK_LINES && id / UNIT_ORIGIN_BLOCK_LINES <= origins->blocks.n);

        block = &origins->blocks.items[id / UNIT_ORIGIN_BLOCK_LINES - 1];
        return (UnitOrigin) {
                .file = origins->files.items[block->file].path,
                .line = block->first * UNIT_ORIGIN_BLOCK_LINES + id % UNIT_ORIGIN_BLOCK_LINES,
                .implied = origins->implied.items[block->implied],
        };
}
