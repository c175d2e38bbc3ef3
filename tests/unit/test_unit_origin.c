/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Origins: each once, and in words.
 */

#include <stdio.h>

#include "basic/macro.h"
#include "double/double_assert.h"
#include "unit/unit_table.h"

Test(unit_origin, each_is_kept_once) {
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        static const char implied[] = "default dependency";
        UnitOriginId ids[2000], id;

        cr_assert(eq(int, unit_table_new(&table), 0));
        for (int round = 0; round < 2; round++)
                for (unsigned i = 0; i < ELEMENTSOF(ids); i++) {
                        char file[32];

                        snprintf(file, sizeof(file), "/u/%u", i / 20);
                        cr_assert(eq(int, unit_table_origin(table, file, i % 20, i % 2 ? implied : NULL, &id), 0));
                        cr_assert(ne(u32, id, UNIT_ORIGIN_NONE));
                        if (round == 0)
                                ids[i] = id;
                        else
                                cr_assert(eq(u32, id, ids[i]));
                }
        for (unsigned i = 0; i < ELEMENTSOF(ids); i++) {
                char file[32];

                snprintf(file, sizeof(file), "/u/%u", i / 20);
                assert_string(unit_table_origin_at(table, ids[i]).file, file);
                cr_assert(eq(uint, unit_table_origin_at(table, ids[i]).line, i % 20));
        }
}

Test(unit_origin, lines_of_a_long_file_come_in_any_order) {
        enum { LINES = 5000 };
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        static const char implied[] = "order implied";
        UnitOriginId ids[LINES], id;

        cr_assert(eq(int, unit_table_new(&table), 0));
        for (unsigned i = 0; i < LINES; i++) {
                unsigned line = i * 37 % LINES;

                cr_assert(eq(int, unit_table_origin(table, "/u/long", line, NULL, &ids[line]), 0));
                cr_assert(eq(int, unit_table_origin(table, "/u/long", line, implied, &id), 0));
                cr_assert(ne(u32, id, ids[line]));
        }
        for (unsigned line = 0; line < LINES; line++) {
                UnitOrigin origin = unit_table_origin_at(table, ids[line]);

                cr_assert(eq(uint, origin.line, line));
                assert_null(origin.implied);
                cr_assert(eq(int, unit_table_origin(table, "/u/long", line, NULL, &id), 0));
                cr_assert(eq(u32, id, ids[line]));
        }
        cr_assert(eq(int, unit_table_origin(table, "/u/long", UINT32_MAX, NULL, &id), 0));
        cr_assert(eq(uint, unit_table_origin_at(table, id).line, UINT32_MAX));
}

Test(unit_origin, a_path_is_the_same_in_all) {
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        const char *path, *again;
        UnitOriginId id;

        cr_assert(eq(int, unit_table_new(&table), 0));
        cr_assert(eq(int, unit_table_path(table, "/u/a.service", &path), 0));
        cr_assert(eq(int, unit_table_path(table, "/u/b.service", &again), 0));
        cr_assert(ne(ptr, (void *) path, (void *) again));
        cr_assert(eq(int, unit_table_origin(table, "/u/a.service", 1, NULL, &id), 0));
        cr_assert(unit_table_origin_at(table, id).file == path);
        cr_assert(eq(int, unit_table_path(table, "/u/a.service", &again), 0));
        cr_assert(path == again);
}

Test(unit_origin, in_words) {
        static const struct {
                const char *file;
                unsigned line;
                const char *implied, *words;
        } table[] = {
                { "/u/a.service", 7, NULL, "/u/a.service:7" },
                { "/u/t.target.wants/a.service", 0, NULL, "/u/t.target.wants/a.service" },
                { "/u/a.service", 0, "default dependency", "default dependency of a.service" },
                { "a.service", 0, "default dependency", "default dependency of a.service" },
                { "/u/a.service", 3, "RequiresMountsFor", "RequiresMountsFor by /u/a.service:3" },
                { NULL, 0, "slice", "slice" },
                { "", 0, NULL, "" },
        };
        cleanup_(unit_table_freep) UnitTable *units = NULL;
        char buffer[100];

        cr_assert(eq(int, unit_table_new(&units), 0));
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                UnitOriginId id;

                cr_assert(eq(int, unit_table_origin(units, table[i].file, table[i].line, table[i].implied, &id), 0));
                assert_string(unit_origin_format(units, id, buffer, sizeof(buffer)), table[i].words);
        }
        assert_string(unit_origin_format(units, UNIT_ORIGIN_NONE, buffer, sizeof(buffer)), "");
}

Test(unit_origin, long_words_are_cut) {
        cleanup_(unit_table_freep) UnitTable *table = NULL;
        UnitOriginId id;
        char buffer[5];

        cr_assert(eq(int, unit_table_new(&table), 0));
        cr_assert(eq(int, unit_table_origin(table, "/a/long/path", 12, NULL, &id), 0));
        assert_string(unit_origin_format(table, id, buffer, sizeof(buffer)), "/a/l");
}
