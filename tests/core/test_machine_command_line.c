/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The kernel's command line.
 */

#include "core/machine_command_line.h"
#include "double/double_assert.h"

typedef struct Case {
        const char *text;
        const char *unit;               /* NULL: the command line names none */
} Case;

static void expect_units(const Case *cases, size_t n) {
        for (size_t i = 0; i < n; i++) {
                cleanup_(machine_command_line_deinit) MachineCommandLine line = {};

                cr_assert(eq(int, machine_command_line_parse(&line, cases[i].text), 0));
                if (cases[i].unit)
                        cr_expect(line.unit && strcmp(line.unit, cases[i].unit) == 0, "%s", cases[i].text);
                else
                        cr_expect(line.unit == NULL, "%s", cases[i].text);
        }
}

Test(machine_command_line, names_the_unit) {
        static const Case cases[] = {
                { "", NULL },
                { "root=/dev/vda ro console=ttyS0", NULL },
                { "jobd.unit=a.target", "a.target" },
                { "systemd.unit=b.service\n", "b.service" },
                { "jobd.unit=a.target systemd.unit=b.target", "b.target" },
                { "single", "rescue.target" },
                { "s", "rescue.target" },
                { "S", "rescue.target" },
                { "1", "rescue.target" },
                { "ro rescue quiet", "rescue.target" },
                { "emergency", "emergency.target" },
                { "-b", "emergency.target" },
                { "2", "multi-user.target" },
                { "3", "multi-user.target" },
                { "4", "multi-user.target" },
                { "5", "graphical.target" },
                { "jobd.unit=a.target 1", "rescue.target" },
                { "1 jobd.unit=a.target", "a.target" },
                { "rescue=1 x=emergency 11 singles xjobd.unit=a.target jobd.units=a.target", NULL },
        };

        expect_units(cases, ELEMENTSOF(cases));
}

Test(machine_command_line, quotes_are_those_of_the_kernel) {
        static const Case cases[] = {
                { "\"jobd.unit=a.target\"", "a.target" },
                { "jobd.unit=\"a.target\"", "a.target" },
                { "x=\"a b\" jobd.unit=a.target", "a.target" },
                { "x=\"a jobd.unit=b.target c\"", NULL },
                { "\"x emergency y\"", NULL },
                { "x=\"never closed jobd.unit=b.target", NULL },
                { "jobd.unit=\"a.target", "a.target" },
                { "\t jobd.unit=a.target\t\n", "a.target" },
                { "\"emergency\"", "emergency.target" },
                { "\"", NULL },
        };

        expect_units(cases, ELEMENTSOF(cases));
}

Test(machine_command_line, what_is_no_unit_is_kept_to_be_told) {
        cleanup_(machine_command_line_deinit) MachineCommandLine line = {};

        cr_assert(eq(int, machine_command_line_parse(&line, "jobd.unit=a.target jobd.unit=../evil"), 0));
        assert_string(line.unit, "a.target");
        assert_string(line.wrong_unit, "../evil");
}

Test(machine_command_line, log_level_that_is_named_wins) {
        static const struct {
                const char *text;
                bool has_level;
                LogLevel level;
        } cases[] = {
                { "", false, LOG_LEVEL_INFO },
                { "quiet", true, LOG_LEVEL_WARNING },
                { "debug", true, LOG_LEVEL_DEBUG },
                { "jobd.log_level=info quiet", true, LOG_LEVEL_INFO },
                { "quiet jobd.log_level=debug", true, LOG_LEVEL_DEBUG },
                { "jobd.log_level=3", true, LOG_LEVEL_ERROR },
                { "jobd.log_level=loud", false, LOG_LEVEL_INFO },
                { "quiet=1", false, LOG_LEVEL_INFO },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(machine_command_line_deinit) MachineCommandLine line = {};

                cr_assert(eq(int, machine_command_line_parse(&line, cases[i].text), 0));
                cr_expect(line.has_log_level == cases[i].has_level, "%s", cases[i].text);
                cr_expect(eq(int, (int) line.log_level, (int) cases[i].level), "%s", cases[i].text);
        }
}

Test(machine_command_line, that_of_this_kernel_can_be_read) {
        cleanup_(machine_command_line_deinit) MachineCommandLine line = {};

        cr_assert(eq(int, machine_command_line_read(&line), 0));
}
