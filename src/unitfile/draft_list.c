/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of a draft whose entries have names
 *
 * A list that somebody has emptied is short when it gets entries again, and its
 * table goes then. So a table is never one of other entries.
 */

#include <stdlib.h>
#include <string.h>

#include "basic/hash.h"
#include "basic/strv.h"
#include "unitfile/draft_list.h"

/* Shorter lists are looked through. */
#define LONG_LIST 16U

void draft_lists_deinit(DraftLists *lists) {
        for (size_t i = 0; i < lists->lists.n; i++)
                index_table_deinit(&lists->lists.items[i].by_name);
        vector_deinit(&lists->lists);
}

/* Up to a long one. */
static size_t count(char *const *list) {
        size_t n = 0;

        while (list && list[n] && n < LONG_LIST)
                n++;
        return n;
}

/* With the separator. */
static size_t length_of_name(const char *entry, char separator) {
        const char *end = strchrnul(entry, separator);

        return (size_t) (end - entry) + 1;
}

static uint32_t hash_name(const char *entry, size_t n) {
        uint64_t hash = HASH_BEGIN;

        for (size_t i = 0; i < n; i++)
                hash = hash_add_byte(hash, entry[i]);
        return (uint32_t) (hash ^ hash >> 32);
}

static bool have_same_name(DraftLists *lists, const char *a, const char *b, size_t n) {
        lists->n_compared++;
        return strncmp(a, b, n) == 0;
}

static void replace(char **slot, char *entry) {
        free(*slot);
        *slot = entry;
}

static int set_in_short(DraftLists *lists, char ***field, char *entry, size_t n_name) {
        for (char **slot = *field; slot && *slot; slot++)
                if (have_same_name(lists, *slot, entry, n_name)) {
                        replace(slot, entry);
                        return 0;
                }
        return strv_consume(field, entry);
}

static DraftList *find_list(DraftLists *lists, char ***field) {
        for (size_t i = 0; i < lists->lists.n; i++)
                if (lists->lists.items[i].field == field)
                        return &lists->lists.items[i];
        return NULL;
}

static int fill_table(DraftList *list, char separator) {
        int r = 0;

        index_table_deinit(&list->by_name);
        list->items = *list->field;
        for (list->n = 0; list->items[list->n] && r == 0; list->n++) {
                const char *entry = list->items[list->n];

                r = index_table_put(&list->by_name, hash_name(entry, length_of_name(entry, separator)),
                                    (uint32_t) list->n);
        }
        if (r < 0)
                list->items = NULL;
        return r;
}

/* The list with its table, made for it if need be; NULL without memory. */
static DraftList *open_list(DraftLists *lists, char ***field, char separator) {
        DraftList *list = find_list(lists, field);

        if (list && list->items == *field)
                return list;
        if (!list) {
                if (vector_push(&lists->lists, ((DraftList) { .field = field })) < 0)
                        return NULL;
                list = &vector_last(&lists->lists);
        }
        return fill_table(list, separator) < 0 ? NULL : list;
}

static int append(DraftList *list, char *entry, uint32_t hash) {
        int r = index_table_reserve(&list->by_name, 1);

        if (r < 0) {
                free(entry);
                return r;
        }
        r = strv_consume_at(list->field, list->n, entry);
        if (r < 0)
                return r;
        list->items = *list->field;
        return index_table_put(&list->by_name, hash, (uint32_t) list->n++);
}

static int set_in_long(DraftLists *lists, DraftList *list, char *entry, size_t n_name) {
        const uint32_t hash = hash_name(entry, n_name);
        size_t probe = 0;
        uint32_t place;

        while (index_table_next(&list->by_name, hash, &probe, &place))
                if (have_same_name(lists, list->items[place], entry, n_name)) {
                        replace(&list->items[place], entry);
                        return 0;
                }
        return append(list, entry, hash);
}

int draft_lists_set(DraftLists *lists, char ***field, char *entry, char separator) {
        const size_t n_name = length_of_name(entry, separator);
        DraftList *list;

        if (count(*field) < LONG_LIST) {
                list = find_list(lists, field);
                if (list)
                        list->items = NULL;
                return set_in_short(lists, field, entry, n_name);
        }
        list = open_list(lists, field, separator);
        if (!list) {
                free(entry);
                return -ENOMEM;
        }
        return set_in_long(lists, list, entry, n_name);
}
