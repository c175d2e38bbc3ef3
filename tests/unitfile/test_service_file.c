/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [Service]: commands, times, environment, what resets what.
 */

#include <signal.h>
#include <string.h>

#include "basic/macro.h"
#include "basic/strv.h"
#include "file_world.h"

/* "-@path[argv0][argv1] path[…]" */
static char *commands_of(const ExecCommand *command) {
        Text text = {};
        char *string;

        for (; command; command = command->next) {
                text_addf(&text, "%s%s%s%s%s%s%s", text.n > 0 ? " " : "", command->flags & EXEC_IGNORE_FAILURE ? "-" : "",
                          command->flags & EXEC_ARGV0 ? "@" : "", command->flags & EXEC_NO_EXPANSION ? ":" : "",
                          command->flags & EXEC_FULL_PRIVILEGES ? "+" : "", command->flags & EXEC_NO_SETUID ? "!" : "",
                          command->path);
                strv_foreach(argument, command->argv)
                        text_addf(&text, "[%s]", *argument);
        }
        cr_assert(eq(int, text_finish(&text, &string), 0));
        return string;
}

Test(service_file, tables_of_lines_and_commands) {
        static const struct {
                const char *lines, *commands;
        } cases[] = {
                { "ExecStart=/bin/x", "/bin/x[/bin/x]" },
                { "ExecStart=x a", "x[x][a]" },
                { "ExecStart=-/bin/x", "-/bin/x[/bin/x]" },
                { "ExecStart=@/bin/x y z", "@/bin/x[y][z]" },
                { "ExecStart=-@:+/bin/x y", "-@:+/bin/x[y]" },
                { "ExecStart=!/bin/x", "!/bin/x[/bin/x]" },
                { "ExecStart=!!/bin/x", "/bin/x[/bin/x]" },
                { "ExecStart=/bin/x ; /bin/y a", "/bin/x[/bin/x] /bin/y[/bin/y][a]" },
                { "ExecStart=/bin/x \\; a;b ';'", "/bin/x[/bin/x][;][a;b][;]" },
                { "ExecStart=/bin/x a\\x20b $A '${B}' %p", "/bin/x[/bin/x][a b][$A][${B}][x]" },
                { "ExecStart=/bin/x \\\n  a \\\n# no\n  b", "/bin/x[/bin/x][a][b]" },
                { "ExecStart=\"/bin/my prog\" a", "/bin/my prog[/bin/my prog][a]" },
                { "ExecStart=/bin/x a\\.b", "/bin/x[/bin/x][a\\.b]" },
                { "ExecStart=/a\nExecStart=\nExecStart=/b", "/b[/b]" },
                { "ExecStart=/a\nExecStart=/b", "/a[/a] /b[/b]" },
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                cleanup_(file_world_freep) FileWorld *world = file_world_new();
                cleanup_free_ char *text = NULL, *commands = NULL;

                cr_assert(eq(int, text_format(&text, "[Service]\nType=oneshot\n%s\n", cases[i].lines), 0));
                file_write(world, "a/x.service", text);
                commands = commands_of(file_service(file_load(world, "x.service"))->commands[SERVICE_EXEC_START]);
                cr_expect(eq(str, commands, (char *) cases[i].commands), "case %zu", i);
        }
}

Test(service_file, each_command_knows_its_place) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceSettings *service =
                file_service(file_load_service(world, "x.service", "ExecStop=/bin/a\nExecReload=-/bin/b"));

        cr_assert(eq(uint, service->commands[SERVICE_EXEC_START]->line, 2));
        cr_assert(eq(uint, service->commands[SERVICE_EXEC_RELOAD]->line, 4));
        file_assert_contains(service->commands[SERVICE_EXEC_STOP]->file, "a/x.service");
}

Test(service_file, defaults_are_systemds) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceSettings *service = file_service(file_load_service(world, "x.service", ""));

        cr_assert(eq(int, service->type, SERVICE_SIMPLE));
        cr_assert(eq(u64, service->timeout_start, 90 * USEC_PER_SEC));
        cr_assert(eq(u64, service->timeout_stop, 90 * USEC_PER_SEC));
        cr_assert(eq(u64, service->runtime_max, USEC_INFINITY));
        cr_assert(eq(int, service->kill.signal, SIGTERM));
        cr_assert(eq(int, service->exec.standard_error, EXEC_OUTPUT_SAME));
        cr_assert(eq(u32, service->exec.umask, 0022));
        cr_assert(service->kill.send_sigkill);
}

Test(service_file, defaults_that_hang_on_others) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        cr_assert(eq(u64, file_service(file_load_service(world, "a.service", "Type=oneshot"))->timeout_start, USEC_INFINITY));
        cr_assert(eq(u64, file_service(file_load_service(world, "b.service", "Type=oneshot\nTimeoutSec=3"))->timeout_start,
                     3 * USEC_PER_SEC));
        cr_assert(eq(u64, file_service(file_load_service(world, "c.service", "TimeoutStopSec=0"))->timeout_abort,
                     USEC_INFINITY));
        cr_assert(eq(int, file_service(file_load_service(world, "d.service", "Type=notify"))->notify_access,
                     SERVICE_NOTIFY_MAIN));
        file_write(world, "a/e.service", "[Service]\nRemainAfterExit=yes\nExecStop=/bin/x\n");
        cr_assert(eq(int, file_service(file_load(world, "e.service"))->type, SERVICE_ONESHOT));
        cr_assert(eq(int, file_service(file_load_service(world, "f.service", "Type=idle"))->type, SERVICE_IDLE));
        cr_assert(eq(int, file_service(file_load_service(world, "g.service", "BusName=a.b"))->type, SERVICE_DBUS));
        cr_assert(eq(int, file_service(file_load_service(world, "h.service", "NotifyFd=3"))->type, SERVICE_NOTIFY));
        cr_assert(eq(int, file_service(file_load_service(world, "i.service", "FileDescriptorStoreMax=1"))->notify_access,
                     SERVICE_NOTIFY_MAIN));
}

Test(service_file, a_terminal_can_be_the_input) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceSettings *service;

        service = file_service(file_load_service(world, "x.service", "StandardInput=tty-force"));
        cr_assert(eq(int, service->exec.tty, EXEC_TTY_FORCE));
        assert_null(exec_settings_rare(&service->exec)->tty_path);
        service = file_service(file_load_service(world, "y.service", "StandardInput=tty\nTTYPath=/dev/tty9"));
        cr_assert(eq(int, service->exec.tty, EXEC_TTY_IF_FREE));
        assert_string(exec_settings_rare(&service->exec)->tty_path, "/dev/tty9");
        service = file_service(file_load_service(world, "z.service", "StandardInput=tty-fail\nStandardInput=null"));
        cr_assert(eq(int, service->exec.tty, EXEC_TTY_NONE));
}

Test(service_file, settings_are_read) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceSettings *service = file_service(file_load_service(world, "x.service",
                "Type=forking\nRestart=on-abnormal\nRestartSec=1.5\nPIDFile=x.pid\nGuessMainPID=no\nUser=www-data\n"
                "Group=33\nSupplementaryGroups=a b\nUMask=077\nNice=-5\nOOMScoreAdjust=+100\nKillMode=mixed\n"
                "KillSignal=SIGINT\nRestartKillSignal=RTMIN+3\nFinalKillSignal=6\nWorkingDirectory=-/x//y/./z/\n"
                "StandardOutput=append:/var/log/%N.log\nStandardError=null\nStandardInput=file:/in\n"
                "WatchdogSec=infinity\nTimeoutStartSec=1min 5s\nSyslogIdentifier=me\nIgnoreSIGPIPE=no"));

        cr_assert(eq(int, service->type, SERVICE_FORKING));
        cr_assert(eq(int, service->restart, SERVICE_RESTART_ON_ABNORMAL));
        cr_assert(eq(u64, service->restart_usec, 1500 * USEC_PER_MSEC));
        assert_string(service->pid_file, "/run/x.pid");
        cr_assert(not(service->guess_main_pid));
        assert_string(service->exec.user, "www-data");
        assert_string(service->exec.group, "33");
        assert_string(exec_settings_rare(&service->exec)->supplementary_groups[1], "b");
        cr_assert(eq(u32, service->exec.umask, 0077));
        cr_assert(service->exec.has_nice && service->exec.nice == -5);
        cr_assert(service->exec.has_oom_score_adjust && service->exec.oom_score_adjust == 100);
        cr_assert(eq(int, service->kill.mode, KILL_MODE_MIXED));
        cr_assert(eq(int, service->kill.signal, SIGINT));
        cr_assert(eq(int, service->kill.restart_signal, SIGRTMIN + 3));
        cr_assert(eq(int, service->kill.final_signal, SIGABRT));
        assert_string(service->exec.working_directory, "/x/y/z");
        cr_assert(service->exec.working_directory_optional);
        cr_assert(eq(int, service->exec.standard_output, EXEC_OUTPUT_APPEND));
        assert_string(service->exec.standard_output_file, "/var/log/x.log");
        cr_assert(eq(int, service->exec.standard_error, EXEC_OUTPUT_NULL));
        assert_string(service->exec.standard_input_file, "/in");
        cr_assert(eq(u64, service->watchdog, 0));
        cr_assert(eq(u64, service->timeout_start, 65 * USEC_PER_SEC));
        cr_assert(not(service->exec.ignore_sigpipe));
        assert_string(file_said(world), "");
}

Test(service_file, environment_is_a_list_that_can_be_reset) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceSettings *service = file_service(file_load_service(world, "x.service",
                "Environment=GONE=1\nEnvironment=\nEnvironment=A=1 \"B=x y\" 'C=%p' 1D=no nothing\nEnvironment=A=2\n"
                "EnvironmentFile=/gone\nEnvironmentFile=\nEnvironmentFile=-/etc/%p\nPassEnvironment=X Y\n"
                "UnsetEnvironment=Z"));

        assert_string(service->exec.environment[0], "A=2");
        assert_string(service->exec.environment[1], "B=x y");
        assert_string(service->exec.environment[2], "C=x");
        assert_null(service->exec.environment[3]);
        assert_string(service->exec.environment_files[0], "-/etc/x");
        assert_null(service->exec.environment_files[1]);
        assert_string(exec_settings_rare(&service->exec)->pass_environment[1], "Y");
        assert_string(exec_settings_rare(&service->exec)->unset_environment[0], "Z");
        assert_said(world, "warning a/x.service:5 Environment: '1D=no' is not of the form NAME=value");
}

Test(service_file, exit_statuses_are_numbers_names_and_signals) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const ServiceSettings *service = file_service(file_load_service(world, "x.service",
                "SuccessExitStatus=3\nSuccessExitStatus=\nSuccessExitStatus=TEMPFAIL 250 SIGKILL TERM\n"
                "RestartPreventExitStatus=255"));

        cr_assert(exit_status_set_has_status(&service->success_exit_status, 75));
        cr_assert(exit_status_set_has_status(&service->success_exit_status, 250));
        cr_assert(not(exit_status_set_has_status(&service->success_exit_status, 3)));
        cr_assert(exit_status_set_has_signal(&service->success_exit_status, SIGKILL));
        cr_assert(exit_status_set_has_signal(&service->success_exit_status, SIGTERM));
        cr_assert(exit_status_set_has_status(&service->restart_prevent_exit_status, 255));
        cr_assert(not(exit_status_set_has_status(&service->success_exit_status, 4096)));
}

Test(service_file, old_spellings_in_service_set_the_unit) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        Unit *unit = file_load_service(world, "x.service", "StartLimitInterval=1min\nStartLimitBurst=3\nFailureAction=reboot");

        cr_assert(eq(u64, unit->settings.start_limit_interval, 60 * USEC_PER_SEC));
        cr_assert(eq(u32, unit->settings.start_limit_burst, 3));
        cr_assert(eq(int, unit->settings.rare->failure_action, UNIT_ACTION_REBOOT));
}

Test(service_file, harmless_directives_are_ignored_with_a_warning) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_service(file_load_service(world, "x.service", "DisableControllers=io\nTimerSlackNSec=1"));
        assert_said(world, "warning a/x.service:3 DisableControllers: This directive is not supported; the line is ignored: a");
}

/* Lines of a section that is not read are not the unit's. */
Test(service_file, a_rule_between_settings_names_the_line_in_the_unit_s_own_sections) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();

        file_write(world, "a/a.service", "[Service]\nType=oneshot\nExecStart=/bin/true\nRuntimeMaxSec=5\n"
                                         "[X-Other]\nRuntimeMaxSec=7\n[X-Node a]\nRuntimeMaxSec=9\n");
        file_load(world, "a.service");
        assert_said(world, "a/a.service:4 RuntimeMaxSec: ");
}

/* A warning about the line is read by nobody who starts the unit. */
Test(service_file, what_is_missing_is_told_with_the_line_that_may_mean_it) {
        cleanup_(file_world_freep) FileWorld *world = file_world_new();
        const char *message;

        file_write(world, "a/a.service", "[Unit]\nDescripton=x\n[Service]\nType=simple\nExecStrat=/bin/true\n");
        message = failure_message(&file_load(world, "a.service")->load_failure);
        cr_assert(strstr(message, "The service has neither ExecStart= nor ExecStop=.") != NULL, "%s", message);
        cr_assert(strstr(message, "There is ExecStrat= in ") != NULL, "%s", message);
        cr_assert(strstr(message, "a/a.service:5, which is ignored: did you mean ExecStart=? Correct") != NULL, "%s",
                  message);
        cr_assert(strstr(message, "Descripton") == NULL, "%s", message);
}
