/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of mounts
 *
 * libmount reads it, decodes the file and adds the options that only mount(8)
 * knows (utab). A table never changes: changes are found by comparing two
 * tables.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "basic/arena.h"
#include "basic/vector.h"
#include "unitfile/mount_library.h"
#include "unitfile/mount_table.h"

typedef struct MountRow {
        MountEntry entry;
        size_t order;                   /* position in the file: later ones are on top */
} MountRow;

struct MountTable {
        Arena strings;
        VECTOR(MountEntry) entries;
};

MountTable *mount_table_free(MountTable *table) {
        if (!table)
                return NULL;
        arena_deinit(&table->strings);
        vector_deinit(&table->entries);
        free(table);
        return NULL;
}

static int row_compare(const void *a, const void *b) {
        const MountRow *left = a, *right = b;
        int order = strcmp(left->entry.where, right->entry.where);

        return order ? order : (left->order > right->order) - (left->order < right->order);
}

typedef VECTOR(MountRow) MountRows;

static int add_row(MountTable *table, MountRows *rows, const MountLibrary *library, struct libmnt_fs *fs) {
        const char *where = library->fs_get_target(fs), *what = library->fs_get_source(fs);
        const char *type = library->fs_get_fstype(fs), *options = library->fs_get_options(fs);
        MountRow row = { .order = rows->n };

        if (!where || where[0] != '/')
                return 0;
        row.entry.where = arena_strdup(&table->strings, where);
        row.entry.what = arena_strdup(&table->strings, what ? what : "");
        row.entry.type = arena_strdup(&table->strings, type ? type : "");
        row.entry.options = arena_strdup(&table->strings, options ? options : "");
        if (!row.entry.where || !row.entry.what || !row.entry.type || !row.entry.options)
                return -ENOMEM;
        return vector_push(rows, row);
}

static int add_rows(MountTable *table, MountRows *rows, const MountLibrary *library, struct libmnt_table *mounts) {
        struct libmnt_iter *iterator = library->new_iter(MNT_ITER_FORWARD);
        struct libmnt_fs *fs;
        int r = iterator ? 0 : -ENOMEM;

        while (r == 0 && library->table_next_fs(mounts, iterator, &fs) == 0)
                r = add_row(table, rows, library, fs);
        library->free_iter(iterator);
        return r;
}

/* Keeps only the topmost mount at each path. */
static int settle(MountTable *table, MountRows *rows) {
        int r = vector_reserve(&table->entries, rows->n);

        if (r < 0)
                return r;
        if (rows->n > 0)
                qsort(rows->items, rows->n, sizeof(MountRow), row_compare);
        for (size_t i = 0; i < rows->n; i++) {
                size_t n = table->entries.n;

                if (n > 0 && strcmp(table->entries.items[n - 1].where, rows->items[i].entry.where) == 0)
                        table->entries.items[n - 1] = rows->items[i].entry;
                else
                        table->entries.items[table->entries.n++] = rows->items[i].entry;
        }
        return 0;
}

int mount_table_read(const char *path, MountTable **ret_table) {
        const MountLibrary *library = mount_library();
        cleanup_(mount_table_freep) MountTable *table = NULL;
        struct libmnt_table *mounts;
        MountRows rows = {};
        int r;

        if (!library)
                return -EOPNOTSUPP;
        table = calloc(1, sizeof(*table));
        mounts = table ? library->new_table() : NULL;
        if (!mounts)
                return -ENOMEM;
        r = library->table_parse_mtab(mounts, path);
        if (r != 0)
                r = r == -ENOMEM ? r : -EIO;
        else
                r = add_rows(table, &rows, library, mounts);
        library->unref_table(mounts);
        if (r == 0)
                r = settle(table, &rows);
        vector_deinit(&rows);
        if (r == 0)
                *ret_table = take_ptr(table);
        return r;
}

const MountEntry *mount_table_entries(const MountTable *table, size_t *ret_n) {
        *ret_n = table ? table->entries.n : 0;
        return table ? table->entries.items : NULL;
}

static int entry_compare(const void *a, const void *b) {
        return strcmp(((const MountEntry *) a)->where, ((const MountEntry *) b)->where);
}

const MountEntry *mount_table_find(const MountTable *table, const char *where) {
        MountEntry wanted = { .where = where };

        if (!table || table->entries.n == 0)
                return NULL;
        return bsearch(&wanted, table->entries.items, table->entries.n, sizeof(MountEntry), entry_compare);
}

bool mount_entry_equal(const MountEntry *a, const MountEntry *b) {
        return strcmp(a->where, b->where) == 0 && strcmp(a->what, b->what) == 0 && strcmp(a->type, b->type) == 0 &&
               strcmp(a->options, b->options) == 0;
}
