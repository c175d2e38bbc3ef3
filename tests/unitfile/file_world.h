/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * A temporary search path of two folders, "a" before "b", a loader and a table
 *
 * Each type that can be loaded has a vtable that does nothing (fake_types.h).
 * Memory that runs out aborts the test.
 */

#include "basic/text.h"
#include "double/double_assert.h"
#include "unit/unit_table.h"
#include "unitfile/service_settings.h"
#include "unitfile/unit_file.h"

typedef struct FileWorld {
        char root[64];
        char *search_path[3];           /* owned: root/a, root/b */
        UnitFileOptions options;        /* of loaders made from now on */
        UnitFileLoader *loader;         /* owned */
        UnitTable *table;               /* owned */
        Text said;                      /* "warning foo.service:3 Setting: message\n"; root is left out of names */
        Text changed;                   /* of a reload: "unit: difference\n" */
} FileWorld;

FileWorld *file_world_new(void);
FileWorld *file_world_free(FileWorld *world);
DEFINE_CLEANUP(FileWorld, file_world_free)

/* Makes a new table and loader, with world->options. */
void file_world_restart(FileWorld *world);

/* @path is below root ("a/foo.service"); folders on the way are made. */
void file_write(FileWorld *world, const char *path, const char *text);
void file_write_bytes(FileWorld *world, const char *path, const char *bytes, size_t n);
void file_link(FileWorld *world, const char *path, const char *target);
void file_remove(FileWorld *world, const char *path);

Unit *file_load(FileWorld *world, const char *name);
/* A [Service] with "ExecStart=/bin/true" and these further lines. */
Unit *file_load_service(FileWorld *world, const char *name, const char *lines);
const ServiceSettings *file_service(const Unit *unit);

/* "a.service b.service", sorted by the order of declaration; "" if none. Borrowed until the next call. */
const char *file_relations(const Unit *unit, UnitRelationKind kind);
/* Where it was declared, with root left out: "a/x.service:3". */
const char *file_origin(FileWorld *world, const Unit *unit, UnitRelationKind kind, const char *other);

/* The diagnostics since the last call. Borrowed until the next call. */
const char *file_said(FileWorld *world);
#define assert_said(world, part) file_assert_contains(file_said(world), part)
void file_assert_contains(const char *text, const char *part);

int file_reload(FileWorld *world, bool force, Failure *ret_failure);
