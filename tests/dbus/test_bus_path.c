/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Object paths: the escaping is exact to the byte, and only the exact form is understood
 */

#include <errno.h>

#include "basic/macro.h"
#include "dbus/bus_path.h"
#include "double/double_assert.h"

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
        cleanup_free_ char *unit = NULL, *job = NULL;

        cr_assert(eq(int, bus_path_of_unit(&bus_dialects[BUS_DIALECT_OWN], "a.service", &unit), 0));
        cr_assert(eq(int, bus_path_of_job(&bus_dialects[BUS_DIALECT_SYSTEMD], UINT32_MAX, &job), 0));
        assert_string(unit, "/org/jobd1/unit/a_2eservice");
        assert_string(job, "/org/freedesktop/systemd1/job/4294967295");
}
