/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Lists of a draft whose entries have names, such as assignments
 *
 * The last entry of a name counts. Once a list is long its names are in a hash
 * table, as long as the draft is read: so an entry costs the same whether it is
 * the tenth or the hundred thousandth.
 */

#include "basic/index_table.h"
#include "basic/vector.h"

typedef struct DraftList {
        char ***field;                  /* borrowed: the list, which names the entry */
        char **items;                   /* borrowed: *field, when this was made; differs if it was replaced since */
        size_t n;
        IndexTable by_name;
} DraftList;

typedef struct DraftLists {
        VECTOR(DraftList) lists;        /* those that are long */
        uint64_t n_compared;            /* names that were compared */
} DraftLists;

void draft_lists_deinit(DraftLists *lists);

/*
 * Adds @entry, which it owns, to the list *@field, in place of an earlier one of the same name; @separator, one
 * character, ends the name. 0 or -ENOMEM.
 */
int draft_lists_set(DraftLists *lists, char ***field, char *entry, char separator);
