/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Tables for people
 *
 * Cells are added from left to right, row after row. Columns are as wide as
 * their widest cell; on a terminal a table that is too wide is cut, its last
 * column first. Columns that must stay whole (times, paths, names) are not
 * cut: if the others do not give enough room, each row takes several lines.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basic/vector.h"
#include "jobctl/terminal.h"

typedef struct TableCell {
        char *text;             /* owned */
        size_t width;
        TerminalColor color;
} TableCell;

typedef struct Table {
        size_t n_columns;
        uint32_t right_columns; /* bit mask of the columns aligned to the right */
        uint32_t whole_columns; /* bit mask of the columns that are never cut */
        bool has_header;        /* the first row is a header */
        bool is_full;           /* never cut */
        VECTOR(TableCell) cells;
        int error;              /* the first failed allocation */
} Table;

#define TABLE_FIRST(n) ((1U << (n)) - 1)        /* a bit mask of the first @n columns */

void table_deinit(Table *table);
void table_add(Table *table, TerminalColor color, const char *text);
void table_addf(Table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the table to @stream. 0 or -ENOMEM. */
int table_write(const Table *table, const Terminal *terminal, FILE *stream);
