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
