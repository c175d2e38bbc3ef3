/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Command line and jobd.conf.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic/vector.h"
#include "core/command_unit.h"
#include "core/core_command_line.h"
#include "core/runtime_directory.h"
#include "double/double_assert.h"

static int read_options(CoreOptions *options, Failure *failure, const char *first, const char *second) {
        char *argv[] = { (char *) "jobd", (char *) first, (char *) second, NULL };

        return core_command_line_read(options, !first ? 1 : !second ? 2 : 3, argv, failure);
}

static void write_config(char path[static 64], const char *text) {
        FILE *file;
        int fd;

        strcpy(path, "/tmp/jobd-core-XXXXXX");
        fd = mkostemp(path, O_CLOEXEC);
        cr_assert(ge(int, fd, 0));
        file = fdopen(fd, "w");
        fputs(text, file);
        fclose(file);
}

/* A user's manager has its sockets there, and the user who builds may have no session. */
static void set_runtime_folder(void) {
        setenv("XDG_RUNTIME_DIR", "/run/user/4711", 1);
}

TestSuite(core_options, .init = set_runtime_folder);

Test(core_options, command_line_goes_over_the_file_over_defaults) {
        cleanup_(core_options_deinit) CoreOptions options = {};
        cleanup_(failure_deinit) Failure failure = {};
        char path[64], argument[80];

        write_config(path, "# ours\n[Manager]\nUnitPath = /a:/b \nLogLevel=debug\nSystemdCompat=yes\nSystemdBoot=yes\n"
                           "DefaultTasksMax=20%\nUnsupportedDirectives=warn\nShutdownTimeoutSec=2min\nCoreWatchdogSec=5min\n"
                           "[Other]\nX\n");
        snprintf(argument, sizeof(argument), "--config=%s", path);
        cr_assert(eq(int, read_options(&options, &failure, argument, "--log-level=err"), CORE_COMMAND_LINE_E_RUN), "%s",
                  failure_message(&failure));
        assert_string(options.unit_path, "/a:/b");
        cr_assert(eq(int, (int) options.log_level, LOG_LEVEL_ERROR));
        cr_assert(options.systemd_compat && options.with_systemd_boot && !options.with_systemd_units);
        cr_assert(options.lenient_directives);
        cr_assert(options.default_tasks_max.is_part && options.default_tasks_max.amount == 2000);
        cr_assert(eq(u64, options.shutdown_timeout, 120 * USEC_PER_SEC));
        cr_assert(eq(u64, options.watchdog, 300 * USEC_PER_SEC));
        assert_null(options.default_unit);
        unlink(path);
}

Test(core_options, the_default_unit_may_be_none) {
        cleanup_(core_options_deinit) CoreOptions options = {};

        cr_assert(eq(int, read_options(&options, NULL, "--default-unit=none", "--runtime-dir=/x"), 0));
        cr_assert(not(options.no_state));
        assert_string(options.default_unit, "");
        assert_string(options.runtime_directory, "/x");
}

Test(core_options, state_is_not_written_on_demand_only) {
        cleanup_(core_options_deinit) CoreOptions options = {};

        cr_assert(eq(int, read_options(&options, NULL, "--no-state", "--runtime-dir=/x"), 0));
        cr_assert(options.no_state);
}

Test(core_options, wrong_ones_are_named) {
        static const char *const cases[][3] = {
                { "--nonsense", NULL, "--nonsense" },
                { "--log-level=loud", NULL, "loud" },
                { "--unsupported-directives=maybe", NULL, "maybe" },
                { "--shutdown-timeout=soon", NULL, "soon" },
                { "--unit-path", NULL, "--unit-path" },
                { "start", "a.service", "start" },
                { "--exit-on=a@.service", NULL, "a@.service" },
                { "--signal-exit-status=one", NULL, "one" },
                { "--inherit-environment=perhaps", NULL, "perhaps" },
                { "run", NULL, "run --help" },
                { "run", "--exec", "run --help" },
                { "run", "--nonsense", "--nonsense" },
                { "run", "a@.service", "a@.service" },
                { "--exec", "true", "jobd run --exec" },
                { "--config=/nonexistent/jobd.conf", NULL, "/nonexistent/jobd.conf" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                CoreOptions options = {};
                Failure failure = {};

                cr_assert(lt(int, read_options(&options, &failure, cases[i][0], cases[i][1]), 0), "%s", cases[i][0]);
                assert_not_null(strstr(failure_message(&failure), cases[i][2]));
                failure_deinit(&failure);
                core_options_deinit(&options);
        }
}

Test(core_options, a_wrong_value_in_the_file_is_named_with_its_line) {
        cleanup_(core_options_deinit) CoreOptions options = {};
        cleanup_(failure_deinit) Failure failure = {};
        char path[64], argument[80];

        write_config(path, "[Manager]\n\nSystemdCompat=perhaps\n");
        snprintf(argument, sizeof(argument), "--config=%s", path);
        cr_assert(lt(int, read_options(&options, &failure, argument, NULL), 0));
        assert_not_null(strstr(failure_message(&failure), ":3: 'perhaps'"));
        unlink(path);
}

Test(core_options, run_takes_units_and_nothing_else_is_started) {
        cleanup_(core_options_deinit) CoreOptions options = {};
        cleanup_(failure_deinit) Failure failure = {};

        cr_assert(eq(int, read_options(&options, &failure, "run", "web"), 0), "%s", failure_message(&failure));
        assert_string(options.exit_on[0], "web.service");
        assert_null(options.exit_on[1]);
        assert_string(options.default_unit, "");
        assert_null(options.runtime_directory);
        cr_assert(options.hands_on_environment);
        cr_assert(eq(int, (int) options.log_level, LOG_LEVEL_INFO));
}

Test(core_options, what_follows_exec_is_the_commands) {
        char *argv[] = { (char *) "jobd", (char *) "--log-level=debug", (char *) "run", (char *) "--signal-exit-status",
                         (char *) "signal", (char *) "--exec", (char *) "ls", (char *) "--help", (char *) "--", NULL };
        cleanup_(core_options_deinit) CoreOptions options = {};
        cleanup_(failure_deinit) Failure failure = {};

        cr_assert(eq(int, core_command_line_read(&options, 9, argv, &failure), 0), "%s", failure_message(&failure));
        assert_string(options.command[0], "ls");
        assert_string(options.command[1], "--help");
        assert_string(options.command[2], "--");
        assert_null(options.command[3]);
        cr_assert(options.has_signal_status);
        cr_assert(eq(int, (int) options.log_level, LOG_LEVEL_DEBUG));
}

Test(core_options, a_container_has_the_systems_units_for_anybody) {
        cleanup_(core_options_deinit) CoreOptions options = {}, user = {};

        cr_assert(eq(int, read_options(&options, NULL, "--container", NULL), 0));
        cr_assert(not(options.is_user));
        cr_assert(options.hands_on_environment);
        assert_null(options.runtime_directory);
        cr_assert(eq(int, read_options(&user, NULL, "--container", "--user"), 0));
        cr_assert(user.is_user);
}

Test(core_options, exit_on_of_the_command_line_replaces_that_of_the_file) {
        cleanup_(core_options_deinit) CoreOptions options = {}, other = {};
        char path[64], argument[80];

        write_config(path,
                     "[Manager]\nExitOn=a b.target\nExitOn=c a\nInheritEnvironment=yes\nSignalExitStatus=signal\n");
        snprintf(argument, sizeof(argument), "--config=%s", path);
        cr_assert(eq(int, read_options(&options, NULL, argument, "--system"), 0));
        assert_string(options.exit_on[0], "a.service");
        assert_string(options.exit_on[1], "b.target");
        assert_string(options.exit_on[2], "c.service");
        assert_null(options.exit_on[3]);
        cr_assert(options.has_signal_status);
        cr_assert(options.hands_on_environment);
        cr_assert(eq(int, read_options(&other, NULL, argument, "--exit-on=d"), 0));
        assert_string(other.exit_on[0], "d.service");
        assert_null(other.exit_on[1]);
        unlink(path);
}

Test(core_options, a_command_line_becomes_a_setting_that_means_the_same) {
        char *const words[] = { (char *) "echo", (char *) "a b", (char *) "", (char *) "100%\"\\", (char *) "\n\xff",
                                NULL };
        cleanup_free_ char *setting = NULL;

        cr_assert(eq(int, command_unit_quote(words, &setting), 0));
        assert_string(setting, " \"echo\" \"a b\" \"\" \"100%%\\x22\\x5c\" \"\\x0a\\xff\"");
}

Test(core_options, a_user_without_a_runtime_folder_gets_one_later) {
        cleanup_(core_options_deinit) CoreOptions options = {};

        unsetenv("XDG_RUNTIME_DIR");
        cr_assert(eq(int, read_options(&options, NULL, "--user", NULL), 0));
        assert_null(options.runtime_directory);
}

Test(runtime_directory, is_made_and_one_jobds_only) {
        cleanup_(failure_deinit) Failure failure = {};
        char base[] = "/tmp/jobd-core-XXXXXX", path[64];
        cleanup_free_ char *first = NULL, *second = NULL;
        struct stat status;
        int fd = -1, other = -1;

        assert_not_null(mkdtemp(base));
        snprintf(path, sizeof(path), "%s/x/y", base);
        cr_assert(eq(int, runtime_directory_open(path, -1, &fd, &first, &failure), 0));
        cr_assert(eq(int, stat(path, &status), 0));
        cr_assert(eq(uint, status.st_mode & 0777, 0755));
        cr_assert(eq(int, runtime_directory_open(path, -1, &other, &second, &failure), -EBUSY));
        close(fd);
        cr_assert(eq(int, runtime_directory_open(path, -1, &fd, &second, &failure), 0));
        close(fd);

        cr_assert(eq(int, chmod(path, 0777), 0));
        cr_assert(eq(int, runtime_directory_open(path, -1, &fd, &second, &failure), -EPERM));
        rmdir(path);
        snprintf(path, sizeof(path), "%s/x", base);
        rmdir(path);
        rmdir(base);
}
