/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Tables for people
 *
 * The last column of a row is not padded with blanks, so output in a pipe has
 * none at the line end. A table that is too wide is cut where it matters
 * least: the last column, a description or reason, down to MIN_LAST columns;
 * then the widest column. Columns that must stay whole are left out of this. If
 * that is not enough for them, rows are folded: each takes as many lines as its
 * columns need, the further ones indented.
 */

#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/table.h"

#define GAP 1
#define MIN_LAST 20
#define MIN_COLUMN 8
#define FOLD_INDENT 4
#define NOWHERE SIZE_MAX

typedef struct TableColumn {
        size_t width;
        bool begins_line;       /* of a folded row */
} TableColumn;

void table_deinit(Table *table) {
        for (size_t i = 0; i < table->cells.n; i++)
                free(table->cells.items[i].text);
        vector_deinit(&table->cells);
}

static void table_take(Table *table, TerminalColor color, char *text) {
        TableCell cell = { .text = text, .color = color };

        if (!text) {
                table->error = -ENOMEM;
                return;
        }
        for (char *c = text; *c; c++)
                if (*c == '\n' || *c == '\t')
                        *c = ' ';
        cell.width = terminal_text_width(text);
        if (vector_push(&table->cells, cell) < 0) {
                table->error = -ENOMEM;
                free(text);
        }
}

void table_add(Table *table, TerminalColor color, const char *text) {
        table_take(table, color, strdup(text));
}

void table_addf(Table *table, const char *format, ...) {
        char *text = NULL;
        va_list args;

        va_start(args, format);
        text_vformat(&text, format, args);
        va_end(args);
        table_take(table, COLOR_NONE, text);
}

static void measure(const Table *table, TableColumn *columns) {
        for (size_t i = 0; i < table->cells.n; i++) {
                TableColumn *column = &columns[i % table->n_columns];

                column->width = MAX(column->width, table->cells.items[i].width);
        }
}

static size_t total_width(const Table *table, const TableColumn *columns) {
        size_t total = GAP * (table->n_columns - 1);

        for (size_t i = 0; i < table->n_columns; i++)
                total += columns[i].width;
        return total;
}

static bool is_whole(const Table *table, size_t column) {
        return table->whole_columns & (1U << column);
}

static size_t find_widest(const Table *table, const TableColumn *columns) {
        size_t widest = NOWHERE;

        for (size_t i = 0; i < table->n_columns; i++)
                if (!is_whole(table, i) && (widest == NOWHERE || columns[i].width > columns[widest].width))
                        widest = i;
        return widest;
}

/* Reduces the widths by @excess if possible; longer cells are cut when they are printed. Returns what is left of it. */
static size_t shrink(const Table *table, TableColumn *columns, size_t excess) {
        TableColumn *last = &columns[table->n_columns - 1];
        size_t spare = last->width > MIN_LAST && !is_whole(table, table->n_columns - 1) ? last->width - MIN_LAST : 0;
        size_t taken = MIN(spare, excess);

        last->width -= taken;
        for (excess -= taken; excess > 0; excess--) {
                size_t widest = find_widest(table, columns);

                if (widest == NOWHERE || columns[widest].width <= MIN_COLUMN)
                        break;
                columns[widest].width--;
        }
        return excess;
}

/* Begins a line with each column that does not fit into the line of the one before it. */
static void fold(const Table *table, TableColumn *columns, size_t width) {
        size_t used = 0;

        for (size_t i = 0; i < table->n_columns; i++) {
                if (i > 0 && used + GAP + columns[i].width > width) {
                        columns[i].begins_line = true;
                        used = FOLD_INDENT;
                } else if (i > 0)
                        used += GAP;
                if (!is_whole(table, i) && columns[i].width > MIN_COLUMN && used + columns[i].width > width)
                        columns[i].width = MAX((size_t) MIN_COLUMN, width - MIN(used, width));
                used += columns[i].width;
        }
}

static void fit(const Table *table, TableColumn *columns, size_t width) {
        size_t total = total_width(table, columns);

        if (total <= width || shrink(table, columns, total - width) == 0 || table->whole_columns == 0)
                return;
        memset(columns, 0, table->n_columns * sizeof(*columns));
        measure(table, columns);
        fold(table, columns, width);
}

/* The cells of a row from @index up to the end of its line are empty. */
static bool is_blank_line(const Table *table, const TableColumn *columns, size_t index) {
        for (size_t i = index; i < table->cells.n; i++) {
                size_t column = i % table->n_columns;

                if (i > index && (column == 0 || columns[column].begins_line))
                        break;
                if (*table->cells.items[i].text)
                        return false;
        }
        return true;
}

/* @is_last: nothing follows in the line, which has no blanks at its end. */
static int write_cell(const Table *table, const Terminal *terminal, size_t index, size_t width, bool is_last,
                      FILE *stream) {
        const TableCell *cell = &table->cells.items[index];
        bool is_right = table->right_columns & (1U << index % table->n_columns);
        bool is_header = table->has_header && index < table->n_columns;
        TerminalColor color = is_header ? COLOR_UNDERLINE : cell->color;
        size_t blanks = cell->width < width ? width - cell->width : 0;
        cleanup_free_ char *cut = NULL;
        int r;

        r = terminal_text_cut(cell->text, width, terminal->has_utf8, &cut);
        if (r < 0)
                return r;
        if (is_right)
                fprintf(stream, "%*s", (int) blanks, "");
        fprintf(stream, "%s%s", terminal_color(terminal, color), cut);
        if (is_header && !is_right && !is_last && terminal->has_out_color)
                fprintf(stream, "%*s", (int) blanks, "");
        fputs(terminal_reset(terminal, color), stream);
        if (!is_last)
                fprintf(stream, "%*s", GAP + (is_right || (is_header && terminal->has_out_color) ? 0 : (int) blanks),
                        "");
        return 0;
}

/* Blanks before the first cell, as in a tree. */
static int indent_of_row(const Table *table, size_t index) {
        return (int) strspn(table->cells.items[index - index % table->n_columns].text, " ");
}

/* One line of a row, from the cell @index on. Returns the index after it, or < 0. */
static ssize_t write_line(const Table *table, const Terminal *terminal, const TableColumn *columns, size_t index,
                          FILE *stream) {
        const bool is_folded = index % table->n_columns != 0;
        const bool is_blank = is_folded && is_blank_line(table, columns, index);
        bool is_last;

        if (is_folded && !is_blank)
                fprintf(stream, "%*s", FOLD_INDENT + indent_of_row(table, index), "");
        do {
                size_t column = index % table->n_columns;
                int r = 0;

                is_last = column + 1 == table->n_columns || columns[column + 1].begins_line;
                if (!is_blank)
                        r = write_cell(table, terminal, index, columns[column].width, is_last, stream);
                if (r < 0)
                        return r;
                index++;
        } while (!is_last);
        if (!is_blank)
                fputc('\n', stream);
        return (ssize_t) index;
}

int table_write(const Table *table, const Terminal *terminal, FILE *stream) {
        cleanup_free_ TableColumn *columns = calloc(table->n_columns, sizeof(*columns));

        if (!columns)
                return -ENOMEM;
        measure(table, columns);
        if (terminal->is_out_terminal && !table->is_full)
                fit(table, columns, terminal->width);
        for (size_t i = 0; table->error == 0 && i < table->cells.n;) {
                ssize_t next = write_line(table, terminal, columns, i, stream);

                if (next < 0)
                        return (int) next;
                i = (size_t) next;
        }
        return table->error;
}
