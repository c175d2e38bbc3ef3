/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Where things were declared: each (file, line, implied) once
 *
 * Sixteen bytes for sixteen lines of a file, because every relation refers to
 * one. Origins live as long as the table: reading a file again gives the same
 * ids.
 */

#include "basic/arena.h"
#include "basic/index_table.h"
#include "basic/vector.h"
#include "unit/unit_relation.h"

#define UNIT_ORIGIN_BLOCK_LINES 16U

typedef struct UnitOriginFile {
        const char *path;               /* borrowed from paths */
        uint32_t cursor;                /* the last block used, counted from 1; 0: none */
} UnitOriginFile;

typedef struct UnitOriginBlock {
        uint32_t file;                  /* index */
        uint32_t first;                 /* its first line, divided by the lines of a block */
        uint32_t implied;               /* index */
        uint32_t next;                  /* next block of the file, from 1 on: a ring in the order of creation */
} UnitOriginBlock;

typedef struct UnitOrigins {
        Arena paths;                    /* owned */
        VECTOR(UnitOriginFile) files;
        IndexTable files_by_path;
        VECTOR(UnitOriginBlock) blocks;
        VECTOR(const char *) implied;   /* static strings; they are few, and the first is NULL */
        uint32_t last_file;             /* the last file used */
} UnitOrigins;

void unit_origins_deinit(UnitOrigins *origins);
int unit_origins_add(UnitOrigins *origins, const char *file, unsigned line, const char *implied,
                     UnitOriginId *ret_id);
UnitOrigin unit_origins_at(const UnitOrigins *origins, UnitOriginId id);

/* The copy of @path that lives as long as @origins: 0 or -ENOMEM. */
int unit_origins_add_path(UnitOrigins *origins, const char *path, const char **ret_path);
