/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What becomes of a unit's output: what its file may say of it
 */

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"

Test(exec_log_value, output_goes_where_it_is_said) {
        static const struct {
                const char *line;
                ExecOutput output, error;
        } cases[] = {
                { "", EXEC_OUTPUT_DEFAULT, EXEC_OUTPUT_SAME },
                { "StandardOutput=tty", EXEC_OUTPUT_TTY, EXEC_OUTPUT_SAME },
                { "StandardOutput=journal", EXEC_OUTPUT_JOURNAL, EXEC_OUTPUT_SAME },
                { "StandardOutput=log", EXEC_OUTPUT_JOURNAL, EXEC_OUTPUT_SAME },
                { "StandardOutput=syslog", EXEC_OUTPUT_JOURNAL, EXEC_OUTPUT_SAME },
                { "StandardOutput=kmsg", EXEC_OUTPUT_KMSG, EXEC_OUTPUT_SAME },
                { "StandardOutput=journal+console", EXEC_OUTPUT_JOURNAL_CONSOLE, EXEC_OUTPUT_SAME },
                { "StandardOutput=kmsg+console", EXEC_OUTPUT_KMSG_CONSOLE, EXEC_OUTPUT_SAME },
                { "StandardOutput=null\nStandardError=journal", EXEC_OUTPUT_NULL, EXEC_OUTPUT_JOURNAL },
                { "StandardOutput=inherit\nStandardError=inherit", EXEC_OUTPUT_INHERIT, EXEC_OUTPUT_SAME },
                { "StandardOutput=null\nStandardOutput=", EXEC_OUTPUT_DEFAULT, EXEC_OUTPUT_SAME },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                const ServiceSettings *service = file_service(file_load_service(world, "x.service", cases[i].line));

                cr_assert(eq(int, service->exec.standard_output, cases[i].output), "%s", cases[i].line);
                cr_assert(eq(int, service->exec.standard_error, cases[i].error), "%s", cases[i].line);
                assert_string(file_said(world), "");
        }
}

Test(exec_log_value, an_unknown_output_refuses_the_unit) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const Unit *unit = file_load_service(world, "x.service", "StandardOutput=nowhere");

        cr_assert(eq(int, unit->load_state, UNIT_BAD_SETTING));
}

Test(exec_log_value, settings_of_the_log) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ExecRareSettings *rare = exec_settings_rare(&file_service(file_load_service(world, "x.service",
                "SyslogLevel=err\nSyslogLevelPrefix=no\nSyslogFacility=local3\nSyslogIdentifier=me\nLogLevelMax=notice\n"
                "LogRateLimitIntervalSec=5min\nLogRateLimitBurst=7\nLogExtraFields=COLOR=red \"SHAPE=round one\""))->exec);

        assert_string(file_said(world), "");
        cr_assert(eq(int, rare->syslog_level, 3 + 1));
        cr_assert(rare->no_level_prefix);
        cr_assert(eq(int, rare->syslog_facility, 19 + 1));
        cr_assert(eq(int, rare->log_level_max, 5 + 1));
        cr_assert(eq(u64, rare->log_interval, 5 * USEC_PER_MINUTE));
        cr_assert(eq(u32, rare->log_burst, 7));
        cr_assert(eq(sz, strv_length(rare->log_extra_fields), 2));
        assert_string(rare->log_extra_fields[1], "SHAPE=round one");
}

Test(exec_log_value, an_empty_value_takes_it_back) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ExecSettings *settings = &file_service(file_load_service(world, "x.service",
                "SyslogLevel=err\nSyslogLevel=\nLogLevelMax=3\nLogLevelMax=\nLogRateLimitBurst=7\nLogRateLimitBurst=\n"
                "LogExtraFields=A=b\nLogExtraFields="))->exec;

        assert_null(settings->rare);
}

Test(exec_log_value, a_bad_value_is_said_and_left_out) {
        static const struct {
                const char *line, *said;
        } cases[] = {
                { "SyslogLevel=loud", "SyslogLevel: 'loud' is none of emerg, alert, crit" },
                { "SyslogLevel=8", "'8' is none of" },
                { "SyslogFacility=24", "'24' is none of" },
                { "LogLevelMax=-1", "'-1' is none of" },
                { "SyslogLevelPrefix=perhaps", "'perhaps' is neither yes nor no" },
                { "LogRateLimitBurst=many", "'many' is not a number of lines" },
                { "LogRateLimitIntervalSec=soon", "'soon' is not a time span" },
                { "LogExtraFields=color=red", "'color=red' is not of the form FIELD=value" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                const Unit *unit = file_load_service(world, "x.service", cases[i].line);

                assert_said(world, cases[i].said);
                cr_assert(eq(int, unit->load_state, UNIT_LOADED), "%s", cases[i].line);
        }
}
