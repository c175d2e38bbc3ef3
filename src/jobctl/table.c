/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Tables for people
 *
 * The last column of a row is not padded with blanks, so output in a pipe has
 * none at the line end. A table that is too wide is cut where it matters
 * least: the last column, a description or reason, down to MIN_LAST columns;
 * then the widest column.
 */

#include <stdarg.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/text.h"
#include "jobctl/table.h"

#define GAP 1
#define MIN_LAST 20
#define MIN_COLUMN 8

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

size_t table_rows(const Table *table) {
        size_t rows = table->cells.n / table->n_columns;

        return table->has_header && rows > 0 ? rows - 1 : rows;
}

static void measure(const Table *table, size_t *widths) {
        for (size_t i = 0; i < table->cells.n; i++) {
                size_t column = i % table->n_columns;

                widths[column] = MAX(widths[column], table->cells.items[i].width);
        }
}

/* Reduces the widths by @excess columns if possible; longer cells are cut when they are printed. */
static void shrink(const Table *table, size_t *widths, size_t excess) {
        size_t last = table->n_columns - 1;
        size_t spare = widths[last] > MIN_LAST ? widths[last] - MIN_LAST : 0;
        size_t taken = MIN(spare, excess);

        widths[last] -= taken;
        for (excess -= taken; excess > 0; excess--) {
                size_t widest = 0;

                for (size_t i = 1; i < table->n_columns; i++)
                        if (widths[i] > widths[widest])
                                widest = i;
                if (widths[widest] <= MIN_COLUMN)
                        return;
                widths[widest]--;
        }
}

static int write_cell(const Table *table, const Terminal *terminal, size_t index, size_t width, FILE *stream) {
        const TableCell *cell = &table->cells.items[index];
        size_t column = index % table->n_columns;
        bool is_right = table->right_columns & (1U << column);
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
        if (is_header && !is_right && terminal->has_out_color)
                fprintf(stream, "%*s", (int) blanks, "");
        fputs(terminal_reset(terminal, color), stream);
        if (column + 1 == table->n_columns)
                fputc('\n', stream);
        else
                fprintf(stream, "%*s", GAP + (is_right || (is_header && terminal->has_out_color) ? 0 : (int) blanks),
                        "");
        return 0;
}

int table_write(const Table *table, const Terminal *terminal, FILE *stream) {
        cleanup_free_ size_t *widths = calloc(table->n_columns, sizeof(*widths));
        size_t total = GAP * (table->n_columns - 1);
        int r = table->error;

        if (!widths)
                return -ENOMEM;
        measure(table, widths);
        for (size_t i = 0; i < table->n_columns; i++)
                total += widths[i];
        if (terminal->is_out_terminal && !table->is_full && total > terminal->width)
                shrink(table, widths, total - terminal->width);
        for (size_t i = 0; r == 0 && i < table->cells.n; i++)
                r = write_cell(table, terminal, i, widths[i % table->n_columns], stream);
        return r;
}
