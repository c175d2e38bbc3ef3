/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The layout of tables.
 */

#include <locale.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "jobctl/table.h"

static void use_utf8(void) {
        setlocale(LC_CTYPE, "C.UTF-8");
}

static void assert_written(const Table *table, const Terminal *terminal, const char *expected) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);

        cr_assert(eq(int, table_write(table, terminal, stream), 0));
        fclose(stream);
        assert_string(text, expected);
        free(text);
}

Test(table, columns_are_as_wide_as_their_widest_cell, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 2, .has_header = true };

        table_add(&table, COLOR_NONE, "A");
        table_add(&table, COLOR_NONE, "B");
        table_add(&table, COLOR_NONE, "long");
        table_add(&table, COLOR_NONE, "x");
        assert_written(&table, &(Terminal) {}, "A    B\nlong x\n");
}

Test(table, width_counts_columns_and_not_bytes, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 2 };

        table_add(&table, COLOR_NONE, "日本");
        table_add(&table, COLOR_NONE, "x");
        table_add(&table, COLOR_NONE, "äöü");
        table_add(&table, COLOR_NONE, "y");
        assert_written(&table, &(Terminal) {}, "日本 x\näöü  y\n");
}

Test(table, numbers_stand_at_the_right, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 2, .right_columns = 1 };

        table_addf(&table, "%d", 5);
        table_add(&table, COLOR_NONE, "x");
        table_addf(&table, "%d", 123);
        table_add(&table, COLOR_NONE, "y");
        assert_written(&table, &(Terminal) {}, "  5 x\n123 y\n");
}

Test(table, last_column_is_cut_on_a_terminal_only, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 2 };
        Terminal narrow = { .is_out_terminal = true, .width = 30, .has_utf8 = true };

        table_add(&table, COLOR_NONE, "a.service");
        table_add(&table, COLOR_NONE, "a description that is far too long");
        assert_written(&table, &narrow, "a.service a description that …\n");
        assert_written(&table, &(Terminal) { .width = 30 }, "a.service a description that is far too long\n");
        table.is_full = true;
        assert_written(&table, &narrow, "a.service a description that is far too long\n");
}

static void add_row(Table *table, const char *time, const char *name, const char *text) {
        table_add(table, COLOR_NONE, time);
        table_add(table, COLOR_NONE, name);
        table_add(table, COLOR_NONE, text);
}

Test(table, whole_columns_are_not_cut, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 3, .has_header = true, .whole_columns = TABLE_FIRST(1) };

        add_row(&table, "NEXT", "UNIT", "TEXT");
        add_row(&table, "2026-11-24 03:00:00", "a-long-name.service", "a text that is too long");
        assert_written(&table, &(Terminal) { .is_out_terminal = true, .width = 50, .has_utf8 = true },
                       "NEXT                UNIT           TEXT\n"
                       "2026-11-24 03:00:00 a-long-name.s… a text that is…\n");
}

Test(table, rows_are_folded_where_whole_columns_do_not_fit, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 3, .has_header = true, .whole_columns = TABLE_FIRST(3) };
        Terminal narrow = { .is_out_terminal = true, .width = 30, .has_utf8 = true };

        add_row(&table, "NEXT", "UNIT", "TEXT");
        add_row(&table, "2026-11-24 03:00:00", "a-long-name.service", "x");
        add_row(&table, "  -", "", "");
        assert_written(&table, &narrow,
                       "NEXT\n    UNIT                TEXT\n"
                       "2026-11-24 03:00:00\n    a-long-name.service x\n"
                       "  -\n");
        table.is_full = true;
        assert_written(&table, &(Terminal) { .width = 30 },
                       "NEXT                UNIT                TEXT\n"
                       "2026-11-24 03:00:00 a-long-name.service x\n"
                       "  -                                     \n");
}

Test(table, folded_lines_are_indented_like_their_row, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 2, .whole_columns = TABLE_FIRST(2) };

        table_add(&table, COLOR_NONE, "  a.service");
        table_add(&table, COLOR_NONE, "Wants=a.service (a.target:2)");
        assert_written(&table, &(Terminal) { .is_out_terminal = true, .width = 30 },
                       "  a.service\n      Wants=a.service (a.target:2)\n");
}

Test(table, line_breaks_cannot_break_a_row, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 1 };

        table_add(&table, COLOR_NONE, "a\nb");
        assert_written(&table, &(Terminal) {}, "a b\n");
}

Test(table, colors_do_not_change_the_layout, .init = use_utf8) {
        cleanup_(table_deinit) Table table = { .n_columns = 2 };
        Terminal colorful = { .is_out_terminal = true, .has_out_color = true, .width = 80 };

        table_add(&table, COLOR_RED, "a");
        table_add(&table, COLOR_NONE, "b");
        assert_written(&table, &colorful, "\033[1;31ma\033[0m b\n");
}

Test(table, a_table_without_rows_prints_nothing) {
        cleanup_(table_deinit) Table table = { .n_columns = 3 };

        assert_written(&table, &(Terminal) {}, "");
}
