/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Object paths: the escaping is exact to the byte, and only the exact form is understood
 */

#include <errno.h>
#include <string.h>

#include "basic/macro.h"
#include "dbus/peer/bus_path.h"
#include "double/double_assert.h"
#include "unit/unit_name.h"

static const struct {
        const char *label, *escaped;
} labels[] = {
        { "", "_" },
        { "_", "_5f" },
        { "a", "a" },
        { "a.service", "a_2eservice" },
        { "0a.service", "_30a_2eservice" },
        { "a0.service", "a0_2eservice" },
        { "-.slice", "_2d_2eslice" },
        { "getty@tty1.service", "getty_40tty1_2eservice" },
        { "a\\x2db.mount", "a_5cx2db_2emount" },
        { "a:b_c.service", "a_3ab_5fc_2eservice" },
        { "AZaz09", "AZaz09" },
        { "9", "_39" },
        { "\xc3\xa4", "_c3_a4" },
};

Test(bus_path, labels_are_escaped_byte_by_byte) {
        for (size_t i = 0; i < ELEMENTSOF(labels); i++) {
                cleanup_free_ char *escaped = NULL;

                cr_assert(eq(int, bus_path_escape(labels[i].label, &escaped), 0));
                assert_string(escaped, labels[i].escaped);
        }
}

Test(bus_path, escaped_labels_are_read_back) {
        for (size_t i = 0; i < ELEMENTSOF(labels); i++) {
                cleanup_free_ char *label = NULL;

                cr_assert(eq(int, bus_path_unescape(labels[i].escaped, &label), 0));
                assert_string(label, labels[i].label);
        }
}

Test(bus_path, another_spelling_of_a_label_is_refused) {
        static const char *const wrong[] = {
                "", "a_", "a_2", "a_2E", "a_61", "0a", "a-b", "a.b", "_2g", "a_00", "__", "a__", "_5F",
        };

        for (size_t i = 0; i < ELEMENTSOF(wrong); i++) {
                char *label = NULL;

                cr_assert(eq(int, bus_path_unescape(wrong[i], &label), -EINVAL), "%s", wrong[i]);
        }
}

Test(bus_path, every_byte_survives) {
        for (unsigned byte = 1; byte < 256; byte++) {
                char text[] = { 'x', (char) byte, 'y', '\0' };
                cleanup_free_ char *escaped = NULL, *label = NULL;

                cr_assert(eq(int, bus_path_escape(text, &escaped), 0));
                cr_assert(eq(int, bus_path_unescape(escaped, &label), 0));
                assert_string(label, text);
        }
}

Test(bus_path, objects_lie_below_the_root_of_their_dialect) {
        char path[BUS_PATH_SIZE];

        assert_string(bus_path_of_unit(&bus_dialects[BUS_DIALECT_OWN], "a.service", path),
                      "/org/jobd1/unit/a_2eservice");
        assert_string(bus_path_of_job(&bus_dialects[BUS_DIALECT_OWN], 10, path), "/org/jobd1/job/10");
        assert_string(bus_path_of_job(&bus_dialects[BUS_DIALECT_SYSTEMD], UINT32_MAX, path),
                      "/org/freedesktop/systemd1/job/4294967295");
}

Test(bus_path, the_longest_name_has_a_path) {
        char name[UNIT_NAME_MAX + 1], path[BUS_PATH_SIZE];

        memset(name, ':', UNIT_NAME_MAX);
        name[UNIT_NAME_MAX] = '\0';
        bus_path_of_unit(&bus_dialects[BUS_DIALECT_SYSTEMD], name, path);
        cr_assert(eq(sz, strlen(path), strlen("/org/freedesktop/systemd1/unit/") + 3 * UNIT_NAME_MAX));
}
